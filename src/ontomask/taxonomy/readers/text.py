"""Text tables from disk: gzip, encodings, delimiters and quotes, with line numbers for errors."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ontomask.errors import FileFormatError

__all__ = ["Row", "Table", "read_table", "read_text"]

DELIMITERS = ("\t", ";", ",")
GZIP_MAGIC = b"\x1f\x8b"


class Row(NamedTuple):
    """One row of a table and the line it ends on."""

    line: int
    cells: list[str]


class Table(NamedTuple):
    """The rows of a delimited file, blank ones left out, cells stripped of outer spaces."""

    path: Path
    delimiter: str
    rows: list[Row]

    def error(self, line: int, reason: str, hint: str = "") -> FileFormatError:
        """An error that names the file and the line."""
        return FileFormatError(f"{self.path}, line {line}: {reason}", hint)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked where it is gzip."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise FileFormatError(f"{path}: there is no such file", "check the path") from None
    except IsADirectoryError:
        raise FileFormatError(f"{path} is a folder, not a file", "name the file in it") from None
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}") from None
    if not raw.startswith(GZIP_MAGIC):
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise FileFormatError(
            f"{path}: the gzip data is damaged ({error})", "fetch or pack the file again"
        ) from None


def read_text(path: Path, encoding: str = "utf-8-sig") -> str:
    """The text of a file; the mark that some editors put in front is dropped."""
    raw = read_bytes(path)
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        other = "utf-16" if wide else "latin-1"
        raise FileFormatError(
            f"{path}, line {line}: not valid {error.encoding} text (byte 0x{raw[error.start]:02x})",
            f'save the file as UTF-8, or name its encoding: encoding="{other}"',
        ) from None
    except LookupError:
        raise FileFormatError(
            f"{path}: there is no encoding called {encoding!r}", 'try "utf-8" or "latin-1"'
        ) from None


def read_table(path: Path, delimiter: str | None = None, encoding: str = "utf-8-sig") -> Table:
    """Read a delimited file; tab, semicolon or comma is found out where it is not given."""
    text = read_text(path, encoding)
    if not text.strip():
        raise FileFormatError(f"{path}: the file is empty", "it should hold a table of concepts")
    if delimiter is None:
        delimiter = _delimiter(text)
    if delimiter is None:
        first = text.lstrip().splitlines()[0][:60]
        raise FileFormatError(
            f"{path}, line 1: no tab, semicolon or comma separates columns in {first!r}",
            'write two columns, child and parent, or name the delimiter: delimiter="|"',
        )
    rows, problem = _parse(text, delimiter, csv.QUOTE_MINIMAL)
    if problem and delimiter == "\t":
        # In a plain tab-separated file a quotation mark is part of the text.
        rows, problem = _parse(text, delimiter, csv.QUOTE_NONE)
    if problem:
        raise FileFormatError(
            f"{path}, line {problem.line}: {problem.cells[0]}",
            "a cell that contains a quotation mark or the delimiter must be quoted",
        )
    return Table(path, delimiter, rows)


def _delimiter(text: str, sample: int = 50) -> str | None:
    """The first delimiter that cuts the top of the file into the same number of columns."""
    top = "\n".join(text.splitlines()[:sample])
    splitting: list[tuple[bool, str]] = []
    for candidate in DELIMITERS:
        rows, problem = _parse(top, candidate, csv.QUOTE_MINIMAL)
        if problem and candidate == "\t":
            rows, problem = _parse(top, candidate, csv.QUOTE_NONE)
        widths = {len(row.cells) for row in rows}
        if widths and max(widths) > 1:
            splitting.append((len(widths) > 1 or problem is not None, candidate))
    return min(splitting, key=lambda found: found[0])[1] if splitting else None


def _parse(text: str, delimiter: str, quoting: Literal[0, 3]) -> tuple[list[Row], Row | None]:
    """The rows, and where parsing stopped on an error, that line with the reason."""
    rows: list[Row] = []
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True
    )
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if any(stripped):
                rows.append(Row(reader.line_num, stripped))
    except csv.Error as error:
        return rows, Row(reader.line_num, [str(error)])
    return rows, None


def column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Where the first of these names stands in a header."""
    plain = [name.strip().casefold().replace(" ", "_") for name in header]
    return next((plain.index(name) for name in names if name in plain), None)
