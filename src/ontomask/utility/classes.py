"""What has become of the classes: the records that look alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.tuples import Transitions, cache_per_plan, count_tuples
from ontomask.utility.sides import sides

__all__ = ["average_class_size", "discernibility", "kl"]

Longs = NDArray[np.int64]


def kl(plan: Transitions) -> float:
    r"""How much the distribution of the tuples has changed.

    .. math:: KL = \sum_t f_t \log \frac{f_t}{f^*_t}

    (SF eq. 8) over the distinct original tuples, with :math:`f^*_t = (c^*_t + \frac12 [c^*_t = 0])
    / (n + \frac12 absent)`. From 0 (not at all); better when lower. Departures from the paper: the
    half record, so that tuples that are gone count and the sum is never negative.

    >>> from ontomask.utility.example import six_patients
    >>> round(kl(six_patients()), 3)
    0.75
    """
    before, after = _visible_tuples(plan)
    size = int(max(before.max(), after.max())) + 1
    original = np.bincount(before, weights=plan.count, minlength=size)
    masked = np.bincount(after, weights=plan.count, minlength=size)[original > 0]
    n, absent = plan.tuples.records, int((masked == 0).sum())
    share = original[original > 0] / n
    return float(share @ np.log(share / (np.where(masked == 0, 0.5, masked) / (n + absent / 2))))


def discernibility(plan: Transitions, removed: bool = False) -> int:
    r"""How many records each record looks like, summed over records.

    .. math:: DM = \sum_g |g|^2

    over the classes of equal masked tuples (TM eq. 1). From the number of records (all different)
    to its square; better when lower. Suppressed records look alike and are one class, unless they
    are ``removed``: the paper has none, other programs charge each of them the number of all
    records.

    >>> from ontomask.utility.example import six_patients
    >>> discernibility(six_patients())
    12
    """
    return sum(size * size for size in _class_sizes(plan, removed).tolist())


def average_class_size(plan: Transitions, k: int | None = None, removed: bool = False) -> float:
    r"""The mean number of records in a class of equal masked tuples.

    .. math:: C_{avg} = \frac{n}{classes} \quad\text{or, with } k, \quad \frac{n}{classes \cdot k}

    (LeFevre et al. 2006; ARX's average equivalence class size.) From 1 up; with ``k``, 1 is the
    best that k-anonymity allows. Better when lower. Suppressed records are one class, unless they
    are ``removed``; 0 where none is left.

    >>> from ontomask.utility.example import six_patients
    >>> average_class_size(six_patients()), average_class_size(six_patients(), k=2)
    (2.0, 1.0)
    """
    sizes = _class_sizes(plan, removed)
    size = float(sizes.mean()) if len(sizes) else 0.0
    return size if k is None else size / k


def _class_sizes(plan: Transitions, removed: bool) -> Longs:
    _, after = _visible_tuples(plan)
    blank: NDArray[np.bool_] = np.all(np.isnan(plan.targets), axis=1)
    left_out = blank[plan.target] & removed
    sizes = np.bincount(after, weights=np.where(left_out, 0, plan.count)).astype(np.int64)
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
