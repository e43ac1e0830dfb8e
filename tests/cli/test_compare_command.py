"""``ontomask compare``: what it prints and writes, and what it refuses before any work."""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
import time

import pytest

from ontomask.errors import FileFormatError
from ontomask.releasefile.compare import compare_file
from ontomask.releasefile.model import load_release_file
from ontomask.releasefile.run import write_release
from release_commands import finished, process, write_spec, write_table

FEW = ("--methods", "microaggregation,recoding,rank_swapping:strategy=dynamic")
FEW += ("--k", "2..3", "--window", "2..3")
VALUES = {"k": [2, 3], "window": [2, 3]}


def test_the_table_and_nothing_else(command, jobs):
    before = sorted(jobs.iterdir())
    done = command(jobs, "compare", "release.yaml", *FEW, "--workers", 1)
    assert (done.code, done.err) == (0, "")
    first, header, *rows = done.out.splitlines()
    assert first == "diagnosis, age: 60 records, 58 combinations of values"
    assert header.split() == [
        *("method", "setting", "k", "smallest", "linkage", "unique", "SSE", "quality", "seconds")
    ]  # and no requirements, so nothing that is met
    assert [row.split()[:3] for row in rows] == [
        ["microaggregation", "2", "2"],
        ["microaggregation", "3", "3"],
        ["recoding", "2", "2"],
        ["recoding", "3", "3"],
        ["rank_swapping:strategy=dynamic", "window", "2"],
        ["rank_swapping:strategy=dynamic", "window", "3"],
    ]
    assert [row.split()[3] for row in rows[-2:]] == ["none", "none"]  # no k is guaranteed
    assert sorted(jobs.iterdir()) == before


STRENGTHS = ("--k", "2", "--window", "7", "--alpha", "0.3,0.5")


def test_all_six_methods_unless_others_are_asked_for(command, jobs):
    done = command(jobs, "compare", "release.yaml", "--json", *STRENGTHS)
    points = json.loads(done.out)["points"]
    assert [(it["method"], it["k"] or it["window"] or it["alpha"]) for it in points] == [
        ("microaggregation", 2),
        ("recoding", 2),
        ("resampling", 2),
        ("suppression", 2),
        ("rank_swapping", 7),
        ("noise_addition", 0.3),
        ("noise_addition", 0.5),
    ]


def test_page_table_and_release_files(command, jobs):
    write_spec(jobs / "release.yaml", ("k: 3}", "k: 3, candidates: values}\nrequire: {k: 3}"))
    named = ("--output", "compare.html", "--csv", "compare.csv", "--release-files", "specs")
    done = command(jobs, "compare", "release.yaml", *FEW, *named)
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1] == "compare.html, compare.csv, specs"
    with (jobs / "compare.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["meets"] for row in rows[:4]] == ["no", "yes", "no", "yes"]
    files = sorted(path.name for path in (jobs / "specs").iterdir())
    assert files == [
        "microaggregation-candidates-values-k2.yaml",
        "microaggregation-candidates-values-k3.yaml",
        "rank_swapping-strategy-dynamic-window2.yaml",
        "rank_swapping-strategy-dynamic-window3.yaml",
        "recoding-k2.yaml",
        "recoding-k3.yaml",
    ]
    outputs = set()
    found, _ = compare_file(jobs / "release.yaml", FEW[1].split(","), 2**70, values=VALUES)
    for point in found.points:
        matching = [load_release_file(jobs / "specs" / name) for name in files]
        (spec,) = [it for it in matching if it.method_object() == point.method]
        assert spec.data_path.samefile(jobs / "people.csv")
        assert spec.output_path.resolve().parent == jobs.resolve()
        outputs.add(spec.output_path)
        if point.meets:  # and it makes what was promised
            outcome = write_release(spec, 2**70)
            assert outcome.release.evaluation.utility == point.evaluation.utility
            assert outcome.release.guarantee == point.guarantee
    assert len(outputs) == len(found.points)


def test_release_files_from_another_folder(command, jobs):
    (jobs / "a" / "b").mkdir(parents=True)
    done = command(
        jobs / "a",
        "compare",
        "../release.yaml",
        *FEW,
        "--release-files",
        "b",
        "--output",
        "c.html",
    )
    assert done.code == 0, done.err
    spec = load_release_file(jobs / "a" / "b" / "recoding-k3.yaml")
    assert spec.data_path.samefile(jobs / "people.csv")
    assert all(path.exists() for path in spec.inputs())
    text = (jobs / "a" / "c.html").read_text(encoding="utf-8")
    assert "output: released.recoding-k3.csv" in text


def test_values_that_a_release_file_names_are_not_on_the_page(command, jobs):
    mapping = ("tax.csv}", "tax.csv, mapping: {Sprains: sprain}}")
    write_spec(jobs / "release.yaml", mapping)
    done = command(
        jobs, "compare", "release.yaml", *FEW, "--output", "c.html", "--release-files", "s"
    )
    assert done.code == 0, done.err
    assert "Sprains" not in (jobs / "c.html").read_text(encoding="utf-8")
    assert "Sprains" in (jobs / "s" / "recoding-k2.yaml").read_text(encoding="utf-8")


def test_a_point_that_fails_is_told_and_has_no_release_file(command, jobs):
    done = command(
        jobs,
        "compare",
        "release.yaml",
        "--methods",
        "recoding",
        "--k",
        "3,61",
        "--release-files",
        "s",
    )
    assert done.code == 0
    assert done.out.splitlines()[3].split()[-1] == "failed"
    assert (
        done.err
        == "Warning: recoding, k = 61: k must be at most the number of records, 60, got 61\n"
    )
    assert [path.name for path in (jobs / "s").iterdir()] == ["recoding-k3.yaml"]


WRONG = {
    "a method": (("--methods", "recodin"), "there is no method 'recodin'"),
    "a setting": (("--methods", "recoding:how=drop"), "recoding has no setting 'how'"),
    "a k": (("--k", "two"), "--k must be a list or range of integers, got 'two'"),
    "a k too small": (("--k", "1"), "microaggregation.k must be an integer of at least 2, got 1"),
    "an alpha": (
        ("--alpha", "much"),
        "--alpha must be a list of numbers such as 0.1,0.3, got 'much'",
    ),
    "an alpha below 0": (
        ("--alpha", "-1"),
        "noise_addition.alpha must be a number greater than 0, got -1",
    ),
    "workers": (("--workers", "0"), "workers must be a positive integer, got 0"),
    "a sample": (("--sample", "0"), "sample must be a positive integer, got 0"),
    "a folder": (("--output", "nowhere/c.html"), "the folder nowhere does not exist"),
    "an input": (
        ("--csv", "people.csv", "--force"),
        "must not be an input, got people.csv",
    ),
    "a file there": (("--csv", "old.csv"), "old.csv already exists"),
    "a folder that is a file": (
        ("--release-files", "tax.csv"),
        "tax.csv must be a folder, got a file",
    ),
    "a seed": (("--seed-file", "people.csv"), "must be a non-negative integer and nothing else"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_input(command, jobs, what):
    options, words = WRONG[what]
    (jobs / "old.csv").write_text("kept", encoding="utf-8")
    before = {path: path.read_bytes() for path in jobs.iterdir()}
    done = command(jobs, "compare", "release.yaml", *options)
    assert done.code == 2
    assert words in done.err
    assert done.out == ""
    assert {path: path.read_bytes() for path in jobs.iterdir()} == before


def test_no_release_file(command, jobs):
    done = command(jobs, "compare", "missing.yaml")
    assert done.code == 2
    assert "missing.yaml" in done.err


def test_replaced_files_survive_a_failure_while_others_are_written(jobs):
    folder = jobs / "specs"
    folder.mkdir()
    mine = [jobs / "page.html", jobs / "table.csv", folder / "recoding-k2.yaml"]
    for path in mine:
        path.write_text("mine")

    def get_in_the_way(now):
        if now == "writing":
            (folder / "recoding-k3.yaml").mkdir()

    with pytest.raises(FileFormatError, match=r"recoding-k3.yaml is a folder"):
        compare_file(
            jobs / "release.yaml",
            ["recoding"],
            2**70,
            values={"k": [2, 3]},
            workers=1,
            page=mine[0],
            table=mine[1],
            folder=folder,
            force=True,
            progress=get_in_the_way,
        )
    assert [path.read_text() for path in mine] == ["mine"] * 3
    assert sorted(path.name for path in folder.iterdir()) == [
        "recoding-k2.yaml",
        "recoding-k3.yaml",
    ]


def test_existing_files_are_refused_unless_forced(command, jobs):
    (jobs / "specs").mkdir()
    (jobs / "specs" / "recoding-k3.yaml").write_text("mine", encoding="utf-8")
    done = command(jobs, "compare", "release.yaml", *FEW, "--release-files", "specs")
    assert done.code == 2
    assert "recoding-k3.yaml already exists" in done.err
    assert [path.name for path in (jobs / "specs").iterdir()] == ["recoding-k3.yaml"]
    done = command(jobs, "compare", "release.yaml", *FEW, "--release-files", "specs", "--force")
    assert done.code == 0
    assert len(list((jobs / "specs").iterdir())) == 6


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
def test_stopped_it_leaves_nothing(jobs):
    write_table(jobs / "people.csv", 3000)
    running = process(
        jobs, "compare", "release.yaml", "--k", "2..100", "--workers", 2, "--csv", "all.csv"
    )
    children = []
    while not children:  # until its processes are there
        assert running.poll() is None
        time.sleep(0.05)
        children = children_of(running.pid)
    running.send_signal(signal.SIGTERM)
    done = finished(running)
    assert (done.code, done.out, done.err) == (130, "", "stopped\n")
    assert not (jobs / "all.csv").exists()
    assert not any(os.path.exists(f"/proc/{child}") for child in children)


def children_of(parent: int) -> list[int]:
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(name))
    return found


def test_a_sample_of_a_file(command, jobs):
    done = command(jobs, "compare", "release.yaml", *FEW, "--sample", 40, "--output", "c.html")
    assert done.code == 0, done.err
    assert done.out.startswith("diagnosis, age: 40 records, a random sample of 60, ")
    assert "a random sample of 60." in (jobs / "c.html").read_text(encoding="utf-8")
