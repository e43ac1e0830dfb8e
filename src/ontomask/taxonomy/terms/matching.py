"""Map the values of a column to concepts, step by step, from the closest name to the loosest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import NamedTuple

from ontomask.errors import ParameterError
from ontomask.taxonomy.names import NameMatch
from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.terms.corrections import resolve_corrections
from ontomask.taxonomy.terms.phrases import (
    Heads,
    check_heads,
    find_any_order,
    head_phrases,
    leading_phrases,
    remove_parentheses,
    split_cell,
)
from ontomask.taxonomy.terms.senses import Senses, check_senses, choose_nearest, order_senses
from ontomask.taxonomy.terms.term_map import Match, MatchKind, TermMap
from ontomask.taxonomy.value_counts import count_values
from ontomask.taxonomy.word_forms import SNOWBALL_LANGUAGES, stem_words

__all__ = ["MATCHING_SETTINGS", "map_terms"]

#: The settings of :func:`map_terms` that columns and release files have, too.
MATCHING_SETTINGS = (
    *("prefer", "below", "senses", "repair_codes", "stems", "heads", "split"),
    "drop_parentheses",
)


class _Meaning(NamedTuple):
    """Concepts, by code number, that a value may stand for, with what a :class:`Match` says."""

    codes: tuple[int, ...]
    how: str
    kind: MatchKind
    by_code: bool = False
    #: All concepts that the name belongs to.
    candidates: tuple[int, ...] = ()


def map_terms(
    values: Iterable[object] | Mapping[object, int],
    taxonomy: Taxonomy,
    *,
    corrections: Mapping[str, Concept] | str | PathLike[str] | None = None,
    prefer: Concept | Collection[Concept] = (),
    below: Concept | Collection[Concept] = (),
    senses: Senses | None = None,
    repair_codes: bool = False,
    stems: str | None = "plural",
    heads: bool | Heads | Collection[Heads] = False,
    split: str | Collection[str] = (),
    drop_parentheses: bool = False,
    missing_marks: Collection[str] = (),
) -> TermMap:
    """Map every value of a column to a concept.

    A value is compared with your corrections first. Then it is compared with the identifiers of the
    concepts, their aliases, their preferred labels and their synonyms: letter by letter in any
    case, then without accents, spaces and punctuation, then with plurals folded. The closest form
    that matches decides. If several concepts have that name, the value is ambiguous, whether it is
    their label or a synonym.

    Args:
        values: A column (list, pandas, polars, pyarrow or numpy), or a dict of values and counts.
            Missing values are counted and left out.
        taxonomy: The taxonomy to search.
        corrections: Values and their concepts: a dict, or the path of a table with the columns
            value and concept, or of a Usagi file.
        prefer: One or more concepts. If a value matches concepts below these in any form, they are
            taken, even if another concept is closer.
        below: One or more concepts. Only these and what is below them is matched.
        senses: What to do with a name of several concepts: None leaves it ambiguous; ``"first"``
            takes the most frequent sense of a word, by the order of WordNet; ``"nearest"`` takes
            the sense nearest to the values of the column that have one meaning.
        repair_codes: Whether to read an unknown value as an ICD code that lost its leading zeros or
            its point. Only for the ICD taxonomies.
        stems: ``"plural"`` folds plurals in the language of the taxonomy. The name of a language,
            such as ``"english"``, compares its Snowball stems besides; ``"auto"`` those of the
            taxonomy's language. None compares neither.
        heads: Whether to map an unknown phrase by a part of it, which loses a part of the meaning:
            ``"last"`` (or True) by its head noun, in English only: "second residence" becomes a
            residence; ``"first"`` by its leading words; ``"any-order"`` by its words in another
            order. Several are tried in this order.
        split: Characters between several values in a cell, such as ``[";", "/"]``. A cell without a
            concept is split, and has the concept of its parts.
        drop_parentheses: Whether to look up an unknown value without its parentheses.
        missing_marks: Values that stand for a missing value, such as ``["?"]``.

    Returns:
        The concepts of the values, and the values without one.

    >>> from ontomask import datasets
    >>> terms = map_terms(["Flu", "hepatitis-B", "sprains", "hepatits"], datasets.diagnoses())
    >>> terms
    TermMap(4 distinct values, 75.0 % of records mapped, 1 unmapped)
    >>> {match.value: (match.concept, match.how) for match in terms.matches}["sprains"]
    ('sprain', 'code, plural')
    >>> terms.nearest("hepatits", most=1)[0].concept
    'hepatitis'
    """
    if repair_codes and taxonomy.about.code_style is None:
        raise ParameterError(
            f"repair_codes cannot be used with {taxonomy!r}: the format of its codes is unknown",
            "leave it out; it works with the ICD taxonomies that are loaded by name",
        )
    check_senses(senses, taxonomy)
    counts, missing = count_values(values)
    missing += sum(counts.pop(mark, 0) for mark in set(missing_marks))
    matcher = _Matcher(
        taxonomy,
        resolve_corrections(corrections, taxonomy),
        _codes_below(prefer, taxonomy, "prefer"),
        _codes_below(below, taxonomy, "below"),
        senses,
        repair_codes,
        _choose_stems(stems, taxonomy),
        check_heads(heads, taxonomy),
        (split,) if isinstance(split, str) else tuple(split),
        drop_parentheses,
    )
    matches = [matcher.match(value, count) for value, count in counts.items()]
    if senses == "nearest":
        matches = choose_nearest(matches, taxonomy)
    matches.sort(key=lambda match: (-match.count, match.value))
    return TermMap(taxonomy, tuple(matches), missing, matcher.below or None)


def _choose_stems(stems: str | None, taxonomy: Taxonomy) -> str | None:
    """Check the language of stems; that of the taxonomy for "auto"."""
    if stems == "auto":
        languages = [code for code in taxonomy.languages if code in SNOWBALL_LANGUAGES]
        if not languages:
            raise ParameterError(
                f"stems='auto' cannot be used with {taxonomy!r}: its language is unknown",
                "name the language, such as stems='english'",
            )
        stems = SNOWBALL_LANGUAGES[languages[0]]
    if stems not in (None, "plural"):
        stem_words(stems)  # an unknown language is an error even where no stem is needed
    return stems


def _codes_below(
    roots: Concept | Collection[Concept], taxonomy: Taxonomy, argument: str
) -> frozenset[int]:
    """The numbers of some concepts and of all that is below them."""
    if not isinstance(roots, str | Collection):
        raise ParameterError(f"{argument} must be a concept or a list of concepts, got {roots!r}")
    return frozenset(
        taxonomy.code(concept)
        for root in ([roots] if isinstance(roots, str) else roots)
        for concept in taxonomy.descendants(root)
    )


@dataclass(frozen=True)
class _Matcher:
    """How values are matched: what :func:`map_terms` was asked for."""

    taxonomy: Taxonomy
    corrections: Mapping[str, Concept]
    preferred: frozenset[int]
    below: frozenset[int]
    senses: Senses | None
    repair_codes: bool
    stems: str | None
    heads: tuple[Heads, ...]
    separators: tuple[str, ...]
    drop_parentheses: bool

    def match(self, value: str, count: int) -> Match:
        """The result for a value."""
        if value in self.corrections:
            concept = (self.corrections[value],)
            return Match(value, count, concept, "correction", "correction", False, concept)
        meaning = next(self._possible_meanings(value), None)
        if meaning is None:
            return Match(value, count, (), "unmapped", "unmapped")
        concepts, candidates = (
            tuple(self.taxonomy.identifiers[code] for code in codes)
            for codes in (meaning.codes, meaning.candidates or meaning.codes)
        )
        return Match(value, count, concepts, meaning.how, meaning.kind, meaning.by_code, candidates)

    def _possible_meanings(self, value: str) -> Iterator[_Meaning]:
        """What a value may mean, the best reading first."""
        yield from self._meanings_of_whole(value)
        if self.drop_parentheses and (shorter := remove_parentheses(value)) not in ("", value):
            for meaning in self._meanings_of_whole(shorter):
                yield meaning._replace(
                    how=f"without parentheses, {meaning.how}", kind="without parentheses"
                )
        if self.separators:
            yield from self._meanings_of_parts(value)
        for way in self.heads:
            yield from self._meanings_by_phrase(value, way)

    def _meanings_of_whole(self, value: str) -> Iterator[_Meaning]:
        """By name, or by a repaired code."""
        yield from self._meanings_by_name(value)
        style = self.taxonomy.about.code_style
        if self.repair_codes and style:
            for mended, code in style.readings(value):
                if code in self.taxonomy:
                    codes = self._restrict((self.taxonomy.code(code),))
                    if codes:
                        yield _Meaning(codes, mended, "repaired code", True)

    def _meanings_of_parts(self, value: str) -> Iterator[_Meaning]:
        """The concepts of the parts of a cell, together; parts without one are left out."""
        parts = split_cell(value, self.separators, lambda part: next(self._parts(part), None))
        if parts in ([], [value.strip()]):
            return
        known = [(part, meaning) for part in parts if (meaning := next(self._parts(part), None))]
        if not known:
            return
        codes = tuple(dict.fromkeys(code for _, meaning in known for code in meaning.codes))
        listed = ", ".join(repr(part) for part, _ in known)
        one = len(known) == 1
        how = f"part {listed}, {known[0][1].how}" if one else f"parts {listed}"
        yield _Meaning(codes, how, "part", all(meaning.by_code for _, meaning in known))

    def _parts(self, part: str) -> Iterator[_Meaning]:
        if part in self.corrections:
            code = self.taxonomy.code(self.corrections[part])
            yield _Meaning((code,), "correction", "correction")
        yield from replace(self, separators=(), heads=())._possible_meanings(part)

    def _meanings_by_phrase(self, value: str, way: Heads) -> Iterator[_Meaning]:
        if way == "any-order":
            if codes := self._restrict(find_any_order(value, self.taxonomy)):
                yield _Meaning(codes, "any order", "any order")
            return
        is_last = way == "last"
        for phrase in head_phrases(value) if is_last else leading_phrases(value):
            for meaning in self._meanings_by_name(phrase):
                if not (meaning.by_code and self._is_bare_code(meaning.codes[0])):
                    step: MatchKind = "head noun" if is_last else "leading words"
                    yield meaning._replace(
                        how=f"{step} {phrase!r}, {meaning.how}", kind=step, by_code=False
                    )

    def _is_bare_code(self, code: int) -> bool:
        """Whether the identifier of a concept is no word, and the concept has other names."""
        is_word = any(letter.islower() for letter in self.taxonomy.identifiers[code])
        return not is_word and bool(self.taxonomy.label_lists[code])

    def _restrict(self, codes: tuple[int, ...]) -> tuple[int, ...]:
        """The concepts that are below those that were asked for."""
        return tuple(code for code in codes if code in self.below) if self.below else codes

    def _meanings_by_name(self, name: str) -> Iterator[_Meaning]:
        """The concepts with a name, the closest first; preferred ones before all others."""
        matches = self.taxonomy.names.matches(name, self.stems)
        if self.preferred:
            matches_to_list = list(matches)
            yield from self._preferred_meanings(name, matches_to_list)
            matches = iter(matches_to_list)
        for match in matches:
            if codes := self._restrict(match.codes):
                yield self._meaning_by_name(name, match, codes, match.how, codes)

    def _preferred_meanings(self, name: str, matches: list[NameMatch]) -> Iterator[_Meaning]:
        """Of each form of the name, the concepts that are preferred."""
        for match in matches:
            codes = self._restrict(match.codes)
            if preferred := tuple(code for code in codes if code in self.preferred):
                same = preferred == self._restrict(matches[0].codes)
                how = match.how if same else f"{match.how}, preferred"
                yield self._meaning_by_name(name, match, preferred, how, codes)

    def _meaning_by_name(
        self,
        name: str,
        match: NameMatch,
        codes: tuple[int, ...],
        how: str,
        candidates: tuple[int, ...],
    ) -> _Meaning:
        kinds: dict[str, MatchKind] = {"stemmed": "stem", "plural": "plural"}
        kind = kinds.get(match.closeness, match.kind)
        by_code = match.kind in ("code", "alias")
        if len(candidates) > 1:
            candidates, _ = order_senses(name, match.form, candidates, self.taxonomy)
            codes, firsts = order_senses(name, match.form, codes, self.taxonomy)
            if self.senses == "first" and firsts == 1 < len(codes):
                how, codes = f"{how}, first of {len(codes)} senses", codes[:1]
        return _Meaning(codes, how, kind, by_code, candidates)
