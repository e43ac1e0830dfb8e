"""The same ontology in every syntax of OWL, and what is refused in each."""

from __future__ import annotations

import json

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import FileFormatError, OntomaskError

FILE = "dis"

TURTLE = """@prefix : <http://example.org/dis#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
<http://example.org/dis> a owl:Ontology ; rdfs:label "diseases" ;
    owl:versionIRI <http://example.org/dis/2024> .
:disease a owl:Class ; rdfs:label "disease"@en , "Krankheit"@de .
:liver-disease a owl:Class ; rdfs:subClassOf :disease ; rdfs:label "liver (\\"hepatic\\") disease" .
:infection a owl:Class ; rdfs:subClassOf :disease , owl:Thing ; oio:hasExactSynonym "sepsis" .
:hepatitis a owl:Class ; rdfs:subClassOf :liver-disease , :infection , :elsewhere ,
    [ a owl:Restriction ; owl:onProperty :affects ; owl:someValuesFrom :liver ] ;
    owl:equivalentClass [ owl:intersectionOf ( :infection :liver-disease ) ] .
:dropsy a owl:Class ; owl:deprecated true .
:affects a owl:ObjectProperty ; rdfs:label "affects" .
:outbreak-98 a owl:NamedIndividual , :hepatitis ; rdfs:label "outbreak"@en .
"""

FUNCTIONAL = """# written by hand
Prefix(:=<http://example.org/dis#>)
Prefix(oio:=<http://www.geneontology.org/formats/oboInOwl#>)
Ontology(<http://example.org/dis> <http://example.org/dis/2024>
Import(<http://example.org/other>)
Annotation(rdfs:label "diseases")
Declaration(Class(:disease)) Declaration(Class(:liver-disease))
Declaration(Class(:infection)) Declaration(Class(<http://example.org/dis#hepatitis>))
Declaration(Class(:dropsy)) Declaration(ObjectProperty(:affects))
Declaration( NamedIndividual (:outbreak-98) )
AnnotationAssertion(Annotation(rdfs:comment "a note") rdfs:label :disease "disease"@en)
AnnotationAssertion(rdfs:label :disease "Krankheit"@de)
# Class: :liver-disease (liver disease)
AnnotationAssertion(rdfs:label :liver-disease
  "liver (\\"hepatic\\") disease"^^xsd:string)
AnnotationAssertion(oio:hasExactSynonym :infection "sepsis")
AnnotationAssertion(rdfs:label :affects "affects")
AnnotationAssertion(owl:deprecated :dropsy "true"^^xsd:boolean)
AnnotationAssertion(rdfs:label :outbreak-98 "outbreak"@en)
SubClassOf(:liver-disease :disease)
SubClassOf(Annotation(rdfs:comment "a note") :infection :disease)
SubClassOf(:infection owl:Thing)
SubClassOf(:hepatitis :liver-disease) SubClassOf(:hepatitis :infection)
SubClassOf(:hepatitis :elsewhere)
SubClassOf(:hepatitis ObjectSomeValuesFrom(:affects :liver))
EquivalentClasses(:hepatitis ObjectIntersectionOf(:infection :liver-disease))
DisjointClasses(:disease :dropsy)
ClassAssertion(:hepatitis :outbreak-98)
)
"""


def as_element(name, iri):
    return f'<{name} IRI="{iri}"/>'


def subclass(child, parent):
    return f"<SubClassOf>{as_element('Class', child)}{as_element('Class', parent)}</SubClassOf>"


def note(predicate, subject, text, attributes=""):
    return (
        f'<AnnotationAssertion><AnnotationProperty abbreviatedIRI="{predicate}"/>'
        f"<IRI>{subject}</IRI><Literal {attributes}>{text}</Literal></AnnotationAssertion>"
    )


OWL_XML = f"""<?xml version="1.0"?>
<!-- an ontology -->
<!DOCTYPE Ontology [<!ENTITY hepatic "&#34;hepatic&#34;"><!ENTITY liver "liver (&hepatic;">]>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://example.org/dis"
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  ontologyIRI="http://example.org/dis" versionIRI="http://example.org/dis/2024">
<Prefix name="rdfs" IRI="http://www.w3.org/2000/01/rdf-schema#"/>
<Prefix name="" IRI="http://example.org/dis#"/>
<Prefix name="oio" IRI="http://www.geneontology.org/formats/oboInOwl#"/>
<Annotation><AnnotationProperty abbreviatedIRI="rdfs:label"/>
  <Literal>diseases</Literal></Annotation>
{
    "".join(
        f"<Declaration>{as_element('Class', c)}</Declaration>"
        for c in ("#disease", "#liver-disease", "#infection", "#hepatitis", "#dropsy")
    )
}
<Declaration><ObjectProperty abbreviatedIRI=":affects"/></Declaration>
<Declaration><NamedIndividual IRI="#outbreak-98"/></Declaration>
{note("rdfs:label", "#disease", "disease", 'xml:lang="en"')}
{note("rdfs:label", "#disease", "Krankheit", 'xml:lang="de"')}
{note("rdfs:label", "#liver-disease", "&liver;) disease")}
{note("oio:hasExactSynonym", "#infection", "sepsis")}
{note("rdfs:label", "#affects", "affects")}
{note("owl:deprecated", "#dropsy", "true")}
{note("rdfs:label", "#outbreak-98", "outbreak", 'xml:lang="en"')}
{subclass("#liver-disease", "#disease")}
<SubClassOf><Annotation><AnnotationProperty abbreviatedIRI="rdfs:comment"/>
  <Literal>a note</Literal></Annotation>
  {as_element("Class", "#infection")}<Class abbreviatedIRI=":disease"/></SubClassOf>
<SubClassOf>{as_element("Class", "#infection")}<Class abbreviatedIRI="owl:Thing"/></SubClassOf>
{subclass("#hepatitis", "#liver-disease")}{subclass("#hepatitis", "#infection")}
{subclass("#hepatitis", "#elsewhere")}
<SubClassOf>{as_element("Class", "#hepatitis")}<ObjectSomeValuesFrom>
  {as_element("ObjectProperty", "#affects")}{as_element("Class", "#liver")}
</ObjectSomeValuesFrom></SubClassOf>
<EquivalentClasses>{as_element("Class", "#hepatitis")}<ObjectIntersectionOf>
  {as_element("Class", "#infection")}{as_element("Class", "#liver-disease")}
</ObjectIntersectionOf></EquivalentClasses>
<ClassAssertion>{as_element("Class", "#hepatitis")}{as_element("NamedIndividual", "#outbreak-98")}
</ClassAssertion>
</Ontology>
"""

MANCHESTER = """# written by hand
Prefix: : <http://example.org/dis#>
Prefix: owl: <http://www.w3.org/2002/07/owl#>
Prefix: oio: <http://www.geneontology.org/formats/oboInOwl#>
Prefix: rdfs: <http://www.w3.org/2000/01/rdf-schema#>

Ontology: <http://example.org/dis> <http://example.org/dis/2024>
Import: <http://example.org/other>
Annotations: rdfs:label "diseases"

AnnotationProperty: rdfs:label
ObjectProperty: affects
    Annotations: rdfs:label "affects"
    Domain: hepatitis

Class: disease
    Annotations:
        Annotations: rdfs:comment "a note", rdfs:comment "another"
        rdfs:label "disease"@en,
        rdfs:label "Krankheit"@de
    DisjointWith: dropsy

Class: liver-disease
    Annotations: rdfs:label "liver (\\"hepatic\\") disease"
    SubClassOf: :disease

Class: <http://example.org/dis#infection>
    Annotations: oio:hasExactSynonym "sepsis"
    SubClassOf:
        Annotations: rdfs:comment "a note"
        disease, owl:Thing

Class: hepatitis
    EquivalentTo: infection and liver-disease
    SubClassOf: liver-disease,
        Annotations: rdfs:comment "a note",
            rdfs:comment "another" infection,
        affects some (liver or {outbreak-98, x}),
        elsewhere

Class: dropsy
    Annotations: owl:deprecated true

Individual: outbreak-98
    Annotations: rdfs:label "outbreak"@en
    Types: hepatitis
    Facts: affects outbreak-98

DisjointClasses: disease, affects
"""


def as_form(form):
    return ox.serialize(ox.parse(TURTLE.encode(), ox.RdfFormat.TURTLE), format=form)


def in_graphs():
    quads = [
        ox.Quad(t.subject, t.predicate, t.object, ox.NamedNode(f"http://example.org/g{i % 2}"))
        for i, t in enumerate(ox.parse(TURTLE.encode(), ox.RdfFormat.TURTLE))
    ]
    return {form: ox.serialize(quads, format=form) for form in (NQUADS, ox.RdfFormat.TRIG)}


NQUADS = ox.RdfFormat.N_QUADS
FORMS = {
    "Turtle": lambda: TURTLE,
    "Turtle without spaces": lambda: TURTLE.replace("@prefix : ", "@prefix: "),
    "RDF/XML with entities": lambda: (
        '<!DOCTYPE x [<!ENTITY w3 "http://www.w3.org/1999/02/22-"><!ENTITY rdf "&w3;rdf-syntax-">]>'
        + as_form(ox.RdfFormat.RDF_XML)
        .decode()
        .partition("?>")[2]
        .replace("http://www.w3.org/1999/02/22-rdf-syntax-", "&rdf;")
    ),
    "RDF/XML": lambda: as_form(ox.RdfFormat.RDF_XML),
    "N-Triples": lambda: as_form(ox.RdfFormat.N_TRIPLES),
    "N-Quads": lambda: b"# a remark\n" + in_graphs()[NQUADS],
    "TriG": lambda: b"@prefix x: <http://x.org/> .\n" + in_graphs()[ox.RdfFormat.TRIG],
    "JSON-LD": lambda: as_form(ox.RdfFormat.JSON_LD),
    "functional": lambda: FUNCTIONAL,
    "functional, CRLF, BOM": lambda: "\ufeff" + FUNCTIONAL.replace("\n", "\r\n"),
    "OWL/XML": lambda: OWL_XML,
    "Manchester": lambda: MANCHESTER,
}


@pytest.mark.parametrize("form", FORMS)
def test_an_ontology_is_the_same_in_every_syntax(file, form):
    tax = om.load_taxonomy(file(FORMS[form]()))
    assert tax.root == "disease"
    assert set(tax) == {"disease", "liver-disease", "infection", "hepatitis", "outbreak-98"}
    assert set(tax.parents("hepatitis")) == {"liver-disease", "infection"}
    assert tax.parents("outbreak-98") == ("hepatitis",)
    assert tax.labels("disease") == ("disease",)
    assert tax.label("liver-disease") == 'liver ("hepatic") disease'
    assert tax.labels("infection") == ("sepsis",)
    assert tax.label("outbreak-98") == "outbreak"
    assert tax.aliases("hepatitis") == ("http://example.org/dis#hepatitis",)
    assert (tax.name, tax.about.version) == ("diseases", "http://example.org/dis/2024")
    assert tax.about.left_out == {
        "deprecated concepts": 1,
        "links to undeclared concepts": 1,
        "links of anonymous classes": 1,
        "class equivalences": 1,
        "names in other languages": 1,
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            FUNCTIONAL.replace("SubClassOf(:liv", "SubClassOf(no:liv"),
            "line 20: the prefix 'no:'",
        ),
        (FUNCTIONAL[:-3], "line 28: the file ends before Ontology"),
        (FUNCTIONAL + ")", "line 30: this is not OWL functional syntax in '\\)'"),
        (FUNCTIONAL + 'Ontology("', "line 30: this is not OWL functional syntax in"),
        (FUNCTIONAL[:400] + "(" * 2000, "more than 1000 parentheses are open"),
        (OWL_XML[:-13], "not well-formed XML: no element found"),
        (OWL_XML.replace('IRI=":affects"', 'IRI="no:affects"'), "the prefix 'no:' is not declared"),
        (OWL_XML.replace("<!ENTITY liver", "<!ENTITY liver SYSTEM"), "external"),
        (MANCHESTER.replace("SubClassOf: :dis", "SubClassOf: no:dis"), "line 25: the prefix 'no:'"),
        (MANCHESTER + '"', "this is not Manchester syntax"),
        ('{"@context": "https://schema.org/", "@id": "a"}', "context is an address, and nothing"),
        ('{"@id": oops', "line 1: .*JSON-LD"),
        (TURTLE.replace(":disease a", ":disease {"), "line 7: "),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(file, content, message):
    with pytest.raises(FileFormatError, match=f"(?s){message}") as error:
        om.load_taxonomy(file(content))
    assert "dis" in str(error.value)


OBO = "http://purl.obolibrary.org/obo/"
GRAPH = {
    "graphs": [
        {
            "id": OBO + "dis.owl",
            "meta": {"version": OBO + "dis/2024", "xrefs": [], "basicPropertyValues": []},
            "nodes": [
                {"id": OBO + "D_1", "lbl": "disease", "type": "CLASS", "meta": {"xrefs": ["x"]}},
                {
                    "id": OBO + "D_2",
                    "lbl": "flu",
                    "type": "CLASS",
                    "meta": {
                        "definition": {"val": "a disease", "xrefs": []},
                        "synonyms": [
                            {"pred": "hasExactSynonym", "val": "influenza", "xrefs": []},
                            {"pred": "hasRelatedSynonym", "val": "cold"},
                        ],
                        "basicPropertyValues": [
                            {
                                "pred": "http://www.geneontology.org/formats/oboInOwl#"
                                "hasAlternativeId",
                                "val": "D:9",
                            },
                            {"pred": "http://x.org/other", "val": "y"},
                        ],
                    },
                },
                {"id": OBO + "D_3", "lbl": "dropsy", "type": "CLASS", "meta": {"deprecated": True}},
                {"id": OBO + "D_4", "type": "INDIVIDUAL", "lbl": "the flu of 1918"},
                {"id": OBO + "RO_1", "lbl": "affects", "type": "PROPERTY"},
                {"id": OBO + "E_1"},
            ],
            "edges": [
                {"sub": OBO + "D_2", "pred": "is_a", "obj": OBO + "D_1"},
                {"sub": OBO + "D_2", "pred": "is_a", "obj": OBO + "E_1"},
                {"sub": OBO + "D_2", "pred": OBO + "RO_1", "obj": OBO + "D_3"},
                {"sub": OBO + "D_4", "pred": "type", "obj": OBO + "D_2"},
            ],
            "logicalDefinitionAxioms": [{"definedClassId": OBO + "D_2", "genusIds": []}],
        }
    ]
}


def test_an_obo_graph(file):
    tax = om.load_taxonomy(file(json.dumps(GRAPH)))
    assert (set(tax), tax.root) == ({"D_1", "D_2", "D_4"}, "D_1")
    assert tax.parents("D_4") == ("D_2",)
    assert tax.labels("D_2") == ("flu", "influenza")
    assert set(tax.aliases("D_2")) == {"D:2", "D:9", OBO + "D_2"}
    assert tax.about.version == OBO + "dis/2024"
    assert tax.about.left_out == {
        "deprecated concepts": 1,
        "links to undeclared concepts": 1,
        "class equivalences": 1,
        "synonyms that are not exact": 1,
    }
    assert om.load_taxonomy(file(json.dumps(GRAPH)), synonyms="all").labels("D_2")[2] == "cold"
    with pytest.raises(FileFormatError, match="line 1: not valid JSON"):
        om.load_taxonomy(file(json.dumps(GRAPH)[:-1]))
    for wrong in ('{"graphs": [{"nodes": [1]}]}', '{"graphs": [{"nodes": [{"lbl": "x"}]}]}'):
        with pytest.raises(FileFormatError, match="this is JSON, but not an OBO graph"):
            om.load_taxonomy(file(wrong))


PIECES = [
    "(",
    ")",
    '"',
    "<",
    "Class: ",
    "SubClassOf(",
    ", ",
    "Annotations: ",
    "@en",
    "\n",
    "{",
    "#",
]


@given(
    st.sampled_from([FUNCTIONAL, OWL_XML, MANCHESTER, json.dumps(GRAPH)]),
    st.floats(0, 1),
    st.integers(0, 9),
    st.sampled_from(PIECES),
)
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_any_slip_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, text, share, less, more):
    place = int(share * len(text))
    path = tmp_path_factory.getbasetemp() / "any.owl"
    path.write_text(text[:place] + more + text[place + less :], encoding="utf-8")
    try:
        assert len(om.load_taxonomy(path)) > 0
    except OntomaskError:
        pass
