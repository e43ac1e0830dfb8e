"""Columns of Spark frames as values: grouped, compared, hashed, handed over and counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ontomask.engines.memory.frame import Frame
from ontomask.engines.ranges import MANY_NUMBERS, SAMPLE_SIZE, range_starts
from ontomask.engines.spark.session import translate_spark_errors
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import finite_marks, flag_unknown, without_unknown

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "comparable_column",
    "exact_column",
    "fetch_table",
    "arrow_column",
    "count_grouped_rows",
    "count_values",
    "has_value",
    "hash_cells",
    "is_comparable",
    "make_small_frame",
    "hash_checksums",
    "read_numbers",
]

Longs = NDArray[np.int64]

#: Types without an order or a hash, and types that Arrow does not know.
_INTERVALS = (T.CalendarIntervalType, T.YearMonthIntervalType)
_NOT_COMPARABLE = (T.MapType, T.VariantType, *_INTERVALS)

#: Number of bits of a row's hash that are summed: the sum of 2^39 rows fits a long.
_SUM_MASK = (1 << 24) - 1


def _contains(kind: T.DataType, odd: tuple[type[T.DataType], ...]) -> bool:
    if isinstance(kind, T.StructType):
        return any(_contains(field.dataType, odd) for field in kind.fields)
    if isinstance(kind, T.ArrayType):
        return _contains(kind.elementType, odd)
    if isinstance(kind, T.MapType):
        parts = kind.keyType, kind.valueType
        return isinstance(kind, odd) or any(_contains(part, odd) for part in parts)
    return isinstance(kind, odd)


def _as_text(name: str) -> Column:
    return F.when(F.col(name).isNotNull(), F.to_json(F.struct(name)))


def is_comparable(kind: T.DataType) -> bool:
    """Whether values of a type can be grouped and hashed as they are."""
    return not _contains(kind, _NOT_COMPARABLE)


def comparable_column(field: T.StructField) -> Column:
    """A column in a form that can be grouped and hashed."""
    return F.col(field.name) if is_comparable(field.dataType) else _as_text(field.name)


def arrow_column(field: T.StructField) -> Column:
    """A column in a form that Arrow knows."""
    return _as_text(field.name) if _contains(field.dataType, _INTERVALS) else F.col(field.name)


def exact_column(field: T.StructField) -> Column:
    """A column whose values are the same only where they are written the same."""
    kind, column = field.dataType, F.col(field.name)
    collated = isinstance(kind, T.StringType) and kind.collation != "UTF8_BINARY"
    return column.cast("string").alias(field.name) if collated else column


def has_value(field: T.StructField) -> Column:
    """Whether a record has a value."""
    present = F.col(field.name).isNotNull()
    if isinstance(field.dataType, T.FloatType | T.DoubleType):
        present = present & ~F.isnan(field.name)
    return present


def hash_cells(fields: Sequence[T.StructField]) -> Column:
    """The hash of some cells of a row."""
    return F.xxhash64(*map(comparable_column, fields)) if fields else F.lit(0).cast("long")


def hash_checksums(name: str) -> list[Column]:
    """Two checksums of a set of hashes that do not depend on their order.

    Two rows that are there twice vanish from the first, and not from the second.
    """
    either, low = F.bit_xor(name), F.sum(F.col(name).bitwiseAND(F.lit(_SUM_MASK)))
    return [either.alias(f"{name}_xor"), low.alias(f"{name}_sum")]


# ---------------------------------------------------------------------- to and from the driver


def fetch_table(frame: DataFrame, by: Sequence[str] = ()) -> pa.Table:
    """Fetch a small frame as a pyarrow table, sorted by some columns.

    Moments come as those of the session's time zone: whose days a date is rounded to.
    """
    import pyarrow as pa

    with translate_spark_errors():
        table = frame.toArrow()
        zone = frame.sparkSession.conf.get("spark.sql.session.timeZone")
    for place, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            local = table.column(place).cast(pa.timestamp("us", zone))
            table = table.set_column(place, field.name, local)
    return _sort_table(table, by) if by else table.combine_chunks()


def _sort_table(table: pa.Table, by: Sequence[str]) -> pa.Table:
    import pyarrow as pa

    try:
        return table.sort_by([(name, "ascending") for name in by]).combine_chunks()
    except (pa.ArrowNotImplementedError, pa.ArrowTypeError):  # lists and the like
        rows = zip(*(table.column(name).to_pylist() for name in by), strict=True)
        order = sorted(range(table.num_rows), key=[repr(row) for row in rows].__getitem__)
        return table.take(order).combine_chunks()


def make_small_frame(
    session: SparkSession, kinds: Sequence[T.StructField] = (), **columns: Any
) -> DataFrame:
    """Make a small frame for Spark to join with; whole numbers unless ``kinds`` says more."""
    import pyarrow as pa

    known = {field.name: field for field in kinds}
    fields = [known.get(name, T.StructField(name, T.LongType(), False)) for name in columns]
    with translate_spark_errors():
        return session.createDataFrame(pa.table(columns), T.StructType(fields))


def read_numbers(table: pa.Table, name: str) -> Longs:
    """A column of whole numbers of a fetched table."""
    numbers: Longs = table.column(name).to_numpy().astype(np.int64)
    return numbers


# ---------------------------------------------------------------------- counting


def count_values(
    group: str,
    rows: DataFrame,
    field: T.StructField,
    ranges: bool | None,
    marks: Collection[str],
    table: DataFrame,
    records: int,
) -> tuple[Longs, DistinctValues]:
    """Count how often each known value of a column occurs in each group of some rows.

    ``table`` are all ``records``, of which ranges are made where numbers are cut into these.
    """
    if ranges is None:
        ranges = isinstance(field.dataType, T.NumericType)
    if ranges:
        number = _known_number(field, marks)
        starts = _find_range_starts(field, number, marks, table, records)
        if starts is not None:
            return _count_ranges(group, rows, number, starts)
    value = comparable_column(field).alias("value")
    counts = fetch_table(
        rows.groupBy(group, value).agg(F.count("*").alias("count")), [group, "value"]
    )
    distinct = Frame(counts).distinct_values("value")
    weights = read_numbers(counts, "count")
    weighted = DistinctValues(distinct.values, distinct.codes, weights)
    return read_numbers(counts, group), without_unknown(weighted, marks)


def count_grouped_rows(
    group: str, rows: DataFrame, field_of: Mapping[str, T.StructField], columns: Sequence[str]
) -> GroupedRows:
    """Count rows by a group and several columns."""
    names = {column: f"value{j}" for j, column in enumerate(columns)}
    values = [comparable_column(field_of[column]).alias(name) for column, name in names.items()]
    counts = fetch_table(rows.groupBy(group, *values).agg(F.count("*").alias("count")))
    frame = Frame(counts)
    distinct = {column: frame.distinct_values(name) for column, name in names.items()}
    return GroupedRows(read_numbers(counts, group), distinct, read_numbers(counts, "count"))


def _known_number(field: T.StructField, marks: Collection[str]) -> Column:
    """The number in a cell; null where there is none, and for marks of missing values."""
    number = F.col(field.name).try_cast("double")
    return F.when(~F.isnan(number) & ~number.isin(finite_marks(marks)), number)


def _find_range_starts(
    field: T.StructField,
    number: Column,
    marks: Collection[str],
    table: DataFrame,
    records: int,
) -> NDArray[np.float64] | None:
    """Where ranges of about as many records begin, found on a sample of rows by their hash.

    None where there are not very many different numbers, or a text that is none.
    """
    every = max(1, records // SAMPLE_SIZE)
    sample = F.when(F.abs(F.col("row") % every) == 0, number)
    summary = table.agg(
        F.approx_count_distinct(number).alias("many"),
        F.min(number).alias("least"),
        F.collect_list(sample).alias("drawn"),
    )
    row = fetch_table(summary).to_pylist()[0]
    if row["many"] <= MANY_NUMBERS:
        return None
    others = table.where(number.isNull() & has_value(field)).select(field.name).distinct()
    if not flag_unknown(fetch_table(others).column(field.name).to_pylist(), marks).all():
        return None
    starts = range_starts(np.sort(np.array(row["drawn"], dtype=np.float64)))
    return np.union1d(row["least"], starts)


def _count_ranges(
    group: str, rows: DataFrame, number: Column, starts: NDArray[np.float64]
) -> tuple[Longs, DistinctValues]:
    """Very many numbers, each standing for its range, as the least of it."""
    from pyspark.ml.feature import Bucketizer

    numbers = rows.select(group, number.alias("number"))
    splits = np.union1d(starts, np.inf).tolist()
    with translate_spark_errors():
        ranges = Bucketizer(
            splits=splits, inputCol="number", outputCol="range", handleInvalid="keep"
        ).transform(numbers)
    place = F.when(F.col("number").isNotNull(), F.col("range")).cast("long").alias("place")
    table = fetch_table(
        ranges.groupBy(group, place).agg(F.count("*").alias("count")), [group, "place"]
    )
    places = table.column("place").fill_null(-1).to_numpy().astype(np.int64)
    weights = read_numbers(table, "count")
    return read_numbers(table, group), DistinctValues(starts.tolist(), places, weights)
