"""What follows from a set of concepts, and how far two sets are apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.shared import ancestor_lists
from ontomask.microdata.sets.concept_sets import ConceptSets
from ontomask.taxonomy import Taxonomy

__all__ = ["closures", "missing_concept", "reduce_to_deepest", "set_distances"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


def missing_concept(taxonomy: Taxonomy) -> int:
    """The number that stands for a missing set: one that no concept has, without ancestors.

    A missing set holds it alone. It is at distance 1 from all other sets, the empty one too.
    """
    return len(taxonomy)


def closures(taxonomy: Taxonomy, sets: ConceptSets) -> ConceptSets:
    """The closure of each set: its concepts and all their ancestors.

    >>> from ontomask import datasets
    >>> taxonomy = datasets.diagnoses()
    >>> sets = ConceptSets.from_lists([taxonomy.codes(["influenza"]), []])
    >>> [taxonomy.identifiers[concept] for concept in closures(taxonomy, sets).lists()[0]]
    ['disease', 'viral infection', 'influenza']
    """
    from ontomask.microdata.sets import kernels

    places, start, above = _ancestors_of_used(taxonomy, sets)
    seen = np.full(len(taxonomy) + 1, -1, dtype=np.int64)
    offsets = np.zeros_like(sets.offsets)
    kernels.close_sets(sets.offsets, places, start, above, seen, offsets, np.empty(0, np.int32))
    seen[:] = -1
    concepts = np.empty(offsets[-1], dtype=np.int32)
    kernels.close_sets(sets.offsets, places, start, above, seen, offsets, concepts)
    return ConceptSets(offsets, concepts)


def reduce_to_deepest(taxonomy: Taxonomy, sets: ConceptSets) -> ConceptSets:
    """Each set without the concepts that follow from others of it.

    The closure stays the same. Of a closure, these are the concepts that are released.
    """
    from ontomask.microdata.sets import kernels

    places, start, above = _ancestors_of_used(taxonomy, sets)
    seen = np.full(len(taxonomy) + 1, -1, dtype=np.int64)
    offsets, concepts = np.zeros_like(sets.offsets), np.empty_like(sets.concepts)
    kernels.keep_deepest(sets.offsets, sets.concepts, places, start, above, seen, offsets, concepts)
    return ConceptSets(offsets, concepts[: offsets[-1]].copy())


def _ancestors_of_used(taxonomy: Taxonomy, sets: ConceptSets) -> tuple[Ints, Longs, Ints]:
    """For each entry the place of its concept among those used; their ancestors, end to end."""
    missing = missing_concept(taxonomy)
    is_used = np.zeros(missing + 1, dtype=bool)
    is_used[sets.concepts] = True
    used = np.flatnonzero(is_used[:missing]).astype(np.int32)
    place = np.zeros(missing + 1, dtype=np.int32)
    place[used] = np.arange(len(used))
    place[missing] = len(used)
    start, above, _ = ancestor_lists(taxonomy, used)
    start = np.append(start, start[-1] + 1)
    return place[sets.concepts], start, np.append(above, np.int32(missing))


def set_distances(first: ConceptSets, second: ConceptSets) -> Floats:
    r"""The semantic distance of each closure to the one at the same place.

    .. math:: d(A, B) = \log_2\Bigl(1 + \frac{|A \triangle B|}{|A \cup B|}\Bigr)

    This is :func:`~ontomask.distances.sanchez` for sets with one concept each (SF eq. 1).

    Args:
        first: Closures.
        second: As many closures.

    Returns:
        0 for equal closures, two empty ones too; up to 1 for sets with nothing in common. The
        empty set is at distance 1 from all others. Symmetric; a metric.

    >>> sets = ConceptSets.from_lists([[0, 1, 2], []])
    >>> set_distances(sets, ConceptSets.from_lists([[0, 1], []])) == np.log2([1 + 1 / 3, 1])
    array([ True,  True])
    """
    from ontomask.microdata.sets import kernels

    shared = np.empty(len(first), dtype=np.int64)
    kernels.count_shared(first.offsets, first.concepts, second.offsets, second.concepts, shared)
    union = first.sizes() + second.sizes() - shared
    apart = (union - shared) / np.maximum(union, 1)
    distances: Floats = np.log2(1 + apart)
    return distances
