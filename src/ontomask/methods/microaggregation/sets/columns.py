"""The columns of sets of some tuples, apart from the others, and their centroids as concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.sets.space import SetColumn
from ontomask.microdata.attributes import MISSING, Attribute, NominalAttribute
from ontomask.microdata.sets import ConceptSets, reduce_to_deepest
from ontomask.microdata.sets.set_concepts import (
    has_sets,
    name_sets,
    sets_of_values,
    with_more_candidates,
)
from ontomask.microdata.tuples import Tuples

__all__ = ["name_centroids", "read_closures", "separate_sets"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


def separate_sets(tuples: Tuples) -> tuple[list[SetColumn], Tuples | None]:
    """The columns of sets, and the tuples without them; None if nothing is left."""
    columns, rest = [], []
    for j, (attribute, codes) in enumerate(zip(tuples.attributes, tuples.codes, strict=True)):
        if has_sets(attribute):
            assert isinstance(attribute, NominalAttribute)
            sets = sets_of_values(attribute, attribute.domain).take(codes)
            columns.append(SetColumn(attribute.domain, sets, attribute.weight))
        else:
            rest.append(j)
    if not columns:
        return columns, tuples
    if not rest:
        return columns, None
    attributes = tuple(tuples.attributes[j] for j in rest)
    codes = np.ascontiguousarray(tuples.codes[rest])
    return columns, replace(tuples, attributes=attributes, codes=codes)


def read_closures(
    sizes: Sequence[int], concepts: Ints, centroids: Floats
) -> tuple[ConceptSets, ...]:
    """For each column of sets, the closures of some centroids.

    ``sizes`` are the numbers of concepts of the columns, and ``concepts`` those of the space, where
    the centroids say what part of it they have.
    """
    closures, first = [], 0
    for s, size in enumerate(sizes):
        start, many = centroids[:, 2 * s].astype(np.int64), centroids[:, 2 * s + 1].astype(np.int64)
        end = np.cumsum(many)
        places = np.arange(int(many.sum())) + np.repeat(start - end + many, many)
        owner = np.repeat(np.arange(len(many)), many)
        closures.append(ConceptSets.from_pairs(owner, concepts[places] - first, len(many)))
        first += size
    return tuple(closures)


def name_centroids(
    attributes: Sequence[Attribute], closures: Sequence[ConceptSets], others: Floats
) -> tuple[tuple[Attribute, ...], Floats]:
    """Centroids as targets of the attributes, and the attributes, which the sets are added to."""
    of_sets, of_others = iter(closures), iter(others.T)
    wider: list[Attribute] = []
    targets = []
    for attribute in attributes:
        if has_sets(attribute):
            assert isinstance(attribute, NominalAttribute)
            names = name_sets(attribute.domain, reduce_to_deepest(attribute.domain, next(of_sets)))
            attribute = with_more_candidates(attribute, (name for name in names if name != MISSING))
            targets.append(np.array([attribute.places[name] for name in names], dtype=np.float64))
        else:
            targets.append(next(of_others))
        wider.append(attribute)
    return tuple(wider), np.column_stack(targets)
