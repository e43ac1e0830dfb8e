"""The figures of an evaluation as rows of a table, each with what explains it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ontomask.errors import format_percent
from ontomask.microdata.measures import EvaluationPart, added_measures
from ontomask.report.drawing.bars import WITHHELD
from ontomask.report.pages import numbers

__all__ = [
    "Figure",
    "class_size_bars",
    "links_people",
    "figure_titles",
    "population_rows",
    "risk_by_column",
    "risk_rows",
    "utility_rows",
]

#: The titles of the figures, in reading order.
RISK = {
    "k": "Smallest equivalence class (k)",
    "uniques": "Unique records",
    "classes": "Equivalence classes",
    "prosecutor": "Prosecutor risk, maximum",
    "prosecutor_at_risk": "Records above the accepted prosecutor risk",
    "journalist": "Journalist risk, maximum",
    "marketer": "Marketer risk",
    "unique_sets": "Unique sets",
    "rare_values": "Rare values of sets",
    "rare_pairs": "Rare pairs of values of sets",
    "rare_triples": "Rare triples of values of sets",
    "linkage_people": "Record linkage of people, by all their records",
    "linkage_nearest": "Record linkage",
    "linkage_nearest_uniques": "Record linkage of originally unique records",
    "linkage_nearest_above": "Records linked with a probability above 1/k",
    "linkage_text": "Record linkage by identical values",
    "unchanged": "Unchanged records",
    "suppressed": "Suppressed records",
    "homogeneous_records": "Records in classes with a single sensitive value",
    "homogeneous_people": "People in classes with a single sensitive value",
    "l_distinct": "l-diversity, distinct values",
    "l_entropy": "l-diversity, entropy",
    "l_recursive": "l-diversity, recursive",
    "t_equal": "t-closeness, equal distance",
    "t_ordered": "t-closeness, ordered distance",
    "t_semantic": "t-closeness, semantic distance",
    "alpha": "(α, k)-anonymity, α",
    "beta": "β-likeness, basic",
    "beta_enhanced": "β-likeness, enhanced",
    "delta": "δ-disclosure privacy, δ",
    "delta_strict": "δ-disclosure privacy, δ over all values",
}
#: The titles that differ where the records of a person stay linked.
RISK_OF_LINKED_PEOPLE = {
    "k": "Smallest equivalence class (k), in people",
    "uniques": "Unique people, by all their records",
    "classes": "Equivalence classes of linked people",
    "prosecutor_at_risk": "People above the accepted prosecutor risk",
    "linkage_nearest": "Record linkage, record by record",
}
POPULATION = {
    "k_map": "k-map",
    "presence_max": "δ-presence, maximum",
    "individual_risk": "Individual risk, maximum",
    "global_risk": "Global risk",
    "expected_reidentifications": "Expected re-identifications",
    "short_classes": "Classes with more records than people",
    "sample_uniques": "Sample uniques",
    "population_uniques": "Population uniques, estimated",
    "population_unique_share": "Share of population uniques",
    "population_uniques_by_model": "Population uniques by model",
}
RISK_BY_COLUMN = {
    "linkage_alone": "record linkage with this column alone",
    "linkage_without": "record linkage without this column",
    "rank_interval": "interval disclosure, by rank",
    "sd_interval": "interval disclosure, by standard deviation",
}
UTILITY = {
    "semantic_quality": "Semantic quality",
    "sse": "Sum of squared errors (SSE)",
    "changed_records": "Records with a changed value",
    "kept_values": "Values of sets kept",
    "generalised_values": "Values of sets generalised",
    "lost_values": "Values of sets lost",
    "branch_correlation_difference": "Change of correlations between branches",
    "kl": "Kullback-Leibler divergence (KL)",
    "clustering_distance": "Change of clusters",
    "average_class_size": "Average equivalence class size",
    "normalised_average_class_size": "Average equivalence class size, divided by k",
    "discernibility": "Discernibility metric",
    "il1s": "Information loss of numbers (IL1s)",
}
#: The titles that differ where the records of a person stay linked.
UTILITY_OF_LINKED_PEOPLE = {
    "average_class_size": "Average number of records with equal masked values",
    "normalised_average_class_size": "Average number of records with equal masked values, divided "
    "by k",
    "discernibility": "Discernibility metric, record by record",
}
#: Titles of figures that the report shows elsewhere than in its tables of figures.
OTHERS = {
    "unique_share": "Share of unique records",
    "attribute_sse": "Sum of squared errors",
    "rmse": "Root mean square error",
    "mean_absolute_distance": "Mean absolute distance",
    "changed": "Share of changed values",
    "mean_shift": "Semantic mean",
    "variance_difference": "Semantic variance",
    "distance_variance_difference": "Distance variance",
    "number_means": "Mean",
    "number_variances": "Variance",
    "kept_by_branch": "Values of sets by branch",
    "loss_by_set_size": "Loss by set size",
    "branch_lifts": "Lift of pairs of branches",
    "branch_correlations": "Correlations between branches",
}
SHARES = {
    "kept_values",
    "generalised_values",
    "lost_values",
    "prosecutor",
    "prosecutor_at_risk",
    "journalist",
    "marketer",
    "linkage_people",
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
    "presence_max",
    "individual_risk",
    "global_risk",
    "population_unique_share",
}

#: A share, or two with "to" between them, in a text that also names values of k.
SHARE_LIMITS = re.compile(r"(?<!k = )(?<![\w.])(?:[01](?:\.\d+)?)(?: to [01](?:\.\d+)?)?(?![\w.])")

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


def figure_titles(
    part: EvaluationPart, figures: Mapping[str, Any], linked: bool = False
) -> dict[str, str]:
    """The titles of all figures, including those of other packages.

    ``linked`` if the records of a person stay linked.
    """
    by_column = {name: title[0].upper() + title[1:] for name, title in RISK_BY_COLUMN.items()}
    of_people = {**UTILITY_OF_LINKED_PEOPLE, **RISK_OF_LINKED_PEOPLE} if linked else {}
    return {**UTILITY, **RISK, **of_people, **by_column, **OTHERS, **_added_titles(part, figures)}


def links_people(risk: Mapping[str, Any]) -> bool:
    """Whether the figures of risk are of people whose records stay linked."""
    return (risk.get("linkage_people") or {}).get("value") is not None


def risk_rows(risk: Mapping[str, Any]) -> list[Figure]:
    """Every figure of risk before and after, those of columns one by one."""
    of_people = RISK_OF_LINKED_PEOPLE if links_people(risk) else {}
    titles = {**RISK, **of_people, **_added_titles("risk", risk)}
    return list(_figure_rows(titles, risk, risk["before"]["value"]))


def population_rows(population: Mapping[str, Any] | None) -> list[Figure]:
    """Every figure of risk against the population before and after; none without a population."""
    if not population:
        return []
    return list(_figure_rows(POPULATION, population, population["before"]["value"]))


def risk_by_column(risk: Mapping[str, Any]) -> dict[str, Any]:
    """The figures that every masked column has: what they say, and a row for each column."""
    shown_figures = [name for name in RISK_BY_COLUMN if risk[name]["value"]]
    columns = list(
        dict.fromkeys(column for name in shown_figures for column in risk[name]["value"])
    )
    return {
        "figures": [
            {
                "title": RISK_BY_COLUMN[name],
                **risk[name],
                "usual": _format_limits(name, risk[name]["usual"]),
            }
            for name in shown_figures
        ],
        "rows": [
            {
                "column": column,
                "cells": [
                    {
                        "key": name,
                        "value": value,
                        "text": _format_share(value, column in risk[name]["value"]),
                    }
                    for name in shown_figures
                    for value in [risk[name]["value"].get(column)]
                ],
            }
            for column in columns
        ],
    }


def _format_share(share: float | None, has_share: bool) -> str:
    """A share of a column; without one, it is withheld or does not apply to the column."""
    if not has_share:
        return "not applicable"
    return WITHHELD if share is None else format_percent(share)


def utility_rows(utility: Mapping[str, Any], promised: bool, linked: bool = False) -> list[Figure]:
    """The figures of the table as a whole; those over k where a k is promised.

    ``linked`` if the records of a person stay linked.
    """
    of_people = UTILITY_OF_LINKED_PEOPLE if linked else {}
    titles = {**UTILITY, **of_people, **_added_titles("utility", utility)}
    figures = {name: dict(utility[name]) for name in titles if name in utility}
    if not promised:
        figures["normalised_average_class_size"]["value"] = None
    figures["clustering_distance"]["value"] = figures["clustering_distance"]["value"]["distance"]
    return list(_figure_rows(titles, figures, {}))


def _added_titles(part: EvaluationPart, figures: Mapping[str, Any]) -> dict[str, str]:
    """What the figures of other packages are called."""
    added = added_measures(part)
    return {name: measure.title for name, measure in added.items() if name in figures}


def _figure_rows(
    titles: Mapping[str, str], figures: Mapping[str, Any], before: Mapping[str, Any]
) -> Iterator[Figure]:
    for name, title in titles.items():
        if name not in figures:  # a manifest of an earlier version
            continue
        figure = figures[name]
        before_values = before.get(name)
        values = figure["value"] if isinstance(figure["value"], Mapping) else {"": figure["value"]}
        for column, value in values.items():
            before_value = (
                before_values.get(column) if isinstance(before_values, Mapping) else before_values
            )
            if value is None and before_value is None and not column:
                continue
            yield Figure(
                name,
                column,
                title,
                _format_value(name, before_value) if before else "",
                _format_value(name, value),
                value,
                figure["meaning"],
                _format_limits(name, figure["range"]),
                figure["better"],
                _format_limits(name, figure["usual"]),
            )


def _format_value(name: str, value: Any) -> str:
    return format_percent(value) if name in SHARES else numbers.format_figure(value)


def _format_limits(name: str, text: str) -> str:
    """The range or the usual values of a figure, in percent if the figure is."""
    return SHARE_LIMITS.sub(_as_percent, text) if name in SHARES else text


def _as_percent(limits: re.Match[str]) -> str:
    shares = [f"{100 * float(share):g}" for share in limits[0].split(" to ")]
    return f"{' to '.join(shares)} %"


def class_size_bars(risk: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The share of the records in classes of each size, before and after."""
    before = _shares_by_size(risk["before"]["value"]["class_sizes"])
    after = _shares_by_size(risk["class_sizes"]["value"])
    used_ranges = [
        size_range for size_range in range(len(before)) if before[size_range] or after[size_range]
    ]
    if not used_ranges:
        return []
    return [
        {
            "label": _size_range_label(size_range),
            "before": before[size_range],
            "after": after[size_range],
        }
        for size_range in range(used_ranges[0], used_ranges[-1] + 1)
    ]


def _shares_by_size(sizes: list[list[int]]) -> list[float]:
    records = [0] * (len(CLASS_SIZES) + 1)
    for size, classes in sizes:
        size_range = sum(size > end for end in CLASS_SIZES)
        records[size_range] += size * classes
    total = sum(records)
    return [count / total if total else 0.0 for count in records]


def _size_range_label(size_range: int) -> str:
    low = CLASS_SIZES[size_range - 1] + 1 if size_range else 1
    if size_range == len(CLASS_SIZES):
        return f"{low:,} or more"
    high = CLASS_SIZES[size_range]
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
