"""Interval disclosure: how many masked numbers are still near the original ones.

Both measures ask whether a record's two numbers are within a window of each other. With
``around="original"`` the window is built around the original number, from the original column, so
masking cannot narrow it. With ``around="masked"`` it is built around the masked number, from the
masked column: what an attacker can do, and what sdcMicro's ``dRisk`` and Domingo-Ferrer and Torra
(2001) do. Shares are from 0 to 1, better when lower; a suppressed number is near nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError, check_choice
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions

__all__ = ["rank_interval", "sd_interval"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: From the numbers of a column, their counts and a share to the windows around them.
WindowFunction = Callable[[Floats, Longs, float], tuple[Floats, Floats]]


def rank_interval(
    plan: Transitions, window: float = 0.05, around: str = "original"
) -> dict[str, float]:
    r"""Share of records whose masked number is within some ranks of the original one.

    Source: Domingo-Ferrer and Torra (2001), with ``around="masked"``.

    Args:
        plan: The transitions of a release.
        window: Half the width of the interval, as a share of the records (rounded down). Equal
            numbers have all their ranks: the interval begins before the first and ends after the
            last of them.
        around: Whether the interval is built around the ``"original"`` or the ``"masked"`` number.

    Returns:
        The share by numerical attribute, from 0 to 1; lower is better.

    >>> from ontomask.microdata.tuples import count_tuples
    >>> age = NumericalAttribute("age", np.array([30.0, 40.0, 50.0, 90.0]))
    >>> tuples, _ = count_tuples([age], [np.array([0, 1, 2, 3])])
    >>> plan = Transitions.from_targets(tuples, np.array([[40.0], [60.0]]), np.array([0, 0, 1, 1]))
    >>> rank_interval(plan, window=0.25)  # 60 is between 50 and 90, and between 40 and 90
    {'age': 1.0}
    >>> rank_interval(plan, window=0.0)
    {'age': 0.25}
    """
    return _shares_by_attribute(plan, _rank_windows, window, around)


def sd_interval(
    plan: Transitions, window: float = 0.05, around: str = "original"
) -> dict[str, float]:
    r"""Share of records whose masked number is within part of a standard deviation of the original.

    .. math:: |x_i - x^*_i| \le window \cdot s

    :math:`s` is the sample standard deviation of the column that ``around`` names. Source:
    sdcMicro's ``dRisk`` with ``around="masked"``, for one column at a time. With several columns,
    sdcMicro counts a record if at most one of its numbers is outside.

    Args:
        plan: The transitions of a release.
        window: Half the width of the interval, in standard deviations.
        around: Whether the interval is built around the ``"original"`` or the ``"masked"`` number.

    Returns:
        The share by numerical attribute, from 0 to 1; lower is better.

    >>> from ontomask.microdata.tuples import count_tuples
    >>> age = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([age], [np.array([0, 1, 2])])
    >>> plan = Transitions.from_targets(tuples, np.array([[35.0], [50.0]]), np.array([0, 0, 1]))
    >>> sd_interval(plan, window=0.4)  # the standard deviation is 10
    {'age': 0.3333333333333333}
    """
    return _shares_by_attribute(plan, _deviation_windows, window, around)


def _shares_by_attribute(
    plan: Transitions, make_windows: WindowFunction, window: float, around: str
) -> dict[str, float]:
    """The share of near records of each numerical attribute."""
    if not window >= 0:
        raise ParameterError(f"window must be a share of at least 0, got {window!r}")
    check_choice("around", around, "original", "masked")
    shares = {}
    for j, attribute in enumerate(plan.tuples.attributes):
        if isinstance(attribute, NumericalAttribute):
            original = attribute.numbers[plan.tuples.codes[j, plan.source]]
            masked = plan.targets[plan.target, j]
            centre, other = (original, masked) if around == "original" else (masked, original)
            low, high = _windows(centre, plan.count, make_windows, window)
            near = (low <= other) & (other <= high)  # never true of NaN, a suppressed number
            shares[attribute.name] = int(plan.count[near].sum()) / plan.tuples.records
    return shares


def _windows(
    centre: Floats, count: Longs, make_windows: WindowFunction, window: float
) -> tuple[Floats, Floats]:
    """The window around each number; that around a suppressed or missing one is NaN."""
    numbers, place = np.unique(centre, return_inverse=True)
    counts = np.bincount(place, weights=count).astype(np.int64)
    known = np.isfinite(numbers)
    low, high = np.full(len(numbers), np.nan), np.full(len(numbers), np.nan)
    if known.any():
        low[known], high[known] = make_windows(numbers[known], counts[known], window)
    return low[place], high[place]


def _rank_windows(numbers: Floats, counts: Longs, window: float) -> tuple[Floats, Floats]:
    until = np.cumsum(counts)  # the ranks of a number are those before it up to its own
    n = int(until[-1])
    ranks = int(window * n)
    first = np.maximum(until - counts - ranks, 0)
    last = np.minimum(until - 1 + ranks, n - 1)
    return (
        numbers[np.searchsorted(until, first, side="right")],
        numbers[np.searchsorted(until, last, side="right")],
    )


def _deviation_windows(numbers: Floats, counts: Longs, window: float) -> tuple[Floats, Floats]:
    n = int(counts.sum())
    mean = float(numbers @ counts) / n
    deviation = sqrt(float((numbers - mean) ** 2 @ counts) / max(n - 1, 1))
    return numbers - window * deviation, numbers + window * deviation
