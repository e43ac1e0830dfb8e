"""The syntaxes in which ontologies are written; each becomes triples."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ontomask.taxonomy.readers.ontologies.syntax.functional import read_functional
from ontomask.taxonomy.readers.ontologies.syntax.manchester import read_manchester
from ontomask.taxonomy.readers.ontologies.syntax.obo_graph import read_obo_graph
from ontomask.taxonomy.readers.ontologies.syntax.owl_xml import read_owl_xml
from ontomask.taxonomy.readers.ontologies.syntax.rdf_syntax import Triple, read_rdf_syntax
from ontomask.taxonomy.readers.ontologies.vocabularies import OWL, RDF
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import LONGEST_PROLOG

__all__ = ["Triple", "detect_syntax", "read_triples"]

#: What is not RDF, by its name.
OTHER_SYNTAXES = {
    "OWL functional syntax": read_functional,
    "OWL/XML": read_owl_xml,
    "Manchester syntax": read_manchester,
    "OBO graph": read_obo_graph,
}

_XML = re.compile(r"\s*<(?:[?!]|[\w:.-]+\s)")
_PROLOG = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_ROOT = re.compile(r"<(?:\w+:)?(\w+)")
_COMMENTS = r"\s*(?:\#.*\n\s*)*"
_TURTLE = re.compile(
    _COMMENTS
    + r"""(?:@(?:prefix|base)\b | (?i:prefix)\s+[\w.-]*:\s*< | (?i:base)\s*<
     | (?:<\w[\w+.-]*:[^<>\s]*>|_:\S+)\s+(?:<|a\s|\w*:))""",
    re.VERBOSE,
)
_QUAD = re.compile(
    r"""^(?:<[^>]*>|_:\S+)\s+<[^>]*>\s+
    (?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)\s+
    (?:<[^>]*>|_:\S+)\s*\.\s*(?:\#.*)?$""",
    re.VERBOSE | re.MULTILINE,
)
_GRAPH = re.compile(
    r"^\s*(?:GRAPH\s+)?(?:<[^<>\s]*>|[\w.-]*:[\w.%-]*)?\s*\{", re.MULTILINE | re.IGNORECASE
)
_JSON_LD = re.compile(r'"@(?:context|graph|id|type)"\s*:')
_OBO_GRAPH = re.compile(r'\s*\{(?s:.*?)"graphs"\s*:\s*\[(?s:.*?)"(?:nodes|edges)"\s*:')
_FUNCTIONAL = re.compile(_COMMENTS + r"(?:Prefix|Ontology)\s*\(", re.VERBOSE)
_MANCHESTER = re.compile(_COMMENTS + r"(?:Prefix|Ontology):\s", re.VERBOSE)


def detect_syntax(source: Source) -> str | None:
    """The syntax of a file, by how it begins; None where it is none of these."""
    text = source.head_text
    if _XML.match(text):
        return _detect_xml(source, text)
    if text.lstrip().startswith(("{", "[")):
        if _OBO_GRAPH.match(text):
            return "OBO graph"
        return "JSON-LD" if _JSON_LD.search(text) else None
    if _FUNCTIONAL.match(text):
        return "OWL functional syntax"
    if _MANCHESTER.match(text):
        return "Manchester syntax"
    if not _TURTLE.match(text):
        return None
    if _QUAD.search(text):
        return "N-Quads"
    # TriG is Turtle with graphs, and its parser takes four times as long.
    return "TriG" if _GRAPH.search(text) or ".trig" in source.file_name else "Turtle"


def _detect_xml(source: Source, text: str) -> str | None:
    if RDF not in text and OWL not in text and source.is_longer_than_head:
        with source.open() as file:  # a long comment may precede the first element
            text = file.read(LONGEST_PROLOG).decode(errors="replace")
    root = _ROOT.match(_PROLOG.sub("", text.removeprefix("\ufeff"), count=1))
    if root is not None and root[1] == "Ontology" and OWL in text:
        return "OWL/XML"
    return "RDF/XML" if RDF in text or (root is not None and root[1] == "RDF") else None


def read_triples(source: Source, wanted: Collection[str]) -> Iterator[Triple]:
    """The triples of a file with these predicates."""
    syntax = detect_syntax(source)
    if syntax in OTHER_SYNTAXES:
        return OTHER_SYNTAXES[syntax](source)
    if syntax is None:  # somebody named the format: the error of the parser says what is wrong
        syntax = "RDF/XML" if _XML.match(source.head_text) else "Turtle"
    return read_rdf_syntax(source, syntax, wanted)
