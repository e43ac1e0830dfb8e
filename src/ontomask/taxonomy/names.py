"""Names of concepts: folding them, and finding concepts by them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["Hit", "NameIndex", "folded", "nearest"]

_NOT_WORD = re.compile(r"[\W_]+")


def folded(name: str) -> str:
    """A name without what people type differently: case, spaces and punctuation.

    >>> folded("  Coma, Diabetic "), folded("SPORT_SHOE"), folded("Straße")
    ('coma diabetic', 'sport shoe', 'strasse')
    """
    if name.isascii():
        return _NOT_WORD.sub(" ", name.lower()).strip()
    plain = unicodedata.normalize("NFKC", name).casefold()
    return _NOT_WORD.sub(" ", unicodedata.normalize("NFKC", plain)).strip()


class Hit(NamedTuple):
    """A concept found by one of its names."""

    concept: str
    name: str


class NameIndex:
    """Which concepts a name belongs to.

    Keeps one table per kind of name, in the order in which they are trusted: the identifier, an
    alias of it, the preferred label, a synonym. Concepts are code numbers.
    """

    def __init__(
        self,
        identifiers: Sequence[str],
        aliases: dict[str, int],
        labels: Sequence[tuple[str, ...]],
    ) -> None:
        self.exact: dict[str, dict[str, tuple[int, ...]]] = {
            "identifier": {name: (code,) for code, name in enumerate(identifiers)},
            "alias": {name: (code,) for name, code in aliases.items()},
            "label": _grouped((known[0], code) for code, known in enumerate(labels) if known),
            "synonym": _grouped((name, c) for c, known in enumerate(labels) for name in known[1:]),
        }
        self.folded = {kind: _folded(table) for kind, table in self.exact.items()}

    def find(self, name: str) -> tuple[str, tuple[int, ...]]:
        """The kind of name that matched first, and its concepts; ``("", ())`` for none."""
        for kind, table in self.exact.items():
            if name in table:
                return kind, table[name]
        plain = folded(name)
        for kind, table in self.folded.items():
            if plain in table:
                return f"{kind}, folded", table[plain]
        return "", ()


def _grouped(pairs: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    table: dict[str, tuple[int, ...]] = {}
    for name, code in pairs:
        known = table.get(name)
        if known is None:
            table[name] = (code,)
        elif code not in known:
            table[name] = (*known, code)
    return table


def _folded(table: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    pairs = ((folded(name), code) for name, codes in table.items() for code in codes)
    return _grouped((name, code) for name, code in pairs if name)


def nearest(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names spelt most like this one, for a "did you mean"."""
    from rapidfuzz import fuzz, process  # only where a suggestion is needed

    found = process.extract(
        name, list(names), scorer=fuzz.ratio, processor=folded, limit=most, score_cutoff=60
    )
    return [match for match, _, _ in found]
