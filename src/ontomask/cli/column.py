"""One column of a table in a file, counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ontomask.engines.duckdb.sql import identifier
from ontomask.engines.formats import StoredTable, open_table
from ontomask.errors import ColumnError, quote_names

__all__ = ["count_column"]


def count_column(
    path: Path, column: str | None, delimiter: str | None, encoding: str | None
) -> tuple[str, Counter[Any]]:
    """Count the values of a column; return its name and the counts. Empty cells are missing.

    A CSV file with a single column and no column named is a list of values, one a line.
    """
    with open_table(path, delimiter=delimiter, encoding=encoding) as table:
        is_list = column is None and table.format == "csv" and len(table.names) == 1
        name = table.names[0] if is_list else _find_column(table, column)
        quoted = identifier(name)
        rows = table.connection.execute(
            f"select {quoted}, count(*) from {table.source} group by 1 order by min(ontomask_row)"
        ).fetchall()
        counts: Counter[Any] = Counter()
        for value, count in rows:
            counts[None if value == "" else value] += count
        if is_list:  # its first line is a value, too, and an empty line is none
            counts = Counter({name: 1}) + counts
            del counts[None]
        return path.name if is_list else name, counts


def _find_column(table: StoredTable, column: str | None) -> str:
    if column is None and len(table.names) == 1:
        return table.names[0]
    if column is None or column not in table.names:
        got = f"got {column!r}" if column else "got none"
        raise ColumnError(
            f"--column must be a column of {table.path}, {got}",
            f"the columns are {quote_names(table.names, most=40)}",
        )
    return column
