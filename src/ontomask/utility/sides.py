"""A plan seen from its two sides: what each attribute held before, and what it holds after.

All measures read these. A value that is missing or suppressed has no place among the distinct ones:
statistics over a column leave it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike
from ontomask.errors import InternalError
from ontomask.microdata.attributes import (
    FIXED_POINT_ONE,
    MISSING,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
    number_distances,
)
from ontomask.microdata.sets.set_concepts import SetMeasure
from ontomask.microdata.tuples import Transitions, cache_per_plan
from ontomask.statistics.counts import ConceptCounts
from ontomask.taxonomy import Taxonomy

__all__ = [
    "NumericalSide",
    "Side",
    "NominalSide",
    "sample_transitions",
    "attribute_distances",
    "sides",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NominalSide:
    """A column of concepts: the distinct ones by code, and where each transition's stands."""

    taxonomy: Taxonomy
    measure: MeasureLike
    distinct: Ints
    place: Ints

    def column(self, counts: Longs) -> ConceptCounts:
        """The distinct concepts with the records that hold them."""
        return ConceptCounts(self.taxonomy, self.distinct, _count_records(self, counts))

    def select_transitions(self, rows: NDArray[np.integer]) -> NominalSide:
        """The same column for some of the transitions only."""
        used, place = _compact_places(self.place[rows])
        return NominalSide(self.taxonomy, self.measure, self.distinct[used], place)


@dataclass(frozen=True, eq=False)
class NumericalSide:
    """A column of numbers: the distinct ones, ascending, and where each transition's stands."""

    distinct: Floats
    place: Ints

    def counts(self, counts: Longs) -> Longs:
        """How many records hold each distinct number."""
        return _count_records(self, counts)

    def select_transitions(self, rows: NDArray[np.integer]) -> NumericalSide:
        """The same column for some of the transitions only."""
        used, place = _compact_places(self.place[rows])
        return NumericalSide(self.distinct[used], place)


Side: TypeAlias = NominalSide | NumericalSide


def _count_records(side: Side, counts: Longs) -> Longs:
    present = side.place >= 0
    sums = np.bincount(side.place[present], weights=counts[present], minlength=len(side.distinct))
    return sums.astype(np.int64)


def _compact_places(place: Ints) -> tuple[Longs, Ints]:
    """The places that occur, and each place renumbered among them; -1 stays."""
    used, places = np.unique(place, return_inverse=True)
    left_out = int(used.size > 0 and used[0] < 0)
    return used[left_out:].astype(np.int64), (places - left_out).astype(np.int32)


@cache_per_plan
def sides(plan: Transitions) -> tuple[tuple[Side, Side], ...]:
    """Each attribute before and after; places run in parallel with the transitions.

    Distinct values are those that some record holds: a target may be nobody's.
    """
    original = plan.tuples.targets()
    every = np.arange(len(plan.count))
    return tuple(
        (
            _make_side(attribute, original[:, j], plan.source).select_transitions(every),
            _make_side(attribute, plan.targets[:, j], plan.target).select_transitions(every),
        )
        for j, attribute in enumerate(plan.tuples.attributes)
    )


def _make_side(attribute: Attribute, targets: Floats, transition_targets: Longs) -> Side:
    stated = np.isfinite(targets)
    used, indices = np.unique(targets[stated], return_inverse=True)
    place = np.full(len(targets), -1, dtype=np.int32)
    if isinstance(attribute, NumericalAttribute):
        place[stated] = indices
        return NumericalSide(used, place[transition_targets])
    if not isinstance(attribute, NominalAttribute):
        raise InternalError(f"no measure knows {type(attribute).__name__}")
    concepts = [attribute.candidates[int(target)] for target in used]
    present = np.array([concept != MISSING for concept in concepts], dtype=bool)
    place[stated] = np.where(present, np.cumsum(present) - 1, -1)[indices]
    codes = attribute.domain.codes([concept for concept in concepts if concept != MISSING])
    return NominalSide(attribute.domain, attribute.measure, codes, place[transition_targets])


@cache_per_plan
def attribute_distances(plan: Transitions) -> tuple[Floats, ...]:
    """How far each transition moves each attribute: from 0, not at all; suppressed, 1."""
    return tuple(
        _nominal_distances(plan, j)
        if isinstance(before, NominalSide)
        else _numerical_distances(plan, j)
        for j, (before, _) in enumerate(sides(plan))
    )


def _nominal_distances(plan: Transitions, j: int) -> Floats:
    before, after = sides(plan)[j]
    assert isinstance(before, NominalSide)
    assert isinstance(after, NominalSide)
    apart = np.ones(len(plan.count))
    stays_missing = (before.place < 0) & ~np.isnan(plan.targets[plan.target, j]) & (after.place < 0)
    apart[stays_missing] = 0.0
    both = np.flatnonzero((before.place >= 0) & (after.place >= 0))
    if isinstance(before.measure, SetMeasure):  # there are far fewer pairs than cells of a table
        of_sets = before.measure.pairs(
            before.taxonomy, before.distinct[before.place[both]], after.distinct[after.place[both]]
        )
        apart[both] = np.rint(of_sets * FIXED_POINT_ONE) / FIXED_POINT_ONE
        return apart
    both = both[np.argsort(after.place[both], kind="stable")]
    row, column = after.place[both].astype(np.int64), before.place[both]
    table = Distances(before.taxonomy, after.distinct, before.distinct, before.measure)
    for rows, block in table.blocks():
        first, last = np.searchsorted(row, [rows.start, rows.stop])
        cells = block[row[first:last] - rows.start, column[first:last]]
        # As masking methods see them: whole multiples, so that sums do not depend on the order.
        apart[both[first:last]] = np.rint(cells * FIXED_POINT_ONE) / FIXED_POINT_ONE
    return apart


def _numerical_distances(plan: Transitions, j: int) -> Floats:
    attribute = plan.tuples.attributes[j]
    assert isinstance(attribute, NumericalAttribute)
    target = plan.targets[plan.target, j]
    original = attribute.numbers[plan.tuples.codes[j, plan.source]]
    apart = number_distances(original, target, attribute.range)
    return np.where(np.isnan(target), 1.0, apart)


def sample_transitions(
    plan: Transitions, size: int, random: np.random.Generator | None
) -> tuple[Longs, Longs]:
    """Sample records without replacement: their transitions, and how many records of each.

    All of them where there are no more than ``size``. Without a generator, always the same ones.
    """
    records = plan.tuples.records
    if records <= size:
        return np.arange(len(plan.count)), plan.count
    random = np.random.default_rng(0) if random is None else random
    records_drawn = random.choice(records, size, replace=False, shuffle=False)
    transition = np.searchsorted(np.cumsum(plan.count), records_drawn, side="right")
    return np.unique(transition, return_counts=True)
