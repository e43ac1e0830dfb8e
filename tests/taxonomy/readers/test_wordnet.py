"""A WordNet folder: the nouns as Princeton writes them."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from mutations import mutated
from ontomask.errors import CycleError, FileFormatError, OntomaskError, SeveralRootsWarning

LICENCE = """\
  1 This software and database is being provided to you, the LICENSEE, by
  2 WordNet 3.1 Copyright 2011 by Princeton University.  All rights reserved.
"""
DATA = (
    LICENCE
    + """00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is perceived
00001930 03 n 02 living_thing 0 Animate_Thing 0 001 @ 00001740 n 0000 | a living entity
00002137 03 n 01 bank 1 002 @ 00001740 n 0000 + 00692347 v 0101 | sloping land | beside water
00002452 03 n 01 Bank 0 002 @ 00001740 n 0000 @ 00001930 n 0000 | a family of made-up plants
00002684 03 n 02 Ada 0 caf\xe9 0 001 @i 00002452 n 0000 | one of them
"""
)
INDEX = (
    LICENCE
    + """ada n 1 1 @i 1 0 00002684
animate_thing n 1 1 @ 1 0 00001930
bank n 2 1 @ 2 1 00002452 00002137
caf\xe9 n 1 1 @i 1 0 00002684
entity n 1 1 ~ 1 1 00001740
living_thing n 1 1 @ 1 1 00001930
"""
)
# Lines end with two spaces in the files.
DATA, INDEX = (text.replace("\n", "  \n") for text in (DATA, INDEX))


@pytest.fixture
def folder(tmp_path):
    def write(data=DATA, index=INDEX, at=".", encoding="latin-1"):
        where = tmp_path / at
        where.mkdir(exist_ok=True)
        for name, content in (("data.noun", data), ("index.noun", index)):
            if content is not None:
                raw = content if isinstance(content, bytes) else content.encode(encoding)
                (where / name).write_bytes(raw)
        return tmp_path

    return write


@pytest.fixture
def expected():
    return om.Taxonomy.from_edges(
        [
            ("living_thing.n.01", "entity.n.01"),
            ("bank.n.02", "entity.n.01"),
            ("bank.n.01", "entity.n.01"),
            ("bank.n.01", "living_thing.n.01"),
            ("ada.n.01", "bank.n.01"),
        ],
        {
            "entity.n.01": "entity",
            "living_thing.n.01": ["living thing", "Animate Thing"],
            "bank.n.02": "bank",
            "bank.n.01": "Bank",
            "ada.n.01": ["Ada", "café"],
        },
        aliases={
            "00001740": "entity.n.01",
            "00001930": "living_thing.n.01",
            "00002137": "bank.n.02",
            "00002452": "bank.n.01",
            "00002684": "ada.n.01",
        },
    )


def test_senses_are_those_of_the_index(folder, expected):
    tax = om.load_taxonomy(folder())
    assert tax == expected
    assert (tax.name, tax.about.version, dict(tax.about.left_out)) == ("wordnet", "3.1", {})


@pytest.mark.parametrize("change", [lambda t: t.replace("\n", "\r\n"), lambda t: t.rstrip("\n")])
def test_line_ends_do_not_matter(folder, expected, change):
    assert om.load_taxonomy(folder(change(DATA), change(INDEX))) == expected


def test_where_the_files_may_be(folder, expected, tmp_path):
    assert om.load_taxonomy(folder(at="dict")) == expected
    assert om.load_taxonomy(tmp_path / "dict" / "data.noun") == expected


def test_packed_files(folder, expected):
    packed = [gzip.compress(text.encode("latin-1"), mtime=0) for text in (DATA, INDEX)]
    assert om.load_taxonomy(folder(*packed)) == expected
    bom = [b"\xef\xbb\xbf" + text.encode("latin-1") for text in (DATA, INDEX)]
    assert om.load_taxonomy(folder(*bom)) == expected


def test_without_the_index_senses_are_unknown(folder):
    with pytest.raises(FileFormatError, match=r"the file index\.noun is missing in this folder"):
        om.load_taxonomy(folder(index=None))


def test_a_folder_without_nouns(tmp_path):
    with pytest.raises(FileFormatError, match=r"this folder has no file data\.noun"):
        om.load_taxonomy(tmp_path, format="wordnet")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "00001930 03 n 02",
            "00001930 03 n 05",
            "data.noun, line 4: this is not a noun of a WordNet file",
        ),
        ("00001930 03 n 02", "00001930 03 v 02", "line 4: this is not a noun of a WordNet file"),
        ("00001930 03 n 02", "0000193x 03 n 02", "line 4: this is not a noun of a WordNet file"),
        ("00001930 03 n 02", "what is this", "line 4: this is not a noun of a WordNet file"),
        ("Bank 0 002", "Bank 0 003", "line 6: this is not a noun of a WordNet file"),
        ("Bank 0", "River 0", "line 6: 'River' of synset 00002452 is not in index.noun"),
        ("@i 00002452", "@i 00009999", "line 7: the parent 00009999 of 'ada.n.01' is not in"),
        ("00002452 03 n", "00001930 03 n", "line 6: the synset 00001930 occurs twice"),
    ],
)
def test_a_malformed_line_is_named(folder, old, new, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(folder(DATA.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bank n 2", "bank n 3", "index.noun, line 5: this is not a line of a WordNet index"),
        ("bank n 2", "bank v 2", "line 5: this is not a line of a WordNet index"),
        ("ada n 1 1 @i 1 0 00002684", "ada", "line 3: this is not a line of a WordNet index"),
        ("00002452 00002137", "00002137 00002137", "line 6: 'Bank' of synset 00002452 is not in"),
        (
            "animate_thing n",
            "bank n 1 1 @ 1 0 00002137\nx n",
            "line 6: 'bank' occurs twice",
        ),
    ],
)
def test_a_malformed_index_is_named(folder, old, new, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(folder(index=INDEX.replace(old, new, 1)))


def test_a_cycle(folder):
    data = DATA.replace("entity 0 001 ~ 00001930", "entity 0 001 @ 00001930")
    with pytest.raises(CycleError, match="'living_thing.n.01'"):
        om.load_taxonomy(folder(data))


def test_several_tops(folder):
    data = DATA.replace("Thing 0 001 @ 00001740", "Thing 0 001 ~ 00001740")
    with pytest.warns(SeveralRootsWarning, match="'entity.n.01', 'living_thing.n.01'"):
        assert om.load_taxonomy(folder(data)).root == "*"


def installed_wordnet() -> Path | None:
    """Where WordNet's own programs look for it."""
    places = [os.environ.get("WNSEARCHDIR"), "/usr/share/wordnet"]
    if home := os.environ.get("WNHOME"):
        places.insert(1, f"{home}/dict")
    return next((Path(p) for p in places if p and (Path(p) / "data.noun").is_file()), None)


@pytest.mark.slow
def test_the_installed_wordnet_is_the_bundled_one(wordnet):
    folder = installed_wordnet()
    if folder is None:
        pytest.skip("no WordNet in WNSEARCHDIR, WNHOME/dict or /usr/share/wordnet")
    tax = om.load_taxonomy(folder)
    if tax.about.version != "3.0":
        pytest.skip(f"the WordNet in {folder} is {tax.about.version}, the bundled one 3.0")
    assert tax == wordnet


@given(st.data())
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_anything_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    for name, content in (("data.noun", DATA), ("index.noun", INDEX)):
        (folder / name).write_bytes(
            data.draw(mutated(content.encode("latin-1"), b"@", b"n", b"00001740"))
        )
    try:
        assert len(om.load_taxonomy(folder, format="wordnet")) > 0
    except OntomaskError:
        pass
