"""OMOP vocabularies: concepts, links, what maps to them, and what is left out."""

from __future__ import annotations

import csv
import gzip
import warnings
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from made_up_vocabularies import CONCEPT, RELATIONSHIP, SYNONYM, TABLES
from ontomask.errors import FileFormatError, OntomaskError, ParameterError, SeveralRootsWarning
from strategies import taxonomies


@pytest.fixture
def folder(tmp_path):
    """Writes a vocabulary to a folder."""

    def write(tables=TABLES, **changed):
        path = tmp_path / "garden"
        path.mkdir(exist_ok=True)
        for name, text in {**tables, **changed}.items():
            (path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def as_tabs(text, quoted=False):
    """The form of Athena: tabs, and quotation marks that are part of the text; or DuckDB's."""
    if quoted:
        header, *rows = csv.reader(text.splitlines())
        lines = ["\t".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
        return "\n".join(["\t".join(header), *lines])
    rows = text.replace('"Wilt, ""slow"""', "Wilt; slow").split("\n")
    return "\n".join(row.replace(",", "\t").replace("Wilt; slow", 'Wilt, "slow"') for row in rows)


def assert_is_garden(tax):
    assert set(tax) == {"1", "2", "3", "4", "8"}
    assert tax.root == "1"
    assert (tax.parents("4"), tax.parents("8")) == (("3",), ("1",))
    assert tax.labels("2") == ('Wilt, "slow"', "slow wilting")
    assert tax.about.version == "v5.0 01-JAN-26"
    names = {alias: concept for alias, concept in tax.alias_items() if concept == "2"}
    assert set(names) == {"GARDEN:B", "B", "5", "E", "GARDEN:E", "6", "WEEDS:B"}
    assert set(tax.aliases("8")) == {"GARDEN:7", "7", "98"}
    assert tax.about.left_out == {
        "invalid concepts": 1,
        "non-standard concepts": 2,
        "links to concepts that are not in CONCEPT": 1,
        "concepts that map to several others": 1,
    }


@pytest.mark.parametrize("form", ["commas", "tabs", "quoted", "lower case", "gzip", "zip"])
def test_every_form_of_a_folder(folder, tmp_path, form):
    tables = {
        "commas": TABLES,
        "zip": TABLES,
        "tabs": {name: as_tabs(text) for name, text in TABLES.items()},
        "quoted": {name: as_tabs(text, quoted=True) for name, text in TABLES.items()},
        "lower case": {
            name.lower(): "".join(
                [line.upper() if n == 0 else line for n, line in enumerate(text.splitlines(True))]
            )
            for name, text in TABLES.items()
        },
        "gzip": {f"{name}.gz": gzip.compress(text.encode()) for name, text in TABLES.items()},
    }[form]
    path = folder(tables)
    if form == "zip":
        with zipfile.ZipFile(tmp_path / "garden.zip", "w") as archive:
            for name, text in TABLES.items():
                archive.writestr(f"garden/{name}", text)
        path = tmp_path / "garden.zip"
    assert_is_garden(om.load_taxonomy(path))
    if form in ("commas", "tabs"):
        assert_is_garden(om.load_taxonomy(path / "CONCEPT.csv"))


def test_options(folder):
    path = folder()
    tax = om.load_taxonomy(path, domain="condition")
    assert set(tax) == {"1", "2", "4", "8"}
    assert tax.parents("4") == ("2",)  # across the observation between them
    assert tax.about.left_out["concepts of other domains"] == 1
    assert set(om.load_taxonomy(path, domain="Condition, Observation")) == {"1", "2", "3", "4", "8"}

    by_code = om.load_taxonomy(path, identifier="code")
    assert set(by_code) == {"A", "B", "C", "D", "7"}  # 7 is no longer the code of concept 8 alone
    assert by_code.code("8") == by_code.code("7")
    assert by_code.code("2") == by_code.code("WEEDS:B") == by_code.code("B")

    twice = folder(**{"CONCEPT.csv": CONCEPT.replace(",S,D,", ",S,B,")})
    twice = om.load_taxonomy(twice, identifier="code")
    assert {"concept_id:2", "concept_id:4"} < set(twice)  # two concepts with one code
    assert twice.code("4") == twice.code("concept_id:4")
    path = folder()

    with pytest.warns(SeveralRootsWarning):
        weeds = om.load_taxonomy(path, vocabulary="WEEDS")
    assert set(weeds) == {"*", "6", "7"}

    with pytest.warns(SeveralRootsWarning):
        kept = om.load_taxonomy(path, outside="keep")
    assert kept.parents("8") == ("1", "99")
    with pytest.raises(FileFormatError, match="8 is below 99, which is not in CONCEPT"):
        om.load_taxonomy(path, outside="error")
    for argument, value in (
        ("domain", "Drug"),
        ("vocabulary", ["ATC"]),
        ("identifier", "name"),
        ("outside", "yes"),
    ):
        with pytest.raises(ParameterError, match=f"{argument} must be "):
            om.load_taxonomy(path, **{argument: value})


def test_ancestors_are_links_too(folder):
    path = folder(
        **{
            "CONCEPT_RELATIONSHIP.csv": RELATIONSHIP.replace("8,1,Is a", "8,1,Was a"),
            "CONCEPT_ANCESTOR.csv": TABLES["CONCEPT_ANCESTOR.csv"]
            + "1,1,0,0\n1,8,1,1\n1,4,3,3\n2,3,1,1\n",
        }
    )
    assert_is_garden(om.load_taxonomy(path))


def nearest_above(taxonomy, concept, chosen):
    """The chosen concepts to which a path leads that meets no other chosen one."""
    nearest = set()
    for parent in taxonomy.parents(concept):
        nearest |= {parent} if parent in chosen else nearest_above(taxonomy, parent, chosen)
    return nearest


@given(taxonomies(), st.data())
def test_what_is_not_selected_is_bridged(tmp_path_factory, taxonomy, data):
    """A domain keeps exactly the links to the nearest selected ancestors."""
    chosen = data.draw(st.sets(st.sampled_from(taxonomy.identifiers), min_size=1))
    number = {concept: place for place, concept in enumerate(taxonomy, start=1)}
    header = CONCEPT.split("\n")[0]
    rows = [f"{number[c]},{c},{'In' if c in chosen else 'Out'},V,x,S,{c},1,2," for c in taxonomy]
    links = [f"{number[c]},{number[p]},Is a,1,2," for c in taxonomy for p in taxonomy.parents(c)]
    path = tmp_path_factory.mktemp("omop")
    (path / "CONCEPT.csv").write_text("\n".join([header, *rows]))
    (path / "CONCEPT_RELATIONSHIP.csv").write_text("\n".join([RELATIONSHIP.split("\n")[0], *links]))
    expected = om.Taxonomy.from_edges(
        [(c, p) for c in chosen for p in nearest_above(taxonomy, c, chosen) or [None]], warn=False
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeveralRootsWarning)
        tax = om.load_taxonomy(path, domain="In", identifier="code")
    assert set(tax) == set(expected)
    assert all(tax.parents(c) == expected.parents(c) for c in tax)


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        ("CONCEPT.csv", CONCEPT.replace("concept_code", "code"), "missing columns: 'concept_code'"),
        ("CONCEPT.csv", CONCEPT.replace("\n3,", "\nx,"), "concept_id must be a whole number"),
        ("CONCEPT.csv", CONCEPT.replace("\n3,", "\n2,"), "the concept 2 occurs twice"),
        ("CONCEPT.csv", CONCEPT + "9,Mould\n", "line 10: expected 10 columns, got 2"),
        ("CONCEPT.csv", CONCEPT.replace("Rust", "R\xfcst").encode("latin-1"), r"CONCEPT\.csv"),
        (
            "CONCEPT.csv",
            CONCEPT.replace(",S,", ",,").replace(",C,", ",,"),
            "no concept is selected",
        ),
        (
            "CONCEPT_RELATIONSHIP.csv",
            RELATIONSHIP.replace("2,1,Is", "2,,Is"),
            "concept_id_2 must be",
        ),
        ("CONCEPT_RELATIONSHIP.csv", RELATIONSHIP + "1,4,Is a,1,2,\n", "has a cycle"),
    ],
)
def test_a_malformed_table_is_refused(folder, table, text, message):
    with pytest.raises(OntomaskError, match=message):
        om.load_taxonomy(folder(**{table: text}))


def test_links_are_needed(folder):
    path = folder({"CONCEPT.csv": CONCEPT, "CONCEPT_SYNONYM.csv": SYNONYM})
    with pytest.raises(FileFormatError, match="neither CONCEPT_RELATIONSHIP nor"):
        om.load_taxonomy(path)


def test_a_shard_of_the_real_vocabulary(data_folder):
    """The figures are those of DuckDB on the same tables."""
    with pytest.warns(SeveralRootsWarning):
        tax = om.load_taxonomy(data_folder / "omop_synthea27nj_5.4.zip")
    assert len(tax) - 1 == 2294 - 103 - 13
    assert sum(len(tax.parents(c)) for c in tax if tax.parents(c) != ("*",)) >= 108
    assert tax.code("44054006") == tax.code("SNOMED:44054006") == tax.code("201826")
    assert tax.about.version == "v5.0 09-APR-22*"
