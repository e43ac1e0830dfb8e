"""Terms to concepts: nothing dropped, nothing guessed, every step told."""

from __future__ import annotations

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import ParameterError, UnknownConceptError, UnknownValueError


@pytest.fixture
def tax():
    return om.Taxonomy.from_edges(
        [("C1", "C0"), ("C2", "C0"), ("C3", "C0"), ("C4", "C0")],
        {
            "C0": "thing",
            "C1": ["Cold", "common cold", "coryza"],
            "C2": ["Chill", "cold"],
            "C3": ["Heart attack", "myocardial infarction", "MI"],
            "C4": ["Mi", "Straße"],
        },
        aliases={"D22": "C2"},
    )


@pytest.mark.parametrize(
    ("value", "concept", "how"),
    [
        ("C1", "C1", "code"),
        ("D22", "C2", "alias"),
        ("Chill", "C2", "label"),
        ("coryza", "C1", "synonym"),
        ("Cold", None, "ambiguous label"),
        ("cold", None, "ambiguous synonym"),
        ("MI", None, "ambiguous synonym"),
        ("Mi", None, "ambiguous label"),
        ("c1", "C1", "code, folded"),
        ("d 22", None, "unmapped"),
        (" COLD ", None, "ambiguous label, folded"),
        (" CORYZA ", "C1", "synonym, folded"),
        ("Heart-Attack", "C3", "label, folded"),
        ("heart   attack.", "C3", "label, folded"),
        ("strasse", "C4", "synonym, folded"),
        ("heart atack", None, "unmapped"),
        ("", None, "unmapped"),
        ("?!", None, "unmapped"),
    ],
)
def test_each_step_in_its_turn(tax, value, concept, how):
    (match,) = om.map_terms([value], tax).matches
    assert (match.concept, match.how) == (concept, how)


@pytest.mark.parametrize(
    ("value", "kind", "by_code"),
    [
        ("C1", "code", True),
        ("c1", "code", True),
        (" CHILL ", "label", False),
        ("strasse", "synonym", False),
        ("chills", "plural", False),
        ("chilling", "stem", False),
        ("a bad chill", "head noun", False),
        ("mine", "correction", False),
        ("xyz", "unmapped", False),
    ],
)
def test_a_match_says_of_which_kind_it_is(tax, value, kind, by_code):
    corrections = {"mine": "C1"}
    found = om.map_terms([value], tax, heads=True, stems="english", corrections=corrections)
    (match,) = found.matches
    assert (match.kind, match.by_code) == (kind, by_code)


def test_a_repaired_code_is_a_code(icd9):
    (match,) = om.map_terms(["8"], icd9, repair_codes=True).matches
    assert (match.kind, match.by_code) == ("repaired code", True)


def test_a_term_of_several_concepts_is_ambiguous():
    tax = om.Taxonomy.from_edges(
        [("bank.n.01", "thing"), ("bank.n.02", "thing")],
        {"bank.n.01": "bank", "bank.n.02": "bank"},
    )
    found = om.map_terms(["bank", "BANK", "thing"], tax)
    assert found.ambiguous == {
        "bank": ("bank.n.01", "bank.n.02"),
        "BANK": ("bank.n.01", "bank.n.02"),
    }
    assert found.coverage == 1 / 3
    with pytest.raises(
        UnknownValueError, match="2 values cannot be mapped to exactly one concept of taxonomy:"
    ):
        found.require_all()
    resolved = om.map_terms(["bank"], tax, corrections={"bank": "bank.n.02"})
    assert resolved.concepts == {"bank": "bank.n.02"}
    assert resolved.matches[0].how == "correction"


def test_counts_coverage_and_missing(tax):
    found = om.map_terms(["Chill", "Chill", None, "flu", float("nan"), "flu", "flu"], tax)
    assert found.missing == 2
    assert found.unmapped == {"flu": 3}
    assert found.coverage == 2 / 5
    assert found.how == {"unmapped": 3, "label": 2}
    assert repr(found) == (
        "TermMap(2 distinct values, 40.0 % of records mapped, 1 unmapped, 2 rows missing)"
    )
    assert [m.value for m in found.matches] == ["flu", "Chill"]  # the most frequent first


def test_columns_of_any_kind(tax):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    values = ["coryza", None, "C2"]
    for column in (values, pandas.Series(values), polars.Series(values), {"coryza": 1, "C2": 1}):
        assert om.map_terms(column, tax).concepts == {"coryza": "C1", "C2": "C2"}
    assert om.map_terms(pandas.Series(values, dtype="string"), tax).missing == 1
    with pytest.raises(ParameterError, match="read the column as text"):
        om.map_terms(np.array([41.0, np.nan]), tax)


def test_no_values_at_all(tax):
    assert om.map_terms([], tax).coverage == 1
    assert om.map_terms([None], tax).missing == 1


def test_corrections_must_lead_to_concepts(tax):
    with pytest.raises(
        UnknownConceptError, match="corrections must map values to concepts, got 'C9'"
    ):
        om.map_terms(["flu"], tax, corrections={"flu": "C9"})
    assert om.map_terms(["flu"], tax, corrections={"flu": "D22"}).concepts == {"flu": "C2"}


def test_an_error_lists_values_with_counts_and_a_way_out(diagnoses):
    found = om.map_terms(["hepatits", "hepatits", "sprain"], diagnoses)
    with pytest.raises(UnknownValueError) as error:
        found.require_all("diagnosis")
    assert str(error.value) == (
        "1 value of column 'diagnosis' cannot be mapped to exactly one concept of taxonomy "
        "'diagnoses':\n"
        "  'hepatits' (2 rows)\n\n"
        "hint: did you mean corrections={'hepatits': 'hepatitis'}?"
    )
    assert om.map_terms(["sprain"], diagnoses).require_all().coverage == 1


def test_what_is_only_somewhat_alike_is_not_proposed():
    lands = om.Taxonomy.from_edges([("Poland", "Europe"), ("France", "Europe")])
    found = om.map_terms(["Scotland"], lands)
    assert [hit.concept for hit in found.nearest("Scotland", most=1)] == ["Poland"]
    assert found.hint() == "map them with corrections={value: concept}"
    assert (
        om.map_terms(["Polland"], lands).hint() == "did you mean corrections={'Polland': 'Poland'}?"
    )


def test_the_nearest_concepts(diagnoses):
    found = om.map_terms(["brokn arm"], diagnoses)
    (best,) = found.nearest("brokn arm", most=1)
    assert (best.concept, best.label, best.path) == (
        "broken arm",
        "broken arm",
        ("injury", "fracture"),
    )
    (best,) = found.nearest("serum hepatites", most=1)
    assert (best.concept, best.name) == ("hepatitis B", "serum hepatitis")
    assert found.nearest("xyzzy") == []


# ---------------------------------------------------------------- codes that lost something


@pytest.mark.parametrize(
    ("value", "code", "how"),
    [
        ("008", "008", "code"),
        ("8", "008", "zeros restored"),
        ("41", "041", "zeros restored"),
        ("8.45", "008.45", "zeros restored"),
        ("38.9", "038.9", "zeros restored"),
        ("25083", "250.83", "point restored"),
        ("2508", "250.8", "point restored"),
        ("V5789", "V57.89", "code, folded"),
        ("v5789", "V57.89", "code, folded"),
        ("E9090", "E909.0", "code, folded"),
        ("00845", "008.45", "point restored"),
        ("250", "250", "code"),
        ("250.6", "250.6", "code"),
        (" 8 ", "008", "zeros restored"),
        ("V5", None, "unmapped"),
        ("99999", None, "unmapped"),
        ("8.", None, "unmapped"),
        ("٨", None, "unmapped"),
        ("-8", None, "unmapped"),
    ],
)
def test_damaged_diagnosis_codes(icd9, value, code, how):
    (match,) = om.map_terms([value], icd9, repair_codes=True).matches
    assert (match.concept, match.how) == (code, how)


@pytest.mark.parametrize(
    ("value", "code"), [("4701", "47.01"), ("5.1", "05.1"), ("1", "01"), ("0.66", "00.66")]
)
def test_damaged_procedure_codes(value, code):
    procedures = om.load_taxonomy("icd9cm-procedures")
    assert om.map_terms([value], procedures, repair_codes=True).concepts == {value: code}


def test_codes_are_not_mended_unless_asked(icd9):
    found = om.map_terms(["8", "25083"], icd9)
    assert found.coverage == 0
    hint = r"try repair_codes=True, and map the others with corrections=\{value: concept\}"
    with pytest.raises(UnknownValueError, match=hint):
        found.require_all()


def test_a_suggestion_has_its_own_label(icd9):
    found = om.map_terms(["584.99"], icd9)
    assert "584.9 (Acute kidney failure, unspecified < Acute kidney failure)" in [
        found.describe_hit(hit) for hit in found.nearest("584.99")
    ]


def test_mending_works_inside_a_domain(icd9):
    part = icd9.domain(root="001-139")
    assert om.map_terms(["8", "250"], part, repair_codes=True).concepts == {"8": "008"}


def test_mending_needs_to_know_how_codes_are_written(diagnoses):
    with pytest.raises(
        ParameterError,
        match=r"repair_codes cannot be used with Taxonomy\('diagnoses': 14 concepts, root 'd",
    ):
        om.map_terms(["8"], diagnoses, repair_codes=True)


# ---------------------------------------------------------------- stems, heads, preferred roots


@pytest.mark.parametrize(
    ("value", "concept", "how"),
    [
        ("sprains", "sprain", "code, plural"),
        ("Broken Arms", "broken arm", "code, plural"),
        ("colds", "common cold", "synonym, plural"),
        ("fractures of arms", "broken arm", "synonym, plural"),
        ("sprinters", None, "unmapped"),
    ],
)
def test_plurals_come_after_folding(diagnoses, value, concept, how):
    (match,) = om.map_terms([value], diagnoses).matches
    assert (match.concept, match.how) == (concept, how)
    assert om.map_terms([value], diagnoses, stems=None).coverage == 0


def test_relaxation_and_relax_have_one_stem():
    # TM section 4: both have the morphological root relax.
    tax = om.Taxonomy.from_edges([("relaxation", "activity"), ("sport", "activity")])
    assert om.map_terms(["relax", "sports"], tax, stems="english").concepts == {
        "relax": "relaxation",
        "sports": "sport",
    }


def test_stems_of_another_language():
    tax = om.Taxonomy.from_edges([("Krankheit", "Ding"), ("Unfall", "Ding")])
    assert om.map_terms(["Krankheiten"], tax, stems="german").concepts == {
        "Krankheiten": "Krankheit"
    }
    with pytest.raises(
        ParameterError,
        match="stems must be 'plural', 'auto', a supported language or None, got 'klingon'",
    ):
        om.map_terms(["Unfall"], tax, stems="klingon")


def test_stems_that_fall_together_are_ambiguous():
    tax = om.Taxonomy.from_edges([("nation", "thing"), ("national", "thing")])
    found = om.map_terms(["nations", "national", "nationally"], tax, stems="english")
    assert found.concepts == {"nations": "nation", "national": "national"}
    assert found.ambiguous == {"nationally": ("nation", "national")}


@pytest.mark.parametrize(
    ("value", "concept", "how"),
    [
        ("old broken arm", "broken arm", "head noun 'broken arm', code"),
        ("second sprain", "sprain", "head noun 'sprain', code"),
        ("sprains of the ankle", "sprain", "head noun 'sprains', code, plural"),
        ("influenza with cough", "influenza", "head noun 'influenza', code"),
        ("ankle", None, "unmapped"),
        ("of the", None, "unmapped"),
    ],
)
def test_phrases_by_their_head_noun_when_asked(diagnoses, value, concept, how):
    (match,) = om.map_terms([value], diagnoses, heads=True).matches
    assert (match.concept, match.how) == (concept, how)
    assert om.map_terms([value], diagnoses).coverage == 0


@pytest.fixture
def banks():
    return om.Taxonomy.from_edges(
        [
            ("place", "thing"),
            ("firm", "thing"),
            ("bank.n.01", "place"),
            ("bank.n.02", "firm"),
            ("bank.n.03", "firm"),
            ("banker", "place"),
        ],
        {"bank.n.01": "bank", "bank.n.02": ["bank"], "bank.n.03": ["vault", "bank"]},
    )


def test_a_preferred_root_settles_what_is_ambiguous(banks):
    (match,) = om.map_terms(["bank"], banks, prefer="place").matches
    assert (match.concept, match.how) == ("bank.n.01", "label, preferred")
    assert match.candidates == ("bank.n.01", "bank.n.02", "bank.n.03")
    # below firm, it is the label of one concept and a synonym of another
    firms = om.map_terms(["bank"], banks, prefer="firm")
    assert firms.ambiguous == {"bank": ("bank.n.02", "bank.n.03")}
    # several roots, of which none settles it
    both = om.map_terms(["bank"], banks, prefer=["place", "firm"])
    assert both.ambiguous == {"bank": ("bank.n.01", "bank.n.02", "bank.n.03")}
    # a synonym below the preferred root is better than a label elsewhere
    assert om.map_terms(["bank"], banks, prefer="bank.n.03").concepts == {"bank": "bank.n.03"}
    with pytest.raises(UnknownConceptError):
        om.map_terms(["bank"], banks, prefer="river")


def test_a_preferred_concept_beats_a_closer_name():
    tax = om.Taxonomy.from_edges(
        [("place", "thing"), ("firm", "thing"), ("p", "place"), ("f", "firm"), ("g", "firm")],
        {"p": "bank", "f": "banks", "g": "banking"},
    )
    assert om.map_terms(["banks"], tax).concepts == {"banks": "f"}
    (match,) = om.map_terms(["banks"], tax, prefer="place").matches
    assert (match.concept, match.how) == ("p", "label, plural, preferred")
    (match,) = om.map_terms(["banking"], tax, prefer="place", stems="english").matches
    assert (match.concept, match.how) == ("p", "label, stemmed, preferred")


def test_only_concepts_below_are_matched_and_suggested(banks):
    found = om.map_terms(["bank", "vault", "vualt", "thing"], banks, below="firm")
    assert found.ambiguous == {"bank": ("bank.n.02", "bank.n.03")}
    assert found.concepts == {"vault": "bank.n.03"}
    assert [hit.concept for hit in found.nearest("banker", 9)] == ["bank.n.02", "bank.n.03"]
    with pytest.raises(UnknownConceptError):
        om.map_terms(["bank"], banks, below="river")


def test_missing_marks(diagnoses):
    found = om.map_terms(["?", "sprain", "?", "n/a"], diagnoses, missing_marks=["?"])
    assert found.missing == 2
    assert found.unmapped == {"n/a": 1}


def test_a_column_in_concepts(diagnoses):
    column = ["Flu", None, "nonsense", "SPRAIN"]
    found = om.map_terms(column, diagnoses)
    assert found.apply(column) == ["influenza", None, None, "sprain"]


# ---------------------------------------------------------------- suggestions and corrections


def test_suggestions_for_the_most_frequent(diagnoses, banks):
    found = om.map_terms({"hepatits": 3, "second sprian": 1, "xyzzy": 2}, diagnoses)
    suggested = found.suggestions()
    assert list(suggested) == ["hepatits", "xyzzy", "second sprian"]
    assert suggested["hepatits"][0].concept == "hepatitis"
    assert suggested["xyzzy"] == []
    assert list(found.suggestions(values=1)) == ["hepatits"]
    assert [hit.concept for hit in om.map_terms(["bank"], banks).suggestions()["bank"]] == [
        "bank.n.01",
        "bank.n.02",
        "bank.n.03",
    ]


@pytest.mark.slow
def test_a_phrase_is_suggested_its_head(wordnet):
    found = om.map_terms(["second residence"], wordnet)
    assert found.suggestions()["second residence"][0].name == "residence"


def test_corrections_there_and_back(tmp_path, diagnoses):
    values = ["hepatits", "Hals, weh", "sprain", ' "odd" ']
    found = om.map_terms(values, diagnoses)
    path = tmp_path / "todo.csv"
    found.write_corrections(path)
    first, *rows = path.read_text(encoding="utf-8").splitlines()
    assert first == "value,concept,label,score,count,may be"
    assert len(rows) == 3
    # nothing filled in: nothing corrected
    assert om.map_terms(values, diagnoses, corrections=path) == found
    filled = path.read_text().replace("hepatits,,", "hepatits,hepatitis,")
    path.write_text(filled.replace('"Hals, weh",,', '"Hals, weh",common cold,'))
    again = om.map_terms(values, diagnoses, corrections=path)
    assert again.concepts == {
        "hepatits": "hepatitis",
        "Hals, weh": "common cold",
        "sprain": "sprain",
    }
    with pytest.raises(ParameterError, match="already exists"):
        found.write_corrections(path)
    found.write_corrections(path, force=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "value,concept\na,sprain\na,injury\n",
            "line 3: 'a' is mapped to 'injury' here and to 'sprain' on line 2",
        ),
        ("a,b,c\nd,e,f\n", "line 1: the columns value and concept are missing"),
        ("value,note,concept\na\n", "expected two columns, got 1"),
        ("value,concept\na,pain\n", "corrections must map values to concepts, got 'pain'"),
        ("", "empty"),
    ],
)
def test_wrong_corrections(tmp_path, diagnoses, content, message):
    path = tmp_path / "wrong.csv"
    path.write_text(content)
    with pytest.raises(om.OntomaskError, match=message):
        om.map_terms(["a"], diagnoses, corrections=path)


def test_corrections_without_a_header(tmp_path, diagnoses):
    path = tmp_path / "two.csv"
    path.write_text("ouch;sprain\nsniff;common cold\n")
    assert om.map_terms(["ouch"], diagnoses, corrections=path).concepts == {"ouch": "sprain"}


def test_suggestions_name_each_concept_once_and_ambiguous_ones_always(wordnet):
    found = om.map_terms({"beach volleyball": 1, "sport": 1, "sprts": 9}, wordnet)
    suggested = found.suggestions(values=2)
    for hits in suggested.values():
        assert len({hit.concept for hit in hits}) == len(hits)
    assert suggested["beach volleyball"][0].concept == "volleyball.n.01"
    assert [hit.concept for hit in suggested["sport"]][:2] == ["sport.n.01", "sport.n.02"]
    assert found.describe_hit(suggested["sport"][0]) == "sport.n.01 (sport < diversion)"


def test_prefer_says_when_it_changed_the_answer(wordnet):
    plainly = om.map_terms(["diving"], wordnet).matches[0]
    (match,) = om.map_terms(["diving"], wordnet, prefer="activity.n.01").matches
    if match.concepts != plainly.concepts:
        assert match.how.endswith("preferred")
