"""The loop behind recoding: fusion with nearest neighbours kept up to date.

Codes, counts and fixed-point distances only; ``codes[t, j]`` is the place of a tuple's value among
those of attribute ``j``. How values compare is a ``Space``, flat arrays that hold

- ``offset``: where the values of each attribute begin when all are laid end to end, and their end;
- ``start``: where what concerns an attribute begins in ``tables`` and ``orders``. Words have a line
  for every value, with its distances to all values, and with all values from the nearest to the
  farthest. Numbers have a single line, in which that order is written as far as it is needed;
- ``numbers``, and ``unit``: numbers are apart by their difference over ``unit[j, 0]``, times
  ``unit[j, 1]``. For words both are 0.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ontomask.compiled import compiled

__all__ = ["Space", "apart", "fuse"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

Space = tuple[Longs, Longs, Ints, Ints, Floats, Floats]


@compiled
def apart(x: float, y: float, span: float, scale: float) -> int:
    """The distance between two numbers."""
    return int(np.rint(np.abs(x - y) / span * scale))


@compiled
def _nearest(
    t: int,
    guess: int,
    space: Space,
    codes: Ints,
    counts: Longs,
    weighted: bool,
    least: int,
    first: Longs,
    length: Longs,
    holders: Longs,
) -> tuple[int, int, int]:
    """The live tuple nearest to ``t``: its distance, its records, its place.

    Among equals the one with the fewest records, then the first. ``guess`` is any other live
    tuple, ``least`` the fewest records a live one has. The live tuples with value ``v`` are
    ``holders[first[v] : first[v] + length[v]]``.

    Each attribute is read outwards, a run of equally far values at a time. A tuple not met yet is
    at least as far as the next runs of all attributes together; once that is too far, all is known.
    """
    offset, start, tables, orders, numbers, unit = space
    m = start.size
    line = start.copy()  # what is read of the tables and orders
    here = np.empty(m, np.float64)  # the tuple's own numbers
    low = np.empty(m, np.int64)  # the numbers read already: from low up to, but without, high
    high = np.empty(m, np.int64)
    at = np.zeros(m, np.int64)  # where the next run of each attribute begins and ends
    end = np.zeros(m, np.int64)
    ahead = np.zeros(m, np.int64)  # how far its values are, and those after it
    after = np.zeros(m, np.int64)
    cost = np.zeros(m, np.int64)  # how many tuples hold them
    distance = 0
    for j in range(m):
        low[j] = high[j] = codes[t, j]
        here[j] = numbers[offset[j] + codes[t, j]]
        if unit[j, 0] == 0:
            line[j] += codes[t, j] * (offset[j + 1] - offset[j])
            distance += tables[line[j] + codes[guess, j]]
        else:
            there = numbers[offset[j] + codes[guess, j]]
            distance += apart(here[j], there, unit[j, 0], unit[j, 1])
    if weighted:
        distance *= counts[guess]
    fewest: int = counts[guess]
    chosen = guess
    stale = -1  # the attribute whose next run is to be looked up; all at first
    while True:
        for j in range(m):
            if stale >= 0 and j != stale:
                continue
            size = offset[j + 1] - offset[j]
            cost[j] = 0
            while cost[j] == 0 and end[j] < size:
                at[j], ahead[j] = end[j], after[j]
                while end[j] < size:
                    if unit[j, 0] == 0:
                        v = np.int64(orders[line[j] + end[j]])
                        after[j] = tables[line[j] + v]
                    else:  # sorted numbers: the next is beside those that were read
                        v = low[j] - 1
                        if v < 0 or (
                            high[j] < size
                            and numbers[offset[j] + high[j]] - here[j]
                            < here[j] - numbers[offset[j] + v]
                        ):
                            v = high[j]
                        after[j] = apart(here[j], numbers[offset[j] + v], unit[j, 0], unit[j, 1])
                    if after[j] != ahead[j]:
                        break
                    cost[j] += length[offset[j] + v]
                    if unit[j, 0] > 0:
                        orders[line[j] + end[j]] = v
                        low[j], high[j] = min(low[j], v), max(high[j], v + 1)
                    end[j] += 1
            if cost[j] == 0:  # read to the end: every live tuple was met
                return distance, fewest, chosen
        missing = (distance // least if weighted else distance) + 1 - ahead.sum()
        if missing <= 0:
            return distance, fewest, chosen
        # Read where it leads farthest, as far as that is needed, for the tuples there are to read.
        stale = 0
        best = -1.0
        for j in range(m):
            gain = missing / cost[j]
            if end[j] < offset[j + 1] - offset[j]:
                gain = min(missing, after[j] - ahead[j]) / cost[j]
            if gain > best:
                best, stale = gain, j
        for place in range(at[stale], end[stale]):
            v = offset[stale] + orders[line[stale] + place]
            for where in range(first[v], first[v] + length[v]):
                other = holders[where]
                total = 0
                for j in range(m):
                    if unit[j, 0] == 0:
                        total += tables[line[j] + codes[other, j]]
                    else:
                        there = numbers[offset[j] + codes[other, j]]
                        total += apart(here[j], there, unit[j, 0], unit[j, 1])
                if weighted:
                    total *= counts[other]
                if total > distance or other == t:
                    continue
                if (
                    total < distance
                    or counts[other] < fewest
                    or (counts[other] == fewest and other < chosen)
                ):
                    distance, fewest, chosen = total, counts[other], other


@compiled
def _by_value(codes: Ints, offset: Longs) -> tuple[Longs, Longs, Longs, Longs]:
    """The tuples that hold each value, end to end: where they start, how many, which.

    And where each tuple stands there, attribute by attribute.
    """
    p, m = codes.shape
    first = np.zeros(offset[-1], np.int64)
    length = np.zeros(offset[-1], np.int64)
    holders = np.empty(m * p, np.int64)
    place = np.empty((m, p), np.int64)
    for j in range(m):
        for t in range(p):
            length[offset[j] + codes[t, j]] += 1
    for v in range(1, offset[-1]):
        first[v] = first[v - 1] + length[v - 1]
    length[:] = 0
    for j in range(m):
        for t in range(p):
            v = offset[j] + codes[t, j]
            place[j, t] = first[v] + length[v]
            holders[place[j, t]] = t
            length[v] += 1
    return first, length, holders, place


@compiled
def _end_of(t: int, into: Longs) -> int:
    """The live tuple that a tuple has become part of."""
    while into[t] >= 0:
        t = into[t]
    return t


@compiled
def fuse(
    k: int,
    codes: Ints,
    counts: Longs,
    space: Space,
    weighted: bool,
    third: bool,
    random: np.random.Generator,
) -> tuple[Longs, Longs]:
    """Which tuple takes the values of which, in the order of the fusions; ``counts`` change.

    How near a tuple's nearest is, and how few records that has, never falls while the tuple itself
    has ``c`` records: others only leave or grow, and what grows has more than ``c``. So what was
    once found stays a lower bound. Those with the least bound are drawn at random; one whose bound
    has risen meanwhile goes back, and the first that has not is a fair draw from those that are
    nearest indeed.
    """
    p, m = codes.shape
    offset = space[0]
    first, length, holders, place = _by_value(codes, offset)
    source = np.empty(p, np.int64)
    target = np.empty(p, np.int64)
    done = 0
    into = np.full(p, -1, np.int64)  # what a tuple was fused with
    known = np.arange(p) - 1  # what was nearest when last looked; its neighbour in sorted order
    known[0] = 0
    live = np.arange(p)
    drawn = np.empty(p, np.int64)
    some = 0  # a live tuple, to begin with where nothing better is known

    while True:
        live = live[counts[live] > 0]
        c = counts[live].min()
        if c >= k:
            return source[:done], target[:done]
        heap = [(-1, -1, t) for t in live[counts[live] == c]]  # in order, so a heap
        while len(heap) > 0 and done < p - 1:
            bound = (heap[0][0], heap[0][1])
            many = 0
            while len(heap) > 0 and (heap[0][0], heap[0][1]) == bound:
                drawn[many] = heapq.heappop(heap)[2]
                many += 1
            while many > 0 and done < p - 1:
                at = int(random.random() * many) if bound[0] >= 0 else many - 1
                t = drawn[at]
                many -= 1
                drawn[at] = drawn[many]
                if counts[t] != c:
                    continue  # it has grown meanwhile
                guess = _end_of(known[t], into)
                if guess == t:
                    while into[some] >= 0 or some == t:
                        some = (some + 1) % p
                    guess = some
                distance, fewest, nearest = _nearest(
                    t, guess, space, codes, counts, weighted, c, first, length, holders
                )
                known[t] = nearest
                key = (distance, fewest if third else 0)
                if key != bound:
                    heapq.heappush(heap, (key[0], key[1], t))
                    continue
                source[done] = t
                target[done] = nearest
                done += 1
                into[t] = nearest
                counts[nearest] += c
                counts[t] = 0
                for j in range(m):
                    v = offset[j] + codes[t, j]
                    length[v] -= 1
                    last = holders[first[v] + length[v]]
                    holders[place[j, t]] = last
                    place[j, last] = place[j, t]
