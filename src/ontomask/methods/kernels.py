"""The loops behind the masking methods. Codes, counts and fixed-point distances only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["find_farthest", "group_centroids", "subtract_values", "find_least_sum", "find_nearest"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Codes = NDArray[np.uint32]  # unsigned: no place counts from the end


#: Tuples looked at in one go: their distances fit in the processor's nearest memory.
BLOCK = 1024


@jit
def add_distances(row: Ints, offset: Longs, codes: Codes, first: int, last: int, out: Ints) -> None:
    """Sum the distances from a reference to some tuples over the attributes.

    ``row`` holds the distances from the reference to every value, attribute after attribute.
    """
    size = last - first
    part = row[offset[0] :]
    column = codes[0, first:last]
    for i in range(size):
        out[i] = part[column[i]]
    for j in range(1, offset.size):
        part = row[offset[j] :]
        column = codes[j, first:last]
        for i in range(size):
            out[i] += part[column[i]]


@jit
def weigh_distances(
    distances: Ints, weight: Longs, gone: Longs, out: Longs
) -> tuple[np.int64, np.int64]:
    """Weighted distances, their greatest, and the least of those that are not gone.

    A tuple that is gone has the weight 0, and in ``gone`` more than any distance.
    """
    greatest, smallest = np.int64(-1), np.int64(2**62)
    for i in range(weight.size):
        out[i] = np.int64(distances[i]) * weight[i]
        greatest = max(greatest, out[i])
        smallest = min(smallest, out[i] + gone[i])
    return greatest, smallest


@jit
def find_farthest(row: Ints, offset: Longs, codes: Codes, weight: Longs, gone: Longs) -> int:
    """The first tuple of greatest weighted distance."""
    best, chosen = np.int64(-1), -1
    distances, weighted = np.empty(BLOCK, row.dtype), np.empty(BLOCK, np.int64)
    for first in range(0, weight.size, BLOCK):
        last = min(first + BLOCK, weight.size)
        add_distances(row, offset, codes, first, last, distances)
        greatest, _ = weigh_distances(distances, weight[first:last], gone[first:last], weighted)
        if greatest > best:
            at = _find_weighted(weighted, weight[first:last], greatest)
            if at >= 0:
                best, chosen = greatest, first + at
    return chosen


@jit
def _find_weighted(weighted: Longs, weight: Longs, wanted: np.int64) -> int:
    for i in range(weight.size):
        if weighted[i] == wanted and weight[i] > 0:
            return i
    return -1


@jit
def find_nearest(
    row: Ints, offset: Longs, codes: Codes, weight: Longs, gone: Longs, skip: int, most: int
) -> tuple[Longs, int]:
    """The tuples of least weighted distance, the first of equals, and the farthest as well.

    At most ``most`` of them, in order; ``skip`` is not one. The farthest may be ``skip`` itself.
    """
    near, chosen = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    listed = 0
    cut = np.int64(2**62) if most > 0 else np.int64(-1)
    best, far = np.int64(-1), -1
    distances, weighted = np.empty(BLOCK, row.dtype), np.empty(BLOCK, np.int64)
    for first in range(0, weight.size, BLOCK):
        last = min(first + BLOCK, weight.size)
        add_distances(row, offset, codes, first, last, distances)
        greatest, smallest = weigh_distances(
            distances, weight[first:last], gone[first:last], weighted
        )
        if greatest > best:
            at = _find_weighted(weighted, weight[first:last], greatest)
            if at >= 0:
                best, far = greatest, first + at
        if smallest >= cut:
            continue
        for i in range(last - first):
            if weighted[i] >= cut or weight[first + i] == 0 or first + i == skip:
                continue
            place = min(listed, most)
            while place > 0 and near[place - 1] > weighted[i]:
                near[place] = near[place - 1]
                chosen[place] = chosen[place - 1]
                place -= 1
            near[place] = weighted[i]
            chosen[place] = first + i
            listed = min(listed + 1, most)
            if listed == most:
                cut = near[most - 1]
    return chosen[:listed], far


@jit
def subtract_values(
    values: Ints,
    counts: Longs,
    table: Ints,
    above_start: Longs,
    above: Ints,
    sums: Longs,
    below: Longs,
) -> None:
    """Subtract values with counts from the summed distances and the records below candidates."""
    for i in range(values.size):
        value, count = values[i], counts[i]
        row = table[value]
        for candidate in range(sums.size):
            sums[candidate] -= count * row[candidate]
        for place in range(above_start[value], above_start[value + 1]):
            below[above[place]] -= count


@jit
def find_least_sum(sums: Longs, below: Longs) -> int:
    """The candidate with the least sum among those with records below; the first of equals."""
    chosen = -1
    for candidate in range(sums.size):
        if below[candidate] > 0 and (chosen < 0 or sums[candidate] < sums[chosen]):
            chosen = candidate
    return chosen


@jit
def group_centroids(
    start: Longs,
    members: Longs,
    codes: Ints,
    counts: Longs,
    above_start: Longs,
    above: Ints,
    table: Ints,
    out: Longs,
) -> None:
    """For each group the candidate with the least summed distance; the first of equals.

    Candidates are what is at or above the values of the group's own members. ``table`` holds the
    distances from each value (row) to each candidate (column).
    """
    seen_by = np.full(table.shape[1], -1, np.int64)
    near = np.empty(table.shape[1], np.int64)
    for group in range(start.size - 1):
        many_candidates = 0
        for at in range(start[group], start[group + 1]):
            value = codes[members[at]]
            for place in range(above_start[value], above_start[value + 1]):
                candidate = above[place]
                if seen_by[candidate] != group:
                    seen_by[candidate] = group
                    near[many_candidates] = candidate
                    many_candidates += 1
        best, chosen = np.int64(-1), np.int64(-1)
        for i in range(many_candidates):
            candidate = near[i]
            total = np.int64(0)
            for at in range(start[group], start[group + 1]):
                t = members[at]
                total += counts[t] * table[codes[t], candidate]
            if chosen < 0 or total < best or (total == best and candidate < chosen):
                best, chosen = total, candidate
        out[group] = chosen
