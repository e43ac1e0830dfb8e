"""``ontomask check``: what masking would meet, found without writing anything."""

from __future__ import annotations

import json
import os

from ontomask.releasefile.check import check
from ontomask.releasefile.run import write_release
from release_commands import write_spec


def test_a_table_that_can_be_masked(jobs, command):
    before = sorted(os.listdir(jobs))
    done = command(jobs, "check", "release.yaml")
    assert (done.code, done.err) == (0, "")
    assert "60 records, 5 columns" in done.out
    assert "diagnosis: 100 % of the records have a concept" in done.out
    assert "OK: the table can be masked with Microaggregation(k=3)" in done.out
    assert sorted(os.listdir(jobs)) == before


def test_figures_count_records_even_if_a_person_has_several(jobs, command):
    assert "count records" not in command(jobs, "check", "release.yaml").out
    write_spec(jobs / "release.yaml", ("method:", "person: id\nmethod:"))
    assert (
        "linked correctly\nThese figures count records. This release has a person column, and"
        in command(jobs, "check", "release.yaml").out
    )


def test_people_are_counted_if_even_the_records_are_too_few(jobs, command):
    write_spec(jobs / "release.yaml", ("method:", "person: pay\nmethod:"), ("k: 3", "k: 61"))
    said = command(jobs, "check", "release.yaml").err
    assert "k must be at most the number of people, 11, got 61" in said


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
    before = write_release(jobs / "release.yaml").release.evaluation.risk["before"]
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
    assert "no concept: 1 distinct value in 2 records" in shown.out


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
    assert write_release(jobs / "release.yaml").release.dropped == 1


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
    assert "note: released.csv already exists" in done.err
    assert "note: k = 5 is required, but the method only guarantees k = 3" in done.err
    assert (
        "NOT CERTAIN: the table can be masked with Microaggregation(k=3), but it may not meet k = 5"
        in done.out
    )
    assert "OK:" not in done.out
    assert (jobs / "released.csv").read_text() == "precious"


def test_repeated_identifiers_are_one_line_of_warning(jobs, command):
    write_spec(
        jobs / "release.yaml",
        ("{role: keep}", "{role: identifier}"),
        ("id: {role: identifier}", "id: {role: drop}"),
    )
    done = command(jobs, "check", "release.yaml")
    assert done.code == 0
    assert done.err.startswith("Warning: direct identifiers are repeated in 'note'")
    assert done.err.count("\n") == 1


def test_a_method_that_does_not_know_people(jobs, command, monkeypatch):
    monkeypatch.setenv("ONTOMASK_SEED", str(2**70))  # some draws split no combination of values
    write_spec(
        jobs / "release.yaml",
        ("microaggregation", "resampling"),
        ("method:", "person: note\nmethod:"),
        ("  note: {role: keep}\n", ""),
    )
    for line in ("check", "mask"):
        done = command(jobs, line, "release.yaml")
        assert done.code == 2
        assert "this method cannot be used with person" in done.err


def test_marks_of_missing_values_may_hold_quotes(jobs):
    write_spec(jobs / "release.yaml", ("method:", "missing_marks: [\"it's\", '?']\nmethod:"))
    assert check(jobs / "release.yaml").fine


def test_a_method_without_classes_cannot_be_asked_for_k(jobs, command):
    write_spec(
        jobs / "release.yaml",
        ("{name: microaggregation, k: 3}", "{name: rank_swapping, window: 3}\nrequire: {k: 5}"),
    )
    done = command(jobs, "check", "release.yaml")
    assert done.code == 2
    assert (
        "require.k cannot be met: RankSwapping(window=3) does not guarantee k-anonymity" in done.err
    )
    assert "remove k from require, or choose a method that guarantees k-anonymity" in done.err


def write_jobs(path, *columns):
    """Four ages, five people of each; ``columns`` give a person's note and pay."""
    rows = [f"{i},flu,{30 + i % 4},{columns[0](i)},{columns[1](i)}" for i in range(20)]
    path.write_text("\n".join(["id,diagnosis,age,note,pay", *rows]) + "\n")


def test_columns_with_values_of_ones_own(jobs, command):
    write_jobs(jobs / "people.csv", lambda i: f"n{max(i, 5)}", lambda i: i if i < 4 else "x")
    done = command(jobs, "check", "release.yaml")
    assert done.code == 0
    kept, own = done.err.splitlines()
    assert kept.startswith("Warning: the table cannot be 3-anonymous for an attacker who knows")
    assert own == (
        "Warning: column 'note' may identify people: 70 % of the records have a unique value"
    )  # and of pay it is 20 %, no more
    told = json.loads(command(jobs, "check", "release.yaml", "--json").out)
    assert (told["fine"], len(told["warnings"])) == (True, 2)


def test_columns_that_say_what_is_masked(jobs):
    write_jobs(jobs / "people.csv", lambda i: "abcd"[i % 4], lambda i: i % 8 // 2)
    assert check(jobs / "release.yaml").warnings == (
        "column 'note' reveals 'age': every value of 'note' has one value of 'age'. Masking 'age' "
        "has no effect while 'note' is released unchanged",
    )
    write_jobs(jobs / "people.csv", lambda i: "abcdefgh"[i % 8], lambda i: i % 2)  # finer, coarser
    assert [it.split(":")[0] for it in check(jobs / "release.yaml").warnings] == [
        "the table cannot be 3-anonymous for an attacker who knows the kept column 'note'",
        "column 'note' reveals 'age'",
    ]


def test_marks_of_missing_values_say_nothing(jobs):
    write_jobs(jobs / "people.csv", lambda i: "ab"[i % 2], lambda i: i % 3)
    text = (jobs / "people.csv").read_text().replace("flu", "sprain").splitlines()
    text[1:3] = ["0,flu,30,a,0", "1,?,31,a,0"]
    text[3:] = [line.replace(",a,", ",b,") for line in text[3:]]
    (jobs / "people.csv").write_text("\n".join(text) + "\n")
    write_spec(jobs / "release.yaml", ("method:", 'missing: drop\nmissing_marks: ["?"]\nmethod:'))
    *_, warning = check(jobs / "release.yaml").warnings
    assert warning.startswith("column 'note' reveals 'diagnosis'")


def test_nearly_all_is_not_all(jobs, command):
    rows = [f"{i},{'flu' if i else 'qqq'},30,x,1" for i in range(2500)]
    (jobs / "people.csv").write_text("\n".join(["id,diagnosis,age,note,pay", *rows]) + "\n")
    assert "diagnosis: above 99.9 % of the records" in command(jobs, "check", "release.yaml").out


def test_hints_speak_as_the_file_does(jobs, command):
    (jobs / "people.csv").write_text("id,diagnosis,age,note,pay\n" + "1,hepatits,30,x,1\n" * 4)
    for line in ("check", "mask"):
        said = command(jobs, line, "release.yaml").err
        assert "did you mean mapping: {'hepatits': 'hepatitis'}?" in said


def test_missing_values_are_counted_with_the_mapping(jobs):
    (jobs / "people.csv").write_text(
        "id,diagnosis,age,note,pay\n" + "1,flu,30,x,1\n" * 4 + "2,?,30,x,1\n3,,30,x,1\n"
    )
    write_spec(
        jobs / "release.yaml",
        ("method:", 'missing: drop\nmissing_marks: ["?"]\nmethod:'),
        ("  id: {role: identifier}", "  id: {role: drop}"),
    )
    column = check(jobs / "release.yaml").columns[1]
    made = write_release(jobs / "release.yaml").manifest["taxonomies"]["diagnosis"]["mapping"]
    assert column.mapping is not None
    assert (column.missing, column.mapping["missing"]) == (2, 2)
    assert made["missing"] is None  # fewer than k are not told


def test_look_alikes_and_marks_in_sensitive_and_person_columns(jobs, command):
    people = ["P1", "p1 ", "?", "P2", "", "P3", "P4", "P5"]
    pays = ["1", "01", "1.0", "2", "?", "N/A", "2", "3"]
    rows = [
        f"{i},flu,{30 + i % 4},{note},{pay}"
        for i, (note, pay) in enumerate(zip(people, pays, strict=True))
    ]
    (jobs / "people.csv").write_text("\n".join(["id,diagnosis,age,note,pay", *rows]) + "\n")
    marks = 'missing: category\nmissing_marks: ["?", "n/a"]\n'
    changes = [
        ("method:", f"person: note\n{marks}method:"),
        ("note: {role: keep}", "note: {role: drop}"),
    ]
    write_spec(jobs / "release.yaml", *changes)
    found = check(jobs / "release.yaml")
    assert found.problems == ()
    columns = {column.name: column for column in found.columns}
    assert (columns["pay"].distinct, columns["pay"].missing) == (5, 2)
    assert (columns["note"].distinct, columns["note"].missing) == (6, 2)
    assert found.risk["l_distinct"] == {"pay": 1}
    pay, person = found.warnings[:2]
    assert pay.startswith("3 values of column 'pay' look like another one")
    assert "counted as 1." in pay
    assert person.startswith("2 values of column 'note' look like another one")
    assert "look like another one" in command(jobs, "check", "release.yaml").err
    write_spec(jobs / "release.yaml", *changes, ("k: 3", "k: 6"))
    (problem,) = check(jobs / "release.yaml").problems
    assert problem.startswith("k must be at most the number of people, 5, got 6")


def test_a_release_says_once_that_values_look_alike_and_its_report_too(jobs, command):
    text = (jobs / "people.csv").read_text().splitlines()
    for line, pay in ((1, "7"), (2, "7.0")):
        text[line] = ",".join([*text[line].split(",")[:-1], pay])
    (jobs / "people.csv").write_text("\n".join(text) + "\n")
    done = command(jobs, "mask", "release.yaml")
    assert done.code == 0
    assert done.err.count("2 values of column 'pay' look like another one") == 1
    for name in ("released.manifest.json", "released.report.html"):
        assert "look like another one" in (jobs / name).read_text(encoding="utf-8")


def test_unique_sets_are_counted_before_masking(tmp_path, command):
    cells = ["250.00;401.9", "401.9;250.00", "428.0", "428.0;250.00", "428.0;401.9"]
    rows = "".join(f"{person},{cell}\n" for person, cell in zip("abcdd", cells, strict=True))
    (tmp_path / "sets.csv").write_text(f"who,dx\n{rows}")
    text = (
        "data: sets.csv\noutput: out.csv\nmethod: {name: microaggregation, k: 2}\n"
        "columns:\n  dx: {role: quasi, type: set, taxonomy: icd9cm}\n"
        "  who: {role: identifier}\n"
    )
    (tmp_path / "release.yaml").write_text(text)
    told = json.loads(command(tmp_path, "check", "release.yaml", "--json").out)
    assert told["risk"]["unique_sets"] == {"dx": 3}
    assert (
        "3 of 5 records have a set of values in column 'dx' that nobody else has"
        in told["warnings"]
    )
    (tmp_path / "release.yaml").write_text(f"{text}person: who\n")
    assert "2 of 4 people have a set of values in column 'dx' that nobody else has" in command(
        tmp_path, "check", "release.yaml"
    ).err.replace("\n", " ")
