"""What the order of rows says: sorted rows give back what masking changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.engines.memory.values import canonical_text
from ontomask.microdata.distinct_values import DistinctValues

__all__ = ["count_restored", "count_steps"]


def count_restored(original: DistinctValues, masked: DistinctValues) -> tuple[int, float]:
    """How many records have their original value again where the masked column is sorted.

    The second number is how many would have it if the rows were shuffled.
    """
    released = sorted([*masked.values, None], key=_sort_key)
    place = {canonical_text(value): number for number, value in enumerate(released)}
    after, before = (
        np.array([place.get(canonical_text(value), -1) for value in (*column.values, None)])[
            column.codes
        ]
        for column in (masked, original)
    )
    ascending = np.sort(after)
    restored = max(int((order == before).sum()) for order in (ascending, ascending[::-1]))
    alike = np.bincount(before[before >= 0], minlength=len(place)) @ np.bincount(
        after, minlength=len(place)
    )
    return restored, float(alike) / max(len(after), 1)


def count_steps(column: DistinctValues) -> tuple[int, int]:
    """Count the rows with a greater value than the row before, and those with a smaller one."""
    values = [*column.values, None]
    rank = np.empty(len(values), dtype=np.int64)
    rank[sorted(range(len(values)), key=lambda place: _sort_key(values[place]))] = np.arange(
        len(values)
    )
    steps = np.diff(rank[column.codes])
    return int((steps > 0).sum()), int((steps < 0).sum())


def _sort_key(value: Any) -> tuple[float, str]:
    """Numbers, also those that are text, by their size; then anything else as text."""
    if value is None:
        return np.inf, "\U0010ffff"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.inf
    return (np.inf if np.isnan(number) else number), str(value)
