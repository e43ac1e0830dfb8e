"""What each method has to say about a tuple: who was masked with it, and what decided.

A method that is not known here is explained by its plan alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import format_count
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.microaggregation.synthetic import TOLERANCE
from ontomask.methods.noise.noise_addition import NoiseAddition, mean_and_variance
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression
from ontomask.methods.swapping.rank_swapping import RankSwapping
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.schema import Numeric
from ontomask.pipeline.explain.columns import (
    NominalQuasiIdentifier,
    NumericQuasiIdentifier,
    QuasiIdentifier,
    format_number,
)
from ontomask.pipeline.explain.groups import (
    Centre,
    MicroaggregationGroups,
    explain_centre,
    rebuild_groups,
)

if TYPE_CHECKING:
    from ontomask.pipeline.mask import Release

__all__ = ["MethodExplanation"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class MethodExplanation:
    """How a method explains the masking of a tuple.

    ``members`` are the tuples of its group, itself among them, with the records that are in it;
    none where there are no groups. Their distance is that from ``reference``, a target, which
    ``measured_from`` names.
    """

    members: Longs
    counts: Longs
    reference: Floats
    measured_from: str = ""
    name: str = "its group"
    centres: tuple[Centre, ...] = ()
    notes: tuple[str, ...] = ()
    column_notes: tuple[tuple[str, ...], ...] = ()

    @staticmethod
    def of(
        release: Release, columns: Sequence[QuasiIdentifier], t: int, target: int
    ) -> MethodExplanation:
        """Explain tuple ``t``, most of whose records became ``target``."""
        explainer = _TupleExplainer(release, columns, t, target)
        method = release.method
        if isinstance(method, Microaggregation):
            return explainer.explain_microaggregation(method)
        if isinstance(method, Recoding):
            return explainer.explain_recoding(method)
        if isinstance(method, Resampling):
            return explainer.explain_resampling()
        if isinstance(method, Suppression):
            return explainer.explain_suppression(method)
        if isinstance(method, RankSwapping):
            return explainer.explain_swapping()
        if isinstance(method, NoiseAddition):
            return explainer.explain_noise(method)
        return explainer.explain_by_target()


class _TupleExplainer:
    """Explains one tuple of one release."""

    def __init__(
        self, release: Release, columns: Sequence[QuasiIdentifier], t: int, target: int
    ) -> None:
        self.release, self.columns, self.t, self.target = release, columns, t, target
        self.plan = release.transitions
        self.tuples = self.plan.tuples
        self.row: Floats = self.plan.targets[target]
        self.own: Floats = self.tuples.targets()[t]
        self.records = int(self.tuples.counts[t])

    def tuples_with_same_target(self) -> Longs:
        """The tuples with records that became the same target."""
        return np.asarray(self.plan.source[self.plan.target == self.target])

    def explain_by_target(self, *notes: str) -> MethodExplanation:
        """Explain by the records with the same target, where groups are not known."""
        counts = self.plan.count[self.plan.target == self.target]
        return MethodExplanation(
            self.tuples_with_same_target(),
            counts,
            self.row,
            "what they became",
            "what became the same",
            notes=notes,
        )

    def explain_without_group(self, *notes: str, **more: Any) -> MethodExplanation:
        """Explain a method that forms no groups."""
        return MethodExplanation(NOBODY, NOBODY, self.row, notes=notes, **more)

    def describe_target(self, row: Floats) -> str:
        """Describe a target in one line."""
        pairs = zip(self.columns, row.tolist(), strict=True)
        return " · ".join(column.describe_target(x).short for column, x in pairs)

    # ------------------------------------------------------------------ groups with a middle

    def explain_microaggregation(self, method: Microaggregation) -> MethodExplanation:
        """Explain by the group, formed again, and the sums behind its centroid."""
        groups = rebuild_groups(self.release)
        if groups is None:
            return self.explain_by_target()
        members = groups.members(self.t)
        counts = self.tuples.counts[members]
        if method.replacement == "synthetic":
            return MethodExplanation(
                members,
                counts,
                self.own,
                "this tuple",
                notes=("The group only says how far away a value may be drawn.",),
                column_notes=self._notes_on_reach(groups, members),
            )
        centroid = groups.centroids[groups.group[self.t]]
        centres: tuple[Centre, ...] = ()
        notes = self._notes_on_joined_groups(groups, centroid)
        if method.operators == "classic" and method.distance == "mean":
            notes = (
                "The centroid is the group's most frequent tuple; of equals, the first in order.",
                *notes,
            )
        else:
            centres = tuple(
                explain_centre(groups, self.tuples, column, members) for column in self.columns
            )
        return MethodExplanation(
            members, counts, centroid, "the centroid", centres=centres, notes=notes
        )

    def _notes_on_joined_groups(
        self, groups: MicroaggregationGroups, centroid: Floats
    ) -> tuple[str, ...]:
        """Notes on other groups that got the same values: too few people, or the same centroid."""
        notes = []
        number = groups.group[self.t]
        k = getattr(self.release.method, "k", 0)
        others = np.unique(groups.group[self.tuples_with_same_target()])
        others = others[others != number]
        same = (groups.centroids[others] == self.row).all(axis=1)
        if not np.array_equal(centroid, self.row):
            notes.append(
                f"Its group held records of fewer than {k} people, so it took the values of another"
                f" class, the nearest. Its own centroid was {self.describe_target(centroid)}."
            )
        elif same.any():
            verb = "has" if same.sum() == 1 else "have"
            notes.append(
                f"{format_count(int(same.sum()), 'other group')} {verb} the same centroid."
            )
        if (~same).any():
            notes.append(
                f"{format_count(int((~same).sum()), 'other group')}, of records of fewer than {k} "
                "people, "
                "took these values, too."
            )
        return tuple(notes)

    def _notes_on_reach(
        self, groups: MicroaggregationGroups, members: Longs
    ) -> tuple[tuple[str, ...], ...]:
        """Of each column, how far from its value another may be drawn (MA algorithm 1)."""
        notes = []
        for j, column in enumerate(self.columns):
            place = int(self.tuples.codes[j, self.t])
            distances = column.apart(float(self.own[j]), np.arange(column.attribute.size))
            if groups.classic and isinstance(column, NominalQuasiIdentifier):
                distances = (np.arange(column.attribute.size) != place).astype(np.float64)
            reach = float(distances[self.tuples.codes[j, members]].max())
            within = int((distances <= reach + TOLERANCE).sum())
            notes.append(
                (
                    f"drawn by chance from the {within:,} values of the column within {reach:.3f} "
                    "of it, as far as the farthest of its group is"
                    if within > 1
                    else "its whole group has this value, and so keeps it",
                )
            )
        return tuple(notes)

    # ------------------------------------------------------------------ other groups

    def explain_recoding(self, method: Recoding) -> MethodExplanation:
        """Explain which tuple gave its values to the whole group."""
        members = self.tuples_with_same_target()
        targets = self.tuples.targets()[members]
        giver = int(members[(targets == self.row).all(axis=1).argmax()])
        giver_records = format_count(int(self.tuples.counts[giver]), "record")
        giver_words = f"{self.describe_target(self.row)}, which {giver_records}"
        if giver == self.t:
            notes = [
                f"It keeps its values, and {format_count(len(members) - 1, 'rarer tuple')} took "
                "them, too."
                if len(members) > 1
                else f"It keeps its values: no rarer tuple was fused with it, and its "
                f"{format_count(self.records, 'record')} are {method.k} or more."
            ]
        else:
            verb = "holds" if self.tuples.counts[giver] == 1 else "hold"
            notes = [f"All of its group took the values of {giver_words} {verb}."]
            if self.records < method.k:
                notes.append(
                    f"It had {format_count(self.records, 'record')}, fewer than {method.k}."
                )
            else:
                notes.append(f"Its class held records of fewer than {method.k} people.")
        counts = self.tuples.counts[members]
        return MethodExplanation(
            members, counts, self.row, "the values they took", notes=tuple(notes)
        )

    def explain_resampling(self) -> MethodExplanation:
        """Explain random groups, which a plan does not keep."""
        return self.explain_by_target(
            "Which records formed a group was drawn by chance and is not kept: below are those that"
            " became the same, of one group or of several."
        )

    def explain_suppression(self, method: Suppression) -> MethodExplanation:
        """Explain suppression by the number of records and k."""
        records, k = format_count(self.records, "record"), method.k
        person = self.release.schema.person is not None
        if not np.isnan(self.row).all():
            enough = f"of {k} people or more" if person else f"{k} or more"
            note = f"It has {records}, {enough}: it stays as it is."
        elif self.records < k:
            note = f"It has {records}, fewer than {k}: it is suppressed."
        elif person:
            note = (
                f"It has {records}, of fewer than {k} people, or was needed so that the suppressed "
                f"records are of {k} people: it is suppressed."
            )
        else:
            note = (
                f"It has {records}, enough by itself, and was needed so that the suppressed "
                f"records are {k} together: it is suppressed."
            )
        return self.explain_without_group(note)

    # ------------------------------------------------------------------ values that move

    def explain_swapping(self) -> MethodExplanation:
        """Explain swapping, whose pairs of records are counted but not kept."""
        return self.explain_without_group(
            "Who swapped with whom is not kept: the counts say what the records of this tuple got.",
            column_notes=self._notes_on_unpaired(),
        )

    def _notes_on_unpaired(self) -> tuple[tuple[str, ...], ...]:
        n = self.tuples.records
        return tuple(
            (f"{unpaired:,} of the column's {n:,} values found no partner to swap with",)
            if unpaired
            else ()
            for unpaired in self.plan.unpaired or [0] * len(self.columns)
        )

    def explain_noise(self, method: NoiseAddition) -> MethodExplanation:
        """Explain noise by the mean of each column and the direction in which values moved."""
        if method.strategy != "semantic":
            return self.explain_without_group()
        return self.explain_without_group(
            column_notes=tuple(
                (self._note_on_mean(method, j, column),) for j, column in enumerate(self.columns)
            ),
        )

    def _note_on_mean(self, method: NoiseAddition, j: int, column: QuasiIdentifier) -> str:
        if isinstance(column, NominalQuasiIdentifier):
            return self._note_on_concept_mean(method, j, column)
        assert isinstance(column, NumericQuasiIdentifier)
        return self._note_on_number_mean(j, column)

    def _note_on_concept_mean(
        self, method: NoiseAddition, j: int, column: NominalQuasiIdentifier
    ) -> str:
        attribute: NominalAttribute = column.attribute
        counts = self.tuples.value_counts(j)[: len(attribute.values)]
        place = int(self.tuples.codes[j, self.t])
        if place >= len(attribute.values):
            return "missing values stay missing"
        counts_by_concept = dict(zip(attribute.values, counts.tolist(), strict=True))
        measure = method.measure(attribute.measure)
        mean, _ = mean_and_variance(counts_by_concept, attribute.domain, measure)
        from ontomask.distances import distance

        def from_mean(target: float) -> float:
            return distance(attribute.domain, mean, attribute.candidates[int(target)], measure)

        return self._note_on_directions(
            column.concept(mean).words,
            from_mean(self.own[j]),
            [*map(from_mean, self._received_targets(j))],
        )

    def _note_on_number_mean(self, j: int, column: NumericQuasiIdentifier) -> str:
        numbers = column.attribute.numbers
        mean = float(numbers @ self.tuples.value_counts(j)) / self.tuples.records
        named = format_number(mean) if isinstance(column.column, Numeric) else ""
        words = named or column.describe_target(mean).words
        return self._note_on_directions(
            words, abs(self.own[j] - mean), [abs(x - mean) for x in self._received_targets(j)]
        )

    def _received_targets(self, j: int) -> list[float]:
        """The target of each record of the tuple in a column."""
        rows = self.plan.source == self.t
        got = np.repeat(self.plan.targets[self.plan.target[rows], j], self.plan.count[rows])
        return [float(x) for x in got]

    def _note_on_directions(self, mean: str, before: float, after: Sequence[float]) -> str:
        towards = sum(x < before - TOLERANCE for x in after)
        away = sum(x > before + TOLERANCE for x in after)
        ways = [(towards, "moved towards it"), (away, "moved away from it")]
        ways.append((len(after) - towards - away, "did neither"))
        directions = ", ".join(f"{count:,} {way}" for count, way in ways if count)
        return f"the column's mean is {mean}; of {format_count(len(after), 'record')} {directions}"
