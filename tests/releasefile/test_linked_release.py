"""Linked people in a release file: checked, masked, recounted and reported."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict

import pytest

import ontomask as om
from ontomask.errors import SpecError

FIELDS = """\
data: stays.csv
output: released.csv
columns:
  patient: {role: identifier}
  diagnosis: {role: quasi, taxonomy: diagnoses.csv}
  age: {role: quasi, type: numeric}
person: patient
linked: split
link_price: 0.2
method: {name: microaggregation, k: 3}
"""


@pytest.fixture
def folder(tmp_path):
    tree = om.datasets.diagnoses()
    words = [name for name in tree if not tree.children(name)]
    rows = [
        (f"id {person:02d}", words[(7 * person + 3 * stay) % len(words)], 40 + 9 * person % 13)
        for person in range(20)
        for stay in range(1 + person % 4)
    ]
    with (tmp_path / "stays.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("patient", "diagnosis", "age"), *rows])
    links = [(concept, above) for concept in tree for above in tree.parents(concept)]
    with (tmp_path / "diagnoses.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("child", "parent"), *links])
    (tmp_path / "release.yaml").write_text(FIELDS, encoding="utf-8")
    return tmp_path


def test_linked_people_are_checked_masked_and_reported(folder, command):
    checked = command(folder, "check", "release.yaml")
    assert checked.code == 0, checked.err
    assert "are unique for an attacker who can put all their records together" in " ".join(
        checked.err.split()
    )
    masked = command(folder, "mask", "release.yaml")
    assert masked.code == 0, masked.err
    assert "all records of a person together ('patient' is released)" in " ".join(
        masked.out.split()
    )
    bags = defaultdict(Counter)
    with (folder / "released.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            bags[row["patient"]][row["diagnosis"], row["age"]] += 1
    shared = Counter(frozenset(bag.items()) for bag in bags.values())
    assert min(shared.values()) >= 3
    assert not any(name.startswith("id") for name in bags)
    manifest = json.loads((folder / "released.manifest.json").read_text("utf-8"))
    links = manifest["links"]
    assert (links["people"], links["pseudonyms"]) == (20, len(bags))
    assert manifest["guarantee"]["k"] == 3
    assert manifest["columns"]["patient"]["role"] == "pseudonym"
    # Every figure of classes counts people by all their rows, as in the written file.
    risk = {name: figure["value"] for name, figure in manifest["risk"].items()}
    if not links["broken"]:
        assert (risk["k"], risk["classes"]) == (min(shared.values()), len(shared))
        assert risk["marketer"] == pytest.approx(len(shared) / len(bags), rel=1e-3)
    assert manifest["guarantee"]["classes"] == risk["classes"] == len(shared)
    assert risk["uniques"] == manifest["guarantee"]["uniques"] == 0
    assert risk["before"]["uniques"] == links["uniques_before"]
    assert f"unique people {links['uniques_before']} " in " ".join(checked.out.split())
    assert "people in the smallest equivalence class" in manifest["risk"]["k"]["meaning"]
    assert f"record linkage of people {100 * risk['linkage_people']:.1f} %" in masked.out
    report = (folder / "released.report.html").read_text("utf-8")
    assert f"{len(bags)} pseudonyms stand for the people of the table" in report
    assert "3-anonymity of linked records" in report
    words = " ".join(re.sub(r"<[^>]+>", " ", report).split())
    assert f"in {len(shared)} equivalence classes of linked people" in words
    assert "of the people linked correctly by all their records" in words
    smallest = manifest["guarantee"]["smallest"]
    expected = f"{smallest} people in the smallest equivalence class by linked records; at least 3"
    assert f"{expected} guaranteed {100 * risk['linkage_people']:.1f} %" in words
    assert "Record linkage of people, by all their records" in words
    assert "Share of the people by the size of their equivalence class" in words
    assert f"{links['uniques_before']} unique people before masking" in words
    assert "Unique records" not in words


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("linked: split", "linked: all", "'equal', 'drop' or 'split'"),
        ("linked: split", "linked: equal", "link_price"),
        ("person: patient\n", "", "needs a person"),
        ("{role: identifier}", "{role: keep}", "must be identifier with linked"),
    ],
)
def test_wrong_fields_are_refused(folder, old, new, problem):
    (folder / "release.yaml").write_text(FIELDS.replace(old, new), encoding="utf-8")
    with pytest.raises(SpecError, match=problem):
        om.run_release_file(folder / "release.yaml")
    assert not (folder / "released.csv").exists()


def test_a_method_that_cannot_link_is_refused_by_check(folder, command):
    text = FIELDS.replace("{name: microaggregation, k: 3}", "{name: recoding, k: 3}")
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    checked = command(folder, "check", "release.yaml")
    assert checked.code != 0
    words = " ".join((checked.out + checked.err).split())
    assert "recoding cannot keep the records of a person linked" in words


def test_kept_columns_that_single_linked_people_out_are_named(folder, command):
    lines = (folder / "stays.csv").read_text("utf-8").splitlines()
    rows = [f"{line},{number % 7}" for number, line in enumerate(lines[1:])]
    (folder / "stays.csv").write_text("\n".join([f"{lines[0]},ward", *rows]), encoding="utf-8")
    text = FIELDS.replace("person:", "  ward: {role: keep}\nperson:") + "require: {k: 3}\n"
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    bags = defaultdict(list)
    for row in rows:
        bags[row.split(",")[0]].append(row.split(",")[-1])
    alone = Counter(Counter(tuple(sorted(bag)) for bag in bags.values()).values())[1]
    checked = command(folder, "check", "release.yaml")
    assert f"'ward': {alone} of 20 people are unique by all their kept values alone" in " ".join(
        checked.err.split()
    )
    masked = command(folder, "mask", "release.yaml")
    assert masked.code == 3
    words = " ".join(masked.err.split())
    assert "on the quasi-identifiers and the kept ward must have at least 3 people" in words
    assert "mask or remove ward, for example ward: {role: drop}" in words


def test_a_long_set_is_checked_and_masked(folder, command):
    text = """\
data: stays.csv
output: released.csv
columns:
  patient: {role: identifier}
  diagnosis: {role: quasi, type: set, taxonomy: diagnoses.csv, long: true}
  age: {role: quasi, type: numeric}
person: patient
method: {name: microaggregation, k: 3}
"""
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    checked = command(folder, "check", "release.yaml")
    assert checked.code == 0, checked.err
    assert "patient    pseudonym" in checked.out
    assert "Each record in these figures is one person" in checked.out
    assert "of 20 people" in checked.err
    assert "Warning" not in checked.err  # a pseudonym is not a column that links records
    masked = command(folder, "mask", "release.yaml")
    assert masked.code == 0, masked.err
    report = (folder / "released.report.html").read_text("utf-8")
    assert "Each record in these figures is one person" in report
    assert "quasi-identifiers and kept columns" not in report
    people = defaultdict(set)
    with (folder / "released.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            people[row["patient"], row["age"]].add(row["diagnosis"])
    assert len(people) == 20
    classes = Counter((age, frozenset(words)) for (_, age), words in people.items())
    assert min(classes.values()) >= 3
    (folder / "release.yaml").write_text(text.replace("person: patient\n", ""), encoding="utf-8")
    with pytest.raises(SpecError, match="needs a person, whose rows are one set"):
        om.run_release_file(folder / "release.yaml", force=True)
