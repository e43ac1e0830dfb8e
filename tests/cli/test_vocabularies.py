"""A steward with a classification in ClaML and a vocabulary of OMOP: no line of Python."""

from __future__ import annotations

import csv
from random import Random

import pytest

from made_up_vocabularies import CLAML, TABLES


@pytest.fixture
def folder(tmp_path):
    """A table whose wounds are codes of ClaML, and whose findings are numbers and codes of OMOP."""
    (tmp_path / "wounds.xml").write_text(CLAML)
    vocabulary = tmp_path / "vocabulary"
    vocabulary.mkdir()
    for name, text in TABLES.items():
        (vocabulary / name).write_text(text)
    random = Random(1)
    with (tmp_path / "gardeners.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "wound_code", "finding_concept_id", "finding_source_value", "days"])
        for _ in range(200):
            writer.writerow(
                [
                    random.randint(18, 80),
                    random.choice(["W10.00", "W10.01", "w10.1", "W111", "W12.30", "W13", "W12"]),
                    random.choice([2, 3, 4, 8, 5]),
                    random.choice(["GARDEN:B", "A", "D", "E", "WEEDS:B"]),
                    random.randint(0, 9),
                ]
            )
    return tmp_path


def test_from_init_to_a_release(folder, command):
    done = command(folder, "init", "gardeners.csv", "--taxonomy", "vocabulary")
    assert done.code == 0, done.err
    text = (folder / "release.yaml").read_text()
    assert "wound_code: {role: quasi, taxonomy: wounds.xml" in text
    assert "finding_concept_id: {role: quasi, taxonomy: vocabulary}" in text
    assert "finding_source_value: {role: quasi, taxonomy: vocabulary}" in text
    done = command(folder, "check", "release.yaml")
    assert done.code == 0, done.err
    assert "finding_concept_id: 100 % of the records have a concept" in done.out
    done = command(folder, "mask", "release.yaml")
    assert done.code == 0, done.err
    with (folder / "gardeners.released.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    names = {row["finding_concept_id"] for row in rows}
    assert names <= {"1", "2", "3", "4", "8"}
    assert {row["wound_code"][0] for row in rows} <= {"W", "X"}


def test_what_a_reader_leaves_out_is_shown(folder, command):
    done = command(folder, "taxonomy", "info", "vocabulary", "-o", "domain=Condition")
    assert done.code == 0, done.err
    assert "left out: 1 invalid concepts" in done.out
    done = command(folder, "taxonomy", "info", "vocabulary", "-o", "domain=Drug")
    assert done.code == 2
    assert "domain must be in" in done.err
