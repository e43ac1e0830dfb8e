"""Many sets of concepts as two flat arrays, and the distinct ones among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ConceptSets", "DistinctSets", "distinct_sets"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ConceptSets:
    """Sets of concepts, laid end to end, each ascending and without repetition.

    Set ``i`` is ``concepts[offsets[i]:offsets[i + 1]]``. Concepts are the numbers that their
    taxonomy gives them, so that every concept comes after its ancestors.

    Attributes:
        offsets: Where each set begins; one more than there are sets.
        concepts: The concepts of all sets.

    >>> sets = ConceptSets.from_lists([[3, 1, 3], [], [2]])
    >>> sets.lists()
    [[1, 3], [], [2]]
    """

    offsets: Longs
    concepts: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @staticmethod
    def from_pairs(
        owner: NDArray[np.integer], concept: NDArray[np.integer], size: int
    ) -> ConceptSets:
        """Sets from (set, concept) pairs in any order, such as a long table of codes."""
        pairs = np.unique((owner.astype(np.int64) << 32) | concept)
        offsets = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(np.bincount(pairs >> 32, minlength=size), out=offsets[1:])
        return ConceptSets(offsets, (pairs & 0xFFFFFFFF).astype(np.int32))

    @staticmethod
    def from_lists(lists: Iterable[Iterable[int]]) -> ConceptSets:
        """Sets from lists of concepts."""
        sets = [list(concepts) for concepts in lists]
        owner = np.repeat(np.arange(len(sets)), [len(concepts) for concepts in sets])
        concept = np.array([c for concepts in sets for c in concepts], dtype=np.int64)
        return ConceptSets.from_pairs(owner, concept, len(sets))

    def sizes(self) -> Longs:
        """How many concepts each set has."""
        return np.diff(self.offsets)

    def owners(self) -> Longs:
        """For each concept, the set that it stands in."""
        return np.repeat(np.arange(len(self)), self.sizes())

    def lists(self) -> list[list[int]]:
        """The concepts of every set."""
        start, concepts = self.offsets.tolist(), self.concepts.tolist()
        return [concepts[start[i] : start[i + 1]] for i in range(len(self))]

    def take(self, places: NDArray[np.integer]) -> ConceptSets:
        """Some of the sets, in another order or several times."""
        sizes = self.sizes()[places]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        shift = np.repeat(self.offsets[places] - offsets[:-1], sizes)
        return ConceptSets(offsets, self.concepts[np.arange(offsets[-1]) + shift])


class DistinctSets(NamedTuple):
    """The distinct ones of some sets.

    Attributes:
        sets: Each once, the smaller first, then by their concepts.
        place: Which of them each of the original sets is.
        counts: How many of the original sets each is.
    """

    sets: ConceptSets
    place: Longs
    counts: Longs


def distinct_sets(sets: ConceptSets) -> DistinctSets:
    """The distinct sets; their order does not depend on that of the original ones."""
    # A walk down the tree of all beginnings: sets with the same first concepts are at one node.
    node = np.zeros(len(sets), dtype=np.int64)
    sizes, nodes, at = sets.sizes(), 1, 0
    active = np.flatnonzero(sizes)
    while active.size:
        step = (node[active] << 32) | sets.concepts[sets.offsets[active] + at]
        distinct, place = np.unique(step, return_inverse=True)
        node[active] = nodes + place.ravel()
        nodes += len(distinct)
        at += 1
        active = active[sizes[active] > at]
    _, first, place, counts = np.unique(
        node, return_index=True, return_inverse=True, return_counts=True
    )
    return DistinctSets(sets.take(first), place.ravel(), counts)
