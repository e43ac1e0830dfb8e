"""The words of OWL and SKOS that are read, as full addresses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["OWL_WORDS", "RDF", "SKOS_WORDS", "TYPE", "Vocabulary"]

DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
ISO_THES = "http://purl.org/iso25964/skos-thes#"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
TYPE = RDF + "type"
SUBCLASS = RDFS + "subClassOf"
EQUIVALENT = OWL + "equivalentClass"
INDIVIDUAL = OWL + "NamedIndividual"
DEPRECATED = OWL + "deprecated"
DEPRECATED_TYPE = OWL + "DeprecatedClass"
LITERAL_FORM = SKOS_XL + "literalForm"
MEMBER = SKOS + "member"
MEMBER_LIST = SKOS + "memberList"
COLLECTIONS = (SKOS + "Collection", SKOS + "OrderedCollection")
XL_LABEL = SKOS_XL + "Label"
#: Labels of SKOS-XL are resources, with the text in their literal form.
XL_LABELS = {
    SKOS_XL + name: SKOS + name for name in ("prefLabel", "altLabel", "hiddenLabel")
}  # fmt: skip


@dataclass(frozen=True)
class Vocabulary:
    """Which words of RDF mean what."""

    singular: str
    plural: str
    concept: Collection[str]
    document: str
    broader: Collection[str]
    preferred: tuple[str, ...]
    synonyms: tuple[str, ...]
    title: tuple[str, ...]
    version: tuple[str, ...]
    hint: str  # for a file without any concept
    narrower: Collection[str] = ()
    wider_synonyms: tuple[str, ...] = ()  # names of something that is only close
    notation: tuple[str, ...] = ()
    everything: Collection[str] = ()  # above or below all others: no concepts
    is_reflexive: bool = False  # whether everything is broader than itself
    has_individuals: bool = False

    @property
    def concept_types(self) -> frozenset[str]:
        """The same as :attr:`concept`, as a set."""
        return frozenset(self.concept)


OWL_WORDS = Vocabulary(
    singular="class",
    plural="classes",
    concept=(OWL + "Class", RDFS + "Class"),
    document=OWL + "Ontology",
    broader=(SUBCLASS,),
    preferred=(RDFS + "label", SKOS + "prefLabel"),
    synonyms=(
        SKOS + "altLabel",
        OBO_IN_OWL + "hasExactSynonym",
        "http://purl.obolibrary.org/obo/IAO_0000118",  # alternative term
        "http://www.ebi.ac.uk/efo/alternative_term",
    ),
    wider_synonyms=(
        OBO_IN_OWL + "hasRelatedSynonym",
        OBO_IN_OWL + "hasNarrowSynonym",
        OBO_IN_OWL + "hasBroadSynonym",
    ),
    notation=(OBO_IN_OWL + "hasAlternativeId",),
    title=(DCTERMS + "title", DC + "title", RDFS + "label"),
    version=(OWL + "versionInfo", OWL + "versionIRI"),
    everything=(OWL + "Thing", OWL + "Nothing", RDFS + "Resource"),
    is_reflexive=True,
    has_individuals=True,
    hint='OWL declares them as owl:Class; outside="keep" makes every end of a link a concept, and '
    'a thesaurus of skos:Concept is read with format="skos"',
)

SKOS_WORDS = Vocabulary(
    singular="concept",
    plural="concepts",
    concept=(SKOS + "Concept",),
    document=SKOS + "ConceptScheme",
    broader=(SKOS + "broader", ISO_THES + "broaderGeneric"),
    narrower=(SKOS + "narrower", ISO_THES + "narrowerGeneric"),
    preferred=(SKOS + "prefLabel", RDFS + "label"),
    synonyms=(SKOS + "altLabel", SKOS + "hiddenLabel"),
    notation=(SKOS + "notation",),
    title=(DCTERMS + "title", DC + "title", SKOS + "prefLabel", RDFS + "label"),
    version=(OWL + "versionInfo", DCTERMS + "modified", DCTERMS + "issued"),
    hint='SKOS declares them as skos:Concept; outside="keep" makes every end of a link a concept, '
    'and owl:Class is read with format="owl"',
)
