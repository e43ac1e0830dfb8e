"""OWL ontologies and RDF Schema: named classes, what they are subclasses of, and individuals.

Read from RDF (RDF/XML, Turtle, TriG, N-Triples, N-Quads, JSON-LD), OWL functional syntax, OWL/XML
or Manchester syntax::

    :Hepatitis a owl:Class ;
        rdfs:subClassOf :LiverDisease , :ViralInfection ;
        rdfs:label "hepatitis"@en .
    :hepatitis-of-1998 a :Hepatitis .

An individual is a concept below its classes. What is above or below a class only by a description
(a restriction, an equivalent class) is left out and counted; nothing is inferred. ``owl:Thing`` is
not a concept: its children are roots.
"""

from __future__ import annotations

from collections.abc import Sequence

from ontomask.taxonomy.readers.ontologies.links import Outside
from ontomask.taxonomy.readers.ontologies.rdf import RdfOptions, read_rdf
from ontomask.taxonomy.readers.ontologies.vocabularies import OWL_WORDS
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["read"]


def read(
    source: Source,
    *,
    language: str | Sequence[str] | None = None,
    outside: Outside = "skip",
    synonyms: str = "exact",
) -> Taxonomy:
    """Read an ontology.

    Args:
        source: The file.
        language: The language of names, or several, the preferred one first; ``"all"`` reads every
            language. The default is English, or the most frequent one of a file without English.
        outside: What becomes of links to classes that the file does not declare.
        synonyms: ``"all"`` takes the narrow, broad and related synonyms of OBO as well.
    """
    return read_rdf(source, OWL_WORDS, RdfOptions(language, outside, synonyms))
