"""Record linkage, against the plain definition over records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from method_tables import attribute
from ontomask import risk
from ontomask.errors import ParameterError
from ontomask.microdata.tuples import Transitions, count_tuples
from ontomask.risk import linkage as module
from risk_plans import identity, plans


@pytest.fixture(autouse=True, scope="module", params=["short numbers", "long numbers"])
def _numbers(request):
    """Distances in the short numbers of large tables, and in the long ones of small tables."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "short numbers":
            patch.setattr(module, "LITTLE", 0)
        yield


@given(plan=plans(weights=True), k=st.integers(1, 6))
def test_nearest_over_records(plan, k):
    pairs = plain_risk.records(plan)
    found = plain_risk.nearest_probabilities(plan.tuples.attributes, pairs)
    alone = plain_risk.sizes([original for original, _ in pairs])
    linked = risk.linkage_nearest(plan, k)
    assert linked.linked == pytest.approx(plain_risk.mean(found))
    among = plain_risk.mean([p for p, size in zip(found, alone, strict=True) if size == 1])
    assert linked.among_uniques == (None if among is None else pytest.approx(among))
    assert linked.above == plain_risk.mean([p > 1 / k for p in found])
    assert linked.unchanged == plain_risk.mean([o == m for o, m in pairs])
    assert (linked.records, linked.sampled, linked.interval) == (len(pairs), False, None)
    assert linked.tuples == len({masked for _, masked in pairs})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_nearest_over_a_hundred_records(diagnoses, seed):
    # Enough tuples that most are passed over unseen.
    random = np.random.default_rng(seed)
    words = [random.choice(diagnoses.identifiers, 100).tolist() for _ in range(2)]
    made = [
        attribute("d", words[0], diagnoses),
        attribute("n", random.integers(0, 9, 100).tolist()),
        attribute("e", words[1], diagnoses, weight=0.5),
    ]
    tuples, place = count_tuples([a for a, _ in made], [codes for _, codes in made])
    moved = [a.target_of(random.permutation(codes)) for a, codes in made]
    every = np.arange(100)
    plan = Transitions.from_pairs(
        tuples,
        np.where(random.random((100, 3)) < 0.3, np.column_stack(moved), tuples.targets()[place]),
        place,
        every,
        np.ones_like(every),
    )
    found = plain_risk.nearest_probabilities(tuples.attributes, plain_risk.records(plan))
    assert risk.linkage_nearest(plan).linked == pytest.approx(plain_risk.mean(found))


@given(plan=plans())
def test_text_over_records(plan):
    found = plain_risk.text_probabilities(plain_risk.records(plan))
    assert risk.linkage_text(plan) == pytest.approx(plain_risk.mean(found))


@given(plan=plans(max_records=8))
def test_attribute_by_attribute(plan):
    pairs, attributes = plain_risk.records(plan), plan.tuples.attributes
    every = range(len(attributes))

    def linked(columns):
        chosen = [attributes[j] for j in columns]
        found = plain_risk.nearest_probabilities(chosen, plain_risk.without(pairs, columns))
        return pytest.approx(plain_risk.mean(found))

    measured = risk.linkage_by_attribute(plan)
    for j, a in enumerate(attributes):
        others = [i for i in every if i != j]
        expected = {"alone": linked([j]), "without": linked(others) if others else None}
        assert measured[a.name] == expected


def test_ties_share_and_strangers_get_nothing(diagnoses):
    # hepatitis B and C are as far from hepatitis; influenza is farther
    a, codes = attribute("d", ["hepatitis B", "hepatitis C", "hepatitis C", "influenza"], diagnoses)
    tuples, _ = count_tuples([a], [codes])
    plan = Transitions.from_targets(
        tuples, np.array([[a.places["hepatitis"]]], dtype=float), np.zeros(3, dtype=int)
    )
    linked = risk.linkage_nearest(plan, k=3)
    assert linked.linked == 3 * (1 / 3) / 4
    assert linked.among_uniques == (1 / 3 + 0) / 2
    assert linked.above == 0  # 1/3 is not above 1/3
    assert risk.linkage_nearest(plan, k=4).above == 3 / 4
    assert risk.linkage_text(plan) == 0


@pytest.mark.parametrize("column", [["sprain"], ["sprain"] * 4])
def test_one_value(diagnoses, column):
    a, codes = attribute("d", column, diagnoses)
    tuples, _ = count_tuples([a], [codes])
    plan = identity(tuples)
    assert risk.linkage_nearest(plan).linked == risk.linkage_text(plan) == 1 / len(column)
    blank = Transitions.from_targets(tuples, np.full((1, 1), np.nan), np.zeros(1, dtype=int))
    assert risk.linkage_nearest(blank, k=2).linked == risk.linkage_text(blank) == 0
    assert risk.linkage_nearest(blank, k=2).above == 0


def test_equal_numbers_are_at_no_distance():
    a, codes = attribute("n", [7, 7, 7])
    tuples, _ = count_tuples([a], [codes])
    plan = Transitions.from_targets(tuples, np.array([[9.0]]), np.zeros(1, dtype=int))
    assert risk.linkage_nearest(plan).linked == 1 / 3


def test_numbers_far_outside_do_not_overflow():
    made = [attribute(f"n{j}", [0, 1, 2]) for j in range(3)]
    tuples, _ = count_tuples([a for a, _ in made], [codes for _, codes in made])
    plan = Transitions.from_targets(tuples, np.full((1, 3), 1e6), np.zeros(3, dtype=int))
    assert risk.linkage_nearest(plan).linked == 1 / 3  # all are nearest to the 2, 2, 2


def test_ten_attributes():
    columns = np.random.default_rng(0).integers(0, 4, (10, 30))
    made = [attribute(f"n{j}", column.tolist()) for j, column in enumerate(columns)]
    tuples, _ = count_tuples([a for a, _ in made], [codes for _, codes in made])
    assert risk.linkage_nearest(identity(tuples)).linked == len(tuples) / 30


@pytest.fixture
def large():
    """A noisy plan of 6,000 records."""
    random = np.random.default_rng(1)
    a, codes = attribute("n", random.integers(0, 3000, 6000).tolist())
    b, others = attribute("m", random.integers(0, 3, 6000).tolist())
    tuples, _ = count_tuples([a, b], [codes, others])
    noise = tuples.targets() + random.integers(-1, 2, (len(tuples), 2))
    return Transitions.from_targets(tuples, noise, np.arange(len(tuples)))


def test_a_sample_of_a_large_table_says_so(large):
    exact = risk.linkage_nearest(large)
    sample = risk.linkage_nearest(large, most=1000)
    assert sample.sampled
    assert sample.records == module.SMALLEST_SAMPLE
    assert sample.tuples <= sample.records
    assert sample.interval[0] <= sample.linked <= sample.interval[1]
    assert sample.unchanged == exact.unchanged
    assert sample == risk.linkage_nearest(large, most=1000)  # the same every time
    other = risk.linkage_nearest(large, most=1000, random=np.random.default_rng(5))
    assert other.linked != sample.linked


def test_a_wide_table_is_sampled_sooner(large):
    a, _ = attribute("w", [1, 2])
    wide = [replace(a, name=f"w{j}") for j in range(14)]
    tuples = replace(
        large.tuples,
        attributes=(*large.tuples.attributes, *wide),
        codes=np.vstack([large.tuples.codes, np.zeros((14, len(large.tuples)), dtype=np.int32)]),
    )
    plan = Transitions.from_targets(tuples, tuples.targets(), np.arange(len(tuples)))
    assert not risk.linkage_nearest(large, most=len(tuples)).sampled
    narrow, sample = (risk.linkage_nearest(plan, most=n * len(tuples)) for n in (2, 1))
    assert (narrow.sampled, narrow.records) == (False, 6000)
    assert sample.sampled
    # A quarter of 16 columns is four times the work of four columns.
    assert sample.records == max(len(tuples) // 4, module.SMALLEST_SAMPLE)


@pytest.mark.slow
def test_the_interval_holds_the_truth_nearly_always(large):
    truth = risk.linkage_nearest(large).linked
    held = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        low, high = risk.linkage_nearest(large, most=1000, random=random).interval
        held += low <= truth <= high
    assert held >= 36


def test_wilsons_interval_by_hand():
    # 1 of 10: Wilson's 95 % interval as printed by many, 0.018 to 0.404
    assert module.wilson_interval(0.1, 10) == (
        pytest.approx(0.0179, abs=1e-4),
        pytest.approx(0.4042, abs=1e-4),
    )
    assert module.wilson_interval(0.0, 100)[0] == 0


def test_what_makes_no_sense_is_refused(large):
    with pytest.raises(ParameterError, match="k must be a positive integer, got 0"):
        risk.linkage_nearest(large, k=0)
    with pytest.raises(ParameterError, match="most must be a positive integer, got 0"):
        risk.linkage_nearest(large, most=0)


@given(plan=plans())
def test_blocks_do_not_matter(plan):
    whole, module.TARGETS_AT_A_TIME = module.TARGETS_AT_A_TIME, 2
    try:
        small = risk.linkage_nearest(plan)
    finally:
        module.TARGETS_AT_A_TIME = whole
    assert small == risk.linkage_nearest(plan)


def test_a_suppressed_value_says_nothing(diagnoses):
    a, codes = attribute("d", ["sprain", "sprain", "influenza"], diagnoses)
    b, ages = attribute("n", [20, 40, 40])
    tuples, _ = count_tuples([a, b], [codes, ages])
    flu, sprain = a.places["influenza"], a.places["sprain"]
    # In sorted order: influenza 40, sprain 20, sprain 40.
    targets = np.array([[np.nan, 40], [sprain, np.nan], [flu, 40]])
    plan = Transitions.from_targets(tuples, targets, np.arange(3))
    # 40 fits two, sprain fits two, and the last is taken for the first.
    assert risk.linkage_nearest(plan).linked == (1 / 2 + 1 / 2 + 0) / 3
    assert risk.linkage_text(plan) == 0
    assert risk.linkage_by_attribute(plan)["d"]["alone"] == pytest.approx((0 + 1 / 2 + 0) / 3)


def test_different_words_at_no_distance_share_the_link(diagnoses):
    def kinds(_, x, y):
        return 0.0 if "hepatitis" in x and "hepatitis" in y else float(x != y)

    column = ["hepatitis B", "hepatitis C", "sprain"]
    a, codes = attribute("d", column, diagnoses, measure=kinds)
    tuples, _ = count_tuples([a], [codes])
    assert risk.linkage_nearest(identity(tuples)).linked == (1 / 2 + 1 / 2 + 1) / 3
    assert risk.linkage_text(identity(tuples)) == 1


def test_numbers_too_near_to_tell_apart_share_the_link():
    a, codes = attribute("n", [0.0, 1e-12, 1.0])
    tuples, _ = count_tuples([a], [codes])
    every = np.arange(3)
    plan = Transitions(tuples, tuples.targets(), every, every, tuples.counts)
    assert risk.linkage_nearest(plan).linked == (1 / 2 + 1 / 2 + 1) / 3
