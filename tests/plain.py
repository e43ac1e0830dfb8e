"""Every distance and statistic by its plain definition: slow on purpose, no cleverness.

Nothing here uses the package beyond the parents of a concept.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import product

import numpy as np

# ---------------------------------------------------------------- taxonomies


def ancestors(tax, c):
    found = {c}
    for parent in tax.parents(c):
        found |= ancestors(tax, parent)
    return found


def depth(tax, c):
    return 1 + max((depth(tax, p) for p in tax.parents(c)), default=0)


def links_up(tax, c, ancestor):
    queue = deque([(c, 0)])
    while queue:
        here, steps = queue.popleft()
        if here == ancestor:
            return steps
        queue.extend((p, steps + 1) for p in tax.parents(here))
    raise AssertionError(f"{ancestor} is not above {c}")


def height(tax):
    return max(depth(tax, c) for c in tax)


def common(tax, *concepts):
    return set.intersection(*(ancestors(tax, c) for c in concepts))


def descendants(tax, c):
    return {other for other in tax if c in ancestors(tax, other)}


def lcs(tax, *concepts):
    return min(common(tax, *concepts), key=lambda c: (-depth(tax, c), len(descendants(tax, c)), c))


def leaves(tax):
    inner = {p for c in tax for p in tax.parents(c)}
    return {c for c in tax if c not in inner}


# ---------------------------------------------------------------- distances


def sanchez(tax, a, b):
    A, B = ancestors(tax, a), ancestors(tax, b)
    return math.log2(1 + (len(A | B) - len(A & B)) / len(A | B))


def _deepest(tax, a, b):
    shared = common(tax, a, b)
    most = max(depth(tax, c) for c in shared)
    return [c for c in shared if depth(tax, c) == most]


def wu_palmer(tax, a, b):
    return min(
        1 - 2 * depth(tax, c) / (2 * depth(tax, c) + links_up(tax, a, c) + links_up(tax, b, c))
        for c in _deepest(tax, a, b)
    )


def wu_palmer_depth(tax, a, b):
    c = _deepest(tax, a, b)[0]
    return 1 - 2 * depth(tax, c) / (depth(tax, a) + depth(tax, b))


def wu_palmer_links(tax, a, b):
    if a == b:
        return 0
    return min(
        1
        - 2
        * (depth(tax, c) - 1)
        / (2 * (depth(tax, c) - 1) + links_up(tax, a, c) + links_up(tax, b, c))
        for c in _deepest(tax, a, b)
    )


def _shortest(tax, a, b):
    return min(links_up(tax, a, c) + links_up(tax, b, c) for c in common(tax, a, b))


def path(tax, a, b):
    return _shortest(tax, a, b) / (2 * (height(tax) - 1)) if a != b else 0


def leacock_chodorow(tax, a, b):
    nodes = _shortest(tax, a, b) + 1
    return math.log(nodes) / math.log(2 * height(tax) - 1) if a != b else 0


def information(tax, c):
    every = leaves(tax)
    below = 0 if c in every else len(every & descendants(tax, c))
    return -math.log((below / len(ancestors(tax, c)) + 1) / (len(every) + 1))


def _ics(tax, a, b):
    shared = max(information(tax, c) for c in common(tax, a, b))
    most = max(information(tax, c) for c in tax)
    return shared, information(tax, a), information(tax, b), most


def lin(tax, a, b):
    shared, of_a, of_b, _ = _ics(tax, a, b)
    return 1 - 2 * shared / (of_a + of_b) if a != b else 0


def jiang_conrath(tax, a, b):
    shared, of_a, of_b, most = _ics(tax, a, b)
    return (of_a + of_b - 2 * shared) / (2 * most) if a != b else 0


def resnik(tax, a, b):
    shared, _, _, most = _ics(tax, a, b)
    return 1 - shared / most if a != b else 0


def equality(tax, a, b):
    return 0 if a == b else 1


DISTANCES = {
    f.__name__: f
    for f in (
        sanchez,
        wu_palmer,
        wu_palmer_depth,
        wu_palmer_links,
        path,
        leacock_chodorow,
        lin,
        jiang_conrath,
        resnik,
        equality,
    )
}

# ---------------------------------------------------------------- statistics, over records


def table(tax, values, distance):
    return np.array([[distance(tax, a, b) for b in values] for a in values], dtype=float)


def candidates(tax, values, which):
    return {
        "domain": set(tax),
        "hierarchy": set().union(*(ancestors(tax, v) for v in values)),
        "values": set(values),
    }[which]


def semantic_mean(tax, values, distance, which="domain"):
    def key(c):
        # To nine places: equal sums are equal, however they were added up.
        return round(sum(distance(tax, c, v) for v in values), 9), -depth(tax, c), c

    return min(candidates(tax, values, which), key=key)


def semantic_variance(tax, values, distance, which="domain"):
    mean = semantic_mean(tax, values, distance, which)
    return sum(distance(tax, v, mean) ** 2 for v in values) / len(values)


def marginality(tax, values, distance):
    return [sum(distance(tax, v, other) for other in values) for v in values]


def marginality_variance(tax, values, distance):
    return sum(marginality(tax, values, distance)) / len(values)


def marginality_covariance(tax_x, x, tax_y, y, distance):
    both = zip(marginality(tax_x, x, distance), marginality(tax_y, y, distance), strict=True)
    return sum(math.sqrt(a * b) for a, b in both) / len(x)


def _centred(tax, values, distance):
    d = table(tax, values, distance)
    n = len(values)
    centred = np.empty((n, n))
    for i, j in product(range(n), range(n)):
        centred[i, j] = d[i, j] - d[i, :].mean() - d[:, j].mean() + d.mean()
    return centred


def distance_covariance(tax_x, x, tax_y, y, distance):
    total = (_centred(tax_x, x, distance) * _centred(tax_y, y, distance)).sum()
    return math.sqrt(max(total, 0)) / len(x)


def distance_correlation(tax_x, x, tax_y, y, distance):
    var_x = distance_covariance(tax_x, x, tax_x, x, distance)
    var_y = distance_covariance(tax_y, y, tax_y, y, distance)
    if var_x * var_y == 0:
        return 0
    return distance_covariance(tax_x, x, tax_y, y, distance) / math.sqrt(var_x * var_y)
