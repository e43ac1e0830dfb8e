"""What has become of each column: its mean and its spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontomask.distances import Distances, distance
from ontomask.microdata.tuples import Transitions, cache_per_plan
from ontomask.statistics.centre import semantic_mean
from ontomask.taxonomy import Concept
from ontomask.utility.sides import Longs, NominalSide, sides

__all__ = ["Change", "MeanShift", "mean_shift", "variance_difference"]


@dataclass(frozen=True)
class Change:
    """A figure of a column before and after masking.

    Both are None if every value is suppressed or missing.

    Attributes:
        before: The figure of the original column.
        after: The figure of the masked column.
    """

    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        """Absolute difference of the two."""
        if self.before is None or self.after is None:
            return None
        return abs(self.after - self.before)


@dataclass(frozen=True)
class MeanShift:
    """The semantic mean of a column before and after masking.

    All are None if every value is suppressed or missing.

    Attributes:
        before: Mean of the original column.
        after: Mean of the masked column.
        distance: Distance between the two.
    """

    before: Concept | None
    after: Concept | None
    distance: float | None


def mean_shift(plan: Transitions) -> dict[str, MeanShift]:
    r"""How far the semantic mean of each nominal attribute has moved.

    .. math:: d\bigl(\mu(X^*), \mu(X)\bigr)

    (RS 4.1; the mean is that of RS eq. 13, over all concepts of the attribute's domain.) From 0
    (preserved) to 1; lower is better. Suppressed and missing values are left out.

    >>> from ontomask.utility.example import six_patients
    >>> mean_shift(six_patients())["diagnosis"]
    MeanShift(before='influenza', after='influenza', distance=0.0)
    """
    shifts = {}
    for attribute, sides_pair in _nominal_sides(plan).items():
        (before, _), (after, _) = _centres(plan)[attribute]
        taxonomy, measure = sides_pair[0].taxonomy, sides_pair[0].measure
        apart = None
        if before is not None and after is not None:
            apart = distance(taxonomy, before, after, measure)
        shifts[attribute] = MeanShift(before, after, apart)
    return shifts


def variance_difference(plan: Transitions) -> dict[str, Change]:
    r"""The semantic variance of each nominal attribute before and after masking.

    .. math:: \sigma^2(X) = \frac{1}{n} \sum_{x \in X} d(x, \mu)^2

    (NO eq. 12.) Variances and their difference are from 0 to 1; a lower difference is better. Noise
    is meant to multiply the variance by 1 + alpha. Suppressed and missing values are left out.

    >>> from ontomask.utility.example import six_patients
    >>> round(variance_difference(six_patients())["diagnosis"].difference, 3)
    0.058
    """
    return {name: Change(before[1], after[1]) for name, (before, after) in _centres(plan).items()}


def _nominal_sides(plan: Transitions) -> dict[str, tuple[NominalSide, NominalSide]]:
    return {
        attribute.name: (before, after)
        for attribute, (before, after) in zip(plan.tuples.attributes, sides(plan), strict=True)
        if isinstance(before, NominalSide) and isinstance(after, NominalSide)
    }


Centre = tuple[Concept | None, float | None]


@cache_per_plan
def _centres(plan: Transitions) -> dict[str, tuple[Centre, Centre]]:
    """The mean and the variance of each nominal attribute, before and after."""
    return {
        name: (_centre(before, plan.count), _centre(after, plan.count))
        for name, (before, after) in _nominal_sides(plan).items()
    }


def _centre(side: NominalSide, counts: Longs) -> Centre:
    column = side.column(counts)
    if not column.records:
        return None, None
    names = [side.taxonomy.identifiers[code] for code in column.codes.tolist()]
    values = dict(zip(names, column.counts.tolist(), strict=True))
    mean = semantic_mean(values, side.taxonomy, side.measure)
    place = np.array([side.taxonomy.code(mean)], dtype=np.int32)
    apart = Distances(side.taxonomy, place, column.codes, side.measure).row(0)
    return mean, float(column.counts @ apart**2 / column.records)
