"""MDAV of tuples with sets (SF algorithm 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging import groups_kernels
from ontomask.methods.microaggregation.merging.merge_kernels import move_tuple, refresh_group
from ontomask.methods.microaggregation.merging.space_kernels import keep_centre, tuple_distance
from ontomask.microdata.sets.kernels import closure_distance

__all__ = ["form_mdav_groups"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's


@jit
def form_mdav_groups(space: Any, work: Any, groups: Any, k: Index) -> None:
    """Form groups of k records around the tuples that lie farthest out.

    As in the paper, distances are multiplied with the records of a tuple.
    """
    left = np.arange(groups.of.size)
    many, records = left.size, space.weight.sum()
    held = np.zeros(space.marks.size, np.int64)  # records of what is left that hold each concept
    _count_concepts(space, left, many, held, 1)
    distance = np.empty(left.size)
    middles = np.empty(left.size, np.int64)
    formed = 0
    while records >= k:
        row = left[0]  # its group holds the centroid of all that is left for a moment
        _centre_left(space, work, left, many, held, records)
        keep_centre(space, work, groups, row)
        _measure_left(space, work, left, many, groups.centre[row], distance)
        first = left[np.argmax(distance[:many])]
        for j in range(groups.centre.shape[1]):
            groups.centre[row, j] = space.target[row, j]
        middle = first
        for turn in range(2):
            if groups.many[middle] > 1 or groups.of[middle] != middle or records < k:
                break
            _measure_left(space, work, left, many, space.target[middle], distance)
            second = left[np.argmax(distance[:many])]
            taken = _take_nearest(space, groups, left, many, middle, k, distance)
            refresh_group(space, work, groups, middle)
            middles[formed] = middle
            formed += 1
            records -= groups.records[middle]
            _count_concepts(space, taken, taken.size, held, -1)
            kept = 0
            for i in range(many):
                if groups.of[left[i]] == left[i] and left[i] != middle:
                    left[kept] = left[i]
                    kept += 1
            many = kept
            if turn == 0 and groups.of[second] != middle:
                middle = second
            else:
                break
    for i in range(many):
        chosen, least = middles[0], np.inf
        for g in range(formed):
            apart = tuple_distance(space, left[i], groups.centre[middles[g]])
            if apart < least:
                chosen, least = middles[g], apart
        move_tuple(space, groups, left[i], chosen)
    for g in range(formed):
        refresh_group(space, work, groups, middles[g])


@jit
def _count_concepts(space: Any, tuples: Longs, many: Index, held: Longs, sign: Index) -> None:
    """Count, or no longer count, the records that hold each concept."""
    for i in range(many):
        t = tuples[i]
        for s in range(space.scale.size):
            for at in range(space.start[s, t], space.stop[s, t]):
                held[space.concepts[at]] += sign * space.weight[t]


@jit
def _centre_left(
    space: Any, work: Any, left: Longs, many: Index, held: Longs, records: Index
) -> None:
    """Leave the majority of what is left in ``work``."""
    work.single[0] = -1
    if space.many_others:
        groups_kernels.group_cost(space.others, work.others, left, many)
    begin = 0
    for s in range(space.scale.size):
        size, end = 0, space.missing[s]  # the last concept of a column
        if 2 * held[end] > records:
            work.found[s, 0], size = end, 1
        else:
            for concept in range(begin, end):
                if 2 * held[concept] >= records:
                    work.found[s, size] = concept
                    size += 1
        work.found_size[s] = size
        begin = end + 1


@jit
def _measure_left(
    space: Any, work: Any, left: Longs, many: Index, centre: Floats, out: Floats
) -> None:
    """The weighted distances of what is left to a centroid."""
    for i in range(many):
        out[i] = 0.0
    for s in range(space.scale.size):
        first, size = np.int64(centre[2 * s]), np.int64(centre[2 * s + 1])
        for at in range(first, first + size):
            work.records[space.concepts[at]] = 1
        for i in range(many):
            t = left[i]
            shared = np.int64(0)
            for at in range(space.start[s, t], space.stop[s, t]):
                shared += work.records[space.concepts[at]]
            union = space.stop[s, t] - space.start[s, t] + size - shared
            out[i] += space.scale[s] * closure_distance(shared, union)
        for at in range(first, first + size):
            work.records[space.concepts[at]] = 0
    for i in range(many):
        if space.many_others:
            out[i] += groups_kernels.tuple_distance(
                space.others, left[i], centre[2 * space.scale.size :]
            )
        out[i] *= space.weight[left[i]]


@jit
def _take_nearest(
    space: Any, groups: Any, left: Longs, many: Index, middle: Index, k: Index, distance: Floats
) -> Longs:
    """Move the nearest tuples to the group of the middle, until it has k records; which ones."""
    taken = np.empty(k, np.int64)
    taken[0] = middle
    size = 1
    near, far, listed = np.empty(k, np.int64), np.empty(k), 0
    for i in range(many):
        if left[i] == middle or (listed == k - 1 and distance[i] >= far[listed - 1]):
            continue
        place = min(listed, k - 2)
        while place > 0 and far[place - 1] > distance[i]:
            near[place], far[place] = near[place - 1], far[place - 1]
            place -= 1
        near[place], far[place] = left[i], distance[i]
        listed = min(listed + 1, k - 1)
    for q in range(listed):
        if groups.records[middle] >= k:
            break
        move_tuple(space, groups, near[q], middle)
        taken[size] = near[q]
        size += 1
    return taken[:size]
