"""The facts of a release as plain values, for its manifest and its report.

All of them may be published. They contain no seed, no record and no path, and no value that fewer
records have than the threshold.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ontomask._version import __version__
from ontomask.disclosure.rounding import round_figures
from ontomask.disclosure.withheld import suppress_small_counts, withhold_risks, withhold_weights
from ontomask.errors import format_count
from ontomask.methods.method import GroupingMethod, Method
from ontomask.methods.settings import settings_of, title_with_strength
from ontomask.microdata.schema import Nominal, Schema
from ontomask.pipeline.guarantees.cautions import Caution
from ontomask.pipeline.guarantees.guarantee import Guarantee, summarise_guarantee
from ontomask.report.plain_values import file_name, to_plain_values
from ontomask.risk.evaluation import describe_risks
from ontomask.taxonomy.readers.bundled import is_published

if TYPE_CHECKING:
    from ontomask.microdata.measures import FigureDescription
    from ontomask.pipeline.release import Release
    from ontomask.taxonomy import Taxonomy, TermMap

__all__ = [
    "DEFAULT_THRESHOLD",
    "mapping_coverage",
    "publishable_facts",
    "fingerprint",
    "choose_threshold",
    "describe_shortened_sets",
    "guarantee_facts",
]

#: The threshold for methods without a k: values that fewer records have are not shown.
DEFAULT_THRESHOLD = 10

ROLES = {
    "quasi_identifiers": "quasi",
    "identifiers": "identifier",
    "confidential": "confidential",
    "keep": "keep",
    "drop": "drop",
}


def choose_threshold(method: Method, asked: int | None = None) -> int:
    """Choose the threshold below which nothing is named: the one asked for, or k, or 10."""
    usual = int(method.k) if isinstance(method, GroupingMethod) else DEFAULT_THRESHOLD
    return asked or usual


def publishable_facts(
    release: Release,
    least: int,
    *,
    when: datetime | None = None,
) -> dict[str, Any]:
    """Everything that may be known of a release, ready for JSON; ``least`` is the threshold.

    It is of people where the schema says who is who: as many records are then asked for as that
    many people could have.
    """
    notes: list[str] = []
    notes += describe_shortened_sets(release)
    records = release.records_of(least)
    evaluation = release.evaluation
    from ontomask import risk, utility

    utility_figures = suppress_small_counts(evaluation.utility, release.transitions, records, notes)
    risk_figures = withhold_risks(evaluation.risk, evaluation.utility, release.transitions, records)
    population_figures = withhold_weights(evaluation.population, evaluation.risk, records, notes)
    content = {
        "made": (when or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "columns": _column_roles(release),
        "method": _method_facts(release),
        "blocks": None if release.blocked is None else asdict(release.blocked),
        "guarantee": guarantee_facts(release.guarantee),
        "links": None if release.links is None else asdict(release.links),
        "order": "shuffled" if release.shuffled else "kept",
        "records": {
            "released": release.records,
            "dropped": release.dropped,
            "suppressed": release.suppressed,
            **({} if release.rows is None else {"rows": asdict(release.rows)}),
        },
        "utility": _describe_figures(utility_figures, utility.DESCRIPTIONS),
        "risk": _describe_figures(risk_figures, describe_risks(release.links is not None)),
        "population": _describe_figures(population_figures, risk.POPULATION_DESCRIPTIONS) or None,
        "taxonomies": _taxonomy_facts(release.schema, release.mappings, release.renamed, records),
        "cautions": list(map(str, release.cautions)),
        "prevented_by": {
            str(caution): caution.line
            for caution in release.cautions
            if isinstance(caution, Caution)
        },
        "report_threshold": least,
        "records_threshold": records,
        "notes": notes,
    }
    return dict(to_plain_values(content))


def describe_shortened_sets(release: Release) -> list[str]:
    """Sentences on the sets that had more values than there are columns for them."""
    columns = {entry.column: len(entry.table_columns) for entry in release.schema.spread_sets}
    return [
        f"in {format_count(records, 'record')}, the masked set {name!r} had more than "
        f"{columns[name]} values: those that cost least were left out, so that it fits its columns"
        for name, records in release.shortened.items()
    ]


def _method_facts(release: Release) -> dict[str, Any]:
    """The method with all its settings, and what a report says of it."""
    method = release.method
    return {
        "name": method.name,
        "settings": settings_of(method),
        "title": title_with_strength(method),
        "description": method.description,
        "compares_values": method.compares_values,
        "drops": release.drops,
    }


def _versions() -> dict[str, str]:
    others = {name: version(name) for name in ("numpy", "duckdb")}
    return {"ontomask": __version__, "python": platform.python_version(), **others}


def _column_roles(release: Release) -> dict[str, Any]:
    """Every column with its role and, where it is known, its type."""
    schema = release.schema
    types = {
        column.column: type(column).__name__.lower()
        for column in (*schema.quasi_identifiers, *schema.confidential)
        if not isinstance(column, str)
    }
    sets = {column.column: list(column.table_columns) for column in schema.spread_sets}
    set_of = {column: name for name, columns in sets.items() for column in columns}
    named = {
        name: {"role": ROLES[roles[0]], "type": types.get(name)}
        | ({"columns": sets[name]} if name in sets else {})
        for column, roles in schema.roles.items()
        for name in [set_of.get(column, column)]
    }
    named |= {column: {"role": role, "type": None} for column, role in release.others.items()}
    if schema.linked is not None and schema.person is not None:
        named[schema.person] = {"role": "pseudonym", "type": None}
    return named


def guarantee_facts(guarantee: Guarantee) -> dict[str, Any]:
    """A guarantee as plain values: its sentences, and the numbers behind them."""
    return {
        "text": str(guarantee),
        "headline": list(guarantee.headline),
        "summary": ", ".join(summarise_guarantee(guarantee)),
        "k": guarantee.k,
        "smallest": guarantee.smallest,
        "unit": guarantee.unit,
        "uniques": guarantee.uniques,
        "classes": guarantee.classes,
        "released": asdict(guarantee.released) if guarantee.released else None,
        "homogeneous": dict(guarantee.homogeneous),
        "measured": asdict(guarantee.measured) if guarantee.measured else None,
    }


def _describe_figures(
    figures: Mapping[str, Any], meanings: Mapping[str, FigureDescription]
) -> dict[str, Any]:
    return {
        name: {"value": round_figures(to_plain_values(value)), **asdict(meanings[name])}
        for name, value in figures.items()
    }


# ---------------------------------------------------------------------- taxonomies


def _taxonomy_facts(
    schema: Schema, mappings: Mapping[str, TermMap], renamed: Mapping[str, int], least: int
) -> dict[str, Any]:
    """The taxonomy of each nominal column, and how the values found their concepts.

    A taxonomy that not everybody has may consist of the very values of the column: its fingerprint
    and its number of concepts would let readers test guesses about values that were removed.
    """
    fingerprints: dict[int, str | None] = {}
    taxonomies: dict[str, Any] = {}
    for column in (*schema.quasi_identifiers, *schema.confidential):
        if not isinstance(column, Nominal):
            continue
        taxonomy = column.taxonomy
        published = is_published(taxonomy)
        if id(taxonomy) not in fingerprints:
            fingerprints[id(taxonomy)] = fingerprint(taxonomy) if published else None
        term_map = mappings.get(column.column)
        taxonomies[column.column] = {
            "name": taxonomy.name,
            "source": file_name(taxonomy.about.source),
            "version": taxonomy.about.version,
            "flat": taxonomy.is_flat,
            **_further_taxonomies(column),
            "concepts": len(taxonomy) if published else None,
            "fingerprint": fingerprints[id(taxonomy)],
            "mapping": _withhold_small_counts(mapping_coverage(term_map), least)
            if term_map is not None
            else None,
            "renamed": _withhold_small(renamed.get(column.column, 0), least),
        }
    return taxonomies


def _further_taxonomies(column: Nominal) -> dict[str, Any]:
    """The other taxonomies that have a say in distances, and how; nothing without any."""
    if not column.more_taxonomies:
        return {}
    others = [
        {
            "name": other.name,
            "source": file_name(other.about.source),
            "version": other.about.version,
        }
        for other in column.more_taxonomies
    ]
    return {"more_taxonomies": others, "combine": column.combine}


def fingerprint(taxonomy: Taxonomy) -> str:
    """The SHA-256 of all concepts with their parents, labels and aliases, in sorted order.

    Two taxonomies have the same one if they say the same, whatever file they came from.
    """
    names, parents = taxonomy.identifiers, taxonomy.parent_links.lists()
    lines = [
        "\x1f".join([concept, *sorted(names[parent] for parent in parent_codes), "\x1e", *labels])
        for concept, parent_codes, labels in zip(names, parents, taxonomy.label_lists, strict=True)
    ]
    lines += ["\x1f".join(["\x1e", *pair]) for pair in taxonomy.alias_items()]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def _withhold_small_counts(counts: dict[str, Any], least: int) -> dict[str, Any]:
    """Coverage without the counts of ways that few records took."""
    small = {way for way, count in counts["records"].items() if 0 < count < least}
    shown = {
        part: {way: None if way in small else count for way, count in counts[part].items()}
        for part in ("values", "records")
    }
    return {**shown, "missing": _withhold_small(counts["missing"], least)}


def _withhold_small(count: int, least: int) -> int | None:
    return None if 0 < count < least else count


def mapping_coverage(term_map: TermMap) -> dict[str, Any]:
    """Count the distinct values and the records by the way they found their concept."""
    values: dict[str, int] = {}
    records: dict[str, int] = {}
    for match in term_map.matches:
        way = "unmapped" if match.concept is None else match.kind
        values[way] = values.get(way, 0) + 1
        records[way] = records.get(way, 0) + match.count
    return {
        "values": {"unmapped": 0, **values},
        "records": {"unmapped": 0, **records},
        "missing": term_map.missing,
    }
