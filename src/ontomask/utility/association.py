"""Whether attributes still hang together as they did: distance correlations of all pairs.

Distance correlation is defined by distances alone, so words (by their semantic distance) and
numbers (by their difference) can be compared with each other. Everything is summed over distinct
values with counts; numbers need no table at all, as sums of differences follow from sorted order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.tuples import Transitions
from ontomask.statistics.association import CentredDistances, summed_products
from ontomask.utility.columns import Change
from ontomask.utility.sides import (
    Longs,
    NominalSide,
    NumericalSide,
    Side,
    sample_transitions,
    sides,
)

__all__ = [
    "Correlations",
    "associations",
    "distance_correlations",
    "distance_variance_difference",
]

Floats = NDArray[np.float64]

#: Up to this many distinct concepts in a column, all records are compared.
MOST_CONCEPTS = 20_000
#: Cells that sums of differences are worked out in at a time, 4 MB.
CELLS = 500_000


@dataclass(frozen=True, eq=False)
class Correlations:
    """Correlations of all pairs of attributes before and after masking.

    A correlation is 0 if one of the attributes has only one value.

    Attributes:
        columns: Names of the attributes, in the order of the matrices.
        before: Correlations of the original table.
        after: Correlations of the masked table.
        records: Number of records compared.
    """

    columns: tuple[str, ...]
    before: Floats
    after: Floats
    records: int

    @property
    def difference(self) -> Floats:
        """Absolute difference of the two matrices."""
        return np.abs(self.after - self.before)


def distance_correlations(
    plan: Transitions, most: int = MOST_CONCEPTS, random: np.random.Generator | None = None
) -> Correlations:
    r"""Distance correlation of every two attributes, words and numbers, before and after masking.

    .. math:: sdCor(X, Y) = \frac{sdCov(X, Y)}{\sqrt{sdVar(X)\, sdVar(Y)}}

    (RS eq. 14-16.) Records in which one of the two values is suppressed or missing are left out.
    With few records and many values the correlation is high by chance. Departures from the paper:
    numbers are included.

    Args:
        plan: The transitions of a release.
        most: If a column has more distinct concepts than this, this many records are drawn at
            random, the same before and after.
        random: The generator that draws the sample. Without it, the sample is always the same.

    Returns:
        Two matrices with numbers from 0 (independent) to 1. A lower difference is better.

    >>> from ontomask.utility.example import six_patients
    >>> distance_correlations(six_patients()).after.round(3)
    array([[1.   , 0.935],
           [0.935, 1.   ]])
    """
    return associations(plan, most, random)[1]


def distance_variance_difference(
    plan: Transitions, most: int = MOST_CONCEPTS, random: np.random.Generator | None = None
) -> dict[str, Change]:
    r"""The distance variance of each attribute before and after masking.

    .. math:: sdVar(X) = \frac{1}{n} \sqrt{\sum_{i,j} (\delta_{ij}^X)^2}

    (RS eq. 14-15 and 4.1.) Suppressed and missing values are left out.

    Args:
        plan: The transitions of a release.
        most: As in :func:`distance_correlations`.
        random: As in :func:`distance_correlations`.

    Returns:
        The change by attribute, from 0 to 1 for words and in their own units for numbers. A lower
        difference is better.

    >>> from ontomask.utility.example import six_patients
    >>> round(distance_variance_difference(six_patients())["diagnosis"].difference, 3)
    0.035
    """
    return associations(plan, most, random)[0]


def associations(
    plan: Transitions, most: int = MOST_CONCEPTS, random: np.random.Generator | None = None
) -> tuple[dict[str, Change], Correlations]:
    """Distance variances and correlations together: they share most of the work."""
    names = tuple(attribute.name for attribute in plan.tuples.attributes)
    rows, counts = np.arange(len(plan.count)), plan.count
    both = sides(plan)
    if any(
        isinstance(side, NominalSide) and len(side.distinct) > most
        for pair in both
        for side in pair
    ):
        rows, counts = sample_transitions(plan, most, random)
        both = tuple(
            (before.select_transitions(rows), after.select_transitions(rows))
            for before, after in both
        )
    (variances, before), (variances_after, after) = (
        _side_associations(columns, counts) for columns in zip(*both, strict=True)
    )
    changes = map(Change, variances, variances_after)
    records = int(counts.sum())
    return dict(zip(names, changes, strict=True)), Correlations(names, before, after, records)


def _side_associations(
    columns: tuple[Side, ...], counts: Longs
) -> tuple[list[float | None], Floats]:
    """The distance variance of each column, and the matrix of correlations."""
    spreads = [_make_spread(column, counts) for column in columns]
    matrix = np.diag([float(s is not None and s.squares > 0) for s in spreads])
    for j, k in combinations(range(len(columns)), 2):
        matrix[j, k] = matrix[k, j] = _correlation(
            (columns[j], columns[k]), spreads, (j, k), counts
        )
    return [None if s is None else s.variance for s in spreads], matrix


def _correlation(
    columns: tuple[Side, Side],
    spreads: list[_Spread | None],
    which: tuple[int, int],
    counts: Longs,
) -> float:
    first, second = columns
    x, y = spreads[which[0]], spreads[which[1]]
    present = (first.place >= 0) & (second.place >= 0)
    if not present.all():
        rows = np.flatnonzero(present)
        first, second, counts = (
            first.select_transitions(rows),
            second.select_transitions(rows),
            counts[rows],
        )
        x, y = _make_spread(first, counts), _make_spread(second, counts)
    if x is None or y is None or x.squares <= 0 or y.squares <= 0:
        return 0.0
    covariance = max(_sum_products(x, first.place, y, second.place, counts), 0.0)
    return min(1.0, float(covariance**0.5 / (x.squares * y.squares) ** 0.25))


class _NominalSpread:
    """The distances inside a column of concepts."""

    def __init__(self, column: NominalSide, counts: Longs) -> None:
        self.counts = column.column(counts).counts
        self.centred = CentredDistances(column.column(counts), column.measure)
        self.sum_distances = self.centred.sum_distances

    @cached_property
    def squares(self) -> float:
        """The sum over all pairs of records of the squared centred distance."""
        return self.centred.squares()

    @property
    def variance(self) -> float:
        return float(np.sqrt(max(self.squares, 0.0)) / self.counts.sum())


class _NumericalSpread:
    """The differences inside a column of numbers, in units of its range."""

    def __init__(self, column: NumericalSide, counts: Longs) -> None:
        self.counts = column.counts(counts)
        least, greatest = column.distinct[0], column.distinct[-1]
        self.range = float(greatest - least)
        self.numbers = (column.distinct - least) / (self.range or 1.0)

    @cached_property
    def sums(self) -> Floats:
        """The summed difference from each distinct number to all records."""
        return _sum_differences(self.counts[None, :].astype(float), self.numbers)[0]

    @cached_property
    def squares(self) -> float:
        every = np.arange(len(self.numbers))
        return _sum_numerical_products(self, every, self, every, self.counts)

    @property
    def variance(self) -> float:
        return float(np.sqrt(max(self.squares, 0.0)) / self.counts.sum() * self.range)

    def sum_distances(self, counts: Any) -> Floats:
        """Sparse counts, a column per number, times the table of differences."""
        out = np.empty(counts.shape)
        height = max(1, CELLS // counts.shape[1])
        for first in range(0, counts.shape[0], height):
            block = counts[first : first + height].toarray()
            out[first : first + height] = _sum_differences(block, self.numbers)
        return out


_Spread = _NominalSpread | _NumericalSpread


def _make_spread(column: Side, counts: Longs) -> _Spread | None:
    """None where there is no value at all."""
    if not len(column.distinct):
        return None
    if isinstance(column, NominalSide):
        return _NominalSpread(column, counts)
    return _NumericalSpread(column, counts)


def _sum_differences(counts: Floats, numbers: Floats) -> Floats:
    """Each row of counts times the table of differences between ascending numbers."""
    until, weighted = np.cumsum(counts, axis=1), counts * numbers
    np.cumsum(weighted, axis=1, out=weighted)
    total, weighted_total = until[:, -1:].copy(), weighted[:, -1:].copy()
    # From b: b times how many are below, less their sum; the other way round for those above. In
    # place: making new tables would take longer than filling them.
    until *= 2
    until -= total
    until *= numbers
    weighted *= -2
    weighted += weighted_total
    until += weighted
    return until


def _sum_products(
    x: _Spread,
    x_place: NDArray[np.integer],
    y: _Spread,
    y_place: NDArray[np.integer],
    counts: Longs,
) -> float:
    """The sum over all pairs of records of the products of centred distances."""
    from scipy.sparse import csr_array

    if isinstance(x, _NumericalSpread):
        if isinstance(y, _NumericalSpread):
            return _sum_numerical_products(x, x_place, y, y_place, counts)
        x, x_place, y, y_place = y, y_place, x, x_place
    shape = (len(x.counts), len(y.counts))
    together = csr_array((counts.astype(float), (x_place, y_place)), shape=shape)
    return summed_products(together, x.centred, y.sum_distances)


def _sum_numerical_products(
    x: _NumericalSpread,
    x_place: NDArray[np.integer],
    y: _NumericalSpread,
    y_place: NDArray[np.integer],
    counts: Longs,
) -> float:
    """The same for two columns of numbers, from sums of products that are not centred."""
    from ontomask.utility.kernels import sum_difference_products

    order = np.argsort(x_place, kind="stable")
    row, column, weight = x_place[order], y_place[order], counts[order].astype(float)
    rank = column.astype(np.int64) + 1
    n = float(weight.sum())
    raw = sum_difference_products(x.numbers[row], y.numbers[column], rank, weight)
    by_record = float(weight @ (x.sums[row] * y.sums[column]))
    overall = float(x.counts @ x.sums) * float(y.counts @ y.sums)
    return raw - 2 * by_record / n + overall / n**2
