"""The values of columns inside DuckDB: which are missing, and how often each occurs by group."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.connection import fresh_name
from ontomask.engines.duckdb.sql import identifier, literal
from ontomask.engines.memory.frame import Frame
from ontomask.engines.ranges import MANY_NUMBERS, SAMPLE_SIZE, range_starts
from ontomask.microdata.distinct_values import DistinctValues, sum_by_key
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import finite_marks, flag_unknown, without_unknown

if TYPE_CHECKING:
    import duckdb

    from ontomask.engines.formats import StoredTable

__all__ = [
    "BATCH",
    "count_grouped_rows",
    "count_values",
    "create_table",
    "fetch_row",
    "fetch_table",
    "list_columns",
    "missing_condition",
    "read_weighted_values",
    "unknown_texts",
]

Longs = NDArray[np.int64]

#: Rows that come to Python in one go.
BATCH = 200_000

#: How many counts are gathered before they are added up.
MERGED = 5_000_000

#: How the names of DuckDB's types of numbers begin.
NUMBERS = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
)


def missing_condition(stored: StoredTable, column: str, marks: Collection[str] = ()) -> str:
    """The SQL condition that a record lacks a value of a column: null, no number, or a mark."""
    name, empty = identifier(column), list(marks)
    if stored.types[column] in ("FLOAT", "DOUBLE"):
        # As text: DuckDB takes isnan() for false where a Parquet file's statistics name a range.
        empty.append("nan")
    listed = f" or cast({name} as varchar) in ({', '.join(map(literal, empty))})" if empty else ""
    return f"{name} is null{listed}"


def unknown_texts(stored: StoredTable, column: str, marks: Collection[str]) -> list[str]:
    """The values of a column, as text, that are blank or marks of missing values."""
    if not marks and stored.types[column].startswith(NUMBERS):
        return []
    texts = _distinct_texts(stored, column)
    return [text for text, flag in zip(texts, flag_unknown(texts, marks), strict=True) if flag]


def _distinct_texts(stored: StoredTable, column: str, where: str = "true") -> list[str]:
    text = f"cast({identifier(column)} as varchar)"
    query = f"select distinct {text} from {stored.source} where {text} is not null and {where}"
    return [text for (text,) in stored.connection.sql(query).fetchall()]


def list_columns(columns: Sequence[str], prefix: str = "") -> str:
    """Columns as SQL lists them."""
    return ", ".join(prefix + identifier(column) for column in columns)


def fetch_row(sql: duckdb.DuckDBPyConnection, query: str) -> Any:
    """Run a query that gives one row."""
    return sql.sql(query).fetchall()[0]


def fetch_table(sql: duckdb.DuckDBPyConnection, query: str) -> Any:
    """Run a query; its result as a pyarrow table."""
    return sql.sql(query).to_arrow_table()


def create_table(sql: duckdb.DuckDBPyConnection, **columns: Any) -> str:
    """Create a small table for DuckDB to join with, under a name of its own."""
    import pyarrow as pa

    name = fresh_name()
    ontomask_table = pa.table(columns)  # DuckDB finds it here by its name
    sql.execute(f"create temp table {name} as select * from ontomask_table")
    del ontomask_table
    return name


def count_values(
    stored: StoredTable,
    group: str,
    rows: str,
    column: str,
    ranges: bool | None,
    marks: Collection[str],
) -> tuple[Longs, DistinctValues]:
    """Count how often each known value of a column occurs in each group of some rows."""
    if ranges is None:
        ranges = stored.types[column].startswith(NUMBERS)
    if ranges:
        number = _known_number(column, marks)
        starts = _find_range_starts(stored, column, number, marks)
        if starts is not None:
            return _count_ranges(stored, group, rows, number, starts)
    table = fetch_table(
        stored.connection,
        f"""
        select {group} as ontomask_group, {identifier(column)}, count(*) as ontomask_count
        from {rows} group by all order by all
        """,
    )
    groups = table.column("ontomask_group").to_numpy().astype(np.int64)
    return groups, without_unknown(read_weighted_values(table, column), marks)


def count_grouped_rows(
    sql: duckdb.DuckDBPyConnection, group: str, rows: str, columns: Sequence[str]
) -> GroupedRows:
    """Count rows by a group and several columns."""
    table = fetch_table(
        sql,
        f"""
        select {group} as ontomask_group, {list_columns(columns)}, count(*) as ontomask_count
        from {rows} group by all order by all
        """,
    )
    group_codes, counts = (
        table.column(name).to_numpy().astype(np.int64)
        for name in ("ontomask_group", "ontomask_count")
    )
    frame = Frame(table)
    values = {column: frame.distinct_values(column) for column in columns}
    return GroupedRows(group_codes, values, counts)


def read_weighted_values(table: Any, column: str) -> DistinctValues:
    """The values of a column of counts (``ontomask_count``), with these as weights."""
    distinct = Frame(table).distinct_values(column)
    weights = table.column("ontomask_count").to_numpy().astype(np.int64)
    return DistinctValues(distinct.values, distinct.codes, weights)


def _count_ranges(
    stored: StoredTable, group: str, rows: str, number: str, starts: NDArray[np.float64]
) -> tuple[Longs, DistinctValues]:
    """The same for very many numbers, each standing for its range, as the least of it."""
    size = len(starts) + 1  # the last is missing
    sums = _KeyCounts()
    numbers_by_group = stored.connection.sql(f"select {group}, {number} from {rows}")
    for batch in numbers_by_group.to_arrow_reader(BATCH):
        groups, numbers = (c.to_numpy(zero_copy_only=False) for c in batch.columns)
        places = np.searchsorted(starts, numbers, side="right") - 1
        sums.add(groups * size + np.where(np.isnan(numbers), len(starts), places))
    key, weights = sums.total()
    groups, places = np.divmod(key, size)
    return groups, DistinctValues(
        starts.tolist(), np.where(places < len(starts), places, -1), weights
    )


def _known_number(column: str, marks: Collection[str]) -> str:
    """SQL for the number in a cell; NULL where there is none, and for marks of missing values."""
    number = f"try_cast({identifier(column)} as double)"
    listed = ", ".join(map(repr, finite_marks(marks)))
    return f"case when {number} not in ({listed}) then {number} end" if listed else number


def _find_range_starts(
    stored: StoredTable, column: str, number: str, marks: Collection[str]
) -> NDArray[np.float64] | None:
    """Where ranges of about as many records begin, found on a sample of fixed rows.

    None where there are not very many different numbers, or a text that is none.
    """
    every = max(1, stored.rows // SAMPLE_SIZE)
    distinct_count, least, sample = fetch_row(
        stored.connection,
        f"""
        select approx_count_distinct(x), min(x), list(x) filter (sampled and x is not null)
        from (select {number} as x,
                     hash(ontomask_row) % {every} = 0 as sampled
              from {stored.source})
        """,
    )
    if distinct_count <= MANY_NUMBERS:
        return None
    if not flag_unknown(_distinct_texts(stored, column, f"({number}) is null"), marks).all():
        return None
    return np.union1d(least, range_starts(np.sort(np.array(sample, dtype=np.float64))))


class _KeyCounts:
    """Counts of whole numbers that come in batches."""

    def __init__(self) -> None:
        self._parts: list[tuple[Longs, Longs]] = []
        self._size = 0

    def add(self, keys: Longs) -> None:
        """Count some more."""
        self._parts.append(np.unique(keys, return_counts=True))
        self._size += len(self._parts[-1][0])
        if self._size > MERGED:
            self.total()

    def total(self) -> tuple[Longs, Longs]:
        """Every number that was met, ascending, and how often."""
        keys = np.concatenate([keys for keys, _ in self._parts])
        counts = np.concatenate([counts for _, counts in self._parts])
        keys, sums = sum_by_key(keys, counts)
        self._parts, self._size = [(keys, sums)], 0
        return keys, sums
