"""Two tables, of which one is a masked form of the other: the figures that a release would have."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.values import canonical_text
from ontomask.engines.protocol import Engine
from ontomask.engines.ranges import cut_into_ranges
from ontomask.errors import ColumnError, ParameterError, SchemaError, format_count, quote_names
from ontomask.microdata.attributes import (
    MISSING,
    MISSING_NUMBER,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import merge_look_alikes, without_unknown
from ontomask.microdata.population import Population
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.sets.spread_sets import combine_columns
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.microdata.value_coding import CodedColumn, code_column, concepts_of_masked
from ontomask.pipeline.complete_records import flag_marks, select_complete_records
from ontomask.pipeline.counting import FILE_SETTINGS, open_engine, translate_file_errors
from ontomask.pipeline.evaluation import (
    Evaluation,
    ValueCounter,
    column_name,
    evaluate_plan,
    sensitive_counts,
)
from ontomask.pipeline.planning.plan import People
from ontomask.pipeline.population import RowCounter, count_population
from ontomask.report.manifest import is_shuffled_release
from ontomask.risk import LinkedRows
from ontomask.risk.classes import canonical_targets

__all__ = ["TablePair", "evaluate", "pair_tables", "read_table"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: What stands for a suppressed value in files of other tools, beside an empty cell.
SUPPRESSED = "*"


def evaluate(
    original: Any,
    masked: Any,
    schema: Schema,
    k: int | None = None,
    *,
    match_by: str | None = None,
    semantic_closeness: bool = False,
    population: Population | None = None,
    **file: Any,
) -> Evaluation:
    """Compute information loss and disclosure risk of a table that any tool has masked.

    In the masked table, ``*`` and an empty cell are suppressed values. If missing values are a
    category of that column, an empty cell is a missing value. A record whose quasi-identifiers are
    all empty is suppressed. Values are compared below the least common subsumer of the values of
    both tables, unless the schema names a domain.

    Args:
        original: The original table, in any form that :func:`~ontomask.mask` accepts.
        masked: The masked table, with the same records in the same order unless ``match_by`` is
            given.
        schema: The role of every column. Both tables must contain the quasi-identifiers.
            Confidential columns are evaluated if both tables contain them. With ``missing="drop"``,
            the masked table may lack the records with missing values. With ``linked`` and
            ``match_by``, it may lack any record; its ``person`` column has the pseudonyms.
        k: The k that linkage is compared with.
        match_by: A column that identifies the records of both tables, which may then be in any
            order. Spark frames need it, because they have no order. So do long tables, whose people
            it identifies.
        semantic_closeness: Whether to compute t-closeness with semantic distances, which takes
            time.
        population: The population that the table is a sample of, as in :func:`~ontomask.mask`.
            Sampling weights are read from the original table.
        **file: Settings of files, as in :func:`~ontomask.mask`.

    Returns:
        The figures.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.microdata import Nominal
    >>> before = pd.DataFrame({"diagnosis": ["hepatitis B", "hepatitis C", "flu", "flu"]})
    >>> after = pd.DataFrame({"diagnosis": ["hepatitis", "hepatitis", "flu", "*"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> evaluation = evaluate(before, after, schema)
    >>> evaluation.risk["k"], evaluation.risk["before"]["k"]
    (1, 1)
    >>> evaluation.utility["changed"]["diagnosis"]
    0.75
    """
    if not isinstance(schema, Schema):
        raise ParameterError(f"schema must be a Schema, got {type(schema).__name__}")
    pair = pair_tables(
        read_table(original, schema, match_by, file, getattr(population, "weight", None)),
        read_table(masked, schema, match_by, file),
        schema,
        match_by,
    )
    plan, record_tuple, target = pair.make_plan()
    common = set(pair.before.names) & set(pair.after.names)
    shared_schema = replace(
        schema, confidential=[c for c in schema.confidential if column_name(c) in common]
    )
    left = ~pair.removed
    drops = bool(pair.removed.any())
    classes, people = canonical_targets(plan)[target][left], pair.people(schema)
    owners: tuple[People | None, People | None] = (None, None)
    if people is not None:
        owners = (classes, people[left]), (record_tuple, people)
    figures: dict[str, Any] = {}
    if population is not None:
        by_tuple, by_target = (
            _row_counter(pair.before, pair.kept, places) for places in (record_tuple, target)
        )
        names, counts = pair.before.names, plan.tuples.counts
        counted = count_population(population, schema, names, counts, by_tuple)
        figures = counted.measure(plan, drops, by_target)
    return evaluate_plan(
        plan,
        k,
        sensitive_counts(
            shared_schema,
            _value_counter(pair.after, schema, pair.is_released, classes),
            owners[0],
        ),
        sensitive_counts(
            shared_schema,
            _value_counter(pair.before, schema, pair.kept, record_tuple),
            owners[1],
        ),
        people=owners,
        linked=pair.linked_rows(schema, record_tuple, target),
        removed=drops,
        semantic_closeness=semantic_closeness,
    ).with_population(figures)


@dataclass(frozen=True)
class TablePair:
    """An original and a masked table with the same records in the same order.

    ``kept`` are the records of the original table that are compared, and ``is_released`` those of
    the masked one. ``removed`` says which of the kept ones the masked table lacks.
    """

    before: Frame
    after: Frame
    kept: NDArray[np.bool_]
    is_released: NDArray[np.bool_]
    columns: Sequence[_ColumnPair]
    removed: NDArray[np.bool_]

    def make_plan(self) -> tuple[Transitions, Longs, Longs]:
        """The pair of tables as transitions; the tuple and the target of each record."""
        return _make_plan(_with_whole_records_suppressed(self.columns))

    def people(self, schema: Schema) -> Longs | None:
        """The person of each record, -1 where unknown; None where the original does not say."""
        if schema.person is None or schema.person not in self.before.names:
            return None
        spelt = self.before.distinct_values(schema.person).select_rows(self.kept)
        return merge_look_alikes(without_unknown(spelt, schema.missing_marks))[0].codes

    def linked_rows(self, schema: Schema, record_tuple: Longs, target: Longs) -> LinkedRows | None:
        """The rows by person and by pseudonym; None if the records of a person are not linked."""
        people, name = self.people(schema), schema.person
        is_linked = schema.linked is not None or schema.long_set is not None
        if people is None or not is_linked or name not in self.after.names:
            return None
        assert name is not None
        released = self.after.distinct_values(name).select_rows(self.is_released).codes
        pseudonyms, pseudonym = np.unique(released, return_inverse=True)
        owner = people[~self.removed]
        pairs = np.unique(np.column_stack([released, owner]), axis=0)
        if len(pairs) > len(pseudonyms) or (released < 0).any() or (people < 0).any():
            raise ParameterError(
                f"each pseudonym in column {name!r} of the masked table must belong to one person "
                "of the original table, got some of nobody or of several people",
                "the records do not match: use match_by (--match-by on the command line) with a "
                "column that identifies the records of both tables, or read the figures of the "
                "release in its manifest",
            )
        ones = np.ones(len(people), dtype=np.int64)
        rows = pseudonym.ravel(), target[~self.removed], ones[~self.removed]
        return LinkedRows(people, record_tuple, ones, *rows, pairs[:, 1])


def pair_tables(before: Frame, after: Frame, schema: Schema, match_by: str | None) -> TablePair:
    """Pair the records of two tables, by their order or by a column that identifies them.

    The people of long tables are the records.
    """
    if schema.long_set is not None:
        schema = schema.gather_people()
    _check_columns(before, after, schema)
    if match_by is not None:
        before, after = (
            _sort_records(table, match_by, which)
            for table, which in ((before, "original"), (after, "masked"))
        )
    person_known = schema.person is not None and schema.person in before.names
    columns, kept = _select_complete(before, schema, person_known)
    removed = np.zeros(int(kept.sum()), dtype=np.bool_)
    if match_by is not None and schema.linked is not None and after.rows < before.rows:
        is_released = np.ones(after.rows, dtype=np.bool_)
        left = set(_record_keys(after, match_by))
        keys = np.array(_record_keys(before, match_by), dtype=object)[kept]
        removed = np.array([key not in left for key in keys], dtype=np.bool_)
    else:
        is_released = _same_records(before, after, kept, schema)
    if match_by is not None:
        compared = kept.copy()
        compared[kept] = ~removed
        _refuse_other_records(before, after, compared, is_released, match_by)
    pairs = [
        _pair_columns(
            column,
            distinct,
            *_read_masked(after, column, is_released, schema.missing_marks),
        ).with_removed(removed)
        for column, distinct in zip(schema.quasi_identifiers, columns, strict=True)
    ]
    return TablePair(before, after, kept, is_released, pairs, removed)


def read_table(
    table: Any,
    schema: Schema,
    match_by: str | None,
    file: Mapping[str, Any],
    weight: str | None = None,
) -> Frame:
    """Read a table; of a file or a Spark frame, only the columns that are compared."""
    if match_by is None and isinstance(table, str | PathLike) and is_shuffled_release(table):
        raise ParameterError(
            f"the rows of {table} are in a random order, as its manifest says, so match_by must "
            "name a column that identifies the records",
            "use match_by (--match-by on the command line) with a column that is in both tables, "
            "or read the figures of the release in its manifest",
        )
    if match_by is None and schema.long_set is not None:
        raise ParameterError(
            "match_by must name a column that identifies the people of both long tables, because "
            "their rows differ and a release has new pseudonyms",
            "name a column with one value for each person that is in both tables (match_by, or "
            "--match-by on the command line), or read the figures of the release in its manifest",
        )
    with translate_file_errors(table):
        engine = open_engine(table, _settings_for(table, file))
        if match_by is None and not engine.keeps_order:
            raise ParameterError(
                "match_by must name a column for Spark frames, because their rows have no order",
                "name a column that identifies the records of both tables, such as match_by='id'",
            )
        columns = [
            *schema.masked_columns,
            *_other_columns(schema),
            *filter(None, (match_by, weight)),
        ]
        if schema.long_set is not None:
            engine = _gather_people(engine, schema, columns)
        return engine.read(columns)


def _gather_people(engine: Engine, schema: Schema, columns: Collection[str]) -> Engine:
    """The people of a long table, a row each; what is suppressed is missing."""
    from ontomask.engines.long_table import gather_people  # DuckDB, only where it is needed

    assert schema.long_set is not None
    assert schema.person is not None
    if schema.person not in engine.names:
        raise SchemaError(
            f"the long table has no column {schema.person!r}, whose rows are one set",
            "both tables must name the person of each row",
        )
    return gather_people(
        engine,
        schema.person,
        schema.long_set.column,
        [name for name in engine.names if name not in columns],
        {*schema.missing_marks, SUPPRESSED},
        schema.missing == "drop",
    )


def _settings_for(table: Any, file: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the format of a table knows; unknown ones are left to be refused."""
    if not isinstance(table, str | PathLike):
        return {}
    from ontomask.engines.formats.formats import format_of

    accepted = {*format_of(table, file.get("format")).accepted_options, "format", "memory"}
    return {
        name: value for name, value in file.items() if name in accepted or name not in FILE_SETTINGS
    }


def _sort_records(table: Frame, match_by: str, which: str) -> Frame:
    """Sort the records by the column that identifies them."""
    if match_by not in table.names:
        raise ParameterError(
            f"match_by must be a column of both tables, got {match_by!r}, which the {which} table "
            "does not have",
            "name a column that identifies the records of both tables",
        )
    keys = _record_keys(table, match_by)
    if len(set(keys)) < len(keys) or canonical_text(None) in keys:
        raise ParameterError(
            f"match_by must be a column of unique values, got {match_by!r}: the {which} table has "
            "missing or repeated values in it",
            "name a column with a unique value for every record",
        )
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    return table.select(table.names, order)


def _record_keys(table: Frame, match_by: str) -> list[str]:
    distinct = table.distinct_values(match_by)
    texts = [canonical_text(value) for value in (*distinct.values, None)]
    return [texts[code] for code in distinct.codes]


def _refuse_other_records(
    before: Frame,
    after: Frame,
    kept: NDArray[np.bool_],
    is_released: NDArray[np.bool_],
    match_by: str,
) -> None:
    original, masked = (
        [
            key
            for key, is_compared in zip(_record_keys(table, match_by), rows, strict=True)
            if is_compared
        ]
        for table, rows in ((before, kept), (after, is_released))
    )
    if original != masked:
        raise ParameterError(
            f"both tables must have the same values of the match_by column {match_by!r}",
            "remove the records that only one of the tables has",
        )


def _other_columns(schema: Schema) -> list[str]:
    person = [] if schema.person is None else [schema.person]
    return [*map(column_name, schema.confidential), *person]


def _value_counter(
    table: Frame, schema: Schema, rows: NDArray[np.bool_], classes: Longs
) -> ValueCounter:
    def count_values(column: str, ranges: bool | None) -> tuple[Longs, DistinctValues]:
        distinct = table.distinct_values(column).select_rows(rows)
        return classes, cut_into_ranges(without_unknown(distinct, schema.missing_marks), ranges)

    return count_values


def _row_counter(table: Frame, rows: NDArray[np.bool_], places: Longs) -> RowCounter:
    def count_rows(columns: Sequence[str]) -> GroupedRows:
        values = {name: table.distinct_values(name).select_rows(rows) for name in columns}
        return GroupedRows(places, values, np.ones(len(places), dtype=np.int64))

    return count_rows


def _select_complete(
    table: Frame, schema: Schema, person_known: bool
) -> tuple[list[DistinctValues], NDArray[np.bool_]]:
    """Select the complete records; where a person column is known, it must have a value, too."""
    weights, missing_counts = None, {}
    if person_known and schema.person is not None:
        has_person = table.has_known_value(schema.person, schema.missing_marks)
        missing_counts = {schema.person: int((~has_person).sum())}
        weights = has_person.astype(np.int64) if schema.missing == "drop" else None
    return select_complete_records(table, schema, weights, missing_counts)


def _check_columns(before: Frame, after: Frame, schema: Schema) -> None:
    for which, table in (("original", before), ("masked", after)):
        missing = [name for name in schema.masked_columns if name not in table.names]
        if missing:
            raise SchemaError(
                f"the {which} table has no column {quote_names(missing)}",
                "quasi-identifiers must be in both tables, under the same name",
            )
    if not before.rows and not after.rows:
        raise ColumnError("the tables have no records")


def _same_records(
    before: Frame, after: Frame, kept: NDArray[np.bool_], schema: Schema
) -> NDArray[np.bool_]:
    """Which records of the masked table are those that are kept of the original one."""
    if after.rows == before.rows:
        return kept
    if schema.missing == "drop" and after.rows == int(kept.sum()):
        return np.ones(after.rows, dtype=np.bool_)
    if schema.linked is not None and after.rows < before.rows:
        raise ParameterError(
            "match_by must name a column that identifies the records of both tables, because "
            f"{format_count(before.rows - after.rows, 'record')} of linked people were removed",
            "use match_by (--match-by on the command line) with a column that has a unique value "
            "for every record, or read the figures of the release in its manifest",
        )
    raise ParameterError(
        f"both tables must have the same records, got {format_count(before.rows, 'record')} in the "
        f"original table and {format_count(after.rows, 'record')} in the masked table",
        "the tables are compared row by row: keep the same records in the same order in both",
    )


@dataclass(frozen=True)
class _ColumnPair:
    """A quasi-identifier in both tables: the original codes, and the target of every record.

    ``missing`` and ``empty`` say where the original and the masked cell show nothing.
    """

    original: CodedColumn
    targets: Floats
    missing: NDArray[np.bool_]
    empty: NDArray[np.bool_]

    def with_removed(self, removed: NDArray[np.bool_]) -> _ColumnPair:
        """The same with the records that the masked table lacks, which are suppressed."""
        if not removed.any():
            return self
        targets, empty = np.full(len(removed), np.nan), np.ones(len(removed), dtype=np.bool_)
        targets[~removed], empty[~removed] = self.targets, self.empty
        return replace(self, targets=targets, empty=empty)


def _read_masked(
    table: Frame,
    column: Nominal | Numeric | Ordinal | Date,
    rows: NDArray[np.bool_],
    marks: Collection[str],
) -> tuple[DistinctValues, NDArray[np.bool_]]:
    """Read a quasi-identifier of the masked table, and whether it is suppressed in each record."""
    parts, is_starred = [], np.zeros(int(rows.sum()), dtype=np.bool_)
    for name in column.table_columns:
        distinct = table.distinct_values(name).select_rows(rows)
        starred = flag_marks(distinct.values, (SUPPRESSED,))
        is_starred |= np.append(starred, False)[distinct.codes]  # -1, an empty cell, finds the last
        parts.append(distinct.without_values(starred | flag_marks(distinct.values, ("", *marks))))
    values = parts[0] if len(parts) == 1 else combine_columns(parts)
    return values, is_starred & (values.codes < 0)


def _pair_columns(
    column: Nominal | Numeric | Ordinal | Date,
    before: DistinctValues,
    after: DistinctValues,
    is_suppressed: NDArray[np.bool_],
) -> _ColumnPair:
    if not isinstance(column, Nominal):
        return _pair_numbers(column, before, after, is_suppressed)
    concepts = concepts_of_masked(column, after)
    coded = code_column(column, before, "category", also=concepts)
    attribute = coded.attribute
    assert isinstance(attribute, NominalAttribute)
    attribute = replace(attribute, others=tuple(sorted(set(concepts))))
    targets = np.array([*(attribute.places[concept] for concept in concepts), np.nan])[after.codes]
    if attribute.candidates[-1] == MISSING:
        targets[(after.codes < 0) & ~is_suppressed] = attribute.places[MISSING]
    return _ColumnPair(coded.with_attribute(attribute), targets, before.codes < 0, after.codes < 0)


def _with_whole_records_suppressed(pairs: Sequence[_ColumnPair]) -> Sequence[_ColumnPair]:
    """Suppress the records whose cells are all empty, unless the original ones are empty, too."""
    is_suppressed = np.logical_and.reduce([pair.empty for pair in pairs])
    is_suppressed &= ~np.logical_and.reduce([pair.missing for pair in pairs])
    return [replace(pair, targets=np.where(is_suppressed, np.nan, pair.targets)) for pair in pairs]


# ---------------------------------------------------------------------- numbers of another tool


def _pair_numbers(
    column: Numeric | Ordinal | Date,
    before: DistinctValues,
    after: DistinctValues,
    is_suppressed: NDArray[np.bool_],
) -> _ColumnPair:
    coded = code_column(column, before, "category")
    assert isinstance(coded.attribute, NumericalAttribute)
    has_value = after.codes >= 0
    targets = np.full(len(has_value), np.nan)
    if coded.attribute.has_missing:
        targets[~is_suppressed] = MISSING_NUMBER
    if has_value.any():
        after = DistinctValues([_parse_value(column, value) for value in after.values], after.codes)
        masked = code_column(column, after.select_rows(has_value), "refuse")
        assert isinstance(masked.attribute, NumericalAttribute)
        targets[has_value] = masked.attribute.numbers[masked.codes]
        # What another tool wrote is taken as it is, however many decimals it has.
        finest = max(coded.attribute.decimals, masked.attribute.decimals)
        coded = coded.with_attribute(replace(coded.attribute, decimals=finest))
    return _ColumnPair(coded, targets, before.codes < 0, ~has_value)


def _parse_value(column: Numeric | Ordinal | Date, value: Any) -> Any:
    """Parse a value of the masked table; a column that holds a ``*`` is often read as text."""
    if isinstance(column, Ordinal):
        return {str(level): level for level in column.levels}.get(str(value), value)
    if isinstance(value, str):
        for read in (int, float) if isinstance(column, Numeric) else (_date_parser(column.format),):
            with suppress(ValueError):
                return read(value)
    if isinstance(value, str) or type(value).__name__ == "Interval":
        raise ColumnError(
            f"column {column.column!r} of the masked table must contain numbers, got "
            f"{str(value)!r}",
            "replace intervals by their midpoints, or make the column Nominal with a taxonomy that "
            "contains the intervals",
        )
    return value


def _date_parser(form: str | None) -> Callable[[str], datetime.date]:
    if form is None:
        return lambda text: datetime.datetime.fromisoformat(text).date()
    return lambda text: datetime.datetime.strptime(text, form).date()


# ---------------------------------------------------------------------- as a plan


def _make_plan(pairs: Sequence[_ColumnPair]) -> tuple[Transitions, Longs, Longs]:
    """The pair of tables as transitions; the tuple and the target of each record."""
    attributes = [pair.original.attribute for pair in pairs]
    tuples, record_tuple = count_tuples(attributes, [pair.original.codes for pair in pairs])
    distinct = [np.unique(pair.targets, return_inverse=True) for pair in pairs]
    rows, target = count_tuples(attributes, [place for _, place in distinct])
    targets = np.column_stack(
        [values[codes] for (values, _), codes in zip(distinct, rows.codes, strict=True)]
    )
    key, count = np.unique(record_tuple * len(rows) + target, return_counts=True)
    plan = Transitions(
        Tuples(tuple(attributes), tuples.codes, tuples.counts),
        targets,
        *np.divmod(key, len(rows)),
        count,
    )
    return plan, record_tuple, target
