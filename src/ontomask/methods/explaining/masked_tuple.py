"""One tuple and its target: the input and the result of a method's explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.explaining.centres import Centre
from ontomask.methods.explaining.columns import QuasiIdentifier
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["MaskedTuple", "MethodExplanation"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class MethodExplanation:
    """How a method explains the masking of a tuple.

    ``members`` are the tuples of its group, itself among them, with the records that are in it;
    none where there are no groups. Their distance is that from ``reference``, a target, which
    ``measured_from`` names. ``centres`` and ``column_notes`` have one entry per column, or are
    empty.
    """

    members: Longs
    counts: Longs
    reference: Floats
    measured_from: str = ""
    name: str = "its group"
    centres: tuple[Centre, ...] = ()
    notes: tuple[str, ...] = ()
    column_notes: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class MaskedTuple:
    """Tuple number ``tuple`` of a plan, most of whose records became ``target``.

    ``columns`` put values in words, one for each attribute. ``counts_people``: classes are counted
    in people, not in records. ``blocked``: the plan was made in blocks.
    """

    plan: Transitions
    columns: Sequence[QuasiIdentifier]
    tuple: int
    target: int
    counts_people: bool = False
    blocked: bool = False

    @property
    def tuples(self) -> Tuples:
        """All tuples of the table."""
        return self.plan.tuples

    @property
    def records(self) -> int:
        """The records of the tuple."""
        return int(self.tuples.counts[self.tuple])

    @property
    def original_values(self) -> Floats:
        """The values of the tuple, as targets."""
        return np.asarray(self.tuples.targets()[self.tuple])

    @property
    def target_values(self) -> Floats:
        """The values that most of its records got; NaN where they were suppressed."""
        return np.asarray(self.plan.targets[self.target])

    def received_targets(self, column: int) -> list[float]:
        """What each record of the tuple got in a column."""
        rows = self.plan.source == self.tuple
        targets = self.plan.targets[self.plan.target[rows], column]
        return [float(target) for target in np.repeat(targets, self.plan.count[rows])]

    def tuples_with_same_target(self) -> Longs:
        """The tuples with records that became the same target."""
        return np.asarray(self.plan.source[self.plan.target == self.target])

    def describe_values(self, values: Floats) -> str:
        """Describe the values of a target in one line."""
        pairs = zip(self.columns, values.tolist(), strict=True)
        return " · ".join(column.describe_target(value).short for column, value in pairs)

    # ------------------------------------------------------------------ explanations

    def explain_by_target(self, *notes: str) -> MethodExplanation:
        """Explain by the records with the same target, where groups are not known."""
        return MethodExplanation(
            self.tuples_with_same_target(),
            self.plan.count[self.plan.target == self.target],
            self.target_values,
            "the new values",
            "records with the same new values",
            notes=notes,
        )

    def explain_by_members(
        self,
        members: Longs,
        reference: Floats,
        measured_from: str,
        *,
        notes: Sequence[str] = (),
        centres: Sequence[Centre] = (),
        column_notes: Sequence[Sequence[str]] = (),
    ) -> MethodExplanation:
        """Explain by the tuples that were masked together with this one, with all their records."""
        return MethodExplanation(
            members,
            self.tuples.counts[members],
            reference,
            measured_from,
            notes=(*notes,),
            centres=(*centres,),
            column_notes=(*((*lines,) for lines in column_notes),),
        )

    def explain_without_group(
        self, *notes: str, column_notes: Sequence[Sequence[str]] = ()
    ) -> MethodExplanation:
        """Explain a method that forms no groups."""
        return MethodExplanation(
            NOBODY,
            NOBODY,
            self.target_values,
            notes=notes,
            column_notes=(*((*lines,) for lines in column_notes),),
        )
