"""UMLS and RxNorm in RRF: made-up tables in the documented layout."""

from __future__ import annotations

import gzip
import shutil

import pytest

import ontomask as om
from ontomask.errors import FileFormatError, LanguageWarning, OntomaskError, ParameterError
from ontomask.taxonomy.readers.clinical.rrf import LINK_COLUMNS, NAME_COLUMNS


def table(columns, rows):
    """Rows of named cells in RRF: bars between the columns and at the end, no header."""
    return "".join("|".join(row.get(name, "") for name in columns) + "|\n" for row in rows)


def name(cui, atom, code, text, kind="PT", **cells):
    usual = {"LAT": "ENG", "TS": "P", "STT": "PF", "ISPREF": "Y", "SAB": "GARDEN", "SUPPRESS": "N"}
    return {**usual, "CUI": cui, "AUI": atom, "CODE": code, "STR": text, "TTY": kind, **cells}


def link(first, kind, second, **cells):
    (cui1, atom1), (cui2, atom2) = first, second
    ends = {"CUI1": cui1, "AUI1": atom1, "CUI2": cui2, "AUI2": atom2}
    return {**ends, "REL": kind, "SAB": "GARDEN", "SUPPRESS": "N", **cells}


NAMES = [
    name("C1", "A1", "G", "Ailments", "HT"),
    name("C2", "A2", "G1", 'Wilt "slow"'),
    name("C2", "A3", "G1", "Wilting", "ET", TS="S"),
    name("C2", "A4", "G1", "Marchitez", LAT="SPA"),
    name("C2", "A5", "G1", "WILT OLD", SUPPRESS="O"),
    name("C3", "A6", "G1.1", "Root wilt"),
    name("C4", "A7", "G2", "Rust"),
    name("C4", "A8", "G3", "Rust of spades"),  # one concept of UMLS, two of the source
    name("C2", "A9", "W", "Wilt", SAB="WEEDS"),
    name("C5", "A10", "W5", "Weed wilt", SAB="WEEDS"),
]
A = {row["AUI"]: (row["CUI"], row["AUI"]) for row in NAMES}
LINKS = [
    link(A["A2"], "PAR", A["A1"]),  # the second is the parent of the first
    link(A["A1"], "CHD", A["A2"], RELA="isa"),
    link(A["A2"], "CHD", A["A6"], RELA="isa"),  # the second is a child of the first
    link(A["A7"], "PAR", A["A1"]),
    link(A["A1"], "RN", A["A8"], RELA="isa"),
    link(A["A7"], "RO", A["A2"], RELA="finding_site_of"),
    link(A["A6"], "PAR", A["A7"], SUPPRESS="O"),
    link(A["A6"], "PAR", ("C9", "A99")),
    link(A["A10"], "PAR", A["A9"], SAB="WEEDS"),
]


@pytest.fixture
def folder(tmp_path):
    def write(names=NAMES, links=LINKS, prefix="MR", ending=".RRF"):
        for stem, columns, rows in (
            ("CONSO", NAME_COLUMNS, names),
            ("REL", LINK_COLUMNS, links),
        ):
            text = table(columns, rows).encode()
            path = tmp_path / f"{prefix}{stem}{ending}"
            path.write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)
        return tmp_path

    return write


@pytest.mark.parametrize("ending", [".RRF", ".rrf", ".RRF.gz"])
def test_one_source_is_named_by_its_codes(folder, ending):
    tax = om.load_taxonomy(folder(ending=ending), sab="GARDEN")
    assert set(tax) == {"G", "G1", "G1.1", "G2", "G3"}
    assert tax.root == "G"
    assert [tax.parents(code) for code in ("G1", "G1.1", "G2", "G3")] == [
        ("G",),
        ("G1",),
        ("G",),
        ("G",),
    ]
    assert tax.labels("G1") == ('Wilt "slow"', "Wilting")
    assert set(tax.aliases("G1")) == {"C2", "GARDEN:G1"}
    assert "C4" not in tax  # two concepts
    assert tax.about.left_out == {
        "suppressed names": 1,
        "suppressed links": 1,
        "links to concepts that are not read": 1,
        "ambiguous aliases": 1,
        "names in other languages": 1,
    }
    spanish = om.load_taxonomy(folder() / "MRCONSO.RRF", sab="GARDEN", language="es")
    assert spanish.label("G1") == "Marchitez"


def test_several_sources_are_joined_in_umls(folder):
    tax = om.load_taxonomy(folder(), sab=["GARDEN", "WEEDS"])
    assert set(tax) == {"C1", "C2", "C3", "C4", "C5"}
    assert (tax.parents("C5"), tax.parents("C4")) == (("C2",), ("C1",))
    assert tax.code("G2") == tax.code("G3") == tax.code("GARDEN:G3") == tax.code("C4")
    assert tax.code("W") == tax.code("C2")


def test_rxnorm_is_read_by_default(folder):
    """Its links name concepts alone, and it has other sources beside its own."""
    names = [
        name("11", "1", "11", "seed oil", "IN", SAB="RXNORM"),
        name("12", "2", "12", "seed oil 5 ML", "SCD", SAB="RXNORM"),
        name("12", "3", "X1", "oil of seeds", SAB="OTHER"),
    ]
    links = [
        link(("11", ""), "RN", ("12", ""), SAB="RXNORM", RELA="isa"),
        link(("12", ""), "RB", ("11", ""), SAB="RXNORM", RELA="inverse_isa"),
    ]
    path = folder(names, links, prefix="RXN")
    (path / "RxNorm" / "prescribe" / "rrf").mkdir(parents=True)
    (path / "RxNorm" / "rrf").mkdir()
    for file in path.glob("RXN*.RRF"):
        shutil.copy(file, path / "RxNorm" / "rrf")
        (path / "RxNorm" / "prescribe" / "rrf" / file.name).write_text("a subset\n")
    assert len(om.load_taxonomy(path / "RxNorm")) == 2
    tax = om.load_taxonomy(path)
    assert (tax.root, tax.parents("12"), tax.labels("12")) == ("11", ("11",), ("seed oil 5 ML",))


def test_what_is_wrong(folder, tmp_path):
    with pytest.raises(
        FileFormatError, match=r"2 source vocabularies\n\nhint: name one .*'GARDEN'"
    ):
        om.load_taxonomy(folder())
    with pytest.raises(ParameterError, match=r"sab must be .* got 'SEEDS'"):
        om.load_taxonomy(folder(), sab="SEEDS")
    with pytest.warns(LanguageWarning, match="no label is in the language 'fr'"):
        om.load_taxonomy(folder(), sab="GARDEN", language="fr")
    with pytest.raises(OntomaskError, match="has a cycle"):
        om.load_taxonomy(folder(links=[*LINKS, link(A["A1"], "PAR", A["A6"])]), sab="GARDEN")
    path = tmp_path / "MRCONSO.RRF"
    path.write_text("C1|ENG|P|\n")
    with pytest.raises(FileFormatError, match=r"MRCONSO\.RRF, line 1: expected 18 columns, got 3"):
        om.load_taxonomy(tmp_path, sab="GARDEN")
    path.write_text(table(NAME_COLUMNS, NAMES) + "C1|ENG|P|\n")
    with pytest.raises(FileFormatError, match=r"MRCONSO\.RRF, line 11: expected 19 columns, got 4"):
        om.load_taxonomy(tmp_path, sab="GARDEN")
