"""The rows of a file in DuckDB's own storage: read once, and every query reads them there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa

from ontomask.engines.duckdb.connection import (
    attach_private_file,
    fresh_name,
    identifier,
    memory_limit,
    remove_names,
    run_copy,
)

__all__ = ["BATCH", "ROW", "LoadedRows"]

#: The column that says where a row stands in its file.
ROW = "ontomask_row"

#: Bytes of memory for each byte of text.
BYTES_IN_MEMORY = 1.5

#: Rows that would fill more than this share of the memory are kept in a file.
MEMORY_SHARE = 0.5

#: Number of rows from Python that are appended at a time.
BATCH = 50_000


class LoadedRows:
    """A table in memory, or where it is large, compressed in a private file.

    Compression takes longer than parsing, so that it pays only where memory is short. It is no
    temporary table: those are not seen by other cursors of the connection. Columns have numbered
    names, as any name may occur in a file, ``rowid`` too. DuckDB numbers the rows of a table that
    only grows from 0, in the order they were inserted.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.name = fresh_name()
        self.columns: dict[str, str] = {}  # the names of the file, and the ones that are stored
        self.rows = 0
        self._database = ""  # the one in a file, if any
        self._types: list[str] = []

    @property
    def source(self) -> str:
        """What goes into a FROM clause: the columns by their names, and the place of the row."""
        selected = [f"{stored} as {identifier(name)}" for name, stored in self.columns.items()]
        return f"(select {', '.join(selected)}, rowid as {ROW} from {self.name})"

    def load(self, names: Sequence[str], query: str, size: int = 0) -> None:
        """Load what a query gives, in its order, in place of what there was.

        ``names`` are those of its columns, ``size`` about how many bytes of text they hold.
        """
        previous, self.name = self.name, fresh_name()
        if size * BYTES_IN_MEMORY > memory_limit(self.connection) * MEMORY_SHARE:
            self._database = attach_private_file(self.connection)
            self.name = f"{self._database}.{self.name}"
        self.columns = {name: f"c{place}" for place, name in enumerate(names)}
        columns = ", ".join(self.columns.values())
        self.rows = run_copy(
            self.connection, f"create table {self.name} as select * from ({query}) t({columns})"
        )
        if self._database:
            remove_names(self.connection, self._database)
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
            if self._database:
                self.connection.execute(f"detach database if exists {self._database}")
            else:
                self.connection.execute(f"drop table if exists {self.name}")


ARROW_TYPES = {
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "BLOB": pa.binary(),
}
