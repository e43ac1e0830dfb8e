"""SQLite, through Python's own sqlite3: read in batches, written to a new file.

SQLite lets every cell have a type of its own. A column is read as what its cells are: whole
numbers BIGINT, numbers DOUBLE, bytes BLOB, anything mixed VARCHAR. It is written under its declared
type, so that SQLite makes numbers of what stands in a column for numbers. Not kept: keys, indexes,
constraints and other tables; numbers in a column that also holds text and declares no type.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import quote

import duckdb

from ontomask.engines.duckdb.connection import identifier, result_types, translate_read_errors
from ontomask.engines.formats.loaded_rows import BATCH
from ontomask.engines.formats.stored_table import FileOptions, StoredTable, check_names
from ontomask.errors import quote_names
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["SqliteTable"]

STORAGE_CLASSES = ("integer", "real", "text", "blob")
ROW_NUMBERS = ("rowid", "_rowid_", "oid")  # what SQLite calls them, unless a column does
LARGEST_EXACT = 2**53  # above, a whole number may not fit a DOUBLE


class SqliteTable(StoredTable):
    """A table of an SQLite database."""

    format: ClassVar[str] = "sqlite"
    accepted_options: ClassVar[frozenset[str]] = frozenset({"table"})

    def _open(self, options: FileOptions) -> None:
        with Source(self.path).open() as file:
            if file.read(16) != b"SQLite format 3\0":
                raise self.error("this is not a SQLite database", "set format to its format")
        self._expected_types = options.types or {}
        address = f"file:{quote(os.fsencode(os.path.abspath(self.path)))}?mode=ro"
        with (
            translate_read_errors(self.path),
            closing(sqlite3.connect(address, uri=True)) as database,
        ):
            database.execute("begin")  # all queries see the same state
            self.table = self._choose_table(database, options.table)
            self._read_columns(database)
            self._load(database)
        self.options = FileOptions(table=self.table, types=self.types)

    def _choose_table(self, database: sqlite3.Connection, requested: str | None) -> str:
        rows = database.execute(
            "select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' "
            "escape '!' order by name"
        )
        tables = [name for (name,) in rows]
        if requested is not None and requested in tables:
            return requested
        if requested is not None:
            raise self.error(
                f"table {requested!r} does not exist",
                f"the tables are {quote_names(tables, most=40)}",
            )
        if not tables:
            raise self.error("the database has no table")
        if len(tables) > 1:
            raise self.error(
                f"the database has {len(tables)} tables",
                f"set table to one of {quote_names(tables, most=40)}",
            )
        return tables[0]

    def _read_columns(self, database: sqlite3.Connection) -> None:
        """Names, declared types and the types the cells have."""
        declared = database.execute(f"pragma table_info({identifier(self.table)})").fetchall()
        self.declared = {row[1]: row[2] for row in declared}
        self.names = check_names(self, list(self.declared))
        self.types = {}
        for name in self.names:
            column = identifier(name)
            counts = ", ".join(f"sum(typeof({column}) = '{kind}')" for kind in STORAGE_CLASSES)
            row = database.execute(
                f"select {counts}, max(case when typeof({column}) = 'integer' "
                f"then max({column}, -({column} + 1)) end) from {identifier(self.table)}"
            ).fetchone()
            kinds = {kind for kind, count in zip(STORAGE_CLASSES, row, strict=False) if count}
            self.types[name] = self._column_type(name, kinds, row[-1] or 0)

    def _column_type(self, name: str, kinds: set[str], largest: int) -> str:
        expected = self._expected_types.get(name, "")
        if not kinds:
            return expected or "VARCHAR"
        if "blob" not in kinds and expected == "VARCHAR":
            return expected
        if kinds == {"integer"} and expected != "DOUBLE":
            return "BIGINT"
        if kinds <= {"integer", "real"} and largest < LARGEST_EXACT:
            return "DOUBLE"
        if kinds == {"blob"}:
            return "BLOB"
        if "blob" in kinds:
            raise self.error(
                f"column {name!r} has bytes and other values", "convert the column to one type"
            )
        return "VARCHAR"

    def _load(self, database: sqlite3.Connection) -> None:
        for name, type in self.types.items():
            self.loaded.add_column(name, type)
        columns = ", ".join(map(identifier, self.names))
        select = f"select {columns} from {identifier(self.table)}"
        taken = set(map(str.lower, self.names))
        row_number = next((name for name in ROW_NUMBERS if name not in taken), None)
        try:
            rows = database.execute(f"{select} order by {row_number}" if row_number else select)
        except sqlite3.OperationalError:  # a table without row numbers is in the order of its key
            rows = database.execute(select)
        converters: list[Callable[[Any], Any] | None] = [
            CONVERTERS.get(t) for t in self.types.values()
        ]
        while batch := rows.fetchmany(BATCH):
            cells = {
                name: column
                if convert is None
                else [None if c is None else convert(c) for c in column]
                for name, convert, column in zip(
                    self.names, converters, zip(*batch, strict=True), strict=True
                )
            }
            self.loaded.append(cells, len(batch))
        self.rows, self.source = self.loaded.rows, self.loaded.source

    @classmethod
    def write_rows(
        cls, connection: duckdb.DuckDBPyConnection, query: str, path: Path, like: Self | None
    ) -> int:
        types = result_types(connection, query)
        name = identifier(like.table if like else path.name.split(".")[0] or "table")
        declared = like.declared if like else {}
        columns = ", ".join(
            f"{identifier(column)} {declared.get(column, AFFINITIES.get(type, 'TEXT'))}".rstrip()
            for column, type in types.items()
        )
        expressions = ", ".join(
            _cast_sql(identifier(column), type) for column, type in types.items()
        )
        # The file has no name yet: nobody needs a journal to go back by.
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("pragma journal_mode = off")
            database.execute("pragma synchronous = off")
            database.execute(f"create table {name} ({columns})")
            marks = ", ".join("?" * len(types))
            rows = 0
            result = connection.execute(f"select {expressions} from ({query})")
            database.execute("begin")
            while batch := result.fetchmany(BATCH):
                database.executemany(f"insert into {name} values ({marks})", batch)
                rows += len(batch)
            database.execute("commit")
        return rows


CONVERTERS: dict[str, Callable[[Any], Any]] = {"VARCHAR": str, "DOUBLE": float}
AFFINITIES = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "BOOLEAN"), "INTEGER"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "REAL"),
    "BLOB": "BLOB",
}


def _cast_sql(column: str, type: str) -> str:
    """A column in a type that SQLite has."""
    if type == "BOOLEAN":
        return f"cast({column} as integer)"
    return column if type in AFFINITIES else f"cast({column} as varchar)"
