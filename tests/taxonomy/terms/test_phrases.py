"""Phrases by a part of them, cells with several values, and parentheses."""

from __future__ import annotations

import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import ParameterError


@pytest.fixture
def jobs():
    return om.Taxonomy.from_edges(
        [("H1", "*"), ("M1", "*"), ("A1", "*"), ("K1", "*"), ("RAY", "*")],
        {
            "*": "occupation",
            "H1": "nurse",
            "M1": "manager",
            "A1": ["renal failure", "kidney failure"],
            "K1": "part",
            "RAY": "radiographer",
        },
    )


@pytest.mark.parametrize(
    ("value", "concept"),
    [
        ("district nurse", "H1"),
        ("nurse, retired", "H1"),
        ("old nurse (retired)", "H1"),
        ("nurse/manager", "H1"),
        ("nurse; manager", "H1"),
        ("nurse - night shift", "H1"),
        ("night nurse – ward 3", "H1"),
        ("part-time nurse", "H1"),
        ("nurse of the day", "H1"),
        ("nurse-manager", None),  # a word with a hyphen stays whole
        ("part-time", None),
        ("ward H1", None),  # a bare code
        ("x ray", None),
    ],
)
def test_the_head_noun_stops_at_punctuation_and_is_no_code(jobs, value, concept):
    (match,) = om.map_terms([value], jobs, heads=True).matches
    assert match.concept == concept
    assert match.kind == ("head noun" if concept else "unmapped")
    assert om.map_terms([value], jobs, heads="last") == om.map_terms([value], jobs, heads=True)


@pytest.mark.parametrize(
    ("value", "ways", "how"),
    [
        ("manager of a shop", "first", "leading words 'manager', label"),
        ("managers of shops", "first", "leading words 'managers', label, plural"),
        ("failure, renal", "any-order", "any order"),
        ("failures of kidney", "any-order", "unmapped"),
        ("nurse", "any-order", "label"),
        ("failure renal acute", ["first", "any-order"], "unmapped"),
        ("nurse manager", ["first", "last"], "leading words 'nurse', label"),
    ],
)
def test_leading_words_and_any_order_are_steps_of_their_own(jobs, value, ways, how):
    (match,) = om.map_terms([value], jobs, heads=ways).matches
    assert match.how == how


def test_head_nouns_need_english():
    spanish = om.Taxonomy.from_edges(
        [("1", "*"), ("2", "*")], {"1": "dolor de la mano", "2": "fractura de los huesos"}
    )
    with pytest.raises(ParameterError, match="heads='last' needs English names, but those of"):
        om.map_terms(["x"], spanish, heads=True)
    found = om.map_terms(["dolor de la mano izquierda"], spanish, heads="first")
    assert found.concepts == {"dolor de la mano izquierda": "1"}
    with pytest.raises(ParameterError, match="heads must be True, False, 'last', 'first' or 'any-"):
        om.map_terms(["x"], spanish, heads="middle")


@pytest.mark.parametrize(
    ("cell", "split", "concepts", "how"),
    [
        ("401.9, J96.00", ",", ("401.9",), "part '401.9', code"),
        ("401.9; 250.00", [";"], ("401.9", "250.00"), "ambiguous parts '401.9', '250.00'"),
        ("401.9;401.9", ";", ("401.9",), "part '401.9', code"),
        ("x; y", ";", (), "unmapped"),
        ("Gout; y / z", [";", "/"], ("274",), "part 'Gout', label"),
        ("Gout, unspecified", ",", ("274.9",), "label"),  # a name as a whole
    ],
)
def test_a_cell_with_several_values(icd9, cell, split, concepts, how):
    assert om.map_terms([cell], icd9).matches[0].concepts == (concepts if how == "label" else ())
    (match,) = om.map_terms([cell], icd9, split=split).matches
    assert (match.concepts, match.how) == (concepts, how)


def test_parentheses_are_dropped_when_asked(icd9):
    values = ["Gout (since 2011)", "[new] gouts", "(?)"]
    assert not om.map_terms(values, icd9).concepts
    found = om.map_terms(values, icd9, drop_parentheses=True)
    assert [(m.value, m.concept, m.how) for m in found.matches] == [
        ("(?)", None, "unmapped"),
        ("Gout (since 2011)", "274", "without parentheses, label"),
        ("[new] gouts", "274", "without parentheses, label, plural"),
    ]


def test_sets_are_split_at_more_characters_but_not_inside_a_name(icd9):
    column = om.NominalSet("dx", icd9, split=[",", "/"], mapping={"a, b": "486"})
    assert column.read_cell("401.9, 250.00 / 486;Gout, unspecified; a, b;;") == [
        *("401.9", "250.00", "486", "Gout, unspecified", "a, b"),
    ]
    cells = ["401.9, 486", "401.9/486", "250.00", "250.00"]
    table = pd.DataFrame({"dx": cells, "age": [1, 2, 3, 4]})
    schema = om.Schema([column], keep=["age"])
    masked = om.mask(table, schema, om.Microaggregation(k=2), seed=2**70).data
    assert list(masked["dx"]) == ["401.9;486", "401.9;486", "250.00", "250.00"]
