"""SNOMED CT releases, made up: real ones may not be passed on."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_up_rf2 as made_up
import ontomask as om
from made_up_rf2 import DATE, FULL_NAME, GB, IS_A, PREFERRED, SYNONYM, US
from mutations import mutated
from ontomask.errors import (
    CycleError,
    EmptyTaxonomyError,
    FileFormatError,
    LanguageWarning,
    OntomaskError,
    ParameterError,
    SeveralRootsWarning,
    UnknownConceptError,
)

ROOT, FINDING, ASTHMA, ALLERGY, BOTH, OLD = 138875005, 404684003, 195967001, 91936005, 389145006, 7


def concept(number, active=1, time="20240101"):
    return f"{number}\t{time}\t{active}\t1\t2"


def link(number, child, parent, active=1, kind=IS_A, time="20240101"):
    return f"{number}\t{time}\t{active}\t1\t{child}\t{parent}\t0\t{kind}\t3\t4"


def term(number, of, text, kind=SYNONYM, active=1, language="en"):
    return f"{number}\t20240101\t{active}\t1\t{of}\t{language}\t{kind}\t{text}\t5"


def preference(description, refset=US, value=PREFERRED, active=1):
    return f"0-0\t20240101\t{active}\t1\t{refset}\t{description}\t{value}"


CONCEPTS = [*map(concept, [ROOT, FINDING, ASTHMA, ALLERGY, BOTH]), concept(OLD, 0)]
LINKS = [
    link(1, FINDING, ROOT),
    link(2, ASTHMA, FINDING),
    link(3, ALLERGY, FINDING),
    link(4, BOTH, ASTHMA),
    link(5, BOTH, ALLERGY),
    link(6, BOTH, ALLERGY, time="20230101"),  # once more, in another group
    link(7, BOTH, ROOT, 0),
    link(8, BOTH, ASTHMA, kind=363698007),
]
TERMS = [
    term(10, ROOT, "SNOMED CT Concept (SNOMED RT+CTV3)", FULL_NAME),
    term(20, FINDING, "Clinical finding (finding)", FULL_NAME),
    term(30, ASTHMA, 'Asthma "bronchial" (disorder)', FULL_NAME),
    term(31, ASTHMA, "Bronchial asthma"),
    term(32, ASTHMA, "Asthma"),
    term(33, ASTHMA, "Asthme", active=0),
    term(50, BOTH, "Allergic asthma – açaí", SYNONYM),
    term(70, OLD, "Old (finding)", FULL_NAME),
]
PREFERENCES = [
    preference(30),
    preference(32),
    preference(31, GB),
    preference(31, US, 900000000000549004),
    preference(33, 1),
]


@pytest.fixture
def release(tmp_path):
    def write(type="Snapshot", date=DATE, **rows):
        usual = {"Concept": CONCEPTS, "Relationship": LINKS, "Description": TERMS}
        for kind, lines in (usual | rows).items():
            if lines is not None:
                made_up.write_table(tmp_path, kind, lines, type, date)
        return tmp_path

    return write


# ---------------------------------------------------------------- a release by hand


def test_a_small_release(release):
    tax = om.load_taxonomy(release())
    assert tax.identifiers[0] == str(ROOT)
    assert len(tax) == 5
    assert set(tax.parents(str(BOTH))) == {str(ASTHMA), str(ALLERGY)}
    assert tax.labels(str(ASTHMA)) == (
        'Asthma "bronchial" (disorder)',
        "Bronchial asthma",
        "Asthma",
    )
    assert tax.labels(str(BOTH)) == ("Allergic asthma – açaí",)
    assert tax.labels(str(ALLERGY)) == ()
    assert tax.about.version == DATE
    assert tax.about.left_out == {
        "inactive concepts": 1,
        "inactive is-a links": 1,
        "inactive descriptions": 1,
        "descriptions of inactive concepts": 1,
    }


def test_the_language_reference_set_prefers(release):
    tax = om.load_taxonomy(release(Language=PREFERENCES))
    assert tax.labels(str(ASTHMA)) == (
        "Asthma",  # US English
        "Bronchial asthma",  # British English
        'Asthma "bronchial" (disorder)',
    )


def test_a_root_by_number_or_term(release):
    folder = release()
    for root in (str(ASTHMA), ASTHMA, "Bronchial asthma"):
        tax = om.load_taxonomy(folder, root=root)
        assert set(tax) == {str(ASTHMA), str(BOTH)}
    with pytest.raises(
        UnknownConceptError, match="root must be a concept of the release, got 'Asthm'"
    ):
        om.load_taxonomy(folder, root="Asthm")
    made_up.write_table(folder, "Description", [*TERMS, term(51, BOTH, "Asthma")])
    with pytest.raises(UnknownConceptError, match="2 concepts.*\n.*\n.*'195967001', '389145006'"):
        om.load_taxonomy(folder, root="Asthma")


def test_lines_may_end_otherwise_and_files_may_be_packed(release):
    folder = release(Language=PREFERENCES)
    expected = om.load_taxonomy(folder)
    for number, path in enumerate(sorted(folder.rglob("*.txt"))):
        content = path.read_bytes().replace(b"\r\n", b"\n").rstrip(b"\n")
        packed = b"\xef\xbb\xbf" + content if number % 2 else gzip.compress(content, mtime=0)
        path.write_bytes(packed)
        path.rename(path.with_name(f"x{path.name}"))  # a preview is called so
    assert om.load_taxonomy(folder) == expected


# ---------------------------------------------------------------- which files


def test_other_files_are_not_read(release):
    folder = release()
    expected = om.load_taxonomy(folder)
    release("Full", Concept=[*CONCEPTS, concept(8)])
    release("Delta", Concept=[concept(9)])
    where = folder / "Snapshot/Terminology"
    for name in (
        "sct2_StatedRelationship_Snapshot",
        "sct2_RelationshipConcreteValues_Snapshot",
        "sct2_TextDefinition_Snapshot-en",
        "sct2_Description_Snapshot-es",
    ):
        (where / f"{name}_INT_{DATE}.txt").write_text("anything")
    assert om.load_taxonomy(folder) == expected


def test_an_extension_adds_and_retires(release):
    folder = release()
    later = "20240701"
    extension = folder / "extension"
    made_up.write_table(extension, "Concept", [concept(11), concept(ALLERGY, 0, later)], date=later)
    made_up.write_table(
        extension,
        "Relationship",
        [
            link(11, 11, ASTHMA),
            link(3, ALLERGY, FINDING, 0, time=later),
            link(5, BOTH, ALLERGY, 0, time=later),
            link(6, BOTH, ALLERGY, 0, time=later),
            link(4, BOTH, ASTHMA, 0, time="20200101"),  # older: the active row counts
        ],
        date=later,
    )
    tax = om.load_taxonomy(folder)
    assert set(tax) == {str(n) for n in (ROOT, FINDING, ASTHMA, BOTH, 11)}
    assert tax.parents(str(BOTH)) == (str(ASTHMA),)
    assert tax.parents("11") == (str(ASTHMA),)
    assert tax.about.version == later


def test_languages(release):
    folder = release()
    path = made_up.write_table(folder, "Description", [term(99, ASTHMA, "asma", language="es")])
    path.rename(path.with_name(f"sct2_Description_SpanishExtensionSnapshot-es_INT_{DATE}.txt"))
    made_up.write_table(folder, "Description", TERMS)
    for language in ("es", "es-ES"):
        assert om.load_taxonomy(folder, language=language).labels(str(ASTHMA)) == ("asma",)
    english = om.load_taxonomy(folder).labels(str(ASTHMA))
    for language, labels in [
        (["es", "en"], ("asma", *english)),
        ("en,es", (*english, "asma")),
        ("all", (*english, "asma")),
    ]:
        assert om.load_taxonomy(folder, language=language).labels(str(ASTHMA)) == labels
    with pytest.warns(LanguageWarning, match="no label is in the language 'fr'; there are .* 'en'"):
        assert om.load_taxonomy(folder, language="fr,es").label(str(ASTHMA)) == "asma"
    assert om.load_taxonomy(folder).label(str(BOTH)) == "Allergic asthma – açaí"
    with pytest.raises(
        ParameterError,
        match="language must be a language of the release, got 'de'.*\n.*\n.*are in 'en', 'es'",
    ):
        om.load_taxonomy(folder, language="de")
    for file in folder.rglob("sct2_Description*-en_*"):
        file.unlink()
    assert om.load_taxonomy(folder).labels(str(ASTHMA)) == ("asma",)


@pytest.mark.parametrize("kind", ["Description", "Relationship"])
def test_a_missing_file(release, kind):
    with pytest.raises(FileFormatError, match=f"the folder has no {kind} file of a snapshot"):
        om.load_taxonomy(release(**{kind: None}))


def test_no_release_at_all(tmp_path, release):
    with pytest.raises(FileFormatError, match="the folder has no Concept file of a snapshot"):
        om.load_taxonomy(tmp_path, format="rf2")
    release()
    one = next(tmp_path.rglob("sct2_Concept*"))
    with pytest.raises(FileFormatError, match=f"{one.name}: this is a single file of a release"):
        om.load_taxonomy(one)


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"Concept": [*CONCEPTS, "1\t2"]}, "sct2_Concept.*, line 8: expected 5 columns .* got 2"),
        ({"Concept": [CONCEPTS[0], "", *CONCEPTS[1:]]}, "line 3: expected 5 columns .* got 1"),
        ({"Concept": [*CONCEPTS, concept("12a")]}, "line 8: id is not valid: '12a'"),
        ({"Concept": [*CONCEPTS, concept("")]}, "line 8: id is not valid: ''"),
        ({"Concept": [*CONCEPTS, concept("1" * 19)]}, "line 8: id is not valid: '1{19}'"),
        ({"Concept": [*CONCEPTS, concept(11, "yes")]}, "line 8: active must be 0 or 1"),
        ({"Concept": [*CONCEPTS, CONCEPTS[1]]}, "line 8: 404684003 occurs twice .*line 3"),
        ({"Relationship": [*LINKS, link(9, 12, ROOT)]}, "line 10: 12 is below 138875005, and the "
         "child is not a concept of the release"),
        ({"Relationship": [*LINKS, link(9, ASTHMA, 12)]}, "line 10: 195967001 is below 12, and the "
         "parent is not a concept of the release"),
        ({"Relationship": [*LINKS, link(9, ASTHMA, OLD)]}, "line 10: .* the parent is inactive"),
        ({"Description": [*TERMS, term(99, "x", "y")]}, "line 10: conceptId is not valid: 'x'"),
        ({"Language": [preference("x")]}, "der2_cRefset.*line 2: referencedComponentId is not"),
    ],
)  # fmt: skip
def test_a_malformed_row_is_named(release, rows, message):
    with pytest.raises(FileFormatError, match=message):
        om.load_taxonomy(release(**rows))


def test_another_header(release):
    folder = release()
    path = next(folder.rglob("sct2_Relationship*"))
    path.write_bytes(path.read_bytes().replace(b"destinationId", b"target"))
    with pytest.raises(FileFormatError, match="line 1: missing columns: 'destinationId'"):
        om.load_taxonomy(folder)
    path.write_bytes(b"")
    with pytest.raises(FileFormatError, match="line 1: missing columns: 'id'"):
        om.load_taxonomy(folder)


def test_text_that_is_no_utf_8(release):
    folder = release()
    path = next(folder.rglob("sct2_Description*"))
    path.write_bytes(path.read_bytes().replace("açaí".encode(), "açaí".encode("latin-1")))
    with pytest.raises(FileFormatError, match="line 8: not valid UTF-8 text"):
        om.load_taxonomy(folder)


def test_a_retired_concept_may_keep_its_links(release):
    tax = om.load_taxonomy(release(Relationship=[*LINKS, link(9, OLD, ROOT)]))
    assert tax.about.left_out["is-a links of inactive concepts"] == 1


def test_cycles_roots_and_nothing(release):
    with pytest.raises(CycleError, match="'195967001'"):
        om.load_taxonomy(release(Relationship=[*LINKS, link(9, ASTHMA, BOTH)]))
    with pytest.warns(SeveralRootsWarning, match="2 roots"):
        assert om.load_taxonomy(release(Relationship=LINKS[:-1][1:])).root == "*"
    with pytest.raises(EmptyTaxonomyError):
        om.load_taxonomy(release(Concept=[], Relationship=[], Description=[], Language=[]))


# ---------------------------------------------------------------- more of it


def test_a_made_up_release(tmp_path):
    made_up.write(tmp_path, 500)
    tax = om.load_taxonomy(tmp_path)
    parents = made_up.parents_of(500)
    number = made_up.concept_number
    assert len(tax) == 500
    for place, above in enumerate(parents):
        assert set(tax.parents(str(number(place)))) == {str(number(p)) for p in above}
    assert tax.labels(str(number(30))) == (
        "Made-up disorder 30",
        "Disorder № 30, made up",
        "Made-up disorder 30 (disorder)",
    )
    assert tax.about.left_out["inactive concepts"] == 125


FILES = ("Concept", "Relationship", "Description", "Language")


@given(st.data())
@pytest.mark.filterwarnings("ignore::ontomask.errors.OntomaskWarning")
def test_anything_gives_a_taxonomy_or_an_error_of_ours(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("any")
    for kind, lines in zip(FILES, (CONCEPTS, LINKS, TERMS, PREFERENCES), strict=True):
        path = made_up.write_table(folder, kind, lines)
        if data.draw(st.booleans()):
            path.write_bytes(data.draw(mutated(path.read_bytes(), b"1", b"\r\n", b"195967001")))
    try:
        assert len(om.load_taxonomy(folder, format="rf2")) > 0
    except OntomaskError:
        pass
