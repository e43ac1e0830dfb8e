"""Tables of a PostgreSQL server, where DuckDB's extension is installed; they are only read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import duckdb

from ontomask.engines.duckdb.connection import (
    fresh_name,
    identifier,
    literal,
    load_extension,
    result_types,
)
from ontomask.engines.formats.stored_table import ROW, FileOptions, StoredTable, check_names
from ontomask.errors import FileFormatError, ParameterError

__all__ = ["PostgresTable"]


class PostgresTable(StoredTable):
    """A table of a server; its address, which may hold a password, is never shown."""

    format: ClassVar[str] = "postgres"
    accepted_options: ClassVar[frozenset[str]] = frozenset({"table"})

    def _open(self, options: FileOptions) -> None:
        if options.table is None or options.address is None:
            raise ParameterError("no table of the PostgreSQL server is named", "say which: table")
        load_extension(self.connection, "postgres", "export the table as CSV")
        self.table, self._address, self._server = options.table, options.address, fresh_name()
        where = ".".join(map(identifier, [self._server, *options.table.split(".")]))
        try:
            self.connection.execute(
                f"attach {literal(options.address)} as {self._server} (type postgres, read_only)"
            )
            self.types = result_types(self.connection, f"select * from {where}")
            counted = self.connection.execute(f"select count(*) from {where}").fetchall()
        except duckdb.Error:
            raise FileFormatError(
                f"table {options.table!r} of the PostgreSQL server cannot be read",
                "check its address, the password and the name: schema.table",
            ) from None
        self.names = check_names(self, list(self.types))
        self.rows = int(counted[0][0])
        self.source = f"(select *, row_number() over () - 1 as {ROW} from {where})"

    def options(self) -> FileOptions:
        return FileOptions(table=self.table, address=self._address)

    def close(self) -> None:
        self.connection.execute(f"detach database if exists {self._server}")
        super().close()

    @property
    def dialect(self) -> dict[str, Any]:
        return {"table": self.table}

    def describe(self) -> dict[str, Any]:
        return {"file": "postgresql", "format": self.format, "dialect": self.dialect}

    @classmethod
    def write_rows(
        cls,
        connection: duckdb.DuckDBPyConnection,
        query: str,
        path: Path,
        like: StoredTable | None,
    ) -> int:
        raise ParameterError("a PostgreSQL server is only read", "write a .csv or .parquet file")
