"""Tables in memory as an engine: every record is a row that was counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory import frames
from ontomask.engines.memory.frames import Frame
from ontomask.engines.protocol import Applied, Engine, in_ranges
from ontomask.microdata.distinct_values import Distinct, Written
from ontomask.microdata.tuples import Transitions, count_tuples

__all__ = ["FrameEngine"]

Longs = NDArray[np.int64]


class FrameEngine(Engine):
    """A pandas, polars or pyarrow table, or a DuckDB relation."""

    def __init__(self, table: Any) -> None:
        self.table = Frame(table)
        self.names = self.table.names
        self.rows = self.table.rows

    def counted(
        self, columns: Sequence[str], known: str | None = None
    ) -> tuple[Frame, Longs | None]:
        if known is None:
            return self.table, None
        return self.table, (self.table.distinct(known).codes >= 0).astype(np.int64)

    def missing(self, column: str) -> int:
        return int((self.table.distinct(column).codes < 0).sum())

    def repeats(self, column: str) -> bool:
        return bool((self.table.distinct(column).counts > 1).any())

    def place(self, tuple_of: Longs) -> None:
        self.is_kept = tuple_of >= 0
        self.record_tuple = tuple_of[self.is_kept]

    def by_tuple(self, column: str, ranges: bool | None = False) -> tuple[Longs, Distinct]:
        distinct = self.table.distinct(column).of(self.is_kept)
        return self.record_tuple, in_ranges(distinct, ranges)

    def alone(self, column: str) -> int:
        return int((self.table.distinct(column).counts == 1).sum())

    def apply(
        self,
        plan: Transitions,
        looks: Mapping[str, Written],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> FrameRows:
        target = frames.deal(plan, self.record_tuple, self.table, secret, self.is_kept)
        return FrameRows(self, plan, looks, removed, target, drops)


class FrameRows(Applied):
    """A masked table of the kind that was given."""

    engine: FrameEngine

    def __init__(
        self,
        engine: FrameEngine,
        plan: Transitions,
        looks: Mapping[str, Written],
        removed: Sequence[str],
        target: Longs,
        drops: bool,
    ) -> None:
        self.engine, self.plan, self.looks, self.removed = engine, plan, looks, removed
        released = ~frames.blank(plan)[target] if drops else np.ones(len(target), dtype=bool)
        self._released, self._target = released, target[released]
        self._rows = engine.is_kept.copy()
        self._rows[engine.is_kept] = released
        self.records = len(self._target)
        self.data = engine.table.released(
            {
                column: Written(look.values, look.places[self._target], look.text)
                for column, look in looks.items()
            },
            removed,
            self._rows,
        )

    def verify(self) -> None:
        self._classes = frames.verify(
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

    def people(self, column: str) -> Longs:
        people = self.engine.table.distinct(column).codes[self._rows]
        return frames.people_in(self._classes, people)

    def by_class(self, column: str, ranges: bool | None = False) -> tuple[Longs, Distinct]:
        distinct = self.engine.table.distinct(column).of(self._rows)
        return self._target, in_ranges(distinct, ranges)

    def unique_with(self, columns: Sequence[str]) -> int:
        codes = [self.engine.table.distinct(column).codes[self._rows] + 1 for column in columns]
        return int((count_tuples([], [self._target, *codes])[0].counts == 1).sum())

    def value_counts(self, column: str) -> Distinct:
        return Frame(self.data).distinct(column)

    def write(self, target: Path, force: bool) -> None:
        from ontomask.engines.formats import write_frame

        write_frame(self.data, target, force=force)
