"""Numbers of records that may be shown together: neither they nor their differences are small.

The records are divided into *parts* that do not overlap. Every number that is shown is the sum of
one or more parts. A part has no records, or at least as many as the threshold. Sums and differences
of shown numbers are therefore 0 or sums of parts. If a part is too small, the smallest shown part
next to it is *folded* into it. That part has at least as many records as the threshold, so one fold
is enough and affects no other part.

This protects against subtraction: of shown numbers from each other, from the number of records, and
from counts in the released table, which its readers have as well. It does not protect against

- additional knowledge of a reader, for example of all records with a value except one;
- conclusions from the masking method: if values only move up a taxonomy, the records of a branch
  before masking minus those after it are the records that left the branch, even if they are few.
  For suppression, where this difference is obvious, there is protection;
- bounds: a number cannot be larger than another number that is shown.

Thresholds count records. A single person may have more records than the threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.taxonomy.tree import TaxonomyTree

__all__ = ["is_safe_count", "choose_shown_branches", "smallest_per_group"]

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


def is_safe_count(numbers: Any, least: int) -> Any:
    """Whether each number of records is 0 or at least ``least``."""
    return (numbers == 0) | (numbers >= least)


# ---------------------------------------------------------------------- folding


def choose_shown_branches(tree: TaxonomyTree, measures: Sequence[Longs], least: int) -> Flags:
    """Choose the branches that may be shown, by their records and other counts of these.

    A branch is shown if it has enough records, and if each other count in it is 0 or enough. The
    same must be true for the remainder of a branch without its shown children. If it is not, the
    child with the fewest records (then the first) that corrects it is folded into the remainder.
    """
    records = measures[0]
    shown = np.logical_and.reduce(
        [records >= least, *(is_safe_count(counts, least) for counts in measures[1:])]
    )
    for measure in measures:
        spoilt = ~is_safe_count(tree.remainders(measure, shown), least)
        children = np.flatnonzero(shown & spoilt[tree.parent] & (measure > 0))
        children = children[children > 0]
        shown[smallest_per_group(tree.parent[children], records[children], children)] = False
    return tree.connected_to_root(shown)


def smallest_per_group(group: Longs, size: Longs, items: Longs) -> Longs:
    """The item of the least size in each group; of several, the first."""
    order = np.lexsort((items, size, group))
    _, first = np.unique(group[order], return_index=True)
    return items[order[first]]
