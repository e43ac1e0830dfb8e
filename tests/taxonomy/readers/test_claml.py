"""ClaML: classes, rubrics, languages, and the subdivisions that modifiers make."""

from __future__ import annotations

import gzip
from contextlib import suppress
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given

import ontomask as om
from made_up_vocabularies import CLAML
from mutations import mutated
from ontomask.errors import LanguageWarning, OntomaskError
from strategies import taxonomies

FILE = "wounds.xml"


def test_classes_names_and_modifiers(file):
    """Every way in which a modifier applies, is inherited, restricted or excluded."""
    tax = om.load_taxonomy(file(CLAML))
    assert set(tax) == {
        *("XX", "W10-W14", "W10", "W11", "W12", "W12.3", "W13"),
        *("W10.0", "W10.00", "W10.01", "W10.1", "W10.10"),  # W10.11: 1 does not follow .1
        "W11.1",  # .0 is not valid, and the second modifier is excluded
        *("W12.30", "W12.31"),  # inherited from the block, by the class without subclasses
        *("W13.X0", "W13.X1"),  # the fifth character after three
    }
    assert tax.root == "XX"
    assert tax.parents("W10.00") == ("W10.0",)
    assert tax.parents("W12.3") == ("W12",)  # only SubClass says so
    assert tax.label("W10.01") == "Wound by shears: of the hand: infected"
    assert tax.labels("W10") == (
        "Wound by shears",
        "Wound by a pair of shears",
        "Cut by pruning shears",
    )
    assert (tax.name, tax.about.version) == ("WOUNDS-3", "2026")
    assert tax.about.reading == {"modifiers": "10 codes made by modifiers"}
    assert tax.about.left_out == {
        "links to classes that are not in the file": 1,  # W90-W99
        "names in other languages": 1,
        "inclusions of modifiers": 1,
    }
    codes = ["w1001", "W10.0", "W11"]
    assert om.map_terms(codes, tax, repair_codes=True).concepts == {
        "w1001": "W10.01",
        "W10.0": "W10.0",
        "W11": "W11",
    }


def test_options(file):
    fourth, fifth = '<ModifiedBy code="S01_4" all="true"/>', '<ModifiedBy code="S02_5"/>'
    other_order = CLAML.replace(fifth, "").replace(fourth, fifth + fourth)
    assert {"W10.0", "W10.00", "W10.10"} < set(om.load_taxonomy(file(other_order)))
    plain = om.load_taxonomy(file(CLAML), modifiers=False)
    assert len(plain) == 7
    assert plain.about.left_out["modifiers that were not expanded"] == 2
    german = om.load_taxonomy(file(gzip.compress(CLAML.encode())), language="de-AT")
    assert (german.labels("W10"), german.label("W13")) == (("Scherenwunde",), "Wound by a hoe")
    assert (german.languages, plain.languages) == (("de", "en"), ("en",))
    both = om.load_taxonomy(file(CLAML), language=["de", "en"])
    assert both.labels("W10")[:2] == ("Scherenwunde", "Wound by shears")
    with pytest.warns(LanguageWarning, match="no label is in the language 'fr'; there are"):
        om.load_taxonomy(file(CLAML), language="fr")


@given(taxonomies())
def test_a_taxonomy_written_as_claml_is_read_again(tmp_path_factory, taxonomy):
    labels = {concept: f"<{concept}> & more" for concept in taxonomy}
    expected = om.Taxonomy.from_edges(
        [(c, p) for c in taxonomy for p in taxonomy.parents(c) or (None,)], labels
    )
    path = tmp_path_factory.getbasetemp() / FILE
    path.write_text(
        '<ClaML version="2.0.0">'
        + "".join(
            f"<Class code={quoteattr(concept)} kind='category'>"
            + "".join(f"<SuperClass code={quoteattr(p)}/>" for p in taxonomy.parents(concept))
            + "<Rubric kind='preferred'>"
            + f"<Label>&lt;{concept}&gt; &amp; more</Label></Rubric></Class>"
            for concept in taxonomy
        )
        + "</ClaML>"
    )
    assert om.load_taxonomy(path) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (CLAML.replace('"W13"', '"W12"'), r"line 62: the class 'W12' occurs twice \(first on line"),
        (CLAML.replace('<Class code="W13"', "<Class"), "line 62: a Class has no code"),
        (CLAML[:-20], "not well-formed XML: "),
        ('<ClaML version="2.0.0"></ClaML>', "the file has no Class with a code"),
        (
            CLAML.replace('<SuperClass code="XX"/>', '<SuperClass code="W13"/>'),
            "the taxonomy has a cycle",
        ),
        (CLAML.replace("<Term", "<Term><a>" * 300), "line 41: elements are nested more than"),
        (
            CLAML.replace('"ClaML.dtd">', '"ClaML.dtd" [<!ENTITY a SYSTEM "b">]>'),
            "line 2: an entity is not plain text",
        ),
    ],
)
def test_a_malformed_file_is_refused(file, content, message):
    with pytest.raises(OntomaskError, match=message) as error:
        om.load_taxonomy(file(content))
    assert "wounds.xml" in str(error.value)


@given(content=mutated(CLAML.encode(), b"<Class", b'code="W10"', b"W10.0"))
def test_any_content_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / FILE
    path.write_bytes(content)
    with suppress(OntomaskError):
        om.load_taxonomy(path, "claml")


def test_an_excerpt_of_icd_10(data_folder):
    """13 of the 17 elements that begin with Class in the file are classes."""
    tax = om.load_taxonomy(data_folder / "claml_icd10_who_2019_sample.xml.gz")
    assert (len(tax), tax.root, tax.height) == (13, "I", 4)
    assert tax.parents("A00.1") == ("A00",)
    assert tax.about.left_out["links to classes that are not in the file"] == 32
