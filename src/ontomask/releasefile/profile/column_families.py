"""Columns that may be one set: the same name with a number, and the same taxonomy."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ontomask.releasefile.profile.column_facts import ColumnFacts
from ontomask.releasefile.profile.offered_taxonomies import (
    NO_TAXONOMIES,
    OfferedTaxonomies,
    name_in_release_file,
)
from ontomask.releasefile.profile.proposals import RoleSuggestion, suggest_in_role

__all__ = ["ColumnFamily", "find_families", "propose_in_family", "suggest_in_family"]

#: From this number of columns on, a set is proposed. Fewer can be masked one by one, and often the
#: first of them is special, such as the main diagnosis.
FEWEST_IN_SET = 4

_NUMBERED_NAME = re.compile(r"(?P<stem>.*?)[\s_.-]*\d+")


@dataclass(frozen=True)
class ColumnFamily:
    """Columns that a set may be spread over; ``name`` is what it is called."""

    name: str
    columns: tuple[str, ...]
    taxonomy: str
    repair_codes: bool

    @property
    def is_proposed(self) -> bool:
        """Whether the set is proposed, not only mentioned."""
        return len(self.columns) >= FEWEST_IN_SET

    def fields(self, folder: Path) -> dict[str, Any]:
        """The fields of the set in a release file in this folder."""
        repairs = {"repair_codes": True} if self.repair_codes else {}
        return {
            "role": "quasi",
            "type": "set",
            "taxonomy": name_in_release_file(self.taxonomy, folder),
            **repairs,
            "columns": list(self.columns),
        }


def suggest_in_family(
    facts: ColumnFacts,
    suggestion: RoleSuggestion,
    offered: OfferedTaxonomies = NO_TAXONOMIES,
) -> RoleSuggestion | None:
    """What a column is as one of a family; None if it cannot be in one.

    The last columns of a family are often nearly empty, and would be dropped by themselves.
    """
    if not _NUMBERED_NAME.fullmatch(facts.name) or not facts.present:
        return None
    if suggestion.role == "drop":
        suggestion = suggest_in_role(facts, "quasi", offered)
    is_code = suggestion.role == "quasi" and suggestion.type == "nominal" and suggestion.taxonomy
    return suggestion if is_code else None


def find_families(
    members: Mapping[str, RoleSuggestion], names: Collection[str]
) -> tuple[ColumnFamily, ...]:
    """Find the families among some columns of a table; ``names`` are all columns that it has."""
    by_stem: dict[tuple[str, str], list[str]] = {}
    for name, suggestion in members.items():
        match = _NUMBERED_NAME.fullmatch(name)
        assert match is not None
        by_stem.setdefault((match["stem"], str(suggestion.taxonomy)), []).append(name)
    families = []
    taken = set(names)
    for (stem, taxonomy), columns in by_stem.items():
        if len(columns) < 2:
            continue
        name = stem or "codes"
        while name in taken:
            name += "_set"
        taken.add(name)
        repair_codes = any(members[column].repair_codes for column in columns)
        families.append(ColumnFamily(name, tuple(columns), taxonomy, repair_codes))
    return tuple(families)


def propose_in_family(family: ColumnFamily, suggestion: RoleSuggestion) -> RoleSuggestion:
    """The suggestion for a column of a proposed set."""
    return replace(
        suggestion,
        reason=f"one of the {len(family.columns)} columns of the set {family.name!r}",
    )
