"""Terms to concepts: which concept each value of a column stands for, and how that was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ontomask.columns import counted
from ontomask.errors import ParameterError, UnknownConceptError, UnknownValueError, quoted
from ontomask.taxonomy.names import nearest
from ontomask.taxonomy.taxonomy import Concept, Taxonomy

__all__ = ["Match", "TermMap", "map_terms"]


@dataclass(frozen=True)
class Match:
    """What became of one distinct value.

    ``concepts`` has one concept where the value was mapped, several where it is ambiguous, none
    where nothing of that name was found. ``how`` says which kind of name matched.
    """

    value: str
    count: int
    concepts: tuple[Concept, ...]
    how: str

    @property
    def concept(self) -> Concept | None:
        """The concept, where there is exactly one."""
        return self.concepts[0] if len(self.concepts) == 1 else None


@dataclass(frozen=True, repr=False)
class TermMap:
    """The values of a column and the concepts they reached.

    Nothing is guessed: a value that could be several concepts is ``ambiguous``, one that is
    nowhere found is ``unmapped``, each with its count.
    """

    taxonomy: Taxonomy
    matches: tuple[Match, ...]
    missing: int = 0

    @property
    def concepts(self) -> dict[str, Concept]:
        """The concept of every value that has one."""
        return {m.value: m.concept for m in self.matches if m.concept is not None}

    @property
    def unmapped(self) -> dict[str, int]:
        """Values that no concept is called, with their counts, the most frequent first."""
        return {m.value: m.count for m in self.matches if not m.concepts}

    @property
    def ambiguous(self) -> dict[str, tuple[Concept, ...]]:
        """Values that several concepts are called, with those concepts."""
        return {m.value: m.concepts for m in self.matches if len(m.concepts) > 1}

    @property
    def coverage(self) -> float:
        """The share of records, missing ones aside, whose value reached a concept."""
        total = sum(m.count for m in self.matches)
        mapped = sum(m.count for m in self.matches if m.concept is not None)
        return mapped / total if total else 1.0

    @property
    def how(self) -> dict[str, int]:
        """Records by the way their value was matched."""
        ways: Counter[str] = Counter()
        for match in self.matches:
            ways[match.how] += match.count
        return dict(ways.most_common())

    def require_all(self, column: str = "") -> TermMap:
        """The same map, or an error that lists the values without a concept."""
        lost = [m for m in self.matches if m.concept is None]
        if not lost:
            return self
        where = f" of column {column!r}" if column else ""
        listed = ", ".join(f"{m.value!r} ({_rows(m.count)})" for m in lost[:5])
        more = f" and {len(lost) - 5:,} more" if len(lost) > 5 else ""
        count = f"{len(lost):,} value{'s' * (len(lost) > 1)}"
        name = f" {self.taxonomy.name!r}" if self.taxonomy.name else ""
        raise UnknownValueError(
            f"{count}{where} reach no single concept of taxonomy{name}:\n  {listed}{more}",
            self._hint(lost[0]),
        )

    def _hint(self, match: Match) -> str:
        if match.concepts:
            return (
                f"{match.value!r} may be {quoted(match.concepts)}; say which with "
                f"corrections={{{match.value!r}: {match.concepts[0]!r}}}"
            )
        style = self.taxonomy.about.code_style
        if style and any(r in self.taxonomy for _, r in style.readings(match.value)):
            return "these look like codes that lost zeros or the point; try repair_codes=True"
        near = self.nearest(match.value, most=1)
        if near:
            correction = f"corrections={{{match.value!r}: {near[0]!r}}}"
            return f"did you mean {near[0]!r}? Say so with {correction}"
        return "say what they mean with corrections={value: concept}"

    def nearest(self, value: str, most: int = 3) -> list[Concept]:
        """The concepts whose names are spelt most like a value."""
        known: dict[str, Concept] = {}
        for kind in ("label", "synonym", "identifier"):
            for name, codes in self.taxonomy.names.exact[kind].items():
                known.setdefault(name, self.taxonomy.identifiers[codes[0]])
        return list(dict.fromkeys(known[name] for name in nearest(value, known, most)))

    def __repr__(self) -> str:
        distinct = len(self.matches)
        parts = [f"{distinct:,} distinct value{'s' * (distinct != 1)}"]
        parts.append(f"{self.coverage:.1%} of records mapped")
        if self.unmapped:
            parts.append(f"{len(self.unmapped):,} unmapped")
        if self.ambiguous:
            parts.append(f"{len(self.ambiguous):,} ambiguous")
        if self.missing:
            parts.append(f"{_rows(self.missing)} missing")
        return f"TermMap({', '.join(parts)})"


def map_terms(
    values: Iterable[object],
    taxonomy: Taxonomy,
    *,
    corrections: Mapping[str, Concept] | None = None,
    repair_codes: bool = False,
) -> TermMap:
    """Find the concept of every value of a column.

    In this order: your ``corrections``; the identifier of a concept, its alias, its preferred
    label, a synonym, letter by letter; then the same four with case, spaces and punctuation
    folded. The first kind of name that matches decides; if it belongs to several concepts the
    value is ambiguous. With ``repair_codes``, for the ICD taxonomies, what is still not found is
    read as a code that lost its leading zeros or its point.

    ``values`` is any column (list, pandas, polars, pyarrow, numpy), or a dict of values and
    counts. Missing values are counted and left out.

    >>> from ontomask import datasets
    >>> found = map_terms(["Flu", "hepatitis-B", "hepatits"], datasets.diagnoses())
    >>> found
    TermMap(3 distinct values, 66.7% of records mapped, 1 unmapped)
    >>> found.concepts
    {'Flu': 'influenza', 'hepatitis-B': 'hepatitis B'}
    >>> found.nearest("hepatits", most=1)
    ['hepatitis']
    """
    if repair_codes and taxonomy.about.code_style is None:
        raise ParameterError(
            f"repair_codes needs to know how codes are written, and {taxonomy!r} does not say",
            "it works with the bundled ICD taxonomies; leave it out here",
        )
    known = _checked(corrections or {}, taxonomy)
    counts, missing = counted(values)
    matches = [
        _match(value, count, taxonomy, known, repair_codes) for value, count in counts.items()
    ]
    matches.sort(key=lambda match: (-match.count, match.value))
    return TermMap(taxonomy, tuple(matches), missing)


def _checked(corrections: Mapping[str, Concept], taxonomy: Taxonomy) -> dict[str, Concept]:
    wrong = [concept for concept in corrections.values() if concept not in taxonomy]
    if wrong:
        raise UnknownConceptError(
            f"corrections lead to {quoted(dict.fromkeys(wrong))}, which are no concepts",
            "correct to identifiers; search() finds them by name",
        )
    return {v: taxonomy.identifiers[taxonomy.code(c)] for v, c in corrections.items()}


def _match(
    value: str, count: int, taxonomy: Taxonomy, corrections: Mapping[str, Concept], repair: bool
) -> Match:
    if value in corrections:
        return Match(value, count, (corrections[value],), "correction")
    how, codes = taxonomy.names.find(value)
    if codes:
        how = how if len(codes) == 1 else f"ambiguous {how}"
        return Match(value, count, tuple(taxonomy.identifiers[c] for c in codes), how)
    if repair and taxonomy.about.code_style:
        for mended, code in taxonomy.about.code_style.readings(value):
            if code in taxonomy:
                return Match(value, count, (taxonomy.identifiers[taxonomy.code(code)],), mended)
    return Match(value, count, (), "unmapped")


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"
