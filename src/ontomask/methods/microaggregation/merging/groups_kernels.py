"""The loops of one group: how far a tuple is from it, what it costs, where its centre is."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging.space import (
    BEST,
    CLASSIC_TUPLE,
    LINEAR,
    NUMBER,
    ROOT,
    RULE,
    SQUARED,
    WORD,
    TupleSpace,
)

__all__ = [
    "SLIGHT",
    "Scratch",
    "tuple_distance",
    "group_cost",
    "keep_centre",
    "move_centres",
    "record_cost",
    "allocate_scratch",
    "store_centre",
    "total_cost",
    "write_centre",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Costs that differ by less are equal.
SLIGHT = 1e-9
#: Equally good candidates of an attribute that are tried against those of the others.
MOST_TIES = 16
#: Up to this number of tuples, the cost of every pair is remembered.
REMEMBERED = 500
Index = Any  # of numpy's kinds or of Python's
Number = Any  # of numpy's kinds or of Python's


class Scratch(NamedTuple):
    """Work space of :func:`group_cost`; clean between calls.

    ``pairs`` remembers what two tuples cost together: NaN until it is known, and empty where there
    are too many tuples to ask for the same pair again and again.
    """

    records: Longs  # of each value
    seen: NDArray[np.int8]  # candidates
    values: Ints
    candidates: Ints
    sums: Longs
    ties: Ints  # of each attribute
    many_ties: Ints
    rest: Floats  # what the other attributes contribute, by member
    centre: Floats
    pairs: Floats


def allocate_scratch(space: TupleSpace, most_members: Index) -> Scratch:
    """Work space for groups of up to a number of members."""
    attributes = len(space.kind)
    remembered = most_members if most_members <= REMEMBERED else 0
    return Scratch(
        records=np.zeros(space.most_values, dtype=np.int64),
        seen=np.zeros(space.most_candidates, dtype=np.int8),
        values=np.empty(space.most_values, dtype=np.int32),
        candidates=np.empty(max(space.most_candidates, space.most_values), dtype=np.int32),
        sums=np.empty(space.most_candidates, dtype=np.int64),
        ties=np.empty((attributes, MOST_TIES), dtype=np.int32),
        many_ties=np.zeros(attributes, dtype=np.int32),
        rest=np.empty(most_members + 1),
        centre=np.zeros(attributes),
        pairs=np.full((remembered, remembered), np.nan),
    )


@jit
def record_cost(space: Any, distance: Number) -> float:
    """What a record at a distance costs."""
    if space.cost == SQUARED:
        return distance * distance
    if space.cost == ROOT:
        return np.sqrt(distance)
    return distance


@jit
def contribution(space: Any, t: Index, j: Index, target: Number) -> float:
    """What an attribute contributes to the distance between a tuple and a target."""
    value = space.codes[t, j]
    if space.kind[j] == WORD:
        at = space.first[j] + value * space.width[j] + np.int64(target)
        return space.table[at] * space.scale[j]
    difference = space.number[space.value_first[j] + value] - target
    if space.by_variance:
        return 0.5 * difference * difference * space.scale[j]
    return abs(difference) * space.scale[j]


@jit
def tuple_distance(space: Any, t: Index, centre: Floats) -> float:
    """The distance between a tuple and a centroid."""
    total = 0.0
    for j in range(space.kind.size):
        total += contribution(space, t, j, centre[j])
    return total


@jit
def group_cost(space: Any, work: Any, members: Longs, many: Index) -> float:
    """What a group costs; its centroid is left in ``work.centre``."""
    if many == 1:
        for j in range(space.kind.size):
            work.centre[j] = space.target[members[0], j]
        return 0.0
    if space.choice == CLASSIC_TUPLE:
        _centre_on_most_frequent(space, work, members, many)
        return total_cost(space, work.centre, members, many)
    alike = True
    for j in range(space.kind.size):
        if space.kind[j] == WORD:
            alike &= _centre_words(space, work, members, many, j)
        else:
            alike &= _centre_numbers(space, work, members, many, j)
    if alike:
        return 0.0
    cost = total_cost(space, work.centre, members, many)
    # Candidates of equal summed distance cost the same where a record costs its distance.
    if space.choice == RULE and space.cost == LINEAR:
        return cost
    return _improve_centre(space, work, members, many, cost)


@jit
def keep_centre(space: Any, work: Any, groups: Any, group: Index) -> None:
    """Make the centroid that :func:`group_cost` left that of a group."""
    for j in range(work.centre.size):
        groups.centre[group, j] = work.centre[j]


@jit
def write_centre(space: Any, work: Any, at: Index, centre: Floats) -> Index:
    """Write the centroid that :func:`group_cost` left to a row, which has room for all of it."""
    for j in range(work.centre.size):
        centre[j] = work.centre[j]
    return at


@jit
def store_centre(space: Any, centre: Floats, end: Index) -> bool:
    """Leave a centroid as it is: nothing of it is outside its row."""
    return True


@jit
def move_centres(space: Any, centres: Floats, first: Index, stop: Index) -> None:
    """Leave centroids where they are."""


@jit
def total_cost(space: Any, centre: Floats, members: Longs, many: Index) -> float:
    """What the members cost, given the centroid."""
    total = 0.0
    for q in range(many):
        total += space.weight[members[q]] * record_cost(
            space, tuple_distance(space, members[q], centre)
        )
    return total


@jit
def _centre_on_most_frequent(space: Any, work: Any, members: Longs, many: Index) -> None:
    """Make the tuple with the most records the centroid; the first of equals."""
    chosen = members[0]
    for q in range(1, many):
        t = members[q]
        if space.weight[t] > space.weight[chosen] or (
            space.weight[t] == space.weight[chosen] and space.rank[t] < space.rank[chosen]
        ):
            chosen = t
    for j in range(space.kind.size):
        work.centre[j] = space.target[chosen, j]


@jit
def _centre_words(space: Any, work: Any, members: Longs, many: Index, j: Index) -> bool:
    """Set the centroid of a nominal attribute, and its ties; whether all values are equal."""
    total, most, modal, distinct = np.int64(0), np.int64(0), 0, 0
    for q in range(many):
        value, records = space.codes[members[q], j], space.weight[members[q]]
        if work.records[value] == 0:
            work.values[distinct] = value
            distinct += 1
        work.records[value] += records
        total += records
        if work.records[value] > most:
            most, modal = work.records[value], value
    base, width = space.first[j], space.width[j]
    work.many_ties[j] = 0
    if distinct == 1 or (2 * most > total and space.metric[j]):
        work.centre[j] = space.place[space.value_first[j] + modal]
    elif distinct == 2 and space.metric[j]:  # equally many: nothing lies between the two
        for r in range(2):
            work.ties[j, r] = space.place[space.value_first[j] + work.values[r]]
        work.many_ties[j] = 2
        work.centre[j] = min(work.ties[j, 0], work.ties[j, 1])
    else:
        near = _collect_candidates(space, work, distinct, j)
        least = np.int64(-1)
        for i in range(near):
            candidate = work.candidates[i]
            summed = np.int64(0)
            for r in range(distinct):
                value = work.values[r]
                summed += work.records[value] * space.table[base + value * width + candidate]
                if summed > least and least >= 0:
                    break
            work.sums[i] = summed
            if least < 0 or summed < least:
                least = summed
        ties, first = 0, np.int32(-1)
        for i in range(near):
            candidate = work.candidates[i]
            if work.sums[i] == least:
                if first < 0 or candidate < first:
                    first = candidate
                if ties < MOST_TIES:
                    work.ties[j, ties] = candidate
                    ties += 1
        work.many_ties[j] = ties
        work.centre[j] = first
    for r in range(distinct):
        work.records[work.values[r]] = 0
    return distinct == 1


@jit
def _collect_candidates(space: Any, work: Any, distinct: Index, j: Index) -> Index:
    """Collect the candidates at or above the distinct values, each once; how many there are."""
    near = 0
    for r in range(distinct):
        at = space.value_first[j] + work.values[r]
        for i in range(space.above_start[at], space.above_start[at + 1]):
            candidate = space.above[i]
            if work.seen[candidate] == 0:
                work.seen[candidate] = 1
                work.candidates[near] = candidate
                near += 1
    for i in range(near):
        work.seen[work.candidates[i]] = 0
    return near


@jit
def _centre_numbers(space: Any, work: Any, members: Longs, many: Index, j: Index) -> bool:
    """Set the mean of numbers or the lower median of ranks; whether all values are equal."""
    base = space.value_first[j]
    work.many_ties[j] = 0
    low = high = space.codes[members[0], j]
    total, records = 0.0, np.int64(0)
    for q in range(many):
        value, weight = space.codes[members[q], j], space.weight[members[q]]
        low, high = min(low, value), max(high, value)
        total += weight * space.number[base + value]
        records += weight
    if low == high:
        work.centre[j] = space.number[base + low]
        return True
    if space.kind[j] == NUMBER:
        work.centre[j] = total / records
        return False
    work.centre[j] = space.number[base + _median_value(space, work, members, many, j, records)]
    return False


@jit
def _median_value(
    space: Any, work: Any, members: Longs, many: Index, j: Index, records: Index
) -> Index:
    """The least value that at least half of the records do not exceed."""
    distinct = 0
    for q in range(many):
        value = space.codes[members[q], j]
        if work.records[value] == 0:
            place = distinct
            while place > 0 and work.values[place - 1] > value:
                work.values[place] = work.values[place - 1]
                place -= 1
            work.values[place] = value
            distinct += 1
        work.records[value] += space.weight[members[q]]
    half, so_far, chosen = (records + 1) // 2, np.int64(0), -1
    for r in range(distinct):
        so_far += work.records[work.values[r]]
        if chosen < 0 and so_far >= half:
            chosen = work.values[r]
        work.records[work.values[r]] = 0
    return chosen


@jit
def _improve_centre(space: Any, work: Any, members: Longs, many: Index, cost: float) -> float:
    """Improve the centroid attribute by attribute until no candidate costs less.

    By the rule only candidates that tie in their summed distance are tried.
    """
    sweeps = 3 if space.choice == BEST else 2
    for _ in range(sweeps):
        better = False
        for j in range(space.kind.size):
            if space.choice == RULE and work.many_ties[j] < 2:
                continue
            if space.choice == RULE:
                near = work.many_ties[j]
                for i in range(near):
                    work.candidates[i] = work.ties[j, i]
            elif space.kind[j] == WORD:
                near = _collect_member_candidates(space, work, members, many, j)
            else:
                near = _collect_member_values(space, work, members, many, j)
            for q in range(many):
                t = members[q]
                total = 0.0
                for i in range(space.kind.size):
                    if i != j:
                        total += contribution(space, t, i, work.centre[i])
                work.rest[q] = total
            chosen = work.centre[j]
            for i in range(near):
                target = np.float64(work.candidates[i])
                if space.kind[j] != WORD:
                    target = space.number[space.value_first[j] + work.candidates[i]]
                if target == work.centre[j]:
                    continue
                summed = 0.0
                for q in range(many):
                    distance = work.rest[q] + contribution(space, members[q], j, target)
                    summed += space.weight[members[q]] * record_cost(space, distance)
                    if summed >= cost:
                        break
                if summed < cost - SLIGHT:
                    cost, chosen = summed, target
            if chosen != work.centre[j]:
                work.centre[j] = chosen
                better = True
        if not better:
            break
    return cost


@jit
def _collect_member_candidates(
    space: Any, work: Any, members: Longs, many: Index, j: Index
) -> Index:
    distinct = _collect_member_values(space, work, members, many, j)
    for r in range(distinct):
        work.values[r] = work.candidates[r]
    return _collect_candidates(space, work, distinct, j)


@jit
def _collect_member_values(space: Any, work: Any, members: Longs, many: Index, j: Index) -> Index:
    """Collect the distinct values of the members in ``work.candidates``; how many there are."""
    distinct = 0
    for q in range(many):
        value = space.codes[members[q], j]
        if work.records[value] == 0:
            work.records[value] = 1
            work.candidates[distinct] = value
            distinct += 1
    for r in range(distinct):
        work.records[work.candidates[r]] = 0
    return distinct
