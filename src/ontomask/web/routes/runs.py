"""The runs that are kept: listed, looked at, forgotten, and taken up again."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from ontomask.web.requests import ERROR_RESPONSES, Bench, ChangeRequest, ErrorResponse
from ontomask.web.routes.data import SessionState, describe_session
from ontomask.web.runs import StoredRun

__all__ = ["JSON_ERROR_RESPONSES", "router"]

router = APIRouter(tags=["runs"], responses=ERROR_RESPONSES)

RunId = Annotated[str, Path(max_length=20, description="The number of a run.")]

#: A report is a page by itself, with its styles and scripts inside; it may be shown in ours.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts "
    "allow-popups allow-downloads"
)


_ERROR_SCHEMA = f"#/components/schemas/{ErrorResponse.__name__}"

#: What is wrong is said in JSON also where the answer would be something else.
JSON_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {
        "description": response["description"],
        "content": {"application/json": {"schema": {"$ref": _ERROR_SCHEMA}}},
    }
    for code, response in ERROR_RESPONSES.items()
}


class RunSummary(BaseModel):
    """A run that is kept: what was done, what holds, and the chief figures.

    ``current`` says that the release file of now would give the same.
    """

    id: str
    made: str
    seconds: float
    title: str
    words: str
    guarantee: str
    k: int | None = Field(description="The promised k, if any.")
    smallest: int
    unit: str
    records: int
    linked: float | None
    uniques: int | None
    sse: float | None
    quality: float | None
    unmet: list[str]
    warnings: list[str]
    current: bool


class RunDetails(RunSummary):
    """A run with all that is known of it, and the release file that it was made with."""

    settings: str
    known: dict[str, Any] = Field(description="The facts that its report is made of.")


class RunList(BaseModel):
    """All runs, the oldest first."""

    runs: list[RunSummary]


@router.get("/api/runs")
def list_runs(bench: Bench) -> RunList:
    """All runs that are kept, the oldest first."""
    current = bench.current_run()
    return RunList(runs=[RunSummary(**_summary(run, current)) for run in bench.runs.list_runs()])


@router.get("/api/runs/{id}")
def get_run(id: RunId, bench: Bench) -> RunDetails:
    """A run with all its figures."""
    run = bench.runs.get(id)
    text = bench.runs.file(id, "release.yaml").read_text("utf-8")
    return RunDetails(**_summary(run, bench.current_run()), settings=text, known=run.known)


@router.delete("/api/runs/{id}")
def delete_run(id: RunId, bench: Bench) -> RunList:
    """Forget a run; until the workbench starts again it can be brought back."""
    bench.runs.delete_run(id)
    return list_runs(bench)


@router.post("/api/runs/{id}/restore")
def restore_run(id: RunId, bench: Bench) -> RunList:
    """Bring back a run that was forgotten."""
    bench.runs.restore_run(id)
    return list_runs(bench)


@router.post("/api/runs/{id}/settings")
def take_settings(id: RunId, at: ChangeRequest, bench: Bench) -> SessionState:
    """Make the release file what it was for this run; that can be undone like any change."""
    text = bench.runs.file(id, "release.yaml").read_text("utf-8")
    state = bench.draft.put(text, at.revision)
    if bench.data != state.fields.get("data"):  # it was about another table
        bench.begin(None)
    return describe_session(bench, state)


@router.get("/runs/{id}/report", response_class=HTMLResponse, responses=JSON_ERROR_RESPONSES)
def get_report(id: RunId, bench: Bench) -> HTMLResponse:
    """The report of a run."""
    text = bench.runs.file(id, "report.html").read_text("utf-8")
    return HTMLResponse(text, headers={"content-security-policy": REPORT_POLICY})


def _summary(run: StoredRun, current: StoredRun | None) -> dict[str, Any]:
    facts = run.known
    risk = {name: figure["value"] for name, figure in facts["risk"].items()}
    promise = facts["guarantee"]
    return {
        "id": run.id,
        "made": run.made,
        "seconds": run.seconds,
        "title": run.title,
        "words": run.words,
        "guarantee": promise["text"],
        "k": promise["k"],
        "smallest": promise["smallest"],
        "unit": promise["unit"],
        "records": facts["records"]["released"],
        "linked": risk["linkage_nearest"],
        "uniques": risk["uniques"],
        "sse": run.sse,
        "quality": facts["utility"]["semantic_quality"]["value"],
        "unmet": run.unmet,
        "warnings": run.warnings,
        "current": current is not None and run.id == current.id,
    }
