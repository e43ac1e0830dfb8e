"""Recoding as TM and SF describe it, on a dictionary of tuples with counts: slow on purpose.

Every step searches everything again. Nothing here uses the package beyond the parents of a concept.
"""

from __future__ import annotations

import plain

UNIT = 1 << 28  # distances are compared in fixed point, so that ties are ties


def words(tax, classic=False):
    """How far apart two concepts are."""
    distance = plain.equality if classic else plain.sanchez
    return lambda a, b: round(distance(tax, a, b) * UNIT)


def numbers(column):
    """How far apart two numbers of a column are."""
    span = max(column) - min(column)
    return lambda x, y: round(abs(x - y) / span * UNIT) if span else 0


def records(*attributes):
    """How far apart two tuples are: the sum over attributes is as good as the mean."""
    return lambda a, b: sum(d(x, y) for d, x, y in zip(attributes, a, b, strict=True))


def loss(t, other, counts, distance, weighted):
    if distance is None:  # discernibility: what a fusion adds to TM eq. 1
        return 2 * counts[t] * counts[other]
    return distance(t, other) * (counts[other] if weighted else 1)


def nearest(t, counts, distance, weighted):
    """Distance to the nearest other tuple, and those that are as near."""
    losses = {o: loss(t, o, counts, distance, weighted) for o in counts if o != t}
    least = min(losses.values())
    return least, [o for o in losses if losses[o] == least]


def sources(counts, k, distance, heuristics="h1+h2+h3", weighted=False):
    """The tuples one of which is fused next, at random; none once all have k records."""
    rare = sorted(t for t in counts if counts[t] < k)
    if not rare:
        return []
    if heuristics == "none":
        return rare[:1]
    s1 = [t for t in rare if counts[t] == min(counts.values())]
    if heuristics == "h1":
        return s1[:1]
    near = {t: nearest(t, counts, distance, weighted) for t in s1}
    least = min(d for d, _ in near.values())
    s2 = [t for t in s1 if near[t][0] == least]
    if heuristics == "h1+h2" or distance is None:
        return s2
    merged = {t: counts[t] + min(counts[o] for o in near[t][1]) for t in s2}
    return [t for t in s2 if merged[t] == min(merged.values())]


def partners(t, counts, distance, heuristics="h1+h2+h3", weighted=False):
    """The tuples with one of which it is fused, at random."""
    if heuristics in ("none", "h1"):
        return sorted(o for o in counts if o != t)
    _, near = nearest(t, counts, distance, weighted)
    if distance is None:
        return sorted(near)
    return [min(near, key=lambda o: (counts[o], o))]


def fused(t, other, counts):
    after = {o: c for o, c in counts.items() if o != t}
    after[other] += counts[t]
    return after


def runs(counts, k, distance, heuristics="h1+h2+h3", weighted=False):
    """Every course the algorithm can take, as a tuple of fusions, with its probability."""
    choices = sources(counts, k, distance, heuristics, weighted)
    if not choices:
        return {(): 1.0}
    found = {}
    for t in choices:
        others = partners(t, counts, distance, heuristics, weighted)
        for other in others:
            rest = runs(fused(t, other, counts), k, distance, heuristics, weighted)
            for course, chance in rest.items():
                found[((t, other), *course)] = chance / len(choices) / len(others)
    return found
