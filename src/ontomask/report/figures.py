"""The figures of an evaluation as rows of a table, each with what explains it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ontomask.report.pages import numbers

__all__ = ["Figure", "class_size_bars", "risk_by_column", "risk_rows", "utility_rows"]

#: What figures are called in words, in the order they are read in.
RISK = {
    "k": "Records in the smallest class",
    "uniques": "Records that are alone in their class",
    "classes": "Classes of records that look alike",
    "prosecutor": "Risk of the record most at risk",
    "prosecutor_at_risk": "Records at more than the accepted risk",
    "journalist": "The same against a population",
    "marketer": "Records found on average",
    "linkage_nearest": "Records linked by meaning",
    "linkage_nearest_uniques": "The same among records that were unique",
    "linkage_nearest_above": "Records linked with more than 1/k",
    "linkage_text": "Records linked by equal text",
    "unchanged": "Records left as they were",
    "suppressed": "Records suppressed",
    "l_distinct": "Different values in a class, at least",
    "l_entropy": "The same by entropy",
    "l_recursive": "The same, recursive",
    "t_equal": "Farthest class from the whole table",
    "t_ordered": "The same by rank",
    "t_semantic": "The same by meaning",
}
RISK_BY_COLUMN = {
    "linkage_alone": "linked by this column alone",
    "linkage_without": "linked by all columns but this",
    "rank_interval": "numbers close in rank",
    "sd_interval": "numbers close in value",
}
UTILITY = {
    "semantic_quality": "Similarity of masked and original values",
    "sse": "Squared errors, summed (SSE)",
    "changed_records": "Records with a changed value",
    "kl": "Change of frequencies (KL)",
    "clustering_distance": "Change of clusters",
    "average_class_size": "Records in a class on average",
    "normalised_average_class_size": "The same, in multiples of k",
    "discernibility": "Discernibility",
    "il1s": "Movement of numbers in spreads (IL1s)",
}
SHARES = {
    "prosecutor",
    "prosecutor_at_risk",
    "journalist",
    "marketer",
    "linkage_nearest",
    "linkage_nearest_uniques",
    "linkage_nearest_above",
    "linkage_text",
    "unchanged",
    "suppressed",
    "linkage_alone",
    "linkage_without",
    "rank_interval",
    "sd_interval",
    "changed_records",
}

#: Upper ends of the ranges that class sizes are shown in.
CLASS_SIZES = (1, 2, 4, 9, 19, 49, 99, 999)


@dataclass(frozen=True)
class Figure:
    """One line of a table of figures; ``key`` is its name in the manifest, with the column."""

    key: str
    column: str
    title: str
    before: str
    after: str
    value: float | int | None
    meaning: str
    range: str
    better: str
    usual: str


def risk_rows(risk: Mapping[str, Any]) -> list[Figure]:
    """Every figure of risk before and after, those of columns one by one."""
    was = risk["before"]["value"]
    return list(_rows(RISK, {name: risk[name] for name in RISK}, was))


def risk_by_column(risk: Mapping[str, Any]) -> dict[str, Any]:
    """The figures that every masked column has: what they say, and a row for each column."""
    used = [name for name in RISK_BY_COLUMN if risk[name]["value"]]
    columns = list(dict.fromkeys(column for name in used for column in risk[name]["value"]))
    return {
        "figures": [{"title": RISK_BY_COLUMN[name], **risk[name]} for name in used],
        "rows": [
            {
                "column": column,
                "cells": [
                    {"key": name, "value": value, "shown": numbers.percent(value)}
                    for name in used
                    for value in [risk[name]["value"].get(column)]
                ],
            }
            for column in columns
        ],
    }


def utility_rows(utility: Mapping[str, Any], promised: bool) -> list[Figure]:
    """The figures of the table as a whole; those over k where a k is promised."""
    found = {name: dict(utility[name]) for name in UTILITY}
    if not promised:
        found["normalised_average_class_size"]["value"] = None
    found["clustering_distance"]["value"] = found["clustering_distance"]["value"]["distance"]
    return list(_rows(UTILITY, found, {}))


def _rows(
    titles: Mapping[str, str], found: Mapping[str, Any], was: Mapping[str, Any]
) -> Iterator[Figure]:
    for name, title in titles.items():
        it = found[name]
        past = was.get(name)
        values = it["value"] if isinstance(it["value"], Mapping) else {"": it["value"]}
        for column, value in values.items():
            earlier = past.get(column) if isinstance(past, Mapping) else past
            if value is None and earlier is None:
                continue
            yield Figure(
                name,
                column,
                title,
                _shown(name, earlier) if was else "",
                _shown(name, value),
                value,
                it["meaning"],
                it["range"],
                it["better"],
                it["usual"],
            )


def _shown(name: str, value: Any) -> str:
    return numbers.percent(value) if name in SHARES else numbers.figure(value)


def class_size_bars(risk: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The share of the records in classes of each size, before and after."""
    before = _in_ranges(risk["before"]["value"]["class_sizes"])
    after = _in_ranges(risk["class_sizes"]["value"])
    used = [place for place in range(len(before)) if before[place] or after[place]]
    if not used:
        return []
    return [
        {"label": _range(place), "before": before[place], "after": after[place]}
        for place in range(used[0], used[-1] + 1)
    ]


def _in_ranges(sizes: list[list[int]]) -> list[float]:
    records = [0] * (len(CLASS_SIZES) + 1)
    for size, classes in sizes:
        place = sum(size > end for end in CLASS_SIZES)
        records[place] += size * classes
    whole = sum(records)
    return [count / whole if whole else 0.0 for count in records]


def _range(place: int) -> str:
    low = CLASS_SIZES[place - 1] + 1 if place else 1
    if place == len(CLASS_SIZES):
        return f"{low:,} up"
    high = CLASS_SIZES[place]
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
