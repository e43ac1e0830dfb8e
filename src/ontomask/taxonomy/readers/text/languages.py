"""The languages in which labels are read, and which label comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ontomask._runtime.own_warnings import warn
from ontomask.errors import LanguageWarning, ParameterError, quote_names

__all__ = ["DEFAULT", "EVERY", "LanguageChoice", "LanguageText"]

DEFAULT = "en"
#: Asks for the labels in all languages.
EVERY = "all"


class LanguageText(NamedTuple):
    """A text and its language, in lower case; ``""`` where it has none."""

    text: str
    language: str


class LanguageChoice:
    """The languages that a reader was asked for, the preferred one first.

    ``es`` also stands for ``es-MX``, and ``es-ES`` for ``es``: a label in a language without its
    region, or of another region, is taken where the exact one is missing. None stands for English,
    or for the most frequent language of a file without English labels.

    >>> choice = LanguageChoice(["es-ES", "en"])
    >>> choice.rank("es") < choice.rank("en") < choice.rank("") < choice.rank("de")
    True
    """

    def __init__(self, language: str | Sequence[str] | None) -> None:
        names = language.split(",") if isinstance(language, str) else language
        self.is_asked = names is not None
        names = [DEFAULT] if names is None else names
        if (
            not isinstance(names, (list, tuple))
            or not names
            or not all(isinstance(name, str) and name.strip() for name in names)
        ):
            raise ParameterError(
                f"language must be a language tag such as 'en', or several, got {language!r}",
                f'language=["es", "en"] prefers Spanish; language="{EVERY}" reads every language',
            )
        tags = list(dict.fromkeys(_normalise_tag(name) for name in names))
        self.reads_every = EVERY in tags
        self.wanted = [tag for tag in tags if tag != EVERY] or [DEFAULT]
        self.tags: Counter[str] = Counter()  # those of the labels that were seen

    def rank(self, language: str) -> tuple[int, int]:
        """Where a language stands: the languages asked for, none, and then any other."""
        tag = _normalise_tag(language)
        for place, wanted in enumerate(self.wanted):
            if (closeness := _closeness(tag, wanted)) is not None:
                return place, closeness
        return len(self.wanted) + bool(tag), 0

    def reads(self, rank: tuple[int, int]) -> bool:
        """Whether labels of this rank are read."""
        return rank[0] <= len(self.wanted) + self.reads_every

    def choose(
        self,
        texts: Mapping[str, Iterable[LanguageText]],
        keys: Iterable[str],
        needs_one: bool = True,
    ) -> tuple[list[str], int]:
        """The texts that are read, the preferred one first, and how many are not.

        A concept without any text in the languages asked for has its first in another one, where
        ``needs_one``.
        """
        ranked = sorted(
            (self.rank(text.language), order, text.language, plain)
            for order, key in enumerate(keys)
            for text in texts.get(key, ())
            if (plain := " ".join(text.text.split()))
        )
        chosen = [name for rank, _, _, name in ranked if self.reads(rank)]
        if not chosen and ranked and needs_one:
            chosen = [ranked[0][3]]
        return chosen, len(ranked) - len(chosen)

    def settle(self) -> None:
        """Choose a default for the labels that were seen, or warn of a language that none has."""
        tags = {_normalise_tag(tag): times for tag, times in self.tags.items() if tag}
        usual = sorted(tags, key=lambda tag: (-tags[tag], tag))
        missing = [
            wanted for wanted in self.wanted if all(_closeness(tag, wanted) is None for tag in tags)
        ]
        if not missing or not self.tags:
            return
        if self.is_asked:
            others = f"there are labels in {quote_names(usual)}" if tags else "no label has one"
            warn(
                LanguageWarning(f"no label is in the language {quote_names(missing)}; {others}"),
                stacklevel=2,
            )
        elif usual and tags[usual[0]] > self.tags[""]:
            self.wanted = usual[:1]


def _normalise_tag(language: str) -> str:
    return language.strip().lower().replace("_", "-")


def _closeness(tag: str, wanted: str) -> int | None:
    """0 for the same language, 1 for one of its regions, 2 without the region, 3 for another."""
    if tag == wanted:
        return 0
    if tag.startswith(wanted + "-"):
        return 1
    if wanted.startswith(tag + "-"):
        return 2
    return 3 if tag.partition("-")[0] == wanted.partition("-")[0] else None
