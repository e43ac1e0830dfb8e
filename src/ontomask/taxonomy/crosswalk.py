"""Crosswalks: tables that lead from one coding to another, such as from ICD-9-CM to SNOMED CT.

::

    source,target
    540.9,85189001
    250.00,44054006

Of a table with more columns, those with usual names count, as in OMOP's ``SOURCE_TO_CONCEPT_MAP``
and in the maps of SNOMED CT. A code may stand on several rows. Where these lead to several
concepts, the code is ambiguous, and none of them is chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from ontomask.errors import ParameterError, quote_names
from ontomask.taxonomy.readers.text.delimited import DelimitedTable, find_column, read_table
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.terms import Match, TermMap, map_terms

__all__ = ["Crosswalk", "CrosswalkLike", "CrosswalkLinks", "find_crosswalk", "read_crosswalk"]

SOURCE_COLUMNS = ("source_code", "source", "from", "referencedcomponentid", "concept_id_1")
TARGET_COLUMNS = ("target_concept_id", "target_code", "target", "to", "maptarget", "concept_id_2")
VOCABULARY_COLUMNS = ("source_vocabulary_id", "source_vocabulary")
#: The rows of OMOP's ``CONCEPT_RELATIONSHIP`` that lead to a standard concept.
MAPS_TO = "Maps to"


@dataclass(frozen=True, repr=False)
class Crosswalk:
    """A table from codes to codes of another coding.

    Attributes:
        targets: The codes that each source code leads to, as they are written.
        name: Name of the file, if it comes from one.

    >>> Crosswalk({"487": ("J11",), "070": ("B15", "B16")})
    Crosswalk(2 codes, 1 of them with several targets)
    """

    targets: Mapping[str, tuple[str, ...]]
    name: str = ""

    def translate(self, terms: TermMap, *, names_first: bool = False) -> TermMap:
        """Map the values that are source codes to the concepts they lead to.

        Corrections stay. A source code whose targets are all outside the taxonomy has no concept.
        With ``names_first``, only values that are no names in the taxonomy are translated.
        """
        values = {_fold_code(match.value) for match in terms.matches}
        folded: dict[str, tuple[str, ...]] = {}
        for code, targets in self.targets.items():
            if (value := _fold_code(code)) in values:
                folded[value] = (*folded.get(value, ()), *targets)
        names = [target for targets in folded.values() for target in targets]
        concept_of = _concepts_by_name(names, terms.taxonomy)
        reading = f"crosswalk {self.name}".strip()

        def translate_match(match: Match) -> Match:
            targets = folded.get(_fold_code(match.value))
            if targets is None or match.kind == "correction" or (names_first and match.concepts):
                return match
            concepts = sorted({concept_of[target] for target in targets if target in concept_of})
            if not concepts:
                return Match(match.value, match.count, (), "unmapped", "unmapped")
            reached = tuple(concepts)
            return Match(match.value, match.count, reached, reading, "code", True, reached)

        return replace(terms, matches=tuple(map(translate_match, terms.matches)))

    def link(self, first: Taxonomy, second: Taxonomy) -> CrosswalkLinks:
        """The concepts of one taxonomy with the concept of another that each leads to."""
        sources = map_terms(list(self.targets), first, stems=None).concepts
        names = [target for targets in self.targets.values() for target in targets]
        concept_of = _concepts_by_name(names, second)
        reached: dict[Concept, set[Concept]] = {}
        for code, targets in self.targets.items():
            if code in sources:
                concepts = {concept_of[target] for target in targets if target in concept_of}
                reached.setdefault(sources[code], set()).update(concepts)
        ambiguous = {c: tuple(sorted(into)) for c, into in reached.items() if len(into) > 1}
        unique = {c: next(iter(into)) for c, into in reached.items() if len(into) == 1}
        return CrosswalkLinks(unique, ambiguous)

    def __repr__(self) -> str:
        several = sum(len(targets) > 1 for targets in self.targets.values())
        return f"Crosswalk({len(self.targets):,} codes, {several:,} of them with several targets)"


@dataclass(frozen=True)
class CrosswalkLinks:
    """Concepts with their only counterpart in another taxonomy, and those that have several."""

    concepts: Mapping[Concept, Concept]
    ambiguous: Mapping[Concept, tuple[Concept, ...]]


#: What can be passed as a crosswalk: source codes with a target or several, the path of a table,
#: or a crosswalk.
CrosswalkLike = Crosswalk | Mapping[str, str | Collection[str]] | str | PathLike[str]


def find_crosswalk(crosswalk: CrosswalkLike) -> Crosswalk:
    """The crosswalk that is meant: itself, from a dict, or from a table."""
    if isinstance(crosswalk, Crosswalk):
        return crosswalk
    if isinstance(crosswalk, str | PathLike):
        return read_crosswalk(crosswalk)
    if not isinstance(crosswalk, Mapping):
        raise ParameterError(
            f"crosswalk must be a dict, the path of a table or a Crosswalk, got {crosswalk!r}",
            "a dict has source codes with their targets: {'487': 'J11'}",
        )
    return Crosswalk(
        {
            str(code): (target,) if isinstance(target, str) else tuple(dict.fromkeys(target))
            for code, target in crosswalk.items()
        }
    )


def read_crosswalk(path: str | PathLike[str], *, vocabulary: str | None = None) -> Crosswalk:
    """Read a table from one coding to another.

    Two columns are source and target. Of more columns, these are known by their names: ``source``
    and ``target``, ``source_code`` and ``target_concept_id`` (OMOP's ``SOURCE_TO_CONCEPT_MAP``),
    ``referencedComponentId`` and ``mapTarget`` (SNOMED CT). Of OMOP's ``CONCEPT_RELATIONSHIP``,
    the rows "Maps to" are read. Rows that are marked as invalid or inactive are left out.

    Args:
        path: A delimited text file, which may be compressed with gzip.
        vocabulary: Reads only rows with this ``source_vocabulary_id``, such as ``"ICD9CM"``.

    Returns:
        The crosswalk.
    """
    table = read_table(Source(Path(path)))
    top = table.rows[0].cells
    source, target = find_column(top, SOURCE_COLUMNS), find_column(top, TARGET_COLUMNS)
    rows = table.rows[1:]
    if source is None or target is None:
        if len(top) != 2:
            raise table.error(
                table.rows[0].line,
                f"the columns source and target are missing; the columns are {quote_names(top)}",
                "name them in the first row, or write two columns",
            )
        source, target, rows = 0, 1, table.rows
    vocabulary_place = _find_vocabulary(table, vocabulary)
    invalid, active = find_column(top, ["invalid_reason"]), find_column(top, ["active"])
    relationship = find_column(top, ["relationship_id"])
    targets: dict[str, dict[str, None]] = {}
    vocabularies: set[str] = set()
    for row in rows:
        cells = row.cells
        if len(cells) < len(top):
            raise table.error(row.line, f"expected {len(top)} columns, got {len(cells)}")
        is_invalid = invalid is not None and cells[invalid] != ""
        is_other = relationship is not None and cells[relationship] != MAPS_TO
        if is_invalid or is_other or (active is not None and cells[active] == "0"):
            continue
        if vocabulary_place is not None:
            vocabularies.add(cells[vocabulary_place])
            if vocabulary is not None and cells[vocabulary_place] != vocabulary:
                continue
        if cells[source] and cells[target]:
            targets.setdefault(cells[source], {})[cells[target]] = None
    if not targets:
        known = (
            f"; the vocabularies are {quote_names(sorted(vocabularies))}" if vocabularies else ""
        )
        raise table.error(1, f"the crosswalk has no rows that lead from a code to another{known}")
    return Crosswalk({code: tuple(into) for code, into in targets.items()}, Path(path).name)


def _find_vocabulary(table: DelimitedTable, vocabulary: str | None) -> int | None:
    place = find_column(table.rows[0].cells, VOCABULARY_COLUMNS)
    if place is None and vocabulary is not None:
        raise table.error(
            table.rows[0].line,
            "vocabulary needs a column source_vocabulary_id",
            "leave it out to read all rows",
        )
    return place


def _concepts_by_name(names: Collection[str], taxonomy: Taxonomy) -> dict[str, Concept]:
    """The concepts of some targets; those that are ambiguous themselves have none."""
    return map_terms(list(dict.fromkeys(names)), taxonomy, stems=None).concepts


def _fold_code(code: str) -> str:
    return code.strip().casefold()
