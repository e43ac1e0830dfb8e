"""JSON lines: one object a line, every value kept as it is written.

A column whose values are all texts is VARCHAR, so that SQL sees the text. Whole numbers are BIGINT
and other numbers DOUBLE, where writing them gives the same digits again; whatever else there is
stays JSON: the value as it was written, which SQL can cast (``cast(age as double)``).

Written back: the keys in the order they first occur, a key that is missing stays missing, unless
other rows have null there; then it is null. Not kept: the order of keys where it differs from row
to row, spaces other than one after ``:`` and ``,``, how a character is escaped in a text (all of
them are, if the file is plain ASCII).
"""

from __future__ import annotations

import codecs
import gzip
import io
import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import duckdb

from ontomask.engines.duckdb.connection import (
    identifier,
    literal,
    result_types,
    translate_read_errors,
)
from ontomask.engines.formats.loaded_rows import BATCH
from ontomask.engines.formats.stored_table import (
    FileOptions,
    StoredTable,
    check_names,
    remove_last_newline,
    write_lines,
)
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["JsonLinesTable"]

SPACE = re.compile(r"[ \t\n\r]*")
WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
NUMBER = re.compile(r"-?[0-9]")
# Numbers are not made, only passed over; their text is what is kept.
SCAN = json.JSONDecoder(parse_int=str, parse_float=str).scan_once  # type: ignore[attr-defined]


class Style(NamedTuple):
    """How the lines are written."""

    colon: str = ": "
    comma: str = ", "
    newline: str = "\n"
    final: bool = True
    ascii: bool = False
    nulls: frozenset[str] | None = None  # the columns where null is written out; None: all


class JsonLinesTable(StoredTable):
    """A file of JSON objects, one a line."""

    format: ClassVar[str] = "jsonl"

    def _open(self, options: FileOptions) -> None:
        source = Source(self.path)
        if source.head_text.lstrip().startswith("["):
            raise self.error(
                "the file is a JSON array, not JSON lines", "write one object per line"
            )
        self._expected_types = options.types or {}
        self._load(source, options.names)
        with translate_read_errors(self.path):
            self._convert_columns()
        self.options = FileOptions(types=self.types)

    @classmethod
    def write_rows(
        cls, connection: duckdb.DuckDBPyConnection, query: str, path: Path, like: Self | None
    ) -> int:
        style = like.style if like else Style()
        types = result_types(connection, query)
        items = []
        for name, type in types.items():
            key = literal(json.dumps(name, ensure_ascii=style.ascii) + style.colon)
            always = style.nulls is None or name in style.nulls
            empty = f"concat({key}, 'null')" if always else "null"
            column = identifier(name)
            value = f"concat({key}, {_json_sql(column, type)})"
            items.append(f"case when {column} is null then {empty} else {value} end")
        object_ = f"concat_ws({literal(style.comma)}, {', '.join(items)})"
        line = f"concat('{{', {object_}, '}}', {literal(style.newline[:-1])})"
        rows = write_lines(connection, None, line, query, path)
        if style.ascii:
            _escape_file(path)
        if not style.final:
            remove_last_newline(path, style.newline.encode())
        return rows

    # ------------------------------------------------------------------ reading

    def _load(self, source: Source, names: tuple[str, ...]) -> None:
        """Load every value as it is written, and note the kinds of values of each column."""
        self._kinds: dict[str, set[str]] = {}
        for name in names:
            self._add_column(name)
        scan = _StyleScan()
        waiting: list[dict[str, str]] = []
        for number, line in self._read_lines(source, scan):
            cells = self._read_cells(line, number, scan)
            for name, raw in cells.items():
                if name not in self._kinds:
                    self._add_column(name)
                self._kinds[name].add(_json_kind(raw))
            waiting.append(cells)
            if len(waiting) >= BATCH and self._kinds:
                self._append(waiting)
        if not self._kinds:
            if waiting:
                raise self.error("the objects are empty", "write the cells of a table into them")
            raise self.error("the file is empty", "write one JSON object per line")
        self._append(waiting)
        nulls = frozenset(name for name, kinds in self._kinds.items() if "null" in kinds)
        self.style = scan.style()._replace(nulls=nulls)

    def _add_column(self, name: str) -> None:
        self._kinds[name] = set()
        check_names(self, list(self._kinds))
        self.loaded.add_column(name, "JSON")

    def _append(self, waiting: list[dict[str, str]]) -> None:
        columns = {name: [row.get(name) for row in waiting] for name in self._kinds}
        with translate_read_errors(self.path):
            self.loaded.append(columns, len(waiting))
        waiting.clear()

    def _read_lines(self, source: Source, scan: _StyleScan) -> Iterator[tuple[int, str]]:
        with source.open() as file:
            for number, raw in enumerate(file, 1):
                start = raw.startswith(codecs.BOM_UTF8) and number == 1
                try:
                    line = raw[3 * start :].decode("utf-8")
                except UnicodeDecodeError:
                    raise self.error(
                        "not valid UTF-8 text", "save the file as UTF-8", line=number
                    ) from None
                scan.scan_line(line)
                if line.strip():
                    yield number, line

    def _read_cells(self, line: str, number: int, scan: _StyleScan) -> dict[str, str]:
        try:
            cells = _split_object(line, scan)
        except (ValueError, StopIteration, IndexError, RecursionError):
            raise self.error(
                "this is not a JSON object", "write one object per line", line=number
            ) from None
        if cells is None:
            raise self.error("a key occurs twice in an object", "rename one of them", line=number)
        if "" in cells:
            raise self.error("a key is empty", "give every column a name", line=number)
        return cells

    def _convert_columns(self) -> None:
        """Store every column in its type, in place of the values as they are written."""
        self.names, self.types = list(self._kinds), self._column_types()
        expressions = []
        for column, type in zip(self.loaded.columns.values(), self.types.values(), strict=True):
            if type == "VARCHAR":
                expressions.append(f"{column} ->> '$'")
            elif type == "JSON":
                expressions.append(
                    f"case when cast({column} as varchar) <> 'null' then {column} end"
                )
            else:
                expressions.append(f"cast({column} as {type})")
        query = f"select {', '.join(expressions)} from {self.loaded.name}"
        self._load_rows(query, self.path.stat().st_size)

    def _column_types(self) -> dict[str, str]:
        """The SQL types; a number is one only where its digits would come back."""
        types, tests = {}, []
        for name, kinds in self._kinds.items():
            kinds = kinds - {"null"}
            expected = self._expected_types.get(name, "")
            types[name] = "VARCHAR" if kinds == {"text"} else "JSON"
            if not kinds or expected == "JSON":
                types[name] = expected or "VARCHAR"
            elif kinds <= {"whole", "number"}:
                types[name] = "BIGINT" if kinds == {"whole"} else "DOUBLE"
                tests.append(name)
        for name in tests:
            column = self.loaded.columns[name]
            value = f"try_cast({column} as {types[name]})"
            changed = self.connection.execute(
                f"select count(*) from {self.loaded.name} where cast({column} as varchar) <> "
                f"'null' and cast(to_json({value}) as varchar) is distinct from "
                f"cast({column} as varchar)"
            ).fetchall()
            if changed[0][0]:
                types[name] = "JSON"
        return types


class _StyleScan:
    """How the lines are written, as far as they have been seen."""

    def __init__(self) -> None:
        self.colon: str | None = None
        self.comma: str | None = None
        self.ascii = True
        self.escapes = False
        self.ending: str | None = None
        self.final = True

    def scan_line(self, line: str) -> None:
        if self.ending is None and line.endswith("\n"):
            self.ending = "\r\n" if line.endswith("\r\n") else "\n"
        self.final = line.endswith("\n")
        self.ascii = self.ascii and line.isascii()
        self.escapes = self.escapes or "\\u" in line

    def style(self) -> Style:
        return Style(
            self.colon if self.colon is not None else ": ",
            self.comma if self.comma is not None else ", ",
            self.ending or "\n",
            self.final,
            self.ascii and self.escapes,
        )


def _json_kind(raw: str) -> str:
    if raw[0] == '"':
        return "text"
    if WHOLE.fullmatch(raw):
        return "whole"
    if NUMBER.match(raw):
        return "number"
    return "null" if raw == "null" else "other"


def _split_object(line: str, scan: _StyleScan) -> dict[str, str] | None:
    """The values of an object by their keys, as they are written; None where a key is repeated."""
    cells: dict[str, str] = {}
    at = _skip_spaces(line, 0)
    if line[at] != "{":
        raise ValueError
    at = _skip_spaces(line, at + 1)
    while line[at] != "}":
        if line[at] != '"':
            raise ValueError
        key, at = scanstring(line, at + 1, True)
        at = _skip_spaces(line, at)
        if line[at] != ":":
            raise ValueError
        start = _skip_spaces(line, at + 1)
        scan.colon = scan.colon or (": " if start > at + 1 else ":")
        value, end = SCAN(line, start)
        _check_surrogates(key, value, line[start:end])
        if key in cells:
            return None
        cells[key] = line[start:end]
        at = _skip_spaces(line, end)
        if line[at] == ",":
            comma, at = at, _skip_spaces(line, at + 1)
            scan.comma = scan.comma or (", " if at > comma + 1 else ",")
            if line[at] == "}":
                raise ValueError
        elif line[at] != "}":
            raise ValueError
    if _skip_spaces(line, at + 1) < len(line):
        raise ValueError
    return cells


def _skip_spaces(line: str, at: int) -> int:
    return SPACE.match(line, at).end()  # type: ignore[union-attr]


def _check_surrogates(key: str, value: Any, raw: str) -> None:
    """Refuse half of a character, which is not text."""
    key.encode()
    if "\\u" in raw:
        (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()


# ---------------------------------------------------------------------- writing


def _json_sql(column: str, type: str) -> str:
    """The SQL for a value as JSON."""
    if type == "JSON" or type.startswith("DECIMAL"):
        return f"cast({column} as varchar)"
    return f"cast(to_json({column}) as varchar)"


def _escape(error: UnicodeError) -> tuple[str, int]:
    """Characters beyond ASCII as JSON escapes them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


codecs.register_error("ontomask.json", _escape)


def _escape_file(path: Path) -> None:
    """Write a file again, in plain ASCII."""
    other = path.with_name("escaped")
    with (
        Source(path).open() as raw,
        io.TextIOWrapper(raw, "utf-8", newline="") as text,
        gzip.open(other, "wb") if path.suffix == ".gz" else other.open("wb") as file,
    ):
        while chunk := text.read(1 << 20):
            file.write(chunk.encode("ascii", "ontomask.json"))
    other.replace(path)
