"""The meaning of the values of a nominal column: a view for the data steward, nothing withheld.

Everything is computed from the distinct values and their counts, so the cost does not depend on the
number of records. None of it may be published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import UnknownValueError, quote_names
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.schema import Nominal, NominalSet
from ontomask.microdata.value_coding import terms_of
from ontomask.taxonomy import Concept, Match, Taxonomy, TermMap, map_terms
from ontomask.taxonomy.names import closest_names
from ontomask.taxonomy.tree import TaxonomyTree, draw_tree

__all__ = [
    "AcceptedTerm",
    "ValueDistance",
    "ColumnMeaning",
    "ConceptFacts",
    "ConceptHit",
    "UnmappedTerm",
    "BranchCounts",
    "NamedConcept",
    "find_column_meaning",
]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class NamedConcept:
    """A concept and what it is called."""

    concept: Concept
    label: str


@dataclass(frozen=True)
class ConceptHit:
    """A concept by one of its names: the way to it from the root, and the records at or below.

    ``score`` says how much the name is like a value, from 0 to 1; None if it is no suggestion.
    """

    concept: Concept
    label: str
    name: str
    path: tuple[NamedConcept, ...]
    records: int
    score: float | None = None


@dataclass(frozen=True)
class AcceptedTerm:
    """A value without a concept, and the suggestion that is clearly the best."""

    value: str
    records: int
    suggestion: ConceptHit


#: What became of a value.
MatchOutcome = Literal["mapped", "corrected", "ambiguous", "unmapped"]


@dataclass(frozen=True)
class ReadingCount:
    """How many values and records were matched in one way, and what became of them."""

    outcome: MatchOutcome
    reading: str
    values: int
    records: int


def _outcome(match: Match) -> MatchOutcome:
    if match.kind == "correction":
        return "corrected"
    if match.concept is not None:
        return "mapped"
    return "ambiguous" if match.concepts else "unmapped"


@dataclass(frozen=True)
class UnmappedTerm:
    """A value that is not mapped to one concept; ``ambiguous`` if several have this name.

    ``nearest`` are those, or the concepts whose names are most like it.
    """

    value: str
    records: int
    ambiguous: bool
    nearest: tuple[ConceptHit, ...]


@dataclass(frozen=True)
class ConceptFacts:
    """A concept: where it is, what is beside it, and the records it holds.

    ``at_or_below`` counts records of the concept and of all its kinds, each once, whatever way
    leads down to them. ``children`` are those with most records first.
    """

    concept: Concept
    label: str
    labels: tuple[str, ...]
    path: tuple[NamedConcept, ...]
    parents: tuple[NamedConcept, ...]
    children: tuple[ConceptHit, ...]
    kinds: int
    at_or_below: int
    exactly: int
    values: tuple[tuple[str, int], ...]


#: The place of the parent (-1 for the root), the concept, its label, the records in the branch
#: and those of the concept itself.
Node = tuple[int, Concept, str, int, int]


@dataclass(frozen=True)
class BranchCounts:
    """The part of a taxonomy that holds records, as a tree in depth-first order.

    A concept with several parents is drawn below the deepest of them. ``top`` is the place of the
    deepest node that holds all records; ``folded`` are the concepts that were left out as the
    smallest, and whose records are counted above.
    """

    nodes: tuple[Node, ...]
    top: int
    records: int
    folded: int


@dataclass(frozen=True)
class ValueDistance:
    """How far apart two values are, and why.

    ``shared`` are what both are, the most specific first; ``first_only`` and ``second_only`` what
    one of them is, itself included. ``domain`` is what distances are counted in.
    """

    first: NamedConcept
    second: NamedConcept
    distance: float
    measure: str
    domain: NamedConcept
    lcs: NamedConcept
    shared: tuple[NamedConcept, ...]
    first_only: tuple[NamedConcept, ...]
    second_only: tuple[NamedConcept, ...]
    words: tuple[str, ...]


def find_column_meaning(
    column: Nominal, counts: Mapping[str, int], marks: Sequence[str] = ()
) -> ColumnMeaning:
    """Find the concepts of the values of a column, given how many records hold each.

    ``marks`` are values that count as missing.

    >>> from ontomask import datasets
    >>> meaning = find_column_meaning(
    ...     Nominal("diagnosis", datasets.diagnoses()), {"Flu": 3, "sprain": 1, "hepatits": 1}
    ... )
    >>> meaning.coverage
    0.8
    >>> [(value.value, value.nearest[0].concept) for value in meaning.lost(5)]
    [('hepatits', 'hepatitis')]
    """
    present = {value: count for value, count in counts.items() if value not in set(marks)}
    missing = sum(counts.values()) - sum(present.values())
    distinct = DistinctValues(
        list(present),
        np.arange(len(present), dtype=np.int64),
        np.fromiter(present.values(), dtype=np.int64, count=len(present)),
    )
    return ColumnMeaning(column, terms_of(column, distinct), missing)


@dataclass(frozen=True, eq=False)
class ColumnMeaning:
    """A nominal column and the concepts that its values reached.

    ``missing`` are the records whose value counts as missing.
    """

    column: Nominal
    terms: TermMap
    missing: int = 0

    @property
    def taxonomy(self) -> Taxonomy:
        """The whole taxonomy of the column."""
        return self.column.taxonomy

    # ------------------------------------------------------------------ coverage

    @property
    def coverage(self) -> float:
        """The share of records, missing ones aside, whose value has a concept."""
        return self.terms.coverage

    @property
    def records(self) -> int:
        """Records whose value is not missing."""
        return sum(match.count for match in self.terms.matches)

    def count_readings(self) -> list[ReadingCount]:
        """Count values and records by the way they were matched, the most frequent first."""
        counts: dict[tuple[MatchOutcome, str], tuple[int, int]] = {}
        for match in self.terms.matches:
            key = (_outcome(match), match.reading)
            values, records = counts.get(key, (0, 0))
            counts[key] = (values + 1, records + match.count)
        listed = [ReadingCount(*key, *numbers) for key, numbers in counts.items()]
        return sorted(listed, key=lambda count: -count.records)

    def lost(self, most: int = 50, near: int = 4) -> list[UnmappedTerm]:
        """The most frequent values without a concept, with the concepts they may mean."""
        lost_matches = self.terms.lost[:most]
        unmapped = replace(self.terms, matches=tuple(lost_matches))
        suggestions = unmapped.suggestions(most, near) if lost_matches else {}
        return [
            UnmappedTerm(
                match.value,
                match.count,
                bool(match.concepts),
                tuple(
                    self._make_hit(hit.concept, hit.name, hit.score)
                    for hit in suggestions.get(match.value, ())[:near]
                ),
            )
            for match in lost_matches
        ]

    def accept(self, least: float) -> list[AcceptedTerm]:
        """The values whose best suggestion is clear and has at least this score, to look at."""
        counts = self.terms.unmapped
        return [
            AcceptedTerm(value, counts[value], self._make_hit(hit.concept, hit.name, hit.score))
            for value, hit in self.terms.accept(least).items()
        ]

    # ------------------------------------------------------------------ concepts

    def search(self, text: str, most: int = 12) -> list[ConceptHit]:
        """Concepts by (part of) a name."""
        return [self._make_hit(hit.concept, hit.name) for hit in self.taxonomy.search(text, most)]

    def facts(self, concept: Concept, children: int = 200, values: int = 20) -> ConceptFacts:
        """A concept with its place in the taxonomy, some of its children and of its values."""
        tax = self.taxonomy
        code = tax.code(concept)
        identifier = tax.identifiers[code]
        kinds = tax.child_links.of(code)
        order = sorted(
            kinds, key=lambda child: (-self._records_below[child], tax.identifiers[child])
        )
        counted_values = [(m.value, m.count) for m in self.terms.matches if m.concept == identifier]
        return ConceptFacts(
            identifier,
            tax.label(identifier),
            tax.labels(identifier),
            self.path(identifier),
            tuple(self._name_concept(parent) for parent in tax.parents(identifier)),
            tuple(self._make_hit(tax.identifiers[child]) for child in order[:children]),
            len(kinds),
            int(self._records_below[code]),
            int(self._records_exactly[code]),
            tuple(counted_values[:values]),
        )

    def path(self, concept: Concept) -> tuple[NamedConcept, ...]:
        """The way from the root down to a concept's parent, as the taxonomy is drawn."""
        tree = self._tree
        place = int(tree.place[self.taxonomy.code(concept)])
        above: list[NamedConcept] = []
        while place:
            place = int(tree.parent[place])
            above.append(self._name_concept(self.taxonomy.identifiers[tree.codes[place]]))
        return tuple(reversed(above))

    def _name_concept(self, concept: Concept) -> NamedConcept:
        return NamedConcept(concept, self.taxonomy.label(concept))

    def _make_hit(self, concept: Concept, name: str = "", score: float | None = None) -> ConceptHit:
        label = self.taxonomy.label(concept)
        records = int(self._records_below[self.taxonomy.code(concept)])
        return ConceptHit(concept, label, name or label, self.path(concept), records, score)

    # ------------------------------------------------------------------ masses

    def count_branches(self, most: int = 3000) -> BranchCounts:
        """The part of the taxonomy that holds records; beyond ``most`` the smallest are folded."""
        tree = self._tree
        own_records = self._records_exactly[tree.codes]
        branch_records = tree.branch_sums(own_records)
        nonempty = np.flatnonzero(branch_records)
        if not len(nonempty):
            return BranchCounts((), 0, 0, 0)
        # A branch is never larger than the one above it, which comes first: every parent is shown.
        shown = np.sort(nonempty[np.lexsort((nonempty, -branch_records[nonempty]))][: max(most, 1)])
        number = np.full(len(tree.codes), -1, dtype=np.int64)
        number[shown] = np.arange(len(shown))
        above = np.where(shown == 0, -1, number[tree.parent[shown]])
        top = int(np.flatnonzero(branch_records[shown] == branch_records[0])[-1])
        codes = tree.codes[shown].tolist()
        names, labels = self.taxonomy.identifiers, self.taxonomy.label_lists
        columns = (above.tolist(), branch_records[shown].tolist(), own_records[shown].tolist())
        return BranchCounts(
            tuple(
                (parent, names[code], labels[code][0] if labels[code] else names[code], sum_, own_)
                for code, parent, sum_, own_ in zip(codes, *columns, strict=True)
            ),
            top,
            int(branch_records[0]),
            len(nonempty) - len(shown),
        )

    @cached_property
    def _tree(self) -> TaxonomyTree:
        return draw_tree(self.taxonomy)

    @cached_property
    def _records_exactly(self) -> Longs:
        """Records of each concept, by number."""
        counts = np.zeros(len(self.taxonomy), dtype=np.int64)
        for match in self.terms.matches:
            if match.concept is not None:
                counts[self.taxonomy.code(match.concept)] += match.count
        return counts

    @cached_property
    def _records_below(self) -> Longs:
        """Records at or below each concept, by number; each record counts once."""
        parents, size = self.taxonomy.parent_links, len(self.taxonomy)
        start = np.flatnonzero(self._records_exactly)
        own = self._records_exactly[start]
        sums = np.zeros(size, dtype=np.int64)
        # Pairs (value, ancestor) as one number each, a level at a time, every pair once.
        pairs = np.arange(len(start)) * size + start
        seen = pairs
        while len(pairs):
            value, concept = np.divmod(pairs, size)
            np.add.at(sums, concept, own[value])
            up = np.repeat(value, parents.sizes()[concept]) * size + parents.of_all(concept)
            pairs = np.setdiff1d(up, seen)
            seen = np.union1d(seen, pairs)
        return sums

    # ------------------------------------------------------------------ distances

    @cached_property
    def domain(self) -> Taxonomy:
        """What distances are counted in."""
        tax, wanted = self.taxonomy, self.column.domain
        concepts = set(self.terms.concepts.values())
        if wanted == "taxonomy" or (wanted == "lcs" and not concepts):
            return tax
        return tax.domain(concepts) if wanted == "lcs" else tax.domain(root=wanted)

    def apart(self, first: str, second: str) -> ValueDistance:
        """Explain the distance between two values of the column, or two concepts by name."""
        a, b = self._find_concept(first), self._find_concept(second)
        domain = self.domain
        for value, concept in ((first, a), (second, b)):
            if concept not in domain:
                raise UnknownValueError(
                    f"{value!r} is not below the domain {domain.label(domain.root)!r}",
                    "set domain to a concept above all values, to lcs or to taxonomy",
                )
        measure = "sanchez" if isinstance(self.column, NominalSet) else self.column.distance_measure
        explanation = domain.explain(a, b, measure)
        return ValueDistance(
            self._name_concept(a),
            self._name_concept(b),
            explanation.distance,
            explanation.measure,
            self._name_concept(domain.root),
            self._name_concept(explanation.lcs),
            tuple(map(self._name_concept, explanation.common)),
            tuple(self._exclusive_ancestors(a, b)),
            tuple(self._exclusive_ancestors(b, a)),
            (*explanation.shared, *explanation.formula),
        )

    def _find_concept(self, value: str) -> Concept:
        mapped = self.terms.concepts.get(value)
        if mapped is not None:
            return mapped
        matches = {match.value: match for match in self.terms.matches}
        match: Match | None = matches.get(value)
        if match is not None:
            raise UnknownValueError(
                f"{value!r} is not mapped to a concept", "map the value to a concept first"
            )
        concept = map_terms({value: 1}, self.column.taxonomy).concepts.get(value)
        if concept is not None:  # a concept may be compared that no record holds
            return concept
        near = closest_names(value, matches)
        raise UnknownValueError(
            f"{value!r} is neither a value of the column nor the name of a concept",
            f"did you mean {quote_names(near)}?" if near else "choose a value of the column",
        )

    def _exclusive_ancestors(self, concept: Concept, other: Concept) -> Iterator[NamedConcept]:
        """The ancestors of a concept that another does not have, the most specific first."""
        domain = self.domain
        exclusive = domain.ancestors(concept) - domain.ancestors(other)
        for ancestor in sorted(exclusive, key=lambda c: (-domain.depth(c), c)):
            yield self._name_concept(ancestor)
