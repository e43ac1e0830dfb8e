"""Distances by depth: how specific the closest common ancestor is (Wu and Palmer)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["MEASURES", "wu_palmer", "wu_palmer_depth", "wu_palmer_links"]

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]


def wu_palmer(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the depth of the least common subsumer and the links up to it.

    .. math:: d(a, b) = 1 - \frac{2\,depth(L)}{2\,depth(L) + path(a, L) + path(b, L)}

    :math:`L` is the common ancestor of greatest depth. Depth counts the nodes on the longest path
    to the root; path counts the links on the shortest path up (RS eq. 3).

    Departures from the paper: if several common ancestors are equally deep, the one that gives the
    smallest distance counts, so the result does not depend on how the graph is stored.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, below 1 for all others. Symmetric. Not a metric if concepts have
        several parents.

    >>> from ontomask import datasets
    >>> wu_palmer(datasets.diagnoses(), "influenza", "hepatitis B") == 1 - 4 / (4 + 1 + 2)
    True
    """
    depth, links = _deepest_common_ancestor(taxonomy, a, b)
    return 1 - 2 * depth / (2 * depth + links)


def wu_palmer_depth(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the depths of both concepts and of their least common subsumer.

    .. math:: d(a, b) = 1 - \frac{2\,depth(L)}{depth(a) + depth(b)}

    :math:`L` is the common ancestor of greatest depth (NO eq. 8-9). On a tree this equals
    :func:`wu_palmer`. With several parents the two differ, because the longest and the shortest
    path up from a concept differ. Departures from the paper: none. Depth is measured along the
    longest path, because the shortest path would make some distances negative.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, below 1 for all others. Symmetric.

    >>> from ontomask import datasets
    >>> wu_palmer_depth(datasets.diagnoses(), "influenza", "hepatitis B") == 1 - 4 / (3 + 4)
    True
    """
    depth, _ = _deepest_common_ancestor(taxonomy, a, b)
    return 1 - 2 * depth / (taxonomy.depth(a) + taxonomy.depth(b))


def wu_palmer_links(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance as in :func:`wu_palmer`, with the depth counted in links: 0 for the root.

    .. math:: d(a, b) = 1 - \frac{2 N_3}{N_1 + N_2 + 2 N_3}

    :math:`N_1` and :math:`N_2` are the links from each concept up to the common ancestor :math:`L`,
    and :math:`N_3` those from :math:`L` to the root (TM eq. 4).

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, up to 1 for concepts that share only the root. The root is at
        distance 1 from all other concepts. Symmetric.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> wu_palmer_links(tree, "influenza", "sprain"), wu_palmer_links(tree, "disease", "disease")
    (1.0, 0.0)
    """
    depth, links = _deepest_common_ancestor(taxonomy, a, b)
    return 1 - 2 * (depth - 1) / (2 * (depth - 1) + links) if links else 0.0


def _deepest_common_ancestor(taxonomy: Taxonomy, a: Concept, b: Concept) -> tuple[int, int]:
    """Depth of the deepest common ancestor, and the fewest links from both to one that deep."""
    up_a, up_b = taxonomy.steps_up(taxonomy.code(a)), taxonomy.steps_up(taxonomy.code(b))
    common = up_a.keys() & up_b.keys()
    deepest = max(int(taxonomy.depths[c]) for c in common)
    links = min(up_a[c] + up_b[c] for c in common if taxonomy.depths[c] == deepest)
    return deepest, links


def _deepest_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Ints:
    """For each cell ``depth * stride - links``: one number that holds both."""
    return common.best(rows, common.taxonomy.depths.astype(np.int64) * common.stride)


def _depth_and_links(key: Ints, stride: int) -> tuple[Ints, Ints]:
    depth = -(-key // stride)
    return depth, depth * stride - key


def _block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    def formula(key: Ints) -> Floats:
        depth, links = _depth_and_links(key, common.stride)
        return 1 - 2 * depth / np.maximum(2 * depth + links, 1)

    return common.tabulate(formula, _deepest_block(common, rows))


def _links_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    def formula(key: Ints) -> Floats:
        depth, links = _depth_and_links(key, common.stride)
        total = 2 * (depth - 1) + links
        return np.where(links > 0, 1 - 2 * (depth - 1) / np.maximum(total, 1), 0.0)

    return common.tabulate(formula, _deepest_block(common, rows))


def _depth_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    def formula(depth: Ints, both: Ints) -> Floats:
        return 1 - 2 * depth / np.maximum(both, 1)

    depths = common.taxonomy.depths
    deepest = common.heaviest(rows, depths)
    return common.tabulate(formula, deepest, depths[rows], common.of_columns(depths))


def _words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    depth, links_up = _deepest_common_ancestor(taxonomy, a, b)
    return (
        f"it is {_format_nodes(depth)} deep, and {_format_links(links_up)} lead up to it "
        f"from both sides:\n  1 - 2*{depth} / (2*{depth} + {links_up})"
    )


def _depth_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    depth, _ = _deepest_common_ancestor(taxonomy, a, b)
    deep_a, deep_b = taxonomy.depth(a), taxonomy.depth(b)
    return (
        f"it is {_format_nodes(depth)} deep, the two are {deep_a} and {deep_b} deep:\n"
        f"  1 - 2*{depth} / ({deep_a} + {deep_b})"
    )


def _links_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    depth, links_up = _deepest_common_ancestor(taxonomy, a, b)
    return (
        f"it is {_format_links(depth - 1)} below the root, and {_format_links(links_up)} lead "
        f"up to it from both sides:\n  1 - 2*{depth - 1} / (2*{depth - 1} + {links_up})"
    )


def _format_nodes(count: int) -> str:
    return f"{count} node{'s' * (count != 1)}"


def _format_links(count: int) -> str:
    return f"{count} link{'s' * (count != 1)}"


MEASURES = (
    DistanceMeasure("wu_palmer", wu_palmer, _block, _words),
    DistanceMeasure("wu_palmer_depth", wu_palmer_depth, _depth_block, _depth_words),
    DistanceMeasure("wu_palmer_links", wu_palmer_links, _links_block, _links_words),
)
