"""The tabular list of ICD-10-CM as CDC and CMS publish it (``icd10cm_tabular_2024.xml``).

Chapters, sections and diagnoses::

    <chapter><name>1</name><desc>Certain diseases (A00-B99)</desc>
      <section id="A00-A09"><desc>Intestinal diseases (A00-A09)</desc>
        <diag><name>A00</name><desc>Fever</desc>
          <inclusionTerm><note>High temperature</note></inclusionTerm>
          <sevenChrDef><extension char="A">initial encounter</extension></sevenChrDef>
        </diag>

A chapter is named by its codes, ``A00-B99``, because a number in a column of codes must not become
a chapter; a section by its codes, with both ends even if they are equal (``B99-B99``). Inclusion
terms are synonyms.

Where a diagnosis or one above it defines seventh characters, each diagnosis without others below it
gets a code for each of them; ``X`` fills the places up to the sixth character (T15.0 and A make
``T15.00XA``). A few of these codes are not billable, which only the list of codes says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ontomask.taxonomy.about import About
from ontomask.taxonomy.code_repair import ICD10
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_elements import (
    XmlElement,
    element_text,
    read_elements,
    root_name,
)
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

ROOT = "ROOT"  # as in the ICD-9 tables
FILLED = len("A00.000")
_CODES = re.compile(r" \((\w+(?:-\w+)?)\)$")  # at the end of the title of a chapter or section


@dataclass
class TabularList:
    """The concepts of a file, while it is read."""

    source: Source
    edges: list[tuple[str, str]] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def add(self, code: str, parent: str, names: list[str], line: int) -> None:
        """Add a concept, whose code must be new."""
        if not code:
            raise self.source.error("a diagnosis or chapter has no name", line=line)
        if code in self.labels:
            raise self.source.error(
                f"the code {code!r} occurs twice (first on line {self.lines[code]})",
                "download the file again",
                line=line,
            )
        self.labels[code] = names
        self.lines[code] = line
        self.edges.append((code, parent))


def looks_like(source: Source) -> bool:
    """XML whose first element is ``ICD10CM.tabular``."""
    return root_name(source) == "ICD10CM.tabular"


def read(source: Source) -> Taxonomy:
    """Read the list."""
    contents = TabularList(source, labels={ROOT: ["ICD-10-CM diagnoses"]})
    version = ""
    for element in read_elements(source, ("chapter", "version")):
        if element.tag == "version":
            version = version or element_text(element)
        else:
            _add_chapter(contents, element)
    if not contents.edges:
        raise source.error("the file has no chapter", "use the tabular list as CDC publishes it")
    return Taxonomy.from_edges(
        contents.edges,
        contents.labels,
        about=About("icd10cm", source.file_name, version, code_style=ICD10, languages=("en",)),
    )


def _add_chapter(contents: TabularList, chapter: XmlElement) -> None:
    code, title = _codes_and_title(chapter, element_text(chapter.first("name")))
    contents.add(code, ROOT, [title], chapter.line)
    for section in chapter.all("section"):
        identifier, title = _codes_and_title(section, section.get("id", ""))
        if identifier and "-" not in identifier:
            identifier = f"{identifier}-{identifier}"
        contents.add(identifier, code, [title], section.line)
        for diagnosis in section.all("diag"):
            _add_diagnosis(contents, diagnosis, identifier, _seventh_characters(section))


def _codes_and_title(element: XmlElement, name: str) -> tuple[str, str]:
    """The codes and the title of a chapter or section; the title may end with the codes."""
    title = element_text(element.first("desc"))
    match = _CODES.search(title)
    is_named = element.tag == "section" and name
    code = name if is_named or not match else match[1]
    return code, title[: match.start()] if match else title


def _add_diagnosis(
    contents: TabularList, element: XmlElement, parent: str, inherited: Mapping[str, str]
) -> None:
    code = element_text(element.first("name"))
    title = element_text(element.first("desc"))
    contents.add(code, parent, [title, *_inclusion_terms(element)], element.line)
    characters = _seventh_characters(element) or inherited
    below = element.all("diag")
    for diagnosis in below:
        _add_diagnosis(contents, diagnosis, code, characters)
    if not below and len(code) <= FILLED:
        filled = (code if "." in code else f"{code}.").ljust(FILLED, "X")
        for character, meaning in characters.items():
            contents.add(filled + character, code, [f"{title}, {meaning}"], element.line)


def _inclusion_terms(element: XmlElement) -> Iterator[str]:
    for term in element.all("inclusionTerm"):
        yield from map(element_text, term.all("note"))


def _seventh_characters(element: XmlElement) -> dict[str, str]:
    """The characters that are defined here, each with its meaning."""
    return {
        extension.get("char", ""): element_text(extension)
        for definition in element.all("sevenChrDef")
        for extension in definition.all("extension")
        if extension.get("char", "").strip()
    }
