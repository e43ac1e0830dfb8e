"""How much more frequent, or rarer, a sensitive value is in a class than in the whole table.

(α, k)-anonymity: Wong, Li, Fu and Wang (2006). β-likeness: Cao and Karras (2012). δ-disclosure
privacy: Brickell and Shmatikov (2008). Only known values are counted.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from ontomask.risk.diversity import Confidential

__all__ = ["alpha", "basic_beta_likeness", "delta_disclosure", "enhanced_beta_likeness"]

Floats = NDArray[np.float64]


def alpha(confidential: Confidential) -> float:
    r"""The α of (α, k)-anonymity: the largest share of a value among the known ones of a class.

    .. math:: \alpha = \max_g \max_s q_{gs}

    :math:`q_{gs}` is the share of value :math:`s` in class :math:`g`. From 0, for an empty table,
    to 1; 1 if a class has no known value. Lower is better.

    >>> outcome = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([3, 1, 2, 2])
    >>> alpha(Confidential("o", *outcome))
    0.75
    """
    if confidential.has_unknown_class:
        return 1.0
    return float(confidential.shares.max(initial=0.0))


def basic_beta_likeness(confidential: Confidential) -> float:
    r"""Basic β-likeness: the largest relative gain of a value in a class over the whole table.

    .. math:: \beta = \max_g \max_s \frac{q_{gs} - p_s}{p_s}

    :math:`q_{gs}` is the share of value :math:`s` in class :math:`g` and :math:`p_s` that in the
    table. From 0; infinite if a class has no known value. Lower is better.

    >>> outcome = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([3, 1, 1, 3])
    >>> basic_beta_likeness(Confidential("o", *outcome))  # 3/4 instead of 1/2
    0.5
    """
    if confidential.has_unknown_class:
        return inf
    return float(_gains(confidential).max(initial=0.0))


def enhanced_beta_likeness(confidential: Confidential) -> float:
    r"""Enhanced β-likeness: the smallest β with which it holds, or infinity if none does.

    .. math:: \frac{q_{gs} - p_s}{p_s} \le \min(\beta, -\ln p_s)

    It is the basic β where no value gains more than :math:`-\ln p_s`: frequent values may gain
    less than rare ones. From 0. Lower is better.

    >>> outcome = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([3, 1, 1, 3])
    >>> enhanced_beta_likeness(Confidential("o", *outcome))  # 0.5 is below -ln(1/2)
    0.5
    >>> enhanced_beta_likeness(Confidential("o", np.arange(2), np.arange(2), np.array([3, 3])))
    inf
    """
    if confidential.has_unknown_class:
        return inf
    gains = _gains(confidential)
    # A share may be a rounding error away from that of the table; -ln 1 is 0.
    if (gains > -np.log(confidential.table_shares[confidential.held]) + 1e-12).any():
        return inf
    return float(gains.max(initial=0.0))


def delta_disclosure(confidential: Confidential, *, every_value: bool = False) -> float:
    r"""δ-disclosure privacy: the largest change of a share, as the logarithm of its factor.

    .. math:: \delta = \max_g \max_s \Bigl|\ln \frac{q_{gs}}{p_s}\Bigr|

    The maximum is over the values that occur in a class, as in pycanon and ARX (which takes the
    binary logarithm). As Brickell and Shmatikov define it, it is over all values of the table, so
    it is infinite where a class lacks one: that is ``every_value=True``. From 0; infinite if a
    class has no known value. Lower is better.

    >>> outcome = np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([1, 1, 2])
    >>> round(delta_disclosure(Confidential("o", *outcome)), 3)  # 1/2 instead of 1/4: ln 2
    0.693
    >>> delta_disclosure(Confidential("o", *outcome), every_value=True)
    inf
    """
    if confidential.has_unknown_class:
        return inf
    if every_value and (np.diff(confidential.begin) < len(confidential.used)).any():
        return inf
    factors = confidential.shares / confidential.table_shares[confidential.held]
    return float(np.abs(np.log(factors)).max(initial=0.0))


def _gains(confidential: Confidential) -> Floats:
    """How much more frequent each value of each class is there, relative to the whole table."""
    table_shares = confidential.table_shares[confidential.held]
    return (confidential.shares - table_shares) / table_shares
