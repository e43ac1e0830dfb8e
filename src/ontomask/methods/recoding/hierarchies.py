"""Generalisation hierarchies of columns: what each value may become, step by step.

Each column is a column of sets. A word is a set with one concept; its hierarchy is a tree, because
a cell has room for one concept. Numbers, dates and levels have a tree of intervals, halved by their
records, and an interval is released as the centroid of the records that show it. A missing word or
set is one more value below the root, "something, not said". A missing number is the root, because
"not said" is what it means there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import InternalError
from ontomask.microdata.attributes import (
    MISSING,
    MISSING_NUMBER,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.sets import ConceptSets, closures, missing_concept, reduce_to_deepest
from ontomask.microdata.sets.set_concepts import (
    has_sets,
    name_set,
    sets_of_values,
    with_more_candidates,
)
from ontomask.taxonomy.graph import Links

__all__ = ["Hierarchy", "build_hierarchy", "join_hierarchies", "split_sets"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: No concept is worth less.
SLIGHT = 1e-6


@dataclass(frozen=True, eq=False)
class Hierarchy(ABC):
    """The hierarchy of a column.

    Attributes:
        parents: The parents of each concept; a parent has a smaller number.
        closures: Of each value of the column, by its place, all that it may become.
    """

    parents: Links
    closures: ConceptSets

    @property
    def worth(self) -> Floats:
        """About how much farther a value becomes if it loses each concept of its closure."""
        sizes = self.closures.sizes()
        return 1 / np.repeat(sizes, sizes)

    @abstractmethod
    def write(
        self, kept: ConceptSets, codes: NDArray[np.integer], counts: Longs
    ) -> tuple[Attribute, Floats]:
        """The attribute and the target of each tuple, of whose closure some is kept."""


def build_hierarchy(attribute: Attribute, value_counts: Longs) -> Hierarchy:
    """The hierarchy of a column; ``value_counts`` are the records with each value."""
    if isinstance(attribute, NumericalAttribute):
        return _build_intervals(attribute, value_counts)
    if not isinstance(attribute, NominalAttribute):
        raise InternalError(f"column {attribute.name!r} has no hierarchy")
    return _build_sets(attribute) if has_sets(attribute) else _build_words(attribute)


# ---------------------------------------------------------------------- words and sets


@dataclass(frozen=True, eq=False)
class _Sets(Hierarchy):
    attribute: NominalAttribute

    def write(
        self, kept: ConceptSets, codes: NDArray[np.integer], counts: Longs
    ) -> tuple[Attribute, Floats]:
        domain = self.attribute.domain
        is_missing = np.zeros(len(kept), dtype=bool)
        is_missing[kept.owners()[kept.concepts == missing_concept(domain)]] = True
        deepest = reduce_to_deepest(domain, kept).lists()
        names = [
            MISSING if missing else name_set(domain.identifiers[concept] for concept in held)
            for missing, held in zip(is_missing.tolist(), deepest, strict=True)
        ]
        wider = with_more_candidates(self.attribute, set(names) - {MISSING})
        return wider, np.array([wider.places[name] for name in names], dtype=np.float64)


def _build_sets(attribute: NominalAttribute) -> Hierarchy:
    domain = attribute.domain
    closed = closures(domain, sets_of_values(attribute, domain))
    return _Sets(*_add_missing(domain.parent_links, closed), attribute)


@dataclass(frozen=True, eq=False)
class _Words(Hierarchy):
    attribute: NominalAttribute

    def write(
        self, kept: ConceptSets, codes: NDArray[np.integer], counts: Longs
    ) -> tuple[Attribute, Floats]:
        names = [*self.attribute.domain.identifiers, MISSING]
        deepest, place = np.unique(kept.concepts[kept.offsets[1:] - 1], return_inverse=True)
        places = np.array([self.attribute.places[names[concept]] for concept in deepest.tolist()])
        return self.attribute, places[place.ravel()].astype(np.float64)


def _build_words(attribute: NominalAttribute) -> Hierarchy:
    """A tree: of several parents, the nearest one is the only one."""
    domain, missing = attribute.domain, missing_concept(attribute.domain)
    codes = domain.codes(list(attribute.values))
    parent_of, lists = np.full(len(domain), -1), []
    ancestor_counts: dict[int, int] = {}

    def count_ancestors(concept: int) -> int:
        if concept not in ancestor_counts:
            ancestor_counts[concept] = len(domain.ancestors(domain.identifiers[concept]))
        return ancestor_counts[concept]

    for code in codes.tolist():
        chain = [code]
        while parents := domain.parent_links.of(chain[-1]):
            if parent_of[chain[-1]] < 0:
                parent_of[chain[-1]] = max(parents, key=lambda one: (count_ancestors(one), -one))
            chain.append(int(parent_of[chain[-1]]))
        lists.append(chain)
    if attribute.size > len(attribute.values):
        lists.append([missing])
    used = np.flatnonzero(parent_of >= 0)
    tree = Links.from_pairs(used, parent_of[used], len(domain))
    return _Words(*_add_missing(tree, ConceptSets.from_lists(lists)), attribute)


def _add_missing(parents: Links, closed: ConceptSets) -> tuple[Links, ConceptSets]:
    """Put the missing value, a concept after all others, below the root."""
    missing = len(parents.start) - 1
    wider = Links(
        np.append(parents.start, parents.start[-1] + 1), np.append(parents.items, np.int32(0))
    )
    lacking = np.flatnonzero(closed.concepts == missing)
    owners = np.concatenate([closed.owners(), closed.owners()[lacking]])
    concepts = np.concatenate([closed.concepts, np.zeros(len(lacking), dtype=np.int32)])
    return wider, ConceptSets.from_pairs(owners, concepts, len(closed))


# ---------------------------------------------------------------------- numbers, dates and levels


@dataclass(frozen=True, eq=False)
class _Intervals(Hierarchy):
    attribute: NumericalAttribute
    widths: Floats  # of the intervals, as shares of the range

    @property
    def worth(self) -> Floats:
        concepts = self.closures.concepts
        above = np.zeros(len(self.widths), dtype=np.int64)
        above[np.flatnonzero(self.parents.sizes())] = self.parents.items
        # The numbers of an interval are a quarter of its width from its middle, if they are even.
        lost: Floats = (self.widths[above] - self.widths)[concepts] / 4
        return np.maximum(lost, SLIGHT)

    def write(
        self, kept: ConceptSets, codes: NDArray[np.integer], counts: Longs
    ) -> tuple[Attribute, Floats]:
        attribute, shown = self.attribute, kept.concepts[kept.offsets[1:] - 1]
        targets = np.full(len(kept), MISSING_NUMBER)
        known = np.flatnonzero(shown > 0) if attribute.has_missing else np.arange(len(kept))
        # The records of each interval by value: those of one value together, in ascending order.
        key = shown[known].astype(np.int64) * attribute.size + codes[known]
        distinct, place = np.unique(key, return_inverse=True)
        records = np.bincount(place.ravel(), weights=counts[known]).astype(np.int64)
        intervals, begin, which = np.unique(
            distinct // attribute.size, return_index=True, return_inverse=True
        )
        if len(intervals):
            centroids = attribute.centroids(begin, distinct % attribute.size, records)
            targets[known] = centroids[which.ravel()[place.ravel()]]
        return attribute, attribute.round_targets(targets)


def _build_intervals(attribute: NumericalAttribute, value_counts: Longs) -> Hierarchy:
    """Halve the numbers by their records, then each half, until every number is alone."""
    known = len(attribute.known_numbers)
    until = np.concatenate(([0], np.cumsum(value_counts[:known])))
    child: list[int] = []
    parent: list[int] = []
    paths: list[list[int]] = [[0] for _ in range(attribute.size)]
    # A missing number is the root, and all known ones are below it.
    widths = [1.0]
    nodes, waiting = 1, [(-1 if attribute.has_missing else 0, 0, known)]
    while waiting:
        above, first, last = waiting.pop()
        if above < 0 or last - first < known:
            node = nodes
            nodes += 1
            widths.append(_width(attribute, first, last))
            child.append(node)
            parent.append(max(above, 0))
            for place in range(first, last):
                paths[place].append(node)
        else:
            node = 0
        if last - first > 1:
            half = (until[first] + until[last]) / 2
            middle = int(np.abs(until[first + 1 : last] - half).argmin()) + first + 1
            waiting += [(node, middle, last), (node, first, middle)]
    links = Links.from_pairs(np.array(child, dtype=int), np.array(parent, dtype=int), nodes)
    return _Intervals(links, ConceptSets.from_lists(paths), attribute, np.array(widths))


def _width(attribute: NumericalAttribute, first: int, last: int) -> float:
    if last - first < 2:
        return 0.0
    return float(attribute.numbers[last - 1] - attribute.numbers[first]) / attribute.range


# ---------------------------------------------------------------------- several columns


def join_hierarchies(
    hierarchies: Sequence[Hierarchy],
    codes: Sequence[NDArray[np.integer]],
    weights: Sequence[float],
) -> tuple[ConceptSets, Links, Floats, Longs]:
    """All columns as one: the closure of each tuple, the parents, what each concept is worth.

    The concepts of the columns are numbered one after the other; the last array is where each
    column begins.
    """
    sizes = [len(hierarchy.parents.start) - 1 for hierarchy in hierarchies]
    begin = np.concatenate(([0], np.cumsum(sizes)))
    links = np.concatenate([h.parents.sizes() for h in hierarchies])
    parents = Links(
        np.concatenate(([0], np.cumsum(links))),
        np.concatenate(
            [h.parents.items + first for h, first in zip(hierarchies, begin, strict=False)]
        ).astype(np.int32),
    )
    columns = [h.closures.take(c) for h, c in zip(hierarchies, codes, strict=True)]
    lengths = np.array([column.sizes() for column in columns])
    offsets = np.concatenate(([0], np.cumsum(lengths.sum(axis=0))))
    concepts = np.empty(offsets[-1], dtype=np.int32)
    worth = np.empty(offsets[-1])
    before = offsets[:-1].copy()
    for j, (hierarchy, column) in enumerate(zip(hierarchies, columns, strict=True)):
        places = np.arange(len(column.concepts)) + np.repeat(
            before - column.offsets[:-1], lengths[j]
        )
        concepts[places] = column.concepts + begin[j]
        shift = np.repeat(hierarchy.closures.offsets[codes[j]] - column.offsets[:-1], lengths[j])
        worth[places] = weights[j] * hierarchy.worth[np.arange(len(column.concepts)) + shift]
        before += lengths[j]
    return ConceptSets(offsets, concepts), parents, worth, begin


def split_sets(sets: ConceptSets, begin: Longs) -> list[ConceptSets]:
    """The concepts of each column, by its own numbers; the other way of joining."""
    owners, columns = sets.owners(), []
    for first, last in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        mine = (sets.concepts >= first) & (sets.concepts < last)
        offsets = np.searchsorted(owners[mine], np.arange(len(sets) + 1))
        columns.append(ConceptSets(offsets, sets.concepts[mine] - np.int32(first)))
    return columns
