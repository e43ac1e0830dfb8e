"""A distance measure: its definition for a pair, the same for a whole block, and in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.taxonomy import Concept, Taxonomy

if TYPE_CHECKING:
    from ontomask.distances.shared import SharedAncestors

__all__ = ["Explanation", "DistanceMeasure", "LeastSums", "MeasureLike", "PairDistance"]

PairDistance = Callable[[Taxonomy, Concept, Concept], float]
#: From a taxonomy, concepts, the records that hold each, and candidates.
LeastSums = Callable[
    [Taxonomy, NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]], NDArray[np.float64]
]


@dataclass(frozen=True)
class DistanceMeasure:
    """A distance measure between concepts.

    Args:
        name: The name to pass as ``measure=``.
        pair: The definition: a function of a taxonomy and two concepts.
        block: The same distances for many row concepts and all columns at once.
        words: A function that explains the distance of a pair in words.
        least_sums: Lower bounds of the summed distances from candidates to concepts with counts,
            which save a mean most of the sums; None where there are none.
    """

    name: str
    pair: PairDistance
    block: Callable[[SharedAncestors, NDArray[np.int32]], NDArray[np.float64]]
    words: Callable[[Taxonomy, Concept, Concept], str]
    least_sums: LeastSums | None = None


#: What can be passed as ``measure=``: the name of a measure, a function of a taxonomy and two
#: concepts, or a measure.
MeasureLike = str | PairDistance | DistanceMeasure


@dataclass(frozen=True, repr=False)
class Explanation:
    """The distance between two concepts and the numbers behind it; print it to read it.

    Attributes:
        a: A concept.
        b: Another concept.
        measure: Name of the distance measure.
        distance: The distance.
        common: The common ancestors.
        lcs: The least common subsumer.
        heading: The first line of the text.
        shared: Lines about what the concepts have in common.
        formula: Lines with the formula and its numbers.
    """

    a: Concept
    b: Concept
    measure: str
    distance: float
    common: tuple[Concept, ...]  # the deepest first
    lcs: Concept
    heading: str  # the two concepts and the distance
    shared: tuple[str, ...]  # what they have in common, in words
    formula: tuple[str, ...]  # its lines, with the figures filled in

    @property
    def text(self) -> str:
        """The explanation as text, line by line."""
        return "\n  ".join([self.heading, *self.shared, *self.formula])

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__
