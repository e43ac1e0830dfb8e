"""Risk against a population that the table is a sample of: k-map, δ-presence, individual risk.

The measures take the sizes of the equivalence classes of the table, and for each class the number
of people of the population that match it: counted in a table of the population, or estimated as
the sum of the sampling weights of its records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError

__all__ = ["expected_reidentifications", "individual_risk", "k_map", "presence"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: For larger classes the approximation of the individual risk is exact to seven digits.
LARGEST_EXACT = 1000


def k_map(population: Floats) -> float:
    r"""The smallest number of people of the population that match an equivalence class.

    .. math:: \min_g F_g

    A table satisfies k-map for this k (Sweeney 2001). Higher is better; 0 if there are no classes.

    >>> k_map(np.array([12.0, 40.0]))
    12.0
    """
    return float(population.min()) if population.size else 0.0


def presence(sizes: Longs, population: Floats) -> tuple[float, float]:
    r"""δ-presence: the lowest and highest probability that a person of a class is in the table.

    .. math:: \delta_{min} = \min_g \frac{f_g}{F_g}, \quad \delta_{max} = \max_g \frac{f_g}{F_g}

    :math:`f_g` is the number of records of class g in the table, 0 for a class of the population
    that the table does not have, and :math:`F_g` the number of people that match it (Nergiz et al.
    2007). From 0 to 1; 1 if the population has fewer people than the table has records. A lower
    maximum is better.

    >>> presence(np.array([3, 2]), np.array([12.0, 40.0]))
    (0.05, 0.25)
    """
    _check_shapes(sizes, population)
    if not sizes.size:
        return 0.0, 0.0
    shares = sizes / np.maximum(population, np.maximum(sizes, 1))
    return float(shares.min()), float(shares.max())


def individual_risk(sizes: Longs, population: Floats, *, exact: bool = True) -> Floats:
    r"""The individual risk of the records of each class (Benedetti and Franconi 1998).

    .. math:: r = E\Bigl[\frac{1}{F} \Bigm| f\Bigr] = \frac{p}{f}\, {}_2F_1(1, 1; f + 1; 1 - p),
        \quad p = \frac{f}{\hat F}

    :math:`f` is the number of records of the class and :math:`\hat F` the estimated number of
    people that match it; F given f is negative binomial. For :math:`f = 1` it is
    :math:`p \log(1/p) / (1 - p)`.

    Args:
        sizes: Number of records of each class.
        population: Estimated number of people that match each class, such as the sum of the
            sampling weights; at least the number of its records is taken.
        exact: Without it, :math:`p / (f - (1 - p))` for classes of three and more, as in
            ``measure_risk`` of sdcMicro; slightly higher.

    Returns:
        One number per class, from 0 to 1. Lower is better.

    >>> individual_risk(np.array([1, 2, 3]), np.array([17.0, 100.0, 108.0])).round(5)
    array([0.17708, 0.01878, 0.01355])
    """
    from scipy.special import hyp2f1

    _check_shapes(sizes, population)
    share = sizes / np.maximum(population, sizes)
    risk = share / (sizes - (1 - share))
    is_exact = sizes <= (LARGEST_EXACT if exact else 2)
    f, p = sizes[is_exact], share[is_exact]
    risk[is_exact] = p / f * hyp2f1(1, 1, f + 1, 1 - p)
    return risk


def expected_reidentifications(sizes: Longs, population: Floats, *, exact: bool = True) -> float:
    r"""Global risk: the expected number of records that are re-identified correctly.

    .. math:: \sum_g f_g r_g

    The sum of :func:`individual_risk` over the records.

    Args:
        sizes: Number of records of each class.
        population: Estimated number of people that match each class.
        exact: As in :func:`individual_risk`.

    Returns:
        From 0 to the number of records. Lower is better.

    >>> round(expected_reidentifications(np.array([1, 2]), np.array([17.0, 100.0])), 4)
    0.2146
    """
    return float(sizes @ individual_risk(sizes, population, exact=exact))


def _check_shapes(sizes: Longs, population: Floats) -> None:
    if population.shape != sizes.shape:
        raise ParameterError(
            f"population must have one number per class, got {population.size:,} for "
            f"{sizes.size:,} classes",
            "give them in the order of the classes",
        )
