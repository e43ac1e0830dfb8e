"""Names of concepts: folding and stemming them, and finding concepts by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from ontomask.errors import ParameterError, quoted

__all__ = ["Hit", "NameIndex", "Table", "folded", "nearest", "stemmer"]

_NOT_WORD = re.compile(r"[\W_]+")

#: Which concepts, by code number, have a name.
Table = dict[str, tuple[int, ...]]


def folded(name: str) -> str:
    """A name without what people type differently: case, spaces and punctuation.

    >>> folded("  Coma, Diabetic "), folded("SPORT_SHOE"), folded("Straße")
    ('coma diabetic', 'sport shoe', 'strasse')
    """
    if name.isascii():
        return _NOT_WORD.sub(" ", name.lower()).strip()
    plain = unicodedata.normalize("NFKC", name).casefold()
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", plain)).strip()


def stemmer(language: str) -> Callable[[str], str]:
    """A function that reduces each word of a folded name to its stem (TM section 4).

    >>> stem = stemmer("english")
    >>> stem("sports"), stem("second residences"), stem("relaxation") == stem("relax")
    ('sport', 'second resid', True)
    """
    import Stemmer  # Snowball's own, in C

    known = Stemmer.algorithms()
    if language not in known:
        raise ParameterError(
            f"there are no stems for the language {language!r}",
            f"there are for {quoted(sorted(known), most=len(known))}; None does without",
        )
    stem_of = Stemmer.Stemmer(language).stemWord
    stems: dict[str, str] = {}  # most words occur in many names

    def stemmed(name: str) -> str:
        words = name.split(" ")
        for word in words:
            if word not in stems:
                stems[word] = stem_of(word)
        return " ".join([stems[word] for word in words])

    return stemmed


class Hit(NamedTuple):
    """A concept found by one of its names."""

    concept: str
    name: str


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
        self.exact: dict[str, Table] = {
            "identifier": {name: (code,) for code, name in enumerate(identifiers)},
            "alias": {name: (code,) for name, code in aliases.items()},
            "label": _grouped((known[0], code) for code, known in enumerate(labels) if known),
            "synonym": _grouped((name, c) for c, known in enumerate(labels) for name in known[1:]),
        }
        self._stemmed: dict[str, dict[str, Table]] = {}

    @cached_property
    def folded(self) -> dict[str, Table]:
        """The same tables by folded names."""
        return {kind: _regrouped(table, folded) for kind, table in self.exact.items()}

    @cached_property
    def spelt(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Every folded name with the name itself and its concepts, to compare spelling."""
        return {
            plain: (name, codes)
            for kind in ("synonym", "identifier", "label")  # later ones are trusted more
            for name, codes in self.exact[kind].items()
            if (plain := folded(name))
        }

    def stemmed(self, language: str) -> dict[str, Table]:
        """The same tables by stems; aliases are codes and have none."""
        if language not in self._stemmed:
            stem = stemmer(language)
            self._stemmed[language] = {
                kind: _regrouped(table, stem)
                for kind, table in self.folded.items()
                if kind != "alias"
            }
        return self._stemmed[language]

    def matches(self, name: str, language: str | None = None) -> list[tuple[str, tuple[int, ...]]]:
        """The kinds of name that match, with their concepts, the most trusted first.

        All at the first closeness at which any matches: letter by letter, folded, by stems.
        """
        if found := _in(self.exact, name, ""):
            return found
        plain = folded(name)
        if found := _in(self.folded, plain, ", folded"):
            return found
        if not language or not plain:
            return []
        return _in(self.stemmed(language), stemmer_of(language)(plain), ", stemmed")

    def find(self, name: str) -> tuple[str, tuple[int, ...]]:
        """The most trusted kind of name that matches, and its concepts; ``("", ())`` for none."""
        return next(iter(self.matches(name)), ("", ()))


def _in(tables: dict[str, Table], form: str, closeness: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(kind + closeness, table[form]) for kind, table in tables.items() if form in table]


_stemmers: dict[str, Callable[[str], str]] = {}


def stemmer_of(language: str) -> Callable[[str], str]:
    """The one stemmer of a language, with the stems it has found so far."""
    if language not in _stemmers:
        _stemmers[language] = stemmer(language)
    return _stemmers[language]


def _grouped(pairs: Iterable[tuple[str, int]]) -> Table:
    table: Table = {}
    for name, code in pairs:
        known = table.get(name)
        if known is None:
            table[name] = (code,)
        elif code not in known:
            table[name] = (*known, code)
    return table


def _regrouped(table: Table, form: Callable[[str], str]) -> Table:
    pairs = ((form(name), code) for name, codes in table.items() for code in codes)
    return _grouped((name, code) for name, code in pairs if name)


def nearest(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names spelt most like this one, for a "did you mean"."""
    from rapidfuzz import fuzz, process  # only where a suggestion is needed

    found = process.extract(
        name, list(names), scorer=fuzz.ratio, processor=folded, limit=most, score_cutoff=60
    )
    return [match for match, _, _ in found]
