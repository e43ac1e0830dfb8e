"""FHIR: code systems as JSON and XML, value sets, bundles."""

from __future__ import annotations

import json
from contextlib import suppress
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given

import ontomask as om
from mutations import mutated
from ontomask.errors import FileFormatError, OntomaskError, ParameterError
from strategies import taxonomies

FILE = "codes.json"

SYSTEM = {
    "resourceType": "CodeSystem",
    "url": "http://example.org/wounds",
    "name": "Wounds",
    "version": "3",
    "language": "en",
    "content": "complete",
    "property": [
        {"code": "up", "uri": "http://hl7.org/fhir/concept-properties#parent", "type": "code"},
        {"code": "inactive", "type": "boolean"},
    ],
    "concept": [
        {
            "code": "wound",
            "display": "Wound",
            "concept": [
                {
                    "code": "burn",
                    "display": "Burn",
                    "designation": [
                        {"language": "de", "value": "Verbrennung"},
                        {"language": "en-GB", "value": "Burn injury"},
                    ],
                    "property": [{"code": "synonymCode", "valueCode": "brn"}],
                }
            ],
        },
        {
            "code": "heat",
            "property": [
                {"code": "up", "valueCode": "burn"},
                {"code": "inactive", "valueBoolean": True},
            ],
        },
        {"code": "scald", "display": "Scald", "property": [{"code": "up", "valueCode": "heat"}]},
        {
            "code": "cut",
            "display": "Cut",
            "property": [
                {"code": "subsumedBy", "valueCode": "wound"},
                {"code": "subsumedBy", "valueCode": "injury"},
                {"code": "child", "valueCode": "scald"},
            ],
        },
        {"code": "gash", "property": [{"code": "status", "valueCode": "deprecated"}]},
    ],
}


def as_xml(name, content):
    """The XML form of FHIR."""
    if isinstance(content, list):
        return "".join(as_xml(name, one) for one in content)
    if not isinstance(content, dict):
        text = str(content).lower() if isinstance(content, bool) else str(content)
        return f"<{name} value={quoteattr(text)}/>"
    inner = "".join(as_xml(key, one) for key, one in content.items() if key != "resourceType")
    kind = content.get("resourceType")
    if kind and name != kind:
        return f"<{name}>{as_xml(kind, content)}</{name}>"
    return f"<{name}>{inner}</{name}>"


def fhir_xml(resource):
    kind = resource["resourceType"]
    return as_xml(kind, resource).replace(f"<{kind}>", f'<{kind} xmlns="http://hl7.org/fhir">', 1)


BUNDLE = {
    "resourceType": "Bundle",
    "entry": [{"resource": {"resourceType": "Patient"}}, {"resource": SYSTEM}],
}


@pytest.mark.parametrize(
    "content", [json.dumps(SYSTEM), fhir_xml(SYSTEM), json.dumps(BUNDLE), fhir_xml(BUNDLE)]
)
def test_a_code_system(file, content):
    tax = om.load_taxonomy(file(content))
    assert set(tax) == {"wound", "burn", "scald", "cut"}
    assert tax.root == "wound"
    assert tax.parents("scald") == ("burn", "cut") or set(tax.parents("scald")) == {"burn", "cut"}
    assert tax.labels("burn") == ("Burn", "Burn injury")
    assert tax.code("brn") == tax.code("burn")
    assert (tax.name, tax.about.version) == ("Wounds", "3")
    assert tax.about.left_out == {
        "inactive concepts": 1,
        "deprecated concepts": 1,
        "links to concepts that are not in the file": 1,
        "names in other languages": 1,
    }
    assert tax.about.reading == {}
    german = om.load_taxonomy(file(content), language="de")
    assert (german.label("burn"), german.label("cut")) == ("Verbrennung", "Cut")


def test_a_value_set(file):
    expanded = {
        "resourceType": "ValueSet",
        "name": "Common",
        "expansion": {
            "contains": [
                {
                    "display": "Skin",
                    "abstract": True,
                    "contains": [
                        {"system": "urn:a", "code": "1", "display": "Burn"},
                        {"system": "urn:b", "code": "1", "display": "Scald"},
                        {"system": "urn:a", "code": "2", "display": "Cut", "inactive": True},
                    ],
                }
            ]
        },
    }
    for content in (json.dumps(expanded), fhir_xml(expanded)):
        tax = om.load_taxonomy(file(content))
        assert set(tax) == {"Skin", "urn:a|1", "urn:b|1"}
        assert tax.about.left_out == {"inactive concepts": 1}
    codes = [{"code": "1", "display": "Cut"}, {"code": "2"}, {"code": "1", "display": "Gash"}]
    listed = {"include": [{"system": "urn:a", "concept": codes}]}
    content = json.dumps({"resourceType": "ValueSet", "name": "Few", "compose": listed})
    tax = om.load_taxonomy(file(content))
    assert set(tax) == {"*", "1", "2"}
    assert tax.labels("1") == ("Cut", "Gash")  # published value sets list a code twice
    content = json.dumps(
        {"resourceType": "ValueSet", "name": "All", "compose": {"include": [{"system": "urn:a"}]}}
    )
    with pytest.raises(FileFormatError, match="'All' describes its concepts and does not list"):
        om.load_taxonomy(file(content))


def test_what_the_hierarchy_means_is_kept(file):
    parts = om.load_taxonomy(file(json.dumps({**SYSTEM, "hierarchyMeaning": "part-of"})))
    assert parts.about.reading == {"hierarchy": "part-of, not is-a, as the file says"}


def test_a_bundle_of_several_code_systems(file):
    other = {**SYSTEM, "url": "http://example.org/other", "name": "Other"}
    content = json.dumps(
        {"resourceType": "Bundle", "entry": [{"resource": SYSTEM}, {"resource": other}]}
    )
    with pytest.raises(FileFormatError, match="has 2 code systems or value sets\n\nhint: name one"):
        om.load_taxonomy(file(content))
    assert om.load_taxonomy(file(content), url="Other").name == "Other"
    with pytest.raises(ParameterError, match=r"url must be .* got 'Third'"):
        om.load_taxonomy(file(content), url="Third")


@given(taxonomies())
def test_a_taxonomy_written_as_fhir_is_read_again(tmp_path_factory, taxonomy):
    resource = {
        "resourceType": "CodeSystem",
        "concept": [
            {
                "code": concept,
                "property": [
                    {"code": "parent", "valueCode": parent} for parent in taxonomy.parents(concept)
                ],
            }
            for concept in taxonomy
        ],
    }
    path = tmp_path_factory.getbasetemp() / FILE
    for content in (json.dumps(resource), fhir_xml(resource)):
        path.write_text(content)
        assert om.load_taxonomy(path) == taxonomy


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps(SYSTEM)[:-5], "line 1: not valid JSON"),
        (json.dumps({**SYSTEM, "concept": [{"display": "Cut"}]}), None),
        (json.dumps({**SYSTEM, "concept": [{"definition": "Cut"}]}), "a concept has no code"),
        (json.dumps({**SYSTEM, "concept": []}), "has no concepts"),
        (json.dumps({**SYSTEM, "content": "supplement"}), "a supplement only adds names"),
        (
            json.dumps({**SYSTEM, "concept": [{"code": "a", "display": d} for d in ("b", "c")]}),
            "the code 'a' is called 'b' and 'c'",
        ),
        (
            json.dumps({**SYSTEM, "concept": SYSTEM["concept"][-1:]}),
            "all concepts of 'Wounds' are inactive or deprecated",
        ),
        (json.dumps({"resourceType": "Bundle"}), "the file has no CodeSystem and no ValueSet"),
        ('{"resourceType": "CodeSystem", "a":' + "[" * 100_000, "nested too deeply|not valid JSON"),
        ("[1]", "is not a FHIR resource"),
    ],
)
def test_a_malformed_file_is_refused(file, content, message):
    if message is None:  # a concept of a value set may have its display alone
        assert "Cut" in om.load_taxonomy(file(content))
        return
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(file(content), "fhir" if content.startswith("[") else None)


@given(content=mutated(json.dumps(SYSTEM).encode(), b"null", b"[]", b"{}", b'"'))
def test_any_content_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / FILE
    path.write_bytes(content)
    with suppress(OntomaskError):
        om.load_taxonomy(path, "fhir")
