"""Rank swapping as RS describes it, record by record: slow on purpose, no cleverness.

Records are numbered. ``apart[j]`` holds the distances between all records in attribute ``j``, whole
numbers, so that ties are ties. Every function returns the masked columns, how many values of each
attribute found no partner, and the swaps: attribute, record, partner.
"""

from __future__ import annotations

import numpy as np

UNIT = 1 << 28
REFUSALS = 64


def table(column, distance):
    """The distances between all records of a column."""
    values = sorted(set(column))
    of = [values.index(value) for value in column]
    between = np.array([[distance(a, b) for b in values] for a in values], dtype=np.int64)
    return between[np.ix_(of, of)]


class Swapping:
    """What happened so far."""

    def __init__(self, columns, random):
        self.before = [np.array(column) for column in columns]
        self.after = [column.copy() for column in self.before]
        self.unswapped = [np.ones(len(column), dtype=bool) for column in columns]
        self.unpaired = [0] * len(columns)
        self.swaps = []
        self.random = random

    def one_of(self, records):
        return int(records[self.random.integers(len(records))])

    def greatest(self, keys, records):
        """One of the records with the greatest key, at random."""
        keys = keys[records]
        return self.one_of(records[keys == keys.max()])

    def nearest(self, row, k, records):
        """The k records with the least distance; at the edge, at random."""
        shuffled = self.random.permutation(records)
        return shuffled[np.argsort(row[shuffled], kind="stable")[:k]]

    def swap(self, j, record, partners):
        """With one of some partners (RS algorithm 1, lines 14 to 25)."""
        self.unswapped[j][record] = False
        if len(partners) == 0:
            self.unpaired[j] += 1
            return
        partner = self.one_of(partners)
        self.unswapped[j][partner] = False
        self.after[j][record] = self.before[j][partner]
        self.after[j][partner] = self.before[j][record]
        self.swaps.append((j, record, partner))

    def result(self):
        return self.after, self.unpaired, self.swaps


# ---------------------------------------------------------------- attribute by attribute


def dynamic(columns, apart, k, random, complete=False):
    """RS algorithm 2."""
    state = Swapping(columns, random)
    n = len(columns[0])
    for j, distances in enumerate(apart):
        unswapped = state.unswapped[j]
        reference = state.greatest(distances.sum(axis=1), np.arange(n))
        while True:
            row = distances[reference]
            unswapped[reference] = False
            interval = state.nearest(row, k, np.delete(np.arange(n), reference))
            partners = interval[unswapped[interval]]
            if complete and len(partners) == 0:
                partners = state.nearest(row, 1, np.flatnonzero(unswapped))
            state.swap(j, reference, partners)
            if not unswapped.any():
                break
            reference = state.greatest(row, np.flatnonzero(unswapped))
    return state.result()


def fixed(columns, apart, k, random, complete=False):
    """RS algorithm 1."""
    state = Swapping(columns, random)
    n = len(columns[0])
    for j, distances in enumerate(apart):
        reference = state.greatest(distances.sum(axis=1), np.arange(n))
        # Equal distances in random order.
        along(state, j, state.nearest(distances[reference], n, np.arange(n)), k, complete)
    return state.result()


def distributional(columns, apart, k, random, complete=False):
    """The baseline of RS 4.2: ranked by frequency."""
    state = Swapping(columns, random)
    n = len(columns[0])
    for j, column in enumerate(state.before):
        frequency = (column[:, None] == column).sum(axis=1)
        along(state, j, state.nearest(frequency, n, np.arange(n)), k, complete)
    return state.result()


def classical(column, k, random):
    """Rank swapping of numbers."""
    state = Swapping([column], random)
    along(state, 0, np.argsort(column), k, False)
    return state.result()


def along(state, j, ranked, k, complete):
    """Each with one of the k after it (RS algorithm 1, lines 5 to 12)."""
    unswapped = state.unswapped[j]
    for i, record in enumerate(ranked):
        if not unswapped[record]:
            continue
        interval = ranked[i + 1 : i + k + 1]
        partners = interval[unswapped[interval]]
        if complete and len(partners) == 0:
            rest = ranked[i + 1 :]
            partners = rest[unswapped[rest]][:1]
        state.swap(j, record, partners)


def at_random(columns, apart, k, random, complete=False):
    """The baseline without a range: any two change places."""
    state = Swapping(columns, random)
    for j, unswapped in enumerate(state.unswapped):
        while unswapped.any():
            record = state.one_of(np.flatnonzero(unswapped))
            unswapped[record] = False
            state.swap(j, record, np.flatnonzero(unswapped))
    return state.result()


# ---------------------------------------------------------------- whole records


def multivariate(columns, apart, k, random, complete=False, guard=False):
    """RS algorithm 3; what was swapped before is left alone."""
    state = Swapping(columns, random)
    n, m = len(columns[0]), len(columns)
    total = sum(apart)
    reference = state.greatest(total.sum(axis=1), np.arange(n))
    while True:
        row = total[reference]
        interval = state.nearest(row, k, np.delete(np.arange(n), reference))
        for j in range(m):
            if not state.unswapped[j][reference]:
                continue
            state.unswapped[j][reference] = False
            left = np.flatnonzero(state.unswapped[j])
            partners = interval[state.unswapped[j][interval]]
            if guard:
                partners = guarded(state, j, reference, row, k, left)
            elif complete and len(partners) == 0:
                partners = state.nearest(row, 1, left)
            state.swap(j, reference, partners)
        left = np.flatnonzero(np.any(state.unswapped, axis=0))
        if len(left) == 0:
            return state.result()
        reference = state.greatest(row, left)


def guarded(state, j, reference, row, k, left):
    """A partner that leaves no rare record as it was, in a list; none, if there is none."""
    column = state.before[j]
    if len(left) == 0:
        return left
    for _ in range(REFUSALS):
        partner = state.one_of(state.nearest(row, k, left))
        if column[partner] != column[reference]:
            return [partner]
        if not would_stay(state, j, reference, k) and not would_stay(state, j, partner, k):
            return [partner]
    return state.nearest(row, k, left[column[left] != column[reference]])


def would_stay(state, j, record, k):
    """Whether a rare record is wholly unchanged, if its value of an attribute stays."""
    others = [i for i in range(len(state.before)) if i != j]
    if any(state.unswapped[i][record] for i in others):
        return False
    if any(state.after[i][record] != state.before[i][record] for i in others):
        return False
    same = np.all([column == column[record] for column in state.before], axis=0)
    return same.sum() < k
