"""The figures that points are compared by: risks and losses, better when lower throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ontomask import risk, utility
from ontomask.microdata.measures import EvaluationPart, FigureMeasure, added_measures
from ontomask.pipeline.evaluation import Evaluation

__all__ = ["LOSSES", "RISKS", "Axis", "axis_figures", "loss_axes", "risk_axes"]


@dataclass(frozen=True)
class Axis:
    """A figure to compare by: what it is called and means, and how it is read from an evaluation.

    ``share`` says that it is written in percent.
    """

    name: str
    label: str
    meaning: str
    figure: Callable[[Evaluation, int], float | None]
    share: bool = False


def _risk_axis(name: str, label: str) -> Axis:
    meaning = risk.DESCRIPTIONS[name].meaning
    return Axis(name, label, meaning, lambda evaluation, _: evaluation.risk[name], share=True)


def _loss_axis(name: str, label: str) -> Axis:
    meaning = utility.DESCRIPTIONS[name].meaning
    return Axis(name, label, meaning, lambda evaluation, _: evaluation.utility[name])


#: What can be put on the horizontal axis, other than what other packages add.
RISKS = (
    _risk_axis("linkage_nearest", "records linked by distance"),
    _risk_axis("linkage_nearest_uniques", "records linked, of those nobody shared"),
    _risk_axis("linkage_text", "records linked by their text"),
    _risk_axis("marketer", "marketer risk"),
    _risk_axis("prosecutor", "prosecutor risk"),
    _risk_axis("unique_share", "records alone in their class"),
    _risk_axis("unchanged", "records left as they were"),
)

#: What can be put on the vertical axis, other than what other packages add.
LOSSES = (
    Axis(
        "sse_per_record",
        "squared error per record",
        "The squared distance between an original record and its masked one, on average (SSE over "
        "records).",
        lambda evaluation, n: _per_record(evaluation.utility["sse"], n),
    ),
    _loss_axis("sse", "squared error (SSE)"),
    Axis(
        "semantic_loss",
        "1 − semantic quality",
        "How far masked values are from the original ones on average.",
        lambda evaluation, _: _difference(1.0, evaluation.utility["semantic_quality"]),
    ),
    _loss_axis("kl", "change of frequencies (KL)"),
    Axis(
        "correlation_difference",
        "change of correlations",
        "How much the distance correlations between every two columns have changed, on average.",
        lambda evaluation, _: _off_diagonal(
            evaluation.utility["distance_correlations"]["difference"]
        ),
    ),
    Axis(
        "clustering_distance",
        "change of clusters",
        utility.DESCRIPTIONS["clustering_distance"].meaning,
        lambda evaluation, _: evaluation.utility["clustering_distance"]["distance"],
    ),
    Axis(
        "mean_shift",
        "shift of the means",
        "How far the semantic means of the columns of words have moved, on average.",
        lambda evaluation, _: _mean(
            [shift["distance"] for shift in evaluation.utility["mean_shift"].values()]
        ),
    ),
    _loss_axis("average_class_size", "records that look alike"),
    Axis(
        "suppressed",
        "records suppressed",
        risk.DESCRIPTIONS["suppressed"].meaning,
        lambda evaluation, _: evaluation.risk["suppressed"],
        share=True,
    ),
)


def risk_axes() -> tuple[Axis, ...]:
    """What can be put on the horizontal axis."""
    return (*RISKS, *_added_axes("risk"))


def loss_axes() -> tuple[Axis, ...]:
    """What can be put on the vertical axis."""
    return (*LOSSES, *_added_axes("utility"))


def _added_axes(part: EvaluationPart) -> list[Axis]:
    """An axis for every measure of another package that is better when lower."""
    return [
        _added_axis(part, name, measure)
        for name, measure in added_measures(part).items()
        if measure.description.better == "lower"
    ]


def _added_axis(part: EvaluationPart, name: str, measure: FigureMeasure) -> Axis:
    def figure(evaluation: Evaluation, _: int) -> float | None:
        return _mean_over_columns((evaluation.risk if part == "risk" else evaluation.utility)[name])

    return Axis(name, measure.title, measure.description.meaning, figure)


def axis_figures(evaluation: Evaluation | None, records: int) -> dict[str, float | None]:
    """The figure of a point on every axis, by name."""
    return {
        axis.name: None if evaluation is None else axis.figure(evaluation, records)
        for axis in (*risk_axes(), *loss_axes())
    }


def _per_record(number: float | None, n: int) -> float | None:
    return None if number is None else number / n


def _difference(total: float, part: float | None) -> float | None:
    return None if part is None else total - part


def _mean_over_columns(figure: Any) -> float | None:
    return _mean([*figure.values()] if isinstance(figure, dict) else [figure])


def _mean(numbers: list[Any]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


def _off_diagonal(table: list[list[Any]]) -> float | None:
    return _mean([abs(cell) for i, row in enumerate(table) for cell in row[:i] if cell is not None])
