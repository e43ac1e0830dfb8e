"""l-diversity and t-closeness: examples of the papers, then the plain definitions."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain
import plain_risk
from method_tables import attribute
from ontomask import Taxonomy, risk
from ontomask.errors import ParameterError
from ontomask.risk import t_closeness
from strategies import taxonomies


def confidential(rows, taxonomy=None, attributed=True, **settings):
    """Counts of (class, value), from records; None is a missing value."""
    known = [value for _, value in rows if value is not None]
    a, codes = attribute("c", known, taxonomy, **settings) if known else (None, np.zeros(0))
    places = iter(codes.tolist())
    counts = Counter((group, -1 if value is None else next(places)) for group, value in rows)
    classes, values = zip(*counts, strict=True)
    made = [np.array(part) for part in (classes, values, list(counts.values()))]
    return risk.Confidential("c", *made, a if attributed else None)


def rows(values, max_classes=4):
    return st.lists(st.tuples(st.integers(0, max_classes - 1), values), min_size=1, max_size=20)


@pytest.fixture
def inpatients():
    """Machanavajjhala et al., figure 3: "3-diverse inpatient microdata"."""
    blocks = ["HVCC", "CHVV", "HVCC"]
    codes = [("HVC".index(illness), block) for block, b in enumerate(blocks) for illness in b]
    return confidential([(block, code) for code, block in codes])


def test_the_inpatients_of_machanavajjhala(inpatients):
    assert risk.distinct_diversity(inpatients) == 3
    # shares 1/2, 1/4, 1/4: "2.8-diverse"
    assert risk.entropy_diversity(inpatients) == pytest.approx(2 * sqrt(2))
    assert risk.recursive_diversity(inpatients, c=2.5) == 3  # 2 < 2.5 · 1
    assert risk.recursive_diversity(inpatients, c=2) == 2  # 2 < 2 · (1 + 1), not 2 < 2 · 1


def test_the_salaries_of_li():
    salaries = [(0, 3), (0, 4), (0, 5), (1, 6), (1, 11), (1, 8), (2, 7), (2, 9), (2, 10)]
    table = confidential(salaries)
    assert risk.closeness(table, "ordered") == pytest.approx(0.375)
    assert risk.closeness(table, "semantic") == pytest.approx(0.375)  # they are evenly spaced
    assert risk.closeness(table, "equal") == pytest.approx(2 / 3)


@given(rows=rows(st.none() | st.integers(0, 9)), c=st.sampled_from([0.5, 1, 2, 3.5]))
def test_diversity_over_records(rows, c):
    table = confidential(rows)
    assert risk.distinct_diversity(table) == plain_risk.distinct_diversity(rows)
    assert risk.entropy_diversity(table) == pytest.approx(plain_risk.entropy_diversity(rows))
    assert risk.recursive_diversity(table, c) == plain_risk.recursive_diversity(rows, c)
    assert risk.homogeneous_records(table) == len(plain_risk.homogeneous(rows))


@given(rows=rows(st.none() | st.integers(0, 2)), data=st.data())
def test_people_in_classes_with_a_single_value(rows, data):
    people = data.draw(st.lists(st.integers(-1, 5), min_size=len(rows), max_size=len(rows)))
    known = {people[place] for place in plain_risk.homogeneous(rows)} - {-1}
    classes = np.array([group for group, _ in rows])
    found = risk.count_homogeneous_people(confidential(rows), classes, np.array(people))
    assert found == len(known)


@given(rows=rows(st.sampled_from([None, 0, 1, 2, 5, 9])))
def test_closeness_of_numbers(rows):
    table = confidential(rows)
    values = sorted({value for _, value in rows} - {None})
    steps, span = max(len(values) - 1, 1), (max(values, default=0) - min(values, default=0)) or 1
    expected = {
        "equal": lambda a, b: a != b,
        "ordered": lambda a, b: abs(values.index(a) - values.index(b)) / steps,
        "semantic": lambda a, b: abs(a - b) / span,
    }
    for ground, apart in expected.items():
        measured = risk.closeness(table, ground)
        assert measured == pytest.approx(plain_risk.closeness(rows, apart), abs=1e-9)
        assert 0 <= measured <= 1


@pytest.mark.parametrize("measure", ["sanchez", "wu_palmer", "equality", "lin"])
@given(data=st.data(), taxonomy=taxonomies(max_concepts=9))
def test_closeness_of_words(measure, data, taxonomy):
    records = data.draw(rows(st.sampled_from([None, *taxonomy.identifiers])))
    table = confidential(records, taxonomy, measure=measure)

    def apart(a, b):
        return plain.DISTANCES[measure](taxonomy, a, b)

    expected = plain_risk.closeness(records, apart)
    assert risk.closeness(table, "semantic") == pytest.approx(expected, abs=1e-7)


def test_a_detour_can_be_cheaper():
    # b is below both branches, so that a to b and b to c are shorter together than a to c.
    above = {"X": ["*"], "Y": ["*"], "X2": ["X"], "Y2": ["Y"]}
    above |= {"a": ["X2"], "b": ["X2", "Y2"], "c": ["Y2"]}
    taxonomy = Taxonomy.from_edges([(c, p) for c, parents in above.items() for p in parents])
    records = [(0, "a"), (0, "b"), *((1, value) for value in "aabbcccccc")]

    def apart(a, b):
        return plain.wu_palmer(taxonomy, a, b)

    assert apart("a", "b") + apart("b", "c") < apart("a", "c")
    table = confidential(records, taxonomy, measure="wu_palmer")
    # a and b have 1/4 too much each, c lacks 1/2: 1/4 goes from a to b, 1/2 from b to c
    assert risk.closeness(table, "semantic") == pytest.approx(3 / 4 * 1 / 4)
    assert plain_risk.closeness(records, apart) == pytest.approx(3 / 4 * 1 / 4)


@given(data=st.data(), taxonomy=taxonomies(max_concepts=9))
def test_the_bounds_hold(data, taxonomy):
    records = data.draw(rows(st.sampled_from(taxonomy.identifiers)))
    for measure in ("sanchez", "wu_palmer"):
        table = confidential(records, taxonomy, measure=measure)
        for g in range(len(table.sizes)):
            move = t_closeness._transport_problem(table, g, measure == "sanchez")
            ground = t_closeness._ground_distances(table, table.attribute, move[0], move[2])
            low, high = t_closeness._transport_bounds(*move, ground)
            cost = t_closeness._transport_cost(*move, ground) if move[0].size else 0
            assert low - 1e-9 <= cost <= high + 1e-9


def test_classes_that_are_too_many_for_one_go(monkeypatch):
    random = np.random.default_rng(0)
    records = list(zip(random.integers(0, 40, 300), random.integers(0, 9, 300), strict=True))
    table = confidential([(int(g), int(v)) for g, v in records])
    whole = risk.closeness(table, "ordered")
    monkeypatch.setattr(t_closeness, "CELLS_AT_A_TIME", 20)
    assert risk.closeness(table, "ordered") == whole


def test_one_record_one_value_one_class():
    for records in ([(0, 5)], [(0, 5), (1, 5)], [(0, 5), (0, 5)]):
        table = confidential(records)
        assert risk.distinct_diversity(table) == risk.entropy_diversity(table) == 1
        for ground in ("equal", "ordered", "semantic"):
            assert risk.closeness(table, ground) == 0


def test_a_missing_value_is_no_value():
    # Two values and a blank in each class: as diverse, and as close, as without the blanks.
    table = confidential([(0, 1), (0, 2), (0, None), (1, 1), (1, 2), (1, None), (1, None)])
    assert repr(table) == "Confidential('c': 7 records, 2 classes, 2 values)"
    assert risk.distinct_diversity(table) == risk.recursive_diversity(table) == 2
    assert risk.entropy_diversity(table) == pytest.approx(2)
    assert risk.closeness(table) == 0


@pytest.mark.parametrize("ground", ["equal", "ordered", "semantic"])
@pytest.mark.parametrize("others", [[(0, 1), (0, 2)], [(0, None)]])
def test_a_class_without_a_known_value_has_an_l_of_0_and_a_t_of_1(others, ground):
    table = confidential([*others, (1, None)])
    assert risk.distinct_diversity(table) == risk.entropy_diversity(table) == 0
    assert risk.recursive_diversity(table) == 0
    assert risk.closeness(table, ground) == 1


def test_no_record_is_left():
    none = np.zeros(0, dtype=np.int64)
    table = risk.Confidential("c", none, none, none)
    assert risk.distinct_diversity(table) == risk.entropy_diversity(table) == 0
    assert risk.recursive_diversity(table) == risk.closeness(table) == 0
    assert risk.homogeneous_records(table) == 0


def test_the_same_pair_twice_is_counted_together():
    table = risk.Confidential("c", np.array([7, 3, 7]), np.array([4, 4, 4]), np.array([1, 2, 3]))
    assert (table.sizes.tolist(), table.times.tolist(), table.used.tolist()) == (
        [2, 4],
        [2, 4],
        [4],
    )


def test_what_makes_no_sense_is_refused(diagnoses, monkeypatch):
    one, two = np.array([0]), np.array([0, 1])
    with pytest.raises(
        ParameterError,
        match="classes, values and counts of 'c' must have the same length, got 1, 2 and 1",
    ):
        risk.Confidential("c", one, two, one + 1)
    with pytest.raises(ParameterError, match="counts of 'c' must be at least 1"):
        risk.Confidential("c", one, one, one)
    with pytest.raises(ParameterError, match="values at least 0, or -1 where they are missing"):
        risk.Confidential("c", one, one - 2, one + 1)
    with pytest.raises(ParameterError, match="no semantic distance"):
        risk.closeness(risk.Confidential("c", one, one, one + 1), "semantic")
    with pytest.raises(ParameterError, match="ground must be 'equal', 'ordered' or 'semantic'"):
        risk.closeness(risk.Confidential("c", one, one, one + 1), "other")
    with pytest.raises(ParameterError, match="c must be a number greater than 0, got 0"):
        risk.recursive_diversity(risk.Confidential("c", one, one, one + 1), c=0)
    words = [(0, "sprain"), (0, "influenza"), (1, "hepatitis"), (1, "fracture")]
    table = confidential(words, diagnoses)
    with pytest.raises(ParameterError, match="must be below 4, .* got 9"):
        risk.Confidential("c", one, one + 9, one + 1, table.attribute)
    monkeypatch.setattr(t_closeness, "LARGEST_TRANSPORT", 1)
    with pytest.raises(ParameterError, match="the transport problem of a class with 2 values"):
        t_closeness._transport_cost(two, np.ones(2) / 2, two + 2, np.ones(2) / 2, np.ones((2, 2)))
