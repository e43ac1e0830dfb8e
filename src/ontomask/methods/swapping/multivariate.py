"""Swapping values between near records, all attributes in one go (RS algorithm 3).

Distances are between tuples, but swaps are between records: two records of one tuple differ as soon
as one of them is half swapped. What is near and what is far is found without looking at all tuples
(:mod:`ontomask.methods.neighbours.comparison`, and :class:`ValueClasses` for the farthest).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.neighbours.comparison import ValueSpace, build_value_space
from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute

__all__ = ["swap_records"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: How many combinations of wide classes there should be, and classes of one attribute in all.
COMBINATIONS, NARROW = 512, 96


def swap_records(
    operators: Operators, k: int, complete: bool, guard: bool, random: np.random.Generator
) -> tuple[list[Longs], list[int]]:
    """The values that records are given, by place; records are in the order of the tuples.

    And how many values of each attribute kept their place for want of a partner.
    """
    from ontomask.methods.swapping import multivariate_kernels as kernels

    tuples = operators.tuples
    compared = build_value_space(operators)
    codes = np.ascontiguousarray(tuples.codes.T)
    classes = [_classify_values(j, operators, compared) for j in range(len(tuples.attributes))]
    swapped, unpaired = kernels.swap(
        k,
        kernels.GUARD if guard else kernels.COMPLETE if complete else kernels.PLAIN,
        _draw_first_reference(operators, compared, random),
        _all_separate(compared),
        codes,
        tuples.counts,
        compared,
        _arrange_blocks(codes, tuples.counts, classes),
        random,
    )
    return [column.astype(np.int64) for column in swapped], unpaired.tolist()


# ---------------------------------------------------------------- the first reference


def _draw_first_reference(
    operators: Operators, compared: ValueSpace, random: np.random.Generator
) -> int:
    """Draw from the tuples with the greatest summed distance to all records (RS eq. 10)."""
    tuples = operators.tuples
    score: NDArray[Any] = np.zeros(len(tuples), dtype=np.int64)
    for j, attribute in enumerate(tuples.attributes):
        counts = tuples.value_counts(j)
        if isinstance(attribute, NumericalAttribute):
            _, scale = compared[5][j]
            sums = np.rint(_summed_distances(attribute, counts) * scale).astype(np.int64)
        else:
            sums = _distance_table(j, compared).astype(np.int64) @ counts
        score += sums[tuples.codes[j]]
    ends = np.cumsum(np.where(score == score.max(), tuples.counts, 0))
    return int(np.searchsorted(ends, random.integers(ends[-1]), side="right"))


def _summed_distances(attribute: NumericalAttribute, counts: Longs) -> Floats:
    """The summed distance of each number to all records: those below, those above."""
    numbers = attribute.numbers
    held, below = np.cumsum(counts), np.cumsum(counts * numbers)
    total = numbers * (2 * held - held[-1]) + below[-1] - 2 * below
    return np.asarray(total / (attribute.range or 1.0))


def _distance_table(j: int, compared: ValueSpace) -> NDArray[np.integer]:
    """The distances between the values of a nominal attribute."""
    offset, start, tables, _, _, _ = compared
    size = int(offset[j + 1] - offset[j])
    return tables[start[j] : start[j] + size * size].reshape(size, size)


def _all_separate(compared: ValueSpace) -> bool:
    """Whether no two tuples are at distance 0: two values of one attribute never are."""
    offset, _, _, _, numbers, unit = compared
    for j, (span, scale) in enumerate(unit):
        if span > 0:
            steps = np.diff(numbers[offset[j] : offset[j + 1]])
            if not np.rint(steps / span * scale).all():
                return False
        elif np.count_nonzero(_distance_table(j, compared) == 0) > offset[j + 1] - offset[j]:
            return False
    return True


# ---------------------------------------------------------------- the farthest


class ValueClasses(NamedTuple):
    """The values of an attribute in few classes, wide ones, each made of narrow ones.

    ``most[v, c]`` and ``least[v, c]`` bound the distance from value ``v`` to those of class ``c``.
    """

    wide: Longs
    narrow: Longs
    wide_most: NDArray[np.integer]
    narrow_most: NDArray[np.integer]
    narrow_least: NDArray[np.integer]


def _classify_values(j: int, operators: Operators, compared: ValueSpace) -> ValueClasses:
    """Classify values by similar distances to all others, so that bounds on distances are close."""
    attribute = operators.tuples.attributes[j]
    m = len(operators.tuples.attributes)
    few = max(2, round(COMBINATIONS ** (1 / m)))
    if isinstance(attribute, NominalAttribute):
        table = _distance_table(j, compared)
        wide, narrow = (
            _classify_by_profile(table, min(few, NARROW)),
            _classify_by_profile(table, NARROW),
        )
        # Narrow classes are parts of wide ones.
        narrow = np.unique(wide * (narrow.max() + 1) + narrow, return_inverse=True)[1]
        order = np.argsort(narrow, kind="stable")
        begin = np.searchsorted(narrow[order], np.arange(narrow.max() + 1))
        sorted_ = table[:, order]
        most = np.maximum.reduceat(sorted_, begin, axis=1)
        least = np.minimum.reduceat(sorted_, begin, axis=1)
        outer = wide[order[begin]]
        wide_most = np.maximum.reduceat(
            most, np.searchsorted(outer, np.arange(outer.max() + 1)), axis=1
        )
        return ValueClasses(wide, narrow, wide_most, most, least)
    assert isinstance(attribute, NumericalAttribute)
    # Numbers have no table: a class is a range, and the loop works with its two ends.
    narrow = np.arange(attribute.size) * min(NARROW, attribute.size) // attribute.size
    wide = narrow * min(few, int(narrow[-1]) + 1) // (int(narrow[-1]) + 1)
    none = np.empty((0, 0), dtype=operators.kind)
    return ValueClasses(wide, narrow, none, none, none)


def _classify_by_profile(table: NDArray[np.integer], limit: int) -> Longs:
    """Classify values by their distances to a few of them that are as far apart as possible.

    As many of these are taken as leave no more than ``limit`` classes.
    """
    label = np.zeros(len(table), dtype=np.int64)
    nearest = np.full(len(table), np.iinfo(np.int64).max)
    pivot = int(np.argmax(table.sum(axis=1, dtype=np.int64)))
    for _ in range(limit):
        nearest = np.minimum(nearest, table[pivot])
        _, place = np.unique(table[pivot], return_inverse=True)
        finer = np.unique(label * (int(place.max()) + 1) + place, return_inverse=True)[1]
        if finer.max() >= limit:
            if label.max() == 0:  # a great many distances: cut them into ranges
                label = np.unique(place * limit // (place.max() + 1), return_inverse=True)[1]
            break
        label, pivot = finer, int(np.argmax(nearest))
        if nearest[pivot] == 0:
            break
    return np.asarray(label, dtype=np.int64)


def _arrange_blocks(codes: Ints, counts: Longs, classes: list[ValueClasses]) -> tuple[Any, ...]:
    """Arrange tuples by combination of classes: wide blocks, and narrow blocks within them.

    As the loop reads it: the wide block of each tuple; where the narrow blocks of each wide one
    begin; the classes of the wide and of the narrow blocks; the tuples in the order of their narrow
    blocks and where each of these begins; the narrow block of each tuple; bounds on distances, laid
    end to end with where each attribute begins; and the ends of ranges of numbers.
    """
    m = codes.shape[1]
    wide, narrow = np.zeros(len(codes), dtype=np.int64), np.zeros(len(codes), dtype=np.int64)
    for j, labels in enumerate(classes):
        wide = np.unique(
            wide * (labels.wide.max() + 1) + labels.wide[codes[:, j]], return_inverse=True
        )[1]
    narrow = wide.copy()
    for j, labels in enumerate(classes):
        key = narrow * (labels.narrow.max() + 1) + labels.narrow[codes[:, j]]
        narrow = np.unique(key, return_inverse=True)[1]
    members = np.argsort(narrow, kind="stable")
    begin = np.searchsorted(narrow[members], np.arange(narrow.max() + 2))
    outer = wide[members[begin[:-1]]]
    inner = np.searchsorted(outer, np.arange(outer.max() + 2))
    one_of_wide = members[begin[inner[:-1]]]
    one_of_narrow = members[begin[:-1]]
    wide_classes = np.stack([classes[j].wide[codes[one_of_wide, j]] for j in range(m)], axis=1)
    narrow_classes = np.stack(
        [classes[j].narrow[codes[one_of_narrow, j]] for j in range(m)], axis=1
    )
    widths = np.array([[labels.wide.max() + 1, labels.narrow.max() + 1] for labels in classes])
    ends = [(_class_ends(labels.wide), _class_ends(labels.narrow)) for labels in classes]
    return (
        wide,
        inner,
        wide_classes,
        narrow,
        begin,
        members,
        narrow_classes,
        widths,
        _concatenate_tables([labels.wide_most for labels in classes]),
        _concatenate_tables([labels.narrow_most for labels in classes]),
        _concatenate_tables([labels.narrow_least for labels in classes]),
        _concatenate_tables([wide_ends for wide_ends, _ in ends]),
        _concatenate_tables([narrow_ends for _, narrow_ends in ends]),
    )


def _class_ends(label: Longs) -> Longs:
    """The first and the last value of each class, where classes are ranges."""
    order = np.arange(label.max() + 1)
    if (np.diff(label) < 0).any():  # words: not needed
        return np.zeros((len(order), 2), dtype=np.int64)
    first = np.searchsorted(label, order)
    return np.stack([first, np.searchsorted(label, order, side="right") - 1], axis=1)


def _concatenate_tables(tables: list[NDArray[Any]]) -> tuple[NDArray[Any], Longs]:
    """Concatenate tables row by row; the result, and where each begins."""
    begin = np.cumsum([0, *(table.size for table in tables)])
    return np.concatenate([table.ravel() for table in tables]), begin
