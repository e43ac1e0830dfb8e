"""Records counted by group and the values of several columns, and what follows for classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.distinct_values import DistinctValues

__all__ = ["ClassCounts", "GroupedRows", "count_people"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class ClassCounts:
    """The number of equivalence classes, the size of the smallest, and how many are of size 1."""

    classes: int
    smallest: int
    uniques: int

    @classmethod
    def of_sizes(cls, sizes: Longs) -> ClassCounts:
        """Count classes of known sizes.

        >>> ClassCounts.of_sizes(np.array([3, 1, 1]))
        ClassCounts(classes=3, smallest=1, uniques=2)
        """
        return cls(len(sizes), int(sizes.min()) if len(sizes) else 0, int((sizes == 1).sum()))


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """The distinct rows of some columns in each group, and the number of records of each row.

    A group is a tuple, a target or a class. A row may occur more than once in a group.
    """

    group: Longs
    columns: Mapping[str, DistinctValues]
    records: Longs

    def regroup(self, group_of: Longs, is_released: NDArray[np.bool_] | None = None) -> GroupedRows:
        """The same rows, each group replaced by another; groups not released are left out."""
        group = group_of[self.group]
        if is_released is None or is_released[group].all():
            return GroupedRows(group, self.columns, self.records)
        kept = is_released[group]
        columns = {name: column.select_rows(kept) for name, column in self.columns.items()}
        return GroupedRows(group[kept], columns, self.records[kept])


def count_people(classes: Longs, people: Longs) -> Longs:
    """Count the different people of each class; records of unknown people (-1) add nobody.

    >>> count_people(np.array([0, 0, 0, 7]), np.array([2, 2, 3, -1])).tolist()
    [2, 0]
    """
    numbers, place = np.unique(classes, return_inverse=True)
    pairs = np.unique(np.column_stack([place, people])[people >= 0], axis=0)
    return np.bincount(pairs[:, 0], minlength=len(numbers))
