"""Whether records still fall into the same clusters (TM section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances
from ontomask.errors import ParameterError
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions, count_tuples
from ontomask.utility.sides import Longs, NominalSide, Side, sample_transitions, sides

__all__ = ["Clustering", "clustering_distance"]

Floats = NDArray[np.float64]

#: Rows of a table that are worked on at a time.
ROWS = 64


@dataclass(frozen=True)
class Clustering:
    """The result of :func:`clustering_distance`.

    Attributes:
        distance: How differently the records cluster, from 0 to 1.
        clusters: Number of clusters.
        records: Number of records compared.
    """

    distance: float
    clusters: int
    records: int


def clustering_distance(
    plan: Transitions,
    clusters: int = 10,
    most: int = 2_000,
    random: np.random.Generator | None = None,
) -> Clustering:
    r"""How differently the original and the masked records cluster.

    .. math:: \frac{2 I(P_A \cap P_B) - I(P_A) - I(P_B)}{I(P_A \cap P_B)}

    :math:`I` are the entropies of the two partitions and of their intersection (TM eq. 10-13). Both
    tables are clustered by Ward's method on squared record distances, the mean over attributes (TM
    eq. 5). A combination of values is weighted with its number of records. A suppressed or missing
    value is at distance 1 from all others.

    Departures from the paper: it does not give the number of clusters.

    Args:
        plan: The transitions of a release.
        clusters: Number of clusters, or fewer if a table has fewer distinct combinations of values.
        most: If there are more distinct combinations of values than this, this many records are
            drawn at random, the same in both tables.
        random: The generator that draws the sample. Without it, the sample is always the same.

    Returns:
        A distance from 0 (same clusters) to 1; lower is better. 0 if both tables are one cluster.

    >>> from ontomask.utility.example import six_patients
    >>> clustering_distance(six_patients(), clusters=3)
    Clustering(distance=0.0, clusters=3, records=6)
    """
    if clusters < 1 or most < 1:
        raise ParameterError(f"clusters and most must be at least 1, got {clusters} and {most}")
    rows, counts = np.arange(len(plan.count)), plan.count
    if max(len(plan.tuples), len(np.unique(plan.target))) > most:
        rows, counts = sample_transitions(plan, most, random)
    tables = [_TupleDistances.from_plan(plan, side, rows, counts) for side in (0, 1)]
    clusters = min(clusters, *(len(table.weights) for table in tables))
    first, second = (_cut_ward_tree(table, clusters)[table.tuple] for table in tables)
    return Clustering(_partition_distance(first, second, counts), clusters, int(counts.sum()))


@dataclass(frozen=True, eq=False)
class _TupleDistances:
    """The distinct tuples of one side: how far apart, how many records, and each record's own."""

    apart: Floats
    weights: Floats
    tuple: Longs

    @staticmethod
    def from_plan(plan: Transitions, side: int, rows: Longs, counts: Longs) -> _TupleDistances:
        columns = [pair[side].select_transitions(rows) for pair in sides(plan)]
        # Codes, and the order of tuples with them, mean the same on both sides: equal distances
        # are then settled alike, and an unchanged table gets unchanged clusters.
        codes = [_ordered_codes(column) for column in columns]
        tuples, tuple_index = count_tuples(plan.tuples.attributes, codes)
        apart = np.zeros((len(tuples), len(tuples)))
        for attribute, column, code in zip(
            plan.tuples.attributes, columns, tuples.codes, strict=True
        ):
            scale = attribute.range if isinstance(attribute, NumericalAttribute) else 1.0
            across = _distance_table(column, scale).take(code, axis=1)
            for first in range(0, len(tuples), ROWS):  # few: what is added is then still at hand
                block = slice(first, first + ROWS)
                apart[block] += across[code[block]]
        apart /= len(columns)
        return _TupleDistances(
            apart, np.bincount(tuple_index, weights=counts).astype(np.float64), tuple_index
        )


def _ordered_codes(column: Side) -> Longs:
    """The place of each value among the distinct ones; suppressed and missing come last."""
    return np.where(column.place < 0, len(column.distinct), column.place).astype(np.int64)


def _distance_table(column: Side, scale: float) -> Floats:
    """Distances between the distinct values of a column, and what is left out as one more."""
    size = len(column.distinct)
    table = np.ones((size + 1, size + 1))
    table[size, size] = 0.0
    if isinstance(column, NominalSide):
        between = Distances(column.taxonomy, column.distinct, measure=column.measure)
        table[:size, :size] = between.table()
    else:
        differences = np.abs(column.distinct[:, None] - column.distinct)
        table[:size, :size] = differences / scale if scale else 0.0
    return table


def _cut_ward_tree(table: _TupleDistances, clusters: int) -> Longs:
    """Which cluster each tuple is in."""
    from ontomask.utility.kernels import ward

    weight = table.weights
    size = len(weight)
    # Ward's distance of points that stand for many: as if their records had been merged before.
    scaled = 2 * weight[:, None] * weight
    scaled /= weight[:, None] + weight
    scaled *= table.apart**2
    merges, heights = ward(scaled, weight.copy())
    lowest = np.argsort(heights, kind="stable")[: size - clusters]
    return _merge_clusters(size, merges[lowest])


def _merge_clusters(size: int, merges: Longs) -> Longs:
    """The number of the cluster of each of ``size`` members after some merges."""
    above = list(range(size))  # another member of the cluster, or itself: the first of it

    def first(member: int) -> int:
        while above[member] != member:
            above[member] = member = above[above[member]]
        return member

    for a, b in merges.tolist():
        a, b = first(a), first(b)
        above[max(a, b)] = min(a, b)
    return np.unique([first(member) for member in range(size)], return_inverse=True)[1]


def _partition_distance(first: Longs, second: Longs, counts: Longs) -> float:
    """TM eq. 10-13, records given by the clusters they are in."""
    together = first.astype(np.int64) * (int(second.max()) + 1) + second
    both = _entropy(together, counts)
    if both <= 0:
        return 0.0
    # Rounding may leave a hair below 0.
    return max(0.0, (2 * both - _entropy(first, counts) - _entropy(second, counts)) / both)


def _entropy(cluster: Longs, counts: Longs) -> float:
    shares = np.bincount(cluster, weights=counts) / counts.sum()
    shares = shares[shares > 0]
    return -float(shares @ np.log2(shares))
