"""A column as its distinct values, and the place of every row's value among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DistinctValues", "OutputColumn", "sum_by_key"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """A column: its distinct values, and the place of each row's among them; -1 is missing.

    A row is a record or, with ``weights``, as many as they say.
    """

    values: list[Any]
    codes: Longs
    weights: Longs | None = None
    blank: Any = None  # what stands for a missing value; None for an empty cell

    @property
    def counts(self) -> Longs:
        """How many records hold each value."""
        present = self.codes >= 0
        weights = None if self.weights is None else self.weights[present]
        counts = np.bincount(self.codes[present], weights=weights, minlength=len(self.values))
        return counts.astype(np.int64)

    def is_same(self, other: DistinctValues) -> bool:
        """Whether another column has the same values in the same rows."""
        return (
            list(map(repr, self.values)) == list(map(repr, other.values))  # NaN is not itself
            and np.array_equal(self.codes, other.codes)
            and (self.weights is other.weights or np.array_equal(self.weights, other.weights))  # type: ignore[arg-type]
        )

    def without_values(self, missing: NDArray[np.bool_]) -> DistinctValues:
        """The same column with some of its values counted as missing."""
        if not missing.any():
            return self
        new_codes = np.cumsum(~missing) - 1
        new_codes[missing] = -1
        values = [
            value for value, is_missing in zip(self.values, missing, strict=True) if not is_missing
        ]
        codes = np.append(new_codes, -1)[self.codes]  # -1 finds the last, -1
        return DistinctValues(values, codes, self.weights, self.blank)

    def select_rows(self, rows: NDArray[np.bool_]) -> DistinctValues:
        """The column of some rows, with the values that occur in them."""
        weights = None if self.weights is None else self.weights[rows]
        chosen = DistinctValues(self.values, self.codes[rows], weights, self.blank)
        return chosen.without_values(chosen.counts == 0)


def sum_by_key(keys: Longs, counts: Longs) -> tuple[Longs, Longs]:
    """The distinct keys, ascending, and the sum of the counts of each.

    Keys that ascend already are not copied: tables of sensitive values have millions of them.
    """
    if (keys[1:] > keys[:-1]).all():
        return keys, counts
    distinct, place = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(place, weights=counts).astype(np.int64)


@dataclass(frozen=True, eq=False)
class OutputColumn:
    """A column to be written: values, each record's place among them, and whether it is text."""

    values: list[Any]
    places: Longs
    text: bool = False
