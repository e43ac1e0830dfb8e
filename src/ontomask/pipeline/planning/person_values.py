"""Values that do not change from row to row of a person, such as sex and year of birth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import Attribute
from ontomask.microdata.sets import ConceptSets, missing_concept, set_centroids
from ontomask.microdata.tuples import Tuples
from ontomask.pipeline.planning.linked_tables import JoinedTables

if TYPE_CHECKING:
    from ontomask.methods.microaggregation.linked import LinkedPeople

__all__ = ["unify_person_values"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: The share of people whose values of a column may differ by mistake, where it is one of people.
MOST_MISTAKES = 0.01


def unify_person_values(
    joined: JoinedTables, record_tuple: Longs, person: Longs, linked: LinkedPeople
) -> tuple[LinkedPeople, NDArray[np.bool_]]:
    """Give all rows of a pseudonym one value of what does not change from row to row of a person.

    Sex and year of birth are such columns; they are flagged. Each group takes the centroid of its
    pseudonyms.
    """
    tuples, kinds = joined.tuples, joined.kinds
    is_fixed = np.zeros(len(tuples.attributes), dtype=bool)
    # Columns that rows of the same kinds have are looked at together.
    patterns, pattern = np.unique(kinds.has, axis=1, return_inverse=True)
    for number, has in enumerate(patterns.T):
        rows = np.flatnonzero(has[kinds.kind[record_tuple]])
        for j in np.flatnonzero(pattern.ravel() == number):
            is_fixed[j] = _is_of_people(tuples.codes[j, record_tuple[rows]], person[rows])
        fixed = np.flatnonzero(is_fixed & (pattern.ravel() == number))
        kept = rows[linked.target[rows] >= 0]
        if fixed.size and len(kept):
            linked = _centre_people(tuples, record_tuple, linked, kept, fixed)
    return linked, is_fixed


def _centre_people(
    tuples: Tuples, record_tuple: Longs, linked: LinkedPeople, kept: Longs, fixed: Longs
) -> LinkedPeople:
    """Give some records the centroid of the pseudonyms of their group in some columns."""
    # One record of each pseudonym, by group.
    _, first = np.unique(linked.pseudonym[kept], return_index=True)
    members = kept[first]
    group = linked.group[members]
    order = np.argsort(group, kind="stable")
    groups, start = np.unique(group[order], return_index=True)
    of_people = Tuples(
        tuple(linked.attributes[j] for j in fixed),
        tuples.codes[np.ix_(fixed, record_tuple[members[order]])],
        np.ones(len(members), dtype=np.int64),
    )
    attributes, centroids = _find_centroids(of_people, np.append(start, len(order)))
    wider, targets = list(linked.attributes), linked.targets.copy()
    targets[np.ix_(linked.target[kept], fixed)] = centroids[
        np.searchsorted(groups, linked.group[kept])
    ]
    for j, attribute in zip(fixed, attributes, strict=True):
        wider[j] = attribute
    return linked._replace(targets=targets, attributes=tuple(wider))


def _find_centroids(tuples: Tuples, start: Longs) -> tuple[tuple[Attribute, ...], Floats]:
    """The centroid by the rule of each group; tuples are in the order of the groups.

    Sets are added to the attributes.
    """
    # Kernels are beside it: compiling starts here, not at import.
    from ontomask.methods.microaggregation.sets.columns import name_centroids, separate_sets

    members = np.arange(len(tuples))
    groups = ConceptSets(start.astype(np.int64), members.astype(np.int32))
    columns, others = separate_sets(tuples)
    closures = [
        set_centroids(
            column.closures, tuples.counts, groups, missing=missing_concept(column.taxonomy)
        )
        for column in columns
    ]
    centroids = np.empty((len(groups), 0))
    if others is not None:
        centroids = Operators(others).centroids(groups.offsets, members)
    return name_centroids(tuples.attributes, closures, centroids)


def _is_of_people(values: Longs, person: Longs) -> bool:
    """Whether the records of a person have the same value, but for a few people: mistakes."""
    order = np.argsort(person, kind="stable")
    linked = np.diff(person[order]) == 0
    several = np.unique(person[order][1:][linked])
    differing = np.unique(person[order][1:][linked & (np.diff(values[order]) != 0)])
    return len(several) > 0 and len(differing) <= MOST_MISTAKES * len(several)
