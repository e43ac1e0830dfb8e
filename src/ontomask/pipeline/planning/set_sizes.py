"""Released sets that must fit the columns of a table: larger ones are made smaller in the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import MISSING, Attribute, NominalAttribute
from ontomask.microdata.sets import ConceptSets, closures
from ontomask.microdata.sets.limited_sets import limit_set
from ontomask.microdata.sets.set_concepts import (
    EMPTY_SET,
    members_of,
    name_set,
    sets_of_values,
    with_more_candidates,
)
from ontomask.microdata.tuples import Transitions
from ontomask.taxonomy import Concept

__all__ = ["limit_set_sizes", "shorten_sets"]

Floats = NDArray[np.float64]


def limit_set_sizes(
    plan: Transitions, most_members: Sequence[int | None]
) -> tuple[Transitions, dict[str, int]]:
    """Leave values out of sets that hold more than the limit of their attribute.

    All records of a target change together, so no class gets smaller. A set without any value
    cannot be told from a missing one in several columns: it becomes the root of the taxonomy.

    Returns:
        The plan, and the number of records with a changed set for each attribute that has any.
    """
    attributes, targets, records = shorten_sets(plan, most_members)
    if not records:
        return plan, {}
    tuples = replace(plan.tuples, attributes=attributes)
    joined = Transitions.from_pairs(tuples, targets, plan.source, plan.target, plan.count)
    return replace(joined, unpaired=plan.unpaired), records


def shorten_sets(
    plan: Transitions, most_members: Sequence[int | None]
) -> tuple[tuple[Attribute, ...], Floats, dict[str, int]]:
    """The targets of :func:`limit_set_sizes` at their places in the plan, and their attributes."""
    attributes, targets = list(plan.tuples.attributes), plan.targets.copy()
    records: dict[str, int] = {}
    for j, most in enumerate(most_members):
        attribute = attributes[j]
        if most is None or not isinstance(attribute, NominalAttribute):
            continue
        smaller = _find_smaller_sets(plan, j, attribute, most)
        if smaller:
            wider = with_more_candidates(attribute, smaller.values())
            attributes[j], targets[:, j] = wider, _renumber(targets[:, j], attribute, wider)
            changed = list(smaller)
            targets[changed, j] = [wider.places[name] for name in smaller.values()]
            records[attribute.name] = int(plan.class_sizes()[changed].sum())
    return tuple(attributes), targets, records


def _renumber(targets: Floats, before: NominalAttribute, after: NominalAttribute) -> Floats:
    """The same targets by their places among more candidates."""
    place = np.array([after.places[concept] for concept in before.candidates], dtype=np.float64)
    return np.array([target if np.isnan(target) else place[int(target)] for target in targets])


def _find_smaller_sets(
    plan: Transitions, j: int, attribute: NominalAttribute, most: int
) -> dict[int, Concept]:
    """The smaller set for each target, by its place, that has too many values or none."""
    domain = attribute.domain
    held = {
        row: attribute.candidates[int(target)]
        for row, target in enumerate(plan.targets[:, j])
        if not np.isnan(target)
    }
    smaller = {row: domain.root for row, name in held.items() if name == EMPTY_SET}
    large = {
        row: members
        for row, name in held.items()
        if name != MISSING and len(members := members_of(name)) > most
    }
    if not large:
        return smaller
    names = sorted({member for members in large.values() for member in members})
    singles = ConceptSets.from_lists([code] for code in domain.codes(names).tolist())
    above = dict(zip(names, _split(closures(domain, singles)), strict=True))
    originals = closures(domain, sets_of_values(attribute, domain))
    order = np.argsort(plan.target, kind="stable")
    start = np.searchsorted(plan.target[order], np.arange(len(plan.targets) + 1))
    for row, members in large.items():
        mine = order[start[row] : start[row + 1]]
        values, place = np.unique(plan.tuples.codes[j, plan.source[mine]], return_inverse=True)
        counts = np.bincount(place.ravel(), weights=plan.count[mine]).astype(np.int64)
        kept = limit_set([above[name] for name in members], most, originals.take(values), counts)
        smaller[row] = name_set(members[number] for number in kept)
    return smaller


def _split(sets: ConceptSets) -> list[NDArray[np.int32]]:
    return np.split(sets.concepts, sets.offsets[1:-1])
