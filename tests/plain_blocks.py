"""Cutting tuples into blocks by its plain definition: slow on purpose."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ontomask.methods.neighbours.orders import value_ranks
from ontomask.microdata.attributes import FIXED_POINT_ONE, NumericalAttribute


class Line:
    """An attribute along a line."""

    def __init__(self, attribute, codes, weight):
        standing = value_ranks(attribute).tolist()
        self.at = [standing[code] for code in codes]
        self.order = sorted(range(attribute.size), key=standing.__getitem__)
        self.attribute, self.weight = attribute, weight

    def apart(self, a, b):
        """How far two places are from each other."""
        it, low, high = self.attribute, min(a, b), max(a, b)
        if isinstance(it, NumericalAttribute):
            shares = [number / (it.range or 1) for number in it.numbers.tolist()]
            return self.weight * (shares[high] - shares[low])
        steps = pairwise(self.order[low : high + 1])
        return self.weight * max(
            [0.0, *(it.table[it.place[v], w] / FIXED_POINT_ONE for v, w in steps)]
        )


def split(tuples, size, fits):
    """Blocks as lists of places."""
    lines = [
        Line(attribute, codes.tolist(), attribute.weight)
        for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True)
    ]

    def blocks(members):
        found = halves(members) if len(members) > size else None
        return [sorted(members)] if found is None else [b for half in found for b in blocks(half)]

    def halves(members):
        lot = np.random.default_rng(len(members)).integers(len(members), size=(2, 256)).tolist()
        pairs = [(members[a], members[b]) for a, b in zip(*lot, strict=True)]
        spread = [np.mean([line.apart(line.at[a], line.at[b]) for a, b in pairs]) for line in lines]
        by_spread = sorted(range(len(lines)), key=lambda j: -spread[j])
        for least, widest in ((0.35, True), (0.0, True), (0.0, False)):
            for j in by_spread:
                found = cut(lines[j], members, max(1, int(least * len(members))), widest)
                if found is not None and all(fits(half) for half in found):
                    return found
        return None

    def cut(line, members, low, widest):
        members = sorted(members, key=lambda t: line.at[t])
        places = [line.at[t] for t in members]
        cuts = [
            (-line.apart(places[i - 1], places[i]) * widest, abs(2 * i - len(members)), i)
            for i in range(low, len(members) - low + 1)
            if places[i - 1] != places[i]
        ]
        if not cuts:
            return None
        _, _, i = min(cuts)
        return members[:i], members[i:]

    return blocks(list(range(len(tuples))))
