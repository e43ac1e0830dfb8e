"""Sets of concepts by the plain definitions: slow on purpose. Sets are frozensets of numbers."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain, combinations, permutations

import plain


def closure(taxonomy, concepts):
    """The concepts and all their ancestors; a missing set has none."""
    if set(concepts) == {len(taxonomy)}:
        return frozenset(concepts)
    names = (taxonomy.identifiers[c] for c in concepts)
    above = chain.from_iterable(plain.ancestors(taxonomy, name) for name in names)
    return frozenset(taxonomy.code(name) for name in above)


def deepest(taxonomy, concepts):
    return frozenset(
        c for c in concepts if not any(c in closure(taxonomy, {o}) for o in concepts if o != c)
    )


def distance(a, b):
    return math.log2(1 + len(a ^ b) / len(a | b)) if a | b else 0.0


def matching_distance(table, rows, columns):
    """The least cost of all matchings, by the larger set."""
    if rows > columns:
        return matching_distance(
            [list(column) for column in zip(*table, strict=True)], columns, rows
        )
    if not columns:
        return 0.0
    costs = (
        sum(table[i][j] for i, j in enumerate(chosen)) + columns - rows
        for chosen in permutations(range(columns), rows)
    )
    return min(costs) / columns


def cost(members, counts, centre, power=2):
    return sum(c * distance(a, centre) ** power for a, c in zip(members, counts, strict=True))


def level_set(members, counts, share, missing=None):
    """What at least a share of the records holds."""
    held = Counter()
    for member, count in zip(members, counts, strict=True):
        held.update(dict.fromkeys(member - {missing}, count))
    return frozenset(c for c, n in held.items() if n >= share * sum(counts) - 1e-9)


def level_sets(members, counts, missing=None):
    """Those of all shares from 0.2 to 1, the largest share first."""
    total = sum(counts)
    shares = sorted({n / total for n in range(1, total + 1) if 5 * n >= total}, reverse=True)
    found = [level_set(members, counts, share, missing) for share in shares]
    return found + [frozenset({missing})] * any(missing in member for member in members)


def all_closures(taxonomy):
    """Every set of concepts that holds all ancestors of its members."""
    concepts = range(len(taxonomy))
    subsets = chain.from_iterable(combinations(concepts, size) for size in range(len(taxonomy) + 1))
    return {closure(taxonomy, subset) for subset in subsets}
