"""Cells of CSV files that a spreadsheet would run as formulas: counted, or made text.

A cell that starts with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return may be run when the
file is opened, unless it is a number or a lone sign. An apostrophe before it makes it text. A cell
that starts with apostrophes and one of these gets one more, so that the original can be read back.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ontomask.engines.duckdb.sql import identifier
from ontomask.errors import FileFormatError, FormulaWarning, format_count

if TYPE_CHECKING:
    from ontomask.engines.formats.stored_table import StoredTable

__all__ = ["escape_query", "formulas_in_row", "read_escaped", "warn_about_formulas"]

STARTS = "=+-@\t\r"
HARMLESS = r"[+-]|[+-]?([0-9]+([.,][0-9]+)*|[.,][0-9]+)([eE][+-]?[0-9]+)?"


def escape_query(query: str, types: dict[str, str]) -> str:
    """A query with its formulas made text; columns of numbers are left as they are."""
    for name in types:
        if name.startswith(tuple(STARTS)):
            raise FileFormatError(
                f"column name {name!r} would be run as a formula", "rename the column"
            )
    cells = [
        f"{_escape(identifier(name))} as {identifier(name)}"
        if type == "VARCHAR"
        else identifier(name)
        for name, type in types.items()
    ]
    return f"select {', '.join(cells)} from ({query})"


def read_escaped(source: str, names: Sequence[str], row: str) -> str:
    """The source of a written file as it was before formulas were made text."""
    cells = [f"{_restore(identifier(name))} as {identifier(name)}" for name in names]
    return f"(select {', '.join([*cells, row])} from {source})"


def _escape(cell: str) -> str:
    starts = (
        f"{_starts_with(cell, chr(39) + STARTS)} and regexp_matches({cell}, '^''*[=+@\\t\\r-]')"
    )
    return f"if({starts} and not {_is_harmless(cell)}, '''' || {cell}, {cell})"


def _restore(cell: str) -> str:
    starts = f"{_starts_with(cell, chr(39))} and regexp_matches({cell}, '^''+[=+@\\t\\r-]')"
    return f"if({starts}, substring({cell}, 2), {cell})"


def _starts_with(cell: str, characters: str) -> str:
    return f"ascii({cell}) in ({', '.join(str(ord(character)) for character in characters)})"


def _is_harmless(cell: str) -> str:
    return f"regexp_full_match({cell}, '{HARMLESS}')"


def formulas_in_row(names: Sequence[str]) -> str:
    """The SQL for how many cells of a row a spreadsheet would run."""
    cells = [
        # CASE looks for numbers only in the few cells that start like a formula.
        f"cast(case when {_starts_with(cell, STARTS)} then not {_is_harmless(cell)} else false end "
        "as integer)"
        for cell in map(identifier, names)
    ]
    while len(cells) > 1:  # sums of sums, because DuckDB bounds the depth of an expression
        cells = [f"({' + '.join(cells[place : place + 20])})" for place in range(0, len(cells), 20)]
    return cells[0]


def warn_about_formulas(finished: StoredTable, count: int | None) -> None:
    """Warn if a written file has cells that a spreadsheet would run; None: count them first."""
    if count is None:
        query = f"select sum({formulas_in_row(finished.names)}) from {finished.source}"
        count = int(finished.connection.execute(query).fetchall()[0][0] or 0)
    formulas = count + sum(name.startswith(tuple(STARTS)) for name in finished.names)
    if formulas:
        warnings.warn(
            f"{format_count(formulas, 'cell')} of the written file may be run as formulas by a "
            "spreadsheet. To write them as text, use csv: {escape_formulas: true} in a release "
            "file or Release.write(escape_formulas=True)",
            FormulaWarning,
            stacklevel=2,
        )
