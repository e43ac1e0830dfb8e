"""One column of a text file, counted as it streams by."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ontomask.errors import quote_names
from ontomask.taxonomy.readers.text.delimited import check_delimiter, detect_delimiter
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["count_column"]


def count_column(
    path: Path, column: str | None, delimiter: str | None, encoding: str
) -> tuple[str, Counter[str | None]]:
    """Count the values of a column; return its name and the counts. Empty cells are missing.

    A file without delimiters is a list of values, one a line.
    """
    source = Source(path)
    delimiter = check_delimiter(delimiter) or detect_delimiter(source)
    if delimiter is None and column is None:
        lines = (line.strip() for line in source.text(encoding).splitlines())
        return path.name, Counter(line for line in lines if line)
    counts: Counter[str | None] = Counter()
    with source.open() as raw, io.TextIOWrapper(raw, encoding, newline="") as text:
        rows = _read_rows(source, text, delimiter or ",")
        header = next(rows, None)
        if header is None:
            raise source.error("the file is empty", "it should hold a table with a header")
        index = _column_index(source, header, column)
        for cells in rows:
            if len(cells) != len(header):
                raise source.error(
                    f"{len(cells)} columns where the header has {len(header)}",
                    "quote cells that contain the delimiter",
                )
            counts[cells[index] or None] += 1
    return header[index], counts


def _read_rows(source: Source, text: io.TextIOWrapper, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        yield from (cells for cells in reader if cells)
    except csv.Error as error:
        raise source.error(str(error), line=reader.line_num) from None
    except UnicodeDecodeError as error:
        raise source.error(
            f"not valid {error.encoding} text", "name its encoding: --encoding latin-1"
        ) from None
    except LookupError as error:
        raise source.error(str(error), "try --encoding utf-8 or latin-1") from None


def _column_index(source: Source, header: list[str], column: str | None) -> int:
    if column is None and len(header) == 1:
        return 0
    if column is None or column not in header:
        message = f"there is no column {column!r}" if column else "no column is named"
        raise source.error(
            message, f"the columns are {quote_names(header, most=40)}; say --column NAME"
        )
    return header.index(column)
