"""A quasi-identifier in the words of its user: its values, their names and their distances.

A value is looked up among the values of the records, by any name that the column knows. Values are
shown in the form that the column has.
"""

from __future__ import annotations

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, distance
from ontomask.errors import InternalError, OntomaskError, format_count
from ontomask.microdata.attributes import (
    FIXED_POINT_ONE,
    MISSING,
    MISSING_NUMBER,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
    number_distances,
)
from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal
from ontomask.microdata.sets import match_sets
from ontomask.microdata.sets.set_concepts import deepest_set, has_sets, members_of
from ontomask.taxonomy import Concept, TermMap, map_terms
from ontomask.taxonomy.names import closest_names
from ontomask.taxonomy.terms import MATCHING_SETTINGS

__all__ = [
    "NumericQuasiIdentifier",
    "QuasiIdentifier",
    "CellValue",
    "NominalQuasiIdentifier",
    "make_quasi_identifier",
    "format_number",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

ColumnKind = Nominal | Numeric | Ordinal | Date

FAR_FROM_MISSING = "a missing value is at distance 1 from every value"

_EPOCH = datetime.date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class CellValue:
    """What stands in a cell: identifier, number, level or date, and how it is called.

    ``value`` is None for a missing or a blank one; ``words`` say which.
    """

    value: Any
    words: str

    @property
    def short(self) -> str:
        """The value without its name."""
        return self.words if self.value is None else str(self.value)


BLANK = CellValue(None, "blank")
MISSING_CELL = CellValue(None, "missing")
LOST = CellValue(None, "lost: the released set does not say it")


class QuasiIdentifier(ABC):
    """One column: the values that records hold, by place, and the targets they may become."""

    name: str
    attribute: Attribute

    def describe_target(self, target: float) -> CellValue:
        """Describe a target: its value and its name."""
        return BLANK if math.isnan(target) else self._describe_target(target)

    def original(self, place: int) -> CellValue:
        """Describe an original value, by place."""
        return self.describe_target(float(self.attribute.target_of(np.array([place]))[0]))

    def apart(self, target: float, places: Sequence[int] | Longs) -> Floats:
        """The distances from a target to some values, as masking sees them; a blank is at 1."""
        places = np.asarray(places, dtype=np.int64)
        return np.ones(len(places)) if math.isnan(target) else self._distances_from(target, places)

    @abstractmethod
    def _describe_target(self, target: float) -> CellValue: ...

    @abstractmethod
    def _distances_from(self, target: float, places: Longs) -> Floats: ...

    @abstractmethod
    def places(self, value: Any) -> list[int]:
        """Find the places of a value or of a name; a name may have several."""

    def find_in_sets(self, value: Any) -> tuple[CellValue, list[int]] | None:
        """The concept of a value of sets, and the places of the sets that hold it."""
        return None

    def value_after(self, concept: Concept, target: float) -> tuple[CellValue, float]:
        """What a value of a set became when its set became a target, and how far that is."""
        raise InternalError(f"column {self.name!r} has no sets")

    def below(self, value: Any) -> list[str]:
        """The values that are kinds of one that no record holds, the most frequent first."""
        return []

    @abstractmethod
    def near(self, value: Any) -> list[str]:
        """The values that are most like one that no record holds."""

    @abstractmethod
    def explain_distance(self, place: int, target: float) -> str:
        """Explain the distance from a value to a target in words."""


def make_quasi_identifier(
    column: ColumnKind, attribute: Attribute, terms: TermMap | None, marks: frozenset[str]
) -> QuasiIdentifier:
    """A quasi-identifier of the schema with its attribute; of words also the ``terms``.

    ``marks`` are texts that stand for a missing value.
    """
    if isinstance(attribute, NominalAttribute):
        assert isinstance(column, Nominal)
        assert terms is not None
        return NominalQuasiIdentifier(column.column, attribute, column, terms, marks)
    assert isinstance(attribute, NumericalAttribute)
    assert not isinstance(column, Nominal)
    return NumericQuasiIdentifier(column.column, attribute, column, marks)


# ---------------------------------------------------------------------- words


@dataclass(frozen=True, eq=False)
class NominalQuasiIdentifier(QuasiIdentifier):
    """A column of concepts; ``terms`` say which text stood for which."""

    name: str
    attribute: NominalAttribute
    column: Nominal
    terms: TermMap
    marks: frozenset[str]

    def _describe_target(self, target: float) -> CellValue:
        return self.concept(self.attribute.candidates[int(target)])

    def concept(self, concept: Concept) -> CellValue:
        """A concept by its identifier and its name."""
        if concept == MISSING:
            return MISSING_CELL
        label = self.attribute.domain.label(concept)
        return CellValue(concept, concept if label == concept else f"{concept} ({label})")

    @cached_property
    def _place_of_concept(self) -> dict[Concept, int]:
        return {concept: place for place, concept in enumerate(self.attribute.values)}

    def places(self, value: Any) -> list[int]:
        if _is_missing(value) or str(value) in self.marks:
            last = len(self._place_of_concept)
            return [last] if self.attribute.size > last else []
        concepts = self._find_concepts(value)
        return [
            self._place_of_concept[concept]
            for concept in concepts
            if concept in self._place_of_concept
        ]

    def _find_concepts(self, value: Any) -> Sequence[Concept]:
        """The concepts that a value means: of a set, that of the concepts it holds."""
        if isinstance(self.column, NominalSet) and str(value) not in self._place_of_concept:
            parts = [self._find_part(part) for part in self.column.read_cell(value)]
            return [deepest_set(self.column.taxonomy, {c for found in parts for c in found})]
        return self._find_part(value)

    def find_in_sets(self, value: Any) -> tuple[CellValue, list[int]] | None:
        if not isinstance(self.column, NominalSet) or not isinstance(value, str):
            return None
        if self.column.separator in value:  # a whole set, of one value too
            return None
        concepts = self._find_part(value.strip())
        if len(concepts) != 1:
            return None
        (concept,) = concepts
        sets = enumerate(self.attribute.values)
        places = [place for place, name in sets if concept in members_of(name)]
        return (self.concept(concept), places) if places else None

    def value_after(self, concept: Concept, target: float) -> tuple[CellValue, float]:
        became = self.describe_target(target)
        if became.value is None:
            return became, 1.0
        domain, members = self.attribute.domain, members_of(became.value)
        if any(concept in domain.ancestors(member) for member in members):
            return self.concept(concept), 0.0
        above = (domain.ancestors(concept) - {domain.root}) & set(members)
        if not above:
            return LOST, 1.0
        nearest = min(above, key=lambda name: (-domain.depth(name), name))
        return self.concept(nearest), distance(domain, concept, nearest)

    def _find_part(self, value: Any) -> Sequence[Concept]:
        mapped = self.terms.concepts.get(str(value))
        return [mapped] if mapped is not None else self._map_text(str(value))

    def _map_text(self, text: str) -> Sequence[Concept]:
        """The concepts that a text means in the column, even where no cell held it."""
        column = self.column
        try:
            (match,) = map_terms(
                [text],
                column.taxonomy,
                corrections=column.mapping,
                **{name: getattr(column, name) for name in MATCHING_SETTINGS},
            ).matches
        except (OntomaskError, ValueError):
            return ()
        return match.concepts

    def below(self, value: Any) -> list[str]:
        concepts = set(self._map_text(str(value)))
        above = self.column.taxonomy.ancestors
        return [m.value for m in self.terms.matches if concepts and concepts & above(m.concepts[0])]

    def near(self, value: Any) -> list[str]:
        label = self.attribute.domain.label
        names = dict.fromkeys(str(match.value) for match in self.terms.matches)
        names |= dict.fromkeys(label(concept) for concept in self.attribute.values)
        return closest_names(str(value), names)

    def fixed_point_distances(self, candidates: Sequence[int] | Longs, places: Longs) -> Longs:
        """Distances from each candidate (row) to each value (column), in fixed point."""
        concepts = [self.attribute.candidates[int(number)] for number in candidates]
        is_missing = np.array([concept == MISSING for concept in concepts], dtype=bool)
        is_concept = places < len(self._place_of_concept)
        # Missing is as far from everything as can be.
        table = np.where(is_missing[:, None] & ~is_concept[None], 0.0, FIXED_POINT_ONE)
        if is_concept.any() and not is_missing.all():
            attribute = self.attribute
            rows = [concept for concept in concepts if concept != MISSING]
            columns = [attribute.values[place] for place in places[is_concept].tolist()]
            between = Distances(attribute.domain, rows, columns, attribute.measure).table()
            table[np.ix_(~is_missing, is_concept)] = np.rint(between * FIXED_POINT_ONE)
        return table.astype(np.int64)

    def _distances_from(self, target: float, places: Longs) -> Floats:
        return np.asarray(self.fixed_point_distances([int(target)], places)[0] / FIXED_POINT_ONE)

    def explain_distance(self, place: int, target: float) -> str:
        if math.isnan(target):
            return "suppressed; counts as distance 1"
        original, masked = self.original(place), self.describe_target(target)
        if original == masked:
            return "unchanged"
        if original.value is None or masked.value is None:
            return FAR_FROM_MISSING
        attribute = self.attribute
        explanation = attribute.domain.explain(masked.value, original.value, attribute.measure)
        formula = " ".join(explanation.formula)
        if has_sets(attribute):
            return f"{self._match_members(original.value, masked.value)}; {formula}"
        return f"least common subsumer: {self.concept(explanation.lcs).words}; {formula}"

    def _match_members(self, original: Concept, masked: Concept) -> str:
        """Say which concept of a set became which of another, as near ones as possible."""
        before, after = members_of(original), members_of(masked)
        between = Distances(self.attribute.domain, before, after)
        table = np.asarray(between.table(), dtype=np.float64)
        partners = [after[p] if p >= 0 else None for p in match_sets(table).partner.tolist()]
        label = self.attribute.domain.label
        words = [
            f"{label(one)} was removed"
            if other is None
            else f"{label(one)} {'stayed' if one == other else f'became {label(other)}'}"
            for one, other in zip(before, partners, strict=True)
        ]
        words += [f"{label(other)} was added" for other in after if other not in partners]
        return ", ".join(words)


# ---------------------------------------------------------------------- numbers


@dataclass(frozen=True, eq=False)
class NumericQuasiIdentifier(QuasiIdentifier):
    """A column of numbers, levels or days."""

    name: str
    attribute: NumericalAttribute
    column: Numeric | Ordinal | Date
    marks: frozenset[str]

    def _describe_target(self, target: float) -> CellValue:
        if target == MISSING_NUMBER:
            return MISSING_CELL
        number = float(self.attribute.round_targets(np.array([target]))[0])
        if isinstance(self.column, Ordinal):
            level = list(self.column.levels)[round(number)]
            value = level if isinstance(level, str | int | float) else str(level)
        elif isinstance(self.column, Date):
            value = _date_of_day(number).strftime(self.column.format or "%Y-%m-%d")
        elif self.attribute.decimals == 0:
            value = round(number)
        else:
            return CellValue(number, f"{number:.{self.attribute.decimals}f}")
        return CellValue(value, str(value))

    def _distances_from(self, target: float, places: Longs) -> Floats:
        numbers = self.attribute.numbers[places]
        return number_distances(numbers, np.float64(target), self.attribute.range)

    def places(self, value: Any) -> list[int]:
        number = self._to_number(value)
        if _is_missing(value) or str(value) in self.marks:
            number = MISSING_NUMBER
        if number is None:
            return []
        return [int(place) for place in np.flatnonzero(self.attribute.numbers == number)]

    def _to_number(self, value: Any) -> float | None:
        """A value on the scale of the column; None where it has no place there."""
        value = value.item() if isinstance(value, np.generic) else value
        if _is_missing(value):
            return None
        if isinstance(self.column, Ordinal):
            levels = list(self.column.levels)
            texts = [str(level) for level in levels]
            if value in levels:
                return float(levels.index(value))
            return float(texts.index(str(value))) if str(value) in texts else None
        try:
            if isinstance(self.column, Date):
                return self._to_days(value)
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            return None
        return number if math.isfinite(number) else None

    def _to_days(self, value: Any) -> float:
        if isinstance(value, datetime.date):
            return float(value.toordinal() - _EPOCH)
        text = str(value).strip()
        form = getattr(self.column, "format", None) or "%Y-%m-%d"
        try:
            day = datetime.datetime.strptime(text, form).date()
        except ValueError:
            day = datetime.date.fromisoformat(text)
        return float(day.toordinal() - _EPOCH)

    def near(self, value: Any) -> list[str]:
        number = self._to_number(value)
        if isinstance(self.column, Ordinal):
            places = range(len(self.attribute.known_numbers))
            level_names = [self.original(place).words for place in places]
            return closest_names(str(value), level_names) or level_names[:3]
        if number is None:
            return []
        known = self.attribute.known_numbers
        after = int(np.searchsorted(known, number))
        neighbours = [place for place in (after - 1, after) if 0 <= place < len(known)]
        return [self.original(place).words for place in neighbours]

    def explain_distance(self, place: int, target: float) -> str:
        if math.isnan(target):
            return "suppressed; counts as distance 1"
        before = float(self.attribute.numbers[place])
        after = float(self.attribute.round_targets(np.array([target]))[0])
        if before == after:
            return "unchanged"
        if MISSING_NUMBER in (before, after):
            return FAR_FROM_MISSING
        last = len(self.attribute.known_numbers) - 1
        least, most = self.original(0).words, self.original(last).words
        size = abs(after - before)
        if isinstance(self.column, Ordinal):
            change = (
                f"{format_count(round(size), 'level')} {'higher' if after > before else 'lower'}"
            )
        elif isinstance(self.column, Date):
            change = (
                f"{format_count(round(size), 'day')} {'later' if after > before else 'earlier'}"
            )
        else:
            change = f"{format_number(size)} {'more' if after > before else 'less'}"
        return f"{change}, on a range from {least} to {most}"


def format_number(number: float) -> str:
    """Format a number with up to three decimals, without trailing zeros.

    >>> format_number(14.0), format_number(0.25), format_number(1234.5678)
    ('14', '0.25', '1,234.568')
    """
    return f"{number:,.3f}".rstrip("0").rstrip(".") if abs(number) >= 0.001 else f"{number:.3g}"


def _date_of_day(number: float) -> datetime.date:
    return datetime.date.fromordinal(round(number) + _EPOCH)


def _is_missing(value: Any) -> bool:
    """None, NaN and their kin, and the empty text of a command line."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # NaN and NaT are unlike themselves
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"
