"""What a release file says of a column, once somebody has chosen its role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ontomask.releasefile.profile.column_facts import Facts
from ontomask.releasefile.profile.proposals import Suggestion, as_chosen

__all__ = ["ColumnFields", "Making", "fields_in_role", "fields_of"]


@dataclass(frozen=True)
class Making:
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
    make: Making | None = None
    lacks: str | None = None


def fields_in_role(facts: Facts, role: str) -> ColumnFields:
    """What a release file would say of a column in a role.

    >>> facts = Facts("ward", "text", rows=40, missing=0, distinct=2, values={"A": 30, "B": 10})
    >>> fields_in_role(facts, "keep").fields
    {'role': 'keep'}
    >>> found = fields_in_role(facts, "quasi")
    >>> found.fields
    {'role': 'quasi', 'type': 'nominal'}
    >>> found.make
    Making(how='flat', separator=None, lengths=())
    """
    said = as_chosen(facts, role)
    if said.role != role:
        return ColumnFields({"role": role}, said.reason, said.notes, lacks=_lacking(said))
    return ColumnFields(fields_of(said), said.reason, said.notes, _making(said))


def _lacking(said: Suggestion) -> str:
    reason = f"{said.reason[:1].upper()}{said.reason[1:]}"
    return f"It cannot be masked as it is. {reason}."


def fields_of(said: Suggestion, taxonomy: str | None = None) -> dict[str, Any]:
    """What is suggested, as a release file has it; ``taxonomy`` is a file made of the values."""
    fields: dict[str, Any] = {"role": said.role}
    if said.taxonomy or taxonomy:
        fields["taxonomy"] = said.taxonomy or taxonomy
    elif said.type:
        fields["type"] = said.type
    if taxonomy:
        fields["format"] = "child-parent"
    if said.repair_codes:
        fields["repair_codes"] = True
    if said.levels:
        fields["levels"] = list(said.levels)
    if said.date_format:
        fields["date_format"] = said.date_format
    return fields


def _making(said: Suggestion) -> Making | None:
    if said.made is None:
        return None
    if isinstance(said.made_of, str):
        return Making(said.made, separator=said.made_of)
    return Making(said.made, lengths=said.made_of)
