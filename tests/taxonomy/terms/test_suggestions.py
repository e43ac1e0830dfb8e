"""Suggestions: ranked, explained, and accepted only when asked; corrections as tables and Usagi."""

from __future__ import annotations

import csv
import random

import pytest

import ontomask as om
from ontomask.errors import ParameterError
from ontomask.taxonomy.terms.word_translations import learn_translations


@pytest.fixture
def organs():
    concepts = {
        "R1": ["renal pain", "kidney pain"],
        "R2": ["renal failure", "kidney failure"],
        "R3": ["renal cyst"],
        "H1": ["cardiac failure", "heart failure"],
        "H2": ["cardiac cyst"],
        "H3": ["hepatic cyst"],
    }
    return om.Taxonomy.from_edges([(concept, "*") for concept in concepts], concepts)


def test_words_that_mean_the_same_are_learned_from_the_synonyms(organs):
    found = om.map_terms(["kidney cyst", "heart cyst"], organs)
    best = {value: hits[0] for value, hits in found.suggestions().items()}
    assert best["kidney cyst"].concept == "R3"
    assert best["heart cyst"].concept == "H2"
    assert best["heart cyst"].label == "cardiac cyst"
    assert 0 < best["heart cyst"].score < 1


def test_translations_are_those_of_the_definition():
    # words 0..3; two pairs of names: (0 1, 2 3) and (0, 2)
    names = [[[0, 1], [2, 3]], [[0], [2]]]
    table = learn_translations(names, 4).toarray()
    plain = translate_plainly([((0, 1), (2, 3)), ((2, 3), (0, 1)), ((0,), (2,)), ((2,), (0,))], 4)
    for word in range(4):
        for other in range(4):
            if table[word, other]:
                assert table[word, other] == pytest.approx(plain[word][other])
    assert table[0, 2] > 0.7 > 0.3 > table[0, 3]


def translate_plainly(pairs, words):
    """Model 1 as in the book: every word of one name may translate each word of the other."""
    t = [[1.0] * words for _ in range(words)]
    for _ in range(5):
        counts = [[0.0] * words for _ in range(words)]
        for first, second in pairs:
            for target in second:
                total = sum(t[source][target] for source in first)
                for source in first:
                    counts[source][target] += t[source][target] / total
        t = [[n / (sum(row) or 1) for n in row] for row in counts]
    return t


def test_typing_mistakes_find_their_name(icd9):
    draw = random.Random(1)
    codes = draw.sample([c for c in icd9 if len(icd9.label(c)) > 12], 200)
    typed = {}
    for code in codes:
        label = icd9.label(code)
        place = draw.randrange(len(label))
        typed[label[:place] + draw.choice("xyz") + label[place + 1 :]] = code
    found = om.map_terms(list(typed), icd9)
    suggested = found.suggestions()
    right = [v for v in suggested if typed[v] in [hit.concept for hit in suggested[v][:5]]]
    assert len(right) >= 0.95 * len(suggested)
    for hits in suggested.values():
        assert len(hits) <= 10
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
        assert all(hit.label == icd9.label(hit.concept) for hit in hits)


def test_a_suggestion_has_its_path(diagnoses):
    (best,) = om.map_terms(["hepatitis x"], diagnoses).nearest("hepatits B", most=1)
    assert (best.concept, best.path) == ("hepatitis B", ("liver disease", "hepatitis"))


def test_a_hint_has_the_label_of_what_it_proposes():
    tree = om.Taxonomy.from_edges([("275.42", "*"), ("276", "*")], {"275.42": "Hypercalcemia"})
    hint = om.map_terms(["hypercalcemya"], tree).hint()
    assert (
        hint == "did you mean corrections={'hypercalcemya': '275.42'}? ('275.42' (Hypercalcemia))"
    )
    assert "275.42" not in om.map_terms(["hyperkalemia"], tree).hint() or "Hyper" in hint


def test_only_clear_suggestions_with_a_high_score_are_accepted(diagnoses, tmp_path):
    found = om.map_terms(["hepatits", "brokn arm", "xyzzy", "brokn"], diagnoses)
    best = found.suggestions()
    least = min(best[value][0].score for value in ("hepatits", "brokn arm"))
    accepted = found.accept(least)
    assert {value: hit.concept for value, hit in accepted.items()} == {
        "hepatits": "hepatitis",
        "brokn arm": "broken arm",
    }
    assert found.accept(1) == {}
    path = tmp_path / "accepted.csv"
    found.write_corrections(path, accept=least)
    again = om.map_terms(["hepatits", "brokn arm", "xyzzy"], diagnoses, corrections=path)
    assert again.concepts == {"hepatits": "hepatitis", "brokn arm": "broken arm"}
    with pytest.raises(ParameterError, match="least must be a number above 0 and up to 1, got 9"):
        found.accept(9)


def test_usagi_files_there_and_back(diagnoses, tmp_path):
    found = om.map_terms({"hepatits": 3, "brokn arm": 1, "xyzzy": 1}, diagnoses)
    path = tmp_path / "usagi.csv"
    least = found.suggestions()["hepatits"][0].score
    found.write_corrections(path, accept=least, format="usagi")
    with path.open(newline="") as file:
        rows = {row["sourceName"]: row for row in csv.DictReader(file)}
    assert rows["hepatits"]["mappingStatus"] == "APPROVED"
    assert rows["hepatits"]["conceptId"] == "hepatitis"
    assert rows["hepatits"]["sourceFrequency"] == "3"
    assert rows["xyzzy"]["conceptId"] == "0"
    assert om.map_terms(["hepatits", "xyzzy"], diagnoses, corrections=path).concepts == {
        "hepatits": "hepatitis"
    }
    # as Usagi writes them: codes beside names, several states
    path.write_text(
        "sourceCode,sourceName,conceptId,mappingStatus\n"
        "17,sore wrist,sprain,APPROVED\n"
        "18,sore throat,influenza,FLAGGED\n"
        "19,other,0,APPROVED\n"
    )
    read = om.map_terms(["17", "sore wrist", "18", "other"], diagnoses, corrections=path)
    assert read.concepts == {"17": "sprain", "sore wrist": "sprain"}
    path.write_text("sourceCode,conceptId\n1,sprain\n")
    with pytest.raises(om.OntomaskError, match="the column mappingStatus is missing"):
        om.map_terms(["1"], diagnoses, corrections=path)
    with pytest.raises(ParameterError, match="format must be 'table' or 'usagi', got 'excel'"):
        found.write_corrections(tmp_path / "x.csv", format="excel")
