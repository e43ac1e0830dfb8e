"""The masked rows of a file, what is counted on them, and the finished file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.connection import fresh_name
from ontomask.engines.duckdb.sql import identifier
from ontomask.engines.duckdb.values import (
    count_grouped_rows,
    count_values,
    create_table,
    fetch_row,
    fetch_table,
    list_columns,
    read_weighted_values,
)
from ontomask.engines.formats.formulas import formulas_in_row
from ontomask.engines.protocol import Applied
from ontomask.errors import InternalError
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import ClassCounts, GroupedRows
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.engines.duckdb.engine import StoredEngine
    from ontomask.engines.duckdb.records import StoredRecords
    from ontomask.engines.formats import StoredTable

__all__ = ["StoredApplied"]

Longs = NDArray[np.int64]


class StoredApplied(Applied):
    """The rows of a file with their masked values; a query, until it is written.

    ``rows`` is a query for the original rows with their tuples and targets, ``written`` the table
    of what each target looks like, and ``is_released`` says which targets are not left out.
    """

    engine: StoredEngine

    def __init__(
        self,
        engine: StoredEngine,
        plan: Transitions,
        masked: Sequence[str],
        removed: Sequence[str],
        rows: str,
        written: str,
        is_released: NDArray[np.bool_],
        before: StoredRecords,
    ) -> None:
        self.engine, self._plan, self._masked = engine, plan, masked
        self._rows, self._written, self._before = rows, written, before
        self._is_released = is_released
        self.names = [column for column in engine.names if column not in set(removed)]
        self.records = int(plan.count[is_released[plan.target]].sum())
        self._new = {column: f"w.ontomask_new_{j}" for j, column in enumerate(masked)}
        self._orders: dict[bytes, str] = {}
        self.data = engine.sql.sql(self._query(None))

    def _query(self, order: str | None) -> str:
        """The released rows, in the order of the file or of the places in a table."""
        expressions = [
            f"{self._new[c]} as {identifier(c)}" if c in self._new else f"s.{identifier(c)}"
            for c in self.names
        ]
        by = "s.ontomask_row" if order is None else "ontomask_place"
        return f"""
            select {", ".join(expressions)} from {self._masked_rows} {_join_order(order)}
            order by {by}
        """

    def shuffle(self, key: bytes) -> Any:
        return self.engine.sql.sql(self._query(self._make_order(key)))

    def _make_order(self, key: bytes) -> str:
        """Make a table of the rows in their new order, that of a keyed hash of the original cells.

        The place of a row is its place in that table: a window function would take thrice as long.
        Of equal rows the first comes first: they were dealt their targets in the same order.
        """
        if key not in self._orders:
            keys = create_table(self.engine.sql, ontomask_key=[key.hex()])
            cells = f"hash({list_columns(self.engine.names)})"
            text = f"(select ontomask_key from {keys}) || {cells}"
            self._orders[key] = order = fresh_name()
            self.engine.sql.execute(f"""
                create temp table {order} as select ontomask_row from {self.engine.stored.source}
                order by cast('0x' || sha256({text})[:16] as ubigint), ontomask_row
            """)
            self.engine.sql.execute(f"drop table {keys}")
        return self._orders[key]

    @property
    def _masked_rows(self) -> str:
        """The original rows (s) with their masked values (w), for a FROM clause."""
        return f"{self._rows} s join {self._written} w using (ontomask_target)"

    # ------------------------------------------------------------------ verify

    def verify(self) -> None:
        self.class_sizes()  # counted while the rows are verified

    def class_sizes(self) -> Longs:
        return self._sizes

    @cached_property
    def _sizes(self) -> Longs:
        """The sizes of the classes; every tuple must have become what was planned, as often."""
        table = self.engine.sql.sql(f"""
            select ontomask_tuple, ontomask_target, count(*) from {self._rows}
            group by all order by all
        """).fetchnumpy()
        tuples, targets, counts = (np.asarray(column) for column in table.values())
        plan, kept = self._plan, self._is_released[self._plan.target]
        planned = (plan.source[kept], plan.target[kept], plan.count[kept])
        if not all(map(np.array_equal, planned, (tuples, targets, counts))):
            raise InternalError("the rows of the file were not given what was planned")
        sums = np.bincount(targets, weights=counts, minlength=len(plan.targets))
        used = np.flatnonzero(sums)
        sizes = create_table(
            self.engine.sql, ontomask_target=used, ontomask_rows=sums[used].astype(np.int64)
        )
        return self._count_classes(
            f"{sizes} s join {self._written} w using (ontomask_target)",
            list(self._new.values()),
            "sum(s.ontomask_rows)",
        )

    def _count_classes(self, rows: str, columns: Sequence[str], count: str = "count(*)") -> Longs:
        """Count the rows, or something else, of each combination of masked values; ascending."""
        table = self.engine.sql.sql(
            f"select ontomask_n from (select {', '.join(columns)}, {count} as ontomask_n "
            f"from {rows} group by all) order by ontomask_n"
        ).fetchnumpy()
        return np.asarray(table["ontomask_n"], dtype=np.int64)

    # ------------------------------------------------------------------ count

    def count_by_class(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        if not self._plan.has_one_target_per_tuple:
            return count_values(
                self.engine.stored, "ontomask_target", self._rows, column, ranges, marks
            )
        # Every tuple goes whole: what was counted by tuple need not be counted again.
        tuples, distinct = self._before.count_by_tuple(column, ranges, marks)
        target = self._plan.target_of()[tuples]
        is_released = self._is_released[target]
        return target[is_released], distinct.select_rows(is_released)

    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        if self._plan.has_one_target_per_tuple:
            return self._before.count_rows(columns).regroup(
                self._plan.target_of(), self._is_released
            )
        return count_grouped_rows(self.engine.sql, "ontomask_target", self._rows, columns)

    def count_classes_with(self, columns: Sequence[str]) -> ClassCounts:
        # Targets that are written the same are one class.
        grouped = [*self._new.values(), *(f"s.{identifier(column)}" for column in columns)]
        row = fetch_row(
            self.engine.sql,
            f"""
            select count(*), min(n), count(*) filter (n = 1)
            from (select count(*) as n from {self._masked_rows} group by {", ".join(grouped)})
            """,
        )
        classes, smallest, uniques = (int(count or 0) for count in row)
        return ClassCounts(classes, smallest, uniques)

    def count_masked_rows(self, others: Sequence[str] = ()) -> dict[str, DistinctValues]:
        columns = [f"{new} as {identifier(column)}" for column, new in self._new.items()]
        columns += [f"s.{identifier(column)}" for column in others]
        table = fetch_table(
            self.engine.sql,
            f"""
            select {", ".join(columns)}, count(*) as ontomask_count
            from {self._masked_rows} group by all
            """,
        )
        return {column: read_weighted_values(table, column) for column in (*self._new, *others)}

    def value_counts(self, column: str) -> DistinctValues:
        table = fetch_table(
            self.engine.sql,
            f"""
            select {self._new[column]} as {identifier(column)}, count(*) as ontomask_count
            from {self._masked_rows} group by all
            """,
        )
        return read_weighted_values(table, column)

    def count_restored(self, column: str) -> tuple[int, float]:
        row = fetch_row(
            self.engine.sql,
            f"""
            with masked as (
                select cast({self._new[column]} as varchar) as v, count(*) as n
                from {self._masked_rows} group by all),
            spans as (
                select v, n, sum(n) over (order by {_sort_key("v")}) - n as first from masked),
            original as (
                select cast({identifier(column)} as varchar) as v,
                    row_number() over (order by ontomask_row) - 1 as place from {self._rows})
            select count(*) filter (place >= first and place < first + n),
                count(*) filter ({self.records} - place > first
                    and {self.records} - place <= first + n),
                sum(n)
            from original join spans on original.v is not distinct from spans.v
            """,
        )
        return max(row[0], row[1]), float(row[2] or 0) / max(self.records, 1)

    def count_steps(self, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
        if not columns:
            return {}
        texts = [f"cast({identifier(column)} as varchar)" for column in columns]
        numbers = range(len(columns))
        keys = ", ".join(f"row({_sort_key(texts[j])}) as k{j}" for j in numbers)
        pairs = ", ".join(f"k{j}, lag(k{j}) over by_place as b{j}" for j in numbers)
        counts = ", ".join(
            f"count(*) filter (k{j} > b{j}), count(*) filter (k{j} < b{j})" for j in numbers
        )
        row = fetch_row(
            self.engine.sql,
            f"""
            select {counts} from (
                select {pairs} from (select ontomask_row, {keys} from {self._rows})
                window by_place as (order by ontomask_row))
            """,
        )
        return dict(zip(columns, zip(row[::2], row[1::2], strict=True), strict=True))

    # ------------------------------------------------------------------ write

    def write(
        self, target: Path, force: bool, order_key: bytes | None, escape_formulas: bool = False
    ) -> None:
        """Write the rows, and look at the finished file before it gets its name."""
        order = None if order_key is None else self._make_order(order_key)
        try:
            self.engine.stored.write(
                self._query(order),
                target,
                force=force,
                escape_formulas=escape_formulas,
                check=lambda finished: self._check_file(finished, order),
            )
        except duckdb.Error:
            self.engine.stored.refuse_changed()
            raise

    def _check_file(self, finished: StoredTable, order: str | None) -> int:
        """Refuse a file that is not what was planned; returns the number of its formulas."""
        with self.engine.refuse_changes():
            formulas = self._check_cells(finished, order)
            self._before.recount()
        return formulas

    def _check_cells(self, finished: StoredTable, order: str | None) -> int:
        """Every cell must be in its place, so what was counted on the rows holds for the file."""
        if finished.names != self.names:
            raise InternalError("the written file has other columns than it should")
        if finished.rows != self.records:
            raise InternalError("the written file has more or fewer rows than it should")
        text = finished.format != self.engine.stored.format
        written = [identifier(column) for column in self.names]
        by = [identifier(column) for column in self._masked]
        formulas = formulas_in_row(self.names) if finished.runs_formulas else "0"
        sums = self._sum_cells(finished.source, written, "ontomask_row", text, by, formulas)
        # One query, as it reads the file.
        classes = self.engine.sql.sql(f"from ({sums}) order by ontomask_count").fetchnumpy()
        if not np.array_equal(np.asarray(classes["ontomask_count"], dtype=np.int64), self._sizes):
            raise InternalError("the written file has other classes of records than it should")
        planned = [self._new.get(column, f"s.{identifier(column)}") for column in self.names]
        place = "s.ontomask_row" if order is None else "ontomask_place"
        if self.records < self.engine.rows:  # those after rows that were left out have moved up
            place = f"row_number() over (order by {place}) - 1"
        rows = f"{self._masked_rows} {_join_order(order)}"
        _, places, remainders, _ = fetch_row(
            self.engine.sql, self._sum_cells(rows, planned, place, text)
        )
        after = np.bitwise_xor.reduce(classes["ontomask_places"]), classes["ontomask_sums"].sum()
        if (places or 0, remainders or 0) != tuple(map(int, after)):
            raise InternalError("a cell of the written file differs from what was planned")
        return int(classes["ontomask_formulas"].sum())

    def _sum_cells(
        self,
        rows: str,
        cells: Sequence[str],
        place: str,
        text: bool,
        by: Sequence[str] = (),
        formulas: str = "0",
    ) -> str:
        """The SQL for the number of rows, two checksums of all cells in their places, and formulas.

        ``place`` is the SQL for the place of a row, ``formulas`` for the number of its formulas.
        """
        texts = [f"cast({cell} as varchar)" if text else cell for cell in cells]
        groups = [f"ontomask_by_{number}" for number in range(len(by))]
        selected = "".join(f"{column} as {name}, " for column, name in zip(by, groups, strict=True))
        return f"""
            select count(*) as ontomask_count, bit_xor(ontomask_hash) as ontomask_places,
                cast(sum(ontomask_hash % 1000003) as ubigint) as ontomask_sums,
                cast(sum(ontomask_runs) as ubigint) as ontomask_formulas
            from (select * replace (hash(ontomask_place, ontomask_hash) as ontomask_hash) from (
                select {selected} {place} as ontomask_place,
                    hash({", ".join(texts)}) as ontomask_hash, {formulas} as ontomask_runs
                from {rows}))
            {f"group by {', '.join(groups)}" if by else ""}
        """


def _join_order(order: str | None) -> str:
    if order is None:
        return ""
    places = f"(select ontomask_row, rowid as ontomask_place from {order})"
    return f"join {places} using (ontomask_row)"


def _sort_key(text: str) -> str:
    """The SQL that sorts numbers by their size, then anything else as text."""
    return f"coalesce(try_cast({text} as double), 'infinity'::double), {text}"
