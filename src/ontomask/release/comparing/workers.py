"""Points worked out in several processes at a time.

Each process is told the task once, and then one place in the list of methods after another; what it
gives back is small. They are processes of our own, not of :mod:`multiprocessing`, which would run
the caller's script again in each of them. Whatever happens, none of them outlives the comparison:
they end when it does, and when nobody talks to them any more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import IO, Any

from ontomask.attributes import NominalAttribute
from ontomask.methods.method import Method
from ontomask.release.comparing.points import Point, Task, worked_out

__all__ = ["SMALL", "affordable", "points_of"]

Progress = Callable[[str], None]

#: Tuples times methods that are not worth processes of their own: each takes seconds to start, and
#: to make the tables that all points share.
SMALL = 100_000

#: What a process takes before it does anything, and for every tuple and column, record and column.
BASE, PER_TUPLE, PER_RECORD = 350_000_000, 1_000, 100


# ---------------------------------------------------------------------- how many


def how_many(task: Task, points: int, asked: int | None) -> int:
    """The number of processes: as asked for; otherwise as many as cores, points and memory allow.

    One means none but this.
    """
    if asked is not None:
        return max(1, min(asked, points))
    if len(task.tuples) * points < SMALL:
        return 1
    return max(1, min(os.cpu_count() or 1, points, affordable(task)))


def affordable(task: Task, free: int | None = None) -> int:
    """How many processes fit in the memory that is free, each with tables of its own."""
    free = _free_memory() if free is None else free
    return free // _needed(task) if free is not None else os.cpu_count() or 1


def _needed(task: Task) -> int:
    """About what a process takes at most; measured on hospital data, and rounded up."""
    columns = len(task.columns)
    tables = sum(
        4 * len(attribute.candidates) * attribute.size
        for attribute in task.tuples.attributes
        if isinstance(attribute, NominalAttribute)
    )
    rows = PER_TUPLE * len(task.tuples) + PER_RECORD * task.tuples.records
    return BASE + 3 * tables + rows * columns


def _free_memory() -> int | None:
    """Memory that nobody uses, in bytes; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            found = {name: rest for name, _, rest in (line.partition(":") for line in lines)}
        free = int(found["MemAvailable"].split()[0]) * 1024
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


# ---------------------------------------------------------------------- all points


def points_of(
    task: Task, methods: Sequence[Method], workers: int | None, progress: Progress
) -> list[Point]:
    """The point of every method, in their order; the same however many processes there are."""
    found: dict[int, Point] = {}
    said = _Said(methods, progress)
    number = how_many(task, len(methods), workers)
    if number > 1:
        found = _side_by_side(task, methods, number, said)
    for place, method in enumerate(methods):
        if place not in found:
            said.begins(place, len(found))
            found[place] = worked_out(task, method)
    return [found[place] for place in range(len(methods))]


class _Said:
    """What is being worked on, and for how long still."""

    def __init__(self, methods: Sequence[Method], progress: Progress) -> None:
        self._methods, self._progress, self._began = methods, progress, monotonic()

    def begins(self, place: int, done: int) -> None:
        """Say that a point is begun when so many are done."""
        it, all_ = Point(self._methods[place]), len(self._methods)
        words = ", ".join(filter(None, [it.name, it.strength]))
        self._progress(f"{done + 1} of {all_}: {words}{self._left(done, all_ - done)}")

    def _left(self, done: int, left: int) -> str:
        seconds = (monotonic() - self._began) * left / max(done, 1)
        if not done or seconds < 2:
            return ""
        about = f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
        return f" (about {about} left)"


def _side_by_side(
    task: Task, methods: Sequence[Method], number: int, said: _Said
) -> dict[int, Point]:
    """The points that other processes gave; none where they cannot take the task."""
    try:
        told = pickle.dumps((task, tuple(methods)))
    except Exception:  # a measure that is a function of the caller's, perhaps
        return {}
    found: dict[int, Point] = {}
    waiting = deque(range(len(methods)))
    heard: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    workers = [_Worker(told, waiting, heard) for _ in range(number)]
    begun, at_work = 0, number
    try:
        for worker in workers:
            worker.start()
        while at_work:
            what, it = heard.get()
            if what == "begins":
                said.begins(it, begun)
                begun += 1
            elif what == "found":
                found[it[0]] = it[1]
            else:
                at_work -= 1
                if it is not None:  # it died over a point; another one takes its place
                    found[it] = Point(methods[it], error=f"its process ended: {what}")
                    if waiting:
                        workers.append(_Worker(told, waiting, heard))
                        workers[-1].start()
                        at_work += 1
    finally:
        for worker in workers:
            worker.end()
    return found


class _Worker(Thread):
    """A process, and the thread that starts it and talks to it.

    An interrupt comes to the main thread alone, so it cannot lose a process that is being started.
    """

    def __init__(
        self, told: bytes, waiting: deque[int], heard: SimpleQueue[tuple[str, Any]]
    ) -> None:
        super().__init__(daemon=True)
        self._told, self._waiting, self._heard = told, waiting, heard
        self._process: subprocess.Popen[bytes] | None = None
        self._starting, self._ended = Lock(), False

    def run(self) -> None:
        place: int | None = None
        try:
            talk = self._begun()
            if talk is None:
                return
            _tell(talk, self._told)
            _hear(talk)  # it is ready
            while (place := self._next()) is not None:
                self._heard.put(("begins", place))
                _tell(talk, pickle.dumps(place))
                self._heard.put(("found", (place, _hear(talk))))
        except Exception:  # the pipe broke, or the process could not be started
            self._heard.put((self._how_it_ended(), place))
            return
        self._heard.put(("done", None))

    def _begun(self) -> subprocess.Popen[bytes] | None:
        """The process, unless it is not wanted any more."""
        with self._starting:
            if not self._ended:
                path = os.pathsep.join(it or os.getcwd() for it in sys.path)
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "ontomask.release.comparing.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": path},
                )
            return self._process

    def _next(self) -> int | None:
        try:
            return self._waiting.popleft()
        except IndexError:  # another one took the last
            return None

    def _how_it_ended(self) -> str:
        try:
            code = 0 if self._process is None else self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "what it said cannot be read"
        if code == -9:
            return "it was killed, perhaps for its memory; use fewer workers"
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def end(self) -> None:
        """End the process now, whatever it is doing."""
        with self._starting:
            self._ended = True
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self.join(timeout=5)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was still to be told
                pipe.close()  # type: ignore[union-attr]  # both are pipes


def _tell(process: subprocess.Popen[bytes], message: bytes) -> None:
    pipe: IO[bytes] = process.stdin  # type: ignore[assignment]  # it is a pipe
    pipe.write(message)
    pipe.flush()


def _hear(process: subprocess.Popen[bytes]) -> Any:
    pipe: IO[bytes] = process.stdout  # type: ignore[assignment]  # it is a pipe
    return pickle.load(pipe)  # noqa: S301 - from our own process
