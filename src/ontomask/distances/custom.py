"""A distance of the user's own: any function of a taxonomy and two concepts."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure, PairDistance
from ontomask.distances.shared import SharedAncestors
from ontomask.errors import ParameterError
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["custom_measure"]


def custom_measure(
    function: PairDistance, taxonomy: Taxonomy, name: str | None = None
) -> DistanceMeasure:
    """A measure made of ``function(taxonomy, a, b)``, checked on a sample of concepts.

    It is called ``name``, or as the function is. It must give numbers from 0 to 1, 0 for equal
    concepts, and the same either way round.
    """
    name = name or str(getattr(function, "__name__", type(function).__name__))
    _check_sample(function, name, taxonomy)

    def block(common: SharedAncestors, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        names = common.taxonomy.identifiers
        cells = ((names[a], names[b]) for a, b in product(rows, common.columns))
        flat = np.fromiter(
            (function(common.taxonomy, a, b) for a, b in cells),
            dtype=np.float64,
            count=len(rows) * len(common.columns),
        )
        if not ((flat >= 0) & (flat <= 1)).all():
            raise _measure_error(name, "returned a number that is not between 0 and 1")
        return flat.reshape(len(rows), len(common.columns))

    def words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
        return f"as the function {name!r} says"

    return DistanceMeasure(name, function, block, words)


def _check_sample(function: PairDistance, name: str, taxonomy: Taxonomy, most: int = 8) -> None:
    """Check the function on every pair of a few concepts spread over the taxonomy."""
    places = sorted({i * (len(taxonomy) - 1) // max(most - 1, 1) for i in range(most)})
    sample = [taxonomy.identifiers[place] for place in places]
    for a, b in product(sample, sample):
        distance = function(taxonomy, a, b)
        if not isinstance(distance, int | float | np.number) or not 0 <= distance <= 1:
            raise _measure_error(name, f"returned {distance!r} for {a!r} and {b!r}")
        if a == b and distance != 0:
            raise _measure_error(name, f"returned {distance!r} for {a!r} and itself")
        back = function(taxonomy, b, a)
        if not math.isclose(distance, back, abs_tol=1e-12):
            raise _measure_error(
                name, f"returned {distance!r} for {a!r} and {b!r}, but {back!r} in reverse order"
            )


def _measure_error(name: str, problem: str) -> ParameterError:
    return ParameterError(
        f"the measure {name!r} {problem}",
        "a measure must be symmetric and return a number from 0 to 1, 0 for equal concepts",
    )
