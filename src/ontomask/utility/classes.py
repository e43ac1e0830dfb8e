"""What has become of the classes: the records that look alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.tuples import Transitions, cache_per_plan, count_tuples
from ontomask.utility.sides import sides

__all__ = ["average_class_size", "discernibility", "kl"]

Longs = NDArray[np.int64]


def kl(plan: Transitions, removed: bool = False) -> float:
    r"""Kullback-Leibler divergence between the original and the masked combinations of values.

    .. math:: KL = \sum_t f_t \log \frac{f_t}{f^*_t}

    (SF eq. 8.) The sum is over the distinct original combinations, with :math:`f^*_t = (c^*_t +
    \frac12 [c^*_t = 0]) / (n^* + \frac12 absent)` over the :math:`n^*` released records.
    Departures from the paper: combinations that have disappeared count as half a record, so the
    sum is never negative.

    Args:
        plan: The planned transitions.
        removed: Whether suppressed records are not released. Otherwise they are one combination.

    Returns:
        A number from 0 up; lower is better.

    >>> from ontomask.utility.example import six_patients
    >>> round(kl(six_patients()), 3)
    0.75
    """
    before, after = _visible_tuples(plan)
    size = int(max(before.max(), after.max())) + 1
    original = np.bincount(before, weights=plan.count, minlength=size)
    released = np.where(plan.released_targets(removed)[plan.target], plan.count, 0)
    masked = np.bincount(after, weights=released, minlength=size)[original > 0]
    n, absent = int(released.sum()), int((masked == 0).sum())
    share = original[original > 0] / plan.tuples.records
    return float(share @ np.log(share / (np.where(masked == 0, 0.5, masked) / (n + absent / 2))))


def discernibility(plan: Transitions, removed: bool = False) -> int:
    r"""Discernibility metric: the sum of the squared sizes of the equivalence classes.

    .. math:: DM = \sum_g |g|^2

    (TM eq. 1.) From the number of records (all different) to its square; lower is better.
    Suppressed records are one class, unless they are ``removed``. The paper has none; other
    programs charge each of them the number of all records.

    >>> from ontomask.utility.example import six_patients
    >>> discernibility(six_patients())
    12
    """
    return sum(size * size for size in _class_sizes(plan, removed).tolist())


def average_class_size(plan: Transitions, k: int | None = None, removed: bool = False) -> float:
    r"""Mean number of records in an equivalence class.

    .. math:: C_{avg} = \frac{n}{classes} \quad\text{or, with } k, \quad \frac{n}{classes \cdot k}

    (LeFevre et al. 2006; the average equivalence class size of ARX.)

    Args:
        plan: The transitions of a release.
        k: Divide the mean by this number. Then 1 is the best that k-anonymity allows.
        removed: Whether suppressed records are removed from the table. Otherwise they are one
            class.

    Returns:
        A number from 1 up; lower is better. 0 if no record is left.

    >>> from ontomask.utility.example import six_patients
    >>> average_class_size(six_patients()), average_class_size(six_patients(), k=2)
    (2.0, 1.0)
    """
    sizes = _class_sizes(plan, removed)
    size = float(sizes.mean()) if len(sizes) else 0.0
    return size if k is None else size / k


def _class_sizes(plan: Transitions, removed: bool) -> Longs:
    _, after = _visible_tuples(plan)
    released = np.where(plan.released_targets(removed)[plan.target], plan.count, 0)
    sizes = np.bincount(after, weights=released).astype(np.int64)
    return sizes[sizes > 0]


@cache_per_plan
def _visible_tuples(plan: Transitions) -> tuple[Longs, Longs]:
    """What each transition's record looks like before and after: equal numbers, equal tuples.

    A missing and a suppressed value are both written as an empty cell, and so look the same.
    """
    columns = []
    for before, after in sides(plan):
        distinct = np.union1d(before.distinct, after.distinct)
        columns.append(
            np.concatenate(
                [
                    np.append(np.searchsorted(distinct, side.distinct), len(distinct))[side.place]
                    for side in (before, after)
                ]
            )
        )
    _, visible = count_tuples(plan.tuples.attributes, columns)
    return visible[: len(plan.count)], visible[len(plan.count) :]
