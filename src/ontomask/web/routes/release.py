"""The Release screen: what must hold and whether it does, and the files that were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, ValidationError

from ontomask.errors import OntomaskError
from ontomask.pipeline.requirements import CLOSENESS
from ontomask.releasefile.model import Requirements, Spec
from ontomask.releasefile.run import files_of
from ontomask.report.pages.numbers import figure, percent, whole
from ontomask.web.asking import ERRORS, Bench
from ontomask.web.errors import NotThere
from ontomask.web.parts import held_to
from ontomask.web.routes.runs import IN_JSON
from ontomask.web.runs import Kept
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(tags=["release"], responses=ERRORS)

What = Literal["table", "report", "manifest", "release"]


# ---------------------------------------------------------------------- what must hold


class Requirement(BaseModel):
    """Something that can be required: the limit, what was found, and whether that will do.

    ``holds`` is None where nothing is required, or no run says it.
    """

    name: str
    title: str
    words: str
    kind: Literal["whole", "share", "number"]
    limit: float | None
    found: str | None
    holds: bool | None
    reasons: list[str]


class AllRequirements(BaseModel):
    """All that can be required, judged by the last run that is as the release file says now."""

    run: str | None = Field(description="The number of that run, if there is one.")
    title: str | None
    guarantee: str | None
    cautions: list[str] = Field(description="What to know before that is published.")
    elsewhere: bool = Field(description="Whether chance began elsewhere for that run.")
    requirements: list[Requirement]


TITLES: dict[str, tuple[str, Literal["whole", "share", "number"]]] = {
    "k": ("k: records that look alike", "whole"),
    "l": ("l: different confidential values", "whole"),
    "t": ("t: distance of a class from the whole table", "share"),
    "linkage_below": ("Records linked, below", "share"),
    "sse_below": ("Loss (SSE), below", "number"),
}


@router.get("/api/requirements")
def requirements(bench: Bench) -> AllRequirements:
    """What is required, and whether the last run with these settings meets it."""
    run = bench.current_run()
    asked = _require(bench.draft.read().fields)
    found = {} if run is None else dict(_found(run))
    reasons = {}
    if run is not None:
        judged = held_to(asked, run.known, {"figures": {"sse": run.sse}})
        reasons = {name: why for name, _, why in judged}
    return AllRequirements(
        run=run.id if run else None,
        title=run.title if run else None,
        guarantee=run.known["guarantee"]["text"] if run else None,
        cautions=run.known["cautions"] if run else [],
        elsewhere=run is not None and bench.began_elsewhere(run.made),
        requirements=[
            Requirement(
                name=name,
                title=title,
                words=str(Requirements.model_fields[name].description),
                kind=kind,
                limit=asked.given.get(name),
                found=found.get(name),
                holds=not reasons[name] if name in reasons else None,
                reasons=reasons.get(name, []),
            )
            for name, (title, kind) in TITLES.items()
        ],
    )


def _require(fields: Mapping[str, Any]) -> Requirements:
    """What is required, as far as it can be understood."""
    found: dict[str, Any] = {}
    for name, limit in (fields.get("require") or {}).items():
        with suppress(ValidationError):
            found |= Requirements.model_validate({name: limit}).given
    return Requirements.model_validate(found)


def _found(run: Kept) -> Iterator[tuple[str, str]]:
    """What was found of each, as it is written."""
    risk = {name: it["value"] for name, it in run.known["risk"].items()}
    promise = run.known["guarantee"]
    yield "k", f"{whole(promise['smallest'])} {promise['unit']} in the smallest class"
    fewest = risk.get("l_distinct") or {}
    if fewest:
        column = min(fewest, key=lambda name: fewest[name])
        yield "l", f"{whole(fewest[column])} in the class with the fewest ({column})"
    apart = {
        column: next(risk[how][column] for how in CLOSENESS if column in (risk.get(how) or {}))
        for column in risk.get("t_equal") or {}
    }
    if apart:
        column = max(apart, key=lambda name: apart[name])
        yield "t", f"{figure(apart[column])} at most ({column})"
    linked, interval = risk["linkage_nearest"], risk.get("linkage_nearest_interval")
    yield (
        "linkage_below",
        f"{percent(interval[1])} at most, estimated" if interval else percent(linked),
    )
    yield "sse_below", figure(run.sse)


# ---------------------------------------------------------------------- the files


class ReleasedFile(BaseModel):
    """A file that a release writes; ``bytes`` and ``changed`` are known where it is there."""

    what: What
    title: str
    name: str
    there: bool
    bytes: int | None
    changed: str | None


class Downloads(BaseModel):
    """The files of a release, and the release file itself.

    ``current`` says that they were written from here as the release file says now.
    """

    files: list[ReleasedFile]
    exists: bool
    current: bool


FILES: dict[What, str] = {
    "table": "Masked table",
    "report": "Report",
    "manifest": "Manifest",
    "release": "Release file",
}


@router.get("/api/downloads")
def downloads(bench: Bench) -> Downloads:
    """The files that a release writes, and which of them are there."""
    places = _places(bench)
    files = [_file(what, path) for what, path in places.items()]
    current = False
    with suppress(OntomaskError):
        current = bench.runs.is_released(bench.spec())
    written = [it for it in files if it.what != "release"]
    return Downloads(
        files=files,
        exists=any(it.there for it in written),
        current=current and bool(written) and all(it.there for it in written),
    )


@router.get(
    "/download/{what}",
    response_class=FileResponse,
    responses={
        **IN_JSON,
        200: {"description": "The file.", "content": {"application/octet-stream": {}}},
    },
)
def download(what: What, bench: Bench) -> FileResponse:
    """A file of the release, to be saved elsewhere."""
    path = _places(bench).get(what)
    if path is None or not path.is_file():
        raise NotThere(f"there is no {FILES[what].lower()} yet", "write the release first")
    path = bench.folder.existing(str(path))
    return FileResponse(
        path,
        media_type="application/octet-stream",
        filename=path.name,
        headers={"x-content-type-options": "nosniff"},
    )


def _places(bench: Workbench) -> dict[What, Path]:
    """The files that the release file names, and itself."""
    found: dict[What, Path] = {}
    with suppress(OntomaskError):
        spec: Spec = bench.spec()
        *tables, manifest, report = files_of(spec)  # a table elsewhere is not among them
        found = {"report": report, "manifest": manifest}
        found = {**({"table": tables[0]} if tables else {}), **found}
    return {**found, "release": bench.draft.path}


def _file(what: What, path: Path) -> ReleasedFile:
    try:
        state = path.stat()
    except OSError:
        state = None
    changed = state and datetime.fromtimestamp(state.st_mtime, UTC).isoformat(timespec="seconds")
    return ReleasedFile(
        what=what,
        title=FILES[what],
        name=path.name,
        there=state is not None,
        bytes=state.st_size if state else None,
        changed=changed,
    )
