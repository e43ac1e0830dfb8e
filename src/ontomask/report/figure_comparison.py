"""Compare the figures of two releases: which release is better by each figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ontomask.errors import NOT_AVAILABLE
from ontomask.report.figures import Figure, links_people, risk_rows, utility_rows
from ontomask.report.pages import numbers
from ontomask.report.words import worst_classes

__all__ = [
    "BetterRelease",
    "FigureComparison",
    "compare_figures",
    "describe_table",
    "differing_columns",
    "differing_settings",
]

#: The role of a column in the words of the field.
ROLE_WORDS = {
    "quasi": "quasi-identifier",
    "confidential": "sensitive",
    "keep": "kept",
    "identifier": "removed",
    "drop": "removed",
}

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


def describe_table(facts: Mapping[str, Any]) -> dict[str, str]:
    """What a release says of every column: its role and, where it is masked, type and taxonomy.

    Figures of two releases can only be ranked if this is the same.
    """
    described = {}
    for name, column in facts["columns"].items():
        words = [ROLE_WORDS[column["role"]]]
        if column["role"] == "quasi":
            taxonomy = facts["taxonomies"].get(name) or {}
            words += [column["type"] or "", taxonomy.get("name") or taxonomy.get("source") or ""]
        described[name] = ", ".join(filter(None, words))
    return described


def differing_columns(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """The columns that two releases treat differently, each with what it is in the first.

    >>> table = {"columns": {"age": {"role": "keep", "type": None}}, "taxonomies": {}}
    >>> differing_columns(table, {"columns": {}, "taxonomies": {}})
    ['age: kept']
    """
    one, other = describe_table(first), describe_table(second)
    return [
        f"{name}: {one.get(name, 'not in the table')}"
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]


def compare_figures(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[FigureComparison]:
    """Compare every figure that either release has, from the facts of both.

    Where the releases treat columns differently, only the uniqueness on all known columns and the
    number of removed columns can be ranked: masking fewer columns is no merit.
    """
    rows = [_compare_figure(part, *pair) for part, pair in _table_figures(first, second)]
    is_same_table = not differing_columns(first, second)
    for part in ("risk", "utility"):
        first_figures, second_figures = _figures(part, first), _figures(part, second)
        for key in dict.fromkeys([*first_figures, *second_figures]):
            row = _compare_figure(part, first_figures.get(key), second_figures.get(key))
            rows.append(row if is_same_table else replace(row, which=""))
    return rows


def _table_figures(
    first: Mapping[str, Any], second: Mapping[str, Any]
) -> list[tuple[str, tuple[Figure, Figure]]]:
    """Figures about the whole released table, which compare releases with different roles, too."""

    def count_uniques(facts: Mapping[str, Any]) -> Figure:
        _, uniques, unit, _ = worst_classes(facts["guarantee"])
        return _make_figure(
            "released_uniques",
            "Unique on quasi-identifiers and kept columns",
            uniques,
            f"{numbers.format_integer(uniques)} {unit}",
            "Number of records, or people, that are alone in their equivalence class on all "
            "released columns that somebody may know.",
        )

    def count_removed(facts: Mapping[str, Any]) -> Figure:
        removed = sum(words == "removed" for words in describe_table(facts).values())
        return _make_figure(
            "removed_columns",
            "Removed columns",
            removed,
            numbers.format_integer(removed),
            "Number of columns that are not released: all their information is lost.",
        )

    return [
        ("risk", (count_uniques(first), count_uniques(second))),
        ("utility", (count_removed(first), count_removed(second))),
    ]


def _make_figure(key: str, title: str, value: int, shown: str, meaning: str) -> Figure:
    return Figure(key, "", title, "", shown, value, meaning, "0 or more", "lower", "")


def _figures(part: str, facts: Mapping[str, Any]) -> dict[tuple[str, str], Figure]:
    if part == "risk":
        rows = risk_rows(facts["risk"])
    else:
        promised, linked = facts["guarantee"]["k"] is not None, links_people(facts["risk"])
        rows = utility_rows(facts["utility"], promised, linked)
    return {(row.key, row.column): row for row in rows}


def _compare_figure(part: Any, first: Figure | None, second: Figure | None) -> FigureComparison:
    figure = first or second
    assert figure is not None
    return FigureComparison(
        part,
        figure.key,
        f"{figure.title}: {figure.column}" if figure.column else figure.title,
        NOT_AVAILABLE if first is None else first.after,
        NOT_AVAILABLE if second is None else second.after,
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
