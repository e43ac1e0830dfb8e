"""The axes of the risk-utility map: disclosure risk and information loss, better when lower."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ontomask import risk, utility
from ontomask.microdata.measures import EvaluationPart, FigureMeasure, added_measures
from ontomask.pipeline.evaluation import Evaluation

__all__ = [
    "LOSSES",
    "RISKS",
    "Axis",
    "axes_with_figures",
    "axis_figures",
    "loss_axes",
    "risk_axes",
]


@dataclass(frozen=True)
class Axis:
    """A figure to compare by: its label and meaning, and how to read it from an evaluation.

    ``share`` is true for a figure that is shown in percent.
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


#: The figures of the horizontal axis; other packages may add some.
RISKS = (
    _risk_axis("linkage_people", "record linkage of people, by all their records"),
    _risk_axis("linkage_nearest", "record linkage"),
    _risk_axis("linkage_nearest_uniques", "record linkage of originally unique records"),
    _risk_axis("linkage_text", "record linkage by identical values"),
    _risk_axis("marketer", "marketer risk"),
    _risk_axis("prosecutor", "prosecutor risk"),
    _risk_axis("unique_share", "unique records"),
    _risk_axis("unchanged", "unchanged records"),
    Axis(
        "rare_pairs",
        "rare pairs of values of sets",
        risk.DESCRIPTIONS["rare_pairs"].meaning,
        lambda evaluation, _: _mean_over_columns(evaluation.risk["rare_pairs"]),
    ),
)

#: The figures of the vertical axis; other packages may add some.
LOSSES = (
    Axis(
        "sse_per_record",
        "SSE per record",
        "The mean squared distance between an original record and its masked record (SSE divided "
        "by the number of records).",
        lambda evaluation, n: _per_record(evaluation.utility["sse"], n),
    ),
    _loss_axis("sse", "sum of squared errors (SSE)"),
    Axis(
        "semantic_loss",
        "1 − semantic quality",
        "The mean semantic distance between original and masked values.",
        lambda evaluation, _: _difference(1.0, evaluation.utility["semantic_quality"]),
    ),
    _loss_axis("kl", "Kullback-Leibler divergence (KL)"),
    Axis(
        "correlation_difference",
        "change of correlations",
        "The mean change of the distance correlations between all pairs of columns.",
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
        "The mean distance between the semantic means of the nominal columns before and after.",
        lambda evaluation, _: _mean(
            [shift["distance"] for shift in evaluation.utility["mean_shift"].values()]
        ),
    ),
    Axis(
        "lost_values",
        "values of sets lost",
        utility.DESCRIPTIONS["lost_values"].meaning,
        lambda evaluation, _: _mean_over_columns(evaluation.utility["lost_values"]),
        share=True,
    ),
    Axis(
        "branch_correlation_difference",
        "change of correlations between branches",
        utility.DESCRIPTIONS["branch_correlation_difference"].meaning,
        lambda evaluation, _: _mean_over_columns(
            evaluation.utility["branch_correlation_difference"]
        ),
    ),
    _loss_axis("average_class_size", "average equivalence class size"),
    Axis(
        "suppressed",
        "suppressed records",
        risk.DESCRIPTIONS["suppressed"].meaning,
        lambda evaluation, _: evaluation.risk["suppressed"],
        share=True,
    ),
)


def risk_axes() -> tuple[Axis, ...]:
    """The figures of the horizontal axis."""
    return (*RISKS, *_added_axes("risk"))


def loss_axes() -> tuple[Axis, ...]:
    """The figures of the vertical axis."""
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


def axes_with_figures(
    axes: Sequence[Axis], points: Sequence[Mapping[str, Any]]
) -> tuple[Axis, ...]:
    """The axes on which a point has a figure; all where none has."""
    known = tuple(a for a in axes if any(figures.get(a.name) is not None for figures in points))
    return known or tuple(axes)


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
