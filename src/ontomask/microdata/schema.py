"""What each column of a table is: quasi-identifier, identifier, confidential, kept or dropped."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar

from ontomask.distances import MeasureLike, find_measure
from ontomask.distances.combined import COMBINATIONS, LinkedTaxonomy, combine_distances
from ontomask.errors import (
    Hint,
    OntomaskError,
    SchemaError,
    Setting,
    format_count,
    quote_choices,
    quote_names,
)
from ontomask.microdata.linked_records import LINK_PRICE, LINKED, Linked
from ontomask.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.crosswalk import (
    Crosswalk,
    CrosswalkLike,
    CrosswalkLinks,
    find_crosswalk,
)
from ontomask.taxonomy.names import closest_names
from ontomask.taxonomy.terms import resolve_corrections
from ontomask.taxonomy.terms.phrases import Heads, split_cell
from ontomask.taxonomy.terms.senses import Senses

__all__ = ["GROUNDS", "Date", "Nominal", "NominalSet", "Numeric", "Ordinal", "Schema"]


#: The distances between the values of a nominal sensitive attribute in t-closeness.
GROUNDS = ("equal", "semantic")


class _SchemaColumn:
    """A column and how much it counts in the distance between records."""

    column: str
    weight: float

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that hold its values."""
        return (self.column,)

    def problems(self) -> Iterator[str]:
        """What is wrong with it, in words."""
        column: Any = self.column  # whatever was given
        weight: Any = self.weight
        if not isinstance(column, str) or not column:
            yield f"the name of a {type(self).__name__} column must be text, got {column!r}"
        is_positive = isinstance(weight, int | float) and math.isfinite(weight) and weight > 0
        if not is_positive or isinstance(weight, bool):
            yield f"column {column!r}: weight must be a number greater than 0, got {weight!r}"


@dataclass(frozen=True)
class Nominal(_SchemaColumn):
    """A column of words or codes that a taxonomy contains.

    Args:
        column: Name of the column.
        taxonomy: The taxonomy of the values.
        measure: Name of a distance measure, or a function; see :func:`~ontomask.distance`.
        domain: The part of the taxonomy in which distances are computed: ``"lcs"``, everything
            below the least common subsumer of the values; ``"taxonomy"``, the whole taxonomy; or
            the identifier of a concept, for everything below it.
        weight: Weight of the column in distances between records, above 0.
        mapping: Concepts of values that the taxonomy does not contain: a dict, or the path of a
            table with the columns value and concept. It is the ``corrections`` of
            :func:`~ontomask.map_terms`.
        prefer: As in :func:`~ontomask.map_terms`.
        repair_codes: As in :func:`~ontomask.map_terms`.
        stems: As in :func:`~ontomask.map_terms`.
        heads: As in :func:`~ontomask.map_terms`.
        ground: For a sensitive attribute, the distance between values in t-closeness: ``"equal"``
            (1 if they differ) or ``"semantic"`` (that of ``measure``).
        below: As in :func:`~ontomask.map_terms`.
        senses: As in :func:`~ontomask.map_terms`.
        split: As in :func:`~ontomask.map_terms`.
        drop_parentheses: As in :func:`~ontomask.map_terms`.
        crosswalk: A table that leads from one coding to another: a dict, the path of a table (see
            :func:`~ontomask.read_crosswalk`) or a :class:`~ontomask.Crosswalk`. It translates the
            values of the column into concepts of ``taxonomy``. With ``more_taxonomies``, it leads
            from concepts of ``taxonomy`` to concepts of the other one; a list if there are several.
        more_taxonomies: Further taxonomies that have a say in the distances. Masked values, their
            ancestors and the domain are those of ``taxonomy``.
        combine: The distance of two concepts is the ``"mean"`` or the minimum (``"min"``) of their
            distances in all taxonomies that know both.
    """

    column: str
    taxonomy: Taxonomy
    measure: MeasureLike = "sanchez"
    domain: Concept = "lcs"
    weight: float = 1
    mapping: Mapping[str, Concept] | str | PathLike[str] | None = None
    prefer: Concept | Collection[Concept] = ()
    repair_codes: bool = False
    stems: str | None = "plural"
    heads: bool | Heads | Collection[Heads] = False
    ground: str = "equal"
    below: Concept | Collection[Concept] = ()
    senses: Senses | None = None
    split: str | Collection[str] = ()
    drop_parentheses: bool = False
    crosswalk: CrosswalkLike | Sequence[CrosswalkLike] | None = None
    more_taxonomies: Sequence[Taxonomy] = ()
    combine: str = "mean"

    _own_measures: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def value_crosswalk(self) -> Crosswalk | None:
        """The crosswalk that translates the values of the column; None if there is none."""
        if self.crosswalk is None or self.more_taxonomies:
            return None
        return find_crosswalk(self.crosswalk)  # type: ignore[arg-type]

    @cached_property
    def crosswalk_links(self) -> tuple[CrosswalkLinks, ...]:
        """Where the crosswalk to each of the other taxonomies leads."""
        return tuple(
            find_crosswalk(crosswalk).link(self.taxonomy, other)
            for other, crosswalk in zip(self.more_taxonomies, self._crosswalks, strict=True)
        )

    @cached_property
    def distance_measure(self) -> MeasureLike:
        """The measure of the column, combined with those of its other taxonomies."""
        if not self.more_taxonomies:
            return self.measure
        measure = find_measure(self.measure, self.taxonomy)
        others = [
            LinkedTaxonomy(other, links.concepts)
            for other, links in zip(self.more_taxonomies, self.crosswalk_links, strict=True)
        ]
        return combine_distances(measure, self.taxonomy, others, self.combine)

    @property
    def _crosswalks(self) -> list[Any]:
        """The crosswalk to each of the other taxonomies."""
        crosswalks: Any = self.crosswalk if self.more_taxonomies else ()
        return list(crosswalks) if isinstance(crosswalks, list | tuple) else [crosswalks]

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        taxonomy: Any = self.taxonomy
        if not isinstance(taxonomy, Taxonomy):
            yield (
                f"column {self.column!r}: taxonomy must be a Taxonomy, got {self.taxonomy!r}; "
                "load one with load_taxonomy(...)"
            )
            return
        if self.ground not in GROUNDS:
            yield (
                f"column {self.column!r}: ground must be {quote_choices(GROUNDS)}, got "
                f"{self.ground!r}"
            )
        try:
            if self.measure not in self._own_measures:
                find_measure(self.measure, self.taxonomy)
            if self.domain not in ("lcs", "taxonomy"):
                self.taxonomy.code(self.domain)
            yield from self._problems_of_crosswalks()
        except OntomaskError as error:
            yield f"column {self.column!r}: {error.message}" + (
                f" ({error.hint})" if error.hint else ""
            )

    def _problems_of_crosswalks(self) -> Iterator[str]:
        more: Any = self.more_taxonomies
        if not _is_list(more) or not all(isinstance(other, Taxonomy) for other in more):
            yield (
                f"column {self.column!r}: more_taxonomies must be a list of taxonomies, got "
                f"{more!r}"
            )
            return
        if self.combine not in COMBINATIONS:
            yield (
                f"column {self.column!r}: combine must be {quote_choices(COMBINATIONS)}, got "
                f"{self.combine!r}"
            )
        if not more:
            if isinstance(self.crosswalk, list | tuple):
                yield f"column {self.column!r}: a list of crosswalks needs more_taxonomies"
            elif self.combine != "mean":
                yield f"column {self.column!r}: combine needs more_taxonomies"
            elif self.value_crosswalk is not None:  # reading it may fail
                pass
            return
        if self.crosswalk is None or len(self._crosswalks) != len(more):
            yield (
                f"column {self.column!r}: crosswalk must have one table for each of the "
                f"{len(more)} more_taxonomies, got "
                f"{0 if self.crosswalk is None else len(self._crosswalks)}"
            )
            return
        for other, links in zip(more, self.crosswalk_links, strict=True):
            if not links.concepts:
                yield (
                    f"column {self.column!r}: the crosswalk leads from no concept of "
                    f"{self.taxonomy!r} to exactly one of {other!r}; its first column must have "
                    "codes of taxonomy, the second those of the other"
                )


@dataclass(frozen=True)
class NominalSet(Nominal):
    """Sets of words or codes, in a cell or in several columns, such as all diagnoses of a stay.

    The distance of two sets is Sánchez's on their concepts with all ancestors (SF eq. 1), or that
    of the optimal matching of their values. Other measures are not defined for sets.

    Args:
        column: Name of the column. Its cells are lists, or text such as ``250.00;401.9``. With
            ``columns``, a name of your choice that no column of the table has.
        taxonomy: The taxonomy of the values in the sets.
        measure: ``"sanchez"``, or ``"matching"``: each value of the smaller set gets a partner in
            the larger one, so that the summed distance is least. A value without a partner costs 1,
            and the distance is the mean over the larger set. It takes much longer, and
            :class:`~ontomask.Microaggregation` forms the same groups.
        domain: As in :class:`Nominal`.
        weight: As in :class:`Nominal`.
        mapping: As in :class:`Nominal`, for each value of a set.
        prefer: As in :func:`~ontomask.map_terms`.
        repair_codes: As in :func:`~ontomask.map_terms`.
        stems: As in :func:`~ontomask.map_terms`.
        heads: As in :func:`~ontomask.map_terms`.
        ground: Only ``"equal"``.
        below: As in :func:`~ontomask.map_terms`.
        senses: As in :func:`~ontomask.map_terms`.
        split: More characters between the values of a set in text, such as ``[",", "/"]``. A value
            that has a concept as a whole is not split.
        drop_parentheses: As in :func:`~ontomask.map_terms`.
        crosswalk: As in :class:`Nominal`, for each value of a set.
        more_taxonomies: Only for :class:`Nominal`.
        combine: Only for :class:`Nominal`.
        separator: What stands between the values of a set in text.
        columns: The columns of the table that hold one value of the set each, such as
            ``["diag_1", "diag_2", "diag_3"]``. Their order does not matter, and empty cells are
            left out. Masked sets are sorted and fill the columns from the left.
        long: Whether the table is long: each row has one value, and the rows of a ``person`` are
            one set. All other columns have the same value in all rows of a person. Released are
            as many rows as each person has values, under a pseudonym.
    """

    separator: str = ";"
    columns: Sequence[str] | None = None
    long: bool = False

    _own_measures: ClassVar[tuple[str, ...]] = ("sanchez", "matching")

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that hold its values."""
        columns: Any = self.columns
        return tuple(columns) if _is_list(columns) else (self.column,)

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        separator: Any = self.separator
        if not isinstance(separator, str) or not separator.strip():
            yield f"column {self.column!r}: separator must be text such as ';', got {separator!r}"
        if self.columns is not None:
            yield from self._problems_of_columns()
        if self.more_taxonomies:
            yield (
                f"set {self.column!r}: more_taxonomies cannot be used with sets, whose distance "
                "compares the ancestors of concepts in one taxonomy; leave it out"
            )
        if self.measure not in self._own_measures:
            yield (
                f"column {self.column!r}: measure must be {quote_choices(self._own_measures)} for "
                f"sets, got {self.measure!r}"
            )

    def _problems_of_columns(self) -> Iterator[str]:
        columns: Any = self.columns
        is_names = _is_list(columns) and all(isinstance(name, str) and name for name in columns)
        if not is_names or len(columns) < 2:
            yield (
                f"set {self.column!r}: columns must be a list of at least two names of columns, "
                f"got {columns!r}"
            )
        if self.long:
            yield f"set {self.column!r}: long cannot be used with columns"
        if self.separator != ";":
            yield (
                f"set {self.column!r}: separator cannot be used with columns, which have one value "
                "in a cell"
            )

    def _is_name(self, text: str) -> bool:
        return text in self._corrected or self.taxonomy.names.find(text) is not None

    @cached_property
    def _corrected(self) -> frozenset[str]:
        return frozenset(resolve_corrections(self.mapping, self.taxonomy, "mapping"))

    def read_cell(self, cell: Any) -> list[Any]:
        """The values in a cell: the parts of a text, or the elements of a list."""
        if isinstance(cell, str) and cell.startswith("["):
            with suppress(ValueError):
                cell = json.loads(cell)
        if isinstance(cell, str):
            parts: list[Any] = [part.strip() for part in cell.split(self.separator)]
            if self.split:
                ends = [self.split] if isinstance(self.split, str) else list(self.split)
                parts = [piece for part in parts for piece in split_cell(part, ends, self._is_name)]
        else:
            parts = list(cell) if isinstance(cell, Iterable) else [cell]
        return list(dict.fromkeys(part for part in parts if part is not None and part != ""))


@dataclass(frozen=True)
class Numeric(_SchemaColumn):
    """A column of numbers, or of text that contains numbers.

    Masked numbers have as many decimals as the column.

    Args:
        column: Name of the column.
        weight: Weight of the column in distances between records, above 0.
    """

    column: str
    weight: float = 1


@dataclass(frozen=True)
class Ordinal(_SchemaColumn):
    """A column of values with an order, such as minor, moderate and major.

    Args:
        column: Name of the column.
        levels: The values, from the lowest to the highest.
        weight: Weight of the column in distances between records, above 0.
    """

    column: str
    levels: Sequence[Any]
    weight: float = 1

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        if isinstance(self.levels, str) or not isinstance(self.levels, Iterable):
            yield f"column {self.column!r}: levels must be a list of values, got {self.levels!r}"
            return
        levels = list(self.levels)
        if not levels:
            yield (
                f"column {self.column!r}: levels must not be empty; list the levels from lowest "
                "to highest"
            )
        twice = [level for level, count in Counter(levels).items() if count > 1]
        if twice:
            yield f"column {self.column!r}: levels must be unique, got {quote_names(twice)} twice"


@dataclass(frozen=True)
class Date(_SchemaColumn):
    """A column of dates. The time of a timestamp is ignored and released as midnight.

    Args:
        column: Name of the column.
        weight: Weight of the column in distances between records, above 0.
        format: How dates in text are read and written, as in ``"%d/%m/%Y"``; without it, as in
            2026-12-31.
    """

    column: str
    weight: float = 1
    format: str | None = None

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        form: Any = self.format
        if form is not None and not (isinstance(form, str) and "%" in form):
            yield f"column {self.column!r}: format must be like '%d.%m.%Y', got {form!r}"


_ROLES = {
    "quasi_identifiers": "quasi-identifier",
    "identifiers": "identifier",
    "confidential": "confidential",
    "keep": "keep",
    "drop": "drop",
}


@dataclass(frozen=True)
class Schema:
    """The role of every column of a table.

    Args:
        quasi_identifiers: The columns to mask, as :class:`Nominal`, :class:`NominalSet`,
            :class:`Numeric`, :class:`Ordinal` or :class:`Date`.
        identifiers: Direct identifiers, such as a name. They are not released.
        confidential: Sensitive attributes, such as an outcome. They are released unchanged, and
            their known values in every equivalence class are counted for l-diversity and
            t-closeness; untyped values that differ only in spelling are one.
        keep: Other columns to release unchanged.
        drop: Other columns that are not released.
        other: What to do with a column that has no role: ``"refuse"`` (an error), ``"keep"`` or
            ``"drop"``.
        missing: What to do with a missing value in a quasi-identifier: ``"refuse"`` (an error),
            ``"category"`` (it is a value of its own) or ``"drop"`` (the record is not released).
            With ``"category"``, no class mixes missing and known numbers, dates or levels.
        missing_marks: Values that stand for a missing value, such as ``["?"]``. They count
            neither as a sensitive value nor as a person, however they are spelt.
        person: The column that identifies a person with several records. Equivalence classes then
            contain k different people, and records without a known one add nobody. The column is
            not released unless it has another role.
        linked: Releases a pseudonym in place of ``person``, so that readers can put the rows of a
            person together. k people then share all rows of a pseudonym: the same values, the same
            number of times. It says what becomes of people with different numbers of rows.
            ``"equal"`` groups people who have as many rows, and drops rows only where fewer than k
            do; ``"drop"`` drops surplus rows where that loses less; ``"split"`` releases surplus
            rows under another pseudonym. None links nothing.
        link_price: With ``"split"``, what a link between two rows of a person is worth compared
            with the squared distance of a row, 1 at most. The lower, the more links are broken and
            the less values change.

    >>> Schema([Numeric("age"), Numeric("age", weight=0)], keep=["age"], other="ask")
    Traceback (most recent call last):
      ...
    ontomask.errors.SchemaError: the schema has 4 problems:
      - column 'age': weight must be a number greater than 0, got 0
      - column 'age' is listed twice as quasi-identifier
      - column 'age' has several roles: quasi-identifier and keep
      - other must be 'refuse', 'keep' or 'drop', got 'ask'
    <BLANKLINE>
    hint: give every column one role
    """

    quasi_identifiers: Sequence[Nominal | Numeric | Ordinal | Date]
    identifiers: Sequence[str] = ()
    confidential: Sequence[str | Nominal | Numeric | Ordinal | Date] = ()
    keep: Sequence[str] = ()
    drop: Sequence[str] = ()
    other: str = "refuse"
    missing: str = "refuse"
    missing_marks: Collection[str] = ()
    person: str | None = None
    linked: Linked | None = None
    link_price: float = LINK_PRICE

    def __post_init__(self) -> None:
        problems: list[str] = []
        for role in (*_ROLES, "missing_marks"):
            entries = getattr(self, role)
            if isinstance(entries, str | _SchemaColumn) or not isinstance(entries, Iterable):
                problems.append(f"{role} must be a list, got {entries!r}")
                entries = () if not isinstance(entries, str | _SchemaColumn) else (entries,)
            object.__setattr__(self, role, tuple(entries))
        problems += self._find_problems()
        _refuse(problems, "the schema", "give every column one role")

    def _find_problems(self) -> Iterator[str]:
        if not self.quasi_identifiers:
            yield "quasi_identifiers must not be empty: nothing would be masked"
        entry: Any
        for entry in self.quasi_identifiers:
            if not isinstance(entry, _SchemaColumn):
                yield (
                    f"a quasi-identifier must be Nominal, Numeric, Ordinal or Date, got {entry!r}"
                )
            elif isinstance(entry, Nominal) and entry.ground != "equal":
                yield (
                    f"column {entry.column!r}: ground is only for confidential columns, got "
                    f"{entry.ground!r} for a quasi-identifier"
                )
        for role in ("identifiers", "keep", "drop"):
            for entry in getattr(self, role):
                if not isinstance(entry, str):
                    yield f"{role} must be names of columns, got {entry!r}"
        for entry in self.confidential:
            if isinstance(entry, NominalSet):
                yield f"column {entry.column!r}: NominalSet is only for quasi-identifiers"
            if not isinstance(entry, str | _SchemaColumn):
                yield (
                    "confidential must be names of columns, or Nominal, Numeric, Ordinal or Date, "
                    f"got {entry!r}"
                )
        for entry in (*self.quasi_identifiers, *self.confidential):
            if isinstance(entry, _SchemaColumn):
                yield from entry.problems()
        yield from self._find_role_clashes()
        yield from self._find_name_clashes()
        for name, allowed in {
            "other": ("refuse", "keep", "drop"),
            "missing": ("refuse", "category", "drop"),
        }.items():
            if getattr(self, name) not in allowed:
                yield f"{name} must be {quote_choices(allowed)}, got {getattr(self, name)!r}"
        person: Any = self.person
        if person is not None and not isinstance(person, str):
            yield f"person must be the name of a column, got {self.person!r}"
        elif self.person in self.roles and "quasi_identifiers" in self.roles[self.person]:
            yield f"column {self.person!r} cannot be both a quasi-identifier and the person"
        yield from self._find_link_problems()
        yield from self._find_long_problems()

    def _find_link_problems(self) -> Iterator[str]:
        linked: Any = self.linked
        price: Any = self.link_price
        if linked is not None and linked not in LINKED:
            yield f"linked must be {quote_choices(LINKED)}, got {linked!r}"
        if isinstance(price, bool) or not isinstance(price, int | float) or not price > 0:
            yield f"link_price must be a number greater than 0, got {price!r}"
        elif price != LINK_PRICE and linked != "split":
            yield "link_price is only for linked='split'"
        if linked is None:
            return
        if self.person is None:
            yield f"linked={linked!r} needs person, the column that identifies a person"
        elif self.person in self.roles and self.roles[self.person] != ["identifiers"]:
            role = _ROLES[self.roles[self.person][0]]
            yield (
                f"column {self.person!r} cannot be {role} with linked={linked!r}, which releases a "
                "pseudonym in its place; make it an identifier"
            )

    def _find_long_problems(self) -> Iterator[str]:
        long = [c for c in self.quasi_identifiers if isinstance(c, NominalSet) and c.long]
        if len(long) > 1:
            names = quote_names([column.column for column in long])
            yield f"only one set can be long, got {names}"
        elif long and self.person is None:
            yield f"the long set {long[0].column!r} needs person, whose rows are one set"
        elif long and self.linked is not None:
            yield (
                f"linked is not for the long set {long[0].column!r}, whose people have one set each"
            )

    @property
    def long_set(self) -> NominalSet | None:
        """The set that has a row for each of its values; None if no set has."""
        for column in self.quasi_identifiers:
            if isinstance(column, NominalSet) and column.long:
                return column
        return None

    def gather_people(self) -> Schema:
        """The schema of the table with a row for each person, where a set is long."""
        columns = [
            replace(column, long=False) if column is self.long_set else column
            for column in self.quasi_identifiers
        ]
        return replace(self, quasi_identifiers=columns, linked="equal")

    def _find_name_clashes(self) -> Iterator[str]:
        """Sets over several columns with the name of a column or of another set."""
        names = Counter(entry.column for entry in self.spread_sets)
        for name, count in names.items():
            if count > 1 or name in self.roles:
                yield f"set {name!r} has the name of another column or set; choose a new name"

    def _find_role_clashes(self) -> Iterator[str]:
        for column, roles in self.roles.items():
            for role, count in Counter(roles).items():
                if count > 1:
                    yield f"column {column!r} is listed twice as {_ROLES[role]}"
            distinct = list(dict.fromkeys(roles))
            if len(distinct) > 1:
                words = " and ".join(_ROLES[role] for role in distinct)
                yield f"column {column!r} has several roles: {words}"

    @property
    def roles(self) -> dict[str, list[str]]:
        """All named columns of a table with their roles."""
        roles: dict[str, list[str]] = {}
        for role in _ROLES:
            for entry in getattr(self, role):
                columns = entry.table_columns if isinstance(entry, _SchemaColumn) else [entry]
                for column in columns:
                    name = column if isinstance(column, str) else repr(column)
                    roles.setdefault(name, []).append(role)
        return roles

    @property
    def masked_columns(self) -> tuple[str, ...]:
        """Names of the columns of a table that are masked."""
        return tuple(name for entry in self.quasi_identifiers for name in entry.table_columns)

    @property
    def spread_sets(self) -> tuple[NominalSet, ...]:
        """The sets that are spread over several columns of a table."""
        sets = (entry for entry in self.quasi_identifiers if isinstance(entry, NominalSet))
        return tuple(entry for entry in sets if entry.columns is not None)

    @property
    def confidential_names(self) -> tuple[str, ...]:
        """Names of the confidential columns."""
        return tuple(
            entry.column if isinstance(entry, _SchemaColumn) else entry
            for entry in self.confidential
        )

    @property
    def releases_pseudonyms(self) -> bool:
        """Whether the column of the person is released, as a pseudonym."""
        return self.linked is not None or self.long_set is not None

    def check(self, columns: Sequence[str]) -> None:
        """Raise an error with every problem if a table with these columns does not fit."""
        problems = [
            f"the table has {count} columns called {column!r}"
            for column, count in Counter(columns).items()
            if count > 1
        ]
        problems += [
            f"the table has a column {entry.column!r}: give the set another name"
            for entry in self.spread_sets
            if entry.column in columns
        ]
        named = self.roles
        if self.person is not None:
            named.setdefault(self.person, [])
        for column in named:
            if column not in columns:
                similar = closest_names(column, [str(name) for name in columns], most=1)
                suggestion = f"; did you mean {similar[0]!r}?" if similar else ""
                problems.append(f"the table has no column {column!r}{suggestion}")
        unassigned = [column for column in dict.fromkeys(columns) if column not in named]
        if unassigned and self.other == "refuse":
            problems.append(
                f"{format_count(len(unassigned), 'column')} without a role: "
                f"{quote_names(unassigned, 20)}"
            )
        _refuse(
            problems,
            "the roles do not fit the table: there",
            Hint(
                "use the names of the table and give every column a role, or set ",
                Setting("other", "keep"),
                " or 'drop' for the others",
            )
            if unassigned and self.other == "refuse"
            else Hint("use the names of the columns of the table"),
        )

    def removed(self, columns: Iterable[str]) -> list[str]:
        """The columns of a table that are not released."""
        kept = {"quasi_identifiers", "confidential", "keep"}
        named = self.roles
        if self.person is not None and self.releases_pseudonyms:
            named[self.person] = ["keep"]
        elif self.person is not None:
            named.setdefault(self.person, ["identifiers"])
        rest = ["keep"] if self.other == "keep" else ["drop"]
        return [column for column in columns if not kept & set(named.get(column, rest))]

    def kept(self, columns: Iterable[str]) -> list[str]:
        """The columns of a table that are released unmasked and are not sensitive."""
        columns = list(columns)
        hidden = {*self.masked_columns, *self.confidential_names, *self.removed(columns)}
        if self.person is not None and self.releases_pseudonyms:
            hidden.add(self.person)
        return [column for column in columns if column not in hidden]

    def __repr__(self) -> str:
        settings = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"Schema({', '.join(settings)})"


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _refuse(problems: Sequence[str], where: str, hint: str | Hint) -> None:
    if len(problems) == 1:
        raise SchemaError(problems[0], hint)
    if problems:
        verb = "are" if where.endswith("there") else "has"
        lines = "".join(f"\n  - {problem}" for problem in problems)
        raise SchemaError(f"{where} {verb} {len(problems)} problems:{lines}", hint)
