"""What each method has to say about a tuple: who was masked with it, and what decided.

A method that is not known here is explained by its plan alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import many
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.microaggregation.synthetic import EQUAL
from ontomask.methods.noise.noise_addition import NoiseAddition, mean_and_variance
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression
from ontomask.methods.swapping.rank_swapping import RankSwapping
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.schema import Numeric
from ontomask.pipeline.explain.columns import Numbers, QuasiIdentifier, Words, number_words
from ontomask.pipeline.explain.groups import Centre, Groups, centre_of, groups_of

if TYPE_CHECKING:
    from ontomask.pipeline.mask import Release

__all__ = ["Story"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Story:
    """What a method says about a tuple.

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
    def of(release: Release, columns: Sequence[QuasiIdentifier], t: int, target: int) -> Story:
        """The story of tuple ``t``, most of whose records became ``target``."""
        told = _Told(release, columns, t, target)
        method = release.method
        if isinstance(method, Microaggregation):
            return told.microaggregated(method)
        if isinstance(method, Recoding):
            return told.recoded(method)
        if isinstance(method, Resampling):
            return told.resampled()
        if isinstance(method, Suppression):
            return told.suppressed(method)
        if isinstance(method, RankSwapping):
            return told.swapped()
        if isinstance(method, NoiseAddition):
            return told.noisy(method)
        return told.alike_story()


class _Told:
    """One tuple of one release."""

    def __init__(
        self, release: Release, columns: Sequence[QuasiIdentifier], t: int, target: int
    ) -> None:
        self.release, self.columns, self.t, self.target = release, columns, t, target
        self.plan = release.transitions
        self.tuples = self.plan.tuples
        self.row: Floats = self.plan.targets[target]
        self.own: Floats = self.tuples.targets()[t]
        self.records = int(self.tuples.counts[t])

    def alike(self) -> Longs:
        """The tuples with records that became the same."""
        return np.asarray(self.plan.source[self.plan.target == self.target])

    def alike_story(self, *notes: str) -> Story:
        """Where groups cannot be told: the records that became the same."""
        counts = self.plan.count[self.plan.target == self.target]
        return Story(
            self.alike(), counts, self.row, "what they became", "what became the same", notes=notes
        )

    def alone(self, *notes: str, **more: Any) -> Story:
        """Where there are no groups."""
        return Story(NOBODY, NOBODY, self.row, notes=notes, **more)

    def named(self, row: Floats) -> str:
        """A target in a line."""
        pairs = zip(self.columns, row.tolist(), strict=True)
        return " · ".join(column.said(x).short for column, x in pairs)

    # ------------------------------------------------------------------ groups with a middle

    def microaggregated(self, method: Microaggregation) -> Story:
        """The group, formed again, and the sums behind its centroid."""
        groups = groups_of(self.release)
        if groups is None:
            return self.alike_story()
        members = groups.members(self.t)
        counts = self.tuples.counts[members]
        if method.replacement == "synthetic":
            return Story(
                members,
                counts,
                self.own,
                "this tuple",
                notes=("The group only says how far away a value may be drawn.",),
                column_notes=self._reach(groups, members),
            )
        centroid = groups.centroids[groups.group[self.t]]
        centres: tuple[Centre, ...] = ()
        notes = self._together(groups, centroid)
        if method.operators == "classic" and method.distance == "mean":
            notes = (
                "The centroid is the group's most frequent tuple; of equals, the first in order.",
                *notes,
            )
        else:
            centres = tuple(centre_of(groups, self.tuples, it, members) for it in self.columns)
        return Story(members, counts, centroid, "the centroid", centres=centres, notes=notes)

    def _together(self, groups: Groups, centroid: Floats) -> tuple[str, ...]:
        """What joined the group with others: people, or chance."""
        notes = []
        number = groups.group[self.t]
        k = getattr(self.release.method, "k", 0)
        others = np.unique(groups.group[self.alike()])
        others = others[others != number]
        same = (groups.centroids[others] == self.row).all(axis=1)
        if not np.array_equal(centroid, self.row):
            notes.append(
                f"Its group held records of fewer than {k} people, so it took the values of another"
                f" class, the nearest. Its own centroid was {self.named(centroid)}."
            )
        elif same.any():
            having = "has" if same.sum() == 1 else "have"
            notes.append(f"{many(int(same.sum()), 'other group')} {having} the same centroid.")
        if (~same).any():
            notes.append(
                f"{many(int((~same).sum()), 'other group')}, of records of fewer than {k} people, "
                "took these values, too."
            )
        return tuple(notes)

    def _reach(self, groups: Groups, members: Longs) -> tuple[tuple[str, ...], ...]:
        """Of each column, how far from its value another may be drawn (MA algorithm 1)."""
        notes = []
        for j, column in enumerate(self.columns):
            place = int(self.tuples.codes[j, self.t])
            apart = column.apart(float(self.own[j]), np.arange(column.attribute.size))
            if groups.classic and isinstance(column, Words):
                apart = (np.arange(column.attribute.size) != place).astype(np.float64)
            reach = float(apart[self.tuples.codes[j, members]].max())
            within = int((apart <= reach + EQUAL).sum())
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

    def recoded(self, method: Recoding) -> Story:
        """Which tuple gave its values to all."""
        members = self.alike()
        targets = self.tuples.targets()[members]
        giver = int(members[(targets == self.row).all(axis=1).argmax()])
        given = f"{self.named(self.row)}, which {many(int(self.tuples.counts[giver]), 'record')}"
        if giver == self.t:
            notes = [
                f"It keeps its values, and {many(len(members) - 1, 'rarer tuple')} took them, too."
                if len(members) > 1
                else f"It keeps its values: no rarer tuple was fused with it, and its "
                f"{many(self.records, 'record')} are {method.k} or more."
            ]
        else:
            hold = "holds" if self.tuples.counts[giver] == 1 else "hold"
            notes = [f"All of its group took the values of {given} {hold}."]
            if self.records < method.k:
                notes.append(f"It had {many(self.records, 'record')}, fewer than {method.k}.")
            else:
                notes.append(f"Its class held records of fewer than {method.k} people.")
        counts = self.tuples.counts[members]
        return Story(members, counts, self.row, "the values they took", notes=tuple(notes))

    def resampled(self) -> Story:
        """Groups drawn by chance, which a plan does not keep."""
        return self.alike_story(
            "Which records formed a group was drawn by chance and is not kept: below are those that"
            " became the same, of one group or of several."
        )

    def suppressed(self, method: Suppression) -> Story:
        """How many records it had, against k."""
        held, k = many(self.records, "record"), method.k
        person = self.release.schema.person is not None
        if not np.isnan(self.row).all():
            enough = f"of {k} people or more" if person else f"{k} or more"
            note = f"It has {held}, {enough}: it stays as it is."
        elif self.records < k:
            note = f"It has {held}, fewer than {k}: it is suppressed."
        elif person:
            note = (
                f"It has {held}, of fewer than {k} people, or was needed so that the suppressed "
                f"records are of {k} people: it is suppressed."
            )
        else:
            note = (
                f"It has {held}, enough by itself, and was needed so that the suppressed records "
                f"are {k} together: it is suppressed."
            )
        return self.alone(note)

    # ------------------------------------------------------------------ values that move

    def swapped(self) -> Story:
        """Swaps are counted, not kept."""
        return self.alone(
            "Who swapped with whom is not kept: the counts say what the records of this tuple got.",
            column_notes=self._unpaired(),
        )

    def _unpaired(self) -> tuple[tuple[str, ...], ...]:
        n = self.tuples.records
        return tuple(
            (f"{kept:,} of the column's {n:,} values found no partner to swap with",)
            if kept
            else ()
            for kept in self.plan.unpaired or [0] * len(self.columns)
        )

    def noisy(self, method: NoiseAddition) -> Story:
        """Where the mean of each column is, and on which side of it the value went."""
        if method.strategy != "semantic":
            return self.alone()
        return self.alone(
            column_notes=tuple(
                (self._mean(method, j, column),) for j, column in enumerate(self.columns)
            ),
        )

    def _mean(self, method: NoiseAddition, j: int, column: QuasiIdentifier) -> str:
        if isinstance(column, Words):
            return self._words_mean(method, j, column)
        assert isinstance(column, Numbers)
        return self._number_mean(j, column)

    def _words_mean(self, method: NoiseAddition, j: int, column: Words) -> str:
        it: NominalAttribute = column.attribute
        counts = self.tuples.value_counts(j)[: len(it.values)]
        place = int(self.tuples.codes[j, self.t])
        if place >= len(it.values):
            return "missing values stay missing"
        held = dict(zip(it.values, counts.tolist(), strict=True))
        measure = method.measure(it.measure)
        mean, _ = mean_and_variance(held, it.domain, measure)
        from ontomask.distances import distance

        def from_mean(target: float) -> float:
            return distance(it.domain, mean, it.candidates[int(target)], measure)

        return self._sides(
            column.concept(mean).words, from_mean(self.own[j]), [*map(from_mean, self._got(j))]
        )

    def _number_mean(self, j: int, column: Numbers) -> str:
        numbers = column.attribute.numbers
        mean = float(numbers @ self.tuples.value_counts(j)) / self.tuples.records
        named = number_words(mean) if isinstance(column.column, Numeric) else ""
        words = named or column.said(mean).words
        return self._sides(words, abs(self.own[j] - mean), [abs(x - mean) for x in self._got(j)])

    def _got(self, j: int) -> list[float]:
        """What each record of the tuple got in a column."""
        rows = self.plan.source == self.t
        got = np.repeat(self.plan.targets[self.plan.target[rows], j], self.plan.count[rows])
        return [float(x) for x in got]

    def _sides(self, mean: str, before: float, after: Sequence[float]) -> str:
        towards = sum(x < before - EQUAL for x in after)
        away = sum(x > before + EQUAL for x in after)
        ways = [(towards, "moved towards it"), (away, "moved away from it")]
        ways.append((len(after) - towards - away, "did neither"))
        said = ", ".join(f"{count:,} {way}" for count, way in ways if count)
        return f"the column's mean is {mean}; of {many(len(after), 'record')} {said}"
