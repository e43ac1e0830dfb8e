"""The process that runs the long tasks of the workbench, one after another.

A separate process keeps the page responsive and can be stopped at any time. It reads each task as a
line of JSON from its standard input, because the seed must not appear on a command line or in a
file. It writes its progress as lines of JSON to its standard output. It stops when its input is
closed, either because the task was cancelled or because the workbench was killed, and then removes
unfinished files, as after Ctrl-C. A process that holds much memory after its task ends, to give
that back.
"""

from __future__ import annotations

import _thread
import gc
import json
import os
import signal
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from ontomask._runtime.interrupts import STOP_SIGNALS
from ontomask._runtime.progress import listen_to_progress
from ontomask.errors import OntomaskError, OntomaskWarning
from ontomask.web.control_hints import control_hint

if TYPE_CHECKING:
    from ontomask.releasefile.model import ReleaseFile

__all__ = ["main"]

#: Seconds that a cancelled task may take to stop before the process is ended.
SECONDS_TO_END = 30.0

#: A process that holds no more bytes than this after its task waits for another one.
MOST_MEMORY_KEPT = 500_000_000


def main() -> None:
    """Read tasks, do them, and report how each ended."""
    for number in STOP_SIGNALS:  # the parent may have ignored one of them
        signal.signal(number, signal.default_int_handler)
    channel = _Channel(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # output of libraries must not mix with the messages
    Thread(target=channel.watch_input, daemon=True).start()
    with suppress(KeyboardInterrupt):
        for task in iter(channel.tasks.get, None):
            with channel.while_working():
                end = _try_task(task, channel)
            gc.collect()
            stays = end["end"] == "done" and not _holds_much_memory()
            channel.send(**end, stays=stays)
            if not stays:
                return


def _try_task(task: Mapping[str, Any], channel: _Channel) -> dict[str, Any]:
    """Do a task; how it ended."""
    try:
        return {"end": "done", "result": _do_task(task, channel)}
    except KeyboardInterrupt:
        return {"end": "cancelled"}
    except OntomaskError as error:
        return {
            "end": "failed",
            "error": type(error).__name__,
            "message": error.message,
            "hint": control_hint(error),
        }
    except MemoryError:
        return {
            "end": "failed",
            "error": "MemoryError",
            "message": "not enough memory",
            "hint": "close other programs, or set memory in the release file, for example "
            "memory: 2GB",
        }
    except Exception as error:
        traceback.print_exc()
        return {
            "end": "failed",
            "error": "InternalError",
            "message": f"internal error: {type(error).__name__}",
            "hint": "the terminal shows the details; please report them",
        }


def _holds_much_memory() -> bool:
    """Whether this process holds so much memory that it should be given back.

    The system's own peak is no measure: on Linux, a new process starts with that of its parent.
    """
    try:
        with open("/proc/self/statm", "rb") as status:
            pages = int(status.read().split()[1])
    except OSError:  # not Linux
        return True
    return pages * os.sysconf("SC_PAGE_SIZE") > MOST_MEMORY_KEPT


class _Channel:
    """The connection to the workbench: its tasks, messages to it, whether it cancelled the task."""

    def __init__(self, answers: TextIO) -> None:
        self._answers, self._lock = answers, Lock()
        self._cancelled, self._working = Event(), Event()
        self.tasks: SimpleQueue[Mapping[str, Any] | None] = SimpleQueue()

    def send(self, **message: Any) -> None:
        """Send a message; the workbench may have ended already."""
        line = json.dumps(message, ensure_ascii=True, allow_nan=False)
        with self._lock, suppress(OSError, ValueError):
            self._answers.write(f"{line}\n")
            self._answers.flush()

    @contextmanager
    def while_working(self) -> Iterator[None]:
        """Interrupt what the block does where the task is cancelled."""
        self._working.set()
        yield
        self._working.clear()

    def report_progress(self, now: str) -> None:
        """Report progress; stop here if the task was cancelled, as an interrupt may be lost."""
        self.stop_if_cancelled()
        self.send(now=now)

    def stop_if_cancelled(self) -> None:
        """Stop the work if it was cancelled."""
        if self._cancelled.is_set():
            raise KeyboardInterrupt

    def watch_input(self) -> None:
        """Pass on the tasks; when the input ends, stop the work."""
        line = b""
        with suppress(OSError, ValueError):
            while text := os.read(0, 65536):  # not through Python, whose lock it would hold
                *lines, line = (line + text).split(b"\n")
                for whole in lines:
                    self.tasks.put(json.loads(whole))
        self._cancelled.set()
        self.tasks.put(None)
        if self._working.is_set():
            _thread.interrupt_main()
        Event().wait(SECONDS_TO_END)
        os._exit(1)


def _do_task(task: Mapping[str, Any], channel: _Channel) -> dict[str, Any]:
    """Do the task, and return its result."""
    from ontomask.pipeline.compile_ahead import compile_ahead

    channel.report_progress("starting")
    if compile_ahead() is not None:
        channel.send(first=True)
    with _forward_warnings(channel) as warned:
        from ontomask.releasefile.model import ReleaseFile

        spec = ReleaseFile.from_dict(task["fields"], task["folder"])
        kinds = {"run": _mask_and_store, "try": _try_sample, "release": _write_release}
        return kinds[task["kind"]](spec, task, channel, warned)


@contextmanager
def _forward_warnings(channel: _Channel) -> Iterator[list[str]]:
    """Send the warnings of the library to the workbench, each once."""
    warned: list[str] = []
    with warnings.catch_warnings():

        def forward(message: Any, category: Any, *_: Any, **__: Any) -> None:
            if issubclass(category, OntomaskWarning) and str(message) not in warned:
                warned.append(str(message))
                channel.send(warning=str(message))

        warnings.showwarning = forward
        warnings.simplefilter("always", OntomaskWarning)
        yield warned


# ---------------------------------------------------------------------- the kinds of work


def _mask_and_store(
    spec: ReleaseFile, task: Mapping[str, Any], channel: _Channel, warned: list[str]
) -> dict[str, Any]:
    """Mask the whole table, and store its figures and report; the table itself is not stored."""
    from ontomask.pipeline.facts import publishable_facts
    from ontomask.pipeline.guarantees.requirements import judged_figures, unmet_requirements
    from ontomask.releasefile.run import mask_file
    from ontomask.report.plain_values import to_plain_values
    from ontomask.web.result_sections import build_result_sections
    from ontomask.web.runs import RunStore, stamp_inputs

    began, inputs = monotonic(), stamp_inputs(spec)
    release = mask_file(spec, task["seed"], channel.report_progress)
    channel.report_progress("measuring utility and risk")
    with listen_to_progress(channel.report_progress):
        evaluation = release.evaluation
    run_facts = publishable_facts(release, spec.threshold)
    channel.report_progress("writing the report")
    texts = {
        "release.yaml": task["text"],
        "report.html": release.report(run_facts),
        "parts.json": json.dumps(build_result_sections(release, run_facts), allow_nan=False),
    }
    channel.stop_if_cancelled()
    run = {
        "title": run_facts["method"]["title"],
        "words": run_facts["method"]["description"],
        "seconds": round(monotonic() - began, 3),
        "known": run_facts,
        "exact": to_plain_values(judged_figures(evaluation)),
        "unmet": unmet_requirements(spec.limits, evaluation, release.guarantee),
        "warnings": warned,
        "fields": spec.as_dict(),
        "inputs": inputs,
    }
    return {"run": RunStore(Path(task["runs"])).keep(run, texts)}


def _try_sample(
    spec: ReleaseFile, task: Mapping[str, Any], channel: _Channel, _: list[str]
) -> dict[str, Any]:
    """Measure the method on a sample of the records; nothing is stored."""
    from ontomask._runtime.interrupts import run_interruptibly
    from ontomask.errors import ParameterError
    from ontomask.pipeline import compare
    from ontomask.releasefile.problems import translate_hints
    from ontomask.releasefile.run import file_settings

    channel.report_progress("reading the taxonomies")
    schema = spec.schema()
    with translate_hints():
        comparison = run_interruptibly(
            lambda: compare(
                spec.data_path,
                schema,
                [spec.method_object()],
                task["seed"],
                require=spec.limits,
                population=spec.population_object(),
                workers=1,
                sample=task["sample"],
                progress=channel.report_progress,
                **file_settings(spec),
            )
        )
    (point,), (row,) = comparison.points, comparison.table()
    if point.error:
        raise ParameterError(point.error, "change the settings, or use a larger sample")
    return {
        "figures": row,
        "guarantee": str(point.guarantee),
        "records": comparison.records,
        "tuples": comparison.tuples,
        "sampled_from": comparison.sampled_from,
    }


def _write_release(
    spec: ReleaseFile, task: Mapping[str, Any], channel: _Channel, _: list[str]
) -> dict[str, Any]:
    """Write the table, its manifest and its report into the folder."""
    from ontomask._runtime.files.atomic_files import refuse_targets
    from ontomask.releasefile.run import output_files, output_folders, write_release
    from ontomask.web.runs import RunStore, stamp_inputs

    inputs = stamp_inputs(spec)
    own_file = Path(task["folder"]) / task["file"]
    refuse_targets(output_files(spec), [own_file], output_folders(spec))
    outcome = write_release(
        spec,
        task["seed"],
        force=task["overwrite"],
        allow_unchanged=task["allow_unchanged"],
        progress=channel.report_progress,
    )
    RunStore(Path(task["runs"])).note_release(spec.as_dict(), inputs)
    return {
        "files": [Path(file).name for file in outcome.files],
        "guarantee": str(outcome.release.guarantee),
    }
