"""The tabular list of ICD-10-CM as XML."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

import ontomask as om
from ontomask.errors import FileFormatError

FILE = "icd10cm_tabular_2026.xml"

TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular>
  <version>2026</version>
  <chapter>
    <name>1</name>
    <desc>Diseases of gardens (A00-B99)</desc>
    <sectionIndex><sectionRef first="A00" last="A01" id="A00-A01">Wilt</sectionRef></sectionIndex>
    <section id="A00-A01">
      <desc>Wilting (A00-A01)</desc>
      <diag>
        <name>A00</name><desc>Wilt</desc>
        <inclusionTerm><note>Droop</note><note>Sag</note></inclusionTerm>
        <excludes1><note>death</note></excludes1>
        <sevenChrDef>
          <extension char="A">first week</extension>
          <extension char="D">later</extension>
        </sevenChrDef>
        <diag><name>A00.0</name><desc>Wilt of leaves</desc>
          <diag><name>A00.011</name><desc>Wilt of one leaf</desc></diag>
        </diag>
        <diag><name>A00.1</name><desc>Wilt of roots</desc>
          <sevenChrDef><extension char="S">after rain</extension></sevenChrDef>
        </diag>
      </diag>
      <diag><name>A01</name><desc>Rust</desc></diag>
    </section>
    <section id="B99"><desc>Mould (B99)</desc>
      <diag><name>B99</name><desc>Mould</desc>
        <sevenChrDef><extension char="A">first week</extension></sevenChrDef>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>
"""


def test_codes_names_and_seventh_characters(file):
    tax = om.load_taxonomy(file(TABULAR))
    assert set(tax) == {
        *(
            "ROOT",
            "A00-B99",
            "A00-A01",
            "B99-B99",
            "A00",
            "A00.0",
            "A00.011",
            "A00.1",
            "A01",
            "B99",
        ),
        *("A00.011A", "A00.011D", "A00.1XXS", "B99.XXXA"),
    }
    assert tax.label("A00-B99") == "Diseases of gardens"
    assert tax.labels("A00") == ("Wilt", "Droop", "Sag")
    assert tax.label("A00.011D") == "Wilt of one leaf, later"
    assert (tax.parents("B99"), tax.parents("B99-B99")) == (("B99-B99",), ("A00-B99",))
    assert tax.about.version == "2026"
    assert om.map_terms(["a001XXS"], tax, repair_codes=True).concepts == {"a001XXS": "A00.1XXS"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TABULAR.replace("A00.011<", "A00.0<"), "line 19: the code 'A00.0' occurs twice"),
        (TABULAR.replace("<name>A01</name>", ""), "line 25: a diagnosis or chapter has no name"),
        (TABULAR.replace("chapter>", "part>"), "the file has no chapter"),
    ],
)
def test_a_malformed_file_is_refused(file, content, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(file(content))


@pytest.mark.slow
def test_the_published_list_has_the_codes_of_another_reader():
    """The package that ships the list has its own reader, which also knows the list of codes."""
    folder = files(pytest.importorskip("simple_icd_10_cm")) / "data"
    path = next(one for one in folder.iterdir() if one.name.endswith(".xml"))
    tax = om.load_taxonomy(Path(str(path)))
    expected = om.load_taxonomy("icd10cm")
    assert set(expected) <= set(tax)
    assert all(tax.parents(code) == expected.parents(code) for code in expected)
    more = set(tax) - set(expected)  # injuries that end in death have no later encounter
    assert all(code.startswith("S06.") and code[-1] in "DS" for code in more)
    assert len(more) < 100
