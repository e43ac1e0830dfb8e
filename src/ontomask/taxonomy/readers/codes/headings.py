"""The words of headers: which column has codes, names, parents, depths or levels.

A header is cut into words: ``preferredLabel`` is *preferred label*, ``Código Divisão`` is *codigo
divisao*. Some words say the kind of a column (code, name), the others what it is about; ``Region
Code`` and ``Region Name`` are about the same.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from ontomask.taxonomy.readers.codes.words import (
    CODE_WORDS,
    DEPTH_WORDS,
    EMPTY_WORDS,
    LANGUAGES,
    LEVEL_WORDS,
    NAME_WORDS,
    NOTE_WORDS,
    PARENT_WORDS,
    QUALIFIERS,
    SCHEME_WORDS,
    SYNONYM_WORDS,
    WEAK_NAME_WORDS,
)

__all__ = ["Heading", "parse_heading"]

Kind = Literal["code", "name", "synonyms", "parent", "depth", "note", "index", ""]

#: Headers of levels have at most so many words.
MOST_WORDS = 5

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")


class Heading(NamedTuple):
    """The header of one column.

    ``about`` are the words that do not say the kind, ``number`` the number among them.
    """

    text: str
    kind: Kind
    about: tuple[str, ...] = ()
    number: int | None = None
    is_weak: bool = False
    language: str = ""
    words: int = 0

    @property
    def is_level(self) -> bool:
        """Whether the column may have the concepts of one level."""
        if self.kind not in ("code", "name", "") or self.words > MOST_WORDS:
            return False
        words = LEVEL_WORDS if self.number is None else LEVEL_WORDS | DEPTH_WORDS
        if not any(word in words for word in self.about):
            return self.about[:1] == ("detailed",)
        known = words | SCHEME_WORDS | QUALIFIERS
        return 2 * sum(word in known for word in self.about) > len(self.about)

    @property
    def has_role(self) -> bool:
        """Whether the header says what the column has."""
        return self.kind not in ("", "note", "index") or self.is_level

    def is_called(self, name: str) -> bool:
        """Whether this is the column that a user calls so."""
        return bool(self.text) and _fold(self.text) == _fold(name)


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold().strip()


def parse_heading(text: str) -> Heading:
    """The kind of a column by its header.

    >>> parse_heading("Código Divisão")[1:3], parse_heading("altLabels").kind
    (('code', ('divisao',)), 'synonyms')
    """
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", text.strip()) if not unicodedata.combining(c)
    ).replace("ß", "ss")
    words = [word.casefold() for word in _WORD.findall(plain)]
    if not words or len(words) > 9:
        return Heading(text.strip(), "")
    joined = _join_pairs(words)
    language = joined.pop() if len(joined) > 1 and joined[-1] in LANGUAGES else ""
    kind = _kind(joined)
    number = next((int(word) for word in joined if word.isdigit() and len(word) < 3), None)
    about = tuple(
        word
        for word in joined
        if not word.isdigit()
        and word not in EMPTY_WORDS
        and not (kind == "code" and word in CODE_WORDS and word not in SCHEME_WORDS)
        and not (kind == "name" and word in NAME_WORDS)
    )
    if kind == "depth" and number is not None:
        kind = ""
    weak = kind == "name" and not any(w in NAME_WORDS - WEAK_NAME_WORDS for w in joined)
    return Heading(text.strip(), kind, about, number, weak, language, len(words))


def _join_pairs(words: list[str]) -> list[str]:
    """``alt label`` is one word, and so are ``sub region`` and ``hs code``."""
    joined: list[str] = []
    for word in words:
        if (
            joined
            and joined[-1] in ("alt", "alternative", "hidden", "other", "andere")
            and word in NAME_WORDS
        ):
            joined[-1] = "altlabel"
        elif joined and joined[-1] in ("sub", "super") and word in LEVEL_WORDS:
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _kind(words: list[str]) -> Kind:
    present = set(words)
    if present & SYNONYM_WORDS:
        return "synonyms"
    if present & PARENT_WORDS:
        return "parent"
    if words[0] in NOTE_WORDS or words[-1] in NOTE_WORDS:
        return "note"
    if present & (CODE_WORDS - SCHEME_WORDS):
        return "code"
    if present & NAME_WORDS:
        return "name"
    if present & DEPTH_WORDS:
        return "depth"
    if present & SCHEME_WORDS and len(words) <= 2 and not present & LEVEL_WORDS:
        return "code"
    return ""
