"""Quasi-identifiers as masking methods see them: distinct values by number, and how they compare.

An attribute knows its distinct values in sorted order; tuples hold their places. What a value may
be masked with is its *targets*: for words the values and their ancestors, for numbers any number.
A target is given as a float: the place among the candidates of a nominal attribute, the number
itself for a numerical one, NaN for a suppressed value of either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike
from ontomask.distances.shared import ancestor_lists
from ontomask.errors import ParameterError
from ontomask.taxonomy import Concept, Taxonomy

__all__ = [
    "MISSING",
    "MISSING_NUMBER",
    "Attribute",
    "NominalAttribute",
    "NumericalAttribute",
    "number_distances",
]

Floats = NDArray[np.float64]

#: Distances of words are kept as whole multiples of 2^-28: sums of them are exact, whatever the
#: order of summation, and so are ties.
FIXED_POINT_ONE = float(1 << 28)

#: What stands for a missing value among the candidates; no concept has an empty identifier.
MISSING: Concept = ""

#: What stands for a missing value among the numbers of a numerical attribute and its targets; no
#: known number is infinite.
MISSING_NUMBER = np.inf

#: How many distances a table of candidates against values may hold, four bytes each.
LARGEST_TABLE = 1 << 28


class Attribute(ABC):
    """One quasi-identifier."""

    name: str
    weight: float

    @property
    @abstractmethod
    def size(self) -> int:
        """How many distinct values there are."""

    @abstractmethod
    def distances_from_target(self, target: float) -> Floats:
        """The distance from a target to every value: 0 for the same, at most 1."""

    @abstractmethod
    def target_of(self, values: NDArray[np.integer]) -> Floats:
        """The targets that leave values, given by place, as they are."""

    @abstractmethod
    def centroid(self, values: NDArray[np.integer], counts: NDArray[np.integer]) -> float:
        """The target in the middle of some values (by place, each once, ascending) with counts."""

    def round_targets(self, targets: Floats) -> Floats:
        """Round targets as they are released; NaN, a suppressed value, stays."""
        return targets

    @abstractmethod
    def pair_variance(self, target: float) -> Floats:
        """The variance of the pair of a target and each value (MA eq. 7 and 14)."""

    @abstractmethod
    def variance(self, counts: NDArray[np.integer]) -> float:
        """The variance of the whole column, on the scale of :meth:`pair_variance`."""

    @abstractmethod
    def restrict_to(self, places: NDArray[np.integer]) -> Attribute:
        """The attribute with some of its values (ascending places); distances stay the same."""

    def __getstate__(self) -> dict[str, Any]:
        """What it was made with: tables and the like are made again, and need not travel."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class NominalAttribute(Attribute):
    """A column of concepts.

    ``values`` are sorted; ``domain`` is the taxonomy that distances, depths and candidates are
    counted in. The candidates for a centroid are the values and what is above them, in the order
    in which ties are settled: the deepest first, then by identifier. ``others`` are more concepts
    that a value may become; they come after these, and are never a centroid.
    """

    name: str
    domain: Taxonomy
    values: Sequence[Concept]
    measure: MeasureLike = "sanchez"
    weight: float = 1.0
    others: Sequence[Concept] = ()

    @property
    def size(self) -> int:
        return len(self.values)

    @cached_property
    def candidates(self) -> tuple[Concept, ...]:
        """What a value may become."""
        codes = np.unique(ancestor_lists(self.domain, self._codes)[1])
        named = [(-int(self.domain.depths[code]), self.domain.identifiers[code]) for code in codes]
        return tuple(dict.fromkeys([*(name for _, name in sorted(named)), *self.others]))

    @cached_property
    def places(self) -> dict[Concept, int]:
        """Where each candidate stands."""
        return {candidate: place for place, candidate in enumerate(self.candidates)}

    @cached_property
    def _codes(self) -> NDArray[np.int32]:
        return self.domain.codes(list(self.values))

    @cached_property
    def place(self) -> NDArray[np.int64]:
        """Where each value stands among the candidates."""
        return np.array([self.places[value] for value in self.values])

    @cached_property
    def table(self) -> NDArray[np.int32]:
        """Distances from each candidate (row) to each value (column), in fixed point."""
        cells = len(self.candidates) * self.size
        if cells > 8 * LARGEST_TABLE:
            raise ParameterError(
                f"column {self.name!r} has {self.size:,} different values: the table of their "
                f"distances would take {4 * cells / 1e9:.0f} GB",
                "use suppression or, for sets, microaggregation, which need no such table; or give "
                "the column fewer values",
            )
        return self._distance_rows(self.candidates)

    def _distance_rows(self, candidates: Sequence[Concept]) -> NDArray[np.int32]:
        distances = Distances(self.domain, candidates, self._codes, self.measure)
        table = np.empty(distances.shape, dtype=np.int32)
        for rows, block in distances.blocks():
            table[rows] = np.rint(block * FIXED_POINT_ONE)
        return table

    def rows(self, targets: NDArray[np.integer]) -> NDArray[np.int32]:
        """Some rows of the table: made for the purpose where the whole of it would be too large."""
        if "table" in self.__dict__ or len(self.candidates) * self.size <= LARGEST_TABLE:
            return self.table[targets]
        return self._distance_rows([self.candidates[target] for target in targets.tolist()])

    @cached_property
    def above(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The candidates at or above each value, laid end to end: where they start, and which."""
        start, codes, _ = ancestor_lists(self.domain, self._codes)
        place = np.empty(len(self.domain), dtype=np.int32)
        place[self.domain.codes(self.candidates)] = np.arange(len(self.candidates))
        return start, place[codes]

    def distances_from_target(self, target: float) -> Floats:
        return self.rows(np.array([int(target)]))[0] / FIXED_POINT_ONE

    def target_of(self, values: NDArray[np.integer]) -> Floats:
        return self.place[values].astype(np.float64)

    def centroid(self, values: NDArray[np.integer], counts: NDArray[np.integer]) -> float:
        start, above = self.above
        candidates = np.unique(np.concatenate([above[start[v] : start[v + 1]] for v in values]))
        sums = self.table[np.ix_(candidates, values)].astype(np.int64) @ counts
        return float(candidates[int(np.argmin(sums))])

    def pair_variance(self, target: float) -> Floats:
        return self.distances_from_target(target)

    def variance(self, counts: NDArray[np.integer]) -> float:
        """The mean distance over pairs of records; agrees with a pair's variance at n = 2."""
        n = int(counts.sum())
        rows = self.table[self.place]
        total = sum(c * int(row @ counts) for c, row in zip(counts.tolist(), rows, strict=True))
        return total / FIXED_POINT_ONE / (n * (n - 1)) if n > 1 else 0.0

    def restrict_to(self, places: NDArray[np.integer]) -> NominalAttribute:
        return replace(self, values=[self.values[place] for place in places.tolist()], others=())


@dataclass(frozen=True, eq=False)
class NumericalAttribute(Attribute):
    """A column of numbers, of ranks (``median=True``) or of days.

    ``numbers`` are sorted; the last one may be ``MISSING_NUMBER``, at distance 1 from the others.
    Records with missing numbers are planned apart, so methods do not meet it
    (:mod:`ontomask.pipeline.planning.missing_numbers`). A masked number has as many ``decimals`` as
    the column; whole numbers stay whole. ``span`` is the range of the column where these are only
    some of its numbers.
    """

    name: str
    numbers: Floats
    weight: float = 1.0
    decimals: int = 0
    median: bool = False
    span: float | None = None

    @property
    def size(self) -> int:
        return len(self.numbers)

    @property
    def has_missing(self) -> bool:
        """Whether a missing value is among the numbers."""
        return bool(self.size and np.isinf(self.numbers[-1]))

    @property
    def known_numbers(self) -> Floats:
        """The numbers without the missing one."""
        return self.numbers[:-1] if self.has_missing else self.numbers

    @cached_property
    def range(self) -> float:
        """From the least to the greatest known number."""
        if self.span is not None:
            return self.span
        known = self.known_numbers
        return float(known[-1] - known[0]) if len(known) else 0.0

    def distances_from_target(self, target: float) -> Floats:
        return number_distances(self.numbers, np.float64(target), self.range)

    def target_of(self, values: NDArray[np.integer]) -> Floats:
        return self.numbers[values]

    def centroid(self, values: NDArray[np.integer], counts: NDArray[np.integer]) -> float:
        return float(self.centroids(np.zeros(1, dtype=np.int64), values, counts)[0])

    def centroids(
        self, begin: NDArray[np.int64], values: NDArray[np.integer], counts: NDArray[np.integer]
    ) -> Floats:
        """The centroid of each of many groups, laid end to end and ascending within each."""
        numbers, sizes = self.numbers[values], np.add.reduceat(counts, begin)
        if not self.median:
            return np.add.reduceat(numbers * counts, begin) / sizes
        until = np.cumsum(counts)
        half = until[begin] - counts[begin] + (sizes + 1) // 2
        return numbers[np.searchsorted(until, half)]

    def round_targets(self, targets: Floats) -> Floats:
        """Round targets to the decimals of the column."""
        return np.round(targets, self.decimals) + 0.0  # no minus zero

    def pair_variance(self, target: float) -> Floats:
        return (self.numbers - target) ** 2 / 2

    def variance(self, counts: NDArray[np.integer]) -> float:
        """The sample variance."""
        n = int(counts.sum())
        mean = float(self.numbers @ counts) / n
        return float((self.numbers - mean) ** 2 @ counts) / (n - 1) if n > 1 else 0.0

    def restrict_to(self, places: NDArray[np.integer]) -> NumericalAttribute:
        return replace(self, numbers=self.numbers[places], span=self.range)


def number_distances(numbers: Floats, targets: Floats | np.float64, span: float) -> Floats:
    """The distances of numbers from targets as shares of the range of their column.

    A missing number is at distance 0 from a missing one and at 1 from the known ones.
    """
    with np.errstate(invalid="ignore"):  # the difference of two missing numbers
        apart = np.abs(numbers - targets) / span if span else np.zeros(np.shape(numbers - targets))
    missing, to_missing = np.isinf(numbers), np.isinf(targets)
    if missing.any() or to_missing.any():
        apart = np.where(missing | to_missing, missing != to_missing, apart)
    return np.asarray(apart, dtype=np.float64)
