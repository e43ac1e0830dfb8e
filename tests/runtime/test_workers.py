"""Pieces of work in several processes: same results, no lost run, no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from ontomask._runtime import workers
from ontomask._runtime.interrupts import run_interruptibly
from ontomask._runtime.progress import TimeLeft
from ontomask._runtime.workers import WorkerFailure, run_in_processes

#: A module that other processes can import.
WORK = """
import os, signal, sys, time

def multiply(factor, number):
    print("this must not get among the answers")
    return factor * number, os.getpid()

def die_at_three(shared, number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5:
        raise ValueError(number)
    return number

def sleep(seconds, number):
    time.sleep(seconds)

def search_path(shared, number):
    return sys.path

def two_lambdas(shared, number):
    return (lambda: 0) if number else number
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = tmp_path / "importable"
    folder.mkdir()
    (folder / "work_of_a_test.py").write_text(WORK)
    monkeypatch.syspath_prepend(folder)
    import work_of_a_test

    yield work_of_a_test
    del sys.modules["work_of_a_test"]


@pytest.fixture
def started(monkeypatch):
    """The processes that were started."""
    processes, start = [], workers.start_python

    def start_and_remember(*arguments):
        processes.append(start(*arguments))
        return processes[-1]

    monkeypatch.setattr(workers, "start_python", start_and_remember)
    return processes


def all_ended(processes):
    return all(process.poll() is not None for process in processes)


def test_every_piece_is_done_in_one_of_the_processes(work, started):
    starts, results = [], []
    outcomes = run_in_processes(
        work.multiply,
        10,
        range(6),
        2,
        lambda *start: starts.append(start),
        lambda *result: results.append(result),
    )
    assert {place: product for place, (product, _) in outcomes.items()} == {
        place: 10 * place for place in range(6)
    }
    assert {pid for _, pid in outcomes.values()} <= {process.pid for process in started}
    assert len(started) == 2
    assert starts == [(place, place) for place in range(6)]
    assert sorted(results) == sorted(outcomes.items())
    assert all_ended(started)


def test_a_process_that_dies_is_one_failed_piece(work, started):
    outcomes = run_in_processes(work.die_at_three, None, range(8), 2)
    failures = {place: outcomes.pop(place).reason for place in (3, 5)}
    assert outcomes == {place: place for place in (0, 1, 2, 4, 6, 7)}
    assert failures[3].startswith("it was killed, perhaps for its memory")
    assert failures[5] == "exit code 1"
    assert len(started) in (3, 4)  # the last may not be needed
    assert all_ended(started)


def test_a_result_that_cannot_be_sent_is_one_failed_piece(work):
    outcomes = run_in_processes(work.two_lambdas, None, range(2), 1)
    assert outcomes == {0: 0, 1: WorkerFailure("exit code 1")}


def test_what_cannot_be_sent_is_left_to_the_caller(started):
    assert run_in_processes(lambda shared, piece: piece, None, range(3), 2) == {}
    assert started == []


def test_what_cannot_be_imported_is_left_to_the_caller(work, started, tmp_path):
    (tmp_path / "importable" / "work_of_a_test.py").unlink()
    assert run_in_processes(work.multiply, 10, range(9), 2) == {}
    assert len(started) == 2  # the others are not even tried
    assert all_ended(started)


def test_without_a_program_to_start_all_is_left_to_the_caller(work, monkeypatch, tmp_path):
    monkeypatch.setattr(workers.sys, "executable", str(tmp_path / "missing"))
    assert run_in_processes(work.multiply, 10, range(9), 2) == {}


def test_an_interrupt_ends_the_processes_at_once(work, started):
    begin = time.monotonic()

    def stop_at_second(place, _):
        if place:
            while len(started) < 1:
                time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_in_processes(work.sleep, 600, range(4), 2, stop_at_second)
    assert len(started) == 1
    assert all_ended(started)
    assert time.monotonic() - begin < 300


def test_control_c_ends_the_processes_at_once(work, started):
    def interrupt_at_second(place, _):
        if place == 1:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(
            lambda: run_in_processes(work.sleep, 600, range(4), 2, interrupt_at_second)
        )
    assert [process.wait(timeout=300) for process in started] == [-signal.SIGKILL] * len(started)


def test_nothing_is_imported_from_the_current_folder(work, tmp_path, monkeypatch):
    folder = tmp_path / "current"
    folder.mkdir()
    (folder / "signal.py").write_text("raise ImportError('from the current folder')")
    monkeypatch.chdir(folder)
    (path,) = run_in_processes(work.search_path, None, [0], 1).values()
    assert "" not in path
    assert str(folder) not in path


def test_a_script_needs_no_guard_and_runs_once(work, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import work_of_a_test\n"
        "from ontomask._runtime.workers import run_in_processes\n"
        "print('script')\n"
        "print(len(run_in_processes(work_of_a_test.sleep, 0, range(4), 2)))\n"
    )
    finished = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout.split() == ["script", "4"]


def test_processes_end_when_their_caller_is_killed(work, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import work_of_a_test\n"
        "from ontomask._runtime.workers import run_in_processes\n"
        "import os, signal\n"
        "def kill(place, result):\n"
        "    print(result[1], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "run_in_processes(work_of_a_test.multiply, 1, range(4), 1, on_result=kill)\n"
    )
    finished = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == -signal.SIGKILL
    end = time.monotonic() + 300
    while time.monotonic() < end and _is_running(int(finished.stdout)):
        time.sleep(0.05)
    assert not _is_running(int(finished.stdout))


def _is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_time_left_is_told_when_it_is_worth_it(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("ontomask._runtime.progress.monotonic", lambda: clock[0])
    left = TimeLeft(10)
    assert left.describe_after(0) == ""
    clock[0] = 10.0
    assert left.describe_after(2) == " (about 40 s left)"
    assert left.describe_after(10) == ""
    clock[0] = 100.0
    assert left.describe_after(4) == " (about 2 min left)"
