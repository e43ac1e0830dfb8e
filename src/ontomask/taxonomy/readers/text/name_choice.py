"""Which names of a concept are read: those in the languages that are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ontomask.taxonomy.readers.text.languages import LanguageChoice
from ontomask.taxonomy.word_forms import language_code

__all__ = ["NameChooser"]


class NameChooser:
    """Chooses the names of concepts by language.

    Args:
        language: A language tag such as ``es`` or ``es-ES``, several of them, the first of which
            is the preferred one, or None for English where there is any.
    """

    def __init__(self, language: str | Sequence[str] | None) -> None:
        self.languages = LanguageChoice(language)
        self.left_out = 0
        self._chosen: Counter[str] = Counter()

    def choose(self, names: Iterable[tuple[str, str]]) -> tuple[str, ...]:
        """The names in the languages, from texts with their languages, the preferred one first.

        Names without a language count as names in every language. Where there are none of either,
        the names in the language of the first one.

        >>> NameChooser("de").choose([("flu", "en"), ("Grippe", "de"), ("Influenza", "de-DE")])
        ('Grippe', 'Influenza')
        """
        ranked: list[tuple[tuple[int, int], int, str, str]] = []
        others: list[tuple[str, str]] = []
        for place, (text, tag) in enumerate(names):
            plain = " ".join(text.split())
            if not plain:
                continue
            self.languages.tags[tag] += 1
            rank = self.languages.rank(tag)
            if self.languages.reads(rank):
                ranked.append((rank, place, plain, tag))
            else:
                others.append((plain, tag))
        if ranked:
            chosen = [(text, tag) for *_, text, tag in sorted(ranked)]
        else:
            chosen = [(text, tag) for text, tag in others if tag == others[0][1]]
        self.left_out += len(ranked) + len(others) - len(chosen)
        self._chosen.update(tag for _, tag in chosen)
        return tuple(dict.fromkeys(text for text, _ in chosen))

    @property
    def chosen_languages(self) -> tuple[str, ...]:
        """Codes of the languages of the chosen names: those asked for first, then the usual."""
        tags = sorted(self._chosen, key=lambda tag: (self.languages.rank(tag), -self._chosen[tag]))
        return tuple(dict.fromkeys(code for tag in tags if (code := language_code(tag))))

    def check_language(self) -> None:
        """Warn of a language that no name has, if names have languages."""
        self.languages.settle()
