"""The public data sets: every diagnosis reaches its concept, and the bundled tables are theirs."""

from __future__ import annotations

import csv
import gzip

import pytest

import ontomask as om


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def diagnoses(data_folder):
    table = rows(data_folder / "diabetes_130.csv.gz")
    return [row[c] for c in ("diag_1", "diag_2", "diag_3") for row in table if row[c] != "?"]


def test_all_diagnoses_of_diabetes_130_map_onto_icd9cm(diagnoses, icd9):
    assert len(diagnoses) == 303_496
    assert om.map_terms(diagnoses, icd9, repair_codes=True).coverage == 1
    assert round(om.map_terms(diagnoses, icd9).coverage, 3) == 0.981


@pytest.mark.parametrize(
    ("bundled", "file"),
    [
        ("icd9cm", "icd9cm_2015_diagnoses.tsv.gz"),
        ("icd9cm-procedures", "icd9cm_2015_procedures.tsv.gz"),
    ],
)
def test_the_bundled_icd9_equals_the_public_table(data_folder, bundled, file):
    assert om.load_taxonomy(bundled) == om.load_taxonomy(data_folder / file)


def test_the_bundled_wordnet_equals_the_public_table(data_folder, wordnet):
    with gzip.open(data_folder / "wordnet30_nouns.tsv.gz", "rt", encoding="utf-8") as file:
        next(file)
        table = [line.rstrip("\n").split("\t") for line in file]
    assert len(table) == len(wordnet) == 82_115
    for offset, hypernyms, instances, lemmas in table:
        words = [lemma.split("#")[0].replace("_", " ") for lemma in lemmas.split("|")]
        assert wordnet.labels(offset) == tuple(dict.fromkeys(words))
        above = {
            wordnet.identifiers[wordnet.code(p)] for p in f"{hypernyms},{instances}".split(",") if p
        }
        assert set(wordnet.parents(offset)) == above
