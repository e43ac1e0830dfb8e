"""Local search: tuples move, are exchanged, groups split, dissolve and are founded.

Nothing is done that does not lower the summed cost, and nothing after which a group would not
stand by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging.groups_kernels import SLIGHT
from ontomask.methods.microaggregation.merging.merge_kernels import (
    INFINITE,
    MANY,
    NONE,
    gather_members,
    move_tuple,
    refresh_group,
    take_cheapest,
)
from ontomask.methods.microaggregation.merging.rules_kernels import keeps_rules
from ontomask.methods.microaggregation.merging.space_kernels import (
    group_cost,
    record_cost,
    tuple_distance,
)

__all__ = ["improve_groups", "improve_tuples"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Groups near a tuple that it may move to.
NEAREST = 4
#: Members of another group that a tuple may change places with.
EXCHANGED = 2
#: Groups of more tuples are not split.
TOO_MANY = 400
Index = Any  # of numpy's kinds or of Python's
Number = Any  # of numpy's kinds or of Python's


@jit
def _tuple_cost(space: Any, groups: Any, t: Index, group: Index) -> float:
    """The cost of a tuple in a group, were it a member, if the centroid stays."""
    return space.weight[t] * record_cost(space, tuple_distance(space, t, groups.centre[group]))


@jit
def _own_cost(space: Any, groups: Any, t: Index) -> float:
    """The cost of a tuple in its own group, remembered for as long as the group is the same."""
    group = groups.of[t]
    if groups.own_moment[t] != groups.changed[group]:
        groups.own[t] = _tuple_cost(space, groups, t, group)
        groups.own_moment[t] = groups.changed[group]
    return groups.own[t]


@jit
def _collect_changed_members(groups: Any, group: Index, joins: Index, leaves: Index) -> Index:
    """Collect the members with one tuple more and one less in ``groups.others``; how many."""
    many = gather_members(groups, group, groups.others, leaves)
    if joins >= 0:
        groups.others[many] = joins
        many += 1
    return many


@jit
def _changed_cost(
    space: Any, work: Any, groups: Any, group: Index, joins: Index, leaves: Index
) -> float:
    """What a group would cost with one tuple more and one less; -1 stands for none."""
    if groups.many[group] > MANY:
        cost = groups.cost[group]
        if joins >= 0:
            cost += _tuple_cost(space, groups, joins, group)
        if leaves >= 0:
            cost -= _tuple_cost(space, groups, leaves, group)
        return cost
    many = _collect_changed_members(groups, group, joins, leaves)
    return group_cost(space, work, groups.others, many) if many else 0.0


@jit
def _still_keeps_rules(
    space: Any, rules: Any, groups: Any, group: Index, joins: Index, leaves: Index
) -> bool:
    records = groups.records[group]
    if joins >= 0:
        records += space.weight[joins]
    if leaves >= 0:
        records -= space.weight[leaves]
    if records < rules.k:
        return False
    if rules.kind.size == 0:
        return True
    many = _collect_changed_members(groups, group, joins, leaves)
    return keeps_rules(rules, groups.others, many, records)


# ---------------------------------------------------------------------- tuples


@jit
def improve_tuples(
    space: Any, work: Any, rules: Any, groups: Any, near: Ints, since: Index
) -> Index:
    """Give every tuple the chance to move, to be exchanged, or to leave and be replaced.

    Where no group around has changed since a moment, there is nothing new to try.
    """
    improvements = 0
    nearby, price = np.empty(near.shape[1], np.int64), np.empty(near.shape[1])
    for t in range(groups.of.size):
        home = groups.of[t]
        if groups.many[home] == 1 or groups.cost[home] <= SLIGHT:
            continue
        if groups.changed[home] < since and not _has_changed_nearby(groups, near, t, since):
            continue
        many_nearby = _find_groups_nearby(space, groups, near, t, nearby, price)
        if not many_nearby:
            continue
        if _still_keeps_rules(space, rules, groups, home, NONE, t):
            improvements += _try_move(
                space, work, rules, groups, t, nearby, price, many_nearby, since
            )
        else:
            improvements += _try_exchange(
                space, work, rules, groups, near, t, nearby, price, many_nearby, since
            )
    return improvements


@jit
def _has_changed_nearby(groups: Any, near: Ints, t: Index, since: Index) -> bool:
    for place in range(near.shape[1]):
        other = np.int64(near[t, place])
        if other < 0:
            break
        if groups.changed[groups.of[other]] >= since:
            return True
    return False


@jit
def _find_groups_nearby(
    space: Any, groups: Any, near: Ints, t: Index, nearby: Longs, price: Floats
) -> Index:
    """The groups of a tuple's neighbours, and what it would cost there."""
    many_nearby = 0
    for place in range(near.shape[1]):
        other = np.int64(near[t, place])
        if other < 0:
            break
        group = groups.of[other]
        if group == groups.of[t] or groups.seen[group]:
            continue
        groups.seen[group] = 1
        nearby[many_nearby] = group
        price[many_nearby] = _tuple_cost(space, groups, t, group)
        many_nearby += 1
    for i in range(many_nearby):
        groups.seen[nearby[i]] = 0
    return many_nearby


@jit
def _try_move(
    space: Any,
    work: Any,
    rules: Any,
    groups: Any,
    t: Index,
    nearby: Longs,
    price: Floats,
    many_nearby: Index,
    since: Index,
) -> Index:
    """Move a tuple to the group where the summed cost falls most, if it falls."""
    home = groups.of[t]
    known = groups.changed[home] < since
    saved = -1.0
    best, chosen = -SLIGHT, NONE
    for _ in range(min(NEAREST, many_nearby)):
        i, guess = take_cheapest(price, many_nearby)
        group = np.int64(nearby[i])
        if known and groups.changed[group] < since:
            continue
        if saved < 0:
            saved = groups.cost[home] - _changed_cost(space, work, groups, home, NONE, t)
        if guess > 3 * saved + 0.1 * space.weight[t]:
            break
        change = _changed_cost(space, work, groups, group, t, NONE) - groups.cost[group] - saved
        if change < best and _still_keeps_rules(space, rules, groups, group, t, NONE):
            best, chosen = change, group
    if chosen < 0:
        return 0
    move_tuple(space, groups, t, chosen)
    refresh_group(space, work, groups, home)
    refresh_group(space, work, groups, chosen)
    return 1


@jit
def _try_exchange(
    space: Any,
    work: Any,
    rules: Any,
    groups: Any,
    near: Ints,
    t: Index,
    nearby: Longs,
    price: Floats,
    many_nearby: Index,
    since: Index,
) -> Index:
    """Replace or exchange a tuple that its group cannot spare, if the summed cost falls."""
    home = groups.of[t]
    known = groups.changed[home] < since
    own = _own_cost(space, groups, t)
    spare, repair = NONE, INFINITE
    if not known:
        spare, repair = _find_replacement(space, work, rules, groups, near, t)
    best, chosen, other = -SLIGHT, NONE, NONE
    for _ in range(min(NEAREST, many_nearby)):
        i, guess = take_cheapest(price, many_nearby)
        group = np.int64(nearby[i])
        if known and groups.changed[group] < since:
            continue
        if spare >= 0 and groups.of[spare] != group and guess + repair < 0.3 * guess + 0.05:
            change = (
                _changed_cost(space, work, groups, group, t, NONE) - groups.cost[group] + repair
            )
            if change < best and _still_keeps_rules(space, rules, groups, group, t, NONE):
                best, chosen, other = change, group, spare
        if groups.many[group] <= MANY:
            change, partner = _find_best_exchange(space, work, rules, groups, t, group, guess, own)
            if change < best:
                best, chosen, other = change, group, partner
    if chosen < 0:
        return 0
    third = groups.of[other]
    move_tuple(space, groups, t, chosen)
    move_tuple(space, groups, other, home)
    refresh_group(space, work, groups, home)
    refresh_group(space, work, groups, chosen)
    if third != chosen:
        refresh_group(space, work, groups, third)
    return 1


@jit
def _find_replacement(
    space: Any, work: Any, rules: Any, groups: Any, near: Ints, t: Index
) -> tuple[Index, float]:
    """Find a tuple of another group to replace this one; the tuple and the change in cost."""
    home = groups.of[t]
    need = rules.k - (groups.records[home] - space.weight[t])
    best, chosen = INFINITE, NONE
    listed = 0
    member = groups.head[home]
    while member >= 0:
        if member != t:
            for place in range(near.shape[1]):
                other = np.int64(near[member, place])
                if other < 0:
                    break
                group = groups.of[other]
                if group == home or space.weight[other] < need or groups.seen[other]:
                    continue
                if groups.records[group] - space.weight[other] < rules.k:
                    continue
                groups.seen[other] = 1
                groups.partner[listed] = other
                listed += 1
                change = _tuple_cost(space, groups, other, home) - _own_cost(space, groups, other)
                if change < best:
                    best, chosen = change, other
        member = groups.after[member]
    for q in range(listed):
        groups.seen[groups.partner[q]] = 0
    if chosen < 0:
        return NONE, INFINITE
    group = groups.of[chosen]
    if not _still_keeps_rules(space, rules, groups, group, NONE, chosen):
        return NONE, INFINITE
    if not _still_keeps_rules(space, rules, groups, home, chosen, t):
        return NONE, INFINITE
    change = _changed_cost(space, work, groups, home, chosen, t) - groups.cost[home]
    change += _changed_cost(space, work, groups, group, NONE, chosen) - groups.cost[group]
    return chosen, change


@jit
def _find_best_exchange(
    space: Any,
    work: Any,
    rules: Any,
    groups: Any,
    t: Index,
    group: Index,
    guess: Number,
    own: Number,
) -> tuple[float, Index]:
    """Find the best member of another group to exchange with; the change in cost, and which."""
    home = groups.of[t]
    many = gather_members(groups, group, groups.members, NONE)
    best, chosen = 0.0, NONE
    for _ in range(EXCHANGED):
        least, at = 0.05 + 0.3 * own, -1
        for q in range(many):
            other = groups.members[q]
            if other < 0:
                continue
            difference = space.weight[other] - space.weight[t]
            if groups.records[home] + difference < rules.k:
                continue
            if groups.records[group] - difference < rules.k:
                continue
            change = guess - own
            change += _tuple_cost(space, groups, other, home) - _own_cost(space, groups, other)
            if change < least:
                least, at = change, q
        if at < 0:
            break
        other = groups.members[at]
        groups.members[at] = -1
        change = _changed_cost(space, work, groups, home, other, t) - groups.cost[home]
        change += _changed_cost(space, work, groups, group, t, other) - groups.cost[group]
        if (
            change < best
            and _still_keeps_rules(space, rules, groups, home, other, t)
            and _still_keeps_rules(space, rules, groups, group, t, other)
        ):
            best, chosen = change, other
    return best, chosen


# ---------------------------------------------------------------------- groups


@jit
def improve_groups(
    space: Any, work: Any, rules: Any, groups: Any, near: Ints, free: Longs, many_free: Index
) -> tuple[Index, Index]:
    """Split what is large, dissolve what fits better elsewhere, found groups of what is spare.

    ``free`` are numbers of empty groups; how many there are, and how much was done.
    """
    improvements = 0
    distance = np.empty(groups.of.size)
    target = np.empty(groups.of.size, np.int64)
    for group in range(groups.head.size):
        if groups.many[group] < 2 or groups.cost[group] <= SLIGHT:
            continue
        if (
            groups.records[group] >= 2 * rules.k
            and groups.many[group] <= TOO_MANY
            and many_free
            and _try_split(space, work, rules, groups, group, free[many_free - 1], distance, target)
        ):
            many_free -= 1
            improvements += 1
            continue
        if groups.many[group] <= 3 * rules.k and _try_dissolve(
            space, work, rules, groups, near, group, target
        ):
            free[many_free] = group
            many_free += 1
            improvements += 1
    for t in range(groups.of.size):
        if not many_free:
            break
        if _try_new_group(space, work, rules, groups, near, t, free[many_free - 1], target):
            many_free -= 1
            improvements += 1
    return many_free, improvements


@jit
def _try_split(
    space: Any,
    work: Any,
    rules: Any,
    groups: Any,
    group: Index,
    new: Index,
    distance: Floats,
    target: Longs,
) -> bool:
    """Split a group around its costliest tuple, or the one farthest from it, if that saves."""
    many = gather_members(groups, group, target, NONE)
    best, taken, seed = -SLIGHT, 0, NONE
    chosen, order = np.empty(many, np.int64), np.empty(many, np.int64)
    for attempt in range(2):
        farthest = -1.0
        start = seed
        for q in range(many):
            t = target[q]
            if attempt == 0:
                far = space.weight[t] * tuple_distance(space, t, groups.centre[group])
            else:
                far = tuple_distance(space, t, space.target[start])
            if far > farthest:
                farthest, seed = far, t
        for q in range(many):
            distance[q] = tuple_distance(space, target[q], space.target[seed])
        _sort_by_distance(distance, many, order)
        records, part = np.int64(0), 0
        while part < many and records < rules.k:
            groups.others[part] = target[order[part]]
            records += space.weight[groups.others[part]]
            part += 1
        while part < many:  # who is nearer to the seed than to the centre goes along
            t = target[order[part]]
            if groups.records[group] - records - space.weight[t] < rules.k:
                break
            if distance[order[part]] >= tuple_distance(space, t, groups.centre[group]):
                break
            groups.others[part] = t
            records += space.weight[t]
            part += 1
        if part == many or groups.records[group] - records < rules.k:
            continue
        for q in range(part, many):
            groups.others[q] = target[order[q]]
        rest = groups.others[part:]
        change = group_cost(space, work, groups.others, part) - groups.cost[group]
        change += group_cost(space, work, rest, many - part)
        if (
            change < best
            and keeps_rules(rules, groups.others, part, records)
            and keeps_rules(rules, rest, many - part, groups.records[group] - records)
        ):
            best, taken = change, part
            for q in range(part):
                chosen[q] = groups.others[q]
    for q in range(taken):
        move_tuple(space, groups, chosen[q], new)
    if taken:
        refresh_group(space, work, groups, group)
        refresh_group(space, work, groups, new)
    return taken > 0


@jit
def _sort_by_distance(distance: Floats, many: Index, order: Longs) -> None:
    """The order of some distances, the first of equals first; by insertion, as they are few."""
    for q in range(many):
        place = q
        while place > 0 and distance[order[place - 1]] > distance[q]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = q


@jit
def _try_dissolve(
    space: Any, work: Any, rules: Any, groups: Any, near: Ints, group: Index, target: Longs
) -> bool:
    """Send every member to the nearest group around, if that costs less than the group does."""
    many = gather_members(groups, group, groups.members, NONE)
    total = 0.0
    for q in range(many):
        t = groups.members[q]
        least = INFINITE
        for place in range(near.shape[1]):
            other = np.int64(near[t, place])
            if other < 0:
                break
            beside = groups.of[other]
            if beside != group:
                price = _tuple_cost(space, groups, t, beside)
                if price < least:
                    least, target[q] = price, beside
        total += least
        if total >= groups.cost[group] - SLIGHT:
            return False
    if rules.kind.size and not _all_can_take(space, rules, groups, many, target):
        return False
    moved = groups.members[:many].copy()
    before = groups.cost[group] + _summed_costs(groups, target, many)
    for q in range(many):
        move_tuple(space, groups, moved[q], target[q])
    groups.cost[group] = 0.0
    for q in range(many):
        refresh_group(space, work, groups, target[q])
    if _summed_costs(groups, target, many) < before - SLIGHT:
        return True
    for q in range(many):  # centroids moved, and not for the better: back again
        move_tuple(space, groups, moved[q], group)
    for q in range(many):
        refresh_group(space, work, groups, target[q])
    refresh_group(space, work, groups, group)
    return False


@jit
def _summed_costs(groups: Any, which: Longs, many: Index) -> float:
    """What some groups cost, each counted once."""
    total = 0.0
    for q in range(many):
        known = False
        for other in range(q):
            known |= which[other] == which[q]
        if not known:
            total += groups.cost[which[q]]
    return total


@jit
def _all_can_take(space: Any, rules: Any, groups: Any, many: Index, target: Longs) -> bool:
    """Whether groups keep their rules with a new member each; two for one group are refused."""
    for q in range(many):
        for other in range(q):
            if target[other] == target[q]:
                return False
        if not _still_keeps_rules(space, rules, groups, target[q], groups.members[q], NONE):
            return False
    return True


@jit
def _try_new_group(
    space: Any,
    work: Any,
    rules: Any,
    groups: Any,
    near: Ints,
    t: Index,
    new: Index,
    target: Longs,
) -> bool:
    """Make a group of a tuple and near ones that their groups can spare, if that saves."""
    home = groups.of[t]
    if groups.many[home] == 1 or groups.records[home] - space.weight[t] < rules.k:
        return False
    saved = _own_cost(space, groups, t)
    if saved <= SLIGHT:
        return False
    many, records = np.int64(1), space.weight[t]
    groups.members[0], target[0] = t, home
    for place in range(near.shape[1]):
        if records >= rules.k:
            break
        other = np.int64(near[t, place])
        if other < 0:
            break
        group = groups.of[other]
        taken = np.int64(0)
        for q in range(many):
            if target[q] == group:
                taken += space.weight[groups.members[q]]
        if groups.records[group] - taken - space.weight[other] < rules.k:
            continue
        own = tuple_distance(space, other, groups.centre[group])
        if tuple_distance(space, t, space.target[other]) >= own + 0.15:
            continue
        groups.members[many], target[many] = other, group
        many += 1
        records += space.weight[other]
        saved += space.weight[other] * record_cost(space, own)
    if not keeps_rules(rules, groups.members, many, records):
        return False
    if group_cost(space, work, groups.members, many) >= saved - SLIGHT:
        return False
    moved = groups.members[:many].copy()
    if rules.kind.size and not _all_can_spare(space, rules, groups, moved, target):
        return False
    before = _summed_costs(groups, target, many)
    for q in range(many):
        move_tuple(space, groups, moved[q], new)
    for q in range(many):
        refresh_group(space, work, groups, target[q])
    refresh_group(space, work, groups, new)
    if _summed_costs(groups, target, many) + groups.cost[new] < before - SLIGHT:
        return True
    for q in range(many):
        move_tuple(space, groups, moved[q], target[q])
    for q in range(many):
        refresh_group(space, work, groups, target[q])
    groups.cost[new] = 0.0
    return False


@jit
def _all_can_spare(space: Any, rules: Any, groups: Any, moved: Longs, target: Longs) -> bool:
    """Whether groups keep their rules with a member less; two of one group are refused."""
    for q in range(moved.size):
        for other in range(q):
            if target[other] == target[q]:
                return False
        if not _still_keeps_rules(space, rules, groups, target[q], NONE, moved[q]):
            return False
    return True
