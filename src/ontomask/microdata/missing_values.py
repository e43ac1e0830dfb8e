"""Missing values as a concept of their own (``missing="category"``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import FIXED_POINT_ONE, MISSING, NominalAttribute
from ontomask.taxonomy import Concept

__all__ = ["MISSING", "NominalOrMissing"]


@dataclass(frozen=True, eq=False)
class NominalOrMissing(NominalAttribute):
    """A nominal attribute where missing is one more value: the last, at distance 1 from the rest.

    ``values`` are the others; they may be none.
    """

    @property
    def size(self) -> int:
        return len(self.values) + 1

    @cached_property
    def _present_attribute(self) -> NominalAttribute | None:
        if not self.values:
            return None
        return NominalAttribute(
            self.name, self.domain, self.values, self.measure, self.weight, self.others
        )

    @cached_property
    def candidates(self) -> tuple[Concept, ...]:
        return (*(self._present_attribute.candidates if self._present_attribute else ()), MISSING)

    @cached_property
    def place(self) -> NDArray[np.int64]:
        present = (
            self._present_attribute.place
            if self._present_attribute
            else np.empty(0, dtype=np.int64)
        )
        return np.append(present, len(self.candidates) - 1)

    @cached_property
    def table(self) -> NDArray[np.int32]:
        return self.rows(np.arange(len(self.candidates)))

    def rows(self, targets: NDArray[np.integer]) -> NDArray[np.int32]:
        missing = len(self.candidates) - 1
        rows = np.full((len(targets), self.size), FIXED_POINT_ONE, dtype=np.int32)
        present = np.flatnonzero(targets != missing)
        if self._present_attribute:
            rows[present, :-1] = self._present_attribute.rows(targets[present])
        rows[targets == missing, -1] = 0
        return rows

    @cached_property
    def above(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        start = np.zeros(1, dtype=np.int64)
        codes = np.empty(0, dtype=np.int32)
        if self._present_attribute:
            start, codes = self._present_attribute.above
        missing = np.int32(len(self.candidates) - 1)
        return np.append(start, start[-1] + 1), np.append(codes, missing)

    def restrict_to(self, places: NDArray[np.integer]) -> NominalAttribute:
        values = [self.values[place] for place in places.tolist() if place < len(self.values)]
        kind = NominalOrMissing if len(values) < len(places) else NominalAttribute
        return kind(self.name, self.domain, values, self.measure, self.weight)
