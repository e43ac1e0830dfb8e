"""The loops behind semantic noise. Codes, fixed-point distances and draws only.

What surrounds a value are concepts other than itself, the nearest first, in groups of equal
distance: group ``g`` is ``concepts[begin[g]:begin[g + 1]]``, ``apart[g]`` away. Towards the mean
lead the groups from ``sides[0, 0]`` up to ``sides[0, 1]``, away from it those of ``sides[1]``.
Where a side has no concepts it is given all of them, and ``sides[side, 2]`` is 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.microdata.attributes import FIXED_POINT_ONE

__all__ = ["arrange_surroundings", "mask_values", "mask_value", "reached_range"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Spreads distances over a table: 2^32 divided by the golden ratio.
SPREAD = 2654435769


@jit
def classify_concepts(
    value: int, row: Floats, from_mean: Ints, kind: Ints, distances: Ints, table: Ints, slots: Ints
) -> int:
    """Number the different distances as they are met; how many there are.

    ``kind`` of a concept is three times the number of its distance, plus its side: 0 for nearer to
    the mean than the value, 1 for farther, 2 for neither. Distances are found in a hash table:
    ``table`` has a power of two of places, more than there are concepts; all are -1, before and
    after.
    """
    last = table.size - 1
    here = from_mean[value]
    many_distances = 0
    for concept in range(row.size):
        distance = np.int32(np.rint(row[concept] * FIXED_POINT_ONE))
        slot = ((np.int64(distance) * SPREAD) >> 8) & last
        while table[slot] >= 0 and distances[table[slot]] != distance:
            slot = (slot + 1) & last
        if table[slot] < 0:
            table[slot] = many_distances
            slots[many_distances] = slot
            distances[many_distances] = distance
            many_distances += 1
        # Sums of comparisons, not branches: which side comes next cannot be guessed.
        side = (from_mean[concept] > here) + 2 * (from_mean[concept] == here)
        kind[concept] = 3 * table[slot] + side
    for number in range(many_distances):
        table[slots[number]] = -1
    return many_distances


@jit
def sort_concepts(
    value: int, kind: Ints, many_distances: int, nearest_first: Longs, concepts: Ints
) -> tuple[Longs, Longs]:
    """Sort the concepts by side, then distance, the value last; where each kind begins and ends."""
    kind[value] = 3 * many_distances  # a kind of its own
    begin = np.zeros(3 * many_distances + 1, np.int64)
    for concept in range(kind.size):
        begin[kind[concept]] += 1
    end = 0
    for side in range(3):
        for distance in nearest_first:
            count = begin[3 * distance + side]
            begin[3 * distance + side] = end
            end += count
    begin[3 * many_distances] = end
    until = begin.copy()
    for concept in range(kind.size):
        concepts[until[kind[concept]]] = concept
        until[kind[concept]] += 1
    return begin, until


@jit
def copy_by_distance(nearest_first: Longs, first: Longs, until: Longs, concepts: Ints) -> Longs:
    """Append the concepts sorted by distance alone; where each distance begins.

    Those of kind ``i`` stand from ``first[i]`` up to ``until[i]``.
    """
    begin = np.empty(nearest_first.size + 1, np.int64)
    end = concepts.size // 2
    for i in range(nearest_first.size):
        begin[i] = end
        for kind in range(3 * nearest_first[i], 3 * nearest_first[i] + 3):
            for at in range(first[kind], until[kind]):
                concepts[end] = concepts[at]
                end += 1
    begin[nearest_first.size] = end
    return begin


@jit
def group_surroundings(
    value: int,
    mean: int,
    kind: Ints,
    distances: Ints,
    concepts: Ints,
    begin: Longs,
    apart: Ints,
    sides: Longs,
) -> int:
    """Group the concepts around a value, whose kinds are known; how many groups there are."""
    nearest_first = np.argsort(distances)
    first, until = sort_concepts(value, kind, distances.size, nearest_first, concepts)
    groups = 0
    begin[0] = 0
    for side in range(2):
        sides[side, 0] = groups
        for distance in nearest_first:
            at = 3 * distance + side
            if until[at] > first[at]:
                apart[groups] = distances[distance]
                groups += 1
                begin[groups] = until[at]
        sides[side, 1] = groups
        sides[side, 2] = value != mean and sides[side, 0] == groups
    if value != mean and sides[0, 2] + sides[1, 2] == 0:
        return groups
    start = copy_by_distance(nearest_first, first, until, concepts)
    groups += 1  # what begins there is only the end of the one before
    begin[groups] = start[0]
    from_here = groups
    for i in range(distances.size):
        if start[i + 1] > start[i]:
            apart[groups] = distances[nearest_first[i]]
            groups += 1
            begin[groups] = start[i + 1]
    for side in range(2):
        if value == mean or sides[side, 2] == 1:
            sides[side, 0], sides[side, 1] = from_here, groups
    return groups


@jit
def empty_table(concepts: int) -> Ints:
    """A table for the distances of a number of concepts."""
    size = 16
    while size < 2 * concepts:
        size *= 2
    return np.full(size, -1, np.int32)


@jit
def arrange_surroundings(
    value: int, mean: int, row: Floats, from_mean: Ints
) -> tuple[Ints, Longs, Ints, Longs]:
    """Arrange the concepts around a value: ``concepts``, ``begin``, ``apart``, ``sides``."""
    size = row.size
    kind = np.empty(size, np.int32)
    distances = np.empty(size, np.int32)
    slots = np.empty(size, np.int32)
    concepts = np.empty(2 * size, np.int32)
    begin = np.empty(2 * size + 2, np.int64)
    apart = np.empty(2 * size + 1, np.int32)
    sides = np.empty((2, 3), np.int64)
    many_distances = classify_concepts(
        value, row, from_mean, kind, distances, empty_table(size), slots
    )
    groups = group_surroundings(
        value, mean, kind, distances[:many_distances], concepts, begin, apart, sides
    )
    return (
        concepts[: begin[groups]].copy(),
        begin[: groups + 1].copy(),
        apart[:groups].copy(),
        sides,
    )


@jit
def reached_range(epsilon: float, begin: Longs, apart: Ints, sides: Longs) -> tuple[int, int]:
    """The concepts that a noise other than 0 leads to: the place of the first, and past the last.

    The nearest that are far enough, else the farthest. Where the side has none, those of all
    whose distance is nearest to the noise; one nearer and one farther group may be equally so.
    """
    side = 1 if epsilon > 0 else 0
    wanted = np.int64(np.rint(abs(epsilon) * FIXED_POINT_ONE))
    first, last = sides[side, 0], sides[side, 1]
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        if apart[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    if low == last:
        low = last - 1
    high = low + 1
    if sides[side, 2] == 1 and low > first and apart[low] > wanted:
        beyond, short = apart[low] - wanted, wanted - apart[low - 1]
        if short <= beyond:
            low -= 1
        if short < beyond:
            high -= 1
    return begin[low], begin[high]


@jit
def mask_value(
    epsilon: float,
    tie: float,
    value: int,
    concepts: Ints,
    begin: Longs,
    apart: Ints,
    sides: Longs,
) -> int:
    """Mask a value; ``tie``, from 0 up to 1, chooses among equals."""
    if epsilon == 0:
        return value
    first, last = reached_range(epsilon, begin, apart, sides)
    # Times a number just below 1, a large count may be rounded up to itself.
    return concepts[first + min(int(tie * (last - first)), last - first - 1)]


@jit
def mask_values(
    values: Ints,
    mean: int,
    rows: Floats,
    from_mean: Ints,
    start: Longs,
    epsilon: Floats,
    tie: Floats,
    out: Ints,
) -> None:
    """Mask each record; those of ``values[i]`` are ``start[i]`` up to ``start[i + 1]``.

    ``rows[i]`` are the distances from that value to every concept.
    """
    size = from_mean.size
    kind = np.empty(size, np.int32)
    distances = np.empty(size, np.int32)
    slots = np.empty(size, np.int32)
    table = empty_table(size)
    concepts = np.empty(2 * size, np.int32)
    begin = np.empty(2 * size + 2, np.int64)
    apart = np.empty(2 * size + 1, np.int32)
    sides = np.empty((2, 3), np.int64)
    for i in range(values.size):
        value = values[i]
        many_distances = classify_concepts(value, rows[i], from_mean, kind, distances, table, slots)
        group_surroundings(
            value, mean, kind, distances[:many_distances], concepts, begin, apart, sides
        )
        for record in range(start[i], start[i + 1]):
            out[record] = mask_value(
                epsilon[record], tie[record], value, concepts, begin, apart, sides
            )
