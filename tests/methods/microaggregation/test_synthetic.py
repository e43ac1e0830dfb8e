"""Synthetic values come from the data, stay within reach, and are drawn with equal chances."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_methods
from ontomask.methods.microaggregation.synthetic import draw_synthetic
from ontomask.methods.operators import Operators
from plain_methods import Table, check_promises, same_plan, tables

SETTINGS = ["semantic", "classic"]
seeds = st.integers(0, 2**32 - 1)


def groups_of(draw, size):
    """A group for each tuple, every number up to the last in use."""
    drawn = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    return np.unique(drawn, return_inverse=True)[1]


def within_reach(data, group, classic):
    """What each tuple may become: one set per attribute."""
    members = [data.tuple(t) for t in range(len(data.tuples))]
    return {
        record: [
            plain_methods.allowed(
                attribute,
                [other[j] for other in members],
                record[j],
                [members[t][j] for t in np.flatnonzero(group == group[place])],
                classic,
            )
            for j, attribute in enumerate(data.attributes)
        ]
        for place, record in enumerate(members)
    }


@pytest.mark.parametrize("setting", SETTINGS)
@given(data=tables(), drawn=st.data(), seed=seeds)
def test_values_of_the_data_within_reach(setting, data, drawn, seed):
    group = groups_of(drawn.draw, len(data.tuples))
    operators = Operators(data.tuples, setting=setting)
    plan = draw_synthetic(data.tuples, operators, group, np.random.default_rng(seed))
    reach = within_reach(data, group, setting == "classic")
    for source, target in data.outcome(plan):
        for value, near in zip(target, reach[source], strict=True):
            assert value in near
    check_promises(plan, 1)
    assert same_plan(
        plan, draw_synthetic(data.tuples, operators, group, np.random.default_rng(seed))
    )


@pytest.mark.parametrize("setting", SETTINGS)
@given(data=tables(max_tuples=5), drawn=st.data(), seed=seeds)
def test_all_that_is_within_reach_is_drawn(setting, data, drawn, seed):
    group = groups_of(drawn.draw, len(data.tuples))
    data.tuples.counts[:] = 10_000  # at most 125 to choose from
    plan = draw_synthetic(
        data.tuples, Operators(data.tuples, setting=setting), group, np.random.default_rng(seed)
    )
    reach = within_reach(data, group, setting == "classic")
    expected = {(source, target) for source, near in reach.items() for target in product(*near)}
    assert set(data.outcome(plan)) == expected


@pytest.mark.parametrize("setting", SETTINGS)
def test_with_equal_chances_and_independently(setting, diagnoses):
    from scipy.stats import chisquare  # a second of loading, for one test

    concepts = sorted(diagnoses)[:6]
    records = [(c, float(n)) for c, n in zip(concepts, (1, 2, 3, 4, 6, 9), strict=True)]
    data = Table(records, [diagnoses, None])
    group = np.array([0, 0, 1, 1, 2, 2])
    data.tuples.counts[:] = 36_000
    plan = draw_synthetic(
        data.tuples, Operators(data.tuples, setting=setting), group, np.random.default_rng(3)
    )
    outcome = data.outcome(plan)
    for source, near in within_reach(data, group, setting == "classic").items():
        counts = [outcome[source, target] for target in product(*near)]
        assert sum(counts) == 36_000
        assert chisquare(counts).pvalue > 0.001


def test_the_radius_by_hand():
    # 4 with 6 in its group: from 2 to 6; 6: from 4 to 8; 9 is alone
    data = Table([(float(x),) for x in (1, 2, 4, 6, 8, 9)], [None])
    data.tuples.counts[:] = 1_000
    group = np.array([0, 1, 2, 2, 3, 4])
    plan = draw_synthetic(data.tuples, Operators(data.tuples), group, np.random.default_rng(0))
    drawn = {}
    for (source,), (target,) in data.outcome(plan):
        drawn.setdefault(source, set()).add(target)
    assert drawn == {1: {1}, 2: {2}, 4: {2, 4, 6}, 6: {4, 6, 8}, 8: {8}, 9: {9}}


def test_tenths_are_within_reach_though_they_round():
    data = Table([(x,) for x in (0.1, 0.2, 0.3)], [None])  # 0.3 - 0.2 is less than 0.2 - 0.1
    data.tuples.counts[:] = 1_000
    group = np.array([0, 1, 1])
    plan = draw_synthetic(data.tuples, Operators(data.tuples), group, np.random.default_rng(0))
    targets = {target for (source,), target in data.outcome(plan) if source == 0.2}
    assert targets == {(0.1,), (0.2,), (0.3,)}
