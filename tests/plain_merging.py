"""What groups cost, and which rules they keep, by the plain definitions: slow on purpose."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import product

import numpy as np

import plain
from ontomask.microdata.attributes import MISSING, NominalAttribute


class Costs:
    """What a group of tuples costs, given a centroid or by the rule."""

    def __init__(
        self, tuples, distance="mean", objective="sse", operators="semantic", candidates="hierarchy"
    ):
        self.tuples, self.distance, self.objective = tuples, distance, objective
        self.classic, self.values_only = operators == "classic", candidates == "values"
        self._targets = tuples.targets().tolist()
        self._row = cache(self._row)  # the same targets are asked for again and again
        self.factors = [self._factor(j) for j in range(len(tuples.attributes))]

    def _factor(self, j):
        attributes = self.tuples.attributes
        if self.distance == "mean":
            return attributes[j].weight / sum(a.weight for a in attributes)
        variance = self._variance(j)
        if self.distance == "s_paper" and self.is_word(j):
            variance *= max(self.tuples.records - 1, 1)
        return attributes[j].weight / variance if variance > 0 else 0.0

    def _variance(self, j):
        """The mean distance between two records, or the sample variance."""
        held = Counter()
        for t, count in enumerate(self.tuples.counts.tolist()):
            held[self.own(t, j)] += count
        n = held.total()
        if n < 2:
            return 0.0
        if not self.is_word(j):
            mean = sum(x * c for x, c in held.items()) / n
            return sum((x - mean) ** 2 * c for x, c in held.items()) / (n - 1)
        some = {self.own(t, j): t for t in range(len(self.tuples))}
        total = sum(
            held[a] * held[b] * self._between(some[a], j, b) for a, b in product(held, held)
        )
        return total / (n * (n - 1))

    def is_word(self, j):
        return isinstance(self.tuples.attributes[j], NominalAttribute)

    def own(self, t, j):
        """The target that leaves a tuple's value as it is."""
        return self._targets[t][j]

    def _row(self, j, target):
        """How far every tuple's value is from a target, before it is weighed."""
        if self.classic and self.is_word(j):
            return [float(own[j] != target) for own in self._targets]
        attribute = self.tuples.attributes[j]
        found = (
            attribute.distances_from_target if self.distance == "mean" else attribute.pair_variance
        )
        return found(target)[self.tuples.codes[j]].tolist()

    def _between(self, t, j, target):
        return self._row(j, float(target))[t]

    def record(self, t, centre):
        """What one record of a tuple costs."""
        apart = sum(
            self.factors[j] * self._between(t, j, target) for j, target in enumerate(centre)
        )
        if self.distance == "mean":
            return apart**2 if self.objective == "sse" else apart
        return apart if self.objective == "sse" else math.sqrt(apart)

    def cost(self, members, centre):
        """What a group costs with a centroid."""
        return sum(int(self.tuples.counts[t]) * self.record(t, centre) for t in members)

    # ------------------------------------------------------------------ centroids

    def candidates(self, members, j):
        """What the words of a group may become."""
        attribute = self.tuples.attributes[j]
        words = {attribute.candidates[int(self.own(t, j))] for t in members}
        if not self.values_only and not self.classic:
            for word in list(words):
                words |= {word} if word == MISSING else plain.ancestors(attribute.domain, word)
        return sorted(float(attribute.candidates.index(word)) for word in words)

    def summed(self, members, j, target):
        """The summed distance of words; whole multiples of 2^-28, so exact."""
        return sum(int(self.tuples.counts[t]) * self._between(t, j, target) for t in members)

    def choices(self, members):
        """By the rule: of words all with the least sum, of numbers the mean or lower median."""
        if self.classic and self.distance == "mean":
            raise AssertionError("the classic centroid is a tuple: see most_frequent")
        return [
            self._words(members, j) if self.is_word(j) else [self._middle(members, j)]
            for j in range(len(self.tuples.attributes))
        ]

    def _words(self, members, j):
        sums = {c: self.summed(members, j, c) for c in self.candidates(members, j)}
        return [c for c, total in sums.items() if total == min(sums.values())]

    def _middle(self, members, j):
        each = sorted(x for t in members for x in [self.own(t, j)] * int(self.tuples.counts[t]))
        if self.tuples.attributes[j].median:
            return each[(len(each) - 1) // 2]
        return sum(each) / len(each)

    def most_frequent(self, members):
        """The tuples that most records of a group hold, as centroids."""
        most = max(self.tuples.counts[t] for t in members)
        targets = self.tuples.targets()
        return [tuple(targets[t]) for t in members if self.tuples.counts[t] == most]

    def by_rule(self, members):
        """The least a group can cost by the rule: all ties are tried."""
        return min(self.cost(members, centre) for centre in product(*self.choices(members)))


# ---------------------------------------------------------------------- groups


def members_of(group):
    """The tuples of each group."""
    return [np.flatnonzero(group == g).tolist() for g in range(int(group.max()) + 1)]


def optimum(counts, k, cost):
    """The least summed cost of all ways to form groups of ``k`` records; tuples stay whole.

    Blocks and sets of tuples are bits of a number.
    """
    size = len(counts)
    records = [sum(c for t, c in enumerate(counts) if b >> t & 1) for b in range(1 << size)]
    least = [0.0] + [math.inf] * ((1 << size) - 1)
    known = {}
    for whole in range(1, 1 << size):
        first = whole & -whole
        rest = part = whole ^ first
        while True:  # the block of the first tuple: it, and any part of the rest
            block = first | part
            if records[block] >= k and least[whole ^ block] < math.inf:
                if block not in known:
                    known[block] = cost([t for t in range(size) if block >> t & 1])
                least[whole] = min(least[whole], known[block] + least[whole ^ block])
            if not part:
                break
            part = (part - 1) & rest
    return least[-1]


# ---------------------------------------------------------------------- confidential values


def entropy(values):
    """The exponential of the entropy of a list of values."""
    n = len(values)
    return math.exp(-sum(c / n * math.log(c / n) for c in Counter(values).values()))


def equal_distance(values, whole):
    """Half the summed difference between shares."""
    inside, all_ = Counter(values), Counter(whole)
    return sum(abs(inside[v] / len(values) - all_[v] / len(whole)) for v in all_) / 2


def ordered_distance(values, whole):
    """The summed difference between cumulative shares, over the number of values less 1."""
    order = sorted(set(whole))
    steps = [
        abs(sum(v <= x for v in values) / len(values) - sum(v <= x for v in whole) / len(whole))
        for x in order[:-1]
    ]
    return sum(steps) / max(len(order) - 1, 1)
