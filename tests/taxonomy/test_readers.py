"""Files: what is read, what is written back, and the line that is wrong."""

from __future__ import annotations

import csv
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.errors import (
    CycleError,
    FileFormatError,
    HeaderWarning,
    OntomaskError,
    ParameterError,
    SeveralParentsError,
    SeveralRootsWarning,
    UnknownTaxonomyError,
)
from strategies import taxonomies

FILE = "tax.csv"


TABLE = """child,parent,label,synonyms,aliases
disease,,Disease,,
viral infection,disease,,,B34
liver disease,disease,,,
hepatitis,viral infection,Hepatitis,"liver inflammation|hep, viral",K75|B19
hepatitis,liver disease,Hepatitis,,
"""


@pytest.fixture
def expected():
    return om.Taxonomy.from_edges(
        [
            ("viral infection", "disease"),
            ("liver disease", "disease"),
            ("hepatitis", "viral infection"),
            ("hepatitis", "liver disease"),
        ],
        {"disease": "Disease", "hepatitis": ["Hepatitis", "liver inflammation", "hep, viral"]},
        aliases={"B34": "viral infection", "K75": "hepatitis", "B19": "hepatitis"},
    )


# ---------------------------------------------------------------- child and parent


@pytest.mark.parametrize(
    "content",
    [
        TABLE,
        TABLE.replace("\n", "\r\n"),
        "\ufeff" + TABLE,
        TABLE.replace("child,parent", "Code,Parent code"),
        TABLE.replace("synonyms", "Alt labels"),
        gzip.compress(TABLE.encode(), mtime=0),
        TABLE + "\n\n,,,,\n",
        TABLE.replace("disease,,Disease", " disease , , Disease "),
    ],
)
def test_a_table_of_links(file, content, expected):
    tax = om.load_taxonomy(file(content))
    assert tax == expected
    assert (tax.name, tax.about.source) == ("tax", "tax.csv")


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
def test_other_delimiters(file, tmp_path, delimiter, expected):
    path = tmp_path / "tax.txt"
    with path.open("w", newline="") as out:
        csv.writer(out, delimiter=delimiter).writerows(csv.reader(TABLE.splitlines()))
    options = {"delimiter": "|"} if delimiter == "|" else {}
    assert om.load_taxonomy(path, **options) == expected


def test_columns_can_be_named(file):
    path = file("Beruf,Gruppe,Bezeichnung\nk1,g1,Koch\ng1,,Gastronomie\n")
    tax = om.load_taxonomy(path, child="beruf", parent="Gruppe", label="Bezeichnung")
    assert tax.label("k1") == "Koch"
    with pytest.raises(
        FileFormatError,
        match="line 1: child must be a column of the table, got 'Stufe'.*\n.*\n.*'Beruf'",
    ):
        om.load_taxonomy(path, child="Stufe", parent="Gruppe")


def test_two_columns_need_no_header(file):
    tax = om.load_taxonomy(file("flu,disease\ncold,disease\n"))
    assert set(tax) == {"flu", "cold", "disease"}


def test_an_unusual_header_is_noticed(file):
    path = file("Krankheit,Gruppe\nflu,disease\ncold,disease\n")
    with pytest.warns(HeaderWarning, match="'Krankheit' and 'Gruppe'"):
        assert set(om.load_taxonomy(path)) == {"flu", "cold", "disease"}
    with pytest.warns(SeveralRootsWarning, match="'Gruppe', 'disease'"):
        om.load_taxonomy(path, header=False)
    assert len(om.load_taxonomy(path, header=True)) == 3


def test_quotation_marks_in_a_plain_tab_file_are_text(file):
    tax = om.load_taxonomy(
        file('code\tparent\tlabel\nr\t\tall\n495\tr\t"Farmer" lung, so-called\n')
    )
    assert tax.label("495") == '"Farmer" lung, so-called'


def test_unicode(file):
    tax = om.load_taxonomy(file("Ménière,Ohr\n眩暈,Ohr\n"))
    assert "眩暈" in tax
    latin = file("Ménière,Ohr\n".encode("latin-1"), "latin.csv")
    assert "Ménière" in om.load_taxonomy(latin, encoding="latin-1")


def test_a_byte_order_mark_tells_the_encoding(tmp_path):
    path = tmp_path / "concepts.csv"
    path.write_bytes("child,parent\na,b\n".encode("utf-16"))
    assert om.load_taxonomy(path).parents("a") == ("b",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        (" \n \n", "the file is empty"),
        ("just words\nno columns\n", "the format cannot be detected from the content"),
        ("child,parent\na,b\nc\n", "line 3: expected 2 columns as in the first row, got 1"),
        ("child,parent\na,b,c\n", "line 2: expected 2 columns as in the first row, got 3"),
        ("child,parent\n,b\n", "line 2: the child is empty"),
        ('child,parent\na,"b\n', "line 2: unexpected end of data"),
        (
            "child,parent,label\nr,,R\na,r,A\na,r,A\n",
            r"line 4: 'a' occurs twice below the same parent \(first on line 3\)",
        ),
        ("child,parent,label\na,r,A\na,s,B\n", "line 3: 'a' is called 'B' here and 'A' on line 2"),
        ("child,parent\nr,\na,q\n", "line 3: the parent 'q' of 'a' has no row of its own"),
        (b"child,parent\na,b\xff\n", "line 2: not valid utf-8 text .byte 0xff"),
        (b"\x1f\x8bnot gzip at all", "gzip data is damaged"),
        (gzip.compress(b"child,parent\na,b\n", mtime=0)[:-9], "gzip data is damaged"),
        ("child,parent\n", "has no concepts"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(file, content, message):
    with pytest.raises(OntomaskError, match=message) as error:
        om.load_taxonomy(file(content))
    assert "tax.csv" in str(error.value)


def test_a_cycle_in_a_file_names_the_file(file):
    with pytest.raises(CycleError, match=r"tax\.csv: .*'a' is a 'b' is a 'a'"):
        om.load_taxonomy(file("child,parent\na,b\nb,a\n"))


def test_what_is_no_file(tmp_path, file):
    with pytest.raises(UnknownTaxonomyError, match="did you mean 'icd9cm'"):
        om.load_taxonomy("icd9-cm")
    with pytest.raises(UnknownTaxonomyError, match="neither a bundled taxonomy nor a file"):
        om.load_taxonomy("nowhere/at/all.csv")
    with pytest.raises(FileFormatError, match="does not exist"):
        om.load_taxonomy(tmp_path / "missing.csv")
    with pytest.raises(FileFormatError, match="this folder is not a taxonomy in a known format"):
        om.load_taxonomy(tmp_path)
    with pytest.raises(
        ParameterError, match="(?s)format must be a known format, got 'obo-ish'.*'arx'"
    ):
        om.load_taxonomy(file(TABLE), format="obo-ish")
    with pytest.raises(ParameterError, match="the format 'child-parent' has no option 'colour'"):
        om.load_taxonomy(file(TABLE), colour="red")
    with pytest.raises(ParameterError, match="format 'arx' has no option 'child'"):
        om.load_taxonomy(file("a;b;c\n"), format="arx", child="x")
    with pytest.raises(FileFormatError, match="encoding must be a known encoding, got 'klingon'"):
        om.load_taxonomy(file(TABLE), encoding="klingon")


# ---------------------------------------------------------------- ARX hierarchies

ARX = "influenza;viral;infection;*\ncold;viral;infection;*\nsprain;sprain;injury;*\n"


@pytest.mark.parametrize("content", [ARX, ARX.replace(";", ","), ARX.replace("\n", "\r\n")])
def test_an_arx_hierarchy(file, content):
    tax = om.load_taxonomy(file(content))
    assert tax.root == "*"
    assert tax.parents("influenza") == ("viral",)
    assert tax.parents("sprain") == ("injury",)  # repeated, it is one concept
    assert len(tax) == 7


def test_two_parents_in_an_arx_hierarchy_show_both_rows(file):
    with pytest.raises(FileFormatError, match="line 2: 'viral' has two parents") as error:
        om.load_taxonomy(file("influenza;viral;infection;*\ncold;viral;nuisance;*\n"))
    assert "line 1: influenza;viral;infection;*" in str(error.value)
    assert "line 2: cold;viral;nuisance;*" in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a;b;c\nd;b\n", "line 2: expected 3 columns as in the first row, got 2"),
        ("a;;c\nd;b;c\n", "line 1: column 2 is empty"),
        ("a;b;a;*\n", "line 1: 'a' is above itself"),
    ],
)
def test_a_malformed_arx_hierarchy(file, content, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(file(content))


def test_rows_that_contradict_each_other_make_a_cycle(file):
    with pytest.raises(CycleError, match="tax.csv: .*'a' is a 'b' is a 'a'"):
        om.load_taxonomy(file("x;a;b\ny;b;a\n"))


def test_arx_tops_that_differ_get_a_virtual_root(file):
    with pytest.warns(SeveralRootsWarning, match="'p', 'q'"):
        assert om.load_taxonomy(file("a;b;p\nc;d;q\n")).root == "*"


# ---------------------------------------------------------------- there and back


@given(taxonomies())
def test_child_parent_there_and_back(tmp_path_factory, tax):
    path = tmp_path_factory.mktemp("there") / "tax.csv"
    tax.write(path)
    assert om.load_taxonomy(path) == tax


@given(taxonomies(tree=True))
def test_arx_there_and_back(tmp_path_factory, tax):
    path = tmp_path_factory.mktemp("there") / "tax.csv"
    tax.write(path, format="arx")
    if tax.height > 1:
        assert om.load_taxonomy(path, format="arx") == tax


NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=8
)


@given(st.lists(NAMES, min_size=2, max_size=6, unique=True), st.lists(NAMES, max_size=4))
def test_any_names_there_and_back(tmp_path_factory, names, labels):
    root, *others = names
    tax = om.Taxonomy.from_edges([(c, root) for c in others], {root: labels} if labels else None)
    for suffix in ("csv", "tsv"):
        path = tmp_path_factory.mktemp("there") / f"tax.{suffix}"
        tax.write(path)
        assert om.load_taxonomy(path) == tax


@pytest.mark.slow
def test_bundled_ones_there_and_back(tmp_path, icd9, wordnet):
    for tax, format in [(icd9, "child-parent"), (icd9, "arx"), (wordnet, "child-parent")]:
        path = tmp_path / f"{tax.name}.{format}.csv"
        tax.write(path, format=format)
        again = om.load_taxonomy(path, format=format)
        if format == "arx":  # has no labels
            assert again.identifiers == tax.identifiers
            assert again.parents("250.83") == tax.parents("250.83")
        else:
            assert again == tax


def test_a_graph_is_no_arx_hierarchy(tmp_path, diagnoses):
    with pytest.raises(SeveralParentsError, match="1 concepts have several parents: 'hepatitis'"):
        diagnoses.write(tmp_path / "out.csv", format="arx")
    assert list(tmp_path.iterdir()) == []


def test_writing_keeps_what_is_there(tmp_path, diagnoses):
    path = tmp_path / "out.csv"
    path.write_text("precious")
    with pytest.raises(ParameterError, match="already exists"):
        diagnoses.write(path)
    assert path.read_text() == "precious"
    diagnoses.write(path, force=True)
    assert om.load_taxonomy(path) == diagnoses
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]
    with pytest.raises(FileFormatError, match="does not exist"):
        diagnoses.write(tmp_path / "no" / "such" / "folder.csv")
    with pytest.raises(ParameterError, match="format must be 'child-parent' or 'arx', got 'owl'"):
        diagnoses.write(tmp_path / "x.csv", format="owl")


# ---------------------------------------------------------------- anything at all


@given(st.one_of(st.binary(max_size=200), st.text('ab;,\t\n\r"|*é ', max_size=80)))
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_any_bytes_give_a_taxonomy_or_an_error_of_ours(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for format in (None, "child-parent", "arx"):
        try:
            assert len(om.load_taxonomy(path, format=format)) > 0
        except OntomaskError:
            pass


def test_a_name_that_ends_in_gz_is_packed(tmp_path, diagnoses):
    path = tmp_path / "tax.csv.gz"
    diagnoses.write(path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert om.load_taxonomy(path) == diagnoses


def test_known_names_take_no_options():
    with pytest.raises(ParameterError, match=r"write './icd9cm'"):
        om.load_taxonomy("icd9cm", format="arx")


def test_an_option_of_another_format_is_refused_by_the_one_that_knows_the_file(file):
    path = file("format-version: 1.2\n\n[Term]\nid: a\n", "x.obo")
    with pytest.raises(ParameterError, match="the format 'obo' has no option 'language'"):
        om.load_taxonomy(path, language="de")


def test_json_is_no_table(file):
    with pytest.raises(FileFormatError, match="the format cannot be detected from the content"):
        om.load_taxonomy(file('{"a": ["b", "c"]}', "x.json"))


def test_a_packed_trap_is_not_unpacked_whole(file, monkeypatch):
    monkeypatch.setattr("ontomask.taxonomy.readers.text.source.LARGEST", 10_000)
    with pytest.raises(FileFormatError, match="the file is larger than 10,000 bytes"):
        om.load_taxonomy(file(gzip.compress(b"a,b\n" * 100_000)))


def test_a_bundled_concept_without_a_name_has_none():
    procedures = om.load_taxonomy("icd9cm-procedures")
    assert procedures.labels("00") == ()
    assert "" not in {name for names in procedures.label_lists for name in names}
