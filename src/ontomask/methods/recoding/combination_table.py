"""How many records show each combination of concepts: a hash table, in compiled loops.

A key has up to three concepts in ascending order, each plus 1, with 21 bits for each. The empty key
is 0. Combinations of several sizes, ``low`` to ``high``, are counted in the same table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = [
    "MOST_CONCEPTS",
    "add_combinations",
    "count_of",
    "find_slot",
    "holds_rare",
    "make_room",
    "move_records",
    "moves_to_rare",
    "number_of_combinations",
    "pair_key",
    "triple_key",
]

Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's

#: The bits of a concept in a key, and how many concepts there may be.
BITS = 21
MOST_CONCEPTS = (1 << BITS) - 1


@jit
def pair_key(a: Index, b: Index) -> Index:
    """The key of two concepts, each plus 1."""
    return (a << BITS) | b if a < b else (b << BITS) | a


@jit
def triple_key(a: Index, b: Index, c: Index) -> Index:
    """The key of three concepts, each plus 1."""
    least, most = min(a, b, c), max(a, b, c)
    return (((least << BITS) | (a + b + c - least - most)) << BITS) | most


@jit
def find_slot(keys: Longs, key: Index) -> Index:
    """The place of a key in the table, or of the free place for it."""
    mask = keys.size - 1
    slot = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(30)
    at = np.int64(slot) & mask
    while keys[at] != key and keys[at] != 0:
        at = (at + 1) & mask
    return at


@jit
def count_of(keys: Longs, counts: Longs, key: Index) -> Index:
    """How many records show a combination."""
    return counts[find_slot(keys, key)]


@jit
def _add_key(keys: Longs, counts: Longs, used: Longs, key: Index, records: Index) -> None:
    at = find_slot(keys, key)
    if keys[at] == 0:
        keys[at] = key
        used[0] += 1
    counts[at] += records


@jit
def number_of_combinations(size: Index, m: Index) -> Index:
    """How many combinations of at most m there are."""
    many = np.int64(size)
    if m > 1:
        many += size * (size - 1) // 2
    if m > 2:
        many += size * (size - 1) * (size - 2) // 6
    return many


@jit
def make_room(keys: Longs, counts: Longs, room: Index, used: Longs) -> tuple[Longs, Longs]:
    """A table with room for more keys; combinations that nobody shows may be dropped."""
    if 2 * (used[0] + room) <= keys.size:
        return keys, counts
    many = np.int64(0)
    for at in range(keys.size):
        many += counts[at] > 0
    size = keys.size
    while 3 * (many + room) > size:
        size *= 2
    wider, wider_counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for at in range(keys.size):
        if counts[at] > 0:
            place = find_slot(wider, keys[at])
            wider[place], wider_counts[place] = keys[at], counts[at]
    used[0] = many
    return wider, wider_counts


@jit
def add_combinations(
    concept: Index,
    others: Longs,
    many: Index,
    low: Index,
    high: Index,
    records: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
) -> None:
    """Add records to every combination of a concept with some of the others."""
    a = np.int64(concept) + 1
    if low < 2:
        _add_key(keys, counts, used, a, records)
    if high < 2:
        return
    for j in range(many):
        b = others[j] + 1
        if low < 3:
            _add_key(keys, counts, used, pair_key(a, b), records)
        if high > 2:
            for h in range(j):
                _add_key(keys, counts, used, triple_key(a, b, others[h] + 1), records)


@jit
def holds_rare(
    concept: Index,
    others: Longs,
    many: Index,
    least: Index,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
) -> bool:
    """Whether a combination of a concept with others has at least so many records, but below k."""
    a = np.int64(concept) + 1
    if least <= count_of(keys, counts, a) < k:
        return True
    if m > 1:
        for j in range(many):
            if least <= count_of(keys, counts, pair_key(a, others[j] + 1)) < k:
                return True
    if m > 2:
        for j in range(many):
            for h in range(j):
                key = triple_key(a, others[j] + 1, others[h] + 1)
                if least <= count_of(keys, counts, key) < k:
                    return True
    return False


@jit
def _split(first: Longs, size: Index, second: Longs, other: Index, out: Longs) -> Index:
    """Write what two ascending lists share, then what only the first has; how many they share."""
    shared, last, j = 0, size, 0
    for i in range(size):
        while j < other and second[j] < first[i]:
            j += 1
        if j < other and second[j] == first[i]:
            out[shared] = first[i]
            shared += 1
        else:
            last -= 1
            out[last] = first[i]
    return shared


@jit
def move_records(
    before: Longs,
    was: Index,
    after: Longs,
    size: Index,
    low: Index,
    high: Index,
    records: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
    work: Longs,
) -> None:
    """Move records from the combinations of one list to those of another; both ascend."""
    shared = _split(before, was, after, size, work)
    for i in range(shared, was):
        add_combinations(work[i], work, i, low, high, -records, keys, counts, used)
    shared = _split(after, size, before, was, work)
    for i in range(shared, size):
        add_combinations(work[i], work, i, low, high, records, keys, counts, used)


@jit
def moves_to_rare(
    after: Longs,
    size: Index,
    before: Longs,
    was: Index,
    least: Index,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
    work: Longs,
) -> bool:
    """Whether a combination of the first list alone has at least so many records, but below k."""
    shared = _split(after, size, before, was, work)
    for i in range(shared, size):  # noqa: SIM110 - a loop is compiled
        if holds_rare(work[i], work, i, least, k, m, keys, counts):
            return True
    return False
