"""Classes, against the plain definition over records."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from method_tables import attribute
from ontomask import risk
from ontomask.errors import ParameterError
from ontomask.microdata.attributes import MISSING
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.tuples import Transitions, count_tuples
from risk_plans import plans


@given(plan=plans(), threshold=st.sampled_from([0, 0.2, 0.5, 1]))
def test_the_measures_over_records(plan, threshold):
    pairs = plain_risk.records(plan)
    for sizes, tuples in (
        (risk.original_classes(plan), [original for original, _ in pairs]),
        (risk.masked_classes(plan), [masked for _, masked in pairs]),
    ):
        assert risk.k(sizes) == plain_risk.k(tuples)
        assert risk.uniques(sizes) == plain_risk.uniques(tuples)
        assert risk.prosecutor(sizes) == plain_risk.prosecutor(tuples)
        assert risk.records_at_risk(sizes, threshold) == plain_risk.at_risk(tuples, threshold)
        assert risk.marketer(sizes) == pytest.approx(plain_risk.marketer(tuples))
        assert sum(s * n for s, n in risk.class_sizes(sizes).items()) == len(pairs)


@given(plan=plans(), data=st.data())
def test_a_population_hides_people(plan, data):
    pairs = plain_risk.records(plan)
    for masked, tuples in ((False, [o for o, _ in pairs]), (True, [m for _, m in pairs])):
        known = sorted(set(map(plain_risk.written, tuples)), key=repr)
        sizes = risk.masked_classes(plan) if masked else risk.original_classes(plan)
        counted = {t: data.draw(st.integers(0, 30)) for t in known if data.draw(st.booleans())}
        people = risk.population_sizes(plan, counted, masked)
        assert risk.journalist(sizes, people) == plain_risk.journalist(tuples, counted)
        assert risk.journalist(sizes, people) <= risk.journalist(sizes) == risk.prosecutor(sizes)


@pytest.fixture
def suppressed(diagnoses):
    a, codes = attribute("d", ["sprain", "sprain", "influenza", "hepatitis"], diagnoses)
    tuples, _ = count_tuples([a], [codes])
    blank = [[np.nan], *tuples.targets()[tuples.counts == 2]]
    return Transitions.from_targets(tuples, np.array(blank), np.where(tuples.counts == 2, 1, 0))


def test_the_blanks_are_a_class_unless_they_are_removed(suppressed):
    assert sorted(risk.masked_classes(suppressed).tolist()) == [2, 2]
    assert risk.masked_classes(suppressed, removed=True).tolist() == [2]
    assert risk.population_sizes(suppressed, {("sprain",): 9}, True, removed=True).tolist() == [9]


def test_no_record_is_left():
    none = np.zeros(0, dtype=np.int64)
    assert (risk.k(none), risk.uniques(none), risk.class_sizes(none)) == (0, 0, {})
    assert risk.prosecutor(none) == risk.marketer(none) == risk.records_at_risk(none) == 0


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ParameterError, match="threshold must be a number from 0 to 1, got 3"):
        risk.records_at_risk(np.array([1]), 3)
    with pytest.raises(ParameterError, match="one number per class, got 2 for 1 classes"):
        risk.journalist(np.array([1]), np.array([1, 2]))


@given(plan=plans())
def test_an_empty_cell_is_a_value_like_another(plan):
    masked = [plain_risk.written(m) for _, m in plain_risk.records(plan)]
    assert sorted(risk.masked_classes(plan)) == sorted(Counter(masked).values())


def test_missing_and_suppressed_look_the_same(diagnoses):
    a = NominalOrMissing("d", diagnoses, ["influenza", "sprain"])
    b, numbers = attribute("n", [1, 1, 2, 2, 2])
    tuples, _ = count_tuples([a, b], [np.array([0, 2, 0, 1, 2]), numbers])
    flu, sprain, gone = a.places["influenza"], a.places["sprain"], a.places[MISSING]
    # In sorted order: flu 1, missing 1, flu 2, sprain 2, missing 2.
    targets = [[flu, 1], [gone, 1], [np.nan, 1], [sprain, 2], [np.nan, np.nan]]
    plan = Transitions.from_targets(tuples, np.array(targets, dtype=float), np.arange(5))
    assert sorted(risk.masked_classes(plan).tolist()) == [1, 1, 1, 2]
    people = risk.population_sizes(plan, {(None, 1.0): 7, ("influenza", 1.0): 9}, masked=True)
    sizes = risk.masked_classes(plan)
    assert sorted(zip(sizes.tolist(), people.tolist(), strict=True)) == [
        (1, 0),
        (1, 0),
        (1, 9),
        (2, 7),
    ]
    assert sum(risk.masked_classes(plan, removed=True)) == 4
