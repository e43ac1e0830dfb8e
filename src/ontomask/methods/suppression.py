"""Suppression: records that too few others resemble lose their values (SF section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import check_choice
from ontomask.methods.method import GroupingMethod
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["Suppression"]


@dataclass(frozen=True)
class Suppression(GroupingMethod):
    """Tuples with fewer than ``k`` records are suppressed; the others stay as they are (SF 4.2).

    ``how="blank"`` empties the quasi-identifiers and keeps the rows; ``"drop"`` removes the rows.
    Blank records are a class of their own: where it would hold fewer than ``k``, the next smallest
    tuples (of equals, the first in sorted order) are blanked too.

    Departures from the paper: SF removes the records; ``blank`` and its rule are ours.

    >>> import numpy as np
    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> ages = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([ages], [np.array([0, 1, 1, 1, 2, 2, 2, 2])])
    >>> plan = Suppression(k=3).plan(tuples, np.random.default_rng())
    >>> plan.targets.ravel().tolist(), plan.class_sizes().tolist()  # 40 went along with 30
    ([50.0, nan], [4, 4])
    """

    how: str = "blank"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("how", self.how, "blank", "drop")

    @property
    def because(self) -> str:
        """What is suppressed."""
        action = "removed" if self.how == "drop" else "blanked"
        return f"records of tuples with fewer than {self.k} records are {action}; others stay"

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Send the tuples to suppress to a row of NaN, the others to themselves."""
        self.check(tuples)
        suppressed = self._find_suppressed(tuples.counts)
        kept = np.flatnonzero(~suppressed)
        targets = tuples.targets()[kept]
        if suppressed.any():
            targets = np.vstack([targets, np.full((1, targets.shape[1]), np.nan)])
        of = np.full(len(tuples), len(kept))
        of[kept] = np.arange(len(kept))
        return Transitions.from_targets(tuples, targets, of)

    def _find_suppressed(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        rare = counts < self.k
        if self.how == "drop" or not 0 < counts[rare].sum() < self.k:
            return rare
        smallest = np.argsort(counts, kind="stable")
        enough = int(np.searchsorted(np.cumsum(counts[smallest]), self.k))
        rare[smallest[: enough + 1]] = True
        return rare
