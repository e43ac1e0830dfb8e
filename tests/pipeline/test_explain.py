"""Explanations: the sums that the method compared, counts that add up, values by any name."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from math import log2

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain
import plain_mdav
from method_tables import tables
from ontomask import (
    Date,
    Microaggregation,
    NoiseAddition,
    Nominal,
    Numeric,
    Ordinal,
    RankSwapping,
    Recoding,
    Resampling,
    Schema,
    Suppression,
    mask,
)
from ontomask.errors import ParameterError, UnknownValueError
from ontomask.methods.method import Method
from ontomask.microdata.tuples import Transitions

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")

FIXED = 2**28
PRIVATE = "do not publish it."


def one(explained):
    (part,) = explained.parts
    return part


def explained(release, value):
    """The tuple that is explained for a value."""
    return one(release.explain(value)).example


def words_of(release, value):
    """The text, whose lines are short enough, on one line."""
    text = str(release.explain(value))
    assert max(map(len, text.splitlines())) <= 100
    assert text.endswith(PRIVATE)
    return " ".join(text.split())


# ---------------------------------------------------------------- by hand


@pytest.fixture
def four(diagnoses):
    """One group of four: everything happens below "viral infection"."""
    words = ["hepatitis B", "hepatitis B", "hepatitis C", "flu"]
    table = pd.DataFrame({"sick": words, "age": [30, 31, 33, 38]})
    schema = Schema([Nominal("sick", diagnoses), Numeric("age")])
    return mask(table, schema, Microaggregation(k=4))


def test_the_sums_of_four_patients_by_hand(four):
    sick, age = explained(four, ("hepatitis C", 33)).columns
    # Of 4 concepts above hepatitis B or C, themselves included, 2 are not shared; of those above
    # hepatitis B or influenza, 3 of 4.
    between_hepatitis, to_influenza = log2(1 + 2 / 4), log2(1 + 3 / 4)
    expected = {
        "hepatitis B": between_hepatitis + to_influenza,
        "hepatitis C": 2 * between_hepatitis + to_influenza,
        "hepatitis": 3 * log2(1 + 1 / 3) + log2(1 + 2 / 3),
        "influenza": 3 * to_influenza,
        "viral infection": 3 * log2(1 + 2 / 3) + log2(1 + 1 / 2),
    }
    assert {it.value.value: it.total for it in sick.centre.candidates} == pytest.approx(
        expected, abs=4 / FIXED
    )
    assert [it.value.value for it in sick.centre.candidates] == list(expected)
    assert sick.centre.rule == "least sum, then loss"
    assert (sick.centre.among, sick.centre.tied) == (5, False)
    assert [(value.value, count) for value, count in sick.centre.values] == [
        ("hepatitis B", 2),
        ("hepatitis C", 1),
        ("influenza", 1),
    ]
    (move,) = sick.moves
    assert (move.to.value, move.distance) == ("hepatitis B", pytest.approx(between_hepatitis))
    assert (age.centre.rule, age.centre.exact, age.centre.chosen.value) == ("mean", 33.0, 33)


def test_the_text_has_the_group_the_sums_and_the_distance(four):
    text = words_of(four, {"sick": "flu"})
    assert "Microaggregation(k=4): similar records form groups of 4 or more" in text
    assert (
        "influenza · 38, 1 record → hepatitis B · 33; in total 4 records with 4 original "
        "combinations have this result" in text
    )
    assert "its group: 4 combinations, 4 records" in text
    assert (
        "least common subsumer: viral infection; together they have 4 concepts (themselves and all "
        "ancestors); 3 of these belong to only one of them" in text
    )
    assert "log2(1 + 3/4) = 0.807" in text
    assert "its group has hepatitis B (2 times), hepatitis C, influenza" in text
    assert "1.392 hepatitis B, chosen 1.977 hepatitis C 1.982 hepatitis" in text
    assert "5 less, on a range from 30 to 38" in text
    assert "mean of its group: 33, of 30, 31, 33, 38" in text


def test_distances_of_the_group_are_the_mean_over_columns(four):
    group = explained(four, ("flu", 38)).group
    found = {member.values[0].value: member.distance for member in group.members[2:]}
    assert found == pytest.approx(
        {"hepatitis C": log2(3 / 2) / 2, "influenza": (log2(7 / 4) + 5 / 8) / 2}, abs=1 / FIXED
    )


@pytest.mark.parametrize(
    ("algorithm", "equals"),
    [
        ("merge", "the one with the least information loss over all columns"),
        ("mdav", "the deepest one, then the first identifier"),
    ],
)
def test_equal_sums_are_named(algorithm, equals, diagnoses):
    release = mask(
        pd.DataFrame({"sick": ["broken arm", "broken leg"]}),
        Schema([Nominal("sick", diagnoses)]),
        Microaggregation(k=2, algorithm=algorithm),
    )
    centre = explained(release, "broken leg").columns[0].centre
    # Below "fracture": log2(1 + 2/3) from arm to leg, and twice log2(1 + 1/2) from the middle.
    assert [it.value.value for it in centre.candidates] == ["broken arm", "broken leg", "fracture"]
    assert [it.total for it in centre.candidates] == pytest.approx(
        [log2(5 / 3), log2(5 / 3), 2 * log2(3 / 2)]
    )
    assert centre.tied
    text = words_of(release, "broken leg")
    assert f"in a tie, {equals}" in text


# ---------------------------------------------------------------- against the plain definition


def released(columns, method, **roles):
    """A release of columns as the strategies draw them: values with their taxonomy, or none."""
    names = [f"c{number}" for number in range(len(columns))]
    table = pd.DataFrame({name: values for name, (values, _) in zip(names, columns, strict=True)})
    kinds = [
        Numeric(name) if taxonomy is None else Nominal(name, taxonomy, domain="taxonomy")
        for name, (_, taxonomy) in zip(names, columns, strict=True)
    ]
    return mask(table, Schema(kinds, **roles), method, seed=1)


@given(columns=tables(max_records=16), k=st.integers(2, 5))
def test_sums_and_runners_up_are_those_of_the_plain_definition(columns, k):
    records = list(zip(*(values for values, _ in columns), strict=True))
    assume(len(records) >= k)
    release = released(columns, Microaggregation(k, algorithm="mdav"))
    attributes = release.transitions.tuples.attributes
    kinds = [plain_mdav.Column(values, taxonomy) for values, taxonomy in columns]
    table = plain_mdav.Table(kinds, Counter(records))
    for group in plain_mdav.groups(table, k):
        for t in group:
            found = explained(release, t)
            assert found.records == table.tuples[t]
            assert found.group.tuples == len(group)
            assert found.group.records == sum(table.tuples[member] for member in group)
            for j, (kind, column) in enumerate(zip(kinds, found.columns, strict=True)):
                held = Counter()
                for member in group:
                    held[member[j]] += table.tuples[member]
                assert column.centre.chosen == column.moves[0].to
                if kind.taxonomy is None:
                    middle = sum(v * c for v, c in held.items()) / held.total()
                    assert column.centre.exact == pytest.approx(middle)
                else:
                    best = in_order(kind.taxonomy, held)
                    assert [(it.total, it.value.value) for it in column.centre.candidates] == best[
                        :5
                    ]
                    assert column.centre.among == len(best)
                    assert sums_of_the_method(attributes[j], held) == {c: s for s, c in best}


def in_order(taxonomy, held):
    """Candidates with their sums, the best first: the definition."""
    near = set().union(*(plain.ancestors(taxonomy, value) for value in held))

    def total(candidate):
        return sum(
            count * round(plain.sanchez(taxonomy, candidate, value) * FIXED)
            for value, count in held.items()
        )

    order = sorted(near, key=lambda c: (total(c), -plain.depth(taxonomy, c), c))
    return [(total(c) / FIXED, c) for c in order]


def sums_of_the_method(attribute, held):
    """The same from the table that the method reads."""
    places = [attribute.values.index(value) for value in held]
    rows = attribute.table[:, places].astype(int) @ list(held.values())
    above = set().union(*(plain.ancestors(attribute.domain, value) for value in held))
    return {c: rows[attribute.places[c]] / FIXED for c in above}


METHODS = [
    Microaggregation(2),
    Microaggregation(2, distance="s"),
    Microaggregation(2, operators="classic"),
    Microaggregation(2, distance="s", operators="classic"),
    Microaggregation(2, algorithm="mdav"),
    Microaggregation(2, algorithm="mdav", operators="classic"),
    Microaggregation(2, replacement="synthetic"),
    Microaggregation(2, replacement="synthetic_paper", operators="classic"),
    Recoding(2),
    Recoding(2, heuristics="h1"),
    Recoding(2, distance="discernibility"),
    Resampling(2),
    Resampling(2, operators="classic"),
    Suppression(2),
    Suppression(2, how="drop"),
    RankSwapping(2),
    RankSwapping(1, strategy="dynamic"),
    NoiseAddition(0.5),
    NoiseAddition(0.5, strategy="naive"),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ontomask.errors.NothingSwappedWarning")
@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(columns=tables(max_records=12))
def test_every_record_is_accounted_for(method, columns):
    if isinstance(method, NoiseAddition):  # which refuses columns with one value
        columns = [column for column in columns if len(set(column[0])) > 1]
        assume(columns)
    records = Counter(zip(*(values for values, _ in columns), strict=True))
    assume(records.total() >= 3)
    release = released(columns, method)
    masked = Counter()
    for t, count in records.items():
        found = explained(release, t)
        assert found.records == count == sum(target.records for target in found.became)
        for column in found.columns:
            assert sum(move.records for move in column.moves) == count
            assert all(0 <= move.distance <= 1 for move in column.moves)
        for target in found.became:
            look = None if target.values is None else tuple(it.value for it in target.values)
            masked[look] += target.records
        assert f"{method.because} " in " ".join(str(release.explain(t)).split())
        assert method.because
    for j, (values, _) in enumerate(columns):
        for value, count in Counter(values).items():
            part = one(release.explain({f"c{j}": value}))
            assert part.records == count
            for it in part.values:
                assert sum(move.records for move in it.moves) == count
    if getattr(method, "how", "") != "drop":  # what is said is what was released
        assert masked == Counter(
            None if any(pd.isna(x) for x in row) else row
            for row in release.data.astype(object).itertuples(index=False, name=None)
        )


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_missing_values_are_explained_like_others(method, diagnoses):
    words = ["flu", None, "hepatitis B", None, "sprain", "sprain", None]
    schema = Schema([Nominal("sick", diagnoses)], missing="category")
    release = mask(pd.DataFrame({"sick": words}), schema, method, seed=1)
    for word, count in {None: 3, "sprain": 2, "flu": 1}.items():
        found = explained(release, {"sick": word})
        assert found.records == count == sum(target.records for target in found.became)
        assert words_of(release, {"sick": word})
    assert explained(release, {"sick": None}).values[0].words == "missing"


def test_a_measure_of_ones_own_is_explained(diagnoses):
    def half(taxonomy, a, b):
        return 0.0 if a == b else 0.5

    table = pd.DataFrame({"sick": ["flu", "flu", "sprain"]})
    release = mask(table, Schema([Nominal("sick", diagnoses, half)]), Microaggregation(k=3))
    centre = explained(release, "sprain").columns[0].centre
    assert [(it.value.value, it.total) for it in centre.candidates[:2]] == [
        ("influenza", 0.5),
        ("sprain", 1.0),
    ]
    assert "half" in words_of(release, "sprain")


@given(columns=tables(max_records=12))
def test_json_is_strict_and_lines_are_short(columns):
    assume(len(columns[0][0]) >= 2)
    release = released(columns, Suppression(2))
    found = release.explain(tuple(values[0] for values, _ in columns))
    told = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert told["private"].endswith(PRIVATE)
    assert max(map(len, str(found).splitlines())) <= 100


# ---------------------------------------------------------------- what methods say


def small(diagnoses, method, **roles):
    words = ["hepatitis B"] * 4 + ["hepatitis C", "flu", "sprain", "sprain"]
    table = pd.DataFrame({"sick": words, "who": range(8)})
    return mask(table, Schema([Nominal("sick", diagnoses)], other="drop", **roles), method, seed=1)


def test_recoding_names_the_tuple_that_gave_its_values(diagnoses):
    release = small(diagnoses, Recoding(k=2))
    assert "Its whole group took the values hepatitis B, which 4 records have." in words_of(
        release, "hepatitis C"
    )
    assert "It had 1 record, fewer than 2." in words_of(release, "hepatitis C")
    assert "It keeps its values, and 2 rarer combinations also took them." in words_of(
        release, "hepatitis B"
    )
    assert "it has 2 records, at least 2, and no rarer combination was merged with it" in words_of(
        release, "sprain"
    )


def test_suppression_counts_against_k(diagnoses):
    release = small(diagnoses, Suppression(k=3))
    assert "It has 1 record, fewer than 3, so it is suppressed." in words_of(release, "flu")
    assert "It has 4 records, at least 3, so it does not change." in words_of(
        release, "hepatitis B"
    )
    assert explained(release, "flu").became[0].values is None
    # One rare record alone would be a class of its own: the next smallest goes with it.
    table = pd.DataFrame({"age": [1] + [2] * 3 + [3] * 4})
    helped = mask(table, Schema([Numeric("age")]), Suppression(k=3))
    assert "It is suppressed because the suppressed records must be at least 3" in words_of(
        helped, 2
    )


def test_synthetic_values_are_drawn_within_the_reach_of_the_group(diagnoses):
    table = pd.DataFrame({"sick": ["hepatitis B", "hepatitis B", "hepatitis C", "flu"]})
    method = Microaggregation(k=4, replacement="synthetic_paper")
    release = mask(table, Schema([Nominal("sick", diagnoses)]), method, seed=1)
    for word, reach in {"hepatitis C": log2(7 / 4), "flu": log2(7 / 4)}.items():
        (column,) = explained(release, word).columns
        assert column.notes == (
            f"drawn at random from the 3 values of the column within {reach:.3f} of it, the "
            "distance of the farthest value in its group",
        )
    assert "distance from this combination of values" in words_of(release, "flu")
    alone = small(diagnoses, method)  # four records of hepatitis B are a group
    assert explained(alone, "hepatitis B").columns[0].notes == (
        "all records of its group have this value, so it is unchanged",
    )


def test_synthetic_values_are_drawn_from_the_group(diagnoses):
    table = pd.DataFrame({"sick": ["hepatitis B", "hepatitis C", "flu"], "age": [30, 41, 70]})
    schema = Schema([Nominal("sick", diagnoses), Numeric("age")])
    release = mask(table, schema, Microaggregation(k=3, replacement="synthetic"), seed=1)
    word, age = explained(release, ("flu", 70)).columns
    assert word.notes == ("that of a random record of its group, which has 3 different values",)
    assert age.notes == ("drawn between 30 and 70, with the mean and variance of its group",)
    assert "Each value is drawn from its group" in words_of(release, ("flu", 70))
    alone = small(diagnoses, Microaggregation(k=4, replacement="synthetic"))
    assert explained(alone, "hepatitis B").columns[0].notes == (
        "all records of its group have this value, so it is unchanged",
    )


def test_swapping_says_how_many_lie_nearer(diagnoses):
    table = pd.DataFrame({"age": [20, 30, 45, 70]})
    release = mask(
        table, Schema([Numeric("age")]), RankSwapping(window=1, strategy="fixed"), seed=1
    )
    for age in table["age"]:
        (move,) = explained(release, age).columns[0].moves
        apart = abs(move.to.value - age)
        assert move.nearer == sum(0 < abs(other - age) < apart for other in table["age"])
    assert "The swapped pairs are not stored" in words_of(release, 20)


def test_noise_says_where_the_mean_is(diagnoses):
    table = pd.DataFrame({"age": [20, 30, 40, 70] * 5})
    release = mask(table, Schema([Numeric("age")]), NoiseAddition(0.5), seed=1)
    (column,) = explained(release, 70).columns
    towards = sum(it.records for it in column.moves if abs(it.to.value - 40) < 30)
    away = sum(it.records for it in column.moves if abs(it.to.value - 40) > 30)
    (note,) = column.notes
    assert note.startswith("the mean of the column is 40; of 5 records,")
    assert (f"{towards} moved towards it" in note) == (towards > 0)
    assert (f"{away} moved away from it" in note) == (away > 0)


def test_groups_of_too_few_people_are_said_to_have_joined_another(diagnoses):
    words = ["hepatitis B"] * 3 + ["sprain"] * 3 + ["broken arm"] * 3
    table = pd.DataFrame({"sick": words, "who": [1, 2, 3, 4, 4, 4, 5, 6, 7]})
    schema = Schema([Nominal("sick", diagnoses)], person="who")
    # Merging counts people while it forms groups; MDAV leaves it to the end.
    release = mask(table, schema, Microaggregation(k=3, algorithm="mdav"))
    joined = words_of(release, "sprain")
    assert "Its group had records of fewer than 3 people, so it took the values of" in joined
    assert "Its own centroid was sprain." in joined
    other = words_of(release, explained(release, "sprain").became[0].values[0].value)
    assert "1 other group with records of fewer than 3 people also took these values." in other


class Halves(Method):
    """A method that nobody here knows."""

    def plan(self, tuples, random):
        return Transitions.from_targets(tuples, tuples.targets()[:1], [0] * len(tuples))


def test_a_method_of_ones_own_is_explained_by_its_plan(diagnoses):
    text = words_of(small(diagnoses, Halves()), "flu")
    assert text.startswith("Halves influenza, 1 record → hepatitis B; in total 8 records with 4 ")
    assert "records with the same new values: 4 combinations, 8 records" in text


# ---------------------------------------------------------------- values by any name


@pytest.fixture
def visits(diagnoses):
    table = pd.DataFrame(
        {
            "sick": ["Flu", "the yellows", "hepatitis B", None, "sprain", "sprain"],
            "pain": ["low", "high", "low", "high", "low", "low"],
            "day": pd.to_datetime(["2026-01-05"] * 3 + ["2026-02-01"] * 3),
            "cost": [1.5, 2.0, 2.25, 1.5, 40.0, 40.0],
        }
    )
    schema = Schema(
        [
            Nominal("sick", diagnoses, mapping={"the yellows": "hepatitis"}),
            Ordinal("pain", ["low", "middle", "high"]),
            Date("day"),
            Numeric("cost"),
        ],
        missing="category",
    )
    return mask(table, schema, Microaggregation(k=2))


@pytest.mark.parametrize(
    ("asked", "column", "value"),
    [
        ("Flu", "sick", "influenza"),  # as it stood there
        ("influenza", "sick", "influenza"),  # the identifier
        ("grippe", "sick", "influenza"),  # a synonym
        ("SPRAINS", "sick", "sprain"),  # by its stem
        ("the yellows", "sick", "hepatitis"),  # by the mapping
        ("hepatitis", "sick", "hepatitis"),
        ({"sick": None}, "sick", None),
        ({"sick": ""}, "sick", None),
        ("high", "pain", "high"),
        ("2026-02-01", "day", "2026-02-01"),
        (datetime.date(2026, 2, 1), "day", "2026-02-01"),
        (pd.Timestamp("2026-02-01"), "day", "2026-02-01"),
        (2.25, "cost", 2.25),
        ("2.25", "cost", 2.25),
        (2, "cost", 2.0),
    ],
)
def test_a_value_is_found_by_any_of_its_names(visits, asked, column, value):
    part = one(visits.explain(asked))
    assert {name: it.value for name, it in part.asked.items()} == {column: value}


def test_some_columns_say_which_records_are_meant(visits):
    part = one(visits.explain({"pain": "low", "day": "2026-01-05"}))
    assert (part.records, part.tuples) == (2, 2)
    assert [it.column for it in part.values] == ["pain", "day"]
    assert "give values of more columns: sick, cost." in words_of(
        visits, {"pain": "low", "day": "2026-01-05"}
    )
    whole = one(visits.explain(("sprain", "low", datetime.date(2026, 2, 1), 40)))
    assert (whole.records, whole.tuples, whole.values) == (2, 1, ())


def test_a_value_of_two_columns_is_explained_for_both(diagnoses):
    table = pd.DataFrame({"first": ["flu", "sprain"] * 2, "second": ["sprain", "cold"] * 2})
    schema = Schema([Nominal("first", diagnoses), Nominal("second", diagnoses)])
    release = mask(table, schema, Microaggregation(k=2))
    assert [list(part.asked) for part in release.explain("sprain").parts] == [["first"], ["second"]]


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ("hepatitis A", UnknownValueError, "did you mean 'hepatitis B' (sick)"),
        ({"sick": "hepatits"}, UnknownValueError, "in column 'sick'"),
        (
            {"sick": "cirrhosis"},
            UnknownValueError,
            "no record has the value 'cirrhosis'",
        ),  # but known
        (
            "viral infection",
            UnknownValueError,
            "'sick' has more specific values: 'Flu', 'hepatitis B'",
        ),
        ({"cost": 30}, UnknownValueError, "did you mean '2.25' or '40.00'"),
        ({"pain": "lov"}, UnknownValueError, "did you mean 'low'"),
        ({"day": "2026-01-06"}, UnknownValueError, "'2026-01-05' or '2026-02-01'"),
        ({"day": "yesterday"}, UnknownValueError, "as in the original table"),
        ({"cost": None}, UnknownValueError, "no record has the value"),
        ({"cost": True}, UnknownValueError, "no record has the value"),
        (
            {"sick": "Flu", "pain": "high"},
            UnknownValueError,
            "no record has this combination of values",
        ),
        ({"sik": "Flu"}, ParameterError, "did you mean 'sick'"),
        ({}, ParameterError, "value must not be empty"),
        (("Flu", "low"), ParameterError, "for each of the 4 quasi-identifiers, got 2"),
    ],
)
def test_what_no_record_holds_is_an_error(visits, asked, error, words):
    with pytest.raises(error) as raised:
        visits.explain(asked)
    assert words in str(raised.value)


def test_a_name_that_several_values_have_is_an_error():
    import ontomask as om

    labels = {"B1": ["bank"], "B2": ["bank"]}
    tree = om.Taxonomy.from_edges([("B1", "R"), ("B2", "R")], labels)
    release = mask(pd.DataFrame({"it": ["B1", "B2"]}), Schema([Nominal("it", tree)]), Recoding(k=2))
    with pytest.raises(UnknownValueError, match="'bank' is ambiguous in column 'it': 'B1', 'B2'"):
        release.explain("bank")


@pytest.mark.slow
@pytest.mark.parametrize("centroid", ["rule", "best"])
def test_groups_that_were_merged_are_explained_by_what_they_became(centroid, icd9):
    table = pd.DataFrame(om.datasets.discharges(300))
    names = ["diagnosis", "secondary_diagnosis"]
    schema = om.Schema([om.Nominal(name, icd9) for name in names], other="drop")
    method = om.Microaggregation(k=5, algorithm="merge", centroid=centroid)
    release = om.mask(table, schema, method)
    for row in range(0, 300, 10):
        (part,) = release.explain(tuple(table.loc[row, names])).parts
        for column in part.example.columns:
            assert column.centre is not None
            assert column.centre.chosen.value == release.data.loc[row, column.column]
            least = min(it.total for it in column.centre.candidates)
            if centroid == "rule" and column.centre.candidates:
                assert column.centre.candidates[0].total == least
