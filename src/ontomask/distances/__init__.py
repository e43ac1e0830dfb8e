"""Semantic distances between concepts, with one small module per family of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.deprecation import deprecated_names
from ontomask._runtime.extensions import Registry
from ontomask.distances import depth, edges, features, identity, information
from ontomask.distances.custom import custom_measure
from ontomask.distances.depth import wu_palmer, wu_palmer_depth, wu_palmer_links
from ontomask.distances.edges import leacock_chodorow, path
from ontomask.distances.features import sanchez
from ontomask.distances.identity import equality
from ontomask.distances.information import information_content, jiang_conrath, lin, resnik
from ontomask.distances.measure import DistanceMeasure, Explanation, MeasureLike, PairDistance
from ontomask.distances.table import Distances
from ontomask.errors import ExtensionError, ParameterError, UnknownMeasureError, quote_names
from ontomask.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.names import closest_names, name_hint

__all__ = [
    # for two concepts, for many
    "distance",
    "distance_matrix",
    "Distances",
    "explain",
    # the measures
    "sanchez",
    "wu_palmer",
    "wu_palmer_depth",
    "wu_palmer_links",
    "path",
    "leacock_chodorow",
    "lin",
    "jiang_conrath",
    "resnik",
    "equality",
    "information_content",
    # behind them
    "Explanation",
    "DistanceMeasure",
    "MeasureLike",
    "MEASURES",
    "find_measure",
]


def _check_measure(name: str, measure: Any) -> DistanceMeasure | PairDistance:
    if not callable(measure) and not isinstance(measure, DistanceMeasure):
        raise ExtensionError(
            f"the distance {name!r} must be a function or a DistanceMeasure, got {measure!r}",
            "define a function of a taxonomy and two concepts, or a DistanceMeasure",
        )
    return measure


#: All measures by name. Other packages add theirs by an entry point of ``ontomask.distances``: a
#: function of a taxonomy and two concepts, or a :class:`DistanceMeasure`, which may be faster.
MEASURES: Registry[DistanceMeasure | PairDistance] = Registry(
    "ontomask.distances",
    {
        measure.name: measure
        for family in (features, depth, edges, information, identity)
        for measure in family.MEASURES
    },
    _check_measure,
)


def find_measure(measure: DistanceMeasure | MeasureLike, taxonomy: Taxonomy) -> DistanceMeasure:
    """The measure with a given name, or one made from a function (checked on ``taxonomy``)."""
    if not isinstance(taxonomy, Taxonomy):
        raise ParameterError(
            f"taxonomy must be a Taxonomy, got {taxonomy!r}", "load one with load_taxonomy(...)"
        )
    if isinstance(measure, DistanceMeasure):
        return measure
    if isinstance(measure, str):
        if measure in MEASURES:
            named = MEASURES[measure]
            if isinstance(named, DistanceMeasure):
                return named
            return custom_measure(named, taxonomy, measure)
        near = closest_names(measure, MEASURES, most=1)
        raise UnknownMeasureError(
            f"measure must be a known measure or a function, got {measure!r}",
            name_hint(near, f"the measures are {quote_names(MEASURES, most=len(MEASURES))}"),
        )
    for name in MEASURES.own_names:
        own = MEASURES[name]
        if isinstance(own, DistanceMeasure) and measure is own.pair:
            return own
    if not callable(measure):
        raise UnknownMeasureError(
            f"measure must be the name of a measure or a function, got {measure!r}"
        )
    return custom_measure(measure, taxonomy)


def distance(taxonomy: Taxonomy, a: Concept, b: Concept, measure: MeasureLike = "sanchez") -> float:
    """The semantic distance between two concepts.

    The distance is computed in the taxonomy that you pass. For distances inside a part of it, pass
    ``taxonomy.domain(...)``.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.
        measure: Name of a measure in :data:`MEASURES`, or a function of a taxonomy and two
            concepts.

    Returns:
        0 for the same concept, up to 1.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> distance(tree, "hepatitis B", "hepatitis C") < distance(tree, "hepatitis B", "broken arm")
    True
    """
    chosen = find_measure(measure, taxonomy)
    taxonomy.code(a), taxonomy.code(b)  # an unknown concept is an error for every measure
    return float(chosen.pair(taxonomy, a, b))


def distance_matrix(
    taxonomy: Taxonomy, concepts: Sequence[Concept], measure: MeasureLike = "sanchez"
) -> NDArray[np.float64]:
    """The distances between all pairs of some concepts.

    Args:
        taxonomy: Taxonomy of the concepts.
        concepts: Identifiers of the concepts.
        measure: Name of a measure, or a function.

    Returns:
        A square matrix in the order of ``concepts``.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> distance_matrix(tree, ["hepatitis B", "hepatitis C", "broken arm"]).round(2)
    array([[0.  , 0.42, 0.91],
           [0.42, 0.  , 0.91],
           [0.91, 0.91, 0.  ]])
    """
    return Distances(taxonomy, concepts, measure=measure).table()  # type: ignore[return-value]


def explain(
    taxonomy: Taxonomy, a: Concept, b: Concept, measure: MeasureLike = "sanchez"
) -> Explanation:
    """Explain the distance between two concepts in words and numbers.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.
        measure: Name of a measure, or a function.

    Returns:
        The explanation; print it to read it. :meth:`Taxonomy.explain` gives the same.
    """
    chosen = find_measure(measure, taxonomy)
    number = distance(taxonomy, a, b, measure)
    common = taxonomy.ancestors(a) & taxonomy.ancestors(b)
    deepest_first = tuple(sorted(common, key=lambda c: (-taxonomy.depth(c), c)))
    lcs = taxonomy.lcs(a, b)
    has_formula = chosen.name in MEASURES.own_names and chosen.name != "equality"
    result = f" = {number:.3f}" if has_formula else ""
    labels = [taxonomy.label(c) for c in deepest_first]
    more = f" and {len(labels) - 8} more" if len(labels) > 8 else ""
    return Explanation(
        a,
        b,
        chosen.name,
        number,
        deepest_first,
        lcs,
        f"{taxonomy.label(a)} and {taxonomy.label(b)}: distance {number:.3f} ({chosen.name})",
        (
            f"both are: {', '.join(labels[:8])}{more}",
            f"least common subsumer: {taxonomy.label(lcs)}",
        ),
        tuple(line.strip() for line in f"{chosen.words(taxonomy, a, b)}{result}".splitlines()),
    )


__getattr__ = deprecated_names(__name__, {"Measure": "DistanceMeasure"})
