"""Sets that may hold only a few concepts: the values that cost least are left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.sets.concept_sets import ConceptSets

__all__ = ["limit_set"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


def limit_set(above: Sequence[Ints], most: int, members: ConceptSets, counts: Longs) -> list[int]:
    r"""Leave concepts out of a set until it has at most ``most``, with the least loss.

    A concept takes those of its ancestors with it that no other concept of the set has. The loss of
    a closure :math:`C` is :math:`\sum n d(A, C)^2` over the original sets. The concept that costs
    least is left out first; of equal ones the last.

    Args:
        above: For each deepest concept of the set, the concept and its ancestors.
        most: How many concepts may stay, at least 1.
        members: The closures :math:`A` of the original sets.
        counts: The number of records :math:`n` of each of them.

    Returns:
        Which of the concepts stay.
    """
    kept = list(range(len(above)))
    closure = np.unique(np.concatenate(above))
    is_above = np.array([np.isin(closure, concepts) for concepts in above])
    place = np.minimum(np.searchsorted(closure, members.concepts), len(closure) - 1)
    is_in_closure = closure[place] == members.concepts
    is_held = np.zeros((len(members), len(closure)), dtype=np.int64)
    is_held[members.owners()[is_in_closure], place[is_in_closure]] = 1
    while len(kept) > most:
        without = is_above.sum(axis=0) - is_above > 0  # the closure without each concept
        shared = is_held @ without.T
        union = members.sizes()[:, None] + without.sum(axis=1) - shared
        costs = np.round(counts @ np.log2(1 + (union - shared) / union) ** 2, 9)
        cheapest = len(kept) - 1 - int(np.argmin(costs[::-1]))
        del kept[cheapest]
        is_above = np.delete(is_above, cheapest, axis=0)
    return kept
