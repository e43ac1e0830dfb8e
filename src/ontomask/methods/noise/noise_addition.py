"""Noise addition: every value moved by a random distance, away from the mean or towards it (NO)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike, cpu_count
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike
from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.methods.noise.distribution import NoiseDistribution
from ontomask.methods.settings import OperatorChoice, SettingHelp
from ontomask.microdata.attributes import FIXED_POINT_ONE, Attribute
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.statistics import semantic_mean
from ontomask.taxonomy import Concept, Taxonomy

if TYPE_CHECKING:
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation
    from ontomask.methods.noise.fitted import FittedNoise
    from ontomask.methods.noise.table import TableNoise

__all__ = ["NoiseAddition", "SemanticNoise", "Surroundings"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Distances worked on at a time by one thread.
CELLS_AT_A_TIME = 400_000


@dataclass(frozen=True)
class NoiseAddition(Method):
    r"""Move every value by a random distance, each record and attribute independently.

    .. math:: \varepsilon \sim N(0, \alpha \sigma^2), \quad |\varepsilon| \le 1

    A nominal value :math:`x` becomes the nearest concept of the domain at distance
    :math:`|\varepsilon|` or more. If :math:`\varepsilon > 0`, the concept is farther from the mean
    than :math:`x`; if :math:`\varepsilon < 0`, it is closer (NO algorithm 1). Mean and variance
    :math:`\sigma^2` are those of NO eq. 10 and 12 over the whole domain. A value equal to the mean
    may move to any concept. Ties are decided at random. Missing values stay missing. The method
    does not guarantee k-anonymity.

    Numbers and dates get the noise :math:`\varepsilon \sim N(0, \alpha s^2)`, where :math:`s^2` is
    the population variance (NO eq. 2-4), so the mean is kept and the variance becomes
    :math:`(1 + \alpha) s^2`. Masked numbers are rounded like the column. Less noise is drawn where
    rounding adds to its variance. A masked number may lie outside the range of the column;
    ``bounds`` says otherwise, at the price of mean and variance. For ordinal attributes, the ranks
    are moved and reflected at the first and the last one in the column.

    Departures from the paper: :math:`|\varepsilon|` is at most 1, because no two concepts are
    farther apart; the distribution is the one that drawing again would give. If no concept on the
    correct side is far enough, the farthest one on that side is taken. If there is none on that
    side, the other concept whose distance is closest to :math:`|\varepsilon|` is taken. A column of
    variance 0 is refused.

    Args:
        alpha: Variance of the noise relative to the variance of the column, above 0; usually 0.1 to
            0.5.
        distribution: ``"normal"``, or ``"laplace"`` with the same variance. Laplace noise does not
            make the release differentially private.
        strategy: ``"semantic"``, or one of two baselines without semantics (NO section IV):
            ``"naive"`` draws any value of the column, ``"probabilistic"`` draws one by its
            frequency. Both may draw the original value again, as the figures in the paper show.
        operators: ``"semantic"``, or ``"classic"``, which only distinguishes equal and unequal
            words.
        bounds: Where a number may go: ``"none"``, anywhere; ``"reflect"``, what would leave the
            range of the column is reflected at its ends; ``"clip"``, it becomes the end;
            ``"resample"``, the noise is drawn again until the number is within the range.

    >>> NoiseAddition(alpha=0.1, bounds="clip")
    NoiseAddition(alpha=0.1, distribution='normal', strategy='semantic', operators='semantic',
                  bounds='clip')
    """

    alpha: Annotated[
        float,
        SettingHelp(
            "alpha",
            "Variance of the noise relative to the variance of the column. Usually 0.1 to 0.5.",
            above=0,
            usual=(0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
            step=0.05,
            main=True,
        ),
    ] = 0.3
    distribution: Annotated[
        Literal["normal", "laplace"],
        SettingHelp(
            "Distribution",
            "With the same variance, Laplace noise has more small and more large values.",
            {"normal": "normal", "laplace": "Laplace"},
            main=True,
        ),
    ] = "normal"
    strategy: Annotated[
        Literal["semantic", "naive", "probabilistic"],
        SettingHelp(
            "Strategy",
            "Semantic noise uses the taxonomy; the other two are baselines that ignore it.",
            {
                "semantic": "semantic: by a random semantic distance",
                "naive": "naive: any value of the column",
                "probabilistic": "probabilistic: any value, by frequency",
            },
            main=True,
        ),
    ] = "semantic"
    operators: OperatorChoice = "semantic"
    bounds: Annotated[
        Literal["none", "reflect", "clip", "resample"],
        SettingHelp(
            "Bounds of numbers",
            "Without bounds, mean and variance are as the method promises, but a number may lie "
            "outside the range of its column.",
            {
                "none": "none: mean and variance are kept as promised",
                "reflect": "reflect at the ends of the range",
                "clip": "clip to the ends of the range",
                "resample": "draw again until it is within the range",
            },
        ),
    ] = "none"

    summary: ClassVar[str] = (
        "Not k-anonymous: replaces each value by one at a random distance; works on single values."
    )
    help: ClassVar[str] = (
        "Most records stay unique, and with little noise many can be linked. It does not provide "
        "differential privacy."
    )
    varied_by: ClassVar[str | None] = "alpha"
    compares_values: ClassVar[bool] = True

    @property
    def description(self) -> str:
        """What was done to values."""
        return (
            f"each value was moved by a random distance (alpha {self.alpha:g}); some numbers and "
            "levels may be unchanged"
        )

    @property
    def promise(self) -> str:
        """What holds by construction, in words: little."""
        if self.strategy != "semantic":
            return "each value is replaced by a random value of its column"
        return (
            f"each value moves by a random distance with {self.alpha:g} times the variance of the "
            "column, which may be too small to change a number or a level; this does not provide "
            "differential privacy"
        )

    @property
    def because(self) -> str:
        """Where a value goes."""
        if self.strategy != "semantic":
            weighted = (
                "by frequency" if self.strategy == "probabilistic" else "all with equal probability"
            )
            return f"each value is drawn at random from the values of its column, {weighted}"
        return (
            "each value moves by a random distance, away from the mean of its column or towards "
            "it. A word becomes the nearest concept in that direction that is at least as far away"
        )

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain noise by the mean of each column and the direction in which values moved."""
        if self.strategy != "semantic":
            return masked.explain_without_group()
        from ontomask.methods.noise.explanation import explain_directions

        return explain_directions(self, masked)

    # ------------------------------------------------------------------ a table

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Draw a target for every record and attribute by itself.

        Of ``random`` only a secret is taken; see :mod:`~ontomask.methods.noise.keyed_draws`.
        """
        from ontomask.methods.noise.table import count_transitions

        columns = range(len(tuples.attributes))
        counts = [tuples.value_counts(column) for column in columns]
        noise = self.fitted(tuples.attributes, counts, random.bytes(32))
        source = np.repeat(np.arange(len(tuples)), tuples.counts)
        number = np.arange(len(source)) - (np.cumsum(tuples.counts) - tuples.counts)[source]
        drawn = noise.masked(tuples.codes[:, source], noise.keys(tuples.codes)[source], number)
        return count_transitions(tuples, source, drawn)

    def fitted(
        self, attributes: Sequence[Attribute], value_counts: Sequence[Longs], secret: bytes
    ) -> TableNoise:
        """Learn from the frequencies of the values what is needed to mask a table in pieces.

        Args:
            attributes: The attributes of the table.
            value_counts: One array per attribute, with the number of records of every value.
            secret: The key that random numbers are derived from. The same key gives the same
                result.

        Returns:
            Noise that masks any part of the table.
        """
        from ontomask.methods.noise.table import fit_table_noise

        return fit_table_noise(self, attributes, value_counts, secret)

    def baseline(self, uniform: Floats, known: NDArray[Any], counts: Longs) -> NDArray[Any]:
        """Draw values with a strategy that ignores semantics.

        Args:
            uniform: Numbers from 0 up to 1, one per draw.
            known: The values to draw from.
            counts: The frequency of each of these values.

        Returns:
            One value per draw.
        """
        if self.strategy == "probabilistic":
            until = np.cumsum(counts)
            drawn = (uniform * until[-1]).astype(np.int64)
            place = np.searchsorted(until, drawn, side="right")
        else:
            place = (uniform * len(known)).astype(np.int64)
        return np.asarray(known[place])

    # ------------------------------------------------------------------ the noise itself

    def measure(self, measure: MeasureLike) -> MeasureLike:
        """The distance measure: the one of the attribute, or equality for classic operators."""
        return "equality" if self.operators == "classic" else measure

    def draws(
        self, size: int, variance: float, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Draw the noise of many records, and numbers from 0 up to 1 that decide ties.

        Args:
            size: Number of draws.
            variance: Variance of the column.
            random: The random generator, of which only a key is taken.

        Returns:
            The noise and the tie-breaking numbers.
        """
        from ontomask.methods.noise.keyed_draws import draw_uniforms

        uniform, tie = draw_uniforms(random.bytes(32), np.arange(size))
        return self.noise_distribution(variance).draw_within_1(uniform), tie

    def target(self, variance: float) -> float:
        r"""The expected distance :math:`E|\varepsilon|` of a word in a column of a given variance.

        It is a property of the draw, not of its result. NO tables I and III call it *target RMSE*.
        For the normal distribution with :math:`s^2 = \alpha \sigma^2` and :math:`|\varepsilon| \le
        1`,

        .. math:: E|\varepsilon| = s \sqrt{2 / \pi}\,
            \frac{1 - e^{-1 / (2 s^2)}}{\mathrm{erf}(1 / (s \sqrt 2))}

        For the Laplace distribution with :math:`b = s / \sqrt 2` it is :math:`b - 1 / (e^{1/b} -
        1)`.

        >>> [round(NoiseAddition(alpha).target(0.235), 2) for alpha in (0.1, 0.5, 1)]
        [0.12, 0.27, 0.35]
        """
        if not 0 <= variance <= 1:
            raise ParameterError(f"variance must be a number from 0 to 1, got {variance!r}")
        return self.noise_distribution(variance).mean_size() if variance else 0.0

    def noise_distribution(self, variance: float) -> NoiseDistribution:
        """The distribution of the noise in a column of a given variance."""
        return NoiseDistribution(self.distribution, math.sqrt(self.alpha) * math.sqrt(variance))

    # ------------------------------------------------------------------ one value at a time

    def fit(
        self,
        values: Iterable[Any] | Mapping[Any, int],
        taxonomy: Taxonomy,
        measure: MeasureLike = "sanchez",
        domain: Concept = "lcs",
    ) -> FittedNoise:
        """Learn mean and variance of a column, to mask single values later.

        Args:
            values: Identifiers or names that the taxonomy contains, one per record, or a dict of
                them with counts.
            taxonomy: The taxonomy of the values.
            measure: Name of a distance measure, or a function.
            domain: As in :class:`~ontomask.Nominal`.

        Returns:
            Noise that masks one value at a time.

        >>> from ontomask import datasets
        >>> column = ["influenza", "hepatitis B", "hepatitis B", "common cold"]
        >>> noise = NoiseAddition(alpha=0.2).fit(column, datasets.diagnoses())
        >>> noise.mean, round(noise.variance, 3)
        ('hepatitis B', 0.326)
        >>> noise.mask_value("flu") in noise.domain
        True
        """
        from ontomask.methods.noise.fitted import fit

        return fit(self, values, taxonomy, measure, domain)

    @staticmethod
    def load(path: str | PathLike[str]) -> FittedNoise:
        """Read what :meth:`FittedNoise.save` wrote."""
        from ontomask.methods.noise.fitted import load

        return load(path)


def mean_and_variance(
    counts: Mapping[Concept, int], domain: Taxonomy, measure: MeasureLike
) -> tuple[Concept, float]:
    """The semantic mean over the whole domain (NO eq. 10) and the variance (NO eq. 12)."""
    mean = semantic_mean(counts, domain, measure)
    from_mean = Distances(domain, [mean], list(counts), measure).row(0)
    records = np.array(list(counts.values()))
    return mean, float(records @ from_mean**2 / records.sum())


class Surroundings(NamedTuple):
    """The concepts around a value, as :mod:`~ontomask.methods.noise.kernels` reads it."""

    value: int
    concepts: Ints
    begin: Longs
    apart: Ints
    sides: Longs

    def reached(self, epsilon: float) -> Ints:
        """The concepts, by code, that a noise may lead to, each with the same chance."""
        from ontomask.methods.noise import kernels

        if epsilon == 0:
            return np.array([self.value], dtype=np.int32)
        first, last = kernels.reached_range(epsilon, *self[2:])
        return self.concepts[first:last]


class SemanticNoise:
    """Semantic noise in a domain with a given mean.

    Distances are compared in fixed point. Of the table of concepts against concepts there is never
    more than a few rows, those of the values at hand.
    """

    def __init__(self, domain: Taxonomy, measure: MeasureLike, mean: Concept) -> None:
        self._domain = domain
        self._all_codes = np.arange(len(domain), dtype=np.int32)
        self._between = Distances(domain, self._all_codes, self._all_codes, measure)
        self._mean = domain.code(mean)
        self._from_mean = np.rint(self._between.row(self._mean) * FIXED_POINT_ONE).astype(np.int32)

    def around(self, value: int) -> Surroundings:
        """The concepts around a value; all are given by code."""
        from ontomask.methods.noise import kernels

        row = self._between.row(value)
        return Surroundings(
            value, *kernels.arrange_surroundings(value, self._mean, row, self._from_mean)
        )

    def masked(self, values: Ints, counts: Longs, epsilon: Floats, tie: Floats) -> Ints:
        """Mask records, given their distinct values with counts, in this order.

        ``epsilon`` is the noise of each record; ``tie``, from 0 up to 1, chooses among equals.
        """
        from ontomask.methods.noise import kernels

        start = np.concatenate(([0], np.cumsum(counts)))
        out = np.empty(start[-1], dtype=np.int32)
        between = Distances(self._domain, values, self._all_codes, self._between.measure)
        height = max(1, CELLS_AT_A_TIME // len(self._all_codes))

        def fill(first: int) -> None:
            last = min(first + height, len(values))
            kernels.mask_values(
                values[first:last],
                self._mean,
                between.block(first, last),
                self._from_mean,
                start[first : last + 1],
                epsilon,
                tie,
                out,
            )

        begins = range(0, len(values), height)
        if len(begins) < 8:
            for first in begins:
                fill(first)
        else:
            pool = ThreadPoolExecutor(min(4, cpu_count() or 1))
            try:
                list(pool.map(fill, begins))
            finally:
                pool.shutdown(cancel_futures=True)  # Ctrl-C waits for the blocks under way only
        return out


def no_variance_error(why: str) -> ParameterError:
    return ParameterError(
        f"{why}: noise proportional to the variance would change nothing",
        "leave the column out, or use another method",
    )
