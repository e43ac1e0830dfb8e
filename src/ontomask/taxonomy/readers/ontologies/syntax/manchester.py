"""Manchester syntax, in which everything about a class is one frame.

::

Class: Hepatitis
Annotations: rdfs:label "hepatitis"@en
SubClassOf: LiverDisease, affects some Liver
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ontomask.taxonomy.readers.ontologies.syntax.axioms import ANONYMOUS, ENTITIES
from ontomask.taxonomy.readers.ontologies.syntax.functional import (
    NameResolver,
    UnknownPrefix,
    parse_text,
    syntax_error,
)
from ontomask.taxonomy.readers.ontologies.syntax.rdf_syntax import Triple
from ontomask.taxonomy.readers.ontologies.vocabularies import EQUIVALENT, OWL, SUBCLASS, TYPE
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["read_manchester"]

FRAMES = {
    "Ontology": OWL + "Ontology",
    **ENTITIES,
    "Individual": ENTITIES["NamedIndividual"],
}
#: Words that begin something which is about no class of its own.
OTHER_FRAMES = (
    *("Rule", "EquivalentClasses", "DisjointClasses", "EquivalentProperties"),
    *("DisjointProperties", "SameIndividual", "DifferentIndividuals"),
)
#: Sections whose items are triples about the subject of the frame.
SECTIONS = {"SubClassOf": SUBCLASS, "EquivalentTo": EQUIVALENT, "Types": TYPE}

_TOKEN = re.compile(
    r"""(?:\s+|\#[^\n]*)
    | (?P<text>"(?:[^"\\]|\\.)*+")
      (?:@(?P<language>[A-Za-z0-9-]+)|\^\^(?P<type><[^<>\s]*>|[\w:.-]+))?
    | (?P<iri><[^<>\s]*>)
    | (?P<keyword>[A-Za-z]+:)(?=\s)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<comma>,)
    | (?P<name>[^\s()\[\]{}<>",]+|[<>]=?)""",
    re.VERBOSE,
)


#: Texts that need no quotation marks.
_PLAIN_VALUE = re.compile(r"true|false|[+-]?[0-9.]+f?")


class Token(NamedTuple):
    """A word, a text or a sign, and where it stands in the file."""

    kind: str
    value: str | LanguageText
    place: int


def read_manchester(source: Source) -> Iterator[Triple]:
    """The triples of a file in Manchester syntax."""
    subject: str | None = None
    for keyword, items in _read_sections(source):
        first = items[0][0].value if items and items[0] else None
        if keyword in FRAMES or keyword in OTHER_FRAMES:
            subject = first if keyword in FRAMES and isinstance(first, str) else None
            if subject is not None:
                yield subject, TYPE, FRAMES[keyword]
                if keyword == "Ontology" and len(items[0]) > 1:
                    yield subject, OWL + "versionIRI", items[0][1].value
        elif subject is not None:
            yield from _section_triples(subject, keyword, items)


def _section_triples(subject: str, keyword: str, items: list[list[Token]]) -> Iterator[Triple]:
    """What a section of a frame says of its subject."""
    for item in filter(None, items):
        first = item[0].value
        if keyword == "Annotations":
            if len(item) == 2 and isinstance(first, str):
                yield subject, first, item[1].value
        elif keyword in SECTIONS:
            named = len(item) == 1 and isinstance(first, str)
            yield subject, SECTIONS[keyword], first if named else ANONYMOUS


def _read_sections(source: Source) -> Iterator[tuple[str, list[list[Token]]]]:
    """The keyword of each section, and its items, which are separated by commas."""
    tokens = _read_tokens(source)
    place = 0
    while place < len(tokens):
        keyword = str(tokens[place].value)
        items: list[list[Token]] = [[]]
        depth = 0
        place += 1
        while place < len(tokens):
            token = tokens[place]
            if token.kind == "keyword":
                if token.value != "Annotations" or items[-1] or keyword in FRAMES:
                    break
                place = _end_of_annotations(tokens, place + 1)  # those of an item
                continue
            depth += (token.kind == "open") - (token.kind == "close")
            if token.kind == "comma" and depth == 0:
                items.append([])
            else:
                items[-1].append(token)
            place += 1
        yield keyword, items


def _end_of_annotations(tokens: list[Token], place: int) -> int:
    """Where the annotations end that begin here: pairs of a property and a value."""
    while place < len(tokens):
        if tokens[place].value == "Annotations" and tokens[place].kind == "keyword":
            place = _end_of_annotations(tokens, place + 1)
        place += 2
        if place >= len(tokens) or tokens[place].kind != "comma":
            break
        place += 1
    return place


def _read_tokens(source: Source) -> list[Token]:
    """The words of a file from its first keyword on; prefixes are applied and left out."""
    text = source.text()
    names = NameResolver()
    tokens: list[Token] = []
    place = 0
    prefix: str | None = None  # the one that is being declared
    in_prefix = False
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise syntax_error(source, text, place, "this is not Manchester syntax")
        kind = match.lastgroup
        value = match[0]
        if in_prefix and kind == "iri":
            names.prefixes[(prefix or "").removesuffix(":")] = value[1:-1]
            in_prefix = False
        elif in_prefix and kind is not None:
            prefix = value
        elif value == "Prefix:":
            in_prefix = True
        elif kind == "name" and _PLAIN_VALUE.fullmatch(value):
            tokens.append(Token("text", LanguageText(value, ""), place))
        elif kind == "name":
            try:
                resolved = names.resolve(value if ":" in value else f":{value}")
            except UnknownPrefix as error:
                if ":" in value:
                    raise syntax_error(source, text, place, str(error)) from None
                resolved = value
            tokens.append(Token(kind, resolved, place))
        elif kind in ("text", "language", "type"):
            tokens.append(Token("text", parse_text(match), place))
        elif kind is not None:
            plain = {"iri": value[1:-1], "keyword": value[:-1]}.get(kind, value)
            tokens.append(Token(kind, plain, place))
        place = match.end()
    return tokens
