"""The rows of a file in DuckDB's own storage: read once, and every query reads them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa

from ontomask.engines.duckdb.connection import fresh_name, identifier, run_copy

__all__ = ["BATCH", "ROW", "LoadedRows"]

#: The column that says where a row stands in its file.
ROW = "ontomask_row"

#: Rows that come from Python are appended so many at a time.
BATCH = 50_000


class LoadedRows:
    """A table in memory that spills to the connection's private folder where memory is short.

    It is no temporary table: those are not seen by other cursors of the connection. Columns have
    numbered names, as any name may occur in a file, ``rowid`` too. DuckDB numbers the rows of a
    table that only grows from 0, in the order they were inserted.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.name = fresh_name()
        self.columns: dict[str, str] = {}  # the names of the file, and the ones that are stored
        self.rows = 0
        self._types: list[str] = []

    @property
    def source(self) -> str:
        """What goes into a FROM clause: the columns by their names, and the place of the row."""
        selected = [f"{stored} as {identifier(name)}" for name, stored in self.columns.items()]
        return f"(select {', '.join(selected)}, rowid as {ROW} from {self.name})"

    def load(self, names: Sequence[str], query: str) -> None:
        """Load what a query gives, in its order; ``names`` are those of its columns."""
        previous, self.name = self.name, fresh_name()
        self.columns = {name: f"c{place}" for place, name in enumerate(names)}
        columns = ", ".join(self.columns.values())
        self.rows = run_copy(
            self.connection, f"create table {self.name} as select * from ({query}) t({columns})"
        )
        self.connection.execute(f"drop table if exists {previous}")

    def add_column(self, name: str, type: str) -> None:
        """Add a column, empty so far."""
        column = f"c{len(self.columns)}"
        self.connection.execute(
            f"alter table {self.name} add column {column} {type}"
            if self.columns
            else f"create table {self.name} ({column} {type})"
        )
        self.columns[name] = column
        self._types.append(type)

    def append(self, columns: Mapping[str, Sequence[Any]], rows: int) -> None:
        """Append some rows, in the order they come."""
        if not rows:
            return
        arrays = [
            pa.array(columns[name], ARROW_TYPES[type])
            for name, type in zip(self.columns, self._types, strict=True)
        ]
        batch = pa.table(arrays, names=list(self.columns.values()))
        self.connection.register(f"{self.name}_batch", batch)
        try:
            self.connection.execute(f"insert into {self.name} select * from {self.name}_batch")
        finally:
            self.connection.unregister(f"{self.name}_batch")
        self.rows += rows

    def drop(self) -> None:
        """Remove the table, if it did not go with its connection."""
        with suppress(duckdb.ConnectionException):
            self.connection.execute(f"drop table if exists {self.name}")


ARROW_TYPES = {
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BLOB": pa.binary(),
}
