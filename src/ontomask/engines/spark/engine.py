"""The records of a Spark frame: how they are counted, and how a plan finds its way to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ontomask._runtime.interrupts import register_stop
from ontomask.engines.memory.frames import Frame, suppressed_targets
from ontomask.engines.protocol import MANY_NUMBERS, Applied, Engine, quantiles
from ontomask.engines.spark.session import translate_spark_errors
from ontomask.engines.spark.values import (
    comparable_column,
    exact_column,
    fetch_table,
    has_value,
    hash_cells,
    hash_checksums,
    is_comparable,
    make_small_frame,
)
from ontomask.errors import ColumnError, ParameterError, quote_names
from ontomask.methods.blocks import use_block_runner
from ontomask.methods.method import Method
from ontomask.methods.noise.noise_addition import NoiseAddition
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkEngine"]

Longs = NDArray[np.int64]

#: How many records are looked at to cut a column of very many numbers into ranges.
SAMPLE = 200_000

#: How many records there are of something, and what tells them from others.
TALLY = ("count", "row_xor", "row_sum")


class SparkEngine(Engine):
    """A Spark frame.

    Inside, columns are called c0, c1 and so on, so that names with dots, names that differ by case
    only and names of ours cannot get into each other's way.
    """

    def __init__(self, frame: DataFrame) -> None:
        _check_frame(frame)
        self.frame, self.spark = frame, frame.sparkSession
        register_stop(self.spark.sparkContext.cancelAllJobs)
        self.names = list(frame.columns)
        self.original_fields = dict(zip(self.names, frame.schema.fields, strict=True))
        self.inner_names = {name: f"c{j}" for j, name in enumerate(self.names)}
        source = frame.toDF(*self.inner_names.values())
        source = source.select([exact_column(field) for field in source.schema.fields])
        self.fields = source.schema.fields
        self.source = source.withColumn("row", hash_cells(self.fields))
        self.field_of = dict(zip(self.names, self.fields, strict=True))
        self._counted: dict[tuple[str, bool | None], tuple[Longs, DistinctValues]] = {}
        self._rows: int | None = None
        self._missing: dict[str, int] = {}

    @property
    def rows(self) -> int:  # type: ignore[override]
        """How many records there are: known once they were counted, otherwise asked for."""
        if self._rows is None:
            with translate_spark_errors():
                self._rows = self.source.count()
        return self._rows

    # ------------------------------------------------------------------ count

    def count_rows(self, columns: Sequence[str], known: str | None = None) -> tuple[Frame, Longs]:
        self.columns = list(columns)
        self._known = self.source
        if known is not None:
            self._known = self.source.where(has_value(self.field_of[known]))
        tallied = self._tally_rows()
        self.tally = {name: _longs(tallied, name) for name in TALLY}
        missing = 0 if known is None else self.count_missing(known)
        self._rows = int(self.tally["count"].sum()) + missing
        inner = [self.inner_names[column] for column in self.columns]
        self.raw = tallied.select(inner).rename_columns(self.columns)
        return Frame(self.raw), self.tally["count"]

    def _tally_rows(self) -> pa.Table:
        """Count the distinct rows of the quasi-identifiers, with a checksum of each."""
        for column in self.columns:
            if not is_comparable(self.field_of[column].dataType):
                raise ColumnError(
                    f"column {column!r} holds {self.field_of[column].dataType.simpleString()} "
                    "values",
                    "a quasi-identifier has one value per record: split the column first",
                )
        inner = [self.inner_names[column] for column in self.columns]
        grouped = self._known.groupBy(*inner)
        return fetch_table(grouped.agg(F.count("*").alias("count"), *hash_checksums("row")), inner)

    def has_changed(self) -> bool:
        """Whether the table behind the frame changed since it was counted."""
        tallied = self._tally_rows()
        return not all(np.array_equal(_longs(tallied, name), self.tally[name]) for name in TALLY)

    def count_missing(self, column: str) -> int:
        if column not in self._missing:
            with translate_spark_errors():
                self._missing[column] = self.source.where(~has_value(self.field_of[column])).count()
        return self._missing[column]

    def has_repeats(self, column: str) -> bool:
        with translate_spark_errors():
            return not self._count_per_value(column).where("count > 1").isEmpty()

    def count_unique_values(self, column: str) -> int:
        with translate_spark_errors():
            return self._count_per_value(column).where("count = 1").count()

    def _count_per_value(self, column: str) -> DataFrame:
        """Count the records that hold each value of a column."""
        field = self.field_of[column]
        return self.source.where(has_value(field)).groupBy(comparable_column(field)).count()

    def assign_tuples(self, tuple_of: Longs) -> None:
        self.tuple_of = tuple_of
        self._counted = {}

    def rows_with_tuples(self, **of_tuple: Longs) -> DataFrame:
        """The kept records, with their tuples and more numbers of these.

        Tuples for which one of the numbers is -1 are left out as well.
        """
        tuples = self.tuple_of
        kept = tuples >= 0
        for numbers in of_tuple.values():
            kept = kept & (numbers[tuples] >= 0)
        places = np.flatnonzero(kept)
        names = [self.inner_names[column] for column in self.columns]
        kinds = [
            T.StructField(f"r{name}", self.field_of[column].dataType)
            for column, name in zip(self.columns, names, strict=True)
        ]
        raw = dict(zip((kind.name for kind in kinds), self.raw.take(places).columns, strict=True))
        numbers_of_rows = {name: numbers[tuples[places]] for name, numbers in of_tuple.items()}
        known = make_small_frame(self.spark, kinds, **raw, tuple=tuples[places], **numbers_of_rows)
        same = reduce(and_, [F.col(name).eqNullSafe(F.col(f"r{name}")) for name in names])
        return self._known.join(known, same).drop(*raw)

    def count_by_tuple(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        if (column, ranges) not in self._counted:
            counts = self.count_values("tuple", self.rows_with_tuples(), column, ranges)
            self._counted[column, ranges] = counts
        return self._counted[column, ranges]

    def count_values(
        self, group: str, rows: DataFrame, column: str, ranges: bool | None
    ) -> tuple[Longs, DistinctValues]:
        """Count how often each value of a column occurs in each group."""
        field = self.field_of[column]
        if ranges is None:
            ranges = isinstance(field.dataType, T.NumericType)
        cuts = self._range_cuts(field) if ranges else None
        if cuts is not None:
            return _count_ranges(group, rows, field, cuts)
        value = comparable_column(field).alias("value")
        counted = rows.groupBy(group, value).agg(F.count("*").alias("count"))
        table = fetch_table(counted, [group, "value"])
        distinct = Frame(table).distinct_values("value")
        weights = _longs(table, "count")
        return _longs(table, group), DistinctValues(distinct.values, distinct.codes, weights)

    def _range_cuts(self, field: T.StructField) -> NDArray[np.float64] | None:
        """Where ranges of about as many records begin, found on a sample of rows by their hash.

        None where there are not very many different numbers.
        """
        number = F.col(field.name).cast("double")
        every = max(1, self.rows // SAMPLE)
        sample = F.when((F.abs(F.col("row") % every) == 0) & ~F.isnan(number), number)
        summary = self.source.agg(
            F.approx_count_distinct(number).alias("many"),
            F.min(number).alias("least"),
            F.collect_list(sample).alias("drawn"),
        )
        row = fetch_table(summary).to_pylist()[0]
        if row["many"] <= MANY_NUMBERS:
            return None
        cuts = quantiles(np.sort(np.array(row["drawn"], dtype=np.float64)))
        return np.union1d(row["least"], cuts)

    # ------------------------------------------------------------------ plan and apply

    def plan(self, method: Method, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Plan blocks and draw noise in tasks; what is planned as a whole, here."""
        from ontomask.engines.spark.planning import make_block_runner, plan_noise_in_tasks

        if isinstance(method, NoiseAddition):
            return plan_noise_in_tasks(self.spark, method, tuples, random)
        with use_block_runner(make_block_runner(self.spark)):
            return method.plan(tuples, random)

    def apply(
        self,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        secret: bytes,
        drops: bool,
    ) -> Applied:
        from ontomask.engines.spark.dealing import deal_rows
        from ontomask.engines.spark.rows import SparkRows

        kept = ~suppressed_targets(plan) if drops else np.ones(len(plan.targets), dtype=bool)
        if plan.has_one_target_per_tuple:
            target = plan.target_of()
            rows = self.rows_with_tuples(target=np.where(kept[target], target, -1))
        else:
            rows = deal_rows(self, plan, secret, kept)
        return SparkRows(self, plan, looks, removed, rows, kept)


def _check_frame(frame: DataFrame) -> None:
    """Refuse frames that cannot be masked."""
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise ParameterError(
            "this is a frame of Spark Connect, and frames are masked in a session of their own",
            "start one with SparkSession.builder.master(...), and read the table there",
        )
    if not hasattr(F, "arrow_udf"):
        raise ParameterError("this pyspark is too old", "pip install 'pyspark>=4.1'")
    if frame.isStreaming:
        raise ParameterError(
            "a stream never ends, and the records of a class must be counted",
            "mask what has arrived, or use NoiseAddition.fit for values that come one at a time",
        )
    twice = [name for name in dict.fromkeys(frame.columns) if frame.columns.count(name) > 1]
    if twice:
        raise ParameterError(
            f"several columns are called {quote_names(twice)}", "rename them: toDF()"
        )


def _longs(table: Any, name: str) -> Longs:
    numbers: Longs = table.column(name).to_numpy().astype(np.int64)
    return numbers


def _count_ranges(
    group: str, rows: DataFrame, field: T.StructField, cuts: NDArray[np.float64]
) -> tuple[Longs, DistinctValues]:
    """Very many numbers, each standing for its range, as the least of it."""
    from pyspark.ml.feature import Bucketizer

    number = F.col(field.name).cast("double")
    numbers = rows.select(group, F.when(~F.isnan(number), number).alias("number"))
    splits = np.union1d(cuts, np.inf).tolist()
    with translate_spark_errors():
        ranges = Bucketizer(
            splits=splits, inputCol="number", outputCol="range", handleInvalid="keep"
        ).transform(numbers)
    place = F.when(F.col("number").isNotNull(), F.col("range")).cast("long").alias("place")
    counted = ranges.groupBy(group, place).agg(F.count("*").alias("count"))
    table = fetch_table(counted, [group, "place"])
    places = table.column("place").fill_null(-1).to_numpy().astype(np.int64)
    return _longs(table, group), DistinctValues(cuts.tolist(), places, _longs(table, "count"))
