"""The Release screen: requirements, whether they are met, and the released files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from ontomask.errors import OntomaskError, format_percent
from ontomask.pipeline.guarantees.requirements import (
    CLOSENESS_FIGURES,
    SENSITIVE_FIGURES,
    worst_linkage,
)
from ontomask.releasefile.model import ReleaseFile, Requirements
from ontomask.releasefile.run import output_files
from ontomask.report.pages.numbers import format_figure, format_integer
from ontomask.web.errors import NotThere
from ontomask.web.requests import ERROR_RESPONSES, Bench
from ontomask.web.result_sections import describe_cautions, evaluate_requirements
from ontomask.web.routes.result import CautionNote
from ontomask.web.routes.runs import JSON_ERROR_RESPONSES
from ontomask.web.runs import StoredRun
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(tags=["release"], responses=ERROR_RESPONSES)

FileKind = Literal["table", "report", "manifest", "release"]


# ---------------------------------------------------------------------- requirements


class RequirementStatus(BaseModel):
    """A requirement: its limit, the measured figure, and whether it is met.

    ``holds`` is None if there is no limit or no run with the current settings.
    """

    name: str
    title: str
    words: str
    kind: Literal["whole", "share", "number"]
    limit: float | None
    found: str | None
    holds: bool | None
    reasons: list[str]


class RequirementStatuses(BaseModel):
    """All requirements, evaluated on the latest run with the current settings."""

    run: str | None = Field(description="The number of that run, if there is one.")
    title: str | None
    guarantee: str | None
    cautions: list[CautionNote] = Field(
        description="What to consider before publishing the release."
    )
    elsewhere: bool = Field(description="Whether that run used another seed.")
    unchanged: bool = Field(description="Whether that run changed no record.")
    requirements: list[RequirementStatus]


REQUIREMENT_TITLES: dict[str, tuple[str, Literal["whole", "share", "number"]]] = {
    "k": ("k at least", "whole"),
    "l": ("l at least", "whole"),
    "t": ("t at most", "share"),
    "k_map": ("k-map at least", "whole"),
    "entropy_l": ("Entropy l at least", "number"),
    "alpha": ("α at most", "share"),
    "beta": ("β at most", "number"),
    "delta": ("δ at most", "number"),
    "linkage_below": ("Share of linked records below", "share"),
    "sse_below": ("SSE below", "number"),
}


@router.get("/api/requirements")
def list_requirements(bench: Bench) -> RequirementStatuses:
    """The requirements, and whether the latest run with these settings meets them."""
    run = bench.current_run()
    require = bench.draft.requirements()
    measured = {} if run is None else dict(_measured_figures(run))
    reasons = {}
    if run is not None:
        checks = evaluate_requirements(require, run.known, run.exact)
        reasons = {name: why for name, _, why in checks}
    return RequirementStatuses(
        run=run.id if run else None,
        title=run.title if run else None,
        guarantee=run.known["guarantee"]["text"] if run else None,
        cautions=[CautionNote.model_validate(it) for it in describe_cautions(run.known)]
        if run
        else [],
        elsewhere=run is not None and bench.had_another_seed(run.made),
        unchanged=run is not None and run.known["utility"]["changed_records"]["value"] == 0,
        requirements=[
            RequirementStatus(
                name=name,
                title=title,
                words=str(Requirements.model_fields[name].description),
                kind=kind,
                limit=require.limits.get(name),
                found=measured.get(name),
                holds=not reasons[name] if name in reasons else None,
                reasons=reasons.get(name, []),
            )
            for name, (title, kind) in REQUIREMENT_TITLES.items()
        ],
    )


def _measured_figures(run: StoredRun) -> Iterator[tuple[str, str]]:
    """The figure of a run for each requirement, as text."""
    risk, population = run.exact["risk"], run.exact["population"]
    promise = run.known["guarantee"]
    yield "k", f"{format_integer(promise['smallest'])} {promise['unit']} in the smallest class"
    diversity = risk.get("l_distinct") or {}
    if diversity:
        column = min(diversity, key=lambda name: diversity[name])
        yield "l", f"{format_integer(diversity[column])} in the least diverse class ({column})"
    closeness = {
        column: next(
            risk[how][column] for how in CLOSENESS_FIGURES if column in (risk.get(how) or {})
        )
        for column in risk.get("t_equal") or {}
    }
    if closeness:
        column = max(closeness, key=lambda name: closeness[name])
        yield "t", f"{format_figure(closeness[column])} in the most distant class ({column})"
    if population.get("k_map") is not None:
        yield "k_map", f"{format_figure(population['k_map'])} people match the rarest class"
    for name, (figure, is_least, _) in SENSITIVE_FIGURES.items():
        values = {c: v for c, v in (risk.get(figure) or {}).items() if v is not None}
        if values:
            column = (min if is_least else max)(values, key=lambda name: values[name])
            yield name, f"{format_figure(values[column])} in the worst class ({column})"
    linked, unit, is_estimate = worst_linkage(risk)
    share = "unknown" if linked is None else format_percent(linked)
    of_people = " of the people" if unit == "people" else ""
    yield "linkage_below", f"{share}{of_people}{' at most (estimated)' if is_estimate else ''}"
    yield "sse_below", format_figure(run.exact["utility"]["sse"])


# ---------------------------------------------------------------------- the files


class ReleasedFile(BaseModel):
    """A file of the release; ``bytes`` and ``changed`` are None if it does not exist yet."""

    what: FileKind
    title: str
    name: str
    there: bool
    bytes: int | None
    changed: str | None


class Downloads(BaseModel):
    """The files of a release, and the release file itself.

    ``current`` says that the workbench wrote them with the current settings.
    """

    files: list[ReleasedFile]
    exists: bool
    current: bool


FILE_TITLES: dict[FileKind, str] = {
    "table": "Masked table",
    "report": "Report",
    "manifest": "Manifest",
    "release": "Release file",
}


@router.get("/api/downloads")
def list_downloads(bench: Bench) -> Downloads:
    """The files of the release, and which of them exist."""
    paths = _release_paths(bench)
    files = [_describe_file(kind, path) for kind, path in paths.items()]
    current = False
    with suppress(OntomaskError):
        current = bench.runs.is_released(bench.spec())
    outputs = [file for file in files if file.what != "release"]
    return Downloads(
        files=files,
        exists=any(file.there for file in outputs),
        current=current and bool(outputs) and all(file.there for file in outputs),
    )


@router.get(
    "/download/{what}",
    response_class=FileResponse,
    responses={
        **JSON_ERROR_RESPONSES,
        200: {"description": "The file.", "content": {"application/octet-stream": {}}},
    },
)
def download_file(what: FileKind, bench: Bench) -> FileResponse:
    """Download a file of the release."""
    path = _release_paths(bench).get(what)
    if path is None or not path.is_file():
        raise NotThere(
            f"the {FILE_TITLES[what].lower()} does not exist yet", "press “Write the release” first"
        )
    path = bench.folder.resolve_existing(str(path))
    return FileResponse(
        path,
        media_type="application/octet-stream",
        filename=path.name,
        headers={"x-content-type-options": "nosniff"},
    )


def _release_paths(bench: Workbench) -> dict[FileKind, Path]:
    """The files that the release file names, and itself."""
    paths: dict[FileKind, Path] = {}
    with suppress(OntomaskError):
        spec: ReleaseFile = bench.spec()
        *tables, manifest, report = output_files(spec)  # a table elsewhere is not among them
        paths = {"report": report, "manifest": manifest}
        paths = {**({"table": tables[0]} if tables else {}), **paths}
    return {**paths, "release": bench.draft.path}


def _describe_file(kind: FileKind, path: Path) -> ReleasedFile:
    try:
        stat = path.stat()
    except OSError:
        stat = None
    changed = stat and datetime.fromtimestamp(stat.st_mtime, UTC).isoformat(timespec="seconds")
    return ReleasedFile(
        what=kind,
        title=FILE_TITLES[kind],
        name=path.name,
        there=stat is not None,
        bytes=stat.st_size if stat else None,
        changed=changed,
    )
