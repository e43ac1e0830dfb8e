"""The table that is open in the workbench: one database connection, used by one thread at a time.

What the pages ask about again and again is kept: the profile and the first rows from the start,
every column as whole numbers once it was asked about (or before, in the background), and the
answers about classes. Everything else is asked of DuckDB, which reads Parquet where it is and has
other files copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from threading import Lock, RLock, Thread, main_thread
from typing import Any

from ontomask.engines.duckdb.connection import closed, identifier, literal, reading
from ontomask.engines.duckdb.uniqueness import Alike, Coded, alike, alike_in, coded
from ontomask.engines.formats import StoredTable, connect, open_table
from ontomask.engines.formats.stored_table import ROW
from ontomask.errors import OntomaskError
from ontomask.releasefile.profile.column_facts import Facts, Looking
from ontomask.releasefile.profile.table_profile import Profile, looked_at
from ontomask.web.errors import NotThere

__all__ = ["Opened"]

#: So many rows are shown, and so many letters of a cell.
ROWS_SHOWN, LETTERS_SHOWN = 20, 200

#: Tables of more rows are counted by DuckDB rather than in memory.
MOST_IN_MEMORY = 20_000_000

#: So many answers about classes are kept, and the values of so many columns.
ANSWERS_KEPT, VALUES_KEPT = 200, 12

#: Types that are told apart as they are; others are compared as text.
PLAIN = (
    *("VARCHAR", "BOOLEAN", "DATE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
)


class Opened:
    """A table that stays open while its release is prepared."""

    def __init__(self, looking: Looking, profile: Profile, preview: list[list[str | None]]) -> None:
        self.path, self.profile, self.preview = profile.path, profile, preview
        self.names = [column.name for column in profile.columns]
        self._looking = looking
        self._types = looking.stored.types
        self._closing = self._closed = False
        self._sql = RLock()  # the connection is used by one thread at a time
        self._kept = Lock()
        self._codes: dict[tuple[str, tuple[str, ...]], Coded] = {}
        self._answers: dict[tuple[Any, ...], Alike] = {}
        self._values: dict[str, dict[str, int]] = {}
        # Python waits for it when it ends: a thread inside DuckDB must not be cut off.
        self._preparing = Thread(target=self._prepare)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        progress: Callable[[str], None] = lambda _: None,
        **settings: Any,
    ) -> Opened:
        """Open the table in a file, and look at it as ``ontomask init`` does.

        ``settings`` are those of :func:`~ontomask.releasefile.profile.table_profile.profile`. A table in which
        nothing looks like a quasi-identifier is opened all the same.
        """
        given = {name: value for name, value in settings.items() if value is not None}
        connection = connect(given.get("memory"))
        try:
            said = {name: value for name, value in given.items() if name != "memory"}
            progress(f"reading {Path(path).name}")
            looking = Looking(open_table(path, connection, **said))
            profile = looked_at(looking, given, progress, refuse=False)
            opened = cls(looking, profile, _first_rows(looking))
        except BaseException:
            closed(connection)
            raise
        opened._preparing.start()
        return opened

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self.profile.rows

    def values(self, column: str) -> dict[str, int]:
        """All different values of a column as text, with their counts, the most frequent first.

        Those that are missing are left out; what is written for missing ones is a value here.
        """
        self._refuse_unknown(column)
        with self._kept:
            found = self._values.get(column)
        if found is not None:
            return found
        text = _text(column, self._types[column])
        with self._asking() as looking:
            found = dict(
                looking.sql.execute(
                    f"select {text} as text, count(*) as n from {looking.table} "
                    f"where {text} is not null group by text order by n desc, text"
                ).fetchall()
            )
        with self._kept:
            _put(self._values, column, found, VALUES_KEPT)
        return found

    def facts(self, column: str) -> Facts:
        """What is counted in a column, counted again: with its values."""
        self._refuse_unknown(column)
        with self._asking() as looking:
            return looking.column(column)

    def classes(
        self, columns: Sequence[str], person: str | None = None, marks: Sequence[str] = ()
    ) -> Alike:
        """How many records, or people, are alike on some columns, and what each column does.

        ``marks`` are written for missing values, which are alike; ``person`` is the column that
        says whose a record is.
        """
        asked = sorted(set(columns), key=self._place)
        if person is not None:
            self._place(person)
        written = tuple(sorted(set(marks)))
        key = (tuple(asked), person, written)
        with self._kept:
            found = self._answers.get(key)
        if found is None:
            count = self._counted if self.rows <= MOST_IN_MEMORY else self._counted_by_duckdb
            found = count(asked, person, written)
            with self._kept:
                _put(self._answers, key, found, ANSWERS_KEPT)
        return found

    def close(self) -> None:
        """Let go of the file; who still asks is told that it is not open any more."""
        self._closing = True
        if not self._closed:
            self._looking.sql.interrupt()
        self._preparing.join()
        with self._sql:
            if self._closed:
                return
            self._closed = True
            self._looking.stored.close()
            closed(self._looking.sql)
        with self._kept:
            self._codes.clear()
            self._answers.clear()
            self._values.clear()

    def __repr__(self) -> str:
        return f"Opened({self.profile!r})"

    # ------------------------------------------------------------------ classes

    def _counted(self, columns: list[str], person: str | None, marks: tuple[str, ...]) -> Alike:
        coded_columns = {name: self._coded(name, marks) for name in columns}
        return alike(coded_columns, self.rows, None if person is None else self._coded(person, ()))

    def _counted_by_duckdb(
        self, columns: list[str], person: str | None, marks: tuple[str, ...]
    ) -> Alike:
        asked = {name: _value(name, self._types[name], marks) for name in columns}
        who = None if person is None else _value(person, self._types[person], ())
        with self._asking() as looking:
            return alike_in(looking.sql, looking.table, asked, who)

    def _coded(self, column: str, marks: tuple[str, ...]) -> Coded:
        """A column as whole numbers; all of its missing values are one."""
        with self._kept:
            found = self._codes.get((column, marks))
        if found is not None:
            return found
        with self._asking() as looking:
            found = self._codes.get((column, marks))  # another thread may have been faster
            if found is None:
                value = _value(column, self._types[column], marks)
                query = f"select {value} as value from {looking.table}"
                found = coded(looking.sql.sql(query).to_arrow_table().column(0))
            with self._kept:
                self._codes = {  # of other marks none are needed any more
                    key: it for key, it in self._codes.items() if key[0] != column or not key[1]
                } | {(column, marks): found}
        return found

    def _prepare(self) -> None:
        """Have the columns ready that will be asked about; those that are masked come first."""
        if self.rows > MOST_IN_MEMORY:
            return
        marks = tuple(sorted(self.profile.missing_marks))
        order = ("quasi", "confidential", "keep", "drop")
        wanted = [(it.name, marks) for it in self.profile.with_role(*order)]
        wanted.sort(key=lambda it: order.index(self.profile[it[0]].role))
        if self.profile.person is not None:
            wanted.insert(0, (self.profile.person, ()))
        for column, some in wanted:
            if self._closing or not main_thread().is_alive():
                return
            with suppress(OntomaskError):  # whoever asks for the column will be told
                self._coded(column, some)

    # ------------------------------------------------------------------ asking

    @contextmanager
    def _asking(self) -> Iterator[Looking]:
        gone = NotThere("the table is not open any more", "open it again")
        with self._sql:
            if self._closing:
                raise gone
            try:
                with reading(self.path):
                    yield self._looking
            except KeyboardInterrupt:
                if self._closing:  # that is how DuckDB is told to end
                    raise gone from None
                raise

    def _place(self, column: str) -> int:
        self._refuse_unknown(column)
        return self.names.index(column)

    def _refuse_unknown(self, column: str) -> None:
        if column not in self._types:
            raise NotThere(f"the table has no column {column[:80]!r}")


def _put(kept: dict[Any, Any], key: Any, found: Any, most: int) -> None:
    """Keep an answer; the oldest ones go."""
    kept[key] = found
    while len(kept) > most:
        kept.pop(next(iter(kept)))


def _first_rows(looking: Looking) -> list[list[str | None]]:
    """The first rows as text; what is longer is cut off."""
    stored: StoredTable = looking.stored
    cells = ", ".join(
        f"left({_text(name, kind)}, {LETTERS_SHOWN + 1})" for name, kind in stored.types.items()
    )
    query = f"select {cells} from {looking.table} where {ROW} < {ROWS_SHOWN} order by {ROW}"
    with reading(stored.path):
        found = looking.sql.execute(query).fetchall()
    return [[None if cell is None else _cut(cell) for cell in row] for row in found]


def _cut(text: str) -> str:
    return text if len(text) <= LETTERS_SHOWN else f"{text[: LETTERS_SHOWN - 1]}…"


def _text(column: str, kind: str) -> str:
    """A column as text, in SQL, as masking reads it; NULL where a value is missing."""
    name = identifier(column)
    if kind == "BOOLEAN":
        return f"case {name} when true then 'True' when false then 'False' end"
    if kind in ("FLOAT", "DOUBLE"):
        return f"case when not isnan({name}) then cast({name} as varchar) end"
    return f"cast({name} as varchar)"


def _value(column: str, kind: str, marks: Sequence[str]) -> str:
    """A column to be told apart by, in SQL; NULL where a value is missing or marked so."""
    name = identifier(column)
    if kind in ("FLOAT", "DOUBLE"):
        value, known = f"{name} + 0", [f"not isnan({name})"]  # no zero has a sign then
    else:
        value, known = name if kind in PLAIN else f"cast({name} as varchar)", []
    if marks:
        listed = ", ".join(map(literal, marks))
        known.append(f"{_text(column, kind)} not in ({listed})")
    return f"case when {' and '.join(known)} then {value} end" if known else value
