"""The distributions of noise, drawn by inversion: one number from 0 up to 1 gives one draw."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["NoiseDistribution"]

Floats = NDArray[np.float64]

#: Half the step between two numbers that a generator of 53 bits makes.
HALF_STEP = 2.0**-54
#: The largest share of which quantiles are finite.
_ALMOST_ALL = 1 - 2.0**-53


class NoiseDistribution(NamedTuple):
    """The ``"normal"`` or ``"laplace"`` distribution of mean 0 and standard deviation ``spread``.

    A draw is the quantile of a uniform number. Quantiles are taken from the middle
    outwards, in both directions, so that neither tail is shorter than the other.
    """

    name: str
    spread: float

    def free(self, uniform: Floats) -> Floats:
        """Draws of this distribution."""
        return self._quantile(_from_the_middle(uniform), math.inf)

    def draw_between(self, uniform: Floats, low: Floats, high: Floats) -> Floats:
        """Draws of this distribution, each given that it lies between two numbers.

        One number is at most 0, the other at least 0. The side of a draw is decided first.
        """
        below, above = self._share_within(-low), self._share_within(high)
        place = uniform * (below + above) - below
        size = np.where(place < 0, below, above)
        middle = np.clip(place, -below, above) + 0.0
        drawn = self._quantile(np.clip(middle, -_ALMOST_ALL, _ALMOST_ALL), math.inf)
        return np.where(size > 0, np.clip(drawn, low, high), 0.0)

    def _share_within(self, size: Floats) -> Floats:
        """The share of draws of at most some size."""
        from scipy.special import erf, expm1

        if self.name == "normal":
            return np.asarray(erf(size / (self.spread * math.sqrt(2))))
        return np.asarray(-expm1(-size / (self.spread / math.sqrt(2))))

    def narrow_for_rounding(self, step: float) -> NoiseDistribution:
        """The distribution whose draws, rounded to multiples of a step, have this spread.

        Rounding adds to the variance: ``step**2 / 12`` where the step is small.
        """
        steps = self.spread / step
        if steps > 4:
            return self._replace(spread=step * math.sqrt(steps**2 - 1 / 12))
        low, high = 0.0, 2 * (steps + 1)
        for _ in range(60):
            middle = (low + high) / 2
            is_less = self._replace(spread=middle)._variance_of_rounded() < steps**2
            low, high = (middle, high) if is_less else (low, middle)
        return self._replace(spread=high * step)

    def _variance_of_rounded(self) -> float:
        """The variance of draws that are rounded to whole numbers."""
        k = np.arange(400)  # farther draws are too rare to count
        return float((2 * k + 1) @ (1 - self._share_within(np.asarray(k + 0.5, dtype=np.float64))))

    def draw_within_1(self, uniform: Floats) -> Floats:
        """Draws of this distribution, given that their size is at most 1."""
        return np.clip(self._quantile(_from_the_middle(uniform), 1.0), -1.0, 1.0)

    def _quantile(self, place: Floats, most: float) -> Floats:
        """Where a share of what lies within ``most`` is passed; to the left if it is below 0."""
        # Not numpy's: its loops may round differently with where a number stands in an array.
        from scipy.special import erfinv, log1p

        if self.name == "normal":
            scale = self.spread * math.sqrt(2)
            return np.asarray(scale * erfinv(place * math.erf(most / scale)))
        scale = self.spread / math.sqrt(2)
        # 1 - e^(-x / scale) is the share within x. expm1 and log1p keep the digits of a
        # distribution so wide that it is nearly uniform, as erf and erfinv do.
        sizes = -scale * log1p(np.abs(place) * math.expm1(-most / scale))
        return np.asarray(np.copysign(sizes, place))

    def mean_size(self) -> float:
        """The mean size of draws within 1."""
        if self.spread > 1e4:
            return 0.5  # nearly uniform; the formulas would lose their digits
        if self.name == "normal":
            inside = math.erf(1 / (self.spread * math.sqrt(2)))
            below = -math.expm1(-1 / (2 * self.spread**2)) if self.spread > 1e-3 else 1.0
            return self.spread * math.sqrt(2 / math.pi) * below / inside
        scale = self.spread / math.sqrt(2)
        return scale - (1 / math.expm1(1 / scale) if scale > 1e-2 else 0.0)


def _from_the_middle(uniform: Floats) -> Floats:
    """Numbers between -1 and 1, never 0: the middle of each step, which needs no rounding."""
    return 2 * ((uniform - 0.5) + HALF_STEP)
