"""The loop behind multivariate rank swapping. Codes, counts and fixed-point distances only.

Records are numbered in the order of their tuples: those of tuple ``t`` are ``start[t]`` up to
``start[t + 1]``. For each attribute the first ``left[j, t]`` entries of ``free[j]`` in that range
are the records whose value is not swapped yet; one more such list, the last, is of the records that
are not wholly swapped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.neighbours.comparison import ValueSpace
from ontomask.methods.neighbours.kernels import (
    FAR,
    ReadingState,
    TupleIndex,
    allocate_reading,
    build_index,
    distance,
    gather_nearest,
    number_distance,
    remove_from_index,
    set_reference,
)

__all__ = ["COMPLETE", "GUARD", "PLAIN", "swap"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: What is done where no value in reach is unswapped: nothing; the nearest one is taken. With a
#: guard only unswapped ones are in reach, and records nobody shares do not stay as they are.
PLAIN, COMPLETE, GUARD = 0, 1, 2

#: Refusals after which another value is taken.
PATIENCE = 64

#: Draws from the farthest block before the farthest records are searched for.
DRAWS = 16

RecordLists = tuple[Longs, Ints, Ints, Ints, Longs]
Blocks = tuple[Any, ...]


# ---------------------------------------------------------------- records and what is left of them


@jit
def _list_records(counts: Longs, lists: int) -> RecordLists:
    p = counts.size
    start = np.zeros(p + 1, np.int64)
    for t in range(p):
        start[t + 1] = start[t] + counts[t]
    n = start[p]
    of = np.empty(n, np.int32)
    for t in range(p):
        of[start[t] : start[t + 1]] = t
    free, place = np.empty((lists, n), np.int32), np.empty((lists, n), np.int32)
    left = np.empty((lists, p), np.int64)
    for j in range(lists):
        for r in range(n):
            free[j, r] = place[j, r] = r
        left[j] = counts
    return start, of, free, place, left


@jit
def _is_free(j: int, r: int, records: RecordLists) -> bool:
    start, of, _, place, left = records
    t = of[r]
    return place[j, r] < start[t] + left[j, t]


@jit
def _mark_swapped(j: int, r: int, records: RecordLists) -> int:
    """Mark a record's value as swapped; how many values of its tuple are left."""
    start, of, free, place, left = records
    t = of[r]
    left[j, t] -= 1
    last = start[t] + left[j, t]
    other, here = free[j, last], place[j, r]
    free[j, here], place[j, other] = other, here
    free[j, last], place[j, r] = r, last
    return left[j, t]


@jit
def _find_record(x: int, tuples: Longs, many: int, ends: Longs) -> tuple[int, int]:
    """Find record ``x`` of some tuples with cumulative counts ``ends``: its tuple, its place."""
    low, high = 0, many - 1
    while low < high:
        middle = (low + high) // 2
        if ends[middle] > x:
            high = middle
        else:
            low = middle + 1
    return tuples[low], x - (ends[low - 1] if low > 0 else 0)


# ---------------------------------------------------------------- partners


@jit
def _fill_interval(
    r: int,
    many: int,
    cut: int,
    step: int,
    counts: Longs,
    records: RecordLists,
    read: ReadingState,
    ends: Longs,
    stamp: Longs,
    interval: Ints,
    random: np.random.Generator,
) -> None:
    """Fill the interval with the records nearest to ``r``, random ones at the edge."""
    start, of, _, _, _ = records
    nearest, far = read[11], read[12]
    slots = interval.size
    size = edge = total = 0
    own = 0  # whether the record itself is at the edge
    for i in range(many):
        t = nearest[i]
        if far[i] < cut:
            for q in range(start[t], start[t + 1]):
                if q != r:
                    interval[size] = q
                    size += 1
        else:
            total += counts[t]
            nearest[edge], ends[edge] = t, total
            edge += 1
            own = own or t == of[r]
    available = total - own
    if 2 * (slots - size) > available:  # one after the other, each with its chance
        for i in range(edge):
            for q in range(start[nearest[i]], start[nearest[i] + 1]):
                if q != r:
                    if random.random() * available < slots - size:
                        interval[size] = q
                        size += 1
                    available -= 1
        return
    stamp[r] = step
    while size < slots:
        t, x = _find_record(int(random.random() * total), nearest, edge, ends)
        q = start[t] + x
        if stamp[q] != step:
            stamp[q] = step
            interval[size] = q
            size += 1


@jit
def _draw_partner(j: int, interval: Ints, records: RecordLists, random: np.random.Generator) -> int:
    """Draw a random record of the interval whose value is unswapped; -1 if there is none."""
    chosen, free = -1, 0
    for i in range(interval.size):
        if _is_free(j, interval[i], records):
            free += 1
            if random.random() * free < 1:
                chosen = interval[i]
    return chosen


@jit
def _draw_from_tuples(
    j: int, many: int, records: RecordLists, tuples: Longs, ends: Longs, random: np.random.Generator
) -> int:
    """Draw a random record, unswapped in attribute ``j``, of some tuples."""
    start, _, free, _, left = records
    total = 0
    for i in range(many):
        total += left[j, tuples[i]]
        ends[i] = total
    t, x = _find_record(int(random.random() * total), tuples, many, ends)
    return free[j, start[t] + x]


@jit
def _would_stay(j: int, r: int, k: int, counts: Longs, changed: Any, records: RecordLists) -> bool:
    """Whether a rare record, left as it is in attribute ``j``, would be wholly unchanged."""
    if changed[r] or counts[records[1][r]] >= k:
        return False
    for other in range(records[2].shape[0] - 1):
        if other != j and _is_free(other, r, records):
            return False
    return True


@jit
def _draw_guarded(
    j: int,
    r: int,
    k: int,
    codes: Ints,
    counts: Longs,
    space: ValueSpace,
    index: TupleIndex,
    records: RecordLists,
    read: ReadingState,
    changed: Any,
    ends: Longs,
    random: np.random.Generator,
) -> int:
    """Draw one of the ``k`` nearest unswapped records that changes rare records; -1 if none."""
    start, of, free, _, left = records
    value = codes[of[r], j]
    nearest, far = read[11], read[12]
    stays = _would_stay(j, r, k, counts, changed, records)
    for avoid in (-1, j):
        many, cut = gather_nearest(
            k, FAR, left[j], False, 1, -1, avoid, value, codes, space, index, read
        )
        if many == 0:
            continue
        # Those inside the edge first, then those at the edge.
        inside = total = within = 0
        for i in range(many):
            if far[i] < cut:
                nearest[inside], nearest[i] = nearest[i], nearest[inside]
                far[inside], far[i] = far[i], far[inside]
                inside += 1
        for i in range(many):
            total += left[j, nearest[i]]
            ends[i] = total
            if i < inside:
                within = total
        for _ in range(PATIENCE):
            x = int(random.random() * min(k, total))
            if x >= within:
                x = within + int(random.random() * (total - within))
            t, place = _find_record(x, nearest, many, ends)
            w = free[j, start[t] + place]
            if codes[t, j] != value:
                return w
            if not stays and not _would_stay(j, w, k, counts, changed, records):
                return w
    return -1


# ---------------------------------------------------------------- the next reference


@jit
def _bound_distances(
    t: int, codes: Ints, space: ValueSpace, blocks: Blocks, wide: Longs, upper: Longs, lower: Longs
) -> None:
    """Bound the distances from the values of a tuple to those of each class."""
    offset, _, _, _, numbers, unit = space
    widths, wide_most, narrow_most, narrow_least, wide_ends, narrow_ends = blocks[7:13]
    for j in range(codes.shape[1]):
        v = codes[t, j]
        if unit[j, 0] == 0:
            at = wide_most[1][j] + v * widths[j, 0]
            for c in range(widths[j, 0]):
                wide[j, c] = wide_most[0][at + c]
            at = narrow_most[1][j] + v * widths[j, 1]
            for c in range(widths[j, 1]):
                upper[j, c] = narrow_most[0][at + c]
                lower[j, c] = narrow_least[0][at + c]
            continue
        x, span, scale = numbers[offset[j] + v], unit[j, 0], unit[j, 1]
        for c in range(widths[j, 0]):
            first = wide_ends[0][wide_ends[1][j] + 2 * c]
            last = wide_ends[0][wide_ends[1][j] + 2 * c + 1]
            wide[j, c] = max(
                number_distance(x, numbers[offset[j] + first], span, scale),
                number_distance(x, numbers[offset[j] + last], span, scale),
            )
        for c in range(widths[j, 1]):
            first = narrow_ends[0][narrow_ends[1][j] + 2 * c]
            last = narrow_ends[0][narrow_ends[1][j] + 2 * c + 1]
            to_first = number_distance(x, numbers[offset[j] + first], span, scale)
            to_last = number_distance(x, numbers[offset[j] + last], span, scale)
            upper[j, c] = max(to_first, to_last)
            lower[j, c] = 0 if first <= v <= last else min(to_first, to_last)


@jit
def _pool_records(of: Ints, wide: Longs, many: int) -> tuple[Longs, Ints, Ints, Longs]:
    """Pool the records of each wide block: where they begin, which, their places, how many."""
    begin = np.zeros(many + 1, np.int64)
    for r in range(of.size):
        begin[wide[of[r]] + 1] += 1
    for b in range(many):
        begin[b + 1] += begin[b]
    pool, spot = np.empty(of.size, np.int32), np.empty(of.size, np.int32)
    size = np.zeros(many, np.int64)
    for r in range(of.size):
        b = wide[of[r]]
        spot[r] = begin[b] + size[b]
        pool[spot[r]] = r
        size[b] += 1
    return begin, pool, spot, size


@jit
def _finish_record(r: int, records: RecordLists, blocks: Blocks, pools: Any, alive: Longs) -> None:
    """Take a wholly swapped record out of the lists."""
    t = records[1][r]
    _mark_swapped(records[2].shape[0] - 1, r, records)
    alive[blocks[3][t]] -= 1
    begin, pool, spot, size = pools
    b = blocks[0][t]
    size[b] -= 1
    last = begin[b] + size[b]
    other, here = pool[last], spot[r]
    pool[here], spot[other] = other, here
    pool[last], spot[r] = r, last


@jit
def _draw_farthest(
    r: int,
    guess: int,
    codes: Ints,
    space: ValueSpace,
    blocks: Blocks,
    records: RecordLists,
    pools: Any,
    alive: Longs,
    read: ReadingState,
    bounds: Any,
    ends: Longs,
    random: np.random.Generator,
) -> int:
    """Draw one of the records farthest from ``r`` that are not wholly swapped.

    Nothing is farther than the bound of the farthest wide block: a random record there that meets
    it is a fair draw. Where none is met, blocks are opened whose bound is not below what was found;
    ``guess`` is a narrow block that may be far away, to begin with.
    """
    start, of, free, _, left = records
    m = codes.shape[1]
    inner, wide_classes, begin, members, narrow_classes = (
        blocks[1],
        blocks[2],
        blocks[4],
        blocks[5],
        blocks[6],
    )
    farthest = read[11]
    pool_begin, pool, _, pool_size = pools
    wide, upper, lower, reach = bounds
    _bound_distances(of[r], codes, space, blocks, wide, upper, lower)
    top, total = np.int64(-1), 0
    for b in range(reach.size):
        reach[b] = -1
        if pool_size[b] > 0:
            reach[b] = 0
            for j in range(m):
                reach[b] += wide[j, wide_classes[b, j]]
            if reach[b] > top:
                top, total = reach[b], 0
            if reach[b] == top:
                total += pool_size[b]
    for _ in range(DRAWS):
        x = int(random.random() * total)
        for b in range(reach.size):
            if reach[b] == top:
                if x < pool_size[b]:
                    w = pool[pool_begin[b] + x]
                    if distance(of[w], codes, space, read) == top:
                        return w
                    break
                x -= pool_size[b]
    best = np.int64(0)
    if guess >= 0 and alive[guess] > 0:
        for j in range(m):
            best += lower[j, narrow_classes[guess, j]]
    many = total = 0
    for turn in range(2):  # the most promising first
        for b in range(reach.size):
            if reach[b] < best or (reach[b] == top) != (turn == 0):
                continue
            for c in range(inner[b], inner[b + 1]):
                if alive[c] == 0:
                    continue
                most = least = np.int64(0)
                for j in range(m):
                    most += upper[j, narrow_classes[c, j]]
                    least += lower[j, narrow_classes[c, j]]
                if most < best:
                    continue
                for i in range(begin[c], begin[c + 1]):
                    t = members[i]
                    if left[m, t] == 0:
                        continue
                    d = most
                    if least < most:
                        d = np.int64(distance(t, codes, space, read))
                    if d > best:
                        best, many, total = d, 0, 0
                    if d == best:
                        total += left[m, t]
                        farthest[many], ends[many] = t, total
                        many += 1
    t, x = _find_record(int(random.random() * total), farthest, many, ends)
    return free[m, start[t] + x]


# ---------------------------------------------------------------- the whole


@jit
def swap(
    k: int,
    rule: int,
    first: int,
    separate: bool,
    codes: Ints,
    counts: Longs,
    space: ValueSpace,
    blocks: Blocks,
    random: np.random.Generator,
) -> tuple[Ints, Longs]:
    """The values given to the records, attribute by attribute; and how many found no partner.

    ``first`` is the first tuple; ``separate`` says that no two tuples are at distance 0.
    """
    p, m = codes.shape
    offset = space[0]
    records = _list_records(counts, m + 1)
    start, of, _, _, left = records
    n = of.size
    everyone = build_index(codes, offset, counts)
    heads, lengths = everyone[0], np.empty((m, offset[-1]), np.int64)
    holders, places = np.empty((m, 0), np.int64), np.empty((m, m, 0), np.int64)
    if rule != PLAIN:  # the tuples with unswapped values, attribute by attribute
        holders, places = np.empty((m, m * p), np.int64), np.empty((m, m, p), np.int64)
        for j in range(m):
            lengths[j], holders[j], places[j] = everyone[1], everyone[2], everyone[3]
    pools = _pool_records(of, blocks[0], blocks[1].size - 1)
    alive = np.zeros(blocks[4].size - 1, np.int64)
    for t in range(p):
        alive[blocks[3][t]] += counts[t]
    widths = blocks[7]
    bounds = (
        np.empty((m, widths[:, 0].max()), np.int64),
        np.empty((m, widths[:, 1].max()), np.int64),
        np.empty((m, widths[:, 1].max()), np.int64),
        np.empty(blocks[1].size - 1, np.int64),
    )
    need = min(k, n - 1) + 1
    read = allocate_reading(space, p, need)
    nearest, far, ends = read[11], read[12], np.empty(p, np.int64)
    cuts, stamp = np.full(p, FAR), np.full(n, -1)
    interval = np.empty(need - 1, np.int32)
    changed = np.zeros(n, np.bool_)
    new_values = np.empty((m, n), np.int32)
    for j in range(m):
        for q in range(n):
            new_values[j, q] = codes[of[q], j]
    unpaired = np.zeros(m, np.int64)
    r = start[first] + int(random.random() * counts[first])
    step, living = 0, n
    before, previous = -1, -1  # the blocks of the last references
    while True:
        t = int(of[r])
        set_reference(t, codes, space, read)
        if rule != GUARD:
            if separate and counts[t] >= need:
                many, cuts[t] = 1, 0
                nearest[0], far[0] = t, 0
            else:
                many, cuts[t] = gather_nearest(
                    need, cuts[t], counts, False, 1, -1, -1, 0, codes, space, everyone, read
                )
            _fill_interval(
                r, many, cuts[t], step, counts, records, read, ends, stamp, interval, random
            )
        for j in range(m):
            if not _is_free(j, r, records):
                continue
            index = (heads, lengths[j], holders[j], places[j])
            if _mark_swapped(j, r, records) == 0 and rule != PLAIN:
                remove_from_index(t, codes, offset, index)
            if rule == GUARD:
                w = _draw_guarded(
                    j, r, k, codes, counts, space, index, records, read, changed, ends, random
                )
            else:
                w = _draw_partner(j, interval, records, random)
                if w < 0 and rule == COMPLETE:
                    many, _ = gather_nearest(
                        1, FAR, left[j], False, 1, -1, -1, 0, codes, space, index, read
                    )
                    if many > 0:
                        w = _draw_from_tuples(j, many, records, nearest, ends, random)
            if w < 0:
                unpaired[j] += 1
                continue
            u = int(of[w])
            if _mark_swapped(j, w, records) == 0 and rule != PLAIN:
                remove_from_index(u, codes, offset, index)
            new_values[j, r], new_values[j, w] = codes[u, j], codes[t, j]
            if codes[u, j] != codes[t, j]:
                changed[r] = changed[w] = True
            finished = True
            for other in range(m):
                finished = finished and not _is_free(other, w, records)
            if finished:
                _finish_record(w, records, blocks, pools, alive)
                living -= 1
        _finish_record(r, records, blocks, pools, alive)
        living -= 1
        if living == 0:
            return new_values, unpaired
        before, previous = previous, blocks[3][t]
        r = _draw_farthest(
            r, before, codes, space, blocks, records, pools, alive, read, bounds, ends, random
        )
        step += 1
