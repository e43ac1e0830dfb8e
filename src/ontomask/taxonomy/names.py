"""Names of concepts: folding and stemming them, and finding concepts by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from ontomask.errors import ParameterError, quote_names

__all__ = [
    "CodesByName",
    "Hit",
    "NameIndex",
    "NameMatch",
    "closest_names",
    "fold_name",
    "fold_unicode",
    "make_stemmer",
]

_NOT_WORD = re.compile(r"[\W_]+")

#: The kinds of names that concepts have.
NameKind = Literal["code", "alias", "label", "synonym"]

#: The kinds whose spelling is compared; later ones are trusted more.
_SPELT_KINDS: tuple[NameKind, ...] = ("synonym", "code", "label")

#: Which concepts, by code number, have a name.
CodesByName = dict[str, tuple[int, ...]]


def fold_name(name: str) -> str:
    """Fold the case, spaces and punctuation of a name, which people type differently.

    >>> fold_name("  Coma, Diabetic "), fold_name("SPORT_SHOE"), fold_name("Straße")
    ('coma diabetic', 'sport shoe', 'strasse')
    """
    if name.isascii():
        return _NOT_WORD.sub(" ", name.lower()).strip()
    return _NOT_WORD.sub(" ", fold_unicode(name)).strip()


def fold_unicode(text: str) -> str:
    """Fold the case of a text and its Unicode forms, such as full width or combined accents.

    >>> fold_unicode("ＨＩＶ"), fold_unicode("Straße")
    ('hiv', 'strasse')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", plain)


def make_stemmer(language: str) -> Callable[[str], str]:
    """A function that reduces each word of a folded name to its stem (TM section 4).

    >>> stem = make_stemmer("english")
    >>> stem("sports"), stem("second residences"), stem("relaxation") == stem("relax")
    ('sport', 'second resid', True)
    """
    import Stemmer  # Snowball's own, in C

    languages = Stemmer.algorithms()
    if language not in languages:
        raise ParameterError(
            f"stems must be a supported language or None, got {language!r}",
            f"the languages are {quote_names(sorted(languages), most=len(languages))}",
        )
    stem_of = Stemmer.Stemmer(language).stemWord
    stems: dict[str, str] = {}  # most words occur in many names

    def stem_words(name: str) -> str:
        words = name.split(" ")
        for word in words:
            if word not in stems:
                stems[word] = stem_of(word)
        return " ".join([stems[word] for word in words])

    return stem_words


class Hit(NamedTuple):
    """A concept that a search found.

    Attributes:
        concept: Identifier of the concept.
        name: The name by which the concept was found.
    """

    concept: str
    name: str


class NameMatch(NamedTuple):
    """The concepts, by code number, that have a name: of which kind it is, and how close."""

    kind: NameKind
    closeness: str
    codes: tuple[int, ...]

    @property
    def how(self) -> str:
        """Kind and closeness in words: ``"label, folded"``."""
        return f"{self.kind}, {self.closeness}" if self.closeness else self.kind


class NameIndex:
    """Which concepts a name belongs to.

    There is one table per kind of name, in the order in which they are trusted: the identifier,
    an alias of it, the preferred label, a synonym; first letter by letter, then folded, then
    reduced to stems. Concepts are code numbers.
    """

    def __init__(
        self,
        identifiers: Sequence[str],
        aliases: dict[str, int],
        labels: Sequence[tuple[str, ...]],
    ) -> None:
        self.exact: dict[NameKind, CodesByName] = {
            "code": {name: (code,) for code, name in enumerate(identifiers)},
            "alias": {name: (code,) for name, code in aliases.items()},
            "label": _group_codes((names[0], code) for code, names in enumerate(labels) if names),
            "synonym": _group_codes(
                (name, c) for c, names in enumerate(labels) for name in names[1:]
            ),
        }
        self._stemmed: dict[str, dict[NameKind, CodesByName]] = {}

    @cached_property
    def folded_tables(self) -> dict[NameKind, CodesByName]:
        """The exact tables by folded names."""
        return {kind: _regroup_codes(table, fold_name) for kind, table in self.exact.items()}

    @cached_property
    def spellings(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Every folded name with the name itself and its concepts, to compare spelling."""
        return {
            plain: (name, codes)
            for kind in _SPELT_KINDS
            for name, codes in self.exact[kind].items()
            if (plain := fold_name(name))
        }

    def stemmed_tables(self, language: str) -> dict[NameKind, CodesByName]:
        """The folded tables by stems; aliases are codes and have none."""
        if language not in self._stemmed:
            stem = make_stemmer(language)
            self._stemmed[language] = {
                kind: _regroup_codes(table, stem)
                for kind, table in self.folded_tables.items()
                if kind != "alias"
            }
        return self._stemmed[language]

    def matches(self, name: str, language: str | None = None) -> list[NameMatch]:
        """The kinds of name that match, with their concepts, the most trusted first.

        All at the first closeness at which any matches: letter by letter, folded, by stems.
        """
        if matches := _find_in_tables(self.exact, name, ""):
            return matches
        plain = fold_name(name)
        if matches := _find_in_tables(self.folded_tables, plain, "folded"):
            return matches
        if not language or not plain:
            return []
        return _find_in_tables(
            self.stemmed_tables(language), stemmer_for(language)(plain), "stemmed"
        )

    def find(self, name: str) -> NameMatch | None:
        """The match of the most trusted kind, without stems, if there is one."""
        return next(iter(self.matches(name)), None)


def _find_in_tables(
    tables: dict[NameKind, CodesByName], form: str, closeness: str
) -> list[NameMatch]:
    return [
        NameMatch(kind, closeness, table[form]) for kind, table in tables.items() if form in table
    ]


_stemmers: dict[str, Callable[[str], str]] = {}


def stemmer_for(language: str) -> Callable[[str], str]:
    """The one stemmer of a language, with the stems it has found so far."""
    if language not in _stemmers:
        _stemmers[language] = make_stemmer(language)
    return _stemmers[language]


def _group_codes(pairs: Iterable[tuple[str, int]]) -> CodesByName:
    table: CodesByName = {}
    for name, code in pairs:
        codes = table.get(name)
        if codes is None:
            table[name] = (code,)
        elif code not in codes:
            table[name] = (*codes, code)
    return table


def _regroup_codes(table: CodesByName, form: Callable[[str], str]) -> CodesByName:
    pairs = ((form(name), code) for name, codes in table.items() for code in codes)
    return _group_codes((name, code) for name, code in pairs if name)


def name_hint(near: Sequence[str], listing: str) -> str:
    """Hint with the most similar name, if there is one, before a list of all names.

    >>> name_hint(["age"], "the columns are 'age'"), name_hint([], "the columns are 'age'")
    ("did you mean 'age'? The columns are 'age'", "the columns are 'age'")
    """
    if not near:
        return listing
    return f"did you mean {near[0]!r}? {listing[0].upper()}{listing[1:]}"


def closest_names(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names spelt most like this one, for a "did you mean"."""
    from rapidfuzz import fuzz, process  # only where a suggestion is needed

    matches = process.extract(
        name, list(names), scorer=fuzz.ratio, processor=fold_name, limit=most, score_cutoff=60
    )
    return [match for match, _, _ in matches]
