"""The facts of several masked tables as plain values, for their manifest and their report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ontomask.pipeline.facts import guarantee_facts
from ontomask.report.plain_values import to_plain_values

if TYPE_CHECKING:
    from ontomask.pipeline.tables.release import TablesRelease

__all__ = ["join_table_facts"]


def join_table_facts(
    release: TablesRelease, tables: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """What holds for all tables together, with the facts of each; all of it may be published."""
    some = next(iter(release.releases.values()))
    first = next(iter(tables.values()))
    content = {
        "made": first["made"],
        "versions": first["versions"],
        "method": first["method"],
        "guarantee": guarantee_facts(release.guarantee),
        "links": asdict(release.links),
        "person": dict(release.person),
        "linked": some.schema.linked,
        "link_price": some.schema.link_price if some.schema.linked == "split" else None,
        "cautions": list(release.cautions),
        "tables": tables,
    }
    return dict(to_plain_values(content))
