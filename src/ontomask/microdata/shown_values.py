"""What the rows of a finished table show: all their values, as they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.sets.concept_sets import ConceptSets, distinct_sets

__all__ = ["ShownValues"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ShownValues:
    """The values of each row: one of each column, but all of a set.

    Attributes:
        columns: The masked columns.
        sets: The values of each row by number. What is written alike in a column is one value, and
            a missing value is one as well.
        records: The number of records of each row. Rows may be equal.
        people: The person of each row, -1 if unknown; None if it is not known who is who.
    """

    columns: tuple[str, ...]
    sets: ConceptSets
    records: Longs
    people: Longs | None = None

    @property
    def people_differ(self) -> bool:
        """Whether somebody has records with different values."""
        return self.people is not None and bool((np.bincount(self._pair_people()[:, 1]) > 1).any())

    def _pair_people(self) -> Longs:
        """Each different row with each of its known people, once."""
        assert self.people is not None
        place = distinct_sets(self.sets).place
        return np.unique(np.column_stack([place, self.people])[self.people >= 0], axis=0)

    def count_uniques(self) -> int:
        """Count the records, or people, of which nobody else shows the same values.

        A person with several records is unique if one of them is.
        """
        if self.people is None:
            place = distinct_sets(self.sets).place
            return int((np.bincount(place, weights=self.records) == 1).sum())
        pairs = self._pair_people()
        alone = np.bincount(pairs[:, 0]) == 1
        return len(np.unique(pairs[alone[pairs[:, 0]], 1]))
