"""OWL ontologies and RDF Schema: named classes and what they are subclasses of.

Read from RDF/XML, Turtle or N-Triples::

    :Hepatitis a owl:Class ;
        rdfs:subClassOf :LiverDisease , :ViralInfection ;
        rdfs:label "hepatitis"@en .

What is above or below a class only by a description (a restriction, an equivalent class) is left
out and counted; nothing is inferred. ``owl:Thing`` is not a concept: its children are roots.
"""

from __future__ import annotations

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
    singular="class",
    plural="classes",
    concept=(OWL + "Class", RDFS + "Class"),
    document=OWL + "Ontology",
    broader=RDFS + "subClassOf",
    preferred=(RDFS + "label", SKOS + "prefLabel"),
    synonyms=(
        SKOS + "altLabel",
        "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
    ),
    title=(DCTERMS + "title", DC + "title", RDFS + "label"),
    version=(OWL + "versionInfo", OWL + "versionIRI"),
    everything=(OWL + "Thing", OWL + "Nothing", RDFS + "Resource"),
    reflexive=True,
    left_out_predicates={OWL + "equivalentClass": "class equivalences"},
    hint='OWL declares them as owl:Class; a thesaurus of skos:Concept is read with format="skos"',
)


def looks_like(source: Source) -> bool:
    """Any RDF that nothing else claims."""
    return is_rdf(source)


def read(source: Source, *, language: str = "en") -> Taxonomy:
    """Read an ontology; labels are in ``language`` where a class has any in it."""
    return read_rdf(source, VOCABULARY, language)
