"""All measures of utility at once, and what each of them means."""

from __future__ import annotations

from typing import Any

import numpy as np

from ontomask.microdata.measures import (
    FigureDescription,
    FigureDescriptions,
    with_added_figures,
)
from ontomask.microdata.tuples import Transitions
from ontomask.utility.association import Correlations, associations
from ontomask.utility.classes import average_class_size, discernibility, kl
from ontomask.utility.clustering import clustering_distance
from ontomask.utility.columns import Change, MeanShift, mean_shift, variance_difference
from ontomask.utility.errors import (
    attribute_sse,
    changed,
    changed_records,
    mean_absolute_distance,
    rmse,
    semantic_quality,
    sse,
)
from ontomask.utility.numerical import numbers

__all__ = ["DESCRIPTIONS", "evaluate_utility"]


_COLUMN = "0 to 1 for words, the column's own unit for numbers"

_OWN_DESCRIPTIONS: dict[str, FigureDescription] = {
    "sse": FigureDescription(
        "The squared distance between each original record and its masked one, summed.",
        "0 to the number of records",
        "lower",
        "0.000085 to 0.06 a record at k = 5, 0.00035 to 0.15 at k = 20",
    ),
    "attribute_sse": FigureDescription(
        "The squared distance between original and masked values of a column, summed.",
        "0 up; numbers in their own unit, squared",
        "lower",
    ),
    "rmse": FigureDescription(
        "How far values of a column have moved, large moves counting more.",
        _COLUMN,
        "lower",
        "for words, 0.21 to 0.31 at k = 5, 0.36 to 0.45 at k = 20",
    ),
    "mean_absolute_distance": FigureDescription(
        "How far values of a column have moved on average.",
        _COLUMN,
        "lower",
        "for words, 0.073 to 0.14 at k = 5, 0.18 to 0.28 at k = 20",
    ),
    "changed": FigureDescription(
        "The share of values of a column that are not what they were.",
        "share, 0 to 1",
        "lower",
        "0.019 to 0.83 at k = 5, 0.073 to 0.87 at k = 20",
    ),
    "changed_records": FigureDescription(
        "The share of records with at least one changed value; the others are published as "
        "they were.",
        "share, 0 to 1",
        "neither",
        "0.33 to 0.92 at k = 5, 0.55 to 0.94 at k = 20",
    ),
    "semantic_quality": FigureDescription(
        "How similar masked values are to the original ones on average.",
        "0 to 1",
        "higher",
        "0.86 to 1 at k = 5, 0.72 to 0.99 at k = 20",
    ),
    "kl": FigureDescription(
        "How much the frequencies of the original combinations of values have changed.",
        "0 up, in nats",
        "lower",
        "0.25 to 1 at k = 5, 0.59 to 1.1 at k = 20",
    ),
    "discernibility": FigureDescription(
        "The squared sizes of the classes of records that look alike, summed.",
        "the number of records to its square",
        "lower",
    ),
    "average_class_size": FigureDescription(
        "How many records look alike on average.",
        "records, 1 up",
        "lower",
        "5.8 to 10 at k = 5, 23 to 35 at k = 20",
    ),
    "normalised_average_class_size": FigureDescription(
        "How many times larger than k the classes are on average; 1 is the best there can be.",
        "1 up where the table is k-anonymous; none where no k is given",
        "lower",
        "1.2 to 2.1 at k = 5, 1.2 to 1.8 at k = 20",
    ),
    "mean_shift": FigureDescription(
        "The semantic mean of a nominal column before and after, and their distance.",
        "0 to 1",
        "lower",
        "0 at k = 5, 0 at k = 20",
    ),
    "variance_difference": FigureDescription(
        "The mean squared distance from the semantic mean of a nominal column, before and after.",
        "0 to 1",
        "lower",
        "0.00017 to 0.0058 at k = 5, 0.0017 to 0.019 at k = 20",
    ),
    "distance_variance_difference": FigureDescription(
        "How much the values of a column differ from each other, before and after.",
        _COLUMN,
        "lower",
        "for words, 0.002 to 0.014 at k = 5, 0.0099 to 0.033 at k = 20",
    ),
    "distance_correlations": FigureDescription(
        "How strongly every two columns hang together, before and after.",
        "0 to 1",
        "lower",
        "0.00093 to 0.1 at k = 5, 0.0043 to 0.17 at k = 20",
    ),
    "clustering_distance": FigureDescription(
        "How differently the original and the masked records fall into clusters.",
        "0 to 1",
        "lower",
        "0.54 to 0.68 at k = 5, 0.53 to 0.76 at k = 20",
    ),
    "number_means": FigureDescription(
        "The mean of a numerical column before and after.",
        "the column's own unit",
        "lower",
    ),
    "number_variances": FigureDescription(
        "The variance of a numerical column before and after.",
        "the column's own unit, squared",
        "lower",
    ),
    "number_correlations": FigureDescription(
        "How strongly every two numerical columns hang together in a line, before and after.",
        "0 to 2; correlations from -1 to 1",
        "lower",
        "0.0001 to 0.1 at k = 5, 0.000029 to 0.19 at k = 20",
    ),
    "il1s": FigureDescription(
        "How far numbers have moved on average, in units of their spread.",
        "standard deviations times the root of 2, 0 up; none without numbers",
        "lower",
        "0.019 to 0.19 at k = 5, 0.048 to 0.3 at k = 20",
    ),
}


#: Every key of :func:`evaluate_utility`; where it holds before, after and a difference, what is
#: better holds of the difference.
DESCRIPTIONS = FigureDescriptions("utility", _OWN_DESCRIPTIONS)


def evaluate_utility(
    plan: Transitions,
    k: int | None = None,
    clusters: int = 10,
    most_tuples: int = 2_000,
    most_concepts: int = 2_000,
    random: np.random.Generator | None = None,
    removed: bool = False,
) -> dict[str, Any]:
    """All figures of data utility and information loss.

    Args:
        plan: The transitions of a release.
        k: The k that the average class size is divided by.
        clusters: Number of clusters for :func:`clustering_distance`.
        most_tuples: Limit of :func:`clustering_distance`; larger tables are sampled.
        most_concepts: Limit of :func:`distance_correlations`. It is lower than the default there,
            so that an evaluation takes seconds.
        random: The generator that draws the samples. Without it, they are always the same.
        removed: Whether suppressed records are removed from the table, and so in no class.

    Returns:
        Plain numbers, lists and dicts by the names in :data:`DESCRIPTIONS`.

    >>> from ontomask.utility.example import six_patients
    >>> figures = evaluate_utility(six_patients(), k=2)
    >>> round(figures["sse"], 4), figures["discernibility"]
    (0.3182, 12)
    >>> figures["mean_shift"]["diagnosis"]["after"]
    'influenza'
    """
    spreads, correlations = associations(plan, most_concepts, random)
    clustering = clustering_distance(plan, clusters, most_tuples, random)
    summary = numbers(plan)
    figures = {
        "sse": sse(plan),
        "attribute_sse": attribute_sse(plan),
        "rmse": rmse(plan),
        "mean_absolute_distance": mean_absolute_distance(plan),
        "changed": changed(plan),
        "changed_records": changed_records(plan),
        "semantic_quality": semantic_quality(plan),
        "kl": kl(plan),
        "discernibility": discernibility(plan, removed),
        "average_class_size": average_class_size(plan, None, removed),
        "normalised_average_class_size": average_class_size(plan, k, removed) if k else None,
        "mean_shift": mean_shift(plan),
        "variance_difference": variance_difference(plan),
        "distance_variance_difference": spreads,
        "distance_correlations": correlations,
        "clustering_distance": vars(clustering),
        "number_means": summary.means,
        "number_variances": summary.variances,
        "number_correlations": summary.correlations,
        "il1s": summary.il1s,
    }
    plain_figures = {key: _plain_values(value) for key, value in figures.items()}
    return with_added_figures("utility", plan, plain_figures)


def _plain_values(value: Any) -> Any:
    """Numbers, strings, lists and dicts of them: what JSON can hold."""
    if isinstance(value, dict):
        return {key: _plain_values(inner) for key, inner in value.items()}
    if isinstance(value, MeanShift):
        return dict(vars(value))
    if isinstance(value, Change):
        return {**vars(value), "difference": value.difference}
    if isinstance(value, Correlations):
        return {
            "columns": list(value.columns),
            "before": value.before.tolist(),
            "after": value.after.tolist(),
            "difference": value.difference.tolist(),
            "records": value.records,
        }
    return value
