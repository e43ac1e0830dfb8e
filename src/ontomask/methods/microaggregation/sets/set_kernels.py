"""The loops of one group of tuples with sets: distances, costs and centroids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.experimental import structref
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging import groups_kernels
from ontomask.methods.microaggregation.merging.bundles import Bundle, bundle_arrays, lend_arrays
from ontomask.methods.microaggregation.merging.space import TupleSpace
from ontomask.methods.microaggregation.merging.space_kernels import (
    answer_for_rows_with,
    answer_with,
)
from ontomask.methods.microaggregation.sets.space import SetSpace
from ontomask.microdata.sets.kernels import (
    allocate_level_scratch,
    closure_distance,
    level_set,
)

__all__ = ["allocate_set_scratch", "bundle_set_space"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's

#: Up to this number of tuples, the cost of every pair is remembered.
REMEMBERED = 500
ONE = np.uint8(1)


class SetScratch(NamedTuple):
    """Work space of the loops; that of :func:`~ontomask.microdata.sets.kernels.level_set` first."""

    records: Longs
    seen: Ints
    levels: Longs
    size: Longs
    inside: Longs
    cost: Floats
    rest: Floats
    found: Ints  # the centroid of each set
    found_size: Longs
    apart: Floats  # the distance of each set of each member to its centroid
    single: Longs  # the only member of a group, or -1
    others: Any
    pairs: Floats


@structref.register
class SetSpaceType(Bundle):
    """The type of a space of sets."""


@structref.register
class SetScratchType(Bundle):
    """The type of its work space."""


class SetSpaceBundle(structref.StructRefProxy):
    """A space of sets."""


class SetScratchBundle(structref.StructRefProxy):
    """Its work space."""


structref.define_proxy(SetSpaceBundle, SetSpaceType, SetSpace._fields)
structref.define_proxy(SetScratchBundle, SetScratchType, SetScratch._fields)
lend_arrays(SetSpaceType, SetSpace._fields)
lend_arrays(SetScratchType, SetScratch._fields)


def bundle_set_space(space: SetSpace) -> Any:
    """Bundle the arrays of a space for the loops."""
    return _bundle_space(*space)


def allocate_set_scratch(
    space: SetSpace, others: TupleSpace, most_members: int | None = None
) -> Any:
    """Work space, bundled, for groups of up to a number of tuples; without it, of all."""
    columns, tuples = space.start.shape
    remembered = tuples if tuples <= REMEMBERED else 0
    most = tuples + 1 if most_members is None else most_members
    levels = allocate_level_scratch(len(space.marks), most)
    return _bundle_scratch(
        *levels,
        np.empty((columns, len(space.marks)), dtype=np.int32),
        np.zeros(columns, dtype=np.int64),
        np.zeros((columns, most + 1 if columns > 1 else 0)),
        np.full(1, -1, dtype=np.int64),
        bundle_arrays(groups_kernels.allocate_scratch(others, most)),
        np.full((remembered, remembered), np.nan),
    )


@jit
def _mark_tuple(space: Any, t: Index) -> Index:
    """Mark the concepts of a tuple, if they are not; the bit that they have."""
    for slot in range(space.marked.size):
        if space.marked[slot] == t:
            return slot
    slot = space.turn[0]
    space.turn[0] = (slot + 1) % space.marked.size
    bit = np.uint8(ONE << np.uint8(slot))
    before = space.marked[slot]
    marks, concepts = space.marks, space.concepts
    for s in range(space.scale.size):
        if before >= 0:
            for at in range(space.start[s, before], space.stop[s, before]):
                marks[concepts[at]] &= ~bit
    for s in range(space.scale.size):
        for at in range(space.start[s, t], space.stop[s, t]):
            marks[concepts[at]] |= bit
    space.marked[slot] = t
    return slot


@jit
def set_tuple_distance(space: Any, t: Index, centre: Floats) -> float:
    """The distance between a tuple and a centroid."""
    slot = np.uint8(_mark_tuple(space, t))
    marks, concepts = space.marks, space.concepts
    total = 0.0
    for s in range(space.scale.size):
        first, size = np.int64(centre[2 * s]), np.int64(centre[2 * s + 1])
        shared = np.int64(0)
        for at in range(first, first + size):
            shared += (marks[concepts[at]] >> slot) & ONE
        union = space.stop[s, t] - space.start[s, t] + size - shared
        total += space.scale[s] * closure_distance(shared, union)
    if space.many_others:
        total += groups_kernels.tuple_distance(space.others, t, centre[2 * space.scale.size :])
    return total


@jit
def set_record_cost(space: Any, distance: Any) -> float:
    """What a record at a distance costs."""
    return distance * distance if space.squared else distance


@jit
def set_group_cost(space: Any, work: Any, members: Any, many: Index) -> float:
    """What a group costs; its centroid is left in ``work``."""
    if many == 1:
        work.single[0] = members[0]
        return 0.0
    work.single[0] = -1
    if space.many_others:
        groups_kernels.group_cost(space.others, work.others, members, many)
    columns = space.scale.size
    cost = 0.0
    # Each set by itself, then each again beside the others.
    for turn in range(1 if columns == 1 else 2):
        for s in range(columns):
            for q in range(many):
                work.rest[q] = 0.0
                if space.many_others:
                    work.rest[q] = groups_kernels.tuple_distance(
                        space.others, members[q], work.others.centre
                    )
                if turn == 1:
                    for other in range(columns):
                        if other != s:
                            work.rest[q] += work.apart[other, q]
            work.found_size[s], cost = level_set(
                space.start[s],
                space.stop[s],
                space.concepts,
                space.weight,
                members,
                many,
                space.best,
                space.squared,
                space.missing[s],
                space.scale[s],
                work,
                work.found[s],
            )
            if columns > 1:
                _measure_members(space, work, members, many, s)
    return cost


@jit
def _measure_members(space: Any, work: Any, members: Any, many: Index, s: Index) -> None:
    """The distance of one set of each member to the centroid that was found."""
    size = work.found_size[s]
    for i in range(size):
        work.records[work.found[s, i]] = 1
    for q in range(many):
        t = members[q]
        shared = np.int64(0)
        for at in range(space.start[s, t], space.stop[s, t]):
            shared += work.records[space.concepts[at]]
        union = space.stop[s, t] - space.start[s, t] + size - shared
        work.apart[s, q] = space.scale[s] * closure_distance(shared, union)
    for i in range(size):
        work.records[work.found[s, i]] = 0


@jit
def set_keep_centre(space: Any, work: Any, groups: Any, group: Index) -> None:
    """Make the centroid that :func:`set_group_cost` left that of a group."""
    if work.single[0] >= 0:
        for j in range(groups.centre.shape[1]):
            groups.centre[group, j] = space.target[work.single[0], j]
        return
    if space.used[0] + work.found_size.sum() > space.concepts.size:
        _move_together(space, groups)
    space.used[0] = set_write_centre(space, work, space.used[0], groups.centre[group])


@jit
def set_write_centre(space: Any, work: Any, at: Index, centre: Floats) -> Index:
    """Write the centroid that :func:`set_group_cost` left, its concepts from ``at`` on."""
    columns = space.scale.size
    for s in range(columns):
        centre[2 * s] = at
        centre[2 * s + 1] = work.found_size[s]
        for i in range(work.found_size[s]):
            space.concepts[at + i] = work.found[s, i]
        at += work.found_size[s]
    for j in range(space.many_others):
        centre[2 * columns + j] = work.others.centre[j]
    return at


@jit
def set_store_centre(space: Any, centre: Floats, end: Index) -> bool:
    """Move the concepts of a centroid to the room that ends at ``end``; whether they fit."""
    for s in range(space.scale.size):
        first, many = np.int64(centre[2 * s]), np.int64(centre[2 * s + 1])
        if first < space.own:
            continue
        if space.used[0] + many > end:
            return False
        for i in range(many):
            space.concepts[space.used[0] + i] = space.concepts[first + i]
        centre[2 * s] = space.used[0]
        space.used[0] += many
    return True


@jit
def set_move_centres(space: Any, centres: Floats, first: Index, stop: Index) -> None:
    """Move the concepts of some centroids together; those of all others are given up."""
    kept = space.concepts[space.own : space.used[0]].copy()
    used = space.own
    for row in range(first, stop):
        for s in range(space.scale.size):
            begin, many = np.int64(centres[row, 2 * s]), np.int64(centres[row, 2 * s + 1])
            if begin < space.own:
                continue
            for i in range(many):
                space.concepts[used + i] = kept[begin - space.own + i]
            centres[row, 2 * s] = used
            used += many
    space.used[0] = used


@jit
def _move_together(space: Any, groups: Any) -> None:
    """Move the centroids of groups together where others are no longer in use."""
    for group in range(groups.many.size):
        if groups.many[group] == 0:  # the centroid of a tuple needs no room
            for j in range(groups.centre.shape[1]):
                groups.centre[group, j] = space.target[group, j]
    set_move_centres(space, groups.centre, 0, groups.many.size)


answer_with(SetSpaceType, set_tuple_distance, set_record_cost, set_group_cost, set_keep_centre)
answer_for_rows_with(SetSpaceType, set_write_centre, set_store_centre, set_move_centres)


@jit
def _bundle_space(
    weight: Any,
    target: Any,
    start: Any,
    stop: Any,
    concepts: Any,
    used: Any,
    own: Any,
    scale: Any,
    missing: Any,
    best: Any,
    squared: Any,
    marks: Any,
    marked: Any,
    turn: Any,
    others: Any,
    many_others: Any,
) -> Any:
    return SetSpaceBundle(
        weight,
        target,
        start,
        stop,
        concepts,
        used,
        own,
        scale,
        missing,
        best,
        squared,
        marks,
        marked,
        turn,
        others,
        many_others,
    )


@jit
def _bundle_scratch(
    records: Any,
    seen: Any,
    levels: Any,
    size: Any,
    inside: Any,
    cost: Any,
    rest: Any,
    found: Any,
    found_size: Any,
    apart: Any,
    single: Any,
    others: Any,
    pairs: Any,
) -> Any:
    return SetScratchBundle(
        records,
        seen,
        levels,
        size,
        inside,
        cost,
        rest,
        found,
        found_size,
        apart,
        single,
        others,
        pairs,
    )
