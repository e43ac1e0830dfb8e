"""The first step of a release: the records of a table as distinct tuples, with counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
    Hint,
    IndexRemovedWarning,
    OntomaskError,
    ParameterError,
    RepeatedIdentifierWarning,
    Setting,
    format_count,
    quote_names,
    raise_together,
)
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import fold_value, merge_look_alikes, without_unknown
from ontomask.microdata.linked_records import LinkedRecords
from ontomask.microdata.schema import Nominal, Schema
from ontomask.microdata.tuples import SensitiveCounts, Tuples, count_tuples
from ontomask.microdata.value_coding import CodedColumn, code_column
from ontomask.pipeline.complete_records import read_quasi_identifier, select_complete_records
from ontomask.pipeline.evaluation import ValueCounter, sensitive_counts
from ontomask.pipeline.guarantees.look_alikes import warn_about_look_alikes
from ontomask.pipeline.planning.plan import PlanInput, to_sensitive_counts

__all__ = [
    "Counted",
    "count_known_by_tuple",
    "count_raw_rows",
    "count_table",
    "gather_long_table",
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
    how many are left out for that. ``look_alikes`` are warnings. Where people stay linked,
    ``records`` are placed by person and tuple, and ``people_names`` are the people by number.
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
    people_names: tuple[str, ...] = ()

    @property
    def tuples(self) -> Tuples:
        """The distinct tuples of the quasi-identifiers."""
        return self.plan_input.tuples

    def count_rows(self, columns: Sequence[str]) -> GroupedRows:
        """Count records by tuple and the values of several columns together."""
        rows, linked = self.records.count_rows(columns), self.plan_input.linked
        return rows if linked is None else rows.regroup(linked.tuple_number)


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
    """Count the tuples of a table, and what is known of their people and sensitive values.

    A long table is gathered to one row for each person before.
    """
    schema.check(engine.names)
    engine, schema = gather_long_table(engine, schema)
    rows, missing_people = count_raw_rows(engine, schema)
    if not rows.records + rows.left_out:
        raise ColumnError("the table has no records")
    warn_about_table(engine, schema)
    distinct, kept = select_complete_records(rows.frame, schema, rows.weights, missing_people)
    columns = _code_columns(schema, distinct)
    linked: LinkedRecords | None = None
    people_names: tuple[str, ...] = ()
    if schema.linked is None:
        tuples, records = place_records(rows, columns, kept)
        count_values = count_known_by_tuple(records, schema)
    else:
        tuples, linked, people_names, records = _place_linked_records(rows, columns, kept, schema)
        count_by_pair = count_known_by_tuple(records, schema)
        count_values = _count_known_by_pair(count_by_pair, linked)
        linked = replace(linked, sensitive_counts=_list_sensitive(schema, count_by_pair, linked))
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
            linked,
        ),
        None if merged is None else np.sort(merged.counts)[::-1][:MOST_PEOPLE],
        0 if merged is None else tuples.records - int(merged.counts.sum()),
        _count_missing(rows, schema),
        rows.records + rows.left_out - tuples.records,
        warn_about_look_alikes(schema, count_values),
        people_names,
    )


def gather_long_table(engine: Engine, schema: Schema) -> tuple[Engine, Schema]:
    """The table with one row for each person and its schema, if the values of a set have rows."""
    values = schema.long_set
    if values is None:
        return engine, schema
    from ontomask.engines.long_table import gather_people

    assert schema.person is not None
    people = gather_people(
        engine,
        schema.person,
        values.column,
        schema.removed(engine.names),
        schema.missing_marks,
        schema.missing == "drop",
    )
    return people, schema.gather_people()


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
    if schema.linked is not None:
        linked = dict.fromkeys([*names, person, *schema.confidential_names])
        return _count_linked_rows(engine, list(linked), person, schema)
    if schema.missing == "drop":
        rows = engine.count_rows(names, person, schema.missing_marks)
        return rows, {person: rows.left_out}
    return engine.count_rows(names), {person: engine.count_unknown(person, schema.missing_marks)}


def _count_linked_rows(
    engine: Engine, names: Sequence[str], person: str, schema: Schema
) -> tuple[CountedRows, dict[str, int]]:
    """The quasi-identifiers and the person, who must be known."""
    unknown = engine.count_unknown(person, schema.missing_marks)
    if unknown and schema.missing != "drop":
        raise ColumnError(
            f"{format_count(unknown, 'row')} have no known person in {person!r}, so nothing can "
            "link them",
            Hint("use ", Setting("missing", "drop"), " to remove these rows"),
        )
    rows = engine.count_rows(names, person, schema.missing_marks)
    return rows, {person: rows.left_out}


def _place_linked_records(
    rows: CountedRows, columns: Sequence[CodedColumn], kept: NDArray[np.bool_], schema: Schema
) -> tuple[Tuples, LinkedRecords, tuple[str, ...], PlacedRecords]:
    """Count the tuples, and tell each record its pair of person and tuple.

    People are numbered by their names, so that the order of the rows does not matter.
    """
    assert schema.person is not None
    assert schema.linked is not None
    weights = None if rows.weights is None else rows.weights[kept]
    tuples, tuple_of = count_tuples(
        [column.attribute for column in columns], [column.codes for column in columns], weights
    )
    distinct = rows.frame.distinct_values(schema.person)
    people = merge_look_alikes(without_unknown(distinct, schema.missing_marks))[0].select_rows(kept)
    names = [fold_value(value) for value in people.values]
    order = sorted(range(len(names)), key=names.__getitem__)
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    sensitive = [
        rows.frame.distinct_values(name).codes[kept] + 1 for name in schema.confidential_names
    ]
    linked, pair_of = LinkedRecords.count_pairs(
        tuple_of, number[people.codes], sensitive, weights, schema.linked, schema.link_price
    )
    pair_of_row = np.full(len(kept), -1, dtype=np.int64)
    pair_of_row[kept] = pair_of
    return tuples, linked, tuple(names[i] for i in order), rows.assign_tuples(pair_of_row)


def _count_known_by_pair(count_by_pair: ValueCounter, linked: LinkedRecords) -> ValueCounter:
    """As :func:`count_known_by_tuple` for records that are placed by person and tuple."""

    def count_by_tuple(column: str, ranges: bool | None) -> tuple[Longs, DistinctValues]:
        pair, distinct = count_by_pair(column, ranges)
        return linked.tuple_number[pair], distinct

    return count_by_tuple


def _list_sensitive(
    schema: Schema, count_by_pair: ValueCounter, linked: LinkedRecords
) -> tuple[SensitiveCounts, ...]:
    """The known sensitive values of each record of linked people."""
    first = np.cumsum(linked.count) - linked.count
    columns = []
    for column in sensitive_counts(schema, count_by_pair):
        known = to_sensitive_counts(column)
        place = np.repeat(first[known.tuple], known.count)
        offsets = np.repeat(np.cumsum(known.count) - known.count, known.count)
        place += np.arange(len(place)) - offsets
        ones = np.ones(len(place), dtype=np.int64)
        values = np.repeat(known.value, known.count)
        columns.append(replace(known, tuple=place, value=values, count=ones))
    return tuple(columns)


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
