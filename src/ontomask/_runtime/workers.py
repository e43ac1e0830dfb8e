"""Pieces of work done in several processes at a time.

Each process is told once what to do and what all pieces share, and then one piece after another.
They are processes of our own, not of :mod:`multiprocessing`, which would run the caller's script
again in each of them. Whatever happens, none of them outlives the work: they end when it does, and
when nobody talks to them any more.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import IO, Any

__all__ = ["Ended", "TimeLeft", "free_memory", "side_by_side"]

#: What is done with a piece: a function that can be imported, of what is shared and the piece.
Work = Callable[[Any, Any], Any]

_Heard = SimpleQueue[tuple[str, Any]]


@dataclass(frozen=True)
class Ended:
    """In the place of a result: the process ended over the piece, and how."""

    reason: str


def free_memory() -> int | None:
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


class TimeLeft:
    """How long the rest of some pieces will take, judged by those that are done."""

    def __init__(self, pieces: int) -> None:
        self._pieces, self._began = pieces, monotonic()

    def after(self, done: int) -> str:
        """What is left when so many pieces are done, in words; nothing where it is not much."""
        seconds = (monotonic() - self._began) * (self._pieces - done) / max(done, 1)
        if not done or seconds < 2:
            return ""
        about = f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
        return f" (about {about} left)"


def side_by_side(
    work: Work,
    shared: Any,
    pieces: Sequence[Any],
    number: int,
    begins: Callable[[int, int], None] = lambda place, done: None,
    found: Callable[[int, Any], None] = lambda place, result: None,
) -> dict[int, Any] | None:
    """What ``work`` makes of every piece, by place; :class:`Ended` where its process did.

    ``begins`` is told the place of a piece and how many were begun before, ``found`` every result.
    Where what is shared cannot be told to another process, there is no answer.
    """
    try:
        told = pickle.dumps((work, shared))
    except Exception:  # a function of the caller's, perhaps
        return None
    results: dict[int, Any] = {}
    waiting = deque(range(len(pieces)))
    heard: _Heard = SimpleQueue()
    workers = [_Worker(told, pieces, waiting, heard) for _ in range(number)]
    begun, at_work = 0, number
    try:
        for worker in workers:
            worker.start()
        while at_work:
            what, it = _next(heard)
            if what == "begins":
                begins(it, begun)
                begun += 1
                continue
            if what != "found":
                at_work -= 1
                if it is None:  # it has nothing more to do
                    continue
                it = it, Ended(what)  # another one takes its place
                if waiting:
                    workers.append(_Worker(told, pieces, waiting, heard))
                    workers[-1].start()
                    at_work += 1
            results[it[0]] = it[1]
            found(*it)
    finally:
        for worker in workers:
            worker.end()
    return results


def _next(heard: _Heard) -> tuple[str, Any]:
    """What is heard next; waited for in steps, between which an interrupt is heard."""
    while True:
        with suppress(Empty):
            return heard.get(timeout=0.1)


class _Worker(Thread):
    """A process, and the thread that starts it and talks to it.

    An interrupt comes to the main thread alone, so it cannot lose a process that is being started.
    """

    def __init__(
        self, told: bytes, pieces: Sequence[Any], waiting: deque[int], heard: _Heard
    ) -> None:
        super().__init__(daemon=True)
        self._told, self._pieces, self._waiting, self._heard = told, pieces, waiting, heard
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
                _tell(talk, pickle.dumps(self._pieces[place]))
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
                    [sys.executable, "-m", "ontomask._runtime.worker_process"],
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
