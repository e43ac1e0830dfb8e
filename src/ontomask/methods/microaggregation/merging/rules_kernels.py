"""Whether a group is complete: enough records, and enough variety of sensitive values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = [
    "DISTINCT",
    "ENTROPY",
    "EQUAL",
    "ORDERED",
    "SEMANTIC",
    "Rules",
    "keeps_rule",
    "keeps_rules",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Kinds of rules: different values (people are values, too), entropy, closeness to
#: the whole table with values equal or not, by their ranks, or in the tree of their meanings.
DISTINCT, ENTROPY, EQUAL, ORDERED, SEMANTIC = 0, 1, 2, 3, 4

#: What rounding may add to a sum of shares.
SLIGHT = 1e-12
Index = Any  # of numpy's kinds or of Python's


class Rules(NamedTuple):
    """The rules every group must keep.

    Tuple ``t`` holds, for rule ``r``, the values ``value[start[r, t]:start[r, t + 1]]`` in
    ``often`` records each; ``own[r, t]`` is how many different ones these are. ``share`` says how
    frequent each value is in the whole table, from ``first[r]`` on. Where values are in a tree, its
    other nodes follow them, with the share below each; ``parent`` and ``length`` are its edges, and
    ``far[r]`` is what all of the table would have to move to the root.
    """

    k: int
    kind: NDArray[np.int8]
    limit: Floats
    optional: NDArray[np.bool_]  # whether groups without any value keep it
    start: Longs
    value: Ints
    often: Longs
    own: Longs
    first: Longs
    share: Floats
    parent: Ints
    length: Floats
    far: Floats
    seen: Longs  # work space, clean between calls
    distinct: Ints  # work space: the values counted in ``seen``


@jit
def keeps_rules(rules: Any, members: Longs, many: Index, records: Index) -> bool:
    """Whether a group keeps all rules."""
    if records < rules.k:
        return False
    kept = True
    for r in range(rules.kind.size):
        kept = kept and keeps_rule(rules, r, members, many)
    return kept


@jit
def keeps_rule(rules: Any, r: Index, members: Longs, many: Index) -> bool:
    """Whether a group keeps a rule."""
    kind, limit = rules.kind[r], rules.limit[r]
    if kind == DISTINCT:
        for q in range(many):  # one tuple may do
            if rules.own[r, members[q]] >= limit:
                return True
    many_distinct, total = np.int64(0), np.int64(0)
    for q in range(many):
        t = members[q]
        for at in range(rules.start[r, t], rules.start[r, t + 1]):
            value = rules.value[at]
            if rules.seen[value] == 0:
                rules.distinct[many_distinct] = value
                many_distinct += 1
            rules.seen[value] += rules.often[at]
            total += rules.often[at]
        if kind == DISTINCT and many_distinct >= limit:
            break
    kept = many_distinct >= limit
    if total == 0:  # nothing is known of the group
        kept = rules.optional[r]
    elif kind == ENTROPY:
        kept = _entropy(rules, many_distinct, total) >= np.log(limit) - SLIGHT
    elif kind == EQUAL:
        kept = _equal_distance(rules, r, many_distinct, total) <= limit + SLIGHT
    elif kind == ORDERED:
        kept = _ordered_distance(rules, r, total) <= limit + SLIGHT
    elif kind == SEMANTIC:
        kept = _tree_distance(rules, r, many_distinct, total) <= limit + SLIGHT
    for i in range(many_distinct):
        rules.seen[rules.distinct[i]] = 0
    return kept


@jit
def _entropy(rules: Any, many_distinct: Index, total: Index) -> float:
    entropy = 0.0
    for i in range(many_distinct):
        share = rules.seen[rules.distinct[i]] / total
        entropy -= share * np.log(share)
    return entropy


@jit
def _equal_distance(rules: Any, r: Index, many_distinct: Index, total: Index) -> float:
    """Half the summed difference between the shares of the group and of the table."""
    base = rules.first[r]
    summed, covered = 0.0, 0.0
    for i in range(many_distinct):
        value = rules.distinct[i]
        summed += abs(rules.seen[value] / total - rules.share[base + value])
        covered += rules.share[base + value]
    return 0.5 * (summed + max(1.0 - covered, 0.0))


@jit
def _ordered_distance(rules: Any, r: Index, total: Index) -> float:
    """The summed difference between the cumulative shares, over the steps there are."""
    base, last = rules.first[r], rules.first[r + 1]
    steps = last - base - 1
    if steps < 1:
        return 0.0
    summed, ahead = 0.0, 0.0
    for value in range(steps):
        ahead += rules.seen[value] / total - rules.share[base + value]
        summed += abs(ahead)
    return summed / steps


@jit
def _tree_distance(rules: Any, r: Index, many_distinct: Index, total: Index) -> float:
    """What has to pass each edge of the tree, times its length.

    An edge that is above no value of the group is passed by all of the table below it.
    """
    base, touched = rules.first[r], many_distinct
    for i in range(many_distinct):
        often = rules.seen[rules.distinct[i]]
        node = rules.parent[base + rules.distinct[i]]
        while node >= 0:
            if rules.seen[node] == 0:
                rules.distinct[touched] = node
                touched += 1
            rules.seen[node] += often
            node = rules.parent[base + node]
    summed = rules.far[r]
    for i in range(touched):
        node = rules.distinct[i]
        below = rules.share[base + node]
        summed += (abs(rules.seen[node] / total - below) - below) * rules.length[base + node]
    for i in range(many_distinct, touched):
        rules.seen[rules.distinct[i]] = 0
    return summed
