"""The contents of the section about columns of sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ontomask.errors import NOT_AVAILABLE, format_percent
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.sets.set_concepts import has_sets
from ontomask.microdata.tuples import Transitions
from ontomask.report.drawing.bars import WITHHELD, Bar, draw_bars
from ontomask.report.drawing.heatmap import draw_heatmap
from ontomask.report.pages import numbers

__all__ = ["describe_sets"]

#: The figures of risk, and what they count; the unit is records or people.
RISKS = {
    "unique_sets": "{unit} with a set that nobody else has",
    "rare_values": "values that fewer than {k} {unit} have",
    "rare_pairs": "pairs of values that fewer than {k} {unit} have",
    "rare_triples": "triples of values that fewer than {k} {unit} have",
}
NOT_COUNTED = "not counted"


def describe_sets(plan: Transitions, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What became of each column of sets, from the facts of the release."""
    sections = []
    for attribute in plan.tuples.attributes:
        name = attribute.name
        if not has_sets(attribute) or "kept_values" not in facts["utility"]:
            continue
        assert isinstance(attribute, NominalAttribute)
        utility = {key: figure["value"] for key, figure in facts["utility"].items()}
        sizes = utility["loss_by_set_size"][name] or []
        sections.append(
            {
                "name": name,
                "values": {
                    fate: _format_share(utility[f"{fate}_values"][name])
                    for fate in ("kept", "generalised", "lost")
                },
                "risks": _risk_rows(name, facts),
                "sizes": sizes,
                "size_chart": draw_bars(
                    f"Mean distance of {name} by number of values",
                    [Bar(row["sizes"], row["mean_distance"]) for row in sizes],
                ),
                "branches": _branch_rows(
                    utility["kept_by_branch"][name] or [], attribute.domain.label
                ),
                "pairs": _pair_rows(utility["branch_lifts"][name] or [], attribute.domain.label),
                "correlations": _draw_correlations(
                    name, utility["branch_correlations"][name], attribute.domain.label
                ),
                "difference": utility["branch_correlation_difference"][name],
            }
        )
    return sections


def _format_share(share: float | None) -> str:
    return WITHHELD if share is None else format_percent(share)


def _risk_rows(name: str, facts: Mapping[str, Any]) -> list[dict[str, str]]:
    unit = facts["guarantee"]["unit"]
    k = facts["method"]["settings"].get("k") or 5
    risk, before = facts["risk"], facts["risk"]["before"]["value"]
    return [
        {
            "words": words.format(unit=unit, k=numbers.format_integer(k)),
            "before": _format_count(before[key][name]),
            "after": _format_count(risk[key]["value"][name]),
        }
        for key, words in RISKS.items()
    ]


def _format_count(count: int | None) -> str:
    return NOT_COUNTED if count is None else numbers.format_integer(count)


def _branch_rows(
    rows: Sequence[Mapping[str, Any]], label: Callable[[str], str]
) -> list[dict[str, Any]]:
    return [
        {
            "branch": label(row["branch"]),
            "records": row["records"],
            **{
                fate: NOT_AVAILABLE if row[fate] is None else format_percent(row[fate])
                for fate in ("kept", "generalised", "lost")
            },
        }
        for row in rows
    ]


def _pair_rows(
    rows: Sequence[Mapping[str, Any]], label: Callable[[str], str]
) -> list[dict[str, Any]]:
    return [
        {
            "first": label(row["first"]),
            "second": label(row["second"]),
            **{
                key: WITHHELD if row[key] is None else numbers.format_figure(row[key])
                for key in ("records_before", "records_after", "lift_before", "lift_after")
            },
        }
        for row in rows
    ]


def _draw_correlations(
    name: str, matrix: Mapping[str, Any] | None, label: Callable[[str], str]
) -> dict[str, Any] | None:
    """The correlations of branches before and after; None for fewer than two branches."""
    if matrix is None or len(matrix["columns"]) < 2:
        return None
    labels = [label(branch) for branch in matrix["columns"]]
    return {
        side: draw_heatmap(
            f"Distance correlations of the branches of {name}, {word}", labels, matrix[side]
        )
        for side, word in (("before", "original"), ("after", "masked"))
    }
