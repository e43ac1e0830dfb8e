"""Classes of k different people, where one person may have several records."""

from __future__ import annotations

import heapq
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances
from ontomask.errors import ParameterError
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.missing_values import MISSING
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = [
    "TargetDistances",
    "merge_until_k_people",
    "refuse_k_above_people",
    "refuse_several_targets",
]

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


class TargetDistances:
    """The distances between the targets of a plan: weighted means over the attributes."""

    def __init__(self, tuples: Tuples, targets: Floats) -> None:
        self.blank: NDArray[np.bool_] = np.all(np.isnan(targets), axis=1)
        self._parts: list[tuple[float, Floats, Distances | float, int]] = []
        filled = np.where(self.blank[:, None], 0, targets)
        for attribute, column in zip(tuples.attributes, filled.T, strict=True):
            if isinstance(attribute, NominalAttribute):
                used, place = np.unique(column.astype(np.int64), return_inverse=True)
                concepts = [attribute.candidates[candidate] for candidate in used]
                missing = concepts.index(MISSING) if MISSING in concepts else -1
                known = [concept or attribute.domain.root for concept in concepts]
                between = Distances(attribute.domain, known, measure=attribute.measure)
                self._parts.append((attribute.weight, place.astype(float), between, missing))
            else:
                assert isinstance(attribute, NumericalAttribute)
                self._parts.append((attribute.weight, column, attribute.range, -1))

    def row(self, target: int) -> Floats:
        """From one target to all; a blank one is at distance 1 from every other."""
        total = np.zeros(len(self.blank))
        for weight, column, between, missing in self._parts:
            if isinstance(between, Distances):
                place = column.astype(np.int64)
                row = between.row(int(place[target]))
                if missing >= 0:
                    row = np.ones_like(row) if place[target] == missing else row.copy()
                    row[missing] = float(place[target] != missing)
                total += weight * row[place]
            elif between > 0:
                total += weight * np.abs(column - column[target]) / between
        total /= sum(part[0] for part in self._parts)
        total[self.blank != self.blank[target]] = 1
        return total


def merge_until_k_people(
    transitions: Transitions,
    record_tuple: Longs,
    people: Longs,
    k: int,
    suppressing: str | None = None,
) -> Transitions:
    """The same plan where every class holds records of at least ``k`` different people.

    Records of unknown people (-1) add nobody to a class. While a class has too few, the smallest
    one (by people, then in order) takes the values of the nearest other one. A method that
    suppresses does so here, too: classes of too few are blanked, and where these are too few
    together, the smallest others with them (``suppressing="blank"``); removed records (``"drop"``)
    need no company.
    """
    if not transitions.has_one_target_per_tuple:
        refuse_several_targets()
    targets = transitions.targets
    if suppressing:
        targets = np.vstack([targets, np.full(targets.shape[1], np.nan)])
    classes = _PeopleByClass(transitions, len(targets), record_tuple, people)
    if suppressing:
        classes.blank_small(transitions, k, suppressing == "blank")
    else:
        distances = TargetDistances(transitions.tuples, targets)
        while (least := classes.smallest()) is not None and len(classes.members[least]) < k:
            row = np.round(distances.row(least), 9)
            row[~classes.alive] = np.inf
            row[least] = np.inf
            classes.move(least, int(np.argmin(row)))
    return Transitions.from_targets(transitions.tuples, targets, classes.target_of())


def refuse_k_above_people(k: int, people: int) -> None:
    """Refuse a k that is larger than the number of known people."""
    if people < k:
        raise ParameterError(
            f"k must be at most the number of people, {people:,}, got {k:,}",
            "choose a smaller k, or leave person out",
        )


def refuse_several_targets() -> NoReturn:
    """Refuse a plan that sends records of one tuple to several classes."""
    raise ParameterError(
        "this method cannot be used with person: it puts records with the same values into "
        "different classes",
        "use microaggregation, recoding or suppression, or leave person out",
    )


class _PeopleByClass:
    """The people in each class, while classes move into one another."""

    def __init__(
        self, transitions: Transitions, size: int, record_tuple: Longs, people: Longs
    ) -> None:
        self._target_of = transitions.target_of()
        self.members: list[set[int]] = [set() for _ in range(size)]
        pairs = np.column_stack([self._target_of[record_tuple], people])[people >= 0]
        for target, person in np.unique(pairs, axis=0).tolist():
            self.members[target].add(person)
        self.alive = np.zeros(size, dtype=bool)
        self.alive[self._target_of] = True
        self._into = list(range(size))
        self._heap = [(len(self.members[t]), t) for t in np.flatnonzero(self.alive).tolist()]
        heapq.heapify(self._heap)

    def smallest(self) -> int | None:
        """The class of the fewest people."""
        while self._heap:
            people, target = self._heap[0]
            if self.alive[target] and len(self.members[target]) == people:
                return target
            heapq.heappop(self._heap)  # it has changed since
        return None

    def move(self, source: int, into: int) -> None:
        """Merge one class into another."""
        a, b = self.members[source], self.members[into]
        self.members[into] = a | b if len(a) < len(b) else b | a
        self.members[source] = set()
        self.alive[source], self.alive[into] = False, True
        self._into[source] = into
        heapq.heappush(self._heap, (len(self.members[into]), into))

    def blank_small(self, transitions: Transitions, k: int, fill: bool) -> None:
        """Classes of fewer than ``k`` people join the blank one, the last."""
        last = len(self.members) - 1
        for target in np.flatnonzero(transitions.suppressed_targets).tolist():
            self.move(target, last)
        small = [t for t in range(last) if self.alive[t] and len(self.members[t]) < k]
        for target in small:
            self.move(target, last)
        while fill and self.alive[last] and len(self.members[last]) < k:
            others = np.flatnonzero(self.alive[:last]).tolist()
            self.move(min(others, key=lambda t: (len(self.members[t]), t)), last)

    def target_of(self) -> Longs:
        """The target of each tuple, after all moves."""
        final = np.array(self._into)
        while not np.array_equal(final[final], final):
            final = final[final]
        return final[self._target_of]
