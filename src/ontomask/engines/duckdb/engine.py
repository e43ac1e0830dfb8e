"""Tables in files: counted, masked and verified inside DuckDB, out of core.

Rows never come to Python, only the distinct combinations of quasi-identifier values do (and, where
a tuple is dealt out to several targets, a key for every row, a batch at a time).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.sql import identifier as quote
from ontomask.engines.duckdb.sql import literal
from ontomask.engines.memory.columns import ARROW
from ontomask.engines.memory.frames import Frame, row_keys, suppressed_targets
from ontomask.engines.protocol import MANY_NUMBERS, Applied, Engine, quantiles
from ontomask.errors import InternalError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.engines.formats import StoredTable

__all__ = ["StoredEngine"]

Longs = NDArray[np.int64]

#: Rows whose keys are made in one go.
BATCH = 200_000

#: How many records are looked at to cut a column of very many numbers into ranges.
SAMPLE = 200_000

#: How many counts are gathered before they are added up.
MERGED = 5_000_000

#: How the names of DuckDB's types of numbers begin.
NUMBERS = (
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT"),
    *("UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
)

_engine_numbers = count()


def _missing_sql(column: str, marks: Collection[str]) -> str:
    """The SQL condition that a record lacks a value of a column."""
    if not marks:
        return f"{quote(column)} is null"
    mark_list = ", ".join(map(literal, marks))
    return f"{quote(column)} is null or cast({quote(column)} as varchar) in ({mark_list})"


def _list_columns(columns: Sequence[str], prefix: str = "") -> str:
    return ", ".join(prefix + quote(column) for column in columns)


class StoredEngine(Engine):
    """A table in a file."""

    def __init__(self, stored: StoredTable) -> None:
        self.stored = stored
        self.names = stored.names
        self.rows = stored.rows
        self.sql = stored.connection
        self._prefix = (
            f"ontomask_{next(_engine_numbers)}"  # tables of one release do not meet another's
        )
        self.columns: list[str] = []
        self._where = ""
        self._counted: dict[tuple[str, bool | None], tuple[Longs, DistinctValues]] = {}

    # ------------------------------------------------------------------ count

    def count_rows(self, columns: Sequence[str], known: str | None = None) -> tuple[Frame, Longs]:
        self.columns = list(columns)
        if known is not None:
            self._where = f"where {quote(known)} is not null"
        self.sql.execute(f"""
            create or replace temp table {self._prefix}_raw as
            select row_number() over () - 1 as ontomask_raw, *
            from (select {_list_columns(columns)}, count(*) as ontomask_count
                  from {self.stored.source} {self._where} group by all order by all)
        """)
        raw = self._fetch_table(f"select * from {self._prefix}_raw order by ontomask_raw")
        weights = raw.column("ontomask_count").to_numpy().astype(np.int64)
        self._raw = raw.select(self.columns)
        return Frame(self._raw), weights

    def read(self, columns: Sequence[str], rows: Longs | None = None) -> Frame:
        """Read those of some columns that exist, record by record; of some ``rows``, or of all."""
        kept = [column for column in dict.fromkeys(columns) if column in self.names]
        chosen = ""
        if rows is not None:
            self._create_table("chosen", ontomask_row=rows)
            chosen = f"where ontomask_row in (select ontomask_row from {self._prefix}_chosen)"
        return Frame(
            self._fetch_table(f"""
                select {_list_columns([*kept, "ontomask_row"])} from {self.stored.source} {chosen}
                order by ontomask_row
            """)
        )

    def count_missing(self, column: str) -> int:
        return int(
            self._fetch_row(
                f"select count(*) from {self.stored.source} where {quote(column)} is null"
            )[0]
        )

    def count_distinct_and_missing(
        self, column: str, marks: Collection[str] = ()
    ) -> tuple[int, int]:
        """Count the distinct values of a column, and the records that lack one."""
        missing = _missing_sql(column, marks)
        row = self._fetch_row(f"""
            select count(distinct {quote(column)}) filter (where not ({missing})),
                   count(*) filter (where {missing})
            from {self.stored.source}
        """)
        return int(row[0]), int(row[1])

    def count_unique_values(self, column: str) -> int:
        """How many records have a value of a column that no other record has."""
        row = self._fetch_row(f"""
            select count(*) from (
                select {quote(column)} from {self.stored.source} where {quote(column)} is not null
                group by all having count(*) = 1)
        """)
        return int(row[0])

    def determines(self, column: str, other: str, marks: Collection[str] = ()) -> bool:
        """Whether the value of a column determines that of another, where there is one."""
        row = self._fetch_row(f"""
            select count(*) from (
                select {quote(column)} from {self.stored.source}
                where {quote(column)} is not null and not ({_missing_sql(other, marks)})
                group by {quote(column)} having min({quote(other)}) <> max({quote(other)}))
        """)
        return not row[0]

    def assign_tuples(self, tuple_of: Longs) -> None:
        self._create_table("tuple", ontomask_raw=np.arange(len(tuple_of)), ontomask_tuple=tuple_of)
        same = " and ".join(f"s.{quote(c)} is not distinct from r.{quote(c)}" for c in self.columns)
        self._rows = f"""
            (select s.*, t.ontomask_tuple from {self.stored.source} s
             join {self._prefix}_raw r on {same}
             join {self._prefix}_tuple t using (ontomask_raw)
             where t.ontomask_tuple >= 0)
        """

    def _create_table(self, suffix: str, **columns: Any) -> None:
        """Create a small table for DuckDB to join with."""
        import pyarrow as pa

        ontomask_table = pa.table(columns)  # DuckDB finds it here by its name
        self.sql.execute(
            f"create or replace temp table {self._prefix}_{suffix} as select * from ontomask_table"
        )
        del ontomask_table

    def count_by_tuple(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        if (column, ranges) not in self._counted:
            counts = self._count_values("ontomask_tuple", self._rows, column, ranges)
            self._counted[column, ranges] = counts
        return self._counted[column, ranges]

    def _count_values(
        self, group: str, rows: str, column: str, ranges: bool | None
    ) -> tuple[Longs, DistinctValues]:
        """Count how often each value of a column occurs in each group."""
        if ranges is None:
            ranges = self.stored.types[column].startswith(NUMBERS)
        cuts = self._range_cuts(column) if ranges else None
        if cuts is not None:
            return self._count_ranges(group, rows, column, cuts)
        table = self._fetch_table(f"""
            select {group} as ontomask_group, {quote(column)}, count(*) as ontomask_count
            from {rows} group by all order by all
        """)
        distinct = Frame(table).distinct_values(column)
        weights = table.column("ontomask_count").to_numpy().astype(np.int64)
        groups = table.column("ontomask_group").to_numpy().astype(np.int64)
        return groups, DistinctValues(distinct.values, distinct.codes, weights)

    def _count_ranges(
        self, group: str, rows: str, column: str, cuts: NDArray[np.float64]
    ) -> tuple[Longs, DistinctValues]:
        """The same for very many numbers, each standing for its range, as the least of it."""
        number = f"cast({quote(column)} as double)"
        size = len(cuts) + 1  # the last is missing
        sums = _KeyCounts()
        for batch in self.sql.sql(f"select {group}, {number} from {rows}").to_arrow_reader(BATCH):
            groups, numbers = (c.to_numpy(zero_copy_only=False) for c in batch.columns)
            places = np.searchsorted(cuts, numbers, side="right") - 1
            sums.add(groups * size + np.where(np.isnan(numbers), len(cuts), places))
        key, weights = sums.total()
        groups, places = np.divmod(key, size)
        return groups, DistinctValues(
            cuts.tolist(), np.where(places < len(cuts), places, -1), weights
        )

    def _range_cuts(self, column: str) -> NDArray[np.float64] | None:
        """Where ranges of about as many records begin, found on a sample of fixed rows.

        None where there are not very many different numbers.
        """
        every = max(1, self.rows // SAMPLE)
        distinct_count, least, sample = self._fetch_row(f"""
            select approx_count_distinct(x), min(x), list(x) filter (sampled and x is not null)
            from (select cast({quote(column)} as double) as x,
                         hash(ontomask_row) % {every} = 0 as sampled
                  from {self.stored.source})
        """)
        if distinct_count <= MANY_NUMBERS:
            return None
        return np.union1d(least, quantiles(np.sort(np.array(sample, dtype=np.float64))))

    def _fetch_row(self, query: str) -> Any:
        """Run a query that gives one row."""
        return self.sql.sql(query).fetchall()[0]

    def _fetch_table(self, query: str) -> Any:
        """Run a query; its result as a pyarrow table."""
        return self.sql.sql(query).to_arrow_table()

    def has_repeats(self, column: str) -> bool:
        row = self._fetch_row(f"""
            select count({quote(column)}) > count(distinct {quote(column)})
            from {self.stored.source}
        """)
        return bool(row[0])

    # ------------------------------------------------------------------ apply

    def apply(
        self,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> StoredRows:
        if plan.has_one_target_per_tuple:
            self._create_table("target", ontomask_tuple=plan.source, ontomask_target=plan.target)
            rows = f"""
                (select s.*, t.ontomask_target from {self._rows} s
                 join {self._prefix}_target t using (ontomask_tuple))
            """
        else:
            rows = self._deal_rows(plan, secret)
        suppressed = suppressed_targets(plan)
        if drops and suppressed.any():
            kept = _list_true_places(~suppressed)
            rows = f"(select * from {rows} where ontomask_target in ({kept}))"
        written = {
            f"ontomask_new_{j}": ARROW.make_column(
                self._raw.column(column), look.values, look.places, look.text
            )
            for j, (column, look) in enumerate(looks.items())
        }
        self._create_table("written", ontomask_target=np.arange(len(plan.targets)), **written)
        return StoredRows(self, plan, looks, removed, rows, drops)

    def _deal_rows(self, plan: Transitions, secret: bytes) -> str:
        """Deal rows their targets, where a tuple has several: in the order of their keys.

        The first of a tuple's rows take its first target, as many as it has, and so on.
        """
        self._make_keys(secret)
        before = np.cumsum(plan.count) - plan.count
        first_of = np.zeros(len(plan.tuples), dtype=np.int64)
        source, place = np.unique(plan.source, return_index=True)
        first_of[source] = before[place]
        self._create_table(
            "deal",
            ontomask_tuple=plan.source,
            ontomask_first=before - first_of[plan.source],
            ontomask_target=plan.target,
        )
        self.sql.execute(f"""
            create or replace temp table {self._prefix}_dealt as
            select r.ontomask_row, d.ontomask_target
            from (select ontomask_row, ontomask_tuple, row_number() over (
                      partition by ontomask_tuple order by ontomask_key, ontomask_row) - 1 as place
                  from (select ontomask_row, ontomask_tuple from {self._rows})
                  join {self._prefix}_key using (ontomask_row)) r
            asof join {self._prefix}_deal d
                on r.ontomask_tuple = d.ontomask_tuple and r.place >= d.ontomask_first
        """)
        return f"""
            (select s.*, d.ontomask_target from {self._rows} s
             join {self._prefix}_dealt d using (ontomask_row))
        """

    def _make_keys(self, secret: bytes) -> None:
        """Make a secret key for every row from the whole of it."""
        import pyarrow as pa

        self.sql.execute(
            f"create or replace temp table {self._prefix}_key "
            "(ontomask_row bigint, ontomask_key ubigint)"
        )
        cursor = self.sql.cursor()  # the other one takes the keys meanwhile
        batches = cursor.sql(f"select * from {self.stored.source}").to_arrow_reader(BATCH)
        for batch in batches:
            table = pa.Table.from_batches([batch])
            rows = table.column("ontomask_row")
            keys = row_keys(Frame(table.drop_columns(["ontomask_row"])), secret)
            ontomask_keys = pa.table({"row": rows, "key": keys})
            self.sql.execute(f"insert into {self._prefix}_key select * from ontomask_keys")
            del ontomask_keys


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
        keys, place = np.unique(keys, return_inverse=True)
        sums = np.bincount(place, weights=counts).astype(np.int64)
        self._parts, self._size = [(keys, sums)], 0
        return keys, sums


def _list_true_places(mask: NDArray[np.bool_]) -> str:
    return ", ".join(map(str, np.flatnonzero(mask).tolist())) or "-1"


class StoredRows(Applied):
    """The rows of a file with their masked values; a query, until it is written."""

    engine: StoredEngine

    def __init__(
        self,
        engine: StoredEngine,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        rows: str,
        drops: bool,
    ) -> None:
        self.engine, self.plan, self.looks = engine, plan, looks
        self.names = [column for column in engine.names if column not in set(removed)]
        self._rows, self._drops = rows, drops
        self._new = {column: f"w.ontomask_new_{j}" for j, column in enumerate(looks)}
        expressions = [
            f"{self._new[c]} as {quote(c)}" if c in looks else f"s.{quote(c)}" for c in self.names
        ]
        self.query = f"""
            select {", ".join(expressions)} from {rows} s
            join {engine._prefix}_written w using (ontomask_target) order by s.ontomask_row
        """
        self.data = engine.sql.sql(self.query)

    # ------------------------------------------------------------------ verify

    def verify(self) -> None:
        """Every tuple must have become what was planned, as often as it was planned."""
        columns = self.engine.sql.sql(f"""
            select ontomask_tuple, ontomask_target, count(*) from {self._rows}
            group by all order by all
        """).fetchnumpy()
        tuples, targets, counts = (np.asarray(column) for column in columns.values())
        kept = np.ones(len(self.plan.source), dtype=bool)
        if self._drops:
            kept = ~suppressed_targets(self.plan)[self.plan.target]
        planned = (self.plan.source[kept], self.plan.target[kept], self.plan.count[kept])
        if not all(map(np.array_equal, planned, (tuples, targets, counts))):
            raise InternalError("the rows of the file were not given what was planned")
        self.records = int(counts.sum())
        sums = np.bincount(targets, weights=counts, minlength=len(self.plan.targets))
        used = np.flatnonzero(sums)
        self.engine._create_table(
            "size", ontomask_target=used, ontomask_rows=sums[used].astype(np.int64)
        )
        self._sizes = self._classes(
            f"{self.engine._prefix}_size s join {self._written} w using (ontomask_target)",
            count="sum(s.ontomask_rows)",
        )

    @property
    def _written(self) -> str:
        return f"{self.engine._prefix}_written"

    def _classes(self, rows: str, columns: Sequence[str] = (), count: str = "count(*)") -> Longs:
        """How many rows there are of each combination of masked values."""
        grouped = ", ".join(columns or self._new.values())
        table = self.engine.sql.sql(
            f"select ontomask_n from (select {grouped}, {count} as ontomask_n from {rows} "
            "group by all) order by ontomask_n"
        ).fetchnumpy()
        return np.asarray(table["ontomask_n"], dtype=np.int64)

    def class_sizes(self) -> Longs:
        return self._sizes

    def count_people(self, column: str) -> Longs:
        grouped, person = ", ".join(self._new.values()), quote(column)
        table = self.engine.sql.sql(f"""
            select ontomask_n from (
                select {grouped}, count(distinct s.{person}) + max((s.{person} is null)::int)
                    as ontomask_n
                from {self._rows} s join {self._written} w using (ontomask_target) group by all)
            order by ontomask_n
        """).fetchnumpy()
        return np.asarray(table["ontomask_n"], dtype=np.int64)

    def count_by_class(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        if not self.plan.has_one_target_per_tuple:
            return self.engine._count_values("ontomask_target", self._rows, column, ranges)
        # Every tuple goes whole: what was counted by tuple need not be counted again.
        tuples, distinct = self.engine.count_by_tuple(column, ranges)
        target = self.plan.target_of()
        removed = suppressed_targets(self.plan)[target[tuples]] & self._drops
        return target[tuples][~removed], distinct.select_rows(~removed)

    def count_uniques_with(self, columns: Sequence[str]) -> int:
        grouped = ", ".join(["ontomask_target", *map(quote, columns)])
        row = self.engine._fetch_row(f"""
            select count(*) from (
                select {grouped} from {self._rows} group by all having count(*) = 1)
        """)
        return int(row[0])

    def value_counts(self, column: str) -> DistinctValues:
        table = self.engine._fetch_table(f"""
            select {self._new[column]} as {quote(column)}, count(*) as ontomask_count
            from {self._rows} s join {self._written} w using (ontomask_target) group by all
        """)
        distinct = Frame(table).distinct_values(column)
        weights = table.column("ontomask_count").to_numpy().astype(np.int64)
        return DistinctValues(distinct.values, distinct.codes, weights)

    # ------------------------------------------------------------------ write

    def write(self, target: Path, force: bool) -> None:
        """Write the rows, and look at the finished file before it gets its name."""
        self.engine.stored.write(self.query, target, force=force, check=self._check_file)

    def _check_file(self, finished: StoredTable) -> None:
        if finished.names != self.names:
            raise InternalError("the written file has other columns than it should")
        if finished.rows != self.records:
            raise InternalError("the written file has more or fewer rows than it should")
        sizes = self._classes(finished.source, [quote(column) for column in self.looks])
        if not np.array_equal(sizes, self._sizes):
            raise InternalError("the written file has other classes of records than it should")
        others = [column for column in self.names if column not in self.looks]
        text = finished.format != self.engine.stored.format
        # Where rows were left out, those after them have moved up.
        moved = self.records < self.engine.rows
        before = self._checksum(self._rows, others, text=text, moved=moved)
        if before != self._checksum(finished.source, others, text=text):
            raise InternalError("a column of the written file differs that should not")

    def _checksum(
        self, rows: str, columns: Sequence[str], *, text: bool, moved: bool = False
    ) -> Any:
        """A checksum of all cells and their places."""
        cells = [f"cast({quote(c)} as varchar)" if text else quote(c) for c in columns]
        place = "row_number() over (order by ontomask_row) - 1" if moved else "ontomask_row"
        return self.engine._fetch_row(f"""
            select bit_xor(h), sum(h % 1000003) from (select hash(place, cells) as h from (
                select {place} as place, cells from (
                    select ontomask_row, hash({", ".join(cells) or "0"}) as cells from {rows})))
        """)
