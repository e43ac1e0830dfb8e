"""ICD-10-CM from another package."""

from __future__ import annotations

import sys

import pytest

import ontomask as om
from ontomask.errors import OntomaskError, UnknownTaxonomyError
from ontomask.taxonomy.code_repair import ICD10
from ontomask.taxonomy.readers.clinical import icd10cm


@pytest.fixture(scope="module")
def icd10():
    pytest.importorskip(
        "simple_icd_10_cm", exc_type=ImportError, reason="the extra icd10 is not installed"
    )
    return om.load_taxonomy("icd10cm")


@pytest.fixture(scope="module")
def package(icd10):  # loaded without its warnings by then
    return sys.modules["simple_icd_10_cm"]


@pytest.mark.slow
def test_every_code_is_there(icd10, package):
    codes = package.get_all_codes()
    assert len(icd10) == 1 + len(codes)
    assert len(icd10.children(icd10.root)) == 22
    missing = [c for c in codes if c not in icd10 and not package.is_chapter(c)]
    assert missing == []
    assert icd10.about.version.startswith("simple-icd-10-cm ")


def test_parents_are_those_of_the_package(icd10, package):
    same = [c for c in package.get_all_codes() if not package.is_chapter_or_block(c)]
    for code in same[::97]:
        assert icd10.parents(code) == (package.get_parent(code),)
        assert icd10.label(code) == package.get_description(code)


def test_a_chapter_is_named_by_its_codes(icd10):
    assert "1" not in icd10
    assert icd10.label("A00-B99") == "Certain infectious and parasitic diseases"
    assert icd10.parents("A00-B99") == (icd10.root,)


def test_a_block_of_one_category_is_a_concept_of_its_own(icd10):
    assert icd10.parents("B99") == ("B99-B99",)
    assert icd10.parents("B99-B99") == ("A00-B99",)
    assert icd10.label("B99-B99") == "Other infectious diseases"
    assert icd10.label("B99") == "Other and unspecified infectious diseases"


def test_inclusion_terms_are_synonyms(icd10):
    assert "Classical cholera" in icd10.labels("A00.0")


@pytest.mark.slow
def test_codes_that_lost_their_point(icd10):
    found = om.map_terms(["E1165", "s72001a", "T07XXXA", "E11"], icd10, repair_codes=True)
    assert found.concepts == {
        "E1165": "E11.65",
        "s72001a": "S72.001A",
        "T07XXXA": "T07.XXXA",
        "E11": "E11",
    }
    assert [reading for _, reading in ICD10.readings("E11651234")] == []
    assert [reading for _, reading in ICD10.readings("E11.65")] == []


def test_it_is_read_once(icd10):
    assert om.load_taxonomy("icd10cm") is icd10


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "simple_icd_10_cm", None)
    with pytest.raises(OntomaskError, match=r"pip install '\.\[icd10\]' in a checkout"):
        icd10cm.read()


def test_a_name_that_is_almost_right():
    with pytest.raises(UnknownTaxonomyError, match="did you mean 'icd10cm'"):
        om.load_taxonomy("icd10-cm")
