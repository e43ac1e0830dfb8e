"""MDAV over tuples by its plain definition (SF algorithm 3, MA 3.1): slow on purpose.

Distances are whole multiples of 2^-28, as the package compares them, so that ties are the same.
"""

from __future__ import annotations

import plain

FIXED = 2**28


class Column:
    """A nominal column (with a taxonomy) or a numerical one (without)."""

    def __init__(self, values, taxonomy=None, classic=False, values_only=False):
        self.values, self.taxonomy, self.classic = values, taxonomy, classic
        self.values_only = values_only
        self.range = 0 if taxonomy else max(values) - min(values)

    def distance(self, a, b):
        if self.taxonomy is None:
            return abs(a - b) / self.range if self.range else 0.0
        if self.classic:
            return float(a != b)
        return round(plain.sanchez(self.taxonomy, a, b) * FIXED) / FIXED

    def pair_variance(self, a, b):
        return (a - b) ** 2 / 2 if self.taxonomy is None else self.distance(a, b)

    def variance(self):
        n = len(self.values)
        if n < 2:
            return 0.0
        if self.taxonomy is None:
            mean = sum(self.values) / n
            return sum((v - mean) ** 2 for v in self.values) / (n - 1)
        return sum(self.distance(a, b) for a in self.values for b in self.values) / (n * (n - 1))

    def centroid(self, counted):
        """Of (value, count) pairs; the values themselves or what is above them."""
        if self.taxonomy is None:
            return sum(v * c for v, c in counted) / sum(c for _, c in counted)
        totals = {}
        for value, count in counted:
            totals[value] = totals.get(value, 0) + count
        if self.classic:
            return min(totals, key=lambda v: (-totals[v], v))
        near = set(totals)
        if not self.values_only:
            near = near.union(*(plain.ancestors(self.taxonomy, v) for v in totals))

        def key(c):
            total = sum(round(self.distance(c, v) * FIXED) * n for v, n in totals.items())
            return total, -plain.depth(self.taxonomy, c), c

        return min(near, key=key)


class Table:
    """Distinct tuples with counts, and how they are compared."""

    def __init__(self, columns, tuples, distance="mean"):
        self.columns, self.tuples, self.by_variance = columns, tuples, distance != "mean"
        self.factors = [1.0] * len(columns)
        self.scale = FIXED
        if self.by_variance:
            variances = [c.variance() for c in columns]
            self.factors = [1 / v if v > 0 else 0.0 for v in variances]
            largest = max(
                f * (c.range**2 / 2 if c.taxonomy is None else 1)
                for f, c in zip(self.factors, columns, strict=True)
            )
            self.scale = FIXED / (largest or 1)

    def between(self, a, b):
        total = 0
        for column, factor, x, y in zip(self.columns, self.factors, a, b, strict=True):
            d = column.pair_variance(x, y) if self.by_variance else column.distance(x, y)
            total += round(d * (factor * self.scale))
        return total

    def weight(self, t):
        return 1 if self.by_variance else self.tuples[t]

    def centroid(self, members):
        if self.columns[0].classic and not self.by_variance:
            return min(members, key=lambda t: (-self.tuples[t], t))
        return tuple(
            column.centroid([(t[j], self.tuples[t]) for t in members])
            for j, column in enumerate(self.columns)
        )


def groups(table, k):
    """Lists of tuples, in the order in which they were formed."""
    left = sorted(table.tuples)
    formed = []

    def records():
        return sum(table.tuples[t] for t in left)

    def farthest(reference):
        return min(left, key=lambda t: (-table.weight(t) * table.between(reference, t), t))

    def grow(middle):
        left.remove(middle)
        group = [middle]
        near = sorted(left, key=lambda t: (table.weight(t) * table.between(middle, t), t))
        while sum(table.tuples[t] for t in group) < k:
            group.append(near.pop(0))
            left.remove(group[-1])
        formed.append(group)

    while records() >= k:
        r = farthest(table.centroid(left))
        s = farthest(r)
        grow(r)
        if s in left and records() >= k:
            grow(s)
    centroids = [table.centroid(group) for group in formed]
    for t in left:
        nearest = min(range(len(formed)), key=lambda g: (table.between(centroids[g], t), g))
        formed[nearest].append(t)
    return formed
