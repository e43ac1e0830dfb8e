"""Medical Subject Headings of the US National Library of Medicine, in three forms.

The descriptors as XML (``desc2024.xml``); the tree as text (``mtrees2024.bin``)::

    Body Regions;A01
    Anatomic Landmarks;A01.111

and as a table whose header names tree_number, descriptor and heading.

A descriptor has one or more places in the tree; above a place is its number less the last group.
Above the tops stand the categories, ``Anatomy [A]`` to ``Geographicals [Z]``, and above those
the root ``MeSH``. Concepts are named by the descriptor's number (``D001829``) where the file has
it, otherwise by the heading; tree numbers are aliases, entry terms synonyms. Descriptors without
a place (``Female``, ``Male``) are left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from ontomask.errors import FileFormatError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.delimited import column, first_row, read_table
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


class Record(NamedTuple):
    """A descriptor, or a place of one, and the line it ends on."""

    line: int
    identifier: str
    names: list[str]
    tree_numbers: list[str]


def looks_like(source: Source) -> bool:
    """The XML by its first element, the table by its header, the tree by its first line."""
    text = source.head_text
    return (
        _XML.search(text) is not None
        or _MTREES_LINE.match(text) is not None
        or None not in _places(first_row(source))
    )


def read(source: Source) -> Taxonomy:
    """Read any of the three forms."""
    if source.head_text.lstrip().startswith("<"):
        records = _from_xml(source)
    elif _MTREES_LINE.match(source.head_text):
        records = _from_mtrees(source)
    else:
        records = _from_table(source)
    return _taxonomy(source, records)


def _taxonomy(source: Source, records: Iterator[Record]) -> Taxonomy:
    at: dict[str, Record] = {}
    names: dict[str, Record] = {}
    without_place: set[str] = set()
    for record in records:
        _check(source, record, names.get(record.identifier))
        if not record.tree_numbers:
            without_place.add(record.identifier)
            continue
        names.setdefault(record.identifier, record)
        for number in record.tree_numbers:
            known = at.setdefault(number, record)
            if known is not record:
                raise source.error(
                    f"{record.identifier!r} stands at the place {number} of {known.identifier!r}"
                    f" (line {known.line})",
                    "every place belongs to one descriptor; remove one of them",
                    line=record.line,
                )
    letters = sorted({number[0] for number in at})
    edges = [(letter, ROOT) for letter in letters] if letters else []
    edges += [(record.identifier, _parent(source, record, n, at)) for n, record in at.items()]
    labels: dict[str, list[str]] = {x: [f"{CATEGORIES[x]} [{x}]"] for x in letters}
    labels |= {identifier: record.names for identifier, record in names.items()}
    count = len(without_place - names.keys())
    found = _YEAR.search(source.path.name)
    return Taxonomy.from_edges(
        edges,
        labels | ({ROOT: ["Medical Subject Headings"]} if letters else {}),
        aliases={number: record.identifier for number, record in at.items()},
        about=About(
            source.name,
            source.path.name,
            found[0] if found else "",
            left_out={"descriptors without a tree number": count} if count else {},
        ),
    )


def _check(source: Source, record: Record, earlier: Record | None) -> None:
    """What every record must have."""
    if not record.identifier or not record.names or not record.names[0]:
        raise source.error("a descriptor without a number or a heading", line=record.line)
    if record.identifier in CATEGORIES or record.identifier == ROOT:
        raise source.error(
            f"a descriptor is called {record.identifier!r}, as a category is", line=record.line
        )
    for number in record.tree_numbers:
        found = _TREE_NUMBER.fullmatch(number)
        if found is None or found[1] not in CATEGORIES:
            raise source.error(
                f"{number!r} is no tree number", "they look like A01.236.249", line=record.line
            )
    if earlier and earlier.names[0] != record.names[0]:
        raise source.error(
            f"{record.identifier!r} is called {record.names[0]!r} here and "
            f"{earlier.names[0]!r} on line {earlier.line}",
            "a descriptor has one heading",
            line=record.line,
        )


def _parent(source: Source, record: Record, number: str, at: dict[str, Record]) -> str:
    above = number.rpartition(".")[0]
    if not above:
        return number[0]
    if above not in at:
        raise source.error(
            f"nothing stands at {above}, the place above {record.identifier!r} ({number})",
            "the file must have every place up to the top",
            line=record.line,
        )
    return at[above].identifier


def _from_mtrees(source: Source) -> Iterator[Record]:
    for line, text in enumerate(source.text().split("\n"), start=1):
        if not text.strip():
            continue
        heading, separator, number = text.strip().rpartition(";")
        if not separator:
            raise source.error("there is no semicolon", "write Body Regions;A01", line=line)
        yield Record(line, heading, [heading], [number] if number else [])


def _from_table(source: Source) -> Iterator[Record]:
    table = read_table(source)
    header = table.rows[0].cells
    number, descriptor, heading = _places(header)
    if number is None or descriptor is None or heading is None:
        raise table.error(
            table.rows[0].line,
            f"the columns are {', '.join(map(repr, header[:6]))}",
            f"name them {', '.join(COLUMNS)}",
        )
    for line, cells in table.rows[1:]:
        if len(cells) != len(header):
            raise table.error(line, f"{len(cells)} columns where the first row has {len(header)}")
        places = [cells[number]] if cells[number] else []
        yield Record(line, cells[descriptor], [cells[heading]], places)


def _places(header: list[str]) -> list[int | None]:
    """Where each of :data:`COLUMNS` stands."""
    return [column(header, [name]) for name in COLUMNS]


def _from_xml(source: Source) -> Iterator[Record]:
    """The records one after the other: the file is too large to be held."""
    refuse_unsafe_xml(source)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    reader = _DescriptorReader(parser)
    try:
        with source.open() as file:
            while block := file.read(1 << 20):
                parser.Parse(block)
                yield from reader.taken()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise _not_well_formed(source, error) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or not one of bytes
        raise source.error(f"{error}", "save the file as UTF-8", line=1) from None
    yield from reader.taken()
    if not reader.is_mesh:
        raise source.error(
            "there is no DescriptorRecordSet in it", "the file should be NLM's descXXXX.xml"
        )


def _not_well_formed(source: Source, error: expat.ExpatError) -> FileFormatError:
    return source.error(
        f"not well-formed XML: {expat.ErrorString(error.code)}",
        "fetch the file again",
        line=error.lineno,
    )


RECORD = ("DescriptorRecordSet", "DescriptorRecord")
WANTED = {
    (*RECORD, "DescriptorUI"): "identifier",
    (*RECORD, "DescriptorName", "String"): "name",
    (*RECORD, "TreeNumberList", "TreeNumber"): "tree number",
    (*RECORD, "ConceptList", "Concept", "TermList", "Term", "String"): "name",
}
LAST = frozenset(path[-1] for path in WANTED)


class _DescriptorReader:
    """Collects the few elements that are needed; everything else passes by."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.parser = parser
        self.path: list[str] = []
        self.text: list[str] = []
        self.found: dict[str, list[str]] = {}
        self.records: list[Record] = []
        self.is_mesh = False
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.path.append(name)
        if name in LAST and tuple(self.path) in WANTED:
            self.text.clear()
            self.parser.CharacterDataHandler = self.text.append

    def end(self, name: str) -> None:
        if self.parser.CharacterDataHandler is not None:
            self.parser.CharacterDataHandler = None
            kind = WANTED.get(tuple(self.path))
            if kind:
                self.found.setdefault(kind, []).append("".join(self.text).strip())
        elif name == "DescriptorRecord" and tuple(self.path) == RECORD:
            names = list(dict.fromkeys(filter(None, self.found.get("name", []))))
            identifier = self.found.get("identifier", [""])[0]
            numbers = list(dict.fromkeys(self.found.get("tree number", [])))
            line = self.parser.CurrentLineNumber
            self.records.append(Record(line, identifier, names, numbers))
            self.found = {}
        elif name == "DescriptorRecordSet":
            self.is_mesh = True
        self.path.pop()

    def taken(self) -> list[Record]:
        """What was read since the last time."""
        records, self.records = self.records, []
        return records
