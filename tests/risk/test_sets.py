"""Who is unique by a set, and which few values single people out, counted record by record."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask import risk
from ontomask.errors import ParameterError
from ontomask.microdata.sets import combinations as set_combinations
from set_plans import expand, set_plans
from strategies import examples

SIZES = (1, 2, 3)


def holders_of(sets, key):
    """The people who hold each key of a set."""
    holders = defaultdict(set)
    for one, person in sets:
        for found in key(one):
            holders[found].add(person)
    return list(holders.values())


@examples(60)
@given(case=set_plans(), k=st.integers(1, 5), at_a_time=st.sampled_from([3, 20_000_000]))
def test_unique_sets_and_rare_combinations_of_records(case, k, at_a_time):
    _, plan, records = case
    assert Counter((a, b) for _, a, b in expand(plan)) == Counter(records)
    sets = [(one, n) for n, (_, one) in enumerate(records) if isinstance(one, frozenset)]
    check(plan, None, sets, k, at_a_time)


@examples(60)
@given(case=set_plans(), k=st.integers(2, 3), seed=st.integers(0, 2**32 - 1))
def test_unique_sets_and_rare_combinations_of_people(case, k, seed):
    """People may have several records and sets; records of unknown people are nobody's."""
    _, plan, records = case
    people = np.random.default_rng(seed).integers(-1, 4, len(records))
    targets, _, masked = zip(*expand(plan), strict=True)
    sets = [
        (one, who)
        for one, who in zip(masked, people.tolist(), strict=True)
        if isinstance(one, frozenset) and who >= 0
    ]
    check(plan, (np.array(targets), people), sets, k, 20_000_000)


def check(plan, people, sets, k, at_a_time):
    unique = {next(iter(who)) for who in holders_of(sets, lambda one: [one]) if len(who) == 1}
    assert risk.unique_sets(plan, people) == {"dx": len(unique)}
    for size in SIZES:
        rare = sum(
            len(who) < k
            for who in holders_of(sets, lambda one, m=size: combinations(sorted(one), m))
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(set_combinations, "AT_A_TIME", at_a_time)
            assert risk.rare_combinations(plan, k, size, people) == {"dx": rare}


@examples(60)
@given(case=set_plans())
def test_too_many_combinations_are_not_counted(case):
    _, plan, records = case
    distinct = {one for _, one in records if isinstance(one, frozenset)}
    pairs = sum(len(one) * (len(one) - 1) // 2 for one in distinct)
    assert risk.rare_combinations(plan, 2, most=pairs)["dx"] is not None
    if pairs:
        assert risk.rare_combinations(plan, 2, most=pairs - 1) == {"dx": None}
    with pytest.raises(ParameterError, match="size must be 1, 2 or 3, got 4"):
        risk.rare_combinations(plan, 2, 4)
