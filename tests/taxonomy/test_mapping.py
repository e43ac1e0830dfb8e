"""Terms to concepts: nothing dropped, nothing guessed, every step told."""

from __future__ import annotations

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import ParameterError, UnknownConceptError, UnknownValueError


@pytest.fixture
def tax():
    return om.Taxonomy.from_edges(
        [("C1", "C0"), ("C2", "C0"), ("C3", "C0"), ("C4", "C0")],
        {
            "C0": "thing",
            "C1": ["Cold", "common cold", "coryza"],
            "C2": ["Chill", "cold"],
            "C3": ["Heart attack", "myocardial infarction", "MI"],
            "C4": ["Mi", "Straße"],
        },
        aliases={"D22": "C2"},
    )


@pytest.mark.parametrize(
    ("value", "concept", "how"),
    [
        ("C1", "C1", "identifier"),
        ("D22", "C2", "alias"),
        ("Cold", "C1", "label"),
        ("cold", "C2", "synonym"),
        ("MI", "C3", "synonym"),
        ("Mi", "C4", "label"),
        ("c1", "C1", "identifier, folded"),
        ("d 22", None, "unmapped"),
        (" COLD ", "C1", "label, folded"),
        ("Heart-Attack", "C3", "label, folded"),
        ("heart   attack.", "C3", "label, folded"),
        ("strasse", "C4", "synonym, folded"),
        ("heart atack", None, "unmapped"),
        ("", None, "unmapped"),
        ("?!", None, "unmapped"),
    ],
)
def test_each_step_in_its_turn(tax, value, concept, how):
    (match,) = om.map_terms([value], tax).matches
    assert (match.concept, match.how) == (concept, how)


def test_a_term_of_several_concepts_is_ambiguous():
    tax = om.Taxonomy.from_edges(
        [("bank.n.01", "thing"), ("bank.n.02", "thing")],
        {"bank.n.01": "bank", "bank.n.02": "bank"},
    )
    found = om.map_terms(["bank", "BANK", "thing"], tax)
    assert found.ambiguous == {
        "bank": ("bank.n.01", "bank.n.02"),
        "BANK": ("bank.n.01", "bank.n.02"),
    }
    assert found.coverage == 1 / 3
    with pytest.raises(UnknownValueError, match="'BANK' may be 'bank.n.01', 'bank.n.02'"):
        found.require_all()
    resolved = om.map_terms(["bank"], tax, corrections={"bank": "bank.n.02"})
    assert resolved.concepts == {"bank": "bank.n.02"}
    assert resolved.matches[0].how == "correction"


def test_counts_coverage_and_missing(tax):
    found = om.map_terms(["Cold", "Cold", None, "flu", float("nan"), "flu", "flu"], tax)
    assert found.missing == 2
    assert found.unmapped == {"flu": 3}
    assert found.coverage == 2 / 5
    assert found.how == {"unmapped": 3, "label": 2}
    assert repr(found) == (
        "TermMap(2 distinct values, 40.0% of records mapped, 1 unmapped, 2 rows missing)"
    )
    assert [m.value for m in found.matches] == ["flu", "Cold"]  # the most frequent first


def test_columns_of_any_kind(tax):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    values = ["Cold", None, "C2"]
    for column in (values, pandas.Series(values), polars.Series(values), {"Cold": 1, "C2": 1}):
        assert om.map_terms(column, tax).concepts == {"Cold": "C1", "C2": "C2"}
    assert om.map_terms(pandas.Series(values, dtype="string"), tax).missing == 1
    assert om.map_terms(np.array([1.5, np.nan]), tax).missing == 1


def test_no_values_at_all(tax):
    assert om.map_terms([], tax).coverage == 1
    assert om.map_terms([None], tax).missing == 1


def test_corrections_must_lead_to_concepts(tax):
    with pytest.raises(UnknownConceptError, match="lead to 'C9'"):
        om.map_terms(["flu"], tax, corrections={"flu": "C9"})
    assert om.map_terms(["flu"], tax, corrections={"flu": "D22"}).concepts == {"flu": "C2"}


def test_an_error_lists_values_with_counts_and_a_way_out(diagnoses):
    found = om.map_terms(["hepatits", "hepatits", "sprain"], diagnoses)
    with pytest.raises(UnknownValueError) as error:
        found.require_all("diagnosis")
    assert str(error.value) == (
        "1 value of column 'diagnosis' reach no single concept of taxonomy 'diagnoses':\n"
        "  'hepatits' (2 rows)\n\n"
        "hint: did you mean 'hepatitis'? Say so with corrections={'hepatits': 'hepatitis'}"
    )
    assert om.map_terms(["sprain"], diagnoses).require_all().coverage == 1


def test_the_nearest_concepts(diagnoses):
    found = om.map_terms(["brokn arm"], diagnoses)
    assert found.nearest("brokn arm")[0] == "broken arm"
    assert found.nearest("serum hepatites", most=1) == ["hepatitis B"]
    assert found.nearest("xyzzy") == []


# ---------------------------------------------------------------- codes that lost something


@pytest.mark.parametrize(
    ("value", "code", "how"),
    [
        ("008", "008", "identifier"),
        ("8", "008", "zeros restored"),
        ("41", "041", "zeros restored"),
        ("8.45", "008.45", "zeros restored"),
        ("38.9", "038.9", "zeros restored"),
        ("25083", "250.83", "point restored"),
        ("2508", "250.8", "point restored"),
        ("V5789", "V57.89", "point restored"),
        ("v5789", "V57.89", "point restored"),
        ("E9090", "E909.0", "point restored"),
        ("00845", "008.45", "point restored"),
        ("250", "250", "identifier"),
        ("250.6", "250.6", "identifier"),
        (" 8 ", "008", "zeros restored"),
        ("V5", None, "unmapped"),
        ("99999", None, "unmapped"),
        ("8.", None, "unmapped"),
        ("٨", None, "unmapped"),
        ("-8", None, "unmapped"),
    ],
)
def test_damaged_diagnosis_codes(icd9, value, code, how):
    (match,) = om.map_terms([value], icd9, repair_codes=True).matches
    assert (match.concept, match.how) == (code, how)


@pytest.mark.parametrize(
    ("value", "code"), [("4701", "47.01"), ("5.1", "05.1"), ("1", "01"), ("0.66", "00.66")]
)
def test_damaged_procedure_codes(value, code):
    procedures = om.load_taxonomy("icd9cm-procedures")
    assert om.map_terms([value], procedures, repair_codes=True).concepts == {value: code}


def test_codes_are_not_mended_unless_asked(icd9):
    found = om.map_terms(["8", "25083"], icd9)
    assert found.coverage == 0
    with pytest.raises(UnknownValueError, match="try repair_codes=True"):
        found.require_all()


def test_mending_works_inside_a_domain(icd9):
    part = icd9.domain(root="001-139")
    assert om.map_terms(["8", "250"], part, repair_codes=True).concepts == {"8": "008"}


def test_mending_needs_to_know_how_codes_are_written(diagnoses):
    with pytest.raises(ParameterError, match="bundled ICD taxonomies"):
        om.map_terms(["8"], diagnoses, repair_codes=True)
