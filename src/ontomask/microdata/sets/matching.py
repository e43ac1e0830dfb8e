"""Which concept of a set became which of another: the matching of least distance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SetMatching", "match_sets"]

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


class SetMatching(NamedTuple):
    """Two sets, concept by concept.

    Attributes:
        partner: For each concept of the first set its partner in the second, -1 for none.
        distance: The distance of the two sets by this matching.
    """

    partner: Longs
    distance: float


def match_sets(distances: Floats) -> SetMatching:
    """Match the concepts of two sets so that the partners are as near as possible.

    A concept without a partner costs 1, as much as the farthest one. The distance is the mean cost
    over the larger set: 0 for equal sets, two empty ones too, and 1 if one of them is empty.

    Args:
        distances: From each concept of the first set (row) to each of the second (column), at
            most 1, such as by :func:`ontomask.distance_matrix`.

    >>> match_sets(np.array([[0.9, 0.1], [0.2, 0.3], [0.4, 0.8]]))
    SetMatching(partner=array([ 1,  0, -1]), distance=0.433...)
    """
    from scipy.optimize import linear_sum_assignment

    partner = np.full(len(distances), -1, dtype=np.int64)
    rows, columns = linear_sum_assignment(distances)
    partner[rows] = columns
    larger = max(distances.shape)
    if not larger:
        return SetMatching(partner, 0.0)
    cost = float(distances[rows, columns].sum()) + larger - len(rows)
    return SetMatching(partner, cost / larger)
