"""Figures of a release without what tells of few records.

The mean of a column before and after tells the original value where a single record was changed;
so figures that fewer records than the threshold went into are left out, and concepts that fewer
records hold are not named. Nor are sums told of which one record makes up too much: the variance of
thirty incomes, one of them a million, is the million (a dominance rule, as statistics offices have
for tables of sums).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.microdata.attributes import MISSING, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions

__all__ = ["cautious"]

#: Figures of single columns that tell how far their values have moved, or from what to what.
OF_COLUMNS = (
    "attribute_sse",
    "rmse",
    "mean_absolute_distance",
    "mean_shift",
    "variance_difference",
    "distance_variance_difference",
    "number_means",
    "number_variances",
)
#: Means over the columns: from one of these and all columns but one, that one follows.
OVER_COLUMNS = ("semantic_quality", "il1s")
MATRICES = ("distance_correlations", "number_correlations")


def cautious(
    figures: Mapping[str, Any], plan: Transitions, threshold: int, notes: list[str]
) -> dict[str, Any]:
    """The figures without what tells of fewer records than the threshold."""
    kept = dict(figures)
    records = plan.tuples.records
    few = [name for name, share in figures["changed"].items() if 0 < share * records < threshold]
    lone = [name for name in _told_by_one(plan, threshold) if name not in few]
    gone = {*few, *lone}
    for figure in OF_COLUMNS:
        kept[figure] = {
            name: None if name in gone else value for name, value in figures[figure].items()
        }
    kept["changed"] = {name: None if name in few else it for name, it in figures["changed"].items()}
    for figure in MATRICES:
        kept[figure] = _without(figures[figure], few)
    if gone:
        kept.update(dict.fromkeys(OVER_COLUMNS))
    if lone:
        notes.append(
            f"one record makes up much of what sums over {', '.join(lone)} tell: no figures of "
            "their own"
        )
        if len(plan.tuples.attributes) == len(gone):
            kept["sse"] = None
    if few:
        columns = ", ".join(few)
        notes.append(
            f"fewer than {threshold:,} records were changed in {columns}: no figures of their own"
        )
    if 0 < figures["changed_records"] * records < threshold:
        kept["sse"] = None
        notes.append(f"fewer than {threshold:,} records were changed: no SSE")
    kept["number_means"] = _of_enough(kept["number_means"], plan, threshold)
    kept["number_variances"] = _of_enough(kept["number_variances"], plan, threshold)
    kept["mean_shift"] = _named(kept["mean_shift"], plan, threshold, notes)
    return kept


def _told_by_one(plan: Transitions, threshold: int) -> list[str]:
    """Numerical columns whose sums one record dominates: its share is more than 1 in so many."""
    told = []
    for j, attribute in enumerate(plan.tuples.attributes):
        if not isinstance(attribute, NumericalAttribute):
            continue
        before = attribute.numbers[plan.tuples.codes[j, plan.source]]
        after = plan.targets[plan.target, j]
        blank = np.isnan(after)
        parts = [
            _squares(before, plan.count),
            (before[~blank] - after[~blank]) ** 2,
            _squares(before[blank], plan.count[blank]),  # what is left over of the two means
        ]
        counts = [plan.count, plan.count[~blank], plan.count[blank]]
        if any(_one_dominates(*it, threshold) for it in zip(parts, counts, strict=True)):
            told.append(attribute.name)
    return told


def _squares(numbers: Any, counts: Any) -> Any:
    """Squared differences from the mean."""
    return (numbers - np.average(numbers, weights=counts)) ** 2 if len(numbers) else numbers


def _one_dominates(squares: Any, counts: Any, threshold: int) -> bool:
    total = float(squares @ counts)
    return total > 0 and float(squares.max()) * threshold > total


def _without(matrix: Mapping[str, Any], few: Sequence[str]) -> dict[str, Any]:
    """Correlations without those of some columns."""
    gone = {place for place, name in enumerate(matrix["columns"]) if name in few}
    cut = {
        side: [
            [None if {i, j} & gone and i != j else cell for j, cell in enumerate(row)]
            for i, row in enumerate(matrix[side])
        ]
        for side in ("before", "after", "difference")
    }
    return {**matrix, **cut}


def _of_enough(figures: Mapping[str, Any], plan: Transitions, threshold: int) -> dict[str, Any]:
    """Figures of columns in which enough records still hold a number."""
    held = {
        attribute.name: int(plan.count[~np.isnan(plan.targets[plan.target, j])].sum())
        for j, attribute in enumerate(plan.tuples.attributes)
    }
    return {name: it if held[name] >= threshold else None for name, it in figures.items()}


def _named(
    shifts: Mapping[str, Any], plan: Transitions, threshold: int, notes: list[str]
) -> dict[str, Any]:
    """Means before and after; a concept that too few released records hold is not named."""
    often = {
        attribute.name: _released(plan, j)
        for j, attribute in enumerate(plan.tuples.attributes)
        if isinstance(attribute, NominalAttribute)
    }
    kept: dict[str, Any] = {}
    for name, shift in shifts.items():
        if shift is None:
            kept[name] = None
            continue
        rare = [side for side in ("before", "after") if often[name].get(shift[side], 0) < threshold]
        if any(shift[side] is not None for side in rare):
            notes.append(
                f"a mean of {name} is a concept that fewer than {threshold:,} released records "
                "hold: it is not named"
            )
        kept[name] = {**shift, **dict.fromkeys(rare)}
    return kept


def _released(plan: Transitions, j: int) -> dict[str, int]:
    """How many records of the released table hold each concept of an attribute."""
    attribute = plan.tuples.attributes[j]
    assert isinstance(attribute, NominalAttribute)
    targets = plan.targets[plan.target, j]
    held = ~np.isnan(targets)
    counts = np.bincount(targets[held].astype(np.int64), weights=plan.count[held])
    return {
        attribute.candidates[place]: int(count)
        for place, count in enumerate(counts)
        if count and attribute.candidates[place] != MISSING
    }
