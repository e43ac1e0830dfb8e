"""Background tasks: start, watch, cancel."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ontomask.errors import ParameterError
from ontomask.releasefile.model import ReleaseFile
from ontomask.releasefile.run import output_files
from ontomask.releasefile.validation import is_remote
from ontomask.web.folder import SIDE_FILE_SUFFIXES
from ontomask.web.jobs.jobs import JobKind, JobRequest, JobState
from ontomask.web.requests import ERROR_RESPONSES, Bench, RequestModel
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["work"], responses=ERROR_RESPONSES)

#: Default number of records of a sample.
DEFAULT_SAMPLE = 2_000


class JobStartRequest(RequestModel):
    """A task for the release file in its current state."""

    kind: JobKind = Field(
        description="run: mask the whole table and store the figures. try: mask a sample and store "
        "nothing. release: write table, manifest and report into the working folder."
    )
    sample: int = Field(
        DEFAULT_SAMPLE, ge=10, le=1_000_000, description="For try: the number of records."
    )
    overwrite: bool = Field(
        False, description="For release: whether existing files may be overwritten."
    )
    allow_unchanged: bool = Field(
        False, description="For release: whether a table that masking did not change is released."
    )


@router.get("/work")
def get_work_state(bench: Bench) -> JobState:
    """The running task, or the outcome of the last one."""
    return bench.work.state()


@router.post("/work")
def start_work(request: JobStartRequest, bench: Bench) -> JobState:
    """Start a task; refused while another one is running."""
    now = bench.draft.read()
    spec = bench.draft.spec(now)
    if request.kind == "release":
        _refuse_output(bench, spec, request.overwrite)
    return bench.work.start(
        JobRequest(
            kind=request.kind,
            fields=now.fields,
            text=now.text,
            folder=bench.folder.path,
            file=bench.draft.path.name,
            runs=bench.runs.folder,
            seed=bench.seed,
            sample=request.sample,
            overwrite=request.overwrite,
            allow_unchanged=request.allow_unchanged,
        )
    )


@router.delete("/work")
def cancel_work(bench: Bench) -> JobState:
    """Cancel the running task; no unfinished files are left."""
    return bench.work.cancel()


def _refuse_output(bench: Workbench, spec: ReleaseFile, overwrite: bool) -> None:
    """Refuse an output that cannot be written before the work starts."""
    if not is_remote(spec.output):
        bench.folder.resolve_inside(spec.output)
    existing = [path.name for path in output_files(spec) if path.exists()]
    if existing and spec.output.endswith(SIDE_FILE_SUFFIXES):
        raise ParameterError(
            f"{spec.output} exists and is not a masked table",
            "enter another name for the masked table",
        )
    if existing and not overwrite:
        raise ParameterError(
            f"{existing[0]} already exists",
            "enter another name for the masked table, or tick “Overwrite existing files”",
        )
