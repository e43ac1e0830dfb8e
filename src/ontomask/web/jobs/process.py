"""The process that does the long work of the workbench, one piece: it is told what, and says how.

A process of its own gives back its memory, keeps the page answering, and can be ended at any time.
What to do is told in a line of JSON on its standard input, for the seed must not stand on a command
line or in a file. What is going on is said in lines of JSON on its standard output. It ends itself
when its input ends, whoever closed it: somebody who wants no more of it, or the system, where the
workbench was killed. What is unfinished is taken away then, as by Ctrl-C.
"""

from __future__ import annotations

import _thread
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO

from ontomask.errors import OntomaskError, OntomaskWarning

if TYPE_CHECKING:
    from ontomask.releasefile.model import ReleaseFile

__all__ = ["SCRATCH_PREFIX", "main"]

#: How a folder for temporary files is called that is made for one piece of work.
SCRATCH_PREFIX = "ontomask-work-"

#: How long the work may take to end when nobody wants it any more, in seconds; then it is ended.
SECONDS_TO_END = 30.0


def main() -> None:
    """Read the task, do it, and report how it ended."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent may have ignored one of them
        signal.signal(number, signal.default_int_handler)
    line = sys.stdin.buffer.readline()
    if not line:  # nobody wants anything any more
        return
    task = json.loads(line)
    channel = _Channel(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # what libraries print must not get among the answers
    try:
        Thread(target=channel.watch_input, daemon=True).start()
        channel.send(end="done", result=_do_task(task, channel))
    except KeyboardInterrupt:
        channel.send(end="cancelled")
    except OntomaskError as error:
        channel.send(
            end="failed", error=type(error).__name__, message=error.message, hint=error.hint
        )
    except MemoryError:
        channel.send(
            end="failed",
            error="MemoryError",
            message="there is not enough memory for this",
            hint="say how much may be used with memory:, as memory: 2GB, or close other programs",
        )
    except Exception as error:
        traceback.print_exc()
        channel.send(
            end="failed",
            error="InternalError",
            message=f"the work ended in a mistake of ours: {type(error).__name__}",
            hint="what happened is in the terminal; please report it",
        )
    finally:
        _remove_scratch_folder()


def _remove_scratch_folder() -> None:
    """Remove the folder for temporary files, where it was made for this process alone."""
    scratch = Path(tempfile.gettempdir())
    if scratch.name.startswith(SCRATCH_PREFIX):
        shutil.rmtree(scratch, ignore_errors=True)


class _Channel:
    """The connection to the workbench: messages to it, and whether it still wants the work."""

    def __init__(self, answers: TextIO) -> None:
        self._answers, self._lock = answers, Lock()
        self._cancelled = Event()

    def send(self, **message: Any) -> None:
        """Send a message; nobody may be there to read it."""
        line = json.dumps(message, ensure_ascii=True, allow_nan=False)
        with self._lock, suppress(OSError, ValueError):
            self._answers.write(f"{line}\n")
            self._answers.flush()

    def report_progress(self, now: str) -> None:
        """Say what is being done; stop here if it was cancelled, for an interrupt may be lost."""
        self.stop_if_cancelled()
        self.send(now=now)

    def stop_if_cancelled(self) -> None:
        """Stop the work if nobody wants it any more."""
        if self._cancelled.is_set():
            raise KeyboardInterrupt

    def watch_input(self) -> None:
        """Wait until the input ends, and then stop the work."""
        with suppress(OSError, ValueError):
            while os.read(0, 4096):  # not through Python, whose lock it would hold at the end
                pass
        self._cancelled.set()
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
    from ontomask.pipeline.requirements import unmet_requirements
    from ontomask.releasefile.run import mask_file
    from ontomask.web.result_sections import build_result_sections
    from ontomask.web.runs import RunStore, stamp_inputs

    began, inputs = monotonic(), stamp_inputs(spec)
    release = mask_file(spec, task["seed"], channel.report_progress)
    channel.report_progress("measuring utility and risk")
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
        "sse": evaluation.utility["sse"],
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
                workers=1,
                sample=task["sample"],
                progress=channel.report_progress,
                **file_settings(spec),
            )
        )
    (point,), (row,) = comparison.points, comparison.table()
    if point.error:
        raise ParameterError(point.error, "change the settings, or take more records")
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
    from ontomask.releasefile.run import output_files, output_folders, refuse_targets, write_release
    from ontomask.web.runs import RunStore, stamp_inputs

    inputs = stamp_inputs(spec)
    own_file = Path(task["folder"]) / task["file"]
    refuse_targets(output_files(spec), [own_file], output_folders(spec))
    outcome = write_release(
        spec, task["seed"], force=task["overwrite"], progress=channel.report_progress
    )
    RunStore(Path(task["runs"])).note_release(spec.as_dict(), inputs)
    return {
        "files": [Path(file).name for file in outcome.files],
        "guarantee": str(outcome.release.guarantee),
    }


if __name__ == "__main__":
    main()
