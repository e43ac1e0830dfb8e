"""The table of a code list: its rows from text or a spreadsheet, and where its header stands."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.codes.headings import Heading, parse_heading
from ontomask.taxonomy.readers.codes.spreadsheets import is_spreadsheet, read_sheets
from ontomask.taxonomy.readers.text.delimited import Row, parse_rows
from ontomask.taxonomy.readers.text.dialect import (
    DELIMITERS,
    check_character,
    detect_encoding,
)
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["CodeTable", "Header", "find_header", "is_code", "read_code_tables"]

#: So many rows above a header, and rows for which a delimiter is compared.
MOST_TITLES, SAMPLE = 30, 300

_CODE = re.compile(r"[A-Za-z0-9*]+(?:[ .\-/:_]{1,3}[A-Za-z0-9*]+)*(?:\.?-|\+|\.)?")
_ADDRESS = re.compile(r"(?:https?|urn|gid|info):\S+")
_CODE_AND_NAME = re.compile(r"([A-Z0-9][\w.*/-]{0,11})(?:\s*[-–:]\s+|\s+)(.*[^\W\d].*)")
#: A line of the order file of ICD-10-CM: number, code, whether it is billable, two titles.
_ORDER_LINE = re.compile(r"(\d{5}) (\w{3,7}) {1,5}([01]) (.{60}) (\S.*)")


def is_code(text: str) -> bool:
    """Whether a text may be a code: short, without words in lower case, or an address.

    >>> [is_code(text) for text in ("A00.1", "31-33", "NO0A", "U", "Cholera", "Top executives")]
    [True, True, True, True, False, False]
    """
    if _ADDRESS.fullmatch(text):
        return True
    if len(text) > 24 or not _CODE.fullmatch(text):
        return False
    if any(letter.isdigit() for letter in text):
        return re.search("[a-z]{3}", text) is None
    return text.isupper() and (
        len(text) <= 4 or (len(text) <= 12 and re.search(r"[.\-/_:]", text) is not None)
    )


class Header(NamedTuple):
    """The names of the columns; the place of the first row below it."""

    headings: list[Heading]
    first: int
    is_present: bool


class CodeTable(NamedTuple):
    """The rows of a table, ragged ones filled up, and what was told on the way."""

    source: Source
    rows: list[Row]
    unit: str
    notes: dict[str, str]

    def error(self, reason: str, hint: str = "", line: int | None = None) -> FileFormatError:
        """An error that names the file, and the line or the row of the sheet."""
        if line is not None and self.unit != "line":
            return self.source.error(f"{self.unit} {line}: {reason}", hint)
        return self.source.error(reason, hint, line=line)


def read_code_tables(
    source: Source,
    delimiter: str | None,
    encoding: str | None,
    sheet: str | None,
    *,
    lines: bool = False,
) -> Iterator[CodeTable]:
    """The table of a text file, or those of a spreadsheet that may be a code list.

    With ``lines``, a text file has a single column.
    """
    if is_spreadsheet(source):
        for name, rows in read_sheets(source, sheet):
            notes = {"sheet": name}
            rows = _flatten_steps(_fill_up(rows), notes)
            yield CodeTable(source, rows, f"sheet {name!r}, row", notes)
    elif sheet is not None:
        raise source.error(f"a text file has no sheet {sheet!r}", "leave sheet out")
    else:
        yield _read_text(source, delimiter, encoding, lines)


# ---------------------------------------------------------------------- text


def _read_text(
    source: Source, delimiter: str | None, encoding: str | None, lines: bool
) -> CodeTable:
    delimiter = check_character("delimiter", delimiter)
    text, told = _decode(source, encoding)
    notes = {"encoding": told} if told else {}
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise source.error("the file is empty", "use a file that contains a table of concepts")
    if order_rows := _read_order_file(text):
        return CodeTable(source, order_rows, "line", {"layout": "the order file of ICD-10-CM"})
    if delimiter is None and not lines:
        delimiter = tell_delimiter(text)
    if delimiter is None:
        rows = [
            Row(number, [line.strip()])
            for number, line in enumerate(text.splitlines(), 1)
            if line.strip()
        ]
    else:
        rows, plain_quotes = _parse_table(source, text, delimiter)
        if plain_quotes:
            notes["quotation marks"] = "part of the text, because not every one is closed"
    if not lines:
        rows = _flatten_steps(_fill_up(_split_codes(rows)), notes)
    return CodeTable(source, rows, "line", notes)


def _flatten_steps(rows: list[Row], notes: dict[str, str]) -> list[Row]:
    """The rows of a table where code and name stand further right on each level, with depths."""
    flat = [Row(0, ["level", "code", "name"])]
    for row in rows:
        filled = [place for place, cell in enumerate(row.cells) if cell]
        if len(filled) == 2 and filled[1] == filled[0] + 1:
            code, name = (row.cells[place] for place in filled)
            if is_code(code) and not is_code(name):
                flat.append(Row(row.line, [str(filled[0]), code, name]))
    depths = {row.cells[0] for row in flat[1:]}
    if len(flat) <= 0.7 * len(rows) or len(depths) < 2 or len(flat) < 4:
        return rows
    notes["layout"] = "codes and names stand further right on each level"
    return flat


def _parse_table(source: Source, text: str, delimiter: str) -> tuple[list[Row], bool]:
    """The rows of a text; and whether its quotation marks have to be read as text.

    That is so where they cannot be read otherwise, and the rows then have as many cells.
    """
    rows, problem = parse_rows(text, delimiter, initial_spaces=True)
    if problem is None:
        return rows, False
    plain, _ = parse_rows(text, delimiter, quoted=False)
    widths = Counter(len(row.cells) for row in plain)
    if widths and max(widths.values()) >= 0.99 * widths.total():
        return plain, True
    raise source.error(
        problem.cells[0],
        "a cell that contains a quotation mark or the delimiter must be quoted",
        line=problem.line,
    )


def _split_codes(rows: list[Row]) -> list[Row]:
    """Cut ``A00 Cholera`` where the only cell of a row has both a code and its name."""
    only = {sum(map(bool, row.cells[1:2])) for row in rows}
    split = [
        row
        if any(row.cells[1:2])
        or (match := _CODE_AND_NAME.fullmatch(row.cells[0])) is None
        or not is_code(match[1])
        else Row(row.line, [match[1], match[2], *row.cells[2:]])
        for row in rows
    ]
    changed = sum(row is not other for row, other in zip(rows, split, strict=True))
    return split if only == {0, 1} or changed > 0.9 * len(rows) else rows


def _decode(source: Source, encoding: str | None) -> tuple[str, str]:
    """The text; and the encoding, if it is not the one that the file should have."""
    if encoding is not None:
        return source.text(encoding), ""
    name, _ = detect_encoding(source.head)
    try:
        return source.text(name), ""
    except FileFormatError as error:
        if name != "utf-8":
            raise
        try:
            return source.text("cp1252"), "cp1252, because the file is not valid UTF-8"
        except FileFormatError:
            raise error from None


def tell_delimiter(text: str) -> str | None:
    """What cuts the most rows into the same number of cells; title rows may stand above them."""
    best: tuple[float, str | None] = (0.3, None)
    top = text[:400_000]
    for candidate in DELIMITERS:
        try:
            rows = list(
                islice(
                    csv.reader(
                        io.StringIO(top, newline=""), delimiter=candidate, skipinitialspace=True
                    ),
                    SAMPLE,
                )
            )
        except csv.Error:  # a cell that is too long under this delimiter
            continue
        if len(top) < len(text) and len(rows) < SAMPLE:
            rows = rows[:-1]
        widths = Counter(len(row) for row in rows if any(map(str.strip, row)))
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        merit = count / widths.total()
        if width > 1 and merit > best[0]:
            best = (merit, candidate)
    return best[1]


def _read_order_file(text: str) -> list[Row]:
    """The codes and titles of an order file of ICD-10-CM; no rows if the text is no such file."""
    lines = text.splitlines()
    if len(lines) < 2 or not all(_ORDER_LINE.fullmatch(line) for line in lines[:20]):
        return []
    rows = [Row(0, ["code", "title", "synonym"])]
    for number, line in enumerate(lines, 1):
        if match := _ORDER_LINE.fullmatch(line):
            short, long = match[4].strip(), match[5].strip()
            rows.append(Row(number, [match[2], long, short if short != long else ""]))
    return rows


def _fill_up(rows: list[Row]) -> list[Row]:
    width = max((len(row.cells) for row in rows), default=0)
    return [Row(row.line, row.cells + [""] * (width - len(row.cells))) for row in rows]


# ---------------------------------------------------------------------- the header


def find_header(table: CodeTable, named: Sequence[str] = ()) -> Header:
    """Find the row that names the columns, below titles and comments.

    A row that has the columns that the user ``named`` is the header. Otherwise it is the first
    row with a word that headers have, or else a first row above codes that is no code.
    """
    rows = table.rows
    best: tuple[int, Header] | None = None
    comments = next((n for n, row in enumerate(rows) if row.cells[0][:1] != "#"), 0)
    for place, row in enumerate(rows[: comments + MOST_TITLES]):
        cells = [*row.cells]
        cells[0] = cells[0].lstrip("#").strip()
        headings = [parse_heading(cell) for cell in cells]
        if named:
            if any(heading.is_called(name) for heading in headings for name in named):
                return Header(headings, place + 1, True)
        elif (
            _is_header(row.cells, headings)
            and _are_titles(rows[:place], row.cells)
            and not _occurs_below(row.cells, headings, rows[place + 1 :])
        ):
            roles = sum(heading.has_role for heading in headings)
            if best is None or roles > best[0]:
                best = (roles, Header(headings, place + 1, True))
    if best:
        return best[1]
    if not named and _differs_from_codes(rows[comments:]):
        return Header([parse_heading(cell) for cell in rows[comments].cells], comments + 1, True)
    return Header([parse_heading("")] * len(rows[0].cells), comments, False)


def _is_header(cells: list[str], headings: list[Heading]) -> bool:
    names = [cell for cell in cells if cell]
    if not names or any(len(name) > 70 for name in names) or len(names) < len(cells) / 3:
        return False
    codes = sum(
        is_code(cell) and not heading.has_role and any(letter.isdigit() for letter in cell)
        for cell, heading in zip(cells, headings, strict=True)
    )
    return sum(heading.has_role for heading in headings) > codes


def _occurs_below(cells: list[str], headings: list[Heading], rows: list[Row]) -> bool:
    """Whether words of a header are values as well, or stand twice in it.

    Words such as *group* may be: some tables say the kind of each row. *Code* and *name* are not.
    """
    if len({heading.kind for heading in headings} & {"code", "name", "parent", "depth"}) > 1:
        return False
    names = [cell for cell, heading in zip(cells, headings, strict=True) if heading.has_role]
    values = {cell for row in rows[:1000] for cell in row.cells}
    return len(set(names)) < len(names) or any(name in values for name in names)


def _are_titles(above: list[Row], header: list[str]) -> bool:
    """Whether the rows above a header are titles or comments: they have fewer cells."""
    cells = sum(map(bool, header))
    return all(
        row.cells[0].startswith("#") or sum(map(bool, row.cells)) < max(2, cells) for row in above
    )


def _differs_from_codes(rows: list[Row]) -> bool:
    """Whether the first row has a text where nearly all others have a code."""
    first = [cell for cell in rows[0].cells if cell] if rows else []
    values = {cell for row in rows[1:1000] for cell in row.cells}
    if len(rows) < 3 or len(set(first)) < len(first) or not values.isdisjoint(first):
        return False
    for place, cell in enumerate(rows[0].cells):
        if cell.isupper() and len(cell) <= 8 and not rows[0].cells[-1].isupper():
            continue  # such as TOTAL
        below = [row.cells[place] for row in rows[1:1000] if row.cells[place]]
        codes = sum(map(is_code, below))
        if cell and not is_code(cell) and codes >= max(2, 0.95 * len(below)):
            return any(any(letter.isdigit() for letter in text) for text in below)
    return False
