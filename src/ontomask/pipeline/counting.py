"""The records of a table as distinct tuples of concepts and numbers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.engine import FrameEngine
from ontomask.engines.memory.frames import Frame
from ontomask.engines.protocol import Engine
from ontomask.errors import (
    ColumnError,
    IndexReleasedWarning,
    OntomaskError,
    ParameterError,
    RepeatedIdentifierWarning,
    quote_names,
    raise_together,
)
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.schema import Nominal, Schema
from ontomask.microdata.tuples import Tuples, count_tuples
from ontomask.microdata.value_coding import CodedColumn, code_column
from ontomask.pipeline.complete_records import flag_marks, select_complete_records

__all__ = [
    "Counted",
    "count_table",
    "count_kept_tuples",
    "open_engine",
    "count_raw_rows",
    "translate_file_errors",
    "warn_about_table",
]

Longs = NDArray[np.int64]

#: What can be said about a file, besides how much memory may be used.
FILE_SETTINGS = ("format", "table", "delimiter", "quote", "encoding")


@dataclass(frozen=True)
class Counted:
    """The quasi-identifiers as attributes, and the distinct tuples of their values.

    ``missing`` says how many records lack a value, for each nominal column.
    """

    columns: list[CodedColumn]
    tuples: Tuples
    missing: Mapping[str, int] = field(default_factory=dict)


@contextmanager
def translate_file_errors(table: Any) -> Iterator[None]:
    """Turn errors of a file, its disk or its memory into errors of ontomask."""
    if not isinstance(table, str | PathLike):
        yield
        return
    from ontomask.engines.duckdb.connection import translate_query_errors

    server = str(table).startswith(("postgresql:", "postgres:"))  # with a password in it
    with translate_query_errors(Path("postgresql" if server else table)):
        yield


def open_engine(table: Any, file: Mapping[str, Any]) -> Engine:
    """The engine for a table in memory or in a file; ``file`` are settings of a file."""
    if isinstance(table, str | PathLike):
        from ontomask.engines.duckdb.engine import StoredEngine
        from ontomask.engines.formats import connect, open_table

        memory = file.get("memory")
        settings = {name: value for name, value in file.items() if name != "memory"}
        unknown = set(settings) - set(FILE_SETTINGS)
        if unknown:
            raise ParameterError(
                f"{quote_names(sorted(unknown))} is no setting of a file",
                f"it can be {quote_names([*FILE_SETTINGS, 'memory'], most=6)}",
            )
        return StoredEngine(open_table(table, connect(memory), **settings))
    if file:
        raise ParameterError(
            f"{quote_names(file)} is for a file, and {type(table).__name__} is none", "leave it out"
        )
    if _is_spark(table):
        from ontomask.engines.spark.engine import SparkEngine

        return SparkEngine(table)
    return FrameEngine(table)


def _is_spark(table: Any) -> bool:
    """Whether a table is a Spark frame, found out without loading Spark."""
    from narwhals import dependencies as kinds

    return kinds.is_pyspark_dataframe(table) or kinds.is_pyspark_connect_dataframe(table)


def count_table(engine: Engine, schema: Schema) -> Counted:
    """Count the tuples of a table; the engine remembers the tuple of each row."""
    schema.check(engine.names)
    rows, weights, missing_counts = count_raw_rows(engine, schema)
    if not engine.rows:  # counting may have told: no need to ask before
        raise ColumnError("the table has no records", "there is nothing to mask")
    warn_about_table(engine, schema)
    columns, kept = select_complete_records(rows, schema, weights, missing_counts)
    counted = count_kept_tuples(engine, _code_columns(schema, columns), weights, kept)
    return replace(counted, missing=_count_missing(rows, schema, weights))


def count_raw_rows(engine: Engine, schema: Schema) -> tuple[Frame, Longs | None, dict[str, int]]:
    """The quasi-identifiers as they are, the records of each row, and the records of nobody."""
    person = schema.person
    missing_counts = {} if person is None else {person: engine.count_missing(person)}
    names = [column.column for column in schema.quasi_identifiers]
    return *engine.count_rows(names, person if schema.missing == "drop" else None), missing_counts


def _count_missing(rows: Frame, schema: Schema, weights: Longs | None) -> dict[str, int]:
    """Count the records that lack a value of each nominal column, dropped ones included."""
    missing_counts = {}
    for column in schema.quasi_identifiers:
        if isinstance(column, Nominal):
            distinct = rows.distinct_values(column.column)
            is_missing = (
                distinct.without_values(flag_marks(distinct.values, schema.missing_marks)).codes < 0
            )
            missing_counts[column.column] = int(
                is_missing.sum() if weights is None else weights[is_missing].sum()
            )
    return missing_counts


def count_kept_tuples(
    engine: Engine, coded: list[CodedColumn], weights: Longs | None, kept: NDArray[np.bool_]
) -> Counted:
    """Count the tuples of the rows that are kept."""
    tuples, tuple_of = count_tuples(
        [column.attribute for column in coded],
        [column.codes for column in coded],
        None if weights is None else weights[kept],
    )
    tuple_of_row = np.full(len(kept), -1, dtype=np.int64)
    tuple_of_row[kept] = tuple_of
    engine.assign_tuples(tuple_of_row)
    return Counted(coded, tuples)


def warn_about_table(engine: Engine, schema: Schema) -> None:
    """Warn where the table holds something that its schema does not expect."""
    index = engine.table.index_names if isinstance(engine, FrameEngine) else []
    if index:
        warnings.warn(
            f"the index, {quote_names(index)}, is released as it is; "
            "reset_index() makes it a column, which can have a role",
            IndexReleasedWarning,
            stacklevel=5,
        )
    if schema.person is not None:
        return
    repeated = [column for column in schema.identifiers if engine.has_repeats(column)]
    if repeated:
        warnings.warn(
            f"identifiers are repeated in {quote_names(repeated)}: one person may have several "
            "records, "
            f"and the guarantee counts records; person={repeated[0]!r} makes it count people",
            RepeatedIdentifierWarning,
            stacklevel=5,
        )


def _code_columns(schema: Schema, columns: list[DistinctValues]) -> list[CodedColumn]:
    """Code every column as an attribute; the errors of all columns are raised together."""
    coded: list[CodedColumn] = []
    errors: list[OntomaskError] = []
    for column, distinct in zip(schema.quasi_identifiers, columns, strict=True):
        try:
            coded.append(code_column(column, distinct, schema.missing))
        except OntomaskError as error:
            errors.append(error)
    raise_together(errors, ColumnError)
    return coded
