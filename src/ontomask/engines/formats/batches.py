"""Rows that DuckDB cannot read itself, brought into a table of its own batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa

from ontomask.engines.duckdb.connection import fresh_name, identifier
from ontomask.engines.formats.stored_table import ROW

__all__ = ["BATCH", "Batches"]

BATCH = 50_000


class Batches:
    """A temporary table that grows, also by columns; it spills where memory is short."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection = connection
        self.name = fresh_name()
        self.types: dict[str, str] = {}
        self.rows = 0
        connection.execute(f"create temp table {self.name} ({ROW} bigint)")

    def add_column(self, name: str, type: str) -> None:
        """One more column, empty so far."""
        self.connection.execute(f"alter table {self.name} add column {identifier(name)} {type}")
        self.types[name] = type

    def append(self, columns: Mapping[str, Sequence[Any]], rows: int) -> None:
        """Some more rows, in the order they come."""
        if not rows:
            return
        arrays = [pa.array(range(self.rows, self.rows + rows), pa.int64())]
        arrays += [pa.array(columns[name], ARROW_TYPES[type]) for name, type in self.types.items()]
        # Numbered names, as any name may occur in the data.
        batch = pa.table(arrays, names=[f"c{place}" for place in range(len(arrays))])
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
