"""What masking cost, by the plain definitions over records: slow on purpose, no cleverness.

A plan is expanded to a list of (original, masked) records; a suppressed or missing value is None.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np

import plain

SUPPRESSED = object()  # a masked value that is gone; None is one that was missing all along


def records(plan):
    """Pairs of original and masked values, one per record."""
    found = []
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        original, masked = [], []
        for j, a in enumerate(plan.tuples.attributes):
            code, goal = plan.tuples.codes[j, source], plan.targets[target, j]
            if hasattr(a, "domain"):
                original.append(a.values[code] if code < len(a.values) else None)
                concept = None if math.isnan(goal) else a.candidates[int(goal)]
                masked.append(concept or None)
            else:
                number, goal = float(a.numbers[code]), float(goal)
                original.append(None if math.isinf(number) else number)
                masked.append(None if math.isinf(goal) else round(goal, a.decimals))
            if math.isnan(goal):
                masked[-1] = SUPPRESSED
        found += [(tuple(original), tuple(masked))] * count
    return found


def shown(value):
    """A suppressed value and a missing one are both an empty cell."""
    return None if value is SUPPRESSED else value


def originals(plan):
    return [original for original, _ in records(plan)]


def masked(plan):
    return [tuple(map(shown, m)) for _, m in records(plan)]


def nominal(attribute):
    return hasattr(attribute, "domain")


def distance(a, x, y):
    """From 0 to 1; numbers over the range."""
    if x is SUPPRESSED or y is SUPPRESSED:
        return 1
    if x is None or y is None:
        return 0 if x is y else 1
    if nominal(a):
        return plain.DISTANCES[a.measure](a.domain, x, y)
    return abs(x - y) / a.range if a.range else 0


def record_distance(attributes, x, y):
    return sum(map(distance, attributes, x, y)) / len(attributes)


def moves(plan, j):
    """How far each record moved in an attribute, numbers in their own units."""
    a = plan.tuples.attributes[j]
    unit = 1 if nominal(a) else a.range
    return [distance(a, o[j], m[j]) * unit for o, m in records(plan)]


# ---------------------------------------------------------------- errors


def sse(plan):
    return sum(record_distance(plan.tuples.attributes, o, m) ** 2 for o, m in records(plan))


def attribute_sse(plan, j):
    return sum(d**2 for d in moves(plan, j))


def rmse(plan, j):
    return math.sqrt(sum(d**2 for d in moves(plan, j)) / plan.tuples.records)


def mean_absolute_distance(plan, j):
    return sum(moves(plan, j)) / plan.tuples.records


def changed(plan, j):
    return sum(o[j] != m[j] for o, m in records(plan)) / plan.tuples.records


def changed_records(plan):
    return sum(o != m for o, m in records(plan)) / plan.tuples.records


def semantic_quality(plan):
    return sum(
        1 - distance(a, x, y)
        for o, m in records(plan)
        for a, x, y in zip(plan.tuples.attributes, o, m, strict=True)
    )


# ---------------------------------------------------------------- classes


def kl(plan, removed=False):
    targets = [m for _, m in records(plan) if not (removed and all(v is SUPPRESSED for v in m))]
    before, after = Counter(originals(plan)), Counter(tuple(map(shown, m)) for m in targets)
    n, released = plan.tuples.records, sum(after.values())
    absent = sum(after[t] == 0 for t in before)
    return sum(
        c / n * math.log(c / n / ((after[t] or 0.5) / (released + absent / 2)))
        for t, c in before.items()
    )


def discernibility(plan):
    after = masked(plan)
    return sum(x == y for x in after for y in after)


def average_class_size(plan):
    return plan.tuples.records / len(set(masked(plan)))


# ---------------------------------------------------------------- columns


def column(rows, j):
    return [row[j] for row in rows if row[j] is not None]


def mean(a, values):
    measure = plain.DISTANCES[a.measure]
    return plain.semantic_mean(a.domain, values, measure) if values else None


def variance(a, values):
    measure = plain.DISTANCES[a.measure]
    return plain.semantic_variance(a.domain, values, measure) if values else None


def centred(a, values):
    def apart(x, y):
        return distance(a, x, y) if nominal(a) else abs(x - y)

    d = np.array([[apart(x, y) for y in values] for x in values], dtype=float)
    n, out = len(values), np.empty_like(d)
    for i, j in product(range(n), range(n)):
        out[i, j] = d[i, j] - d[i, :].mean() - d[:, j].mean() + d.mean()
    return out


def distance_variance(a, values):
    return math.sqrt((centred(a, values) ** 2).sum()) / len(values) if values else None


def distance_correlation(a, b, rows, j, k):
    both = [(row[j], row[k]) for row in rows if row[j] is not None and row[k] is not None]
    if not both:
        return 0
    x, y = centred(a, [first for first, _ in both]), centred(b, [second for _, second in both])
    xx, yy, xy = (x * x).sum(), (y * y).sum(), (x * y).sum()
    return math.sqrt(max(xy, 0) / math.sqrt(xx * yy)) if min(xx, yy) > 1e-12 else 0


# ---------------------------------------------------------------- clusters


def partition_distance(first, second):
    """TM eq. 10-13, from the cluster of each record."""

    def information(clusters):
        n = len(clusters)
        return -sum(c / n * math.log2(c / n) for c in Counter(clusters).values())

    both = information(list(zip(first, second, strict=True)))
    if both < 1e-12:
        return 0
    return (2 * both - information(first) - information(second)) / both


def ward(apart, clusters):
    """Ward's method on all records, step by step: the two clusters at the least distance merge."""
    groups = {i: [i] for i in range(len(apart))}
    d = {(i, j): apart[i][j] ** 2 for i in groups for j in groups if i < j}
    while len(groups) > clusters:
        i, j = min(d, key=lambda pair: (d[pair], pair))
        for k in set(groups) - {i, j}:
            ik, jk = (min(i, k), max(i, k)), (min(j, k), max(j, k))
            a, b, c = len(groups[i]), len(groups[j]), len(groups[k])
            d[ik] = ((a + c) * d[ik] + (b + c) * d[jk] - c * d[i, j]) / (a + b + c)
        groups[i] += groups.pop(j)
        d = {pair: value for pair, value in d.items() if j not in pair}
    return [next(g for g, members in groups.items() if i in members) for i in range(len(apart))]


# ---------------------------------------------------------------- numbers


def il1s(plan):
    terms = []
    for j, a in enumerate(plan.tuples.attributes):
        known = column(originals(plan), j)
        spread = 0 if nominal(a) or len(known) < 2 else np.var(known, ddof=1)
        if spread:
            terms += [d / (math.sqrt(2) * math.sqrt(spread)) for d in moves(plan, j)]
    return sum(terms) / len(terms) if terms else None
