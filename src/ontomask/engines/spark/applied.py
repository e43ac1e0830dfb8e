"""The masked records of a Spark frame, and what is counted on them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ontomask._runtime.files.atomic_files import write_files_atomically
from ontomask.engines.memory.applied import number_classes
from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.values import ARROW, refuse_values_beyond_type
from ontomask.engines.protocol import Applied
from ontomask.engines.spark.session import local_path, translate_spark_errors
from ontomask.engines.spark.values import (
    comparable_column,
    count_grouped_rows,
    exact_column,
    fetch_table,
    hash_cells,
    hash_checksums,
    make_small_frame,
    read_numbers,
)
from ontomask.errors import InternalError, ParameterError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn, sum_by_key
from ontomask.microdata.grouped_rows import ClassCounts, GroupedRows
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.engines.spark.engine import SparkEngine
    from ontomask.engines.spark.records import SparkRecords

__all__ = ["SparkApplied"]

Longs = NDArray[np.int64]


class SparkApplied(Applied):
    """The records of a Spark frame with their masked values, as lazy as the frame was.

    ``rows`` are the records with their tuples and targets; ``is_released`` says which targets are
    not left out.
    """

    engine: SparkEngine

    def __init__(
        self,
        before: SparkRecords,
        plan: Transitions,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        rows: DataFrame,
        is_released: NDArray[np.bool_],
    ) -> None:
        self.engine, self._before, self._plan = before.engine, before, plan
        self._outputs, self._is_released = outputs, is_released
        self.names = [column for column in self.engine.names if column not in set(removed)]
        self.records = int(plan.count[is_released[plan.target]].sum())
        self._new_names = {column: f"new{j}" for j, column in enumerate(outputs)}
        self._rows = rows.join(self._make_targets_frame(), "target")
        self.data = self._select_released(self._rows)

    def _select_released(self, rows: DataFrame) -> DataFrame:
        return rows.select([self._released_column(column) for column in self.names])

    def _make_targets_frame(self) -> DataFrame:
        """Make a frame of the targets as they are released."""
        kinds, columns = [], {}
        for column, output in self._outputs.items():
            field, new = self.engine.field_of[column], self._new_names[column]
            kind = T.StringType() if output.text else field.dataType
            empty = bool((output.places < 0).any())
            kinds.append(T.StructField(new, kind, nullable=field.nullable or empty))
            like = self._before.counted.originals.column(column)
            with refuse_values_beyond_type(column, like.type, output.values):
                columns[new] = ARROW.make_column(like, output.values, output.places, output.text)
        targets = np.arange(len(self._plan.targets))
        return make_small_frame(self.engine.spark, kinds, target=targets, **columns)

    def _released_column(self, column: str) -> Column:
        """A column as it is released, of the type that it had.

        The metadata of a masked column is dropped: it may list values that nobody has any more.
        """
        original = self.engine.original_fields[column]
        masked = column in self._outputs
        released = F.col(self._new_names[column] if masked else self.engine.inner_names[column])
        if isinstance(original.dataType, T.StringType):
            released = released.cast(original.dataType)
        return (
            released.alias(column) if masked else released.alias(column, metadata=original.metadata)
        )

    # ------------------------------------------------------------------ verify

    def verify(self) -> None:
        self.class_sizes()  # counted while the records are verified

    @cached_property
    def _counts(self) -> _ReleasedCounts:
        """What was counted on the finished frame, and found to be what was planned.

        Every tuple must have become what was planned, as often, and its rows be those it had.
        """
        self._check_schema(self.data.schema.fields)
        new = list(self._new_names.values())
        rows = self._rows.withColumn("other", hash_cells(self._other_fields()))
        grouped = rows.groupBy("tuple", *new).agg(
            F.count("*").alias("count"), *hash_checksums("row"), *hash_checksums("other")
        )
        table = fetch_table(grouped, ["tuple", *new])
        outputs = {self._new_names[column]: output for column, output in self._outputs.items()}
        classes, planned = number_classes(Frame(table), outputs, len(self._plan.targets))
        counts = _ReleasedCounts(table, classes)
        self._check_plan(counts, planned)
        self._check_rows(counts)
        return counts

    def _check_schema(self, fields: Sequence[T.StructField]) -> None:
        if [field.name for field in fields] != self.names:
            raise InternalError("the released frame has other columns than it should")
        for field in fields:
            original = self.engine.original_fields[field.name]
            if field.name not in self._outputs and field != original:
                raise InternalError(f"column {field.name!r} is of another kind than it was")

    def _other_fields(self) -> list[T.StructField]:
        return [
            self.engine.field_of[column] for column in self.names if column not in self._outputs
        ]

    def _check_plan(self, counts: _ReleasedCounts, planned: Longs) -> None:
        size = int(max(counts.classes.max(initial=0), planned.max(initial=0))) + 1
        kept = self._is_released[self._plan.target]
        planned_keys = self._plan.source[kept] * size + planned[self._plan.target[kept]]
        want = sum_by_key(planned_keys, self._plan.count[kept])
        have = sum_by_key(counts.read("tuple") * size + counts.classes, counts.read("count"))
        if not all(map(np.array_equal, want, have)):
            self._refuse("the records were not given what was planned")

    def _check_rows(self, counts: _ReleasedCounts) -> None:
        """The rows of a tuple are those that were counted, unless some were to be left out."""
        size = len(self._plan.tuples)
        complete = np.ones(size, dtype=bool)
        complete[self._plan.source[~self._is_released[self._plan.target]]] = False
        tuple_of, tally = self._before.tuple_of, self._before.counted.tally
        counted = tuple_of >= 0
        for name, add in (("row_xor", np.bitwise_xor), ("row_sum", np.add)):
            before, after = np.zeros((2, size), dtype=np.int64)
            add.at(before, tuple_of[counted], tally[name][counted])
            add.at(after, counts.read("tuple"), counts.read(name))
            if not np.array_equal(before[complete], after[complete]):
                self._refuse("the masked records are not those that were counted")

    def _refuse(self, reason: str) -> NoReturn:
        """Raise an error: ours, unless the table changed, as frames are read again each time."""
        if self._before.counted.have_changed():
            raise ParameterError(
                "the table behind the frame changed while it was masked",
                "mask a snapshot of it, or persist() the frame first",
            )
        raise InternalError(reason)

    def class_sizes(self) -> Longs:
        return np.sort(sum_by_key(self._counts.classes, self._counts.read("count"))[1])

    def count_by_class(
        self, column: str, ranges: bool | None = False, marks: Collection[str] = ()
    ) -> tuple[Longs, DistinctValues]:
        if not self._plan.has_one_target_per_tuple:
            return self._before.count_values("target", self._rows, column, ranges, marks)
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
        return count_grouped_rows("target", self._rows, self.engine.field_of, columns)

    def count_classes_with(self, columns: Sequence[str]) -> ClassCounts:
        others = [comparable_column(self.engine.field_of[column]) for column in columns]
        sizes = self._rows.groupBy(*self._new_names.values(), *others).count()
        counts = fetch_table(
            sizes.agg(
                F.count("*").alias("classes"),
                F.coalesce(F.min("count"), F.lit(0)).alias("smallest"),
                F.count_if(F.col("count") == 1).alias("uniques"),
            )
        )
        return ClassCounts(**{name: int(value) for name, value in counts.to_pylist()[0].items()})

    def count_masked_rows(self, others: Sequence[str] = ()) -> dict[str, DistinctValues]:
        names, table = self._new_names, self._counts.table
        if others:
            names = {**names, **{column: f"other{j}" for j, column in enumerate(others)}}
            values = [comparable_column(self.engine.field_of[c]).alias(names[c]) for c in others]
            grouped = self._rows.groupBy(*self._new_names.values(), *values)
            table = fetch_table(grouped.agg(F.count("*").alias("count")))
        frame, counts = Frame(table), read_numbers(table, "count")
        return {
            column: DistinctValues(distinct.values, distinct.codes, counts)
            for column, distinct in ((c, frame.distinct_values(n)) for c, n in names.items())
        }

    def value_counts(self, column: str) -> DistinctValues:
        distinct = Frame(self._counts.table).distinct_values(self._new_names[column])
        return DistinctValues(distinct.values, distinct.codes, self._counts.read("count"))

    # ------------------------------------------------------------------ write

    def shuffle(self, key: bytes) -> DataFrame:
        # The key is in a frame, as the values in plans are shown.
        field = T.StructField("order_key", T.StringType(), nullable=False)
        keys = make_small_frame(self.engine.spark, [field], order_key=[key.hex()])
        hashed = F.sha2(F.concat("order_key", F.col("row").cast("string")), 256)
        rows = self._rows.crossJoin(F.broadcast(keys)).orderBy(hashed, "target")
        return self._select_released(rows)

    def count_restored(self, column: str) -> None:
        return None

    def count_steps(self, columns: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Count them within each partition, in the order in which Spark reads it."""
        keys = [
            F.struct(F.coalesce(text.try_cast("double"), F.lit(float("inf"))), text).alias(f"k{j}")
            for j, text in enumerate(
                comparable_column(self.engine.field_of[column]).cast("string") for column in columns
            )
        ]
        place = [
            F.spark_partition_id().alias("part"),
            F.monotonically_increasing_id().alias("place"),
        ]
        rows = Window.partitionBy("part").orderBy("place")
        before = [F.lag(f"k{j}").over(rows).alias(f"b{j}") for j in range(len(columns))]
        steps = [
            F.count_if(F.col(f"k{j}") > F.col(f"b{j}") if up else F.col(f"k{j}") < F.col(f"b{j}"))
            for j in range(len(columns))
            for up in (True, False)
        ]
        if not columns:
            return {}
        with translate_spark_errors():
            row = self._rows.select(*place, *keys).select("*", *before).agg(*steps).collect()[0]
        return dict(zip(columns, zip(row[::2], row[1::2], strict=True), strict=True))

    def write(
        self, target: Path, force: bool, order_key: bytes | None, escape_formulas: bool = False
    ) -> None:
        """Write a folder of Parquet files, and read it again before it gets its name."""
        if escape_formulas:
            raise ParameterError("escape_formulas is only for CSV files", "leave it out")
        self._check_target(target)
        with (
            write_files_atomically([target], force=force, folders=[target]) as folder,
            translate_spark_errors(),
        ):
            data = self.data if order_key is None else self.shuffle(order_key)
            data.write.parquet(local_path(folder / target.name))
            self._check_written(folder / target.name)

    def _check_target(self, target: Path) -> None:
        instead = "write it with Spark: release.data.write.parquet(...)"
        if re.match(r"\w[\w+.-]+:/", str(target)):
            raise ParameterError(f"{target} is not a local path", instead)
        master = self.engine.spark.conf.get("spark.master", "")
        if not str(master).startswith("local"):
            raise ParameterError("the records are distributed over a cluster", instead)
        if target.suffix != ".parquet":
            raise ParameterError(f"Spark frames are written to .parquet, got {target}", instead)

    def _check_written(self, folder: Path) -> None:
        read = self.engine.spark.read.parquet(local_path(folder))
        if list(read.columns) != self.names:
            raise InternalError("the written table has other columns than it should")
        inner = {column: f"c{j}" for j, column in enumerate(self.names)}
        read = read.toDF(*inner.values())
        read = read.select([exact_column(field) for field in read.schema.fields])
        fields = dict(zip(self.names, read.schema.fields, strict=True))
        others = [fields[column] for column in self.names if column not in self._outputs]
        counted = (
            read.withColumn("other", hash_cells(others))
            .groupBy(*(inner[column] for column in self._outputs))
            .agg(F.count("*").alias("count"), *hash_checksums("other"))
        )
        table = fetch_table(counted)
        sizes, either, low = (table.column(n).to_numpy() for n in table.column_names[-3:])
        if not np.array_equal(np.sort(sizes), self.class_sizes()):
            raise InternalError("the written table has other classes of records than it should")
        if (int(np.bitwise_xor.reduce(either)), int(low.sum())) != self._counts.others_checksum:
            raise InternalError("a column of the written table differs that should not")


@dataclass(frozen=True)
class _ReleasedCounts:
    """The finished frame, counted by tuple and masked values; the class of each row of counts."""

    table: Any
    classes: Longs

    def read(self, name: str) -> Longs:
        """A column of the counts."""
        return read_numbers(self.table, name)

    @property
    def others_checksum(self) -> tuple[int, int]:
        """The checksum of all columns that are not masked."""
        either, low = self.read("other_xor"), self.read("other_sum")
        return int(np.bitwise_xor.reduce(either)), int(low.sum())
