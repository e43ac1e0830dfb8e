"""Terms to concepts: which concept each value of a column stands for, and how that was found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from ontomask.errors import (
    Hint,
    ParameterError,
    Placeholder,
    Setting,
    UnknownConceptError,
    UnknownValueError,
    format_count,
    format_percent,
    quote_names,
)
from ontomask.taxonomy.names import Hit, NameMatch, fold_name, stemmer_for
from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.value_counts import count_values, to_list

__all__ = ["Match", "MatchKind", "TermMap", "map_terms", "resolve_corrections"]

#: Words that end the first part of an English noun phrase: "visit | to the park".
_AFTER_THE_HEAD = re.compile(r"\b(?:of|to|in|on|at|for|with|without|from|by|due|and|or)\b")

#: How alike two spellings are, of 100, for one to be listed and for it to be proposed as meant.
LISTED_SIMILARITY, PROPOSED_SIMILARITY = 60, 80

#: What people write where a value is missing, folded.
_MISSING_WORDS = frozenset({"", "na", "n a", "nan", "null", "none", "missing", "unknown"})


#: Which kind of name a value is, or how it came to one.
MatchKind = Literal[
    "correction",
    "code",
    "alias",
    "label",
    "synonym",
    "stem",
    "repaired code",
    "head noun",
    "unmapped",
]


@dataclass(frozen=True)
class Match:
    """The result of mapping one distinct value of a column.

    Attributes:
        value: The value as it stands in the column.
        count: Number of records with this value.
        concepts: One concept if the value was mapped, several if it is ambiguous, none if no
            concept has this name.
        reading: Which kind of name matched and how closely, in words.
        kind: The kind of name alone, such as a code or a synonym.
        by_code: True if the value is a code, an alias or a repaired code, False if
            it is a name.
    """

    value: str
    count: int
    concepts: tuple[Concept, ...]
    reading: str
    kind: MatchKind
    by_code: bool = False

    @property
    def how(self) -> str:
        """The reading in words, with a note if the value is ambiguous."""
        return f"ambiguous {self.reading}" if len(self.concepts) > 1 else self.reading

    @property
    def concept(self) -> Concept | None:
        """The concept if there is exactly one, otherwise None."""
        return self.concepts[0] if len(self.concepts) == 1 else None


@dataclass(frozen=True, repr=False)
class TermMap:
    """The distinct values of a column, mapped to concepts.

    A value that fits several concepts is ``ambiguous``. A value that fits none is ``unmapped``. No
    concept is guessed for either of them.

    Attributes:
        taxonomy: The taxonomy of the concepts.
        matches: The result for every distinct value, the most frequent value first.
        missing: Number of records without a value.
    """

    taxonomy: Taxonomy
    matches: tuple[Match, ...]
    missing: int = 0

    @property
    def concepts(self) -> dict[str, Concept]:
        """The concept of every value that was mapped."""
        return {m.value: m.concept for m in self.matches if m.concept is not None}

    @property
    def unmapped(self) -> dict[str, int]:
        """Values that no concept is called by, with their counts, the most frequent first."""
        return {m.value: m.count for m in self.matches if not m.concepts}

    @property
    def ambiguous(self) -> dict[str, tuple[Concept, ...]]:
        """Values that are names of several concepts, with these concepts."""
        return {m.value: m.concepts for m in self.matches if len(m.concepts) > 1}

    @property
    def coverage(self) -> float:
        """Share of records whose value was mapped, from 0 to 1; missing values are left out."""
        total = sum(m.count for m in self.matches)
        mapped = sum(m.count for m in self.matches if m.concept is not None)
        return mapped / total if total else 1.0

    @property
    def how(self) -> dict[str, int]:
        """Number of records by how their value was matched."""
        ways: Counter[str] = Counter()
        for match in self.matches:
            ways[match.how] += match.count
        return dict(ways.most_common())

    def apply(self, values: Iterable[object]) -> list[Concept | None]:
        """Replace the values of a column by concepts.

        Returns:
            One concept per record; None for a missing or unmapped value.

        >>> from ontomask import datasets
        >>> column = ["Flu", None, "SPRAIN"]
        >>> map_terms(column, datasets.diagnoses()).apply(column)
        ['influenza', None, 'sprain']
        """
        concept_of = self.concepts
        return [
            concept_of.get(value if type(value) is str else str(value)) for value in to_list(values)
        ]

    def require_all(self, column: str = "", argument: str = "corrections") -> TermMap:
        """Return the same map, or raise an error that lists the values without a concept.

        ``argument`` is the caller's name for ``corrections``, used in the message.
        """
        unresolved = self.lost
        if not unresolved:
            return self
        where = f" of column {column!r}" if column else ""
        name = f" {self.taxonomy.name!r}" if self.taxonomy.name else ""
        examples = ", ".join(
            f"{m.value!r} ({format_count(m.count, 'row')})" for m in unresolved[:5]
        )
        more = f" and {len(unresolved) - 5:,} more" if len(unresolved) > 5 else ""
        raise UnknownValueError(
            f"{format_count(len(unresolved), 'value')}{where} cannot be mapped to exactly one "
            f"concept of taxonomy{name}:\n"
            f"  {examples}{more}",
            self.advice(argument),
        )

    @property
    def lost(self) -> list[Match]:
        """All values that are unmapped or ambiguous, the most frequent first."""
        return [m for m in self.matches if m.concept is None]

    def hint(self) -> str:
        """What to do about the values without a concept, in a sentence."""
        return self.advice().python

    def advice(self, argument: str = "corrections") -> Hint:
        """The hint with the settings that it proposes.

        ``argument`` is the caller's name for ``corrections``.
        """
        unresolved, style = self.lost, self.taxonomy.about.code_style
        if style and any(
            reading in self.taxonomy
            for match in unresolved[:50]
            if not match.concepts
            for _, reading in style.readings(match.value)
        ):
            return Hint(
                "some values look like codes without their zeros or their point; try ",
                Setting("repair_codes", True),
                ", and map the others with ",
                Setting(argument, Placeholder("{value: concept}")),
            )
        marks = [m.value for m in unresolved[:50] if fold_name(m.value) in _MISSING_WORDS]
        if marks:
            return Hint(
                f"{marks[0]!r} looks like a missing value; use ",
                Setting("missing_marks", marks),
            )
        corrections: dict[str, Concept] = {}
        for match in unresolved[:3]:
            if match.concepts:
                return Hint(
                    f"{match.value!r} is a name of {self._describe(match.concepts)}; choose one "
                    "with ",
                    Setting(argument, {match.value: Placeholder("...")}),
                    ", or prefer a part of the taxonomy with ",
                    Setting("prefer", Placeholder("...")),
                )
            if hits := self._closest_hits([match.value], 1, PROPOSED_SIMILARITY)[match.value]:
                corrections[match.value] = hits[0].concept
        if corrections:
            return Hint(
                "did you mean ", Setting(argument, corrections), f"?{self._name(corrections)}"
            )
        return Hint("map them with ", Setting(argument, Placeholder("{value: concept}")))

    def _describe(self, concepts: Sequence[Concept]) -> str:
        """A few concepts with their labels: ``'I10' (Hypertension), 'I15' and 3 more``."""
        label = self.taxonomy.label
        described = [repr(c) if label(c) == c else f"{c!r} ({label(c)})" for c in concepts[:5]]
        more = f" and {len(concepts) - 5:,} more" if len(concepts) > 5 else ""
        return ", ".join(described) + more

    def _name(self, corrections: Mapping[str, Concept]) -> str:
        """The labels of the concepts that are proposed, where they differ from the identifiers."""
        concepts = [c for c in dict.fromkeys(corrections.values()) if self.taxonomy.label(c) != c]
        return f" ({self._describe(concepts)})" if concepts else ""

    def nearest(self, value: str, most: int = 3) -> list[Hit]:
        """The concepts with the names that are spelt most like a value."""
        return next(iter(self._closest_hits([value], most).values()))

    def suggestions(self, values: int = 200, most: int = 3) -> dict[str, list[Hit]]:
        """Suggest concepts for the most frequent values without one.

        An ambiguous value gets its concepts. An unmapped value gets the concepts of its head noun,
        if it is a phrase, and the concepts whose names are spelt most like it.
        """
        unmapped = [m for m in self.lost if not m.concepts][:values]
        near = self._closest_hits([m.value for m in unmapped], most)
        suggested: dict[str, list[Hit]] = {}
        for match in self.lost:
            if match.concepts:
                label = self.taxonomy.label
                suggested[match.value] = [Hit(c, label(c)) for c in match.concepts]
            elif match.value in near:
                hits = [*self._hits_by_head_noun(match.value), *near[match.value]]
                suggested[match.value] = list({hit.concept: hit for hit in hits}.values())[:most]
        return suggested

    def describe_hit(self, hit: Hit) -> str:
        """A suggestion in words: the code, the name and its parent."""
        above = self.taxonomy.parents(hit.concept)
        label = self.taxonomy.label(hit.concept) if hit.name == hit.concept else hit.name
        name = [] if label == hit.concept else [label]
        words = [*name, *(f"< {self.taxonomy.label(parent)}" for parent in above[:1])]
        return f"{hit.concept} ({' '.join(words)})" if words else hit.concept

    def _hits_by_head_noun(self, value: str) -> list[Hit]:
        """The concepts named by the longest known end of a phrase."""
        for head in _head_phrases(value):
            if named := self.taxonomy.names.find(head):
                concepts = sorted(self.taxonomy.identifiers[code] for code in named.codes)
                return [Hit(concept, head) for concept in concepts]
        return []

    def _closest_hits(
        self, values: list[str], most: int, least: int = LISTED_SIMILARITY
    ) -> dict[str, list[Hit]]:
        from rapidfuzz import fuzz, process  # only where a suggestion is needed

        spellings, identifiers = self.taxonomy.names.spellings, self.taxonomy.identifiers
        names = list(spellings)
        hits_by_value: dict[str, list[Hit]] = {}
        for first in range(0, len(values), 20):  # a few at a time: the table is values by names
            batch = values[first : first + 20]
            plain = [fold_name(value) for value in batch]
            scores = process.cdist(
                plain, names, scorer=fuzz.ratio, score_cutoff=least, dtype=np.uint8, workers=-1
            )
            for value, row in zip(batch, scores, strict=True):
                best = np.argsort(-row.astype(np.int16), kind="stable")[: most * 4]
                hits: dict[Concept, Hit] = {}
                for place in best[row[best] > 0]:
                    name, codes = spellings[names[place]]
                    concept = min(identifiers[code] for code in codes)
                    hits.setdefault(concept, Hit(concept, name))
                hits_by_value[value] = list(hits.values())[:most]
        return hits_by_value

    def write_corrections(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the values without a concept to a table that you fill in and read back.

        The table has the columns ``value`` and ``concept``; the concept is empty. Further columns
        help you: the count, and concepts that may be meant. An existing file is kept unless
        ``force``.
        """
        from ontomask.taxonomy.corrections import write_corrections

        write_corrections(self, Path(path), force=force)

    def __repr__(self) -> str:
        parts = [
            format_count(len(self.matches), "distinct value"),
            f"{format_percent(self.coverage)} of records mapped",
        ]
        if self.unmapped:
            parts.append(f"{len(self.unmapped):,} unmapped")
        if self.ambiguous:
            parts.append(f"{len(self.ambiguous):,} ambiguous")
        if self.missing:
            parts.append(f"{format_count(self.missing, 'row')} missing")
        return f"TermMap({', '.join(parts)})"


@dataclass(frozen=True)
class _MatchRules:
    """How values are matched: what :func:`map_terms` was asked for."""

    taxonomy: Taxonomy
    corrections: Mapping[str, Concept]
    preferred: frozenset[int]
    repair_codes: bool
    language: str | None
    heads: bool


def map_terms(
    values: Iterable[object] | Mapping[object, int],
    taxonomy: Taxonomy,
    *,
    corrections: Mapping[str, Concept] | str | PathLike[str] | None = None,
    prefer: Concept | Collection[Concept] = (),
    repair_codes: bool = False,
    stems: str | None = "english",
    heads: bool = False,
    missing_marks: Collection[str] = (),
) -> TermMap:
    """Map every value of a column to a concept.

    A value is compared with your corrections first. Then it is compared with the identifiers of the
    concepts, their aliases, their preferred labels and their synonyms: letter by letter, then
    without case, spaces and punctuation, then by the stems of the words. The first kind of name
    that matches decides. If that name belongs to several concepts, the value is ambiguous.

    Args:
        values: A column (list, pandas, polars, pyarrow or numpy), or a dict of values and counts.
            Missing values are counted and left out.
        taxonomy: The taxonomy to search.
        corrections: Values and their concepts: a dict, or the path of a table with the columns
            value and concept.
        prefer: One or more concepts. If a name belongs to several concepts, those below the
            preferred ones are taken.
        repair_codes: Whether to read an unknown value as an ICD code that lost its leading zeros or
            its point. Only for the ICD taxonomies.
        stems: Language of the word stems, such as ``"english"``; None to compare no stems.
        heads: Whether to map an unknown English phrase by its head noun: "second residence" becomes
            a residence. This loses a part of the meaning.
        missing_marks: Values that stand for a missing value, such as ``["?"]``.

    Returns:
        The concepts of the values, and the values without one.

    >>> from ontomask import datasets
    >>> terms = map_terms(["Flu", "hepatitis-B", "sprains", "hepatits"], datasets.diagnoses())
    >>> terms
    TermMap(4 distinct values, 75.0 % of records mapped, 1 unmapped)
    >>> {match.value: (match.concept, match.how) for match in terms.matches}["sprains"]
    ('sprain', 'code, stemmed')
    >>> terms.nearest("hepatits", most=1)
    [Hit(concept='hepatitis', name='hepatitis')]
    """
    if repair_codes and taxonomy.about.code_style is None:
        raise ParameterError(
            f"repair_codes cannot be used with {taxonomy!r}: the format of its codes is unknown",
            "leave it out; it works with the ICD taxonomies that are loaded by name",
        )
    if stems is not None:
        stemmer_for(stems)  # an unknown language is an error even where no stem is needed
    rules = _MatchRules(
        taxonomy,
        resolve_corrections(corrections, taxonomy),
        _codes_below(prefer, taxonomy),
        repair_codes,
        stems,
        heads,
    )
    counts, missing = count_values(values)
    missing += sum(counts.pop(mark, 0) for mark in set(missing_marks))
    matches = [_match_value(value, count, rules) for value, count in counts.items()]
    matches.sort(key=lambda match: (-match.count, match.value))
    return TermMap(taxonomy, tuple(matches), missing)


def resolve_corrections(
    corrections: Mapping[str, Concept] | str | PathLike[str] | None,
    taxonomy: Taxonomy,
    argument: str = "corrections",
) -> dict[str, Concept]:
    """Read corrections and check that they lead to concepts; ``argument`` is their name."""
    if corrections is None:
        return {}
    if not isinstance(corrections, Mapping):
        from ontomask.taxonomy.corrections import read_corrections

        corrections = read_corrections(Path(corrections))
    wrong = [concept for concept in corrections.values() if concept not in taxonomy]
    if wrong:
        raise UnknownConceptError(
            f"{argument} must map values to concepts, got {quote_names(dict.fromkeys(wrong))}",
            "use identifiers of concepts; search() finds them by name",
        )
    return {v: taxonomy.identifiers[taxonomy.code(c)] for v, c in corrections.items()}


def _codes_below(prefer: Concept | Collection[Concept], taxonomy: Taxonomy) -> frozenset[int]:
    roots = [prefer] if isinstance(prefer, str) else list(prefer)
    return frozenset(
        taxonomy.code(concept) for root in roots for concept in taxonomy.descendants(root)
    )


def _match_value(value: str, count: int, rules: _MatchRules) -> Match:
    if value in rules.corrections:
        return Match(value, count, (rules.corrections[value],), "correction", "correction")
    for meaning in _possible_meanings(value, rules):
        concepts = tuple(sorted(rules.taxonomy.identifiers[code] for code in meaning.codes))
        return Match(value, count, concepts, meaning.how, meaning.kind, meaning.by_code)
    return Match(value, count, (), "unmapped", "unmapped")


class _Meaning(NamedTuple):
    """Concepts, by code number, that a value may stand for, with what a :class:`Match` says."""

    codes: tuple[int, ...]
    how: str
    kind: MatchKind
    by_code: bool = False


def _possible_meanings(value: str, rules: _MatchRules) -> Iterator[_Meaning]:
    """What a value may mean, the best reading first."""
    yield from _matches_by_name(value, rules)
    style = rules.taxonomy.about.code_style
    if rules.repair_codes and style:
        for mended, code in style.readings(value):
            if code in rules.taxonomy:
                yield _Meaning((rules.taxonomy.code(code),), mended, "repaired code", True)
    if rules.heads:
        for head in _head_phrases(value):
            for meaning in _matches_by_name(head, rules):
                yield _Meaning(meaning.codes, f"head noun {head!r}, {meaning.how}", "head noun")


def _matches_by_name(name: str, rules: _MatchRules) -> Iterator[_Meaning]:
    """The kinds of name that match; those with preferred concepts, cut down to these, first."""
    matches = rules.taxonomy.names.matches(name, rules.language)
    for match in matches if rules.preferred else ():
        if below := tuple(code for code in match.codes if code in rules.preferred):
            how = match.how if below == matches[0].codes else f"{match.how}, preferred"
            yield _meaning_by_name(match, below, how)
    for match in matches:
        yield _meaning_by_name(match, match.codes, match.how)


def _meaning_by_name(match: NameMatch, codes: tuple[int, ...], how: str) -> _Meaning:
    kind: MatchKind = "stem" if match.closeness == "stemmed" else match.kind
    return _Meaning(codes, how, kind, by_code=match.kind in ("code", "alias"))


def _head_phrases(value: str) -> Iterator[str]:
    """Ever shorter ends of the first noun phrase: "second holiday home", "holiday home", "home"."""
    words = fold_name(_AFTER_THE_HEAD.split(value.lower(), maxsplit=1)[0]).split()
    phrase = fold_name(value).split()
    for first in range(len(words)):
        if words[first:] != phrase:
            yield " ".join(words[first:])
