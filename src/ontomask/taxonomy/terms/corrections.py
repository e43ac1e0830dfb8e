"""Corrections: a table of values and the concepts they mean, filled in by hand.

::

    value,concept,label,score,count,may be
    sprts,,,,14,sport.n.01 (sport < diversion)
    fotography,photography.n.01,photography,0.92,3,photography.n.01 (photography < picture taking)

Two columns matter, ``value`` and ``concept``; rows whose concept is empty are not filled in yet.
Usagi files, which map source codes to the concepts of OMOP, are read and written as well.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.errors import ParameterError, UnknownConceptError, quote_choices, quote_names
from ontomask.taxonomy.readers.text.delimited import DelimitedTable, find_column, read_table
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Concept, Taxonomy

if TYPE_CHECKING:
    from ontomask.taxonomy.terms.suggestions import Suggestion
    from ontomask.taxonomy.terms.term_map import TermMap

__all__ = ["CorrectionsFormat", "read_corrections", "resolve_corrections", "write_corrections"]

CorrectionsFormat = Literal["table", "usagi"]

_HEADER = ["value", "concept", "label", "score", "count", "may be"]
_USAGI_HEADER = [
    *("sourceCode", "sourceName", "sourceFrequency", "sourceAutoAssignedConceptIds"),
    *("matchScore", "mappingStatus", "equivalence", "statusSetBy", "statusSetOn"),
    *("conceptId", "conceptName", "domainId", "mappingType", "comment"),
    *("createdBy", "createdOn", "assignedReviewer"),
]


def resolve_corrections(
    corrections: Mapping[str, Concept] | str | PathLike[str] | None,
    taxonomy: Taxonomy,
    argument: str = "corrections",
) -> dict[str, Concept]:
    """Read corrections and check that they lead to concepts; ``argument`` is their name."""
    if corrections is None:
        return {}
    if not isinstance(corrections, Mapping):
        corrections = read_corrections(Path(corrections))
    wrong = [concept for concept in corrections.values() if concept not in taxonomy]
    if wrong:
        raise UnknownConceptError(
            f"{argument} must map values to concepts, got {quote_names(dict.fromkeys(wrong))}",
            "use identifiers of concepts; search() finds them by name",
        )
    return {v: taxonomy.identifiers[taxonomy.code(c)] for v, c in corrections.items()}


def read_corrections(path: Path) -> dict[str, str]:
    """Read the corrections that are filled in; of a Usagi file, the approved ones."""
    table = read_table(Source(path), strip=False)
    top = table.rows[0].cells
    is_usagi = None not in (find_column(top, ["sourcecode"]), find_column(top, ["conceptid"]))
    rows = _usagi_rows(table) if is_usagi else _table_rows(table)
    concepts: dict[str, tuple[str, int]] = {}
    for line, value, concept in rows:
        earlier, first_line = concepts.setdefault(value, (concept, line))
        if earlier != concept:
            raise table.error(
                line,
                f"{value!r} is mapped to {concept!r} here and to {earlier!r} on line {first_line}",
                "keep one of them",
            )
    return {value: concept for value, (concept, _) in concepts.items()}


def _table_rows(table: DelimitedTable) -> Iterator[tuple[int, str, str]]:
    """Line, value and concept of the rows that have a concept."""
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
    for row in rows:
        if len(row.cells) <= max(value_place, concept_place):
            raise table.error(row.line, f"expected two columns, got {len(row.cells)}")
        if concept := row.cells[concept_place].strip():
            yield row.line, row.cells[value_place], concept


def _usagi_rows(table: DelimitedTable) -> Iterator[tuple[int, str, str]]:
    """Line, source code or name, and concept of the mappings that somebody approved."""
    top = table.rows[0].cells
    code, name, concept, status = (
        find_column(top, [column])
        for column in ("sourcecode", "sourcename", "conceptid", "mappingstatus")
    )
    if code is None or concept is None or status is None:
        raise table.error(
            table.rows[0].line,
            "the column mappingStatus is missing",
            "save the file with Usagi, or write the columns value and concept",
        )
    for row in table.rows[1:]:
        cells = row.cells
        if len(cells) <= max(code, concept, status, name or 0):
            raise table.error(row.line, f"expected {len(top)} columns, got {len(cells)}")
        identifier = cells[concept].strip()
        if cells[status].strip().upper() == "APPROVED" and identifier not in ("", "0"):
            values = [cells[code], *([] if name is None else [cells[name]])]
            for value in dict.fromkeys(value for value in values if value.strip()):
                yield row.line, value, identifier


def write_corrections(
    term_map: TermMap,
    path: Path,
    *,
    accept: float | None = None,
    format: CorrectionsFormat = "table",
    force: bool = False,
) -> None:
    """Write the values without a concept, the most frequent first, with suggestions."""
    if format not in ("table", "usagi"):
        choices = quote_choices(("table", "usagi"))
        raise ParameterError(f"format must be {choices}, got {format!r}")
    suggested = term_map.suggestions(len(term_map.lost))
    accepted = {} if accept is None else term_map.accept(accept, suggested)
    rows = _write_table if format == "table" else _write_usagi
    header = _HEADER if format == "table" else _USAGI_HEADER
    with atomic_write(path, force=force) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows(term_map, suggested, accepted))


def _write_table(
    term_map: TermMap,
    suggested: Mapping[str, list[Suggestion]],
    accepted: Mapping[str, Suggestion],
) -> Iterable[list[object]]:
    for match in term_map.lost:
        hits = suggested.get(match.value, [])
        may_be = " | ".join(term_map.describe_hit(hit) for hit in hits[:10])
        chosen = accepted.get(match.value)
        filled = [chosen.concept, chosen.label, f"{chosen.score:.2f}"] if chosen else ["", "", ""]
        yield [match.value, *filled, match.count, may_be]


def _write_usagi(
    term_map: TermMap,
    suggested: Mapping[str, list[Suggestion]],
    accepted: Mapping[str, Suggestion],
) -> Iterable[list[object]]:
    """The best suggestion of each value, unchecked unless it is accepted."""
    for match in term_map.lost:
        best = accepted.get(match.value) or next(iter(suggested.get(match.value, [])), None)
        status = "APPROVED" if match.value in accepted else "UNCHECKED"
        concept = [best.concept, best.label] if best else ["0", "Unmapped"]
        score = f"{best.score:.2f}" if best else "0"
        yield [
            *(match.value, match.value, match.count, ""),
            *(score, status, "UNREVIEWED", "", ""),
            *(*concept, "", "MAPS_TO", ""),
            *("", "", ""),
        ]
