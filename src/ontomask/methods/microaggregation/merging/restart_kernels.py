"""Restarts: a few neighbouring groups are dissolved and merged again, in another order by chance.

What costs less than before is kept, everything else is put back: the longer it runs, the better.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging.groups_kernels import SLIGHT
from ontomask.methods.microaggregation.merging.merge_kernels import (
    INFINITE,
    move_tuple,
    refresh_group,
)
from ontomask.methods.microaggregation.merging.rules_kernels import keeps_rules
from ontomask.methods.microaggregation.merging.space_kernels import group_cost

__all__ = ["merge_again"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Tuples that are taken apart at a time, at most.
TOGETHER = 18
#: By how much chance may raise the price of joining two groups.
CHANCE = 0.5
Index = Any  # of numpy's kinds or of Python's


@jit
def _draw_uniform(state: NDArray[np.uint64]) -> float:
    """Draw a number from 0 up to 1 (xorshift64*)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return np.float64((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@jit
def merge_again(
    space: Any,
    work: Any,
    rules: Any,
    groups: Any,
    near: Ints,
    free: Longs,
    many_free: Index,
    state: NDArray[np.uint64],
    times: Index,
) -> tuple[Index, float]:
    """Try a number of times; returns how many groups are then free, and what was saved."""
    saved = 0.0
    tuples = groups.of.size
    chosen = np.empty(TOGETHER, np.int64)
    taken = np.empty(TOGETHER, np.int64)
    members = np.empty((TOGETHER, TOGETHER), np.int64)
    both = np.empty(TOGETHER, np.int64)
    many = np.empty(TOGETHER, np.int64)
    records = np.empty(TOGETHER, np.int64)
    cost = np.empty(TOGETHER)
    complete = np.empty(TOGETHER, np.bool_)
    price = np.empty((TOGETHER, TOGETHER))
    for _ in range(times):
        t = min(int(_draw_uniform(state) * tuples), tuples - 1)
        if groups.cost[groups.of[t]] <= SLIGHT:
            continue
        dissolved, many_taken = _collect_neighbourhood(groups, near, t, chosen, taken, state)
        if many_taken < 2:
            continue
        before = 0.0
        for g in range(dissolved):
            before += groups.cost[chosen[g]]
        for i in range(many_taken):
            members[i, 0] = taken[i]
            many[i], cost[i], records[i] = 1, 0.0, space.weight[taken[i]]
            complete[i] = keeps_rules(rules, members[i], many[i], records[i])
        left = _merge_few(
            space,
            work,
            rules,
            many_taken,
            members,
            many,
            records,
            cost,
            complete,
            price,
            both,
            state,
        )
        after = 0.0
        for i in range(many_taken):
            after += cost[i]
        if left == 0 or after >= before - SLIGHT or left > dissolved + many_free:
            continue
        saved += before - after
        for g in range(dissolved, left):  # more groups than there were
            many_free -= 1
            chosen[g] = free[many_free]
        place = 0
        for i in range(many_taken):
            if many[i] == 0:
                continue
            for q in range(many[i]):
                move_tuple(space, groups, members[i, q], chosen[place])
            place += 1
        for g in range(max(dissolved, left)):
            if groups.many[chosen[g]] == 0:
                groups.cost[chosen[g]] = 0.0
                free[many_free] = chosen[g]
                many_free += 1
            else:
                refresh_group(space, work, groups, chosen[g])
    return many_free, saved


@jit
def _collect_neighbourhood(
    groups: Any, near: Ints, t: Index, chosen: Longs, taken: Longs, state: NDArray[np.uint64]
) -> tuple[Index, Index]:
    """Collect the group of a tuple, some near groups and all members; how many of both."""
    dissolved, many_taken = 0, 0
    group, at = groups.of[t], 0
    while True:
        if groups.many[group] + many_taken <= TOGETHER:
            known = False
            for g in range(dissolved):
                known |= chosen[g] == group
            if not known:
                chosen[dissolved] = group
                dissolved += 1
                member = groups.head[group]
                while member >= 0:
                    taken[many_taken] = member
                    many_taken += 1
                    member = groups.after[member]
        if at >= 3 * TOGETHER or many_taken == 0:
            return dissolved, many_taken
        # On to the group of some neighbour of some member, nearer ones more often.
        at += 1
        member = taken[min(int(_draw_uniform(state) * many_taken), many_taken - 1)]
        share = _draw_uniform(state)
        other = np.int64(near[member, min(int(share * share * near.shape[1]), near.shape[1] - 1)])
        if other >= 0:
            group = groups.of[other]


@jit
def _merge_few(
    space: Any,
    work: Any,
    rules: Any,
    many_taken: Index,
    members: Any,
    many: Any,
    records: Any,
    cost: Floats,
    complete: Any,
    price: Any,
    both: Longs,
    state: NDArray[np.uint64],
) -> Index:
    """Merge the cheapest two, one of them incomplete, until none is; how many are left."""
    left = many_taken
    for a in range(many_taken):
        _update_prices(
            space, work, a, a, members, many, records, cost, complete, price, both, state
        )
    while True:
        best, first, second = INFINITE, -1, -1
        for a in range(many_taken):
            if many[a]:
                for b in range(a):
                    if many[b] and price[a, b] < best:
                        best, first, second = price[a, b], a, b
        if first < 0:
            for a in range(many_taken):
                if many[a] and not complete[a]:
                    return 0
            return left
        for q in range(many[second]):
            members[first, many[first] + q] = members[second, q]
        many[first] += many[second]
        records[first] += records[second]
        many[second], cost[second] = 0, 0.0
        cost[first] = group_cost(space, work, members[first], many[first])
        complete[first] = keeps_rules(rules, members[first], many[first], records[first])
        left -= 1
        _update_prices(
            space,
            work,
            first,
            many_taken,
            members,
            many,
            records,
            cost,
            complete,
            price,
            both,
            state,
        )


@jit
def _update_prices(
    space: Any,
    work: Any,
    group: Index,
    until: Index,
    members: Any,
    many: Any,
    records: Any,
    cost: Floats,
    complete: Any,
    price: Any,
    both: Longs,
    state: NDArray[np.uint64],
) -> None:
    """Update the price, per record in need, of merging a group with each of the first others.

    Give or take some chance. All in one go: a call takes as long as the cost of a small group.
    """
    pairs = work.pairs
    for other in range(until):
        if other == group or many[other] == 0:
            continue
        a, b = max(group, other), min(group, other)
        if complete[a] and complete[b]:
            price[a, b] = INFINITE
            continue
        for q in range(many[a]):
            both[q] = members[a, q]
        for q in range(many[b]):
            both[many[a] + q] = members[b, q]
        pair = pairs.size > 0 and many[a] + many[b] == 2
        together = pairs[both[0], both[1]] if pair else np.nan
        if np.isnan(together):
            together = group_cost(space, work, both, many[a] + many[b])
            if pair:
                pairs[both[0], both[1]] = together
        more = together - cost[a] - cost[b]
        needing = (0 if complete[a] else records[a]) + (0 if complete[b] else records[b])
        price[a, b] = more / needing * (1.0 + CHANCE * _draw_uniform(state))
