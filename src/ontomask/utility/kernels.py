"""The loops behind the measures of utility. Numbers and places only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["sum_difference_products", "ward"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@jit
def sum_difference_products(x: Floats, y: Floats, rank: Longs, weight: Floats) -> float:
    r"""The sum of :math:`w_s w_t |x_s - x_t| |y_s - y_t|` over all ordered pairs.

    ``x`` ascends; ``rank``, from 1, is the place of each y among the distinct ones. A tree of
    partial sums (Fenwick's) knows what was met so far with a y no greater.
    """
    most = 0
    for place in rank:  # numba's own maximum is slow to load
        most = max(most, place)
    tree = np.zeros((most + 1, 4))
    met = np.zeros(4)
    below = np.zeros(4)
    term = np.zeros(4)
    total = 0.0
    for s in range(x.size):
        below[:] = 0.0
        place = rank[s]
        while place > 0:
            for c in range(4):
                below[c] += tree[place, c]
            place -= place & -place
        # (x_s - x_t)(y_s - y_t) over those below, less the same over those above.
        for c in range(4):
            term[c] = 2 * below[c] - met[c]
        product = x[s] * y[s] * term[0] - y[s] * term[1] - x[s] * term[2] + term[3]
        total += weight[s] * product
        term[0] = weight[s]
        term[1] = weight[s] * x[s]
        term[2] = weight[s] * y[s]
        term[3] = weight[s] * x[s] * y[s]
        place = rank[s]
        while place < tree.shape[0]:
            for c in range(4):
                tree[place, c] += term[c]
            place += place & -place
        met += term
    return 2 * total


@jit
def ward(apart: Floats, weight: Floats) -> tuple[Longs, Floats]:
    r"""All merges of Ward's method, and the squared height of each.

    ``apart`` holds Ward's squared distances between single points of the given weights,
    :math:`2 w_i w_j d_{ij}^2 / (w_i + w_j)`; it is used up, and so is ``weight``. A row of the
    answer is two members, one of each cluster merged. Chains of nearest neighbours: two clusters
    that are each other's nearest can be merged at once, as Ward's distances never shrink.
    """
    size = weight.size
    merges, heights = np.empty((size - 1, 2), dtype=np.int64), np.empty(size - 1)
    alive = np.ones(size, dtype=np.bool_)
    chain, length = np.empty(size, dtype=np.int64), 0
    start = 0
    for step in range(size - 1):
        if length == 0:
            while not alive[start]:
                start += 1
            chain[0], length = start, 1
        while True:
            end = chain[length - 1]
            near, least = -1, np.inf
            if length > 1:  # of equals the one before, or the chain would not end
                near = chain[length - 2]
                least = apart[end, near]
            for other in range(size):
                if alive[other] and other != end and apart[end, other] < least:
                    near, least = other, apart[end, other]
            if length > 1 and near == chain[length - 2]:
                break
            chain[length] = near
            length += 1
        length -= 2
        merges[step, 0], merges[step, 1], heights[step] = near, end, least
        _join(apart, weight, alive, min(near, end), max(near, end))
    return merges, heights


@jit
def _join(apart: Floats, weight: Floats, alive: NDArray[np.bool_], i: int, j: int) -> None:
    """Make one cluster, kept as ``i``, of two (Lance and Williams)."""
    alive[j] = False
    between = apart[i, j]
    for k in range(weight.size):
        if alive[k] and k != i:
            joined = (
                (weight[i] + weight[k]) * apart[i, k]
                + (weight[j] + weight[k]) * apart[j, k]
                - weight[k] * between
            ) / (weight[i] + weight[j] + weight[k])
            apart[i, k] = joined
            apart[k, i] = joined
    weight[i] += weight[j]
