"""Tables of a PostgreSQL server, where DuckDB's extension is installed; they are only read."""

from __future__ import annotations

from typing import ClassVar

import duckdb

from ontomask.engines.duckdb.connection import (
    fresh_name,
    identifier,
    literal,
    load_extension,
    result_types,
)
from ontomask.engines.formats.stored_table import FileOptions, StoredTable, check_names
from ontomask.errors import FileFormatError, ParameterError

__all__ = ["PostgresTable"]


class PostgresTable(StoredTable):
    """A table of a server; its address, which may hold a password, is never shown."""

    format: ClassVar[str] = "postgres"
    accepted_options: ClassVar[frozenset[str]] = frozenset({"table"})

    def _open(self, options: FileOptions) -> None:
        if options.table is None or options.address is None:
            raise ParameterError(
                "a PostgreSQL source needs a table", "set table to its name: schema.table"
            )
        load_extension(self.connection, "postgres", "export the table as CSV")
        server = fresh_name()
        table = ".".join(map(identifier, [server, *options.table.split(".")]))
        try:
            self.connection.execute(
                f"attach {literal(options.address)} as {server} (type postgres, read_only)"
            )
            self.types = result_types(self.connection, f"select * from {table}")
            self.names = check_names(self, list(self.types))
            self._load_rows(f"select * from {table}")
        except duckdb.Error:
            raise FileFormatError(
                f"table {options.table!r} of the PostgreSQL server cannot be read",
                "check the address, the password and the name of the table",
            ) from None
        finally:
            self.connection.execute(f"detach database if exists {server}")
        self.options = FileOptions(table=options.table, address=options.address)
