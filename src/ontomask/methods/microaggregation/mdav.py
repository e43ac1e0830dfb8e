"""MDAV: groups around the records that lie farthest out (SF algorithm 3)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.operators import Operators, RemainingTuples
from ontomask.microdata.attributes import FIXED_POINT_ONE, NumericalAttribute

__all__ = ["mdav"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


def mdav(operators: Operators, k: int) -> Longs:
    """The group of each tuple; every group holds at least ``k`` records.

    While at least k records are left: c is the centroid of what is left, r the tuple farthest from
    c, s the farthest from r; a group grows around r, then, unless s is in it or fewer than k are
    left, around s. What is left at the end joins, each tuple by itself, the group whose centroid
    is nearest.
    """
    tuples = operators.tuples
    targets = tuples.targets()
    group = np.full(len(tuples), -1, dtype=np.int64)
    numbers = _numerical_attributes(operators)
    remaining = _RemainingNumbers(operators, numbers) if numbers else RemainingTuples(operators)
    live: _LiveTuples = (
        _LiveNumberTuples(operators, numbers) if numbers else _LiveValueTuples(operators)
    )
    groups = 0

    def grow(middle: int, near: Longs) -> None:
        nonlocal groups
        records = np.cumsum(np.concatenate(([0], tuples.counts[near]))) + tuples.counts[middle]
        members = np.concatenate(([middle], near[: int(np.searchsorted(records, k))]))
        group[members] = groups
        groups += 1
        remaining.remove(members)
        live.remove(members)

    while remaining.records >= k:
        _, r = live.around(remaining.centroid())
        near, s = live.around(targets[r], r, k - 1)
        grow(r, near)
        if group[s] < 0 and remaining.records >= k:
            grow(s, live.around(targets[s], s, k - 1)[0])
    _join_nearest_groups(operators, group, groups)
    return group


def _numerical_attributes(operators: Operators) -> list[NumericalAttribute]:
    """The attributes of a table if all are numerical, else an empty list.

    Nor of numbers that are so large, or so close, that sums or distances of them are not finite.
    """
    tuples = operators.tuples
    numbers = [a for a in tuples.attributes if isinstance(a, NumericalAttribute)]
    most = [float(np.abs(a.numbers).max()) * 2 * tuples.records for a in numbers]
    scale = [factor * operators.scale for factor in operators.factors]
    alone = len(numbers) == len(tuples.attributes)
    return numbers if alone and np.isfinite([*most, *scale]).all() else []


class _LiveTuples(ABC):
    """The tuples that are in no group yet, packed together when many have left."""

    def __init__(self, operators: Operators) -> None:
        self._tuples = np.arange(len(operators.tuples))
        self._place = np.arange(len(self._tuples))
        self._is_live = np.ones(len(self._tuples), dtype=np.bool_)
        self._missing = 0

    @abstractmethod
    def around(self, target: Floats, middle: int = -1, most: int = 0) -> tuple[Longs, int]:
        """The tuples nearest to a target, ``middle`` not among them, and the farthest from it."""

    def remove(self, members: Longs) -> None:
        """Take tuples out."""
        places = self._place[members]
        self._is_live[places] = False
        self._hide_places(places)
        self._missing += len(members)
        if self._missing > 64 and self._missing > len(self._tuples) // 8:
            kept = np.flatnonzero(self._is_live)
            self._tuples, self._is_live = self._tuples[kept], self._is_live[kept]
            self._place[self._tuples] = np.arange(len(kept))
            self._missing = 0
            self._keep_places(kept)

    @abstractmethod
    def _hide_places(self, places: Longs) -> None:
        """Make the loops skip these places."""

    @abstractmethod
    def _keep_places(self, kept: Longs) -> None:
        """Keep only these places."""


class _LiveValueTuples(_LiveTuples):
    """Tuples of any values, compared by looking up the distance of each value."""

    def __init__(self, operators: Operators) -> None:
        super().__init__(operators)
        self._operators = operators
        small = max(a.size for a in operators.tuples.attributes) <= np.iinfo(np.uint16).max
        self._codes: NDArray[Any] = operators.tuples.codes.astype(np.uint16 if small else np.uint32)
        self._weight = operators.weights.copy()
        self._gone = np.zeros_like(self._weight)

    def around(self, target: Floats, middle: int = -1, most: int = 0) -> tuple[Longs, int]:
        from ontomask.methods import kernels

        row = self._operators.row(target)
        arrays = self._operators.offset, self._codes, self._weight, self._gone
        if most == 0:
            return self._tuples[:0], int(self._tuples[kernels.find_farthest(row, *arrays)])
        near, far = kernels.find_nearest(row, *arrays, self._place[middle], most)
        return self._tuples[near], int(self._tuples[far])

    def _hide_places(self, places: Longs) -> None:
        self._weight[places] = 0
        self._gone[places] = 2**61

    def _keep_places(self, kept: Longs) -> None:
        self._weight, self._gone = self._weight[kept], self._gone[kept]
        self._codes = np.ascontiguousarray(self._codes[:, kept])


class _LiveNumberTuples(_LiveTuples):
    """Tuples of numbers, compared roughly first.

    See :mod:`ontomask.methods.microaggregation.mdav_kernels`.
    """

    def __init__(self, operators: Operators, attributes: list[NumericalAttribute]) -> None:
        from ontomask.methods.microaggregation.mdav_kernels import ExactTuples, RoughTuples

        super().__init__(operators)
        numbers = operators.tuples.targets()
        span = np.array([a.range or 1.0 for a in attributes])
        scale = np.array(operators.factors) * operators.scale
        scale[[a.range == 0 for a in attributes]] = 0  # it takes no part
        squared = operators.by_variance
        self._exact = ExactTuples(numbers, operators.weights, span, scale, squared)
        self._least = np.array([a.numbers[0] for a in attributes])
        self._length = span * np.sqrt(scale / 2) if squared else scale
        # A short number is off by half its last digit, 2^-25 of the most there is: so are two, and
        # what they are apart; all that twice over in a square. So is each sum of m distances, once
        # for every attribute and a few times for the weight. This is twice as much as all of it.
        m = len(attributes)
        slack = np.float32(m * (m + 16) * FIXED_POINT_ONE * 2**-24)
        short = np.ascontiguousarray(self._short(numbers).T)
        weight = operators.weights.astype(np.float32)
        self._rough = RoughTuples(self._tuples, short, weight, slack)

    def _short(self, numbers: Floats) -> NDArray[np.float32]:
        """Numbers in the single precision of the kernels' ``RoughTuples``."""
        along: Floats = (numbers - self._least) / self._exact.span * self._length
        return along.astype(np.float32)

    def around(self, target: Floats, middle: int = -1, most: int = 0) -> tuple[Longs, int]:
        from ontomask.methods.microaggregation import mdav_kernels as kernels

        short = self._short(target)
        near, far = kernels.find_nearest_and_farthest(
            target, short, middle, most, self._rough, self._exact
        )
        return near, int(far)

    def _hide_places(self, places: Longs) -> None:
        self._rough.weight[places] = np.nan

    def _keep_places(self, kept: Longs) -> None:
        numbers = np.ascontiguousarray(self._rough.numbers[:, kept])
        weight = self._rough.weight[kept]
        self._rough = self._rough._replace(tuples=self._tuples, numbers=numbers, weight=weight)


class _RemainingNumbers:
    """The tuples of numbers that are in no group yet, and their centroid, kept up to date.

    Instead of all numbers, their sum is carried along.
    """

    def __init__(self, operators: Operators, attributes: list[NumericalAttribute]) -> None:
        tuples = operators.tuples
        self.records = tuples.records
        self._attributes, self._codes = attributes, tuples.codes
        self._targets = tuples.targets()
        self._counts = tuples.counts.copy()
        self._most_frequent = operators.classic and not operators.by_variance
        self._left = {j: tuples.value_counts(j) for j, a in enumerate(attributes) if a.median}
        self._total, self._rest = np.zeros(len(attributes)), np.zeros(len(attributes))
        self._add(np.arange(len(tuples)), self._counts)

    def _add(self, members: Longs, times: Longs) -> None:
        from ontomask.methods.microaggregation import mdav_kernels as kernels

        kernels.add_numbers(members, times, self._targets, self._total, self._rest)

    def remove(self, members: Longs) -> None:
        """Take tuples out."""
        counts = self._counts[members]
        self._counts[members] = 0
        self.records -= int(counts.sum())
        self._add(members, -counts)
        for j, left in self._left.items():
            np.subtract.at(left, self._codes[j, members], counts)

    def centroid(self) -> Floats:
        """The centroid of what is left."""
        middle: Floats = (self._total + self._rest) / self.records
        if self._most_frequent:
            middle = self._targets[int(np.argmax(self._counts))]
            return middle
        for j, left in self._left.items():
            values = np.flatnonzero(left)
            middle[j] = self._attributes[j].centroid(values, left[values])
        return middle


def _join_nearest_groups(operators: Operators, group: Longs, groups: int) -> None:
    """Add each tuple without a group to the group with the nearest centroid."""
    left = np.flatnonzero(group < 0)
    if not left.size:
        return
    inside = np.flatnonzero(group >= 0)
    members = inside[np.argsort(group[inside], kind="stable")]
    start = np.searchsorted(group[members], np.arange(groups + 1))
    centroids = operators.centroids(start, members)
    for t in left.tolist():
        group[t] = int(np.argmin(operators.between(centroids, t)))
