"""Compare, aggregate: the operators that every masking method is made of (SF section 2).

Distances are compared in fixed point, so that a plan does not depend on the order of summation.
The semantic operators use the taxonomies; the classic ones know only equal and unequal, and take
the most frequent for the average. Numbers are treated alike by both.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import (
    FIXED_POINT_ONE,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.tuples import Tuples

__all__ = ["Operators", "RemainingTuples"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Operators:
    """How the tuples of one table are compared and averaged.

    ``distance`` is ``"mean"`` (SF eq. 3: the mean over attributes, weighted by a tuple's records),
    ``"s"`` or ``"s_paper"`` (MA eq. 7: pair variances over column variances, not weighted).
    ``candidates`` for a centroid are the ``"hierarchy"`` of a group's values (SF) or these
    ``"values"`` alone (MA).
    """

    def __init__(
        self,
        tuples: Tuples,
        distance: str = "mean",
        setting: str = "semantic",
        candidates: str = "hierarchy",
    ) -> None:
        self.tuples = tuples
        self.by_variance = distance != "mean"
        self.classic = setting == "classic"
        self._values_only = candidates == "values"
        sizes = [attribute.size for attribute in tuples.attributes]
        self.offset: Longs = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
        self.factors = [
            self._distance_factor(j, distance) if tuples.factors is None else tuples.factors[j]
            for j in range(len(sizes))
        ]
        #: What a distance, times its attribute's factor, is multiplied with to be a whole number.
        self.scale = FIXED_POINT_ONE / self._largest_contribution()
        self._length = sum(sizes)
        # Seven distances of at most 2^28 add up to less than 2^31.
        self.kind: Any = np.int32 if len(sizes) <= 7 else np.int64

    def _distance_factor(self, j: int, distance: str) -> float:
        """What the distance of an attribute is multiplied with."""
        attribute = self.tuples.attributes[j]
        if not self.by_variance:
            return attribute.weight
        variance = self._variance(j)
        if distance == "s_paper" and isinstance(attribute, NominalAttribute):
            variance *= max(self.tuples.records - 1, 1)
        return attribute.weight / variance if variance > 0 else 0.0  # it takes no part

    def _variance(self, j: int) -> float:
        attribute, counts = self.tuples.attributes[j], self.tuples.value_counts(j)
        if self.classic and isinstance(attribute, NominalAttribute):
            n = int(counts.sum())
            return float(n * n - (counts**2).sum()) / (n * (n - 1)) if n > 1 else 0.0
        return attribute.variance(counts)

    def _largest_contribution(self) -> float:
        """The most that an attribute can contribute to a distance."""
        return (
            max(
                factor
                * (a.range**2 / 2 if self.by_variance and isinstance(a, NumericalAttribute) else 1)
                for factor, a in zip(self.factors, self.tuples.attributes, strict=True)
            )
            or 1.0
        )

    # ------------------------------------------------------------------ comparison

    @property
    def weights(self) -> Longs:
        """What a tuple's distance to a reference is multiplied with: its records, or 1."""
        return np.ones_like(self.tuples.counts) if self.by_variance else self.tuples.counts

    def row(self, target: Sequence[float] | Floats) -> NDArray[Any]:
        """The distances from a target to every value, attribute after attribute."""
        row = np.empty(self._length, dtype=self.kind)
        for j, (first, attribute) in enumerate(
            zip(self.offset, self.tuples.attributes, strict=True)
        ):
            part = row[first : first + attribute.size]
            if self._candidate_rows[j] is not None:
                part[:] = self._candidate_rows[j][int(target[j])]
            else:
                distances = self._distances(attribute, float(target[j]))
                np.rint(distances * (self.factors[j] * self.scale), out=distances)
                part[:] = distances
        return row

    def between_values(self, j: int) -> NDArray[Any]:
        """The distances between the values of a nominal attribute."""
        attribute = self.tuples.attributes[j]
        assert isinstance(attribute, NominalAttribute)
        factor = self.factors[j] * self.scale
        if self.classic:
            return np.rint(factor * (1 - np.eye(attribute.size))).astype(self.kind)
        return self._scale_table(attribute.rows(attribute.place), factor / FIXED_POINT_ONE)

    @cached_property
    def _candidate_rows(self) -> list[Any]:
        """Fixed-point distances from each candidate to each value, where words have meaning."""
        return [
            self._scale_table(a.table, factor * self.scale / FIXED_POINT_ONE)
            if isinstance(a, NominalAttribute) and not self.classic
            else None
            for a, factor in zip(self.tuples.attributes, self.factors, strict=True)
        ]

    def _scale_table(self, table: NDArray[np.int32], factor: float) -> NDArray[Any]:
        if factor == 1:
            return table.astype(self.kind, copy=False)
        return np.rint(table * factor).astype(self.kind)

    def _distances(self, attribute: Attribute, target: float) -> Floats:
        if self.classic and isinstance(attribute, NominalAttribute):
            return (attribute.place != int(target)).astype(np.float64)
        if self.by_variance:
            return attribute.pair_variance(target)
        return attribute.distances_from_target(target)

    def between(self, targets: Floats, tuple_: int) -> Longs:
        """The distances from many targets to one tuple."""
        total = np.zeros(len(targets), dtype=np.int64)
        for j, attribute in enumerate(self.tuples.attributes):
            value = self.tuples.codes[j, tuple_]
            distances = self._distances_to_value(attribute, targets[:, j], int(value))
            total += np.rint(distances * (self.factors[j] * self.scale)).astype(np.int64)
        return total

    def _distances_to_value(self, attribute: Attribute, targets: Floats, value: int) -> Floats:
        if isinstance(attribute, NominalAttribute):
            if self.classic:
                return (targets != attribute.place[value]).astype(np.float64)
            return attribute.table[targets.astype(np.int64), value] / FIXED_POINT_ONE
        assert isinstance(attribute, NumericalAttribute)
        apart = np.abs(targets - attribute.numbers[value])
        if self.by_variance:
            return apart**2 / 2
        return apart / attribute.range if attribute.range else np.zeros(len(targets))

    # ------------------------------------------------------------------ aggregation

    def centroids(self, start: Longs, members: Longs) -> Floats:
        """The centroid of each group; ``members[start[g]:start[g + 1]]`` are its tuples."""
        if self.classic and not self.by_variance:
            return self.tuples.targets()[self._most_frequent_tuples(start, members)]
        columns = [
            self._column_centroids(j, attribute, start, members)
            for j, attribute in enumerate(self.tuples.attributes)
        ]
        return np.column_stack(columns)

    def _most_frequent_tuples(self, start: Longs, members: Longs) -> Longs:
        """The tuple with the most records in each group; the first of equals."""
        chosen = [
            min(members[first:last].tolist(), key=lambda t: (-self.tuples.counts[t], t))
            for first, last in itertools.pairwise(start)
        ]
        return np.array(chosen, dtype=np.int64)

    def _column_centroids(
        self, j: int, attribute: Attribute, start: Longs, members: Longs
    ) -> Floats:
        codes, counts = self.tuples.codes[j], self.tuples.counts
        if isinstance(attribute, NominalAttribute) and not self.classic:
            from ontomask.methods import kernels

            out = np.empty(len(start) - 1, dtype=np.int64)
            above_start, above = self.above[j]
            kernels.group_centroids(
                start, members, codes, counts, above_start, above, self.tables[j], out
            )
            return out.astype(np.float64)
        if isinstance(attribute, NumericalAttribute):
            group = np.repeat(np.arange(len(start) - 1), np.diff(start))
            ascending = np.lexsort((codes[members], group))
            inside = members[ascending]
            return attribute.centroids(start[:-1], codes[inside], counts[inside])
        columns = []
        for first, last in itertools.pairwise(start):
            values, place = np.unique(codes[members[first:last]], return_inverse=True)
            sums = np.bincount(place, weights=counts[members[first:last]]).astype(np.int64)
            columns.append(self._centroid_value(attribute, values, sums))
        return np.array(columns)

    @cached_property
    def above(self) -> list[tuple[NDArray[np.int64], NDArray[np.int32]]]:
        """The candidates that each value of an attribute brings in: itself, what is above it."""
        none = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        return [
            none
            if not isinstance(a, NominalAttribute)
            else (np.arange(a.size + 1), a.place.astype(np.int32))
            if self._values_only
            else a.above
            for a in self.tuples.attributes
        ]

    def _centroid_value(self, attribute: Attribute, values: Longs, counts: Longs) -> float:
        """The centroid of numbers, and the most frequent value in the classic setting."""
        if isinstance(attribute, NominalAttribute):
            return float(attribute.target_of(values[[int(np.argmax(counts))]])[0])
        return attribute.centroid(values, counts)

    @cached_property
    def tables(self) -> list[NDArray[np.int32]]:
        """Fixed-point distances from each value (row) to each candidate (column)."""
        return [
            np.ascontiguousarray(a.table.T)
            if isinstance(a, NominalAttribute)
            else np.empty((0, 0), dtype=np.int32)
            for a in self.tuples.attributes
        ]


def _weighted_row_sum(counts: Longs, table: NDArray[np.int32]) -> Longs:
    """Sum the rows of a table weighted by counts; a few rows at a time, to save memory."""
    step = max(1, (1 << 22) // max(table.shape[1], 1))
    total = np.zeros(table.shape[1], dtype=np.int64)
    for first in range(0, len(table), step):
        total += counts[first : first + step] @ table[first : first + step].astype(np.int64)
    return total


class RemainingTuples:
    """The tuples that are in no group yet, and their centroid, kept up to date.

    For a nominal attribute the summed distance from every candidate to what is left is carried
    along: a tuple that leaves is subtracted, and the centroid is the least sum.
    """

    def __init__(self, operators: Operators) -> None:
        self.operators = operators
        self.tuples = operators.tuples
        self.counts = self.tuples.counts.copy()
        self.records = self.tuples.records
        self._targets = self.tuples.targets()
        self._left = [self.tuples.value_counts(j) for j in range(len(self.tuples.attributes))]
        self._sums: list[Longs] = []
        self._below: list[Longs] = []
        for j, attribute in enumerate(self.tuples.attributes):
            if isinstance(attribute, NominalAttribute) and not operators.classic:
                self._sums.append(_weighted_row_sum(self._left[j], operators.tables[j]))
                start, above = operators.above[j]
                owner = np.repeat(self._left[j], np.diff(start))
                below = np.bincount(above, weights=owner, minlength=len(attribute.candidates))
                self._below.append(below.astype(np.int64))
            else:
                self._sums.append(np.empty(0, dtype=np.int64))
                self._below.append(np.empty(0, dtype=np.int64))

    def remove(self, group: Longs) -> None:
        """Take tuples out."""
        from ontomask.methods import kernels

        counts = self.counts[group]
        self.counts[group] = 0
        self.records -= int(counts.sum())
        for j, attribute in enumerate(self.tuples.attributes):
            values = self.tuples.codes[j, group]
            if isinstance(attribute, NominalAttribute) and not self.operators.classic:
                start, above = self.operators.above[j]
                table, sums, below = self.operators.tables[j], self._sums[j], self._below[j]
                kernels.subtract_values(values, counts, table, start, above, sums, below)
            else:
                np.subtract.at(self._left[j], values, counts)

    def centroid(self) -> Floats:
        """The centroid of what is left."""
        if self.operators.classic and not self.operators.by_variance:
            return self._targets[int(np.argmax(self.counts))]
        return np.array([self._centroid_value(j, a) for j, a in enumerate(self.tuples.attributes)])

    def _centroid_value(self, j: int, attribute: Attribute) -> float:
        if self._sums[j].size:
            from ontomask.methods import kernels

            return float(kernels.find_least_sum(self._sums[j], self._below[j]))
        values = np.flatnonzero(self._left[j])
        return self.operators._centroid_value(attribute, values, self._left[j][values])
