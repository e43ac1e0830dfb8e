"""The loops of optimal matching."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["assign", "match_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's


@jit
def assign(
    costs: Floats, many: Index, rows: Index, potential: Floats, column: Longs, match: Longs
) -> float:
    """The assignment of least cost, by shortest augmenting paths (Kuhn 1955, Munkres 1957).

    Each of the fewer ones, slots (rows of ``costs``) or rows (columns), gets a partner.
    ``match`` is the row of each slot, -1 for none; the rest is work space.
    """
    flip = many > rows
    size, others = (rows, many) if flip else (many, rows)
    u, v, least = potential[0], potential[1], potential[2]
    partner, way, seen = column[0], column[1], column[2]
    for j in range(others + 1):
        v[j], partner[j] = 0.0, 0
    for i in range(size + 1):
        u[i] = 0.0
    for i in range(1, size + 1):
        partner[0] = i
        at = 0
        for j in range(others + 1):
            least[j], seen[j] = np.inf, 0
        while partner[at] != 0:
            seen[at] = 1
            row, step, following = partner[at], np.inf, 0
            for j in range(1, others + 1):
                if seen[j]:
                    continue
                cost = costs[j - 1, row - 1] if flip else costs[row - 1, j - 1]
                reduced = cost - u[row] - v[j]
                if reduced < least[j]:
                    least[j], way[j] = reduced, at
                if least[j] < step:
                    step, following = least[j], j
            for j in range(others + 1):
                if seen[j]:
                    u[partner[j]] += step
                    v[j] -= step
                else:
                    least[j] -= step
            at = following
        while at != 0:
            partner[at] = partner[way[at]]
            at = way[at]
    total = 0.0
    for i in range(many):
        match[i] = -1
    for j in range(1, others + 1):
        if partner[j] == 0:
            continue
        slot, row = (j - 1, partner[j] - 1) if flip else (partner[j] - 1, j - 1)
        match[slot] = row
        total += costs[slot, row]
    return total


@jit
def match_pairs(
    offsets: Longs,
    members: Any,
    other_offsets: Longs,
    other_members: Any,
    first: Longs,
    second: Longs,
    between: Floats,
    out: Floats,
) -> None:
    """Write the distance by matching of pairs of sets, whose members are places in a table."""
    most = np.int64(1)
    for s in range(offsets.size - 1):
        most = max(most, offsets[s + 1] - offsets[s])
    for s in range(other_offsets.size - 1):
        most = max(most, other_offsets[s + 1] - other_offsets[s])
    costs, match = np.empty((most, most)), np.empty(most, np.int64)
    potential, column = np.empty((3, most + 1)), np.empty((3, most + 1), np.int64)
    for p in range(first.size):
        begin, other_begin = offsets[first[p]], other_offsets[second[p]]
        many = offsets[first[p] + 1] - begin
        rows = other_offsets[second[p] + 1] - other_begin
        if many == 0 or rows == 0:
            out[p] = 0.0 if many == rows else 1.0
            continue
        for i in range(many):
            for j in range(rows):
                costs[i, j] = between[members[begin + i], other_members[other_begin + j]]
        total = assign(costs, many, rows, potential, column, match) + abs(many - rows)
        out[p] = total / max(many, rows)
