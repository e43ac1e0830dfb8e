"""The loops of the linkage of people: distances of bags of rows. Codes and fixed point only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.microdata.sets.matching_kernels import assign
from ontomask.risk.kernels import Codes, measure_values

__all__ = ["link_bags", "match_row_costs", "measure_tuples"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's


@jit
def measure_tuples(
    offset: Longs,
    lines: Longs,
    tables: NDArray[Any],
    goals: Floats,
    numbers: Floats,
    unit: Floats,
    codes: Codes,
    is_blank: NDArray[np.bool_],
    whole: Index,
    out: Longs,
) -> None:
    """Write the distance from each target (row) to each tuple (column), as in :func:`nearest`.

    Blank targets are at the distance ``whole`` from all tuples.
    """
    row = np.empty(offset[-1], tables.dtype)
    for t in range(goals.shape[0]):
        if is_blank[t]:
            out[t] = whole
            continue
        measure_values(t, offset, lines, tables, goals, numbers, unit, row)
        for i in range(codes.shape[1]):
            total = np.int64(0)
            for j in range(codes.shape[0]):
                total += row[offset[j] + codes[j, i]]
            out[t, i] = total


@jit
def _find_bound(
    between: Longs, rows: Longs, own_rows: Longs, many: Index, own_many: Index
) -> np.int64:
    """What the rows of the smaller bag cost at least: each with its nearest row of the other."""
    bound = np.int64(0)
    if own_many <= many:
        for i in range(own_many):
            nearest = between[rows[0], own_rows[i]]
            for j in range(1, many):
                nearest = min(nearest, between[rows[j], own_rows[i]])
            bound += nearest
        return bound
    for j in range(many):
        nearest = between[rows[j], own_rows[0]]
        for i in range(1, own_many):
            nearest = min(nearest, between[rows[j], own_rows[i]])
        bound += nearest
    return bound


@jit
def link_bags(
    between: Longs,
    begin: Longs,
    rows: Longs,
    holders: Longs,
    own_begin: Longs,
    own_rows: Longs,
    whole: Index,
    least: Longs,
    sharers: Longs,
) -> None:
    """Update the least distance of each own bag to a released one, and how many hold those at it.

    ``between`` has the distances between rows. Released bag ``c`` has the rows ``begin[c]`` to
    ``begin[c + 1]`` of ``rows`` and is that of ``holders[c]`` pseudonyms; own bags likewise.
    Surplus rows cost ``whole`` each.
    """
    most = 1
    for c in range(begin.size - 1):
        most = max(most, begin[c + 1] - begin[c])
    for b in range(own_begin.size - 1):
        most = max(most, own_begin[b + 1] - own_begin[b])
    costs, match = np.empty((1, 1)), np.empty(most, np.int64)
    potential, column = np.empty((3, most + 1)), np.empty((3, most + 1), np.int64)
    for c in range(begin.size - 1):
        many = begin[c + 1] - begin[c]
        shown = rows[begin[c] : begin[c + 1]]
        for b in range(own_begin.size - 1):
            own_many = own_begin[b + 1] - own_begin[b]
            surplus = whole * abs(many - own_many)
            if surplus > least[b]:
                continue
            own = own_rows[own_begin[b] : own_begin[b + 1]]
            distance = surplus + _find_bound(between, shown, own, many, own_many)
            if distance <= least[b] and many > 1 and own_many > 1:
                if costs.shape[0] < max(many, own_many):
                    size = max(many, own_many)
                    costs = np.empty((size, size))
                for j in range(many):
                    for i in range(own_many):
                        costs[j, i] = between[shown[j], own[i]]
                total = assign(costs, many, own_many, potential, column, match)
                distance = surplus + np.int64(np.rint(total))
            if distance < least[b]:
                least[b], sharers[b] = distance, holders[c]
            elif distance == least[b]:
                sharers[b] += holders[c]


@jit
def match_row_costs(
    row_costs: Longs, begin: Longs, many: Longs, own_many: Longs, whole: Index, out: Longs
) -> None:
    """Write the distance of pairs of bags, whose rows cost ``row_costs`` with each other.

    Those of pair ``p`` begin at ``begin[p]``: ``own_many[p]`` costs for each of ``many[p]`` rows.
    """
    most = 1
    for p in range(many.size):
        most = max(most, max(many[p], own_many[p]))
    costs, match = np.empty((most, most)), np.empty(most, np.int64)
    potential, column = np.empty((3, most + 1)), np.empty((3, most + 1), np.int64)
    for p in range(many.size):
        at = begin[p]
        for j in range(many[p]):
            for i in range(own_many[p]):
                costs[j, i] = row_costs[at]
                at += 1
        total = assign(costs, many[p], own_many[p], potential, column, match)
        out[p] = whole * abs(many[p] - own_many[p]) + np.int64(np.rint(total))
