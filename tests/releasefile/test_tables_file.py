"""Several tables of the same people in a release file: checked, masked, recounted and reported."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict

import jsonschema
import pytest
import yaml

import ontomask as om
from ontomask.errors import RequirementNotMet, SpecError
from ontomask.releasefile.model import load_release_file
from ontomask.releasefile.tables import TablesFile
from ontomask.releasefile.tables.json_schema import json_schema_of_release_files

FIELDS = """\
name: hospital
tables:
  persons:
    data: persons.csv
    output: released_persons.csv
    person: id
    columns:
      id: {role: identifier}
      sex: {role: quasi, type: ordinal, levels: [f, m]}
      age: {role: quasi, type: numeric}
  stays:
    data: stays.csv
    output: released_stays.csv
    missing: category
    columns:
      patient: {role: identifier}
      diagnosis: {role: quasi, taxonomy: diagnoses.csv}
      days: {role: quasi, type: numeric}
      payer: {role: confidential}
person: patient
linked: split
link_price: 0.2
method: {name: microaggregation, k: 3, l: 2}
require: {k: 3, l: 2}
"""


@pytest.fixture
def folder(tmp_path):
    tree = om.datasets.diagnoses()
    words = [name for name in tree if not tree.children(name)]
    tables = {
        "persons": [("id", "sex", "age")]
        + [(f"id {p:02d}", "fm"[p % 2], 30 + 7 * p % 40) for p in range(30)],
        "stays": [("patient", "diagnosis", "days", "payer")]
        + [
            (
                f"id {p:02d}",
                words[(5 * p + 3 * s) % len(words)],
                "" if p % 7 == 1 else s + p % 4,
                "abc"[(p + s) % 3],
            )
            for p in range(2, 32)
            for s in range(p % 3)
        ],
        "diagnoses": [("child", "parent")]
        + [(concept, above) for concept in tree for above in tree.parents(concept)],
    }
    for name, rows in tables.items():
        with (tmp_path / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    (tmp_path / "release.yaml").write_text(FIELDS, encoding="utf-8")
    return tmp_path


def read_rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_are_checked_masked_and_reported(folder, command):
    checked = command(folder, "check", "release.yaml")
    assert checked.code == 0, checked.err
    words = " ".join((checked.out + checked.err).split())
    assert (
        "are unique for an attacker who can put all their records in all tables together" in words
    )
    assert "OK: the tables can be masked together" in words
    as_json = json.loads(command(folder, "check", "release.yaml", "--json").out)
    assert (as_json["fine"], as_json["people"]) == (True, 31)
    masked = command(folder, "mask", "release.yaml", "--private")
    assert masked.code == 0, masked.err
    assert "all records of a person together" in " ".join(masked.out.split())
    persons, stays = (read_rows(folder / f"released_{name}.csv") for name in ("persons", "stays"))
    bags = defaultdict(Counter)
    for row in persons:
        bags[row["id"]]["person", row["sex"], row["age"]] += 1
    for row in stays:
        bags[row["patient"]]["stay", row["diagnosis"], row["days"]] += 1
    shared = Counter(frozenset(bag.items()) for bag in bags.values())
    assert min(shared.values()) >= 3
    payers = defaultdict(set)
    for row in stays:
        bag = frozenset(bags[row["patient"]].items())
        payers[bag, row["diagnosis"], row["days"]].add(row["payer"])
    assert min(map(len, payers.values())) >= 2
    assert not any(name.startswith("id") for name in bags)
    manifest = json.loads((folder / "hospital.manifest.json").read_text("utf-8"))
    links = manifest["links"]
    assert (links["people"], links["pseudonyms"]) == (31, len(bags))
    assert links["lost_records"] == (
        len(read_rows(folder / "persons.csv"))
        + len(read_rows(folder / "stays.csv"))
        - len(persons)
        - len(stays)
    )
    assert manifest["guarantee"]["k"] == 3
    assert list(manifest["tables"]) == ["persons", "stays"]
    assert manifest["tables"]["stays"]["columns"]["patient"]["role"] == "pseudonym"
    assert "2-diverse in stays.payer" in manifest["guarantee"]["text"]
    report = (folder / "hospital.report.html").read_text("utf-8")
    for words in (
        "What holds for all tables together",
        "Table persons",
        "Table stays",
        "2-diverse",
    ):
        assert words in report
    assert {path.name for path in folder.glob("*.private.csv")} == {
        "released_persons.transitions.private.csv",
        "released_stays.transitions.private.csv",
    }
    again = command(folder, "mask", "release.yaml")
    assert again.code == 2
    assert "already exists" in again.err
    release = om.run_release_file(folder / "release.yaml", force=True)
    assert isinstance(release, om.TablesRelease)
    assert release.person == {"persons": "id", "stays": "patient"}
    assert release.guarantee.smallest >= 3


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("linked: split", "linked: all", r"line 21: linked must be 'equal', 'drop' or 'split'"),
        ("linked: split\n", "", "linked is missing"),
        ("link_price: 0.2", "link_price: -1", "link_price must be"),
        ("    person: id\n", "    persons: id\n", r"tables.persons.persons is not a field"),
        (
            "    missing: category\n",
            "    linked: drop\n",
            "tables.stays.linked is not a field of a",
        ),
        ("person: patient\n", "person: patient\nengine: spark\n", "engine is not a field"),
        ("data: stays.csv", "dat: stays.csv", "tables.stays.data is missing"),
        ("diagnosis: {role: quasi,", "diagnosis: {role: quas,", "columns.diagnosis.role must be"),
        ("output: released_stays.csv", "output: else/stays.csv", "must be in the folder"),
        ("output: released_stays.csv", "output: released_persons.csv", "must be another file"),
        ("k: 3, l: 2}\nrequire", "k: 1, l: 2}\nrequire", "method.k must be"),
        ("name: hospital", "name: a/b", "name must be the beginning of a file name"),
    ],
)
def test_wrong_fields_are_refused(folder, old, new, problem):
    (folder / "release.yaml").write_text(FIELDS.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SpecError, match=problem):
        om.run_release_file(folder / "release.yaml")
    assert not (folder / "released_stays.csv").exists()


def test_what_no_table_can_meet_is_refused(folder, command):
    text = FIELDS.replace("require: {k: 3", "require: {k: 9")
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(RequirementNotMet, match="table 'persons': nothing was released"):
        om.run_release_file(folder / "release.yaml")
    assert not list(folder.glob("released*"))
    text = FIELDS.replace("k: 3, l: 2}\nrequire", "k: 33, l: 2}\nrequire")
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    checked = command(folder, "check", "release.yaml")
    assert checked.code == 2
    assert "k must be at most the number of people, 31, got 33" in checked.err
    (folder / "persons.csv").unlink()
    checked = command(folder, "check", "release.yaml")
    assert checked.code == 2
    assert "persons.csv" in checked.err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("linked: split\n", ""),
        ("    missing: category\n", "    linked: drop\n"),
        ("name: hospital", "data: a.csv"),
        ("    data: stays.csv\n", ""),
    ],
)
def test_editors_know_several_tables(old, new):
    schema = json_schema_of_release_files()
    jsonschema.Draft202012Validator.check_schema(schema)
    single = {"data": "a.csv", "output": "b.csv", "method": {"name": "microaggregation", "k": 2}}
    jsonschema.validate(
        {**single, "columns": {"age": {"role": "quasi", "type": "numeric"}}}, schema
    )
    fields = yaml.safe_load(FIELDS.replace(old, new, 1))
    if not old:
        jsonschema.validate(fields, schema)
        return
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(fields, schema)


def test_other_commands_say_that_they_need_one_table(folder):
    with pytest.raises(SpecError, match="tables is only for ontomask mask and ontomask check"):
        load_release_file(folder / "release.yaml")


def test_protected_columns_are_those_of_each_table(folder):
    fields = yaml.safe_load(FIELDS)
    fields["tables"]["persons"]["columns"]["income"] = {"role": "confidential"}
    fields["method"]["protects"] = ["payer"]
    spec = TablesFile.from_dict(fields, folder)
    assert spec.method_object().protects == ("payer",)
    assert spec.tables["persons"].method_object().l is None
    assert spec.tables["stays"].method_object().protects == ("payer",)
    with pytest.raises(SpecError, match="must be at least two tables, got 1"):
        TablesFile.from_dict({**fields, "tables": {"stays": fields["tables"]["stays"]}})
