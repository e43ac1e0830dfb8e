"""Compare the figures of two releases: which release is better by each figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ontomask.report.figures import Figure, risk_rows, utility_rows
from ontomask.report.pages import numbers

__all__ = ["BetterRelease", "FigureComparison", "compare_figures", "differing_settings"]

#: Which of two releases is better; ``""`` where they cannot be ranked.
BetterRelease = Literal["first", "second", "same", ""]


@dataclass(frozen=True)
class FigureComparison:
    """One figure of two releases, written as in their reports.

    ``better`` is the direction of the figure, ``which`` the release that is better by it.
    """

    part: Literal["risk", "utility"]
    name: str
    title: str
    first: str
    second: str
    better: str
    which: BetterRelease
    meaning: str


def compare_figures(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[FigureComparison]:
    """Compare every figure that either release has, from the facts of both."""
    rows = []
    for part in ("risk", "utility"):
        first_figures, second_figures = _figures(part, first), _figures(part, second)
        for key in dict.fromkeys([*first_figures, *second_figures]):
            rows.append(_compare_figure(part, first_figures.get(key), second_figures.get(key)))
    return rows


def _figures(part: str, facts: Mapping[str, Any]) -> dict[tuple[str, str], Figure]:
    if part == "risk":
        rows = risk_rows(facts["risk"])
    else:
        rows = utility_rows(facts["utility"], facts["guarantee"]["k"] is not None)
    return {(row.key, row.column): row for row in rows}


def _compare_figure(part: Any, first: Figure | None, second: Figure | None) -> FigureComparison:
    figure = first or second
    assert figure is not None
    return FigureComparison(
        part,
        figure.key,
        f"{figure.title}: {figure.column}" if figure.column else figure.title,
        numbers.NONE if first is None else first.after,
        numbers.NONE if second is None else second.after,
        figure.better,
        _better_release(figure.better, first, second),
        figure.meaning,
    )


def _better_release(better: str, first: Figure | None, second: Figure | None) -> BetterRelease:
    """The better of two, judged by the numbers themselves and not by how they are written."""
    if first is None or second is None or first.value is None or second.value is None:
        return ""
    if first.value == second.value:
        return "same"
    if better == "neither":
        return ""
    return "first" if (first.value < second.value) == (better == "lower") else "second"


def differing_settings(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    """The settings in which two releases differ: name, first value, second value.

    Settings that only one of the methods has are left out.
    """
    first_settings, second_settings = _settings(first), _settings(second)
    return [
        (name, first_settings[name], second_settings[name])
        for name in first_settings
        if first_settings[name] != second_settings.get(name, first_settings[name])
    ]


def _settings(facts: Mapping[str, Any]) -> dict[str, str]:
    masked = [name for name, column in facts["columns"].items() if column["role"] == "quasi"]
    return {
        "method": facts["method"]["name"].replace("_", " "),
        **{
            name: numbers.format_value(setting)
            for name, setting in facts["method"]["settings"].items()
        },
        "masked columns": ", ".join(masked),
        "records": numbers.format_integer(facts["records"]["released"]),
    }
