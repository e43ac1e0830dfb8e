"""What is wrong with a release file: the field, what stood there, what may stand there."""

from __future__ import annotations

import re
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
    "hint_in_yaml",
    "raise_problems",
    "format_value",
]

#: The way to a field: ``("columns", "diagnosis", "measure")``.
FieldPath = tuple[str, ...]

#: Of a long text so much is quoted.
MOST_LETTERS = 60

#: Arguments in Python that are fields of a release file.
_ARGUMENT = re.compile(r"\b(mapping|prefer|repair_codes|missing_marks|missing|domain|person)=")


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: the field, a sentence about it, and what to do.

    >>> Problem(("method", "k"), "is 1", "it is a whole number, 2 or more").sentence
    'method.k is 1'
    """

    where: FieldPath
    message: str
    hint: str = ""

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


def hint_in_yaml(hint: str) -> str:
    """Rewrite a hint about Python arguments as one about release file fields.

    >>> hint_in_yaml("did you mean mapping={'hepatits': 'hepatitis'}?")
    "did you mean mapping: {'hepatits': 'hepatitis'}?"
    >>> hint_in_yaml("try repair_codes=True")
    'try repair_codes: true'
    """
    return re.sub(r"\brepair_codes: True\b", "repair_codes: true", _ARGUMENT.sub(r"\1: ", hint))


@contextmanager
def translate_hints() -> Iterator[None]:
    """Rewrite the hints of errors raised inside as hints about release file fields."""
    try:
        yield
    except OntomaskError as error:
        if hint_in_yaml(error.hint) == error.hint:
            raise
        raise type(error)(error.message, hint_in_yaml(error.hint)) from None


def _line_of(where: FieldPath, lines: Mapping[FieldPath, int]) -> int:
    """Line of a field; for a missing field, the line of the group it belongs to."""
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return lines[where[:length]]
    return 0
