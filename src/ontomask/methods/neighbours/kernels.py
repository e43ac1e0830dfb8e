"""The loops that find near tuples. Codes, counts and fixed-point distances only.

``codes[t, j]`` is the place of a tuple's value among those of attribute ``j``; how values compare
is a ``Space`` (see :func:`ontomask.methods.neighbours.comparison.build_value_space`). An ``Index``
holds the tuples of each value: those of value ``v`` of attribute ``j`` are
``holders[first[v'] : first[v'] + length[v']]`` with ``v' = offset[j] + v``, and ``place[j, t]``
says where tuple ``t`` stands. Tuples can leave it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.neighbours.comparison import ValueSpace

__all__ = [
    "TupleIndex",
    "number_distance",
    "distance",
    "gather_nearest",
    "build_index",
    "remove_from_index",
    "allocate_reading",
    "set_reference",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

TupleIndex = tuple[Longs, Longs, Longs, Longs]

#: Where a reference stands in a space (its lines, its numbers, their places), how far each
#: attribute was read, and what was found: see :func:`allocate_reading`.
ReadingState = tuple[
    Longs, Floats, Longs, Longs, Longs, Longs, Longs, Longs, Longs, Longs, Ints, Longs, Longs, Longs
]

#: More than any distance.
FAR = 2**62


@jit
def number_distance(x: float, y: float, span: float, scale: float) -> int:
    """The distance between two numbers."""
    return int(np.rint(np.abs(x - y) / span * scale))


@jit
def build_index(codes: Ints, offset: Longs, left: Longs) -> TupleIndex:
    """Index the tuples by value, those with records left only."""
    p, m = codes.shape
    first = np.zeros(offset[-1], np.int64)
    length = np.zeros(offset[-1], np.int64)
    holders = np.empty(m * p, np.int64)
    place = np.empty((m, p), np.int64)
    for j in range(m):
        for t in range(p):
            length[offset[j] + codes[t, j]] += 1
    for v in range(1, offset[-1]):
        first[v] = first[v - 1] + length[v - 1]
    length[:] = 0
    for j in range(m):
        for t in range(p):
            if left[t] > 0:
                v = offset[j] + codes[t, j]
                place[j, t] = first[v] + length[v]
                holders[place[j, t]] = t
                length[v] += 1
    return first, length, holders, place


@jit
def remove_from_index(t: int, codes: Ints, offset: Longs, index: TupleIndex) -> None:
    """Take a tuple out of the index."""
    first, length, holders, place = index
    for j in range(codes.shape[1]):
        v = offset[j] + codes[t, j]
        length[v] -= 1
        last = holders[first[v] + length[v]]
        holders[place[j, t]] = last
        place[j, last] = place[j, t]


@jit
def allocate_reading(space: ValueSpace, tuples: int, need: int) -> ReadingState:
    """Allocate the work space for reading, which serves one reference after the other.

    For each attribute the line of the reference, its number, and that number's place; the places
    of the numbers read already, from low up to, but without, high; where the next run begins and
    ends, how far its values are, and those after it, and how many tuples hold them; the order in
    which numbers are read; and what :func:`gather_nearest` finds: which tuples, how far each is,
    and how many records there are at each distance.
    """
    offset, start, _, _, _, unit = space
    m = start.size
    longest = 1
    for j in range(m):
        if unit[j, 0] > 0:
            longest = max(longest, offset[j + 1] - offset[j])
    zeros = np.zeros(m, np.int64)
    return (
        zeros.copy(),
        np.zeros(m, np.float64),
        zeros.copy(),
        zeros.copy(),
        zeros.copy(),
        zeros.copy(),
        zeros.copy(),
        zeros.copy(),
        zeros.copy(),
        zeros.copy(),
        np.zeros(m * longest, np.int32),
        np.empty(tuples, np.int64),
        np.empty(tuples, np.int64),
        np.empty(2 * (need + 2), np.int64),
    )


@jit
def set_reference(t: int, codes: Ints, space: ValueSpace, read: ReadingState) -> None:
    """Make a tuple the reference, where lines are those of the values."""
    offset, start, _, _, numbers, unit = space
    for j in range(start.size):
        read[2][j] = codes[t, j]
        if unit[j, 0] == 0:
            read[0][j] = start[j] + codes[t, j] * (offset[j + 1] - offset[j])
        else:
            read[1][j] = numbers[offset[j] + codes[t, j]]


@jit
def distance(t: int, codes: Ints, space: ValueSpace, read: ReadingState) -> int:
    """The distance from the reference to a tuple."""
    offset, start, tables, _, numbers, unit = space
    line, here = read[0], read[1]
    total = 0
    for j in range(start.size):
        if unit[j, 0] == 0:
            total += tables[line[j] + codes[t, j]]
        else:
            total += number_distance(
                here[j], numbers[offset[j] + codes[t, j]], unit[j, 0], unit[j, 1]
            )
    return total


@jit
def _read_next_run(j: int, space: ValueSpace, length: Longs, read: ReadingState) -> bool:
    """Look up the next run of an attribute that some tuple holds; False at the end."""
    offset, _, tables, orders, numbers, unit = space
    line, here, _, low, high, at, end, ahead, after, cost, outwards, _, _, _ = read
    size = offset[j + 1] - offset[j]
    own = j * (outwards.size // cost.size)
    cost[j] = 0
    while cost[j] == 0 and end[j] < size:
        at[j], ahead[j] = end[j], after[j]
        while end[j] < size:
            if unit[j, 0] == 0:
                v = np.int64(orders[line[j] + end[j]])
                after[j] = tables[line[j] + v]
            else:  # sorted numbers: the next is beside those that were read
                v = low[j] - 1
                if v < 0 or (
                    high[j] < size
                    and numbers[offset[j] + high[j]] - here[j] < here[j] - numbers[offset[j] + v]
                ):
                    v = high[j]
                after[j] = number_distance(here[j], numbers[offset[j] + v], unit[j, 0], unit[j, 1])
            if after[j] != ahead[j]:
                break
            cost[j] += length[offset[j] + v]
            if unit[j, 0] > 0:
                outwards[own + end[j]] = v
                low[j], high[j] = min(low[j], v), max(high[j], v + 1)
            end[j] += 1
    return cost[j] > 0


@jit
def _start_reading(space: ValueSpace, length: Longs, read: ReadingState) -> bool:
    """Start reading all attributes; False if there is no tuple at all."""
    _, _, middle, low, high, at, end, ahead, after, _, _, _, _, _ = read
    for j in range(middle.size):
        low[j] = high[j] = middle[j]
        at[j] = end[j] = ahead[j] = after[j] = 0
        if not _read_next_run(j, space, length, read):
            return False
    return True


@jit
def _most_promising_attribute(space: ValueSpace, read: ReadingState, missing: int) -> int:
    """The attribute whose next run gains the most distance for each tuple to be read."""
    offset = space[0]
    end, ahead, after, cost = read[6], read[7], read[8], read[9]
    chosen, best = 0, -1.0
    for j in range(cost.size):
        gain = missing / cost[j]
        if end[j] < offset[j + 1] - offset[j]:
            gain = min(missing, after[j] - ahead[j]) / cost[j]
        if gain > best:
            best, chosen = gain, j
    return chosen


@jit
def _distance_if_new(
    t: int, by: int, most: int, codes: Ints, space: ValueSpace, read: ReadingState
) -> int:
    """The distance to a tuple met in the run of attribute ``by``; -1 if too far or met before."""
    offset, start, tables, _, numbers, unit = space
    line, here, ahead = read[0], read[1], read[7]
    total = 0
    for j in range(start.size):
        part = 0
        if unit[j, 0] == 0:
            part += tables[line[j] + codes[t, j]]
        else:
            part = number_distance(
                here[j], numbers[offset[j] + codes[t, j]], unit[j, 0], unit[j, 1]
            )
        total += part
        if total > most or (j != by and part < ahead[j]):
            return -1
    return total


@jit
def gather_nearest(
    need: int,
    limit: int,
    weight: Longs,
    weighted: bool,
    least: int,
    skip: int,
    avoid: int,
    value: int,
    codes: Ints,
    space: ValueSpace,
    index: TupleIndex,
    read: ReadingState,
) -> tuple[int, int]:
    """The nearest tuples, as many as hold ``need`` records together, and all as near as the last.

    How many there are, and how far the last is; which, and how far each is, are the first entries
    of ``read[11]`` and ``read[12]``. Nothing beyond ``limit`` is looked for. ``weight`` are
    records; ``weighted`` distances are multiplied with them, and ``least`` is then the fewest there
    are. The tuple ``skip`` does not count, nor do those with ``value`` in the attribute ``avoid``,
    if that is not -1.
    """
    offset, _, _, orders, _, unit = space
    first, length, holders, _ = index
    line, at, end, ahead, outwards = read[0], read[5], read[6], read[7], read[10]
    nearest, far, shells = read[11], read[12], read[13]
    shell, inside = shells[: need + 2], shells[need + 2 :]  # distances met, records at each
    depth = 0
    records = 0
    many = 0
    cut = limit
    if not _start_reading(space, length, read):
        return 0, cut
    while True:
        most = cut // least if weighted else cut
        missing = most + 1 - ahead.sum()
        if missing <= 0:
            break
        j = _most_promising_attribute(space, read, missing)
        order, base = orders, line[j]
        if unit[j, 0] > 0:
            order, base = outwards, j * (outwards.size // ahead.size)
        for step in range(at[j], end[j]):
            v = offset[j] + order[base + step]
            for where in range(first[v], first[v] + length[v]):
                t = holders[where]
                d = _distance_if_new(t, j, most, codes, space, read)
                if d < 0 or t == skip or (avoid >= 0 and codes[t, avoid] == value):
                    continue
                if weighted:
                    d *= weight[t]
                if d > cut:
                    continue
                nearest[many], far[many] = t, d
                many += 1
                # Keep the records at each distance, as far as they are needed.
                place = depth
                while place > 0 and shell[place - 1] > d:
                    place -= 1
                if place > 0 and shell[place - 1] == d:
                    inside[place - 1] += weight[t]
                else:
                    for q in range(depth, place, -1):
                        shell[q], inside[q] = shell[q - 1], inside[q - 1]
                    shell[place], inside[place] = d, weight[t]
                    depth += 1
                records += weight[t]
                while records - inside[depth - 1] >= need:
                    depth -= 1
                    records -= inside[depth]
                if records >= need:
                    cut = shell[depth - 1]
        if not _read_next_run(j, space, length, read):
            break  # every tuple was met
    kept = 0
    for i in range(many):
        if far[i] <= cut:
            nearest[kept], far[kept] = nearest[i], far[i]
            kept += 1
    return kept, cut
