"""Spark frames: described here, and counted by Spark."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from ontomask._runtime.interrupts import register_stop
from ontomask.engines.memory.engine import FrameEngine
from ontomask.engines.memory.frame import Frame
from ontomask.engines.protocol import CountedRows, Engine
from ontomask.engines.spark.records import SparkRecords
from ontomask.engines.spark.session import translate_spark_errors
from ontomask.engines.spark.tasks import run_in_tasks
from ontomask.engines.spark.values import (
    arrow_column,
    comparable_column,
    exact_column,
    fetch_table,
    has_value,
    hash_cells,
    hash_checksums,
    is_comparable,
    read_numbers,
)
from ontomask.errors import ColumnError, ParameterError, quote_names
from ontomask.microdata.known_values import flag_unknown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine", "SparkRows"]

Longs = NDArray[np.int64]

#: How many records there are of something, and what tells them from others.
TALLY = ("count", "row_xor", "row_sum")


class SparkEngine(Engine):
    """A Spark frame.

    Inside, columns are called c0, c1 and so on, so that names with dots, names that differ by case
    only and names of ours cannot get into each other's way.
    """

    keeps_order = False

    def __init__(self, frame: DataFrame) -> None:
        _check_frame(frame)
        self.spark = frame.sparkSession
        register_stop(self.spark.sparkContext.cancelAllJobs)
        self.run_in_tasks = partial(run_in_tasks, self.spark)
        self.names = list(frame.columns)
        self.original_fields = dict(zip(self.names, frame.schema.fields, strict=True))
        self.inner_names = {name: f"c{j}" for j, name in enumerate(self.names)}
        source = frame.toDF(*self.inner_names.values())
        source = source.select([exact_column(field) for field in source.schema.fields])
        self.fields = source.schema.fields
        self.source = source.withColumn("row", hash_cells(self.fields))
        self.field_of = dict(zip(self.names, self.fields, strict=True))

    @cached_property
    def rows(self) -> int:  # type: ignore[override]
        with translate_spark_errors():
            return self.source.count()

    def count_rows(
        self, columns: Sequence[str], known: str | None = None, marks: Collection[str] = ()
    ) -> SparkRows:
        if known is None:
            return SparkRows(self, columns, self.source, 0)
        is_known = self._has_known_value(known, marks)
        return SparkRows(self, columns, self.source.where(is_known), self._count_where(~is_known))

    def count_unknown(self, column: str, marks: Collection[str] = ()) -> int:
        return self._count_where(~self._has_known_value(column, marks))

    def _count_where(self, condition: Column) -> int:
        with translate_spark_errors():
            return self.source.where(condition).count()

    def _has_known_value(self, column: str, marks: Collection[str]) -> Column:
        """Whether a record has a value of a column that is neither blank nor a mark."""
        field = self.field_of[column]
        text = comparable_column(field).cast("string")
        distinct = self.source.where(has_value(field)).select(text.alias("text")).distinct()
        texts = fetch_table(distinct).column("text").to_pylist()
        flags = flag_unknown(texts, marks)
        unknown = [value for value, flag in zip(texts, flags, strict=True) if flag]
        return has_value(field) & ~text.isin(unknown) if unknown else has_value(field)

    def has_repeats(self, column: str) -> bool:
        with translate_spark_errors():
            return not self._count_per_value(column).where("count > 1").isEmpty()

    def count_unique_values(self, column: str) -> int:
        with translate_spark_errors():
            return self._count_per_value(column).where("count = 1").count()

    def links_records(self, column: str, person: str, marks: Collection[str] = ()) -> bool:
        known = self.source.where(
            self._has_known_value(column, marks) & self._has_known_value(person, marks)
        )
        value, people = (comparable_column(self.field_of[name]) for name in (column, person))
        per_value = known.groupBy(value).agg(
            F.count("*").alias("n"), F.min(people).alias("lowest"), F.max(people).alias("highest")
        )
        summary = per_value.agg(
            F.max("n").alias("shared"),
            F.bool_or(F.col("lowest") != F.col("highest")).alias("several_people"),
            (F.min("lowest") != F.max("lowest")).alias("different"),
        )
        row = fetch_table(summary).to_pylist()[0]
        return (row["shared"] or 0) > 1 and not row["several_people"] and bool(row["different"])

    def _count_per_value(self, column: str) -> DataFrame:
        """Count the records that hold each value of a column."""
        field = self.field_of[column]
        return self.source.where(has_value(field)).groupBy(comparable_column(field)).count()

    def read(self, columns: Sequence[str]) -> Frame:
        wanted = [column for column in dict.fromkeys(columns) if column in self.names]
        return Frame(self._fetch(self.source, wanted))

    def convert_rows(self, rows: pa.Table) -> DataFrame:
        with translate_spark_errors():
            return self.spark.createDataFrame(rows)

    def sample(self, size: int, seed: int) -> FrameEngine:
        """Those records whose hashes with the seed are least, whatever their order.

        Equal rows are numbered first: otherwise all of them would be drawn, or none.
        """
        equal_rows = Window.partitionBy("row").orderBy("row")
        drawn = F.xxhash64(F.lit(f"{seed} {size}"), "row", F.row_number().over(equal_rows))
        rows = self.source.withColumn("drawn", drawn).orderBy("drawn", "row").limit(size)
        return FrameEngine(self._fetch(rows, self.names))

    def _fetch(self, rows: DataFrame, columns: Sequence[str]) -> pa.Table:
        fields = [self.field_of[column] for column in columns]
        cells = rows.select([arrow_column(field).alias(field.name) for field in fields])
        return fetch_table(cells).rename_columns(list(columns))


def _check_frame(frame: DataFrame) -> None:
    """Refuse frames that cannot be masked."""
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise ParameterError(
            "frames of Spark Connect cannot be masked",
            "start a session with SparkSession.builder.master(...), and read the table there",
        )
    if not hasattr(F, "arrow_udf"):
        raise ParameterError("pyspark must be 4.1 or later", "pip install 'pyspark>=4.1'")
    if frame.isStreaming:
        raise ParameterError(
            "a stream cannot be masked: the records of each class must be counted",
            "mask a batch of records, or use NoiseAddition.fit for single values",
        )
    twice = [name for name in dict.fromkeys(frame.columns) if frame.columns.count(name) > 1]
    if twice:
        raise ParameterError(
            f"several columns have the name {quote_names(twice)}", "rename them with toDF()"
        )


class SparkRows(CountedRows):
    """The distinct rows of some columns, with a checksum of the records of each.

    ``source`` are the records that were counted, ``originals`` the rows as they are, ``tally`` the
    numbers of :data:`TALLY` for each.
    """

    def __init__(
        self, engine: SparkEngine, columns: Sequence[str], source: DataFrame, left_out: int
    ) -> None:
        self.engine, self.columns = engine, list(columns)
        self.source, self.left_out = source, left_out
        counts = self._count()
        self.tally = {name: read_numbers(counts, name) for name in TALLY}
        self.weights = self.tally["count"]
        inner = [engine.inner_names[column] for column in self.columns]
        self.originals = counts.select(inner).rename_columns(self.columns)
        self.frame = Frame(self.originals)

    def _count(self) -> Any:
        for column in self.columns:
            kind = self.engine.field_of[column].dataType
            if not is_comparable(kind):
                raise ColumnError(
                    f"column {column!r} must have one value per record, got {kind.simpleString()} "
                    "values",
                    "split the column first",
                )
        inner = [self.engine.inner_names[column] for column in self.columns]
        grouped = self.source.groupBy(*inner)
        return fetch_table(grouped.agg(F.count("*").alias("count"), *hash_checksums("row")), inner)

    def have_changed(self) -> bool:
        """Whether the table behind the frame has changed since it was counted."""
        counts = self._count()
        return not all(
            np.array_equal(read_numbers(counts, name), self.tally[name]) for name in TALLY
        )

    def assign_tuples(self, tuple_of: Longs) -> SparkRecords:
        return SparkRecords(self, tuple_of)
