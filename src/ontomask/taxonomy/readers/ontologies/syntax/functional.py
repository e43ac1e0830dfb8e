"""OWL functional syntax, in which an axiom is written like a call.

::

Declaration(Class(:Hepatitis))
SubClassOf(:Hepatitis :LiverDisease)
AnnotationAssertion(rdfs:label :Hepatitis "hepatitis"@en)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.ontologies.syntax.axioms import PREFIXES, Axiom, axiom_triples
from ontomask.taxonomy.readers.ontologies.syntax.rdf_syntax import Triple
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["NameResolver", "UnknownPrefix", "parse_text", "read_functional", "syntax_error"]

#: Spaces and comments, and then a text, an address, or anything that is written without spaces.
TOKEN = re.compile(
    r"""(?:\s+|\#[^\n]*)
    | (?P<text>"(?:[^"\\]|\\.)*+")
      (?:@(?P<language>[A-Za-z0-9-]+)|\^\^(?P<type><[^<>\s]*>|[^\s()<>"]+))?
    | (?P<iri><[^<>\s]*>)
    | (?P<open>\w*\s*\()
    | (?P<close>\))
    | (?P<prefix>[\w.-]*:=)
    | (?P<name>[^\s()<>"]+)""",
    re.VERBOSE,
)
DEEPEST = 1_000
_ESCAPE = re.compile(r'\\(["\\])')


class UnknownPrefix(Exception):
    """An abbreviated name has a prefix that the file does not declare."""


class NameResolver:
    """The prefixes of a file, and what abbreviated names stand for."""

    def __init__(self) -> None:
        self.prefixes = dict(PREFIXES)

    def resolve(self, name: str) -> str:
        """The full address of an abbreviated name; numbers and the like stay as they are."""
        prefix, colon, local = name.partition(":")
        if not colon or prefix == "_":
            return name
        if prefix not in self.prefixes:
            raise UnknownPrefix(f"the prefix {prefix + colon!r} is not declared")
        return self.prefixes[prefix] + local


def parse_text(match: re.Match[str]) -> LanguageText:
    """The text that a token stands for."""
    return LanguageText(_ESCAPE.sub(r"\1", match["text"][1:-1]), (match["language"] or "").lower())


def read_functional(source: Source) -> Iterator[Triple]:
    """The triples of a file in functional syntax."""
    for axiom in _read_axioms(source):
        yield from axiom_triples(axiom)


def _read_axioms(source: Source) -> Iterator[Axiom]:
    """The axioms one by one; the ontology, which is around them, comes last."""
    text = source.text()
    names = NameResolver()
    open_parts: list[Axiom] = []
    prefix = ""
    place = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        kind = match.lastgroup if match else None
        if match is None or (not open_parts and kind not in ("open", None)):
            raise syntax_error(source, text, place, "this is not OWL functional syntax")
        if kind == "open":
            open_parts.append([match["open"][:-1].rstrip()])
            if len(open_parts) > DEEPEST:
                raise syntax_error(source, text, place, f"more than {DEEPEST} parentheses are open")
        elif kind == "close":
            part = open_parts.pop()
            if open_parts and (len(open_parts) > 1 or part[0] == "Annotation"):
                open_parts[-1].append(part)
            elif part[0] != "Prefix":
                yield part
        elif kind == "prefix":
            prefix = match["prefix"][:-2]
        elif kind == "iri" and open_parts[-1][0] == "Prefix":
            names.prefixes[prefix] = match["iri"][1:-1]
        elif kind == "iri":
            open_parts[-1].append(match["iri"][1:-1])
        elif kind == "name":
            try:
                open_parts[-1].append(names.resolve(match["name"]))
            except UnknownPrefix as error:
                raise syntax_error(source, text, place, str(error)) from None
        elif kind is not None:
            open_parts[-1].append(parse_text(match))
        place = match.end()
    if open_parts:
        raise syntax_error(source, text, place, f"the file ends before {open_parts[-1][0]}( does")


def syntax_error(source: Source, text: str, place: int, reason: str) -> FileFormatError:
    """An error at a place of the text."""
    return source.error(
        f"{reason} in {text[place : place + 40].split(chr(10))[0]!r}" if text[place:] else reason,
        "check that the file is complete, or save it as RDF/XML",
        line=text.count("\n", 0, place) + 1,
    )
