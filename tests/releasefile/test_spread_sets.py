"""Release files with a set over several columns: checked, masked, explained and refused."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from ontomask.errors import SpecError
from ontomask.releasefile.check import check
from ontomask.releasefile.model import ReleaseFile, load_release_file

RELEASE = """
data: stays.csv
output: masked.csv
columns:
  diagnoses: {role: quasi, type: set, taxonomy: icd9cm, columns: [dx1, dx2, dx3]}
  age: {role: quasi, type: numeric}
  code: {role: keep}
missing: category
missing_marks: ["?"]
method: {name: microaggregation, k: 4}
require: {k: 4}
"""
CODES = ["250.00", "401.9", "428.0", "786.50", "?", ""]


@pytest.fixture
def release(tmp_path):
    """A release file and its table of 60 stays."""
    rows = [
        [CODES[i % 6], CODES[i * i % 5], CODES[(i // 7) % 6], 20 + i % 3, f"{i}"] for i in range(60)
    ]
    rows[:4] = [["?", "", "?", 30, "0"]] * 4
    with open(tmp_path / "stays.csv", "w", newline="") as file:
        csv.writer(file).writerows([["dx1", "dx2", "dx3", "age", "code"], *rows])
    path = tmp_path / "release.yaml"
    path.write_text(RELEASE, encoding="utf-8")
    return path


def sets_in(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        (frozenset(row[name] for name in ("dx1", "dx2", "dx3")) - {"?", ""}, row["age"])
        for row in rows
    ]


@pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")
def test_a_release_with_a_set_over_columns(release, command):
    before = sets_in(release.with_name("stays.csv"))
    found = check(release)
    assert found.fine, found.problems
    columns = {column.name: column for column in found.columns}
    assert list(columns) == ["diagnoses", "age", "code"]
    sets = [held for held, _ in before if held]
    diagnoses = columns["diagnoses"]
    assert (diagnoses.distinct, diagnoses.missing) == (len(set(sets)), len(before) - len(sets))
    assert diagnoses.columns == ("dx1", "dx2", "dx3")
    assert diagnoses.mapping["missing"] == len(before) - len(sets)
    assert found.tuples == len(set(before))
    shown = command(release.parent, "check", release)
    assert shown.code == 0
    assert "60 records, 5 columns" in shown.out
    assert command(release.parent, "mask", release).code == 0
    after = sets_in(release.with_name("masked.csv"))
    assert min(Counter(after).values()) >= 4
    manifest = json.loads(release.with_name("masked.manifest.json").read_text("utf-8"))
    assert manifest["columns"] == {
        "diagnoses": {"role": "quasi", "type": "set", "columns": ["dx1", "dx2", "dx3"]},
        "age": {"role": "quasi", "type": "numeric"},
        "code": {"role": "keep", "type": None},
    }
    report = release.with_name("masked.report.html").read_text("utf-8")
    assert "diagnoses (dx1, dx2 and dx3)" in report
    explained = command(release.parent, "explain", release, "diagnoses=401.9;250.00")
    assert "250.00" in explained.out
    assert load_release_file(release).schema().masked_columns == ("dx1", "dx2", "dx3", "age")


WRONG = {
    "columns.diagnoses.columns has 'age', which is listed by itself as well": {
        "columns": ["dx1", "age"]
    },
    "columns.diagnoses.columns must be a list of at least two names of columns": {
        "columns": ["dx1"]
    },
    "columns.diagnoses.columns must be a list without repeated names": {"columns": ["dx1", "dx1"]},
    "columns.diagnoses.separator cannot be used with columns": {"separator": "|"},
    "columns.diagnoses.columns is only accepted for set columns, but": {"type": "nominal"},
    "columns.diagnoses.columns is not accepted for columns with role: keep": {"role": "keep"},
}


@pytest.mark.parametrize("message", WRONG)
def test_what_a_release_file_cannot_say(release, message):
    fields = load_release_file(release).as_dict()
    fields["columns"]["diagnoses"] |= WRONG[message]
    with pytest.raises(SpecError) as error:
        ReleaseFile.from_dict(fields, release.parent)
    assert message in " ".join(str(error.value).split())


def test_columns_in_two_sets_and_people(release):
    fields = load_release_file(release).as_dict()
    other = {**fields["columns"]["diagnoses"], "columns": ["dx3", "dx4"]}
    fields |= {"columns": {**fields["columns"], "others": other}, "person": "dx2"}
    with pytest.raises(SpecError) as error:
        ReleaseFile.from_dict(fields, release.parent)
    words = " ".join(str(error.value).split())
    assert "columns.others.columns has 'dx3', which is also in 'diagnoses'" in words
    assert "person must not be in the set 'diagnoses', got 'dx2'" in words
