"""SKOS: concepts, broader and narrower, labels in several languages, notations."""

from __future__ import annotations

import gzip

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import CycleError, FileFormatError, OntomaskError, SeveralRootsWarning

PREFIXES = """@prefix dct: <http://purl.org/dc/terms/> .
@prefix ex: <http://example.org/jobs#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""
JOBS = (
    PREFIXES
    + """
ex:scheme a skos:ConceptScheme ;
    dct:title "Berufe"@de , "Occupations"@en ;
    dct:issued "2024-02-29" ;
    skos:hasTopConcept ex:any .
ex:any a skos:Concept ;
    skos:topConceptOf ex:scheme ;
    skos:prefLabel "occupation"@en , "Beruf"@de ;
    skos:narrower ex:cook , ex:teacher .
ex:cook a skos:Concept ;
    skos:broader ex:any ;
    skos:notation "5120" ;
    skos:prefLabel "cook"@en-GB , "chef"@en-US , "Koch"@de ;
    skos:altLabel "kitchen hand"@en , "Köchin"@de ;
    skos:hiddenLabel "coock"@en .
ex:teacher a skos:Concept ;
    skos:notation "2300" ;
    skos:prefLabel "Lehrer"@de .
ex:cookery-teacher a skos:Concept ;
    skos:broader ex:cook , ex:teacher ;
    skos:broaderTransitive ex:any , ex:elsewhere ;
    skos:related ex:any ;
    skos:notation "2300" .
ex:lamplighter a skos:Concept ;
    owl:deprecated true ;
    skos:broader ex:gone .
ex:group a skos:Collection ;
    skos:member ex:cook .
"""
)


FILE = "jobs.rdf"


def other_form(form):
    prefixes = {"skos": "http://www.w3.org/2004/02/skos/core#"}
    triples = ox.parse(JOBS.encode(), ox.RdfFormat.TURTLE)
    return ox.serialize(triples, format=form, prefixes=prefixes)


@pytest.mark.parametrize(
    "content",
    [
        JOBS,
        JOBS.replace("\n", "\r\n"),
        "\ufeff" + JOBS,
        gzip.compress(JOBS.encode(), mtime=0),
        other_form(ox.RdfFormat.RDF_XML),
        other_form(ox.RdfFormat.N_TRIPLES),
    ],
)
def test_a_thesaurus(file, content):
    tax = om.load_taxonomy(file(content))
    assert tax.root == "any"
    assert set(tax) == {"any", "cook", "teacher", "cookery-teacher"}
    assert set(tax.parents("cookery-teacher")) == {"cook", "teacher"}
    assert tax.parents("teacher") == ("any",)
    assert tax.labels("any") == ("occupation",)
    assert tax.labels("cook") == ("cook", "chef", "kitchen hand", "coock")
    assert tax.label("teacher") == "Lehrer"
    assert tax.label("cookery-teacher") == "cookery-teacher"
    assert set(tax.aliases("cook")) == {"5120", "http://example.org/jobs#cook"}
    assert tax.aliases("teacher") == ("http://example.org/jobs#teacher",)  # 2300 is two concepts
    assert (tax.name, tax.about.source) == ("Occupations", "jobs.rdf")
    assert tax.about.version == "2024-02-29"
    assert tax.about.left_out == {
        "deprecated concepts": 1,
        "links of deprecated concepts": 1,
        "ambiguous aliases": 1,
        "collections": 1,
        "names in other languages": 3,
    }


def test_labels_in_another_language(file):
    tax = om.load_taxonomy(file(JOBS), language="de")
    assert tax.labels("cook") == ("Koch", "Köchin")
    assert tax.name == "Berufe"


def test_which_of_the_two_a_file_is(file):
    about_classes = PREFIXES + "ex:a a owl:Class . ex:b a owl:Class . skos:Concept a owl:Class .\n"
    with pytest.warns(SeveralRootsWarning):
        assert "Concept" in om.load_taxonomy(file(about_classes))
    with pytest.raises(FileFormatError, match='the file has no concept(?s:.*)format="owl"'):
        om.load_taxonomy(file(about_classes), format="skos")
    late = PREFIXES + f"# {'x' * 70_000}\nex:a a skos:Concept .\n"
    assert om.load_taxonomy(file(late)).root == "a"
    with pytest.raises(FileFormatError, match='the file has no class(?s:.*)format="skos"'):
        om.load_taxonomy(file(late), format="owl")
    more_classes = (
        PREFIXES
        + "ex:a a skos:Concept .\n"
        + " ".join(
            f"ex:c{i} a owl:Class ; <http://www.w3.org/2000/01/rdf-schema#subClassOf> ex:c0 ."
            for i in range(2)
        )
    )
    assert set(om.load_taxonomy(file(more_classes))) == {"c0", "c1"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (JOBS.replace('"5120"', '"5120'), "line 16: "),
        (PREFIXES + "_:x a skos:Concept .", "the file has no concept"),
        (PREFIXES, "the file has no concept"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(file, content, message):
    with pytest.raises(FileFormatError, match=message) as error:
        om.load_taxonomy(file(content), format="skos")
    assert "jobs.rdf" in str(error.value)


@pytest.mark.filterwarnings("ignore::ontomask.errors.SeveralRootsWarning")
@pytest.mark.parametrize(
    ("old", "new", "left_out", "message"),
    [
        ("broader ex:any ;\n    skos:not", "broader ex:all ;\n    skos:not", "", ""),
        ("narrower ex:cook", "narrower ex:cock", "links of undeclared", "cock', below .*not decl"),
        ("broader ex:cook ,", "broader ex:lamplighter ,", "links to deprecated", "' is deprecated"),
        ("broader ex:cook ,", "broader ex:chef ,", "links to undeclared", "chef' of .* is no conc"),
    ],
)
def test_links_to_concepts_outside_the_file(file, old, new, left_out, message):
    path = file(JOBS.replace(old, new))
    if not message:
        assert om.load_taxonomy(path).parents("cook") == ("any",)
        return
    assert om.load_taxonomy(path).about.left_out[f"{left_out} concepts"] == 1
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(path, outside="error")
    added = set(om.load_taxonomy(path, outside="keep")) - set(om.load_taxonomy(path))
    assert added - {"*"} == {new.split(":")[1].rstrip(" ,")} - {"lamplighter"}


COLLECTIONS = (
    PREFIXES
    + """
ex:red a skos:Concept . ex:blue a skos:Concept . ex:five a skos:Concept . ex:six a skos:Concept .
ex:thing a skos:Concept .
ex:colours a skos:Collection ; skos:prefLabel "colours"@en ; skos:member ex:red , ex:blue .
ex:numbers a skos:OrderedCollection ; skos:memberList ( ex:five ex:six ) .
ex:words a skos:Collection ; skos:member ex:colours , ex:numbers , ex:thing , ex:unknown .
"""
)


def test_collections(file):
    with pytest.warns(SeveralRootsWarning):
        tax = om.load_taxonomy(file(COLLECTIONS))
    assert set(tax) == {"*", "red", "blue", "five", "six", "thing"}
    assert tax.about.left_out == {"collections": 3}
    grouped = om.load_taxonomy(file(COLLECTIONS), collections=True)
    assert grouped.root == "words"
    assert set(grouped.children("words")) == {"colours", "numbers", "thing"}
    assert set(grouped.children("numbers")) == {"five", "six"}
    assert grouped.label("colours") == "colours"
    assert grouped.about.left_out == {"links of undeclared concepts": 1}


def test_labels_of_skos_xl(file):
    tax = om.load_taxonomy(
        file(
            PREFIXES
            + """@prefix xl: <http://www.w3.org/2008/05/skos-xl#> .
ex:cook a skos:Concept ; xl:prefLabel ex:label-1 , [ a xl:Label ; xl:literalForm "Koch"@de ] ;
    xl:altLabel ex:label-2 ; skos:altLabel "chef"@en .
ex:label-1 a xl:Label ; xl:literalForm "cook"@en .
ex:label-2 a xl:Label ; xl:literalForm "chef"@en , "kitchen hand"@en .
"""
        ),
        language=["en", "de"],
    )
    assert (set(tax), tax.about.left_out) == ({"cook"}, {})
    assert tax.labels("cook") == ("cook", "Koch", "chef", "kitchen hand")


def test_instances_of_a_class_below_concept_are_concepts(file):
    rdfs = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    tax = om.load_taxonomy(
        file(
            PREFIXES + f"ex:Descriptor {rdfs} skos:Concept . ex:Main {rdfs} ex:Descriptor .\n"
            "ex:a a ex:Descriptor . ex:b a ex:Main ; skos:broader ex:a .\n"
            "ex:c <http://purl.org/iso25964/skos-thes#broaderGeneric> ex:b ; a ex:Main .\n"
            "[] a skos:Concept .\n"
        ),
        format="skos",
    )
    assert (set(tax), tax.root, tax.parents("c")) == ({"a", "b", "c"}, "a", ("b",))
    assert tax.about.left_out == {"anonymous concepts": 1}


def test_a_thesaurus_that_declares_the_prefix_of_mesh(file):
    mesh = "@prefix meshv: <http://id.nlm.nih.gov/mesh/vocab#> .\n"
    assert om.load_taxonomy(file(mesh + JOBS)).root == "any"


def test_a_cycle(file):
    with pytest.raises(CycleError, match="jobs.rdf: .*'any' is a 'cook' is a 'any'"):
        om.load_taxonomy(file(JOBS + "ex:cook skos:narrower ex:any ."))
    tax = om.load_taxonomy(file(JOBS + "ex:cook skos:narrower ex:cook ."))
    assert tax.about.left_out["links of concepts to themselves"] == 1


def test_links_of_blank_nodes_are_left_out(file):
    tax = om.load_taxonomy(file(JOBS + "ex:cook skos:broader [ a skos:Concept ] ."))
    assert tax.parents("cook") == ("any",)
    assert tax.about.left_out["links of anonymous concepts"] == 1


PIECES = [" ;", " .", '"', "<", "skos:broader ", "ex:any ", "a ", "[]", "@de", "\n", "\\u12", "é"]


@given(st.integers(0, len(JOBS)), st.integers(0, 9), st.sampled_from(PIECES))
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_any_slip_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, place, less, more):
    path = tmp_path_factory.getbasetemp() / "any.ttl"
    path.write_text(JOBS[:place] + more + JOBS[place + less :], encoding="utf-8")
    for format in (None, "skos", "owl"):
        try:
            assert len(om.load_taxonomy(path, format=format)) > 0
        except OntomaskError:
            pass
