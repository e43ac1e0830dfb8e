"""Stored runs: list, show, delete, restore, and use their settings."""

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

#: A report is a complete page with inline styles and scripts; it may be shown in a frame.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts "
    "allow-popups allow-downloads"
)


_ERROR_SCHEMA = f"#/components/schemas/{ErrorResponse.__name__}"

#: Errors are JSON, even if the normal answer is something else.
JSON_ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {
        "description": response["description"],
        "content": {"application/json": {"schema": {"$ref": _ERROR_SCHEMA}}},
    }
    for code, response in ERROR_RESPONSES.items()
}


class RunSummary(BaseModel):
    """A stored run: its method, guarantee and main figures.

    ``current`` says that it has the current settings.
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
    """A run with all its facts and its release file."""

    settings: str
    known: dict[str, Any] = Field(description="The facts of its report.")


class RunList(BaseModel):
    """All runs, the oldest first."""

    runs: list[RunSummary]


@router.get("/api/runs")
def list_runs(bench: Bench) -> RunList:
    """All stored runs, the oldest first."""
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
    """Delete a run; it can be restored until the workbench is restarted."""
    bench.runs.delete_run(id)
    return list_runs(bench)


@router.post("/api/runs/{id}/restore")
def restore_run(id: RunId, bench: Bench) -> RunList:
    """Restore a deleted run."""
    bench.runs.restore_run(id)
    return list_runs(bench)


@router.post("/api/runs/{id}/settings")
def take_settings(id: RunId, at: ChangeRequest, bench: Bench) -> SessionState:
    """Restore the release file of this run; this can be undone like any change."""
    text = bench.runs.file(id, "release.yaml").read_text("utf-8")
    state = bench.draft.put(text, at.revision)
    if bench.data != state.fields.get("data"):  # that run used another table
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
        "linked": risk["linkage_nearest"]
        if risk.get("linkage_people") is None
        else risk["linkage_people"],
        "uniques": risk["uniques"],
        "sse": run.exact["utility"]["sse"],
        "quality": facts["utility"]["semantic_quality"]["value"],
        "unmet": run.unmet,
        "warnings": run.warnings,
        "current": current is not None and run.id == current.id,
    }
