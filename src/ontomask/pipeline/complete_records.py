"""Complete records, and the treatment of missing values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frame import Frame
from ontomask.errors import ColumnError, Hint, Setting, format_count, quote_names
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.sets.spread_sets import combine_columns

__all__ = ["flag_marks", "read_quasi_identifier", "select_complete_records"]

Longs = NDArray[np.int64]


def select_complete_records(
    table: Frame,
    schema: Schema,
    weights: Longs | None = None,
    lacking: Mapping[str, int] | None = None,
) -> tuple[list[DistinctValues], NDArray[np.bool_]]:
    """Select the complete rows: their quasi-identifiers, and a flag for every row that is kept.

    A row is a record or, with ``weights``, as many as they say. ``lacking`` are other columns with
    how many records have no value there.
    """
    columns = [
        read_quasi_identifier(table, column, schema, weights) for column in schema.quasi_identifiers
    ]
    missing_rows = {
        c.column: distinct.codes < 0
        for c, distinct in zip(schema.quasi_identifiers, columns, strict=True)
    }
    counts = {column: _count_records(rows, weights) for column, rows in missing_rows.items()}
    counts = {column: n for column, n in {**counts, **(lacking or {})}.items() if n}
    kept = np.ones(table.rows, dtype=bool) if weights is None else weights > 0
    if schema.missing == "refuse" and counts:
        listed = ", ".join(f"{column!r} ({format_count(n, 'row')})" for column, n in counts.items())
        raise ColumnError(
            f"values are missing in {format_count(len(counts), 'column')}: {listed}",
            Hint(
                "use ",
                Setting("missing", "drop"),
                " to remove these rows, or 'category' to treat missing as a value",
            ),
        )
    if schema.missing == "drop":
        kept &= ~np.logical_or.reduce(list(missing_rows.values()))
        if not kept.any():
            raise ColumnError(
                f"every record has a missing value in {quote_names(counts)}",
                Hint("use ", Setting("missing", "category")),
            )
    return [distinct.select_rows(kept) for distinct in columns], kept


def read_quasi_identifier(
    table: Frame,
    column: Nominal | Numeric | Ordinal | Date,
    schema: Schema,
    weights: Longs | None = None,
) -> DistinctValues:
    """Read a quasi-identifier of every row; missing values and their marks have the code -1.

    Of a set over several columns, these are combined; it is missing where all of them are.
    """
    is_spread = len(column.table_columns) > 1
    parts, marks = [], []
    for name in column.table_columns:
        distinct = table.distinct_values(name)
        distinct = DistinctValues(distinct.values, distinct.codes, weights)
        is_mark = flag_marks(distinct.values, schema.missing_marks)
        if is_spread:
            _refuse_nested_values(name, distinct)
            is_mark |= np.array([str(value).strip() == "" for value in distinct.values], dtype=bool)
        marks.append(_count_marks(distinct, is_mark))
        parts.append(distinct.without_values(is_mark))
    if is_spread:
        return combine_columns(parts, _most_frequent_mark(marks))
    if schema.missing == "category":  # it is written as it stood there
        return replace(parts[0], blank=_most_frequent_mark(marks))
    return parts[0]


def _refuse_nested_values(name: str, distinct: DistinctValues) -> None:
    nested = [value for value in distinct.values if not _hashable(value)]
    if nested:
        raise ColumnError(
            f"column {name!r} must have one value per record, got {type(nested[0]).__name__} "
            "values",
            "a column of lists is a set of its own: leave it out of columns",
        )


def _count_marks(distinct: DistinctValues, is_mark: NDArray[np.bool_]) -> Counter[Any]:
    """Count the marks of missing values in a column; None stands for empty cells."""
    counts = Counter({None: _count_records(distinct.codes < 0, distinct.weights)})
    for place in np.flatnonzero(is_mark).tolist():
        counts[distinct.values[place]] += int(distinct.counts[place])
    return counts


def _most_frequent_mark(counts: Sequence[Counter[Any]]) -> Any:
    """The mark that most of the missing values have; None where most cells are empty."""
    total: Counter[Any] = sum(counts, Counter())
    return max(total, key=total.__getitem__, default=None)


def _count_records(rows: NDArray[np.bool_], weights: Longs | None) -> int:
    return int(rows.sum() if weights is None else weights[rows].sum())


def flag_marks(values: Sequence[Any], marks: Collection[str]) -> NDArray[np.bool_]:
    """Flag the values that are one of the marks, such as those of missing values."""
    known_marks = set(marks)
    flags = [_hashable(v) and (v in known_marks or str(v) in known_marks) for v in values]
    return np.array(flags, dtype=np.bool_)


def _hashable(value: object) -> bool:
    return not isinstance(value, list | dict | np.ndarray)
