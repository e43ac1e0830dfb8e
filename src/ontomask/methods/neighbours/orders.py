"""Orders in which tuples with much in common stand close together.

A value is reached by a walk down its taxonomy, a number by halving its range again and again. An
order sorts by the first steps of all attributes, then by the second ones, and so on
(*interleaved*), or goes all the way down one attribute before it looks at the next. Several such
orders find most near neighbours without comparing all pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Tuples
from ontomask.taxonomy import Taxonomy

__all__ = ["interleaved_order", "orders", "value_ranks"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: How often the range of a number is halved.
HALVINGS = 12
#: The bits of a sort key.
BITS = 63


def interleaved_order(tuples: Tuples) -> Longs:
    """The order by all first steps, then all second steps, and so on; it keeps most together."""
    walks = [_walk_to_values(attribute) for attribute in tuples.attributes]
    return _sort_by_steps(tuples, _by_level(walks, range(len(walks))))


def orders(tuples: Tuples) -> Iterator[Longs]:
    """Three orders for each attribute that may come first: as they are, and interleaved twice."""
    walks = [_walk_to_values(attribute) for attribute in tuples.attributes]
    many = len(walks)
    for shift in range(many):
        turn = [(shift + j) % many for j in range(many)]
        yield _sort_by_steps(tuples, [step for j in turn for step in _steps_of(walks, j)])
        if many > 1:
            yield _sort_by_steps(tuples, _by_level(walks, turn))
            yield _sort_by_steps(tuples, _by_level(walks, turn, together=2))


def value_ranks(attribute: Attribute) -> Longs:
    """Where each value of an attribute stands when its taxonomy is walked depth first."""
    if isinstance(attribute, NumericalAttribute):
        return np.arange(attribute.size)
    walk = _walk_to_values(attribute)
    order = np.lexsort(walk[::-1]) if walk else np.arange(attribute.size)
    standing = np.empty(attribute.size, dtype=np.int64)
    standing[order] = np.arange(attribute.size)
    return standing


class _Step:
    """One step of the walk to every value of an attribute: which way, of how many."""

    def __init__(self, attribute: int, way: Ints) -> None:
        self.attribute, self.way = attribute, way
        self.bits = max(1, int(way.max(initial=0)).bit_length())


def _steps_of(walks: Sequence[Sequence[Ints]], j: int) -> list[_Step]:
    return [_Step(j, way) for way in walks[j]]


def _by_level(
    walks: Sequence[Sequence[Ints]], turn: Sequence[int], together: int = 1
) -> list[_Step]:
    """Steps level by level; the first ones of an attribute may stay together."""
    steps = [step for j in turn for step in _steps_of(walks, j)[:together]]
    deepest = max(len(walk) for walk in walks)
    for level in range(together, deepest):
        steps += [_Step(j, walks[j][level]) for j in turn if level < len(walks[j])]
    return steps


def _sort_by_steps(tuples: Tuples, steps: Sequence[_Step]) -> Longs:
    """Sort tuples by one step after the other, packed into as few sort keys as possible."""
    keys: list[Longs] = []
    room = 0
    for step in steps:
        if step.bits > room:
            keys.append(np.zeros(len(tuples), dtype=np.int64))
            room = BITS
        keys[-1] = (keys[-1] << step.bits) | step.way[tuples.codes[step.attribute]]
        room -= step.bits
    # What is alike in all steps stays in the order of the tuples.
    return np.lexsort(keys[::-1]) if keys else np.arange(len(tuples))


def _walk_to_values(attribute: Attribute) -> list[Ints]:
    if isinstance(attribute, NominalAttribute):
        walk = _walk_down(attribute.domain, attribute.domain.codes(list(attribute.values)))
        if attribute.size == len(attribute.values):
            return walk
        # A missing value has no concept: it is apart from all of them.
        missing = np.append(np.zeros(len(attribute.values), dtype=np.int32), np.int32(1))
        return [missing, *(np.append(way, np.int32(0)) for way in walk)]
    assert isinstance(attribute, NumericalAttribute)
    return _walk_by_halves(attribute)


def _walk_by_halves(attribute: NumericalAttribute) -> list[Ints]:
    """The half of the range each number is in, the half of that, and so on; then the value."""
    if attribute.size < 2:
        return []
    share = (attribute.numbers - attribute.numbers[0]) / attribute.range
    place = np.minimum((share * (1 << HALVINGS)).astype(np.int64), (1 << HALVINGS) - 1)
    halves = [((place >> bit) & 1).astype(np.int32) for bit in range(HALVINGS - 1, -1, -1)]
    return [*halves, np.arange(attribute.size, dtype=np.int32)]


def _walk_down(domain: Taxonomy, values: Ints) -> list[Ints]:
    """The way taken at each step from the root to each value.

    A concept with several parents is reached through the deepest, the first of equals.
    """
    if not len(values):
        return []
    upwards = [values.astype(np.int64)]
    above = _deepest_parents(domain)
    while (upwards[-1] != 0).any():
        upwards.append(above[upwards[-1]])
    depth = np.sum([level != 0 for level in upwards], axis=0)
    steps = []
    for level in range(1, len(upwards)):
        # The ancestor that is `level` links below the root, or the value itself above that.
        at = np.maximum(depth - level, 0)
        reached = np.choose(at, upwards) if len(upwards) < 32 else _pick_levels(at, upwards)
        steps.append(_child_numbers(reached, above, depth >= level))
    return steps


def _pick_levels(at: Longs, levels: Sequence[Longs]) -> Longs:
    return np.array(levels)[at, np.arange(len(at))]


def _child_numbers(reached: Longs, above: Longs, moved: NDArray[np.bool_]) -> Ints:
    """Which child of its parent each concept is, from 1; 0 for values that stay above."""
    distinct, place = np.unique(reached, return_inverse=True)
    parents = above[distinct]
    order = np.lexsort((distinct, parents))
    first = np.r_[True, parents[order][1:] != parents[order][:-1]]
    start = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - start + 1
    return np.where(moved, rank[place], 0).astype(np.int32)


def _deepest_parents(domain: Taxonomy) -> Longs:
    """For each concept its deepest parent; the root is its own."""
    start, items = domain.parent_links
    owner = np.repeat(np.arange(len(domain)), np.diff(start))
    # The last one written stays: the deepest, of equals the first.
    order = np.lexsort((-items, domain.depths[items]))
    above = np.zeros(len(domain), dtype=np.int64)
    above[owner[order]] = items[order]
    return above
