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

__all__ = ["WorkerFailure", "TimeLeft", "free_memory", "run_in_processes"]

#: What is done with a piece: a function that can be imported, of what is shared and the piece.
Work = Callable[[Any, Any], Any]

_Messages = SimpleQueue[tuple[str, Any]]


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


class TimeLeft:
    """An estimate of the time that the remaining pieces will take."""

    def __init__(self, pieces: int) -> None:
        self._pieces, self._began = pieces, monotonic()

    def describe_after(self, finished: int) -> str:
        """The time left after so many pieces, in words; empty where it is short."""
        seconds = (monotonic() - self._began) * (self._pieces - finished) / max(finished, 1)
        if not finished or seconds < 2:
            return ""
        about = f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
        return f" (about {about} left)"


def run_in_processes(
    work: Work,
    shared: Any,
    pieces: Sequence[Any],
    number: int,
    begins: Callable[[int, int], None] = lambda place, begun: None,
    found: Callable[[int, Any], None] = lambda place, result: None,
) -> dict[int, Any] | None:
    """Run ``work`` on every piece in several processes; results or failures by place.

    ``begins`` is told the place of a piece and how many were begun before, ``found`` every result.
    Where what is shared cannot be told to another process, there is no answer.
    """
    try:
        instructions = pickle.dumps((work, shared))
    except Exception:  # a function of the caller's, perhaps
        return None
    results: dict[int, Any] = {}
    waiting = deque(range(len(pieces)))
    messages: _Messages = SimpleQueue()
    workers = [_Worker(instructions, pieces, waiting, messages) for _ in range(number)]
    begun, at_work = 0, number
    try:
        for worker in workers:
            worker.start()
        while at_work:
            kind, content = _next_message(messages)
            if kind == "begins":
                begins(content, begun)
                begun += 1
                continue
            if kind != "found":
                at_work -= 1
                if content is None:  # it has nothing more to do
                    continue
                content = content, WorkerFailure(kind)  # another one takes its place
                if waiting:
                    workers.append(_Worker(instructions, pieces, waiting, messages))
                    workers[-1].start()
                    at_work += 1
            results[content[0]] = content[1]
            found(*content)
    finally:
        for worker in workers:
            worker.end()
    return results


def _next_message(messages: _Messages) -> tuple[str, Any]:
    """Wait for the next message, in steps, so that an interrupt is noticed."""
    while True:
        with suppress(Empty):
            return messages.get(timeout=0.1)


class _Worker(Thread):
    """A process, and the thread that starts it and talks to it.

    An interrupt comes to the main thread alone, so it cannot lose a process that is being started.
    """

    def __init__(
        self, instructions: bytes, pieces: Sequence[Any], waiting: deque[int], messages: _Messages
    ) -> None:
        super().__init__(daemon=True)
        self._instructions, self._pieces, self._waiting, self._messages = (
            instructions,
            pieces,
            waiting,
            messages,
        )
        self._process: subprocess.Popen[bytes] | None = None
        self._starting, self._ended = Lock(), False

    def run(self) -> None:
        place: int | None = None
        try:
            process = self._start_process()
            if process is None:
                return
            _send(process, self._instructions)
            _receive(process)  # it is ready
            while (place := self._next_piece()) is not None:
                self._messages.put(("begins", place))
                _send(process, pickle.dumps(self._pieces[place]))
                self._messages.put(("found", (place, _receive(process))))
        except Exception:  # the pipe broke, or the process could not be started
            self._messages.put((self._exit_reason(), place))
            return
        self._messages.put(("done", None))

    def _start_process(self) -> subprocess.Popen[bytes] | None:
        """Start the process, unless the work has ended."""
        with self._starting:
            if not self._ended:
                path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "ontomask._runtime.worker_process"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": path},
                )
            return self._process

    def _next_piece(self) -> int | None:
        try:
            return self._waiting.popleft()
        except IndexError:  # another one took the last
            return None

    def _exit_reason(self) -> str:
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


def _send(process: subprocess.Popen[bytes], message: bytes) -> None:
    pipe: IO[bytes] = process.stdin  # type: ignore[assignment]  # it is a pipe
    pipe.write(message)
    pipe.flush()


def _receive(process: subprocess.Popen[bytes]) -> Any:
    pipe: IO[bytes] = process.stdout  # type: ignore[assignment]  # it is a pipe
    return pickle.load(pipe)  # noqa: S301 - from our own process
