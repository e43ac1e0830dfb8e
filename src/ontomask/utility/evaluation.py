"""All measures of utility at once, and what each of them means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from ontomask.utility.information_loss import (
    attribute_sse,
    changed,
    changed_records,
    mean_absolute_distance,
    rmse,
    semantic_quality,
    sse,
)
from ontomask.utility.numerical import numbers
from ontomask.utility.sets import (
    BranchLift,
    KeptValues,
    SetSizeLoss,
    branch_correlations,
    branch_lifts,
    kept_by_branch,
    kept_values,
    loss_by_set_size,
)

__all__ = ["DESCRIPTIONS", "evaluate_utility"]

Floats = NDArray[np.float64]

_COLUMN = "0 to 1 for words; the unit of the column for numbers"

_OWN_DESCRIPTIONS: dict[str, FigureDescription] = {
    "sse": FigureDescription(
        "Information loss: sum of squared distances between original and masked records.",
        "0 to the number of records",
        "lower",
        "0.000085 to 0.06 per record at k = 5, 0.00035 to 0.15 at k = 20",
    ),
    "attribute_sse": FigureDescription(
        "Sum of squared distances between the original and masked values of a column.",
        "0 or more; for numbers in the squared unit of the column",
        "lower",
    ),
    "rmse": FigureDescription(
        "Root mean squared distance between the original and masked values of a column.",
        _COLUMN,
        "lower",
        "for words, 0.21 to 0.31 at k = 5, 0.36 to 0.46 at k = 20",
    ),
    "mean_absolute_distance": FigureDescription(
        "Mean distance between the original and masked values of a column.",
        _COLUMN,
        "lower",
        "for words, 0.073 to 0.15 at k = 5, 0.18 to 0.29 at k = 20",
    ),
    "changed": FigureDescription(
        "Share of the values of a column that changed.",
        "share, 0 to 1",
        "lower",
        "0.019 to 0.83 at k = 5, 0.073 to 0.87 at k = 20",
    ),
    "changed_records": FigureDescription(
        "Share of the records with at least one changed value; the others are released unchanged.",
        "share, 0 to 1",
        "neither",
        "0.33 to 0.92 at k = 5, 0.55 to 0.94 at k = 20",
    ),
    "semantic_quality": FigureDescription(
        "Mean similarity of the masked values to the original ones.",
        "0 to 1",
        "higher",
        "0.86 to 1 at k = 5, 0.72 to 0.99 at k = 20",
    ),
    "kl": FigureDescription(
        "Kullback-Leibler divergence of the frequencies of combinations of values.",
        "0 or more, in nats",
        "lower",
        "0.25 to 1 at k = 5, 0.59 to 1.1 at k = 20",
    ),
    "discernibility": FigureDescription(
        "Discernibility: sum of the squared sizes of the equivalence classes.",
        "the number of records to its square",
        "lower",
    ),
    "average_class_size": FigureDescription(
        "Mean size of the equivalence classes.",
        "1 or more records",
        "lower",
        "5.8 to 10 at k = 5, 23 to 36 at k = 20",
    ),
    "normalised_average_class_size": FigureDescription(
        "Mean size of the equivalence classes divided by k; 1 is the best value.",
        "1 or more if the table is k-anonymous; not computed without a k",
        "lower",
        "1.2 to 2.1 at k = 5, 1.2 to 1.8 at k = 20",
    ),
    "mean_shift": FigureDescription(
        "Semantic mean of a nominal column before and after masking, and their distance.",
        "0 to 1",
        "lower",
        "0 at k = 5, 0 at k = 20",
    ),
    "variance_difference": FigureDescription(
        "Semantic variance of a nominal column before and after masking.",
        "0 to 1",
        "lower",
        "0.00033 to 0.0055 at k = 5, 0.0025 to 0.017 at k = 20",
    ),
    "distance_variance_difference": FigureDescription(
        "Distance variance of a column before and after masking.",
        _COLUMN,
        "lower",
        "for words, 0.002 to 0.013 at k = 5, 0.0099 to 0.031 at k = 20",
    ),
    "distance_correlations": FigureDescription(
        "Distance correlation of every two columns before and after masking.",
        "0 to 1",
        "lower",
        "0.00093 to 0.1 at k = 5, 0.0043 to 0.17 at k = 20",
    ),
    "kept_values": FigureDescription(
        "Sets: share of the original values that the released set of their record still says, "
        "itself or by something more specific.",
        "share, 0 to 1, by column",
        "higher",
    ),
    "generalised_values": FigureDescription(
        "Sets: share of the original values of which the released set holds a more general "
        "concept instead, other than the root.",
        "share, 0 to 1, by column",
        "neither",
    ),
    "lost_values": FigureDescription(
        "Sets: share of the original values of which the released set says nothing.",
        "share, 0 to 1, by column",
        "lower",
    ),
    "kept_by_branch": FigureDescription(
        "Sets: shares of the original values that were kept, generalised and lost, by the "
        "branches directly below the root.",
        "shares, 0 to 1, by column and branch",
        "neither",
    ),
    "loss_by_set_size": FigureDescription(
        "Sets: sum of squared distances and mean distance by the number of values in the "
        "original set.",
        "by column and size, as the SSE and the mean distance of the column",
        "lower",
    ),
    "branch_lifts": FigureDescription(
        "Sets: number of records with values of two branches, divided by the number expected by "
        "chance, before and after masking; for the most frequent pairs.",
        "0 or more; 1 if two branches are independent",
        "neither",
    ),
    "branch_correlations": FigureDescription(
        "Sets: distance correlation of every two branches, as columns of yes and no, before and "
        "after masking; of the 20 most frequent branches.",
        "0 to 1",
        "lower",
    ),
    "branch_correlation_difference": FigureDescription(
        "Sets: mean difference between these correlations before and after masking; none with "
        "fewer than two branches.",
        "0 to 1, by column",
        "lower",
    ),
    "clustering_distance": FigureDescription(
        "Difference between the clusters of the original and of the masked records.",
        "0 to 1",
        "lower",
        "0.52 to 0.68 at k = 5, 0.53 to 0.76 at k = 20",
    ),
    "number_means": FigureDescription(
        "Mean of a numerical column before and after masking.",
        "the unit of the column",
        "lower",
    ),
    "number_variances": FigureDescription(
        "Variance of a numerical column before and after masking.",
        "the squared unit of the column",
        "lower",
    ),
    "number_correlations": FigureDescription(
        "Linear correlation of every two numerical columns before and after masking.",
        "0 to 2; correlations from -1 to 1",
        "lower",
        "0.0001 to 0.1 at k = 5, 0.000029 to 0.19 at k = 20",
    ),
    "il1s": FigureDescription(
        "Mean absolute change of the numbers, relative to their standard deviation (IL1s).",
        "0 or more, in standard deviations times the square root of 2; none without numbers",
        "lower",
        "0.019 to 0.19 at k = 5, 0.048 to 0.31 at k = 20",
    ),
}


#: The meaning of each figure of :func:`evaluate_utility`, as :class:`FigureDescription`. If a
#: figure has a value before and after, the better direction refers to the difference.
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
    values, co_occurrence = kept_values(plan), branch_correlations(plan)
    figures = {
        "sse": sse(plan),
        "attribute_sse": attribute_sse(plan),
        "rmse": rmse(plan),
        "mean_absolute_distance": mean_absolute_distance(plan),
        "changed": changed(plan),
        "changed_records": changed_records(plan),
        "semantic_quality": semantic_quality(plan),
        "kl": kl(plan, removed),
        "discernibility": discernibility(plan, removed),
        "average_class_size": average_class_size(plan, None, removed),
        "normalised_average_class_size": average_class_size(plan, k, removed) if k else None,
        "mean_shift": mean_shift(plan),
        "variance_difference": variance_difference(plan),
        "distance_variance_difference": spreads,
        "distance_correlations": correlations,
        "kept_values": {name: one.share(one.kept) for name, one in values.items()},
        "generalised_values": {name: one.share(one.generalised) for name, one in values.items()},
        "lost_values": {name: one.share(one.lost) for name, one in values.items()},
        "kept_by_branch": {
            name: [{"branch": branch, **_plain_values(one)} for branch, one in branches.items()]
            for name, branches in kept_by_branch(plan).items()
        },
        "loss_by_set_size": loss_by_set_size(plan),
        "branch_lifts": branch_lifts(plan),
        "branch_correlations": co_occurrence,
        "branch_correlation_difference": {
            name: _mean_of_pairs(one.difference) for name, one in co_occurrence.items()
        },
        "clustering_distance": vars(clustering),
        "number_means": summary.means,
        "number_variances": summary.variances,
        "number_correlations": summary.correlations,
        "il1s": summary.il1s,
    }
    plain_figures = {key: _plain_values(value) for key, value in figures.items()}
    return with_added_figures("utility", plan, plain_figures)


def _mean_of_pairs(matrix: Floats) -> float | None:
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    return float(pairs.mean()) if len(pairs) else None


def _plain_values(value: Any) -> Any:
    """Numbers, strings, lists and dicts of them: what JSON can hold."""
    if isinstance(value, dict):
        return {key: _plain_values(inner) for key, inner in value.items()}
    if isinstance(value, SetSizeLoss | BranchLift):
        return value._asdict()
    if isinstance(value, list):
        return [_plain_values(inner) for inner in value]
    if isinstance(value, KeptValues):
        return {
            "records": value.records,
            "changed": value.changed,
            "values": value.values,
            "kept": value.share(value.kept),
            "generalised": value.share(value.generalised),
            "lost": value.share(value.lost),
        }
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
