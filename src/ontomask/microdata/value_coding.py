"""From what stands in a quasi-identifier's cells to an attribute and codes, and back.

What is written back has one form per concept, whatever the cells held: the identifier where most
records held identifiers, otherwise the preferred label; where that is a name of several concepts,
with the identifier in parentheses. Concepts are text, so a nominal column of another type comes
back as text.
"""

from __future__ import annotations

import datetime
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import (
    ColumnError,
    Hint,
    OntomaskError,
    Setting,
    UnknownValueError,
    format_count,
)
from ontomask.microdata.attributes import (
    MISSING_NUMBER,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.missing_values import MISSING, NominalOrMissing
from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal
from ontomask.microdata.sets import ConceptSets, reduce_to_deepest
from ontomask.microdata.sets.matching_measure import MEASURES_OF_SETS
from ontomask.microdata.sets.set_concepts import (
    add_sets,
    find_unfit_names,
    members_of,
    name_sets,
)
from ontomask.microdata.sets.spread_sets import spread_over_columns
from ontomask.taxonomy import Concept, Taxonomy, TermMap, map_terms
from ontomask.taxonomy.terms import MATCHING_SETTINGS, resolve_corrections

__all__ = ["CodedColumn", "code_column", "concepts_of_masked", "terms_of"]

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: No number is written with more decimals than this.
MOST_DECIMALS = 10


class CodedColumn(ABC):
    """A quasi-identifier as an attribute, the codes of the records, and the way back.

    ``terms`` say how words found their concepts.
    """

    attribute: Attribute
    codes: Longs
    terms: TermMap | None = None

    @property
    def renamed(self) -> int:
        """Number of records whose value is not spelt as its concept is released."""
        return 0

    def with_attribute(self, attribute: Attribute) -> CodedColumn:
        """The same column with another attribute that has the same values."""
        return replace(self, attribute=attribute)  # type: ignore[type-var]

    @property
    def most_members(self) -> int | None:
        """How many concepts a released set may hold at most; None for any number."""
        return None

    @abstractmethod
    def output_column(self, targets: Floats) -> OutputColumn:
        """The released column for the target of each record; NaN is a blank cell."""

    def output_columns(self, targets: Floats) -> Mapping[str, OutputColumn]:
        """The same as columns of the table."""
        return {self.attribute.name: self.output_column(targets)}


@dataclass(frozen=True, eq=False)
class _CodedNominal(CodedColumn):
    attribute: NominalAttribute
    codes: Longs
    forms: OutputForms
    terms: TermMap | None = None
    blank: str | None = None

    @property
    def renamed(self) -> int:
        return sum(
            match.count
            for match in (self.terms.matches if self.terms is not None else ())
            if match.concept is not None
            if self.forms.get(match.concept) != match.value
        )

    def output_column(self, targets: Floats) -> OutputColumn:
        candidates = self.attribute.candidates
        blank = np.array([*(concept == MISSING for concept in candidates), True])
        places = np.where(np.isnan(targets), len(candidates), targets).astype(np.int64)
        used, places = np.unique(np.where(blank[places], -1, places), return_inverse=True)
        if len(used) and used[0] < 0:
            used, places = used[1:], places - 1
        values = [self.write(candidates[place]) for place in used]
        return OutputColumn(*_write_blanks(values, places, self.blank), text=True)

    def write(self, concept: Concept) -> Any:
        """A concept as it is released."""
        return self.forms.get(concept)


@dataclass(frozen=True, eq=False)
class _CodedNumbers(CodedColumn):
    attribute: NumericalAttribute
    codes: Longs
    value_of: Callable[[float], Any]
    blank: Any = None

    def output_column(self, targets: Floats) -> OutputColumn:
        has_number = np.isfinite(targets)
        numbers, number_places = np.unique(
            self.attribute.round_targets(targets[has_number]), return_inverse=True
        )
        values = [self.value_of(number) for number in numbers.tolist()]
        places = np.full(len(targets), -1, dtype=np.int64)
        places[has_number] = number_places
        return OutputColumn(*_write_blanks(values, places, self.blank))


def _write_blanks(values: list[Any], places: Longs, blank: Any) -> tuple[list[Any], Longs]:
    """Values and places with the mark of a missing value at -1, where there is one."""
    if blank is None or not (places < 0).any():
        return values, places
    return [*values, blank], np.where(places < 0, len(values), places)


def code_column(
    column: Nominal | Numeric | Ordinal | Date,
    distinct: DistinctValues,
    missing: str,
    also: Sequence[Concept] = (),
) -> CodedColumn:
    """Code a column as an attribute; each of its distinct values is held by some record.

    ``also`` are more concepts that must be in the domain of a nominal one.
    """
    if isinstance(column, NominalSet):
        return _code_sets(column, distinct, missing == "category", also)
    nested = [value for value in distinct.values if isinstance(value, list | dict | np.ndarray)]
    if nested:
        raise ColumnError(
            f"column {column.column!r} must have one value per record, got "
            f"{type(nested[0]).__name__} values",
            "split the column first",
        )
    if isinstance(column, Nominal):
        return _code_nominal(column, distinct, missing == "category", also)
    if isinstance(column, Numeric):
        return _code_numeric(column, distinct)
    if isinstance(column, Ordinal):
        return _code_ordinal(column, distinct)
    return _code_date(column, distinct)


# ---------------------------------------------------------------------- words


def _code_nominal(
    column: Nominal, distinct: DistinctValues, category: bool, also: Sequence[Concept]
) -> CodedColumn:
    terms = _map_all_terms(column, distinct)
    known = terms.concepts
    concepts = [known[str(value)] for value in distinct.values]
    domain = _choose_domain(column, concepts, distinct, also)
    values = sorted(set(concepts))
    place = {value: number for number, value in enumerate(values)}
    with_missing = category and bool((distinct.codes < 0).any())
    # -1, the missing, finds the last entry.
    codes = np.array([*(place[concept] for concept in concepts), len(values)], dtype=np.int64)
    kind = NominalOrMissing if with_missing else NominalAttribute
    attribute = kind(column.column, domain, values, column.distance_measure, float(column.weight))
    forms = _choose_forms(column.taxonomy, terms)
    blank = None if distinct.blank is None else str(distinct.blank)
    return _CodedNominal(attribute, codes[distinct.codes], forms, terms, blank)


def concepts_of_masked(column: Nominal, distinct: DistinctValues) -> list[Concept]:
    """The concepts of the distinct values of a masked column, which are not in another coding."""
    terms = terms_of(column, distinct, is_masked=True)
    known = terms.require_all(column.column, argument="mapping").concepts
    if isinstance(column, NominalSet):
        return _name_cells(column, [column.read_cell(value) for value in distinct.values], known)
    return [known[str(value)] for value in distinct.values]


def terms_of(column: Nominal, distinct: DistinctValues, *, is_masked: bool = False) -> TermMap:
    """Map the values of a column to concepts; some may have none.

    Values of a masked column are names in the taxonomy, and only then codes of the crosswalk.
    """
    if isinstance(column, NominalSet):
        distinct = _count_parts(
            [column.read_cell(value) for value in distinct.values], distinct.counts
        )
    return _terms_of_parts(column, distinct, is_masked)


def _terms_of_parts(column: Nominal, distinct: DistinctValues, is_masked: bool = False) -> TermMap:
    if any(isinstance(value, float) for value in distinct.values):
        raise ColumnError(
            f"{_describe_need(column, 'text')}, got numbers with a decimal point",
            "codes that are read as numbers lose their zeros: read the column as text (dtype=str)",
        )
    counts: Counter[Any] = Counter()
    for value, count in zip(distinct.values, distinct.counts.tolist(), strict=True):
        counts[value] += count
    try:
        terms = map_terms(
            counts,
            column.taxonomy,
            corrections=resolve_corrections(column.mapping, column.taxonomy, "mapping"),
            **{name: getattr(column, name) for name in MATCHING_SETTINGS},
        )
        if column.value_crosswalk is None:
            return terms
        return column.value_crosswalk.translate(terms, names_first=is_masked)
    except OntomaskError as error:
        raise error.with_message(f"column {column.column!r}: {error.message}") from None


def _map_all_terms(column: Nominal, distinct: DistinctValues) -> TermMap:
    return terms_of(column, distinct).require_all(column.column, argument="mapping")


def _choose_domain(
    column: Nominal, concepts: Sequence[Concept], distinct: DistinctValues, also: Sequence[Concept]
) -> Taxonomy:
    if column.domain == "taxonomy" or not (concepts or also):
        return column.taxonomy
    if column.domain == "lcs":
        return column.taxonomy.domain([*concepts, *also])
    domain = column.taxonomy.domain(root=column.domain)
    counts = zip(distinct.values, concepts, distinct.counts.tolist(), strict=True)
    outside = [(value, count) for value, concept, count in counts if concept not in domain]
    outside += [(concept, 1) for concept in set(also) - set(concepts) if concept not in domain]
    if outside:
        raise UnknownValueError(
            f"{_format_value_count(outside, column.column)} not below {column.domain!r}, "
            f"the domain:\n  {_list_values(outside)}",
            Hint("use a more general concept, or ", Setting("domain", "lcs"), " or 'taxonomy'"),
        )
    return domain


@dataclass(frozen=True, eq=False)
class OutputForms:
    """How concepts are released: one form for each, which :func:`map_terms` reads again.

    By label, a concept whose label is a name of another concept has its identifier in parentheses.
    """

    taxonomy: Taxonomy
    by_label: bool

    def get(self, concept: Concept) -> str:
        """The released form of a concept; what is none, such as a missing value, stays."""
        if not self.by_label or concept not in self.taxonomy:
            return concept
        label = self.taxonomy.label(concept)
        if label == concept:
            return concept
        match = self.taxonomy.names.find(label)
        is_unique = match is not None and match.codes == (self.taxonomy.code(concept),)
        return label if is_unique else f"{label} ({concept})"


def _choose_forms(taxonomy: Taxonomy, terms: TermMap) -> OutputForms:
    """Identifiers if most records have codes, labels otherwise."""
    identifiers = sum(match.count for match in terms.matches if match.by_code)
    return OutputForms(taxonomy, identifiers * 2 <= sum(match.count for match in terms.matches))


def _format_value_count(values: Sequence[Any], column: str) -> str:
    verb = "is" if len(values) == 1 else "are"
    return f"{format_count(len(values), 'value')} of column {column!r} {verb}"


def _list_values(values: Sequence[tuple[Any, int]]) -> str:
    ordered = sorted(values, key=lambda pair: (-pair[1], str(pair[0])))
    first = ", ".join(
        f"{str(value)!r} ({format_count(count, 'row')})" for value, count in ordered[:5]
    )
    return first + (f" and {len(ordered) - 5:,} more" if len(ordered) > 5 else "")


# ---------------------------------------------------------------------- sets of words


#: How the cells of a column hold sets: text with separators, lists, or JSON arrays in text.
SetCells = Literal["text", "lists", "json"]


@dataclass(frozen=True, eq=False)
class _CodedSets(_CodedNominal):
    """A column of sets; they are written as text, or as lists where the cells are lists."""

    separator: str = ";"
    cells: SetCells = "text"

    @property
    def renamed(self) -> int:
        return 0

    def output_column(self, targets: Floats) -> OutputColumn:
        return replace(super().output_column(targets), text=self.cells == "text")

    def write(self, concept: Concept) -> Any:
        written = sorted(map(self._write_member, members_of(concept)))
        if self.cells == "lists":
            return written
        if self.cells == "json":
            return json.dumps(written, ensure_ascii=False)
        return self.separator.join(written) if written else self.separator  # an empty set

    def _write_member(self, concept: Concept) -> str:
        form = self.forms.get(concept)
        return concept if self.cells == "text" and self.separator in form else form


@dataclass(frozen=True, eq=False)
class _CodedSpreadSets(_CodedSets):
    """Sets over several columns; ``filler`` is written where a set has fewer values."""

    cells: SetCells = "lists"
    columns: tuple[str, ...] = ()
    filler: str | None = None

    @property
    def most_members(self) -> int | None:
        return len(self.columns)

    def output_columns(self, targets: Floats) -> Mapping[str, OutputColumn]:
        return spread_over_columns(self.output_column(targets), self.columns, self.filler)


def _code_sets(
    column: NominalSet, distinct: DistinctValues, category: bool, also: Sequence[Concept]
) -> CodedColumn:
    cells = [column.read_cell(value) for value in distinct.values]
    parts = _count_parts(cells, distinct.counts)
    terms = _terms_of_parts(column, parts).require_all(column.column, argument="mapping")
    known = terms.concepts
    concepts = _name_cells(column, cells, known)
    values = sorted(set(concepts))
    base = _choose_set_domain(column, known, parts, also)
    domain = add_sets(base, [*values, *also])
    place = {value: number for number, value in enumerate(values)}
    codes = np.array([*(place[concept] for concept in concepts), len(values)], dtype=np.int64)
    kind = NominalOrMissing if category and bool((distinct.codes < 0).any()) else NominalAttribute
    measure = MEASURES_OF_SETS[str(column.measure)]
    attribute = kind(column.column, domain, values, measure, float(column.weight))
    forms = _choose_forms(column.taxonomy, terms)
    blank = None if distinct.blank is None else str(distinct.blank)
    if column.columns is not None:
        return _CodedSpreadSets(
            attribute,
            codes[distinct.codes],
            forms,
            terms,
            columns=column.table_columns,
            filler=blank,
        )
    return _CodedSets(
        attribute,
        codes[distinct.codes],
        forms,
        terms,
        blank,
        column.separator,
        _kind_of_cells(distinct.values),
    )


def _kind_of_cells(values: Sequence[Any]) -> SetCells:
    if not all(isinstance(value, str) for value in values):
        return "lists"
    return "json" if values and all(value.startswith("[") for value in values) else "text"


def _choose_set_domain(
    column: NominalSet,
    known: Mapping[str, Concept],
    parts: DistinctValues,
    also: Sequence[Concept],
) -> Taxonomy:
    """The domain of the concepts in some sets, in which no concept is named like a set."""
    concepts = [known[str(part)] for part in parts.values]
    domain = _choose_domain(column, concepts, parts, [m for name in also for m in members_of(name)])
    if unfit := find_unfit_names(domain):
        raise ColumnError(
            f"column {column.column!r} has sets, but a concept of its taxonomy is named like one: "
            f"{unfit[0]!r}",
            "rename such concepts: without braces around the name, and without '; ' in it",
        )
    return domain


def _count_parts(cells: Sequence[Sequence[Any]], counts: Longs) -> DistinctValues:
    """The values in some cells, once for every cell that holds them."""
    records: dict[Any, int] = {}
    for cell, count in zip(cells, counts.tolist(), strict=True):
        for part in cell:
            records[part] = records.get(part, 0) + count
    weights = np.array(list(records.values()), dtype=np.int64)
    return DistinctValues(list(records), np.arange(len(records)), weights)


def _name_cells(
    column: NominalSet, cells: Sequence[Sequence[Any]], known: Mapping[str, Concept]
) -> list[Concept]:
    """The concept that stands for the set in each cell."""
    number: dict[Any, int] = {}
    for part in dict.fromkeys(chain.from_iterable(cells)):
        number[part] = column.taxonomy.code(known[str(part)])
    owner = np.repeat(np.arange(len(cells)), [len(cell) for cell in cells])
    concept = np.array([number[part] for cell in cells for part in cell], dtype=np.int64)
    sets = ConceptSets.from_pairs(owner, concept, len(cells))
    return name_sets(column.taxonomy, reduce_to_deepest(column.taxonomy, sets))


# ---------------------------------------------------------------------- numbers


def _code_numbers(
    column: Numeric | Ordinal | Date,
    distinct: DistinctValues,
    numbers: Sequence[float] | Floats,
    value_of: Callable[[float], Any],
    **settings: Any,
) -> CodedColumn:
    ascending, place = np.unique(np.asarray(numbers, dtype=np.float64), return_inverse=True)
    if (distinct.codes < 0).any():
        place = np.append(place, len(ascending))  # -1, the missing, finds it
        ascending = np.append(ascending, MISSING_NUMBER)
    attribute = NumericalAttribute(column.column, ascending, float(column.weight), **settings)
    return _CodedNumbers(attribute, place[distinct.codes], value_of, distinct.blank)


def _describe_need(column: Nominal | Numeric | Date, needs: str) -> str:
    kind = type(column).__name__.lower()
    return f"column {column.column!r} has type {kind} and must contain {needs}"


def _refuse_kind(
    column: Numeric | Date,
    distinct: DistinctValues,
    is_right: Sequence[bool],
    needs: str,
    hint: str,
) -> None:
    if all(is_right):
        return
    wrong = next(v for v, right in zip(distinct.values, is_right, strict=True) if not right)
    raise ColumnError(
        f"{_describe_need(column, needs)}, got {type(wrong).__name__} values such as {wrong!r}",
        hint,
    )


def _parse_column(
    column: Numeric | Date,
    distinct: DistinctValues,
    read: Callable[[str], Any],
    needs: str,
    hint: str,
) -> DistinctValues:
    """Parse the text of a column as numbers or days."""
    values = []
    for text in distinct.values:
        try:
            values.append(read(text.strip()))
        except (ValueError, ArithmeticError):
            raise ColumnError(
                f"{_describe_need(column, needs)}, got text such as {text!r}",
                hint,
            ) from None
    return replace(distinct, values=values)


def _is_text(distinct: DistinctValues) -> bool:
    return bool(distinct.values) and all(isinstance(value, str) for value in distinct.values)


def _parse_number(text: str) -> int | Decimal:
    if not _NUMBER_PATTERN.fullmatch(text):
        raise ValueError(text)
    return int(text) if text.lstrip("+-").isdigit() else Decimal(text)


_NUMBER_PATTERN = re.compile(r"[+-]?(\d+|\d*\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _code_numeric(column: Numeric, distinct: DistinctValues) -> CodedColumn:
    if _is_text(distinct):
        hint = "correct the value, add it to missing_marks, or give the column another type"
        coded = _code_numeric(
            column, _parse_column(column, distinct, _parse_number, "numbers", hint)
        )
        assert isinstance(coded, _CodedNumbers)
        number = coded.value_of
        return replace(coded, value_of=lambda value: str(number(value)))
    kinds = int | float | Decimal | np.integer | np.floating
    is_number = [isinstance(v, kinds) and not isinstance(v, bool) for v in distinct.values]
    _refuse_kind(column, distinct, is_number, "numbers", "convert the column, or make it nominal")
    numbers = np.array([float(value) for value in distinct.values])
    infinite = ~np.isfinite(numbers)
    if infinite.any():
        rows = format_count(int(distinct.counts[infinite].sum()), "row")
        raise ColumnError(
            f"column {column.column!r} must have finite numbers, got infinite ones ({rows})",
            "correct them, or replace them by missing values",
        )
    large = np.abs(numbers) >= 2**53
    if large.any() and not all(isinstance(value, float) for value in distinct.values):
        rows = format_count(int(distinct.counts[large].sum()), "row")
        raise ColumnError(
            f"column {column.column!r} must have numbers below 2^53, got larger ones ({rows})",
            "scale them down; such long numbers may be identifiers",
        )
    if all(isinstance(value, int | np.integer) for value in distinct.values):
        return _code_numbers(column, distinct, numbers, round)
    if any(isinstance(value, Decimal) for value in distinct.values):
        exponents = [-int(Decimal(value).as_tuple().exponent) for value in distinct.values]
        decimals = min(max(0, *exponents), MOST_DECIMALS)
        return _code_numbers(
            column,
            distinct,
            numbers,
            lambda value: Decimal(f"{value:.{decimals}f}"),
            decimals=decimals,
        )
    return _code_numbers(column, distinct, numbers, float, decimals=_most_decimals(numbers))


def _most_decimals(numbers: Floats) -> int:
    """The most decimals any of the numbers has."""
    room = 300 - np.log10(np.abs(numbers).max(initial=1))  # rounding multiplies by 10^decimals
    for decimals in range(int(min(MOST_DECIMALS, max(room, 0)))):
        if np.array_equal(np.round(numbers, decimals), numbers):
            return decimals
    return int(min(MOST_DECIMALS, max(room, 0)))


def _code_ordinal(column: Ordinal, distinct: DistinctValues) -> CodedColumn:
    levels = list(column.levels)
    if _is_text(distinct):  # as all is in a text file, where 1 is '1'
        levels = [str(level) for level in levels]
    rank = {level: number for number, level in enumerate(levels)}
    counts = zip(distinct.values, distinct.counts.tolist(), strict=True)
    unlisted = [(value, count) for value, count in counts if value not in rank]
    if unlisted:
        raise ColumnError(
            f"{_format_value_count(unlisted, column.column)} not among its levels:\n"
            f"  {_list_values(unlisted)}",
            f"list every level; the levels are {levels[:10]!r}",
        )
    ranks = [float(rank[value]) for value in distinct.values]
    return _code_numbers(column, distinct, ranks, lambda value: levels[round(value)], median=True)


_EPOCH = datetime.date(1970, 1, 1).toordinal()


def _code_date(column: Date, distinct: DistinctValues) -> CodedColumn:
    if _is_text(distinct):
        form = column.format or "%Y-%m-%d"
        example = datetime.date(2026, 12, 31).strftime(form)
        hint = (
            "correct the date format"
            if column.format
            else "set the date format, such as '%d.%m.%Y', or parse the column first"
        )
        days = _parse_column(
            column,
            distinct,
            lambda text: datetime.datetime.strptime(text, form).date(),
            f"dates like {example}",
            hint,
        )
        coded = _code_days(column, days)
        assert isinstance(coded, _CodedNumbers)
        date_of = coded.value_of
        return replace(coded, value_of=lambda value: date_of(value).strftime(form))
    is_date = [isinstance(value, datetime.date) for value in distinct.values]
    _refuse_kind(column, distinct, is_date, "dates", "convert the column to dates first")
    return _code_days(column, distinct)


def _code_days(column: Date, distinct: DistinctValues) -> CodedColumn:
    days = [float(value.toordinal() - _EPOCH) for value in distinct.values]
    first = distinct.values[0] if distinct.values else None
    zone = getattr(first, "tzinfo", None)
    stamps = isinstance(first, datetime.datetime)

    def date_of(number: float) -> datetime.date:
        try:
            date = datetime.date.fromordinal(round(number) + _EPOCH)
        except (ValueError, OverflowError):
            raise ColumnError(
                f"column {column.column!r} would have masked dates before the year 1 or after 9999",
                Hint("keep them within its range with ", Setting("bounds", "resample")),
            ) from None
        if not stamps:
            return date
        return datetime.datetime(date.year, date.month, date.day, tzinfo=zone)

    return _code_numbers(column, distinct, days, date_of)
