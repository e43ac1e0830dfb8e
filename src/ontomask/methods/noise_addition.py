"""Noise addition: every value moved by a random distance, away from the mean or towards it (NO)."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from numbers import Real
from os import PathLike, cpu_count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.attributes import FIXED, Attribute, NominalAttribute, NumericalAttribute
from ontomask.distances import Distances, MeasureLike
from ontomask.errors import ParameterError, one_of
from ontomask.methods.method import Method
from ontomask.statistics import semantic_mean
from ontomask.taxonomy import Concept, Taxonomy
from ontomask.tuples import Transitions, Tuples, count_tuples

if TYPE_CHECKING:
    from ontomask.methods.fitted_noise import FittedNoise

__all__ = ["NoiseAddition", "SemanticNoise", "Surroundings"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Distances worked on at a time by one thread.
CELLS_AT_A_TIME = 400_000


@dataclass(frozen=True)
class NoiseAddition(Method):
    r"""Move every value by a random distance, record by record and attribute by attribute.

    .. math:: \varepsilon \sim N(0, \alpha \sigma^2), \quad |\varepsilon| \le 1

    A nominal value :math:`x` becomes the concept of the domain that is nearest to it among those at
    distance :math:`|\varepsilon|` or more, and farther from the mean than :math:`x` where
    :math:`\varepsilon > 0`, nearer to it where :math:`\varepsilon < 0` (NO algorithm 1). Mean and
    variance :math:`\sigma^2` are those of NO eq. 10 and 12 over the whole domain. A value equal to
    the mean moves to any concept, whatever the sign. Ties are settled at random. Missing values
    stay missing.

    Numbers get ordinary noise :math:`\varepsilon \sim N(0, \alpha s^2)` with :math:`s^2` the
    population variance (divided by n, as in NO eq. 12). They are reflected at the least and the
    greatest of the column: nothing leaves the range, and nothing piles up at its ends as it would
    with cutting off. Whole numbers stay whole; of an ordinal attribute the ranks are moved.

    ``distribution="laplace"`` draws :math:`\varepsilon` from the Laplace law with the same
    variance; that makes it no differential privacy. ``strategy`` names two baselines that know no
    meaning (NO section IV): ``"naive"`` takes any value of the column, all with the same chance,
    ``"probabilistic"`` any by its frequency; either may draw the value itself, as the printed
    figures show. The ``"classic"``
    ``operators`` know only equal and unequal words.

    Departures from the paper: :math:`\varepsilon` is drawn again while :math:`|\varepsilon| > 1`,
    as no two concepts are that far apart. Where no concept on the right side is far enough, it is
    the farthest on that side; where there is none at all, the one other than the value itself whose
    distance is nearest to :math:`|\varepsilon|`. A column of variance 0 is refused.

    >>> NoiseAddition(alpha=0.1)
    NoiseAddition(alpha=0.1, distribution='normal', strategy='semantic', operators='semantic')
    """

    alpha: float = 0.3
    distribution: str = "normal"
    strategy: str = "semantic"
    operators: str = "semantic"

    def __post_init__(self) -> None:
        alpha: Any = self.alpha  # whatever was given
        number = isinstance(alpha, Real) and not isinstance(alpha, bool)
        if not number or not 0 < alpha <= sys.float_info.max:
            raise ParameterError(
                f"alpha is {alpha!r}", "it is a number above 0, usually from 0.1 to 0.5"
            )
        one_of("distribution", self.distribution, "normal", "laplace")
        one_of("strategy", self.strategy, "semantic", "naive", "probabilistic")
        one_of("operators", self.operators, "semantic", "classic")

    @property
    def promise(self) -> str:
        """What holds by construction, in words: little."""
        if self.strategy != "semantic":
            return "every value is drawn from those of its column, whatever it was"
        return (
            f"every word moves by a random distance, its variance {self.alpha:g} times that of "
            "the column, and every number and level by one that may be too small to change it; "
            "this is no differential privacy"
        )

    @property
    def because(self) -> str:
        """Where a value goes."""
        if self.strategy != "semantic":
            weighted = "by their frequency" if self.strategy == "probabilistic" else "all alike"
            return f"every value is drawn by chance from those of its column, {weighted}"
        return (
            "every value moves by a distance drawn by chance, away from the column's mean or "
            "towards it: of words to the nearest concept at least so far away on that side"
        )

    # ------------------------------------------------------------------ a table

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Draw a target for every record and attribute by itself."""
        columns = [self._column(tuples, j, random) for j in range(len(tuples.attributes))]
        moved = Tuples(tuple(c.attribute for c in columns), tuples.codes, tuples.counts)
        if len(columns) == 1:
            target, targets = columns[0].place, columns[0].targets[:, None]
        else:
            combined, target = count_tuples(moved.attributes, [c.place for c in columns])
            targets = np.column_stack(
                [c.targets[codes] for c, codes in zip(columns, combined.codes, strict=True)]
            )
        source = np.repeat(np.arange(len(tuples)), tuples.counts)
        key, count = np.unique(source * len(targets) + target, return_counts=True)
        return Transitions(moved, targets, *np.divmod(key, len(targets)), count)

    def _column(self, tuples: Tuples, j: int, random: np.random.Generator) -> _Column:
        attribute, counts = tuples.attributes[j], tuples.value_counts(j)
        known = len(attribute.values) if isinstance(attribute, NominalAttribute) else attribute.size
        held = np.flatnonzero(counts[:known])  # a missing value is the last
        if len(held) < 2:
            having = "one value" if len(held) else "no values"
            raise nothing_would_change(f"attribute {attribute.name!r} has {having}")
        codes = np.repeat(tuples.codes[j], tuples.counts)
        present = codes < known
        everywhere = bool(present.all())
        values = codes if everywhere else codes[present]
        if self.strategy != "semantic":
            table = attribute.target_of(np.arange(attribute.size))
            drawn = self.baseline(values, held, counts[held], random)
        elif isinstance(attribute, NumericalAttribute):
            numbers = self._noisy_numbers(attribute, values, counts, random)
            table, drawn = np.unique(numbers, return_inverse=True)
        else:
            assert isinstance(attribute, NominalAttribute)
            attribute, table, drawn = self._noisy_words(attribute, values, counts[:known], random)
        if not everywhere:
            missing = attribute.target_of(np.array([attribute.size - 1]))
            places = np.full(len(codes), len(table), dtype=np.int64)
            places[present] = drawn
            table, drawn = np.append(table, missing), places
        return _Column(attribute, *_ascending(table, drawn))

    def baseline(
        self, values: NDArray[Any], known: NDArray[Any], counts: Longs, random: np.random.Generator
    ) -> NDArray[Any]:
        """What a strategy that knows no meaning draws for some values from the ``known`` ones.

        ``known`` are ascending, with their counts; a value need not be among them.
        """
        if self.strategy == "probabilistic":
            until = np.cumsum(counts)
            drawn = random.integers(until[-1], size=len(values))
            return known[np.searchsorted(until, drawn, side="right")]
        return known[random.integers(len(known), size=len(values))]

    def _noisy_numbers(
        self,
        attribute: NumericalAttribute,
        values: NDArray[Any],
        counts: Longs,
        random: np.random.Generator,
    ) -> Floats:
        least = attribute.numbers[0]
        share = (attribute.numbers - least) / attribute.range  # from 0 to 1: nothing overflows
        mean = float(share @ counts) / len(values)
        variance = float((share - mean) ** 2 @ counts) / len(values)
        law = self._law(variance)
        # Reflected so often, any wider noise is even; sums would lose their digits.
        law = law._replace(spread=min(law.spread, 1e6))
        moved = np.mod(share[values] + law.free(len(values), random), 2)
        reflected = np.minimum(moved, 2 - moved)
        return attribute.released(least + reflected * attribute.range)

    def _noisy_words(
        self,
        attribute: NominalAttribute,
        values: NDArray[Any],
        counts: Longs,
        random: np.random.Generator,
    ) -> tuple[NominalAttribute, Floats, NDArray[Any]]:
        """The attribute with more targets, those of the domain's concepts, and what is drawn."""
        measure = self.measure(attribute.measure)
        held = dict(zip(attribute.values, counts.tolist(), strict=True))
        mean, variance = mean_and_variance(held, attribute.domain, measure)
        if variance == 0:
            raise nothing_would_change(f"attribute {attribute.name!r} has variance 0")
        noise = SemanticNoise(attribute.domain, measure, mean)
        codes = attribute.domain.codes(attribute.values)
        # Small whole numbers are sorted in no time.
        order = np.argsort(values.astype(np.min_scalar_type(len(codes))), kind="stable")
        drawn = np.empty(len(values), dtype=np.int32)
        drawn[order] = noise.masked(codes, counts, *self.draws(len(values), variance, random))
        names = attribute.domain.identifiers
        used = np.flatnonzero(np.bincount(drawn)).tolist()
        wider = replace(attribute, others=sorted(names[code] for code in used))
        table = np.full(len(names), np.nan)
        table[used] = [wider.places[names[code]] for code in used]
        return wider, table, drawn

    # ------------------------------------------------------------------ the noise itself

    def measure(self, measure: MeasureLike) -> MeasureLike:
        """How words are compared: as the attribute says, or classically."""
        return "equality" if self.operators == "classic" else measure

    def draws(
        self, size: int, variance: float, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """The noise of many records, and the numbers from 0 up to 1 that settle their ties."""
        return self._law(variance).within_1(size, random), random.random(size)

    def target(self, variance: float) -> float:
        r"""The mean distance :math:`E|\varepsilon|` that words of a given variance are to move.

        It is a property of the draw, not of its outcome. NO tables I and III call it *target RMSE*.
        For the normal law with :math:`s^2 = \alpha \sigma^2`, and :math:`|\varepsilon| \le 1`,

        .. math:: E|\varepsilon| = s \sqrt{2 / \pi}\,
            \frac{1 - e^{-1 / (2 s^2)}}{\mathrm{erf}(1 / (s \sqrt 2))}

        and for the Laplace law with :math:`b = s / \sqrt 2` it is :math:`b - 1 / (e^{1/b} - 1)`.

        >>> [round(NoiseAddition(alpha).target(0.235), 2) for alpha in (0.1, 0.5, 1)]
        [0.12, 0.27, 0.35]
        """
        if not 0 <= variance <= 1:
            raise ParameterError(f"variance is {variance!r}", "distances have one from 0 to 1")
        return self._law(variance).mean_size() if variance else 0.0

    def _law(self, variance: float) -> _Law:
        return _Law(self.distribution, math.sqrt(self.alpha) * math.sqrt(variance))

    # ------------------------------------------------------------------ one value at a time

    def fit(
        self,
        values: Iterable[Any] | Mapping[Any, int],
        taxonomy: Taxonomy,
        measure: MeasureLike = "sanchez",
        domain: Concept = "lcs",
    ) -> FittedNoise:
        """Learn mean and variance of a column, to mask single values from now on.

        ``values`` are identifiers, or names the taxonomy knows, one per record, or a dict of them
        with counts. ``domain`` is as in :class:`~ontomask.Nominal`: ``"lcs"``, everything below the
        least common subsumer of the values, the whole ``"taxonomy"``, or a concept.

        >>> from ontomask import datasets
        >>> column = ["influenza", "hepatitis B", "hepatitis B", "common cold"]
        >>> noise = NoiseAddition(alpha=0.2).fit(column, datasets.diagnoses())
        >>> noise.mean, round(noise.variance, 3)
        ('hepatitis B', 0.326)
        >>> noise.mask_value("flu") in noise.domain
        True
        """
        from ontomask.methods.fitted_noise import fit

        return fit(self, values, taxonomy, measure, domain)

    @staticmethod
    def load(path: str | PathLike[str]) -> FittedNoise:
        """Read what :meth:`FittedNoise.save` wrote."""
        from ontomask.methods.fitted_noise import load

        return load(path)


class _Column(NamedTuple):
    """An attribute, the distinct targets that are drawn, and which of them each record gets."""

    attribute: Attribute
    targets: Floats
    place: Longs


def _ascending(table: Floats, drawn: NDArray[Any]) -> tuple[Floats, Longs]:
    """The targets that are drawn, ascending, and the place of each record's among them."""
    used = np.flatnonzero(np.bincount(drawn, minlength=len(table)))
    used = used[np.argsort(table[used])]
    place = np.zeros(len(table), dtype=np.int64)
    place[used] = np.arange(len(used))
    return table[used], place[drawn]


class _Law(NamedTuple):
    """A law with mean 0 and standard deviation ``spread``."""

    name: str
    spread: float

    def free(self, size: int, random: np.random.Generator) -> Floats:
        """Numbers of this law."""
        if self.name == "normal":
            return random.normal(0.0, self.spread, size)
        return random.laplace(0.0, self.spread / math.sqrt(2), size)

    def within_1(self, size: int, random: np.random.Generator) -> Floats:
        """Numbers of this law, drawn again while their size is above 1."""
        # Of a wide law nearly all would be refused; drawn evenly from -1 to 1 and kept in
        # proportion to its density, they have the same law.
        draw = self.free if self.spread <= 1 else self._even
        drawn = draw(size, random)
        again = np.flatnonzero(~(np.abs(drawn) <= 1))
        while again.size:
            drawn[again] = draw(again.size, random)
            again = again[~(np.abs(drawn[again]) <= 1)]
        return drawn

    def _even(self, size: int, random: np.random.Generator) -> Floats:
        """Numbers from -1 to 1, and NaN for those that are to be drawn again."""
        drawn = random.uniform(-1.0, 1.0, size)
        if self.name == "normal":
            density = np.exp(-((drawn / self.spread) ** 2) / 2)
        else:
            density = np.exp(-np.abs(drawn) * (math.sqrt(2) / self.spread))
        drawn[random.random(size) >= density] = np.nan
        return drawn

    def mean_size(self) -> float:
        """The mean of their size, within 1."""
        if self.spread > 1e4:
            return 0.5  # as good as even; the formulas would lose their digits
        if self.name == "normal":
            inside = math.erf(1 / (self.spread * math.sqrt(2)))
            below = -math.expm1(-1 / (2 * self.spread**2)) if self.spread > 1e-3 else 1.0
            return self.spread * math.sqrt(2 / math.pi) * below / inside
        scale = self.spread / math.sqrt(2)
        return scale - (1 / math.expm1(1 / scale) if scale > 1e-2 else 0.0)


def mean_and_variance(
    counts: Mapping[Concept, int], domain: Taxonomy, measure: MeasureLike
) -> tuple[Concept, float]:
    """The semantic mean over the whole domain (NO eq. 10) and the variance (NO eq. 12)."""
    mean = semantic_mean(counts, domain, measure)
    from_mean = Distances(domain, [mean], list(counts), measure).row(0)
    records = np.array(list(counts.values()))
    return mean, float(records @ from_mean**2 / records.sum())


class Surroundings(NamedTuple):
    """What surrounds a value, as :mod:`~ontomask.methods.noise_addition_kernels` reads it."""

    value: int
    concepts: Ints
    begin: Longs
    apart: Ints
    sides: Longs

    def reached(self, epsilon: float) -> Ints:
        """The concepts, by code, that a noise may lead to, each with the same chance."""
        from ontomask.methods import noise_addition_kernels as kernels

        if epsilon == 0:
            return np.array([self.value], dtype=np.int32)
        first, last = kernels.reached(epsilon, *self[2:])
        return self.concepts[first:last]


class SemanticNoise:
    """Where noise leads in a domain with a given mean.

    Distances are compared in fixed point. Of the table of concepts against concepts there is never
    more than a few rows, those of the values at hand.
    """

    def __init__(self, domain: Taxonomy, measure: MeasureLike, mean: Concept) -> None:
        self._domain = domain
        self._every = np.arange(len(domain), dtype=np.int32)
        self._between = Distances(domain, self._every, self._every, measure)
        self._mean = domain.code(mean)
        self._from_mean = np.rint(self._between.row(self._mean) * FIXED).astype(np.int32)

    def around(self, value: int) -> Surroundings:
        """What surrounds a value, both given by code."""
        from ontomask.methods import noise_addition_kernels as kernels

        row = self._between.row(value)
        return Surroundings(value, *kernels.arrange(value, self._mean, row, self._from_mean))

    def masked(self, values: Ints, counts: Longs, epsilon: Floats, tie: Floats) -> Ints:
        """What records become, given their distinct values with counts, in this order.

        ``epsilon`` is the noise of each record; ``tie``, from 0 up to 1, chooses among equals.
        """
        from ontomask.methods import noise_addition_kernels as kernels

        start = np.concatenate(([0], np.cumsum(counts)))
        out = np.empty(start[-1], dtype=np.int32)
        between = Distances(self._domain, values, self._every, self._between.measure)
        height = max(1, CELLS_AT_A_TIME // len(self._every))

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


def nothing_would_change(why: str) -> ParameterError:
    return ParameterError(
        f"{why}: noise in proportion to it would change nothing",
        "leave the column out, or mask it in another way",
    )
