"""Run pieces of work in several processes at a time.

A thread of this process talks to each of them through pipes. A killed process costs the piece it
was working on; another process takes its place. An interrupt ends all of them at once.

Why not a library (Python 3.11, two workers, eight pieces, the worker of the third piece killed):

* :class:`concurrent.futures.ProcessPoolExecutor` loses six of the eight pieces and does not say
  which of them killed it; loky loses five;
* its processes (spawn or forkserver) run the caller's script again: one without a ``__main__``
  guard ends in ``RuntimeError``;
* both import a ``signal.py`` that happens to be in the current folder;
* before Python 3.14 an executor cannot end a process that is working;
* even for the threads, :class:`concurrent.futures.ThreadPoolExecutor` will not do: it holds a lock
  of the whole interpreter while it starts one, and an interrupt at that moment
  (:mod:`ontomask._runtime.interrupts`) leaves Python 3.11 waiting for ever.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from ontomask._runtime.interrupts import register_stop

__all__ = ["WorkerFailure", "free_memory", "run_in_processes", "serve_pieces", "start_python"]

#: What is done with a piece: a function that can be imported, of what is shared and the piece.
Work = Callable[[Any, Any], Any]

#: How often a wait is interrupted to notice Ctrl-C, in seconds.
POLL_SECONDS = 0.1

#: Stands for the outcome of a piece: its process could not be started, and nothing was done.
NOT_STARTED = object()


@dataclass(frozen=True)
class WorkerFailure:
    """Stands for a result: the process ended before the piece was done, and why."""

    reason: str


def free_memory() -> int | None:
    """Memory that nobody uses, in bytes; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            fields = {name: rest for name, _, rest in (line.partition(":") for line in lines)}
        free = int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        return None
    try:  # a container may have less
        with (
            open("/sys/fs/cgroup/memory.max", encoding="ascii") as most,
            open("/sys/fs/cgroup/memory.current", encoding="ascii") as used,
        ):
            return min(free, max(0, int(most.read()) - int(used.read())))
    except (OSError, ValueError):
        return free


def start_python(
    code: str,
    stdin: int,
    stdout: int,
    stderr: int | None = subprocess.DEVNULL,
    *,
    environment: Mapping[str, str] = os.environ,
) -> subprocess.Popen[bytes]:
    """Start a Python process that imports nothing from the current folder.

    Data may be there, and a file ``numpy.py`` beside it would be run. ``-P`` keeps the folder off
    the process's path, and the empty entry of an interactive session is not passed on.
    """
    path = os.pathsep.join(folder for folder in sys.path if os.path.isabs(folder))
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=os.path.dirname(os.path.abspath(__file__)),
        env={**environment, "PYTHONPATH": path},
    )


# ---------------------------------------------------------------------- the caller's side


def run_in_processes(
    work: Work,
    shared: Any,
    pieces: Sequence[Any],
    number: int,
    on_start: Callable[[int, int], None] = lambda place, started: None,
    on_result: Callable[[int, Any], None] = lambda place, result: None,
) -> dict[int, Any]:
    """Run ``work`` on every piece in several processes; results or failures by place.

    ``on_start`` gets the place of a piece and how many were started before it, ``on_result`` every
    result. The caller has to do the pieces without a result: all of them where ``shared`` cannot be
    sent to another process, those that are left where no process can be started.
    """
    results: dict[int, Any] = {}
    try:
        instructions = pickle.dumps((work, shared))
    except Exception:  # a function of the caller's, perhaps
        return results
    processes, places = _Processes(), enumerate(range(len(pieces)))
    todo: SimpleQueue[int | None] = SimpleQueue()
    outcomes: SimpleQueue[tuple[int, Any]] = SimpleQueue()
    serve = partial(_serve, partial(processes.start, instructions), pieces, todo, outcomes)
    threads = [Thread(target=serve, daemon=True) for _ in range(number)]
    usable, running = number, 0
    register_stop(processes.kill)
    try:
        for thread in threads:
            thread.start()
        while True:
            for started, place in islice(places, usable - running):
                on_start(place, started)
                todo.put(place)
                running += 1
            if not running:
                return results
            with suppress(Empty):
                place, outcome = outcomes.get(timeout=POLL_SECONDS)
                running -= 1
                if outcome is NOT_STARTED:
                    usable -= 1
                else:
                    results[place] = outcome
                    on_result(place, outcome)
    finally:
        for _ in threads:
            todo.put(None)
        processes.end()


def _serve(
    start: Callable[[], subprocess.Popen[bytes]],
    pieces: Sequence[Any],
    todo: SimpleQueue[int | None],
    outcomes: SimpleQueue[tuple[int, Any]],
) -> None:
    """Have a process do piece after piece; or say that it cannot be started."""
    process = None
    for place in iter(todo.get, None):
        try:
            process = process or start()
        except Exception:  # it cannot run, or cannot import what it has to do
            outcomes.put((place, NOT_STARTED))
            continue
        try:
            outcome = _ask(process, pickle.dumps(pieces[place]))
        except Exception:  # the pipe broke, or the result cannot be read
            outcome, process = WorkerFailure(_exit_reason(process)), None
        outcomes.put((place, outcome))


class _Processes:
    """The processes that were started, to end them all."""

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[bytes]] = []
        self._starting, self._ended = Lock(), False

    def start(self, instructions: bytes) -> subprocess.Popen[bytes]:
        """Start a process and tell it what to do, unless the work has ended."""
        with self._starting:
            if self._ended:
                raise RuntimeError("the work has ended")
            code = f"from {__name__} import serve_pieces; serve_pieces()"
            process = start_python(code, subprocess.PIPE, subprocess.PIPE)
            self._started.append(process)
        _ask(process, instructions)
        return process

    def kill(self) -> None:
        """Kill every process, whatever it is doing."""
        with self._starting:
            self._ended = True
        for process in self._started:
            process.kill()

    def end(self) -> None:
        """Kill every process, wait for its end, and close its pipes."""
        self.kill()
        for process in self._started:
            with suppress(OSError), process:
                pass


def _ask(process: subprocess.Popen[bytes], message: bytes) -> Any:
    requests, answers = process.stdin, process.stdout
    assert requests is not None
    assert answers is not None
    requests.write(message)
    requests.flush()
    return pickle.load(answers)  # noqa: S301 - from our own process


def _exit_reason(process: subprocess.Popen[bytes]) -> str:
    try:
        code = process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        return "its result cannot be read"
    if code == -9:  # SIGKILL, which not every system has
        return "it was killed, perhaps for its memory; use fewer workers"
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


# ---------------------------------------------------------------------- the side of a process


def serve_pieces() -> None:
    """Do pieces of work, one after another, until the caller is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller decides when this process ends
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get among the answers
    work, shared = pickle.load(requests)  # noqa: S301 - from the process that started this one
    answer: Any = "ready"
    with suppress(EOFError):
        while True:
            pickle.dump(answer, answers)
            answers.flush()
            answer = work(shared, pickle.load(requests))  # noqa: S301
