"""The loops behind the risk measures. Codes, counts and fixed-point distances only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = ["greedy_transport_cost", "measure_values", "nearest"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Codes = NDArray[np.uint32]  # unsigned: no place counts from the end


@jit
def nearest(
    offset: Longs,
    lines: Longs,
    tables: NDArray[Any],
    goals: Floats,
    numbers: Floats,
    unit: Floats,
    codes: Codes,
    counts: Longs,
    begin: Longs,
    least: Longs,
    records: Longs,
) -> None:
    """For each target the least distance to a tuple, and the records of the tuples at it.

    ``offset`` says where the values of each attribute begin when all are laid end to end, and their
    end. The distances from target ``t`` to the words of attribute ``j`` begin at ``lines[t, j]`` in
    ``tables``. Numbers are compared with ``goals[t, j]``: their difference over ``unit[j, 0]``,
    times ``unit[j, 1]``; for words both are 0. A missing number, infinite, is at ``unit[j, 2]``
    from every other one. A goal that is NaN says nothing: all are at it.
    Tuples are sorted by their first value: those of value ``v`` are ``begin[v]`` to
    ``begin[v + 1]``, and passed over together where the first value alone is too far.
    """
    m = offset.size - 1
    row = np.empty(offset[m], tables.dtype)
    for t in range(lines.shape[0]):
        rest = np.int64(0)  # what the other attributes add at least
        measure_values(t, offset, lines, tables, goals, numbers, unit, row)
        for j in range(1, m):
            rest += np.int64(row[offset[j] : offset[j + 1]].min())
        first = 0
        for v in range(offset[1]):
            if begin[v] < begin[v + 1] and (
                begin[first] == begin[first + 1] or row[v] < row[first]
            ):
                first = v
        best, records_at_best = _search_first_value(
            first, row, offset, codes, counts, begin, np.int64(2**62), np.int64(0)
        )
        for v in range(offset[1]):
            if v != first and row[v] + rest <= best:
                best, records_at_best = _search_first_value(
                    v, row, offset, codes, counts, begin, best, records_at_best
                )
        least[t], records[t] = best, records_at_best


@jit
def measure_values(
    t: int,
    offset: Longs,
    lines: Longs,
    tables: NDArray[Any],
    goals: Floats,
    numbers: Floats,
    unit: Floats,
    row: NDArray[Any],
) -> None:
    """Write the distance from a target to each value of each attribute, as in :func:`nearest`."""
    for j in range(offset.size - 1):
        for v in range(offset[j], offset[j + 1]):
            if np.isnan(goals[t, j]):
                row[v] = 0
            elif unit[j, 0] == 0:
                row[v] = tables[lines[t, j] + v - offset[j]]
            elif np.isinf(goals[t, j]) or np.isinf(numbers[v]):
                row[v] = 0 if goals[t, j] == numbers[v] else np.rint(unit[j, 2])
            else:
                apart = np.abs(goals[t, j] - numbers[v])
                row[v] = np.rint(apart / unit[j, 0] * unit[j, 1])


@jit
def _search_first_value(
    v: int,
    row: NDArray[Any],
    offset: Longs,
    codes: Codes,
    counts: Longs,
    begin: Longs,
    best: np.int64,
    records_at_best: np.int64,
) -> tuple[np.int64, np.int64]:
    """Update the least distance and its records with the tuples of one first value."""
    for i in range(begin[v], begin[v + 1]):
        total = row[v]
        for j in range(1, offset.size - 1):
            total += row[offset[j] + codes[j, i]]
        if total < best:
            best, records_at_best = np.int64(total), counts[i]
        elif total == best:
            records_at_best += counts[i]
    return best, records_at_best


@jit
def greedy_transport_cost(order: Longs, cost: Floats, supply: Floats, demand: Floats) -> float:
    """The cost of a transport by the cheapest links first; it empties ``supply``, ``demand``."""
    total = 0.0
    width = cost.shape[1]
    for place in range(order.size):
        i, j = order[place] // width, order[place] % width
        moved = min(supply[i], demand[j])
        if moved > 0:
            supply[i] -= moved
            demand[j] -= moved
            total += moved * cost[i, j]
    return total
