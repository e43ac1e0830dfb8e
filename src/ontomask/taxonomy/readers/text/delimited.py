"""Tables of concepts in delimited text, with line numbers for errors."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from itertools import pairwise
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
    "is_plain_list",
    "parse_rows",
    "read_table",
    "top_rows",
]


#: Where at least this part of the values of a column stands once, it does not group another.
MOST_ALONE = 0.9


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
    rows, problem = parse_rows(text, delimiter, strip)
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


def top_rows(source: Source) -> list[list[str]]:
    """The cells of the rows in the head of a file, as far as they can be read."""
    text = source.head_text.strip()
    delimiter = _detect_delimiter(text)
    if delimiter is None or text.startswith("{"):
        return []
    rows, _ = parse_rows(text, delimiter)
    if source.is_longer_than_head:
        rows = rows[:-1]
    return [row.cells for row in rows]


def is_plain_list(rows: Sequence[Sequence[str]]) -> bool:
    """Whether columns only say the same thing in other words, such as a code and its name.

    In a hierarchy some values stand above several others, or are both above and below.

    >>> is_plain_list([("A", "Farming"), ("B", "Mining"), ("C", "Industry")])
    True
    >>> is_plain_list([("nurse", "health"), ("doctor", "health"), ("cook", "food")])
    False
    """
    if len(rows) < 3 or any("*" in cell for cell in rows[0]):  # 4320* stands above 43201
        return False
    columns = [[row[place] for row in rows if len(row) > place] for place in range(len(rows[0]))]
    distinct = [set(column) for column in columns]
    return all(
        len(above) >= MOST_ALONE * len(below) and len(above & below) <= 0.1 * len(below)
        for below, above in pairwise(distinct)
    )


def _detect_delimiter(text: str) -> str | None:
    return detect_delimiter(text.strip()[:65_536], cut=len(text) > 65_536)


def parse_rows(
    text: str,
    delimiter: str,
    strip: bool = True,
    *,
    quoted: bool = True,
    initial_spaces: bool = False,
) -> tuple[list[Row], Row | None]:
    """The rows of a text, blank ones left out; and, if one cannot be read, its line and why.

    With ``quoted=False`` quotation marks are text; with ``initial_spaces`` they may follow a space.
    """
    if not quoted:
        return _parse_rows(text, delimiter, csv.QUOTE_NONE, strip)
    rows, problem = _parse_rows(text, delimiter, csv.QUOTE_MINIMAL, strip, initial_spaces)
    if problem and delimiter == "\t":
        # In a plain tab-separated file a quotation mark is part of the text.
        rows, problem = _parse_rows(text, delimiter, csv.QUOTE_NONE, strip)
    return rows, problem


def _parse_rows(
    text: str,
    delimiter: str,
    quoting: Literal[0, 3],
    strip: bool = True,
    initial_spaces: bool = False,
) -> tuple[list[Row], Row | None]:
    """The rows, and where parsing stopped on an error, that line with the reason."""
    rows: list[Row] = []
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=quoting,
        skipinitialspace=initial_spaces,
        strict=True,
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
