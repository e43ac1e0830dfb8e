"""The loops behind k^m-anonymity: sets are lifted until no combination of concepts is rare.

A set starts as its closure. Of an entry of it, ``kept`` says whether the set still holds the
concept; what is kept is a closure again. *Shown* are the deepest concepts that are kept, in
ascending order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.recoding.combination_table import (
    add_combinations,
    count_of,
    find_slot,
    holds_rare,
    make_room,
    move_records,
    moves_to_rare,
    number_of_combinations,
    pair_key,
    triple_key,
)

__all__ = ["Lifted", "choose_lifts", "count_all", "lift_sets", "rebuild_sets", "restore_concepts"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Index = Any  # of numpy's kinds or of Python's

#: In how many orders a set is rebuilt.
ORDERS = 4


class Lifted(NamedTuple):
    """Sets that are being lifted, and work space."""

    offsets: Longs
    concepts: Ints
    kept: Bools
    worth: Floats  # of an entry: what is gained if it is kept
    records: Longs
    parent_start: Longs
    parents: Ints
    above_start: Longs  # the ancestors of each concept, itself included
    above: Ints
    covered: NDArray[np.int8]  # work space: 0 between calls
    most: int  # entries of a set


@jit
def find_shown(sets: Any, kept: Bools, s: Index, out: Longs) -> Index:
    """Write the concepts that a set shows: what it keeps and nothing below; how many there are."""
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
            out[size] = concept
            size += 1
        sets.covered[concept] = 0
    return size


@jit
def _is_root(sets: Any, concept: Index) -> bool:
    return sets.parent_start[concept] == sets.parent_start[concept + 1]


@jit
def count_all(
    sets: Any, low: Index, high: Index, keys: Longs, counts: Longs, used: Longs
) -> tuple[Longs, Longs]:
    """Count the combinations of some sizes that all sets show."""
    shown = np.empty(sets.most, np.int64)
    for s in range(sets.offsets.size - 1):
        size = find_shown(sets, sets.kept, s, shown)
        keys, counts = make_room(keys, counts, number_of_combinations(size, high), used)
        for i in range(size):
            add_combinations(shown[i], shown, i, low, high, sets.records[s], keys, counts, used)
    return keys, counts


# ---------------------------------------------------------------------- lifting


@jit
def choose_lifts(sets: Any, k: Index, m: Index, keys: Longs, counts: Longs, chosen: Longs) -> Index:
    """Choose an entry of each set with rare combinations to be lifted: that with the most of them.

    They count more where less is lost. Of several, the one that fewest records show. A root cannot
    be lifted. How many are chosen.
    """
    many = 0
    rare = np.zeros(sets.most, np.int64)
    shown = np.empty(sets.most, np.int64)
    for s in range(sets.offsets.size - 1):
        size = find_shown(sets, sets.kept, s, shown)
        for i in range(size):
            rare[i] = 0
        for i in range(size):
            a = shown[i] + 1
            rare[i] += count_of(keys, counts, a) < k
            if m < 2:
                continue
            for j in range(i):
                b = shown[j] + 1
                few = count_of(keys, counts, pair_key(a, b)) < k
                rare[i] += few
                rare[j] += few
                if m < 3:
                    continue
                for h in range(j):
                    few = count_of(keys, counts, triple_key(a, b, shown[h] + 1)) < k
                    rare[i] += few
                    rare[j] += few
                    rare[h] += few
        most: Any = 0.0
        fewest: Any = 0
        best: Any = -1
        begin, end = sets.offsets[s], sets.offsets[s + 1]
        for i in range(size):
            concept = shown[i]
            if rare[i] == 0 or _is_root(sets, concept):
                continue
            records = count_of(keys, counts, concept + 1)
            at = begin + np.searchsorted(sets.concepts[begin:end], concept)
            gain = rare[i] / sets.worth[at]
            if gain > most or (gain == most and records < fewest):
                most, fewest, best = gain, records, at
        chosen[s] = best
        many += best >= 0
    return many


@jit
def lift_sets(
    sets: Any, m: Index, chosen: Longs, keys: Longs, counts: Longs, used: Longs
) -> tuple[Longs, Longs]:
    """Lift the chosen entry of each set: it is no longer kept, and its parents may be shown."""
    before, after, work = np.empty((3, sets.most), np.int64)
    for s in range(sets.offsets.size - 1):
        if chosen[s] < 0:
            continue
        was = find_shown(sets, sets.kept, s, before)
        sets.kept[chosen[s]] = False
        size = find_shown(sets, sets.kept, s, after)
        keys, counts = make_room(keys, counts, number_of_combinations(size, m), used)
        move_records(before, was, after, size, 1, m, sets.records[s], keys, counts, used, work)
    return keys, counts


# ---------------------------------------------------------------------- restoring


@jit
def _give_back(sets: Any, s: Index, concept: Index) -> None:
    """Give a concept back to a set that held it, with all its ancestors."""
    for i in range(sets.above_start[concept], sets.above_start[concept + 1]):
        sets.covered[sets.above[i]] = 1
    for at in range(sets.offsets[s], sets.offsets[s + 1]):
        if sets.covered[sets.concepts[at]]:
            sets.kept[at] = True
            sets.covered[sets.concepts[at]] = 0


@jit
def _show_with(sets: Any, s: Index, concept: Index, shown: Longs, out: Ints) -> Index:
    """Write what a set would show beside a concept that it is given back; how many there are."""
    first, last = sets.above_start[concept], sets.above_start[concept + 1]
    size = find_shown(sets, sets.kept, s, shown)
    for i in range(first, last):
        sets.covered[sets.above[i]] = 1
    beside = 0
    for i in range(size):
        if not sets.covered[shown[i]]:
            out[beside] = shown[i]
            beside += 1
    for i in range(first, last):
        sets.covered[sets.above[i]] = 0
    return beside


@jit
def _drop_rare(
    sets: Any,
    concept: Index,
    moved: Longs,
    many: Index,
    start: Longs,
    beside: Ints,
    size: Index,
    k: Index,
    keys: Longs,
    counts: Longs,
) -> Index:
    """Drop the sets that cannot show a concept beside what they show, even if all others do.

    It looks at combinations of one size, 2 or 3, and counts them in a table of its own. How many
    sets stay.
    """
    room = np.int64(0)
    for i in range(many):
        n = start[i + 1] - start[i]
        room += n if size == 2 else n * (n - 1) // 2
    places = 64
    while places < 2 * room:
        places *= 2
    near, near_counts = np.zeros(places, np.int64), np.zeros(places, np.int64)
    slots = np.empty(room, np.int64)
    at = 0
    a = np.int64(concept) + 1
    for i in range(many):
        for q in range(start[i], start[i + 1]):
            b = np.int64(beside[q]) + 1
            for h in range(start[i] if size == 3 else q, q if size == 3 else q + 1):
                other = np.int64(beside[h]) + 1
                part = pair_key(b, other) if size == 3 else b
                slot = find_slot(near, part)
                if near[slot] == 0:
                    near[slot] = part
                    key = triple_key(a, b, other) if size == 3 else pair_key(a, b)
                    near_counts[slot] = count_of(keys, counts, key)
                near_counts[slot] += sets.records[moved[i]]
                slots[at] = slot
                at += 1
    dropped = np.zeros(many, np.bool_)
    again = True
    while again:
        again = False
        at = 0
        for i in range(many):
            n = start[i + 1] - start[i]
            end = at + (n if size == 2 else n * (n - 1) // 2)
            is_rare = False
            if not dropped[i]:
                for q in range(at, end):
                    is_rare = is_rare or near_counts[slots[q]] < k
            if is_rare:
                dropped[i] = again = True
                for q in range(at, end):
                    near_counts[slots[q]] -= sets.records[moved[i]]
            at = end
    stay = 0
    last = start[0]
    for i in range(many):
        if dropped[i]:
            continue
        n = start[i + 1] - start[i]
        for q in range(n):
            beside[last + q] = beside[start[i] + q]
        moved[stay] = moved[i]
        last += n
        stay += 1
        start[stay] = last
    return stay


@jit
def restore_concepts(
    sets: Any,
    order: Longs,
    holder_start: Longs,
    holders: Ints,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
) -> tuple[Longs, Longs, Index]:
    """Restore concepts, in an order, to the sets that held them, all at once where that is safe.

    Those that would then show a rare combination, or leave one behind, are put back; and so on,
    until nobody has to be. ``holders`` are the sets with each concept.
    """
    former = sets.kept.copy()
    moved = np.empty(sets.offsets.size, np.int64)
    start = np.zeros(sets.offsets.size + 1, np.int64)
    beside = np.empty(sets.concepts.size, np.int32)
    before, after, work = np.empty((3, sets.most), np.int64)
    restored = np.int64(0)
    for nth in range(order.size):
        concept = order[nth]
        many = 0
        total = count_of(keys, counts, np.int64(concept) + 1)
        for i in range(holder_start[concept], holder_start[concept + 1]):
            s = holders[i]
            begin, end = sets.offsets[s], sets.offsets[s + 1]
            if sets.kept[begin + np.searchsorted(sets.concepts[begin:end], concept)]:
                continue
            size = _show_with(sets, s, concept, after, beside[start[many] :])
            start[many + 1] = start[many] + size
            moved[many] = s
            many += 1
            total += sets.records[s]
        if total < k:
            continue
        for size in range(2, m + 1):
            many = _drop_rare(sets, concept, moved, many, start, beside, size, k, keys, counts)
        for i in range(many):
            s = moved[i]
            begin, end = sets.offsets[s], sets.offsets[s + 1]
            former[begin:end] = sets.kept[begin:end]
            _give_back(sets, s, concept)
            was = find_shown(sets, former, s, before)
            size = find_shown(sets, sets.kept, s, after)
            keys, counts = make_room(keys, counts, number_of_combinations(size, m), used)
            records = sets.records[s]
            move_records(before, was, after, size, 1, m, records, keys, counts, used, work)
        back = True
        while back and many:
            back = False
            stay = 0
            for i in range(many):
                s = moved[i]
                was = find_shown(sets, former, s, before)
                size = find_shown(sets, sets.kept, s, after)
                if moves_to_rare(after, size, before, was, 0, k, m, keys, counts, work) or (
                    moves_to_rare(before, was, after, size, 1, k, m, keys, counts, work)
                ):
                    back = True
                    keys, counts = make_room(keys, counts, number_of_combinations(was, m), used)
                    records = sets.records[s]
                    move_records(after, size, before, was, 1, m, records, keys, counts, used, work)
                    for at in range(sets.offsets[s], sets.offsets[s + 1]):
                        sets.kept[at] = former[at]
                else:
                    moved[stay] = s
                    stay += 1
            many = stay
        restored += many
    return keys, counts, restored


@jit
def rebuild_sets(
    sets: Any,
    k: Index,
    m: Index,
    keys: Longs,
    counts: Longs,
    used: Longs,
) -> tuple[Longs, Longs, Index]:
    """Rebuild one set after the other from what enough others show, if that keeps more of it.

    Its concepts are given back in four orders, as far as no combination becomes rare. Roots do not
    count until the end, as most of them are replaced.
    """
    former, best = np.empty(sets.most, np.bool_), np.empty(sets.most, np.bool_)
    before, shown, wider, work = np.empty((4, sets.most), np.int64)
    rebuilt = np.int64(0)
    for s in range(sets.offsets.size - 1):
        begin, end = sets.offsets[s], sets.offsets[s + 1]
        size = end - begin
        kept = sets.kept[begin:end]
        if kept.all():
            continue
        records = sets.records[s]
        former[:size] = kept
        most = 0.0
        for at in range(begin, end):
            most += sets.worth[at] * sets.kept[at]
        improved = False
        was = find_shown(sets, sets.kept, s, before)
        for i in range(was):
            add_combinations(before[i], before, i, 1, m, -records, keys, counts, used)
        for order in range(ORDERS):
            held = 0.0
            for at in range(begin, end):
                sets.kept[at] = _is_root(sets, sets.concepts[at])
                held += sets.worth[at] * sets.kept[at]
            many = 0
            for place in range(size):
                q = (place + (size // 2 if order > 1 else 0)) % size
                at = begin + (q if order % 2 == 0 else size - 1 - q)
                concept = np.int64(sets.concepts[at])
                if sets.kept[at] or count_of(keys, counts, concept + 1) < k - records:
                    continue
                first, last = sets.above_start[concept], sets.above_start[concept + 1]
                for i in range(first, last):
                    sets.covered[sets.above[i]] = 1
                more = 0
                for i in range(many):
                    if not sets.covered[shown[i]]:
                        wider[more] = shown[i]
                        more += 1
                if not holds_rare(concept, wider, more, 0, k - records, m, keys, counts):
                    wider[more] = concept
                    many = more + 1
                    shown[:many] = wider[:many]
                    for above in range(begin, end):
                        if sets.covered[sets.concepts[above]] and not sets.kept[above]:
                            sets.kept[above] = True
                            held += sets.worth[above]
                for i in range(first, last):
                    sets.covered[sets.above[i]] = 0
            if held > most + 1e-9:
                most, improved = held, True
                best[:size] = kept
        kept[:] = best[:size] if improved else former[:size]
        many = find_shown(sets, sets.kept, s, shown)
        room = number_of_combinations(many, m) + number_of_combinations(was, m)
        keys, counts = make_room(keys, counts, room, used)
        for i in range(many):
            add_combinations(shown[i], shown, i, 1, m, records, keys, counts, used)
        if not improved:
            continue
        is_rare = moves_to_rare(before, was, shown, many, 1, k, m, keys, counts, work)
        for i in range(many):
            is_rare = is_rare or holds_rare(shown[i], shown, i, 0, k, m, keys, counts)
        if is_rare:
            kept[:] = former[:size]
            move_records(shown, many, before, was, 1, m, records, keys, counts, used, work)
        else:
            rebuilt += 1
    return keys, counts, rebuilt
