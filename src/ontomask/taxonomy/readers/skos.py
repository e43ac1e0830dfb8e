"""SKOS thesauri and classifications: concepts and their broader concepts.

Read from RDF/XML, Turtle or N-Triples::

    ex:hepatitis a skos:Concept ;
        skos:broader ex:liver-disease , ex:viral-infection ;
        skos:notation "K75.9" ;
        skos:prefLabel "hepatitis"@en , "Hepatitis"@de .

``skos:narrower`` is the same link from the other end; notations are aliases.
"""

from __future__ import annotations

import re

from ontomask.taxonomy.readers.rdf import (
    DC,
    DCTERMS,
    OWL,
    RDFS,
    SKOS,
    Vocabulary,
    is_rdf,
    read_rdf,
)
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

VOCABULARY = Vocabulary(
    singular="concept",
    plural="concepts",
    concept=(SKOS + "Concept",),
    document=SKOS + "ConceptScheme",
    broader=SKOS + "broader",
    narrower=SKOS + "narrower",
    preferred=(SKOS + "prefLabel", RDFS + "label"),
    synonyms=(SKOS + "altLabel", SKOS + "hiddenLabel"),
    notation=SKOS + "notation",
    title=(DCTERMS + "title", DC + "title", SKOS + "prefLabel", RDFS + "label"),
    version=(OWL + "versionInfo", DCTERMS + "modified", DCTERMS + "issued"),
    hint='SKOS declares them as skos:Concept; owl:Class is read with format="owl"',
)

_CONCEPT = re.compile(r"\bskos(?:[:;]|/core#)Concept\b")
_CLASS = re.compile(r"\b(?:owl|rdfs|rdf-schema)[:;#]Class\b")


def looks_like(source: Source) -> bool:
    """RDF that speaks of ``skos:Concept`` at least as often as of classes."""
    head = source.head_text
    concepts = len(_CONCEPT.findall(head))
    return concepts > 0 and concepts >= len(_CLASS.findall(head)) and is_rdf(source)


def read(source: Source, *, language: str = "en") -> Taxonomy:
    """Read a thesaurus; labels are in ``language`` where a concept has any in it."""
    return read_rdf(source, VOCABULARY, language)
