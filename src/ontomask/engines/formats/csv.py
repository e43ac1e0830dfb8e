"""CSV and its relatives: every cell as text, and written back as the file was written.

An empty cell is NULL; a quoted empty cell is an empty text; both are written as they were. Kept:
delimiter, quote, which columns are quoted throughout, the end of lines, the byte order mark, the
encoding, a missing last new line (unless packed). Not kept: empty lines, quotes that neither the
cell needs nor its whole column has, and line ends that are mixed (the first one is used).
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple, cast

import duckdb
import numpy as np

from ontomask.engines.duckdb.connection import file_literal, identifier, literal, result_types
from ontomask.engines.formats import csv_kernels as k
from ontomask.engines.formats.stored_table import (
    ROW,
    FileOptions,
    StoredTable,
    check_names,
    remove_last_newline,
    write_lines,
)
from ontomask.errors import FileFormatError, ParameterError
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["CsvTable"]

DELIMITERS = (",", ";", "\t", "|")
CHUNK = 1 << 22
MOST_COLUMNS = 1 << 16
BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class Dialect(NamedTuple):
    """How a delimited file is written."""

    delimiter: str = ","
    quote: str = '"'  # empty where nothing quotes
    encoding: str = "utf-8"
    bom: bool = False
    newline: str = "\n"
    final: bool = True  # the last line ends too
    header_quoted: bool = False
    quoted: frozenset[str] = frozenset()  # columns whose cells all are


class CsvTable(StoredTable):
    """A delimited text file."""

    format: ClassVar[str] = "csv"
    accepted_options: ClassVar[frozenset[str]] = frozenset({"delimiter", "quote", "encoding"})

    def _open(self, options: FileOptions) -> None:
        delimiter, quote = _check_character("delimiter", options.delimiter), options.quote
        quote = _check_character("quote", quote) if quote else quote
        source = Source(self.path)
        encoding, bom = _detect_encoding(self, source.head, options.encoding)
        if not source.head[len(bom) :].strip():
            raise self.error("the file is empty", "it should hold a table with a header")
        text = source
        if encoding != "utf-8":
            text = Source(self._transcode(source, encoding))
        delimiter = delimiter or _detect_delimiter(text, '"' if quote is None else quote)
        scan, quote = self._scan_file(text, delimiter, quote)
        header = _read_header(text, scan, delimiter, quote)
        self.names = check_names(self, header)
        self.types = dict.fromkeys(self.names, "VARCHAR")
        self.rows = int(scan.note[k.RECORDS]) - 1
        self.style = scan.dialect(self.names, delimiter, quote, encoding)
        self.source = self._source_sql(text, scan)

    def options(self) -> FileOptions:
        style = self.style
        return FileOptions(delimiter=style.delimiter, quote=style.quote, encoding=style.encoding)

    def written_file_options(self, path: Path) -> FileOptions:
        style = self.style
        return FileOptions(None, _output_delimiter(path, self), style.quote, style.encoding)

    @property
    def dialect(self) -> dict[str, Any]:
        style = self.style
        return {
            "delimiter": style.delimiter,
            "quote": style.quote,
            "encoding": style.encoding,
            "byte_order_mark": style.bom,
            "line_end": {"\n": "LF", "\r\n": "CRLF"}[style.newline],
        }

    @classmethod
    def write_rows(
        cls,
        connection: duckdb.DuckDBPyConnection,
        query: str,
        path: Path,
        like: StoredTable | None,
    ) -> int:
        style = like.style if isinstance(like, CsvTable) else Dialect()
        style = style._replace(delimiter=_output_delimiter(path, like))
        types = result_types(connection, query)
        names = list(types)
        texts = (identifier(n) if t == "VARCHAR" else _cast_to_text(n) for n, t in types.items())
        query = f"select {', '.join(texts)} from ({query})"
        cells = [_cell_sql(identifier(name), style, name in style.quoted) for name in names]
        line = f"concat({f', {literal(style.delimiter)}, '.join(cells)}"
        line += f", {literal(style.newline[:-1])})"
        first = style.delimiter.join(_format_name(name, style) for name in names)
        first = "\ufeff" * style.bom + first + style.newline[:-1]
        try:
            rows = write_lines(connection, first, line, query, path)
        except duckdb.InvalidInputException as error:
            if UNQUOTABLE in str(error):
                raise FileFormatError(f"{path.name}: {UNQUOTABLE}", UNQUOTABLE_HINT) from None
            raise
        if not style.final and len(names) > 1:  # of one column, the last cell may be an empty line
            remove_last_newline(path, style.newline.encode())
        if style.encoding != "utf-8":
            _encode_file(path, style.encoding)
        return rows

    # ------------------------------------------------------------------ reading

    def _scan_file(self, text: Source, delimiter: str, quote: str | None) -> tuple[_CsvScan, str]:
        """Scan the file; in a plain table of tabs nothing quotes."""
        scan = _CsvScan(self, text, delimiter, '"' if quote is None else quote)
        ill_quoted = (k.AFTER_QUOTE, k.SPACE_BEFORE_QUOTE, k.OPEN_QUOTE)
        if quote is None and delimiter == "\t" and scan.note[k.PROBLEM] in ill_quoted:
            quote = ""
            scan = _CsvScan(self, text, delimiter, quote)
        scan.raise_problem()
        return scan, '"' if quote is None else quote

    def _source_sql(self, text: Source, scan: _CsvScan) -> str:
        note, style = scan.note, self.style
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in self.names)
        mixed = bool(note[k.LF] and note[k.CRLF])
        options = {
            "auto_detect": "false",
            "header": "true",
            "columns": f"{{{columns}}}",
            "delim": literal(style.delimiter),
            "quote": literal(style.quote),
            "escape": literal(style.quote),
            "nullstr": "''",
            "allow_quoted_nulls": "false",
            "compression": "'gzip'" if text.path == self.path and scan.packed else "'none'",
            "max_line_size": str(max(2_000_000, int(note[k.LONGEST]) + 100)),
            "strict_mode": "false" if mixed else "true",
            "parallel": "false" if note[k.EMBEDDED] or mixed else "true",
        }
        arguments = ", ".join(f"{option} = {value}" for option, value in options.items())
        return (
            f"(select *, row_number() over () - 1 as {ROW} "
            f"from read_csv({file_literal(text.path)}, {arguments}))"
        )

    def _transcode(self, source: Source, encoding: str) -> Path:
        """Copy the file as UTF-8 into a private folder."""
        decoder = codecs.getincrementaldecoder(encoding)()
        path, offset, lines = self.folder / "utf-8.csv", 0, 1
        with source.open() as file, path.open("wb") as copy:
            for chunk in _append_empty_chunk(_read_chunks(file)):
                waiting = len(decoder.getstate()[0])
                try:
                    decoded = decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    raise self.error(
                        f"not valid {encoding} text (byte {offset - waiting + error.start:,})",
                        "give the encoding the file has: encoding",
                        line=lines + str(error.object[: error.start], "latin-1").count("\n"),
                    ) from None
                lines += decoded.count("\n")
                offset += len(chunk)
                copy.write(decoded.encode("utf-8", "surrogatepass"))
        return path


class _CsvScan:
    """One scan of a UTF-8 file: its shape, how it is written, what is wrong."""

    def __init__(self, table: CsvTable, text: Source, delimiter: str, quote: str) -> None:
        self.table = table
        self.note = np.zeros(k.NOTES, dtype=np.int64)
        self.cells_quoted = np.zeros(MOST_COLUMNS, dtype=np.int64)
        self.cells_plain = np.zeros(MOST_COLUMNS, dtype=np.int64)
        self.bom = text.head.startswith(codecs.BOM_UTF8)
        with text.path.open("rb") as raw:
            self.packed = raw.read(2) == b"\x1f\x8b"
        with text.open() as file:
            file.read(len(codecs.BOM_UTF8) * self.bom)
            self._scan(file, ord(delimiter), ord(quote) if quote else -1)

    def _scan(self, file: BinaryIO, delimiter: int, quote: int) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")()
        offset, lines = len(codecs.BOM_UTF8) * self.bom, 1
        for chunk in _append_empty_chunk(_read_chunks(file)):
            waiting = len(decoder.getstate()[0])
            data = np.frombuffer(chunk, dtype=np.uint8)
            k.walk(data, delimiter, quote, self.note, self.cells_quoted, self.cells_plain)
            if self.note[k.PROBLEM] == k.NUL:
                return
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                lines_before = error.object[: error.start].count(b"\n")
                raise self.table.error(
                    f"not valid UTF-8 text (byte {offset - waiting + error.start:,} of the file)",
                    "give encoding: latin-1 (or cp1252)",
                    line=lines + lines_before,
                ) from None
            if self.note[k.PROBLEM]:
                return
            offset += len(chunk)
            lines += chunk.count(b"\n")
        k.finish(self.note, self.cells_quoted, self.cells_plain)

    def raise_problem(self) -> None:
        """Raise an error for the problem of the file, if there is one."""
        note = self.note
        problem, number = int(note[k.PROBLEM]), int(note[k.PROBLEM_NUMBER])
        if problem == k.NO_PROBLEM:
            return
        if problem == k.NUL:
            raise self.table.error(
                f"a zero byte at byte {number:,}: this is no text",
                'say what it is (format), or if it is text, its encoding: encoding="utf-16"',
            )
        if problem == k.RAGGED:
            reason = f"{number} cells where the header has {note[k.WIDTH]}"
            hint = "quote cells that contain the delimiter, or name the right delimiter"
        else:
            reason, hint = PROBLEMS[problem]
        raise self.table.error(reason, hint, line=int(note[k.PROBLEM_LINE]))

    def dialect(self, names: list[str], delimiter: str, quote: str, encoding: str) -> Dialect:
        """How the file is written."""
        note = self.note
        throughout = (self.cells_quoted > 0) & (self.cells_plain == 0)
        return Dialect(
            delimiter,
            quote,
            encoding,
            self.bom,
            "\r\n" if note[k.FIRST_END] == 2 else "\n",
            bool(note[k.FINAL]),
            bool(note[k.HEADER_QUOTED]) and not note[k.HEADER_PLAIN],
            frozenset(name for name, all_are in zip(names, throughout, strict=False) if all_are),
        )


PROBLEMS = {
    k.AFTER_QUOTE: (
        "something follows a closing quotation mark",
        "double a quotation mark within a quoted cell; where nothing quotes, give an empty quote",
    ),
    k.SPACE_BEFORE_QUOTE: (
        "a cell has a space before its opening quotation mark",
        "take out the space: it is not clear whether the quotation mark is part of the text",
    ),
    k.OPEN_QUOTE: (
        "a quoted cell begins here and never ends",
        "close it, or where nothing quotes, give an empty quote",
    ),
    k.EMPTY_HEADER: ("the line is empty", "the first line should name the columns"),
    k.LONE_CR: (
        "the line ends in a carriage return alone",
        "end lines with a line feed, and quote cells that contain one",
    ),
    k.TOO_WIDE: (f"there are more than {MOST_COLUMNS:,} columns", "name the right delimiter"),
}


def _read_chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _append_empty_chunk(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, and an empty one that marks the end."""
    yield from chunks
    yield b""


def _check_character(argument: str, value: str | None) -> str | None:
    if value is None:
        return None
    character = "\t" if value in ("\\t", "tab") else value
    if len(character) != 1 or not character.isascii() or character in "\r\n\0":
        raise ParameterError(f"the {argument} is {value!r}", "it is one plain character, as ; or ,")
    return character


def _detect_encoding(table: StoredTable, head: bytes, requested: str | None) -> tuple[str, bytes]:
    """Detect the encoding, and the byte order mark that tells it."""
    mark = next((bom for bom in BOMS if head.startswith(bom)), b"")
    if requested is None:
        return BOMS.get(mark, "utf-8"), mark
    try:
        name = codecs.lookup(requested).name
    except LookupError:
        raise ParameterError(
            f"there is no encoding called {requested!r}", 'try "utf-8", "latin-1" or "cp1252"'
        ) from None
    if name == "utf-16":
        name = BOMS[mark] if BOMS.get(mark, "").startswith("utf-16") else "utf-16-le"
    return {"utf-8-sig": "utf-8", "ascii": "utf-8"}.get(name, name), mark


def _detect_delimiter(text: Source, quote: str) -> str:
    """Detect the delimiter: it cuts the first rows into equal and many cells."""
    head = text.head_text
    cut = len(text.head) >= 65_536
    best, delimiter = (False, 1), DELIMITERS[0]
    for candidate in DELIMITERS:
        rows = _first_rows(head, candidate, quote)
        rows = rows[:-1] if cut and len(rows) > 1 else rows
        widths = {len(row) for row in rows if row}
        if widths and max(widths) > 1:
            best, delimiter = max(
                (best, delimiter),
                ((len(widths) == 1, len(rows[0])), candidate),
                key=lambda pair: pair[0],
            )
    return delimiter


def _first_rows(head: str, delimiter: str, quote: str) -> list[list[str]]:
    csv_rows: list[list[str]] = []
    try:
        for row in _make_reader(head, delimiter, quote):
            csv_rows.append(row)
            if len(csv_rows) == 50:
                break
    except csv.Error:  # what stands there is for the walk to say
        pass
    return csv_rows


def _make_reader(text: str, delimiter: str, quote: str) -> Iterator[list[str]]:
    lines = io.StringIO(text, newline="")
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote)


def _read_header(text: Source, scan: _CsvScan, delimiter: str, quote: str) -> list[str]:
    """Read the names of the columns; cells longer than the csv module allows are no names."""
    with text.open() as file:
        file.read(len(codecs.BOM_UTF8) * scan.bom)
        raw = file.read(int(scan.note[k.HEADER_END]))
    try:
        return next(_make_reader(raw.decode("utf-8"), delimiter, quote))
    except csv.Error as error:
        raise scan.table.error(str(error), "the first line names the columns", line=1) from None


# ---------------------------------------------------------------------- writing

UNQUOTABLE = "a value contains the delimiter or a new line, and nothing quotes in this file"
UNQUOTABLE_HINT = "read the original with a quote, or write another format"


def _output_delimiter(path: Path, like: StoredTable | None) -> str:
    """A .tsv has tabs and a .csv made of one has commas; otherwise what the original has."""
    tabs = _is_tab_separated(path)
    if tabs and (like is None or not _is_tab_separated(like.path)):
        return "\t"
    if not isinstance(like, CsvTable) or (_is_tab_separated(like.path) and ".csv" in path.suffixes):
        return ","
    return like.style.delimiter


def _is_tab_separated(path: Path) -> bool:
    return any(ending in path.suffixes[-2:] for ending in (".tsv", ".tab"))


def _cast_to_text(name: str) -> str:
    return f"cast({identifier(name)} as varchar) as {identifier(name)}"


def _cell_sql(column: str, style: Dialect, always: bool) -> str:
    """The SQL for a cell as it is written; ``concat`` makes nothing of a NULL."""
    special = "".join(
        f"\\x{ord(character):02x}" for character in f"{style.delimiter}{style.quote}\r\n"
    )
    if not style.quote:
        needed = f"regexp_matches({column}, '[{special}]')"
        return f"case when {needed} then error({literal(UNQUOTABLE)}) else {column} end"
    quote = literal(style.quote)
    doubled = f"{quote} || replace({column}, {quote}, {literal(style.quote * 2)}) || {quote}"
    if always:
        return doubled
    # The empty text is in the pattern, as every mention of the column costs time in wide tables.
    return f"if(regexp_matches({column}, '[{special}]|^$'), {doubled}, {column})"


def _format_name(name: str, style: Dialect) -> str:
    quote = style.quote
    if (
        not any(character in name for character in f"{style.delimiter}{quote}\r\n")
        and not style.header_quoted
    ):
        return name
    if not quote:
        raise FileFormatError(f"column {name!r} cannot be written: {UNQUOTABLE}", UNQUOTABLE_HINT)
    return quote + name.replace(quote, quote * 2) + quote


def _encode_file(path: Path, encoding: str) -> None:
    """Write a UTF-8 file again in its own encoding, beside it and then in its place."""
    other = path.with_name("encoded")
    packed = path.suffix == ".gz"
    with (
        Source(path).open() as raw,
        io.TextIOWrapper(raw, "utf-8", newline="") as text,
        gzip.open(other, "wb") if packed else other.open("wb") as file,
    ):
        while chunk := text.read(CHUNK):
            try:
                cast(BinaryIO, file).write(chunk.encode(encoding))
            except UnicodeEncodeError as error:
                raise FileFormatError(
                    f"{path.name}: {chunk[error.start]!r} cannot be written in {encoding}",
                    "give the original in UTF-8, or write Parquet",
                ) from None
    other.replace(path)
