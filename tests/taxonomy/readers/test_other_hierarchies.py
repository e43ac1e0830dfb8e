"""Hierarchies of other tools: anjana and Amnesia."""

from __future__ import annotations

import gzip
import io
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from mutations import mutated
from ontomask.errors import CycleError, FileFormatError, OntomaskError, SeveralRootsWarning

FILE = "places.csv"


@pytest.fixture
def expected():
    edges = [("Spain", "Europe"), ("Malta", "Europe"), ("Japan", "Asia")]
    return om.Taxonomy.from_edges([*edges, ("Europe", "World"), ("Asia", "World")])


# ---------------------------------------------------------------- anjana

ROWS = "Spain,Europe,World\nMalta,Europe,World\nJapan,Asia,World\nMalta,Europe,World\n"
ANJANA = "0,1,2\n" + ROWS


@pytest.mark.parametrize(
    "content",
    [
        ROWS,  # the package's own examples have no header
        ANJANA,
        ANJANA.replace("\n", "\r\n"),
        "\ufeff" + ANJANA,
        gzip.compress(ANJANA.encode(), mtime=0),
        ANJANA.replace(",", ";"),
        '"0","1","2"\n' + ROWS,
        "\n" + ANJANA,
    ],
)
def test_an_anjana_hierarchy(file, content, expected):
    assert om.load_taxonomy(file(content)) == expected
    assert om.load_taxonomy(file(content), format="anjana") == expected


def test_a_hierarchy_in_a_zip_archive(file, expected):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("places.csv", ANJANA)
    assert om.load_taxonomy(file(packed.getvalue(), "places.zip")) == expected


def test_two_levels(file):
    assert om.load_taxonomy(file("0,1\nFemale,*\nMale,*\n")).children("*") == ("Female", "Male")


def test_options_of_tables_work(file, expected):
    latin = file(ANJANA.replace("Malta", "Málaga").encode("latin-1"))
    tax = om.load_taxonomy(latin, encoding="latin-1")
    assert "Málaga" in tax
    assert "0" not in tax


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ANJANA + "Spain,Asia,World\n", "line 6: 'Spain' has two parents.*\n.*line 2: Spain,Eur"),
        (ANJANA + "Spain,Europe\n", "line 6: expected 3 columns as in the first row, got 2"),
        (",0,1,2\n0,Spain,Europe,World\n", "line 1: the first column has no number"),
    ],
)
def test_a_malformed_anjana_hierarchy(file, content, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(file(content))


# ---------------------------------------------------------------- Amnesia

AMNESIA = """distinct
name places
type string
height 3

Europe has Spain Malta
Asia has Japan

World has Europe Asia

"""
AMNESIA = re.sub(r"( has .*)", r"\1 ", AMNESIA)  # it leaves a space behind the last child


@pytest.mark.parametrize(
    "content",
    [
        AMNESIA,
        AMNESIA.replace("\n", "\r\n"),
        AMNESIA.rstrip(),
        "\ufeff" + AMNESIA,
        gzip.compress(AMNESIA.encode(), mtime=0),
        AMNESIA.replace("distinct", "Distinct"),
    ],
)
def test_an_amnesia_hierarchy(file, content, expected):
    tax = om.load_taxonomy(file(content, "distinct_hier_places.txt"))
    assert tax == expected
    assert (tax.name, tax.about.source) == ("places", "distinct_hier_places.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            AMNESIA.replace("Asia has", "Far East has"),
            "line 7: expected a parent, 'has' and its children, got 'Far East has Japan'",
        ),
        (
            AMNESIA.replace("has Japan", "has"),
            "line 7: expected a parent, 'has' and its children, got 'Asia has'",
        ),
        (
            AMNESIA.replace("has Japan", "Japan"),
            "line 7: expected a parent, 'has' and its children, got 'Asia Japan'",
        ),
        (AMNESIA.replace("Japan", "Malta"), r"line 7: 'Malta' has two parents, 'Europe' .line 6. "),
        (AMNESIA.replace("distinct", "range"), "this hierarchy has ranges of numbers or dates"),
    ],
)
def test_a_malformed_amnesia_hierarchy(file, content, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(file(content))


def test_what_amnesia_did_not_write(file):
    with pytest.raises(
        FileFormatError, match="line 1: the file does not start like an Amnesia hierarchy"
    ):
        om.load_taxonomy(file(ANJANA), format="amnesia")


def test_cycles_and_roots(file):
    with pytest.raises(CycleError, match="'World' is a 'Asia'"):
        om.load_taxonomy(file(AMNESIA.replace("has Japan", "has Japan World")))
    with pytest.warns(SeveralRootsWarning, match="'Asia', 'World'"):
        om.load_taxonomy(file(AMNESIA.replace("World has Europe Asia", "World has Europe")))


@given(st.data())
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_anything_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, data):
    form = data.draw(st.sampled_from([ANJANA, AMNESIA]))
    path = tmp_path_factory.getbasetemp() / "any.hierarchy"
    path.write_bytes(data.draw(mutated(form.encode(), b"has", b",", b"0,1", b"distinct")))
    for format in (None, "anjana", "amnesia"):
        try:
            assert len(om.load_taxonomy(path, format=format)) > 0
        except OntomaskError:
            pass
