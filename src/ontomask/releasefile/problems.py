"""What is wrong with a release file: the field, what stood there, what may stand there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ontomask.errors import OntomaskError, SpecError, quote_names
from ontomask.taxonomy.names import closest_names

__all__ = [
    "Problem",
    "FieldPath",
    "choices_hint",
    "translate_hints",
    "raise_problems",
    "format_value",
]

#: The way to a field: ``("columns", "diagnosis", "measure")``.
FieldPath = tuple[str, ...]

#: Of a long text so much is quoted.
MOST_LETTERS = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: the field, a sentence about it, and what to do.

    ``lacks`` is the field that is missing in a group, where it is known.

    >>> Problem(("method", "k"), "is 1", "it is a whole number, 2 or more").sentence
    'method.k is 1'
    """

    where: FieldPath
    message: str
    hint: str = ""
    lacks: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong, beginning with the field."""
        return f"{'.'.join(self.where)} {self.message}".strip()


def format_value(value: Any) -> str:
    """Format the value of a field for a message, shortened.

    >>> tuple(format_value(value) for value in (None, True, "quasi", [1, 2], {}))
    ('empty', 'true', "'quasi'", 'a list', 'a group of fields')
    """
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a group of fields"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    text = str(value)
    text = text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
    return repr(text) if isinstance(value, str) else text


def choices_hint(value: Any, words: Iterable[str], verb: str = "it can be") -> str:
    """Hint that lists the accepted words; the nearest one comes first.

    >>> choices_hint("kep", ["keep", "drop"])
    "did you mean 'keep'? It can be 'keep', 'drop'"
    """
    known = list(words)
    listed = f"{verb} {quote_names(known, most=len(known))}"
    near = closest_names(value, known, most=1) if isinstance(value, str) else []
    return f"did you mean {near[0]!r}? {listed[0].upper()}{listed[1:]}" if near else listed


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
