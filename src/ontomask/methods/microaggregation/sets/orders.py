"""Orders in which tuples with similar sets stand close together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.sets.space import SetColumn
from ontomask.microdata.sets import ConceptSets

__all__ = ["first_order", "item_orders", "least_rank_orders"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: The bits of a sort key.
BITS = 62
#: Of an order by least ranks, how many ranks it sorts by.
RANKS = 4


def first_order(columns: Sequence[SetColumn], others: Longs | None) -> Longs:
    """The tuples by their first items, then by the order of the other attributes."""
    keys: list[Longs] = [] if others is None else [others]
    for column in columns:
        _, key = _item_keys(column.items, np.arange(len(column.taxonomy) + 1))
        first = np.full(len(column.items), -1, dtype=np.int64)
        has_items = column.items.sizes() > 0
        first[has_items] = key[column.items.offsets[:-1][has_items]]
        keys.insert(0, first)
    return np.lexsort(keys)


def item_orders(column: SetColumn) -> Iterator[Longs]:
    """Tuples once for each of their items: by that item, then by the rest of the set.

    First in the order of the taxonomy, where similar items are close; then the rarest items first.
    """
    items = column.items
    records = np.bincount(items.concepts, minlength=len(column.taxonomy) + 1)
    rarity = np.empty(len(records), dtype=np.int64)
    rarity[np.lexsort((np.arange(len(records)), records))] = np.arange(len(records))
    for rank in (np.arange(len(records)), rarity):
        owner, key = _item_keys(items, rank)
        yield owner[np.argsort(key, kind="stable")]
    yield np.flatnonzero(items.sizes() == 0)


def _item_keys(items: ConceptSets, rank: Longs) -> tuple[Longs, Longs]:
    """For each item its tuple, and a sort key: its rank, then those of the others in order."""
    bits = max(1, len(rank).bit_length())
    owner, ranked = items.owners(), rank[items.concepts]
    order = np.lexsort((ranked, owner))
    ranked = ranked[order]
    begin, size = items.offsets[owner], items.sizes()[owner]
    place = np.arange(len(owner)) - begin
    key = ranked.copy()
    for nth in range(BITS // bits - 1):
        # The nth of the others: the item itself is left out.
        at = nth + (nth >= place)
        other = np.where(at < size, ranked[np.minimum(begin + at, len(ranked) - 1)] + 1, 0)
        key = (key << bits) | other
    return owner, key


def least_rank_orders(
    closures: ConceptSets, concepts: int, many: int, random: np.random.Generator
) -> Iterator[Longs]:
    """Tuples by the least random ranks of their closures (MinHash).

    The chance that two sets have the same least rank is the share of concepts they have in common.
    """
    from ontomask.methods.microaggregation.sets import order_kernels

    filled = np.flatnonzero(closures.sizes())
    for _ in range(many):
        ranks = np.array([random.permutation(concepts) for _ in range(RANKS)], dtype=np.int32)
        least = np.empty((RANKS, len(filled)), dtype=np.int32)
        order_kernels.find_least_ranks(closures.offsets, closures.concepts, filled, ranks, least)
        yield filled[np.lexsort(least)]
