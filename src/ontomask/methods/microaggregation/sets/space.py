"""Tuples with sets of concepts as the loops of merging take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.merging.space import TupleSpace, build_tuple_space
from ontomask.methods.operators import Operators
from ontomask.microdata.sets import (
    ConceptSets,
    closures,
    missing_concept,
    reduce_to_deepest,
)
from ontomask.taxonomy import Taxonomy

__all__ = ["SetColumn", "SetSpace", "build_set_space"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Tuples whose concepts are marked at the same time: the bits of a mark.
SLOTS = 8
#: How often the concepts of all closures fit into the room for centroids; and of many concepts.
ROOM, ROOM_OF_MANY, MANY_CONCEPTS = 3, 2, 4_000_000


@dataclass(frozen=True, eq=False)
class SetColumn:
    """A set-valued quasi-identifier of some tuples.

    Attributes:
        taxonomy: Where the concepts are.
        sets: The set of each tuple; a missing one holds :func:`missing_concept` alone.
        weight: What its distance counts beside those of other attributes.
    """

    taxonomy: Taxonomy
    sets: ConceptSets
    weight: float = 1.0

    @cached_property
    def items(self) -> ConceptSets:
        """The deepest concepts of each set."""
        return reduce_to_deepest(self.taxonomy, self.sets)

    @cached_property
    def closures(self) -> ConceptSets:
        """The closure of each set."""
        return closures(self.taxonomy, self.sets)

    def take(self, places: Longs) -> SetColumn:
        """The sets of some of the tuples."""
        return SetColumn(self.taxonomy, self.sets.take(places), self.weight)


class SetSpace(NamedTuple):
    """Tuples of sets, and of other attributes.

    Set ``s`` of tuple ``t`` has the closure ``concepts[start[s, t]:stop[s, t]]``. A centroid, and
    ``target[t]`` is one, begins with the start and the size of each set; the centroids of groups
    follow the closures in ``concepts``. The concepts of the tuples ``marked`` have a bit each in
    ``marks``, so that a set is compared with a centroid by reading the centroid alone.
    """

    weight: Longs
    target: Floats
    start: Longs
    stop: Longs
    concepts: Ints
    used: Longs  # how much of it is
    own: int  # where the closures end
    scale: Floats
    missing: Longs
    best: bool
    squared: bool
    marks: NDArray[np.uint8]
    marked: Longs
    turn: Longs  # which of them is replaced next
    others: Any  # a bundled space
    many_others: int


def build_set_space(
    columns: Sequence[SetColumn],
    counts: Longs,
    order: Longs,
    objective: str,
    centroid: str,
    operators: Operators | None,
    spare: int = 0,
) -> tuple[SetSpace, TupleSpace]:
    """The tuples in an order, which the columns have already; ``operators`` are of the others.

    At the end of ``concepts``, there is room for ``spare`` times the concepts of all closures more.
    """
    from ontomask.methods.microaggregation.merging.bundles import bundle_arrays

    tuples = len(order)
    factors = [] if operators is None else operators.factors
    total = sum(column.weight for column in columns) + sum(factors)
    others = _empty_space(tuples)
    if operators is not None:
        others = build_tuple_space(operators, objective, "rule", order)
        others = others._replace(scale=others.scale * (sum(factors) / total))
    sets = [column.closures for column in columns]
    sizes = [len(column.taxonomy) + 1 for column in columns]
    first = np.concatenate(([0], np.cumsum(sizes)))  # of the concepts of each column
    begins = np.concatenate(([0], np.cumsum([len(one.concepts) for one in sets])))
    held = int(begins[-1])
    room = held * (spare + (ROOM if held < MANY_CONCEPTS else ROOM_OF_MANY))
    concepts = np.empty(held + room, dtype=np.int32)
    for s, one in enumerate(sets):
        concepts[begins[s] : begins[s + 1]] = one.concepts + first[s]
    start = np.array([one.offsets[:-1] + begins[s] for s, one in enumerate(sets)])
    stop = np.array([one.offsets[1:] + begins[s] for s, one in enumerate(sets)])
    target = np.empty((tuples, 2 * len(columns) + len(factors)))
    target[:, 0 : 2 * len(columns) : 2] = start.T
    target[:, 1 : 2 * len(columns) : 2] = (stop - start).T
    target[:, 2 * len(columns) :] = others.target
    space = SetSpace(
        weight=counts[order],
        target=target,
        start=start,
        stop=stop,
        concepts=concepts,
        used=np.array([held]),
        own=held,
        scale=np.array([column.weight for column in columns]) / total,
        missing=first[:-1] + [missing_concept(column.taxonomy) for column in columns],
        best=centroid == "best",
        squared=objective == "sse",
        marks=np.zeros(first[-1], dtype=np.uint8),
        marked=np.full(SLOTS, -1, dtype=np.int64),
        turn=np.zeros(1, dtype=np.int64),
        others=bundle_arrays(others),
        many_others=len(factors),
    )
    return space, others


def _empty_space(tuples: int) -> TupleSpace:
    """Tuples of no attributes."""
    longs, ints = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    return TupleSpace(
        codes=np.zeros((tuples, 0), dtype=np.int32),
        rank=longs,
        target=np.zeros((tuples, 0)),
        weight=longs,
        kind=np.zeros(0, dtype=np.int8),
        scale=np.zeros(0),
        table=ints,
        first=longs,
        width=longs,
        metric=np.zeros(0, dtype=np.bool_),
        value_first=longs,
        place=ints,
        number=np.zeros(0),
        above_start=longs,
        above=ints,
        by_variance=False,
        cost=0,
        choice=0,
        most_candidates=1,
        most_values=1,
    )
