"""The work in the background: begun, looked at, cancelled."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ontomask.errors import ParameterError
from ontomask.releasefile.checks import is_elsewhere
from ontomask.releasefile.model import Spec
from ontomask.releasefile.run import files_of
from ontomask.web.asking import ERRORS, Asked, Bench
from ontomask.web.folder import BESIDE
from ontomask.web.jobs.jobs import Kind, Task, WorkState
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["work"], responses=ERRORS)

#: Records that are tried unless a number is given.
USUAL_SAMPLE = 2_000


class Begin(Asked):
    """Something to do with the release as its file says it now."""

    kind: Kind = Field(
        description="run: mask the whole table, and keep what is known of it. try: only some "
        "records, and keep nothing. release: write table, manifest and report into the folder."
    )
    sample: int = Field(
        USUAL_SAMPLE, ge=10, le=1_000_000, description="Of a try: how many records."
    )
    overwrite: bool = Field(False, description="Of a release: whether files may be overwritten.")


@router.get("/work")
def look(bench: Bench) -> WorkState:
    """What is being done, or how the last work ended."""
    return bench.work.state()


@router.post("/work")
def begin(asked: Begin, bench: Bench) -> WorkState:
    """Begin; one thing is done at a time."""
    now = bench.draft.read()
    spec = bench.draft.spec(now)
    if asked.kind == "release":
        _refuse_output(bench, spec, asked.overwrite)
    return bench.work.start(
        Task(
            kind=asked.kind,
            fields=now.fields,
            text=now.text,
            folder=bench.folder.path,
            file=bench.draft.path.name,
            runs=bench.runs.folder,
            seed=bench.seed,
            sample=asked.sample,
            overwrite=asked.overwrite,
        )
    )


@router.delete("/work")
def cancel(bench: Bench) -> WorkState:
    """Cancel what is being done; nothing half-written is left."""
    return bench.work.cancel()


def _refuse_output(bench: Workbench, spec: Spec, overwrite: bool) -> None:
    """What cannot be written is said at once, in the words of the page."""
    if not is_elsewhere(spec.output):
        bench.folder.inside(spec.output)
    there = [path.name for path in files_of(spec) if path.exists()]
    if there and spec.output.endswith(BESIDE):
        raise ParameterError(f"{spec.output} is no masked table", "name another output")
    if there and not overwrite:
        raise ParameterError(
            f"{there[0]} exists already", "name another output, or tick that it may be overwritten"
        )
