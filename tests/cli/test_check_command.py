"""``ontomask check``: what masking would meet, found without writing anything."""

from __future__ import annotations

import json
import os

from ontomask.release.check import check
from ontomask.release.run import release_file
from release_commands import write_spec


def test_a_table_that_can_be_masked(jobs, command):
    before = sorted(os.listdir(jobs))
    done = command(jobs, "check", "release.yaml")
    assert (done.code, done.err) == (0, "")
    assert "60 records, 5 columns" in done.out
    assert "diagnosis: 100.0% of the values have a concept" in done.out
    assert "nothing stands in the way of Microaggregation(k=3)" in done.out
    assert sorted(os.listdir(jobs)) == before


def test_as_json(jobs, command):
    told = json.loads(command(jobs, "check", "release.yaml", "--json").out)
    assert (told["fine"], told["records"], told["problems"]) == (True, 60, [])
    columns = {column["name"]: column for column in told["columns"]}
    assert {name: column["role"] for name, column in columns.items()} == {
        "id": "identifier",
        "diagnosis": "quasi",
        "age": "quasi",
        "note": "keep",
        "pay": "confidential",
    }
    assert columns["id"]["distinct"] == 60
    assert columns["note"]["distinct"] == 8
    assert columns["diagnosis"]["mapping"]["records"]["unmapped"] == 0
    assert sum(columns["diagnosis"]["mapping"]["records"].values()) == 60


def test_the_risk_is_the_one_before_masking(jobs):
    found = check(jobs / "release.yaml")
    before = release_file(jobs / "release.yaml").release.evaluation.risk["before"]
    assert found.risk == before


def test_values_without_a_concept_and_what_they_may_mean(jobs, command):
    (jobs / "people.csv").write_text(
        "id,diagnosis,age,note,pay\n1,hepatits,30,x,1\n2,hepatits,31,x,1\n3,?,31,x,1\n4,flu,30,x,2\n"
    )
    write_spec(jobs / "release.yaml", ("method:", 'missing: drop\nmissing_marks: ["?"]\nmethod:'))
    done = command(jobs, "check", "release.yaml", "--json")
    assert done.code == 2
    told = json.loads(done.out)
    assert not told["fine"]
    assert told["risk"] is None
    column = {column["name"]: column for column in told["columns"]}["diagnosis"]
    assert (column["distinct"], column["missing"]) == (2, 1)
    (lost,) = column["lost"]
    assert (lost["value"], lost["records"]) == ("hepatits", 2)
    assert lost["nearest"][0].startswith("hepatitis")
    shown = command(jobs, "check", "release.yaml")
    assert "without: 1 distinct, in 2 records" in shown.out


def test_values_in_rows_that_are_dropped_need_no_concept(jobs):
    (jobs / "people.csv").write_text(
        "id,diagnosis,age,note,pay\n" + "1,flu,30,x,1\n" * 4 + "2,nonsense,,x,1\n"
    )
    write_spec(
        jobs / "release.yaml",
        ("method:", "missing: drop\nmethod:"),
        ("  id: {role: identifier}", "  id: {role: drop}"),
    )
    assert check(jobs / "release.yaml").problems == ()
    assert release_file(jobs / "release.yaml").release.dropped == 1


def test_confidential_words_must_have_concepts_too(jobs):
    write_spec(
        jobs / "release.yaml", ("{role: confidential}", "{role: confidential, taxonomy: tax.csv}")
    )
    (problem,) = check(jobs / "release.yaml").problems
    assert "of column 'pay'" in problem


def test_what_is_good_to_know_is_no_problem(jobs, command):
    (jobs / "released.csv").write_text("precious")
    write_spec(jobs / "release.yaml", ("k: 3}", "k: 3}\nrequire: {k: 5}"))
    done = command(jobs, "check", "release.yaml")
    assert done.code == 0
    assert "note: released.csv exists already" in done.err
    assert "note: k 5 is required, and the method promises 3" in done.err
    assert (jobs / "released.csv").read_text() == "precious"


def test_repeated_identifiers_are_one_line_of_warning(jobs, command):
    write_spec(
        jobs / "release.yaml",
        ("{role: keep}", "{role: identifier}"),
        ("id: {role: identifier}", "id: {role: keep}"),
    )
    done = command(jobs, "check", "release.yaml")
    assert done.code == 0
    assert done.err.startswith("Warning: identifiers are repeated in 'note'")
    assert done.err.count("\n") == 1


def test_a_method_that_does_not_know_people(jobs, command):
    write_spec(
        jobs / "release.yaml",
        ("microaggregation", "resampling"),
        ("method:", "person: note\nmethod:"),
        ("  note: {role: keep}\n", ""),
    )
    for line in ("check", "mask"):
        done = command(jobs, line, "release.yaml")
        assert done.code == 2
        assert "this method gives records of one tuple to several classes" in done.err


def test_marks_of_missing_values_may_hold_quotes(jobs):
    write_spec(jobs / "release.yaml", ("method:", "missing_marks: [\"it's\", '?']\nmethod:"))
    assert check(jobs / "release.yaml").fine
