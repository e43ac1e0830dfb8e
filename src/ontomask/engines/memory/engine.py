"""Tables in memory as an engine: every record is a row that is counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.records import FrameRecords
from ontomask.engines.protocol import CountedRows, Engine

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FrameEngine", "draw_places"]

Longs = NDArray[np.int64]


class FrameEngine(Engine):
    """A pandas, polars or pyarrow table, or a DuckDB relation."""

    def __init__(self, table: Any) -> None:
        self.table = Frame(table)
        self.names = self.table.names
        self.rows = self.table.rows
        self.index_names = self.table.index_names

    def count_rows(
        self, columns: Sequence[str], known: str | None = None, marks: Collection[str] = ()
    ) -> CountedRows:
        if known is None:
            return _RecordRows(self, None)
        return _RecordRows(self, self.table.has_known_value(known, marks).astype(np.int64))

    def count_unknown(self, column: str, marks: Collection[str] = ()) -> int:
        return int((~self.table.has_known_value(column, marks)).sum())

    def has_repeats(self, column: str) -> bool:
        return bool((self.table.distinct_values(column).counts > 1).any())

    def count_unique_values(self, column: str) -> int:
        return int((self.table.distinct_values(column).counts == 1).sum())

    def links_records(self, column: str, person: str, marks: Collection[str] = ()) -> bool:
        known = self.table.has_known_value(column, marks)
        known &= self.table.has_known_value(person, marks)
        values, people = (
            self.table.distinct_values(name).codes[known] for name in (column, person)
        )
        pairs = len(np.unique(np.column_stack([values, people]), axis=0))
        different = len(np.unique(values))
        return pairs == different < len(values) and len(np.unique(people)) > 1

    def read(self, columns: Sequence[str]) -> Frame:
        return self.table

    def convert_rows(self, rows: pa.Table) -> Any:
        original = self.table
        if original.kind == "pandas":
            return rows.to_pandas()
        if original.kind in ("polars", "lazy"):
            import polars as pl

            frame = pl.DataFrame(pl.from_arrow(rows))
            return frame.lazy() if original.kind == "lazy" else frame
        if original.kind == "duckdb":
            return original.original.query("ontomask_original", "select * from rows")
        return rows

    def write_released(
        self, data: Any, target: Path, force: bool, escape_formulas: bool = False
    ) -> None:
        """Write a released table to a file."""
        from ontomask.engines.formats import write_frame

        write_frame(data, target, force=force, escape_formulas=escape_formulas)

    def sample(self, size: int, seed: int) -> FrameEngine:
        places = draw_places(self.rows, size, seed)
        return FrameEngine(self.table.select(self.names, places).native)


def draw_places(rows: int, size: int, seed: int) -> Longs:
    """Draw the places of a random sample of records, in ascending order."""
    random = np.random.default_rng([seed, size])
    return np.sort(random.choice(rows, size, replace=False))


class _RecordRows(CountedRows):
    """Every record as a row of its own; those that are left out have the weight 0."""

    def __init__(self, engine: FrameEngine, weights: Longs | None) -> None:
        self._engine, self.frame, self.weights = engine, engine.table, weights
        self.left_out = 0 if weights is None else int((weights == 0).sum())

    def assign_tuples(self, tuple_of: Longs) -> FrameRecords:
        return FrameRecords(self._engine, self.frame, tuple_of)
