"""The loops over sets of concepts, which lie end to end."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = [
    "LevelScratch",
    "allocate_level_scratch",
    "close_sets",
    "closure_distance",
    "count_shared",
    "group_level_sets",
    "keep_deepest",
    "level_set",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's

#: A level set is held by at least one in so many records.
LEAST_SHARE = 5
#: Costs that differ by less are equal.
SLIGHT = 1e-12


@jit
def close_sets(
    offsets: Longs,
    places: Ints,
    start: Longs,
    above: Ints,
    seen: Longs,
    closed_offsets: Longs,
    closed: Ints,
) -> None:
    """Write the ancestors of each set's concepts, ascending; only count them if there is no room.

    ``above[start[p]:start[p + 1]]`` are the ancestors of the concept at place p, itself included.
    """
    size = 0
    for s in range(offsets.size - 1):
        first = size
        for at in range(offsets[s], offsets[s + 1]):
            for i in range(start[places[at]], start[places[at] + 1]):
                if seen[above[i]] != s:
                    seen[above[i]] = s
                    if closed.size:
                        closed[size] = above[i]
                    size += 1
        if closed.size:
            closed[first:size].sort()
        closed_offsets[s + 1] = size


@jit
def keep_deepest(
    offsets: Longs,
    concepts: Ints,
    places: Ints,
    start: Longs,
    above: Ints,
    seen: Longs,
    kept_offsets: Longs,
    kept: Ints,
) -> None:
    """Keep the concepts of each set that are above no other; a concept's list starts with it."""
    size = 0
    for s in range(offsets.size - 1):
        for at in range(offsets[s], offsets[s + 1]):
            for i in range(start[places[at]] + 1, start[places[at] + 1]):
                seen[above[i]] = s
        for at in range(offsets[s], offsets[s + 1]):
            if seen[concepts[at]] != s:
                kept[size] = concepts[at]
                size += 1
        kept_offsets[s + 1] = size


@jit
def count_shared(offsets: Longs, concepts: Ints, offsets_b: Longs, b: Ints, out: Longs) -> None:
    """Count what each ascending set shares with the one at the same place."""
    for s in range(offsets.size - 1):
        i, j, shared = offsets[s], offsets_b[s], 0
        while i < offsets[s + 1] and j < offsets_b[s + 1]:
            x, y = concepts[i], b[j]
            shared += x == y
            i += x <= y
            j += y <= x
        out[s] = shared


@jit
def closure_distance(shared: Index, union: Index) -> float:
    """The distance of two closures; of two empty ones 0."""
    return np.log2(2.0 - shared / union) if union else 0.0


# ---------------------------------------------------------------------- level sets


class LevelScratch(NamedTuple):
    """Work space of :func:`level_set`; ``records`` are all 0 between calls."""

    records: Longs  # that hold each concept; then its level
    seen: Ints  # concepts
    levels: Longs
    size: Longs  # of the level sets
    inside: Longs
    cost: Floats
    rest: Floats  # what other attributes contribute to the distance of each member


def allocate_level_scratch(concepts: int, most_members: int) -> LevelScratch:
    """Work space for groups of up to a number of members."""
    # A level is a sum of records of some members: no more levels than concepts.
    return LevelScratch(
        records=np.zeros(concepts, dtype=np.int64),
        seen=np.empty(concepts, dtype=np.int32),
        levels=np.empty(concepts + 1, dtype=np.int64),
        size=np.zeros(concepts + 2, dtype=np.int64),
        inside=np.zeros(concepts + 2, dtype=np.int64),
        cost=np.empty(concepts + 2),
        rest=np.zeros(most_members + 1),
    )


@jit
def level_set(
    start: Longs,
    stop: Longs,
    concepts: Ints,
    weight: Longs,
    members: Any,
    many: Index,
    best: bool,
    squared: bool,
    missing: Index,
    scale: float,
    work: Any,
    out: Ints,
) -> tuple[Index, float]:
    """Write the centroid of some closures; its size and what the members cost.

    The closure of member ``t`` is ``concepts[start[t]:stop[t]]``. A record costs its distance, or
    the square of it, which is ``scale`` times that of the sets and what is in ``work.rest``.
    """
    records, seen, levels = work.records, work.seen, work.levels
    sizes, inside, costs, rest = work.size, work.inside, work.cost, work.rest
    total, distinct = np.int64(0), 0
    for q in range(many):
        t = members[q]
        total += weight[t]
        for at in range(start[t], stop[t]):
            concept = concepts[at]
            if records[concept] == 0:
                seen[distinct] = concept
                distinct += 1
            records[concept] += weight[t]
    without = np.int64(0)
    if missing >= 0:
        without = records[missing]
    last = _collect_levels(records, seen, distinct, levels, total, best)
    for level in range(last + 1):
        sizes[level], costs[level] = 0, 0.0
    for i in range(distinct):
        concept = seen[i]
        level = 0
        while level < last and records[concept] < levels[level]:
            level += 1
        if concept == missing:
            level = last
        records[concept] = level
        sizes[level] += 1
    for level in range(1, last):
        sizes[level] += sizes[level - 1]
    cost_of_missing = 0.0
    for q in range(many):
        t = members[q]
        for at in range(start[t], stop[t]):
            inside[records[concepts[at]]] += 1
        shared, size = 0, stop[t] - start[t]
        for level in range(last):
            shared += inside[level]
            distance = rest[q] + scale * closure_distance(shared, size + sizes[level] - shared)
            costs[level] += weight[t] * (distance * distance if squared else distance)
        for level in range(last + 1):
            inside[level] = 0
        if without > 0:
            distance = rest[q]
            if size != 1 or concepts[start[t]] != missing:
                distance += scale
            cost_of_missing += weight[t] * (distance * distance if squared else distance)
    chosen = 0
    for level in range(1, last):
        if costs[level] < costs[chosen] - SLIGHT:
            chosen = level
    cost, size = costs[chosen], 0
    is_missing = cost_of_missing < cost - SLIGHT if best else 2 * without > total
    if without > 0 and is_missing:
        cost, size, chosen = cost_of_missing, 1, -1
        out[0] = missing
    for i in range(distinct):
        if records[seen[i]] <= chosen:
            out[size] = seen[i]
            size += 1
        records[seen[i]] = 0
    return size, cost


@jit
def _collect_levels(
    records: Longs, seen: Ints, distinct: Index, levels: Longs, total: Index, best: bool
) -> Index:
    """Collect the numbers of records that make a level, the most first; how many there are."""
    if not best:
        levels[0] = (total + 1) // 2
        return 1
    levels[0] = total
    many = 1
    for i in range(distinct):
        held = records[seen[i]]
        if LEAST_SHARE * held < total:
            continue
        place = many
        while place > 0 and levels[place - 1] < held:
            place -= 1
        if place > 0 and levels[place - 1] == held:
            continue
        for later in range(many, place, -1):
            levels[later] = levels[later - 1]
        levels[place] = held
        many += 1
    return many


@jit
def group_level_sets(
    offsets: Longs,
    concepts: Ints,
    weight: Longs,
    group_offsets: Longs,
    members: Any,
    best: bool,
    squared: bool,
    missing: Index,
    work: Any,
    out_offsets: Longs,
    out: Ints,
) -> None:
    """Write the level sets of many groups, each ascending."""
    start, stop = offsets[:-1], offsets[1:]
    size = 0
    for group in range(group_offsets.size - 1):
        mine = members[group_offsets[group] : group_offsets[group + 1]]
        more, _ = level_set(
            start,
            stop,
            concepts,
            weight,
            mine,
            mine.size,
            best,
            squared,
            missing,
            1.0,
            work,
            out[size:],
        )
        out[size : size + more].sort()
        size += more
        out_offsets[group + 1] = size
