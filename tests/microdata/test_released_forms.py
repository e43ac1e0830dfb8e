"""One form for each concept of a released column, which can be read again."""

from __future__ import annotations

import pandas as pd

import ontomask as om

TREE = om.Taxonomy.from_edges(
    [
        *(("land", "thing"), ("money", "thing"), ("b1", "land"), ("cliff", "land")),
        *(("b2", "money"), ("b3", "money"), ("l", "money")),
    ],
    {"b1": "bank", "b2": ["Bank", "house"], "b3": ["vault", "bank"], "l": "loan; credit"},
)


def test_a_label_that_is_a_name_of_another_concept_has_its_identifier():
    words = ["b1", "cliff", "loan; credit", "vault", "Bank (b2)", "bank (b1)", "cliff", "vault"]
    table = pd.DataFrame({"word": words, "n": range(len(words))})
    column = om.Nominal("word", TREE)
    schema = om.Schema([column, om.Numeric("n")])
    released = om.mask(table, schema, om.Microaggregation(k=2), seed=2**70).data["word"]
    assert set(released) <= {"bank (b1)", "Bank (b2)", "cliff", "loan; credit", "vault", "money"}
    found = om.map_terms(released, TREE)
    assert found.coverage == 1
    assert found.concepts.get("bank (b1)", "b1") == "b1"
    assert {m.kind for m in found.matches if "(" in m.value} <= {"label"}


def test_every_form_leads_to_its_concept():
    from ontomask.microdata.value_coding import OutputForms

    for by_label in (True, False):
        forms = OutputForms(TREE, by_label)
        written = [forms.get(concept) for concept in TREE]
        assert len(set(written)) == len(TREE)
        found = om.map_terms(written, TREE)
        assert [found.concepts[form] for form in written] == list(TREE)
    assert OutputForms(TREE, True).get("l") == "loan; credit"


def test_a_set_in_text_has_no_label_with_its_separator():
    cells = ["bank (b1);loan; credit".replace("; ", "_"), "vault;cliff"]
    mapping = {"loan_credit": "l"}
    table = pd.DataFrame({"words": [cells[0], cells[0], cells[1], cells[1]], "n": [1, 1, 2, 2]})
    schema = om.Schema([om.NominalSet("words", TREE, mapping=mapping)], keep=["n"])
    released = om.mask(table, schema, om.Microaggregation(k=2), seed=2**70).data["words"]
    assert list(released) == ["bank (b1);l", "bank (b1);l", "cliff;vault", "cliff;vault"]
