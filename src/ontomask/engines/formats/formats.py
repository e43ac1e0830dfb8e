"""Which format a file has: by what was said, by what stands in it, by its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import duckdb

from ontomask.engines.duckdb.connection import close_connection, connect
from ontomask.engines.formats.csv import CsvTable
from ontomask.engines.formats.excel import ExcelTable
from ontomask.engines.formats.jsonl import JsonLinesTable
from ontomask.engines.formats.parquet import ParquetTable
from ontomask.engines.formats.postgres import PostgresTable
from ontomask.engines.formats.sqlite import SqliteTable
from ontomask.engines.formats.stored_table import FileOptions, StoredTable, write_query
from ontomask.errors import ParameterError, check_choice
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["format_of", "named_format", "open_table", "write_frame"]

FORMATS: dict[str, type[StoredTable]] = {
    kind.format: kind
    for kind in (CsvTable, ParquetTable, JsonLinesTable, SqliteTable, ExcelTable, PostgresTable)
}
ENDINGS: dict[str, type[StoredTable]] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), CsvTable),
    **dict.fromkeys((".parquet", ".pq"), ParquetTable),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JsonLinesTable),
    **dict.fromkeys((".sqlite", ".sqlite3", ".db"), SqliteTable),
    ".xlsx": ExcelTable,
}
MAGIC: dict[bytes, type[StoredTable]] = {
    b"PAR1": ParquetTable,
    b"SQLite format 3\0": SqliteTable,
}


def open_table(
    path: str | os.PathLike[str],
    connection: duckdb.DuckDBPyConnection | None = None,
    *,
    format: str | None = None,
    table: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
) -> StoredTable:
    """Open a table in a file: CSV, Parquet, JSON lines, SQLite, and Excel where DuckDB can.

    What is not said is found out. ``table`` is the table of a database or the sheet of a
    workbook; ``delimiter``, ``quote`` (``""``: nothing quotes) and ``encoding`` are for text.
    """
    if format is not None:
        check_choice("format", format, *FORMATS)
    kind = format_of(path, format)
    server = kind is PostgresTable
    options = FileOptions(table, delimiter, quote, encoding, str(path) if server else None)
    place = Path("postgresql" if server else path)
    for word in ("table", "delimiter", "quote", "encoding"):
        if getattr(options, word) is not None and word not in kind.accepted_options:
            raise ParameterError(
                f"{word} cannot be used with format {kind.format!r}", f"leave {word} out"
            )
    owns_connection = connection is None
    connection = connect() if connection is None else connection
    try:
        stored = kind(place, connection, options)
    except BaseException:
        if owns_connection:
            close_connection(connection)
        raise
    stored.owns_connection = owns_connection
    return stored


def write_frame(
    frame: Any,
    target: str | os.PathLike[str],
    *,
    force: bool = False,
    escape_formulas: bool = False,
) -> None:
    """Write a frame of any kind to a file, in the format its ending stands for.

    The index of a pandas frame is left out.
    """
    import narwhals as nw

    target = Path(target)
    maker = named_format(target)
    if maker is None:
        raise ParameterError(
            f"the extension of {target} is not a known format",
            f"use one of {', '.join(ENDINGS)}",
        )
    if nw.dependencies.is_pandas_dataframe(frame):
        frame = frame.reset_index(drop=True)
    columns = nw.from_native(frame).lazy().collect("pyarrow").to_native()
    connection = connect()
    try:
        connection.register("ontomask_frame", columns)
        write_query(
            connection,
            "select * from ontomask_frame",
            target,
            maker,
            force=force,
            escape_formulas=escape_formulas,
        )
    finally:
        close_connection(connection)


def named_format(path: Path) -> type[StoredTable] | None:
    """The format that the ending of a name stands for; gzip around it does not matter."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return ENDINGS.get(name.suffix.lower())


def format_of(path: str | os.PathLike[str], format: str | None) -> type[StoredTable]:
    """The format of a file: the one that is named, or what it begins with, or its ending."""
    if str(path).startswith(("postgresql://", "postgres://")):
        return PostgresTable
    if format is not None:
        return FORMATS[format]
    source = Source(Path(path))
    with source.open() as file:
        start = file.read(16)
    by_content = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    return by_content or named_format(Path(path)) or CsvTable
