"""``ontomask mask``: what it writes, read by other readers, and what it says."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sqlite3
import stat
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from manifests import assert_manifest_fits
from release_commands import finished, process, records, write_spec

N, K = 60, 3


def write_parquet(path):
    pd.DataFrame(records(N)).to_parquet(path)


def write_sqlite(path):
    with sqlite3.connect(path) as database:
        database.execute("create table stays (id text, diagnosis text, age integer, note, pay)")
        database.executemany(
            "insert into stays values (:id, :diagnosis, :age, :note, :pay)", records(N)
        )
    database.close()


def read_csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [{**row, "age": int(row["age"])} for row in csv.DictReader(file)]


def read_parquet(path):
    return pd.read_parquet(path).to_dict("records")


def read_sqlite(path):
    with sqlite3.connect(path) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute("select * from stays order by rowid")]
    database.close()
    return rows


KINDS = {
    "csv": (None, read_csv),
    "parquet": (write_parquet, read_parquet),
    "sqlite": (write_sqlite, read_sqlite),
}

#: The column that is kept tells most of the records of a class apart.
WORST = (
    "not 3-anonymous: 52 of 60 records are unique on diagnosis, age and the kept column note; "
    "smallest equivalence class 1 record"
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_from_a_release_file_to_a_released_table(jobs, kind, command):
    write, read = KINDS[kind]
    if write is not None:
        write(jobs / f"people.{kind}")
    write_spec(jobs / "release.yaml", ("people.csv", f"people.{kind}"), (".csv\nc", f".{kind}\nc"))
    before = (jobs / f"people.{kind}").read_bytes()
    arguments = ("mask", "release.yaml", "--json")
    done = finished(process(jobs, *arguments)) if kind == "csv" else command(jobs, *arguments)
    assert (done.code, done.err) == (0, "")
    assert (jobs / f"people.{kind}").read_bytes() == before

    output, said = jobs / f"released.{kind}", jobs / "released.manifest.json"
    masked, original = read(output), records(N)
    classes = Counter((row["diagnosis"], row["age"]) for row in masked)
    assert min(classes.values()) >= K
    assert [list(row) for row in masked[:1]] == [["diagnosis", "age", "note", "pay"]]
    kept = ("note", "pay")  # the same rows, in another order
    assert Counter(tuple(row[c] for c in kept) for row in masked) == Counter(
        tuple(row[c] for c in kept) for row in original
    )

    manifest = json.loads(said.read_text(encoding="utf-8"))
    assert manifest["output"]["sha256"] == hashlib.sha256(output.read_bytes()).hexdigest()
    assert manifest["input"] == {"name": f"people.{kind}"}
    assert manifest["guarantee"]["k"] == K
    assert manifest["guarantee"]["smallest"] == min(classes.values())
    assert manifest["guarantee"]["classes"] == len(classes)
    together = Counter((row["diagnosis"], row["age"], row["note"]) for row in masked)
    assert manifest["guarantee"]["released"]["smallest"] == min(together.values())
    assert manifest["guarantee"]["released"]["uniques"] == sum(n == 1 for n in together.values())
    assert manifest["guarantee"]["headline"][0] == WORST
    assert manifest["records"] == {"released": N, "dropped": 0, "suppressed": 0}
    assert_manifest_fits(said)

    told = json.loads(done.out)
    assert told["files"] == [output.name, said.name, "released.report.html"]
    assert output.name in (jobs / "released.report.html").read_text(encoding="utf-8")
    assert told["guarantee"] == manifest["guarantee"]
    assert told["tuples"] == {
        "before": len({(row["diagnosis"].rstrip("s").lower(), row["age"]) for row in original}),
        "after": len(classes),
    }
    assert told["utility"]["sse"] == manifest["utility"]["sse"]["value"]
    assert told["risk_before"]["k"] == manifest["risk"]["before"]["value"]["k"]


def test_the_result_has_the_worst_first_and_files_are_kept(jobs, command):
    done = command(jobs, "mask", "release.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("diagnosis, age: 60 records, ")
    _, worst, alone, figures, files = done.out.splitlines()
    assert worst == WORST
    assert alone.startswith("On the quasi-identifiers alone: 3-anonymous on diagnosis, age: ")
    assert figures.startswith("SSE ")
    assert figures.endswith(" % · l = 2 (pay)")
    assert files == "released.csv, released.manifest.json, released.report.html"
    first = (jobs / "released.csv").read_bytes()
    again = command(jobs, "mask", "release.yaml")
    assert again.code == 2
    assert "released.csv already exists" in again.err
    assert "--force" in again.err
    assert (jobs / "released.csv").read_bytes() == first
    assert command(jobs, "mask", "release.yaml", "--force").code == 0
    assert sorted(os.listdir(jobs)) == [
        "people.csv",
        "release.yaml",
        "released.csv",
        "released.manifest.json",
        "released.report.html",
        "tax.csv",
    ]


def test_a_single_sensitive_value_is_warned_of_with_a_line_to_paste(jobs, command):
    table = pd.DataFrame(records(N)).assign(pay=["low"] * (N - 1) + ["high"])
    table.to_csv(jobs / "people.csv", index=False)
    told = command(jobs, "mask", "release.yaml").err
    assert "in equivalence classes with a single value of 'pay'" in told
    line = "method: {name: microaggregation, k: 3, l: 2}"
    assert f"(l = 1)\n  hint: set {line}, or refuse it with require: {{l: 2}}\n" in told


def test_the_diversity_of_confidential_columns_if_there_are_any(jobs, command):
    told = json.loads(command(jobs, "mask", "release.yaml", "--json").out)
    assert told["risk"]["l_distinct"] == {"pay": 2}
    write_spec(jobs / "release.yaml", ("confidential", "keep"))
    done = command(jobs, "mask", "release.yaml", "--force")
    assert done.out.splitlines()[-2].endswith(" %")


def test_a_table_is_no_release_file(jobs, command):
    (jobs / "people.csv.gz").write_bytes(b"\x1f\x8b")
    for name in ("people.csv", "people.csv.gz"):
        done = command(jobs, "mask", name)
        assert done.code == 2
        assert f"{name} must be a release file, got a table" in done.err
        assert f"run: ontomask init {name}" in done.err


def test_transitions_are_written_when_asked_for_and_private(jobs, command):
    done = command(jobs, "mask", "release.yaml", "--private")
    assert done.code == 0
    assert done.err == (
        "Warning: released.transitions.private.csv contains original values: never publish it\n"
    )
    path = jobs / "released.transitions.private.csv"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open(encoding="utf-8", newline="") as file:
        assert sum(int(row["records"]) for row in csv.DictReader(file)) == N
    manifest = json.loads((jobs / "released.manifest.json").read_text(encoding="utf-8"))
    assert manifest["private_files"] == [path.name]


def test_a_weak_method_is_one_line_of_warning(jobs, command):
    alike = "".join(f"{i},flu,30,x,1\n" for i in range(50))
    (jobs / "people.csv").write_text(f"id,diagnosis,age,note,pay\n{alike}50,sprain,31,x,1\n")
    write_spec(jobs / "release.yaml", ("microaggregation, k: 3", "rank_swapping, window: 2"))
    done = command(jobs, "mask", "release.yaml")
    assert done.code == 0
    assert "not k-anonymous" in done.out
    (line,) = done.err.splitlines()
    assert line.startswith("Warning: RankSwapping(window=2")
    assert ".py" not in done.err


def test_one_table_of_several(jobs, command):
    write_sqlite(jobs / "people.sqlite")
    with sqlite3.connect(jobs / "people.sqlite") as database:
        database.execute("create table wards (id)")
    database.close()
    changes = [("people.csv", "people.sqlite"), ("released.csv", "released.parquet")]
    write_spec(jobs / "release.yaml", *changes)
    done = command(jobs, "mask", "release.yaml")
    assert done.code == 2
    assert "the database has 2 tables" in done.err
    write_spec(jobs / "release.yaml", *changes, ("output:", "table: stays\norder: keep\noutput:"))
    assert command(jobs, "mask", "release.yaml").code == 0
    masked = read_parquet(jobs / "released.parquet")
    assert min(Counter((row["diagnosis"], row["age"]) for row in masked).values()) >= K
    assert [row["note"] for row in masked] == [row["note"] for row in records(N)]
    compared = command(
        jobs, "evaluate", "people.sqlite", "released.parquet", "--release-file", "release.yaml"
    )
    assert compared.code == 0


def test_levels_and_dates_of_a_text_file(jobs, command):
    rows = "".join(f"{i},{1 + i % 3},{1 + i % 28:02}/03/1990\n" for i in range(40))
    (jobs / "people.csv").write_text(f"id,grade,born\n{rows}")
    (jobs / "release.yaml").write_text("""\
data: people.csv
output: released.csv
columns:
  id: {role: identifier}
  grade: {role: quasi, type: ordinal, levels: [1, 2, 3]}
  born: {role: quasi, type: date, date_format: "%d/%m/%Y"}
order: keep
method: {name: microaggregation, k: 4}
""")
    assert command(jobs, "mask", "release.yaml").code == 0
    with (jobs / "released.csv").open(newline="") as file:
        masked = list(csv.DictReader(file))
    assert {row["grade"] for row in masked} <= {"1", "2", "3"}
    assert all(row["born"].endswith("/03/1990") for row in masked)
    compared = command(
        jobs, "evaluate", "people.csv", "released.csv", "--release-file", "release.yaml", "--json"
    )
    assert json.loads(compared.out)["risk"]["k"] >= 4


# ---------------------------------------------------------------- seeds

SEED = "340282366920938463463374607431768211455"


def swapped(jobs: Path) -> bytes:
    return (jobs / "released.csv").read_bytes()


def test_the_same_seed_gives_the_same_table_and_is_stored_nowhere(jobs, command, monkeypatch):
    write_spec(jobs / "release.yaml", ("microaggregation, k: 3", "rank_swapping, window: 40"))
    ask = ["mask", "release.yaml", "--force", "--json"]
    seed = jobs / "seed"
    seed.write_text(f"{SEED}\n")
    seed.chmod(0o600)
    done = command(jobs, *ask, "--seed-file", "seed")
    assert (done.code, "seed" in done.err) == (0, False)
    first = swapped(jobs)
    monkeypatch.setenv("ONTOMASK_SEED", SEED)
    again = command(jobs, *ask)
    assert swapped(jobs) == first
    seed.write_text(SEED[::-1])  # what the option says counts
    command(jobs, *ask, "--seed-file", "seed")
    assert swapped(jobs) != first
    monkeypatch.delenv("ONTOMASK_SEED")
    command(jobs, *ask)
    assert swapped(jobs) != first
    written = (jobs / "released.manifest.json").read_text(encoding="utf-8")
    assert SEED not in done.out + done.err + again.out + again.err + written


@pytest.mark.parametrize("content", ["", "x77", "-1", "1.5", "1 2", "9" * 5000, "٣"])
def test_what_is_no_seed_is_refused_and_not_quoted(jobs, command, content, monkeypatch):
    (jobs / "seed").write_text(content, encoding="utf-8")
    (jobs / "seed").chmod(0o600)
    done = command(jobs, "mask", "release.yaml", "--seed-file", "seed")
    assert done.code == 2
    assert done.err.startswith(
        "Error: the seed in seed must be a non-negative integer and nothing else\n"
    )
    if content:
        assert content not in done.err.replace("seed", "")
        monkeypatch.setenv("ONTOMASK_SEED", content)
        done = command(jobs, "mask", "release.yaml")
        assert done.code == 2
        assert done.err.startswith(
            "Error: the seed in ONTOMASK_SEED must be a non-negative integer and nothing else\n"
        )
    assert not (jobs / "released.csv").exists()


def test_a_seed_that_can_be_guessed_is_refused_and_not_quoted(jobs, command, monkeypatch):
    monkeypatch.setenv("ONTOMASK_SEED", "20260101")
    done = command(jobs, "mask", "release.yaml")
    assert done.code == 2
    assert done.err.startswith("Error: the seed of a release must have at least 64 bits")
    assert 'python -c "import secrets; print(secrets.randbits(256))"' in done.err
    assert "20260101" not in done.err
    assert not (jobs / "released.csv").exists()


def test_a_seed_that_others_can_read_is_warned_of(jobs, command):
    (jobs / "seed").write_text(SEED)
    (jobs / "seed").chmod(0o644)
    done = command(jobs, "mask", "release.yaml", "--seed-file", "seed")
    assert done.code == 0
    assert (
        done.err
        == "Warning: other users can read the seed in seed. To prevent this: chmod 600 seed\n"
    )
    nowhere = command(jobs, "mask", "release.yaml", "--seed-file", "nowhere", "--force")
    assert nowhere.code == 2
    assert "nowhere cannot be read: No such file or directory" in nowhere.err


def test_an_earlier_release_is_kept_until_the_new_one_is_complete(jobs, command, monkeypatch):
    assert command(jobs, "mask", "release.yaml").code == 0
    before = {path.name: path.read_bytes() for path in jobs.iterdir()}

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ontomask.report.report", fails)
    done = command(jobs, "mask", "release.yaml", "--force")
    assert done.code == 2
    assert "No space left on device" in done.err
    assert {path.name: path.read_bytes() for path in jobs.iterdir()} == before
