"""Background tasks of the workbench: one at a time, in a process of their own.

The process is :mod:`ontomask.web.jobs.process`. It reads its task from one pipe and writes its
progress to another. Cancelling closes the first pipe, which also happens when the workbench is
killed; a process that does not react is ended. One that has done its task waits for the next,
which then starts at once.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread
from time import monotonic
from typing import Any, Literal

from pydantic import BaseModel, Field

from ontomask._runtime.files.work_folders import sweep_abandoned, temporary_folder
from ontomask._runtime.workers import start_python
from ontomask.web.errors import Busy

__all__ = ["JobFailure", "JobKind", "JobRequest", "JobRunner", "JobState"]

JobKind = Literal["run", "try", "release"]

#: The environment of a process, and where it looks for modules.
_Settings = tuple[dict[str, str], list[str]]

#: Descriptions of the running task, by kind.
BUSY_WORDS = {
    "run": "the table is being masked",
    "try": "the method is being tried on a sample",
    "release": "a release is being written",
}

#: Seconds that a process may take to stop; one that writes files must remove them.
SECONDS_TO_END = {"run": 5.0, "try": 5.0, "release": 20.0}


@dataclass(frozen=True)
class JobRequest:
    """A task for the current release file, which is given as fields and as text.

    ``file`` is the name of the release file, ``folder`` its folder, ``runs`` the folder of the
    stored runs. Only the process that runs the task gets the ``seed``.
    """

    kind: JobKind
    fields: Mapping[str, Any]
    text: str
    folder: Path
    file: str
    runs: Path
    seed: int = field(repr=False)
    sample: int | None = None
    overwrite: bool = False
    allow_unchanged: bool = False

    def to_json_line(self) -> bytes:
        """The task as the line of JSON that the process reads."""
        paths = {"folder": str(self.folder), "runs": str(self.runs)}
        return json.dumps({**asdict(self), **paths}).encode() + b"\n"


class JobFailure(BaseModel):
    """Why a task failed; ``unmet`` says that the result did not meet the requirements."""

    error: str
    message: str
    hint: str = ""
    unmet: bool = False


class JobState(BaseModel):
    """The work in the background: what is done, or how the last one ended.

    ``count`` grows with every beginning and every end. ``first`` says that loops are compiled,
    which happens once. ``result`` is what it gave: the number of a run, the figures of a try, the
    files of a release.
    """

    state: Literal["idle", "working", "done", "failed", "cancelled"] = "idle"
    kind: JobKind | None = None
    now: str = ""
    since: str | None = Field(default=None, description="When it began.")
    seconds: float = Field(default=0.0, description="How long it has taken.")
    count: int = 0
    first: bool = False
    cancelling: bool = False
    warnings: list[str] = []
    result: dict[str, Any] | None = None
    error: JobFailure | None = None


class JobRunner:
    """The work in the background of a workbench."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._state = JobState()
        self._began = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._follower: Thread | None = None

    def state(self) -> JobState:
        """The state of the work now."""
        with self._lock:
            state = self._state.model_copy(deep=True)
            if state.state == "working":
                state.seconds = round(monotonic() - self._began, 1)
            return state

    @property
    def busy(self) -> bool:
        """Whether a task is running."""
        return self._state.state == "working"

    @property
    def version(self) -> int:
        """A number that changes whenever a task starts or ends."""
        return self._state.count

    # ------------------------------------------------------------------ beginning

    def start(self, task: JobRequest) -> JobState:
        """Start a task; refused while another one is running."""
        with self._lock:
            if self._state.state == "working":
                raise Busy(
                    f"{BUSY_WORDS[str(self._state.kind)]}; only one task can run at a time",
                    "wait until it is done, or cancel it",
                )
            self._state = JobState(
                state="working",
                kind=task.kind,
                now="starting",
                since=datetime.now(UTC).isoformat(timespec="seconds"),
                count=self._state.count + 1,
            )
            self._began = monotonic()
            try:
                settings = _process_settings()
                self._process = _IDLE.take(settings)
            except OSError as error:
                self._set_end(
                    "failed", _process_failure(f"no process can be started: {error.strerror}")
                )
                return self._state.model_copy()
            self._follower = Thread(
                target=self._follow_process,
                args=(self._process, settings, task),
                daemon=True,
            )
            self._follower.start()
        return self.state()

    # ------------------------------------------------------------------ going on

    def _follow_process(
        self, process: subprocess.Popen[bytes], settings: _Settings, task: JobRequest
    ) -> None:
        """Send the task to the process, and read its messages until it ends."""
        last: Mapping[str, Any] = {}
        with suppress(OSError, ValueError):  # it ended, or was ended, at once
            process.stdin.write(task.to_json_line())  # type: ignore[union-attr]  # it is a pipe
            process.stdin.flush()  # type: ignore[union-attr]
        for line in process.stdout:  # type: ignore[union-attr]
            with suppress(ValueError):  # half a line, where it was killed
                last = json.loads(line)
                self._take_message(last)
            if "end" in last:
                break
        with self._lock:  # from here on it cannot be cancelled
            self._process = None
            stays = last.get("stays", False) and not self._state.cancelling
        if stays:
            _IDLE.keep(process, settings)
        code = 0 if stays else _close(process)
        end = last.get("end")
        if end is None:  # killed: it could not remove what it had not finished
            for folder in (temporary_folder(), task.folder, task.runs):
                sweep_abandoned(folder)
        with self._lock:
            if end == "done":
                self._state.result = last["result"]
                self._set_end("done")
            elif self._state.cancelling or end == "cancelled":
                self._set_end("cancelled")
            elif end is not None:
                self._set_end("failed", _failure_from(last))
            else:
                self._set_end("failed", _process_failure(_describe_exit(code)))

    def _take_message(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            if "now" in message:
                self._state.now = message["now"]
            if "first" in message:
                self._state.first = True
            if "warning" in message:
                self._state.warnings.append(message["warning"])

    def _set_end(
        self, state: Literal["done", "failed", "cancelled"], error: JobFailure | None = None
    ) -> None:
        """Note the end; the lock is held."""
        self._state.state, self._state.error = state, error
        self._state.now, self._state.cancelling = "", False
        self._state.seconds = round(monotonic() - self._began, 1)
        self._state.count += 1

    # ------------------------------------------------------------------ ending

    def cancel(self) -> JobState:
        """Cancel the task and remove unfinished files; does nothing if no task is running."""
        with self._lock:
            process, kind = self._process, self._state.kind
            if process is None or self._state.cancelling:
                process = None
            else:
                self._state.cancelling = True
        if process is not None:
            Thread(
                target=_end_process, args=(process, SECONDS_TO_END[str(kind)]), daemon=True
            ).start()
        return self.state()

    def wait(self, seconds: float | None = None) -> JobState:
        """Wait until the task has ended."""
        follower = self._follower
        if follower is not None:
            follower.join(seconds)
        return self.state()

    def close(self) -> None:
        """Cancel the task before the workbench ends."""
        if self.cancel().state == "working":
            self.wait(max(SECONDS_TO_END.values()) + 5)


class _IdleProcess:
    """The process that has done its task and waits for another, if there is one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: tuple[subprocess.Popen[bytes], _Settings] | None = None

    def take(self, settings: _Settings) -> subprocess.Popen[bytes]:
        """A process for a task: the one that waits, unless it was started with other settings."""
        kept = self._exchange(None)
        if kept is not None:
            process, started_with = kept
            if process.poll() is None and settings == started_with:
                return process
            _close(process)
        return start_python(
            "from ontomask.web.jobs.process import main; main()",
            subprocess.PIPE,
            subprocess.PIPE,
            None,
            environment=settings[0],
        )

    def keep(self, process: subprocess.Popen[bytes], settings: _Settings) -> None:
        """Keep a process until it is taken."""
        other = self._exchange((process, settings))
        if other is not None:  # of another workbench
            _close(other[0])

    def close(self) -> None:
        """End the process that waits."""
        kept = self._exchange(None)
        if kept is not None:
            _close(kept[0])

    def _exchange(
        self, kept: tuple[subprocess.Popen[bytes], _Settings] | None
    ) -> tuple[subprocess.Popen[bytes], _Settings] | None:
        with self._lock:
            before, self._kept = self._kept, kept
        return before


_IDLE = _IdleProcess()
atexit.register(_IDLE.close)


def _process_settings() -> _Settings:
    """The environment that a process gets, and where it looks for modules."""
    environment = {name: text for name, text in os.environ.items() if name != "ONTOMASK_SEED"}
    return environment, list(sys.path)


def _close(process: subprocess.Popen[bytes]) -> int:
    """Close the pipes of a process that ends, and wait for it; its exit code."""
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            pipe.close()  # type: ignore[union-attr]  # it is a pipe
    return process.wait()


def _end_process(process: subprocess.Popen[bytes], patience: float) -> None:
    """Ask a process to stop, and kill it if it does not."""
    with suppress(OSError, ValueError):
        process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()


# ---------------------------------------------------------------------- what went wrong


def _failure_from(message: Mapping[str, Any]) -> JobFailure:
    return JobFailure(
        error=message["error"],
        message=message["message"],
        hint=message["hint"],
        unmet=message["error"] == "RequirementNotMet",
    )


def _process_failure(message: str) -> JobFailure:
    return JobFailure(
        error="ProcessEnded",
        message=message,
        hint="try again; if memory is short, set memory in the release file, for example "
        "memory: 2GB",
    )


def _describe_exit(code: int) -> str:
    if code == -9:
        return "the process was killed, probably because memory ran out"
    reason = f"exit code {code}" if code >= 0 else f"signal {-code}"
    return f"the process ended unexpectedly ({reason})"
