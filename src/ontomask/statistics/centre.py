"""The middle of a column of concepts, and the spread around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike, distance, find_measure
from ontomask.distances.shared import ancestor_lists
from ontomask.errors import ParameterError
from ontomask.statistics.counts import ConceptCounts, Values, count_concepts, summed_distances
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["centroid", "semantic_mean", "semantic_variance", "weighted_distance"]

#: Mean distances nearer to each other than this are equal: what differs is rounding.
TIE = 1e-12
#: Candidates whose sums are a first guess of the least one, where there are lower bounds.
FEW_CANDIDATES = 500


def semantic_mean(
    values: Values,
    taxonomy: Taxonomy,
    measure: MeasureLike = "sanchez",
    candidates: str = "domain",
) -> Concept:
    r"""The semantic mean: the concept with the smallest sum of distances to the values.

    .. math:: \mu(X) = \arg\min_c \sum_{x \in X} d(c, x)

    (RS eq. 13, NO eq. 10.) Between equal sums, the deepest concept is taken, then the first by
    identifier.

    Args:
        values: A column of concepts, or a dict of concepts and counts.
        taxonomy: Taxonomy of the concepts.
        measure: Name of a distance measure, or a function.
        candidates: The concepts to choose from: ``"domain"``, all concepts of the taxonomy;
            ``"hierarchy"``, the values and their ancestors (SF eq. 5); ``"values"``, only the
            values (MA eq. 3).

    Returns:
        The identifier of a concept.

    >>> from ontomask import datasets
    >>> sick = ["hepatitis B", "hepatitis C", "influenza", "common cold"]
    >>> semantic_mean(sick, datasets.diagnoses())
    'hepatitis'
    >>> semantic_mean(sick, datasets.diagnoses(), candidates="values")
    'hepatitis B'
    """
    concepts = count_concepts(values, taxonomy)
    return taxonomy.identifiers[_mean_code(concepts, measure, candidates)]


def semantic_variance(
    values: Values,
    taxonomy: Taxonomy,
    measure: MeasureLike = "sanchez",
    candidates: str = "domain",
) -> float:
    r"""The semantic variance: the mean squared distance from the semantic mean.

    .. math:: \sigma^2(X) = \frac{1}{n} \sum_{x \in X} d(x, \mu)^2

    (NO eq. 12.)

    Args:
        values: A column of concepts, or a dict of concepts and counts.
        taxonomy: Taxonomy of the concepts.
        measure: Name of a distance measure, or a function.
        candidates: The concepts that the mean is chosen from; see :func:`semantic_mean`.

    Returns:
        0 if all values equal the mean, up to 1.

    >>> from ontomask import datasets
    >>> round(semantic_variance({"hepatitis B": 3, "hepatitis C": 1}, datasets.diagnoses()), 4)
    0.0431
    """
    concepts = count_concepts(values, taxonomy)
    mean = np.array([_mean_code(concepts, measure, candidates)], dtype=np.int32)
    from_mean = Distances(taxonomy, mean, concepts.codes, measure).row(0)
    return float(concepts.counts @ from_mean**2 / concepts.records)


def _mean_code(concepts: ConceptCounts, measure: MeasureLike, candidates: str) -> int:
    taxonomy = concepts.taxonomy
    codes = _candidate_codes(concepts, candidates)
    slight = concepts.records * TIE
    least_sums = find_measure(measure, taxonomy).least_sums
    if least_sums is not None and len(codes) > FEW_CANDIDATES:
        bounds = least_sums(taxonomy, concepts.codes, concepts.counts, codes)
        promising = np.argsort(bounds, kind="stable")[:FEW_CANDIDATES]
        least = summed_distances(concepts, codes[promising], measure).min()
        codes = codes[bounds <= least + slight]
    sums = summed_distances(concepts, codes, measure)
    best = codes[sums <= sums.min() + slight]
    deepest = best[taxonomy.depths[best] == taxonomy.depths[best].max()]
    return min(deepest.tolist(), key=taxonomy.identifiers.__getitem__)


def _candidate_codes(concepts: ConceptCounts, candidates: str) -> NDArray[np.int32]:
    if candidates == "domain":
        return np.arange(len(concepts.taxonomy), dtype=np.int32)
    if candidates == "hierarchy":
        return np.unique(ancestor_lists(concepts.taxonomy, concepts.codes)[1])
    if candidates == "values":
        return concepts.codes
    raise ParameterError(
        f"candidates must be 'domain', 'hierarchy' or 'values', got {candidates!r}"
    )


def weighted_distance(
    taxonomies: Sequence[Taxonomy],
    reference: Sequence[Concept],
    record: Sequence[Concept],
    count: int = 1,
    measure: MeasureLike = "sanchez",
) -> float:
    r"""The distance from a reference to a combination of values that ``count`` records have.

    .. math:: wsd(b, \langle v, \omega \rangle) = \omega \cdot \frac{1}{m} \sum_{j=1}^m d(b_j, v_j)

    (SF eq. 2-3.)

    Args:
        taxonomies: Taxonomy of each attribute.
        reference: One concept per attribute: :math:`b`.
        record: One concept per attribute: :math:`v`.
        count: Number of records with these values: :math:`\omega`.
        measure: Name of a distance measure, or a function.

    Returns:
        0 for equal values, up to ``count``.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> round(weighted_distance([tree], ["influenza"], ["hepatitis"], count=2), 3)
    1.356
    """
    if not len(taxonomies) == len(reference) == len(record) or not taxonomies:
        raise ParameterError(
            "taxonomies, reference and record must have the same length, got "
            f"{len(taxonomies)}, {len(reference)} and {len(record)}",
            "give one taxonomy and two values for each attribute",
        )
    distances = [
        distance(taxonomy, b, v, measure)
        for taxonomy, b, v in zip(taxonomies, reference, record, strict=True)
    ]
    return count * sum(distances) / len(distances)


def centroid(
    columns: Sequence[Values],
    taxonomies: Sequence[Taxonomy],
    measure: MeasureLike = "sanchez",
    candidates: str = "hierarchy",
) -> tuple[Concept, ...]:
    """The centroid of a set of records: the semantic mean of each attribute (SF eq. 4-6).

    Args:
        columns: One column per attribute, or one dict of concepts and counts per attribute.
        taxonomies: Taxonomy of each attribute.
        measure: Name of a distance measure, or a function.
        candidates: The concepts that a mean is chosen from; see :func:`semantic_mean`.

    Returns:
        One concept per attribute.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> centroid([["hepatitis B", "hepatitis C"], ["sprain", "sprain"]], [tree, tree])
    ('hepatitis B', 'sprain')
    """
    if len(columns) != len(taxonomies):
        raise ParameterError(
            f"columns and taxonomies must have the same length, got {len(columns)} and "
            f"{len(taxonomies)}",
            "give one taxonomy for each column",
        )
    return tuple(
        semantic_mean(values, taxonomy, measure, candidates)
        for values, taxonomy in zip(columns, taxonomies, strict=True)
    )
