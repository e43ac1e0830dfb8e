"""The same taxonomy in every format gives the same concepts, ancestors and distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import ontomask as om
from strategies import taxonomies
from written import (
    OWL_WORDS,
    SKOS_WORDS,
    as_functional,
    as_manchester,
    as_ntriples,
    as_obo,
    as_obo_graph,
    as_owl_xml,
    as_rf2,
    as_triples,
    as_turtle,
    as_xml,
    named_taxonomies,
)


def assert_same(read, tax, what, labels=True):
    assert read.identifiers == tax.identifiers, what
    for concept in tax:
        assert read.parents(concept) == tax.parents(concept), what
        assert read.ancestors(concept) == tax.ancestors(concept), what
        if labels:
            assert read.labels(concept) == tax.labels(concept), what
    for measure in ("sanchez", "wu_palmer", "lin"):
        ours, theirs = (om.distance_matrix(t, tax.identifiers, measure) for t in (tax, read))
        assert (ours == theirs).all(), what


@pytest.mark.slow
@given(named_taxonomies())
def test_the_same_taxonomy_in_every_format(tmp_path_factory, tax):
    folder = tmp_path_factory.mktemp("same")
    written = {"obo": as_obo(tax)}
    for words in (OWL_WORDS, SKOS_WORDS):
        for write in (as_xml, as_turtle, as_ntriples):
            written[f"{words[0]} {write.__name__}"] = write(as_triples(tax, *words))
    for write in (as_functional, as_manchester, as_owl_xml, as_obo_graph):
        written[write.__name__] = write(tax)
    for what, lines in written.items():
        path = folder / what.replace(":", "-")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert_same(om.load_taxonomy(path), tax, what)
    tax.write(folder / "table.csv")
    assert_same(om.load_taxonomy(folder / "table.csv"), tax, "child-parent")


@given(taxonomies())
def test_the_same_taxonomy_as_a_release_of_snomed(tmp_path_factory, tax):
    folder = tmp_path_factory.mktemp("release")
    number = {concept: str(1000 + place) for place, concept in enumerate(sorted(tax))}
    edges = [(number[c], number[p]) for c in tax for p in tax.parents(c)]
    numbered = om.Taxonomy.from_edges(edges or [(number[tax.root], None)])
    as_rf2(numbered, folder)
    assert_same(om.load_taxonomy(folder), numbered, "rf2", labels=False)


@given(taxonomies(tree=True))
def test_the_same_tree_as_an_arx_hierarchy(tmp_path_factory, tax):
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    tax.write(path, format="arx")
    if tax.height > 1:
        assert_same(om.load_taxonomy(path, format="arx"), tax, "arx")


def test_a_converted_real_ontology_keeps_its_distances(tmp_path, icd9):
    part = icd9.domain(root="240-279")
    some = list(part)[::9]
    for format in ("child-parent", "arx"):
        part.write(tmp_path / format, format=format)
        again = om.load_taxonomy(tmp_path / format, format=format)
        np.testing.assert_array_equal(
            om.distance_matrix(again, some), om.distance_matrix(part, some)
        )
