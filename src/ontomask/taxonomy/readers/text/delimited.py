"""Tables of concepts in delimited text, with line numbers for errors."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Literal, NamedTuple

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text.dialect import (
    check_character,
    detect_delimiter,
    detect_encoding,
)
from ontomask.taxonomy.readers.text.source import Source

__all__ = [
    "Row",
    "DelimitedTable",
    "find_column",
    "first_row",
    "read_table",
]


class Row(NamedTuple):
    """One row of a table and the line it ends on."""

    line: int
    cells: list[str]


class DelimitedTable(NamedTuple):
    """The rows of a delimited file, blank ones left out, cells stripped of outer spaces."""

    source: Source
    delimiter: str
    rows: list[Row]

    def error(self, line: int, reason: str, hint: str = "") -> FileFormatError:
        """An error that names the file and the line."""
        return self.source.error(reason, hint, line=line)


def read_table(
    source: Source,
    delimiter: str | None = None,
    encoding: str = "utf-8-sig",
    *,
    strip: bool = True,
) -> DelimitedTable:
    """Read a delimited file; the delimiter is detected where it is not given."""
    delimiter = check_character("delimiter", delimiter)
    if encoding == "utf-8-sig":  # unless the mark tells another
        encoding = detect_encoding(source.head)[0]
    text = source.text(encoding).removeprefix("\ufeff")
    if not text.strip():
        raise source.error("the file is empty", "use a file that contains a table of concepts")
    if delimiter is None:
        delimiter = _detect_delimiter(text)
    if delimiter is None:
        first = text.lstrip().splitlines()[0][:60]
        raise source.error(
            f"no tab, semicolon, comma or bar separates columns in {first!r}",
            'write two columns, child and parent, or set the delimiter: delimiter=" "',
            line=1,
        )
    rows, problem = _parse_rows(text, delimiter, csv.QUOTE_MINIMAL, strip)
    if problem and delimiter == "\t":
        # In a plain tab-separated file a quotation mark is part of the text.
        rows, problem = _parse_rows(text, delimiter, csv.QUOTE_NONE, strip)
    if problem:
        raise source.error(
            problem.cells[0],
            "a cell that contains a quotation mark or the delimiter must be quoted",
            line=problem.line,
        )
    return DelimitedTable(source, delimiter, rows)


def first_row(source: Source) -> list[str]:
    """The cells of the first row, if they can be read; used to detect a format."""
    top = source.head_text.strip().splitlines()[:50]
    delimiter = _detect_delimiter(source.head_text)
    if delimiter is None or top[0].startswith("{"):  # no column, or JSON
        return []
    rows, _ = _parse_rows(top[0], delimiter, csv.QUOTE_MINIMAL)
    return rows[0].cells if rows else top[0].split(delimiter)


def _detect_delimiter(text: str) -> str | None:
    return detect_delimiter(text.strip()[:65_536], cut=len(text) > 65_536)


def _parse_rows(
    text: str, delimiter: str, quoting: Literal[0, 3], strip: bool = True
) -> tuple[list[Row], Row | None]:
    """The rows, and where parsing stopped on an error, that line with the reason."""
    rows: list[Row] = []
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True
    )
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                rows.append(Row(reader.line_num, stripped if strip else cells))
    except csv.Error as error:
        return rows, Row(reader.line_num, [str(error)])
    return rows, None


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Find the place of the first of these names in a header."""
    plain = [name.strip().casefold().replace(" ", "_") for name in header]
    return next((plain.index(name) for name in names if name in plain), None)
