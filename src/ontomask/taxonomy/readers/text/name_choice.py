"""Which names of a concept are read: those in the languages that are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ontomask.errors import ParameterError, quote_names
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["NameChooser"]


class NameChooser:
    """Chooses the names of concepts by language.

    Args:
        language: A language tag such as ``es`` or ``es-ES``, several of them, the first of which
            is the preferred one, or None for English where there is any.
    """

    def __init__(self, language: str | Sequence[str] | None) -> None:
        tags = [language] if isinstance(language, str) else language
        if tags is not None and (
            not isinstance(tags, Sequence)
            or not tags
            or not all(isinstance(tag, str) and tag.strip() for tag in tags)
        ):
            raise ParameterError(
                f"language must be a language tag such as 'en', or several, got {language!r}"
            )
        self.is_asked = tags is not None
        self.wanted = [_plain_tag(tag) for tag in tags or ["en"]]
        self.languages: Counter[str] = Counter()
        self.matches = 0
        self.left_out = 0

    def choose(self, names: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """The names in the languages, from texts with their languages, the preferred one first.

        Names without a language count as names in every language. Where there are none of either,
        the names in the language of the first one.

        >>> NameChooser("de").choose([("flu", "en"), ("Grippe", "de"), ("Influenza", "de-DE")])
        ('Grippe', 'Influenza')
        """
        ranked: list[tuple[int, int, str]] = []
        others: list[tuple[str, str]] = []
        for place, (text, tag) in enumerate(names):
            plain = " ".join(text.split())
            if not plain:
                continue
            tag = _plain_tag(tag)
            self.languages[tag] += 1
            rank = self._rank(tag)
            if rank is None:
                others.append((plain, tag))
            else:
                self.matches += bool(tag)
                ranked.append((rank, place, plain))
        if ranked:
            chosen = [text for *_, text in sorted(ranked)]
        else:
            chosen = [text for text, tag in others if tag == others[0][1]]
        self.left_out += len(ranked) + len(others) - len(chosen)
        return tuple(dict.fromkeys(chosen))

    def check_language(self, source: Source) -> None:
        """Refuse a language that no name has, if names have languages."""
        languages = [tag for tag, _ in self.languages.most_common() if tag]
        if self.is_asked and languages and not self.matches:
            raise ParameterError(
                f"language must be a language of {source.file_name}, got "
                f"{quote_names(self.wanted)}",
                f"its names are in {quote_names(languages)}",
            )

    def _rank(self, tag: str) -> int | None:
        if not tag:
            return 2 * len(self.wanted)
        for place, wanted in enumerate(self.wanted):
            if tag == wanted:
                return 2 * place
            if tag.partition("-")[0] == wanted.partition("-")[0]:
                return 2 * place + 1
        return None


def _plain_tag(tag: str) -> str:
    return tag.strip().replace("_", "-").lower()
