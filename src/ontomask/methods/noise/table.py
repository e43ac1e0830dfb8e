"""Noise for the records of a table, fitted to its columns and drawn record by record, anywhere.

All that is learnt of a table is how many records hold each value of each attribute. What a record
becomes follows from that, its own values and the random numbers that belong to it
(:mod:`~ontomask.methods.noise.keyed_draws`), whatever other records there are. So pieces of a
table may be masked one by one, in any order, in any process that has the same fitted noise.

A draw does not depend on other draws: for an attribute of words a concept, by its
code in the domain, and -1 for a missing value; for one of numbers the number as it is written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import MeasureLike
from ontomask.methods.noise.distribution import NoiseDistribution
from ontomask.methods.noise.keyed_draws import (
    Codes,
    Keys,
    combine_keys,
    draw_uniforms,
    stream_key,
    value_digests,
)
from ontomask.methods.noise.noise_addition import (
    NoiseAddition,
    SemanticNoise,
    mean_and_variance,
    no_variance_error,
)
from ontomask.microdata.attributes import MISSING, Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["TableNoise", "fit_table_noise", "count_transitions"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

Bounds = Literal["none", "reflect", "clip", "resample"]

#: What stands for a missing value among concepts by code.
MISSING_CODE = -1


class TableNoise:
    """Noise addition fitted to a table, made by :meth:`NoiseAddition.fitted`.

    It can be pickled where the measure can, and draws the same in every process. It holds what
    random numbers are made of and the values with their frequencies: keep it like table and seed.

    An engine turns the cells of its rows into the places of values, numbers the rows of each tuple,
    and writes what :meth:`masked` gives: ``domain.identifiers[code]`` or its label, or the number.
    Counted by tuple, the same arrays give the plan (:func:`count_transitions`). Pieces of 100,000
    rows and more are best: the surroundings of every value in a piece are made anew for it.
    """

    def __init__(self, columns: Sequence[ColumnNoise]) -> None:
        self._columns = tuple(columns)

    def __repr__(self) -> str:
        return f"TableNoise({', '.join(column.name for column in self._columns)})"

    def keys(self, codes: Codes) -> Keys:
        """The key of each record's tuple, which depends on its values alone.

        ``codes`` are arrays, one per attribute, of the places of values.
        """
        names, of_values = zip(
            *((column.name, column.digests) for column in self._columns), strict=True
        )
        return combine_keys(names, of_values, codes)

    def masked(self, codes: Codes, keys: Keys, number: Longs) -> list[NDArray[Any]]:
        """What records become, an array per attribute: concepts by code or -1, or numbers.

        ``codes`` are as for :meth:`keys`, ``keys`` what that gave. ``number`` counts the records of
        each tuple from 0, over all pieces, in any order.
        """
        return [
            column.masked(c, keys, number) for column, c in zip(self._columns, codes, strict=True)
        ]


# ---------------------------------------------------------------------- a column


@dataclass(frozen=True, eq=False, repr=False)
class ColumnNoise(ABC):
    """Noise for the values of one attribute.

    Values from the place ``known`` on are missing, and stay so. ``digests`` are what keys are made
    of, by place, and ``stream`` is the key of the two random numbers of each record.
    """

    name: str
    known: int
    digests: Keys
    stream: bytes

    def masked(self, codes: NDArray[np.integer], keys: Keys, number: Longs) -> NDArray[Any]:
        """What records become, given the places of their values."""
        present = codes < self.known
        if present.all():
            return self._draw_present(codes, keys, number)
        drawn = self._draw_present(codes[present], keys[present], number[present])
        masked = np.full(len(codes), MISSING_CODE, dtype=drawn.dtype)
        masked[present] = drawn
        return masked

    @abstractmethod
    def _draw_present(self, codes: NDArray[np.integer], keys: Keys, number: Longs) -> NDArray[Any]:
        """Draw the masked values of records without missing values."""


@dataclass(frozen=True, eq=False, repr=False)
class BaselineNoise(ColumnNoise):
    """Values drawn from ``values``, which hold those of the column, with their ``counts``."""

    method: NoiseAddition
    values: NDArray[Any]
    counts: Longs

    def _draw_present(self, codes: NDArray[np.integer], keys: Keys, number: Longs) -> NDArray[Any]:
        uniform, _ = draw_uniforms(self.stream, number, keys)
        return self.method.baseline(uniform, self.values, self.counts)


@dataclass(frozen=True, eq=False, repr=False)
class NoisyNumbers(ColumnNoise):
    """Numbers moved by a share of their range, and kept within it if there are ``bounds``."""

    attribute: NumericalAttribute
    shares: Floats
    distribution: NoiseDistribution
    bounds: Bounds

    def _draw_present(self, codes: NDArray[np.integer], keys: Keys, number: Longs) -> Floats:
        uniform, _ = draw_uniforms(self.stream, number, keys)
        shares = self.shares[codes]
        if self.bounds == "resample":
            moved = shares + self.distribution.draw_between(uniform, -shares, 1 - shares)
        else:
            moved = shares + self.distribution.free(uniform)
            if self.bounds == "reflect":
                moved = np.mod(moved, 2)
                moved = np.minimum(moved, 2 - moved)
            elif self.bounds == "clip":
                moved = np.clip(moved, 0, 1)
        least, greatest = self.attribute.numbers[[0, -1]]
        return self.attribute.round_targets(least + moved * (greatest - least))


@dataclass(frozen=True, eq=False, repr=False)
class NoisyWords(ColumnNoise):
    """Words moved towards the mean or away from it; ``values`` are their codes in the domain."""

    domain: Taxonomy
    measure: MeasureLike
    values: Ints
    mean: Concept
    distribution: NoiseDistribution

    @cached_property
    def _noise(self) -> SemanticNoise:
        return SemanticNoise(self.domain, self.measure, self.mean)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_noise"}

    def _draw_present(self, codes: NDArray[np.integer], keys: Keys, number: Longs) -> Ints:
        # Small whole numbers are sorted in no time.
        order = np.argsort(codes.astype(np.min_scalar_type(self.known)), kind="stable")
        counts = np.bincount(codes, minlength=self.known)
        held = np.flatnonzero(counts)
        uniform, tie = draw_uniforms(self.stream, number[order], keys[order])
        epsilon = self.distribution.draw_within_1(uniform)
        drawn = np.empty(len(codes), dtype=np.int32)
        drawn[order] = self._noise.masked(self.values[held], counts[held], epsilon, tie)
        return drawn


# ---------------------------------------------------------------------- fitting


def fit_table_noise(
    method: NoiseAddition,
    attributes: Sequence[Attribute],
    value_counts: Sequence[Longs],
    secret: bytes,
) -> TableNoise:
    """See :meth:`NoiseAddition.fitted`."""
    return TableNoise(
        [
            _fit_column(method, attribute, counts, secret)
            for attribute, counts in zip(attributes, value_counts, strict=True)
        ]
    )


def _fit_column(
    method: NoiseAddition, attribute: Attribute, counts: Longs, secret: bytes
) -> ColumnNoise:
    known = len(attribute.values) if isinstance(attribute, NominalAttribute) else attribute.size
    counts = counts[:known]  # a missing value is the last
    held = np.flatnonzero(counts)
    if len(held) < 2:
        having = "one value" if len(held) else "no values"
        raise no_variance_error(f"attribute {attribute.name!r} has {having}")
    stream = stream_key(secret, attribute.name)
    shared = attribute.name, known, value_digests(attribute, secret), stream
    if isinstance(attribute, NumericalAttribute):
        if method.strategy != "semantic":
            return BaselineNoise(*shared, method, attribute.numbers[held], counts[held])
        return _fit_numbers(shared, method, attribute, counts)
    assert isinstance(attribute, NominalAttribute)
    codes = attribute.domain.codes(list(attribute.values))
    if method.strategy != "semantic":
        return BaselineNoise(*shared, method, codes[held], counts[held])
    measure = method.measure(attribute.measure)
    frequencies = dict(zip(attribute.values, counts.tolist(), strict=True))
    mean, variance = mean_and_variance(frequencies, attribute.domain, measure)
    if variance == 0:
        raise no_variance_error(f"attribute {attribute.name!r} has variance 0")
    return NoisyWords(
        *shared, attribute.domain, measure, codes, mean, method.noise_distribution(variance)
    )


def _fit_numbers(
    shared: tuple[str, int, Keys, bytes],
    method: NoiseAddition,
    attribute: NumericalAttribute,
    counts: Longs,
) -> NoisyNumbers:
    least, greatest = attribute.numbers[[0, -1]]
    span = greatest - least
    shares = (attribute.numbers - least) / span  # from 0 to 1: nothing overflows
    records = int(counts.sum())
    mean = float(shares @ counts) / records
    distribution = method.noise_distribution(float((shares - mean) ** 2 @ counts) / records)
    # Ranks lead to no level beyond the first and the last.
    bounds: Bounds = "reflect" if attribute.median and method.bounds == "none" else method.bounds
    if bounds == "none":
        distribution = distribution.narrow_for_rounding(10.0**-attribute.decimals / span)
    else:
        # Reflected so often, any wider noise is even; sums would lose their digits.
        distribution = distribution._replace(spread=min(distribution.spread, 1e6))
    return NoisyNumbers(*shared, attribute, shares, distribution, bounds)


# ---------------------------------------------------------------------- the plan


def count_transitions(
    tuples: Tuples, source: Longs, drawn: Sequence[NDArray[Any]], count: Longs | None = None
) -> Transitions:
    """Count what was drawn into a plan.

    ``source`` is the tuple of each record, ``drawn`` what :meth:`TableNoise.masked` gave. With
    ``count`` a row stands for several records that are alike in both; they may be there again.
    """
    columns = [_find_targets(a, d) for a, d in zip(tuples.attributes, drawn, strict=True)]
    moved = Tuples(tuple(c.attribute for c in columns), tuples.codes, tuples.counts)
    if len(columns) == 1:
        target, targets = columns[0].place, columns[0].targets[:, None]
    else:
        combined, target = count_tuples(moved.attributes, [c.place for c in columns])
        targets = np.column_stack(
            [c.targets[codes] for c, codes in zip(columns, combined.codes, strict=True)]
        )
    pair = source * len(targets) + target
    if count is None:
        key, sums = np.unique(pair, return_counts=True)
    else:
        key, row = np.unique(pair, return_inverse=True)
        sums = np.bincount(row, weights=count, minlength=len(key)).astype(np.int64)
    return Transitions(moved, targets, *np.divmod(key, len(targets)), sums)


class _TargetColumn(NamedTuple):
    """An attribute, the distinct targets that are drawn, and which of them each record gets."""

    attribute: Attribute
    targets: Floats
    place: Longs


def _find_targets(attribute: Attribute, drawn: NDArray[Any]) -> _TargetColumn:
    if not isinstance(attribute, NominalAttribute):
        return _TargetColumn(attribute, *np.unique(drawn, return_inverse=True))
    names = attribute.domain.identifiers
    used = np.flatnonzero(np.bincount(drawn - MISSING_CODE)) + MISSING_CODE
    concepts = [MISSING if code == MISSING_CODE else names[code] for code in used.tolist()]
    wider = replace(attribute, others=sorted(set(concepts) - {MISSING}))
    targets = np.array([wider.places[concept] for concept in concepts], dtype=np.float64)
    ascending = np.argsort(targets)
    place = np.zeros(len(names) + 1, dtype=np.int64)  # by code; -1, a missing value, is the last
    place[used[ascending]] = np.arange(len(used))
    return _TargetColumn(wider, targets[ascending], place[drawn])
