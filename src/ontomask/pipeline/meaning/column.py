"""What the values of a nominal column mean: the steward's own view, with nothing withheld.

Everything starts from the column's values with their counts, so that it costs the same for a
thousand records and for a billion. Nothing of it is fit to be published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import UnknownValueError, quoted
from ontomask.microdata.distinct_values import Distinct
from ontomask.microdata.schema import Nominal
from ontomask.microdata.value_coding import terms_of
from ontomask.taxonomy import Concept, Match, Taxonomy, TermMap, map_terms
from ontomask.taxonomy.names import nearest
from ontomask.taxonomy.tree import Drawn, drawn

__all__ = ["Apart", "ColumnMeaning", "Facts", "Found", "Lost", "Masses", "Named", "meaning_of"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Named:
    """A concept and what it is called."""

    concept: Concept
    label: str


@dataclass(frozen=True)
class Found:
    """A concept by one of its names: the way to it from the root, and the records at or below."""

    concept: Concept
    label: str
    name: str
    path: tuple[Named, ...]
    records: int


@dataclass(frozen=True)
class Lost:
    """A value without a concept of its own; ``ambiguous`` where several are called so.

    ``nearest`` are those, or the concepts whose names are most like it.
    """

    value: str
    records: int
    ambiguous: bool
    nearest: tuple[Found, ...]


@dataclass(frozen=True)
class Facts:
    """A concept: where it is, what is beside it, and the records it holds.

    ``at_or_below`` counts records of the concept and of all its kinds, each once, whatever way
    leads down to them. ``children`` are those with most records first.
    """

    concept: Concept
    label: str
    labels: tuple[str, ...]
    path: tuple[Named, ...]
    parents: tuple[Named, ...]
    children: tuple[Found, ...]
    kinds: int
    at_or_below: int
    exactly: int
    values: tuple[tuple[str, int], ...]


#: The place of the parent (-1 for the root), the concept, its label, the records in the branch
#: and those of the concept itself.
Node = tuple[int, Concept, str, int, int]


@dataclass(frozen=True)
class Masses:
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
class Apart:
    """How far apart two values are, and why.

    ``shared`` are what both are, the most specific first; ``first_only`` and ``second_only`` what
    one of them is, itself included. ``domain`` is what distances are counted in.
    """

    first: Named
    second: Named
    distance: float
    measure: str
    domain: Named
    lcs: Named
    shared: tuple[Named, ...]
    first_only: tuple[Named, ...]
    second_only: tuple[Named, ...]
    words: tuple[str, ...]


def meaning_of(
    column: Nominal, counts: Mapping[str, int], marks: Sequence[str] = ()
) -> ColumnMeaning:
    """What the values of a column mean, given how many records hold each.

    ``marks`` are values that count as missing.

    >>> from ontomask import datasets
    >>> found = meaning_of(
    ...     Nominal("diagnosis", datasets.diagnoses()), {"Flu": 3, "sprain": 1, "hepatits": 1}
    ... )
    >>> found.coverage, [(it.value, it.nearest[0].concept) for it in found.lost(5)]
    (0.8, [('hepatits', 'hepatitis')])
    """
    held = {value: count for value, count in counts.items() if value not in set(marks)}
    missing = sum(counts.values()) - sum(held.values())
    found = Distinct(
        list(held),
        np.arange(len(held), dtype=np.int64),
        np.fromiter(held.values(), dtype=np.int64, count=len(held)),
    )
    return ColumnMeaning(column, terms_of(column, found), missing)


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

    def ways(self) -> list[tuple[str, int, int]]:
        """How values found their concepts: the kind of name, values and records."""
        values: dict[str, int] = {}
        for match in self.terms.matches:
            values[match.how] = values.get(match.how, 0) + 1
        return [(how, values[how], records) for how, records in self.terms.how.items()]

    def lost(self, most: int = 50, near: int = 4) -> list[Lost]:
        """The most frequent values without a concept, with the concepts they may mean."""
        wanted = self.terms.lost[:most]
        some = TermMap(self.taxonomy, tuple(wanted))
        hits = some.suggestions(most, near) if wanted else {}
        return [
            Lost(
                match.value,
                match.count,
                bool(match.concepts),
                tuple(self._found(it.concept, it.name) for it in hits.get(match.value, ())[:near]),
            )
            for match in wanted
        ]

    # ------------------------------------------------------------------ concepts

    def search(self, text: str, most: int = 12) -> list[Found]:
        """Concepts by (part of) a name."""
        return [self._found(hit.concept, hit.name) for hit in self.taxonomy.search(text, most)]

    def facts(self, concept: Concept, children: int = 200, values: int = 20) -> Facts:
        """What is known of a concept; so many of its children and of the values that mean it."""
        tax = self.taxonomy
        code = tax.code(concept)
        its = tax.identifiers[code]
        below = tax.child_links.of(code)
        order = sorted(below, key=lambda it: (-self._below[it], tax.identifiers[it]))
        meant = [(m.value, m.count) for m in self.terms.matches if m.concept == its]
        return Facts(
            its,
            tax.label(its),
            tax.labels(its),
            self.path(its),
            tuple(self._named(it) for it in tax.parents(its)),
            tuple(self._found(tax.identifiers[it]) for it in order[:children]),
            len(below),
            int(self._below[code]),
            int(self._exactly[code]),
            tuple(meant[:values]),
        )

    def path(self, concept: Concept) -> tuple[Named, ...]:
        """The way from the root down to a concept's parent, as the taxonomy is drawn."""
        tree = self._tree
        place = int(tree.place[self.taxonomy.code(concept)])
        above: list[Named] = []
        while place:
            place = int(tree.parent[place])
            above.append(self._named(self.taxonomy.identifiers[tree.codes[place]]))
        return tuple(reversed(above))

    def _named(self, concept: Concept) -> Named:
        return Named(concept, self.taxonomy.label(concept))

    def _found(self, concept: Concept, name: str = "") -> Found:
        label = self.taxonomy.label(concept)
        records = int(self._below[self.taxonomy.code(concept)])
        return Found(concept, label, name or label, self.path(concept), records)

    # ------------------------------------------------------------------ masses

    def masses(self, most: int = 3000) -> Masses:
        """The part of the taxonomy that holds records; beyond ``most`` the smallest are folded."""
        tree = self._tree
        own = self._exactly[tree.codes]
        inside = tree.summed(own)
        held = np.flatnonzero(inside)
        if not len(held):
            return Masses((), 0, 0, 0)
        # A branch is no larger than the one above it, which comes first: none hangs in the air.
        here = np.sort(held[np.lexsort((held, -inside[held]))][: max(most, 1)])
        number = np.full(len(tree.codes), -1, dtype=np.int64)
        number[here] = np.arange(len(here))
        above = np.where(here == 0, -1, number[tree.parent[here]])
        top = int(np.flatnonzero(inside[here] == inside[0])[-1])
        codes = tree.codes[here].tolist()
        names, labels = self.taxonomy.identifiers, self.taxonomy.label_lists
        columns = (above.tolist(), inside[here].tolist(), own[here].tolist())
        return Masses(
            tuple(
                (parent, names[code], labels[code][0] if labels[code] else names[code], all_, its)
                for code, parent, all_, its in zip(codes, *columns, strict=True)
            ),
            top,
            int(inside[0]),
            len(held) - len(here),
        )

    @cached_property
    def _tree(self) -> Drawn:
        return drawn(self.taxonomy)

    @cached_property
    def _exactly(self) -> Longs:
        """Records of each concept, by number."""
        counts = np.zeros(len(self.taxonomy), dtype=np.int64)
        for match in self.terms.matches:
            if match.concept is not None:
                counts[self.taxonomy.code(match.concept)] += match.count
        return counts

    @cached_property
    def _below(self) -> Longs:
        """Records at or below each concept, by number; each record counts once."""
        parents, size = self.taxonomy.parent_links, len(self.taxonomy)
        start = np.flatnonzero(self._exactly)
        own = self._exactly[start]
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

    def apart(self, first: str, second: str) -> Apart:
        """The distance between two values of the column, or concepts by name, explained."""
        a, b = self._meant(first), self._meant(second)
        domain = self.domain
        for value, concept in ((first, a), (second, b)):
            if concept not in domain:
                raise UnknownValueError(
                    f"{value!r} is not below {domain.label(domain.root)!r}, the domain",
                    "name a concept above all values as domain, or lcs, or taxonomy",
                )
        found = domain.explain(a, b, self.column.measure)
        return Apart(
            self._named(a),
            self._named(b),
            found.distance,
            found.measure,
            self._named(domain.root),
            self._named(found.lcs),
            tuple(map(self._named, found.common)),
            tuple(self._only(a, b)),
            tuple(self._only(b, a)),
            tuple(line.strip() for line in found.text.split("\n")[1:]),
        )

    def _meant(self, value: str) -> Concept:
        known = self.terms.concepts.get(value)
        if known is not None:
            return known
        matches = {match.value: match for match in self.terms.matches}
        match: Match | None = matches.get(value)
        if match is not None:
            raise UnknownValueError(
                f"{value!r} has no concept of its own", "say first what it means"
            )
        named = map_terms({value: 1}, self.column.taxonomy).concepts.get(value)
        if named is not None:  # a concept may be compared that no record holds
            return named
        near = nearest(value, matches)
        raise UnknownValueError(
            f"no record holds {value!r}, and no concept is called so",
            f"did you mean {quoted(near)}?" if near else "choose a value of the column",
        )

    def _only(self, concept: Concept, other: Concept) -> Iterator[Named]:
        """What a concept is and the other is not, the most specific first."""
        domain = self.domain
        alone = domain.ancestors(concept) - domain.ancestors(other)
        for it in sorted(alone, key=lambda c: (-domain.depth(c), c)):
            yield self._named(it)
