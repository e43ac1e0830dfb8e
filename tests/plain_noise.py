"""Noise addition over records, one after another: slow on purpose, no cleverness.

NO algorithm 1 as METHODS.md fixes it. Distances are whole numbers (fixed point), so that ties are
ties however they were computed.
"""

from __future__ import annotations

UNIT = 2**28


def fixed(number):
    return round(number * UNIT)


def apart(tax, a, b, distance):
    return fixed(distance(tax, a, b))


def reached(tax, mean, value, epsilon, distance):
    """The concepts that a noise may lead to; each has the same chance."""
    if epsilon == 0:
        return {value}
    wanted = fixed(abs(epsilon))
    others = {c: apart(tax, value, c, distance) for c in tax if c != value}
    if value == mean:
        side = others
    else:
        here = apart(tax, value, mean, distance)
        from_mean = {c: apart(tax, c, mean, distance) for c in others}
        if epsilon > 0:
            side = {c: d for c, d in others.items() if from_mean[c] > here}
        else:
            side = {c: d for c, d in others.items() if from_mean[c] < here}
    if not side:
        gap = {c: abs(d - wanted) for c, d in others.items()}
        return {c for c in others if gap[c] == min(gap.values())}
    enough = [d for d in side.values() if d >= wanted]
    best = min(enough) if enough else max(side.values())
    return {c for c, d in side.items() if d == best}


def naive(column, value):
    """What a value may become without meaning, with its chance: any value of the column."""
    return {other: 1 / len(set(column)) for other in set(column)}


def probabilistic(column, value):
    """The same by frequency; the value itself is one of them."""
    return {other: column.count(other) / len(column) for other in set(column)}
