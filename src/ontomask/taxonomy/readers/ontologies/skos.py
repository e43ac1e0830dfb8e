"""SKOS thesauri and classifications: concepts and their broader concepts.

Read from RDF: RDF/XML, Turtle, TriG, N-Triples, N-Quads or JSON-LD::

    ex:hepatitis a skos:Concept ;
        skos:broader ex:liver-disease , ex:viral-infection ;
        skos:notation "K75.9" ;
        skos:prefLabel "hepatitis"@en , "Hepatitis"@de .

``skos:narrower`` is the same link from the other end; notations are aliases. Labels may be those of
SKOS-XL. Instances of a class below ``skos:Concept`` are concepts as well.
"""

from __future__ import annotations

from collections.abc import Sequence

from ontomask.taxonomy.readers.ontologies.links import Outside
from ontomask.taxonomy.readers.ontologies.rdf import RdfOptions, read_rdf
from ontomask.taxonomy.readers.ontologies.vocabularies import SKOS_WORDS
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["read"]


def read(
    source: Source,
    *,
    language: str | Sequence[str] | None = None,
    outside: Outside = "skip",
    collections: bool = False,
) -> Taxonomy:
    """Read a thesaurus.

    Args:
        source: The file.
        language: The language of names, or several, the preferred one first; ``"all"`` reads every
            language. The default is English, or the most frequent one of a file without English.
        outside: What becomes of links to concepts that the file does not declare.
        collections: True makes collections concepts, above their members.
    """
    return read_rdf(source, SKOS_WORDS, RdfOptions(language, outside, collections=collections))
