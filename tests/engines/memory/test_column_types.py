"""Every type of column that frames have can be masked, by every method, or is refused in words."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import ColumnError
from pairing import each_with

RNG = np.random.default_rng(0)
NUMBERS = RNG.integers(0, 30, 60)
WORDS = RNG.choice(["influenza", "hepatitis", "sprain", "injury"], 60).tolist()
LEVELS = ["influenza", "hepatitis", "sprain", "injury", "unused"]

MEANS = om.Microaggregation(k=3)
OTHERS = [
    om.Recoding(k=3),
    om.Resampling(k=3),
    om.Suppression(k=3),
    om.RankSwapping(window=3),
    om.NoiseAddition(0.5, bounds="resample"),
]


def arrow_series(array):
    return pd.Series(pd.array(array, dtype=pd.ArrowDtype(array.type)))


COLUMNS_OF_NUMBERS = {
    **{
        f"pandas {dtype}": pd.Series(NUMBERS).astype(dtype)
        for dtype in (
            *("int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "object"),
            *("Int8", "Int64", "Float32", "Float64", "int64[pyarrow]", "float[pyarrow]"),
        )
    },
    "pandas category of integers": pd.Series(pd.Categorical(NUMBERS)),
    "pandas category of floats": pd.Series(pd.Categorical(NUMBERS / 3)),
    "pandas ordered category": pd.Series(pd.Categorical(NUMBERS, ordered=True)),
    **{
        f"polars {dtype}": pl.Series(NUMBERS.tolist()).cast(dtype)
        for dtype in (pl.Int8, pl.UInt64, pl.Int128, pl.Float32, pl.Decimal(10, 2), pl.String)
    },
    "pyarrow halffloat": pa.array(NUMBERS.astype("float16")),
    "pyarrow float": pa.array(NUMBERS).cast(pa.float32()),
    "pyarrow dictionary": pa.array(NUMBERS).dictionary_encode(),
    "pyarrow string_view": pa.array([str(number) for number in NUMBERS], pa.string_view()),
}

COLUMNS_OF_WORDS = {
    "pandas category": pd.Series(pd.Categorical(WORDS)),
    "pandas string": pd.Series(WORDS, dtype="string"),
    "pandas on pyarrow string": arrow_series(pa.array(WORDS)),
    "pandas on pyarrow string_view": arrow_series(pa.array(WORDS, pa.string_view())),
    "pandas on pyarrow dictionary": arrow_series(pa.array(WORDS).dictionary_encode()),
    "polars categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars enum": pl.Series(WORDS, dtype=pl.Enum(LEVELS)),
    "pyarrow large_string": pa.array(WORDS, pa.large_string()),
    "pyarrow string_view": pa.array(WORDS, pa.string_view()),
    "pyarrow dictionary": pa.array(WORDS).dictionary_encode(),
}


def table_of(column):
    if isinstance(column, pd.Series):
        return pd.DataFrame({"x": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"x": column})
    return pa.table({"x": column})


def assert_masked(table, attribute, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", om.errors.OntomaskWarning)  # weak protection
        release = om.mask(table, om.Schema([attribute]), method, seed=1)
    assert type(release.data) is type(table)
    assert len(release.data) == 60
    assert release.evaluation.risk["k"] >= (release.guarantee.k or 1)


@pytest.mark.parametrize(("kind", "other"), each_with([*COLUMNS_OF_NUMBERS], OTHERS))
def test_numbers_of_every_type_are_masked(kind, other):
    for method in (MEANS, other):
        assert_masked(table_of(COLUMNS_OF_NUMBERS[kind]), om.Numeric("x"), method)


@pytest.mark.parametrize(("kind", "other"), each_with([*COLUMNS_OF_WORDS], OTHERS))
def test_words_of_every_type_are_masked(kind, other, diagnoses):
    for method in (MEANS, other):
        assert_masked(table_of(COLUMNS_OF_WORDS[kind]), om.Nominal("x", diagnoses), method)


def test_a_category_of_numbers_takes_the_means():
    table = pd.DataFrame({"x": pd.Categorical([1, 1, 2, 8, 9, 9])})
    released = om.mask(table, om.Schema([om.Numeric("x")]), om.Microaggregation(k=3)).data
    assert list(released["x"].cat.categories) == sorted(set(released["x"]))
    assert not released["x"].isna().any()


def test_a_type_that_cannot_hold_masked_numbers_is_named(tmp_path):
    numbers = pd.Series(NUMBERS).astype("uint8")
    file = tmp_path / "numbers.parquet"
    pl.DataFrame({"n": numbers}).write_parquet(file)
    schema = om.Schema([om.Numeric("n")])
    tables = (
        pd.DataFrame({"n": numbers}),
        pl.DataFrame({"n": numbers}),
        pa.table({"n": numbers}),
        file,
    )
    for table in tables:
        with pytest.raises(ColumnError, match=r"(?s)'n' has type (?i:uint8), .* bounds='resample'"):
            om.mask(table, schema, om.NoiseAddition(1), seed=2**70)
    dates = pd.DataFrame({"n": ["9999-12-30", "9000-01-01"] * 9})
    with pytest.raises(ColumnError, match="'n' would have masked dates .* after 9999"):
        om.mask(dates, om.Schema([om.Date("n")]), om.NoiseAddition(1), seed=2**70)
