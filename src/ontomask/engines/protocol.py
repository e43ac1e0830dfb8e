"""What an engine does for a release: count, apply, and give what verifying needs.

Each step returns a value that the next one takes, and none changes what it was made from::

    Engine ──count_rows──▶ CountedRows ──assign_tuples──▶ PlacedRecords ──apply──▶ Applied

An engine knows no masking method: it is given plans.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.grouped_rows import ClassCounts, GroupedRows
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    import pyarrow as pa

    from ontomask.engines.memory.frame import Frame

__all__ = [
    "Applied",
    "CountedRows",
    "Engine",
    "PlacedRecords",
    "TaskRunner",
]

Longs = NDArray[np.int64]

#: Runs pieces of work, each in a task of its own, and gives the results in their order. It takes
#: the work, what all pieces share, the pieces, what to call for each that is done, and what names
#: a piece whose task fails.
TaskRunner = Callable[
    [
        Callable[[Any, Any], Any],
        Any,
        Sequence[Any],
        Callable[[], None],
        Callable[[int], str],
    ],
    list[Any],
]


class Engine(ABC):
    """A table, wherever it is kept. Nothing that is asked of an engine changes it."""

    names: list[str]
    rows: int

    #: Whether the records are in an order.
    keeps_order: bool = True

    #: The names of an index that is released beside the columns (pandas).
    index_names: Sequence[str] = ()

    #: Where pieces of work are run, if not by this process.
    run_in_tasks: TaskRunner | None = None

    def refuse_changes(self) -> AbstractContextManager[None]:
        """Refuse a table that changed outside while the block ran; one in memory cannot."""
        return nullcontext()

    def present(self, data: Any) -> Any:
        """A released table in the form that its readers know: as the original was given."""
        return data

    def convert_rows(self, rows: pa.Table) -> Any:
        """Other rows as a table of the kind that was given."""
        return rows

    @abstractmethod
    def count_rows(
        self, columns: Sequence[str], known: str | None = None, marks: Collection[str] = ()
    ) -> CountedRows:
        """Count records by some columns; records that lack the column ``known`` are left out.

        What says nothing is missing there: blank text, and ``marks`` of missing values.
        """

    @abstractmethod
    def count_unknown(self, column: str, marks: Collection[str] = ()) -> int:
        """Count the records without a known value of a column, as :meth:`count_rows` would."""

    @abstractmethod
    def has_repeats(self, column: str) -> bool:
        """Whether several records have the same value of a column."""

    @abstractmethod
    def count_unique_values(self, column: str) -> int:
        """Count the values of a column that only one record has."""

    @abstractmethod
    def links_records(self, column: str, person: str, marks: Collection[str] = ()) -> bool:
        """Whether records that share a known value of a column are always of the same person.

        It is false where no two records share one, and where only one person is known.
        """

    @abstractmethod
    def read(self, columns: Sequence[str]) -> Frame:
        """Read the table record by record, with those of some columns that exist at least."""

    @abstractmethod
    def sample(self, size: int, seed: int) -> Engine:
        """A random sample of records, as a table of its own."""


class CountedRows(ABC):
    """The rows of some columns: a row per record, or per distinct row with its count.

    ``weights`` are the records of each row, one each where they are None; ``left_out`` is how many
    records lack the column that was asked for.
    """

    frame: Frame
    weights: Longs | None
    left_out: int

    @property
    def records(self) -> int:
        """How many records were counted."""
        return self.frame.rows if self.weights is None else int(self.weights.sum())

    @abstractmethod
    def assign_tuples(self, tuple_of: Longs) -> PlacedRecords:
        """Assign a tuple to each row; -1 leaves its records out."""


class PlacedRecords(ABC):
    """The records of a table that are masked, each with its tuple."""

    @abstractmethod
    def count_by_tuple(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        """Count records by tuple and known value of a column; a pair may occur more than once.

        Blank text and ``marks`` of missing values are missing. The counts are the weights of the
        second. With ``ranges`` a column of very many different numbers is cut
        (:mod:`ontomask.engines.ranges`); each number then stands for its range, as the least of it.
        None does so where the column is one of numbers, not of text.
        """

    @abstractmethod
    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        """Count records by tuple and the values of several columns together."""

    @abstractmethod
    def apply(
        self,
        plan: Transitions,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> Applied:
        """Give every record its target; ``outputs`` are the released columns of the targets.

        ``removed`` columns are not released; ``drops`` leaves suppressed records out. Where a tuple
        has several targets, ``secret`` and the whole row say which of them a record is given.
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
    def count_by_class(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        """As :meth:`PlacedRecords.count_by_tuple`, for the targets of the plan."""

    @abstractmethod
    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        """As :meth:`PlacedRecords.count_rows`, for the targets of the plan."""

    @abstractmethod
    def count_classes_with(self, columns: Sequence[str]) -> ClassCounts:
        """Count the classes of records with the same masked values and values of some columns."""

    @abstractmethod
    def count_masked_rows(self, others: Sequence[str] = ()) -> dict[str, DistinctValues]:
        """Count records by all masked columns, as they are written, and some original columns.

        The columns have a row per combination, with its records as weights; a combination may occur
        more than once.
        """

    @abstractmethod
    def value_counts(self, column: str) -> DistinctValues:
        """The values of a masked column, with how many records hold each as weights."""

    @abstractmethod
    def shuffle(self, key: bytes) -> Any:
        """The table with its rows in an order that a secret key and the original rows decide.

        It does not depend on the order that they had.
        """

    @abstractmethod
    def count_restored(self, column: str) -> tuple[int, float] | None:
        """How many records get their value of a masked column back by sorting it.

        See :mod:`~ontomask.engines.row_order`. None where the rows have no order of their own.
        """

    @abstractmethod
    def count_steps(self, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Count the steps up and down from row to row of some original columns."""

    @abstractmethod
    def write(
        self, target: Path, force: bool, order_key: bytes | None, escape_formulas: bool = False
    ) -> None:
        """Write the table to a file, completely or not at all; shuffled where there is a key."""
