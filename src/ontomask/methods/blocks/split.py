"""Tuples cut in two again and again, at the widest gap of the attribute that varies most.

The values of an attribute stand in the order in which its taxonomy is walked depth first, so values
with much in common stand together. How far two of them are apart is judged by the widest step
between them: exact where distances follow the tree, and it takes a table of neighbours alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.neighbours.orders import value_ranks
from ontomask.microdata.attributes import (
    FIXED_POINT_ONE,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.tuples import Tuples

__all__ = ["StandaloneTest", "split_tuples"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Whether some tuples, by place, can be planned alone.
StandaloneTest = Callable[[Longs], bool]

#: A cut leaves at least this share of the tuples on either side, where it can.
LEAST = 0.35
#: Pairs of tuples that say how much an attribute varies.
PAIRS = 256
#: Steps whose widths are worked out in one go.
STEPS = 64


def split_tuples(
    tuples: Tuples, size: int, weights: Sequence[float], fits: StandaloneTest
) -> list[Longs]:
    """Split into blocks of at most ``size`` tuples, by ascending place; near blocks are adjacent.

    A block is larger only where no cut leaves two parts that both fit. ``weights`` say how much an
    attribute counts.
    """
    lines = [
        _AttributeLine(attribute, codes, weight)
        for attribute, codes, weight in zip(tuples.attributes, tuples.codes, weights, strict=True)
    ]
    blocks: list[Longs] = []
    waiting = [np.arange(len(tuples))]
    while waiting:
        members = waiting.pop()
        halves = _split_in_two(lines, members, fits) if len(members) > size else None
        if halves is None:
            blocks.append(np.sort(members))
        else:
            waiting += reversed(halves)
    return blocks


def _split_in_two(
    lines: Sequence[_AttributeLine], members: Longs, fits: StandaloneTest
) -> tuple[Longs, Longs] | None:
    """Split the tuples into two parts that both fit, of similar size where possible."""
    # The same pairs for the same tuples: a block depends on nothing but the data.
    lot = np.random.default_rng(len(members))
    pairs = members[lot.integers(len(members), size=(2, PAIRS))]
    by_spread = sorted(lines, key=lambda line: -line.spread(*pairs))
    for least, widest in ((LEAST, True), (0.0, True), (0.0, False)):
        for line in by_spread:
            halves = line.cut(members, least, widest)
            if halves is not None and all(map(fits, halves)):
                return halves
    return None


class _AttributeLine:
    """An attribute laid out along a line: where tuples stand, and how wide the steps are."""

    def __init__(self, attribute: Attribute, codes: NDArray[np.int32], weight: float) -> None:
        standing = value_ranks(attribute)
        self._at = standing[codes]
        self._weight = weight
        self._numbers = self._step_widths = np.zeros(0)
        if isinstance(attribute, NumericalAttribute):
            self._numbers = attribute.numbers / (attribute.range or 1.0)
        else:
            self._step_widths = _step_widths(attribute, np.argsort(standing))

    def spread(self, a: Longs, b: Longs) -> float:
        """How far pairs of tuples are apart, in the mean."""
        return float(self._between(*np.sort([self._at[a], self._at[b]], axis=0)).mean())

    def _between(self, first: Longs, last: Longs) -> Floats:
        """The way from one place to a later one: of words its widest step, of numbers all of it."""
        if self._numbers.size:
            return self._weight * (self._numbers[last] - self._numbers[first])
        apart = np.zeros(len(first))
        distinct = np.flatnonzero(first < last)
        if distinct.size:
            # Every other stretch is the one between two pairs, and is thrown away.
            ends = np.column_stack([first[distinct], last[distinct]]).ravel()
            apart[distinct] = np.maximum.reduceat(np.append(self._step_widths, 0.0), ends)[::2]
        return self._weight * apart

    def cut(self, members: Longs, least: float, widest: bool) -> tuple[Longs, Longs] | None:
        """Two parts with a share of ``least`` or more each, cut at the widest gap or any.

        Of several gaps, at the one nearest to the middle.
        """
        order = np.argsort(self._at[members], kind="stable")
        at = self._at[members[order]]
        low = max(1, int(least * len(at)))
        # A cut at i is before the i-th; equal values stay together.
        cuts = low + np.flatnonzero(at[low - 1 : len(at) - low] != at[low : len(at) - low + 1])
        if not cuts.size:
            return None
        if widest:
            gap = self._between(at[cuts - 1], at[cuts])
            cuts = cuts[gap == gap.max()]
        middle = cuts[np.argmin(np.abs(2 * cuts - len(at)))]
        return members[order[:middle]], members[order[middle:]]


def _step_widths(attribute: Attribute, order: Longs) -> Floats:
    """The distances between neighbours in an order of the values."""
    assert isinstance(attribute, NominalAttribute)
    widths = np.zeros(max(len(order) - 1, 0))
    for first in range(0, len(widths), STEPS):
        stretch = order[first : first + STEPS + 1]
        few = attribute.restrict_to(np.sort(stretch))
        table = few.rows(few.place)
        place = np.searchsorted(np.sort(stretch), stretch)
        widths[first : first + STEPS] = table[place[:-1], place[1:]]
    return widths / FIXED_POINT_ONE
