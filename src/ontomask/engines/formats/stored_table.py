"""What the formats have in common: a table in a file, and how another is written from it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

import duckdb

from ontomask._runtime.files.atomic_files import atomic_path, refuse_targets
from ontomask._runtime.files.file_stamps import refuse_changed, stamp_file
from ontomask.engines.duckdb.connection import (
    close_connection,
    identifier,
    literal,
    result_types,
    run_copy,
    translate_write_errors,
)
from ontomask.engines.formats.formulas import escape_query, read_escaped, warn_about_formulas
from ontomask.engines.formats.loaded_rows import ROW, LoadedRows
from ontomask.errors import FileFormatError, InternalError, ParameterError, format_count

__all__ = [
    "ROW",
    "Check",
    "FileOptions",
    "StoredTable",
    "check_names",
    "remove_last_newline",
    "write_lines",
    "write_query",
]

#: What the names of all columns begin with that we add on the way.
RESERVED_PREFIX = "ontomask_"


@dataclass(frozen=True)
class FileOptions:
    """What the caller said about how a file is read; the rest is detected."""

    table: str | None = None
    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    address: str | None = field(default=None, repr=False)  # of a server, with its password
    types: dict[str, str] | None = None  # of the original's columns, to be read alike
    names: tuple[str, ...] = ()  # columns there must be, also where no row has them
    for_one_query: bool = False  # reads the file where it is, if it can: no need to load it


#: Objects to a finished file, or returns how many of its cells a spreadsheet would run (None: not
#: counted), as one query can do both and text files take long to read.
Check = Callable[["StoredTable"], int | None]


class StoredTable(ABC):
    """A table in a file, that SQL can read.

    ``source`` goes into a FROM clause: the columns of the file in their order and under their
    names, and ``ontomask_row``, the place of the row in the file, from 0. Parquet is read where it
    is; anything else is read once, into ``loaded``. Names keep their letters, but SQL does not
    tell upper from lower case, nor do the files we open.
    """

    format: ClassVar[str]
    accepted_options: ClassVar[frozenset[str]] = frozenset()  # what of FileOptions makes sense
    stays_in_file: ClassVar[bool] = False  # read where it is, by every query
    runs_formulas: ClassVar[bool] = False  # a spreadsheet runs text that looks like a formula

    # What a format fills in when it opens a file.
    names: list[str]
    types: dict[str, str]
    rows: int
    source: str
    options: FileOptions  # with which another file is read in the same way

    def __init__(
        self, path: Path, connection: duckdb.DuckDBPyConnection, options: FileOptions
    ) -> None:
        self.path = path
        self.connection = connection
        self.owns_connection = False
        self.loaded = LoadedRows(connection)
        self._stamp = stamp_file(path)
        try:
            self._open(options)
            refuse_changed(path, self._stamp)
        except BaseException:
            self.close()
            raise

    # ------------------------------------------------------------------ what a format fills in

    @abstractmethod
    def _open(self, options: FileOptions) -> None:
        """Detect names, types, rows and so on, or say what is wrong with the file."""

    @classmethod
    def write_rows(
        cls, connection: duckdb.DuckDBPyConnection, query: str, path: Path, like: Self | None
    ) -> int:
        """Write the result of a query, formatted as ``like`` is; returns how many rows."""
        raise ParameterError(
            f"{cls.format} tables cannot be written", "write a .csv or .parquet file"
        )

    # ------------------------------------------------------------------ what all have

    def _load_rows(self, query: str, size: int = 0) -> None:
        """Read the rows that a query gives once: all columns of the file, ``size`` bytes."""
        self.loaded.load(self.names, query, size)
        self.rows, self.source = self.loaded.rows, self.loaded.source

    def refuse_changed(self) -> None:
        """Refuse a table that is no longer what it was when it was opened."""
        if self.stays_in_file:
            refuse_changed(self.path, self._stamp)

    def close(self) -> None:
        """Let go of what was made to read the file; of the connection too, if it was made here."""
        self.loaded.drop()
        if self.owns_connection:
            self.owns_connection = False
            close_connection(self.connection)

    def __enter__(self) -> StoredTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        shape = f"{format_count(self.rows, 'row')} of {format_count(len(self.names), 'column')}"
        return f"StoredTable({self.path.name}, {self.format}, {shape})"

    def open_alike(self, path: str | os.PathLike[str]) -> StoredTable:
        """Open another file in the same way."""
        return type(self)(Path(path), self.connection, self.options)

    def write(
        self,
        query: str,
        target: str | os.PathLike[str],
        *,
        force: bool = False,
        escape_formulas: bool = False,
        check: Check | None = None,
    ) -> None:
        """Write what a SELECT gives, in the order it gives it; ``ontomask_row`` is left out.

        The ending of the target says the format; the one of this file where it says nothing. In
        the same format it is written as this file is. The finished file is read again, and
        ``check`` may object to it, before it takes its name: it is there whole or not at all.
        """
        from ontomask.engines.formats.formats import named_format

        target = Path(target)
        refuse_targets([target], [self.path])
        maker = named_format(target) or type(self)
        like = self if maker is type(self) else None
        write_query(
            self.connection,
            query,
            target,
            maker,
            like,
            force=force,
            escape_formulas=escape_formulas,
            check=check,
        )

    def written_file_options(self, path: Path) -> FileOptions:
        """The options with which a file that was written like this one is read."""
        return self.options

    def error(self, reason: str, hint: str = "", *, line: int | None = None) -> FileFormatError:
        """An error that names the file, and the line where it is known."""
        where = f"{self.path}, line {line}" if line is not None else f"{self.path}"
        return FileFormatError(f"{where}: {reason}", hint)


def write_query(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    target: Path,
    maker: type[StoredTable],
    like: StoredTable | None = None,
    *,
    force: bool = False,
    escape_formulas: bool = False,
    check: Check | None = None,
) -> None:
    """Write what a SELECT gives and read it again, before the file takes its name."""
    query, names = _without_row_column(connection, query)
    if escape_formulas:
        if not maker.runs_formulas:
            raise ParameterError(
                f"escape_formulas is only for CSV files, got {target}", "leave escape_formulas out"
            )
        query = escape_query(query, result_types(connection, query))
    with atomic_path(target, force=force) as unfinished:
        with translate_write_errors(target):
            rows = maker.write_rows(connection, query, unfinished, like)
        options = like.written_file_options(unfinished) if like else FileOptions()
        finished = maker(
            unfinished, connection, replace(options, names=tuple(names), for_one_query=True)
        )
        try:
            if finished.rows != rows or finished.names != names:
                raise InternalError(f"{target} does not read as what was written")
            if escape_formulas:
                finished.source = read_escaped(finished.source, names, ROW)
            formulas = check(finished) if check is not None else None
            if maker.runs_formulas and not escape_formulas:
                warn_about_formulas(finished, formulas)
        finally:
            finished.close()


def _without_row_column(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[str, list[str]]:
    """The query without the row column, and the names of its columns."""
    query = query.strip().rstrip(";")
    names = [name for name in result_types(connection, query) if name != ROW]
    if not names:
        raise ParameterError("the query must return at least one column, got none")
    return f"select {', '.join(map(identifier, names))} from ({query})", names


def check_names(table: StoredTable, names: list[str]) -> list[str]:
    """Check that every name can stand for its column; returns the names."""
    seen: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        if not name:
            raise table.error(
                f"column {place} has no name", "give every column a name in the first row"
            )
        if name.lower().startswith(RESERVED_PREFIX):
            raise table.error(f"a column has the reserved name {name!r}", "rename it")
        other = seen.setdefault(name.lower(), name)
        if len(seen) < place:
            same = (
                "two columns are named" if other == name else f"two columns are named {other!r} and"
            )
            raise table.error(
                f"{same} {name!r}",
                "names must differ by more than upper and lower case: rename one of them",
            )
    return names


def write_lines(
    connection: duckdb.DuckDBPyConnection,
    first: str | None,
    line: str,
    query: str,
    path: Path,
) -> int:
    """Write one line for each row of a query, made by an SQL expression; the rows.

    DuckDB ends each with a line feed. A name that ends in .gz is packed.
    """
    rows = f"select {line} as line from ({query})"
    if first is not None:
        rows = f"select {literal(first)} as line union all {rows}"
    packing = "gzip" if path.suffix == ".gz" else "none"
    written = run_copy(
        connection,
        f"copy ({rows}) to {literal(str(path))} (format csv, header false, delimiter ',', "
        f"quote '', escape '', nullstr '', compression {packing}, use_tmp_file false)",
    )
    return written - (first is not None)


def remove_last_newline(path: Path, ending: bytes) -> None:
    """Remove the last new line, as the original has none; a packed file keeps it."""
    if path.suffix == ".gz":
        return
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        if size >= len(ending):
            file.truncate(size - len(ending))
