"""The loops behind rank swapping of one attribute: values by place, counts, distances.

A swap is the value of a record and that of its partner, or -1 for want of one. Which record of a
value it was does not matter here; :func:`assign_values` chooses it at random in the end.

Two loops find partners nearby (RS algorithm 2), :func:`swap_near_words` and
:func:`swap_near_numbers`; one
finds them along a ranking (RS algorithm 1), :func:`swap_along_ranking`. Every value has at least
one record.

Unswapped records are counted in a tree: ``tree[i]`` holds those of the last ``i & -i`` values
before place ``i``, so that a change and a sum touch only a few of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.neighbours.kernels import number_distance
from ontomask.microdata.attributes import FIXED_POINT_ONE

__all__ = [
    "swap_along_ranking",
    "assign_values",
    "swap_near_numbers",
    "swap_near_words",
    "rank_values",
    "summed_distances",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

Swaps = tuple[Ints, Ints]

#: How often something is drawn in the hope that it will do, before what would do is listed.
TRIES = 8
MANY_TRIES = 64


# ---------------------------------------------------------------- counting what is unswapped


@jit
def _build_tree(counts: Longs) -> Ints:
    """Build the tree of some counts; its length is a power of two, plus one."""
    size = 1
    while size < counts.size:
        size *= 2
    tree = np.zeros(size + 1, np.int32)
    tree[1 : counts.size + 1] = counts
    for place in range(1, size):
        tree[place + (place & -place)] += tree[place]
    return tree


@jit
def _remove_record(tree: Ints, value: int) -> None:
    """Remove one record of a value from the tree."""
    place = value + 1
    while place < tree.size:
        tree[place] -= 1
        place += place & -place


@jit
def _count_before(tree: Ints, value: int) -> int:
    """Count the records of all values before a value."""
    total = 0
    while value > 0:
        total += tree[value]
        value &= value - 1
    return total


@jit
def _value_at(tree: Ints, record: int) -> int:
    """The value of a record, counted from the first value on."""
    value = 0
    step = (tree.size - 1) >> 1
    while step > 0:
        if tree[value + step] <= record:
            value += step
            record -= tree[value]
        step >>= 1
    return value


# ---------------------------------------------------------------- words


@jit
def summed_distances(table: Ints, counts: Longs) -> Longs:
    """The distance from each value to all records (RS eq. 5)."""
    sums = np.zeros(counts.size, np.int64)
    for v in range(counts.size):
        for w in range(counts.size):
            sums[v] += table[v, w] * counts[w]
    return sums


@jit
def _sort_by_distance(row: Ints, order: Ints) -> None:
    """Sort values by distance: by the last ten bits, the middle ten, the first ten."""
    other = np.arange(row.size).astype(np.int32)
    place = np.empty(1025, np.int64)
    for shift in (0, 10, 20):
        place[:] = 0
        for distance in row:
            place[(distance >> shift & 1023) + 1] += 1
        for digit in range(1024):
            place[digit + 1] += place[digit]
        for value in other:
            digit = row[value] >> shift & 1023
            order[place[digit]] = value
            place[digit] += 1
        other[:] = order


@jit
def _end_of_tie(row: Ints, order: Ints, start: int) -> int:
    """Past the values that are as far as that at ``start``."""
    distance = row[order[start]]
    while start < order.size and row[order[start]] == distance:
        start += 1
    return start


@jit
def _find_interval(v: int, k: int, row: Ints, order: Ints, counts: Longs, interval: Longs) -> None:
    """Find the ``k`` nearest records: all of some values, and some of equally far ones.

    ``order[: interval[0]]`` and ``order[interval[0] : interval[1]]`` are these values;
    ``interval[2:]`` is how many records they have, without the reference itself.
    """
    start, inner = 0, -1  # the reference is the first, or as near
    while True:
        end = _end_of_tie(row, order, start)
        outer = inner
        for place in range(start, end):
            outer += counts[order[place]]
        if outer >= k:
            break
        start, inner = end, outer
    inner = max(inner, 0)
    interval[0], interval[1], interval[2], interval[3] = start, end, inner, outer - inner


@jit
def _choose_part(
    inner: int, edge: int, k: int, free: int, free_edge: int, random: np.random.Generator
) -> int:
    """Choose where the partner is drawn from: 0 nowhere, 1 inside the interval, 2 at its edge.

    The interval has a slot for each of the ``inner`` records, and the remaining ones of ``k`` for
    some of the ``edge`` records. Slots are looked at in random order until one is unswapped.
    """
    while k > 0 and free + free_edge > 0:
        if random.random() * k < inner:
            if random.random() * inner < free:
                return 1
            inner -= 1
        else:
            if random.random() * edge < free_edge:
                return 2
            edge -= 1
        k -= 1
    return 0


@jit
def _count_unswapped(order: Ints, start: int, end: int, left: Longs) -> int:
    """Count the unswapped records of some values."""
    total = 0
    for place in range(start, end):
        total += left[order[place]]
    return total


@jit
def _draw_value(
    order: Ints, start: int, left: Longs, total: int, random: np.random.Generator
) -> int:
    """Draw the value of one of the ``total`` unswapped records from ``start`` on."""
    record = int(random.random() * total)
    while record >= left[order[start]]:
        record -= left[order[start]]
        start += 1
    return int(order[start])


@jit
def swap_near_words(
    table: Ints, counts: Longs, first: int, k: int, complete: bool, random: np.random.Generator
) -> Swaps:
    """Swap words within the ``k`` nearest records, starting with value ``first``."""
    size, n = counts.size, counts.sum()
    left = counts.copy()
    tree = _build_tree(counts)
    order = np.empty((size, size), np.int32)  # filled in when a value is first a reference
    known = np.zeros(size, np.bool_)
    interval = np.empty((size, 4), np.int64)
    near = np.zeros(size, np.int64)  # nothing nearer is unswapped; this only grows
    far = np.full(size, size - 1, np.int64)  # nothing farther is unswapped; this only falls
    reference, partner = np.empty(n, np.int32), np.empty(n, np.int32)
    steps = 0
    v = first
    while True:
        if not known[v]:
            _sort_by_distance(table[v], order[v])
            _find_interval(v, k, table[v], order[v], counts, interval[v])
            known[v] = True
        row, line = table[v], order[v]
        left[v] -= 1
        _remove_record(tree, v)
        n -= 1

        inside, outside = interval[v, 0], interval[v, 1]
        free = _count_unswapped(line, 0, inside, left)
        free_edge = _count_unswapped(line, inside, outside, left)
        part = _choose_part(interval[v, 2], interval[v, 3], k, free, free_edge, random)
        w = -1
        if part == 1:
            w = _draw_value(line, 0, left, free, random)
        elif part == 2:
            w = _draw_value(line, inside, left, free_edge, random)
        elif complete and n > 0:
            while left[line[near[v]]] == 0:
                near[v] += 1
            tied = _count_unswapped(line, near[v], _end_of_tie(row, line, near[v]), left)
            w = _draw_value(line, near[v], left, tied, random)
        reference[steps], partner[steps] = v, w
        steps += 1
        if w >= 0:
            left[w] -= 1
            _remove_record(tree, w)
            n -= 1
        if n == 0:
            return reference[:steps], partner[:steps]

        while left[line[far[v]]] == 0:
            far[v] -= 1
        v = _draw_farthest_word(row, line, far[v], left, tree, n, random)


@jit
def _draw_farthest_word(
    row: Ints, line: Ints, far: int, left: Longs, tree: Ints, n: int, random: np.random.Generator
) -> int:
    """Draw the value of one of the farthest unswapped records; one is of ``line[far]``."""
    distance = row[line[far]]
    for _ in range(TRIES):  # mostly many are as far, and any record will do
        w = _value_at(tree, int(random.random() * n))
        if row[w] == distance:
            return w
    start = far
    while start > 0 and row[line[start - 1]] == distance:
        start -= 1
    return _draw_value(line, start, left, _count_unswapped(line, start, far + 1, left), random)


# ---------------------------------------------------------------- numbers


@jit
def _range_within(
    v: int, distance: int, numbers: Floats, span: float, low: int, high: int
) -> tuple[int, int]:
    """The numbers from ``low`` up to ``high`` within a distance: the first, and past the last."""
    if distance < 0:
        return v, v
    end = v  # within the distance, and `low` is or what is before it is not
    while low < end:
        middle = (low + end) // 2
        if number_distance(numbers[v], numbers[middle], span, FIXED_POINT_ONE) <= distance:
            end = middle
        else:
            low = middle + 1
    start = v + 1
    while start < high:
        middle = (start + high) // 2
        if number_distance(numbers[v], numbers[middle], span, FIXED_POINT_ONE) <= distance:
            start = middle + 1
        else:
            high = middle
    return low, high


@jit
def _radius(v: int, k: int, numbers: Floats, span: float, until: Longs) -> int:
    """How far the ``k``-th nearest record is; ``until[v]`` records have numbers before ``v``."""
    low, high = max(v - k, 0), min(v + k + 1, numbers.size)  # where k others are to be found
    least = 0
    most = max(
        number_distance(numbers[v], numbers[low], span, FIXED_POINT_ONE),
        number_distance(numbers[v], numbers[high - 1], span, FIXED_POINT_ONE),
    )
    while least < most:
        middle = (least + most) // 2
        start, end = _range_within(v, middle, numbers, span, low, high)
        if until[end] - until[start] > k:
            most = middle
        else:
            least = middle + 1
    return least


@jit
def _draw_number(tree: Ints, ranges: tuple[int, int, int, int], random: np.random.Generator) -> int:
    """Draw the number of an unswapped record in one of two ranges of places; there is one."""
    first = _count_before(tree, ranges[0])
    many = _count_before(tree, ranges[1]) - first
    second = _count_before(tree, ranges[2])
    record = int(random.random() * (many + _count_before(tree, ranges[3]) - second))
    return _value_at(tree, first + record if record < many else second + record - many)


@jit
def _draw_nearest_number(
    v: int, n: int, numbers: Floats, span: float, tree: Ints, random: np.random.Generator
) -> int:
    """Draw the number of one of the nearest unswapped records."""
    below = _count_before(tree, v)
    distance = int(FIXED_POINT_ONE)
    if below > 0:
        distance = number_distance(
            numbers[v], numbers[_value_at(tree, below - 1)], span, FIXED_POINT_ONE
        )
    if below < n:
        distance = min(
            distance,
            number_distance(numbers[v], numbers[_value_at(tree, below)], span, FIXED_POINT_ONE),
        )
    start, end = _range_within(v, distance, numbers, span, 0, numbers.size)
    return _draw_number(tree, (start, end, end, end), random)


@jit
def _draw_farthest_number(
    v: int, n: int, numbers: Floats, span: float, tree: Ints, random: np.random.Generator
) -> int:
    """Draw the number of one of the farthest unswapped records."""
    distance = max(
        number_distance(numbers[v], numbers[_value_at(tree, 0)], span, FIXED_POINT_ONE),
        number_distance(numbers[v], numbers[_value_at(tree, n - 1)], span, FIXED_POINT_ONE),
    )
    start, end = _range_within(v, distance - 1, numbers, span, 0, numbers.size)
    return _draw_number(tree, (0, start, end, numbers.size), random)


@jit
def swap_near_numbers(
    numbers: Floats,
    counts: Longs,
    first: int,
    k: int,
    complete: bool,
    random: np.random.Generator,
) -> Swaps:
    """Swap sorted numbers within the ``k`` nearest records; no table of distances is needed."""
    size, n = counts.size, counts.sum()
    span = max(numbers[-1] - numbers[0], 0.0) or 1.0
    until = np.zeros(size + 1, np.int64)
    until[1:] = np.cumsum(counts)
    tree = _build_tree(counts)
    # From where to where the interval reaches, without and with its edge.
    inside = np.full((size, 2), -1, np.int32)
    outside = np.empty((size, 2), np.int32)
    reference, partner = np.empty(n, np.int32), np.empty(n, np.int32)
    steps = 0
    v = first
    while True:
        if inside[v, 0] < 0:
            radius = _radius(v, k, numbers, span, until)
            inside[v] = _range_within(v, radius - 1, numbers, span, 0, size)
            outside[v] = _range_within(v, radius, numbers, span, 0, size)
        _remove_record(tree, v)
        n -= 1

        low, high = inside[v]
        lowest, highest = outside[v]
        inner = max(until[high] - until[low] - 1, 0)
        edge = until[highest] - until[lowest] - 1 - inner
        free = _count_before(tree, high) - _count_before(tree, low)
        free_edge = _count_before(tree, highest) - _count_before(tree, lowest) - free
        part = _choose_part(inner, edge, k, free, free_edge, random)
        w = -1
        if part == 1:
            w = _draw_number(tree, (low, high, high, high), random)
        elif part == 2:
            w = _draw_number(tree, (lowest, low, high, highest), random)
        elif complete and n > 0:
            w = _draw_nearest_number(v, n, numbers, span, tree, random)
        reference[steps], partner[steps] = v, w
        steps += 1
        if w >= 0:
            _remove_record(tree, w)
            n -= 1
        if n == 0:
            return reference[:steps], partner[:steps]
        v = _draw_farthest_number(v, n, numbers, span, tree, random)


# ---------------------------------------------------------------- rankings


@jit
def _shuffle(values: Ints, start: int, end: int, random: np.random.Generator) -> None:
    for last in range(end - 1, start, -1):
        other = start + int(random.random() * (last + 1 - start))
        values[last], values[other] = values[other], values[last]


@jit
def rank_values(keys: Longs, order: Longs, counts: Longs, random: np.random.Generator) -> Ints:
    """The values of all records by ascending key, equal keys shuffled; ``order`` sorts the keys."""
    ranked = np.empty(counts.sum(), np.int32)
    start = end = 0
    for place in range(order.size):
        v = order[place]
        if place > 0 and keys[v] != keys[order[place - 1]]:
            _shuffle(ranked, start, end, random)
            start = end
        ranked[end : end + counts[v]] = v
        end += counts[v]
    _shuffle(ranked, start, end, random)
    return ranked


@jit
def swap_along_ranking(ranked: Ints, k: int, complete: bool, random: np.random.Generator) -> Swaps:
    """Swap every record with one of the ``k`` after it in the ranking (RS algorithm 1)."""
    n = ranked.size
    after = np.arange(1, n + 1).astype(np.int32)  # the next unswapped one, n after the last
    ahead = np.arange(-1, n - 1).astype(np.int32)  # and the one before
    swapped = np.zeros(n, np.bool_)
    reference, partner = np.empty(n, np.int32), np.empty(n, np.int32)
    steps = 0
    for i in range(n):
        if swapped[i]:
            continue
        j = _draw_after(i, min(i + k, n - 1), swapped, after, random)
        if j < 0 and complete and after[i] < n:
            j = after[i]
        reference[steps], partner[steps] = ranked[i], -1
        if j >= 0:
            partner[steps] = ranked[j]
            swapped[j] = True
            after[ahead[j]] = after[j]
            if after[j] < n:
                ahead[after[j]] = ahead[j]
        steps += 1
    return reference[:steps], partner[:steps]


@jit
def _draw_after(
    i: int, last: int, swapped: NDArray[np.bool_], after: Ints, random: np.random.Generator
) -> int:
    """Draw an unswapped one of those after ``i``, up to ``last``; -1 if there is none."""
    if after[i] > last:
        return -1
    for _ in range(MANY_TRIES):
        j = i + 1 + int(random.random() * (last - i))
        if not swapped[j]:
            return j
    many = 0
    j = int(after[i])
    while j <= last:
        many += 1
        j = after[j]
    j = int(after[i])
    for _ in range(int(random.random() * many)):
        j = after[j]
    return j


# ---------------------------------------------------------------- who gets what


@jit
def assign_values(
    reference: Ints, partner: Ints, codes: Ints, counts: Longs, random: np.random.Generator
) -> Ints:
    """Assign the new value of each record, tuple by tuple.

    What the records of a value get was found for any of them; it is shuffled and handed out.
    """
    held = np.zeros(codes.max() + 2, np.int64)
    for t in range(codes.size):
        held[codes[t] + 1] += counts[t]
    start = np.cumsum(held)
    end = start[:-1].copy()
    heap = np.empty(start[-1], np.int32)
    for v, w in zip(reference, partner):  # noqa: B905 - compiled loops know no strict
        heap[end[v]] = w if w >= 0 else v
        end[v] += 1
        if w >= 0:
            heap[end[w]] = v
            end[w] += 1
    for v in range(end.size):
        _shuffle(heap, start[v], end[v], random)
    dealt = np.empty(heap.size, np.int32)
    record = 0
    for t in range(codes.size):
        v = codes[t]
        end[v] -= counts[t]  # what is left of the heap of v ends here
        dealt[record : record + counts[t]] = heap[end[v] : end[v] + counts[t]]
        record += counts[t]
    return dealt
