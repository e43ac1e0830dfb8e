"""Which records are complete, and what missing means."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.frames import Frame
from ontomask.errors import ColumnError, many, quoted
from ontomask.microdata.distinct_values import Distinct
from ontomask.microdata.schema import Schema

__all__ = ["complete", "marked"]

Longs = NDArray[np.int64]


def complete(
    table: Frame,
    schema: Schema,
    weights: Longs | None = None,
    lacking: Mapping[str, int] | None = None,
) -> tuple[list[Distinct], NDArray[np.bool_]]:
    """The quasi-identifiers of the rows that are kept, and which these are.

    A row is a record or, with ``weights``, as many as they say. ``lacking`` are other columns with
    how many records have no value there.
    """
    columns = []
    for column in schema.quasi_identifiers:
        found = table.distinct(column.column)
        found = Distinct(found.values, found.codes, weights)
        marks = marked(found.values, schema.missing_marks)
        if schema.missing == "category":  # it is written as it stood there
            found = replace(found, blank=_usual(found, marks))
        columns.append(found.without(marks))
    gone = {c.column: it.codes < 0 for c, it in zip(schema.quasi_identifiers, columns, strict=True)}
    counts = {column: _records(where, weights) for column, where in gone.items()}
    counts = {column: n for column, n in {**counts, **(lacking or {})}.items() if n}
    kept = np.ones(table.rows, dtype=bool) if weights is None else weights > 0
    if schema.missing == "refuse" and counts:
        shown = ", ".join(f"{column!r} ({many(n, 'row')})" for column, n in counts.items())
        raise ColumnError(
            f"values are missing in {many(len(counts), 'column')}: {shown}",
            "use missing='drop' to leave these rows out, or 'category' to keep missing as a value",
        )
    if schema.missing == "drop":
        kept &= ~np.logical_or.reduce(list(gone.values()))
        if not kept.any():
            raise ColumnError(
                f"every record misses a value: {quoted(counts)}", "use missing='category'"
            )
    return [it.of(kept) for it in columns], kept


def _usual(found: Distinct, marks: NDArray[np.bool_]) -> str | None:
    """The mark that most of the missing values have; None where most cells are empty."""
    often = np.where(marks, found.counts, 0)
    mark = int(np.argmax(often)) if marks.any() else -1
    if mark < 0 or often[mark] <= _records(found.codes < 0, found.weights):
        return None
    return str(found.values[mark])


def _records(rows: NDArray[np.bool_], weights: Longs | None) -> int:
    return int(rows.sum() if weights is None else weights[rows].sum())


def marked(values: Sequence[Any], marks: Collection[str]) -> NDArray[np.bool_]:
    """Which of some values are marks that stand for a missing one."""
    known = set(marks)
    found = [_hashable(v) and (v in known or str(v) in known) for v in values]
    return np.array(found, dtype=np.bool_)


def _hashable(value: object) -> bool:
    return not isinstance(value, list | dict | np.ndarray)
