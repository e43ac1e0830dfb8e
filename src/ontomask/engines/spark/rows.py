"""The masked records of a Spark frame, and what is counted on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ontomask._runtime.atomic_files import write_files_atomically
from ontomask.engines.memory.columns import ARROW
from ontomask.engines.memory.frames import Frame, number_classes
from ontomask.engines.protocol import Applied
from ontomask.engines.spark.engine import SparkEngine
from ontomask.engines.spark.session import local_path, translate_spark_errors
from ontomask.engines.spark.values import (
    comparable_column,
    exact_column,
    fetch_table,
    has_value,
    hash_cells,
    hash_checksums,
    make_small_frame,
)
from ontomask.errors import InternalError, ParameterError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import Transitions

__all__ = ["SparkRows"]

Longs = NDArray[np.int64]


class SparkRows(Applied):
    """The records of a Spark frame with their masked values, as lazy as the frame was."""

    engine: SparkEngine

    def __init__(
        self,
        engine: SparkEngine,
        plan: Transitions,
        looks: Mapping[str, OutputColumn],
        removed: Sequence[str],
        rows: DataFrame,
        kept: NDArray[np.bool_],
    ) -> None:
        self.engine, self.plan, self.looks, self._kept = engine, plan, looks, kept
        self.names = [column for column in engine.names if column not in set(removed)]
        self._new_names = {column: f"new{j}" for j, column in enumerate(looks)}
        self._rows = rows.join(self._make_targets_frame(), "target")
        self.data = self._rows.select([self._released_column(column) for column in self.names])

    def _make_targets_frame(self) -> DataFrame:
        """Make a frame of the targets as they are released."""
        kinds, columns = [], {}
        for column, look in self.looks.items():
            field, new = self.engine.field_of[column], self._new_names[column]
            kind = T.StringType() if look.text else field.dataType
            empty = bool((look.places < 0).any())
            kinds.append(T.StructField(new, kind, nullable=field.nullable or empty))
            like = self.engine.raw.column(column)
            columns[new] = ARROW.make_column(like, look.values, look.places, look.text)
        targets = np.arange(len(self.plan.targets))
        return make_small_frame(self.engine.spark, kinds, target=targets, **columns)

    def _released_column(self, column: str) -> Column:
        """A column as it is released, of the type that it had.

        The metadata of a masked column is dropped: it may list values that nobody has any more.
        """
        original = self.engine.original_fields[column]
        masked = column in self.looks
        released = F.col(self._new_names[column] if masked else self.engine.inner_names[column])
        if isinstance(original.dataType, T.StringType):
            released = released.cast(original.dataType)
        return (
            released.alias(column) if masked else released.alias(column, metadata=original.metadata)
        )

    # ------------------------------------------------------------------ verify

    def verify(self) -> None:
        """Every tuple must have become what was planned, as often, and its rows be those it had."""
        self._check_schema(self.data.schema.fields)
        new = list(self._new_names.values())
        counted = (
            self._rows.withColumn("other", hash_cells(self._other_fields()))
            .groupBy("tuple", *new)
            .agg(F.count("*").alias("count"), *hash_checksums("row"), *hash_checksums("other"))
        )
        self._counts = fetch_table(counted, ["tuple", *new])
        tuples, counts = (self._read_counts(name) for name in ("tuple", "count"))
        looks = {self._new_names[column]: look for column, look in self.looks.items()}
        counts_frame = Frame(self._counts)
        self._classes, planned = number_classes(counts_frame, looks, len(self.plan.targets))
        self._check_plan(tuples, counts, planned)
        self._check_rows(tuples)
        self.records = int(counts.sum())
        either, low = self._read_counts("other_xor"), self._read_counts("other_sum")
        self._others_checksum = int(np.bitwise_xor.reduce(either)), int(low.sum())

    def _check_schema(self, fields: Sequence[T.StructField]) -> None:
        if [field.name for field in fields] != self.names:
            raise InternalError("the released frame has other columns than it should")
        for field in fields:
            original = self.engine.original_fields[field.name]
            if field.name not in self.looks and field != original:
                raise InternalError(f"column {field.name!r} is of another kind than it was")

    def _other_fields(self) -> list[T.StructField]:
        return [self.engine.field_of[column] for column in self.names if column not in self.looks]

    def _read_counts(self, name: str) -> Longs:
        numbers: Longs = self._counts.column(name).to_numpy().astype(np.int64)
        return numbers

    def _check_plan(self, tuples: Longs, counts: Longs, planned: Longs) -> None:
        size = int(max(self._classes.max(initial=0), planned.max(initial=0))) + 1
        kept = self._kept[self.plan.target]
        planned_keys = self.plan.source[kept] * size + planned[self.plan.target[kept]]
        want = _sum_by_key(planned_keys, self.plan.count[kept])
        have = _sum_by_key(tuples * size + self._classes, counts)
        if not all(map(np.array_equal, want, have)):
            self._refuse("the records were not given what was planned")

    def _check_rows(self, tuples: Longs) -> None:
        """The rows of a tuple are those that were counted, unless some were to be left out."""
        size = len(self.plan.tuples)
        complete = np.ones(size, dtype=bool)
        complete[self.plan.source[~self._kept[self.plan.target]]] = False
        counted = self.engine.tuple_of >= 0
        for name, add in (("row_xor", np.bitwise_xor), ("row_sum", np.add)):
            before, after = np.zeros((2, size), dtype=np.int64)
            add.at(before, self.engine.tuple_of[counted], self.engine.tally[name][counted])
            add.at(after, tuples, self._read_counts(name))
            if not np.array_equal(before[complete], after[complete]):
                self._refuse("the masked records are not those that were counted")

    def _refuse(self, reason: str) -> NoReturn:
        """Raise an error: ours, unless the table changed, as frames are read again each time."""
        if self.engine.has_changed():
            raise ParameterError(
                "the table behind the frame changed while it was masked",
                "mask a snapshot of it, or persist() the frame first",
            )
        raise InternalError(reason)

    def class_sizes(self) -> Longs:
        return np.sort(_sum_by_key(self._classes, self._read_counts("count"))[1])

    def count_people(self, column: str) -> Longs:
        field = self.engine.field_of[column]
        person = F.when(has_value(field), comparable_column(field))
        has_unknown = F.max(F.when(has_value(field), 0).otherwise(1))
        grouped = self._rows.groupBy(*self._new_names.values())
        table = fetch_table(grouped.agg((F.count_distinct(person) + has_unknown).alias("people")))
        return np.sort(table.column("people").to_numpy().astype(np.int64))

    def count_by_class(
        self, column: str, ranges: bool | None = False
    ) -> tuple[Longs, DistinctValues]:
        if not self.plan.has_one_target_per_tuple:
            return self.engine.count_values("target", self._rows, column, ranges)
        # Every tuple goes whole: what was counted by tuple need not be counted again.
        tuples, distinct = self.engine.count_by_tuple(column, ranges)
        target = self.plan.target_of()[tuples]
        is_kept = self._kept[target]
        return target[is_kept], distinct.select_rows(is_kept)

    def count_uniques_with(self, columns: Sequence[str]) -> int:
        grouped = [comparable_column(self.engine.field_of[column]) for column in columns]
        with translate_spark_errors():
            return self._rows.groupBy("target", *grouped).count().where("count = 1").count()

    def value_counts(self, column: str) -> DistinctValues:
        distinct = Frame(self._counts).distinct_values(self._new_names[column])
        return DistinctValues(distinct.values, distinct.codes, self._read_counts("count"))

    # ------------------------------------------------------------------ write

    def write(self, target: Path, force: bool) -> None:
        """Write a folder of Parquet files, and read it again before it gets its name."""
        self._check_target(target)
        with (
            write_files_atomically([target], force=force, folders=[target]) as folder,
            translate_spark_errors(),
        ):
            self.data.write.parquet(local_path(folder / target.name))
            self._check_written(folder / target.name)

    def _check_target(self, target: Path) -> None:
        instead = "write it with Spark: release.data.write.parquet(...)"
        if re.match(r"\w[\w+.-]+:/", str(target)):
            raise ParameterError(f"{target} is not on this machine", instead)
        master = self.engine.spark.conf.get("spark.master", "")
        if not str(master).startswith("local"):
            raise ParameterError("the records are on the machines of a cluster", instead)
        if target.suffix != ".parquet":
            raise ParameterError(
                f"Spark frames are written as .parquet, and {target} is not", instead
            )

    def _check_written(self, folder: Path) -> None:
        read = self.engine.spark.read.parquet(local_path(folder))
        if list(read.columns) != self.names:
            raise InternalError("the written table has other columns than it should")
        inner = {column: f"c{j}" for j, column in enumerate(self.names)}
        read = read.toDF(*inner.values())
        read = read.select([exact_column(field) for field in read.schema.fields])
        fields = dict(zip(self.names, read.schema.fields, strict=True))
        others = [fields[column] for column in self.names if column not in self.looks]
        counted = (
            read.withColumn("other", hash_cells(others))
            .groupBy(*(inner[column] for column in self.looks))
            .agg(F.count("*").alias("count"), *hash_checksums("other"))
        )
        table = fetch_table(counted)
        sizes, either, low = (table.column(n).to_numpy() for n in table.column_names[-3:])
        if not np.array_equal(np.sort(sizes), self.class_sizes()):
            raise InternalError("the written table has other classes of records than it should")
        if (int(np.bitwise_xor.reduce(either)), int(low.sum())) != self._others_checksum:
            raise InternalError("a column of the written table differs that should not")


def _sum_by_key(keys: Longs, counts: Longs) -> tuple[Longs, Longs]:
    """The different keys, ascending, and the sum of the counts of each."""
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place, weights=counts).astype(np.int64)
