"""OBO graphs, the JSON that OBO ontologies are published in.

::

{"graphs": [{"nodes": [{"id": ".../HP_0001507", "lbl": "Growth abnormality", "type": "CLASS"}],
"edges": [{"sub": ".../HP_0001507", "pred": "is_a", "obj": ".../HP_0000118"}]}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ontomask.taxonomy.readers.ontologies.syntax.rdf_syntax import Triple
from ontomask.taxonomy.readers.ontologies.vocabularies import (
    DEPRECATED,
    EQUIVALENT,
    INDIVIDUAL,
    OBO_IN_OWL,
    OWL,
    RDFS,
    SUBCLASS,
    TYPE,
)
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["read_obo_graph"]

TYPES = {"CLASS": OWL + "Class", "INDIVIDUAL": INDIVIDUAL, "PROPERTY": OWL + "ObjectProperty"}
EDGES = {"is_a": SUBCLASS, "type": TYPE}
TEXTS = {
    **{
        name: OBO_IN_OWL + name
        for name in ("hasExactSynonym", "hasBroadSynonym", "hasNarrowSynonym", "hasRelatedSynonym")
    },
    OBO_IN_OWL + "hasAlternativeId": OBO_IN_OWL + "hasAlternativeId",
    OWL + "versionInfo": OWL + "versionInfo",
}
#: Parts of a node that are not read, and may be most of the file.
UNREAD = {"definition", "xrefs", "comments", "subsets"}


def read_obo_graph(source: Source) -> Iterator[Triple]:
    """The triples that a graph stands for."""
    try:
        document = json.loads(source.text(), object_pairs_hook=_keep_read_parts)
    except json.JSONDecodeError as error:
        raise source.error(
            f"not valid JSON: {error.msg}", "download the file again", line=error.lineno
        ) from None
    except RecursionError:
        raise source.error(
            "its parts are nested too deeply", "check that it is an OBO graph"
        ) from None
    try:
        for graph in document["graphs"]:
            yield from _graph_triples(graph)
    except (KeyError, TypeError, AttributeError):
        raise source.error(
            "this is JSON, but not an OBO graph",
            "an OBO graph has a list of graphs with nodes, which have an id, and edges",
        ) from None


def _keep_read_parts(pairs: list[tuple[str, Any]]) -> dict[str, Any] | None:
    """An object without what is not read, so that a large file needs less memory."""
    part = {key: value for key, value in pairs if key not in UNREAD}
    if "sub" in part and "obj" in part:
        return part if part.get("pred") in EDGES else None
    if "pred" in part and "val" in part:
        return part if part["pred"] in TEXTS else None
    return part


def _graph_triples(graph: dict[str, Any]) -> Iterator[Triple]:
    if graph.get("id"):
        yield from _node_triples({**graph, "type": None}, graph["id"])
        yield graph["id"], TYPE, OWL + "Ontology"
        if version := (graph.get("meta") or {}).get("version"):
            yield graph["id"], OWL + "versionIRI", version
    for node in graph.get("nodes") or ():
        yield from _node_triples(node, node["id"])
    for edge in filter(None, graph.get("edges") or ()):
        yield edge["sub"], EDGES[edge["pred"]], edge["obj"]
    for axiom in graph.get("logicalDefinitionAxioms") or ():
        yield axiom["definedClassId"], EQUIVALENT, "_:description"


def _node_triples(node: dict[str, Any], name: str) -> Iterator[Triple]:
    """Type, label and synonyms of a node; one without a type is only mentioned in the file."""
    if node.get("type") in TYPES:
        yield name, TYPE, TYPES[node["type"]]
    if node.get("lbl"):
        yield name, RDFS + "label", LanguageText(node["lbl"], "")
    meta = node.get("meta") or {}
    if meta.get("deprecated"):
        yield name, DEPRECATED, LanguageText("true", "")
    for part in (*(meta.get("synonyms") or ()), *(meta.get("basicPropertyValues") or ())):
        if part is not None:
            yield name, TEXTS[part["pred"]], LanguageText(part["val"], "")
