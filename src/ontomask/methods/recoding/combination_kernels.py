"""The loops behind k^m-anonymity: sets are lifted until no combination of concepts is rare.

A set starts as its closure. Of an entry of it, ``kept`` says whether the set still holds the
concept; what is kept is a closure again. *Shown* are the deepest concepts that are kept. How many
records show a combination of concepts stands in a hash table: a key of up to three concepts, 21
bits for each, and the records. The empty key is 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = [
    "MOST_CONCEPTS",
    "Lifted",
    "choose_lifts",
    "count_all",
    "lift_sets",
    "rebuild_sets",
    "restore_concepts",
]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]
Index = Any  # of numpy's kinds or of Python's

#: The bits of a concept in a key, and how many concepts there may be.
BITS = 21
MOST_CONCEPTS = (1 << BITS) - 1
#: In how many orders a set is rebuilt.
ORDERS = 4


class Lifted(NamedTuple):
    """Sets that are being lifted, and work space."""

    offsets: Longs
    concepts: Ints
    kept: Bools
    records: Longs
    parent_start: Longs
    parents: Ints
    covered: NDArray[np.int8]  # work space: 0 between calls
    shown: Longs  # work space
    before: Longs  # work space


@jit
def find_shown(sets: Any, kept: Bools, s: Index, out: Longs) -> Index:
    """Write the entries that a set shows: what it keeps and nothing below; how many there are."""
    begin, end = sets.offsets[s], sets.offsets[s + 1]
    for at in range(begin, end):
        if kept[at]:
            concept = sets.concepts[at]
            for i in range(sets.parent_start[concept], sets.parent_start[concept + 1]):
                sets.covered[sets.parents[i]] = 1
    size = 0
    for at in range(begin, end):
        concept = sets.concepts[at]
        if kept[at] and not sets.covered[concept]:
            out[size] = at
            size += 1
        sets.covered[concept] = 0
    return size


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
def _grow_table(keys: Longs, counts: Longs, room: Index, used: Longs) -> tuple[Longs, Longs]:
    """The same table with room for more keys; combinations that nobody shows are dropped."""
    many = 0
    for at in range(keys.size):
        many += counts[at] > 0
    size = keys.size
    while 2 * (many + room) > size:
        size *= 2
    wider, wider_counts = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for at in range(keys.size):
        if counts[at] > 0:
            place = find_slot(wider, keys[at])
            wider[place], wider_counts[place] = keys[at], counts[at]
    used[0] = many
    return wider, wider_counts


@jit
def _many_combinations(size: Index, m: Index) -> Index:
    """How many combinations of at most m there are."""
    many = np.int64(size)
    if m > 1:
        many += size * (size - 1) // 2
    if m > 2:
        many += size * (size - 1) * (size - 2) // 6
    return many


@jit
def _add_key(keys: Longs, counts: Longs, used: Longs, key: Index, records: Index) -> None:
    at = find_slot(keys, key)
    if keys[at] == 0:
        keys[at] = key
        used[0] += 1
    counts[at] += records


@jit
def _add_shown(
    sets: Any,
    shown: Longs,
    size: Index,
    records: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
) -> None:
    """Add records to every combination of what is shown."""
    for i in range(size):
        first = np.int64(sets.concepts[shown[i]]) + 1
        _add_key(keys, counts, used, first, records)
        if m < 2:
            continue
        for j in range(i):
            pair = (first << BITS) | (np.int64(sets.concepts[shown[j]]) + 1)
            _add_key(keys, counts, used, pair, records)
            if m < 3:
                continue
            for h in range(j):
                triple = (pair << BITS) | (np.int64(sets.concepts[shown[h]]) + 1)
                _add_key(keys, counts, used, triple, records)


@jit
def count_all(sets: Any, m: Index, keys: Longs, counts: Longs, used: Longs) -> tuple[Longs, Longs]:
    """Count the combinations that all sets show."""
    for s in range(sets.offsets.size - 1):
        size = find_shown(sets, sets.kept, s, sets.shown)
        room = _many_combinations(size, m)
        if 2 * (used[0] + room) > keys.size:
            keys, counts = _grow_table(keys, counts, used[0] + room, used)
        _add_shown(sets, sets.shown, size, sets.records[s], m, keys, counts, used)
    return keys, counts


@jit
def _is_exposed(
    sets: Any,
    shown: Longs,
    size: Index,
    least: Index,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
) -> bool:
    """Whether a combination of what is shown has at least so many records, but fewer than k."""
    for i in range(size):
        first = np.int64(sets.concepts[shown[i]]) + 1
        if least <= counts[find_slot(keys, first)] < k:
            return True
        if m < 2:
            continue
        for j in range(i):
            pair = (first << BITS) | (np.int64(sets.concepts[shown[j]]) + 1)
            if least <= counts[find_slot(keys, pair)] < k:
                return True
            if m < 3:
                continue
            for h in range(j):
                triple = (pair << BITS) | (np.int64(sets.concepts[shown[h]]) + 1)
                if least <= counts[find_slot(keys, triple)] < k:
                    return True
    return False


# ---------------------------------------------------------------------- lifting


@jit
def choose_lifts(sets: Any, k: Index, m: Index, keys: Longs, counts: Longs, chosen: Longs) -> Index:
    """Choose an entry of each set with rare combinations to be lifted: that with the most of them.

    Of several, the one that fewest records show. A root cannot be lifted. How many are chosen.
    """
    many = 0
    rare = np.zeros(sets.shown.size, np.int64)
    for s in range(sets.offsets.size - 1):
        chosen[s] = -1
        size = find_shown(sets, sets.kept, s, sets.shown)
        for i in range(size):
            rare[i] = 0
        for i in range(size):
            first = np.int64(sets.concepts[sets.shown[i]]) + 1
            rare[i] += counts[find_slot(keys, first)] < k
            if m < 2:
                continue
            for j in range(i):
                pair = (first << BITS) | (np.int64(sets.concepts[sets.shown[j]]) + 1)
                few = counts[find_slot(keys, pair)] < k
                rare[i] += few
                rare[j] += few
                if m < 3:
                    continue
                for h in range(j):
                    triple = (pair << BITS) | (np.int64(sets.concepts[sets.shown[h]]) + 1)
                    few = counts[find_slot(keys, triple)] < k
                    rare[i] += few
                    rare[j] += few
                    rare[h] += few
        most: Any = 0
        fewest: Any = 0
        for i in range(size):
            concept = np.int64(sets.concepts[sets.shown[i]])
            if rare[i] == 0 or sets.parent_start[concept] == sets.parent_start[concept + 1]:
                continue
            records = counts[find_slot(keys, concept + 1)]
            if rare[i] > most or (rare[i] == most and records < fewest):
                most, fewest = rare[i], records
                chosen[s] = sets.shown[i]
        many += chosen[s] >= 0
    return many


@jit
def lift_sets(
    sets: Any, m: Index, chosen: Longs, keys: Longs, counts: Longs, used: Longs
) -> tuple[Longs, Longs]:
    """Lift the chosen entry of each set: it is no longer kept, and its parents may be shown."""
    for s in range(sets.offsets.size - 1):
        if chosen[s] < 0:
            continue
        size = find_shown(sets, sets.kept, s, sets.shown)
        _add_shown(sets, sets.shown, size, -sets.records[s], m, keys, counts, used)
        sets.kept[chosen[s]] = False
        size = find_shown(sets, sets.kept, s, sets.shown)
        room = _many_combinations(size, m)
        if 2 * (used[0] + room) > keys.size:
            keys, counts = _grow_table(keys, counts, used[0] + room, used)
        _add_shown(sets, sets.shown, size, sets.records[s], m, keys, counts, used)
    return keys, counts


# ---------------------------------------------------------------------- restoring


@jit
def _give_back(sets: Any, s: Index, concept: Index, above_start: Longs, above: Ints) -> None:
    """Give a concept back to a set that held it, with all its ancestors."""
    for i in range(above_start[concept], above_start[concept + 1]):
        sets.covered[above[i]] = 1
    for at in range(sets.offsets[s], sets.offsets[s + 1]):
        if sets.covered[sets.concepts[at]]:
            sets.kept[at] = True
            sets.covered[sets.concepts[at]] = 0


@jit
def restore_concepts(
    sets: Any,
    order: Longs,
    holder_start: Longs,
    holders: Ints,
    above_start: Longs,
    above: Ints,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
) -> tuple[Longs, Longs, Index]:
    """Restore concepts, in an order, to the sets that held them, all at once where that is safe.

    Those that would then show a rare combination, or leave one behind, are put back; and so on,
    until nobody has to be. ``holders`` are the sets with each concept, ``above`` its ancestors.
    """
    former = sets.kept.copy()
    moved = np.empty(sets.offsets.size, np.int64)
    restored = np.int64(0)
    for nth in range(order.size):
        concept = order[nth]
        many = 0
        for i in range(holder_start[concept], holder_start[concept + 1]):
            s = holders[i]
            begin, end = sets.offsets[s], sets.offsets[s + 1]
            if sets.kept[begin + np.searchsorted(sets.concepts[begin:end], concept)]:
                continue
            size = find_shown(sets, sets.kept, s, sets.shown)
            _add_shown(sets, sets.shown, size, -sets.records[s], m, keys, counts, used)
            former[begin:end] = sets.kept[begin:end]
            _give_back(sets, s, concept, above_start, above)
            size = find_shown(sets, sets.kept, s, sets.shown)
            room = _many_combinations(size, m)
            if 2 * (used[0] + room) > keys.size:
                keys, counts = _grow_table(keys, counts, used[0] + room, used)
            _add_shown(sets, sets.shown, size, sets.records[s], m, keys, counts, used)
            moved[many] = s
            many += 1
        back = True
        while back and many:
            back = False
            stay = 0
            for i in range(many):
                s = moved[i]
                size = find_shown(sets, sets.kept, s, sets.shown)
                was = find_shown(sets, former, s, sets.before)
                if _is_exposed(sets, sets.shown, size, 0, k, m, keys, counts) or _is_exposed(
                    sets, sets.before, was, 1, k, m, keys, counts
                ):
                    back = True
                    _add_shown(sets, sets.shown, size, -sets.records[s], m, keys, counts, used)
                    for at in range(sets.offsets[s], sets.offsets[s + 1]):
                        sets.kept[at] = former[at]
                    room = _many_combinations(was, m)
                    if 2 * (used[0] + room) > keys.size:
                        keys, counts = _grow_table(keys, counts, used[0] + room, used)
                    _add_shown(sets, sets.before, was, sets.records[s], m, keys, counts, used)
                else:
                    moved[stay] = s
                    stay += 1
            many = stay
        restored += many
    return keys, counts, restored


@jit
def rebuild_sets(
    sets: Any,
    above_start: Longs,
    above: Ints,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
) -> tuple[Longs, Longs, Index]:
    """Rebuild one set after the other from what enough others show, if that keeps more of it.

    Its concepts are given back in four orders, as far as no combination becomes rare.
    """
    former, best = np.empty(sets.shown.size, np.bool_), np.empty(sets.shown.size, np.bool_)
    step = np.empty(sets.shown.size, np.bool_)
    rebuilt = np.int64(0)
    for s in range(sets.offsets.size - 1):
        begin, end = sets.offsets[s], sets.offsets[s + 1]
        size = end - begin
        kept = sets.kept[begin:end]
        most = kept.sum()
        if most == size:
            continue
        records = sets.records[s]
        former[:size] = kept
        before = most
        was = find_shown(sets, sets.kept, s, sets.before)
        _add_shown(sets, sets.before, was, -records, m, keys, counts, used)
        for order in range(ORDERS):
            for at in range(begin, end):
                concept = sets.concepts[at]
                sets.kept[at] = sets.parent_start[concept] == sets.parent_start[concept + 1]
            for place in range(size):
                q = (place + (size // 2 if order > 1 else 0)) % size
                at = begin + (q if order % 2 == 0 else size - 1 - q)
                if sets.kept[at]:
                    continue
                step[:size] = kept
                _give_back(sets, s, sets.concepts[at], above_start, above)
                many = find_shown(sets, sets.kept, s, sets.shown)
                if _is_exposed(sets, sets.shown, many, 0, k - records, m, keys, counts):
                    kept[:] = step[:size]
            if kept.sum() > most:
                most = kept.sum()
                best[:size] = kept
        kept[:] = best[:size] if most > before else former[:size]
        many = find_shown(sets, sets.kept, s, sets.shown)
        room = _many_combinations(many, m) + _many_combinations(was, m)
        if 2 * (used[0] + room) > keys.size:
            keys, counts = _grow_table(keys, counts, used[0] + room, used)
        _add_shown(sets, sets.shown, many, records, m, keys, counts, used)
        if most == before:
            continue
        if _is_exposed(sets, sets.shown, many, 0, k, m, keys, counts) or _is_exposed(
            sets, sets.before, was, 1, k, m, keys, counts
        ):
            _add_shown(sets, sets.shown, many, -records, m, keys, counts, used)
            kept[:] = former[:size]
            _add_shown(sets, sets.before, was, records, m, keys, counts, used)
        else:
            rebuilt += 1
    return keys, counts, rebuilt
