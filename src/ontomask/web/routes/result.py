"""The Result screen: one run in detail, all runs on the map, and two runs compared."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from ontomask.pipeline.comparing.axes import Axis, axes_with_figures, loss_axes, risk_axes
from ontomask.pipeline.guarantees.requirements import LINKAGES, worst_linkage
from ontomask.releasefile.model import Requirements
from ontomask.report.figure_comparison import (
    FigureComparison,
    compare_figures,
    describe_table,
    differing_columns,
    differing_settings,
)
from ontomask.web.requests import ERROR_RESPONSES, Bench, NotThere
from ontomask.web.result_sections import describe_cautions, evaluate_requirements
from ontomask.web.runs import StoredRun

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["result"], responses=ERROR_RESPONSES)

#: The name of a run, as the list of runs gives it.
RunId = Annotated[str, Path(max_length=64, description="The name of a run.")]
RunInQuery = Annotated[str, Query(max_length=64, description="The name of a run.")]


class Tile(BaseModel):
    """One of the main figures, formatted; ``before`` is None if it is unknown."""

    name: str
    words: str
    before: str | None
    after: str
    better: Literal["lower", "higher"]


class Tab(BaseModel):
    """A section of the report as HTML, in which everything from data is escaped."""

    name: str
    title: str
    html: str


class TaxonomyDrawing(BaseModel):
    """The nodes of a column's taxonomy: parent, name, records before, records after, loss."""

    name: str
    nodes: list[tuple[int, int, int | None, int | None, float | None]]


class TaxonomyDrawings(BaseModel):
    """The data of the drawings of taxonomies; nodes refer to names by index."""

    names: list[str]
    columns: list[TaxonomyDrawing]
    least: int


class CheckedRequirement(BaseModel):
    """A current requirement, and the reasons why a run does not meet it."""

    name: str
    words: str
    reasons: list[str]


class CautionNote(BaseModel):
    """A caution, and the link to the control that prevents it, if there is one."""

    text: str
    href: str | None
    label: str | None


class RunParts(BaseModel):
    """What the screen shows of a run; ``required`` are the current requirements."""

    id: str
    made: str
    seconds: float
    warnings: list[str]
    required: list[CheckedRequirement]

    title: str
    words: str
    promised: bool
    guarantee: str
    measured: str
    tiles: list[Tile]
    cautions: list[CautionNote]
    holds: str
    tabs: list[Tab]
    taxonomies: TaxonomyDrawings


class MapAxis(BaseModel):
    """A figure that runs are compared by, lower is better; ``share``: shown in percent."""

    name: str
    label: str
    meaning: str
    share: bool


class RunPoint(BaseModel):
    """A run on the map: its method, how strong it is, and its figure on every axis."""

    id: str
    series: str
    strength: str
    order: float
    argument: str
    k: float | None
    window: float | None = None
    alpha: float | None
    guarantee: str = Field(description="A short form of the guarantee.")
    holds: str = Field(description="The guarantee in full.")
    promised: bool
    linked: float | None
    sse: float | None
    unmet: list[str]
    seconds: float
    made: str
    records: int
    figures: dict[str, float | None]
    table: str = Field(description="The same for runs that treat all columns in the same way.")
    differs: list[str] = Field(
        description="The columns that the newest run treats differently, and what they are here."
    )


class RunMap(BaseModel):
    """All runs on the map of risk and loss; ``limits`` are the requirements, by axis."""

    points: list[RunPoint]
    risks: list[MapAxis]
    losses: list[MapAxis]
    limits: dict[str, float]


class SettingDifference(BaseModel):
    """A setting that differs between two runs."""

    name: str
    first: str
    second: str


class RunComparison(BaseModel):
    """A comparison of two runs."""

    first: str
    second: str
    differences: list[SettingDifference]
    rows: list[FigureComparison]
    columns: list[str] = Field(
        description="The columns that the runs treat differently; figures are not ranked then."
    )


@router.get("/runs/{id}/parts")
def get_run_parts(id: RunId, bench: Bench) -> RunParts:
    """The sections of a run's report, and the data of their drawings."""
    run, require = bench.runs.get(id), bench.draft.requirements()
    with _translate_read_errors(run):
        stored = json.loads(_parts_file(run).read_text("utf-8"))
        del stored["point"]
        required = evaluate_requirements(require, run.known, run.exact)
        return RunParts(
            id=run.id,
            made=run.made,
            seconds=run.seconds,
            warnings=run.warnings,
            required=[
                CheckedRequirement(name=name, words=words, reasons=reasons)
                for name, words, reasons in required
            ],
            **{**stored, "cautions": describe_cautions(run.known)},
        )


@router.get("/map")
def get_run_map(bench: Bench) -> RunMap:
    """All runs on the map of risk and loss, the oldest first."""
    require = bench.draft.requirements()
    points, stored = [], bench.runs.list_runs()
    for run in stored:
        with suppress(NotThere):  # an unreadable run must not hide the others
            points.append(_run_point(run, require, stored[-1]))
    return RunMap(
        points=points,
        risks=[
            _map_axis(axis)
            for axis in axes_with_figures(risk_axes(), [point.figures for point in points])
        ],
        losses=[_map_axis(axis) for axis in loss_axes()],
        limits=_map_limits(require, points),
    )


@router.get("/compare")
def compare_runs(first: RunInQuery, second: RunInQuery, bench: Bench) -> RunComparison:
    """Compare two runs: the settings that differ, and every figure of both."""
    first_facts, second_facts = bench.runs.get(first).known, bench.runs.get(second).known
    return RunComparison(
        first=first,
        second=second,
        differences=[
            SettingDifference(name=name, first=was, second=now)
            for name, was, now in differing_settings(first_facts, second_facts)
        ],
        rows=compare_figures(first_facts, second_facts),
        columns=differing_columns(first_facts, second_facts),
    )


@contextmanager
def _translate_read_errors(run: StoredRun) -> Iterator[None]:
    """Raise NotThere if the stored files of a run are damaged."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise NotThere(
            f"the stored figures of run {run.id} cannot be read",
            "delete the run and run its settings again",
        ) from None


def _parts_file(run: StoredRun) -> FilePath:
    return run.folder / "parts.json"


@lru_cache(maxsize=1_000)
def _read_point(path: FilePath, changed: int) -> dict[str, Any]:
    """Read the point of a run on the map; cached, for the file also holds long drawings."""
    point: dict[str, Any] = json.loads(path.read_text("utf-8"))["point"]
    return point


def _run_point(run: StoredRun, require: Requirements, newest: StoredRun) -> RunPoint:
    promise = run.known["guarantee"]
    with _translate_read_errors(run):
        point = _read_point(_parts_file(run), _parts_file(run).stat().st_mtime_ns)
        return RunPoint(
            id=run.id,
            guarantee=promise["summary"],
            holds=promise["text"],
            promised=promise["k"] is not None,
            linked=worst_linkage(point["figures"])[0],
            sse=point["figures"]["sse"],
            unmet=[
                reason
                for _, _, reasons in evaluate_requirements(require, run.known, run.exact)
                for reason in reasons
            ],
            seconds=run.seconds,
            made=run.made,
            table=json.dumps(describe_table(run.known)),
            differs=differing_columns(run.known, newest.known),
            **point,
        )


def _map_axis(axis: Axis) -> MapAxis:
    return MapAxis(name=axis.name, label=axis.label, meaning=axis.meaning, share=axis.share)


def _map_limits(require: Requirements, points: list[RunPoint]) -> dict[str, float]:
    """The requirements that are lines on the map, by axis."""
    limits: dict[str, float] = {}
    if require.linkage_below is not None:
        limits |= dict.fromkeys(LINKAGES, require.linkage_below)
    if require.sse_below is not None:
        limits["sse"] = require.sse_below
        sizes = {point.records for point in points}
        if len(sizes) == 1:  # otherwise each run has its own limit
            limits["sse_per_record"] = require.sse_below / sizes.pop()
    return limits
