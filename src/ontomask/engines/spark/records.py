"""The records of a Spark frame, each with its tuple, and the target that each is given.

Where records of one tuple become different things, they are numbered in the order of the same keys
as in memory (:func:`~ontomask.engines.memory.records.row_keys`), made where the records are. With
all tuples in a row, the number of a record is its position in the table; the transitions of a plan,
also in a row, are ranges of positions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.functions import arrow_udf

from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.records import row_keys
from ontomask.engines.protocol import PlacedRecords
from ontomask.engines.spark.applied import SparkApplied
from ontomask.engines.spark.values import (
    arrow_column,
    count_grouped_rows,
    count_values,
    fetch_table,
    make_small_frame,
)
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.engines.spark.engine import SparkEngine, SparkRows

__all__ = ["SparkRecords", "transition_ranges"]

Longs = NDArray[np.int64]

#: A tuple of more records is numbered in parts, so that no worker must sort it alone.
LARGEST_PART = 1_000_000


class SparkRecords(PlacedRecords):
    """The records that are kept; ``tuple_of`` is the tuple of each counted row."""

    def __init__(self, counted: SparkRows, tuple_of: Longs) -> None:
        self.counted, self.engine, self.tuple_of = counted, counted.engine, tuple_of
        self._counts: dict[Any, tuple[Longs, DistinctValues]] = {}

    def rows_with_tuples(self, **of_tuple: Longs) -> DataFrame:
        """The kept records, with their tuples and more numbers of these.

        Tuples for which one of the numbers is -1 are left out as well.
        """
        tuples, engine = self.tuple_of, self.engine
        kept = tuples >= 0
        for numbers in of_tuple.values():
            kept = kept & (numbers[tuples] >= 0)
        places = np.flatnonzero(kept)
        columns = self.counted.columns
        names = [engine.inner_names[column] for column in columns]
        kinds = [
            T.StructField(f"r{name}", engine.field_of[column].dataType)
            for column, name in zip(columns, names, strict=True)
        ]
        originals = self.counted.originals.take(places).columns
        raw = dict(zip((kind.name for kind in kinds), originals, strict=True))
        numbers_of_rows = {name: numbers[tuples[places]] for name, numbers in of_tuple.items()}
        known = make_small_frame(
            engine.spark, kinds, **raw, tuple=tuples[places], **numbers_of_rows
        )
        same = reduce(and_, [F.col(name).eqNullSafe(F.col(f"r{name}")) for name in names])
        return self.counted.source.join(known, same).drop(*raw)

    def count_by_tuple(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        key = column, ranges, tuple(marks)
        if key not in self._counts:  # the table is not read twice for the same
            self._counts[key] = self.count_values("tuple", self.rows_with_tuples(), *key)
        return self._counts[key]

    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        return count_grouped_rows("tuple", self.rows_with_tuples(), self.engine.field_of, columns)

    def count_values(
        self,
        group: str,
        rows: DataFrame,
        column: str,
        ranges: bool | None,
        marks: Collection[str],
    ) -> tuple[Longs, DistinctValues]:
        """Count how often each known value of a column occurs in each group of some rows."""
        table_records = self.counted.records + self.counted.left_out
        field = self.engine.field_of[column]
        return count_values(group, rows, field, ranges, marks, self.engine.source, table_records)

    def apply(
        self,
        plan: Transitions,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> SparkApplied:
        is_released = plan.released_targets(drops)
        if plan.has_one_target_per_tuple:
            target = plan.target_of()
            rows = self.rows_with_tuples(target=np.where(is_released[target], target, -1))
        else:
            rows = _deal_rows(self, plan, secret, is_released)
        return SparkApplied(self, plan, outputs, removed, rows, is_released)


# ---------------------------------------------------------------------- dealing


def _deal_rows(
    records: SparkRecords, plan: Transitions, secret: bytes, kept: NDArray[np.bool_]
) -> DataFrame:
    """Deal records their targets; those whose target is not ``kept`` are left out."""
    counts = plan.tuples.counts
    bits = _part_bits(counts)
    rows = _number_records(records, np.cumsum(counts) - counts, bits, secret)
    size, chunk, begin, end, target = transition_ranges(plan)
    is_kept = kept[target]
    pieces = make_small_frame(
        records.engine.spark,
        chunk=chunk[is_kept],
        begin=begin[is_kept],
        end=end[is_kept],
        target=target[is_kept],
    )
    inside = (F.col("position") >= F.col("begin")) & (F.col("position") < F.col("end"))
    same = F.expr(f"position div {size}") == F.col("chunk")
    return rows.join(pieces, same & inside).drop("position", "chunk", "begin", "end")


def transition_ranges(plan: Transitions) -> tuple[int, Longs, Longs, Longs, Longs]:
    """The positions of every transition, cut at the ends of chunks: ``chunk, begin, end, target``.

    The first is the size of a chunk: that of a usual transition, so that there are about twice as
    many pieces as transitions, and a record looks at two of them on average.
    """
    end = np.cumsum(plan.count)
    begin = end - plan.count
    size = max(1, int(plan.count.sum()) // max(1, len(end)))
    first = begin // size
    pieces = (end - 1) // size - first + 1
    transition = np.repeat(np.arange(len(end)), pieces)
    chunk = (
        first[transition]
        + np.arange(len(transition))
        - np.repeat(np.cumsum(pieces) - pieces, pieces)
    )
    return size, chunk, begin[transition], end[transition], plan.target[transition]


def _part_bits(counts: Longs) -> Longs:
    """How many bits of the key say which part of a tuple a record is in."""
    parts = np.maximum(1, counts / LARGEST_PART)
    return np.ceil(np.log2(parts)).astype(np.int64)


def _number_records(records: SparkRecords, starts: Longs, bits: Longs, secret: bytes) -> DataFrame:
    """Number records by their positions in the table of all tuples."""
    engine = records.engine
    rows = _add_keys(engine, records.rows_with_tuples(start=starts, bits=bits), secret)
    within = ["tuple"]
    before: Column = F.lit(0)
    if bits.any():
        rows = rows.withColumn("part", _part_number())
        rows = rows.join(F.broadcast(_count_earlier_parts(engine, rows)), ["tuple", "part"], "left")
        within, before = ["tuple", "part"], F.coalesce("before", F.lit(0))
    # If keys are equal and rows are not, the rows differ only in null and NaN.
    order = Window.partitionBy(*within).orderBy("key", "row")
    place = F.col("start") + before + F.row_number().over(order) - 1
    return rows.withColumn("position", place).drop("start", "bits", "key", "part", "before")


def _add_keys(engine: SparkEngine, rows: DataFrame, secret: bytes) -> DataFrame:
    """Add the keys of records, in the order of unsigned numbers."""
    names = engine.names

    def make_keys(*columns: pa.Array) -> pa.Array:
        unsigned = row_keys(Frame(pa.table(list(columns), names=names)), secret)
        return pa.array((unsigned ^ np.uint64(1 << 63)).view(np.int64))

    key_udf = arrow_udf(make_keys, "long")  # type: ignore[call-overload]  # they do not know of type hints
    return rows.withColumn("key", key_udf(*map(arrow_column, engine.fields)))


def _part_number() -> Column:
    """Which part of a large tuple a record is in: the first bits of its key."""
    return F.expr("if(bits = 0, 0L, shiftrightunsigned(key ^ shiftleft(1L, 63), int(64 - bits)))")


def _count_earlier_parts(engine: SparkEngine, rows: DataFrame) -> DataFrame:
    """Count the records of each large tuple that are in earlier parts."""
    counted = rows.where("bits > 0").groupBy("tuple", "part").agg(F.count("*").alias("count"))
    table = fetch_table(counted, ["tuple", "part"])
    tuples, parts, counts = (table.column(name).to_numpy() for name in table.column_names)
    ends = np.cumsum(counts)
    first = np.searchsorted(tuples, tuples)  # where the tuple begins
    before = ends - counts - (ends - counts)[first]
    return make_small_frame(engine.spark, tuple=tuples, part=parts, before=before)
