"""What can go wrong, as a tree.

::

    OntomaskError                      something the caller can mend
    ├── TaxonomyError                  the is-a graph itself is wrong
    │   ├── CycleError                 a concept is its own ancestor
    │   ├── EmptyTaxonomyError         no concept at all
    │   ├── UndeclaredParentError      a parent that is no concept of the table
    │   ├── DuplicateConceptError      one identifier, two concepts
    │   └── SeveralParentsError        a tree was needed, a concept has two parents
    ├── FileFormatError                a file cannot be read as what it should be
    ├── UnknownTaxonomyError           no bundled taxonomy or file of that name
    ├── UnknownConceptError            not a concept of this taxonomy
    ├── UnknownValueError              values that reach no concept
    ├── UnknownMeasureError            no distance of that name
    ├── SchemaError                    the schema is wrong, or does not fit the table
    ├── SpecError                      a release file is wrong
    ├── ColumnError                    a column does not hold what its role needs
    ├── RequirementNotMet              a release is not what its file requires
    ├── BlockError                     a part of the table could not be planned
    ├── ExtensionError                 a method, distance, reader or measure of another package
    └── ParameterError                 an argument that makes no sense
    InternalError                      a mistake of ours, please report it

    OntomaskWarning
    ├── BlocksChosenWarning            a table was planned in blocks, for want of memory
    ├── ExtensionWarning               a part of another package is left out
    ├── SeveralRootsWarning            a virtual root was put above several
    ├── HeaderWarning                  a first row was taken for a header
    ├── IndexReleasedWarning           a named pandas index is in the released table
    ├── NearNeighboursWarning          very many tuples were compared with those close by alone
    ├── NothingSwappedWarning          all records are alike, swapping changes nothing
    ├── RenamedSettingWarning          a setting of a method was given by its old name
    ├── RepeatedIdentifierWarning      one person seems to have several records
    ├── StoppedEarlyWarning            a search was interrupted, and gave the best so far
    └── WeakProtectionWarning          a method without a guarantee changed next to nothing

Every message says what is wrong, where, and what to do about it. A message may quote a few
values; it never quotes a record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

__all__ = [
    "BlockError",
    "BlocksChosenWarning",
    "ColumnError",
    "CycleError",
    "DuplicateConceptError",
    "EmptyTaxonomyError",
    "ExtensionError",
    "ExtensionWarning",
    "FileFormatError",
    "HeaderWarning",
    "IndexReleasedWarning",
    "InternalError",
    "NearNeighboursWarning",
    "NothingSwappedWarning",
    "OntomaskError",
    "OntomaskWarning",
    "ParameterError",
    "RenamedSettingWarning",
    "RepeatedIdentifierWarning",
    "RequirementNotMet",
    "SchemaError",
    "SeveralParentsError",
    "SeveralRootsWarning",
    "SpecError",
    "StoppedEarlyWarning",
    "TaxonomyError",
    "UndeclaredParentError",
    "UnknownConceptError",
    "UnknownMeasureError",
    "UnknownTaxonomyError",
    "UnknownValueError",
    "WeakProtectionWarning",
    "Hint",
    "Placeholder",
    "Setting",
    "format_count",
    "check_choice",
    "quote_names",
]


class Placeholder(str):
    """Text in the place of a value that only the reader knows; it is shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


@dataclass(frozen=True)
class Setting:
    """A setting that a hint proposes: an argument in Python, a field in a release file.

    >>> setting = Setting("repair_codes", True)
    >>> setting.python, setting.yaml
    ('repair_codes=True', 'repair_codes: true')
    """

    name: str
    value: object

    @property
    def python(self) -> str:
        """The setting as an argument of a call."""
        return f"{self.name}={self.value!r}"

    @property
    def yaml(self) -> str:
        """The setting as a field of a release file."""
        value = self.value
        return f"{self.name}: {str(value).lower() if isinstance(value, bool) else repr(value)}"


@dataclass(frozen=True, init=False)
class Hint:
    """What to do about an error: text, and settings that each interface writes in its language.

    >>> hint = Hint("did you mean ", Setting("mapping", {"hepatits": "hepatitis"}), "?")
    >>> hint.python
    "did you mean mapping={'hepatits': 'hepatitis'}?"
    >>> hint.yaml
    "did you mean mapping: {'hepatits': 'hepatitis'}?"
    """

    parts: tuple[str | Setting, ...]

    def __init__(self, *parts: str | Setting) -> None:
        object.__setattr__(self, "parts", parts)

    @property
    def python(self) -> str:
        """The hint for whoever calls a function."""
        return "".join(part if isinstance(part, str) else part.python for part in self.parts)

    @property
    def yaml(self) -> str:
        """The hint for whoever writes a release file."""
        return "".join(part if isinstance(part, str) else part.yaml for part in self.parts)

    @property
    def settings(self) -> dict[str, object]:
        """The settings that the hint proposes, by name."""
        return {part.name: part.value for part in self.parts if isinstance(part, Setting)}


class OntomaskError(Exception):
    """Something the caller can mend.

    ``message`` says what is wrong and where, ``hint`` what to do; ``advice`` is the same hint with
    its settings told apart from its text.
    """

    def __init__(self, message: str, hint: str | Hint = "") -> None:
        self.message = message
        self.advice = hint if isinstance(hint, Hint) else Hint(hint)
        self.hint = self.advice.python
        super().__init__(f"{message}\n\nhint: {self.hint}" if self.hint else message)

    def __reduce__(self) -> tuple[type[OntomaskError], tuple[str, Hint]]:
        # Errors cross process borders; the default would pass the joined text as the message.
        return type(self), (self.message, self.advice)

    def with_message(self, message: str) -> Self:
        """The same kind of error with the same hint and another message."""
        return type(self)(message, self.advice)

    def with_yaml_hint(self) -> Self:
        """The same error with its hint in the language of release files."""
        return type(self)(self.message, self.advice.yaml)


class TaxonomyError(OntomaskError):
    """The is-a graph itself is wrong."""


class CycleError(TaxonomyError):
    """A concept is its own ancestor."""


class EmptyTaxonomyError(TaxonomyError):
    """There is no concept at all."""


class UndeclaredParentError(TaxonomyError):
    """A parent is named that is no concept of the table."""


class DuplicateConceptError(TaxonomyError):
    """One identifier stands for two concepts."""


class SeveralParentsError(TaxonomyError):
    """A tree was needed, and a concept has more than one parent."""


class FileFormatError(OntomaskError):
    """A file cannot be read as what it should be: file, line and reason."""


class UnknownTaxonomyError(OntomaskError):
    """Neither a bundled taxonomy nor a file has that name."""


class UnknownConceptError(OntomaskError, KeyError):
    """Not a concept of this taxonomy."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class UnknownValueError(OntomaskError):
    """Values that reach no concept, with their counts."""


class UnknownMeasureError(OntomaskError):
    """No distance has that name."""


class SchemaError(OntomaskError):
    """The schema is wrong in itself, or does not fit the table: every problem at once."""


class SpecError(OntomaskError):
    """A release file is wrong: every problem at once, with its field and line."""


class RequirementNotMet(OntomaskError):
    """A release is not what its file requires; nothing was released."""


class BlockError(OntomaskError):
    """A part of the table could not be planned: which, and why."""


class ExtensionError(OntomaskError):
    """A method, distance, reader or measure of another package cannot be used."""


class ColumnError(OntomaskError):
    """A column does not hold what its role needs: values are missing, infinite, of another kind."""


class ParameterError(OntomaskError, ValueError):
    """An argument makes no sense, or not together with the others."""


class InternalError(Exception):
    """A mistake of ours."""

    def __init__(self, message: str) -> None:
        super().__init__(
            f"{message}\n\nThis is a mistake in ontomask, not in your data; please report it "
            "with this message and the version (SECURITY.md says what not to send)."
        )


class OntomaskWarning(UserWarning):
    """Something was done that changes the result and that the caller may not expect."""


class BlocksChosenWarning(OntomaskWarning):
    """A table was planned in blocks, because planned as a whole it would not fit in memory."""


class ExtensionWarning(OntomaskWarning):
    """A method, distance, reader or measure of another package is left out."""


class SeveralRootsWarning(OntomaskWarning):
    """The taxonomy had several roots and was given a virtual one above them."""


class HeaderWarning(OntomaskWarning):
    """The first row of a table was taken for a header."""


class IndexReleasedWarning(OntomaskWarning):
    """A pandas index with a name, which may identify people, is part of what is released."""


class NearNeighboursWarning(OntomaskWarning):
    """Of very many tuples, each was compared with those close by, not with all."""


class NothingSwappedWarning(OntomaskWarning):
    """All records have the same values, so that swapping them changes nothing."""


class RenamedSettingWarning(OntomaskWarning, DeprecationWarning):
    """A setting of a method was given by its old name, which still works."""


class RepeatedIdentifierWarning(OntomaskWarning):
    """An identifier stands in several records, and the guarantee counts records, not people."""


class WeakProtectionWarning(OntomaskWarning):
    """A method that promises nothing left most records as they were, or easy to link."""


class StoppedEarlyWarning(OntomaskWarning):
    """A search was interrupted, and gave the best it had found so far."""


def quote_names(names: Iterable[object], most: int = 5) -> str:
    """Quote a few names for a message: ``'a', 'b' and 3 more``.

    >>> quote_names(["x", "y"]), quote_names("abcdefgh", most=3)
    ("'x', 'y'", "'a', 'b', 'c' and 5 more")
    """
    quotations = [repr(str(name)) for name in names]
    first = ", ".join(quotations[:most])
    return first if len(quotations) <= most else f"{first} and {len(quotations) - most:,} more"


def format_count(count: int, noun: str) -> str:
    """Format a count with its noun.

    >>> format_count(1, "value"), format_count(2000, "distinct value")
    ('1 value', '2,000 distinct values')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def check_choice(argument: str, value: object, *allowed: str) -> None:
    """Raise an error unless a setting is one of the allowed words."""
    if value not in allowed:
        choices = ", ".join(repr(word) for word in allowed)
        raise ParameterError(f"{argument} is {value!r}", f"it can be {choices}")


def raise_together(errors: Sequence[OntomaskError], mixed: type[OntomaskError]) -> None:
    """Raise several errors as one, of their kind or, where they differ, of another; if any."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        kinds = {type(error) for error in errors}
        kind = kinds.pop() if len(kinds) == 1 else mixed
        hints = {error.hint: error.advice for error in errors if error.hint}
        lines = [part for hint in hints.values() for part in ("\n", *hint.parts)]
        raise kind("\n".join(error.message for error in errors), Hint(*lines[1:]))
