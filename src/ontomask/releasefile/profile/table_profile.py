"""Profile a table: the contents of its columns, and a proposed role for each.

Everything is counted inside DuckDB, out of core. A profile contains no value that fewer than ten
records have, and no value of a column that may identify people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.progress import ignore_progress
from ontomask.engines.formats import connect, open_table
from ontomask.errors import ColumnError, format_count
from ontomask.releasefile.profile.column_facts import ColumnFacts, ColumnProfiler
from ontomask.releasefile.profile.column_families import (
    ColumnFamily,
    find_families,
    propose_in_family,
    suggest_in_family,
)
from ontomask.releasefile.profile.offered_taxonomies import (
    NO_TAXONOMIES,
    OfferedTaxonomies,
    files_beside,
    load_offered_taxonomies,
)
from ontomask.releasefile.profile.proposals import (
    RoleSuggestion,
    keep_one_person,
    suggest_role,
)

__all__ = ["ColumnProfile", "Profile", "profile_open_table", "profile"]

#: A long table has at most so many columns, and at least so many rows for each person.
MOST_LONG_COLUMNS = 5
FEWEST_ROWS_OF_PEOPLE = 1.5
#: Of columns with these roles no value is shown at all.
ROLES_WITHOUT_VALUES = ("identifier", "person", "drop", "undecided")


@dataclass(frozen=True)
class ColumnProfile:
    """The content of a column, and its proposed role."""

    facts: ColumnFacts
    suggestion: RoleSuggestion

    @property
    def name(self) -> str:
        """What the column is called."""
        return self.facts.name

    @property
    def role(self) -> str:
        """The role that is proposed."""
        return self.suggestion.role

    @property
    def type(self) -> str:
        """What stands in it, in a word or two."""
        if self.suggestion.levels and self.facts.kind == "text":
            return "two values" if len(self.suggestion.levels) == 2 else "levels"
        return self.facts.kind

    @property
    def unique_share(self) -> float | None:
        """The share of the values that one record alone holds; None where it was not counted."""
        if not self.facts.exact or not self.facts.present:
            return None
        return self.facts.singles / self.facts.present

    def as_dict(self) -> dict[str, Any]:
        """All that may be shown, ready for JSON."""
        facts, suggestion = self.facts, self.suggestion
        return {
            "role": suggestion.role,
            "reason": suggestion.reason,
            "notes": list(suggestion.notes),
            "type": self.type,
            "missing": facts.missing,
            "missing_marks": list(facts.marks),
            "distinct": facts.distinct,
            "exact": facts.exact,
            "unique_share": self.unique_share,
            "frequent": dict(facts.frequent),
            "taxonomy": suggestion.taxonomy,
            "repair_codes": suggestion.repair_codes,
            "separator": suggestion.separator,
            "levels": list(suggestion.levels),
            "date_format": suggestion.date_format,
        }


@dataclass(frozen=True)
class Profile:
    """The contents of a table, and a proposed role for every column.

    ``uniques`` is the number of records that are unique on the proposed quasi-identifiers,
    ``incomplete`` the number of records with a missing value in one of them. ``families`` are
    columns that may be one set. ``left_out`` are files beside the table with a taxonomy that could
    not be used, and why.
    """

    path: Path
    rows: int
    columns: tuple[ColumnProfile, ...]
    uniques: int
    incomplete: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    families: tuple[ColumnFamily, ...] = ()
    left_out: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> ColumnProfile:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def with_role(self, *roles: str) -> list[ColumnProfile]:
        """The columns that are proposed for some roles."""
        return [column for column in self.columns if column.role in roles]

    @property
    def person(self) -> str | None:
        """The column that seems to identify a person."""
        return next((column.name for column in self.with_role("person")), None)

    @property
    def long_values(self) -> ColumnProfile | None:
        """The column of codes of a table that may have a row for each value of a person."""
        if self.person is None or len(self.columns) > MOST_LONG_COLUMNS:
            return None
        coded = [c for c in self.with_role("quasi") if c.suggestion.taxonomy and c.type != "set"]
        has_several_rows = self.rows >= FEWEST_ROWS_OF_PEOPLE * self[self.person].facts.distinct
        return coded[0] if len(coded) == 1 and has_several_rows else None

    @property
    def missing_marks(self) -> list[str]:
        """What seems to mean missing where values or people are counted."""
        columns = self.with_role("quasi", "undecided", "confidential", "person")
        marks = [mark for column in columns for mark in column.facts.marks]
        return list(dict.fromkeys(marks))

    @property
    def missing(self) -> str:
        """What becomes of missing values: a category, so that no record is lost."""
        lacking = [c for c in self.with_role("person") if c.facts.missing]
        return "category" if self.incomplete or lacking else "refuse"

    @property
    def sets(self) -> tuple[ColumnFamily, ...]:
        """The sets over several columns that are proposed."""
        return tuple(family for family in self.families if family.is_proposed)

    @property
    def quasi_identifiers(self) -> list[list[ColumnProfile]]:
        """The columns of each proposed quasi-identifier: one, or all that a set is spread over."""
        set_of = {name: family.name for family in self.sets for name in family.columns}
        groups: dict[tuple[bool, str], list[ColumnProfile]] = {}
        for column in self.with_role("quasi"):
            is_in_set = column.name in set_of
            groups.setdefault((is_in_set, set_of.get(column.name, column.name)), []).append(column)
        return list(groups.values())

    def as_dict(self) -> dict[str, Any]:
        """All that may be shown, ready for JSON."""
        return {
            "data": self.path.name,
            "records": self.rows,
            "uniques": self.uniques,
            "incomplete": self.incomplete,
            "person": self.person,
            "missing": self.missing,
            "missing_marks": self.missing_marks,
            "sets": {family.name: list(family.columns) for family in self.sets},
            "columns": {column.name: column.as_dict() for column in self.columns},
        }

    def __repr__(self) -> str:
        shape = (
            f"{format_count(self.rows, 'record')} of {format_count(len(self.columns), 'column')}"
        )
        quasi = format_count(len(self.quasi_identifiers), "quasi-identifier")
        return f"Profile({self.path.name}, {shape}, {quasi}, {self.uniques:,} unique)"


def profile(
    path: str | PathLike[str],
    *,
    taxonomies: Sequence[str | PathLike[str]] = (),
    progress: Callable[[str], None] = ignore_progress,
    **file: Any,
) -> Profile:
    """Profile the table in a file, and propose a role for each column.

    Columns are assigned to ``taxonomies``, names of bundled ones or paths, to those in files beside
    the table, and to bundled ones, by the share of values that they contain.

    ``file`` are settings such as ``table``, ``delimiter`` or ``encoding`` (see
    :func:`~ontomask.engines.formats.open_table`), and ``memory``, how much DuckDB may take. Tables
    of more than a million records have columns with many different values judged by a sample;
    these are not ``exact``.

    Check the proposal: only somebody who knows the table can judge what others know about it.
    """
    opened_with = {name: value for name, value in file.items() if value is not None}
    connection = connect(opened_with.get("memory"))
    try:
        settings = {name: value for name, value in opened_with.items() if name != "memory"}
        progress(f"reading {Path(path).name}")
        with open_table(path, connection, **settings) as stored:
            data = Path(path)
            offered = load_offered_taxonomies(taxonomies, files_beside(data), progress)
            profiler = ColumnProfiler(stored)
            return replace(
                profile_open_table(profiler, opened_with, progress, offered=offered), path=data
            )
    finally:
        connection.close()


def profile_open_table(
    looking: ColumnProfiler,
    settings: Mapping[str, Any],
    progress: Callable[[str], None] = ignore_progress,
    *,
    refuse: bool = True,
    offered: OfferedTaxonomies = NO_TAXONOMIES,
) -> Profile:
    """Profile a table that stays open; ``settings`` are those it was opened with.

    Without ``refuse``, a table in which nothing looks like a quasi-identifier has a profile, too.
    """
    columns, families = _profile_columns(looking, progress, refuse, offered)
    progress("counting unique records")
    stored = looking.stored
    table = Profile(
        stored.path,
        stored.rows,
        tuple(columns),
        0,
        0,
        settings,
        families,
        offered.left_out,
    )
    quasi = [{c.name: tuple(c.facts.marks) for c in group} for group in table.quasi_identifiers]
    return replace(
        table,
        uniques=looking.uniques(quasi) if quasi else 0,
        incomplete=looking.incomplete(quasi),
    )


def _profile_columns(
    looking: ColumnProfiler,
    progress: Callable[[str], None],
    refuse: bool,
    offered: OfferedTaxonomies,
) -> tuple[list[ColumnProfile], tuple[ColumnFamily, ...]]:
    facts: dict[str, ColumnFacts] = {}
    suggestions: dict[str, RoleSuggestion] = {}
    members: dict[str, RoleSuggestion] = {}
    for column in looking.columns():
        progress(f"profiling column {len(facts) + 1:,} of {len(looking.stored.names):,}")
        suggestions[column.name] = suggest_role(column, offered)
        member = suggest_in_family(column, suggestions[column.name], offered)
        if member is not None:
            members[column.name] = member
        facts[column.name] = _without_hidden_values(column, suggestions[column.name])
    families = find_families(members, looking.stored.names)
    for family in families:
        if family.is_proposed:
            suggestions |= {c: propose_in_family(family, members[c]) for c in family.columns}
    suggestions = keep_one_person(suggestions, facts)
    masked = {"quasi", "undecided"} & {suggestion.role for suggestion in suggestions.values()}
    if refuse and not masked:
        raise ColumnError(
            f"{looking.stored.path}: no column looks like a quasi-identifier, so there is nothing "
            "to mask",
            "if a column is one, write the release file by hand and give it role: quasi",
        )
    columns = [ColumnProfile(facts[name], suggestion) for name, suggestion in suggestions.items()]
    return columns, families


def _without_hidden_values(facts: ColumnFacts, suggestion: RoleSuggestion) -> ColumnFacts:
    """The facts without values that must not be shown or are not needed."""
    if suggestion.role in ROLES_WITHOUT_VALUES:
        facts = replace(facts, frequent={})
    return facts if suggestion.taxonomy_kind else replace(facts, values={})
