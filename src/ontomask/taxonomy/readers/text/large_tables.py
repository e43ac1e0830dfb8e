"""Tables of millions of rows, read a block at a time with the columns that are needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ontomask.errors import quote_names
from ontomask.taxonomy.readers.text.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_numbers", "header_of", "read_blocks"]

BLOCK = 1 << 24
_ROW = re.compile(r"Row #(\d+)")
_REASON = re.compile(r"Expected (\d+) columns, got (\d+)")


def header_of(source: Source) -> list[str]:
    """The names of the columns in lower case, as far as the first line has any."""
    line = next(iter(source.head_text.splitlines()), "")
    return [name.strip().strip('"').lower() for name in line.split(_delimiter(line))]


def read_blocks(
    source: Source, columns: Sequence[str], layout: Sequence[str] = ()
) -> Iterator[pa.Table]:
    """Blocks of rows with these columns, all of them text.

    The first line names the columns, in upper or lower case. Tabs or commas separate them. In a
    table of tabs, a quotation mark is part of the text unless it encloses the cell. With a
    ``layout`` there is no header: bars separate the columns that it names, and end each line (the
    RRF of NLM).
    """
    import pyarrow as pa  # only where such a table is read
    from pyarrow import csv

    line = next(iter(source.head_text.splitlines()), "")
    delimiter = "|" if layout else _delimiter(line)
    names = _column_names(source, line, delimiter, layout)
    if missing := [name for name in columns if name not in names]:
        raise source.error(
            f"missing columns: {quote_names(missing)}",
            f"the first line must name {quote_names(columns, most=len(columns))}",
            line=1,
        )
    if not layout and not source.head_text[len(line) :].strip():
        return  # a header alone
    quote = '"' if delimiter == "," or (not layout and line.startswith('"')) else False
    try:
        with source.open() as file:
            reader = csv.open_csv(
                file,
                read_options=csv.ReadOptions(
                    block_size=BLOCK,
                    use_threads=False,  # so that errors tell the row
                    column_names=names,
                    skip_rows=0 if layout else 1,
                ),
                parse_options=csv.ParseOptions(
                    delimiter=delimiter, quote_char=quote, newlines_in_values=bool(quote)
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=list(columns),
                    column_types=dict.fromkeys(names, pa.string()),
                    strings_can_be_null=False,
                ),
            )
            for batch in reader:
                block = pa.table(batch)
                if delimiter == "\t" and not quote:
                    block = pa.table({name: _unquote(block[name]) for name in columns})
                yield block
    except (pa.ArrowInvalid, UnicodeDecodeError) as error:
        row = _ROW.search(str(error))
        width = _REASON.search(str(error))
        raise source.error(
            f"expected {width[1]} columns, got {width[2]}"
            if width
            else str(error).partition("\n")[0][:150],
            "the file may be incomplete, or not UTF-8; unpack or download it again",
            line=int(row[1]) if row else None,
        ) from None


def as_numbers(source: Source, column: Any, name: str) -> Any:
    """A column of whole numbers as an array."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        return compute.cast(compute.utf8_trim_whitespace(column), pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise source.error(
            f"{name} must be a whole number: {str(error).partition(chr(10))[0][:120]}",
            "check that the columns are in their places",
        ) from None


def _unquote(column: Any) -> Any:
    """The cells without the quotation marks that enclose a cell, as some programs write them."""
    from pyarrow import compute

    quoted = compute.match_substring_regex(column, r'^"(?:[^"]|"")*"$')
    if not compute.any(quoted).as_py():
        return column
    inner = compute.replace_substring(compute.utf8_slice_codeunits(column, 1, -1), '""', '"')
    return compute.if_else(quoted, inner, column)


def _delimiter(line: str) -> str:
    return "\t" if "\t" in line else ","


def _column_names(source: Source, line: str, delimiter: str, layout: Sequence[str]) -> list[str]:
    if not layout:
        return header_of(source)
    cells = line.split(delimiter)
    if len(cells) not in (len(layout), len(layout) + 1):
        raise source.error(
            f"expected {len(layout)} columns, got {len(cells) - 1}",
            f"the columns are {quote_names(layout, most=len(layout))}",
            line=1,
        )
    return [*layout, "end"][: len(cells)]
