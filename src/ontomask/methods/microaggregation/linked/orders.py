"""Orders in which bags with similar rows stand close together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.sets.columns import separate_sets
from ontomask.methods.microaggregation.sets.orders import item_orders
from ontomask.methods.neighbours.orders import orders
from ontomask.methods.operators import Operators
from ontomask.microdata.linked_records import RowKinds
from ontomask.microdata.sets import ConceptSets
from ontomask.microdata.tuples import Tuples

__all__ = ["list_bag_orders"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: The bits of a sort key.
BITS = 62


def _row_orders(tuples: Tuples) -> Iterator[Longs]:
    """Rows in all orders in which similar ones are close; those with sets once for each item."""
    columns, others = separate_sets(tuples)
    for column in columns:
        yield from item_orders(column)
    if others is not None:
        yield from orders(others)


def list_bag_orders(
    operators: Operators, kinds: RowKinds, bags: ConceptSets, price: float
) -> Iterator[Longs]:
    """Bags once for each of their rows: by the number of rows of each kind, that row, and others.

    Rows stand in all orders in which similar ones are close. Where surplus rows are cheap, every
    second order is by the rows alone.
    """
    owner, size = bags.owners(), bags.sizes()
    sizes = np.zeros((len(bags), len(kinds.has)), dtype=np.int32)
    np.add.at(sizes, (owner, kinds.kind[bags.concepts]), 1)
    shape = np.unique(sizes, axis=0, return_inverse=True)[1].ravel()
    for turn, by_value in enumerate(_row_orders(operators.tuples)):
        another = by_value[np.argsort(kinds.kind[by_value], kind="stable")]
        rank = np.full(len(operators.tuples), len(another))
        rank[another[::-1]] = np.arange(len(another))[::-1]  # where a row stands first
        by_rank = np.lexsort((rank[bags.concepts], owner))
        ranked = rank[bags.concepts[by_rank]]
        row, key = _list_places(another, bags.concepts[by_rank], len(rank))
        begin = bags.offsets[owner[row]]
        place = row - begin
        bits = len(another).bit_length() + 1
        for nth in range((BITS - 10) // bits - 1):
            at = nth + (nth >= place)
            other = np.where(
                at < size[owner[row]], ranked[np.minimum(begin + at, len(ranked) - 1)] + 1, 0
            )
            key = (key << bits) | other
        by_rows = price < 1 and turn % 2 == 1
        yield owner[row][
            np.argsort(key, kind="stable") if by_rows else np.lexsort((key, shape[owner[row]]))
        ]


def _list_places(order: Longs, rows: Ints, tuples: int) -> tuple[Longs, Longs]:
    """All places where rows stand in an order of tuples, beside the number of the row."""
    often = np.bincount(order, minlength=tuples)
    by_tuple = np.argsort(order, kind="stable")
    row = np.repeat(np.arange(len(rows)), often[rows])
    nth = np.arange(len(row)) - np.repeat(np.cumsum(often[rows]) - often[rows], often[rows])
    return row, by_tuple[(np.cumsum(often) - often)[rows[row]] + nth]
