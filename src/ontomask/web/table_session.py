"""The open table of the workbench: one database connection, used by one thread at a time.

Frequent answers are cached: the profile and the first rows from the start, every column as integer
codes once it is needed (or earlier, in the background), and the counts of equivalence classes.
DuckDB answers everything else; it reads Parquet files directly and copies other files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from threading import Lock, RLock, Thread, main_thread
from types import MappingProxyType
from typing import Any

from ontomask._runtime.progress import ignore_progress
from ontomask.engines.duckdb.connection import (
    close_connection,
    identifier,
    literal,
    translate_read_errors,
)
from ontomask.engines.duckdb.uniqueness import (
    EncodedColumn,
    Uniqueness,
    count_uniqueness,
    count_uniqueness_in_database,
    encode_columns,
    encode_people,
)
from ontomask.engines.duckdb.values import create_table
from ontomask.engines.formats import StoredTable, connect, open_table
from ontomask.engines.formats.stored_table import ROW
from ontomask.errors import OntomaskError
from ontomask.releasefile.profile.column_facts import ColumnFacts, ColumnProfiler
from ontomask.releasefile.profile.offered_taxonomies import (
    NO_TAXONOMIES,
    OfferedTaxonomies,
    load_offered_taxonomies,
)
from ontomask.releasefile.profile.table_profile import Profile, profile_open_table
from ontomask.web.errors import NotThere

__all__ = ["TableSession"]

#: Rows in the preview, and characters of each cell.
PREVIEW_ROWS, PREVIEW_LETTERS = 20, 200

#: Tables of more rows are counted by DuckDB rather than in memory.
MOST_IN_MEMORY = 20_000_000

#: Cached counts of classes, and columns whose values are cached.
MAX_ANSWERS, MAX_VALUE_COUNTS = 200, 12

#: Types whose values are compared directly; others are compared as text.
COMPARABLE_TYPES = (
    *("VARCHAR", "BOOLEAN", "DATE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
)


class TableSession:
    """A table that stays open while its release is prepared."""

    def __init__(
        self,
        profiler: ColumnProfiler,
        profile: Profile,
        preview: list[list[str | None]],
        offered: OfferedTaxonomies = NO_TAXONOMIES,
    ) -> None:
        self.path, self.profile, self.preview = profile.path, profile, preview
        self.offered = offered
        self.names = [column.name for column in profile.columns]
        self._profiler = profiler
        self._types = profiler.stored.types
        self._closing = self._closed = False
        self._connection_lock = RLock()  # the connection is used by one thread at a time
        self._cache_lock = Lock()
        self._codes: dict[tuple[str, tuple[str, ...], bool, str | None], EncodedColumn] = {}
        self._answers: dict[tuple[Any, ...], Uniqueness] = {}
        self._values: dict[str, dict[str, int]] = {}
        # Python waits for it when it ends: a thread inside DuckDB must not be cut off.
        self._preparing = Thread(target=self._prepare)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        progress: Callable[[str], None] = ignore_progress,
        *,
        beside: Iterable[Path] = (),
        **settings: Any,
    ) -> TableSession:
        """Open the table in a file, and profile it as ``ontomask init`` does.

        ``beside`` are files that may hold a taxonomy.
        ``settings`` are those of :func:`~ontomask.releasefile.profile.table_profile.profile`. A
        table in which nothing looks like a quasi-identifier is opened all the same.
        """
        settings = {name: value for name, value in settings.items() if value is not None}
        connection = connect(settings.get("memory"))
        try:
            reading_settings = {n: value for n, value in settings.items() if n != "memory"}
            progress(f"reading {Path(path).name}")
            profiler = ColumnProfiler(open_table(path, connection, **reading_settings))
            offered = load_offered_taxonomies((), beside, progress)
            profile = profile_open_table(
                profiler, settings, progress, refuse=False, offered=offered
            )
            session = cls(profiler, profile, _first_rows(profiler), offered)
        except BaseException:
            close_connection(connection)
            raise
        session._preparing.start()
        return session

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self.profile.rows

    def values(self, column: str) -> dict[str, int]:
        """All different values of a column as text, with their counts, the most frequent first.

        Those that are missing are left out; what is written for missing ones is a value here.
        """
        self._refuse_unknown(column)
        with self._cache_lock:
            counts = self._values.get(column)
        if counts is not None:
            return counts
        text = _text_expression(column, self._types[column])
        with self._use_connection() as profiler:
            counts = dict(
                profiler.sql.execute(
                    f"select {text} as text, count(*) as n from {profiler.table} "
                    f"where {text} is not null group by text order by n desc, text"
                ).fetchall()
            )
        with self._cache_lock:
            _cache(self._values, column, counts, MAX_VALUE_COUNTS)
        return counts

    def facts(self, column: str) -> ColumnFacts:
        """Profile a column again, this time with its values."""
        self._refuse_unknown(column)
        with self._use_connection() as profiler:
            return profiler.column(column)

    def classes(
        self,
        columns: Sequence[str],
        person: str | None = None,
        marks: Sequence[str] = (),
        separators: Mapping[str, str] = MappingProxyType({}),
    ) -> Uniqueness:
        """How many records, or people, are alike on some columns, and what each column does.

        ``marks`` are written for missing values, which are alike; ``person`` is the column that
        says whose a record is. ``separators`` stand between the values of columns of sets, in which
        the order of values does not matter.
        """
        names = sorted(set(columns), key=self._column_index)
        if person is not None:
            self._column_index(person)
        distinct_marks = tuple(sorted(set(marks)))
        sets = {name: separators[name] for name in names if name in separators}
        key = (tuple(names), person, distinct_marks, tuple(sets.items()))
        with self._cache_lock:
            uniqueness = self._answers.get(key)
        if uniqueness is None:
            count = self._count_in_memory if self.rows <= MOST_IN_MEMORY else self._count_in_duckdb
            uniqueness = count(names, person, distinct_marks, sets)
            with self._cache_lock:
                _cache(self._answers, key, uniqueness, MAX_ANSWERS)
        return uniqueness

    def close(self) -> None:
        """Close the file; later requests get an error."""
        self._closing = True
        if not self._closed:
            self._profiler.sql.interrupt()
        self._preparing.join()
        with self._connection_lock:
            if self._closed:
                return
            self._closed = True
            self._profiler.stored.close()
            close_connection(self._profiler.sql)
        with self._cache_lock:
            self._codes.clear()
            self._answers.clear()
            self._values.clear()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.profile!r})"

    # ------------------------------------------------------------------ classes

    def _count_in_memory(
        self,
        columns: list[str],
        person: str | None,
        marks: tuple[str, ...],
        separators: Mapping[str, str],
    ) -> Uniqueness:
        coded_columns = {
            name: self._encode_column(name, marks, separator=separators.get(name))
            for name in columns
        }
        people = None if person is None else self._encode_column(person, marks, people=True)
        return count_uniqueness(coded_columns, self.rows, people)

    def _count_in_duckdb(
        self,
        columns: list[str],
        person: str | None,
        marks: tuple[str, ...],
        separators: Mapping[str, str],
    ) -> Uniqueness:
        values = {
            name: _value_expression(name, self._types[name], marks, separators.get(name))
            for name in columns
        }
        with self._use_connection() as profiler:
            if person is None:
                return count_uniqueness_in_database(profiler.sql, profiler.table, values)
            value = _value_expression(person, self._types[person], ())
            query = f"select distinct {value} as value from {profiler.table}"
            texts = profiler.sql.sql(query).to_arrow_table().column(0)
            codes = encode_people(texts, marks).codes
            people = create_table(profiler.sql, ontomask_value=texts, ontomask_person=codes)
            who = (
                f"(select nullif(ontomask_person, 0) from {people} where ontomask_value = {value})"
            )
            try:
                return count_uniqueness_in_database(profiler.sql, profiler.table, values, who)
            finally:
                profiler.sql.execute(f"drop table {people}")

    def _encode_column(
        self,
        column: str,
        marks: tuple[str, ...],
        people: bool = False,
        separator: str | None = None,
    ) -> EncodedColumn:
        """Encode a column as integers; all of its missing values get the same code."""
        key = (column, marks, people, separator)
        with self._cache_lock:
            codes = self._codes.get(key)
        if codes is not None:
            return codes
        with self._use_connection() as profiler:
            codes = self._codes.get(key)  # another thread may have been faster
            if codes is None:
                value = _value_expression(column, self._types[column], marks, separator)
                query = f"select {value} as value from {profiler.table}"
                values = profiler.sql.sql(query).to_arrow_table().column(0)
                codes = encode_people(values, marks) if people else encode_columns(values)
            with self._cache_lock:
                self._codes = {  # codes with other marks are no longer needed
                    other: its_codes
                    for other, its_codes in self._codes.items()
                    if (other[0], other[2]) != (column, people)
                } | {key: codes}
        return codes

    def _prepare(self) -> None:
        """Encode the columns that will be asked about in advance; quasi-identifiers come first."""
        if self.rows > MOST_IN_MEMORY:
            return
        marks = tuple(sorted(self.profile.missing_marks))
        order = ("quasi", "confidential", "undecided", "keep", "drop")
        columns = [(column.name, False) for column in self.profile.with_role(*order)]
        columns.sort(key=lambda pair: order.index(self.profile[pair[0]].role))
        if self.profile.person is not None:
            columns.insert(0, (self.profile.person, True))
        for column, people in columns:
            if self._closing or not main_thread().is_alive():
                return
            with suppress(OntomaskError):  # a request for the column reports it
                self._encode_column(column, marks, people)

    # ------------------------------------------------------------------ asking

    @contextmanager
    def _use_connection(self) -> Iterator[ColumnProfiler]:
        """Hold the connection for one thread; refused once the table is being closed."""
        closed_error = NotThere("the table is no longer open", "open it again on the Data screen")
        with self._connection_lock:
            if self._closing:
                raise closed_error
            try:
                with translate_read_errors(self.path):
                    yield self._profiler
            except KeyboardInterrupt:
                if self._closing:  # closing interrupts DuckDB
                    raise closed_error from None
                raise

    def _column_index(self, column: str) -> int:
        self._refuse_unknown(column)
        return self.names.index(column)

    def _refuse_unknown(self, column: str) -> None:
        if column not in self._types:
            raise NotThere(f"the table has no column {column[:80]!r}")


def _cache(cache: dict[Any, Any], key: Any, answer: Any, most: int) -> None:
    """Keep an answer; the oldest ones are removed."""
    cache[key] = answer
    while len(cache) > most:
        cache.pop(next(iter(cache)))


def _first_rows(profiler: ColumnProfiler) -> list[list[str | None]]:
    """The first rows as text; what is longer is cut off."""
    stored: StoredTable = profiler.stored
    cells = ", ".join(
        f"left({_text_expression(name, kind)}, {PREVIEW_LETTERS + 1})"
        for name, kind in stored.types.items()
    )
    query = f"select {cells} from {profiler.table} where {ROW} < {PREVIEW_ROWS} order by {ROW}"
    with translate_read_errors(stored.path):
        rows = profiler.sql.execute(query).fetchall()
    return [[None if cell is None else _truncate(cell) for cell in row] for row in rows]


def _truncate(text: str) -> str:
    return text if len(text) <= PREVIEW_LETTERS else f"{text[: PREVIEW_LETTERS - 1]}…"


def _text_expression(column: str, kind: str) -> str:
    """SQL for a column as text, as masking reads it; NULL where a value is missing."""
    name = identifier(column)
    if kind == "BOOLEAN":
        return f"case {name} when true then 'True' when false then 'False' end"
    if kind in ("FLOAT", "DOUBLE"):
        return f"case when not isnan({name}) then cast({name} as varchar) end"
    return f"cast({name} as varchar)"


def _value_expression(
    column: str, kind: str, marks: Sequence[str], separator: str | None = None
) -> str:
    """SQL for the values by which records are compared; NULL where one is missing or marked so.

    With a ``separator``, the order of the values in a cell does not matter.
    """
    name = identifier(column)
    if separator is not None:
        value, conditions = _set_expression(name, kind, separator), [f"{name} is not null"]
    elif kind in ("FLOAT", "DOUBLE"):
        value, conditions = f"{name} + 0", [f"not isnan({name})"]  # no zero has a sign then
    else:
        value, conditions = name if kind in COMPARABLE_TYPES else f"cast({name} as varchar)", []
    if marks:
        listed = ", ".join(map(literal, marks))
        conditions.append(f"{_text_expression(column, kind)} not in ({listed})")
    return f"case when {' and '.join(conditions)} then {value} end" if conditions else value


def _set_expression(name: str, kind: str, separator: str) -> str:
    """SQL for a set as text: its distinct values in order, whatever their order in the cell."""
    values = name
    if not kind.endswith("[]"):
        parts = f"string_split(cast({name} as varchar), {literal(separator)})"
        values = f"[trim(part) for part in {parts} if trim(part) <> '']"
    return f"cast(list_sort(list_distinct({values})) as varchar)"
