"""Corrections: a table of values and the concepts they mean, filled in by hand.

::

    value,concept,count,may be
    sprts,sport.n.01,14,sport.n.01 (sport < diversion)
    second residence,,3,residence.n.01 (residence < address)

Two columns matter, ``value`` and ``concept``; rows whose concept is empty are not filled in yet.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.taxonomy.readers.text.delimited import find_column, read_table
from ontomask.taxonomy.readers.text.source import Source

if TYPE_CHECKING:
    from ontomask.taxonomy.mapping import TermMap

__all__ = ["read_corrections", "write_corrections"]


def read_corrections(path: Path) -> dict[str, str]:
    """Read the corrections that are filled in."""
    table = read_table(Source(path), strip=False)
    top = table.rows[0].cells
    value_place, concept_place = find_column(top, ["value"]), find_column(top, ["concept"])
    rows = table.rows[1:]
    if value_place is None or concept_place is None:
        if len(top) != 2:
            raise table.error(
                table.rows[0].line,
                "the columns value and concept are missing",
                "name them in the first row, or write two columns without a header",
            )
        value_place, concept_place, rows = 0, 1, table.rows
    concepts: dict[str, tuple[str, int]] = {}
    for row in rows:
        if len(row.cells) <= max(value_place, concept_place):
            raise table.error(row.line, f"expected two columns, got {len(row.cells)}")
        value, concept = row.cells[value_place], row.cells[concept_place].strip()
        if not concept:
            continue
        earlier, line = concepts.setdefault(value, (concept, row.line))
        if earlier != concept:
            raise table.error(
                row.line,
                f"{value!r} is mapped to {concept!r} here and to {earlier!r} on line {line}",
                "keep one of them",
            )
    return {value: concept for value, (concept, _) in concepts.items()}


def write_corrections(term_map: TermMap, path: Path, *, force: bool = False) -> None:
    """Write the values without a concept, the most frequent first, with suggestions."""
    suggested = term_map.suggestions()
    with atomic_write(path, force=force) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["value", "concept", "count", "may be"])
        for match in term_map.lost:
            hits = suggested.get(match.value, [])
            may_be = " | ".join(term_map.describe_hit(hit) for hit in hits[:9])
            writer.writerow([match.value, "", match.count, may_be])
