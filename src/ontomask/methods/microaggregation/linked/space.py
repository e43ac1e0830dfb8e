"""Bags of rows as the loops of merging take them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.merging.space import TupleSpace, build_tuple_space
from ontomask.methods.operators import Operators
from ontomask.microdata.linked_records import RowKinds
from ontomask.microdata.sets import ConceptSets
from ontomask.microdata.tuples import Tuples

__all__ = ["BagSpace", "build_bag_space"]

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
    a distance into the mean over the attributes of a kind.
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
    match: Longs  # work space: the row of each slot
    costs: Floats
    potential: Floats
    column: Longs


def build_bag_space(
    operators: Operators,
    bags: ConceptSets,
    counts: Longs,
    price: float,
    objective: str,
    centroid: str,
    kinds: RowKinds,
) -> tuple[BagSpace, TupleSpace]:
    """The bags, whose items are tuples of the operators; and the space of their rows."""
    from ontomask.methods.microaggregation.merging.bundles import bundle_arrays

    tuples = operators.tuples
    owner = bags.owners()
    every_row = Tuples(tuples.attributes, tuples.codes[:, bags.concepts].copy(), counts[owner])
    rows = build_tuple_space(
        _operators_of(operators, every_row), objective, centroid, np.arange(len(owner))
    )
    most = int(bags.sizes().max(initial=1))
    row_kind = kinds.kind[bags.concepts]
    slots = np.empty((len(owner) * (1 + ROOM), rows.target.shape[1] + 1))
    slots[: len(owner)] = np.column_stack([rows.target, row_kind])
    start, stop = bags.offsets[:-1].copy(), bags.offsets[1:].copy()
    space = BagSpace(
        weight=counts,
        target=np.column_stack([start, stop - start]).astype(np.float64),
        start=start,
        stop=stop,
        slots=slots,
        used=np.array([len(owner)]),
        own=len(owner),
        price=price,
        squared=objective == "sse",
        rows=bundle_arrays(rows),
        row_kind=row_kind,
        kinds=len(kinds.has),
        factor=_kind_factors(operators, kinds),
        match=np.empty(most + 1, dtype=np.int64),
        costs=np.empty((most + 1, most + 1)),
        potential=np.empty((3, most + 1)),
        column=np.empty((3, most + 1), dtype=np.int64),
    )
    return space, rows


def _kind_factors(operators: Operators, kinds: RowKinds) -> Floats:
    """What makes a distance over all attributes one over those of each kind."""
    own = kinds.has @ np.array(operators.factors)
    return np.where(kinds.has.all(axis=1), 1.0, sum(operators.factors) / np.maximum(own, SLIGHT))


def _operators_of(operators: Operators, tuples: Tuples) -> Operators:
    """The same operators on other tuples of the same attributes."""
    return Operators(tuples, setting="classic" if operators.classic else "semantic")
