"""A masked table in memory, of the kind that was given: verified, and what is counted on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.values import canonical_text
from ontomask.engines.protocol import Applied
from ontomask.engines.ranges import cut_into_ranges
from ontomask.engines.row_order import count_restored, count_steps
from ontomask.errors import InternalError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.grouped_rows import ClassCounts, GroupedRows
from ontomask.microdata.known_values import without_unknown
from ontomask.microdata.tuples import Transitions, count_tuples

if TYPE_CHECKING:
    from ontomask.engines.memory.engine import FrameEngine

__all__ = ["FrameApplied", "count_record_rows", "number_classes", "verify_release"]

Longs = NDArray[np.int64]


class FrameApplied(Applied):
    """The masked table; ``rows`` says which records of the original it holds.

    ``record_tuple`` and ``target`` are the tuple and the target of each of its records.
    """

    engine: FrameEngine

    def __init__(
        self,
        engine: FrameEngine,
        plan: Transitions,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        rows: NDArray[np.bool_],
        record_tuple: Longs,
        target: Longs,
    ) -> None:
        self.engine, self._plan, self._outputs, self._removed = engine, plan, outputs, removed
        self._rows, self._record_tuple, self._target = rows, record_tuple, target
        self.records = len(target)
        self.data = engine.table.make_released_table(
            {
                column: OutputColumn(output.values, output.places[target], output.text)
                for column, output in outputs.items()
            },
            removed,
            rows,
        )

    def verify(self) -> None:
        self.class_sizes()  # counted while the finished table is verified

    @cached_property
    def _classes(self) -> Longs:
        """The class of every record, counted on the finished table while it is verified."""
        return verify_release(
            self.engine.table,
            self.data,
            self._outputs,
            self._plan,
            self._record_tuple,
            removed=self._removed,
            kept=self._rows,
        )

    def class_sizes(self) -> Longs:
        return np.bincount(self._classes) if self.records else np.zeros(0, dtype=np.int64)

    def count_by_class(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        distinct = self.engine.table.distinct_values(column).select_rows(self._rows)
        return self._target, cut_into_ranges(without_unknown(distinct, marks), ranges)

    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        return count_record_rows(self.engine.table, self._rows, self._target, columns)

    def count_classes_with(self, columns: Sequence[str]) -> ClassCounts:
        codes = [
            self.engine.table.distinct_values(column).codes[self._rows] + 1 for column in columns
        ]
        return ClassCounts.of_sizes(count_tuples([], [self._classes, *codes])[0].counts)

    def count_masked_rows(self, others: Sequence[str] = ()) -> dict[str, DistinctValues]:
        finished = Frame(self.data)
        columns = {column: finished.distinct_values(column) for column in self._outputs}
        for column in others:
            columns[column] = self.engine.table.distinct_values(column).select_rows(self._rows)
        rows, _ = count_tuples([], [distinct.codes + 1 for distinct in columns.values()])
        return {
            column: DistinctValues(distinct.values, codes.astype(np.int64) - 1, rows.counts)
            for (column, distinct), codes in zip(columns.items(), rows.codes, strict=True)
        }

    def value_counts(self, column: str) -> DistinctValues:
        return Frame(self.data).distinct_values(column)

    def shuffle(self, key: bytes) -> Any:
        from ontomask.engines.memory.records import row_keys

        original = self.engine.table
        order = np.lexsort((self._target, row_keys(original, key)[self._rows]))
        return Frame(self.data).reorder(order)

    def count_restored(self, column: str) -> tuple[int, float]:
        original = self.engine.table.distinct_values(column).select_rows(self._rows)
        return count_restored(original, Frame(self.data).distinct_values(column))

    def count_steps(self, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
        table = self.engine.table
        return {
            column: count_steps(table.distinct_values(column).select_rows(self._rows))
            for column in columns
        }

    def write(
        self, target: Path, force: bool, order_key: bytes | None, escape_formulas: bool = False
    ) -> None:
        data = self.data if order_key is None else self.shuffle(order_key)
        self.engine.write_released(data, target, force, escape_formulas)


def count_record_rows(
    table: Frame, rows: NDArray[np.bool_], group: Longs, columns: Sequence[str]
) -> GroupedRows:
    """The values of some columns in those rows of a table that have a group; a row per record."""
    values = {column: table.distinct_values(column).select_rows(rows) for column in columns}
    return GroupedRows(group, values, np.ones(len(group), dtype=np.int64))


# ---------------------------------------------------------------------- verifying


def verify_release(
    original: Frame,
    released: Any,
    expected: Mapping[str, OutputColumn],
    transitions: Transitions,
    record_tuple: Longs,
    *,
    removed: Sequence[str],
    kept: NDArray[np.bool_],
) -> Longs:
    """Verify the finished table, and give the class of each of its records.

    ``expected`` says how each target looks when written. A table that is not what the transitions
    say, or that differs in any other column, is an error of ours.
    """
    finished = Frame(released)
    if finished.kind != original.kind:
        raise InternalError(f"a table of kind {original.kind} became one of kind {finished.kind}")
    names = [column for column in original.names if column not in set(removed)]
    if finished.names != names:
        raise InternalError("the released table has other columns than it should")
    if finished.rows != int(kept.sum()):
        raise InternalError("the released table has more or fewer records than it should")
    if finished.index_names:
        raise InternalError("the released table has an index")
    for column in names:
        if column not in expected and not original.has_same_column(column, finished, kept):
            raise InternalError(f"column {column!r} was changed, and should not have been")
    classes, planned = number_classes(finished, expected, len(transitions.targets))
    _check_transitions(classes, planned, transitions, record_tuple)
    return np.unique(classes, return_inverse=True)[1]


def number_classes(
    finished: Frame, expected: Mapping[str, OutputColumn], targets: int
) -> tuple[Longs, Longs]:
    """Number the classes of rows and of targets by their released values, in one numbering."""
    classes = np.zeros(finished.rows, dtype=np.int64)
    planned = np.zeros(targets, dtype=np.int64)
    for column, output in expected.items():
        distinct = finished.distinct_values(column)
        texts = [canonical_text(value) for value in (*distinct.values, None)]
        planned_texts = [canonical_text(value) for value in (*output.values, None)]
        place = {
            text: number for number, text in enumerate(dict.fromkeys([*planned_texts, *texts]))
        }
        size = len(place)
        codes = np.array([place[text] for text in texts])[distinct.codes]
        planned_codes = np.array([place[text] for text in planned_texts])[output.places]
        _, both = np.unique(
            np.concatenate([classes * size + codes, planned * size + planned_codes]),
            return_inverse=True,
        )
        classes, planned = both[: len(classes)], both[len(classes) :]
    return classes, planned


def _check_transitions(
    classes: Longs, planned: Longs, transitions: Transitions, record_tuple: Longs
) -> None:
    """Every tuple must have become what was planned, as often as it was planned."""
    size = int(max(classes.max(initial=0), planned.max(initial=0))) + 1
    present = np.isin(transitions.source, record_tuple)
    if len(record_tuple) < int(transitions.count.sum()):  # suppressed records were removed
        present &= ~transitions.suppressed_targets[transitions.target]
    pairs, place = np.unique(
        transitions.source[present] * size + planned[transitions.target[present]],
        return_inverse=True,
    )
    counts = np.bincount(place, weights=transitions.count[present], minlength=len(pairs))
    found_pairs, found_counts = np.unique(record_tuple * size + classes, return_counts=True)
    if not (np.array_equal(pairs, found_pairs) and np.array_equal(counts, found_counts)):
        raise InternalError("the released values are not those of the plan")
