"""What an engine does for a release: count, apply, and give what verifying needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frames import Frame
from ontomask.methods.method import Method
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["MANY_NUMBERS", "RANGE_COUNT", "Applied", "Engine", "cut_into_ranges", "quantiles"]

Longs = NDArray[np.int64]

#: More different numbers than ``MANY`` are cut into ``RANGES``.
MANY_NUMBERS, RANGE_COUNT = 10_000, 1_000


class Engine(ABC):
    """A table, wherever it is kept."""

    names: list[str]
    rows: int

    @abstractmethod
    def count_rows(
        self, columns: Sequence[str], known: str | None = None
    ) -> tuple[Frame, Longs | None]:
        """Count records by some columns: a row per record, or per distinct row with its count.

        Records that lack the column ``known`` are left out.
        """

    @abstractmethod
    def count_missing(self, column: str) -> int:
        """Count the records that lack a value of a column."""

    @abstractmethod
    def has_repeats(self, column: str) -> bool:
        """Whether several records have the same value of a column."""

    @abstractmethod
    def assign_tuples(self, tuple_of: Longs) -> None:
        """Assign a tuple to each counted row; -1 leaves its records out."""

    @abstractmethod
    def count_by_tuple(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        """Count records by tuple and value of a column; a pair may occur more than once.

        The counts are the weights of the second. With ``ranges`` a column of very many different
        numbers is cut into :data:`RANGE_COUNT` of about as many records; each number then stands
        for its
        range, as the least of it. None does so where the column is one of numbers, not of text.
        """

    @abstractmethod
    def count_unique_values(self, column: str) -> int:
        """Count the values of a column that only one record has."""

    def plan(self, method: Method, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """What a method makes of the tuples; an engine may have it worked out elsewhere."""
        return method.plan(tuples, random)

    @abstractmethod
    def apply(
        self,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> Applied:
        """Give every record its target. ``looks`` say how targets are written, column by column.

        ``removed`` columns are not released; ``drops`` leaves suppressed records out.
        """


class Applied(ABC):
    """A masked table, and what can be counted on it."""

    engine: Engine
    data: Any
    records: int

    @abstractmethod
    def verify(self) -> None:
        """Refuse a table that is not what was planned: a mistake of ours."""

    @abstractmethod
    def class_sizes(self) -> Longs:
        """The sizes of the equivalence classes, in records."""

    @abstractmethod
    def count_people(self, column: str) -> Longs:
        """Count the different people of each equivalence class; unknown people count as one."""

    @abstractmethod
    def count_by_class(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        """As :meth:`Engine.count_by_tuple`, for the targets of the plan."""

    @abstractmethod
    def count_uniques_with(self, columns: Sequence[str]) -> int:
        """Count the records that are unique on their masked values and some other columns."""

    @abstractmethod
    def value_counts(self, column: str) -> DistinctValues:
        """The values of a masked column, with how many records hold each as weights."""

    @abstractmethod
    def write(self, target: Path, force: bool) -> None:
        """Write the table to a file, completely or not at all."""


def cut_into_ranges(distinct: DistinctValues, ranges: bool | None) -> DistinctValues:
    """Cut a column of very many numbers into ranges; a number becomes the least of its range."""
    if ranges is None:
        ranges = all(isinstance(value, int | float) for value in distinct.values)
    if not ranges or len(distinct.values) <= MANY_NUMBERS:
        return distinct
    numbers = np.array([float(value) for value in distinct.values])
    present = distinct.codes >= 0
    cuts = quantiles(np.sort(np.repeat(numbers, distinct.counts)))
    place = np.append(np.searchsorted(cuts, numbers, side="right") - 1, -1)
    return DistinctValues(
        cuts.tolist(), np.where(present, place[distinct.codes], -1), distinct.weights
    )


def quantiles(ascending: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where ranges of about as many numbers each begin; the first is that of the least."""
    places = np.arange(RANGE_COUNT) * len(ascending) // RANGE_COUNT
    return np.unique(ascending[places])
