"""MeSH as RDF of the National Library of Medicine (``mesh.nt``), in any form of RDF.

::

    mesh:D001943 a meshv:TopicalDescriptor ;
        rdfs:label "Garden Wounds"@en ;
        meshv:treeNumber mesh:C04.588.180 ;
        meshv:preferredConcept mesh:M0002910 .
    mesh:M0002910 meshv:preferredTerm mesh:T005626 .
    mesh:T005626 meshv:prefLabel "Garden Wounds"@en ; meshv:altLabel "Wounds, Garden"@en .

The label comes first, then the terms of the preferred concept and of the others. Qualifiers and
supplementary records have no place in the tree and are not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ontomask.taxonomy.readers.ontologies.syntax import read_triples
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["MeshDescriptor", "read_descriptors", "uses_vocabulary"]

VOCABULARY = "http://id.nlm.nih.gov/mesh/vocab#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
DESCRIPTORS = frozenset(
    VOCABULARY + name
    for name in ("Descriptor", "TopicalDescriptor", "GeographicalDescriptor", "PublicationType")
) | {VOCABULARY + "CheckTag"}
#: From a descriptor to its concepts, terms and their texts; what is preferred stands first.
CONCEPTS = (VOCABULARY + "preferredConcept", VOCABULARY + "concept")
TERMS = (VOCABULARY + "preferredTerm", VOCABULARY + "term")
TEXTS = (LABEL, VOCABULARY + "prefLabel", VOCABULARY + "altLabel")
TREE_NUMBER, BROADER = VOCABULARY + "treeNumber", VOCABULARY + "broaderDescriptor"


class MeshDescriptor(NamedTuple):
    """A descriptor; names have their languages."""

    identifier: str
    names: list[tuple[str, str]]
    tree_numbers: list[str]
    broader: list[str]


def uses_vocabulary(text: str) -> bool:
    """Whether a text has words of the vocabulary; thesauri that only declare its prefix do not.

    >>> uses_vocabulary("<http://id.nlm.nih.gov/mesh/D1> a <http://id.nlm.nih.gov/mesh/vocab#X> .")
    True
    """
    if VOCABULARY not in text:
        return False
    address = re.escape(VOCABULARY)
    prefixes = re.findall(rf"""([\w.-]+)"?\s*[:=]\s*["'<]{address}""", text)
    words = "|".join([address, *(rf"\b{re.escape(prefix)}:" for prefix in prefixes)])
    return re.search(rf"(?:{words})[A-Za-z]", text) is not None


def read_descriptors(source: Source) -> Iterator[MeshDescriptor]:
    """The descriptors of a file, in the order of their addresses."""
    descriptors: set[str] = set()
    links: dict[str, dict[str, list[str]]] = {
        predicate: defaultdict(list) for predicate in (*CONCEPTS, *TERMS, TREE_NUMBER, BROADER)
    }
    texts: dict[str, dict[str, list[tuple[str, str]]]] = {
        predicate: defaultdict(list) for predicate in TEXTS
    }
    for subject, predicate, value in read_triples(source, {TYPE, *links, *texts}):
        if predicate == TYPE:
            if value in DESCRIPTORS:
                descriptors.add(subject)
        elif predicate in texts and isinstance(value, LanguageText):
            texts[predicate][subject].append((value.text, value.language))
        elif predicate in links and isinstance(value, str):
            links[predicate][subject].append(value)

    def follow(start: list[str], predicates: tuple[str, str]) -> list[str]:
        return [
            end
            for one in start
            for predicate in predicates
            for end in links[predicate].get(one, ())
        ]

    for descriptor in sorted(descriptors):
        concepts = follow([descriptor], CONCEPTS)
        nodes = [descriptor, *concepts, *follow(concepts, TERMS)]
        names = [name for node in nodes for kind in TEXTS for name in texts[kind].get(node, ())]
        yield MeshDescriptor(
            _last_part(descriptor),
            list(dict.fromkeys(names)),
            [_last_part(number) for number in links[TREE_NUMBER].get(descriptor, ())],
            [_last_part(parent) for parent in links[BROADER].get(descriptor, ())],
        )


def _last_part(address: str) -> str:
    return address.rpartition("/")[2].rpartition("#")[2]
