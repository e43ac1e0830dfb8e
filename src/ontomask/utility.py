"""What masking cost: how far the masked table is from the original, from transitions alone.

Distances are the attributes' own semantic ones, whatever a method went by.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.attributes import FIXED, NominalAttribute, NumericalAttribute
from ontomask.tuples import Transitions

__all__ = ["attribute_sse", "kl", "sse"]

Floats = NDArray[np.float64]


def sse(plan: Transitions) -> float:
    r"""The summed squared error over records (SF eq. 7): better when lower.

    .. math:: SSE = \sum_i \Bigl(\frac{1}{m} \sum_j d(x_{ij}, x^*_{ij})\Bigr)^2

    A number contributes its difference over the column's range, a suppressed value 1.
    """
    attributes = plan.tuples.attributes
    apart = sum(_moved(plan, j) for j in range(len(attributes))) / len(attributes)
    return float(plan.count @ apart**2)


def attribute_sse(plan: Transitions) -> dict[str, float]:
    """The summed squared error of each attribute, numbers in their own units (MA 3.3)."""
    errors: dict[str, float] = {}
    for j, attribute in enumerate(plan.tuples.attributes):
        apart = _moved(plan, j)
        if isinstance(attribute, NumericalAttribute):
            apart = apart * attribute.range
        errors[attribute.name] = float(plan.count @ apart**2)
    return errors


def _moved(plan: Transitions, j: int) -> Floats:
    """How far each transition moves an attribute; 1 where it is suppressed."""
    attribute = plan.tuples.attributes[j]
    value, target = plan.tuples.codes[j, plan.source], plan.targets[plan.target, j]
    kept = ~np.isnan(target)
    apart = np.ones(len(target))
    if isinstance(attribute, NominalAttribute):
        used, place = np.unique(target[kept].astype(np.int64), return_inverse=True)
        apart[kept] = attribute.rows(used)[place, value[kept]] / FIXED
    elif isinstance(attribute, NumericalAttribute):
        difference = np.abs(attribute.numbers[value] - target)
        apart[kept] = difference[kept] / attribute.range if attribute.range else 0.0
    return apart


def kl(plan: Transitions) -> float:
    r"""How much the distribution of the tuples has changed (SF eq. 8): 0 for not at all.

    .. math:: KL = \sum_t f_t \log \frac{f_t}{f^*_t}

    over the distinct original tuples, with :math:`f^*_t = (c^*_t + \frac12 [c^*_t = 0]) / (n +
    \frac12 absent)`, so that tuples that are gone count and the sum is never negative.
    """
    tuples = plan.tuples
    original, place = np.unique(
        np.concatenate([tuples.targets(), plan.targets]), axis=0, return_inverse=True
    )
    place = place.ravel()
    masked = np.bincount(
        place[len(tuples) :][plan.target], weights=plan.count, minlength=len(original)
    )[place[: len(tuples)]]
    n, absent = tuples.records, int((masked == 0).sum())
    before = tuples.counts / n
    after = np.where(masked == 0, 0.5, masked) / (n + absent / 2)
    return float(before @ np.log(before / after))
