"""Resampling equals the plain algorithm once the samples are drawn, and groups at least k."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_methods
from ontomask.errors import ParameterError
from ontomask.methods.operators import Operators
from ontomask.methods.resampling import RecordCounts, Resampling, draw_samples, resample
from plain_methods import Table, check_promises, same_plan, tables

SETTINGS = ["semantic", "classic"]
seeds = st.integers(0, 2**32 - 1)


def listed(data, records):
    """Records of the package as records."""
    pairs = zip(records.tuples.tolist(), records.counts.tolist(), strict=True)
    return [data.tuple(t) for t, count in pairs for _ in range(count)]


def resampled_by_hand(data, samples, others):
    """What becomes of numbers in given samples."""
    place = {data.tuple(t)[0]: t for t in range(len(data.tuples))}

    def records(numbers):
        counts = sorted(Counter(numbers).items())
        return RecordCounts(
            np.array([place[x] for x, _ in counts]), np.array([c for _, c in counts])
        )

    plan = resample(Operators(data.tuples), [records(s) for s in samples], records(others))
    outcome = data.outcome(plan)
    return {(source, target): count for ((source,), (target,)), count in outcome.items()}


def test_by_hand():
    # Two samples of three ages, one left over. The centroids are 5 / 3 and 11 / 3; the farthest
    # are 4 and 9, so that the samples are sorted 4, 1, 0 and 9, 2, 0 (distances 3, 4 and 7, 9).
    data = Table([(float(x),) for x in (0, 0, 1, 2, 4, 9, 6)], [None])
    # 4 and 9 meet, with the centroid 13 / 2, which 6 joins: 19 / 3
    assert resampled_by_hand(data, [[0, 1, 4], [0, 2, 9]], [6]) == {
        (4, 19 / 3): 1,
        (9, 19 / 3): 1,
        (6, 19 / 3): 1,
        (1, 1.5): 1,
        (2, 1.5): 1,
        (0, 0): 2,
    }


def test_others_join_by_the_centroids_as_they_stood():
    # 5 is nearer to 1 than to 10; 5.75 is nearer to 10, though with 5 the first group moves to 2
    data = Table([(float(x),) for x in (0, 1, 2, 10, 10, 10, 5, 5.75)], [None])
    outcome = resampled_by_hand(data, [[0, 10], [1, 10], [2, 10]], [5, 5.75])
    assert set(outcome) == {(0, 2), (1, 2), (2, 2), (5, 2), (10, 35.75 / 4), (5.75, 35.75 / 4)}


def test_equal_groups_part_when_one_is_joined():
    data = Table([(float(x),) for x in (0, 0, 0, 0, 0, 0, 8, 8, 3)], [None])
    # 0 and 0 three times, 8 and 8; the 3 joins one of the three, and makes it a 1
    assert resampled_by_hand(data, [[0, 0, 0, 8], [0, 0, 0, 8]], [3]) == {
        (0, 0): 4,
        (0, 1): 2,
        (3, 1): 1,
        (8, 8): 2,
    }


def test_the_reference_comes_first_even_where_another_is_as_near():
    # 1 and what is just below it are at no distance in fixed point; 1 has more records
    below = 1 - 1e-12
    samples = [0.0, 0.25, below, 1.0, 1.0], [0.0, 0.25, 0.5, 1.0, 1.0]
    data = Table([(x,) for sample in samples for x in sample], [None])
    between = (below + 0.5) / 2
    assert resampled_by_hand(data, samples, []) == {
        (1, 1): 4,
        (below, between): 1,
        (0.5, between): 1,
        (0.25, 0.25): 2,
        (0, 0): 2,
    }


@pytest.mark.parametrize("setting", SETTINGS)
@given(data=tables(), k=st.integers(2, 20), seed=seeds)
def test_equals_the_plain_one_with_the_same_samples(setting, data, k, seed):
    if k > len(data.records):
        return
    samples, others = draw_samples(data.tuples.counts, k, np.random.default_rng(seed))
    plan = resample(Operators(data.tuples, setting=setting), samples, others)
    expected = plain_methods.resampling(
        data.attributes,
        [listed(data, sample) for sample in samples],
        listed(data, others),
        setting == "classic",
    )
    assert data.outcome(plan) == Counter(expected)


@given(counts=st.lists(st.integers(1, 40), min_size=1, max_size=15), seed=seeds, data=st.data())
def test_the_samples_are_a_partition(counts, seed, data):
    counts = np.array(counts)
    k = data.draw(st.integers(1, int(counts.sum())))
    samples, others = draw_samples(counts, k, np.random.default_rng(seed))
    assert [int(sample.counts.sum()) for sample in samples] == [counts.sum() // k] * k
    assert others.counts.sum() == counts.sum() % k
    found = np.zeros(len(counts), dtype=int)
    for tuples, some in [*samples, others]:
        assert (np.diff(tuples) > 0).all()
        assert (some > 0).all()
        found[tuples] += some
    assert found.tolist() == counts.tolist()


def test_every_record_is_as_likely_in_every_sample():
    # 7 records, 3 samples of 2 and one left over: a record is in each with probability 2 / 7
    random = np.random.default_rng(11)
    inside, draws = np.zeros((4, 3)), 7_000
    for _ in range(draws):
        samples, others = draw_samples(np.array([1, 2, 4]), 3, random)
        for place, (tuples, counts) in enumerate([*samples, others]):
            inside[place, tuples] += counts
    expected = draws * np.outer([2 / 7, 2 / 7, 2 / 7, 1 / 7], [1, 2, 4])
    np.testing.assert_allclose(inside, expected, rtol=0.07)


@pytest.mark.parametrize("setting", SETTINGS)
@given(data=tables(max_count=60), k=st.integers(2, 20), seed=seeds)
def test_promises(setting, data, k, seed):
    method = Resampling(k, setting)
    if k > len(data.records):
        with pytest.raises(ParameterError, match="k must be at most the number of records"):
            method.plan(data.tuples, np.random.default_rng(seed))
        return
    plan = method.plan(data.tuples, np.random.default_rng(seed))
    check_promises(plan, k)
    assert same_plan(plan, method.plan(data.tuples, np.random.default_rng(seed)))


@pytest.mark.parametrize("setting", SETTINGS)
def test_one_tuple_stays_as_it_is(setting, diagnoses):
    data = Table([("influenza", 30.0)] * 11, [diagnoses, None])
    plan = Resampling(3, setting).plan(data.tuples, np.random.default_rng())
    assert data.outcome(plan) == {(("influenza", 30.0), ("influenza", 30.0)): 11}


@pytest.mark.parametrize("setting", SETTINGS)
def test_fewer_than_2k_records_are_one_group(setting):
    data = Table([(float(x),) for x in (1, 2, 3, 4, 5, 5, 9)], [None])
    plan = Resampling(4, setting).plan(data.tuples, np.random.default_rng())
    assert plan.class_sizes().tolist() == [7]
    assert plan.targets.tolist() == [[29 / 7 if setting == "semantic" else 5.0]]


def test_many_records_of_few_tuples_are_planned_without_listing_them():
    data = Table([(float(x),) for x in (1, 2, 3)], [None])
    data.tuples.counts[:] = [200_000_000, 100_000_000, 7]
    check_promises(Resampling(5).plan(data.tuples, np.random.default_rng()), 5)


@pytest.mark.parametrize(
    "wrong", [{"k": 1}, {"k": 2.5}, {"k": True}, {"operators": "semantics"}, {"operators": None}]
)
def test_wrong_settings(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Resampling(**wrong)
