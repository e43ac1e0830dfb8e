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
    r"""How outlying each value is: its summed distance to all values.

    .. math:: m(x) = \sum_{y \in X} d(x, y)

    (MA eq. 2.) One number per value, in their order (for a dict of counts, in the order of its
    keys). From 0 for a column of one value only; the greater, the further out.

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
    """The marginality of the least marginal value: the mean as a number (MA eq. 4).

    The value itself is ``semantic_mean(values, taxonomy, candidates="values")`` (MA eq. 3).

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

    From 0 (all values alike) to below n: it grows with the number of records, as the paper has it.

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
    r"""Whether outlying values of one column go with outlying values of another (MA eq. 6).

    .. math:: Covar_M(X, Y) = \frac{1}{n} \sum_i \sqrt{m(x_i)\, m(y_i)}

    From 0 up; of a column with itself, its variance. Departures from the paper: the root cannot be
    read in our copy; it is what makes that last sentence true.

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
