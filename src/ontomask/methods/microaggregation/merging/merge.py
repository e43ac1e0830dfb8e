"""Grouping by merging, from tuples to groups: neighbours, merging, local search, restarts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.merging.group_search import Grouping, GroupSearch
from ontomask.methods.microaggregation.merging.rules import GroupRule, encode_rules
from ontomask.methods.microaggregation.merging.space import TupleSpace, build_tuple_space
from ontomask.methods.neighbours.orders import interleaved_order, orders
from ontomask.methods.operators import Operators

__all__ = ["Grouping", "Search", "merge"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Neighbours that are kept for each tuple, and compared with it in each order.
LISTED, WINDOW = 24, 16
#: Up to this number of tuples, all pairs are compared.
FEW = 3_000


def merge(
    operators: Operators,
    k: int,
    *,
    objective: str = "sse",
    centroid: str = "rule",
    thorough: bool = False,
    time_limit: float | None = None,
    rules: Sequence[GroupRule] = (),
    seed: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> Grouping:
    """Groups of at least ``k`` records that cost little; docs/concepts/merging.md says how.

    ``rules`` are what a group must be as well. ``thorough`` goes on with restarts for as long as
    ``time_limit`` says, in seconds; without one, until each tuple had its chance some times.
    Interrupted, it gives the best found so far. ``seed`` is where their chance begins.
    """
    search = Search(operators, k, objective, centroid, rules)
    search.run(thorough, time_limit, seed, progress)
    return search.result()


class Search(GroupSearch):
    """The state of a search for groups of tuples."""

    def __init__(
        self,
        operators: Operators,
        k: int,
        objective: str,
        centroid: str,
        rules: Sequence[GroupRule],
    ) -> None:
        from ontomask.methods.microaggregation.merging.bundles import bundle_arrays
        from ontomask.methods.microaggregation.merging.groups_kernels import allocate_scratch

        order = interleaved_order(operators.tuples)
        self.space = build_tuple_space(operators, objective, centroid, order)
        self.rules = encode_rules(len(order), k, rules, order)
        self.work = allocate_scratch(self.space, len(order))
        super().__init__(
            bundle_arrays(self.space),
            bundle_arrays(self.work),
            self.space.weight,
            self.space.target,
            self.rules,
            _find_neighbours(operators, self.space, order),
            order,
        )


def _find_neighbours(operators: Operators, space: TupleSpace, order: Longs) -> Ints:
    """The tuples near each tuple, nearest first; -1 where there are no more."""
    from ontomask.methods.microaggregation.merging import neighbours_kernels
    from ontomask.methods.microaggregation.merging.bundles import bundle_arrays

    tuples = len(space.weight)
    known = bundle_arrays(space)
    listed = max(min(LISTED, tuples - 1), 1)
    near = np.full((tuples, listed), -1, dtype=np.int32)
    far = np.full((tuples, listed), np.inf, dtype=np.float32)
    if tuples <= FEW:
        neighbours_kernels.compare_all(known, near, far)
        return near
    place = np.empty(tuples, dtype=np.int32)
    place[order] = np.arange(tuples, dtype=np.int32)
    for another in orders(operators.tuples):
        neighbours_kernels.compare_next(known, place[another], WINDOW, near, far)
    return near
