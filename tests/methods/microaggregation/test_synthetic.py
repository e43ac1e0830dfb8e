"""Synthetic values keep what their groups are like, or are drawn as the paper prints it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_methods
from method_tables import attribute
from ontomask.methods.microaggregation.synthetic import draw_from_groups, draw_near_values
from ontomask.methods.operators import Operators
from ontomask.microdata.tuples import count_tuples
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


# ---------------------------------------------------------------------- from the group


@given(data=tables(), drawn=st.data(), seed=seeds)
def test_values_are_those_of_the_group_or_between_its_numbers(data, drawn, seed):
    group = groups_of(drawn.draw, len(data.tuples))
    plan = draw_from_groups(data.tuples, group, np.random.default_rng(seed))
    reach = within_reach(data, group, classic=False)
    members = [data.tuple(t) for t in range(len(data.tuples))]
    for source, target in data.outcome(plan):
        same = [members[t] for t in np.flatnonzero(group == group[members.index(source)])]
        for j, kind in enumerate(data.attributes):
            values = [member[j] for member in same]
            if hasattr(kind, "domain") or kind.median:
                assert target[j] in values
                assert target[j] in reach[source][j]  # so it is as near as the paper wants it
            else:
                assert min(values) <= target[j] <= max(values)
    check_promises(plan, 1)
    assert same_plan(plan, draw_from_groups(data.tuples, group, np.random.default_rng(seed)))


def test_words_of_a_group_by_hand(diagnoses):
    data = Table([("influenza",), ("sprain",), ("hepatitis",)], [diagnoses])
    data.tuples.counts[:] = (30_000, 10_000, 5_000)  # in sorted order: hepatitis, influenza, sprain
    plan = draw_from_groups(data.tuples, np.array([0, 0, 1]), np.random.default_rng(1))
    outcome = data.outcome(plan)
    assert outcome[("sprain",), ("sprain",)] == 5_000
    for word in ("hepatitis", "influenza"):
        drawn = outcome[(word,), ("hepatitis",)] / sum(
            outcome[(word,), (other,)] for other in ("hepatitis", "influenza")
        )
        assert drawn == pytest.approx(30 / 40, abs=0.02)


@pytest.mark.parametrize("decimals", [0, 2])
def test_numbers_keep_the_mean_and_the_variance_of_each_group(decimals):
    from scipy.stats import norm

    # Wide, skewed and two-valued groups, and one with hardly more than one number.
    groups = [[0, 10, 30], [100, 101, 150, 400], [500, 600], [700, 701], [800]]
    step = 10**-decimals
    column = [round(x * step, 2) for group in groups for x in group]
    numbers, codes = attribute("x", column, decimals=decimals)
    tuples, _ = count_tuples([numbers], [codes])
    tuples.counts[:] = 40_000
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    plan = draw_from_groups(tuples, owner, np.random.default_rng(5))
    drawn, records = plan.targets[plan.target, 0] / step, owner[plan.source]
    assert np.allclose(drawn, np.round(drawn))
    for number, values in enumerate(groups):
        mine, count = drawn[records == number], plan.count[records == number]
        n = count.sum()
        mean = mine @ count / n
        assert min(values) - 1e-6 <= mine.min() <= mine.max() <= max(values) + 1e-6
        error = norm.isf(1e-6) * np.std(values) / np.sqrt(n)
        assert abs(mean - np.mean(values)) <= error + 1e-6
        assert (mine - mean) ** 2 @ count / n == pytest.approx(np.var(values), rel=0.02)
    inside = drawn[records == 1]
    assert len(set(inside.round().tolist())) > 100  # new numbers, not those of the data


def test_columns_keep_means_variances_and_marginalities(diagnoses):
    random = np.random.default_rng(0)
    n = 100_000
    columns = {
        "charge": np.round(np.exp(random.normal(8, 1, n)), 2).tolist(),
        "days": random.geometric(0.2, n).tolist(),
        "word": random.choice(sorted(diagnoses), n).tolist(),
    }
    attributes, codes = zip(
        attribute("charge", columns["charge"], decimals=2),
        attribute("days", columns["days"]),
        attribute("word", columns["word"], diagnoses),
        strict=True,
    )
    tuples, _ = count_tuples(attributes, codes)
    group = np.arange(len(tuples)) // 5  # of similar charges
    plan = draw_from_groups(tuples, group, np.random.default_rng(1))
    for j in range(2):
        before = attributes[j].numbers[tuples.codes[j]]
        after = plan.targets[plan.target, j]
        mean, variance = (
            np.average(before, weights=tuples.counts),
            np.var(columns[attributes[j].name]),
        )
        drawn = np.average(after, weights=plan.count)
        assert abs(drawn - mean) < 4 * np.sqrt(variance / n)
        assert np.average((after - drawn) ** 2, weights=plan.count) == pytest.approx(
            variance, rel=0.02
        )
    words = attributes[2]
    frequencies = np.bincount(tuples.codes[2], tuples.counts, words.size)
    marginality = words.table[words.place] @ frequencies
    drawn = np.bincount(plan.targets[plan.target, 2].astype(int), plan.count, len(words.candidates))
    assert marginality @ drawn[words.place] == pytest.approx(marginality @ frequencies, rel=0.01)


# ---------------------------------------------------------------------- as the paper prints it


@pytest.mark.parametrize("setting", SETTINGS)
@given(data=tables(), drawn=st.data(), seed=seeds)
def test_values_of_the_data_within_reach(setting, data, drawn, seed):
    group = groups_of(drawn.draw, len(data.tuples))
    operators = Operators(data.tuples, setting=setting)
    plan = draw_near_values(data.tuples, operators, group, np.random.default_rng(seed))
    reach = within_reach(data, group, setting == "classic")
    for source, target in data.outcome(plan):
        for value, near in zip(target, reach[source], strict=True):
            assert value in near
    check_promises(plan, 1)
    assert same_plan(
        plan, draw_near_values(data.tuples, operators, group, np.random.default_rng(seed))
    )


@pytest.mark.parametrize("setting", SETTINGS)
@given(data=tables(max_tuples=5), drawn=st.data(), seed=seeds)
def test_all_that_is_within_reach_is_drawn(setting, data, drawn, seed):
    group = groups_of(drawn.draw, len(data.tuples))
    data.tuples.counts[:] = 10_000  # at most 125 to choose from
    plan = draw_near_values(
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
    plan = draw_near_values(
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
    plan = draw_near_values(data.tuples, Operators(data.tuples), group, np.random.default_rng(0))
    drawn = {}
    for (source,), (target,) in data.outcome(plan):
        drawn.setdefault(source, set()).add(target)
    assert drawn == {1: {1}, 2: {2}, 4: {2, 4, 6}, 6: {4, 6, 8}, 8: {8}, 9: {9}}


def test_tenths_are_within_reach_though_they_round():
    data = Table([(x,) for x in (0.1, 0.2, 0.3)], [None])  # 0.3 - 0.2 is less than 0.2 - 0.1
    data.tuples.counts[:] = 1_000
    group = np.array([0, 1, 1])
    plan = draw_near_values(data.tuples, Operators(data.tuples), group, np.random.default_rng(0))
    targets = {target for (source,), target in data.outcome(plan) if source == 0.2}
    assert targets == {(0.1,), (0.2,), (0.3,)}
