"""Numbers of records that may be shown together: none is small, and no difference of them is.

Records are dealt to *parts* that do not overlap, and every number that is shown is that of one part
or of several. A part holds no record at all, or at least as many as the threshold; so whatever is
added and subtracted, what comes out is 0 or a sum of parts. Where a part would be too small, the
smallest one beside it that is shown is *folded* into it. That one has at least as many records as
the threshold, so a single fold mends a part and spoils no other.

What this guards against is subtraction: of shown numbers from one another, from the number of
records, and from counts in the released table, which its readers have as well. It does not guard
against

- what a reader knows besides: all records of a value but one, say;
- what the way of masking lets one conclude: where values only ever move up a taxonomy, records of
  a branch before less those after are the ones that left it, be they few. For suppression, where
  the same difference is plain, this is guarded against;
- bounds: that a number is no larger than something else that is shown.

Thresholds count records. One person's records may be more than the threshold.
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
    same must hold for what is left beside the shown children of a branch; where it does not, the
    child with the fewest records (then the first) that can mend it is folded into the rest.
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
