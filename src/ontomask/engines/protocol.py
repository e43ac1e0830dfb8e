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
        """Some columns: a row for every record, or for every distinct one with how many there are.

        Records that lack the column ``known`` are left out.
        """

    @abstractmethod
    def missing(self, column: str) -> int:
        """How many records lack a value."""

    @abstractmethod
    def repeats(self, column: str) -> bool:
        """Whether some value stands in several records."""

    @abstractmethod
    def place(self, tuple_of: Longs) -> None:
        """Learn the tuple of each row that was counted; -1 for those that are left out."""

    @abstractmethod
    def by_tuple(self, column: str, ranges: bool | None = False) -> tuple[Longs, Distinct]:
        """A tuple and a value of a column, and how many records have both; each pair once or more.

        The counts are the weights of the second. With ``ranges`` a column of very many different
        numbers is cut into :data:`RANGES` of about as many records; each number then stands for its
        range, as the least of it. None does so where the column is one of numbers, not of text.
        """

    @abstractmethod
    def alone(self, column: str) -> int:
        """How many records have a value of a column that no other record has."""

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
        """How many records there are of each combination of masked values."""

    @abstractmethod
    def people(self, column: str) -> Longs:
        """How many different people there are of each combination; the unknown count as one."""

    @abstractmethod
    def by_class(self, column: str, ranges: bool | None = False) -> tuple[Longs, Distinct]:
        """As :meth:`Engine.by_tuple`, for the targets of the plan."""

    @abstractmethod
    def unique_with(self, columns: Sequence[str]) -> int:
        """How many records are alone with their masked values and those of other columns."""

    @abstractmethod
    def value_counts(self, column: str) -> Distinct:
        """The values of a masked column, with how many records hold each as weights."""

    @abstractmethod
    def write(self, target: Path, force: bool) -> None:
        """Write the table to a file, completely or not at all."""


def in_ranges(found: Distinct, ranges: bool | None) -> Distinct:
    """A column of very many numbers with each one standing for its range."""
    if ranges is None:
        ranges = all(isinstance(value, int | float) for value in found.values)
    if not ranges or len(found.values) <= MANY:
        return found
    numbers = np.array([float(value) for value in found.values])
    held = found.codes >= 0
    cuts = quantiles(np.sort(np.repeat(numbers, found.counts)))
    place = np.append(np.searchsorted(cuts, numbers, side="right") - 1, -1)
    return Distinct(cuts.tolist(), np.where(held, place[found.codes], -1), found.weights)


def quantiles(ascending: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where ranges of about as many numbers each begin; the first is that of the least."""
    places = np.arange(RANGES) * len(ascending) // RANGES
    return np.unique(ascending[places])
