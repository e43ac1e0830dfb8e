"""The loop behind orders by random ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["find_least_ranks"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@jit
def find_least_ranks(
    offsets: Longs, concepts: Ints, chosen: Longs, ranks: Ints, least: Ints
) -> None:
    """Find the least rank in some sets, for each of several ranks of the concepts."""
    for i in range(chosen.size):
        begin, end = offsets[chosen[i]], offsets[chosen[i] + 1]
        for r in range(ranks.shape[0]):
            lowest = ranks[r, concepts[begin]]
            for at in range(begin + 1, end):
                lowest = min(lowest, ranks[r, concepts[at]])
            least[r, i] = lowest
