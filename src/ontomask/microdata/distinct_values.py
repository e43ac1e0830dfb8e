"""A column as its distinct values, and the place of every row's value among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Distinct", "Written"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Distinct:
    """A column: its distinct values, and the place of each row's among them; -1 is missing.

    A row is a record or, with ``weights``, as many as they say.
    """

    values: list[Any]
    codes: Longs
    weights: Longs | None = None
    blank: str | None = None  # what stands for a missing value; None for an empty cell

    @property
    def counts(self) -> Longs:
        """How many records hold each value."""
        held = self.codes >= 0
        weights = None if self.weights is None else self.weights[held]
        counts = np.bincount(self.codes[held], weights=weights, minlength=len(self.values))
        return counts.astype(np.int64)

    def without(self, gone: NDArray[np.bool_]) -> Distinct:
        """The same column where some values count as missing."""
        if not gone.any():
            return self
        place = np.cumsum(~gone) - 1
        place[gone] = -1
        values = [value for value, left in zip(self.values, gone, strict=True) if not left]
        codes = np.append(place, -1)[self.codes]  # -1 finds the last, -1
        return Distinct(values, codes, self.weights, self.blank)

    def of(self, kept: NDArray[np.bool_]) -> Distinct:
        """The column of some of the rows, with the values that are left."""
        weights = None if self.weights is None else self.weights[kept]
        some = Distinct(self.values, self.codes[kept], weights, self.blank)
        return some.without(some.counts == 0)


@dataclass(frozen=True, eq=False)
class Written:
    """A column to be written: values, each record's place among them, and whether it is text."""

    values: list[Any]
    places: Longs
    text: bool = False
