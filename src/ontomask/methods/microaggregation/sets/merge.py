"""Grouping of tuples with sets by merging."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.merging.group_search import GroupSearch
from ontomask.methods.microaggregation.merging.merge import FEW, LISTED
from ontomask.methods.microaggregation.merging.rules import GroupRule, encode_rules
from ontomask.methods.microaggregation.sets.columns import read_closures
from ontomask.methods.microaggregation.sets.orders import (
    first_order,
    item_orders,
    least_rank_orders,
)
from ontomask.methods.microaggregation.sets.space import SetColumn, build_set_space
from ontomask.methods.neighbours.orders import interleaved_order, orders
from ontomask.methods.operators import Operators
from ontomask.microdata.sets import ConceptSets

__all__ = ["SetGrouping", "mdav_sets", "merge_sets"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Tuples that each is compared with in an order, and the number of orders by random ranks.
WINDOW, RANDOM_ORDERS = 8, 12
#: Neighbours whose neighbours are neighbours.
FIRST = 8
#: Rounds of local search.
ROUNDS = 4


class SetGrouping(NamedTuple):
    """Groups of tuples with sets.

    Attributes:
        group: The group of each tuple; groups are numbered by their first tuple.
        closures: For each column of sets, the closure of the centroid of each group.
        centroids: The targets of the other attributes, for each group.
        cost: What all groups cost.
    """

    group: Longs
    closures: tuple[ConceptSets, ...]
    centroids: Floats
    cost: float


def merge_sets(
    columns: Sequence[SetColumn],
    counts: Longs,
    k: int,
    *,
    others: Operators | None = None,
    objective: Literal["sse", "sad"] = "sse",
    centroid: Literal["rule", "best"] = "rule",
    thorough: bool = False,
    time_limit: float | None = None,
    rules: Sequence[GroupRule] = (),
    seed: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> SetGrouping:
    """Groups of at least ``k`` records that cost little, for tuples with sets of concepts.

    The distance of two tuples is the weighted mean over the columns of sets
    (:func:`~ontomask.microdata.sets.set_distances`) and the other attributes.

    Args:
        columns: The sets of the tuples, one column or several.
        counts: How many records each tuple has.
        k: The least number of records in a group.
        others: The other attributes of the same tuples, with the distance ``"mean"``.
        objective: ``"sse"`` for squared distances, ``"sad"`` for the distances themselves.
        centroid: Of sets: ``"rule"`` for the majority, ``"best"`` for the cheapest level set.
        thorough: Go on with restarts.
        time_limit: For how many seconds.
        rules: What a group must be as well: people, l-diversity, t-closeness.
        seed: Of the random orders and of the restarts.
        progress: Is told how far the restarts are.
    """
    search = _SetSearch(columns, counts, k, objective, centroid, others, rules)
    search.find_neighbours(others, seed)
    search.run(thorough, time_limit, seed, progress)
    return search.set_result()


def mdav_sets(
    columns: Sequence[SetColumn],
    counts: Longs,
    k: int,
    *,
    others: Operators | None = None,
    centroid: Literal["rule", "best"] = "rule",
) -> SetGrouping:
    """Groups of at least ``k`` records by MDAV (SF algorithm 3), for tuples with sets of concepts.

    It takes time that grows with the square of the number of tuples, and loses more than
    :func:`merge_sets`, whose arguments these are.
    """
    search = _SetSearch(columns, counts, k, "sse", centroid, others, ())
    search.form_mdav_groups(k)
    return search.set_result()


class _SetSearch(GroupSearch):
    """The state of a search for groups of tuples with sets."""

    rounds = ROUNDS

    def __init__(
        self,
        columns: Sequence[SetColumn],
        counts: Longs,
        k: int,
        objective: str,
        centroid: str,
        operators: Operators | None,
        rules: Sequence[GroupRule],
    ) -> None:
        from ontomask.methods.microaggregation.sets import set_kernels

        mixed = None if operators is None else np.argsort(interleaved_order(operators.tuples))
        order = first_order(columns, mixed)
        self.columns = [column.take(order) for column in columns]
        self.space, other_space = build_set_space(
            self.columns, counts, order, objective, centroid, operators
        )
        listed = max(min(LISTED, len(order) - 1), 1)
        super().__init__(
            set_kernels.bundle_set_space(self.space),
            set_kernels.allocate_set_scratch(self.space, other_space),
            self.space.weight,
            self.space.target,
            encode_rules(len(order), k, rules, order),
            np.full((len(order), listed), -1, dtype=np.int32),
            order,
        )

    def find_neighbours(self, operators: Operators | None, seed: int) -> None:
        """List the tuples near each tuple, nearest first."""
        from ontomask.methods.microaggregation.merging import neighbours_kernels

        near, order, space = self.near, self.order, self._loops[0]
        far = np.full(near.shape, np.inf, dtype=np.float32)
        if len(order) <= FEW:
            neighbours_kernels.compare_all(space, near, far)
            return
        for another in self._orders(operators, np.random.default_rng(seed)):
            neighbours_kernels.compare_next(space, another.astype(np.int32), WINDOW, near, far)
        self.columns = [replace(column) for column in self.columns]  # without what they cached
        neighbours_kernels.compare_second(space, min(FIRST, near.shape[1]), near, far)

    def _orders(self, operators: Operators | None, random: np.random.Generator) -> Iterator[Longs]:
        for column in self.columns:
            yield from item_orders(column)
            size = len(column.taxonomy) + 1
            yield from least_rank_orders(column.closures, size, RANDOM_ORDERS, random)
        if operators is not None:
            place = np.argsort(self.order)
            for another in orders(operators.tuples):
                yield place[another]

    def form_mdav_groups(self, k: int) -> None:
        """Form groups around the tuples that lie farthest out, instead of merging."""
        from ontomask.methods.microaggregation.sets import mdav_kernels

        space, work, _, groups, _ = self._loops
        mdav_kernels.form_mdav_groups(space, work, groups, k)

    def set_result(self) -> SetGrouping:
        """Groups as :class:`SetGrouping` has them."""
        grouping = self.result()
        many = len(self.columns)
        closures = read_closures(
            [len(column.taxonomy) + 1 for column in self.columns],
            self.space.concepts,
            grouping.centroids,
        )
        return SetGrouping(
            grouping.group, closures, grouping.centroids[:, 2 * many :], grouping.cost
        )
