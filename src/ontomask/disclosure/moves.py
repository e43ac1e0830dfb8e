"""The changes of one column of a plan: each pair of values once, with the number of records.

Everything that is shown of a column is computed from these pairs. They are far fewer than the
transitions between tuples of many columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.tuples import Transitions, cache_per_plan

__all__ = ["ColumnTransitions", "column_transitions"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ColumnTransitions:
    """The distinct pairs of a value before and a value after; all run in parallel.

    ``at`` is a transition of each; ``value`` and ``target`` number the values before and after, and
    ``start`` and ``end`` are these as targets: NaN is a suppressed value, as is a number that
    became missing.
    """

    at: Longs
    count: Longs
    value: Longs
    target: Longs
    start: Floats
    end: Floats

    @property
    def changed(self) -> Flags:
        """Whether each pair is a change."""
        return np.asarray(self.start != self.end)

    @property
    def blank(self) -> Flags:
        """Whether each pair is a suppression."""
        return np.isnan(self.end) | (np.isinf(self.end) & self.changed)

    @property
    def suppressed_counts(self) -> Longs:
        """The suppressed records of each pair where the column has no other change, else none."""
        only = bool(self.blank[self.changed].all())
        return self.count * self.blank * only


@cache_per_plan
def _latest_column(plan: Transitions) -> dict[int, ColumnTransitions]:
    return {}


def column_transitions(plan: Transitions, j: int) -> ColumnTransitions:
    """The transitions of one column; those of the column asked for last are cached."""
    cache = _latest_column(plan)
    if j not in cache:
        cache.clear()
        cache[j] = _find_pairs(plan, j)
    return cache[j]


def _find_pairs(plan: Transitions, j: int) -> ColumnTransitions:
    values = plan.tuples.codes[j].astype(np.int64)
    targets, place = np.unique(plan.targets[:, j], return_inverse=True)
    key, at, pair = np.unique(
        values[plan.source] * len(targets) + place.ravel()[plan.target],
        return_index=True,
        return_inverse=True,
    )
    count = np.bincount(pair.ravel(), weights=plan.count).astype(np.int64)
    value, target = np.divmod(key, len(targets))
    start = plan.tuples.attributes[j].target_of(value)
    return ColumnTransitions(at, count, value, target, start, targets[target])
