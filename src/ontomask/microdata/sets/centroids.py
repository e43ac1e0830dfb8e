"""The centroids of groups of sets: what enough of the group holds."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.sets.concept_sets import ConceptSets

__all__ = ["set_centroids"]

Longs = NDArray[np.int64]


def set_centroids(
    sets: ConceptSets,
    counts: Longs,
    groups: ConceptSets,
    centroid: Literal["rule", "best"] = "rule",
    *,
    squared: bool = True,
    missing: int = -1,
) -> ConceptSets:
    r"""The centroid of each group of closures, as a closure.

    A *level set* holds the concepts that at least a share :math:`\theta` of a group's records
    hold. An ancestor is held wherever its descendant is, so that a level set is a closure, in
    taxonomies with several parents as well. By the rule, :math:`\theta = 1/2`: each concept is in
    the centroid if the majority holds it.

    Args:
        sets: Closures.
        counts: How many records hold each of them.
        groups: The members of each group, by their places in ``sets``.
        centroid: ``"rule"`` for the majority, ``"best"`` for the level set with the least summed
            cost of all with a share of at least 0.2; the smallest of equals.
        squared: Whether a record costs its squared distance, or the distance itself.
        missing: The number that stands for a missing set. It is the centroid where more than half
            of the records are missing (``"rule"``) or where it costs less (``"best"``).

    Returns:
        Closures. Their deepest concepts are what is released.
    """
    from ontomask.microdata.sets import kernels

    concepts = max(int(sets.concepts.max(initial=-1)), missing) + 1
    most = int(groups.sizes().max(initial=0))
    work = kernels.allocate_level_scratch(concepts, most)
    offsets = np.zeros_like(groups.offsets)
    # A centroid has no more concepts than its members together.
    found = np.empty(int(sets.sizes()[groups.concepts].sum()), dtype=np.int32)
    kernels.group_level_sets(
        sets.offsets,
        sets.concepts,
        counts,
        groups.offsets,
        groups.concepts,
        centroid == "best",
        squared,
        missing,
        work,
        offsets,
        found,
    )
    return ConceptSets(offsets, found[: offsets[-1]].copy())
