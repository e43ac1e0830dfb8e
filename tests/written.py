"""Taxonomies written in the formats that the package only reads."""

from __future__ import annotations

import json
import re
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st

import made_up_rf2 as made_up
import ontomask as om
from strategies import edge_lists

WORD = st.text(
    st.characters(exclude_categories=["Cc", "Cn", "Co", "Cs", "Zl", "Zp"]), min_size=1, max_size=9
)
# The OBO parser does not read a backslash at the end of a synonym.
NAME = WORD.map(lambda word: " ".join(word.split()).rstrip("\\ ")).filter(bool)


@st.composite
def named_taxonomies(draw):
    edges = draw(edge_lists(max_concepts=12))
    concepts = sorted({concept for edge in edges for concept in edge})
    labels = {}
    for concept in concepts:
        names = draw(st.lists(NAME, max_size=3, unique=True))
        labels[concept] = [*names[:1], *sorted(names[1:])]  # RDF has no order of its own
    return om.Taxonomy.from_edges(edges, labels)


def as_obo(tax):
    for concept in tax:
        yield f"[Term]\nid: {concept}"
        for place, name in enumerate(tax.labels(concept)):
            text = re.sub(r'([\\"{}!])', r"\\\1", name)
            yield f'synonym: "{text}" EXACT []' if place else f"name: {text}"
        yield from (f"is_a: {parent}" for parent in tax.parents(concept))


def as_triples(tax, concept_type, broader, preferred, synonym):
    """Subject, predicate, object; a text is in a tuple of its own."""
    for concept in reversed(tax.identifiers):
        yield concept, "rdf:type", concept_type
        yield from ((concept, broader, parent) for parent in tax.parents(concept))
        for place, name in enumerate(tax.labels(concept)):
            yield concept, synonym if place else preferred, (name,)


NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
OWL_WORDS = ("owl:Class", "rdfs:subClassOf", "rdfs:label", "skos:altLabel")
SKOS_WORDS = ("skos:Concept", "skos:broader", "skos:prefLabel", "skos:altLabel")


def full(name):
    prefix, _, local = name.rpartition(":")
    return NAMESPACES.get(prefix, "http://example.org/") + local


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_xml(triples):
    spaces = " ".join(f"xmlns:{prefix}={quoteattr(full)}" for prefix, full in NAMESPACES.items())
    yield f"<rdf:RDF {spaces}>"
    for subject, predicate, value in triples:
        yield f"<rdf:Description rdf:about={quoteattr(full(subject))}>"
        if isinstance(value, tuple):
            yield f"<{predicate}>{escape(value[0])}</{predicate}>"
        else:
            yield f"<{predicate} rdf:resource={quoteattr(full(value))}/>"
        yield "</rdf:Description>"
    yield "</rdf:RDF>"


def as_turtle(triples):
    yield "@prefix : <http://example.org/> ."
    yield from (f"@prefix {prefix}: <{full}> ." for prefix, full in NAMESPACES.items())
    for subject, predicate, value in triples:
        plain = value if ":" in value else f":{value}"
        yield f":{subject} {predicate} {quoted(*value) if isinstance(value, tuple) else plain} ."


def as_ntriples(triples):
    for subject, predicate, value in triples:
        last = quoted(*value) if isinstance(value, tuple) else f"<{full(value)}>"
        yield f"<{full(subject)}> <{full(predicate)}> {last} ."


def as_functional(tax):
    """OWL functional syntax."""
    yield "Prefix(skos:=<http://www.w3.org/2004/02/skos/core#>)\nOntology("
    for concept in reversed(tax.identifiers):
        yield f"Declaration(Class(<{full(concept)}>))"
        yield from (f"SubClassOf(<{full(concept)}> <{full(p)}>)" for p in tax.parents(concept))
        for place, name in enumerate(tax.labels(concept)):
            word = "skos:altLabel" if place else "rdfs:label"
            yield f"AnnotationAssertion({word} <{full(concept)}> {quoted(name)})"
    yield ")"


def as_manchester(tax):
    """Manchester syntax of OWL."""
    yield "Prefix: skos: <http://www.w3.org/2004/02/skos/core#>\nOntology:"
    for concept in reversed(tax.identifiers):
        yield f"Class: <{full(concept)}>"
        notes = [
            f"{'skos:altLabel' if place else 'rdfs:label'} {quoted(name)}"
            for place, name in enumerate(tax.labels(concept))
        ]
        if notes:
            yield f"Annotations: {', '.join(notes)}"
        if tax.parents(concept):
            yield f"SubClassOf: {', '.join(f'<{full(p)}>' for p in tax.parents(concept))}"


def as_owl_xml(tax):
    """OWL/XML, with full addresses."""

    def in_class(concept):
        return f"<Class IRI={quoteattr(full(concept))}/>"

    yield f'<Ontology xmlns="{NAMESPACES["owl"]}"><Prefix name="skos" IRI="{NAMESPACES["skos"]}"/>'
    for concept in reversed(tax.identifiers):
        yield f"<Declaration>{in_class(concept)}</Declaration>"
        for parent in tax.parents(concept):
            yield f"<SubClassOf>{in_class(concept)}{in_class(parent)}</SubClassOf>"
        for place, name in enumerate(tax.labels(concept)):
            word = "skos:altLabel" if place else "rdfs:label"
            yield (
                f'<AnnotationAssertion><AnnotationProperty abbreviatedIRI="{word}"/>'
                f"<IRI>{escape(full(concept))}</IRI><Literal>{escape(name)}</Literal>"
                "</AnnotationAssertion>"
            )
    yield "</Ontology>"


def as_obo_graph(tax):
    """OBO graph, JSON."""
    nodes = [
        {
            "id": full(concept),
            "type": "CLASS",
            "lbl": next(iter(tax.labels(concept)), ""),
            "meta": {
                "synonyms": [
                    {"pred": "hasExactSynonym", "val": name} for name in tax.labels(concept)[1:]
                ]
            },
        }
        for concept in reversed(tax.identifiers)
    ]
    edges = [
        {"sub": full(concept), "pred": "is_a", "obj": full(parent)}
        for concept in tax
        for parent in tax.parents(concept)
    ]
    yield json.dumps({"graphs": [{"nodes": nodes, "edges": edges}]})


def as_rf2(tax, folder):
    """A release folder; identifiers must be numbers."""
    concepts = [f"{c}\t20240101\t1\t1\t2" for c in tax]
    links = [(c, p) for c in tax for p in tax.parents(c)]
    rows = [
        f"{n}\t20240101\t1\t1\t{c}\t{p}\t0\t{made_up.IS_A}\t3\t4"
        for n, (c, p) in enumerate(links, 1)
    ]
    terms = [
        f"{n}\t20240101\t1\t1\t{c}\ten\t{made_up.FULL_NAME}\t{tax.label(c)}\t5"
        for n, c in enumerate(tax, 1)
    ]
    for kind, lines in (("Concept", concepts), ("Relationship", rows), ("Description", terms)):
        made_up.write_table(folder, kind, lines)
