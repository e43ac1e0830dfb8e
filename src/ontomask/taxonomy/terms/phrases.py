"""Parts of values: head nouns, leading words, several values in a cell, parentheses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

from ontomask.errors import ParameterError, quote_choices
from ontomask.taxonomy.names import CodesByName
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.word_forms import fold_name, fold_singular

__all__ = [
    "HEADS",
    "Heads",
    "check_heads",
    "find_any_order",
    "head_phrases",
    "leading_phrases",
    "remove_parentheses",
    "split_cell",
]

#: Ways to map a phrase by a part of it.
Heads = Literal["last", "first", "any-order"]
HEADS: tuple[Heads, ...] = ("last", "first", "any-order")

#: What ends the first part of an English noun phrase: "visit | to the park", "pain, | left arm". A
#: hyphen inside a word ends nothing.
_AFTER_THE_HEAD = re.compile(
    r"\b(?:of|to|in|on|at|for|with|without|from|by|due|and|or)\b|[,;/(–—]|\s-|-\s"
)
_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def check_heads(heads: Any, taxonomy: Taxonomy) -> tuple[Heads, ...]:
    """The ways in the order in which they are tried; head nouns are refused unless English."""
    listed = [heads] if isinstance(heads, str | bool) else heads
    ways = {("last" if way is True else way) for way in listed if way is not False}
    if not isinstance(listed, Collection) or not ways <= set(HEADS):
        raise ParameterError(f"heads must be True, False, {quote_choices(HEADS)}, got {heads!r}")
    languages = taxonomy.languages
    if "last" in ways and languages and "en" not in languages:
        raise ParameterError(
            f"heads='last' needs English names, but those of {taxonomy!r} are in "
            f"{' and '.join(map(repr, languages))}",
            "use heads='first' where nouns come first, or heads='any-order'",
        )
    return tuple(way for way in reversed(HEADS) if way in ways)


def head_phrases(value: str) -> Iterator[str]:
    """Ever shorter ends of the first noun phrase: "second holiday home", "holiday home", "home".

    A word with hyphens stays whole.
    """
    words = _AFTER_THE_HEAD.split(value.strip().lower(), maxsplit=1)[0].split()
    yield from _known_phrases(value, (words[first:] for first in range(len(words))))


def leading_phrases(value: str) -> Iterator[str]:
    """Ever shorter beginnings: "asthma with cough", "asthma with", "asthma"."""
    words = value.lower().split()
    yield from _known_phrases(value, (words[:end] for end in range(len(words) - 1, 0, -1)))


def _known_phrases(value: str, phrases: Iterable[list[str]]) -> Iterator[str]:
    """The phrases, folded, but for the value itself, numbers, single letters and bare codes."""
    for words in phrases:
        phrase = fold_name(" ".join(words))
        has_word = len(phrase) > 2 and not any(letter.isdigit() for letter in phrase)
        if has_word and phrase != fold_name(value):
            yield phrase


_sorted_names: WeakKeyDictionary[Taxonomy, CodesByName] = WeakKeyDictionary()


def find_any_order(value: str, taxonomy: Taxonomy) -> tuple[int, ...]:
    """The concepts that have a name of the same words, in any order."""
    language = (taxonomy.languages or ("en",))[0]
    singular = fold_singular(language) or fold_name

    def sort_words(name: str) -> str:
        return " ".join(sorted(singular(fold_name(name)).split()))

    if taxonomy not in _sorted_names:
        names: dict[str, dict[int, None]] = {}
        for kind in ("label", "synonym"):
            for name, codes in taxonomy.names.exact[kind].items():
                names.setdefault(sort_words(name), {}).update(dict.fromkeys(codes))
        _sorted_names[taxonomy] = {name: tuple(codes) for name, codes in names.items()}
    words = sort_words(value)
    return _sorted_names[taxonomy].get(words, ()) if " " in words else ()


def remove_parentheses(value: str) -> str:
    """The value without its parentheses and brackets.

    >>> remove_parentheses("Fever (since Monday)")
    'Fever'
    """
    return " ".join(_PARENTHESES.sub(" ", value).split())


def split_cell(cell: str, separators: Sequence[str], is_name: Callable[[str], Any]) -> list[str]:
    """The values in a cell; a part that is a name is not split further.

    The separators are tried in their order.

    >>> split_cell("Pain, acute; fever / cough", [";", "/", ","], {"Pain, acute"}.__contains__)
    ['Pain, acute', 'fever', 'cough']
    """
    parts = [cell]
    for separator in separators:
        parts = [
            piece.strip()
            for part in parts
            for piece in ([part] if is_name(part) else part.split(separator))
        ]
    return list(dict.fromkeys(part for part in parts if part))
