"""Some tuples as a table of their own, and their plan as part of that of the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.tuples import Held, Transitions, Tuples
from ontomask.taxonomy import Concept

__all__ = ["Cut", "Part", "joined", "part_of"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Cut:
    """A table cut into blocks; gives them one at a time."""

    def __init__(
        self, tuples: Tuples, blocks: Sequence[Longs], factors: Sequence[float] | None
    ) -> None:
        self._tuples, self._blocks = tuples, blocks
        self._factors = None if factors is None else tuple(factors)
        block, place = np.empty(len(tuples), dtype=np.int64), np.empty(len(tuples), dtype=np.int64)
        for number, members in enumerate(blocks):
            block[members], place[members] = number, np.arange(len(members))
        cut = partial(_Cut, block=block, place=place, blocks=len(blocks))
        self._watched = [cut(held, whole=True) for held in tuples.watched]
        self._people = None if tuples.people is None else cut(tuples.people, whole=False)

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, number: int) -> Tuples:
        """A block, with the values that it holds and no others."""
        members = self._blocks[number]
        attributes, codes = [], []
        for attribute, column in zip(self._tuples.attributes, self._tuples.codes, strict=True):
            held, place = np.unique(column[members], return_inverse=True)
            attributes.append(attribute.restricted(held))
            codes.append(place.ravel())
        return Tuples(
            tuple(attributes),
            np.ascontiguousarray(np.stack(codes), dtype=np.int32),
            self._tuples.counts[members],
            tuple(it.of(number) for it in self._watched),
            None if self._people is None else self._people.of(number),
            self._factors,
        )


class _Cut:
    """What the tuples of each block hold of a column."""

    def __init__(self, held: Held, block: Longs, place: Longs, blocks: int, whole: bool) -> None:
        self._held, self._place = held, place
        self._order = np.argsort(block[held.tuple], kind="stable")
        self._start = np.searchsorted(block[held.tuple][self._order], np.arange(blocks + 1))
        self._whole = None
        if whole:
            self._whole = np.bincount(held.value, weights=held.count).astype(np.int64)

    def of(self, number: int) -> Held:
        """Of one block, with the counts of the whole table where they are needed."""
        held = self._held
        some = self._order[self._start[number] : self._start[number + 1]]
        tuples, values = self._place[held.tuple[some]], held.value[some]
        return Held(held.name, tuples, values, held.count[some], held.ordered, self._whole)


@dataclass(frozen=True, eq=False)
class Part:
    """The plan of a block, who goes where; ``candidates`` are the words that targets stand for."""

    candidates: tuple[tuple[Concept, ...] | None, ...]
    targets: Floats
    source: Longs
    target: Longs
    count: Longs
    unpaired: tuple[int, ...]


def part_of(plan: Transitions) -> Part:
    """The plan of a block, as it can be told to whoever knows the whole table."""
    candidates = tuple(
        attribute.candidates if isinstance(attribute, NominalAttribute) else None
        for attribute in plan.tuples.attributes
    )
    return Part(candidates, plan.targets, plan.source, plan.target, plan.count, plan.unpaired)


def joined(tuples: Tuples, blocks: Sequence[Longs], parts: Sequence[Part]) -> Transitions:
    """The plans of all blocks as one."""
    begin = np.cumsum([0, *(len(part.targets) for part in parts)])
    plan = Transitions.joined(
        tuples,
        np.concatenate([_targets(tuples.attributes, part) for part in parts]),
        np.concatenate([members[part.source] for members, part in zip(blocks, parts, strict=True)]),
        np.concatenate([first + part.target for first, part in zip(begin, parts, strict=False)]),
        np.concatenate([part.count for part in parts]),
    )
    unpaired = zip(*(part.unpaired for part in parts), strict=True)
    return replace(plan, unpaired=tuple(map(sum, unpaired)))


def _targets(attributes: Sequence[Attribute], part: Part) -> Floats:
    """The targets of a block as those of the whole table; a blank stays one."""
    columns = []
    for attribute, candidates, column in zip(
        attributes, part.candidates, part.targets.T, strict=True
    ):
        if candidates is not None:
            assert isinstance(attribute, NominalAttribute)
            place = np.array([*(attribute.places[it] for it in candidates), np.nan])
            column = place[np.where(np.isnan(column), -1, column).astype(np.int64)]
        columns.append(column)
    return np.column_stack(columns)
