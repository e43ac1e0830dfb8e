"""Distances by features: the ancestors two concepts do not share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["MEASURES", "sanchez", "sanchez_formula"]


def sanchez(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Semantic distance by the share of ancestors that two concepts do not have in common.

    .. math:: d(a, b) = \log_2\Bigl(1 + \frac{|A \cup B| - |A \cap B|}{|A \cup B|}\Bigr)

    :math:`A` and :math:`B` are the ancestors of each concept, itself included (MA eq. 1, SF eq. 1).
    With several parents, every path counts. This is the default measure.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, towards 1 for concepts that share only the root. Symmetric; a
        metric.

    >>> from ontomask import datasets
    >>> round(sanchez(datasets.diagnoses(), "influenza", "hepatitis"), 3)
    0.678
    """
    either, shared = _count_ancestors(taxonomy, a, b)
    return float(np.log2(1 + (either - shared) / either))


def _count_ancestors(taxonomy: Taxonomy, a: Concept, b: Concept) -> tuple[int, int]:
    above_a = taxonomy.steps_up(taxonomy.code(a)).keys()
    above_b = taxonomy.steps_up(taxonomy.code(b)).keys()
    return len(above_a | above_b), len(above_a & above_b)


def sanchez_formula(shared: NDArray[np.integer], both: NDArray[np.integer]) -> NDArray[np.float64]:
    """The distance by the number of shared ancestors and the sum of both numbers of ancestors."""
    either = np.maximum(both - shared, 1)  # combinations that never occur must not divide by 0
    return np.log2(1 + np.maximum(either - shared, 0) / either)


def _block(common: SharedAncestors, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    shared, row_ancestors = common.count(rows)
    return common.tabulate(sanchez_formula, shared, row_ancestors, common.column_ancestors)


def _words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    either, shared = _count_ancestors(taxonomy, a, b)
    apart = either - shared
    return (
        f"together they have {either} concepts (themselves and all ancestors);\n"
        f"{apart} of these {'belongs' if apart == 1 else 'belong'} to only one of them:\n"
        f"log2(1 + {apart}/{either})"
    )


MEASURES = (DistanceMeasure("sanchez", sanchez, _block, _words),)
