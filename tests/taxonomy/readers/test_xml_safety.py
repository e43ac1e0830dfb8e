"""Small entities are fine; whatever could grow or reach other files is refused."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text import xml_safety
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import (
    LONGEST_ENTITY,
    LONGEST_PROLOG,
    refuse_unsafe_xml,
)

PROTEGE = """<?xml version="1.0"?>

<!DOCTYPE rdf:RDF [
    <!ENTITY owl "http://www.w3.org/2002/07/owl#" >
    <!ENTITY rdfs 'http://www.w3.org/2000/01/rdf-schema#'>
    <!-- nothing but ]> prefixes -->
]>

<rdf:RDF/>"""
MESH = '<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM "https://x.org/desc.dtd">\n<D/>'


NESTED = PROTEGE.replace(
    "    <!--", '    <!ENTITY base "http://x.org/"><!ENTITY onto "&base;onto#">\n    <!--'
)


@pytest.fixture
def source(tmp_path):
    def write(content):
        path = tmp_path / "some.owl"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Source(path)

    return write


@pytest.mark.parametrize(
    "content",
    [
        "<a/>",
        "\ufeff<a/>",
        '<?xml version="1.0"?><!-- <a> --><?go <b> ?>\n<a/>',
        PROTEGE,
        PROTEGE.replace("\n", "\r\n"),
        gzip.compress(PROTEGE.encode(), mtime=0),
        MESH,
        MESH.replace("SYSTEM", 'PUBLIC "-//X//Y"'),
        "<!DOCTYPE a><a/>",
        """<!DOCTYPE a [<!ELEMENT a (b*)><!ATTLIST a x CDATA "it's > 1" y CDATA 'f'>]><a/>""",
        f'<!DOCTYPE a [<!ENTITY x "{"y" * LONGEST_ENTITY}">]><a/>',
        NESTED,
        '<!DOCTYPE a [<!ENTITY nbsp "&#160;"><!ENTITY x "AT&amp;T &#x2014;&nbsp;">]><a/>',
        '<!DOCTYPE a [<!-- <!ENTITY x "&y;"> --><!ENTITY y "&z;"><!ENTITY z "">]><a/>',
    ],
)
def test_plain_files_pass(source, content):
    found = source(content)
    end = refuse_unsafe_xml(found)
    assert found.head[end:].startswith((b"<a/>", b"<rdf:RDF/>", b"<D/>"))


def bomb(levels=9, uses=10, order=1):
    lines = [f'<!ENTITY a{i} "{f"&a{i - 1};" * uses}">\n' for i in range(1, levels)]
    grown = "".join(lines[::order])
    return f'<!DOCTYPE a [\n<!ENTITY a0 "aaaaaaaaaa">\n{grown}]>\n<a>&a{levels - 1};</a>'


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (bomb(), 4, "an entity is longer than 256 characters, with the entities in it"),
        (gzip.compress(bomb().encode(), mtime=0), 4, "an entity is longer"),
        ("\ufeff\n" + bomb(), 5, "an entity is longer"),
        (bomb(10_000), 4, "an entity is longer"),
        (bomb(10_000, order=-1), 18, "more than 16 entities within each other"),
        (bomb(40, uses=1), 18, "more than 16 entities within each other"),
        ('<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a/>', 1, "an entity contains itself"),
        ('<!DOCTYPE a [<!ENTITY x "&x;">]><a/>', 1, "an entity contains itself"),
        ('<!DOCTYPE a [<!ENTITY x "&y;">]><a/>', 1, "an entity contains &y;, which is unknown"),
        ('<!DOCTYPE a [<!ENTITY x "&#60;b/>">]><a/>', 1, "markup"),
        ('<!DOCTYPE a [<!ENTITY x "&#x3C;b/>">]><a/>', 1, "markup"),
        ('<!DOCTYPE a [<!ENTITY x "&y"><!ENTITY y "">]><a/>', 1, "an entity is not plain text"),
        ('<!DOCTYPE a [<!ENTITY x "& ;">]><a/>', 1, "contains & ;, which is unknown"),
        ('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a/>', 1, "external"),
        ('<!DOCTYPE a [<!ENTITY x PUBLIC "p" "http://x.org/">]><a/>', 1, "external"),
        ('<!DOCTYPE a [<!ENTITY % x "y">]><a/>', 1, "parameter"),
        ('<!DOCTYPE a [<!ENTITY x "%y;">]><a/>', 1, "an entity is not plain text"),
        ('<!DOCTYPE a [<!ENTITY x "&#38;y;">]><a/>', 1, "an entity is not plain text"),
        ('<!DOCTYPE a [<!ENTITY x "<b/>">]><a/>', 1, "markup"),
        ('<!DOCTYPE a [<!entity x "y">]><a/>', 1, "not well-formed"),
        ('<!DOCTYPE a [<!-- <!ENTITY x "&y;"> -->]><a/>', 1, "an entity contains &y;"),
        ("<!DOCTYPE a [\n%y;]><a/>", 2, "refers to a parameter entity"),
        ("<!DOCTYPE a [<!ELEMENT a ]><a/>", 1, "not well-formed"),
        ("<!DOCTYPE a [", 1, "not well-formed"),
        (f'<!DOCTYPE a [<!ENTITY x "{"y" * (LONGEST_ENTITY + 1)}">]><a/>', 1, "longer than"),
        ("<!DOCTYPE a [ ]><!DOCTYPE a [ ]><a/>", 1, "does not start like an XML file"),
        ("<!doctype a [ ]><a/>", 1, "does not start like an XML file"),
        (PROTEGE.encode("utf-16"), 1, "in UTF-8"),
        (PROTEGE.encode("utf-16-le"), 1, "in UTF-8"),
        ("", 1, "does not start like an XML file"),
        ("<!-- never closed", 1, "does not start like an XML file"),
        ("<!--" + "x" * LONGEST_PROLOG + "--><a/>", 1, "no element starts in the first"),
    ],
)
def test_whatever_could_grow_is_refused_with_its_line(source, content, line, message):
    with pytest.raises(FileFormatError, match=rf"some\.owl, line {line}: .*{message}"):
        refuse_unsafe_xml(source(content))


PARTS = ["<!DOCTYPE a [", "]>", "<!ENTITY x ", '"y">', "'&z;'>", "% ", "<!--", "-->", "<a/>", " "]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_only_plain_entities_ever_pass(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.xml"
    path.write_text(content)
    try:
        end = refuse_unsafe_xml(Source(path))
    except FileFormatError:
        return
    assert content[end:].startswith("<a/>")
    assert "ENTITY x '&z;'" not in content[:end]
    assert "ENTITY x %" not in content[:end]


def entities(uses, size=LONGEST_ENTITY):
    """A file that uses an entity very often."""
    return f'<!DOCTYPE a [<!ENTITY x "{"y" * size}">]><a>{"&x;" * uses}</a>'


def test_an_entity_that_is_used_very_often_is_refused(source):
    with pytest.raises(FileFormatError, match=r"its entities make 25\d,\d{3},\d{3} bytes of 3,"):
        refuse_unsafe_xml(source(entities(1_000_000)))


def test_an_entity_may_be_used_as_often_as_an_ontology_does(source):
    refuse_unsafe_xml(source(entities(1_000_000, size=29)))
    refuse_unsafe_xml(source(entities(300_000)))


@pytest.mark.parametrize("shift", range(4))
def test_uses_are_counted_across_the_pieces_that_are_read(source, shift, monkeypatch):
    monkeypatch.setattr(xml_safety, "CHUNK", 7)
    monkeypatch.setattr(xml_safety, "LARGEST_EXPANSION", 0)
    text = f'<!DOCTYPE a [<!ENTITY x "{"y" * 100}">]><a>{" " * shift}{"&x;" * 20}</a>'
    monkeypatch.setattr(xml_safety, "MOST_GROWTH", (len(text) + 2000) / len(text))
    refuse_unsafe_xml(source(text))
    monkeypatch.setattr(xml_safety, "MOST_GROWTH", (len(text) + 1999) / len(text))
    with pytest.raises(FileFormatError, match=f"its entities make {len(text) + 2000:,} bytes"):
        refuse_unsafe_xml(source(text))
