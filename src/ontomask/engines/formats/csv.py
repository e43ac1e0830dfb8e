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
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, ClassVar, NamedTuple, NoReturn, Self, cast

import duckdb
import numpy as np

from ontomask._runtime.files.work_folders import work_folder
from ontomask.engines.duckdb.connection import (
    file_literal,
    identifier,
    literal,
    result_types,
    translate_read_errors,
)
from ontomask.engines.formats import csv_kernels as k
from ontomask.engines.formats.loaded_rows import ROW
from ontomask.engines.formats.stored_table import (
    FileOptions,
    StoredTable,
    check_names,
    remove_last_newline,
    write_lines,
)
from ontomask.errors import FileFormatError, InternalError, format_count
from ontomask.taxonomy.readers.text.dialect import (
    check_character,
    detect_delimiter,
    detect_encoding,
    read_csv_rows,
)
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["CsvTable"]

CHUNK = 1 << 22
MOST_COLUMNS = 1 << 16

#: What DuckDB parses in one go, in bytes. It fills at least one of its row groups (122,880 rows)
#: in most files; smaller pieces would be copied once more to be joined.
BUFFER = 1 << 24

#: The longest line that DuckDB reads by default, in bytes.
LONGEST_LINE = 2_000_000


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
    runs_formulas: ClassVar[bool] = True
    accepted_options: ClassVar[frozenset[str]] = frozenset({"delimiter", "quote", "encoding"})

    def _open(self, options: FileOptions) -> None:
        delimiter = check_character("delimiter", options.delimiter, ascii_only=True)
        # An empty quote says that nothing quotes.
        quote = options.quote and check_character("quote", options.quote, ascii_only=True)
        source = Source(self.path)
        encoding, bom = detect_encoding(source.head, options.encoding)
        if not source.head[len(bom) :].strip():
            raise self.error("the file is empty", "use a file that contains a table with a header")
        if encoding == "utf-8":
            self._read(source, delimiter, quote, encoding, load=not options.for_one_query)
        else:
            with work_folder() as folder:
                text = self._transcode(source, encoding, folder / "utf-8.csv")
                self._read(text, delimiter, quote, encoding)
        style = self.style
        self.options = FileOptions(None, style.delimiter, style.quote, style.encoding)

    def written_file_options(self, path: Path) -> FileOptions:
        return replace(self.options, delimiter=_output_delimiter(path, self))

    @classmethod
    def write_rows(
        cls, connection: duckdb.DuckDBPyConnection, query: str, path: Path, like: Self | None
    ) -> int:
        style = like.style if like else Dialect()
        style = style._replace(delimiter=_output_delimiter(path, like))
        types = result_types(connection, query)
        names = list(types)
        texts = (identifier(n) if t == "VARCHAR" else _cast_to_text(n) for n, t in types.items())
        query = f"select {', '.join(texts)} from ({query})"
        cells = [_cell_sql(identifier(name), style, always=name in style.quoted) for name in names]
        line = f", {literal(style.delimiter)}, ".join(cells)
        line = f"concat({line}, {literal(style.newline[:-1])})"
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

    def _read(
        self,
        text: Source,
        delimiter: str | None,
        quote: str | None,
        encoding: str,
        *,
        load: bool = True,
    ) -> None:
        """Read a UTF-8 file: check it, then load its rows."""
        if delimiter is None:
            default = '"' if quote is None else quote
            delimiter = detect_delimiter(text.head_text, default, cut=text.is_longer_than_head)
        delimiter = delimiter or ","
        scan, quote = self._scan_file(text, delimiter, quote)
        header = _read_header(text, scan, delimiter, quote)
        self.names = check_names(self, header)
        if any("\r" in name.replace("\r\n", "") for name in header):  # DuckDB would end the line
            raise self.error(
                "the name of a column contains a carriage return", "rename the column", line=1
            )
        self.types = dict.fromkeys(self.names, "VARCHAR")
        self.style = scan.dialect(self.names, delimiter, quote, encoding)
        self.rows, query = int(scan.note[k.RECORDS]) - 1, self._read_csv_sql(text, scan)
        if not load:
            names = ", ".join(map(identifier, self.names))
            self.source = f"(select *, row_number() over () - 1 as {ROW} from ({query}) t({names}))"
            return
        with translate_read_errors(self.path):
            self._load_rows(query, int(scan.note[k.AT]))
        if self.rows != scan.note[k.RECORDS] - 1:
            raise InternalError(f"{self.path.name} was not read row by row")

    def _scan_file(self, text: Source, delimiter: str, quote: str | None) -> tuple[_CsvScan, str]:
        """Scan the file; in a plain table of tabs nothing quotes."""
        scan = _CsvScan(self, text, delimiter, '"' if quote is None else quote)
        ill_quoted = (k.AFTER_QUOTE, k.SPACE_BEFORE_QUOTE, k.OPEN_QUOTE)
        if quote is None and delimiter == "\t" and scan.note[k.PROBLEM] in ill_quoted:
            quote = ""
            scan = _CsvScan(self, text, delimiter, quote)
        scan.raise_problem()
        return scan, '"' if quote is None else quote

    def _read_csv_sql(self, text: Source, scan: _CsvScan) -> str:
        note, style = scan.note, self.style
        columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(self.names)))
        mixed = bool(note[k.LF] and note[k.CRLF])
        longest = int(note[k.LONGEST]) + 100
        options = {
            "auto_detect": "false",
            "header": "true",
            "columns": f"{{{columns}}}",
            "delim": literal(style.delimiter),
            "quote": literal(style.quote),
            "escape": literal(style.quote),
            "nullstr": "''",
            "allow_quoted_nulls": "false",
            "compression": "'gzip'" if scan.packed else "'none'",
            "strict_mode": "false" if mixed else "true",
            "parallel": "false" if note[k.EMBEDDED] or mixed else "true",
        }
        if longest <= LONGEST_LINE:  # where the size of a line is set, the buffer has no effect
            options["buffer_size"] = str(BUFFER)
        else:
            options["max_line_size"] = str(longest)
        arguments = ", ".join(f"{option} = {value}" for option, value in options.items())
        return f"select * from read_csv({file_literal(text.path)}, {arguments})"

    def _transcode(self, source: Source, encoding: str, path: Path) -> Source:
        """Copy the file as UTF-8."""
        decoder = codecs.getincrementaldecoder(encoding)()
        offset, lines = 0, 1
        with source.open() as file, path.open("wb") as copy:
            for chunk in _append_empty_chunk(_read_chunks(file)):
                waiting = len(decoder.getstate()[0])
                try:
                    decoded = decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    raise self.error(
                        f"not valid {encoding} text (byte {offset - waiting + error.start:,})",
                        "set encoding to the encoding of the file",
                        line=lines + str(error.object[: error.start], "latin-1").count("\n"),
                    ) from None
                lines += decoded.count("\n")
                offset += len(chunk)
                copy.write(decoded.encode("utf-8", "surrogatepass"))
        return Source(path)


class _CsvScan:
    """One scan of a UTF-8 file: its shape, how it is written, what is wrong."""

    def __init__(self, table: CsvTable, text: Source, delimiter: str, quote: str) -> None:
        self.table, self.text = table, text
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
        for chunk in _append_empty_chunk(_read_chunks(file)):
            waiting = decoder.getstate()[0]
            data = np.frombuffer(chunk, dtype=np.uint8)
            before = int(self.note[k.AT])
            k.walk(data, delimiter, quote, self.note, self.cells_quoted, self.cells_plain)
            if self.note[k.PROBLEM] == k.NUL:
                return
            if waiting or not chunk or not chunk.isascii():
                try:
                    decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    self._raise_invalid_text(before - len(waiting) + error.start)
            if self.note[k.PROBLEM]:
                return
        k.finish(self.note, self.cells_quoted, self.cells_plain)

    def _raise_invalid_text(self, position: int) -> NoReturn:
        """Raise an error for a byte that is not UTF-8, counted from the end of the mark."""
        position += len(codecs.BOM_UTF8) * self.bom
        with self.text.open() as file:
            chunks = _read_chunks(file)
            line, left = 1, position
            while left > 0:
                chunk = next(chunks)[:left]
                line, left = line + chunk.count(b"\n"), left - len(chunk)
        raise self.table.error(
            f"not valid UTF-8 text (byte {position:,} of the file)",
            "set encoding to latin-1 or cp1252",
            line=line,
        )

    def raise_problem(self) -> None:
        """Raise an error for the problem of the file, if there is one."""
        note = self.note
        problem, number = int(note[k.PROBLEM]), int(note[k.PROBLEM_NUMBER])
        if problem == k.NO_PROBLEM:
            return
        if problem == k.NUL:
            raise self.table.error(
                f"a zero byte at byte {number:,}: this is not text",
                "set format, or if the file is text, set encoding to 'utf-16'",
            )
        if problem == k.RAGGED:
            reason = f"{format_count(number, 'cell')} where the header has {note[k.WIDTH]}"
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


def _read_header(text: Source, scan: _CsvScan, delimiter: str, quote: str) -> list[str]:
    """Read the names of the columns; cells longer than the csv module allows cannot be names."""
    with text.open() as file:
        file.read(len(codecs.BOM_UTF8) * scan.bom)
        raw = file.read(int(scan.note[k.HEADER_END]))
    try:
        return next(read_csv_rows(raw.decode("utf-8"), delimiter, quote))
    except csv.Error as error:
        raise scan.table.error(str(error), "the first line names the columns", line=1) from None


# ---------------------------------------------------------------------- writing

UNQUOTABLE = "a value contains the delimiter or a line break, and this file has no quote character"
UNQUOTABLE_HINT = "set a quote character for the original, or write another format"


def _output_delimiter(path: Path, like: CsvTable | None) -> str:
    """A .tsv has tabs and a .csv made of one has commas; otherwise what the original has."""
    tabs = _is_tab_separated(path)
    if tabs and (like is None or not _is_tab_separated(like.path)):
        return "\t"
    if like is None or (_is_tab_separated(like.path) and ".csv" in path.suffixes):
        return ","
    return like.style.delimiter


def _is_tab_separated(path: Path) -> bool:
    return any(ending in path.suffixes[-2:] for ending in (".tsv", ".tab"))


def _cast_to_text(name: str) -> str:
    return f"cast({identifier(name)} as varchar) as {identifier(name)}"


def _cell_sql(column: str, style: Dialect, *, always: bool) -> str:
    """The SQL for a cell as it is written: parts for ``concat``, which makes nothing of a NULL."""
    special = "".join(
        f"\\x{ord(character):02x}" for character in f"{style.delimiter}{style.quote}\r\n"
    )
    if not style.quote:
        needed = f"regexp_matches({column}, '[{special}]')"
        return f"case when {needed} then error({literal(UNQUOTABLE)}) else {column} end"
    quote = literal(style.quote)
    doubled = f"replace({column}, {quote}, {literal(style.quote * 2)})"
    if always:
        doubled = f"if(contains({column}, {quote}), {doubled}, {column})"
        mark = f"if({column} is null, '', {quote})"
        return f"{mark}, {doubled}, {mark}"
    # The empty text is in the pattern, as every mention of the column costs time in wide tables.
    needed = f"regexp_matches({column}, '[{special}]|^$')"
    return f"if({needed}, {quote} || {doubled} || {quote}, {column})"


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
                    "convert the original to UTF-8, or write Parquet",
                ) from None
    other.replace(path)
