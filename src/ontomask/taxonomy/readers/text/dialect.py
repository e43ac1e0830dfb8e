"""How a text file is written: its encoding and its delimiter, detected from its first lines."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from itertools import islice

from ontomask.errors import ParameterError

__all__ = [
    "check_character",
    "detect_delimiter",
    "detect_encoding",
    "read_csv_rows",
]

#: In the order of trust: commas and bars are part of many a text.
DELIMITERS = ("\t", ";", ",", "|")

#: Byte order marks, and the encodings they tell.
BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}

#: So many rows are looked at.
SAMPLE = 50


def check_character(argument: str, value: str | None, *, ascii_only: bool = False) -> str | None:
    r"""Check that a delimiter or quote, if any, is one character; a tab may be written ``\t``."""
    if value is None:
        return None
    character = "\t" if value in ("\\t", "tab") else value
    refused = "\r\n\0" + '"' * (argument == "delimiter")
    if len(character) != 1 or character in refused or (ascii_only and not character.isascii()):
        kind = "one ASCII character" if ascii_only else "one character"
        raise ParameterError(f"{argument} must be {kind} such as ; or ', got {value!r}")
    return character


def detect_encoding(head: bytes, requested: str | None = None) -> tuple[str, bytes]:
    """Detect the encoding of a file by its first bytes, and the byte order mark that tells it.

    Without a mark it is UTF-8, unless another one is requested.
    """
    mark = next((bom for bom in BOMS if head.startswith(bom)), b"")
    if requested is None:
        return BOMS.get(mark, "utf-8"), mark
    try:
        name = codecs.lookup(requested).name
    except LookupError:
        raise ParameterError(
            f"encoding must be a known encoding, got {requested!r}",
            'try "utf-8", "latin-1" or "cp1252"',
        ) from None
    if name == "utf-16":
        name = BOMS[mark] if BOMS.get(mark, "").startswith("utf-16") else "utf-16-le"
    return {"utf-8-sig": "utf-8", "ascii": "utf-8"}.get(name, name), mark


def detect_delimiter(top: str, quote: str = '"', *, cut: bool = False) -> str | None:
    """Detect what separates the columns: it cuts the first rows into equally many cells.

    Where none does, one that cuts the first row is the next best. None stands for a single column;
    ``cut`` says that the text does not end with the last row.
    """
    best: tuple[tuple[bool, bool], str | None] = ((False, False), None)
    for candidate in DELIMITERS:
        for rows in _possible_rows(top, candidate, quote):
            rows = rows[:-1] if len(rows) > SAMPLE or (cut and len(rows) > 1) else rows
            widths = [len(row) for row in rows if any(map(str.strip, row))]
            if widths and max(widths) > 1:
                merit = (len(set(widths)) == 1, widths[0] > 1)
                if merit > best[0]:
                    best = (merit, candidate)
    return best[1]


def _possible_rows(top: str, delimiter: str, quote: str) -> Iterator[list[list[str]]]:
    """The first rows of a text; in a plain table of tabs nothing may quote."""
    for mark in dict.fromkeys((quote, "")) if delimiter == "\t" else (quote,):
        yield list(islice(read_csv_rows(top, delimiter, mark), SAMPLE + 1))


def read_csv_rows(text: str, delimiter: str, quote: str) -> Iterator[list[str]]:
    """Read the rows of a text; nothing quotes where the quote is empty."""
    lines = io.StringIO(text, newline="")
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote)
