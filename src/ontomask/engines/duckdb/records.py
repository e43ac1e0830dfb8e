"""The records of a file, each with its tuple, and the target that each is given."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.applied import StoredApplied
from ontomask.engines.duckdb.connection import fresh_name
from ontomask.engines.duckdb.values import (
    BATCH,
    count_grouped_rows,
    count_values,
    create_table,
)
from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.records import row_keys
from ontomask.engines.memory.values import ARROW, refuse_values_beyond_type
from ontomask.engines.protocol import PlacedRecords
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.engines.duckdb.engine import StoredEngine

__all__ = ["StoredRecords"]

Longs = NDArray[np.int64]


class StoredRecords(PlacedRecords):
    """A query for the records that are kept, with their tuples (``ontomask_tuple``).

    ``originals`` are the distinct rows of the quasi-identifiers, of the types that they have.
    """

    def __init__(self, engine: StoredEngine, records: str, originals: Any) -> None:
        self._engine, self._records, self._originals = engine, records, originals
        self._counts: dict[Any, tuple[Longs, DistinctValues]] = {}

    def count_by_tuple(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        key = column, ranges, tuple(marks)
        if key not in self._counts:  # a file is not read twice for the same
            self._counts[key] = count_values(
                self._engine.stored, "ontomask_tuple", self._records, *key
            )
        return self._counts[key]

    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        return count_grouped_rows(self._engine.sql, "ontomask_tuple", self._records, columns)

    def recount(self) -> None:
        """Count people and sensitive values again: what is written is what the file has now."""
        if not self._engine.stored.stays_in_file:
            return
        counts, self._counts = self._counts, {}
        for key, (tuples, distinct) in counts.items():
            tuples_now, distinct_now = self.count_by_tuple(*key)
            if not (np.array_equal(tuples, tuples_now) and distinct.is_same(distinct_now)):
                raise self._engine.stored.error(
                    f"column {key[0]!r} changed after it was counted",
                    "mask the file again when no other program writes to it",
                )

    def apply(
        self,
        plan: Transitions,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> StoredApplied:
        if plan.has_one_target_per_tuple:
            targets = create_table(
                self._engine.sql, ontomask_tuple=plan.source, ontomask_target=plan.target
            )
            rows = f"""
                (select s.*, t.ontomask_target from {self._records} s
                 join {targets} t using (ontomask_tuple))
            """
        else:
            rows = f"""
                (select s.*, d.ontomask_target from {self._records} s
                 join {self._deal_targets(plan, secret)} d using (ontomask_row))
            """
        is_released = plan.released_targets(drops)
        if not is_released.all():
            places = ", ".join(map(str, np.flatnonzero(~is_released).tolist()))
            rows = f"(select * from {rows} where ontomask_target not in ({places}))"
        cells = {
            f"ontomask_new_{j}": self._make_cells(column, output)
            for j, (column, output) in enumerate(outputs.items())
        }
        written = create_table(
            self._engine.sql, ontomask_target=np.arange(len(plan.targets)), **cells
        )
        for j, (column, output) in enumerate(outputs.items()):
            if not output.text and self._engine.stored.types[column] == "JSON":  # a JSON array
                self._engine.sql.execute(f"alter table {written} alter ontomask_new_{j} type json")
        return StoredApplied(
            self._engine, plan, list(outputs), removed, rows, written, is_released, self
        )

    def _make_cells(self, column: str, output: OutputColumn) -> Any:
        like = self._originals.column(column)
        with refuse_values_beyond_type(column, like.type, output.values):
            return ARROW.make_column(like, output.values, output.places, output.text)

    def _deal_targets(self, plan: Transitions, secret: bytes) -> str:
        """Deal rows their targets, where a tuple has several: in the order of their keys.

        The first of a tuple's rows take its first target, as many as it has, and so on. Returns the
        table of rows and targets.
        """
        keys = self._make_keys(secret)
        before = np.cumsum(plan.count) - plan.count
        first_of = np.zeros(len(plan.tuples), dtype=np.int64)
        source, place = np.unique(plan.source, return_index=True)
        first_of[source] = before[place]
        pieces = create_table(
            self._engine.sql,
            ontomask_tuple=plan.source,
            ontomask_first=before - first_of[plan.source],
            ontomask_target=plan.target,
        )
        dealt = fresh_name()
        self._engine.sql.execute(f"""
            create temp table {dealt} as
            select r.ontomask_row, d.ontomask_target
            from (select ontomask_row, ontomask_tuple, row_number() over (
                      partition by ontomask_tuple order by ontomask_key, ontomask_row) - 1 as place
                  from (select ontomask_row, ontomask_tuple from {self._records})
                  join {keys} using (ontomask_row)) r
            asof join {pieces} d
                on r.ontomask_tuple = d.ontomask_tuple and r.place >= d.ontomask_first
        """)
        self._engine.sql.execute(f"drop table {keys}")
        return dealt

    def _make_keys(self, secret: bytes) -> str:
        """Make a table with a secret key for every row, made from the whole of it."""
        import pyarrow as pa

        sql, table = self._engine.sql, fresh_name()
        sql.execute(f"create temp table {table} (ontomask_row bigint, ontomask_key ubigint)")
        cursor = sql.cursor()  # the other one takes the keys meanwhile
        rows = cursor.sql(f"select * from {self._engine.stored.source}")
        for batch in rows.to_arrow_reader(BATCH):
            cells = pa.Table.from_batches([batch])
            keys = row_keys(Frame(cells.drop_columns(["ontomask_row"])), secret)
            ontomask_keys = pa.table({"row": cells.column("ontomask_row"), "key": keys})
            sql.execute(f"insert into {table} select * from ontomask_keys")
            del ontomask_keys
        return table
