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
    from ontomask.releasefile.model import Spec

__all__ = ["SCRATCH", "main"]

#: How a folder for temporary files is called that is made for one piece of work.
SCRATCH = "ontomask-work-"

#: How long the work may take to end when nobody wants it any more, in seconds; then it is ended.
PATIENCE = 30.0


def main() -> None:
    """Hear what is to be done, do it, and say how it went."""
    for sign in (signal.SIGINT, signal.SIGTERM):  # one may have been ignored where this was started
        signal.signal(sign, signal.default_int_handler)
    line = sys.stdin.buffer.readline()
    if not line:  # nobody wants anything any more
        return
    told = json.loads(line)
    talk = _Talk(os.fdopen(os.dup(1), "w", encoding="utf-8"))
    os.dup2(2, 1)  # what libraries print must not get among the answers
    try:
        Thread(target=talk.listen, daemon=True).start()
        talk.tell(end="done", result=_done(told, talk))
    except KeyboardInterrupt:
        talk.tell(end="cancelled")
    except OntomaskError as error:
        talk.tell(end="failed", error=type(error).__name__, message=error.message, hint=error.hint)
    except MemoryError:
        talk.tell(
            end="failed",
            error="MemoryError",
            message="there is not enough memory for this",
            hint="say how much may be used with memory:, as memory: 2GB, or close other programs",
        )
    except Exception as error:
        traceback.print_exc()
        talk.tell(
            end="failed",
            error="InternalError",
            message=f"the work ended in a mistake of ours: {type(error).__name__}",
            hint="what happened is in the terminal; please report it",
        )
    finally:
        _forget_scratch()


def _forget_scratch() -> None:
    """Remove the folder for temporary files, where it was made for this process alone."""
    scratch = Path(tempfile.gettempdir())
    if scratch.name.startswith(SCRATCH):
        shutil.rmtree(scratch, ignore_errors=True)


class _Talk:
    """The lines that are written, and whether anybody wants them."""

    def __init__(self, answers: TextIO) -> None:
        self._answers, self._lock = answers, Lock()
        self._unwanted = Event()

    def tell(self, **message: Any) -> None:
        """Write a line; nobody may be there to read it."""
        line = json.dumps(message, ensure_ascii=True, allow_nan=False)
        with self._lock, suppress(OSError, ValueError):
            self._answers.write(f"{line}\n")
            self._answers.flush()

    def say(self, now: str) -> None:
        """Say what is being done; end here if that is wanted, for an interrupt may be lost."""
        self.heed()
        self.tell(now=now)

    def heed(self) -> None:
        """End the work if nobody wants it any more."""
        if self._unwanted.is_set():
            raise KeyboardInterrupt

    def listen(self) -> None:
        """Wait until the input ends, and then have the work end."""
        with suppress(OSError, ValueError):
            while os.read(0, 4096):  # not through Python, whose lock it would hold at the end
                pass
        self._unwanted.set()
        _thread.interrupt_main()
        Event().wait(PATIENCE)
        os._exit(1)


def _done(told: Mapping[str, Any], talk: _Talk) -> dict[str, Any]:
    """Do the work; what it gives."""
    from ontomask.pipeline.compile_ahead import compile_ahead

    talk.say("starting")
    if compile_ahead() is not None:
        talk.tell(first=True)
    with _warned(talk) as said:
        from ontomask.releasefile.model import Spec

        spec = Spec.from_dict(told["fields"], told["folder"])
        kinds = {"run": _run, "try": _try, "release": _release}
        return kinds[told["kind"]](spec, told, talk, said)


@contextmanager
def _warned(talk: _Talk) -> Iterator[list[str]]:
    """Warnings of the library are passed on, each once."""
    said: list[str] = []
    with warnings.catch_warnings():

        def show(message: Any, category: Any, *_: Any, **__: Any) -> None:
            if issubclass(category, OntomaskWarning) and str(message) not in said:
                said.append(str(message))
                talk.tell(warning=str(message))

        warnings.showwarning = show
        warnings.simplefilter("always", OntomaskWarning)
        yield said


# ---------------------------------------------------------------------- the kinds of work


def _run(spec: Spec, told: Mapping[str, Any], talk: _Talk, said: list[str]) -> dict[str, Any]:
    """Mask the whole table, and keep what is known of it; the table itself is not kept."""
    from ontomask.pipeline.facts import facts
    from ontomask.pipeline.requirements import unmet
    from ontomask.releasefile.run import masked_file
    from ontomask.report.words import method_in_words, method_title
    from ontomask.web.parts import parts_of
    from ontomask.web.runs import Runs, seen

    began, inputs = monotonic(), seen(spec)
    release = masked_file(spec, told["seed"], talk.say)
    talk.say("measuring utility and risk")
    evaluation = release.evaluation
    known = facts(release, spec.threshold)
    talk.say("writing the report")
    texts = {
        "release.yaml": told["text"],
        "report.html": release.report(known),
        "parts.json": json.dumps(parts_of(release, known), allow_nan=False),
    }
    talk.heed()
    kept = {
        "title": method_title(known),
        "words": method_in_words(known),
        "seconds": round(monotonic() - began, 3),
        "known": known,
        "sse": evaluation.utility["sse"],
        "unmet": unmet(spec.limits, evaluation, release.guarantee),
        "warnings": said,
        "fields": spec.as_dict(),
        "inputs": inputs,
    }
    return {"run": Runs(Path(told["runs"])).keep(kept, texts)}


def _try(spec: Spec, told: Mapping[str, Any], talk: _Talk, _: list[str]) -> dict[str, Any]:
    """The figures of the method on a sample of the records; nothing is kept."""
    from ontomask._runtime.interrupts import interruptible
    from ontomask.errors import ParameterError
    from ontomask.pipeline.compare import compare
    from ontomask.releasefile.problems import hints_in_yaml
    from ontomask.releasefile.run import file_settings

    talk.say("reading the taxonomies")
    schema = spec.schema()
    with hints_in_yaml():
        found = interruptible(
            lambda: compare(
                spec.data_path,
                schema,
                [spec.method_object()],
                told["seed"],
                require=spec.limits,
                workers=1,
                sample=told["sample"],
                progress=talk.say,
                **file_settings(spec),
            )
        )
    (point,), (row,) = found.points, found.table()
    if point.error:
        raise ParameterError(point.error, "change the settings, or take more records")
    return {
        "figures": row,
        "guarantee": str(point.guarantee),
        "records": found.records,
        "tuples": found.tuples,
        "sampled_from": found.sampled_from,
    }


def _release(spec: Spec, told: Mapping[str, Any], talk: _Talk, _: list[str]) -> dict[str, Any]:
    """Write the table, its manifest and its report into the folder."""
    from ontomask.releasefile.run import files_of, folders_of, refuse_targets, release_file
    from ontomask.web.runs import Runs, seen

    inputs = seen(spec)
    own = Path(told["folder"]) / told["file"]
    refuse_targets(files_of(spec), [own], folders_of(spec))
    outcome = release_file(spec, told["seed"], force=told["overwrite"], progress=talk.say)
    Runs(Path(told["runs"])).note_release(spec.as_dict(), inputs)
    return {
        "files": [Path(it).name for it in outcome.files],
        "guarantee": str(outcome.release.guarantee),
    }


if __name__ == "__main__":
    main()
