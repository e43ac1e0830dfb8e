"""Columns of very many different numbers, cut into ranges of about as many records each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.distinct_values import DistinctValues

__all__ = ["MANY_NUMBERS", "SAMPLE_SIZE", "cut_into_ranges", "range_starts"]

#: More distinct numbers than this are cut into this number of ranges.
MANY_NUMBERS, RANGE_COUNT = 10_000, 1_000

#: How many records are looked at to find the ranges, where records are not in memory.
SAMPLE_SIZE = 200_000


def cut_into_ranges(distinct: DistinctValues, ranges: bool | None) -> DistinctValues:
    """Cut a column of very many numbers into ranges; a number becomes the least of its range.

    A column with text that is not a number stays as it is.
    """
    if ranges is None:
        ranges = all(isinstance(value, int | float) for value in distinct.values)
    if not ranges or len(distinct.values) <= MANY_NUMBERS:
        return distinct
    try:
        numbers = np.array([float(value) for value in distinct.values])
    except ValueError:
        return distinct
    present = distinct.codes >= 0
    starts = range_starts(np.sort(np.repeat(numbers, distinct.counts)))
    place = np.append(np.searchsorted(starts, numbers, side="right") - 1, -1)
    return DistinctValues(
        starts.tolist(), np.where(present, place[distinct.codes], -1), distinct.weights
    )


def range_starts(ascending: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where ranges of about as many numbers each begin; the first is that of the least."""
    places = np.arange(RANGE_COUNT) * len(ascending) // RANGE_COUNT
    return np.unique(ascending[places])
