"""Work in the background, in real processes: what it gives, and that it can be ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from ontomask._runtime.files.work_folders import work_folder
from ontomask.releasefile.model import ReleaseFile, load_release_file
from ontomask.releasefile.run import mask_file, write_release
from ontomask.web.errors import Busy, NotThere
from ontomask.web.jobs.jobs import JobRequest, JobRunner
from ontomask.web.runs import RunStore, same_result
from workbench import waited

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SEED = 2**70 + 7
FIELDS = {
    "data": "stays.csv",
    "output": "released.csv",
    "columns": {
        "diagnosis": {"role": "quasi", "taxonomy": "icd9cm"},
        "age": {"role": "quasi", "type": "numeric"},
        "outcome": {"role": "confidential"},
    },
    "other": "drop",
    "method": {"name": "recoding", "k": 5},
}
#: Takes minutes: what is cancelled must not be over before.
LONG = {
    "data": "numbers.csv",
    "output": "released.csv",
    "columns": {name: {"role": "quasi", "type": "numeric"} for name in "abc"},
    "method": {"name": "microaggregation", "k": 50, "effort": "thorough", "time_limit": 600},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    made = om.datasets.discharges(n=300)
    names = ("diagnosis", "age", "outcome", "name")
    columns = [made[name].tolist() for name in names]
    rows = [names, *zip(*columns, strict=True)]
    (folder / "stays.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    random = np.random.default_rng(1).random((100_000, 3)).round(6)
    np.savetxt(folder / "numbers.csv", random, "%.6f", ",", header="a,b,c", comments="")
    return folder


@pytest.fixture
def scratch(tmp_path_factory, monkeypatch):
    """Where temporary files go."""
    place = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    return place


@pytest.fixture
def folder(tables, tmp_path, scratch):
    yield Path(shutil.copytree(tables, tmp_path, dirs_exist_ok=True))
    assert not list(scratch.iterdir())


@pytest.fixture
def work(scratch):
    work = JobRunner()
    yield work
    work.close()


def task(folder, kind="run", fields=FIELDS, **more):
    return JobRequest(
        kind=kind,
        fields=fields,
        text=json.dumps(fields),
        folder=folder,
        file="release.yaml",
        runs=folder / ".ontomask" / "runs",
        seed=SEED,
        **more,
    )


def files(folder):
    return {str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file()}


def has_begun(work):
    return work.state().now not in ("starting", "reading the taxonomies")


def seconds_of_work(pid):
    """The processor time of a process; where that cannot be told, much."""
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 1_000
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


# ---------------------------------------------------------------------- what it gives


def test_a_run_is_what_mask_gives_and_fits_while_nothing_that_matters_changes(folder, work):
    secret = 81_264_537_190_264_731
    before = files(folder)
    fields = {**FIELDS, "require": {"k": 5, "l": 300}}
    work.start(JobRequest(**{**vars(task(folder, fields=fields)), "seed": secret}))
    state = work.wait()
    assert state.state == "done", state.error
    runs = RunStore(folder / ".ontomask" / "runs")
    run = runs.get(state.result["run"])
    same = mask_file(ReleaseFile.from_dict(FIELDS, folder), secret)
    assert run.exact["utility"]["sse"] == same.evaluation.utility["sse"]
    assert run.known["guarantee"]["text"] == str(same.guarantee)
    linked = same.evaluation.risk["linkage_nearest"]
    assert run.known["risk"]["linkage_nearest"]["value"] == pytest.approx(linked, rel=0.005)
    # What is not met is told; no table is written, and no seed.
    assert [it.partition(":")[0] for it in run.unmet] == ["l"]
    names = ("run.json", "release.yaml", "report.html", "parts.json")
    assert files(folder) - before == {f".ontomask/runs/{run.id}/{name}" for name in names}
    assert not any(str(secret) in (run.folder / name).read_text("utf-8") for name in names)

    def fits(**changed):
        found = runs.of(ReleaseFile.from_dict({**FIELDS, **changed}, folder))
        return found is not None and found.id == run.id

    assert fits()
    assert fits(output="other.csv", require={"k": 3})
    assert not fits(method={"name": "recoding", "k": 6})
    assert not fits(missing="drop")
    (folder / "stays.csv").write_text((folder / "stays.csv").read_text() + "0010,30,7991,x\n")
    assert not fits()


def test_the_process_that_has_done_a_task_does_the_next_one_unless_it_was_cancelled(folder, work):
    work.start(task(folder, "try", sample=200))
    first = work._process
    assert work.wait().state == "done"
    work.start(task(folder, "try", sample=100))
    assert work._process is first
    assert work.wait().result["records"] == 100
    work.start(task(folder, "try", sample=100))
    work.cancel()
    assert work.wait().state == "cancelled"
    work.start(task(folder, "try", sample=100))
    assert work._process is not first
    assert work.wait().state == "done"


def test_a_try_takes_a_sample_and_keeps_nothing(folder, work):
    before = files(folder)
    assert work.version == 0
    work.start(task(folder, "try", sample=100))
    assert work.version == 1
    state = work.wait()
    assert state.count == 2  # it moves with every beginning and end
    assert state.state == "done", state.error
    assert (state.result["records"], state.result["sampled_from"]) == (100, 300)
    assert state.result["figures"]["smallest_class"] >= 5
    assert files(folder) == before


def test_a_release_is_what_the_command_line_gives(folder, work):
    (folder / "release.yaml").write_text(json.dumps(FIELDS))
    spec = load_release_file(folder / "release.yaml")
    runs = RunStore(folder / ".ontomask" / "runs")
    assert not runs.is_released(spec)
    work.start(task(folder, "release"))
    state = work.wait()
    assert state.result["files"] == [
        *("released.csv", "released.manifest.json", "released.report.html")
    ]
    again = {**FIELDS, "output": "again.csv"}
    write_release(ReleaseFile.from_dict(again, folder), SEED)
    assert (folder / "released.csv").read_bytes() == (folder / "again.csv").read_bytes()
    assert runs.is_released(spec)
    assert not runs.is_released(ReleaseFile.from_dict({**FIELDS, "missing": "drop"}, folder))


def test_a_release_that_is_not_what_is_required_writes_nothing(folder, work):
    before = files(folder)
    work.start(task(folder, "release", {**FIELDS, "require": {"l": 300}}))
    state = work.wait()
    assert (state.state, state.error.error, state.error.unmet) == (
        *("failed", "RequirementNotMet"),
        True,
    )
    assert files(folder) == before


def test_a_release_never_overwrites_its_own_file(folder, work):
    (folder / "mine.csv").write_text("a release file under an odd name")
    given = task(folder, "release", {**FIELDS, "output": "mine.csv"}, overwrite=True)
    work.start(JobRequest(**{**vars(given), "file": "mine.csv"}))
    assert "output must not be an input" in work.wait().error.message
    assert (folder / "mine.csv").read_text() == "a release file under an odd name"


def test_warnings_and_what_is_wrong_are_passed_on(folder, work):
    work.start(task(folder, fields={**FIELDS, "method": {"name": "recoding", "k": 1000}}))
    state = work.wait()
    assert state.state == "failed"
    assert "got 1,000" in state.error.message
    weak = {**FIELDS, "method": {"name": "rank_swapping", "window": 1, "strategy": "dynamic"}}
    work.start(task(folder, fields=weak))
    state = work.wait()
    assert state.state == "done"
    assert state.warnings
    assert (
        RunStore(folder / ".ontomask" / "runs").get(state.result["run"]).warnings == state.warnings
    )


# ---------------------------------------------------------------------- ended before its time


@pytest.mark.parametrize("kind", ["run", "release"])
def test_cancelled_in_the_middle_nothing_is_left(folder, work, kind):
    before = files(folder)
    work.start(task(folder, kind, LONG, sample=90_000))
    waited(lambda: has_begun(work))
    process = work._process
    begun = seconds_of_work(process.pid)
    waited(lambda: seconds_of_work(process.pid) > begun + 1)  # well into the search
    assert work.cancel().cancelling
    assert work.wait().state == "cancelled"
    assert process.poll() is not None
    assert files(folder) == before


def test_cancelled_at_once_nothing_is_left(folder, work):
    before = files(folder)
    work.start(task(folder))
    work.cancel()
    assert work.wait().state == "cancelled"
    assert files(folder) == before


def test_one_thing_at_a_time_and_another_after_it(folder, work):
    work.start(task(folder, fields=LONG))
    assert work.busy
    with pytest.raises(Busy, match="only one task"):
        work.start(task(folder, "try", sample=50))
    work.cancel()
    work.wait()
    work.start(task(folder, "try", sample=50))
    assert work.wait().state == "done"


def test_nothing_to_cancel(work):
    assert work.cancel().state == "idle"


@posix
def test_a_killed_process_is_told_as_such(folder, work):
    before = files(folder)
    work.start(task(folder, fields=LONG))
    waited(lambda: has_begun(work))
    work._process.kill()
    state = work.wait()
    assert (state.state, state.error.error) == ("failed", "ProcessEnded")
    assert "killed" in state.error.message
    assert files(folder) == before


SERVER = """
import sys, time
from pathlib import Path
from ontomask.web.jobs.jobs import JobRequest, JobRunner
import json
told = json.loads(sys.stdin.readline())
work = JobRunner()
work.start(JobRequest(**{**told, "folder": Path(told["folder"]), "runs": Path(told["runs"])}))
while work.state().now in ("starting", "reading the taxonomies"):
    time.sleep(0.02)
print(work._process.pid, flush=True)
time.sleep(600)
"""


@posix
def test_when_the_workbench_is_killed_its_work_ends_and_leaves_nothing(folder, scratch):
    before = files(folder)
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    server.stdin.write(task(folder, "release", LONG).to_json_line())
    server.stdin.flush()
    working = int(server.stdout.readline())
    begun = seconds_of_work(working)
    waited(lambda: seconds_of_work(working) > begun + 1)
    assert is_alive(working)
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    waited(lambda: not is_alive(working))
    server.stdin.close()
    server.stdout.close()
    assert files(folder) == before


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    except OSError:
        return False


# ---------------------------------------------------------------------- the runs


def kept(folder, n=3):
    runs = RunStore(folder / "runs")
    known = {"risk": {}, "guarantee": {}}
    for place in range(n):
        found = {
            **{"title": "t", "words": "w", "seconds": 1.0, "known": known, "exact": {}},
            **{"unmet": [], "warnings": [], "fields": FIELDS | {"output": f"{place}"}},
            "inputs": {},
        }
        runs.keep(found, {"report.html": "<p>ä"})
    return runs


def test_runs_are_numbered_and_survive_a_restart(tmp_path):
    kept(tmp_path)
    again = RunStore(tmp_path / "runs")
    assert [it.id for it in again.list_runs()] == ["0001", "0002", "0003"]
    assert again.file("0002", "report.html").read_text("utf-8") == "<p>ä"


def test_a_number_is_not_given_twice(tmp_path):
    runs = kept(tmp_path)
    runs.delete_run("0003")
    runs.delete_run("0001")
    assert runs.ids() == ["0002"]
    kept(tmp_path, 1)
    assert runs.ids() == ["0002", "0004"]


def test_a_deleted_run_can_be_restored_until_the_next_start(tmp_path):
    runs = kept(tmp_path)
    runs.delete_run("0002")
    with pytest.raises(NotThere):
        runs.get("0002")
    assert runs.restore_run("0002").id == "0002"
    runs.delete_run("0002")
    RunStore(tmp_path / "runs").remove_leftovers()
    with pytest.raises(NotThere):
        runs.restore_run("0002")


def test_what_a_killed_process_left_is_removed_and_never_seen(tmp_path):
    runs = kept(tmp_path)
    left = tmp_path / "runs" / ".ontomask.1.0123456789abcdef" / "0004"
    left.mkdir(parents=True)
    (left.parent / ".lock").touch()
    (left / "report.html").write_text("half")
    assert len(runs.list_runs()) == 3
    runs.remove_leftovers()
    assert not left.parent.exists()
    assert len(runs.list_runs()) == 3


def test_what_another_workbench_is_writing_is_left_alone(tmp_path):
    runs = kept(tmp_path)
    with work_folder(tmp_path / "runs") as folder:
        (folder / "report.html").write_text("half")
        runs.remove_leftovers()
        assert (folder / "report.html").exists()


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 2}', '{"format": 1}'])
def test_a_run_that_cannot_be_read_is_left_out(tmp_path, text):
    runs = kept(tmp_path)
    (tmp_path / "runs" / "0002" / "run.json").write_text(text)
    assert [it.id for it in RunStore(tmp_path / "runs").list_runs()] == ["0001", "0003"]
    assert len(runs.ids()) == 3


@pytest.mark.parametrize("number", ["", "..", "../runs/0001", "0001/..", "1", "٠٠٠١", "last"])
def test_only_numbers_are_runs(tmp_path, number):
    runs = kept(tmp_path, 1)
    for ask in (runs.get, runs.delete_run, runs.restore_run):
        with pytest.raises(NotThere):
            ask(number)


def test_defaults_that_are_written_out_change_nothing():
    assert same_result(FIELDS, {**FIELDS, "require": {"k": 2}, "report_threshold": 9})
    assert not same_result(FIELDS, {**FIELDS, "method": {"name": "suppression", "k": 5}})
