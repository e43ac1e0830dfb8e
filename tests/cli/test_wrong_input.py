"""Whatever is wrong: one clear sentence, the right exit code, nothing written, nothing touched."""

from __future__ import annotations

import hashlib
import os
import signal
from contextlib import suppress

import pytest

from ontomask.cli.stopping import stop_requested
from release_commands import records, write_spec
from workbench import waited


def spec(*changes):
    return lambda folder: write_spec(folder / "release.yaml", *changes)


def data(content):
    def write(folder):
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / "people.csv").write_bytes(raw)

    return write


def release(text):
    return lambda folder: (folder / "release.yaml").write_text(text, encoding="utf-8")


def taxonomy(text):
    return lambda folder: (folder / "tax.csv").write_text(text, encoding="utf-8")


HEADER = "id,diagnosis,age,note,pay\n"
PWN = 'data: !!python/object/apply:os.system ["touch pwned"]\n'

#: What is wrong, and what is said about it; by mask and by check alike.
WRONG = {
    "no release file": (lambda folder: (folder / "release.yaml").unlink(), "release.yaml"),
    "no yaml": (release("data: [people.csv\n"), "release.yaml"),
    "no fields": (release("just words\n"), "must contain fields, got 'just words'"),
    "code in yaml": (release(PWN), "line 1"),
    "seed in the file": (spec(("method:", "seed: 7\nmethod:")), "a seed is a secret"),
    "no file": (spec(("people.csv", "nobody.csv")), "nobody.csv does not exist"),
    "a folder": (spec(("data: people.csv", "data: .")), "folder"),
    "empty file": (data(""), "people.csv: the file is empty"),
    "header only": (data(HEADER), "the table has no records"),
    "wrong encoding": (
        data((HEADER + "1,flu,30,Ménière,1\n").encode("latin-1")),
        "people.csv, line 2: not valid UTF-8",
    ),
    "zeros": (data(b"PK\x03\x04\x00\x00\x00"), "people.csv"),
    "ragged": (data(HEADER + "1,flu,30,x,1\n2,flu,30,x\n"), "line 3: 4 cells where the header"),
    "unknown column": (
        spec(("  age:", "  aeg:")),
        "the table has no column 'aeg'; did you mean 'age'?",
    ),
    "no role": (spec(("  note: {role: keep}\n", "")), "1 column without a role: 'note'"),
    "a role that init prints": (
        spec(("note: {role: keep}", "note: {role: person}")),
        "write role: identifier, and person: note at the top level",
    ),
    "unknown person": (
        spec(("method:", "person: pey\nmethod:")),
        "hint: use the names of the columns of the table",
    ),
    "unknown taxonomy": (
        spec(("tax.csv", "icd8cm")),
        "must be a bundled taxonomy or an existing file, got 'icd8cm'",
    ),
    "cycle": (taxonomy("child,parent\nroot,\na,b\nb,a\n"), "cycle"),
    "unmapped": (
        data(HEADER + "1,flu,30,x,1\n2,flou,31,x,1\n3,flu,30,x,1\n"),
        "1 value of column 'diagnosis' cannot be mapped to exactly one concept of taxonomy 'tax'",
    ),
    "missing": (
        data(HEADER + "1,flu,30,x,1\n2,,31,x,1\n3,flu,30,x,1\n"),
        "values are missing in 1 column: 'diagnosis' (1 row)",
    ),
    "no number": (data(HEADER + "1,flu,old,x,1\n"), "must contain numbers, got text such as 'old'"),
    "k too large": (spec(("k: 3", "k: 61")), "k must be at most the number of records, 60, got 61"),
    "more than the records, of people": (
        spec(("method:", "person: pay\nmethod:"), ("k: 3", "k: 61")),
        "k must be at most the number of people, 11, got 61",
    ),
    "a role by the name that others use": (
        spec(("note: {role: keep}", "note: {role: Quasi-identifier}")),
        "got 'Quasi-identifier'\n\nhint: did you mean 'quasi'?",
    ),
    "a role that is sensitive": (
        spec(("note: {role: keep}", "note: {role: sensitive}")),
        "hint: did you mean 'confidential'?",
    ),
    "more sensitive values than there are": (
        spec(("k: 3", "k: 3, l: 61")),
        "l must be at most 11, the diversity of 'pay' in the whole table, got 61",
    ),
    "too few people": (
        spec(("method:", "person: pay\nmethod:"), ("k: 3", "k: 30")),
        "k must be at most the number of people, 11, got 30",
    ),
    "output is input": (
        spec(("released.csv", "people.csv")),
        "output must not be the same file as data",
    ),
    "output is a document": (
        spec(("released.csv", "released.docx")),
        "output must end in the suffix of a table, got .docx",
    ),
    "output is the taxonomy": (
        spec(("released.csv", "tax.csv")),
        "must not be an input, got tax.csv",
    ),
    "output is the release file": (
        spec(("released.csv", "release.yaml")),
        "output must end in the suffix of a table, got .yaml",
    ),
    "output is a link to the input": (
        lambda folder: (
            os.link(folder / "people.csv", folder / "released.csv"),
            write_spec(folder / "release.yaml"),
        ),
        "must not be an input, got released.csv",
    ),
    "no such folder": (spec(("released.csv", "out/released.csv")), "the folder out does not exist"),
    "a column with a name of ours": (
        data(HEADER.replace("note", "ontomask_tuple") + "1,flu,30,x,1\n"),
        "a column has the reserved name 'ontomask_tuple'",
    ),
    "a wrong table": (
        spec(("output:", "table: stays\noutput:")),
        "table cannot be used with format 'csv'",
    ),
}


def contents(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if path.is_file()
    }


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input_is_one_sentence_and_exit_code_2(jobs, command, what):
    spoil, message = WRONG[what]
    spoil(jobs)
    before = contents(jobs)
    for line in (["mask", "release.yaml", "--force"], ["check", "release.yaml"]):
        done = command(jobs, *line)
        assert done.code == 2, done
        assert message in done.err
        assert done.err.startswith("Error: ")
        assert "Traceback" not in done.err
        assert contents(jobs) == before
    assert sorted(os.listdir(jobs)) == sorted(before)


def test_a_missing_table_is_said_before_an_existing_output(jobs, command):
    write_spec(jobs / "release.yaml")
    (jobs / "people.csv").unlink()
    (jobs / "released.csv").write_text("earlier")
    for line in (["mask", "release.yaml"], ["init", "people.csv"]):
        done = command(jobs, *line)
        assert done.code == 2
        assert "people.csv" in done.err
        assert "already exists" not in done.err
    checked = command(jobs, "check", "release.yaml")
    assert (checked.code, checked.out) == (2, "")


def test_only_columns_of_the_table_are_counted(jobs, command):
    write_spec(jobs / "release.yaml")
    columns = len((jobs / "people.csv").read_text("utf-8").splitlines()[0].split(","))
    write_spec(jobs / "release.yaml", ("  age:", "  aeg:"))
    told = command(jobs, "check", "release.yaml").out
    assert f"60 records, {columns} columns\n" in told
    rows = {line.split()[0]: line.split() for line in told.splitlines()[2:8]}
    assert rows["aeg"][-4:] == ["not", "in", "the", "table"]
    assert rows["age"][1:3] == ["not", "listed"]


def test_names_that_queries_use_are_names_like_others(jobs, command):
    text = (jobs / "people.csv").read_text(encoding="utf-8")
    (jobs / "people.csv").write_text(text.replace("diagnosis,age,note,pay", 's,n,w,"se""t"', 1))
    changes = [("  diagnosis:", "  s:"), ("  age:", "  n:"), ("  note:", "  w:")]
    for method in ("microaggregation, k: 3", "rank_swapping, window: 9"):
        write_spec(
            jobs / "release.yaml",
            *changes,
            ("  pay:", "  'se\"t':"),
            ("microaggregation, k: 3", method),
        )
        assert command(jobs, "mask", "release.yaml", "--force").code == 0


def test_everything_that_is_wrong_is_listed_at_once(jobs, command):
    data(HEADER + "1,flou,old,x,1\n2,,31,x,1\n3,hepatits,30,x,1\n")(jobs)
    spec(("  note: {role: keep}\n", ""), ("released.csv", "out/released.csv"))(jobs)
    done = command(jobs, "check", "release.yaml")
    assert done.code == 2
    for words in (
        "the folder out does not exist",
        "1 column without a role: 'note'",
        "values are missing in 1 column: 'diagnosis' (1 row)",
        "2 values of column 'diagnosis' cannot be mapped",
        "must contain numbers, got text such as 'old'",
    ):
        assert words in done.err


def test_what_is_required_and_not_met_is_exit_code_3(jobs, command):
    write_spec(jobs / "release.yaml", ("k: 3}", "k: 3}\nrequire: {k: 5, sse_below: 0.001, l: 2}"))
    before = contents(jobs)
    done = command(jobs, "mask", "release.yaml")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(
        "Error: nothing was released, because the masked table does not meet the requirements"
    )
    assert "k: the smallest equivalence class must have at least 5 records, got 3" in done.err
    assert "sse_below" in done.err
    assert contents(jobs) == before


# ---------------------------------------------------------------- stopped in the middle


def test_a_swallowed_interrupt_is_heeded_at_the_next_step(jobs, command, monkeypatch):
    from ontomask.releasefile import run

    def swallowing(*arguments, **settings):
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            waited(stop_requested)  # the main thread hears it when it wakes
        return mask(*arguments, **settings)

    before = contents(jobs)
    mask = run.mask
    monkeypatch.setattr(run, "mask", swallowing)
    done = command(jobs, "mask", "release.yaml")
    assert (done.code, done.out, done.err) == (130, "", "stopped\n")
    assert contents(jobs) == before


def test_the_tables_here_are_what_they_are_said_to_be():
    assert len({row["id"] for row in records(100)}) == 100
