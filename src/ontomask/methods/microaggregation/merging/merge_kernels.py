"""Merging: incomplete groups join the partner that costs least per record, cheapest first."""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging.rules_kernels import keeps_rules
from ontomask.methods.microaggregation.merging.space_kernels import (
    group_cost,
    keep_centre,
    record_cost,
    tuple_distance,
)

__all__ = [
    "GroupState",
    "gather_members",
    "grow_together",
    "put_together",
    "single_tuple_groups",
    "refresh_group",
    "move_tuple",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Partners that are costed exactly, the most promising ones.
TRIED = 6
#: Members that speak for a group when partners are looked for.
SPEAKERS = 4
#: In groups of more tuples the centroid is taken as it stands.
MANY = 60
INFINITE = 1e300
#: No tuple, no group; of one type with the others, so that loops are compiled once.
NONE = np.int64(-1)
#: A partner whose bound is this many times the best cost is not examined.
HOPELESS = 2.0
Index = Any  # of numpy's kinds or of Python's


class GroupState(NamedTuple):
    """The state of all groups; the members of a group are a chain through ``after``.

    A group has the number of a tuple, not always of one that is in it.
    """

    of: Longs
    head: Longs
    after: Longs
    before: Longs
    records: Longs
    many: Longs
    cost: Floats
    centre: Floats
    version: Longs
    changed: Longs  # when cost and centroid were last worked out
    moments: Longs  # how often they were, of all groups
    members: Longs  # work space
    others: Longs
    seen: NDArray[np.int8]
    partner: Longs
    price: Floats
    own: Floats  # what each tuple costs in its group, if the moment is that of the group
    own_moment: Longs


def single_tuple_groups(weight: Longs, target: Floats, lists: Index) -> GroupState:
    """Every tuple a group of its own; ``lists`` is the length of the lists of neighbours."""
    tuples = len(weight)
    every = np.arange(tuples)
    none = np.full(tuples, -1)
    return GroupState(
        of=every.copy(),
        head=every.copy(),
        after=none.copy(),
        before=none.copy(),
        records=weight.copy(),
        many=np.ones(tuples, dtype=np.int64),
        cost=np.zeros(tuples),
        centre=target.copy(),
        version=np.zeros(tuples, dtype=np.int64),
        changed=np.zeros(tuples, dtype=np.int64),
        moments=np.zeros(1, dtype=np.int64),
        members=np.empty(tuples + 1, dtype=np.int64),
        others=np.empty(tuples + 1, dtype=np.int64),
        seen=np.zeros(tuples, dtype=np.int8),
        partner=np.empty(tuples + lists, dtype=np.int64),
        price=np.empty(tuples + lists),
        own=np.empty(tuples),
        own_moment=np.full(tuples, -1),
    )


@jit
def gather_members(groups: Any, group: Index, out: Longs, without: Index) -> Index:
    """Collect the members of a group, except one; how many there are."""
    size, t = 0, groups.head[group]
    while t >= 0:
        if t != without:
            out[size] = t
            size += 1
        t = groups.after[t]
    return size


@jit
def take_cheapest(price: Floats, size: Index) -> tuple[Index, float]:
    """The place of the least price, and the price, which is then removed."""
    at = 0
    for i in range(1, size):
        if price[i] < price[at]:
            at = i
    least = price[at]
    price[at] = INFINITE
    return at, least


@jit
def move_tuple(space: Any, groups: Any, t: Index, to: Index) -> None:
    """Move a tuple to another group; costs and centroids are not touched."""
    group = groups.of[t]
    if groups.before[t] >= 0:
        groups.after[groups.before[t]] = groups.after[t]
    else:
        groups.head[group] = groups.after[t]
    if groups.after[t] >= 0:
        groups.before[groups.after[t]] = groups.before[t]
    groups.after[t] = groups.head[to]
    groups.before[t] = -1
    if groups.head[to] >= 0:
        groups.before[groups.head[to]] = t
    groups.head[to] = t
    groups.of[t] = to
    groups.records[group] -= space.weight[t]
    groups.records[to] += space.weight[t]
    groups.many[group] -= 1
    groups.many[to] += 1


@jit
def refresh_group(space: Any, work: Any, groups: Any, group: Index) -> None:
    """Recompute the cost and centroid of a group."""
    many = gather_members(groups, group, groups.members, NONE)
    groups.cost[group] = group_cost(space, work, groups.members, many) if many else 0.0
    if many:
        keep_centre(space, work, groups, group)
    groups.moments[0] += 1
    groups.changed[group] = groups.moments[0]


@jit
def put_together(space: Any, work: Any, groups: Any, group: Longs) -> None:
    """Put tuples into the groups of an earlier search; -1 for none. Nothing has changed since."""
    leader = np.full(groups.of.size, -1)
    for t in range(groups.of.size):
        if group[t] < 0:
            continue
        if leader[group[t]] < 0:
            leader[group[t]] = t
        else:
            move_tuple(space, groups, t, leader[group[t]])
    for g in range(leader.size):
        if leader[g] >= 0:
            refresh_group(space, work, groups, leader[g])
            groups.changed[leader[g]] = 0
    groups.moments[0] = 0


@jit
def merging_cost(space: Any, work: Any, groups: Any, a: Index, b: Index) -> float:
    """How much more two groups cost together than apart."""
    many = gather_members(groups, a, groups.others, NONE)
    if groups.many[b] > MANY:
        more = 0.0
        for q in range(many):
            t = groups.others[q]
            more += space.weight[t] * record_cost(space, tuple_distance(space, t, groups.centre[b]))
        return more - groups.cost[a]
    t = groups.head[b]
    while t >= 0:
        groups.others[many] = t
        many += 1
        t = groups.after[t]
    together = group_cost(space, work, groups.others, many)
    return together - groups.cost[a] - groups.cost[b]


@jit
def _find_partner(
    space: Any, work: Any, rules: Any, groups: Any, near: Ints, a: Index
) -> tuple[float, Index]:
    """The group that costs least per record to join, and what it costs; -1 for none."""
    many = gather_members(groups, a, groups.members, NONE)
    listed = 0
    for q in range(many):
        for place in range(near.shape[1]):
            other = np.int64(near[groups.members[q], place])
            if other < 0:
                break
            b = groups.of[other]
            if b == a or groups.seen[b]:
                continue
            groups.seen[b] = 1
            groups.partner[listed] = b
            groups.price[listed] = _estimated_cost(space, groups, a, b, min(many, SPEAKERS))
            listed += 1
    for q in range(listed):
        groups.seen[groups.partner[q]] = 0
    best, chosen = INFINITE, NONE
    for _ in range(min(TRIED, listed)):
        i, guess = take_cheapest(groups.price, listed)
        b = groups.partner[i]
        gained = _records_gained(rules, groups, a, b)
        if guess > HOPELESS * best * gained:
            continue
        price = merging_cost(space, work, groups, a, b) / gained
        if price < best or (price == best and b < chosen):
            best, chosen = price, b
    return best, chosen


@jit
def _estimated_cost(space: Any, groups: Any, a: Index, b: Index, speakers: Index) -> float:
    """A guess at what joining costs, after Ward: members of one, seen from the other's centre."""
    total, records = 0.0, np.int64(0)
    for q in range(speakers):
        t = groups.members[q]
        total += space.weight[t] * record_cost(space, tuple_distance(space, t, groups.centre[b]))
        records += space.weight[t]
    size_a, size_b = groups.records[a], groups.records[b]
    return total / records * (size_a * size_b / (size_a + size_b))


@jit
def _records_gained(rules: Any, groups: Any, a: Index, b: Index) -> float:
    """The records that gain by a merge: those of the groups that are still incomplete."""
    records = groups.records[a]
    if groups.records[b] < rules.k:
        records += groups.records[b]
    return np.float64(records)


@jit
def _find_nearest_group(space: Any, groups: Any, a: Index) -> tuple[float, Index]:
    """Find the nearest other group among all, for when no neighbour is in another group."""
    best, chosen = INFINITE, NONE
    for t in range(groups.of.size):
        b = groups.of[t]
        if b != a:
            distance = tuple_distance(space, t, groups.centre[a])
            if distance < best:
                best, chosen = distance, b
    return best, chosen


@jit
def _merge_groups(space: Any, groups: Any, a: Index, b: Index) -> Index:
    """Merge the smaller group into the larger one; the number of the merged group."""
    into, gone = (a, b) if groups.many[a] > groups.many[b] else (b, a)
    t = groups.head[gone]
    while t >= 0:
        following = groups.after[t]
        move_tuple(space, groups, t, into)
        t = following
    groups.cost[gone] = 0.0
    groups.version[gone] += 1
    groups.version[into] += 1
    return into


@jit
def grow_together(space: Any, work: Any, rules: Any, groups: Any, near: Ints) -> None:
    """Merge until every group stands by itself, or one is left."""
    waiting: Any = [(0.0, np.int64(0), np.int64(0), np.int64(0), np.int64(0))]
    waiting.pop()
    a: Any
    for a in range(groups.of.size):
        many = gather_members(groups, a, groups.members, NONE)
        if many and not keeps_rules(rules, groups.members, many, groups.records[a]):
            price, b = _find_partner(space, work, rules, groups, near, a)
            if b >= 0:
                waiting.append((price, a, b, groups.version[a], groups.version[b]))
            else:
                waiting.append((INFINITE, a, a, groups.version[a], NONE))
    heapq.heapify(waiting)
    while len(waiting):
        price, a, b, version_a, version_b = heapq.heappop(waiting)
        if groups.version[a] != version_a:
            continue
        if b != a and groups.version[b] == version_b:
            a = _merge_groups(space, groups, a, b)
            refresh_group(space, work, groups, a)
            many = gather_members(groups, a, groups.members, NONE)
            if keeps_rules(rules, groups.members, many, groups.records[a]):
                continue
        # The partner has changed, or the whole still needs one.
        price, chosen = _find_partner(space, work, rules, groups, near, a)
        if chosen < 0:
            price, chosen = _find_nearest_group(space, groups, a)
            if chosen < 0:
                return
        heapq.heappush(waiting, (price, a, chosen, groups.version[a], groups.version[chosen]))
