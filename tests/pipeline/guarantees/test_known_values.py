"""l, t and people count known values, look-alikes as one: in memory, in DuckDB and in Spark.

Every figure is counted again by the plain definition from the cells of the released table.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain_risk
from ontomask.errors import ColumnError, LookAlikeWarning, ParameterError, RequirementNotMet
from ontomask.pipeline.guarantees.requirements import check_requirements

MARKS = ["?", "N/A", "-9"]
#: Nine spellings of four outcomes, and seven that say nothing.
OUTCOMES = ["HIV", "hiv ", "ＨＩＶ", "flu", "Flu", "1", "01", "1.0", "2"]
BLANKS = ["?", " ?", "", "  ", "n/a", "-9.0", None]
#: Twelve spellings of six people, and four of nobody.
PEOPLE = ["P1", "p1 ", "P2", "P 2", "07", "7", "7.0", "8", "p9", "P9", "p10", "p11"]
NOBODY = ["?", None, " ", "n/a"]

pytestmark = pytest.mark.filterwarnings(
    "ignore::ontomask.errors.LookAlikeWarning", "ignore::ontomask.errors.WeakProtectionWarning"
)


def made(seed, records=60):
    """A random table: ages, outcomes and people in many spellings."""
    random = np.random.default_rng(seed)
    ages = random.integers(20, 26, records)
    outcomes = random.choice(np.array([*OUTCOMES, *BLANKS * 2], dtype=object), records)
    outcomes[ages == 20] = random.choice(np.array(BLANKS, dtype=object), int((ages == 20).sum()))
    people = random.choice(np.array([*PEOPLE * 3, *NOBODY], dtype=object), records)
    return {"age": ages.tolist(), "outcome": outcomes.tolist(), "who": people.tolist()}


def schema_of(person=False, **settings):
    return om.Schema(
        [om.Numeric("age")],
        confidential=["outcome"],
        keep=["who"],
        missing_marks=MARKS,
        **{"person": "who", "missing": "category"} if person else {},
        **settings,
    )


# ---------------------------------------------------------------------- the engines


def in_memory(spark, folder, table):
    return pl.DataFrame(table)


def in_pandas(spark, folder, table):
    return pd.DataFrame(table)


def in_parquet(spark, folder, table):
    pl.DataFrame(table).write_parquet(folder / "table.parquet")
    return folder / "table.parquet"


def in_csv(spark, folder, table):
    pl.DataFrame(table).write_csv(folder / "table.csv", quote_style="always", null_value="")
    return folder / "table.csv"


def in_spark(spark, folder, table):
    return spark.createDataFrame(pl.DataFrame(table).to_arrow())


LOCAL = [in_memory, in_pandas, in_parquet, in_csv]


def released(release):
    """The released records, whatever the engine."""
    data = release.data
    if hasattr(data, "toArrow"):
        return data.toArrow().to_pylist()
    if hasattr(data, "to_arrow_table"):
        return data.to_arrow_table().to_pylist()
    return pl.from_pandas(data).to_dicts() if isinstance(data, pd.DataFrame) else data.to_dicts()


def known(rows, column):
    """The class and the known form of each record."""
    return [(row["age"], plain_risk.known_form(row[column], MARKS)) for row in rows]


def unequal(a, b):
    return a != b


def check_figures(release):
    """The figures of the released table are those of the plain definition."""
    rows = known(released(release), "outcome")
    risk = release.evaluation.risk
    assert risk["l_distinct"]["outcome"] == plain_risk.distinct_diversity(rows)
    assert risk["l_entropy"]["outcome"] == pytest.approx(plain_risk.entropy_diversity(rows))
    assert risk["l_recursive"]["outcome"] == plain_risk.recursive_diversity(rows, 3)
    forms = {value: str(value) for _, value in rows if value is not None}
    texts = [(group, forms.get(value)) for group, value in rows]
    assert risk["t_equal"]["outcome"] == pytest.approx(plain_risk.closeness(texts, unequal))
    check_homogeneous(release, risk)
    return risk


def check_homogeneous(release, risk):
    rows = released(release)
    places = plain_risk.homogeneous(known(rows, "outcome"))
    people = {known(rows, "who")[place][1] for place in places} - {None}
    assert risk["homogeneous_records"] == {"outcome": len(places)}
    told = {} if release.schema.person is None else {"outcome": len(people)}
    assert risk["homogeneous_people"] == told


def check_promise(release, least, most):
    rows = known(released(release), "outcome")
    assert plain_risk.distinct_diversity(rows) >= least
    texts = [(group, None if value is None else str(value)) for group, value in rows]
    assert plain_risk.closeness(texts, unequal) <= most + 1e-9


def check_people(release, least):
    rows = known(released(release), "who")
    assert min(len(set(group)) for group in plain_risk.by_class(rows)) >= least
    # The person is released, so the class of somebody is decided by all of their records.
    classes = plain_risk.classes_of_linked_records(rows)
    assert release.guarantee.smallest == min(map(len, classes))
    assert release.guarantee.classes == len(classes)
    assert release.guarantee.uniques == sum(len(people) == 1 for people in classes)
    assert release.guarantee.unit == "people"
    people = [who for _, who in rows if who is not None]
    assert (release.guarantee.released.link == "who") == (len(people) > len(set(people)))
    assert release.guarantee.k in (None, least)
    assert release.guarantee.k is None or release.guarantee.smallest >= least
    check_homogeneous(release, release.evaluation.risk)


METHODS = [om.Suppression(3), om.RankSwapping(3), om.NoiseAddition(0.5)]


@pytest.mark.parametrize(("seed", "engine"), [*enumerate(LOCAL)])
def test_l_t_and_people_are_those_of_known_values(engine, seed, tmp_path):
    table = engine(None, tmp_path, made(seed))
    for method in METHODS:
        check_figures(om.mask(table, schema_of(), method, seed=1))
    check_promise(om.mask(table, schema_of(), om.Microaggregation(2, l=3, t=0.5)), 3, 0.5)
    promised = om.Microaggregation(2, l=2, diversity="entropy")
    assert check_figures(om.mask(table, schema_of(), promised))["l_entropy"]["outcome"] >= 2 - 1e-9
    for method in (om.Microaggregation(5), om.Suppression(5), om.Suppression(5, how="drop")):
        check_people(om.mask(table, schema_of(person=True), method), 5)
    check_people(om.mask(table, schema_of(person=True), om.RankSwapping(3), seed=1), 0)


def test_spark_counts_known_values_too(spark, tmp_path):
    table = in_spark(spark, tmp_path, made(0))
    check_figures(om.mask(table, schema_of(), om.RankSwapping(3), seed=1))
    check_promise(om.mask(table, schema_of(), om.Microaggregation(2, l=3, t=0.5)), 3, 0.5)
    check_people(om.mask(table, schema_of(person=True), om.Microaggregation(5)), 5)
    dropped = om.mask(
        table,
        om.Schema(
            [om.Numeric("age")],
            confidential=["outcome"],
            person="who",
            missing="drop",
            missing_marks=MARKS,
        ),
        om.Suppression(3),
    )
    assert dropped.dropped == sum(
        plain_risk.known_form(who, MARKS) is None for who in made(0)["who"]
    )


cells = st.sampled_from([*OUTCOMES, *BLANKS])
people = st.sampled_from([*PEOPLE, *NOBODY])


@given(
    st.lists(st.tuples(st.integers(20, 24), cells, people), min_size=8, max_size=40),
    st.integers(2, 3),
)
def test_random_tables_keep_what_is_promised(rows, least):
    table = pl.DataFrame(
        {
            name: list(part)
            for name, part in zip(("age", "outcome", "who"), zip(*rows, strict=True), strict=True)
        },
        schema={"age": pl.Int64, "outcome": pl.String, "who": pl.String},
    )
    there = {form for _, form in known(table.to_dicts(), "outcome")} - {None}
    known_people = {form for _, form in known(table.to_dicts(), "who")} - {None}
    check_figures(om.mask(table, schema_of(), om.Suppression(2)))
    diverse = partial(om.mask, table, schema_of(), om.Microaggregation(2, l=least))
    if len(there) < least:
        with pytest.raises(
            ParameterError, match="l must be at most|need known values of 'outcome'"
        ):
            diverse()
    else:
        check_promise(diverse(), least, 1)
    counted = partial(om.mask, table, schema_of(person=True), om.Microaggregation(least))
    if len(known_people) < least:
        with pytest.raises(ParameterError, match=f"number of people, {len(known_people)}, got"):
            counted()
    else:
        check_people(counted(), least)


# ---------------------------------------------------------------------- by hand


def small(**changes):
    table = {
        "age": [20, 20, 20, 30, 30, 30],
        "outcome": ["HIV", "hiv ", "?", "flu", None, ""],
        "who": ["a", "A ", "b", "c", "?", "d"],
    }
    return pl.DataFrame(table | changes)


def test_spellings_and_blanks_are_no_other_values():
    release = om.mask(small(), schema_of(), om.Suppression(3))
    risk = release.evaluation.risk
    assert risk["l_distinct"] == risk["l_entropy"] == {"outcome": 1}
    assert risk["t_equal"] == {"outcome": pytest.approx(2 / 3)}  # of 3 known values 1 or 2


def test_records_and_people_in_classes_with_a_single_value():
    # age 20 knows HIV alone: 3 records of 2 people; age 30 knows flu alone: 2 records of a known
    # person and one of nobody known; age 40 has two values, and age 50 none
    table = pl.DataFrame(
        {
            "age": [20, 20, 20, 30, 30, 30, 40, 40, 50, 50],
            "outcome": ["HIV", "hiv ", "?", "flu", "flu", "", "flu", "HIV", "?", None],
            "who": ["a", "A ", "b", "c", "b", "?", "d", "e", "f", "g"],
        }
    )
    schema = schema_of(person=True)
    release = om.mask(table, schema, om.Suppression(2))
    risk = release.evaluation.risk
    assert risk["homogeneous_records"] == {"outcome": 6}
    assert risk["homogeneous_people"] == {"outcome": 3}  # b is in both classes
    before = risk["before"]
    assert (before["homogeneous_records"], before["homogeneous_people"]) == (
        {"outcome": 6},
        {"outcome": 3},
    )
    without_people = release.data.drop("who")  # the original table says whose the records are
    evaluated = om.evaluate(table, without_people, schema).risk
    for name in ("homogeneous_records", "homogeneous_people"):
        assert evaluated[name] == evaluated["before"][name] == risk[name]
    assert "homogeneous_people" in om.evaluate(table, table, schema_of()).risk
    assert om.evaluate(table, table, schema_of()).risk["homogeneous_people"] == {}


def test_a_class_without_known_values_meets_no_requirement():
    table = small(outcome=["HIV", "flu", "?", "?", None, " "])
    release = om.mask(table, schema_of(), om.Suppression(3))
    assert release.evaluation.risk["l_distinct"] == {"outcome": 0}
    assert release.evaluation.risk["t_equal"] == {"outcome": 1}
    for limits in ({"l": 1}, {"t": 0.99}):
        with pytest.raises(RequirementNotMet, match="outcome"):
            check_requirements(limits, release.evaluation, release.guarantee)
    merged = om.mask(table, schema_of(), om.Microaggregation(3, l=2))
    assert merged.guarantee.classes == 1


@pytest.mark.parametrize("rule", [{"l": 2}, {"t": 0.9}])
def test_l_and_t_of_a_column_without_known_values_are_refused(rule):
    table = small(outcome=["?", None, "", "n/a", " ", "-9"])
    with pytest.raises(ParameterError, match="need known values of 'outcome', got only missing"):
        om.mask(table, schema_of(), om.Microaggregation(3, **rule))


TYPED = {
    "numeric": (om.Numeric("outcome"), ["1", "01", "1.0", "2", "-9", None]),
    "ordinal": (om.Ordinal("outcome", ["low", "high"]), ["low", "low", "?", "high", "N/A", None]),
    "date": (om.Date("outcome"), ["2020-01-01", " 2020-01-01", "?", "2020-01-02", "?", None]),
    "nominal": (
        om.Nominal("outcome", om.datasets.diagnoses()),
        ["flu", "Influenza", "?", "sprain", "n/a", None],
    ),
}


@pytest.mark.parametrize("kind", TYPED)
@pytest.mark.parametrize("engine", [in_memory, in_parquet])
def test_typed_values_are_folded_by_their_type_and_marks_are_missing(kind, engine, tmp_path):
    column, outcomes = TYPED[kind]
    table = engine(None, tmp_path, small(outcome=outcomes).to_dict(as_series=False))
    schema = om.Schema(
        [om.Numeric("age")], confidential=[column], keep=["who"], missing_marks=MARKS
    )
    risk = om.mask(table, schema, om.Suppression(3)).evaluation.risk
    assert risk["l_distinct"] == {"outcome": 1}
    # The last class has the value that 1 of 3 known ones is, of numbers 1 of 4.
    distance = pytest.approx(3 / 4 if kind == "numeric" else 2 / 3)
    assert risk["t_equal"] == {"outcome": distance}
    assert risk["t_ordered"] == ({} if kind == "nominal" else {"outcome": distance})


def test_missing_marks_are_numbers_too():
    schema = schema_of()
    risk = om.mask(small(outcome=[1, -9, -9, 2, -9, 3]), schema, om.Suppression(3)).evaluation.risk
    assert risk["l_distinct"] == {"outcome": 1}
    floats = om.mask(small(outcome=[1.0, -9, -9, 2, None, 3]), schema, om.Suppression(3))
    assert floats.evaluation.risk["l_distinct"] == {"outcome": 1}


@pytest.mark.parametrize("engine", [in_memory, in_parquet, in_csv])
@pytest.mark.parametrize("typed", [om.Numeric("outcome"), "outcome"])
def test_marks_among_very_many_numbers_are_in_no_range(engine, typed, tmp_path):
    """Numbers are cut into ranges; a class of marks alone has no known value all the same."""
    random = np.random.default_rng(0)
    numbers = random.normal(0, 100, 24_000).round(3)
    ages = random.integers(20, 30, 24_000)
    numbers[ages == 20] = -9
    text = [str(number) for number in numbers]
    as_text = engine is in_csv or not isinstance(typed, str)
    table = {"age": ages.tolist(), "outcome": text if as_text else numbers.tolist()}
    if as_text:
        table["outcome"][:2] = ["?", " "]
    schema = om.Schema([om.Numeric("age")], confidential=[typed], missing_marks=MARKS)
    release = om.mask(engine(None, tmp_path, table), schema, om.Suppression(2))
    assert release.evaluation.risk["l_distinct"] == {"outcome": 0}
    assert release.evaluation.risk["t_equal"] == {"outcome": 1}


def test_text_among_very_many_numbers_is_named_in_an_error(tmp_path):
    table = {"age": [20, 21] * 6_000, "outcome": [f"{i}.5" for i in range(11_999)] + ["abc"]}
    schema = om.Schema([om.Numeric("age")], confidential=[om.Numeric("outcome")])
    for engine in (in_memory, in_parquet):
        with pytest.raises(ColumnError, match="'outcome' .* got text such as 'abc'"):
            om.mask(engine(None, tmp_path, table), schema, om.Suppression(2))


# ---------------------------------------------------------------------- people


@pytest.mark.parametrize("engine", LOCAL)
def test_missing_marks_in_the_person_column_are_no_people(engine, tmp_path):
    table = engine(None, tmp_path, small().to_dict(as_series=False))
    settings = {"confidential": ["outcome"], "person": "who", "missing_marks": MARKS}
    schema = partial(om.Schema, [om.Numeric("age")], **settings)
    with pytest.raises(ColumnError, match=r"missing in 1 column: 'who' \(1 row\)"):
        om.mask(table, schema(), om.Suppression(2))
    assert om.mask(table, schema(missing="drop"), om.Suppression(2)).dropped == 1
    release = om.mask(table, schema(missing="category"), om.Suppression(2))
    assert release.guarantee.startswith(
        "2-anonymous on age: smallest equivalence class 2 people"
    )  # a and b; c and d
    with pytest.raises(ParameterError, match="number of people, 4, got 5"):
        om.mask(table, schema(missing="category"), om.Microaggregation(5))


@pytest.mark.parametrize("method", [om.Microaggregation(2), om.Suppression(2), om.Recoding(2)])
def test_a_class_of_unknown_people_is_merged_or_suppressed(method):
    table = small(who=["a", "b", "c", None, None, None])
    release = om.mask(table, schema_of(person=True), method)
    check_people(release, 2)
    assert release.guarantee.classes == 1


def test_a_comparison_counts_the_same_people():
    table = pl.DataFrame(made(5))
    methods = [om.Microaggregation(4), om.Suppression(4, how="drop")]
    comparison = om.compare(table, schema_of(person=True), methods, seed=0)
    for point, method in zip(comparison.points, methods, strict=True):
        assert point.guarantee == om.mask(table, schema_of(person=True), method, seed=0).guarantee


def test_a_threshold_of_people_allows_for_records_of_unknown_people():
    table = small(who=["a", "a", "b", "c", "?", None])
    release = om.mask(table, schema_of(person=True), om.Microaggregation(2))
    assert release.records_of(2) == 5  # two of a, and two of nobody knows whom, and one more


# ---------------------------------------------------------------------- warnings


@pytest.mark.filterwarnings("default::ontomask.errors.LookAlikeWarning")
def test_look_alikes_are_warned_of_with_their_number():
    with pytest.warns(LookAlikeWarning) as caught:
        release = om.mask(small(), schema_of(person=True), om.Suppression(2))
    words = [str(warning.message) for warning in caught]
    assert words[0].startswith("2 values of column 'outcome' look like another one (they differ")
    assert "and are counted as 1" in words[0]
    assert words[1].startswith("2 values of column 'who' look like another one")
    assert "counted as 1 in the number of people" in words[1]
    assert release.look_alikes == tuple(words)
    assert set(words) <= set(release.cautions)


@pytest.mark.filterwarnings("default::ontomask.errors.LookAlikeWarning")
def test_levels_and_concepts_that_look_alike_are_warned_of_where_they_are_different():
    table = small(outcome=["low", "Low", "low", "high", "high", "high"])
    quasi = [om.Numeric("age")]
    levels = om.Ordinal("outcome", ["low", "Low", "high"])
    with pytest.warns(LookAlikeWarning, match="2 values of column 'outcome'.*different values"):
        om.mask(table, om.Schema(quasi, confidential=[levels], keep=["who"]), om.Suppression(3))
    flat = om.Taxonomy.from_edges([(name, "all") for name in ("low", "Low", "high")])
    nominal = om.Schema(quasi, confidential=[om.Nominal("outcome", flat)], keep=["who"])
    with pytest.warns(LookAlikeWarning, match="2 values of column 'outcome'.*different values"):
        om.mask(table, nominal, om.Suppression(3))


@pytest.mark.filterwarnings("error::ontomask.errors.LookAlikeWarning")
def test_values_that_are_the_same_by_their_type_are_not_warned_of():
    numbers = small(outcome=["1", "1.0", "01", "2", "2", "3"], who=list("abcdef"))
    schema = om.Schema(
        [om.Numeric("age")], confidential=[om.Numeric("outcome")], keep=["who"], person="who"
    )
    assert om.mask(numbers, schema, om.Suppression(3)).look_alikes == ()
    synonyms = small(outcome=["flu", "Flu", "influenza", "sprain", "sprain", "sprain"])
    column = om.Nominal("outcome", om.datasets.diagnoses())
    nominal = om.Schema([om.Numeric("age")], confidential=[column], keep=["who"])
    assert om.mask(synonyms, nominal, om.Suppression(3)).look_alikes == ()


# ---------------------------------------------------------------------- other doors


def test_the_tables_of_another_tool_are_counted_alike():
    before, after = small(), small(age=[20, 20, 20, 20, 20, 20])
    risk = om.evaluate(before, after, schema_of()).risk
    assert risk["l_distinct"] == {"outcome": 2}
    assert risk["before"]["l_distinct"] == {"outcome": 1}
    assert risk["before"]["t_equal"]["outcome"] == pytest.approx(2 / 3)


def test_every_class_of_the_diabetes_table_has_two_known_payers(data_folder, tmp_path):
    """The written file, counted by the test. The payers of 40 % of the records are "?"."""
    quasi = ["num_medications", "num_lab_procedures"]
    schema = om.Schema(
        list(map(om.Numeric, quasi)),
        confidential=["payer_code"],
        other="drop",
        missing_marks=["?"],
    )
    release = om.mask(data_folder / "diabetes_130.csv.gz", schema, om.Microaggregation(5, l=2))
    release.write(tmp_path / "released.csv")
    payers = defaultdict(set)
    with open(tmp_path / "released.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            payers[tuple(row[name] for name in quasi)].add(row["payer_code"])
    assert len(payers) == release.guarantee.classes
    assert len(payers) > 2000
    assert sum("?" in inside for inside in payers.values()) > 1000
    assert min(len(inside - {"?", ""}) for inside in payers.values()) >= 2
