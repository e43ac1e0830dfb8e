"""MDAV: groups around the records that lie farthest out (SF algorithm 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.operators import Operators, Remaining

__all__ = ["mdav"]

Longs = NDArray[np.int64]


def mdav(operators: Operators, k: int) -> Longs:
    """The group of each tuple; every group holds at least ``k`` records.

    While at least k records are left: c is the centroid of what is left, r the tuple farthest from
    c, s the farthest from r; a group grows around r, then, unless s is in it or fewer than k are
    left, around s. What is left at the end joins, each tuple by itself, the group whose centroid
    is nearest.
    """
    from ontomask.methods import kernels

    tuples = operators.tuples
    targets = tuples.targets()
    group = np.full(len(tuples), -1, dtype=np.int64)
    remaining = Remaining(operators)
    live = _Live(operators)
    groups = 0

    def around(middle: int) -> tuple[Longs, int]:
        """The tuples nearest to one, and the one farthest from it."""
        row = operators.row(targets[middle])
        near, far = kernels.nearest(row, *live.arrays, live.place[middle], k - 1)
        return live.tuples[near], int(live.tuples[far])

    def grow(middle: int, near: Longs) -> None:
        nonlocal groups
        records = np.cumsum(np.concatenate(([0], tuples.counts[near]))) + tuples.counts[middle]
        members = np.concatenate(([middle], near[: int(np.searchsorted(records, k))]))
        group[members] = groups
        groups += 1
        remaining.remove(members)
        live.remove(members)

    while remaining.records >= k:
        row = operators.row(remaining.centroid())
        out = kernels.farthest(row, *live.arrays)
        r = int(live.tuples[out])
        near, s = around(r)
        grow(r, near)
        if group[s] < 0 and remaining.records >= k:
            grow(s, around(s)[0])
    _join(operators, group, groups)
    return group


class _Live:
    """The tuples still in play, packed together again when many have gone."""

    def __init__(self, operators: Operators) -> None:
        self.tuples = np.arange(len(operators.tuples))
        self.place = np.arange(len(self.tuples))
        self._offset = operators.offset
        small = max(a.size for a in operators.tuples.attributes) <= np.iinfo(np.uint16).max
        self._codes = operators.tuples.codes.astype(np.uint16 if small else np.uint32)
        self._weight = operators.weights.copy()
        self._gone = np.zeros_like(self._weight)
        self._missing = 0

    @property
    def arrays(self) -> tuple[Longs, NDArray[Any], Longs, Longs]:
        """What the loops take."""
        return self._offset, self._codes, self._weight, self._gone

    def remove(self, members: Longs) -> None:
        self._weight[self.place[members]] = 0
        self._gone[self.place[members]] = 2**61
        self._missing += len(members)
        if self._missing > 64 and self._missing > len(self.tuples) // 8:
            kept = np.flatnonzero(self._weight)
            self.tuples, self._weight = self.tuples[kept], self._weight[kept]
            self._gone = np.zeros_like(self._weight)
            self._codes = np.ascontiguousarray(self._codes[:, kept])
            self.place[self.tuples] = np.arange(len(kept))
            self._missing = 0


def _join(operators: Operators, group: Longs, groups: int) -> None:
    """Give the tuples without a group to the nearest one, by the centroids as they stand."""
    left = np.flatnonzero(group < 0)
    if not left.size:
        return
    inside = np.flatnonzero(group >= 0)
    members = inside[np.argsort(group[inside], kind="stable")]
    start = np.searchsorted(group[members], np.arange(groups + 1))
    centroids = operators.centroids(start, members)
    for t in left.tolist():
        group[t] = int(np.argmin(operators.between(centroids, t)))
