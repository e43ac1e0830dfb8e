"""Blocks as tables of their own, and their plans joined into one plan for the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.sets.set_concepts import with_more_candidates
from ontomask.microdata.tuples import SensitiveCounts, Transitions, Tuples
from ontomask.taxonomy import Concept

__all__ = ["TupleBlocks", "BlockTransitions", "join_blocks", "extract_block_transitions"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class TupleBlocks:
    """The blocks of a table; each is built when it is asked for."""

    def __init__(
        self, tuples: Tuples, blocks: Sequence[Longs], factors: Sequence[float] | None
    ) -> None:
        self._tuples, self._blocks = tuples, blocks
        self._factors = None if factors is None else tuple(factors)
        block, place = np.empty(len(tuples), dtype=np.int64), np.empty(len(tuples), dtype=np.int64)
        for number, members in enumerate(blocks):
            block[members], place[members] = number, np.arange(len(members))
        split_counts = partial(_CountsByBlock, block=block, place=place, blocks=len(blocks))
        self._sensitive = [
            split_counts(column, keep_totals=True) for column in tuples.sensitive_counts
        ]
        self._people = (
            None if tuples.people is None else split_counts(tuples.people, keep_totals=False)
        )

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, number: int) -> Tuples:
        """A block, with the values that it holds and no others."""
        members = self._blocks[number]
        attributes, codes = [], []
        for attribute, column in zip(self._tuples.attributes, self._tuples.codes, strict=True):
            values, place = np.unique(column[members], return_inverse=True)
            attributes.append(attribute.restrict_to(values))
            codes.append(place.ravel())
        return Tuples(
            tuple(attributes),
            np.ascontiguousarray(np.stack(codes), dtype=np.int32),
            self._tuples.counts[members],
            tuple(column.in_block(number) for column in self._sensitive),
            None if self._people is None else self._people.in_block(number),
            self._factors,
        )


class _CountsByBlock:
    """The counts of one column's values, separated by block."""

    def __init__(
        self, column: SensitiveCounts, block: Longs, place: Longs, blocks: int, keep_totals: bool
    ) -> None:
        self._column, self._place = column, place
        self._order = np.argsort(block[column.tuple], kind="stable")
        self._start = np.searchsorted(block[column.tuple][self._order], np.arange(blocks + 1))
        self._totals = None
        if keep_totals:
            self._totals = np.bincount(column.value, weights=column.count).astype(np.int64)

    def in_block(self, number: int) -> SensitiveCounts:
        """The counts in one block, with the totals of the whole table where they are needed."""
        column = self._column
        entries = self._order[self._start[number] : self._start[number + 1]]
        tuples, values = self._place[column.tuple[entries]], column.value[entries]
        return replace(
            column,
            tuple=tuples,
            value=values,
            count=column.count[entries],
            table_counts=self._totals,
        )


@dataclass(frozen=True, eq=False)
class BlockTransitions:
    """The transitions of a block; ``candidates`` are the concepts that its targets refer to."""

    candidates: tuple[tuple[Concept, ...] | None, ...]
    targets: Floats
    source: Longs
    target: Longs
    count: Longs
    unpaired: tuple[int, ...]


def extract_block_transitions(plan: Transitions) -> BlockTransitions:
    """The transitions of a block without its tuples, ready to be sent to another process."""
    candidates = tuple(
        attribute.candidates if isinstance(attribute, NominalAttribute) else None
        for attribute in plan.tuples.attributes
    )
    return BlockTransitions(
        candidates, plan.targets, plan.source, plan.target, plan.count, plan.unpaired
    )


def join_blocks(
    tuples: Tuples, blocks: Sequence[Longs], parts: Sequence[BlockTransitions]
) -> Transitions:
    """Join the transitions of all blocks into one plan."""
    tuples = _with_drawn_concepts(tuples, parts)
    begin = np.cumsum([0, *(len(part.targets) for part in parts)])
    plan = Transitions.from_pairs(
        tuples,
        np.concatenate([_table_targets(tuples.attributes, part) for part in parts]),
        np.concatenate([members[part.source] for members, part in zip(blocks, parts, strict=True)]),
        np.concatenate([first + part.target for first, part in zip(begin, parts, strict=False)]),
        np.concatenate([part.count for part in parts]),
    )
    unpaired = zip(*(part.unpaired for part in parts), strict=True)
    return replace(plan, unpaired=tuple(map(sum, unpaired)))


def _with_drawn_concepts(tuples: Tuples, parts: Sequence[BlockTransitions]) -> Tuples:
    """The tuples with the concepts beyond the hierarchy of the values: of noise, and new sets."""
    attributes = list(tuples.attributes)
    for j, attribute in enumerate(attributes):
        if isinstance(attribute, NominalAttribute):
            drawn = {concept for part in parts for concept in part.candidates[j] or ()}
            others = drawn - set(attribute.candidates)
            if others:
                attributes[j] = with_more_candidates(attribute, others)
    return replace(tuples, attributes=tuple(attributes))


def _table_targets(attributes: Sequence[Attribute], part: BlockTransitions) -> Floats:
    """The targets of a block, encoded for the whole table; a blank target stays blank."""
    columns = []
    for attribute, candidates, column in zip(
        attributes, part.candidates, part.targets.T, strict=True
    ):
        if candidates is not None:
            assert isinstance(attribute, NominalAttribute)
            place = np.array([*(attribute.places[concept] for concept in candidates), np.nan])
            column = place[np.where(np.isnan(column), -1, column).astype(np.int64)]
        columns.append(column)
    return np.column_stack(columns)
