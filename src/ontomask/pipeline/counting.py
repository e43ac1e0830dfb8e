"""The first step of a release: the records of a table as distinct tuples, with counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.engine import FrameEngine
from ontomask.engines.protocol import CountedRows, Engine, PlacedRecords
from ontomask.errors import (
    ColumnError,
    IndexRemovedWarning,
    OntomaskError,
    ParameterError,
    RepeatedIdentifierWarning,
    quote_names,
    raise_together,
)
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.known_values import merge_look_alikes
from ontomask.microdata.schema import Nominal, Schema
from ontomask.microdata.tuples import Tuples, count_tuples
from ontomask.microdata.value_coding import CodedColumn, code_column
from ontomask.pipeline.complete_records import read_quasi_identifier, select_complete_records
from ontomask.pipeline.evaluation import ValueCounter, sensitive_counts
from ontomask.pipeline.guarantees.look_alikes import warn_about_look_alikes
from ontomask.pipeline.planning.plan import PlanInput

__all__ = [
    "Counted",
    "count_known_by_tuple",
    "count_raw_rows",
    "count_table",
    "open_engine",
    "place_records",
    "translate_file_errors",
    "warn_about_table",
]

Longs = NDArray[np.int64]

#: Number of people with the most records whose numbers of records are kept.
MOST_PEOPLE = 100_000

#: What can be said about a file, besides how much memory may be used.
FILE_SETTINGS = ("format", "table", "delimiter", "quote", "encoding")


@dataclass(frozen=True)
class Counted:
    """A counted table: its quasi-identifiers, and its records by distinct tuples of their values.

    ``plan_input`` is what a release is planned from. ``largest_people`` are the numbers of records
    of those people who have the most, where the schema says who is who, and ``of_unknown`` that of
    nobody known. ``missing`` is how many records lack a value of each nominal column; ``dropped``
    how many are left out for that. ``look_alikes`` are warnings.
    """

    engine: Engine
    schema: Schema
    records: PlacedRecords
    columns: Sequence[CodedColumn]
    plan_input: PlanInput
    largest_people: Longs | None
    of_unknown: int
    missing: Mapping[str, int]
    dropped: int
    look_alikes: tuple[str, ...]

    @property
    def tuples(self) -> Tuples:
        """The distinct tuples of the quasi-identifiers."""
        return self.plan_input.tuples


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
                f"unknown file setting {quote_names(sorted(unknown))}",
                f"the file settings are {quote_names([*FILE_SETTINGS, 'memory'], most=6)}",
            )
        return StoredEngine(open_table(table, connect(memory), **settings))
    if file:
        raise ParameterError(
            f"{quote_names(file)} is only for files, got a table of type {type(table).__name__}",
            "remove this argument",
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
    """Count the tuples of a table, and what is known of their people and sensitive values."""
    schema.check(engine.names)
    rows, missing_people = count_raw_rows(engine, schema)
    if not rows.records + rows.left_out:
        raise ColumnError("the table has no records")
    warn_about_table(engine, schema)
    distinct, kept = select_complete_records(rows.frame, schema, rows.weights, missing_people)
    columns = _code_columns(schema, distinct)
    tuples, records = place_records(rows, columns, kept)
    count_values = count_known_by_tuple(records, schema)
    people, merged = None, None
    if schema.person is not None:
        people_classes, spelt = count_values(schema.person, False)
        merged = merge_look_alikes(spelt)[0]
        people = people_classes, merged.codes
    return Counted(
        engine,
        schema,
        records,
        columns,
        PlanInput(
            tuples,
            people,
            tuple(sensitive_counts(schema, count_values, people)),
            tuple(column.most_members for column in columns),
        ),
        None if merged is None else np.sort(merged.counts)[::-1][:MOST_PEOPLE],
        0 if merged is None else tuples.records - int(merged.counts.sum()),
        _count_missing(rows, schema),
        rows.records + rows.left_out - tuples.records,
        warn_about_look_alikes(schema, count_values),
    )


def count_known_by_tuple(records: PlacedRecords, schema: Schema) -> ValueCounter:
    """A count of known values by tuple that asks for the same column once."""
    return cache(
        lambda column, ranges: records.count_by_tuple(column, ranges, schema.missing_marks)
    )


def count_raw_rows(engine: Engine, schema: Schema) -> tuple[CountedRows, dict[str, int]]:
    """The quasi-identifiers unchanged, and how many records have no known person."""
    names, person = schema.masked_columns, schema.person
    if person is None:
        return engine.count_rows(names), {}
    if schema.missing == "drop":
        rows = engine.count_rows(names, person, schema.missing_marks)
        return rows, {person: rows.left_out}
    return engine.count_rows(names), {person: engine.count_unknown(person, schema.missing_marks)}


def _count_missing(rows: CountedRows, schema: Schema) -> dict[str, int]:
    """Count the records that lack a value of each nominal column, dropped ones included."""
    missing_counts = {}
    for column in schema.quasi_identifiers:
        if isinstance(column, Nominal):
            is_missing = read_quasi_identifier(rows.frame, column, schema).codes < 0
            missing_counts[column.column] = int(
                is_missing.sum() if rows.weights is None else rows.weights[is_missing].sum()
            )
    return missing_counts


def place_records(
    rows: CountedRows, columns: Sequence[CodedColumn], kept: NDArray[np.bool_]
) -> tuple[Tuples, PlacedRecords]:
    """Count the tuples of the rows that are kept, and tell each record its own."""
    tuples, tuple_of = count_tuples(
        [column.attribute for column in columns],
        [column.codes for column in columns],
        None if rows.weights is None else rows.weights[kept],
    )
    tuple_of_row = np.full(len(kept), -1, dtype=np.int64)
    tuple_of_row[kept] = tuple_of
    return tuples, rows.assign_tuples(tuple_of_row)


def warn_about_table(engine: Engine, schema: Schema) -> None:
    """Warn if the table contains something that its schema does not expect."""
    if engine.index_names:
        warnings.warn(
            f"the index {quote_names(filter(None, engine.index_names))}".rstrip()
            + " is not released. To give it a role, turn it into a column with reset_index()",
            IndexRemovedWarning,
            stacklevel=5,
        )
    if schema.person is not None:
        return
    repeated = [column for column in schema.identifiers if engine.has_repeats(column)]
    if repeated:
        warnings.warn(
            f"direct identifiers are repeated in {quote_names(repeated)}: a person may have "
            "several records, but k counts records. To count people, set person to "
            f"{repeated[0]!r}",
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
