"""Code lists and level tables: every shape is read back, and what is no hierarchy is refused."""

from __future__ import annotations

import csv
import io
import zipfile
from itertools import pairwise

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from mutations import mutated
from ontomask.errors import FileFormatError, OntomaskError, ParameterError
from ontomask.taxonomy.readers.codes.prefixes import tell_tree

FILE = "list.csv"


def parents_of(taxonomy):
    return {
        concept: taxonomy.parents(concept)[0]
        for concept in taxonomy
        if taxonomy.parents(concept) and taxonomy.parents(concept) != (taxonomy.root,)
    }


def table(*rows, delimiter=","):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def workbook(sheets):
    """An Excel file of these sheets."""
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return content.getvalue()


# ---------------------------------------------------------------- codes that tell their groups

DRUGS = [
    ("Code", "Name"),
    ("A", "alimentary"),
    ("A01", "mouth"),
    ("A01A", "mouth products"),
    ("A01AA", "caries"),
    ("A01AA01", "one"),
    ("A01AA02", "two"),
    ("A02", "acid"),
    ("A02A", "antacids"),
    ("B", "blood"),
    ("B01", "thrombosis"),
    ("B01A", "thrombosis drugs"),
]
JOBS = [
    ("SOC Code", "Title"),
    ("11-0000", "managers"),
    ("11-1000", "top"),
    ("11-1010", "chiefs"),
    ("11-1011", "chief"),
    ("11-1020", "general"),
    ("11-1021", "general manager"),
    ("13-0000", "business"),
    ("13-1000", "business people"),
    ("13-1010", "agents"),
    ("13-1011", "agent of artists"),
    ("13-1012", "agent of athletes"),
]
BRANCHES = [
    ("Código", "Título"),
    ("A", "farming"),
    ("01", "crops"),
    ("01.1", "annual crops"),
    ("01.11", "cereals"),
    ("01.12", "rice"),
    ("01.2", "perennial crops"),
    ("01.21", "grapes"),
    ("B", "mining"),
    ("05", "coal"),
    ("05.1", "hard coal"),
    ("05.10", "hard coal mining"),
    ("05.2", "lignite"),
    ("05.20", "lignite mining"),
]
SECTORS = [
    ("2022 NAICS Code", "2022 NAICS Title"),
    ("11", "farming"),
    ("111", "crops"),
    ("1111", "grain"),
    ("112", "animals"),
    ("31-33", "making"),
    ("311", "food"),
    ("3111", "animal food"),
    ("321", "wood"),
    ("3211", "sawmills"),
]
ILLNESSES = [
    ("code", "title"),
    ("A00-A09", "guts"),
    ("A00", "cholera"),
    ("A00.0", "classical"),
    ("A00.1", "el tor"),
    ("A01", "typhoid"),
    ("A01.0", "typhoid fever"),
    ("B15-B19", "hepatitis"),
    ("B15", "hepatitis A"),
    ("B15.0", "with coma"),
    ("B15.9", "without coma"),
]
NUMBERED = [("code", "name")]
NUMBERED += [(f"{a}", f"a{a}") for a in range(1, 13)]
NUMBERED += [(f"{a}.{b}", f"b{a}.{b}") for a in (1, 10) for b in range(1, 13)]
PRODUCTS = [("CODE", "name"), ("03000000", "farm"), ("03100000", "crops"), ("03110000", "cereal")]
PRODUCTS += [("30000000", "office"), ("30100000", "machines"), ("30110000", "word processing")]
PRODUCTS += [("31000000", "electric"), ("31100000", "motors"), ("31110000", "electric motors")]
PRODUCTS += [("03120000", "fruit"), ("30120000", "copiers"), ("31120000", "generators")]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (DRUGS, {"A01": "A", "A01AA02": "A01AA", "A02A": "A02", "B01A": "B01"}),
        (JOBS, {"11-1000": "11-0000", "11-1021": "11-1020", "13-1012": "13-1010"}),
        (BRANCHES, {"01": "A", "01.1": "01", "01.11": "01.1", "05.10": "05.1", "05": "B"}),
        (SECTORS, {"111": "11", "311": "31-33", "321": "31-33", "3211": "321"}),
        (ILLNESSES, {"A00": "A00-A09", "A00.1": "A00", "B15.9": "B15"}),
        (NUMBERED, {"1.2": "1", "1.12": "1", "10.11": "10"}),
        (PRODUCTS, {"31100000": "31000000", "30110000": "30100000", "03110000": "03100000"}),
    ],
    ids=["ATC", "SOC", "NACE", "NAICS", "ICD", "numbered", "CPV"],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_codes_tell_their_groups(file, rows, expected, delimiter):
    tax = om.load_taxonomy(file(table(*rows, delimiter=delimiter)))
    parents = parents_of(tax)
    assert {code: parents.get(code) for code in expected} == expected
    assert len(tax) == len(rows)  # the header is no concept, and the root is one
    assert all(tax.label(code) == name for code, name in rows[1:])
    assert tax.about.reading["hierarchy"].startswith("the beginnings of the codes")
    assert parents.keys() == {code for code, *_ in rows[1:] if tax.parents(code) != ("*",)}


def test_groups_that_are_no_prefix_stand_at_the_top(file):
    assert "11-0000" not in parents_of(om.load_taxonomy(file(table(*JOBS))))
    tax = om.load_taxonomy(file(table(*PRODUCTS)))
    assert tax.children("*") == ("03000000", "30000000", "31000000")


def test_the_levels_are_shown_and_can_be_changed(file):
    path = file(table(*DRUGS))
    reading = om.load_taxonomy(path).about.reading
    assert reading == {
        "hierarchy": "the beginnings of the codes: 1, 3, 4, 5, 7 characters",
        "codes": "'Code'",
        "names": "'Name'",
    }
    tax = om.load_taxonomy(path, levels=[1, 4])
    assert tax.parents("A01AA02") == ("A01A",)
    assert tax.parents("A01A") == tax.parents("A01") == ("A",)
    assert om.load_taxonomy(path, levels="1,4") == tax  # as the command line writes it
    with pytest.raises(ParameterError, match="levels must be increasing lengths of codes"):
        om.load_taxonomy(path, levels=[4, 1])


def test_groups_without_a_row_are_added_on_request_only(file):
    path = file("zip,place\n43201,Reus\n43202,Reus port\n43007,Tarragona\n08001,Barcelona\n")
    with pytest.raises(FileFormatError, match=r"tell no hierarchy.*(?s:.*)levels=\[1, 3\]"):
        om.load_taxonomy(path, format="codes")
    tax = om.load_taxonomy(path, format="codes", levels=[2, 3])
    assert [*tax.ancestors("43201")] != []
    assert tax.parents("43201") == ("432",)
    assert tax.parents("432") == ("43",)
    assert "3 groups have no row" in tax.about.reading["hierarchy"] or (
        "groups have no row" in tax.about.reading["hierarchy"]
    )


def test_lost_zeros(file):
    rows = [("SIC", "Description")]
    rows += [(str(n), f"n{n}") for n in (100, 110, 111, 112, 200, 210, 211, 1000, 1010, 1011)]
    rows += [(str(n), f"n{n}") for n in (1020, 1021, 1100, 1110, 1111)]
    parents = parents_of(om.load_taxonomy(file(table(*rows))))
    assert (parents["111"], parents["1021"], parents["1111"]) == ("110", "1020", "1110")
    assert "100" not in parents


# ---------------------------------------------------------------- other shapes

PLACES = {
    "parents": [
        ("Kürzel", "Bezeichnung", "Übergeordnet", "Synonyme"),
        ("AT", "Österreich", "", ""),
        ("AT1", "Ostösterreich", "AT", ""),
        ("AT13", "Wien", "AT1", "Vienna; Vindobona"),
        ("AT12", "Niederösterreich", "AT1", ""),
        ("MT", "Malta", "", ""),
    ],
    "parents by name": [
        ("Code", "Nombre", "Padre", "Sinónimos"),
        ("AT", "Österreich", "", ""),
        ("AT1", "Ostösterreich", "Österreich", ""),
        ("AT13", "Wien", "Ostösterreich", "Vienna|Vindobona"),
        ("AT12", "Niederösterreich", "Ostösterreich", ""),
        ("MT", "Malta", "", ""),
    ],
    "depths": [
        ("NUTS level", "Code 2021", "Name", "AltName"),
        ("0", "AT", "Österreich", ""),
        ("1", "AT1", "Ostösterreich", ""),
        ("2", "AT13", "Wien", "Vienna\nVindobona"),
        ("2", "AT12", "Niederösterreich", ""),
        ("0", "MT", "Malta", ""),
    ],
}


@pytest.mark.parametrize("shape", PLACES)
def test_parents_and_depths(file, shape):
    content = table(*PLACES[shape])
    tax = om.load_taxonomy(file(content))
    assert parents_of(tax) == {"AT1": "AT", "AT13": "AT1", "AT12": "AT1"}
    assert tax.labels("AT13") == ("Wien", "Vienna", "Vindobona")
    assert tax.about.left_out == {}
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        assert om.load_taxonomy(file(content.encode(encoding))) == tax
    assert om.load_taxonomy(file(content.encode("cp1252"))).about.reading["encoding"] == (
        "cp1252, because the file is not valid UTF-8"
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("list.csv", content)
    assert om.load_taxonomy(file(archive.getvalue(), "list.zip")) == tax


WIDE = [
    ("section", "section_title", "division", "division_title", "code", "title"),
    ("A", "farming", "01", "crops", "0111", "cereals"),
    ("A", "farming", "01", "crops", "0112", "rice"),
    ("A", "farming", "03", "fishing", "0311", "marine"),
    ("B", "mining", "05", "coal", "0510", "hard coal"),
    ("B", "mining", "05", "coal", "0520", "lignite"),
]


def test_a_column_for_each_level(file):
    tax = om.load_taxonomy(file(table(*WIDE)))
    assert parents_of(tax) == {
        **{"01": "A", "03": "A", "05": "B", "0111": "01", "0112": "01"},
        **{"0311": "03", "0510": "05", "0520": "05"},
    }
    assert (tax.label("A"), tax.label("05"), tax.label("0520")) == ("farming", "coal", "lignite")
    fine_first = [row[::-1] for row in WIDE]
    assert om.load_taxonomy(file(table(*fine_first))) == tax
    merged = [WIDE[0]]
    for above, row in pairwise(WIDE):  # as merged cells are saved
        same = 4 if row[:4] == above[:4] else 2 if row[:2] == above[:2] else 0
        merged.append(("",) * same + row[same:])
    assert om.load_taxonomy(file(table(*merged))) == tax
    options = {"code": "code", "label": "title"}
    named = om.load_taxonomy(file(table(*WIDE)), levels=["section", "division"], **options)
    assert named == tax
    coarse = om.load_taxonomy(file(table(*WIDE)), levels="section", **options)
    assert parents_of(coarse)["0111"] == "A"
    with pytest.raises(FileFormatError, match="levels must be a column of the table, got 'group'"):
        om.load_taxonomy(file(table(*WIDE)), levels=["section", "group"])


def test_names_only_and_names_that_repeat(file):
    rows = [("Region", "Country", "City")]
    rows += [("Europe", "Malta", "Victoria"), ("Europe", "Spain", "Reus"), ("Europe", "Spain", "")]
    rows += [("Africa", "Seychelles", "Victoria"), ("Africa", "", "")]
    rows += [("Europe", "Spain", "Vigo"), ("Europe", "Malta", "Mdina")]
    tax = om.load_taxonomy(file(table(*rows)))
    assert set(tax) == {
        *("*", "Europe", "Africa", "Malta", "Spain", "Seychelles", "Reus", "Vigo", "Mdina"),
        *("Malta / Victoria", "Seychelles / Victoria"),
    }
    assert tax.label("Malta / Victoria") == "Victoria"


def test_each_level_in_its_own_column(file):
    rows = [("Notes of the office", "", "", "", ""), ("", "", "", "", "")]
    rows += [("Major Group", "Minor Group", "Broad Group", "Detailed Occupation", "")]
    for code, name in JOBS[1:]:
        place = 3 if code[-1] != "0" else 2 if code[-2] != "0" else 1 if code[3] != "0" else 0
        rows.append((*("",) * place, code, *("",) * (3 - place), name))
    tax = om.load_taxonomy(file(table(*rows)))
    assert tax == om.load_taxonomy(file(table(*JOBS), "again.csv"))
    assert tax.about.reading["skipped"] == "a row above the header"


def test_codes_and_names_that_move_right(file):
    rows = [("Office of statistics", "", "", "", ""), ("1", "MANAGERS", "", "", "")]
    rows += [("", "11", "Chiefs", "", ""), ("", "", "111", "Directors", "")]
    rows += [("", "", "112", "Legislators", ""), ("", "12", "Farmers", "", "")]
    rows += [("2", "EXPERTS", "", "", ""), ("", "21", "Artists", "", "")]
    tax = om.load_taxonomy(file(table(*rows)))
    assert parents_of(tax) == {"11": "1", "111": "11", "112": "11", "12": "1", "21": "2"}
    assert tax.label("112") == "Legislators"
    header = ("SOC Major Group", "SOC Minor Group", "SOC Unit Group", "Group Title")
    steps = [("1", "", "", "managers"), ("", "11", "", "chiefs"), ("", "", "1111", "directors")]
    steps += [("", "", "1112", "officers"), ("2", "", "", "experts"), ("", "21", "", "artists")]
    tax = om.load_taxonomy(file(table(header, *steps)))
    assert parents_of(tax) == {"11": "1", "1111": "11", "1112": "11", "21": "2"}
    assert tax.labels("1112") == ("officers",)


def test_kinds_of_groups_in_the_order_of_the_rows(file):
    kinds = {0: "Detailed", 1: "Broad", 3: "Minor", 4: "Major"}
    rows = [("SOC Group", "SOC Code", "SOC Title")]
    for code, name in [*JOBS[1:], ("13-1021", "agent, other"), ("13-1022", "agent, none")]:
        rows.append((kinds[len(code) - len(code.rstrip("0"))], code, name))
    tax = om.load_taxonomy(file(table(*rows)))
    assert tax.parents("13-1021") == ("13-1010",)  # its code alone says 13-1000
    assert tax.parents("13-1010") == ("13-1000",)


def test_chapters_in_roman_numbers(file):
    rows = [("code", "title"), ("I", "infections"), ("A00-A09", "guts"), ("A00", "cholera")]
    rows += [("A00.1", "el tor"), ("A01", "typhoid"), ("II", "neoplasms"), ("C00", "lip")]
    rows += [("C00.1", "lower lip"), ("C00.2", "upper lip"), ("III", "blood"), ("D50", "anaemia")]
    rows += [("D50.0", "loss"), ("IX", "circulation"), ("I10", "pressure"), ("I10.0", "high")]
    parents = parents_of(om.load_taxonomy(file(table(*rows))))
    assert (parents["A00-A09"], parents["C00"], parents["I10"]) == ("I", "II", "IX")
    assert (parents["A01"], parents["I10.0"], "I" in parents) == ("A00-A09", "I10", False)
    sections = [(f"SECTION {c}" if len(c) == 1 else c, name) for c, name in BRANCHES[1:]]
    parents = parents_of(om.load_taxonomy(file(table(("Code", "Libellé"), *sections))))
    assert (parents["01"], parents["05"], parents["01.12"]) == ("SECTION A", "SECTION B", "01.1")


def test_excel_and_opendocument(file, tmp_path):
    sheets = {
        "Read me": [("Version", "Date"), ("1.0", "2020-01-01")],
        "Codes": [("Office of statistics",), (), ("Level", "Code", "Title EN"), (1, 1, "managers")]
        + [(2, 11, "chiefs"), (3, 111, "legislators"), (3, 112, "directors"), (1, 2, "experts")]
        + [(2, n, f"expert {n}") for n in range(21, 26)],
    }
    content = workbook(sheets)
    tax = om.load_taxonomy(file(content, "list.xlsx"))
    assert (tax.parents("111"), tax.parents("25")) == (("11",), ("2",))
    assert tax.about.reading["sheet"] == "Codes"
    assert om.load_taxonomy(file(content, "list.xlsx"), sheet="Codes") == tax
    with pytest.raises(FileFormatError, match=r"sheet must be a sheet.*(?s:.*)'Read me'"):
        om.load_taxonomy(file(content, "list.xlsx"), sheet="codes")
    wrong = workbook({"Codes": [*SECTORS[:4], ("Crop farms", "x"), *SECTORS[4:]]})
    with pytest.raises(FileFormatError, match="sheet 'Codes', row 5: 'Crop farms' in the column"):
        om.load_taxonomy(file(wrong, "wrong.xlsx"))
    with pytest.raises(FileFormatError, match="the spreadsheet cannot be read"):
        om.load_taxonomy(file(b"\xd0\xcf\x11\xe0 and no more", "list.xls"))
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f"<table:table-cell office:value-type='string'><text:p>{cell}</text:p>"
            "</table:table-cell>"
            for cell in row
        )
        + "</table:table-row>"
        for row in DRUGS
    )
    names = "".join(
        f" xmlns:{short}='urn:oasis:names:tc:opendocument:xmlns:{short}:1.0'"
        for short in ("office", "table", "text")
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f"<office:document-content{names}><office:body><office:spreadsheet><table:table "
            f"table:name='S'>{cells}</table:table></office:spreadsheet></office:body>"
            "</office:document-content>",
        )
        archive.writestr(
            "META-INF/manifest.xml",
            "<manifest:manifest xmlns:manifest='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'"
            "/>",
        )
    again = om.load_taxonomy(file(packed.getvalue(), "list.ods"))
    assert again == om.load_taxonomy(file(table(*DRUGS)))


def test_occupations_as_esco_publishes_them(file):
    rows = [
        ("conceptType", "conceptUri", "iscoGroup", "preferredLabel", "altLabels", "description"),
        ("Occupation", "http://x.eu/a1", "2166", "designer", "artist\npainter; drawer", "Draws.\n"),
        ("Occupation", "http://x.eu/b2", "2166", "animator", "", 'Says "moves", moves.'),
        ("Occupation", "http://x.eu/c3", "7112", "mason", "builder", "Builds."),
    ]
    tax = om.load_taxonomy(file(table(*rows)))
    assert tax.parents("http://x.eu/a1") == ("2166",)
    assert tax.labels("http://x.eu/a1") == ("designer", "artist", "painter", "drawer")
    assert tax.parents("2166") == ("216",)
    assert tax.parents("71") == ("7",)


def test_other_codes_and_other_languages(file):
    rows = [("Code", "Name_EN", "Name_DE", "uri", "definition")]
    rows += [
        ("1", "work", "Arbeit", "http://x.eu/1", "all"),
        ("11", "craft", "", "http://x.eu/2", ""),
    ]
    rows += [
        ("12", "trade", "Handel", "http://x.eu/3", ""),
        ("2", "rest", "Ruhe", "http://x.eu/4", ""),
    ]
    rows += [("21", "sleep", "Schlaf", "http://x.eu/5", ""), ("29", "nap", "", "http://x.eu/6", "")]
    tax = om.load_taxonomy(file(table(*rows)))
    assert tax.labels("12") == ("trade", "Handel")
    assert tax.aliases("12") == ("http://x.eu/3",)
    assert om.load_taxonomy(file(table(*rows)), label="Name_DE").labels("12") == ("Handel", "trade")


def test_the_order_file_of_icd10cm(file):
    lines = [
        f"{n:05} {code:7} {billable} {short:60} {long}"
        for n, (code, billable, short, long) in enumerate(
            [
                ("A00", 0, "Cholera", "Cholera"),
                ("A000", 1, "Cholera, classic", "Cholera due to Vibrio cholerae"),
                ("A009", 1, "Cholera, unspecified", "Cholera, unspecified"),
                ("A01", 0, "Typhoid", "Typhoid and paratyphoid fevers"),
                ("A010", 1, "Typhoid fever", "Typhoid fever"),
                ("A011", 1, "Paratyphoid", "Paratyphoid fever A"),
            ],
            1,
        )
    ]
    tax = om.load_taxonomy(file("\n".join(lines), "order.txt"))
    assert tax.parents("A000") == ("A00",)
    assert tax.labels("A000") == ("Cholera due to Vibrio cholerae", "Cholera, classic")


# ---------------------------------------------------------------- what is no hierarchy


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        ("code,name\n", "the table has a header and no rows", ""),
        ("code,name\n01,x\n02,y\n03,z\n", "the codes in 'code' tell no hierarchy", "levels="),
        ("01;Agriculture\n02;Forestry\n03;Fishing\n", "tell no hierarchy", "parent='...'"),
        ("Norway,Oslo\nSweden,Stockholm\nFinland,Helsinki\n", "a list of 3 names", "parent="),
        ("nurse\ndoctor\ncarpenter\ncook\n", "this is a list of 4 names without groups", "parent="),
        ("".join(f"{n},name {n}\n" for n in range(1, 200)), "list of 199 names", "parent="),
        ("code,name\n" + "".join(f"K{n},n{n}\n" for n in range(1, 99)), "tell no", "levels="),
        (
            "code;name\nA000;a\nA001;b\nA009;c\nB150;d\nB159;e\nC500;f\nC501;g\n",
            "tell no",
            "levels=",
        ),
        ("section,name\nI,animals\nII,plants\nIII,fats\nIV,foods\n", "tell no hierarchy", ""),
        ("code,name,superior\na1,x,p1\na2,y,p2\na3,z,p3\n", "occurs once", "parent='...'"),
        ("A00;Cholera;An illness\nB01;Pox;Another\nC02;Cancer;A third\n", "tell no", ""),
    ],
)
def test_what_is_no_hierarchy_is_refused(file, content, message, hint):
    with pytest.raises(FileFormatError, match=message) as error:
        om.load_taxonomy(file(content))
    assert hint in error.value.hint
    assert "list.csv" in str(error.value)


def test_codes_with_several_names_need_a_word(file):
    rows = [("code", "name"), ("1", "work"), ("11", "craft"), ("11", "handicraft")]
    rows += [("12", "trade"), ("12", "commerce"), ("2", "rest"), ("21", "sleep"), ("22", "nap")]
    with pytest.raises(FileFormatError, match="2 of 6 codes have several names in 'name'"):
        om.load_taxonomy(file(table(*rows)))
    tax = om.load_taxonomy(file(table(*rows)), synonyms="name")
    assert tax.labels("11") == ("craft", "handicraft")
    places = [("Land", "code", "name"), ("AD", "02", "Canillo"), ("AT", "02", "Kärnten")]
    places += [("AD", "03", "Encamp"), ("AT", "03", "Niederösterreich")]
    with pytest.raises(FileFormatError, match="2 of 2 codes have several names in 'name'"):
        om.load_taxonomy(file(table(*places)), levels="Land", code="code")


def test_quotation_marks_that_nobody_closed(file):
    rows = "".join(f"{code};{name}\n" for code, name in DRUGS)
    content = rows.replace("antacids", 'so-called "antacids').replace("caries", '"caries" x')
    tax = om.load_taxonomy(file(content))
    assert tax.label("A02A") == 'so-called "antacids'
    assert "quotation marks" in tax.about.reading
    spaced = "".join(f'{code}, "{name}, and more"\n' for code, name in DRUGS)
    assert om.load_taxonomy(file(spaced)).label("A02") == "acid, and more"


def test_text_among_the_codes(file):
    rows = [*SECTORS, ("Note: revised", "")]
    tax = om.load_taxonomy(file(table(*rows)))
    assert tax.about.left_out == {"rows without a code": 1}
    with pytest.raises(FileFormatError, match="line 5: 'Crop farms' in the column of codes"):
        om.load_taxonomy(file(table(*SECTORS[:4], ("Crop farms", "x"), *SECTORS[4:])))


def test_what_was_read_well_stays_as_it_was(file):
    two = om.load_taxonomy(file("B1,B\nB2,B\nC1,C\nB,A\nC,A\n"))
    assert two.about.reading == {}
    assert two.parents("B1") == ("B",)
    arx = om.load_taxonomy(file("43201;432**;*\n43202;432**;*\n08001;080**;*\n08002;080**;*\n"))
    assert arx.parents("43201") == ("432**",)
    words = om.load_taxonomy(
        file("group 1,group 0\nC5,group 1\nC6,group 1\nC7,group 2\ngroup 2,group 0\n")
    )
    assert (words.parents("group 1"), words.root) == (("group 0",), "group 0")
    declared = om.load_taxonomy(file("code,parent,label\nA,,All\nA1,A,One\nA2,A,Two\n"))
    assert declared.about.reading == {}


# ---------------------------------------------------------------- paths

PATHS = "Europe\nEurope > Spain\nEurope > Spain > Reus\nEurope > Malta\nAsia > Japan\n"


@pytest.mark.parametrize(
    "content",
    [
        PATHS,
        "# version 1\n\n" + PATHS,
        "path\n" + PATHS,
        PATHS.replace(" > ", ">"),
        PATHS.replace(" > ", " » "),
        table(("name", "category path"), *((f"n{i}", p) for i, p in enumerate(PATHS.splitlines()))),
    ],
)
def test_path_lists(file, content):
    tax = om.load_taxonomy(file(content, "paths.txt"))
    assert parents_of(tax) == {
        "Europe > Spain": "Europe",
        "Europe > Spain > Reus": "Europe > Spain",
        "Europe > Malta": "Europe",
        "Asia > Japan": "Asia",
    }
    assert tax.label("Europe > Spain > Reus") == "Reus"


def test_paths_with_identifiers_and_other_separators(file):
    numbered = "".join(f"{n} - {path}\n" for n, path in enumerate(PATHS.splitlines(), 7))
    tax = om.load_taxonomy(file(numbered))
    assert (tax.parents("9"), tax.label("9")) == (("8",), "Reus")
    assert tax.aliases("9") == ("Europe > Spain > Reus",)
    assert tax.parents("11") == ("Asia",)
    for separator in ("/", "|", "\\", " / "):
        path = file(PATHS.replace(" > ", separator))
        again = om.load_taxonomy(path, format="paths", separator=separator)
        assert again.parents("Europe > Spain > Reus") == ("Europe > Spain",)
    rows = [(n, path) for n, path in enumerate(PATHS.splitlines(), 7)]
    content = table(("id", "full path"), *rows)
    assert om.load_taxonomy(file(content), path="full path") == tax
    assert (
        om.load_taxonomy(
            file(workbook({"S": [("id", "full path"), *rows]}), "p.xlsx"), format="paths"
        )
        == tax
    )
    with pytest.raises(FileFormatError, match="path must be a column of the table, got 'way'"):
        om.load_taxonomy(file(content), path="way")
    with pytest.raises(FileFormatError, match="line 2: the path 'Europe > > Reus' has an empty"):
        om.load_taxonomy(
            file("Europe\nEurope > > Reus\nEurope > Malta\nEurope > Spain\n"), format="paths"
        )
    with pytest.raises(FileFormatError, match="no column or line has paths"):
        om.load_taxonomy(file("a\nb\nc\n"), format="paths")


# ---------------------------------------------------------------- there and back


@st.composite
def trees(draw, depth=4):
    """Codes with their parents, where every group has two members or more."""
    digits = draw(st.permutations("123456789"))
    parents: dict[str, str | None] = {}
    level: list[tuple[str, str | None]] = [(f"{d}", None) for d in digits[:3]]
    for _ in range(draw(st.integers(2, depth))):
        parents.update(level)
        following = []
        for code, _ in level:
            for child in digits[: draw(st.integers(2, 3))]:
                following.append((f"{code}{child}", code))
        level = following
    return parents


def write_shape(parents, shape, draw):
    """The rows of a table of this shape, and the number of concepts that have a row."""
    ordered = sorted(parents)
    name = {code: f"name of {code}" for code in parents}
    if shape == "parents":
        body = draw(st.permutations([(code, parents[code] or "", name[code]) for code in ordered]))
        return [("Code", "Parent code x", "Title"), *body]
    if shape == "depths":
        return [("Level", "Code", "Title"), *((len(c), c, name[c]) for c in ordered)]
    if shape == "prefixes":
        return [("Code", "Title"), *draw(st.permutations([(c, name[c]) for c in ordered]))]
    if shape == "dots":
        return [("Code", "Title"), *((".".join(c), name[c]) for c in ordered)]
    deepest = max(map(len, ordered))
    steps = range(1, deepest + 1)
    header = [f"Level {n} {kind}" for n in steps for kind in ("code", "name")]
    leaves = [code for code in ordered if len(code) == deepest]
    body = [[cell for n in steps for cell in (leaf[:n], name[leaf[:n]])] for leaf in leaves]
    if shape == "fine first":
        return [header[::-1], *(row[::-1] for row in body)]
    if shape == "steps":
        header = [f"Level {n}" for n in steps] + ["Title"]
        body = [[c if n == len(c) else "" for n in steps] + [name[c]] for c in ordered]
    return [header, *body]


@pytest.mark.parametrize(
    "shape", ["parents", "depths", "prefixes", "dots", "levels", "fine first", "steps"]
)
@given(data=st.data())
def test_a_tree_there_and_back(tmp_path_factory, shape, data):
    parents = data.draw(trees())
    rows = write_shape(parents, shape, data.draw)
    spell = (lambda code: ".".join(code)) if shape == "dots" else (lambda code: code)
    expected = om.Taxonomy.from_edges(
        [(spell(code), parent and spell(parent)) for code, parent in parents.items()],
        {spell(code): f"name of {code}" for code in parents},
        warn=False,
    )
    folder = tmp_path_factory.mktemp("there")
    if data.draw(st.booleans(), "Excel"):
        path = folder / "tree.xlsx"
        path.write_bytes(workbook({"S": rows}))
    else:
        path = folder / "tree.csv"
        path.write_text(table(*rows, delimiter=data.draw(st.sampled_from(",;\t"))))
    assert om.load_taxonomy(path, format="codes") == expected
    assert om.load_taxonomy(path) == expected  # and the format is told


@given(st.data())
def test_paths_there_and_back(tmp_path_factory, data):
    parents = data.draw(trees(3))
    path = tmp_path_factory.mktemp("there") / "paths.txt"
    path.write_text("".join(" > ".join(code) + "\n" for code in parents))
    expected = om.Taxonomy.from_edges(
        [(" > ".join(c), p and " > ".join(p)) for c, p in parents.items()],
        {" > ".join(code): code[-1] for code in parents},
        warn=False,
    )
    assert om.load_taxonomy(path) == expected


def plain_parent(code, codes):
    """The slow definition: the longest other code that this one begins with."""
    above = [other for other in codes if other != code and code.startswith(other)]
    return max(above, key=len, default=None)


@given(trees())
def test_prefixes_equal_the_definition(parents):
    assert tell_tree(list(parents)).parents == {c: plain_parent(c, parents) for c in parents}


@given(st.data())
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_anything_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, data):
    rows = data.draw(st.sampled_from([DRUGS, JOBS, WIDE, PLACES["depths"], PLACES["parents"]]))
    content = table(*rows).encode() if data.draw(st.booleans()) else PATHS.encode()
    path = tmp_path_factory.getbasetemp() / "any.list"
    path.write_bytes(
        data.draw(mutated(content, b",", b'"', b" > ", b"code", b"level", b"PK\x03\x04"))
    )
    for format in (None, "codes", "paths"):
        try:
            assert len(om.load_taxonomy(path, format=format)) > 0
        except OntomaskError:
            pass
