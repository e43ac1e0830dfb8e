"""Tables in files: counted, masked and verified inside DuckDB, out of core.

Rows never come to Python, only the distinct combinations of quasi-identifier values do (and, where
a tuple is dealt out to several targets, a key for every row, a batch at a time). What is counted or
applied lies in tables of DuckDB with names of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.connection import fresh_name
from ontomask.engines.duckdb.records import StoredRecords
from ontomask.engines.duckdb.sql import identifier
from ontomask.engines.duckdb.values import (
    create_table,
    fetch_row,
    fetch_table,
    list_columns,
    missing_condition,
    unknown_texts,
)
from ontomask.engines.memory.engine import FrameEngine, draw_places
from ontomask.engines.memory.frame import Frame
from ontomask.engines.protocol import CountedRows, Engine
from ontomask.errors import InternalError
from ontomask.microdata.grouped_rows import ClassCounts

if TYPE_CHECKING:
    from ontomask.engines.formats import StoredTable

__all__ = ["StoredEngine"]

Longs = NDArray[np.int64]


class StoredEngine(Engine):
    """A table in a file."""

    def __init__(self, stored: StoredTable) -> None:
        self.stored = stored
        self.names = stored.names
        self.rows = stored.rows
        self.sql = stored.connection

    @contextmanager
    def refuse_changes(self) -> Iterator[None]:
        try:
            yield
        except (duckdb.Error, InternalError):  # perhaps because it is another file now
            self.stored.refuse_changed()
            raise
        self.stored.refuse_changed()

    def count_rows(
        self, columns: Sequence[str], known: str | None = None, marks: Collection[str] = ()
    ) -> CountedRows:
        present = "" if known is None else f"where not ({self._unknown_condition(known, marks)})"
        return _DistinctRows(self, columns, present)

    def read(self, columns: Sequence[str]) -> Frame:
        return self._read_rows(columns, "")

    def sample(self, size: int, seed: int) -> FrameEngine:
        places = create_table(self.sql, ontomask_row=draw_places(self.rows, size, seed))
        chosen = f"where ontomask_row in (select ontomask_row from {places})"
        return FrameEngine(self._read_rows(self.names, chosen).select(self.names).native)

    def _read_rows(self, columns: Sequence[str], where: str) -> Frame:
        wanted = [column for column in dict.fromkeys(columns) if column in self.names]
        return Frame(
            fetch_table(
                self.sql,
                f"""
                select {list_columns([*wanted, "ontomask_row"])} from {self.stored.source} {where}
                order by ontomask_row
                """,
            )
        )

    def count_unknown(self, column: str, marks: Collection[str] = ()) -> int:
        unknown = self._unknown_condition(column, marks)
        return int(self._fetch_row(f"select count(*) from {self.stored.source} where {unknown}")[0])

    def _unknown_condition(self, column: str, marks: Collection[str]) -> str:
        """The SQL condition that a record has no known value of a column."""
        return missing_condition(self.stored, column, unknown_texts(self.stored, column, marks))

    def count_distinct_and_missing(
        self, column: str, marks: Collection[str] = ()
    ) -> tuple[int, int]:
        """Count the distinct values of a column, and the records that lack one or have a mark."""
        missing = missing_condition(self.stored, column, marks)
        row = self._fetch_row(f"""
            select count(distinct {identifier(column)}) filter (where not ({missing})),
                   count(*) filter (where {missing})
            from {self.stored.source}
        """)
        return int(row[0]), int(row[1])

    def count_unique_values(self, column: str) -> int:
        row = self._fetch_row(f"""
            select count(*) from (
                select {identifier(column)} from {self.stored.source}
                where not ({missing_condition(self.stored, column)})
                group by all having count(*) = 1)
        """)
        return int(row[0])

    def count_classes(self, columns: Sequence[str]) -> ClassCounts:
        """Count the equivalence classes on some columns of the original table."""
        row = self._fetch_row(f"""
            select count(*), min(n), count(*) filter (n = 1)
            from (select count(*) as n from {self.stored.source}
                  group by {list_columns(columns)})
        """)
        classes, smallest, uniques = (int(count or 0) for count in row)
        return ClassCounts(classes, smallest, uniques)

    def has_repeats(self, column: str) -> bool:
        present = f"not ({missing_condition(self.stored, column)})"
        row = self._fetch_row(f"""
            select count(*) > count(distinct {identifier(column)})
            from {self.stored.source} where {present}
        """)
        return bool(row[0])

    def determines(self, column: str, other: str, marks: Collection[str] = ()) -> bool:
        """Whether the value of a column determines that of another, where there is one."""
        name, value = identifier(column), identifier(other)
        row = self._fetch_row(f"""
            select count(*) from (
                select {name} from {self.stored.source}
                where {name} is not null and not ({missing_condition(self.stored, other, marks)})
                group by {name} having min({value}) <> max({value}))
        """)
        return not row[0]

    def links_records(self, column: str, person: str, marks: Collection[str] = ()) -> bool:
        known = " and ".join(
            f"not ({self._unknown_condition(name, marks)})" for name in (column, person)
        )
        people = identifier(person)
        row = self._fetch_row(f"""
            select max(n), bool_or(lowest <> highest), min(lowest) <> max(lowest)
            from (select count(*) as n, min({people}) as lowest, max({people}) as highest
                  from {self.stored.source} where {known} group by {identifier(column)})
        """)
        shared, several_people, different = (value or 0 for value in row)
        return shared > 1 and not several_people and bool(different)

    def _fetch_row(self, query: str) -> Any:
        return fetch_row(self.sql, query)


class _DistinctRows(CountedRows):
    """The distinct rows of some columns, numbered in a table of their own."""

    def __init__(self, engine: StoredEngine, columns: Sequence[str], where: str) -> None:
        self._engine, self._columns, self._table = engine, list(columns), fresh_name()
        self._source = engine.stored.source
        if where:
            self._source = f"(select * from {self._source} {where})"
        engine.sql.execute(f"""
            create temp table {self._table} as
            select row_number() over () - 1 as ontomask_raw, *
            from (select {list_columns(columns)}, count(*) as ontomask_count
                  from {self._source} group by all order by all)
        """)
        rows = fetch_table(engine.sql, f"select * from {self._table} order by ontomask_raw")
        self.weights = rows.column("ontomask_count").to_numpy().astype(np.int64)
        self._rows = rows.select(self._columns)
        self.frame = Frame(self._rows)
        self.left_out = engine.rows - self.records

    def assign_tuples(self, tuple_of: Longs) -> StoredRecords:
        tuples = create_table(
            self._engine.sql, ontomask_raw=np.arange(len(tuple_of)), ontomask_tuple=tuple_of
        )
        same = " and ".join(
            f"s.{identifier(c)} is not distinct from r.{identifier(c)}" for c in self._columns
        )
        records = f"""
            (select s.*, t.ontomask_tuple from {self._source} s
             join {self._table} r on {same}
             join {tuples} t using (ontomask_raw)
             where t.ontomask_tuple >= 0)
        """
        return StoredRecords(self._engine, records, self._rows)
