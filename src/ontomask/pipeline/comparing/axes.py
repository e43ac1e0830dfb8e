"""The figures that points are compared by: risks and losses, better when lower throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ontomask import risk, utility
from ontomask.pipeline.evaluation import Evaluation

__all__ = ["LOSSES", "RISKS", "Axis", "figures_of"]


@dataclass(frozen=True)
class Axis:
    """A figure to compare by: what it is called and means, and how it is read from an evaluation.

    ``share`` says that it is written in percent.
    """

    name: str
    label: str
    meaning: str
    of: Callable[[Evaluation, int], float | None]
    share: bool = False


def _risk(name: str, label: str) -> Axis:
    meaning = risk.DESCRIPTIONS[name].meaning
    return Axis(name, label, meaning, lambda found, _: found.risk[name], share=True)


def _loss(name: str, label: str) -> Axis:
    meaning = utility.DESCRIPTIONS[name].meaning
    return Axis(name, label, meaning, lambda found, _: found.utility[name])


#: What can be put on the horizontal axis.
RISKS = (
    _risk("linkage_nearest", "records linked by distance"),
    _risk("linkage_nearest_uniques", "records linked, of those nobody shared"),
    _risk("linkage_text", "records linked by their text"),
    _risk("marketer", "marketer risk"),
    _risk("prosecutor", "prosecutor risk"),
    _risk("unique_share", "records alone in their class"),
    _risk("unchanged", "records left as they were"),
)

#: What can be put on the vertical axis.
LOSSES = (
    Axis(
        "sse_per_record",
        "squared error per record",
        "The squared distance between an original record and its masked one, on average (SSE over "
        "records).",
        lambda found, n: _over(found.utility["sse"], n),
    ),
    _loss("sse", "squared error (SSE)"),
    Axis(
        "semantic_loss",
        "1 − semantic quality",
        "How far masked values are from the original ones on average.",
        lambda found, _: _minus(1.0, found.utility["semantic_quality"]),
    ),
    _loss("kl", "change of frequencies (KL)"),
    Axis(
        "correlation_difference",
        "change of correlations",
        "How much the distance correlations between every two columns have changed, on average.",
        lambda found, _: _off_diagonal(found.utility["distance_correlations"]["difference"]),
    ),
    Axis(
        "clustering_distance",
        "change of clusters",
        utility.DESCRIPTIONS["clustering_distance"].meaning,
        lambda found, _: found.utility["clustering_distance"]["distance"],
    ),
    Axis(
        "mean_shift",
        "shift of the means",
        "How far the semantic means of the columns of words have moved, on average.",
        lambda found, _: _mean([it["distance"] for it in found.utility["mean_shift"].values()]),
    ),
    _loss("average_class_size", "records that look alike"),
    Axis(
        "suppressed",
        "records suppressed",
        risk.DESCRIPTIONS["suppressed"].meaning,
        lambda found, _: found.risk["suppressed"],
        share=True,
    ),
)


def figures_of(found: Evaluation | None, records: int) -> dict[str, float | None]:
    """Every figure of a point, by name."""
    return {
        axis.name: None if found is None else axis.of(found, records) for axis in (*RISKS, *LOSSES)
    }


def _over(number: float | None, n: int) -> float | None:
    return None if number is None else number / n


def _minus(whole: float, part: float | None) -> float | None:
    return None if part is None else whole - part


def _mean(numbers: list[Any]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None


def _off_diagonal(table: list[list[Any]]) -> float | None:
    return _mean([abs(cell) for i, row in enumerate(table) for cell in row[:i] if cell is not None])
