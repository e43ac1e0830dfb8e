"""All errors and warnings, as a tree.

::

    OntomaskError                      an error that the caller can fix
    ├── TaxonomyError                  the is-a graph is not valid
    │   ├── CycleError                 the links between concepts form a cycle
    │   ├── EmptyTaxonomyError         the taxonomy has no concepts
    │   ├── UndeclaredParentError      a parent is not declared as a concept
    │   ├── DuplicateConceptError      two concepts have the same identifier
    │   └── SeveralParentsError        the format needs a tree, and a concept has two parents
    ├── FileFormatError                a file cannot be read or written
    ├── UnknownTaxonomyError           no bundled taxonomy or file has this name
    ├── UnknownConceptError            the taxonomy does not contain this concept
    ├── UnknownValueError              values cannot be mapped to a concept
    ├── UnknownMeasureError            no distance has this name
    ├── SchemaError                    the schema is not valid, or does not fit the table
    ├── SpecError                      a release file is not valid
    ├── ColumnError                    the values of a column do not fit its type or role
    ├── RequirementNotMet              a release does not meet the requirements of its file
    ├── BlockError                     a block of the table could not be planned
    ├── ExtensionError                 an extension of another package cannot be used
    └── ParameterError                 an argument is not valid
    InternalError                      a bug in ontomask; please report it

    OntomaskWarning
    ├── BlocksChosenWarning            a table was planned in blocks to save memory
    ├── ExtensionWarning               an extension of another package was ignored
    ├── SeveralRootsWarning            a virtual root was added above several roots
    ├── HeaderWarning                  the first row was read as a header
    ├── FormulaWarning                 a spreadsheet may run cells of a written file
    ├── IndexRemovedWarning            the pandas index of a table is not released
    ├── LanguageWarning                no label is in the language that was asked for
    ├── LookAlikeWarning               sensitive values or people differ only in spelling
    ├── NearNeighboursWarning          the search for the nearest values was approximate
    ├── NothingSwappedWarning          all records are equal, so swapping changes nothing
    ├── RenamedSettingWarning          a setting of a method was given by its old name
    ├── RepeatedIdentifierWarning      a person seems to have several records
    ├── ShortSeedWarning               a seed is so short that others can find it
    ├── StoppedEarlyWarning            a search was interrupted and returned its best result
    └── WeakProtectionWarning          a method without a guarantee protects little

Every message says what is wrong, where, and what to do. A message may quote a few values but never
a whole record.
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
    "FormulaWarning",
    "HeaderWarning",
    "IndexRemovedWarning",
    "InternalError",
    "LanguageWarning",
    "LookAlikeWarning",
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
    "ShortSeedWarning",
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
    "format_people",
    "format_percent",
    "check_choice",
    "quote_choices",
    "quote_names",
]


class Placeholder(str):
    """Text in place of a value that only the user knows; it is shown without quotes."""

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
    """What to do about an error: text, and settings that each interface writes in its own syntax.

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
        """The hint for somebody who calls a function."""
        return "".join(part if isinstance(part, str) else part.python for part in self.parts)

    @property
    def yaml(self) -> str:
        """The hint for somebody who writes a release file."""
        return "".join(part if isinstance(part, str) else part.yaml for part in self.parts)

    @property
    def settings(self) -> dict[str, object]:
        """The settings that the hint proposes, by name."""
        return {part.name: part.value for part in self.parts if isinstance(part, Setting)}


class OntomaskError(Exception):
    """An error that the caller can fix.

    ``message`` says what is wrong and where, ``hint`` what to do; ``advice`` is the same hint with
    its settings separate from its text.
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
        """The same error with its hint in the syntax of release files."""
        return type(self)(self.message, self.advice.yaml)


class TaxonomyError(OntomaskError):
    """The is-a graph is not valid."""


class CycleError(TaxonomyError):
    """The links between concepts form a cycle: a concept is its own ancestor."""


class EmptyTaxonomyError(TaxonomyError):
    """The taxonomy has no concepts."""


class UndeclaredParentError(TaxonomyError):
    """A parent is not declared as a concept."""


class DuplicateConceptError(TaxonomyError):
    """Two concepts have the same identifier."""


class SeveralParentsError(TaxonomyError):
    """The format needs a tree, and a concept has more than one parent."""


class FileFormatError(OntomaskError):
    """A file cannot be read or written: file, line and reason."""


class UnknownTaxonomyError(OntomaskError):
    """No bundled taxonomy or file has this name."""


class UnknownConceptError(OntomaskError, KeyError):
    """The taxonomy does not contain this concept."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class UnknownValueError(OntomaskError):
    """Values cannot be mapped to a concept; listed with their counts."""


class UnknownMeasureError(OntomaskError):
    """No distance has this name."""


class SchemaError(OntomaskError):
    """The schema is not valid, or does not fit the table; all problems are listed."""


class SpecError(OntomaskError):
    """A release file is not valid; all problems are listed with field and line."""


class RequirementNotMet(OntomaskError):
    """A release does not meet the requirements of its file; nothing was released."""


class BlockError(OntomaskError):
    """A block of the table could not be planned."""


class ExtensionError(OntomaskError):
    """A method, distance, reader or measure of another package cannot be used."""


class ColumnError(OntomaskError):
    """The values of a column do not fit its type or role: missing, infinite or of another type."""


class ParameterError(OntomaskError, ValueError):
    """An argument is not valid, or not valid together with the others."""


class InternalError(Exception):
    """A bug in ontomask."""

    def __init__(self, message: str) -> None:
        super().__init__(
            f"{message}\n\nThis is a bug in ontomask, not an error in your data. Please report it "
            "with this message and the version; SECURITY.md lists what not to send."
        )


class OntomaskWarning(UserWarning):
    """Something that the caller may not expect changed the result."""


class BlocksChosenWarning(OntomaskWarning):
    """A table was planned in blocks, because planning it as a whole needs too much memory."""


class ExtensionWarning(OntomaskWarning):
    """A method, distance, reader or measure of another package was ignored."""


class SeveralRootsWarning(OntomaskWarning):
    """The taxonomy has several roots; a virtual root was added above them."""


class HeaderWarning(OntomaskWarning):
    """The first row of a table was read as a header."""


class FormulaWarning(OntomaskWarning):
    """Cells of a written CSV file may be run as formulas by a spreadsheet."""


class IndexRemovedWarning(OntomaskWarning):
    """The pandas index of a table is not released, because it has no role."""


class LanguageWarning(OntomaskWarning):
    """No label of a taxonomy is in the language that was asked for."""


class LookAlikeWarning(OntomaskWarning):
    """Values of a sensitive or person column differ only in case, spaces or another spelling."""


class NearNeighboursWarning(OntomaskWarning):
    """Each combination of values was compared with similar ones only, not with all."""


class NothingSwappedWarning(OntomaskWarning):
    """All records have the same values, so swapping changes nothing."""


class RenamedSettingWarning(OntomaskWarning, DeprecationWarning):
    """A setting of a method was given by its old name, which still works."""


class RepeatedIdentifierWarning(OntomaskWarning):
    """An identifier occurs in several records, and the guarantee counts records, not people."""


class ShortSeedWarning(OntomaskWarning):
    """A seed is so short that others can find it by trying; it is for experiments only."""


class WeakProtectionWarning(OntomaskWarning):
    """A method without a guarantee left most records unchanged or easy to link."""


class StoppedEarlyWarning(OntomaskWarning):
    """A search was interrupted and returned the best result so far."""


def quote_names(names: Iterable[object], most: int = 5) -> str:
    """Quote a few names for a message: ``'a', 'b' and 3 more``.

    >>> quote_names(["x", "y"]), quote_names("abcdefgh", most=3)
    ("'x', 'y'", "'a', 'b', 'c' and 5 more")
    """
    quotations = [repr(str(name)) for name in names]
    first = ", ".join(quotations[:most])
    return first if len(quotations) <= most else f"{first} and {len(quotations) - most:,} more"


def quote_choices(words: Iterable[object]) -> str:
    """Quote the words that an argument accepts: ``'a', 'b' or 'c'``.

    >>> quote_choices(["blank", "drop"]), quote_choices(["csv"])
    ("'blank' or 'drop'", "'csv'")
    """
    *others, last = [repr(str(word)) for word in words]
    return f"{', '.join(others)} or {last}" if others else last


#: Where there is no figure.
NOT_AVAILABLE = "not available"


def format_count(count: int, noun: str) -> str:
    """Format a count with its noun.

    >>> format_count(1, "value"), format_count(2000, "distinct value")
    ('1 value', '2,000 distinct values')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def format_percent(share: float | None) -> str:
    """Format a share in percent; only nothing and everything are 0 % and 100 %.

    >>> [format_percent(share) for share in (0.1234, 1.0, 0.9999, 0.0001, None)]
    ['12.3 %', '100 %', 'above 99.9 %', 'below 0.1 %', 'not available']
    """
    if share is None:
        return NOT_AVAILABLE
    if abs(share - round(share)) < 1e-9:  # but for what adding up has lost
        return f"{100 * round(share)} %"
    if 0 < share < 0.0005:
        return "below 0.1 %"
    if 0.9995 < share < 1:
        return "above 99.9 %"
    return f"{100 * share:.1f} %"


def format_people(count: int) -> str:
    """Format a number of people.

    >>> format_people(1), format_people(2000)
    ('1 person', '2,000 people')
    """
    return f"{count:,} {'person' if count == 1 else 'people'}"


def check_choice(argument: str, value: object, *allowed: str) -> None:
    """Raise an error unless an argument is one of the allowed words."""
    if value not in allowed:
        raise ParameterError(f"{argument} must be {quote_choices(allowed)}, got {value!r}")


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
