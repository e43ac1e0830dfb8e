"""Frames in, masked frames out: the promise holds, and nothing else changes."""

from __future__ import annotations

import datetime
from collections import Counter
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frame_kinds import KINDS, made, rows
from ontomask import Taxonomy
from ontomask.engines.memory import records
from ontomask.engines.memory.frame import Frame
from ontomask.errors import (
    ColumnError,
    IndexRemovedWarning,
    InternalError,
    ParameterError,
    RepeatedIdentifierWarning,
    SchemaError,
    UnknownValueError,
)
from ontomask.methods.method import GroupingMethod, Method
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.tuples import Transitions
from ontomask.pipeline.mask import mask
from strategies import taxonomies


class Splitting(Method):
    """Half of the records of a tuple move to the next one: a plan that splits tuples."""

    def plan(self, tuples, random):
        half = tuples.counts // 2
        places = np.arange(len(tuples))
        key = np.concatenate([places, places]) * len(tuples)
        key += np.concatenate([places, (places + 1) % len(tuples)])
        key, place = np.unique(key, return_inverse=True)
        counts = np.bincount(place, weights=np.concatenate([tuples.counts - half, half]))
        moved = counts > 0
        source, target = np.divmod(key[moved], len(tuples))
        return Transitions(tuples, tuples.targets(), source, target, counts[moved].astype(int))


class Blanking(GroupingMethod):
    """Every record is suppressed."""

    def plan(self, tuples, random):
        blank = np.full((1, len(tuples.attributes)), np.nan)
        return Transitions.from_targets(tuples, blank, np.zeros(len(tuples), dtype=int))


@st.composite
def skewed_tables(draw):
    """A taxonomy and a table over it, a few values far more frequent than the others."""
    taxonomy = draw(taxonomies(max_concepts=15))
    n = draw(st.integers(20, 60))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    places = np.minimum(random.geometric(0.3, n) - 1, len(taxonomy) - 1)
    order = random.permutation(len(taxonomy))
    return taxonomy, {
        "row": list(range(n)),
        "word": [taxonomy.identifiers[order[place]] for place in places],
        "age": random.geometric(0.2, n).tolist(),
        "note": [None if i % 7 == 0 else f"n{i % 5}" for i in range(n)],
        "share": [None if i % 5 == 0 else float(i) / 7 for i in range(n)],
    }


def schema_of(taxonomy, **settings):
    quasi = [Nominal("word", taxonomy), Numeric("age")]
    return Schema(quasi, **{"keep": ["row"], "other": "keep", **settings})


def table(n=40, seed=0):
    random = np.random.default_rng(seed)
    words = ["flu", "cold", "hepatitis B", "sprain", "broken leg"]
    return {
        "row": list(range(n)),
        "word": random.choice(words, n, p=[0.5, 0.2, 0.1, 0.1, 0.1]).tolist(),
        "age": random.integers(20, 24, n).tolist(),
        "note": [None if i % 7 == 0 else f"n{i % 5}" for i in range(n)],
    }


# ---------------------------------------------------------------------- the promise


@pytest.mark.filterwarnings("ignore::ontomask.errors.IndexRemovedWarning")
@given(case=skewed_tables(), k=st.integers(2, 20))
def test_every_class_has_k_records_and_nothing_else_changes(case, k):
    taxonomy, columns = case
    frame = pd.DataFrame(columns, index=[f"i{i // 2}" for i in range(len(columns["row"]))])
    release = mask(frame, schema_of(taxonomy), Microaggregation(k=k))
    classes = Counter(zip(release.data["word"], release.data["age"], strict=True))
    assert min(classes.values()) >= k
    assert release.guarantee.headline[-1] == (
        "On the quasi-identifiers alone: "
        f"{k}-anonymous on word, age: smallest equivalence class {min(classes.values())} records"
    )
    assert (release.guarantee.k, release.guarantee.classes) == (k, len(classes))
    others = ["row", "note", "share"]
    expected = frame[others].reset_index(drop=True)
    pd.testing.assert_frame_equal(release.data[others], expected)
    assert list(release.data.columns) == list(frame.columns)
    assert release.data.dtypes.equals(frame.dtypes)
    assert set(release.data["word"]) <= set(taxonomy.domain(columns["word"]))
    assert release.transitions.class_sizes().sum() == len(frame)


GROUPING = [Recoding, Resampling, Suppression, partial(Suppression, how="drop")]


@given(case=skewed_tables(), k=st.integers(2, 20), seed=st.integers(0, 9))
@pytest.mark.parametrize("method", GROUPING)
def test_every_grouping_method_keeps_its_promise(method, case, k, seed):
    taxonomy, columns = case
    frame = pl.DataFrame(columns)
    words = [w if i % 4 else None for i, w in enumerate(columns["word"])]
    for table in (frame, frame.with_columns(pl.Series("word", words))):
        schema = schema_of(taxonomy, missing="category")
        release = mask(table, schema, method(k=k), seed=seed)
        again = mask(table.reverse(), schema, method(k=k), seed=seed)
        assert release.data.equals(again.data.reverse())
        if release.records:
            assert min(Counter(release.data.select("word", "age").rows()).values()) >= k


@pytest.mark.parametrize("replacement", ["synthetic", "synthetic_paper"])
def test_synthetic_values_are_in_the_range_and_promise_nothing(diagnoses, replacement):
    frame = pl.DataFrame(table())
    schema = schema_of(diagnoses)
    release = mask(frame, schema, Microaggregation(k=3, replacement=replacement), seed=1)
    ages = set(frame["age"])
    assert min(ages) <= release.data["age"].min() <= release.data["age"].max() <= max(ages)
    assert replacement == "synthetic" or set(release.data["age"]) <= ages
    assert release.guarantee.startswith(
        f"not k-anonymous: Microaggregation(k=3, replacement={replacement!r}) does not guarantee "
        "class "
    )


@given(case=skewed_tables(), seed=st.integers(0, 9))
@pytest.mark.parametrize("method", [Microaggregation(k=3), Splitting()])
def test_the_order_of_rows_does_not_matter(method, case, seed):
    taxonomy, columns = case
    frame = pl.DataFrame(columns)
    shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
    one = mask(frame, schema_of(taxonomy), method, seed=seed).data
    other = mask(shuffled, schema_of(taxonomy), method, seed=seed).data
    assert one.equals(other.sort("row"))


@given(case=skewed_tables(), seed=st.integers(0, 2**70))
@pytest.mark.parametrize("method", [Microaggregation(k=4), Splitting()])
def test_every_kind_of_frame_gives_the_same(method, case, seed):
    taxonomy, columns = case
    masked = {}
    for kind in KINDS:
        frame = made(kind, columns)
        data = mask(frame, schema_of(taxonomy), method, seed=seed).data
        assert type(data) is type(frame)
        masked[kind] = rows(data)
    assert all(masked[kind] == masked["pandas"] for kind in KINDS)


def test_a_seed_is_repeated_and_no_seed_is_not(diagnoses):
    frame = pl.DataFrame(table(400))
    schema = schema_of(diagnoses)

    def masked(seed):
        return rows(mask(frame, schema, Splitting(), seed=seed).data)

    assert masked(1) == masked(1)
    assert len({str(masked(seed)) for seed in (1, 2, None, None)}) == 4


def test_equal_rows_are_interchangeable(diagnoses):
    frame = pl.DataFrame({"word": ["flu"] * 6 + ["cold"] * 5, "age": [30] * 11, "row": [1] * 11})
    backwards = frame.reverse()
    one = mask(frame, schema_of(diagnoses), Splitting(), seed=1).data
    other = mask(backwards, schema_of(diagnoses), Splitting(), seed=1).data
    assert Counter(rows(one)) == Counter(rows(other))
    assert Counter(one["word"]) == Counter({"influenza": 5, "common cold": 6})


def test_the_seed_is_nowhere_in_the_release(diagnoses):
    frame = pl.DataFrame(table())
    release = mask(frame, schema_of(diagnoses), Microaggregation(k=3), seed=918273645)
    assert "918273645" not in repr(release)
    assert "918273645" not in str(vars(release))


def test_what_a_release_looks_like(diagnoses):
    frame = pl.DataFrame(table())
    release = mask(frame, schema_of(diagnoses), Microaggregation(k=3, distance="s"))
    tuples, classes = len(release.transitions.tuples), release.guarantee.classes
    assert repr(release) == (
        f"Release(40 records, {tuples} → {classes} combinations of values, "
        "Microaggregation(k=3, distance='s'), 40 unique records with kept columns, 3-anonymous on "
        "the quasi-identifiers alone)"
    )


def test_a_method_without_a_promise_says_so(diagnoses):
    release = mask(pl.DataFrame(table()), schema_of(diagnoses), Splitting())
    assert release.guarantee.startswith("not k-anonymous: Splitting does not guarantee class sizes")
    assert release.guarantee.k is None
    assert repr(release).endswith(
        "Splitting, 40 unique records with kept columns, not k-anonymous)"
    )


def test_synthetic_replacement_is_not_k_anonymous(diagnoses):
    class Synthetic(Splitting, GroupingMethod):
        promised_k = None

    release = mask(pl.DataFrame(table()), schema_of(diagnoses), Synthetic(k=3))
    assert release.guarantee.startswith("not k-anonymous: ")


@pytest.mark.parametrize("kind", KINDS)
def test_identifiers_and_dropped_columns_are_removed(kind, diagnoses):
    schema = Schema(
        [Nominal("word", diagnoses), Numeric("age")], identifiers=["row"], drop=["note"]
    )
    release = mask(made(kind, table()), schema, Microaggregation(k=3))
    assert all(len(row) == 2 for row in rows(release.data))


# ---------------------------------------------------------------------- what is written


def words_written(values, taxonomy, k=2, **settings):
    frame = pl.DataFrame({"word": values})
    schema = Schema([Nominal("word", taxonomy, **settings)])
    return mask(frame, schema, Microaggregation(k=k)).data["word"].to_list()


@pytest.fixture
def labelled():
    return Taxonomy.from_edges(
        [("C1", "C0"), ("C2", "C0"), ("C3", "C0"), ("C4", "C0")],
        labels={"C1": ["Flu", "grippe"], "C2": ["Cold"], "C3": ["Rash"], "C4": ["Rash", "hives"]},
        aliases={"X1": "C1"},
    )


def test_identifiers_where_most_records_held_identifiers(labelled):
    assert words_written(["C1", "X1", "Flu", "C2", "Cold", "C2"], labelled) == [
        "C1", "C1", "C1", "C2", "C2", "C2",
    ]  # fmt: skip


def test_preferred_labels_otherwise(labelled):
    values = ["C1", "flu", "grippe", "C2", "Cold", "cold"]
    assert words_written(values, labelled) == ["Flu", "Flu", "Flu", "Cold", "Cold", "Cold"]


def test_the_identifier_in_parentheses_where_two_concepts_have_one_label(labelled):
    values = ["hives", "hives", "grippe", "grippe"]
    assert words_written(values, labelled) == ["Rash (C4)", "Rash (C4)", "Flu", "Flu"]


def test_a_label_that_is_an_identifier_elsewhere_does_not_blur_them():
    taxonomy = Taxonomy.from_edges(
        [("a", "r"), ("b", "r"), ("c", "r")],
        labels={"a": ["same", "first"], "b": ["same", "second"], "c": ["a", "third"]},
    )
    values = ["first", "first", "third", "third"]
    assert words_written(values, taxonomy) == ["same (a)", "same (a)", "a (c)", "a (c)"]


def test_repaired_codes_come_back_as_codes(icd9):
    values = ["8.45", "8.45", "5409", "540.9"]
    written = words_written(values, icd9, repair_codes=True)
    assert written == ["008.45", "008.45", "540.9", "540.9"]


def test_a_mapping_says_what_values_mean(diagnoses, tmp_path):
    values = ["the flu", "the flu", "leg", "leg"]
    mapping = {"the flu": "influenza", "leg": "broken leg"}
    wanted = ["influenza", "influenza", "broken leg", "broken leg"]
    assert words_written(values, diagnoses, mapping=mapping) == wanted
    path = tmp_path / "mapping.csv"
    path.write_text("value,concept\nthe flu,influenza\nleg,broken leg\n")
    assert words_written(values, diagnoses, mapping=path) == wanted


def test_codes_read_as_numbers_become_text():
    taxonomy = Taxonomy.from_edges([("250", "all"), ("251", "all")])
    frame = pd.DataFrame({"code": [250, 250, 251, 251]})
    data = mask(frame, Schema([Nominal("code", taxonomy)]), Microaggregation(k=2)).data
    assert data["code"].tolist() == ["250", "250", "251", "251"]


def test_numbers_keep_their_precision_and_type():
    frame = pl.DataFrame(
        {"a": [1, 2, 9, 12], "b": [0.5, 0.25, 7.0, 8.0], "c": [1.0, 2.0, 9.0, 12.0]},
        schema={"a": pl.Int16, "b": pl.Float64, "c": pl.Float32},
    )
    schema = Schema([Numeric("a"), Numeric("b"), Numeric("c")])
    data = mask(frame, schema, Microaggregation(k=2)).data
    assert data.schema == frame.schema
    assert data["a"].to_list() == [2, 2, 10, 10]  # 3/2 and 21/2, halves to even
    assert data["b"].to_list() == [0.38, 0.38, 7.5, 7.5]
    assert data["c"].to_list() == [2, 2, 10, 10]


def test_levels_have_a_middle():
    frame = pd.DataFrame({"pain": ["low", "low", "mid", "high", "high", "high"]})
    schema = Schema([Ordinal("pain", ["low", "mid", "high"])])
    data = mask(frame, schema, Microaggregation(k=3)).data
    assert data["pain"].tolist() == ["low", "low", "low", "high", "high", "high"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clock", [False, True])
def test_days_have_a_mean(kind, clock):
    days = [datetime.date(2020, 1, day) for day in (1, 3, 20, 30)]
    stamps = [datetime.datetime(d.year, d.month, d.day, 8, 30) for d in days]
    frame = made(kind, {"day": stamps if clock else days})
    data = mask(frame, Schema([Date("day")]), Microaggregation(k=2)).data
    means = [datetime.date(2020, 1, day) for day in (2, 2, 25, 25)]
    found = [row[0] for row in rows(data)]
    assert [day.date() if clock else day for day in found] == means
    if clock:
        assert all((day.hour, day.minute) == (0, 0) for day in found)


def test_times_with_a_zone_keep_it():
    frame = pd.DataFrame({"day": pd.date_range("2020-03-28 23:30", periods=4, tz="Europe/Madrid")})
    data = mask(frame, Schema([Date("day")]), Microaggregation(k=2)).data
    assert data["day"].dtype == frame["day"].dtype
    assert {stamp.hour for stamp in data["day"]} == {0}


def test_decimals_in_the_type_are_kept():
    relation = duckdb.connect().sql(
        "select (i * 1.5)::decimal(8, 2) as x, i::hugeint as y, i::utinyint as z from range(6) r(i)"
    )
    data = mask(relation, Schema([Numeric("x"), Numeric("y"), Numeric("z")]), Microaggregation(3))
    assert data.data.types == relation.types
    assert data.guarantee.k == 3


def test_relations_keep_their_connection_and_types():
    connection = duckdb.connect()
    relation = connection.sql(
        """select i % 3 as age, uuid() as u, cast('a' as enum('a', 'b')) as e, interval 1 day as iv,
           [1, 2] as l, {'q': i} as s, 'nan'::double as n, 'x'::blob as b from range(9) r(i)"""
    )
    release = mask(relation, Schema([Numeric("age")], other="keep"), Microaggregation(k=3))
    assert release.data.types == relation.types
    masked = release.data
    assert connection.sql("select count(*) from masked").fetchall() == [(9,)]
    assert masked.columns == relation.columns


def test_categories_that_nobody_holds_are_not_released(diagnoses):
    words = ["flu", "flu", "flu", "flu", "hepatitis B"]
    frame = pd.DataFrame({"word": pd.Categorical(words)})
    data = mask(frame, Schema([Nominal("word", diagnoses)]), Microaggregation(k=5)).data
    assert list(data["word"].cat.categories) == ["influenza"]
    arrow = pa.table({"word": pa.array(words).dictionary_encode()})
    data = mask(arrow, Schema([Nominal("word", diagnoses)]), Microaggregation(k=5)).data
    assert data["word"].type == arrow["word"].type
    assert data["word"].combine_chunks().dictionary.to_pylist() == ["influenza"]


def test_categories_of_classes_that_were_joined_are_not_released(diagnoses):
    words = ["flu"] * 2 + ["cold"] * 2 + ["broken leg"] * 2
    frame = pd.DataFrame({"word": pd.Categorical(words), "who": [1, 1, 2, 3, 4, 5]})
    schema = Schema([Nominal("word", diagnoses)], person="who")
    data = mask(frame, schema, Microaggregation(k=2)).data
    assert list(data["word"].cat.categories) == ["broken leg", "common cold"]
    assert data["word"].tolist() == ["common cold"] * 4 + ["broken leg"] * 2


def test_columns_of_rarer_types(diagnoses):
    views = pa.table({"word": pa.array(["flu", "flu", "cold"], pa.string_view())})
    data = mask(views, Schema([Nominal("word", diagnoses)]), Suppression(k=2)).data
    assert data["word"].to_pylist() == [None] * 3
    assert data["word"].type == pa.string_view()
    flags = pd.DataFrame({"self": [True, False, True]})
    data = mask(flags, Schema([Ordinal("self", [False, True])]), Suppression(k=2)).data
    assert data["self"].dtype == "boolean"
    levels = pl.DataFrame({"x": pl.Series(list("aabb"), dtype=pl.Enum(list("ab")))})
    assert mask(levels, Schema([Ordinal("x", ["a", "b"])]), Microaggregation(2)).data.equals(levels)
    ordered = pd.DataFrame({"x": pd.Categorical(list("aabc"), ordered=True)})
    data = mask(ordered, Schema([Ordinal("x", list("abc"))]), Suppression(k=2)).data
    assert data["x"].dtype == pd.CategoricalDtype(["a"], ordered=True)
    large = pd.DataFrame({"x": [1e308, 0.5, 1.0, 1e307]})
    data = mask(large, Schema([Numeric("x")]), Microaggregation(k=2)).data
    assert np.isfinite(data["x"]).all()


def test_domains(diagnoses):
    values = ["flu", "hepatitis B", "hepatitis C", "cold"]

    def domain(**settings):
        frame = pl.DataFrame({"word": values})
        schema = Schema([Nominal("word", diagnoses, **settings)])
        return mask(frame, schema, Microaggregation(k=2)).transitions.tuples.attributes[0].domain

    assert domain().root == "viral infection"
    assert domain(domain="taxonomy") is diagnoses
    assert domain(domain="disease").root == "disease"
    with pytest.raises(UnknownValueError) as error:
        domain(domain="hepatitis")
    assert "2 values of column 'word' are not below 'hepatitis', the domain:" in str(error.value)
    assert "'cold' (1 row), 'flu' (1 row)" in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_suppressed_cells_are_missing(kind, diagnoses):
    columns = {**table(), "day": [datetime.date(2020, 1, 1)] * 40, "x": [0.5] * 40}
    schema = Schema(
        [Nominal("word", diagnoses), Numeric("age"), Date("day"), Numeric("x")],
        identifiers=["row"],
        keep=["note"],
    )
    release = mask(made(kind, columns), schema, Blanking(k=5))
    assert {row[:2] + row[3:] for row in rows(release.data)} == {(None,) * 4}
    assert [row[2] for row in rows(release.data)] == columns["note"]
    assert release.suppressed == 40


def test_suppressed_records_are_removed_where_the_method_says_so(diagnoses):
    class Dropping(Blanking):
        suppression = "drop"

        def plan(self, tuples, random):
            few = (tuples.counts < self.k).astype(int)
            targets = np.vstack([tuples.targets(), np.full(len(tuples.attributes), np.nan)])
            return Transitions.from_targets(
                tuples, targets, np.where(few, len(tuples), np.arange(len(tuples)))
            )

    columns = table(100)
    for kind in KINDS:
        release = mask(made(kind, columns), schema_of(diagnoses), Dropping(k=6))
        often = Counter(zip(columns["word"], columns["age"], strict=True))
        pairs = zip(columns["row"], columns["word"], columns["age"], strict=True)
        left = [row for row, word, age in pairs if often[word, age] >= 6]
        assert [row[0] for row in rows(release.data)] == left
        assert release.records == len(left) == 100 - release.suppressed
        assert 0 < len(left) < 100


# ---------------------------------------------------------------------- wrong input


def refused(columns, quasi, error, message, k=2, **settings):
    with pytest.raises(error) as raised:
        mask(pd.DataFrame(columns), Schema(quasi, **settings), Microaggregation(k=k))
    assert message in str(raised.value)


def test_values_outside_the_taxonomy_are_listed(diagnoses):
    columns = {"word": ["flu", "hepatits", "hepatits", "xyzzy"]}
    refused(
        columns,
        [Nominal("word", diagnoses)],
        UnknownValueError,
        "2 values of column 'word' cannot be mapped to exactly one concept of taxonomy "
        "'diagnoses':\n  'hepatits' (2 rows), 'xyzzy' (1 row)\n\n"
        "hint: did you mean mapping={'hepatits': 'hepatitis'}?",
    )


def test_what_is_wrong_with_several_columns_is_said_at_once(diagnoses):
    with pytest.raises(ColumnError) as raised:
        mask(
            pd.DataFrame({"word": ["xyzzy", "flu"], "age": ["old", "young"], "pain": ["a", "b"]}),
            Schema([Nominal("word", diagnoses), Numeric("age"), Ordinal("pain", ["a"])]),
            Microaggregation(k=2),
        )
    for part in (
        "'xyzzy' (1 row)",
        "has type numeric and must contain numbers, got text such as 'old'",
        "'b' (1 row)",
    ):
        assert part in raised.value.message


@pytest.mark.parametrize(
    ("columns", "quasi", "message"),
    [
        ({"x": []}, Numeric("x"), "the table has no records"),
        (
            {"x": [1.0, float("inf"), float("-inf")]},
            Numeric("x"),
            "column 'x' must have finite numbers, got infinite ones (2 rows)",
        ),
        (
            {"x": [2**53 + 1, 1]},
            Numeric("x"),
            "column 'x' must have numbers below 2^53, got larger ones (1 row)",
        ),
        (
            {"x": [True, False]},
            Numeric("x"),
            "column 'x' has type numeric and must contain numbers, got bool values such as True",
        ),
        (
            {"x": ["01/02/2020"] * 2},
            Date("x"),
            "column 'x' has type date and must contain dates like 2026-12-31",
        ),
        (
            {"x": [[1], [2]]},
            Numeric("x"),
            "column 'x' must have one value per record, got list values",
        ),
        (
            {"x": ["lo", "mid", "mid"]},
            Ordinal("x", ["lo", "hi"]),
            "1 value of column 'x' is not among its levels:\n  'mid' (2 rows)",
        ),
        (
            {"x": [1.0, 2.0]},
            Nominal("x", Taxonomy.from_edges([("1", "0")])),
            "column 'x' has type nominal and must contain text, got numbers with a decimal point",
        ),
    ],
)
def test_columns_that_do_not_hold_what_they_should(columns, quasi, message):
    refused(columns, [quasi], ColumnError, message)


def test_k_above_the_number_of_records():
    refused(
        {"x": [1]},
        [Numeric("x")],
        ParameterError,
        "k must be at most the number of records, 1, got 2",
    )


def test_a_column_twice():
    frame = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(SchemaError, match="the table has 2 columns called 'x'"):
        mask(frame, Schema([Numeric("x")]), Microaggregation(k=2))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            {"x": [1]},
            "table must be a pandas, polars or pyarrow table or a DuckDB relation, got dict",
        ),
        (pd.Series([1], name="x"), "a DuckDB relation, got Series"),
    ],
)
def test_what_is_no_table(frame, message):
    with pytest.raises(ParameterError, match=message):
        mask(frame, Schema([Numeric("x")]), Microaggregation(k=2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": {"x": 1}}, "schema must be a Schema, got dict"),
        (
            {"method": Microaggregation},
            "method must be a masking method, got the class Microaggregation",
        ),
        ({"method": 5}, "method must be a masking method, got 5"),
        ({"seed": -1}, "seed must be a non-negative integer"),
        ({"seed": 1.5}, "seed must be a non-negative integer"),
        ({"seed": True}, "seed must be a non-negative integer"),
    ],
)
def test_arguments_that_make_no_sense(change, message):
    given = {"schema": Schema([Numeric("x")]), "method": Microaggregation(k=2), "seed": 1}
    with pytest.raises(ParameterError, match=message):
        mask(pd.DataFrame({"x": [1, 2]}), **{**given, **change})


def test_a_constant_column_and_a_single_concept_stay_as_they_are():
    single = Taxonomy.from_edges([("only", None)])
    frame = pd.DataFrame({"word": ["only"] * 4, "age": [30] * 4})
    release = mask(frame, schema_of(single, keep=[]), Microaggregation(k=2))
    pd.testing.assert_frame_equal(release.data, frame)
    assert release.guarantee == "2-anonymous on word, age: smallest equivalence class 4 records"


def test_the_given_table_is_not_touched(diagnoses):
    frame = pd.DataFrame(table())
    before = frame.copy(deep=True)
    data = mask(frame, schema_of(diagnoses), Microaggregation(k=10)).data
    data.loc[:, "row"] = -1
    pd.testing.assert_frame_equal(frame, before)


def test_columns_may_have_names_that_are_no_text():
    frame = pd.DataFrame({"x": [1, 1, 5, 5], 3: list("abcd")})
    data = mask(frame, Schema([Numeric("x")], other="keep"), Microaggregation(k=2)).data
    pd.testing.assert_frame_equal(data, frame)


# ---------------------------------------------------------------------- missing values


MISSING = {"word": ["flu", None, "?", "flu", "cold", "cold"], "age": [1, 1, 2, 2, 3, 3]}


def test_missing_values_are_refused(diagnoses):
    refused(
        {**MISSING, "age": [None, 1, 1, 1, 1, 1]},
        [Nominal("word", diagnoses), Numeric("age")],
        ColumnError,
        "values are missing in 2 columns: 'word' (2 rows), 'age' (1 row)",
        missing_marks=["?"],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_rows_with_missing_values_are_dropped_and_counted(kind, diagnoses):
    schema = Schema(
        [Nominal("word", diagnoses), Numeric("age")], missing="drop", missing_marks=["?"]
    )
    release = mask(made(kind, MISSING), schema, Microaggregation(k=2))
    assert [row[0] for row in rows(release.data)] == ["influenza"] * 2 + ["common cold"] * 2
    assert release.dropped == 2
    assert repr(release).endswith("2-anonymous, 2 dropped)")


def test_nothing_left_is_an_error(diagnoses):
    refused(
        {"word": [None, "?"]},
        [Nominal("word", diagnoses)],
        ColumnError,
        "every record has a missing value in 'word'",
        missing="drop",
        missing_marks=["?"],
    )


@pytest.mark.parametrize("kind", KINDS)
def test_missing_as_a_category_is_released_as_missing(kind, diagnoses):
    schema = Schema([Nominal("word", diagnoses)], missing="category", missing_marks=["?"])
    columns = {"word": MISSING["word"]}
    release = mask(made(kind, columns), schema, Microaggregation(k=2))
    words = [row[0] for row in rows(release.data)]
    assert words == ["influenza", None, None, "influenza", "common cold", "common cold"]
    assert release.dropped == 0


def test_missing_is_at_distance_1_from_all_others(diagnoses):
    schema = Schema([Nominal("word", diagnoses)], missing="category")
    frame = pl.DataFrame({"word": ["flu", "cold", None, "flu"]})
    attribute = mask(frame, schema, Microaggregation(k=2)).transitions.tuples.attributes[0]
    assert attribute.size == 3
    missing = attribute.distances_from_target(attribute.target_of(np.array([2]))[0])
    assert missing.tolist() == [1, 1, 0]
    assert all(attribute.distances_from_target(place)[2] == 1 for place in attribute.place[:2])


def test_a_column_of_missing_values_only(diagnoses):
    schema = Schema([Nominal("word", diagnoses)], missing="category")
    frame = pd.DataFrame({"word": pd.Series([None] * 3, dtype=object)})
    release = mask(frame, schema, Microaggregation(k=2))
    assert release.data["word"].isna().all()
    assert release.guarantee.smallest == 3


@given(case=skewed_tables(), k=st.integers(2, 8))
def test_the_promise_holds_with_missing_values(case, k):
    taxonomy, columns = case
    words = [w if i % 4 else None for i, w in enumerate(columns["word"])]
    frame = pl.DataFrame({**columns, "word": words})
    release = mask(frame, schema_of(taxonomy, missing="category"), Microaggregation(k=k))
    assert min(Counter(release.data.select("word", "age").rows()).values()) >= k


# ---------------------------------------------------------------------- people


def test_a_repeated_identifier_is_warned_of(diagnoses):
    frame = pl.DataFrame({**table(), "row": [i // 2 for i in range(40)]})
    schema = schema_of(diagnoses, identifiers=["row"], keep=[])
    with pytest.warns(RepeatedIdentifierWarning, match="To count people, set person to 'row'"):
        release = mask(frame, schema, Microaggregation(k=3))
    assert release.guarantee.endswith("records")


@given(case=skewed_tables(), k=st.integers(2, 6), people=st.integers(6, 15))
def test_classes_hold_k_different_people(case, k, people):
    taxonomy, columns = case
    who = [i % people if i < people else min(i % people, 2) for i in range(len(columns["row"]))]
    frame = pl.DataFrame({**columns, "who": who})
    schema = schema_of(taxonomy, person="who", keep=[], other="drop")
    release = mask(frame, schema, Microaggregation(k=k))
    assert "who" not in release.data.columns
    classes = {}
    for row, person in zip(release.data.select("word", "age").rows(), who, strict=True):
        classes.setdefault(row, set()).add(person)
    smallest = min(map(len, classes.values()))
    assert smallest >= k
    assert (
        release.guarantee
        == f"{k}-anonymous on word, age: smallest equivalence class {smallest} people"
    )


@given(case=skewed_tables(), k=st.integers(2, 6), how=st.sampled_from(["blank", "drop"]))
def test_suppression_blanks_what_too_few_people_hold(case, k, how):
    taxonomy, columns = case
    who = [i if i < 8 else i % 2 for i in range(len(columns["row"]))]
    frame = pl.DataFrame({**columns, "who": who})
    schema = schema_of(taxonomy, person="who", keep=["row", "who"])
    data = mask(frame, schema, Suppression(k=k, how=how)).data
    classes = {}
    for *pair, person in data.select("word", "age", "who").rows():
        classes.setdefault(tuple(pair), set()).add(person)
    assert all(len(people) >= k for people in classes.values())
    kept = data.filter(pl.col("age").is_not_null())
    assert kept.equals(frame.filter(pl.col("row").is_in(kept["row"].implode())))


def test_people_and_missing_words(diagnoses):
    words = [None] * 2 + ["flu"] * 2 + ["cold"] * 2
    frame = pl.DataFrame({"word": words, "who": [1, 1, 2, 3, 4, 5]})
    schema = Schema([Nominal("word", diagnoses)], person="who", missing="category")
    release = mask(frame, schema, Microaggregation(k=2))
    assert release.guarantee == "2-anonymous on word: smallest equivalence class 2 people"
    assert release.data["word"].null_count() == 0


def test_too_few_people_join_the_nearest_class(diagnoses):
    words = ["flu"] * 2 + ["cold"] * 2 + ["broken leg"] * 2
    frame = pl.DataFrame({"word": words, "who": [1, 1, 2, 3, 4, 5]})
    schema = Schema([Nominal("word", diagnoses)], person="who")
    data = mask(frame, schema, Microaggregation(k=2)).data
    assert data["word"].to_list() == ["common cold"] * 4 + ["broken leg"] * 2


def test_more_people_than_there_are():
    refused(
        {"x": [1, 2, 3, 4], "who": [1, 1, 1, 2]},
        [Numeric("x")],
        ParameterError,
        "k must be at most the number of people, 2, got 3",
        k=3,
        person="who",
    )


def test_k_above_the_number_of_records_is_told_by_people_where_they_are_known():
    refused(
        {"x": [1, 2, 3, 4], "who": [1, 1, 1, 2]},
        [Numeric("x")],
        ParameterError,
        "k must be at most the number of people, 2, got 5",
        k=5,
        person="who",
    )


def test_people_need_a_plan_that_keeps_tuples_whole(diagnoses):
    class SplittingGroups(Splitting, GroupingMethod):
        pass

    schema = schema_of(diagnoses, person="row", keep=[])
    with pytest.raises(ParameterError, match="cannot be used with person"):
        mask(pl.DataFrame(table()), schema, SplittingGroups(k=2))


def test_unknown_people_are_missing_values(diagnoses):
    frame = {"x": [1, 1, 2, 2], "who": [1, 2, 3, None]}
    refused(frame, [Numeric("x")], ColumnError, "missing in 1 column: 'who' (1 row)", person="who")
    schema = Schema([Numeric("x")], person="who", missing="category")
    release = mask(pl.DataFrame(frame), schema, Microaggregation(k=2))
    assert release.guarantee.endswith("smallest equivalence class 3 people")  # 3 is not enough


# ---------------------------------------------------------------------- verification


def tampered(monkeypatch, change):
    """Apply goes wrong: the table is changed after it was written."""
    right = Frame.make_released_table

    def wrong(self, *arguments):
        return change(right(self, *arguments))

    monkeypatch.setattr(Frame, "make_released_table", wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.head(39), "more or fewer records"),
        (lambda data: data.with_columns(pl.col("note").reverse()), "column 'note' was changed"),
        (lambda data: data.with_columns(pl.col("row").cast(pl.Int32)), "column 'row' was changed"),
        (lambda data: data.with_columns(new=1), "other columns"),
        (lambda data: data.to_pandas(), "became one of kind pandas"),
        (lambda data: data.with_columns(pl.col("word").reverse()), "not those of the plan"),
        (
            lambda data: data.with_columns(
                word=pl.when(pl.col("row") == 3).then(pl.lit("x")).otherwise("word")
            ),
            "not those of the plan",
        ),
        (
            lambda data: data.with_columns(age=pl.when(pl.col("row") != 3).then("age")),
            "not those of the plan",
        ),
    ],
)
def test_an_error_in_apply_does_not_pass(change, message, monkeypatch, diagnoses):
    tampered(monkeypatch, change)
    with pytest.raises(InternalError, match=message):
        mask(pl.DataFrame(table()), schema_of(diagnoses), Microaggregation(k=3))


def test_a_released_index_does_not_pass(monkeypatch):
    tampered(monkeypatch, lambda data: data.set_axis(list("abcd")))
    frame = pd.DataFrame({"x": [1, 1, 2, 2]})
    with pytest.raises(InternalError, match="the released table has an index"):
        mask(frame, Schema([Numeric("x")]), Microaggregation(k=2))


def test_records_dealt_wrongly_do_not_pass(monkeypatch, diagnoses):
    right = records.deal_targets
    monkeypatch.setattr(records, "deal_targets", lambda *given: np.roll(right(*given), 1))
    with pytest.raises(InternalError, match="not those of the plan"):
        mask(pl.DataFrame(table()), schema_of(diagnoses), Microaggregation(k=3))


def test_a_method_that_breaks_its_promise_does_not_pass(diagnoses):
    class Careless(GroupingMethod):
        def plan(self, tuples, random):
            return Transitions.from_targets(tuples, tuples.targets(), np.arange(len(tuples)))

    with pytest.raises(InternalError, match="5-anonymity was guaranteed, but a class has"):
        mask(pl.DataFrame(table()), schema_of(diagnoses), Careless(k=5))


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize(
    ("index", "words"),
    [
        (pd.Index(list("wxyz")), "the index is not released"),
        (pd.Index([1, 5, 7, 9]), "the index is not released"),  # as of some rows of a table
        (pd.Index(list("wxyz"), name="patient"), "the index 'patient' is not released"),
        (pd.MultiIndex.from_arrays([list("wxyz"), [1, 2, 3, 4]], names=["a", "b"]), "'a', 'b'"),
    ],
    ids=["letters", "places", "named", "two levels"],
)
def test_an_index_is_not_released_and_that_is_warned_of(tmp_path, index, words, shuffle):
    table = pd.DataFrame({"x": [1, 1, 2, 2]}, index=index)
    schema = Schema([Numeric("x")])
    with pytest.warns(IndexRemovedWarning, match=words):
        release = mask(table, schema, Microaggregation(2), shuffle=shuffle)
    assert release.data.index.equals(pd.RangeIndex(4))
    release.write(tmp_path / "released.csv")
    assert list(pd.read_csv(tmp_path / "released.csv").columns) == ["x"]
    assert release.guarantee.uniques == 0  # over all that is released
    assert list(table.index) == list(index)


def test_a_plain_range_is_numbered_anew_without_a_warning():
    table = pd.DataFrame({"x": [1, 1, 2, 2, None]})[:5]
    schema = Schema([Numeric("x")], missing="drop")
    release = mask(table[::-1][::-1], schema, Microaggregation(2))
    assert release.data.index.equals(pd.RangeIndex(4))


def test_an_index_that_became_a_column_counts(diagnoses):
    table = pd.DataFrame({"x": [1, 1, 2, 2]}, index=pd.Index(list("wxyz"), name="patient"))
    kept = Schema([Numeric("x")], keep=["patient"])
    release = mask(table.reset_index(), kept, Microaggregation(2))
    assert release.guarantee.released.uniques == 4


def test_a_missing_value_is_written_as_it_stood_there(diagnoses):
    # Most of the missing ones of the first column are marked, of the second empty.
    marked = ["?", "?", None, "influenza", "influenza", "influenza"]
    empty = ["?", None, None, "influenza", "influenza", "influenza"]
    schema = Schema(
        [Nominal("a", diagnoses), Nominal("b", diagnoses)], missing="category", missing_marks=["?"]
    )
    frame = pl.DataFrame({"a": marked, "b": empty})
    release = mask(frame, schema, Microaggregation(k=3), seed=0)
    assert release.data["a"].to_list() == ["?"] * 3 + ["influenza"] * 3
    assert release.data["b"].to_list() == [None] * 3 + ["influenza"] * 3
    assert release.guarantee.smallest == 3
