"""Figures of a release without those that disclose something about few records.

If a single record was changed, the mean of a column before and after masking reveals its original
value. Therefore figures are withheld if fewer records than the threshold were changed, and concepts
are withheld if fewer records have them. Sums are withheld if a single record dominates them: the
variance of thirty incomes, one of which is a million, reveals the million. Statistics offices use
such a dominance rule for tables of sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.disclosure.sets import withhold_sets
from ontomask.microdata.attributes import MISSING, NominalAttribute, NumericalAttribute
from ontomask.microdata.measures import added_measures
from ontomask.microdata.tuples import Transitions

__all__ = ["suppress_small_counts", "withhold_risks", "withhold_weights"]

#: Figures of single columns that reveal how far, or from what to what, their values moved.
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
#: Figures of risk of single columns.
RISK_OF_COLUMNS = ("linkage_alone", "linkage_without", "rank_interval", "sd_interval")
#: Figures of the class with the smallest sum of sampling weights.
OF_WEIGHTS = ("k_map", "presence_max", "presence_min", "individual_risk")
#: Means over the columns: from one of these and all columns but one, that one follows.
OVER_COLUMNS = ("semantic_quality", "il1s")
MATRICES = ("distance_correlations", "number_correlations")


def suppress_small_counts(
    figures: Mapping[str, Any], plan: Transitions, threshold: int, notes: list[str]
) -> dict[str, Any]:
    """Withhold the figures that disclose something of fewer records than the threshold."""
    safe = dict(figures)
    records = plan.tuples.records
    few = _barely_changed_columns(figures, plan, threshold)
    dominated = [name for name in _dominated_columns(plan, threshold) if name not in few]
    withheld = {*few, *dominated}
    for figure in OF_COLUMNS:
        safe[figure] = {
            name: None if name in withheld else value for name, value in figures[figure].items()
        }
    safe["changed"] = {
        name: None if name in few else share for name, share in figures["changed"].items()
    }
    for figure in MATRICES:
        safe[figure] = _withhold_correlations(figures[figure], few)
    safe.update(withhold_sets(figures, plan, threshold, few))
    if withheld:  # it is not known what the figures of other packages disclose
        safe.update(dict.fromkeys((*OVER_COLUMNS, *added_measures("utility"))))
    if dominated:
        notes.append(
            f"one record contributes more than 1/{threshold:,} of a sum over "
            f"{', '.join(dominated)}, so the errors, means and variances of "
            f"{'this column' if len(dominated) == 1 else 'these columns'} are withheld"
        )
        if len(plan.tuples.attributes) == len(withheld):
            safe["sse"] = None
    if few:
        columns = ", ".join(few)
        notes.append(
            f"fewer than {threshold:,} records were changed in {columns}, so the figures of "
            f"{'this column' if len(few) == 1 else 'these columns'} are withheld"
        )
    if 0 < figures["changed_records"] * records < threshold:
        safe["sse"] = None
        notes.append(f"fewer than {threshold:,} records were changed, so the SSE is withheld")
    safe["number_means"] = _withhold_rare_numbers(safe["number_means"], plan, threshold)
    safe["number_variances"] = _withhold_rare_numbers(safe["number_variances"], plan, threshold)
    safe["mean_shift"] = _withhold_rare_means(safe["mean_shift"], plan, threshold, notes)
    return safe


def withhold_risks(
    risk: Mapping[str, Any], utility: Mapping[str, Any], plan: Transitions, threshold: int
) -> dict[str, Any]:
    """Withhold the risk figures of columns in which fewer records than the threshold changed.

    The share of records whose masked number is close to the original gives the number of changes.
    """
    few = _barely_changed_columns(utility, plan, threshold)
    return {
        figure: {name: None if name in few else share for name, share in value.items()}
        if figure in RISK_OF_COLUMNS
        else value
        for figure, value in risk.items()
    }


def withhold_weights(
    population: Mapping[str, Any], risk: Mapping[str, Any], threshold: int, notes: list[str]
) -> dict[str, Any]:
    """Withhold the figures that tell the sampling weights of fewer records than the threshold.

    The smallest sum of weights is the weight of one record if that record is alone in its class.
    """
    if population.get("matched_by") != "sampling weights":
        return dict(population)

    def withhold(figures: Mapping[str, Any], smallest: int) -> dict[str, Any]:
        return {**figures, **(dict.fromkeys(OF_WEIGHTS) if smallest < threshold else {})}

    if min(risk["k"], risk["before"]["k"]) < threshold:
        notes.append(
            f"figures about the smallest sum of sampling weights are withheld for a table with "
            f"equivalence classes of fewer than {threshold:,} records"
        )
    before = withhold(population["before"], risk["before"]["k"])
    return {**withhold(population, risk["k"]), "before": before}


def _barely_changed_columns(
    figures: Mapping[str, Any], plan: Transitions, threshold: int
) -> list[str]:
    """Columns in which some records changed, but fewer than the threshold."""
    records = plan.tuples.records
    return [name for name, share in figures["changed"].items() if 0 < share * records < threshold]


def _dominated_columns(plan: Transitions, threshold: int) -> list[str]:
    """Numerical columns whose sums a single record dominates."""
    dominated = []
    for j, attribute in enumerate(plan.tuples.attributes):
        if not isinstance(attribute, NumericalAttribute):
            continue
        before = attribute.numbers[plan.tuples.codes[j, plan.source]]
        known = np.isfinite(before)
        before, after, count = before[known], plan.targets[plan.target, j][known], plan.count[known]
        blank = ~np.isfinite(after)
        parts = [
            _squared_deviations(before, count),
            (before[~blank] - after[~blank]) ** 2,
            # what is left over of the two means
            _squared_deviations(before[blank], count[blank]),
        ]
        counts = [count, count[~blank], count[blank]]
        if any(_one_dominates(*part, threshold) for part in zip(parts, counts, strict=True)):
            dominated.append(attribute.name)
    return dominated


def _squared_deviations(numbers: Any, counts: Any) -> Any:
    """Squared differences from the mean."""
    return (numbers - np.average(numbers, weights=counts)) ** 2 if len(numbers) else numbers


def _one_dominates(squares: Any, counts: Any, threshold: int) -> bool:
    total = float(squares @ counts)
    return total > 0 and float(squares.max()) * threshold > total


def _withhold_correlations(matrix: Mapping[str, Any], few: Sequence[str]) -> dict[str, Any]:
    """Withhold the correlations of some columns."""
    places = {place for place, name in enumerate(matrix["columns"]) if name in few}
    sides = {
        side: [
            [None if {i, j} & places and i != j else cell for j, cell in enumerate(row)]
            for i, row in enumerate(matrix[side])
        ]
        for side in ("before", "after", "difference")
    }
    return {**matrix, **sides}


def _withhold_rare_numbers(
    figures: Mapping[str, Any], plan: Transitions, threshold: int
) -> dict[str, Any]:
    """Withhold the figures of columns in which too few records hold a number after masking."""
    records_with_number = {
        attribute.name: int(plan.count[np.isfinite(plan.targets[plan.target, j])].sum())
        for j, attribute in enumerate(plan.tuples.attributes)
    }
    return {
        name: figure if records_with_number[name] >= threshold else None
        for name, figure in figures.items()
    }


def _withhold_rare_means(
    shifts: Mapping[str, Any], plan: Transitions, threshold: int, notes: list[str]
) -> dict[str, Any]:
    """Withhold means that are concepts which too few released records hold."""
    released_counts = {
        attribute.name: _count_released(plan, j)
        for j, attribute in enumerate(plan.tuples.attributes)
        if isinstance(attribute, NominalAttribute)
    }
    safe: dict[str, Any] = {}
    for name, shift in shifts.items():
        if shift is None:
            safe[name] = None
            continue
        rare = [
            side
            for side in ("before", "after")
            if released_counts[name].get(shift[side], 0) < threshold
        ]
        if any(shift[side] is not None for side in rare):
            notes.append(
                f"a mean of {name} is a concept that fewer than {threshold:,} released records "
                "have, so it is withheld"
            )
        safe[name] = {**shift, **dict.fromkeys(rare)}
    return safe


def _count_released(plan: Transitions, j: int) -> dict[str, int]:
    """Count the records of the released table that hold each concept of an attribute."""
    attribute = plan.tuples.attributes[j]
    assert isinstance(attribute, NominalAttribute)
    targets = plan.targets[plan.target, j]
    has_concept = ~np.isnan(targets)
    counts = np.bincount(targets[has_concept].astype(np.int64), weights=plan.count[has_concept])
    return {
        attribute.candidates[place]: int(count)
        for place, count in enumerate(counts)
        if count and attribute.candidates[place] != MISSING
    }
