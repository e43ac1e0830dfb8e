"""Tables in memory as an engine: every record is a row that was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory import frames
from ontomask.engines.memory.frames import Frame
from ontomask.engines.protocol import Applied, Engine, cut_into_ranges
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import Transitions, count_tuples

__all__ = ["FrameEngine"]

Longs = NDArray[np.int64]


class FrameEngine(Engine):
    """A pandas, polars or pyarrow table, or a DuckDB relation."""

    def __init__(self, table: Any) -> None:
        self.table = Frame(table)
        self.names = self.table.names
        self.rows = self.table.rows

    def count_rows(
        self, columns: Sequence[str], known: str | None = None
    ) -> tuple[Frame, Longs | None]:
        if known is None:
            return self.table, None
        return self.table, (self.table.distinct_values(known).codes >= 0).astype(np.int64)

    def count_missing(self, column: str) -> int:
        return int((self.table.distinct_values(column).codes < 0).sum())

    def has_repeats(self, column: str) -> bool:
        return bool((self.table.distinct_values(column).counts > 1).any())

    def assign_tuples(self, tuple_of: Longs) -> None:
        self.is_kept = tuple_of >= 0
        self.record_tuple = tuple_of[self.is_kept]

    def count_by_tuple(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        distinct = self.table.distinct_values(column).select_rows(self.is_kept)
        return self.record_tuple, cut_into_ranges(distinct, ranges)

    def count_unique_values(self, column: str) -> int:
        return int((self.table.distinct_values(column).counts == 1).sum())

    def apply(
        self,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> FrameRows:
        target = frames.deal_targets(plan, self.record_tuple, self.table, secret, self.is_kept)
        return FrameRows(self, plan, looks, removed, target, drops)


class FrameRows(Applied):
    """A masked table of the kind that was given."""

    engine: FrameEngine

    def __init__(
        self,
        engine: FrameEngine,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        target: Longs,
        drops: bool,
    ) -> None:
        self.engine, self.plan, self.looks, self.removed = engine, plan, looks, removed
        released = (
            ~frames.suppressed_targets(plan)[target] if drops else np.ones(len(target), dtype=bool)
        )
        self._released, self._target = released, target[released]
        self._rows = engine.is_kept.copy()
        self._rows[engine.is_kept] = released
        self.records = len(self._target)
        self.data = engine.table.make_released_table(
            {
                column: OutputColumn(look.values, look.places[self._target], look.text)
                for column, look in looks.items()
            },
            removed,
            self._rows,
        )

    def verify(self) -> None:
        self._classes = frames.verify_release(
            self.engine.table,
            self.data,
            self.looks,
            self.plan,
            self.engine.record_tuple[self._released],
            removed=self.removed,
            kept=self._rows,
        )

    def class_sizes(self) -> Longs:
        return frames.class_sizes(self._classes)

    def count_people(self, column: str) -> Longs:
        people = self.engine.table.distinct_values(column).codes[self._rows]
        return frames.count_people(self._classes, people)

    def count_by_class(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        distinct = self.engine.table.distinct_values(column).select_rows(self._rows)
        return self._target, cut_into_ranges(distinct, ranges)

    def count_uniques_with(self, columns: Sequence[str]) -> int:
        codes = [
            self.engine.table.distinct_values(column).codes[self._rows] + 1 for column in columns
        ]
        return int((count_tuples([], [self._target, *codes])[0].counts == 1).sum())

    def value_counts(self, column: str) -> DistinctValues:
        return Frame(self.data).distinct_values(column)

    def write(self, target: Path, force: bool) -> None:
        from ontomask.engines.formats import write_frame

        write_frame(self.data, target, force=force)
