"""Axioms of OWL as triples, as the W3C's mapping to RDF graphs has them.

An axiom is a tree: names of things are text, texts are :class:`LanguageText`, and everything else
is a list of a word and its arguments, as in ``["SubClassOf", "http://a.org/B", "http://a.org/A"]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ontomask.taxonomy.readers.ontologies.syntax.rdf_syntax import Triple
from ontomask.taxonomy.readers.ontologies.vocabularies import (
    EQUIVALENT,
    INDIVIDUAL,
    OWL,
    SUBCLASS,
    TYPE,
)
from ontomask.taxonomy.readers.text.languages import LanguageText

__all__ = ["ENTITIES", "PREFIXES", "Axiom", "axiom_triples"]

Axiom = list[Any]

#: The kinds of things that an ontology declares.
ENTITIES = {
    "Class": OWL + "Class",
    "NamedIndividual": INDIVIDUAL,
    **{
        name: OWL + name
        for name in ("ObjectProperty", "DataProperty", "AnnotationProperty", "Datatype")
    },
}
#: Prefixes that need no declaration.
PREFIXES = {
    "owl": OWL,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
#: Stands for a description, which has no name.
ANONYMOUS = "_:description"


def axiom_triples(axiom: Axiom) -> Iterator[Triple]:
    """What an axiom says of named things; its own annotations are left out."""
    word, *arguments = axiom
    arguments = [part for part in arguments if not _is_annotation(part)]
    names = [part if isinstance(part, str) else ANONYMOUS for part in arguments]
    if word == "Declaration" and arguments and isinstance(arguments[0], list):
        kind, *name = arguments[0]
        if name and kind in ENTITIES:
            yield name[0], TYPE, ENTITIES[kind]
    elif word == "SubClassOf" and len(names) == 2:
        yield names[0], SUBCLASS, names[1]
    elif word == "EquivalentClasses":
        for one, other in pairwise(names):
            yield one, EQUIVALENT, other
    elif word == "ClassAssertion" and len(names) == 2:
        yield names[1], TYPE, names[0]
    elif word == "AnnotationAssertion" and len(arguments) == 3:
        if isinstance(arguments[2], str | LanguageText):
            yield names[1], names[0], arguments[2]
    elif word == "Ontology" and names:
        yield from _ontology_triples(names, axiom)


def _ontology_triples(names: list[str], axiom: Axiom) -> Iterator[Triple]:
    """The ontology itself: its name and version, and its annotations."""
    yield names[0], TYPE, OWL + "Ontology"
    if len(names) > 1:
        yield names[0], OWL + "versionIRI", names[1]
    for part in axiom[1:]:
        if _is_annotation(part) and len(part) >= 3 and isinstance(part[-1], str | LanguageText):
            yield names[0], part[-2], part[-1]


def _is_annotation(part: Any) -> bool:
    return isinstance(part, list) and part[0] == "Annotation"
