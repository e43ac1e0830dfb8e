"""The groups of a microaggregation, formed again, and how the middle of one was chosen.

A plan knows what each tuple became, not which group it was in: groups with the same centroid are
one class, and classes of too few people are merged. MDAV is settled by the tuples, so the groups
can be formed again, and the sums shown are those that the method compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.microdata.attributes import FIXED_POINT_ONE
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.pipeline.explain.columns import (
    CellValue,
    NominalQuasiIdentifier,
    NumericQuasiIdentifier,
    QuasiIdentifier,
)

if TYPE_CHECKING:
    from ontomask.pipeline.mask import Release

__all__ = [
    "CentreCandidate",
    "Centre",
    "MicroaggregationGroups",
    "explain_centre",
    "rebuild_groups",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: How many candidates are shown beside the one that was chosen, and how many values of a group.
RUNNERS_UP = 4
MOST_VALUES = 8


@dataclass(frozen=True)
class CentreCandidate:
    """What the middle of a group might have been, and what spoke for it.

    ``total`` is the summed distance to the group's values, over records; the records that hold it
    where the most frequent value is taken.
    """

    value: CellValue
    total: float


@dataclass(frozen=True)
class Centre:
    """How a column of the centroid was chosen.

    ``rule`` is ``"least sum"``, ``"least sum, then loss"``, ``"least loss"``, ``"most frequent"``,
    ``"mean"`` or ``"median"``. ``values`` are those of the group, with records, the most frequent
    first, and ``distinct`` says how many there are. Of the ``among`` candidates the best are
    listed, the chosen one first; ``exact`` is a mean before it was rounded.
    """

    rule: str
    chosen: CellValue
    values: tuple[tuple[CellValue, int], ...]
    distinct: int
    candidates: tuple[CentreCandidate, ...] = ()
    among: int = 0
    exact: float | None = None

    @property
    def tied(self) -> bool:
        """Whether another candidate is as good."""
        return len(self.candidates) > 1 and self.candidates[0].total == self.candidates[1].total


@dataclass(frozen=True, eq=False)
class MicroaggregationGroups:
    """The group of each tuple, and the centroid of each group as it is written.

    ``above`` are the candidates that each value of a column brings in; ``classic`` says that words
    were equal or not, and ``rule`` how a word was chosen otherwise.
    """

    group: Longs
    centroids: Floats
    above: Sequence[tuple[Longs, NDArray[np.int32]]]
    classic: bool
    rule: str = "least sum"

    def members(self, tuple_: int) -> Longs:
        """The tuples in the group of one."""
        return np.flatnonzero(self.group == self.group[tuple_])


_cache: WeakKeyDictionary[Transitions, MicroaggregationGroups | None] = WeakKeyDictionary()


def rebuild_groups(release: Release) -> MicroaggregationGroups | None:
    """The groups of a microaggregation; None where they cannot be formed again."""
    plan, method = release.transitions, release.method
    if not isinstance(method, Microaggregation) or method.effort == "thorough":
        return None
    if release.blocked is not None:
        return None
    if plan not in _cache:
        _cache[plan] = _rebuild_groups(plan, method)
    return _cache[plan]


def _rebuild_groups(plan: Transitions, method: Microaggregation) -> MicroaggregationGroups | None:
    operators = method.operators_for(plan.tuples)
    group, raw = method.groups(operators, np.random.default_rng(0))
    released = [a.round_targets(c) for a, c in zip(plan.tuples.attributes, raw.T, strict=True)]
    # Not the operators themselves: they hold tables.
    rule = "least sum"
    if method.algorithm == "merge":
        rule = "least loss" if method.centroid == "best" else "least sum, then loss"
    groups = MicroaggregationGroups(
        group, np.column_stack(released), operators.above, operators.classic, rule
    )
    if method.replacement == "centroid":
        targets = set(map(tuple, plan.targets.tolist()))
        if not targets <= set(map(tuple, groups.centroids.tolist())):
            return None  # the plan was made in another way
    return groups


def explain_centre(
    groups: MicroaggregationGroups, tuples: Tuples, column: QuasiIdentifier, members: Longs
) -> Centre:
    """How the centroid of some tuples was chosen in one column."""
    j = tuples.attributes.index(column.attribute)
    places, at = np.unique(tuples.codes[j, members], return_inverse=True)
    counts = np.bincount(at, weights=tuples.counts[members]).astype(np.int64)
    if isinstance(column, NumericQuasiIdentifier):
        return _centre_of_numbers(column, places, counts)
    assert isinstance(column, NominalQuasiIdentifier)
    if groups.classic:
        return _centre_by_frequency(column, places, counts)
    chosen = int(groups.centroids[groups.group[members[0]], j])
    return _centre_by_least_sum(groups.above[j], column, places, counts, chosen, groups.rule)


def _group_values(
    column: QuasiIdentifier, places: Longs, counts: Longs
) -> tuple[tuple[CellValue, int], ...]:
    """The values of a group, the most frequent first."""
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    return tuple((column.original(int(places[i])), int(counts[i])) for i in order)


def _centre_by_least_sum(
    candidates: tuple[Longs, NDArray[np.int32]],
    column: NominalQuasiIdentifier,
    places: Longs,
    counts: Longs,
    chosen: int,
    rule: str,
) -> Centre:
    start, above = candidates
    pool = np.unique(np.concatenate([above[start[v] : start[v + 1]] for v in places]))
    sums = column.fixed_point_distances(pool, places) @ counts
    # Ties as candidates are sorted; the chosen one first, whatever settled it.
    order = np.lexsort((pool, sums, pool != chosen))[: RUNNERS_UP + 1]
    best = tuple(
        CentreCandidate(column.describe_target(float(pool[i])), float(sums[i] / FIXED_POINT_ONE))
        for i in order.tolist()
    )
    values = _group_values(column, places, counts)
    return Centre(rule, best[0].value, values, len(places), best, len(pool))


def _centre_by_frequency(column: NominalQuasiIdentifier, places: Longs, counts: Longs) -> Centre:
    order = np.argsort(-counts, kind="stable")[: RUNNERS_UP + 1]
    best = tuple(
        CentreCandidate(column.original(int(places[i])), float(counts[i])) for i in order.tolist()
    )
    values = _group_values(column, places, counts)
    return Centre("most frequent", best[0].value, values, len(places), best, len(places))


def _centre_of_numbers(column: NumericQuasiIdentifier, places: Longs, counts: Longs) -> Centre:
    exact = column.attribute.centroid(places, counts)
    rule = "median" if column.attribute.median else "mean"
    ascending = tuple(
        (column.original(int(place)), int(count))
        for place, count in list(zip(places, counts, strict=True))[:MOST_VALUES]
    )
    return Centre(rule, column.describe_target(exact), ascending, len(places), exact=float(exact))
