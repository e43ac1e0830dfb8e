"""How many people are unique in a population, estimated from a sample: Pitman, Zayatz and SNB.

The estimates need the sizes of the equivalence classes of the sample and the size of the
population. A model that does not fit gives None, never a number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.risk.classes import uniques

__all__ = [
    "PopulationUniques",
    "pitman_uniques",
    "population_uniques",
    "snb_uniques",
    "zayatz_uniques",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Up to this sampling fraction, the rule of Dankar et al. takes the model of Pitman.
SMALL_SAMPLE = 0.1

#: Where the maximum of Pitman's likelihood is looked for; at the ends there is none.
SMALLEST_ALPHA, LARGEST_ALPHA = 1e-4, 1 - 1e-9
LARGEST_THETA = 1e15
#: Above this, differences of the digamma function lose digits.
LARGEST_DIGAMMA = 200.0

#: The places at which the equation of the SNB model is looked at for a change of sign.
SNB_LOGITS = np.linspace(-25, 25, 1001)


@dataclass(frozen=True)
class PopulationUniques:
    """Estimated number of population uniques by each model; None where a model does not fit.

    Attributes:
        pitman: By the model of Pitman (Hoshino 2001).
        zayatz: By the model of Zayatz (1991).
        snb: By the slide negative binomial model (Chen and McNulty 1998).
        model: The model that the rule of Dankar et al. (2012) chooses.
        chosen: The estimate of that model.
    """

    pitman: float | None
    zayatz: float
    snb: float | None
    model: str
    chosen: float


def population_uniques(sizes: Longs, population: int) -> PopulationUniques:
    """Estimate the number of population uniques by all models, and choose one.

    The rule of Dankar et al. (2012): for samples of at most a tenth of the population, Pitman;
    for larger ones the lower of SNB and Zayatz; Zayatz if the other model does not fit.

    Args:
        sizes: Sizes of the equivalence classes of the sample.
        population: Number of records of the population; at least that of the sample.

    Returns:
        The estimates. All are the number of sample uniques if the sample is the population.

    >>> sizes = np.repeat([1, 2, 3, 5, 9, 30], [40, 12, 6, 3, 2, 1])
    >>> population_uniques(sizes, population=5000)
    PopulationUniques(pitman=259.15..., zayatz=457.11..., snb=285.21..., model='pitman',
    chosen=259.15...)
    """
    estimates = {
        "pitman": pitman_uniques(sizes, population),
        "zayatz": zayatz_uniques(sizes, population),
        "snb": snb_uniques(sizes, population),
    }
    model = "pitman" if sizes.sum() <= SMALL_SAMPLE * population else "snb"
    preferred, zayatz = estimates[model], estimates["zayatz"]
    assert zayatz is not None
    if preferred is None or (model == "snb" and zayatz < preferred):
        model, preferred = "zayatz", zayatz
    return PopulationUniques(estimates["pitman"], zayatz, estimates["snb"], model, preferred)


def zayatz_uniques(sizes: Longs, population: int) -> float:
    r"""Estimated number of population uniques by the model of Zayatz (1991).

    .. math:: \hat U = \frac{s_1}{\pi} \cdot
        \frac{s_1 H(1 \mid 1)}{\sum_j s_j H(1 \mid j)}

    :math:`s_j` is the number of sample classes of size j, :math:`\pi` the sampling fraction and
    :math:`H(1 \mid j)` the hypergeometric probability that a sample contains exactly one record of
    a population class of size j. The second factor is the probability that a sample unique is a
    population unique, if the classes of the population are distributed like those of the sample.

    Args:
        sizes: Sizes of the equivalence classes of the sample.
        population: Number of records of the population.

    Returns:
        From 0 to the size of the population. Lower is better.
    """
    from scipy.special import gammaln

    sample = _Sample.from_sizes(sizes, population)
    if sample.decided is not None:
        return sample.decided
    # H(1|j) = (n/N) j C(N-j, n-1) / C(N-1, n-1); n/N cancels out. The ratio of binomials is that of
    # the falling factorials of N-n and N-1, of j-1 factors each.
    rest, others = population - sample.records, sample.sizes - 1
    possible = others <= rest
    fewer = np.where(possible, others, 0)
    log_ratio = (
        gammaln(rest + 1)
        - gammaln(rest + 1 - fewer)
        - gammaln(population)
        + gammaln(population - fewer)
    )
    exactly_one = np.where(possible, sample.sizes * np.exp(log_ratio), 0.0)
    share = sample.of_size(1) / float(sample.counts @ exactly_one)
    return min(sample.of_size(1) * share * population / sample.records, float(population))


def pitman_uniques(sizes: Longs, population: int) -> float | None:
    r"""Estimated number of population uniques by the model of Pitman (Hoshino 2001).

    .. math:: \hat U = \frac{\Gamma(\theta + 1)}{\Gamma(\theta + \alpha)} N^\alpha

    :math:`\theta \ge 0` and :math:`0 < \alpha < 1` maximise the likelihood of the sample,

    .. math:: \sum_{i=1}^{u-1} \log(\theta + i \alpha) - \sum_{i=1}^{n-1} \log(\theta + i)
        + \sum_j s_j \sum_{i=1}^{j-1} \log(i - \alpha)

    with n records in u classes, :math:`s_j` of them of size j.

    Args:
        sizes: Sizes of the equivalence classes of the sample.
        population: Number of records of the population, N.

    Returns:
        From 0 to the size of the population; lower is better. None if the likelihood has no
        maximum there, or the estimate is more than the population: the model does not fit.
    """
    from scipy.optimize import brentq
    from scipy.special import digamma, gammaln

    sample = _Sample.from_sizes(sizes, population)
    if sample.decided is not None:
        return sample.decided
    n, u = sample.records, sample.classes
    if u == n:
        return None  # without repeated values nothing limits theta

    def sum_over_classes(theta: float, alpha: float) -> float:
        return _harmonic_sum(theta / alpha, u) / alpha

    def theta_slope(theta: float, alpha: float) -> float:
        return sum_over_classes(theta, alpha) - _harmonic_sum(theta, n)

    def best_theta(alpha: float) -> float:
        if theta_slope(0.0, alpha) <= 0:
            return 0.0
        return float(brentq(theta_slope, 0.0, LARGEST_THETA, args=(alpha,), rtol=1e-14))

    def alpha_slope(alpha: float) -> float:
        theta = best_theta(alpha)
        within = sample.counts @ (digamma(sample.sizes - alpha) - digamma(1 - alpha))
        return float((u - 1 - theta * sum_over_classes(theta, alpha)) / alpha - within)

    try:
        alpha = float(brentq(alpha_slope, SMALLEST_ALPHA, LARGEST_ALPHA, rtol=1e-14))
        theta = best_theta(alpha)
    except (ValueError, RuntimeError):  # a slope without a change of sign, or no convergence
        return None
    estimate = float(np.exp(gammaln(theta + 1) - gammaln(theta + alpha)) * population**alpha)
    return estimate if estimate <= population else None


def _harmonic_sum(start: float, end: int) -> float:
    """The sum of 1 / (start + i) for i from 1 to end - 1; also where start is very large."""
    from scipy.special import digamma

    low, high = start + 1, start + end
    if low < LARGEST_DIGAMMA:
        return float(digamma(high) - digamma(low))
    # The asymptotic series of both, whose difference has no cancellation.
    return float(
        np.log1p((end - 1) / low)
        + (end - 1) / low / high / 2
        + (1 / low**2 - 1 / high**2) / 12
        - (1 / low**4 - 1 / high**4) / 120
    )


def snb_uniques(sizes: Longs, population: int, classes: float | None = None) -> float | None:
    r"""Estimated number of population uniques by the slide negative binomial model.

    A class of the population has :math:`1 + X` records, and X is negative binomial with
    parameters :math:`\alpha > 0` and :math:`0 < \beta < 1` (Chen and McNulty 1998). Then

    .. math:: \hat U = K \beta^\alpha

    K, the number of classes of the population, is estimated as by Shlosser (Haas and Stokes 1998).
    :math:`\alpha` and :math:`\beta` are such that the expected numbers of sample classes of the
    sizes 1 and 2 are the observed ones. With the sampling fraction :math:`\pi` and
    :math:`z = (1 - \pi)(1 - \beta)` they are

    .. math:: s_1 = K \pi \Bigl(\frac{\beta}{1 - z}\Bigr)^\alpha
        \Bigl(1 + \frac{\alpha z}{1 - z}\Bigr), \quad
        s_2 = K \pi^2 \frac{\alpha \beta^\alpha (1 - \beta)}{2 (1 - z)^{\alpha + 2}}
        \bigl(2 - (1 - \alpha) z\bigr)

    If several pairs solve the equations, the one whose population is nearest in size is taken.

    Args:
        sizes: Sizes of the equivalence classes of the sample.
        population: Number of records of the population.
        classes: Number of classes of the population, K, if it is known.

    Returns:
        From 0 to the size of the population; lower is better. None if no such pair exists: the
        model does not fit.
    """
    from scipy.optimize import brentq
    from scipy.special import expit

    sample = _Sample.from_sizes(sizes, population)
    if sample.decided is not None:
        return sample.decided
    pi = sample.records / population
    if classes is None:
        classes = _shlosser_classes(sample, pi)
    ones, twos = sample.of_size(1), sample.of_size(2)
    if not twos:
        return None

    def alpha_at(beta: Floats) -> Floats:
        # s_2 / s_1 does not depend on K, and is quadratic in alpha with one positive root.
        z, ratio = (1 - pi) * (1 - beta), twos / ones
        square = pi * (1 - beta) * z
        linear = pi * (1 - beta) * (2 - z) - 2 * ratio * (1 - z) * z
        constant = 2 * ratio * (1 - z) ** 2
        root = np.sqrt(linear**2 + 4 * square * constant)
        # of the two forms of the root, the one without a difference of nearly equal numbers
        return np.where(linear > 0, 2 * constant / (linear + root), (root - linear) / (2 * square))

    def log_excess(logit: Floats) -> Floats:
        """The logarithm of the expected number of sample uniques divided by the observed one."""
        beta = expit(logit)
        alpha, z = alpha_at(beta), (1 - pi) * (1 - beta)
        expected = alpha * np.log(beta / (1 - z)) + np.log1p(alpha * z / (1 - z))
        return np.log(classes * pi / ones) + expected

    excess = log_excess(SNB_LOGITS)
    crossings = np.flatnonzero(np.diff(np.sign(excess)))
    fits = []
    for at in crossings:
        logit = brentq(lambda x: log_excess(np.array([x]))[0], *SNB_LOGITS[at : at + 2])
        beta = float(expit(logit))
        alpha = float(alpha_at(np.array([beta]))[0])
        implied = classes * (1 + alpha * (1 - beta) / beta)
        fits.append((abs(np.log(implied / population)), classes * beta**alpha))
    estimate = min(fits)[1] if fits else None
    return estimate if estimate is not None and estimate <= population else None


def _shlosser_classes(sample: _Sample, pi: float) -> float:
    """The estimated number of classes of the population (Haas and Stokes 1998, eq. for D_Sh3)."""
    i, s = sample.sizes, sample.counts
    unseen = (1 - pi) ** i
    # (1 - pi)^i ((1 + pi)^i - 1), without a power that overflows
    first = s @ (i * pi**2 * (1 - pi**2) ** (i - 1)) / (s @ ((1 - pi**2) ** i - unseen))
    second = s @ unseen / (s @ (i * pi * (1 - pi) ** (i - 1)))
    return float(sample.classes + sample.of_size(1) * first * second**2)


@dataclass(frozen=True)
class _Sample:
    """The classes of a sample by size, and the estimate where none is needed."""

    sizes: Longs
    counts: Longs
    decided: float | None

    @classmethod
    def from_sizes(cls, sizes: Longs, population: int) -> _Sample:
        records = int(sizes.sum())
        if population < records:
            raise ParameterError(
                f"population must be at least the number of records, {records:,}, got "
                f"{population:,}",
                "give the number of records of the population that the table is a sample of",
            )
        alone = uniques(sizes)
        decided = float(alone) if not alone or population == records else None
        return cls(*np.unique(sizes, return_counts=True), decided)

    @property
    def records(self) -> int:
        return int(self.sizes @ self.counts)

    @property
    def classes(self) -> int:
        return int(self.counts.sum())

    def of_size(self, size: int) -> int:
        return int(self.counts[self.sizes == size].sum())
