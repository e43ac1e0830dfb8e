"""The work in the background: begun, looked at, cancelled."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ontomask.errors import ParameterError
from ontomask.releasefile.checks import is_remote
from ontomask.releasefile.model import ReleaseFile
from ontomask.releasefile.run import output_files
from ontomask.web.folder import SIDE_FILE_SUFFIXES
from ontomask.web.jobs.jobs import JobKind, JobRequest, JobState
from ontomask.web.requests import ERROR_RESPONSES, Bench, RequestModel
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["work"], responses=ERROR_RESPONSES)

#: Records that are tried unless a number is given.
DEFAULT_SAMPLE = 2_000


class JobStartRequest(RequestModel):
    """Something to do with the release as its file says it now."""

    kind: JobKind = Field(
        description="run: mask the whole table, and keep what is known of it. try: only some "
        "records, and keep nothing. release: write table, manifest and report into the folder."
    )
    sample: int = Field(
        DEFAULT_SAMPLE, ge=10, le=1_000_000, description="Of a try: how many records."
    )
    overwrite: bool = Field(False, description="Of a release: whether files may be overwritten.")


@router.get("/work")
def get_work_state(bench: Bench) -> JobState:
    """What is being done, or how the last work ended."""
    return bench.work.state()


@router.post("/work")
def start_work(request: JobStartRequest, bench: Bench) -> JobState:
    """Start the work; refused while other work goes on."""
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
        )
    )


@router.delete("/work")
def cancel_work(bench: Bench) -> JobState:
    """Cancel what is being done; nothing half-written is left."""
    return bench.work.cancel()


def _refuse_output(bench: Workbench, spec: ReleaseFile, overwrite: bool) -> None:
    """Refuse an output that cannot be written before the work starts."""
    if not is_remote(spec.output):
        bench.folder.resolve_inside(spec.output)
    existing = [path.name for path in output_files(spec) if path.exists()]
    if existing and spec.output.endswith(SIDE_FILE_SUFFIXES):
        raise ParameterError(f"{spec.output} is no masked table", "name another output")
    if existing and not overwrite:
        raise ParameterError(
            f"{existing[0]} exists already",
            "name another output, or tick that it may be overwritten",
        )
