"""Distances by edges: how many is-a links lie between two concepts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["MEASURES", "leacock_chodorow", "path"]

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]


def path(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the number of links on the shortest path between two concepts.

    .. math:: d(a, b) = \frac{\min_c\; path(a, c) + path(b, c)}{2\,(D - 1)}

    The path goes up to a common ancestor :math:`c` and down again. :math:`D` is the depth of the
    taxonomy in nodes, so the divisor is the length of the longest possible path. TM eq. 2 does not
    divide.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, up to 1. Symmetric.

    >>> from ontomask import datasets
    >>> path(datasets.diagnoses(), "influenza", "hepatitis B") == 3 / 6
    True
    """
    longest = 2 * (taxonomy.height - 1)
    return _shortest_path(taxonomy, a, b) / longest if longest else 0.0


def leacock_chodorow(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the logarithm of the length of the shortest path.

    .. math:: d(a, b) = \frac{\log N_p}{\log(2D - 1)}

    :math:`N_p` is the number of nodes on the shortest path and :math:`D` the depth of the taxonomy
    in nodes. This is the similarity :math:`-\log(N_p / 2D)` of TM eq. 3 as a distance, scaled to 0
    for one node and 1 for the greatest possible number of nodes.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, up to 1. Symmetric.

    >>> import math
    >>> from ontomask import datasets
    >>> round(leacock_chodorow(datasets.diagnoses(), "influenza", "hepatitis B"), 6)
    0.712414
    >>> round(math.log(4) / math.log(7), 6)
    0.712414
    """
    most = 2 * taxonomy.height - 1
    return float(np.log(_shortest_path(taxonomy, a, b) + 1) / np.log(most)) if most > 1 else 0.0


def _shortest_path(taxonomy: Taxonomy, a: Concept, b: Concept) -> int:
    """Links on the shortest way through a common ancestor."""
    up_a, up_b = taxonomy.steps_up(taxonomy.code(a)), taxonomy.steps_up(taxonomy.code(b))
    return min(up_a[c] + up_b[c] for c in up_a.keys() & up_b.keys())


def _shortest_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Ints:
    every_ancestor_alike = np.full(len(common.taxonomy), common.stride, dtype=np.int64)
    return common.stride - common.best(rows, every_ancestor_alike)


def _path_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    longest = max(2 * (common.taxonomy.height - 1), 1)
    return common.tabulate(lambda links: links / longest, _shortest_block(common, rows))


def _leacock_chodorow_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    most = np.log(max(2 * common.taxonomy.height - 1, 2))
    return common.tabulate(lambda links: np.log(links + 1) / most, _shortest_block(common, rows))


def _path_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    links, longest = _shortest_path(taxonomy, a, b), 2 * (taxonomy.height - 1)
    return (
        f"the shortest way between them has {links} link(s), the longest there could be "
        f"{longest}:\n  {links} / {longest}"
    )


def _leacock_chodorow_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    nodes, most = _shortest_path(taxonomy, a, b) + 1, 2 * taxonomy.height - 1
    return (
        f"the shortest way between them has {nodes} node(s), the longest there could be "
        f"{most}:\n  log {nodes} / log {most}"
    )


MEASURES = (
    DistanceMeasure("path", path, _path_block, _path_words),
    DistanceMeasure(
        "leacock_chodorow", leacock_chodorow, _leacock_chodorow_block, _leacock_chodorow_words
    ),
)
