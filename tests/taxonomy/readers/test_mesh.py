"""MeSH in its three forms; the tree of 2017 where it is to be had."""

from __future__ import annotations

import gzip

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from mutations import mutated
from ontomask.errors import (
    CycleError,
    EmptyTaxonomyError,
    FileFormatError,
    OntomaskError,
    ParameterError,
)

TABLE = """tree_number\tdescriptor\theading
A01\tD001829\tBody Regions
A01.236\tD001940\tBreast
C04\tD009369\tNeoplasms
C04.588\tD009371\tNeoplasms by Site
C04.588.180\tD001943\tBreast Neoplasms
C17\tD017437\tSkin and Connective Tissue Diseases
C17.090\tD001943\tBreast Neoplasms
"""
MTREES = """Body Regions;A01
Breast;A01.236
Neoplasms;C04
Neoplasms by Site;C04.588
Breast Neoplasms;C04.588.180
Skin and Connective Tissue Diseases;C17
Breast Neoplasms;C17.090
"""
XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20240101.dtd">
<DescriptorRecordSet LanguageCode = "eng">
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D001829</DescriptorUI>
  <DescriptorName><String>Body Regions</String></DescriptorName>
  <AllowableQualifiersList><AllowableQualifier><QualifierReferredTo>
    <QualifierUI>Q000002</QualifierUI>
    <QualifierName><String>abnormalities</String></QualifierName>
  </QualifierReferredTo></AllowableQualifier></AllowableQualifiersList>
  <TreeNumberList><TreeNumber>A01</TreeNumber></TreeNumberList>
  <ConceptList>
    <Concept PreferredConceptYN="Y">
      <ConceptName><String>Body Regions</String></ConceptName>
      <TermList>
        <Term><TermUI>T1</TermUI><String>Body Regions</String></Term>
        <Term><TermUI>T2</TermUI><String>Anatomic Regions &amp; Parts</String></Term>
      </TermList>
    </Concept>
    <Concept PreferredConceptYN="N">
      <TermList><Term><String>Zones of the Body</String></Term></TermList>
    </Concept>
  </ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D001940</DescriptorUI>
  <DescriptorName><String>Breast</String></DescriptorName>
  <SeeRelatedList><SeeRelatedDescriptor><DescriptorReferredTo>
    <DescriptorUI>D009999</DescriptorUI>
  </DescriptorReferredTo></SeeRelatedDescriptor></SeeRelatedList>
  <TreeNumberList><TreeNumber>A01.236</TreeNumber><TreeNumber>Z01</TreeNumber></TreeNumberList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "3">
  <DescriptorUI>D005260</DescriptorUI>
  <DescriptorName><String>Female</String></DescriptorName>
</DescriptorRecord>
</DescriptorRecordSet>
"""


FILE = "mesh2024.txt"


# ---------------------------------------------------------------- the three forms


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.replace("\t", ";"),
        TABLE.replace("\n", "\r\n"),
        "\ufeff" + TABLE,
        gzip.compress(TABLE.encode(), mtime=0),
        TABLE.replace("tree_number\tdescriptor", "Tree number\tDescriptor"),
    ],
)
def test_a_table_of_places(file, content):
    tax = om.load_taxonomy(file(content))
    assert tax.root == "MeSH"
    assert tax.children("MeSH") == ("A", "C")
    assert tax.label("C") == "Diseases [C]"
    assert set(tax.parents("D001943")) == {"D009371", "D017437"}
    assert tax.aliases("D001943") == ("C04.588.180", "C17.090")
    assert tax.label("D001943") == "Breast Neoplasms"
    assert len(tax) == 1 + 2 + 6
    assert (tax.about.version, dict(tax.about.left_out)) == ("2024", {})


@pytest.mark.parametrize(
    "content",
    [
        MTREES,
        MTREES.replace("\n", "\r\n"),
        "\ufeff" + MTREES,
        gzip.compress(MTREES.encode(), mtime=0),
    ],
)
def test_a_file_of_trees_is_named_by_headings(file, content):
    tax = om.load_taxonomy(file(content))
    assert set(tax.parents("Breast Neoplasms")) == {
        "Neoplasms by Site",
        "Skin and Connective Tissue Diseases",
    }
    assert tax.code("C04.588.180") == tax.code("Breast Neoplasms")
    assert len(tax) == 1 + 2 + 6


@pytest.mark.parametrize(
    "content",
    [
        XML,
        XML.replace("\n", "\r\n"),
        "\ufeff" + XML,
        gzip.compress(XML.encode(), mtime=0),
        XML.replace("<DescriptorUI>D0", "<DescriptorUI>\n D0"),
    ],
)
def test_descriptors_as_xml(file, content):
    tax = om.load_taxonomy(file(content, "desc2024.xml"))
    assert set(tax) == {"MeSH", "A", "Z", "D001829", "D001940"}
    assert tax.labels("D001829") == (
        "Body Regions",
        "Anatomic Regions & Parts",
        "Zones of the Body",
    )
    assert set(tax.parents("D001940")) == {"D001829", "Z"}
    assert tax.about.left_out == {"descriptors without a tree number": 1}  # Female


def test_the_tree_of_2017(data_folder):
    tax = om.load_taxonomy(data_folder / "mesh_tree_2017.tsv.gz")
    letters = tax.children("MeSH")
    assert len(letters) == 16
    assert sum(len(tax.children(letter)) for letter in letters) == 118
    assert len(tax) - 16 - 1 == 28_470
    assert len(list(tax.alias_items())) == 57_840
    assert sum(len(tax.parents(concept)) > 1 for concept in tax) == 8_312
    assert tax.about.version == "2017"


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TABLE.replace("C04.588\t", "C04.58\t"), r"line 5: 'C04\.58' is not a tree number"),
        (TABLE.replace("A01\t", "X01\t"), "line 2: 'X01' is not a tree number"),
        (
            TABLE.replace("C04.588\t", "C04.600\t"),
            r"line 6: no descriptor has the tree number C04\.588, the parent of 'D001943' ",
        ),
        (
            TABLE.replace("C17.090", "C04.588"),
            r"line 8: 'D001943' has the tree number C04\.588 of 'D009371' \(line 5\)",
        ),
        (TABLE + "C18\tD001943\tBreast\n", "line 9: 'D001943' is called 'Breast' here and"),
        (TABLE + "C18\t\tBreast\n", "line 9: a descriptor without a number or a heading"),
        (TABLE + "C18\tC\tBreast\n", "line 9: the descriptor 'C' has the name of a category"),
        (TABLE + "C18\tD1\n", "line 9: expected 3 columns as in the first row, got 2"),
        (MTREES + "Nothing\n", "line 8: the semicolon is missing"),
        (MTREES + "Nothing;C99.1\n", r"line 8: 'C99\.1' is not a tree number"),
        (
            MTREES + "Breast;A01.236\n",
            r"line 8: 'Breast' has the tree number A01\.236 of 'Breast' \(line 2\)",
        ),
        (XML.replace("</ConceptList>", ""), "line 2[0-9]: not well-formed XML: mismatched tag"),
        (XML[:900], "not well-formed XML: "),
        (XML.replace("<DescriptorUI>D001940</DescriptorUI>", ""), "line 32: a descriptor without"),
        (
            XML.replace(">A01.236<", ">A02.236<"),
            r"line 32: no descriptor has the tree number A02, the parent of 'D001940' \(A0",
        ),
        (XML.replace('"1.0"', '"1.0" encoding="klingon"'), "encoding: klingon"),
        (XML.replace('"1.0"', '"1.0" encoding="utf-7"'), "mesh2024.txt, line 1: "),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(file, content, message):
    with pytest.raises(FileFormatError, match=message) as error:
        om.load_taxonomy(file(content), outside="error")
    assert "mesh2024.txt" in str(error.value)


RDF = """@prefix mesh: <http://id.nlm.nih.gov/mesh/2026/> .
@prefix meshv: <http://id.nlm.nih.gov/mesh/vocab#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
mesh:D001829 a meshv:TopicalDescriptor ; rdfs:label "Body Regions"@en ;
    meshv:treeNumber mesh:A01 .
mesh:D001940 a meshv:GeographicalDescriptor ; rdfs:label "Breast"@en , "Brust"@de ;
    meshv:concept mesh:M2 ; meshv:preferredConcept mesh:M1 ;
    meshv:broaderDescriptor mesh:D001829 ; meshv:treeNumber mesh:A01.236 , mesh:Z01 .
mesh:M1 meshv:preferredTerm mesh:T1 ; meshv:term mesh:T2 .
mesh:M2 meshv:preferredTerm mesh:T3 .
mesh:T1 meshv:prefLabel "Breast"@en ; meshv:altLabel "Breasts"@en .
mesh:T2 meshv:prefLabel "Bosom"@en .
mesh:T3 meshv:prefLabel "Teat"@en .
mesh:D5 a meshv:TopicalDescriptor ; rdfs:label "Nipples"@en ;
    meshv:broaderDescriptor mesh:D001940 , mesh:D9 .
mesh:D005260 a meshv:CheckTag ; rdfs:label "Female"@en .
mesh:Q000002 a meshv:Qualifier ; rdfs:label "abnormalities"@en .
mesh:A01 a meshv:TreeNumber .
"""


@pytest.mark.parametrize("form", ["Turtle", "N-Triples", "RDF/XML"])
def test_descriptors_as_rdf(file, form):
    content = RDF.encode()
    if form != "Turtle":
        triples = ox.parse(content, ox.RdfFormat.TURTLE)
        forms = {"N-Triples": ox.RdfFormat.N_TRIPLES, "RDF/XML": ox.RdfFormat.RDF_XML}
        content = ox.serialize(triples, format=forms[form])
    tax = om.load_taxonomy(file(content, "mesh2026.nt"))
    assert set(tax) == {"MeSH", "A", "Z", "D001829", "D001940", "D5"}
    assert set(tax.parents("D001940")) == {"D001829", "Z"}
    assert tax.parents("D5") == ("D001940",)  # it has no tree number
    assert tax.labels("D001940") == ("Breast", "Breasts", "Bosom", "Teat")
    assert tax.aliases("D001940") == ("A01.236", "Z01")
    assert tax.about.version == "2026"
    assert tax.about.left_out == {
        "descriptors without a tree number": 1,
        "parents that are not in the file": 1,
    }
    assert om.load_taxonomy(file(content), language="de").label("D001940") == "Brust"


def test_an_excerpt_keeps_the_nearest_ancestors(file):
    """A01.236.249 is below A01, and C17.090 below its category, as their numbers say."""
    content = TABLE.replace("A01.236\t", "A01.236.249\t").replace(
        "C17\tD017437\tSkin and Connective Tissue Diseases\n", ""
    )
    tax = om.load_taxonomy(file(content))
    assert tax.parents("D001940") == ("D001829",)
    assert tax.parents("D001943") == ("C", "D009371")
    assert tax.about.left_out == {"parents that are not in the file": 2}
    kept = om.load_taxonomy(file(content), outside="keep")
    assert (kept.parents("D001940"), kept.parents("A01.236")) == (("A01.236",), ("D001829",))
    assert kept.about.left_out == {}
    with pytest.raises(ParameterError, match="outside must be 'skip'"):
        om.load_taxonomy(file(content), outside="no")


def test_entities_are_refused(file):
    bomb = XML.replace(
        '_20240101.dtd">', f'_20240101.dtd" [<!ENTITY a "b"><!ENTITY c "{"&a;" * 80}">]>'
    )
    with pytest.raises(
        FileFormatError,
        match="line 2: an entity is longer than 256 characters, with the entities in it",
    ):
        om.load_taxonomy(file(bomb), format="mesh")


def test_other_xml_is_not_mesh(file):
    with pytest.raises(FileFormatError, match="the element DescriptorRecordSet is missing"):
        om.load_taxonomy(file("<other/>"), format="mesh")


def test_a_file_without_places(file):
    with pytest.raises(EmptyTaxonomyError, match="mesh2024.txt: "):
        om.load_taxonomy(file("tree_number,descriptor,heading\n,D005260,Female\n"))


def test_a_descriptor_below_itself(file):
    with pytest.raises(CycleError, match="'D009371' is a 'D009371'"):
        om.load_taxonomy(file(TABLE + "C04.588.999\tD009371\tNeoplasms by Site\n"))
    with pytest.raises(CycleError, match="'D001943'.*'D009371'"):
        om.load_taxonomy(file(TABLE + "C17.090.100\tD009371\tNeoplasms by Site\n"))


@given(st.data())
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_anything_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, data):
    form = data.draw(st.sampled_from([TABLE, MTREES, XML]))
    path = tmp_path_factory.getbasetemp() / "any.mesh"
    path.write_bytes(data.draw(mutated(form.encode(), b"A01", b"<", b"</String>", b";", b"&x;")))
    for format in (None, "mesh"):
        try:
            assert len(om.load_taxonomy(path, format=format)) > 0
        except OntomaskError:
            pass
