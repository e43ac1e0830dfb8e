"""The state of a search for groups: merging, local search, restarts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.interrupts import early_stopping
from ontomask.errors import StoppedEarlyWarning
from ontomask.methods.microaggregation.merging.rules_kernels import Rules

__all__ = ["GroupSearch", "Grouping"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: What every loop takes: space, work space, rules, groups, neighbours.
_LoopArguments = tuple[Any, Any, Any, Any, Ints]

#: Rounds of local search.
ROUNDS = 3
#: Restarts for every tuple: of tables so small that it costs nothing, and where it is asked for.
SMALL, TRIES_WHERE_SMALL, TRIES = 500, 10, 4
#: Restarts between two looks at the clock.
AT_A_TIME = 200


@dataclass(frozen=True)
class Grouping:
    """The group of each tuple, the centroid of each group, and what all groups cost."""

    group: Longs
    centroids: Floats
    cost: float


class GroupSearch:
    """The state of a search: groups that stand by themselves once they are merged.

    ``space`` and ``work`` are what the loops take, ``weight`` and ``target`` two arrays of that
    space, ``near`` the neighbours of each tuple, and ``order`` the order of the tuples in it.
    """

    rounds = ROUNDS

    def __init__(
        self,
        space: Any,
        work: Any,
        weight: Longs,
        target: Floats,
        rules: Rules,
        near: Ints,
        order: Longs,
    ) -> None:
        from ontomask.methods.microaggregation.merging import merge_kernels
        from ontomask.methods.microaggregation.merging.bundles import bundle_arrays

        self.order, self.near = order, near
        tuples = len(order)
        self.groups = merge_kernels.single_tuple_groups(weight, target, near.shape[1])
        self.free = np.zeros(tuples + 1, dtype=np.int64)
        self._since = 0
        self.many_free = 0
        self._loops: _LoopArguments = (
            space,
            work,
            bundle_arrays(rules),
            bundle_arrays(self.groups),
            near,
        )

    def run(
        self,
        thorough: bool = False,
        time_limit: float | None = None,
        seed: int = 1,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Merge, improve and restart, as long as :func:`merge` says."""
        self.merge()
        self.improve()
        tuples = len(self.order)
        if tuples <= SMALL:
            self.restart(TRIES_WHERE_SMALL * tuples, None, 1, progress)
        if thorough:
            tries = TRIES * tuples if time_limit is None else None
            self.restart(tries, time_limit, seed, progress)

    def put_together(self, group: Longs, settled: bool) -> None:
        """Start with the groups of an earlier search, -1 for tuples that were in none.

        If they are settled, local search looks at groups that change only.
        """
        from ontomask.methods.microaggregation.merging import merge_kernels

        space, work, _, groups, _ = self._loops
        merge_kernels.put_together(space, work, groups, group[self.order])
        self._since = int(settled)

    def merge(self) -> None:
        """Merge incomplete groups, cheapest first."""
        from ontomask.methods.microaggregation.merging import merge_kernels

        merge_kernels.grow_together(*self._loops)
        empty = np.flatnonzero(self.groups.many == 0)
        self.many_free = len(empty)
        self.free[: self.many_free] = empty

    def improve(self) -> None:
        """Local search, for a few rounds or until nothing is gained."""
        from ontomask.methods.microaggregation.merging import search_kernels

        since = self._since
        for _ in range(self.rounds):
            begun = int(self.groups.moments[0]) + 1
            self.many_free, improvements = search_kernels.improve_groups(
                *self._loops, self.free, self.many_free
            )
            improvements += search_kernels.improve_tuples(*self._loops, since)
            since = begun
            if not improvements:
                break

    def restart(
        self,
        tries: int | None,
        time_limit: float | None,
        seed: int,
        progress: Callable[[str], None],
    ) -> None:
        """Take neighbouring groups apart and merge them again, and keep what costs less."""
        from ontomask.methods.microaggregation.merging import restart_kernels

        state = np.array([seed | 1], dtype=np.uint64)
        begun, restarts = monotonic(), 0
        first = float(self.groups.cost.sum())
        stopped = False
        try:
            with early_stopping() as asked:
                while (tries is None or restarts < tries) and (
                    time_limit is None or monotonic() - begun < time_limit
                ):
                    stopped = asked()
                    if stopped:
                        break
                    times = AT_A_TIME if tries is None else min(AT_A_TIME, tries - restarts)
                    self.many_free, _ = restart_kernels.merge_again(
                        *self._loops, self.free, self.many_free, state, times
                    )
                    restarts += times
                    if restarts % (10 * AT_A_TIME) == 0:
                        self._report_restarts(
                            progress, restarts, tries, monotonic() - begun, time_limit, first
                        )
        except KeyboardInterrupt:
            stopped = True
        if stopped:
            warnings.warn(
                f"the search was stopped after {restarts:,} restarts; it returned the best groups "
                "so far",
                StoppedEarlyWarning,
                stacklevel=2,
            )

    def _report_restarts(
        self,
        progress: Callable[[str], None],
        restarts: int,
        tries: int | None,
        seconds: float,
        time_limit: float | None,
        first: float,
    ) -> None:
        saved = 1 - float(self.groups.cost.sum()) / first if first else 0.0
        left = (
            seconds * (tries - restarts) / restarts
            if tries
            else max((time_limit or 0) - seconds, 0)
        )
        progress(
            f"restarting: {100 * saved:.1f} % less information loss so far, about {left:.0f} s left"
        )

    def result(self) -> Grouping:
        """Groups numbered by the first tuple of each, in the order the tuples have."""
        of = np.empty(len(self.order), dtype=np.int64)
        of[self.order] = self.groups.of
        used, first, number = np.unique(of, return_index=True, return_inverse=True)
        by_first = np.argsort(first, kind="stable")
        rank = np.empty(len(used), dtype=np.int64)
        rank[by_first] = np.arange(len(used))
        chosen = used[by_first]
        return Grouping(
            rank[number.ravel()], self.groups.centre[chosen], float(self.groups.cost[chosen].sum())
        )
