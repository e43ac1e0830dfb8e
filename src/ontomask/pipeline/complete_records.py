"""Complete records, and the treatment of missing values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frame import Frame
from ontomask.errors import ColumnError, Hint, Setting, format_count, quote_names
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.schema import Schema

__all__ = ["select_complete_records", "flag_marks"]

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
    columns = []
    for column in schema.quasi_identifiers:
        distinct = table.distinct_values(column.column)
        distinct = DistinctValues(distinct.values, distinct.codes, weights)
        marks = flag_marks(distinct.values, schema.missing_marks)
        if schema.missing == "category":  # it is written as it stood there
            distinct = replace(distinct, blank=_most_frequent_mark(distinct, marks))
        columns.append(distinct.without_values(marks))
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


def _most_frequent_mark(distinct: DistinctValues, marks: NDArray[np.bool_]) -> Any:
    """The mark that most of the missing values have; None where most cells are empty."""
    mark_counts = np.where(marks, distinct.counts, 0)
    mark = int(np.argmax(mark_counts)) if marks.any() else -1
    if mark < 0 or mark_counts[mark] <= _count_records(distinct.codes < 0, distinct.weights):
        return None
    return distinct.values[mark]


def _count_records(rows: NDArray[np.bool_], weights: Longs | None) -> int:
    return int(rows.sum() if weights is None else weights[rows].sum())


def flag_marks(values: Sequence[Any], marks: Collection[str]) -> NDArray[np.bool_]:
    """Flag the values that are one of the marks, such as those of missing values."""
    known_marks = set(marks)
    flags = [_hashable(v) and (v in known_marks or str(v) in known_marks) for v in values]
    return np.array(flags, dtype=np.bool_)


def _hashable(value: object) -> bool:
    return not isinstance(value, list | dict | np.ndarray)
