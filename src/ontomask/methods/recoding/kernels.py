"""The loop behind recoding: fusion with nearest neighbours kept up to date."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.neighbours.comparison import ValueSpace
from ontomask.methods.neighbours.kernels import (
    ReadingState,
    TupleIndex,
    allocate_reading,
    build_index,
    distance,
    gather_nearest,
    remove_from_index,
    set_reference,
)

__all__ = ["fuse"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@jit
def _find_nearest(
    t: int,
    guess: int,
    weighted: bool,
    least: int,
    codes: Ints,
    counts: Longs,
    space: ValueSpace,
    index: TupleIndex,
    read: ReadingState,
) -> tuple[int, int, int]:
    """The live tuple nearest to ``t``: its distance, its records, its place.

    Among equals the one with the fewest records, then the first. ``guess`` is any other live
    tuple, ``least`` the fewest records a live one has.
    """
    set_reference(t, codes, space, read)
    limit = distance(guess, codes, space, read)
    if weighted:
        limit *= counts[guess]
    many, nearest = gather_nearest(
        1, limit, counts, weighted, least, t, -1, 0, codes, space, index, read
    )
    candidates = read[11]
    chosen = candidates[0]
    for i in range(1, many):
        other = candidates[i]
        if counts[other] < counts[chosen] or (counts[other] == counts[chosen] and other < chosen):
            chosen = other
    return nearest, counts[chosen], chosen


@jit
def _find_live(t: int, into: Longs) -> int:
    """Find the live tuple that a tuple has become part of."""
    while into[t] >= 0:
        t = into[t]
    return t


@jit
def fuse(
    k: int,
    codes: Ints,
    counts: Longs,
    space: ValueSpace,
    weighted: bool,
    third: bool,
    random: np.random.Generator,
) -> tuple[Longs, Longs]:
    """Fuse tuples: which takes the values of which, in order; ``counts`` change.

    How near a tuple's nearest is, and how few records that has, never falls while the tuple itself
    has ``c`` records: others only leave or grow, and what grows has more than ``c``. So what was
    once found stays a lower bound. Those with the least bound are drawn at random; one whose bound
    has risen meanwhile goes back, and the first that has not is a fair draw from those that are
    nearest indeed.
    """
    p = codes.shape[0]
    offset = space[0]
    index = build_index(codes, offset, counts)
    read = allocate_reading(space, p, 1)
    source = np.empty(p, np.int64)
    target = np.empty(p, np.int64)
    fusions = 0
    into = np.full(p, -1, np.int64)  # what a tuple was fused with
    known = np.arange(p) - 1  # what was nearest when last looked; its neighbour in sorted order
    known[0] = 0
    live = np.arange(p)
    drawn = np.empty(p, np.int64)
    any_live = 0  # a live tuple, to begin with where nothing better is known

    while True:
        live = live[counts[live] > 0]
        c = counts[live].min()
        if c >= k:
            return source[:fusions], target[:fusions]
        heap = [(-1, -1, t) for t in live[counts[live] == c]]  # in order, so a heap
        while len(heap) > 0 and fusions < p - 1:
            bound = (heap[0][0], heap[0][1])
            many = 0
            while len(heap) > 0 and (heap[0][0], heap[0][1]) == bound:
                drawn[many] = heapq.heappop(heap)[2]
                many += 1
            while many > 0 and fusions < p - 1:
                at = int(random.random() * many) if bound[0] >= 0 else many - 1
                t = drawn[at]
                many -= 1
                drawn[at] = drawn[many]
                if counts[t] != c:
                    continue  # it has grown meanwhile
                guess = _find_live(known[t], into)
                if guess == t:
                    while into[any_live] >= 0 or any_live == t:
                        any_live = (any_live + 1) % p
                    guess = any_live
                near, fewest, other = _find_nearest(
                    t, guess, weighted, c, codes, counts, space, index, read
                )
                known[t] = other
                key = (near, fewest if third else 0)
                if key != bound:
                    heapq.heappush(heap, (key[0], key[1], t))
                    continue
                source[fusions] = t
                target[fusions] = other
                fusions += 1
                into[t] = other
                counts[other] += c
                counts[t] = 0
                remove_from_index(t, codes, offset, index)
