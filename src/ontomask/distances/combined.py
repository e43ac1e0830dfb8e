r"""A distance from several taxonomies: the mean, or the minimum, of what each of them says.

The concepts are those of a first taxonomy; a crosswalk leads from them to concepts of others. With
:math:`x_j(a)` the only concept of taxonomy :math:`j` that :math:`a` leads to (:math:`x_1(a) = a`),
and :math:`J(a, b)` the taxonomies in which both concepts have one,

.. math:: d(a, b) = \frac{1}{|J(a, b)|} \sum_{j \in J(a, b)} d_j(x_j(a), x_j(b)),

or the least of these :math:`d_j`. The first taxonomy is always in :math:`J`, so where no other
knows both concepts, its distance counts alone.

If :math:`d_j` are metrics and every concept has a counterpart in the same taxonomies, their mean is
a metric. It is not where some have one and others have not, and the minimum is none at all: a way
around may be shorter. No code that prunes by the triangle inequality may use it for either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["COMBINATIONS", "LinkedTaxonomy", "combine_distances"]

#: How the distances of several taxonomies become one.
COMBINATIONS = ("mean", "min")

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkedTaxonomy:
    """Another taxonomy, and the concepts in it that concepts of the first lead to."""

    taxonomy: Taxonomy
    concepts: Mapping[Concept, Concept]


def combine_distances(
    measure: DistanceMeasure, first: Taxonomy, others: Sequence[LinkedTaxonomy], combine: str
) -> DistanceMeasure:
    """A measure on the concepts of the first taxonomy that asks the others, too.

    In a part of the first taxonomy, each other one is restricted alike: to what is below the least
    common subsumer of the concepts that concepts of this part lead to.
    """
    combination = _Combination(measure, first, tuple(others), combine)
    names = " and ".join(combination.names)
    word = "mean" if combine == "mean" else "minimum"
    return DistanceMeasure(
        f"{measure.name}, {word} of {names}",
        combination.pair,
        combination.block,
        combination.words,
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The part of another taxonomy that belongs to a domain: its number of each concept, or -1."""

    taxonomy: Taxonomy
    codes: Ints


class _Combination:
    """What is computed once for a domain is kept for as long as the domain is."""

    def __init__(
        self,
        measure: DistanceMeasure,
        first: Taxonomy,
        others: tuple[LinkedTaxonomy, ...],
        combine: str,
    ) -> None:
        self.measure, self.first, self.others, self.combine = measure, first, others, combine
        self._prepare()

    @property
    def names(self) -> list[str]:
        """What the taxonomies are called, the first one first."""
        others = [other.taxonomy.name or "another taxonomy" for other in self.others]
        return [self.first.name or "the taxonomy", *others]

    def _prepare(self) -> None:
        self._lock = Lock()
        self._parts: list[tuple[Taxonomy, list[_Part]]] = []
        self._columns: WeakKeyDictionary[SharedAncestors, list[SharedAncestors | None]]
        self._columns = WeakKeyDictionary()

    def __getstate__(self) -> tuple[Any, ...]:
        return self.measure, self.first, self.others, self.combine

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.measure, self.first, self.others, self.combine = state
        self._prepare()

    # ------------------------------------------------------------------ a pair

    def pair(self, domain: Taxonomy, a: Concept, b: Concept) -> float:
        """The distance of two concepts of a domain of the first taxonomy."""
        distances = [distance for _, distance, _ in self._distances(domain, a, b)]
        return sum(distances) / len(distances) if self.combine == "mean" else min(distances)

    def _distances(self, domain: Taxonomy, a: Concept, b: Concept) -> list[tuple[str, float, str]]:
        """The distance in each taxonomy that knows both concepts, with its formula in words."""
        measure = self.measure
        name, *others = self.names
        known = [(name, float(measure.pair(domain, a, b)), measure.words(domain, a, b))]
        for name, part in zip(others, self._parts_of(domain), strict=True):
            codes = part.codes[domain.codes([a, b])]
            if (codes >= 0).all():
                one, other = (part.taxonomy.identifiers[code] for code in codes)
                distance = float(measure.pair(part.taxonomy, one, other))
                words = measure.words(part.taxonomy, one, other) if one != other else "0"
                known.append((name, distance, f"{one} and {other}: {words}"))
        return known

    def words(self, domain: Taxonomy, a: Concept, b: Concept) -> str:
        """The distance in each taxonomy that knows both concepts, and which of them decided."""
        known = self._distances(domain, a, b)
        lines = [f"{name}: {words} = {distance:.3f};" for name, distance, words in known]
        first, *others = self.names
        if len(known) == 1:
            lines.append(
                f"{first} alone: the crosswalk does not lead both to {' or '.join(others)}"
            )
        elif self.combine == "mean":
            lines.append(f"mean = {self.pair(domain, a, b):.3f}")
        else:
            name, distance, _ = min(known, key=lambda entry: entry[1])
            lines.append(f"minimum, which {name} decides = {distance:.3f}")
        return "\n".join(lines)

    # ------------------------------------------------------------------ many

    def block(self, shared: SharedAncestors, rows: Ints) -> Floats:
        """The distances of all row concepts to all columns."""
        domain = shared.taxonomy
        distances = self.measure.block(shared, rows)
        number = np.ones(distances.shape)
        for part, columns in zip(self._parts_of(domain), self._linked_columns(shared), strict=True):
            row_codes = part.codes[rows]
            at_rows = np.flatnonzero(row_codes >= 0)
            if columns is None or not len(at_rows):
                continue
            cells = np.ix_(at_rows, np.flatnonzero(part.codes[shared.columns] >= 0))
            there = self.measure.block(columns, row_codes[at_rows])
            if self.combine == "mean":
                distances[cells] += there
                number[cells] += 1
            else:
                distances[cells] = np.minimum(distances[cells], there)
        return distances / number

    def _linked_columns(self, shared: SharedAncestors) -> list[SharedAncestors | None]:
        """The columns in each other taxonomy; None where none of them leads there."""
        with self._lock:
            columns = self._columns.get(shared)
        if columns is None:
            columns = []
            for part in self._parts_of(shared.taxonomy):
                codes = part.codes[shared.columns]
                known = codes[codes >= 0]
                columns.append(SharedAncestors(part.taxonomy, known) if known.size else None)
            with self._lock:
                self._columns[shared] = columns
        return columns

    # ------------------------------------------------------------------ domains

    def _parts_of(self, domain: Taxonomy) -> list[_Part]:
        with self._lock:
            for known, parts in self._parts:
                if known is domain:
                    return parts
        parts = [self._part_of(domain, other) for other in self.others]
        with self._lock:
            self._parts = [*self._parts[-3:], (domain, parts)]
        return parts

    def _part_of(self, domain: Taxonomy, other: LinkedTaxonomy) -> _Part:
        linked = [other.concepts.get(concept) for concept in domain.identifiers]
        taxonomy, reached = other.taxonomy, {concept for concept in linked if concept is not None}
        if reached and len(domain) < len(self.first):
            taxonomy = taxonomy.domain(sorted(reached))
        codes = [-1 if concept is None else taxonomy.code(concept) for concept in linked]
        return _Part(taxonomy, np.array(codes, dtype=np.int32))
