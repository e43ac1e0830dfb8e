"""Short lists of near tuples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging.space_kernels import tuple_distance

__all__ = ["compare_all", "compare_listed", "compare_next", "compare_second"]

Floats32 = NDArray[np.float32]
Ints = NDArray[np.int32]
Index = Any  # of numpy's kinds or of Python's
Number = Any  # of numpy's kinds or of Python's


@jit
def _insert_neighbour(near: Ints, far: Floats32, t: Index, other: Index, distance: Number) -> None:
    """Put a tuple into the list of another, nearest first, the first of equals first."""
    place = near.shape[1] - 1
    while place > 0 and far[t, place - 1] > distance:
        far[t, place] = far[t, place - 1]
        near[t, place] = near[t, place - 1]
        place -= 1
    far[t, place] = distance
    near[t, place] = other


@jit
def _are_listed(near: Ints, t: Index, other: Index) -> bool:
    """Whether one of two tuples is in the list of the other.

    Then they were compared before, and the other list has, or had, nearer ones.
    """
    listed = False
    for place in range(near.shape[1]):
        listed |= (near[t, place] == other) | (near[other, place] == t)
    return listed


@jit
def _compare_two(space: Any, t: Index, other: Index, near: Ints, far: Floats32) -> None:
    """Put two tuples into the lists of each other, if they are near enough."""
    if other == t or _are_listed(near, t, other):
        return
    last = near.shape[1] - 1
    distance = np.float32(tuple_distance(space, t, space.target[other]))
    if distance < far[t, last]:
        _insert_neighbour(near, far, t, other, distance)
    if distance < far[other, last]:
        _insert_neighbour(near, far, other, t, distance)


@jit
def compare_next(space: Any, order: Ints, window: Index, near: Ints, far: Floats32) -> None:
    """Compare each tuple with the next ones of an order."""
    for at in range(order.size):
        for beside in range(at + 1, min(order.size, at + window + 1)):
            # A tuple may stand in an order several times.
            _compare_two(space, np.int64(order[at]), np.int64(order[beside]), near, far)


@jit
def compare_all(space: Any, near: Ints, far: Floats32) -> None:
    """Compare each tuple with every other; for tables that are small."""
    for t in range(near.shape[0]):
        for other in range(t):
            _compare_two(space, t, other, near, far)


@jit
def compare_second(space: Any, first: Index, near: Ints, far: Floats32) -> None:
    """Compare each tuple with the first neighbours of its first neighbours."""
    before = near[:, :first].copy()
    for t in range(near.shape[0]):
        for place in range(first):
            if before[t, place] < 0:
                break
            for beside in range(first):
                other = np.int64(before[before[t, place], beside])
                if other < 0:
                    break
                _compare_two(space, t, other, near, far)


@jit
def compare_listed(space: Any, listed: Ints, near: Ints, far: Floats32) -> None:
    """Compare each tuple with those that are listed for it; -1 stands for none."""
    last = near.shape[1] - 1
    for t in range(near.shape[0]):
        for place in range(listed.shape[1]):
            other = np.int64(listed[t, place])
            if other < 0:
                continue
            distance = np.float32(tuple_distance(space, t, space.target[other]))
            if distance < far[t, last]:
                _insert_neighbour(near, far, t, other, distance)
