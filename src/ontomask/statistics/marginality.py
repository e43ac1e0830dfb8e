"""Marginality: how far each value lies from all the others (MA section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import MeasureLike
from ontomask.statistics.counts import (
    ConceptCounts,
    Values,
    count_concepts,
    count_pairs,
    summed_distances,
)
from ontomask.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.value_counts import to_list

__all__ = [
    "marginality",
    "marginality_covariance",
    "marginality_mean",
    "marginality_variance",
]


def marginality(
    values: Values, taxonomy: Taxonomy, measure: MeasureLike = "sanchez"
) -> NDArray[np.float64]:
    r"""The marginality of each value: the sum of its distances to all values.

    .. math:: m(x) = \sum_{y \in X} d(x, y)

    (MA eq. 2.)

    Args:
        values: A column of concepts, or a dict of concepts and counts.
        taxonomy: Taxonomy of the concepts.
        measure: Name of a distance measure, or a function.

    Returns:
        One number per value, in their order (for a dict, the order of its keys). All are 0 if the
        column has only one distinct value. The larger the number, the more outlying the value.

    >>> from ontomask import datasets
    >>> marginality(["hepatitis B", "hepatitis C", "sprain"], datasets.diagnoses()).round(3)
    array([1.308, 1.308, 1.786])
    """
    if not isinstance(values, Mapping):
        values = to_list(values)
    concepts = count_concepts(values, taxonomy)
    distinct, place = np.unique(taxonomy.codes(list(values)), return_inverse=True)
    return summed_distances(concepts, distinct, measure)[place]


def marginality_mean(values: Values, taxonomy: Taxonomy, measure: MeasureLike = "sanchez") -> float:
    """The smallest marginality of a column: its mean as a number (MA eq. 4).

    The value with this marginality is ``semantic_mean(values, taxonomy, candidates="values")`` (MA
    eq. 3).

    Args:
        values: A column of concepts, or a dict of concepts and counts.
        taxonomy: Taxonomy of the concepts.
        measure: Name of a distance measure, or a function.

    Returns:
        A number from 0 up.

    >>> from ontomask import datasets
    >>> round(marginality_mean(["hepatitis B", "hepatitis C", "sprain"], datasets.diagnoses()), 3)
    1.308
    """
    return float(_marginalities(count_concepts(values, taxonomy), measure).min())


def marginality_variance(
    values: Values, taxonomy: Taxonomy, measure: MeasureLike = "sanchez"
) -> float:
    r"""The mean marginality of a column (MA eq. 5).

    .. math:: Var_M(X) = \frac{1}{n} \sum_{x \in X} m(x)

    As in the paper, it grows with the number of records.

    Args:
        values: A column of concepts, or a dict of concepts and counts.
        taxonomy: Taxonomy of the concepts.
        measure: Name of a distance measure, or a function.

    Returns:
        0 if all values are equal, always below the number of records.

    >>> from ontomask import datasets
    >>> round(marginality_variance(["hepatitis B", "hepatitis C"], datasets.diagnoses()), 3)
    0.415
    """
    concepts = count_concepts(values, taxonomy)
    return float(concepts.counts @ _marginalities(concepts, measure) / concepts.records)


def marginality_covariance(
    x: Iterable[Concept],
    tax_x: Taxonomy,
    y: Iterable[Concept],
    tax_y: Taxonomy,
    measure: MeasureLike = "sanchez",
) -> float:
    r"""Whether outlying values of one column occur with outlying values of another (MA eq. 6).

    .. math:: Covar_M(X, Y) = \frac{1}{n} \sum_i \sqrt{m(x_i)\, m(y_i)}

    Departures from the paper: the square root is not legible in our copy. With it, the covariance
    of a column with itself is its variance.

    Args:
        x: A column of concepts.
        tax_x: Taxonomy of ``x``.
        y: Another column of the same records.
        tax_y: Taxonomy of ``y``.
        measure: Name of a distance measure, or a function.

    Returns:
        A number from 0 up.

    >>> from ontomask import datasets
    >>> tree, column = datasets.diagnoses(), ["hepatitis B", "hepatitis C", "sprain"]
    >>> covariance = marginality_covariance(column, tree, column, tree)
    >>> round(covariance - marginality_variance(column, tree), 12)
    0.0
    """
    joint = count_pairs(x, tax_x, y, tax_y)
    of_x = _marginalities(joint.x, measure)[joint.row]
    of_y = _marginalities(joint.y, measure)[joint.col]
    return float(joint.counts @ np.sqrt(of_x * of_y) / joint.counts.sum())


def _marginalities(concepts: ConceptCounts, measure: MeasureLike) -> NDArray[np.float64]:
    """The marginality of each distinct value."""
    return summed_distances(concepts, concepts.codes, measure)
