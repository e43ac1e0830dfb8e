"""Medical Subject Headings of the US National Library of Medicine, in four forms.

The descriptors as XML (``desc2024.xml``); as RDF (``mesh.nt``); the tree as text
(``mtrees2024.bin``)::

    Body Regions;A01
    Anatomic Landmarks;A01.111

and as a table whose header names tree_number, descriptor and heading.

A descriptor has one or more places in the tree; above a place is its number less the last group.
Above the tops stand the categories, ``Anatomy [A]`` to ``Geographicals [Z]``, and above those
the root ``MeSH``. Concepts are named by the descriptor's number (``D001829``) where the file has
it, otherwise by the heading; tree numbers are aliases, entry terms synonyms. Descriptors without
a place (``Female``, ``Male``) are left out and counted. In an excerpt, a descriptor whose parent is
not in the file comes below its nearest ancestor, which its tree number tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple
from xml.parsers import expat

from ontomask.errors import FileFormatError, ParameterError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.clinical.mesh_rdf import read_descriptors, uses_vocabulary
from ontomask.taxonomy.readers.text.delimited import find_column, first_row, read_table
from ontomask.taxonomy.readers.text.name_choice import NameChooser
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import refuse_unsafe_xml
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

ROOT = "MeSH"
CATEGORIES = {
    "A": "Anatomy",
    "B": "Organisms",
    "C": "Diseases",
    "D": "Chemicals and Drugs",
    "E": "Analytical, Diagnostic and Therapeutic Techniques, and Equipment",
    "F": "Psychiatry and Psychology",
    "G": "Phenomena and Processes",
    "H": "Disciplines and Occupations",
    "I": "Anthropology, Education, Sociology, and Social Phenomena",
    "J": "Technology, Industry, and Agriculture",
    "K": "Humanities",
    "L": "Information Science",
    "M": "Named Groups",
    "N": "Health Care",
    "V": "Publication Characteristics",
    "Z": "Geographicals",
}
COLUMNS = ("tree_number", "descriptor", "heading")
_TREE_NUMBER = re.compile(r"([A-Z])\d\d(?:\.\d{3})*", re.ASCII)
_MTREES_LINE = re.compile(r"[^;\r\n]+;[A-Z]\d\d(?:\.\d{3})*\s*$", re.ASCII | re.MULTILINE)
_XML = re.compile(r"<DescriptorRecordSet[\s>]")
_YEAR = re.compile(r"(?:19|20)\d\d")


class MeshRecord(NamedTuple):
    """A descriptor, or a place of one, and the line it ends on, where that is known."""

    line: int | None
    identifier: str
    names: list[str]
    tree_numbers: list[str]
    broader: Sequence[str] = ()  # the parents, for a descriptor without tree numbers


def looks_like(source: Source) -> bool:
    """The XML by its first element, the table by its header, the tree by its first line."""
    text = source.head_text
    return (
        _XML.search(text) is not None
        or uses_vocabulary(text)
        or _MTREES_LINE.match(text) is not None
        or None not in _column_places(first_row(source))
    )


def read(
    source: Source,
    *,
    outside: Literal["skip", "error", "keep"] = "skip",
    language: str | Sequence[str] | None = None,
) -> Taxonomy:
    """Read any of the forms.

    ``outside`` is about tree numbers above that the file lacks, ``language`` about names in RDF.
    """
    if outside not in ("skip", "error", "keep"):
        raise ParameterError(
            f"outside must be 'skip', 'error' or 'keep', got {outside!r}",
            "'skip' puts a descriptor below the nearest ancestor in the file",
        )
    if uses_vocabulary(source.head_text):
        records = _records_from_rdf(source, language)
    elif source.head_text.lstrip().startswith("<"):
        records = _records_from_xml(source)
    elif _MTREES_LINE.match(source.head_text):
        records = _records_from_mtrees(source)
    else:
        records = _records_from_table(source)
    return _build_taxonomy(source, records, outside)


def _build_taxonomy(source: Source, records: Iterator[MeshRecord], outside: str) -> Taxonomy:
    record_at: dict[str, MeshRecord] = {}
    first_record: dict[str, MeshRecord] = {}
    without_place: set[str] = set()
    for record in records:
        _check_record(source, record, first_record.get(record.identifier))
        if not record.tree_numbers and not record.broader:
            without_place.add(record.identifier)
            continue
        first_record.setdefault(record.identifier, record)
        for number in record.tree_numbers:
            earlier = record_at.setdefault(number, record)
            if earlier is not record:
                raise source.error(
                    f"{record.identifier!r} has the tree number {number} of {earlier.identifier!r}"
                    + (f" (line {earlier.line})" if earlier.line else ""),
                    "a tree number belongs to one descriptor; remove one of them",
                    line=record.line,
                )
    letters = sorted({number[0] for number in record_at})
    edges = [(letter, ROOT) for letter in letters] if letters else []
    tree_edges, missing = _tree_edges(source, record_at, outside)
    edges += tree_edges
    for record in first_record.values():
        if not record.tree_numbers:
            parents = [parent for parent in record.broader if parent in first_record]
            edges += [(record.identifier, parent) for parent in parents or [ROOT]]
            missing += len(record.broader) - len(parents)
    labels: dict[str, list[str]] = {x: [f"{CATEGORIES[x]} [{x}]"] for x in letters}
    labels |= {identifier: record.names for identifier, record in first_record.items()}
    left_out = {
        "descriptors without a tree number": len(without_place - first_record.keys()),
        "parents that are not in the file": missing,
    }
    year_match = _YEAR.search(source.file_name)
    return Taxonomy.from_edges(
        edges,
        labels | ({ROOT: ["Medical Subject Headings"]} if edges else {}),
        aliases={number: record.identifier for number, record in record_at.items()},
        about=About(
            source.name,
            source.path.name,
            year_match[0] if year_match else "",
            left_out={reason: count for reason, count in left_out.items() if count},
        ),
    )


def _check_record(source: Source, record: MeshRecord, earlier: MeshRecord | None) -> None:
    """Check that a record has a heading and valid tree numbers."""
    if not record.identifier or not record.names or not record.names[0]:
        raise source.error("a descriptor without a number or a heading", line=record.line)
    if record.identifier in CATEGORIES or record.identifier == ROOT:
        raise source.error(
            f"the descriptor {record.identifier!r} has the name of a category", line=record.line
        )
    for number in record.tree_numbers:
        match = _TREE_NUMBER.fullmatch(number)
        if match is None or match[1] not in CATEGORIES:
            raise source.error(
                f"{number!r} is not a tree number",
                "a tree number looks like A01.236.249",
                line=record.line,
            )
    if earlier and earlier.names[0] != record.names[0]:
        raise source.error(
            f"{record.identifier!r} is called {record.names[0]!r} here and "
            f"{earlier.names[0]!r} on line {earlier.line}",
            "a descriptor has one heading",
            line=record.line,
        )


def _tree_edges(
    source: Source, record_at: Mapping[str, MeshRecord], outside: str
) -> tuple[list[tuple[str, str]], int]:
    """The links that tree numbers make, and how many lead past numbers that the file lacks."""
    edges: dict[tuple[str, str], None] = {}
    missing = 0
    for number, record in record_at.items():
        child, above = record.identifier, number.rpartition(".")[0]
        missing += bool(above) and above not in record_at and outside == "skip"
        while above and above not in record_at:
            if outside == "error":
                raise source.error(
                    f"no descriptor has the tree number {above}, the parent of "
                    f"{record.identifier!r} ({number})",
                    "add it; outside='skip' uses the nearest ancestor, 'keep' keeps the number",
                    line=record.line,
                )
            if outside == "keep":
                edges[child, above] = None
                child = above
            above = above.rpartition(".")[0]
        edges[child, record_at[above].identifier if above else number[0]] = None
    return list(edges), missing


def _records_from_rdf(source: Source, language: str | Sequence[str] | None) -> Iterator[MeshRecord]:
    chooser = NameChooser(language)
    for one in read_descriptors(source):
        names = list(chooser.choose(one.names))
        yield MeshRecord(None, one.identifier, names, one.tree_numbers, one.broader)
    chooser.check_language()


def _records_from_mtrees(source: Source) -> Iterator[MeshRecord]:
    for line, text in enumerate(source.text().split("\n"), start=1):
        if not text.strip():
            continue
        heading, separator, number = text.strip().rpartition(";")
        if not separator:
            raise source.error("the semicolon is missing", "write Body Regions;A01", line=line)
        yield MeshRecord(line, heading, [heading], [number] if number else [])


def _records_from_table(source: Source) -> Iterator[MeshRecord]:
    table = read_table(source)
    header = table.rows[0].cells
    number, descriptor, heading = _column_places(header)
    if number is None or descriptor is None or heading is None:
        raise table.error(
            table.rows[0].line,
            f"the columns are {', '.join(map(repr, header[:6]))}",
            f"name them {', '.join(COLUMNS)}",
        )
    for line, cells in table.rows[1:]:
        if len(cells) != len(header):
            reason = f"expected {len(header)} columns as in the first row, got {len(cells)}"
            raise table.error(line, reason)
        places = [cells[number]] if cells[number] else []
        yield MeshRecord(line, cells[descriptor], [cells[heading]], places)


def _column_places(header: list[str]) -> list[int | None]:
    """Where each of :data:`COLUMNS` stands."""
    return [find_column(header, [name]) for name in COLUMNS]


def _records_from_xml(source: Source) -> Iterator[MeshRecord]:
    """Read the records one after the other: the file may be too large for the memory."""
    refuse_unsafe_xml(source)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reader = _DescriptorReader(parser)
    try:
        with source.open() as file:
            while block := file.read(1 << 20):
                parser.Parse(block)
                yield from reader.take_records()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise _xml_error(source, error) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or not one of bytes
        raise source.error(f"{error}", "save the file as UTF-8", line=1) from None
    yield from reader.take_records()
    if not reader.is_mesh:
        raise source.error(
            "the element DescriptorRecordSet is missing", "use the file descXXXX.xml of NLM"
        )


def _xml_error(source: Source, error: expat.ExpatError) -> FileFormatError:
    return source.error(
        f"not well-formed XML: {expat.ErrorString(error.code)}",
        "download the file again",
        line=error.lineno,
    )


RECORD = ("DescriptorRecordSet", "DescriptorRecord")
WANTED = {
    (*RECORD, "DescriptorUI"): "identifier",
    (*RECORD, "DescriptorName", "String"): "name",
    (*RECORD, "TreeNumberList", "TreeNumber"): "tree number",
    (*RECORD, "ConceptList", "Concept", "TermList", "Term", "String"): "name",
}
WANTED_ENDINGS = frozenset(path[-1] for path in WANTED)


class _DescriptorReader:
    """Collects the few elements that are needed; everything else passes by."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.path: list[str] = []
        self.text: list[str] = []
        self.fields: dict[str, list[str]] = {}
        self.records: list[MeshRecord] = []
        self.is_mesh = False
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.path.append(name)
        if name in WANTED_ENDINGS and tuple(self.path) in WANTED:
            self.text.clear()
            self.parser.CharacterDataHandler = self.text.append

    def end(self, name: str) -> None:
        if self.parser.CharacterDataHandler is not None:
            self.parser.CharacterDataHandler = None
            kind = WANTED.get(tuple(self.path))
            if kind:
                self.fields.setdefault(kind, []).append("".join(self.text).strip())
        elif name == "DescriptorRecord" and tuple(self.path) == RECORD:
            names = list(dict.fromkeys(filter(None, self.fields.get("name", []))))
            identifier = self.fields.get("identifier", [""])[0]
            numbers = list(dict.fromkeys(self.fields.get("tree number", [])))
            line = self.parser.CurrentLineNumber
            self.records.append(MeshRecord(line, identifier, names, numbers))
            self.fields = {}
        elif name == "DescriptorRecordSet":
            self.is_mesh = True
        self.path.pop()

    def take_records(self) -> list[MeshRecord]:
        """Return the records read since the last call."""
        records, self.records = self.records, []
        return records
