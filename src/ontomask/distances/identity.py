"""The classic distance that knows no meaning: equal or not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["MEASURES", "equality"]


def equality(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    """0 for the same concept, 1 for any other: the baseline without semantics (SF 4.2, MA 3.3).

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 or 1.

    >>> from ontomask import datasets
    >>> equality(datasets.diagnoses(), "hepatitis B", "hepatitis C")
    1.0
    """
    return 0.0 if taxonomy.code(a) == taxonomy.code(b) else 1.0


def _block(common: SharedAncestors, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    return np.where(common.same(rows), 0.0, 1.0)


def _words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    return "meaning plays no part: 0 for the same concept, 1 for any other"


MEASURES = (DistanceMeasure("equality", equality, _block, _words),)
