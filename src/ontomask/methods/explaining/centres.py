"""How the middle of a group was chosen in one column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.explaining.columns import (
    CellValue,
    NominalQuasiIdentifier,
    NumericQuasiIdentifier,
    QuasiIdentifier,
)
from ontomask.microdata.attributes import FIXED_POINT_ONE

__all__ = [
    "Centre",
    "CentreCandidate",
    "centre_by_frequency",
    "centre_by_least_sum",
    "centre_of_numbers",
]

Longs = NDArray[np.int64]

#: How many candidates are shown beside the one that was chosen, and how many values of a group.
RUNNERS_UP = 4
MOST_VALUES = 8


#: How a centroid is chosen.
CentreRule = Literal[
    "least sum", "least sum, then loss", "least loss", "most frequent", "mean", "median"
]


@dataclass(frozen=True)
class CentreCandidate:
    """What the middle of a group might have been, and what spoke for it.

    ``total`` is the summed distance to the group's values, over records; the records that hold it
    where the most frequent value is taken.
    """

    value: CellValue
    total: float


@dataclass(frozen=True)
class Centre:
    """How a column of the centroid was chosen.

    ``values`` are those of the group, with records, the most frequent
    first, and ``distinct`` says how many there are. Of the ``among`` candidates the best are
    listed, the chosen one first; ``exact`` is a mean before it was rounded.
    """

    rule: CentreRule
    chosen: CellValue
    values: tuple[tuple[CellValue, int], ...]
    distinct: int
    candidates: tuple[CentreCandidate, ...] = ()
    among: int = 0
    exact: float | None = None

    @property
    def tied(self) -> bool:
        """Whether another candidate is as good."""
        return len(self.candidates) > 1 and self.candidates[0].total == self.candidates[1].total


def _group_values(
    column: QuasiIdentifier, places: Longs, counts: Longs
) -> tuple[tuple[CellValue, int], ...]:
    """The values of a group, the most frequent first."""
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    return tuple((column.original(int(places[i])), int(counts[i])) for i in order)


def centre_by_least_sum(
    candidates: tuple[Longs, NDArray[np.int32]],
    column: NominalQuasiIdentifier,
    places: Longs,
    counts: Longs,
    chosen: int,
    rule: CentreRule,
) -> Centre:
    """The centre that has the least summed distance to the values, or that ``rule`` settled."""
    start, above = candidates
    pool = np.unique(np.concatenate([above[start[v] : start[v + 1]] for v in places]))
    sums = column.fixed_point_distances(pool, places) @ counts
    # Ties as candidates are sorted; the chosen one first, whatever settled it.
    order = np.lexsort((pool, sums, pool != chosen))[: RUNNERS_UP + 1]
    best = tuple(
        CentreCandidate(column.describe_target(float(pool[i])), float(sums[i] / FIXED_POINT_ONE))
        for i in order.tolist()
    )
    values = _group_values(column, places, counts)
    return Centre(rule, best[0].value, values, len(places), best, len(pool))


def centre_by_frequency(column: NominalQuasiIdentifier, places: Longs, counts: Longs) -> Centre:
    """The centre that most records hold; of equals the first."""
    order = np.argsort(-counts, kind="stable")[: RUNNERS_UP + 1]
    best = tuple(
        CentreCandidate(column.original(int(places[i])), float(counts[i])) for i in order.tolist()
    )
    values = _group_values(column, places, counts)
    return Centre("most frequent", best[0].value, values, len(places), best, len(places))


def centre_of_numbers(column: NumericQuasiIdentifier, places: Longs, counts: Longs) -> Centre:
    """The mean of numbers and dates, the median of levels."""
    exact = column.attribute.centroid(places, counts)
    rule: CentreRule = "median" if column.attribute.median else "mean"
    ascending = tuple(
        (column.original(int(place)), int(count))
        for place, count in list(zip(places, counts, strict=True))[:MOST_VALUES]
    )
    return Centre(rule, column.describe_target(exact), ascending, len(places), exact=float(exact))
