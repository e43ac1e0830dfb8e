"""Suppression: records that too few others resemble lose their values (SF section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import format_count
from ontomask.methods.method import GroupingMethod
from ontomask.methods.settings import SettingHelp
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation

__all__ = ["Suppression"]


@dataclass(frozen=True)
class Suppression(GroupingMethod):
    """Suppress combinations of values with fewer than ``k`` records; the others stay (SF 4.2).

    The result is k-anonymous. Blank records form an equivalence class of their own. If it would
    have fewer than ``k`` records, the next smallest combinations of values are blanked too (among
    equals, the first in sorted order).

    Departures from the paper: SF removes the records; ``"blank"`` is ours.

    Args:
        k: Smallest number of records (or people) in an equivalence class, at least 2.
        how: ``"blank"`` empties the quasi-identifiers and keeps the records; ``"drop"`` removes the
            records.

    >>> import numpy as np
    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> ages = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([ages], [np.array([0, 1, 1, 1, 2, 2, 2, 2])])
    >>> plan = Suppression(k=3).plan(tuples, np.random.default_rng())
    >>> plan.targets.ravel().tolist(), plan.class_sizes().tolist()  # 40 went along with 30
    ([50.0, nan], [4, 4])
    """

    how: Annotated[
        Literal["blank", "drop"],
        SettingHelp(
            "Rare records",
            "Blank their quasi-identifiers, or remove the records.",
            {"blank": "blank the quasi-identifiers", "drop": "remove the records"},
            main=True,
        ),
    ] = "blank"

    only_suppresses: ClassVar[bool] = True
    summary: ClassVar[str] = (
        "k-anonymous: blanks or removes records with rare combinations; others are unchanged."
    )
    help: ClassVar[str] = (
        "Rare records are lost. With several quasi-identifiers, these can be most of the table."
    )

    @property
    def suppression(self) -> Literal["blank", "drop"]:
        """How rare records are suppressed."""
        return self.how

    @property
    def draws_at_random(self) -> bool:
        """Counts alone decide."""
        return False

    @property
    def description(self) -> str:
        """What was suppressed."""
        return f"combinations of values with fewer than {self.k:,} records were suppressed"

    @property
    def because(self) -> str:
        """What is suppressed."""
        action = "removed" if self.how == "drop" else "blanked"
        return (
            f"combinations of values with fewer than {self.k} records are {action}; the others do "
            "not change"
        )

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain by the number of records and k."""
        records, k = format_count(masked.records, "record"), self.k
        if not np.isnan(masked.target_values).all():
            enough = f"of at least {k} people" if masked.counts_people else f"at least {k}"
            note = f"It has {records}, {enough}, so it does not change."
        elif masked.records < k:
            note = f"It has {records}, fewer than {k}, so it is suppressed."
        elif masked.counts_people:
            note = (
                f"It has {records}. It is suppressed because they are of fewer than {k} people, or "
                f"because the suppressed records must be of at least {k} people."
            )
        else:
            note = (
                f"It has {records}, which is enough. It is suppressed because the suppressed "
                f"records must be at least {k} in total."
            )
        return masked.explain_without_group(note)

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
