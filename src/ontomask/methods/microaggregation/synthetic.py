"""Synthetic replacement: values drawn near the original ones (MA algorithm 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples

__all__ = ["draw_synthetic"]

Longs = NDArray[np.int64]

#: Distances that differ by less are equal; they are between 0 and 1.
TOLERANCE = 1e-12


def draw_synthetic(
    tuples: Tuples, operators: Operators, group: Longs, random: np.random.Generator
) -> Transitions:
    """Replace each value by a random one no farther away than the farthest of its group.

    For every record and attribute by itself a value is drawn, all with the same chance, from the
    distinct ones the attribute takes in the data within :math:`δ_{max}(x)`: the largest distance
    from the original value :math:`x` to the values of the attribute in the record's group (MA
    algorithm 1). ``group`` gives the group of each tuple. The value itself may be drawn. The result
    is **not** k-anonymous.

    Departures from the paper: the values that can be taken are those in the data. The S-distance
    of one attribute grows with the distance of the values, so that is what is compared.
    """
    source = np.repeat(np.arange(len(tuples)), tuples.counts)
    columns = [
        _draw_values(tuples, operators, j, group, random) for j in range(len(tuples.attributes))
    ]
    masked, target = count_tuples(tuples.attributes, columns)
    return Transitions.from_pairs(tuples, masked.targets(), source, target, np.ones_like(source))


def _draw_values(
    tuples: Tuples, operators: Operators, j: int, group: Longs, random: np.random.Generator
) -> Longs:
    """Draw a value of attribute ``j`` for each record, in the order of the tuples."""
    attribute, codes = tuples.attributes[j], tuples.codes[j].astype(np.int64)
    if isinstance(attribute, NumericalAttribute):
        low, high = _reachable_places(attribute, codes, group)
        return random.integers(np.repeat(low, tuples.counts), np.repeat(high, tuples.counts))
    assert isinstance(attribute, NominalAttribute)
    nearest = _NearValues(attribute, codes, group, operators.classic)
    first = np.concatenate(([0], np.cumsum(tuples.counts)))
    drawn = np.empty(first[-1], dtype=np.int64)
    holders = np.argsort(codes, kind="stable")
    start = np.searchsorted(codes[holders], np.arange(attribute.size + 1))
    for value in range(attribute.size):
        held_by = holders[start[value] : start[value + 1]]
        if not len(held_by):
            continue
        order, within = nearest.within_reach(value, group[held_by])
        counts = tuples.counts[held_by]
        chosen = order[random.integers(np.repeat(within, counts))]
        places = np.repeat(first[held_by] - np.cumsum(counts) + counts, counts)
        drawn[places + np.arange(len(chosen))] = chosen
    return drawn


def _reachable_places(
    attribute: NumericalAttribute, codes: Longs, group: Longs
) -> tuple[Longs, Longs]:
    """The numbers within reach of each tuple's: the place of the first, and past the last."""
    groups = int(group.max()) + 1
    least, most = np.full(groups, np.inf), np.full(groups, -np.inf)
    numbers = attribute.numbers[codes]
    np.minimum.at(least, group, numbers)
    np.maximum.at(most, group, numbers)
    reach = np.maximum(numbers - least[group], most[group] - numbers) + TOLERANCE * attribute.range
    low = np.searchsorted(attribute.numbers, numbers - reach)
    return low, np.searchsorted(attribute.numbers, numbers + reach, side="right")


class _NearValues:
    """The values of a nominal attribute in each group, and what is within reach of them."""

    def __init__(
        self, attribute: NominalAttribute, codes: Longs, group: Longs, classic: bool
    ) -> None:
        self.attribute = attribute
        self.classic = classic
        key = np.unique(group * attribute.size + codes)
        self.values = key % attribute.size
        groups = np.arange(int(group.max()) + 2)
        self.start = np.searchsorted(key, groups * attribute.size)

    def within_reach(self, value: int, groups: Longs) -> tuple[Longs, Longs]:
        """All values, the nearest first, and how many are within reach in each of some groups."""
        if self.classic:
            distances = (np.arange(self.attribute.size) != value).astype(np.float64)
        else:
            distances = self.attribute.distances_from_target(float(self.attribute.place[value]))
        groups, place = np.unique(groups, return_inverse=True)
        sizes = self.start[groups + 1] - self.start[groups]
        first = np.cumsum(sizes) - sizes
        members = np.repeat(self.start[groups] - first, sizes) + np.arange(sizes.sum())
        reach = np.maximum.reduceat(distances[self.values[members]], first)
        order = np.argsort(distances, kind="stable")
        within = np.searchsorted(distances[order], reach + TOLERANCE, side="right")
        return order, within[place]
