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
from ontomask.microdata.distinct_values import Distinct, Written
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["MANY", "RANGES", "Applied", "Engine", "in_ranges", "quantiles"]

Longs = NDArray[np.int64]

#: More different numbers than ``MANY`` are cut into ``RANGES``.
MANY, RANGES = 10_000, 1_000


class Engine(ABC):
    """A table, wherever it is kept."""

    names: list[str]
    rows: int

    @abstractmethod
    def counted(
        self, columns: Sequence[str], known: str | None = None
    ) -> tuple[Frame, Longs | None]:
        """Count records by some columns: a row per record, or per distinct row with its count.

        Records that lack the column ``known`` are left out.
        """

    @abstractmethod
    def missing(self, column: str) -> int:
        """Count the records that lack a value of a column."""

    @abstractmethod
    def repeats(self, column: str) -> bool:
        """Whether several records have the same value of a column."""

    @abstractmethod
    def place(self, tuple_of: Longs) -> None:
        """Assign a tuple to each counted row; -1 leaves its records out."""

    @abstractmethod
    def by_tuple(self, column: str, ranges: bool | None = False) -> tuple[Longs, Distinct]:
        """Count records by tuple and value of a column; a pair may occur more than once.

        The counts are the weights of the second. With ``ranges`` a column of very many different
        numbers is cut into :data:`RANGES` of about as many records; each number then stands for its
        range, as the least of it. None does so where the column is one of numbers, not of text.
        """

    @abstractmethod
    def alone(self, column: str) -> int:
        """Count the values of a column that only one record has."""

    def plan(self, method: Method, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """What a method makes of the tuples; an engine may have it worked out elsewhere."""
        return method.plan(tuples, random)

    @abstractmethod
    def apply(
        self,
        plan: Transitions,
        looks: Mapping[str, Written],
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
    def people(self, column: str) -> Longs:
        """Count the different people of each equivalence class; unknown people count as one."""

    @abstractmethod
    def by_class(self, column: str, ranges: bool | None = False) -> tuple[Longs, Distinct]:
        """As :meth:`Engine.by_tuple`, for the targets of the plan."""

    @abstractmethod
    def unique_with(self, columns: Sequence[str]) -> int:
        """Count the records that are unique on their masked values and some other columns."""

    @abstractmethod
    def value_counts(self, column: str) -> Distinct:
        """The values of a masked column, with how many records hold each as weights."""

    @abstractmethod
    def write(self, target: Path, force: bool) -> None:
        """Write the table to a file, completely or not at all."""


def in_ranges(distinct: Distinct, ranges: bool | None) -> Distinct:
    """Cut a column of very many numbers into ranges; a number becomes the least of its range."""
    if ranges is None:
        ranges = all(isinstance(value, int | float) for value in distinct.values)
    if not ranges or len(distinct.values) <= MANY:
        return distinct
    numbers = np.array([float(value) for value in distinct.values])
    present = distinct.codes >= 0
    cuts = quantiles(np.sort(np.repeat(numbers, distinct.counts)))
    place = np.append(np.searchsorted(cuts, numbers, side="right") - 1, -1)
    return Distinct(cuts.tolist(), np.where(present, place[distinct.codes], -1), distinct.weights)


def quantiles(ascending: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where ranges of about as many numbers each begin; the first is that of the least."""
    places = np.arange(RANGES) * len(ascending) // RANGES
    return np.unique(ascending[places])
