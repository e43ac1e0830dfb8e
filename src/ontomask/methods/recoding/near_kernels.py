"""The loop behind recoding of many tuples: fusion with the nearest of those close by in some order.

The *windows* of a tuple are the live tuples next to it, a number on either side, in each of several
orders. ``rows[r, place[t, r]]`` is tuple ``t`` in order ``r``. Where tuples have left, the first
and the last of a run of empty places say how long it is, as a negative number. ``rank`` is where
tuples stand in sorted order.

Every function works through a whole list: a call takes longer than a distance.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.neighbours.comparison import ValueSpace
from ontomask.methods.neighbours.kernels import FAR, number_distance

__all__ = ["fuse_near"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: The nearest tuple of each as it was found: how far, with how many records, which.
NearestTuples = tuple[Longs, Longs, Longs]


@jit
def _fill_windows(t: int, rows: Ints, place: Ints, sides: Longs) -> None:
    """Fill in the windows of a tuple, before it and after it; -1 where an order ends.

    Before it the next one stands first, after it the next one stands last: so those at the same
    place of both are the pairs that come into each other's windows when the tuple leaves.
    """
    size = rows.shape[1]
    window = sides.shape[1] // rows.shape[0]
    sides[:] = -1
    for r in range(rows.shape[0]):
        for side in range(2):
            step = 2 * side - 1
            at = place[t, r] + step
            many = 0
            while many < window and 0 <= at < size:
                other = rows[r, at]
                if other < 0:
                    at -= step * other
                    continue
                sides[side, r * window + (window - 1 - many if side else many)] = other
                many += 1
                at += step


@jit
def _remove_tuple(t: int, rows: Ints, place: Ints) -> None:
    """Take a tuple out of all orders, and join its places with the empty ones beside them."""
    for r in range(rows.shape[0]):
        first = last = np.int64(place[t, r])
        if first > 0:
            first += min(rows[r, first - 1], 0)
        if last + 1 < rows.shape[1]:
            last -= min(rows[r, last + 1], 0)
        rows[r, place[t, r]] = -1
        rows[r, first] = rows[r, last] = first - last - 1


@jit
def _measure_pairs(ones: Longs, others: Longs, codes: Ints, space: ValueSpace, far: Longs) -> None:
    """Measure the distances of pairs of tuples; ``FAR`` where one of them is -1."""
    offset, start, tables, _, numbers, unit = space
    for i in range(ones.size):
        t, other = ones[i], others[i]
        far[i] = FAR
        if t < 0 or other < 0:
            continue
        total = 0
        for j in range(start.size):
            if unit[j, 0] == 0:
                line = start[j] + codes[t, j] * (offset[j + 1] - offset[j])
                total += tables[line + codes[other, j]]
            else:
                x, y = numbers[offset[j] + codes[t, j]], numbers[offset[j] + codes[other, j]]
                total += number_distance(x, y, unit[j, 0], unit[j, 1])
        far[i] = total


@jit
def _find_nearest(
    t: int,
    weighted: bool,
    codes: Ints,
    rank: Longs,
    counts: Longs,
    space: ValueSpace,
    rows: Ints,
    place: Ints,
    sides: Longs,
    nearest: NearestTuples,
) -> None:
    """Find the nearest tuple in the windows of ``t``.

    Among equals the one with the fewest records, then the first in sorted order.
    """
    near, had, known = nearest
    own = np.full(sides.shape[1], t)
    far = np.empty(sides.shape[1], np.int64)
    _fill_windows(t, rows, place, sides)
    least, chosen = FAR, -1
    for side in range(2):
        _measure_pairs(own, sides[side], codes, space, far)
        for i in range(far.size):
            other = sides[side, i]
            if far[i] > least or other < 0:
                continue
            d = far[i] * counts[other] if weighted else far[i]
            if d < least or (
                d == least and (counts[other], rank[other]) < (counts[chosen], rank[chosen])
            ):
                least, chosen = d, other
    near[t], had[t], known[t] = least, counts[chosen], chosen


@jit
def fuse_near(
    k: int,
    window: int,
    codes: Ints,
    rank: Longs,
    counts: Longs,
    space: ValueSpace,
    rows: Ints,
    place: Ints,
    weighted: bool,
    third: bool,
    random: np.random.Generator,
) -> tuple[Longs, Longs]:
    """Which tuple takes the values of which, in the order of the fusions.

    ``counts`` and ``rows`` change.

    What stands in a window stays there until it is fused: windows are of live tuples, which only
    come closer. So what was once found stays a lower bound while its tuple has ``c`` records, as
    it does among all tuples (:func:`ontomask.methods.recoding.kernels.fuse`), but for those that
    enter. When a tuple leaves an order, one enters the window of each of its neighbours there;
    these pairs are compared at once, and the bound falls where one is nearer. The least bound is
    then that of the tuple which is nearest indeed, if what it found is still there and has not
    grown; otherwise it looks again, and waits with what it finds.

    Of equals the one with the lowest lot goes first; a lot is drawn with every bound. One that
    joins those whose turn it is draws from the lots that are left, as if it had been among them.
    """
    p = codes.shape[0]
    source = np.empty(p, np.int64)
    target = np.empty(p, np.int64)
    fusions = 0
    near = np.empty(p, np.int64)
    had = np.empty(p, np.int64)
    known = np.empty(p, np.int64)
    nearest = (near, had, known)
    lot = np.empty(p, np.float64)
    sides = np.empty((2, rows.shape[0] * window), np.int64)
    far = np.empty(sides.shape[1], np.int64)
    live = np.arange(p)

    while True:
        live = live[counts[live] > 0]
        c = counts[live].min()
        if c >= k or live.size == 1:
            return source[:fusions], target[:fusions]
        heap = [(0, 0, 0.0, 0) for _ in range(0)]
        for t in live[counts[live] == c]:
            _find_nearest(t, weighted, codes, rank, counts, space, rows, place, sides, nearest)
            lot[t] = random.random()
            heap.append((near[t], had[t] if third else 0, lot[t], t))
        heapq.heapify(heap)
        while len(heap) > 0:
            bound, fewest, drawn, t = heapq.heappop(heap)
            if counts[t] != c or lot[t] != drawn:
                continue  # it has grown meanwhile, or waits with another lot
            if counts[known[t]] != had[t]:
                _find_nearest(t, weighted, codes, rank, counts, space, rows, place, sides, nearest)
                if near[t] != bound or (third and had[t] != fewest):
                    lot[t] = random.random()
                    heapq.heappush(heap, (near[t], had[t] if third else 0, lot[t], t))
                    continue
            source[fusions] = t
            target[fusions] = known[t]
            fusions += 1
            counts[known[t]] += c
            counts[t] = 0
            _fill_windows(t, rows, place, sides)
            _remove_tuple(t, rows, place)
            _measure_pairs(sides[0], sides[1], codes, space, far)
            for i in range(2 * far.size):
                a, b, d = sides[i % 2, i // 2], sides[1 - i % 2, i // 2], far[i // 2]
                if d == FAR or counts[a] != c:
                    continue
                if weighted:
                    d *= counts[b]
                if (d, counts[b], rank[b]) >= (near[a], had[a], rank[known[a]]):
                    continue
                lower = d < near[a] or (third and counts[b] < had[a])
                near[a], had[a], known[a] = d, counts[b], b
                if lower:
                    few = had[a] if third else 0
                    lot[a] = random.random()
                    if d == bound and few == fewest:
                        lot[a] = drawn + (1 - drawn) * lot[a]
                    heapq.heappush(heap, (d, few, lot[a], a))
