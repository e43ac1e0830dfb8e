"""Columns of sets: who is unique by the whole set, and which few values single people out.

Records are counted; people are, where it is known whose each record is. Missing and suppressed sets
are nobody's.
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.attributes import MISSING, NominalAttribute
from ontomask.microdata.sets import ConceptSets
from ontomask.microdata.sets.combinations import count_combinations_of
from ontomask.microdata.sets.set_concepts import has_sets, held_concepts
from ontomask.microdata.tuples import Transitions

__all__ = [
    "MOST_COMBINATIONS",
    "RecordOwners",
    "rare_combinations",
    "released_sets",
    "unique_sets",
]

Longs = NDArray[np.int64]

#: If the different sets have more combinations than this in total, they are not counted.
MOST_COMBINATIONS = 20_000_000

#: The target and the person of every record, -1 where unknown; each pair once or more.
RecordOwners = tuple[Longs, Longs]


class _SetHolders(NamedTuple):
    """The distinct sets of a column, and who holds each.

    ``place`` are sets by number; they are held by so many ``records`` or, where people are known,
    each by one of the ``people``.
    """

    sets: ConceptSets
    place: Longs
    records: Longs
    people: Longs | None

    def count_unique(self) -> int:
        """How many records, or people, hold a set that nobody else holds."""
        holders = np.bincount(self.place, self.records, minlength=len(self.sets))
        alone = holders[self.place] == 1
        if self.people is None:
            return int(alone.sum())
        return len(np.unique(self.people[alone]))

    def count_rare(self, k: int, size: int, most: int) -> int | None:
        """How many combinations of values fewer than k records, or people, hold."""
        sets, records, people = self.sets.take(self.place), self.records, self.people
        if people is not None:
            # Those with one set are only counted; who has several must count once.
            _, person, times = np.unique(people, return_inverse=True, return_counts=True)
            several = times[person.ravel()] > 1
            single = np.bincount(self.place[~several], minlength=len(self.sets))
            used = np.flatnonzero(single)
            sets = self.sets.take(np.concatenate([used, self.place[several]]))
            records = np.concatenate([single[used], np.ones(int(several.sum()), dtype=np.int64)])
            people = np.concatenate([np.full(len(used), -1), people[several]])
        if sum(comb(length, size) for length in sets.sizes().tolist()) > most:
            return None
        if len(np.unique(sets.concepts)) ** size >= 2**63:  # their numbers would not be told apart
            return None
        return count_combinations_of(sets, records, k, size, people).rare


def unique_sets(plan: Transitions, people: RecordOwners | None = None) -> dict[str, int]:
    """Number of records, or people, with a set of values that nobody else has.

    Args:
        plan: The transitions of a release.
        people: The target and the person of every record (-1 if unknown), to count people.

    Returns:
        The number by column of sets; lower is better.
    """
    return {name: holders.count_unique() for name, holders in _set_holders(plan, people).items()}


def rare_combinations(
    plan: Transitions,
    k: int,
    size: int = 2,
    people: RecordOwners | None = None,
    most: int = MOST_COMBINATIONS,
) -> dict[str, int | None]:
    """Number of combinations of values that at least one and fewer than k records, or people, hold.

    Values are those that a released set shows: its deepest concepts. Whoever knows that a person
    has the values of a rare combination finds fewer than k people. If there are none of up to m
    values, the sets are k^m-anonymous.

    Args:
        plan: The transitions of a release.
        k: The smallest number of records, or people, that is not rare.
        size: Number of values in a combination: 1, 2 or 3.
        people: As in :func:`unique_sets`.
        most: If the different sets have more combinations than this in total, they are not counted.

    Returns:
        The number by column of sets, None if it was not counted; lower is better.
    """
    if size not in (1, 2, 3):
        raise ParameterError(f"size must be 1, 2 or 3, got {size!r}")
    return {
        name: holders.count_rare(k, size, most)
        for name, holders in _set_holders(plan, people).items()
    }


def _set_holders(plan: Transitions, people: RecordOwners | None) -> dict[str, _SetHolders]:
    """Who holds which released set, by column of sets."""
    columns = {}
    for j, attribute in enumerate(plan.tuples.attributes):
        if isinstance(attribute, NominalAttribute) and has_sets(attribute):
            sets, place = released_sets(plan, j, attribute)
            columns[attribute.name] = _find_holders(sets, place, plan, people)
    return columns


def released_sets(
    plan: Transitions, j: int, attribute: NominalAttribute
) -> tuple[ConceptSets, Longs]:
    """The sets among the targets, and which of them each target has; -1 for none."""
    targets = plan.targets[:, j]
    known = np.flatnonzero(~np.isnan(targets))
    names = [attribute.candidates[int(target)] for target in targets[known]]
    known = known[[name != MISSING for name in names]] if names else known
    used, which = np.unique(targets[known].astype(np.int64), return_inverse=True)
    place = np.full(len(targets), -1)
    place[known] = which
    codes = attribute.domain.codes([attribute.candidates[target] for target in used.tolist()])
    return held_concepts(attribute.domain, codes), place


def _find_holders(
    sets: ConceptSets, place: Longs, plan: Transitions, people: RecordOwners | None
) -> _SetHolders:
    target, records = plan.target, plan.count
    if people is None:
        released = place[target] >= 0
        sums = np.bincount(place[target][released], records[released], minlength=len(sets))
        used = np.flatnonzero(sums)
        return _SetHolders(sets, used, sums[used].astype(np.int64), None)
    target, person = people
    known = (place[target] >= 0) & (person >= 0)
    size = int(person.max(initial=0)) + 1
    used, owner = np.divmod(np.unique(place[target][known] * size + person[known]), size)
    return _SetHolders(sets, used, np.ones(len(used), dtype=np.int64), owner)
