"""What a release file says of a column, once somebody has chosen its role."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontomask.releasefile.profile.column_facts import ColumnFacts
from ontomask.releasefile.profile.offered_taxonomies import (
    NO_TAXONOMIES,
    OfferedTaxonomies,
    name_in_release_file,
)
from ontomask.releasefile.profile.proposals import RoleSuggestion, suggest_in_role

__all__ = ["ColumnFields", "ProposedTaxonomy", "fields_in_role", "suggested_fields"]


@dataclass(frozen=True)
class ProposedTaxonomy:
    """How a taxonomy can be made of the values: ``paths``, ``prefixes`` or ``flat``.

    Paths are parted by ``separator``; prefixes have these ``lengths``.
    """

    how: str
    separator: str | None = None
    lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class ColumnFields:
    """The fields of a column in a role, with what is still to be done.

    ``make`` says that it needs a taxonomy, and how one can be made of its values; ``lacks`` says in
    words what is missing where that cannot be proposed. ``notes`` are worth a look.
    """

    fields: dict[str, Any]
    reason: str
    notes: tuple[str, ...] = ()
    make: ProposedTaxonomy | None = None
    lacks: str | None = None


def fields_in_role(
    facts: ColumnFacts,
    role: str,
    offered: OfferedTaxonomies = NO_TAXONOMIES,
    folder: Path = Path(),
) -> ColumnFields:
    """Fields of a column in a role, for a release file in this folder.

    ``offered`` are taxonomies to compare the values with, besides the bundled ones.

    >>> values = {"A": 30, "B": 10}
    >>> facts = ColumnFacts("ward", "text", rows=40, missing=0, distinct=2, values=values)
    >>> fields_in_role(facts, "keep").fields
    {'role': 'keep'}
    >>> masked = fields_in_role(facts, "quasi")
    >>> masked.fields
    {'role': 'quasi', 'type': 'nominal'}
    >>> masked.make
    ProposedTaxonomy(how='flat', separator=None, lengths=())
    """
    suggestion = suggest_in_role(facts, role, offered)
    if suggestion.role != role:
        return ColumnFields(
            {"role": role}, suggestion.reason, suggestion.notes, lacks=_obstacle(suggestion)
        )
    return ColumnFields(
        suggested_fields(suggestion, folder),
        suggestion.reason,
        suggestion.notes,
        _proposed_taxonomy(suggestion),
    )


def _obstacle(suggestion: RoleSuggestion) -> str:
    reason = f"{suggestion.reason[:1].upper()}{suggestion.reason[1:]}"
    return f"This column cannot be masked. {reason}."


def suggested_fields(
    suggestion: RoleSuggestion, folder: Path, taxonomy: str | None = None
) -> dict[str, Any]:
    """A suggestion as fields of a release file in this folder.

    ``taxonomy`` is a file made of the values.
    """
    fields: dict[str, Any] = {"role": suggestion.role}
    has_taxonomy = suggestion.taxonomy or taxonomy
    if suggestion.type and (suggestion.type == "set" or not has_taxonomy):
        fields["type"] = suggestion.type
    if suggestion.taxonomy:
        fields["taxonomy"] = name_in_release_file(suggestion.taxonomy, folder)
    elif taxonomy:
        fields["taxonomy"] = taxonomy
    if taxonomy:
        fields["format"] = "child-parent"
    if suggestion.repair_codes:
        fields["repair_codes"] = True
    if suggestion.separator not in (None, ";"):
        fields["separator"] = suggestion.separator
    if suggestion.levels:
        fields["levels"] = list(suggestion.levels)
    if suggestion.date_format:
        fields["date_format"] = suggestion.date_format
    return fields


def _proposed_taxonomy(suggestion: RoleSuggestion) -> ProposedTaxonomy | None:
    if suggestion.taxonomy_kind is None:
        return None
    if isinstance(suggestion.taxonomy_parts, str):
        return ProposedTaxonomy(suggestion.taxonomy_kind, separator=suggestion.taxonomy_parts)
    return ProposedTaxonomy(suggestion.taxonomy_kind, lengths=suggestion.taxonomy_parts)
