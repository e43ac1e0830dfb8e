"""Information loss: how far records and values are from their originals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.utility.sides import attribute_distances

__all__ = [
    "attribute_sse",
    "changed",
    "changed_records",
    "mean_absolute_distance",
    "rmse",
    "semantic_quality",
    "sse",
]

Floats = NDArray[np.float64]


def sse(plan: Transitions) -> float:
    r"""SSE: the sum of squared distances between original and masked records.

    .. math:: SSE = \sum_i \Bigl(\frac{1}{m} \sum_j d(x_{ij}, x^*_{ij})\Bigr)^2

    (SF eq. 7.) A number contributes its difference divided by the range of the column. A suppressed
    value contributes 1. From 0 (nothing changed) to the number of records, unless numbers left
    their range. Lower is better.

    >>> from ontomask.utility.example import six_patients
    >>> round(sse(six_patients()), 4)
    0.3182
    """
    return float(plan.count @ _record_distance(plan) ** 2)


def attribute_sse(plan: Transitions) -> dict[str, float]:
    r"""Sum of squared distances between original and masked values, by attribute.

    .. math:: SSE_j = \sum_i d(x_{ij}, x^*_{ij})^2

    (MA 3.3.) Numbers are in their own units; a suppressed number counts as the range of the column.
    From 0; lower is better.

    >>> from ontomask.utility.example import six_patients
    >>> {name: round(error, 3) for name, error in attribute_sse(six_patients()).items()}
    {'diagnosis': 0.653, 'age': 100.0}
    """
    return {
        name: float(plan.count @ apart**2) for name, apart in _distances_in_own_units(plan).items()
    }


def rmse(plan: Transitions) -> dict[str, float]:
    r"""Root mean squared distance between original and masked values, by attribute.

    .. math:: RMSE_j = \sqrt{\frac{1}{n} \sum_i d(x_{ij}, x^*_{ij})^2}

    (RS 4.1.) From 0 to 1 for words; numbers are in their own units. A suppressed word counts as 1,
    a suppressed number as the range of the column. Lower is better.

    >>> from ontomask.utility.example import six_patients
    >>> {name: round(error, 3) for name, error in rmse(six_patients()).items()}
    {'diagnosis': 0.33, 'age': 4.082}
    """
    records = plan.tuples.records
    return {name: float(np.sqrt(error / records)) for name, error in attribute_sse(plan).items()}


def mean_absolute_distance(plan: Transitions) -> dict[str, float]:
    r"""Mean distance between original and masked values, by attribute.

    .. math:: MAD_j = \frac{1}{n} \sum_i d(x_{ij}, x^*_{ij})

    NO tables I and III print this figure as RMSE. Units, range and suppressed values are as in
    :func:`rmse`. Lower is better.

    >>> from ontomask.utility.example import six_patients
    >>> {name: round(d, 3) for name, d in mean_absolute_distance(six_patients()).items()}
    {'diagnosis': 0.254, 'age': 3.333}
    """
    records = plan.tuples.records
    return {
        name: float(plan.count @ apart) / records
        for name, apart in _distances_in_own_units(plan).items()
    }


def changed(plan: Transitions) -> dict[str, float]:
    """Share of values that masking changed, by attribute.

    From 0 to 1; lower is better. A suppressed value is changed.

    >>> from ontomask.utility.example import six_patients
    >>> {name: round(share, 3) for name, share in changed(six_patients()).items()}
    {'diagnosis': 0.667, 'age': 0.667}
    """
    return {
        attribute.name: float(plan.count @ differs) / plan.tuples.records
        for attribute, differs in zip(plan.tuples.attributes, _changed_values(plan).T, strict=True)
    }


def changed_records(plan: Transitions) -> float:
    """Share of records with at least one changed value.

    From 0 to 1. Lower is better for data utility and worse for privacy, because an unchanged record
    is published as it is.

    >>> from ontomask.utility.example import six_patients
    >>> round(changed_records(six_patients()), 3)
    0.667
    """
    return float(plan.count @ _changed_values(plan).any(axis=1)) / plan.tuples.records


def semantic_quality(plan: Transitions, normalised: bool = True) -> float:
    r"""How similar the masked values are to the original ones.

    .. math:: \frac{1}{n\, m} \sum_i \sum_j \bigl(1 - d(x_{ij}, x^*_{ij})\bigr)

    (TM eq. 9; with ``normalised=False`` the sum, TM eq. 8.) From 0 to 1 (nothing changed); higher
    is better. Departures from the paper: similarity is 1 - distance, whatever the measure. Numbers
    contribute their difference divided by the range. A suppressed value has similarity 0.

    >>> from ontomask.utility.example import six_patients
    >>> round(semantic_quality(six_patients()), 3)
    0.817
    """
    values = plan.tuples.records * len(plan.tuples.attributes)
    distance = sum(float(plan.count @ apart) for apart in attribute_distances(plan))
    return 1 - distance / values if normalised else values - distance


def _record_distance(plan: Transitions) -> Floats:
    """The mean over attributes of how far each transition moves them."""
    return np.mean(attribute_distances(plan), axis=0)


def _distances_in_own_units(plan: Transitions) -> dict[str, Floats]:
    return {
        a.name: apart * a.range if isinstance(a, NumericalAttribute) else apart
        for a, apart in zip(plan.tuples.attributes, attribute_distances(plan), strict=True)
    }


def _changed_values(plan: Transitions) -> NDArray[np.bool_]:
    """Whether each transition changes each attribute; NaN differs from everything."""
    return plan.tuples.targets()[plan.source] != plan.targets[plan.target]
