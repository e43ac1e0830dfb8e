"""Bags of rows as the loops of merging take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.merging.space import build_tuple_space
from ontomask.methods.microaggregation.sets.columns import separate_sets
from ontomask.methods.microaggregation.sets.space import build_set_space
from ontomask.methods.operators import Operators
from ontomask.microdata.linked_records import RowKinds
from ontomask.microdata.sets import ConceptSets
from ontomask.microdata.tuples import Tuples

__all__ = ["BagSpace", "RowSpace", "build_bag_space", "build_row_space"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: The weight of a kind without attributes, whose rows are all alike.
SLIGHT = 1e-12
#: How often the rows of all bags fit into the room for centroids.
ROOM = 3


class BagSpace(NamedTuple):
    """Bags of rows.

    Bag ``t`` has the rows ``start[t]`` to ``stop[t]`` of the space ``rows``. A centroid, and
    ``target[t]`` is one, is the first of its slots and their number; the slots of bags and then
    those of groups are in ``slots``, a row of targets each with its kind behind them. The rows of a
    bag are in the order of their kinds; rows of different kinds are never matched. ``factor`` turns
    a distance into the mean over the attributes of a kind. Where rows have sets, the room of their
    space from ``spare`` on is for centroids that are tried, in two halves.
    """

    weight: Longs
    target: Floats
    start: Longs
    stop: Longs
    slots: Floats
    used: Longs  # how many of them are
    own: int  # where those of the bags end
    price: float  # of a surplus row
    squared: bool
    rows: Any  # a bundled space
    row_kind: Longs
    kinds: int
    factor: Floats
    spare: int
    half: int  # how large half of it is
    match: Longs  # work space: the row of each slot
    costs: Floats
    potential: Floats
    column: Longs


@dataclass(frozen=True, eq=False)
class RowSpace:
    """The rows of all bags as the loops take them.

    Attributes:
        target: What leaves each row as it is.
        space: Tuples, or tuples with sets, bundled.
        scratch: Work space for groups of up to all bags, bundled.
        concepts: Of rows with sets, the concepts of all sets and centroids.
        half: How much of their end is for the sets of a centroid that is tried.
        kind: The kind of each row.
        factor: For each kind, what turns a distance into the mean over its attributes.
    """

    target: Floats
    space: Any
    scratch: Any
    concepts: Ints
    half: int
    kind: Longs
    factor: Floats


def build_bag_space(
    rows: RowSpace, bags: ConceptSets, counts: Longs, price: float, objective: str
) -> BagSpace:
    """The bags, given the space of their rows."""
    owned = len(rows.target)
    most = int(bags.sizes().max(initial=1))
    slots = np.empty((owned * (1 + ROOM), rows.target.shape[1] + 1))
    slots[:owned] = np.column_stack([rows.target, rows.kind])
    start, stop = bags.offsets[:-1].copy(), bags.offsets[1:].copy()
    return BagSpace(
        weight=counts,
        target=np.column_stack([start, stop - start]).astype(np.float64),
        start=start,
        stop=stop,
        slots=slots,
        used=np.array([owned]),
        own=owned,
        price=price,
        squared=objective == "sse",
        rows=rows.space,
        row_kind=rows.kind,
        kinds=len(rows.factor),
        factor=rows.factor,
        spare=len(rows.concepts) - 2 * rows.half,
        half=rows.half,
        match=np.empty(most + 1, dtype=np.int64),
        costs=np.empty((most + 1, most + 1)),
        potential=np.empty((3, most + 1)),
        column=np.empty((3, most + 1), dtype=np.int64),
    )


def build_row_space(
    operators: Operators,
    kinds: RowKinds,
    bags: ConceptSets,
    counts: Longs,
    objective: str,
    centroid: str,
) -> RowSpace:
    """The rows of bags, whose items are tuples of the operators."""
    from ontomask.methods.microaggregation.merging import groups_kernels
    from ontomask.methods.microaggregation.merging.bundles import bundle_arrays

    tuples, owner = operators.tuples, bags.owners()
    every_row = Tuples(tuples.attributes, tuples.codes[:, bags.concepts].copy(), counts[owner])
    order, most = np.arange(len(owner)), len(bags) + 1
    kind, factor = kinds.kind[bags.concepts], _kind_factors(operators, kinds)
    columns, others = separate_sets(every_row)
    like = None if others is None else _operators_of(operators, others)
    if not columns:
        assert like is not None
        rows = build_tuple_space(like, objective, centroid, order)
        scratch = bundle_arrays(groups_kernels.allocate_scratch(rows, most))
        none = np.empty(0, np.int32)
        return RowSpace(rows.target, bundle_arrays(rows), scratch, none, 0, kind, factor)
    from ontomask.methods.microaggregation.sets import set_kernels

    sets, other_space = build_set_space(
        columns, every_row.counts, order, objective, centroid, like, spare=2
    )
    return RowSpace(
        sets.target,
        set_kernels.bundle_set_space(sets),
        set_kernels.allocate_set_scratch(sets, other_space, most),
        sets.concepts,
        sets.own,
        kind,
        factor,
    )


def _kind_factors(operators: Operators, kinds: RowKinds) -> Floats:
    """What makes a distance over all attributes one over those of each kind."""
    own = kinds.has @ np.array(operators.factors)
    return np.where(kinds.has.all(axis=1), 1.0, sum(operators.factors) / np.maximum(own, SLIGHT))


def _operators_of(operators: Operators, tuples: Tuples) -> Operators:
    """The same operators on other tuples of the same attributes."""
    return Operators(tuples, setting="classic" if operators.classic else "semantic")
