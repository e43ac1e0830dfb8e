"""Missing numbers, dates and levels as a class of their own, counted on the released rows."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
from frame_kinds import KINDS, made, rows
from ontomask.errors import ParameterError
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

LEVELS = ["low", "middle", "high"]
NAMES = ["word", "age", "dose", "level", "day"]
FORMING_CLASSES = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, algorithm="mdav", distance="s"),
    om.Microaggregation(k=2, block=6),
    om.Recoding(k=3),
]
OTHERS = [
    om.Microaggregation(k=3, replacement="synthetic"),
    om.Resampling(k=3),
    om.Suppression(k=3),
    om.Suppression(k=2, how="drop"),
    om.RankSwapping(window=2),
    om.RankSwapping(window=2, strategy="multivariate"),
    om.NoiseAddition(alpha=0.3),
]


def random_table(random, taxonomy, size, shares):
    """Values of every kind; a share of each column is missing."""
    columns = {
        "word": random.choice(np.array(taxonomy.identifiers, dtype=object), size).tolist(),
        "age": random.geometric(0.1, size).tolist(),
        "dose": np.round(random.random(size) * 9, 2).tolist(),
        "level": random.choice(LEVELS, size).tolist(),
        "day": [
            datetime.date(2020, 1, 1) + datetime.timedelta(int(day))
            for day in random.integers(0, 40, size)
        ],
    }
    return {
        name: [None if random.random() < share else value for value in column]
        for share, (name, column) in zip(shares, columns.items(), strict=True)
    }


def schema_of(taxonomy, names, **settings):
    quasi = {
        "word": om.Nominal("word", taxonomy),
        "age": om.Numeric("age"),
        "dose": om.Numeric("dose"),
        "level": om.Ordinal("level", LEVELS),
        "day": om.Date("day"),
    }
    columns = [quasi[name] for name in names]
    return om.Schema(columns, other="keep", missing="category", **settings)


@st.composite
def cases(draw):
    """A taxonomy, the columns of a table and their names."""
    taxonomy = draw(taxonomies(max_concepts=8))
    names = sorted(draw(st.sets(st.sampled_from(NAMES), min_size=1)), key=NAMES.index)
    shares = [draw(st.sampled_from([0, 0.03, 0.3, 0.9])) for _ in NAMES]
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = random_table(random, taxonomy, draw(st.integers(3, 60)), shares)
    return taxonomy, {name: table[name] for name in names}


def release_of(taxonomy, table, method, **settings):
    return om.mask(
        pa.table({**table, "row": range(len(table[next(iter(table))]))}),
        schema_of(taxonomy, list(table), **settings),
        method,
        seed=1,
    )


def pairs_of(table, release):
    """Each record before and after: only the quasi-identifiers."""
    before = [*zip(*table.values(), strict=True)]
    after = rows(release.data)
    assert len(after) == len(before)
    return [(own, tuple(other[:-1])) for own, other in zip(before, after, strict=True)]


def lost_columns(own, other):
    """The numerical columns, by place, that had a value and are blank now."""
    return [j for j, (a, b) in enumerate(zip(own, other, strict=True)) if b is None and a]


# ---------------------------------------------------------------------- what is promised


@examples(30)
@given(case=cases(), method=st.sampled_from(FORMING_CLASSES))
def test_classes_of_k_that_mix_missing_and_known_only_where_all_lose(case, method):
    taxonomy, table = case
    pairs = pairs_of(table, release_of(taxonomy, table, method))
    assert min(Counter(after for _, after in pairs).values()) >= method.k
    planned_together = defaultdict(list)  # those who lack the same columns afterwards
    for own, other in pairs:
        planned_together[tuple(value is None for value in other)].append(own)
    names = list(table)
    for own, other in pairs:
        for j, name in enumerate(names):
            if name == "word":
                continue
            if own[j] is None:
                assert other[j] is None
            elif other[j] is None:  # lost, to somebody planned with it who lacks it
                together = planned_together[tuple(value is None for value in other)]
                assert any(one[j] is None for one in together)


@examples(30)
@given(case=cases(), method=st.sampled_from(FORMING_CLASSES))
def test_nothing_is_lost_where_enough_records_lack_the_same(case, method):
    taxonomy, table = case
    numerical = [name for name in table if name != "word"]
    assume(numerical)
    patterns = Counter(
        tuple(value is None for value in row)
        for row in zip(*(table[name] for name in numerical), strict=True)
    )
    assume(min(patterns.values()) >= method.k)
    for own, other in pairs_of(table, release_of(taxonomy, table, method)):
        for j, name in enumerate(table):
            if name != "word":
                assert (own[j] is None) == (other[j] is None)


@examples(40)
@given(case=cases(), method=st.sampled_from(OTHERS))
def test_every_method_keeps_what_is_missing(case, method):
    taxonomy, table = case
    try:
        release = release_of(taxonomy, table, method)
    except ParameterError:  # too few records to swap
        assume(False)
    if method.drops:
        counts = Counter(row[:-1] for row in rows(release.data))
        assert min(counts.values(), default=method.k) >= method.k
        assert release.records + release.suppressed == len(next(iter(table.values())))
        return
    pairs = pairs_of(table, release)
    if method.promised_k is not None:
        assert min(Counter(after for _, after in pairs).values()) >= method.promised_k
    for j, name in enumerate(table):
        if name == "word":
            continue
        assert all(other[j] is None for own, other in pairs if own[j] is None)
        if method.permutes:
            before, after = (Counter(str(pair[side][j]) for pair in pairs) for side in (0, 1))
            assert before == after
        if isinstance(method, om.NoiseAddition):
            assert all(other[j] is not None for own, other in pairs if own[j] is not None)


def test_a_single_record_without_a_value_takes_its_nearest_along():
    table = pd.DataFrame({"age": [*range(20, 40), 70.0], "dose": [*range(20), 3.0]})
    table.loc[20, "age"] = np.nan
    schema = om.Schema([om.Numeric("age"), om.Numeric("dose")], missing="category")
    data = om.mask(table, schema, om.Microaggregation(k=4), seed=1).data
    lost = data.index[data["age"].isna()].tolist()
    assert len(lost) == 4
    assert sorted(table.loc[lost, "dose"])[1:3] == [3.0, 3.0]  # its own and the same
    assert table.loc[lost, "dose"].between(1, 5).all()


def test_two_rare_patterns_join_each_other_rather_than_the_many():
    table = pd.DataFrame({"age": range(40), "dose": range(40), "size": range(40)}, dtype=float)
    table.loc[:1, "age"] = np.nan
    table.loc[2:3, ["age", "dose"]] = np.nan
    schema = om.Schema([om.Numeric(name) for name in table], missing="category")
    data = om.mask(table, schema, om.Microaggregation(k=4), seed=1).data
    assert data.isna().sum().to_dict() == {"age": 4, "dose": 4, "size": 0}


def test_records_of_which_nothing_is_known_stay():
    table = pd.DataFrame({"age": [1.0] * 5 + [np.nan] * 5, "day": [None] * 10}).astype(
        {"day": object}
    )
    schema = om.Schema([om.Numeric("age"), om.Date("day")], missing="category")
    for method in (om.Microaggregation(k=5), om.Suppression(k=2, how="drop")):
        release = om.mask(table, schema, method, seed=1)
        assert (release.records, release.suppressed, release.dropped) == (10, 0, 0)
        assert release.data["age"].isna().sum() == 5


@given(case=cases(), seed=st.integers(0, 1000))
def test_classes_hold_k_people(case, seed):
    taxonomy, table = case
    size = len(next(iter(table.values())))
    people = np.random.default_rng(seed).integers(0, max(size // 2, 3), size).tolist()
    assume(len(set(people)) >= 3)
    frame = pa.table({**table, "who": people})
    schema = schema_of(taxonomy, list(table), person="who")
    for method in (om.Microaggregation(k=3), om.Recoding(k=3)):
        members = defaultdict(set)
        data = om.mask(frame, schema, method, seed=1).data
        for row, person in zip(rows(data.select(list(table))), people, strict=True):
            members[row].add(person)
        assert min(map(len, members.values())) >= 3


@given(case=cases(), seed=st.integers(0, 1000))
def test_classes_are_diverse(case, seed):
    taxonomy, table = case
    size = len(next(iter(table.values())))
    secrets = np.random.default_rng(seed).choice(list("abbbb"), size).tolist()
    assume(len(set(secrets)) == 2)
    frame = pa.table({**table, "secret": secrets})
    schema = schema_of(taxonomy, list(table), confidential=["secret"])
    data = om.mask(frame, schema, om.Microaggregation(k=2, l=2), seed=1).data
    values = defaultdict(set)
    for row, secret in zip(rows(data.select(list(table))), secrets, strict=True):
        values[row].add(secret)
    assert min(map(len, values.values())) == 2


def test_too_few_records_to_swap_are_told():
    table = pd.DataFrame({"age": [*range(20), None]})
    schema = om.Schema([om.Numeric("age")], missing="category")
    assert om.mask(table, schema, om.RankSwapping(window=3), seed=1).data["age"].isna().sum() == 1
    table["dose"] = range(21)
    schema = om.Schema([om.Numeric("age"), om.Numeric("dose")], missing="category")
    with pytest.raises(ParameterError) as raised:
        om.mask(table, schema, om.RankSwapping(window=3), seed=1)
    assert str(raised.value) == (
        "1 record without a value of 'age' is masked apart from the others: rank swapping needs at "
        "least two records, got 1\n\nhint: use missing='drop' to remove them"
    )


# ---------------------------------------------------------------------- everywhere the same


@pytest.fixture
def table(diagnoses):
    random = np.random.default_rng(4)
    return random_table(random, diagnoses, 120, [0.1, 0.2, 0.05, 0.02, 0.02])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame(diagnoses, table, kind):
    schema = schema_of(diagnoses, NAMES)
    release = om.mask(made(kind, table), schema, om.Microaggregation(k=4), seed=1)
    expected = om.mask(pa.table(table), schema, om.Microaggregation(k=4), seed=1).data
    released = [tuple(map(str, row)) for row in rows(release.data)]
    if kind == "pandas":  # whole numbers beside missing ones are decimals, days are times of day
        released = [
            tuple(value.removesuffix(".0").removesuffix(" 00:00:00") for value in row)
            for row in released
        ]
    assert released == [tuple(map(str, row)) for row in rows(expected)]
    assert min(Counter(released).values()) >= 4


@pytest.mark.parametrize("mark", ["", "?"])
def test_files_keep_their_mark_of_a_missing_value(diagnoses, table, tmp_path, mark):
    schema = schema_of(diagnoses, NAMES, missing_marks=["?"])
    expected = om.mask(pa.table(table), schema, om.Microaggregation(k=4), seed=1).data
    text = pd.DataFrame(table).astype({"age": "Int64"}).astype(object)
    text.where(text.notna(), mark).to_csv(tmp_path / "a.csv", index=False)
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        release = om.mask(tmp_path / name, schema, om.Microaggregation(k=4), seed=1)
        release.write(tmp_path / f"masked-{name}")
        assert release.guarantee.k == 4
    released = pd.read_csv(tmp_path / "masked-a.csv", dtype=str, keep_default_na=False)
    assert set(released[released["age"].str.fullmatch(r"\D*")]["age"]) == {mark}
    counts = Counter(released.itertuples(index=False, name=None))
    assert min(counts.values()) >= 4
    parquet = pq.read_table(tmp_path / "masked-a.parquet")
    assert parquet.schema.types == pa.table(table).schema.types
    assert Counter(rows(parquet)) == Counter(rows(expected))
    written = Counter(
        tuple(mark if value is None else str(value) for value in row) for row in rows(parquet)
    )
    assert [row[:2] for row in sorted(counts.elements())] == [
        row[:2] for row in sorted(written.elements())
    ]


@pytest.mark.spark
def test_a_spark_frame(diagnoses, table, spark):
    schema = schema_of(diagnoses, NAMES)
    expected = om.mask(pa.table(table), schema, om.Microaggregation(k=4), seed=1).data
    frame = spark.createDataFrame(list(zip(*table.values(), strict=True)), NAMES)
    released = om.mask(frame, schema, om.Microaggregation(k=4), seed=1).data
    assert Counter(map(tuple, released.collect())) == Counter(rows(expected))


def test_a_mark_that_is_a_number():
    table = pd.DataFrame({"age": [30, 31, 32, 33, -9, -9]})
    schema = om.Schema([om.Numeric("age")], missing="category", missing_marks=["-9"])
    data = om.mask(table, schema, om.Microaggregation(k=2), seed=1).data
    assert data["age"].tolist() == [30, 30, 32, 32, -9, -9]
    assert data["age"].dtype == table["age"].dtype


def test_a_column_of_missing_values_only():
    for column in (om.Numeric("x"), om.Date("x"), om.Ordinal("x", LEVELS)):
        table = pd.DataFrame({"x": pd.Series([None] * 4, dtype=object), "n": [1, 2, 3, 4]})
        schema = om.Schema([column, om.Numeric("n")], missing="category")
        release = om.mask(table, schema, om.Microaggregation(k=2), seed=1)
        assert release.data["x"].isna().all()
        assert release.guarantee.smallest == 2


# ---------------------------------------------------------------------- explained


def test_missing_numbers_are_explained(diagnoses, table):
    release = om.mask(
        pa.table(table), schema_of(diagnoses, NAMES), om.Microaggregation(k=4), seed=1
    )
    explanation = release.explain({"age": None})
    (part,) = explanation.parts
    assert part.records == table["age"].count(None)
    assert [move.to.words for move in part.values[0].moves] == ["missing"]
    assert part.values[0].moves[0].distance == 0
    assert "masked apart from the others" in str(explanation)


def test_a_lost_number_is_at_distance_1():
    table = pd.DataFrame({"age": [1.0, 2, 3, np.nan], "dose": [1, 2, 3, 3]})
    schema = om.Schema([om.Numeric("age"), om.Numeric("dose")], missing="category")
    release = om.mask(table, schema, om.Microaggregation(k=2), seed=1)
    (move,) = release.explain({"age": 3}).parts[0].example.columns[0].moves
    assert (move.to.words, move.distance) == ("missing", 1)
    assert move.words == "a missing value is at distance 1 from every value"
