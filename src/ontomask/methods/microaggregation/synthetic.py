"""Synthetic replacement: values drawn for each record from its group, or near the original one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples

__all__ = ["draw_from_groups", "draw_near_values"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Distances that differ by less are equal; they are between 0 and 1.
TOLERANCE = 1e-12
#: With a smaller standard deviation, in steps of the column, a group has its own numbers only.
FEWEST_STEPS = 2.0


def draw_from_groups(tuples: Tuples, group: Longs, random: np.random.Generator) -> Transitions:
    """Replace each value by one from its group, so that means, variances and covariances are kept.

    A value is drawn from the records of its group, within :math:`δ_{max}(x)` of the original (MA
    algorithm 1). A word or a level is that of a record of the group, each with the same chance, for
    every attribute by itself. A number is drawn between the least and the greatest number of the
    group, from the beta distribution with the group's mean and variance, and rounded up or down so
    that the mean stays; in a group with hardly more than one number, it is that of a record. The
    numbers of a record have the ranks in their distributions that those of a random record have in
    the group, so that they vary together as in the group.

    The expected means and variances of numbers are those of the column, and so are the expected
    frequencies of words, and with them their marginalities. The result is **not** k-anonymous.
    """
    members = _GroupMembers(tuples, group)
    alike = members.draw(random)  # whose numbers a record's are like
    columns = [
        _draw_numbers(attribute, codes, members, alike, random)
        if isinstance(attribute, NumericalAttribute) and not attribute.median
        else attribute.target_of(codes[members.draw(random)])
        for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True)
    ]
    return _combine_columns(tuples, columns)


class _GroupMembers:
    """The records of each group, of which one is drawn for every record of a table."""

    def __init__(self, tuples: Tuples, group: Longs) -> None:
        group = np.unique(group, return_inverse=True)[1].ravel()
        self.counts = tuples.counts
        self.group = group  # of each tuple
        self.sizes = np.bincount(group, weights=tuples.counts).astype(np.int64)
        self.first = np.cumsum(self.sizes) - self.sizes
        self.of_record = np.repeat(group, tuples.counts)
        self._order = np.argsort(group, kind="stable")
        self._until = np.cumsum(tuples.counts[self._order])

    def draw(self, random: np.random.Generator) -> Longs:
        """The tuple of a random record of each record's group."""
        place = self.first[self.of_record] + random.integers(self.sizes[self.of_record])
        return self._order[np.searchsorted(self._until, place, side="right")]

    def sum(self, values: Floats) -> Floats:
        """The sum of a value over the records of each group, given that of each tuple."""
        sums = np.bincount(self.group, weights=values * self.counts)
        return np.asarray(sums, dtype=np.float64)

    def draw_ranks(self, numbers: Floats, chosen: Longs, random: np.random.Generator) -> Floats:
        """Where the numbers of chosen tuples stand in their groups, from 0 to 1; ties at random."""
        order = np.lexsort((numbers, self.group))
        before = np.empty(len(order))
        before[order] = np.cumsum(self.counts[order]) - self.counts[order]
        place = before[chosen] + random.random(len(chosen)) * self.counts[chosen]
        own = self.group[chosen]
        return np.asarray((place - self.first[own]) / self.sizes[own], dtype=np.float64)


def _draw_numbers(
    attribute: NumericalAttribute,
    codes: NDArray[np.integer],
    members: _GroupMembers,
    alike: Longs,
    random: np.random.Generator,
) -> Floats:
    """Draw a number for each record, in the order of the tuples; ``alike`` is whose rank it has."""
    from scipy.special import betaincinv

    numbers = attribute.numbers[codes]
    least, most = np.full((2, len(members.sizes)), [[np.inf], [-np.inf]])
    np.minimum.at(least, members.group, numbers)
    np.maximum.at(most, members.group, numbers)
    # Counted from the least number, so that no digits are lost.
    apart, width = numbers - least[members.group], most - least
    mean = members.sum(apart) / members.sizes
    variance = members.sum((apart - mean[members.group]) ** 2) / members.sizes
    step = 10.0**-attribute.decimals
    narrowed = variance - step**2 / 6  # what is rounded up or down at random varies more
    is_wide = narrowed > (FEWEST_STEPS * step) ** 2
    share, size = np.full((2, len(mean)), 0.5)
    np.divide(mean, width, out=share, where=is_wide)
    np.divide(mean * (width - mean), narrowed, out=size, where=is_wide)
    is_wide &= size > 1 + 1e-6  # otherwise only the least and the greatest number have a chance
    rank = members.draw_ranks(numbers, alike, random)
    drawn = numbers[alike]
    of = members.of_record[is_wide[members.of_record]]
    among = is_wide[members.of_record]
    a, b = share * (size - 1), (1 - share) * (size - 1)
    steps = betaincinv(a[of], b[of], rank[among]) * width[of] / step
    rounded = (np.floor(steps) + (random.random(len(of)) < steps % 1)) * step
    drawn[among] = np.minimum(attribute.round_targets(least[of] + rounded), most[of])
    return drawn


def draw_near_values(
    tuples: Tuples, operators: Operators, group: Longs, random: np.random.Generator
) -> Transitions:
    """Replace each value by a random one no farther away than the farthest of its group.

    For every record and attribute by itself a value is drawn, all with the same chance, from the
    distinct ones the attribute takes in the data within :math:`δ_{max}(x)`: the largest distance
    from the original value :math:`x` to the values of the attribute in the record's group (MA
    algorithm 1, as printed). ``group`` gives the group of each tuple. The value itself may be
    drawn. The result is **not** k-anonymous, and the mean of a skewed column moves to where its
    values are dense.

    Departures from the paper: the values that can be taken are those in the data. The S-distance
    of one attribute grows with the distance of the values, so that is what is compared.
    """
    columns = [
        attribute.target_of(_draw_values(tuples, operators, j, group, random))
        for j, attribute in enumerate(tuples.attributes)
    ]
    return _combine_columns(tuples, columns)


def _combine_columns(tuples: Tuples, columns: Sequence[Floats]) -> Transitions:
    """The transitions of records, in the order of the tuples, to targets by column."""
    source = np.repeat(np.arange(len(tuples)), tuples.counts)
    distinct, places = zip(*(np.unique(c, return_inverse=True) for c in columns), strict=True)
    combined, target = count_tuples(tuples.attributes, [place.ravel() for place in places])
    targets = np.column_stack(
        [values[codes] for values, codes in zip(distinct, combined.codes, strict=True)]
    )
    return Transitions.from_pairs(tuples, targets, source, target, np.ones_like(source))


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
