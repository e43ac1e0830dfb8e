"""Problems of a release file: the field, what it accepts, what it got, and a hint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ontomask.errors import OntomaskError, SpecError, quote_names
from ontomask.taxonomy.names import closest_names, name_hint

__all__ = [
    "Problem",
    "FieldPath",
    "choices_hint",
    "spelling_hint",
    "translate_hints",
    "raise_problems",
    "format_value",
]

#: The way to a field: ``("columns", "diagnosis", "measure")``.
FieldPath = tuple[str, ...]

#: Longer texts are shortened in messages.
MOST_LETTERS = 60


@dataclass(frozen=True)
class Problem:
    """One problem: the field, a message about it, and a hint.

    ``lacks`` is the field that is missing in a group, if it is known.

    >>> Problem(("method", "k"), "must be an integer of at least 2, got 1").sentence
    'method.k must be an integer of at least 2, got 1'
    """

    where: FieldPath
    message: str
    hint: str = ""
    lacks: str = ""

    @property
    def sentence(self) -> str:
        """The message, beginning with the field."""
        return f"{'.'.join(self.where)} {self.message}".strip()


def format_value(value: Any) -> str:
    """Format the value of a field for a message, shortened.

    >>> tuple(format_value(value) for value in (None, True, "quasi", [1, 2], {}))
    ('nothing', 'true', "'quasi'", 'a list', 'a group of fields')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a group of fields"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    text = str(value)
    text = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
    return repr(text) if isinstance(value, str) else text


def spelling_hint(value: Any, words: Iterable[str]) -> str:
    """Hint with the accepted word that is spelt most like the value; empty if there is none.

    >>> spelling_hint("kep", ["keep", "drop"]), spelling_hint(5, ["keep", "drop"])
    ("did you mean 'keep'?", '')
    """
    near = closest_names(value, words, most=1) if isinstance(value, str) else []
    return f"did you mean {near[0]!r}?" if near else ""


def choices_hint(value: Any, words: Iterable[str], listing: str) -> str:
    """Hint that lists the known words; the most similar one comes first.

    >>> choices_hint("rol", ["role", "type"], "the fields are")
    "did you mean 'role'? The fields are 'role', 'type'"
    """
    known = list(words)
    near = closest_names(value, known, most=1) if isinstance(value, str) else []
    return name_hint(near, f"{listing} {quote_names(known, most=len(known))}")


def raise_problems(problems: Sequence[Problem], file: str, lines: Mapping[FieldPath, int]) -> None:
    """Raise one error for all problems, in the order of the file."""
    if not problems:
        return
    placed = sorted(
        ((_line_of(problem.where, lines), problem) for problem in dict.fromkeys(problems)),
        key=lambda problem: problem[0],
    )
    if len(placed) == 1:
        line, problem = placed[0]
        raise SpecError(
            f"{file}{f', line {line}' if line else ''}: {problem.sentence}", problem.hint
        )
    listed = [
        f"  - {f'line {line}: ' if line else ''}{problem.sentence}"
        f"{f'; {problem.hint}' if problem.hint else ''}"
        for line, problem in placed
    ]
    raise SpecError("\n".join([f"{file} has {len(placed)} problems:", *listed]))


@contextmanager
def translate_hints() -> Iterator[None]:
    """Errors raised inside have their hints in the language of release files."""
    try:
        yield
    except OntomaskError as error:
        if not error.advice.settings:
            raise
        raise error.with_yaml_hint() from None


def _line_of(where: FieldPath, lines: Mapping[FieldPath, int]) -> int:
    """Line of a field; for a missing field, the line of the group it belongs to."""
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return lines[where[:length]]
    return 0
