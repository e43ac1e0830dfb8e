"""OWL in its three forms, and what is refused."""

from __future__ import annotations

import gzip

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import (
    CycleError,
    FileFormatError,
    OntomaskError,
    ParameterError,
    SeveralRootsWarning,
)

XML = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [
    <!ENTITY owl "http://www.w3.org/2002/07/owl#" >
    <!ENTITY rdfs 'http://www.w3.org/2000/01/rdf-schema#' >
    <!ENTITY ex "http://example.org/dis/" >
]>
<rdf:RDF xmlns:owl="&owl;" xmlns:rdfs="&rdfs;" xml:base="http://example.org/dis/"
     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
     xmlns:skos="http://www.w3.org/2004/02/skos/core#"
     xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">
  <owl:Ontology rdf:about="http://example.org/dis">
    <rdfs:label>diseases</rdfs:label>
    <owl:versionIRI rdf:resource="http://example.org/dis/2024"/>
    <owl:versionInfo>2024</owl:versionInfo>
  </owl:Ontology>
  <owl:Class rdf:about="&ex;D_1">
    <rdfs:label xml:lang="en">disease</rdfs:label>
    <rdfs:label xml:lang="de">Krankheit</rdfs:label>
    <rdfs:subClassOf rdf:resource="&owl;Thing"/>
  </owl:Class>
  <owl:Class rdf:about="D_2">
    <rdfs:label>viral
       infection</rdfs:label>
    <oboInOwl:hasExactSynonym>virus infection</oboInOwl:hasExactSynonym>
    <rdfs:subClassOf rdf:resource="&ex;D_1"/>
  </owl:Class>
  <rdfs:Class rdf:about="&ex;D_3">
    <rdfs:label xml:lang="fr">maladie du foie</rdfs:label>
    <rdfs:label xml:lang="de">Leberkrankheit</rdfs:label>
    <rdfs:subClassOf rdf:resource="&ex;D_1"/>
    <rdfs:subClassOf rdf:resource="&ex;D_3"/>
  </rdfs:Class>
  <owl:Class rdf:about="&ex;hepatitis">
    <skos:prefLabel xml:lang="en">hepatitis, any</skos:prefLabel>
    <rdfs:label xml:lang="en-GB">hepatitis</rdfs:label>
    <skos:altLabel xml:lang="en">liver inflammation</skos:altLabel>
    <skos:altLabel xml:lang="de">Leberentzündung</skos:altLabel>
    <rdfs:subClassOf rdf:resource="&ex;D_2"/>
    <rdfs:subClassOf rdf:resource="&ex;D_3"/>
    <rdfs:subClassOf>
      <owl:Restriction>
        <owl:onProperty rdf:resource="&ex;partOf"/>
        <owl:someValuesFrom rdf:resource="&ex;D_1"/>
      </owl:Restriction>
    </rdfs:subClassOf>
    <owl:equivalentClass>
      <owl:Class><owl:unionOf rdf:parseType="Collection"/></owl:Class>
    </owl:equivalentClass>
  </owl:Class>
  <owl:Class rdf:about="&ex;dropsy">
    <rdfs:subClassOf rdf:resource="&ex;humour"/>
    <owl:deprecated rdf:datatype="http://www.w3.org/2001/XMLSchema#boolean">true</owl:deprecated>
  </owl:Class>
  <owl:ObjectProperty rdf:about="&ex;partOf"><rdfs:label>part of</rdfs:label></owl:ObjectProperty>
</rdf:RDF>
"""

PREFIXES = """@prefix : <http://example.org/dis/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


FILE = "dis.owl"


def other_form(content, form):
    """The same triples in another form."""
    flat = content.replace("'", '"')
    return ox.serialize(ox.parse(flat.encode(), ox.RdfFormat.RDF_XML), format=form)


FORMS = {
    "RDF/XML": lambda: XML,
    "nested entities": lambda: XML.replace(
        '<!ENTITY ex "http://example.org/',
        "<!ENTITY host 'http://example.org/'>\n<!ENTITY ex \"&host;",
    ),
    "CRLF": lambda: XML.replace("\n", "\r\n"),
    "BOM": lambda: "\ufeff" + XML,
    "gzip": lambda: gzip.compress(XML.encode(), mtime=0),
    "Turtle": lambda: other_form(XML, ox.RdfFormat.TURTLE),
    "N-Triples": lambda: other_form(XML, ox.RdfFormat.N_TRIPLES),
    "Turtle, BOM": lambda: "\ufeff# a remark\n".encode() + FORMS["Turtle"](),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_ontology(file, form):
    tax = om.load_taxonomy(file(FORMS[form]()))
    assert tax.root == "D_1"
    assert set(tax) == {"D_1", "D_2", "D_3", "hepatitis"}
    assert set(tax.parents("hepatitis")) == {"D_2", "D_3"}
    assert tax.labels("D_1") == ("disease",)
    assert tax.labels("D_2") == ("viral infection", "virus infection")
    assert tax.labels("D_3") == ("Leberkrankheit",)  # neither English nor without a language
    assert tax.labels("hepatitis") == ("hepatitis, any", "hepatitis", "liver inflammation")
    assert set(tax.aliases("D_1")) == {"http://example.org/dis/D_1", "D:1"}
    assert set(tax.aliases("hepatitis")) == {"http://example.org/dis/hepatitis"}
    assert (tax.name, tax.about.source, tax.about.version) == ("diseases", "dis.owl", "2024")
    assert tax.about.left_out == {
        "deprecated concepts": 1,
        "links of deprecated concepts": 1,
        "links of anonymous classes": 1,
        "class equivalences": 1,
        "names in other languages": 3,
    }


def test_labels_in_another_language(file):
    tax = om.load_taxonomy(file(XML), language="DE")
    assert tax.labels("D_1") == ("Krankheit",)
    assert tax.labels("D_2") == ("viral infection", "virus infection")
    assert tax.labels("hepatitis") == ("hepatitis", "Leberentzündung")
    for wrong in (7, "", [], ["en", ""], ["en", 1]):
        with pytest.raises(
            ParameterError, match="language must be a language tag such as 'en', or several, got"
        ):
            om.load_taxonomy(file(XML), language=wrong)


def test_equal_local_names_stay_whole(file):
    tax = om.load_taxonomy(
        file(
            PREFIXES + ":all a owl:Class .\n"
            "<http://a.org/x#flu> a owl:Class ; rdfs:subClassOf :all .\n"
            "<http://b.org/flu> a owl:Class ; rdfs:subClassOf :all .\n"
            "<http://b.org/cold/> a owl:Class ; rdfs:subClassOf :all .\n"
            "<#here> a owl:Class ; rdfs:subClassOf :all .\n"
            "<http://a.org/HP_1> a owl:Class ; rdfs:subClassOf :all .\n"
            "<http://b.org/HP:1> a owl:Class ; rdfs:subClassOf :all .\n"
        )
    )
    flus = {"http://a.org/x#flu", "http://b.org/flu"}
    assert set(tax) == {"all", "here", "http://b.org/cold/", "HP_1", "HP:1", *flus}
    assert tax.aliases("here") == ("file:///dis.owl#here",)
    assert tax.aliases("HP_1") == ("http://a.org/HP_1",)  # HP:1 is somebody else
    assert tax.about.left_out == {"ambiguous aliases": 1}
    assert tax.name == "dis"


def test_what_is_below_thing_is_a_root(file):
    with pytest.warns(SeveralRootsWarning, match="'a', 'b'"):
        tax = om.load_taxonomy(
            file(
                PREFIXES + "owl:Thing a owl:Class . :a a owl:Class ; rdfs:subClassOf owl:Thing .\n"
                ":b a owl:Class . :c a owl:Class ; rdfs:subClassOf :b , owl:Thing .\n"
                ":old a owl:DeprecatedClass . owl:Nothing rdfs:subClassOf :a .\n"
            )
        )
    assert set(tax.children("*")) == {"a", "b"}
    assert tax.about.left_out == {"deprecated concepts": 1}


HEAD = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:owl="http://www.w3.org/2002/07/owl#">
"""
BIG = f'<!ENTITY big "{"&owl;" * 5}" >\n<!ENTITY bigger "{"&big;" * 5}" >\n<!ENTITY ex'
BOMB = XML.replace("<!ENTITY ex", BIG)
EXTERNAL = XML.replace("<!ENTITY ex", '<!ENTITY big SYSTEM "/etc/passwd" >\n<!ENTITY ex')
LATE = HEAD + '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>\n</rdf:RDF>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB, "line 6: an entity is longer than 256 characters"),
        (gzip.compress(EXTERNAL.encode(), mtime=0), "line 5: an entity .* external"),
        (LATE, "an entity is declared after the first element"),
        (LATE.replace("<!DOCTYPE", " " * 3000 + "<!doctype"), "after the first element"),
        (XML.replace("&ex;D_2", "&ey;D_2"), "line 38: .*unrecognized entity `ey`"),
        (XML.replace("</rdfs:Class>", ""), "line 34: Unexpected text"),
        (XML[:-12], "line 54: the file ends before <rdf:RDF> does"),
        (XML[:-3], "line 55: .*not found before end of input"),
        (XML.encode("utf-16"), "line 1: .*UTF-8"),
        (XML.encode().replace("ü".encode(), b"\xfc"), "line 37: .*UTF-8"),
        (HEAD + "</rdf:RDF>", "the file has no class\n(?s:.*)skos:Concept is read with"),
        (PREFIXES + ":a a owl:Class ;\n oops .\n", "line 5: .*not a valid"),
        (PREFIXES + ":a a owl:Clas", "line 4: "),
        (PREFIXES.encode() + b':a rdfs:label "\xff" .', "line 4: Invalid UTF-8"),
        (PREFIXES + ":a a nix:Class .", "line 4: The prefix nix: has not been declared"),
        (gzip.compress(XML.encode(), mtime=0)[:-9], "gzip data is damaged"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(file, content, message):
    with pytest.raises(FileFormatError, match=message) as error:
        om.load_taxonomy(file(content), format="owl")
    assert "dis.owl" in str(error.value)


def test_a_cycle(file):
    with pytest.raises(CycleError, match=r"dis\.owl: .*'a' is a 'b' is a 'a'"):
        om.load_taxonomy(
            file(
                PREFIXES + ":a a owl:Class ; rdfs:subClassOf :b .\n"
                ":b a owl:Class ; rdfs:subClassOf :a ."
            )
        )


OUTSIDE = (
    PREFIXES
    + """:a a owl:Class . :b a owl:Class ; rdfs:subClassOf :a , :away .
:c a owl:Class ; rdfs:subClassOf :b , :old . :late rdfs:subClassOf :b ; rdfs:label "late" .
:old a owl:Class , owl:DeprecatedClass ; rdfs:subClassOf :a , :away .
:x a owl:NamedIndividual , :away .
"""
)


@pytest.mark.filterwarnings("ignore::ontomask.errors.SeveralRootsWarning")
def test_links_to_classes_outside_the_file(file):
    tax = om.load_taxonomy(file(OUTSIDE))
    assert (set(tax), tax.root) == ({"a", "b", "c"}, "a")
    assert tax.about.left_out == {
        "deprecated concepts": 1,
        "links of deprecated concepts": 2,
        "links to deprecated concepts": 1,
        "links of undeclared concepts": 1,
        "links to undeclared concepts": 1,
        "individuals of undeclared classes": 1,
    }
    with pytest.raises(FileFormatError, match="the file has 1 individuals, and their classes are"):
        om.load_taxonomy(file(OUTSIDE[: OUTSIDE.index(":a a")] + ":x a owl:NamedIndividual , :y ."))
    kept = om.load_taxonomy(file(OUTSIDE), outside="keep")
    assert set(kept) == {"*", "a", "b", "c", "away", "late", "x"}
    assert set(kept.parents("b")) == {"a", "away"}
    assert (kept.parents("late"), kept.label("late")) == (("b",), "late")
    assert kept.parents("x") == ("away",)
    assert kept.about.left_out == {
        "deprecated concepts": 1,
        "links of deprecated concepts": 2,
        "links to deprecated concepts": 1,
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (":a a owl:Class ; rdfs:subClassOf :b .", "the parent '.*/b' of '.*/a' is no class of"),
        (
            ":a a owl:Class ; rdfs:subClassOf :b . :b a owl:Class ; owl:deprecated true .",
            "'http://example.org/dis/b' of 'http://example.org/dis/a' is deprecated",
        ),
        (
            ":a a owl:Class . :b rdfs:subClassOf :a .",
            "'http://example.org/dis/b', below .*/a', is not declared as a class",
        ),
        (":a a owl:Class . :x a owl:NamedIndividual , :b .", "the parent '.*/b' of '.*/x' is no"),
    ],
)
def test_links_to_classes_outside_the_file_may_be_errors(file, content, message):
    with pytest.raises(FileFormatError, match=message + r'(?s:.*)outside="skip"'):
        om.load_taxonomy(file(PREFIXES + content), outside="error")


INDIVIDUALS = """
:Place a owl:Class . :Town a owl:Class ; rdfs:subClassOf :Place . :Port a owl:Class ;
    rdfs:subClassOf :Place . :Gone a owl:Class ; owl:deprecated true .
:reus a owl:NamedIndividual , :Town ; rdfs:label "Reus" . :malta a :Town , :Port .
:sunk a :Port ; owl:deprecated true . :lost a :Gone . :odd a owl:Thing . :foreign a :Elsewhere .
[] a :Town . :near a owl:ObjectProperty , :Place . :Kind a owl:Class , :Town .
"""


@pytest.mark.filterwarnings("ignore::ontomask.errors.SeveralRootsWarning")
def test_individuals_are_leaves_below_their_classes(file):
    tax = om.load_taxonomy(file(PREFIXES + INDIVIDUALS))
    assert set(tax) == {"*", "Place", "Town", "Port", "Kind", "reus", "malta"}
    assert tax.parents("reus") == ("Town",)
    assert set(tax.parents("malta")) == {"Town", "Port"}
    assert tax.parents("Kind") == ("*",)  # a class that is also an instance stays a class
    assert tax.label("reus") == "Reus"
    assert tax.about.left_out == {
        "deprecated concepts": 2,
        "individuals without a class": 1,
        "individuals of undeclared classes": 2,
        "anonymous individuals": 1,
    }


def test_synonyms_and_other_identifiers_of_obo_ontologies(file):
    content = (
        PREFIXES + "@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .\n"
        ':D_1 a owl:Class ; rdfs:label "flu" ; oio:hasExactSynonym "influenza" ;\n'
        '    oio:hasRelatedSynonym "cold" ; oio:hasAlternativeId "D:9" ;\n'
        '    <http://purl.obolibrary.org/obo/IAO_0000118> "grippe" .'
    )
    tax = om.load_taxonomy(file(content))
    assert tax.labels("D_1") == ("flu", "influenza", "grippe")
    assert set(tax.aliases("D_1")) == {"http://example.org/dis/D_1", "D:1", "D:9"}
    assert tax.about.left_out == {"synonyms that are not exact": 1}
    everything = om.load_taxonomy(file(content), synonyms="all")
    assert everything.labels("D_1") == ("flu", "influenza", "grippe", "cold")
    assert everything.about.left_out == {}
    with pytest.raises(ParameterError, match="collections is an option for SKOS files"):
        om.load_taxonomy(file(content), collections=True)


# ---------------------------------------------------------------- anything at all

TURTLE = PREFIXES + ':a a owl:Class ; rdfs:label "x"@en .\n:b a owl:Class ; rdfs:subClassOf :a .\n'
PIECES = ["<", ">", "&", '"', " a ", "owl:Class", "<!ENTITY x '&y;'>", "\n", "]>", "@en", "[", "("]


@given(
    st.one_of(
        st.binary(max_size=120),
        st.tuples(
            st.sampled_from([XML, TURTLE, LATE]),
            st.integers(0, len(XML)),
            st.integers(0, 9),
            st.sampled_from(PIECES),
        ).map(
            lambda cut: (
                cut[0][: cut[1] % len(cut[0])] + cut[3] + cut[0][cut[1] % len(cut[0]) + cut[2] :]
            ).encode()
        ),
    )
)
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_any_bytes_give_a_taxonomy_or_an_error_of_ours(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.owl"
    path.write_bytes(content)
    for format in (None, "owl", "skos"):
        try:
            assert len(om.load_taxonomy(path, format=format)) > 0
        except OntomaskError:
            pass
