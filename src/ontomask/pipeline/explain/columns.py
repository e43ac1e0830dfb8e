"""A quasi-identifier as a steward speaks of it: her values, their names, how far apart they are.

What she gives is looked for among the values that records hold, by whatever name the column knows
it; what is said of a value has the form of the column.
"""

from __future__ import annotations

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances
from ontomask.errors import OntomaskError, many
from ontomask.microdata.attributes import (
    FIXED,
    MISSING,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal
from ontomask.taxonomy import Concept, TermMap, map_terms
from ontomask.taxonomy.names import nearest

if TYPE_CHECKING:
    from ontomask.pipeline.mask import Release

__all__ = ["Numbers", "QuasiIdentifier", "Value", "Words", "columns_of", "number_words"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

_EPOCH = datetime.date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Value:
    """What stands in a cell: identifier, number, level or date, and how it is called.

    ``value`` is None for a missing or a blank one; ``words`` say which.
    """

    value: Any
    words: str

    @property
    def short(self) -> str:
        """The value without its name."""
        return self.words if self.value is None else str(self.value)


BLANK = Value(None, "blank")


class QuasiIdentifier(ABC):
    """One column: the values that records hold, by place, and the targets they may become."""

    name: str
    attribute: Attribute

    def said(self, target: float) -> Value:
        """A target as it is spoken of."""
        return BLANK if math.isnan(target) else self._said(target)

    def original(self, place: int) -> Value:
        """A value, by place, as it is spoken of."""
        return self.said(float(self.attribute.target_of(np.array([place]))[0]))

    def apart(self, target: float, places: Sequence[int] | Longs) -> Floats:
        """The distances from a target to some values, as masking sees them; a blank is at 1."""
        places = np.asarray(places, dtype=np.int64)
        return np.ones(len(places)) if math.isnan(target) else self._apart(target, places)

    @abstractmethod
    def _said(self, target: float) -> Value: ...

    @abstractmethod
    def _apart(self, target: float, places: Longs) -> Floats: ...

    @abstractmethod
    def places(self, given: Any) -> list[int]:
        """Where a value stands that somebody gives: several for a name that several have."""

    def below(self, given: Any) -> list[str]:
        """The values that are kinds of one that no record holds, the most frequent first."""
        return []

    @abstractmethod
    def near(self, given: Any) -> list[str]:
        """The values that are most like one that no record holds."""

    @abstractmethod
    def why(self, place: int, target: float) -> str:
        """The distance from a value to a target in words."""


def columns_of(release: Release) -> list[QuasiIdentifier]:
    """The quasi-identifiers of a release."""
    columns: list[QuasiIdentifier] = []
    attributes = release.transitions.tuples.attributes
    for column, attribute in zip(release.schema.quasi_identifiers, attributes, strict=True):
        if isinstance(attribute, NominalAttribute):
            assert isinstance(column, Nominal)
            terms, marks = release.mappings[column.column], release.schema.missing_marks
            columns.append(Words(column.column, attribute, column, terms, frozenset(marks)))
        else:
            assert isinstance(attribute, NumericalAttribute)
            assert not isinstance(column, Nominal)
            columns.append(Numbers(column.column, attribute, column))
    return columns


# ---------------------------------------------------------------------- words


@dataclass(frozen=True, eq=False)
class Words(QuasiIdentifier):
    """A column of concepts; ``terms`` say which text stood for which."""

    name: str
    attribute: NominalAttribute
    column: Nominal
    terms: TermMap
    marks: frozenset[str]

    def _said(self, target: float) -> Value:
        return self.concept(self.attribute.candidates[int(target)])

    def concept(self, concept: Concept) -> Value:
        """A concept by its identifier and its name."""
        if concept == MISSING:
            return Value(None, "missing")
        label = self.column.taxonomy.label(concept)
        return Value(concept, concept if label == concept else f"{concept} ({label})")

    @cached_property
    def _held(self) -> dict[Concept, int]:
        return {concept: place for place, concept in enumerate(self.attribute.values)}

    def places(self, given: Any) -> list[int]:
        if _is_missing(given) or str(given) in self.marks:
            return [len(self._held)] if self.attribute.size > len(self._held) else []
        known = self.terms.concepts.get(str(given))
        found = [known] if known is not None else self._mapped(str(given))
        return [self._held[concept] for concept in found if concept in self._held]

    def _mapped(self, text: str) -> Sequence[Concept]:
        """What the text would mean in the column; it may be a name that no cell held."""
        it = self.column
        try:
            (match,) = map_terms(
                [text],
                it.taxonomy,
                corrections=it.mapping,
                prefer=it.prefer,
                repair_codes=it.repair_codes,
                stems=it.stems,
                heads=it.heads,
            ).matches
        except (OntomaskError, ValueError):
            return ()
        return match.concepts

    def below(self, given: Any) -> list[str]:
        meant = set(self._mapped(str(given)))
        above = self.column.taxonomy.ancestors
        return [m.value for m in self.terms.matches if meant and meant & above(m.concepts[0])]

    def near(self, given: Any) -> list[str]:
        label = self.column.taxonomy.label
        names = dict.fromkeys(str(match.value) for match in self.terms.matches)
        names |= dict.fromkeys(label(concept) for concept in self.attribute.values)
        return nearest(str(given), names)

    def fixed(self, candidates: Sequence[int] | Longs, places: Longs) -> Longs:
        """Distances from each candidate (row) to each value (column), in fixed point."""
        concepts = [self.attribute.candidates[int(it)] for it in candidates]
        lacks = np.array([concept == MISSING for concept in concepts], dtype=bool)
        held = places < len(self._held)
        # Missing is as far from everything as can be.
        table = np.where(lacks[:, None] & ~held[None], 0.0, FIXED)
        if held.any() and not lacks.all():
            it = self.attribute
            rows = [concept for concept in concepts if concept != MISSING]
            columns = [it.values[place] for place in places[held].tolist()]
            between = Distances(it.domain, rows, columns, it.measure).table()
            table[np.ix_(~lacks, held)] = np.rint(between * FIXED)
        return table.astype(np.int64)

    def _apart(self, target: float, places: Longs) -> Floats:
        return np.asarray(self.fixed([int(target)], places)[0] / FIXED)

    def why(self, place: int, target: float) -> str:
        if math.isnan(target):
            return "suppressed, which counts as distance 1"
        original, masked = self.original(place), self.said(target)
        if original == masked:
            return "unchanged"
        if original.value is None or masked.value is None:
            return "missing is at distance 1 from every value"
        it = self.attribute
        found = it.domain.explain(masked.value, original.value, it.measure)
        formula = " ".join(line.strip() for line in found.text.split("\n")[3:])
        return f"most specific in common: {self.concept(found.lcs).words}; {formula}"


# ---------------------------------------------------------------------- numbers


@dataclass(frozen=True, eq=False)
class Numbers(QuasiIdentifier):
    """A column of numbers, levels or days."""

    name: str
    attribute: NumericalAttribute
    column: Numeric | Ordinal | Date

    def _said(self, target: float) -> Value:
        number = float(self.attribute.released(np.array([target]))[0])
        if isinstance(self.column, Ordinal):
            level = list(self.column.levels)[round(number)]
            value = level if isinstance(level, str | int | float) else str(level)
        elif isinstance(self.column, Date):
            value = _day(number).strftime(self.column.format or "%Y-%m-%d")
        elif self.attribute.decimals == 0:
            value = round(number)
        else:
            return Value(number, f"{number:.{self.attribute.decimals}f}")
        return Value(value, str(value))

    def _apart(self, target: float, places: Longs) -> Floats:
        if self.attribute.range == 0:
            return np.zeros(len(places))
        return np.asarray(np.abs(self.attribute.numbers[places] - target) / self.attribute.range)

    def places(self, given: Any) -> list[int]:
        number = self._number(given)
        if number is None:
            return []
        return [int(place) for place in np.flatnonzero(self.attribute.numbers == number)]

    def _number(self, given: Any) -> float | None:
        """What was given on the scale of the column; None where it has no place there."""
        given = given.item() if isinstance(given, np.generic) else given
        if _is_missing(given):
            return None
        if isinstance(self.column, Ordinal):
            levels = list(self.column.levels)
            texts = [str(level) for level in levels]
            if given in levels:
                return float(levels.index(given))
            return float(texts.index(str(given))) if str(given) in texts else None
        try:
            if isinstance(self.column, Date):
                return self._days(given)
            number = math.nan if isinstance(given, bool) else float(given)
        except (TypeError, ValueError):
            return None
        return number if math.isfinite(number) else None

    def _days(self, given: Any) -> float:
        if isinstance(given, datetime.date):
            return float(given.toordinal() - _EPOCH)
        text = str(given).strip()
        form = getattr(self.column, "format", None) or "%Y-%m-%d"
        try:
            day = datetime.datetime.strptime(text, form).date()
        except ValueError:
            day = datetime.date.fromisoformat(text)
        return float(day.toordinal() - _EPOCH)

    def near(self, given: Any) -> list[str]:
        number = self._number(given)
        if isinstance(self.column, Ordinal):
            held = [self.original(place).words for place in range(self.attribute.size)]
            return nearest(str(given), held) or held[:3]
        if number is None:
            return []
        after = int(np.searchsorted(self.attribute.numbers, number))
        beside = [place for place in (after - 1, after) if 0 <= place < self.attribute.size]
        return [self.original(place).words for place in beside]

    def why(self, place: int, target: float) -> str:
        if math.isnan(target):
            return "suppressed, which counts as distance 1"
        before = float(self.attribute.numbers[place])
        after = float(self.attribute.released(np.array([target]))[0])
        if before == after:
            return "unchanged"
        least, most = self.original(0).words, self.original(self.attribute.size - 1).words
        size = abs(after - before)
        if isinstance(self.column, Ordinal):
            moved = f"{many(round(size), 'level')} {'higher' if after > before else 'lower'}"
        elif isinstance(self.column, Date):
            moved = f"{many(round(size), 'day')} {'later' if after > before else 'earlier'}"
        else:
            moved = f"{number_words(size)} {'more' if after > before else 'less'}"
        return f"{moved}, on a range from {least} to {most}"


def number_words(number: float) -> str:
    """A number with a few digits, and none that say nothing.

    >>> number_words(14.0), number_words(0.25), number_words(1234.5678)
    ('14', '0.25', '1,234.568')
    """
    return f"{number:,.3f}".rstrip("0").rstrip(".") if abs(number) >= 0.001 else f"{number:.3g}"


def _day(number: float) -> datetime.date:
    return datetime.date.fromordinal(round(number) + _EPOCH)


def _is_missing(given: Any) -> bool:
    """None, NaN and their kin, and the empty text of a command line."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return True
    try:
        return bool(given != given)  # NaN and NaT are unlike themselves
    except (TypeError, ValueError):
        return type(given).__name__ == "NAType"
