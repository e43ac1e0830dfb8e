"""What has become of the numerical attributes, in the terms of their own trade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.utility.association import Correlations
from ontomask.utility.columns import Change
from ontomask.utility.sides import Longs, NumericalSide, attribute_distances, sides

__all__ = ["NumberSummary", "numbers"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberSummary:
    """Figures of the numerical attributes.

    Attributes:
        means: Mean by attribute, before and after.
        variances: Sample variance by attribute, before and after.
        correlations: Pearson's correlations, before and after.
        il1s: The information loss IL1s.
    """

    means: dict[str, Change]
    variances: dict[str, Change]
    correlations: Correlations
    il1s: float | None


def numbers(plan: Transitions) -> NumberSummary:
    r"""Mean, variance and correlation of numbers before and after masking, and IL1s.

    .. math:: IL1s = \frac{1}{p\, n} \sum_j \sum_i \frac{|x_{ij} - x^*_{ij}|}{\sqrt{2}\, S_j}

    The sum is over the p numerical attributes; :math:`S_j` is the original standard deviation
    (sdcMicro's ``dUtility``). Lower differences are better. Suppressed numbers are left out of
    means, variances and correlations; in IL1s they count as the range of the column. Attributes
    with only one value are left out of IL1s; it is None if no attribute remains.

    >>> from ontomask.utility.example import six_patients
    >>> summary = numbers(six_patients())
    >>> summary.means["age"], round(summary.il1s, 3)
    (Change(before=36.666666666666664, after=36.666666666666664), 0.195)
    """
    numerical = {
        attribute.name: j
        for j, attribute in enumerate(plan.tuples.attributes)
        if isinstance(attribute, NumericalAttribute)
    }
    before, after = (
        [_numbers_by_transition(plan, j, side) for j in numerical.values()] for side in (0, 1)
    )
    moments = [[_moments(column, plan.count) for column in columns] for columns in (before, after)]
    means, variances = (
        {
            name: Change(first[which], second[which])
            for name, first, second in zip(numerical, *moments, strict=True)
        }
        for which in (0, 1)
    )
    pearson = Correlations(
        tuple(numerical),
        _pearson(before, plan.count),
        _pearson(after, plan.count),
        plan.tuples.records,
    )
    return NumberSummary(means, variances, pearson, _il1s(plan, numerical, variances))


def _numbers_by_transition(plan: Transitions, j: int, side: int) -> Floats:
    """The number of each transition; NaN where it is suppressed."""
    column = sides(plan)[j][side]
    assert isinstance(column, NumericalSide)
    return np.append(column.distinct, np.nan)[column.place]


def _moments(column: Floats, counts: Longs) -> tuple[float | None, float | None]:
    """The mean and the sample variance; of a single number, 0."""
    present = ~np.isnan(column)
    values, weight = column[present], counts[present]
    n = int(weight.sum())
    if not n:
        return None, None
    mean = float(weight @ values) / n
    return mean, float(weight @ (values - mean) ** 2) / (n - 1) if n > 1 else 0.0


def _pearson(columns: list[Floats], counts: Longs) -> Floats:
    """0 where one of two columns has one value only."""
    matrix = np.zeros((len(columns), len(columns)))
    for j, x in enumerate(columns):
        for k, y in enumerate(columns[: j + 1]):
            matrix[j, k] = matrix[k, j] = _correlation(x, y, counts)
    return matrix


def _correlation(x: Floats, y: Floats, counts: Longs) -> float:
    present = ~np.isnan(x) & ~np.isnan(y)
    x, y, weight = x[present], y[present], counts[present]
    if not len(x) or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    x, y = x - weight @ x / weight.sum(), y - weight @ y / weight.sum()
    correlation = weight @ (x * y) / np.sqrt((weight @ x**2) * (weight @ y**2))
    return float(np.clip(correlation, -1.0, 1.0))


def _il1s(
    plan: Transitions, numerical: dict[str, int], variances: dict[str, Change]
) -> float | None:
    losses = []
    for name, j in numerical.items():
        attribute, variance = plan.tuples.attributes[j], variances[name].before
        assert isinstance(attribute, NumericalAttribute)
        if variance:
            total = float(plan.count @ attribute_distances(plan)[j]) * attribute.range
            losses.append(total / np.sqrt(2 * variance))
    return float(sum(losses) / (len(losses) * plan.tuples.records)) if losses else None
