"""The loops of one group of bags: matching of rows with slots, costs and centroids."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.experimental import structref
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.linked.space import BagSpace
from ontomask.methods.microaggregation.merging import space_kernels
from ontomask.methods.microaggregation.merging.bundles import Bundle, lend_arrays
from ontomask.methods.microaggregation.merging.space_kernels import answer_with
from ontomask.microdata.sets.matching_kernels import assign

__all__ = ["allocate_bag_scratch", "bundle_bag_space", "match_bags"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Index = Any  # of numpy's kinds or of Python's

#: How often rows are matched and the slots moved to their middle.
SWEEPS = 4
#: Up to this number of bags, the cost of every pair is remembered.
REMEMBERED = 500
SLIGHT = 1e-12
#: Bags whose surplus rows cost as much are too far apart for their rows to be compared.
FAR = 100.0


class BagScratch(NamedTuple):
    """Work space of the loops."""

    slots: Floats  # of the centroid
    kept: Floats
    many_slots: Longs
    entries: Longs
    single: Longs  # the only member of a group, or -1
    rows: Any
    pairs: Floats


@structref.register
class BagSpaceType(Bundle):
    """The type of a space of bags."""


@structref.register
class BagScratchType(Bundle):
    """The type of its work space."""


class BagSpaceBundle(structref.StructRefProxy):
    """A space of bags."""


class BagScratchBundle(structref.StructRefProxy):
    """Its work space."""


structref.define_proxy(BagSpaceBundle, BagSpaceType, BagSpace._fields)
structref.define_proxy(BagScratchBundle, BagScratchType, BagScratch._fields)
lend_arrays(BagSpaceType, BagSpace._fields)
lend_arrays(BagScratchType, BagScratch._fields)


def bundle_bag_space(space: BagSpace) -> Any:
    """Bundle the arrays of a space for the loops."""
    return _bundle_space(*space)


def allocate_bag_scratch(space: BagSpace, rows: Any) -> Any:
    """Work space, bundled, for groups of up to all bags; ``rows`` is that of the rows."""
    bags, most, width = len(space.weight), len(space.match), space.slots.shape[1]
    remembered = bags if bags <= REMEMBERED else 0
    return _bundle_scratch(
        np.empty((most, width)),
        np.empty((most, width)),
        np.zeros(1, dtype=np.int64),
        np.empty(bags + 1, dtype=np.int64),
        np.full(1, -1, dtype=np.int64),
        rows,
        np.full((remembered, remembered), np.nan),
    )


@jit
def _measure_rows(
    space: Any, row: Index, rows: Index, slots: Floats, slot: Index, many: Index, factor: float
) -> None:
    """Write what each of some rows (column) costs in each of some slots (row)."""
    costs, of_rows, squared = space.costs, space.rows, space.squared
    for j in range(rows):
        for i in range(many):
            distance = space_kernels.tuple_distance(of_rows, row + j, slots[slot + i])
            distance *= factor
            costs[i, j] = distance * distance if squared else distance


@jit
def _match_rows(space: Any, t: Index, slots: Floats, first: Index, many: Index) -> float:
    """What a bag costs in a centroid: its rows matched at the least cost, and surplus rows.

    ``space.match`` is the row of each slot, counted from the first of the bag; -1 for none.
    """
    if space.kinds > 1:
        return _match_kinds(space, t, slots, first, many)
    rows = space.stop[t] - space.start[t]
    _measure_rows(space, space.start[t], rows, slots, first, many, space.factor[0])
    if rows == 1 and many == 1:
        space.match[0] = 0
        return space.costs[0, 0]
    return space.price * abs(rows - many) + _match_measured(space, rows, many, space.match)


@jit
def _match_measured(space: Any, rows: Index, many: Index, match: Longs) -> float:
    """The least cost of rows in slots that were measured; as many as possible are matched."""
    costs = space.costs
    if rows == 2 and many == 2:
        straight, crossed = costs[0, 0] + costs[1, 1], costs[0, 1] + costs[1, 0]
        match[0] = 0 if straight <= crossed else 1
        match[1] = 1 - match[0]
        return min(straight, crossed)
    return assign(costs, many, rows, space.potential, space.column, match)


@jit
def _match_kinds(space: Any, t: Index, slots: Floats, first: Index, many: Index) -> float:
    """As :func:`_match_rows`, kind by kind: rows and slots are in the order of their kinds."""
    start, rows = space.start[t], space.stop[t] - space.start[t]
    row_kind, last = space.row_kind, slots.shape[1] - 1  # where slots have their kind
    total, row, slot = 0.0, np.int64(0), np.int64(0)
    while row < rows or slot < many:
        kind = space.kinds
        if row < rows:
            kind = row_kind[start + row]
        if slot < many:
            kind = min(kind, np.int64(slots[first + slot, last]))
        next_row, next_slot = row, slot
        while next_row < rows and row_kind[start + next_row] == kind:
            next_row += 1
        while next_slot < many and slots[first + next_slot, last] == kind:
            next_slot += 1
        alike, places = next_row - row, next_slot - slot
        match = space.match[slot:next_slot]
        total += space.price * abs(alike - places)
        match[:] = -1
        if alike > 0 and places > 0:
            factor = space.factor[kind]
            _measure_rows(space, start + row, alike, slots, first + slot, places, factor)
            total += _match_measured(space, alike, places, match)
            for i in range(places):
                if match[i] >= 0:
                    match[i] += row
        row, slot = next_row, next_slot
    return total


@jit
def bag_distance(space: Any, t: Index, centre: Floats) -> float:
    """The distance between a bag and a centroid; its cost is that of a record at this distance."""
    slots = np.int64(centre[1])
    cost = space.price * abs(space.stop[t] - space.start[t] - slots)
    if cost < FAR:  # else the rows do not matter any more
        cost = _match_rows(space, t, space.slots, np.int64(centre[0]), slots)
    return np.sqrt(cost) if space.squared else cost


@jit
def bag_record_cost(space: Any, distance: Any) -> float:
    """What a record at a distance costs."""
    return distance * distance if space.squared else distance


@jit
def bag_group_cost(space: Any, work: Any, members: Any, many: Index) -> float:
    """What a group costs; its centroid is left in ``work``.

    The slots of each kind are the rows of the bag with the fewest of it at first. Then, in turn,
    the rows of all bags are matched with them, and each moves to the middle of its rows, as long as
    that costs less.
    """
    if many == 1:
        work.single[0] = members[0]
        return 0.0
    work.single[0] = -1
    slots = _choose_slots(space, work, members, many)
    work.many_slots[0] = slots
    row = np.full((many, slots), -1, np.int64)
    least = np.inf
    for sweep in range(SWEEPS):
        total, is_settled = 0.0, True
        for q in range(many):
            t = members[q]
            total += space.weight[t] * _match_rows(space, t, work.slots, np.int64(0), slots)
            for i in range(slots):
                is_settled &= row[q, i] == space.start[t] + space.match[i]
                row[q, i] = space.start[t] + space.match[i]
        if total >= least - SLIGHT:
            break
        least = total
        work.kept[:slots] = work.slots[:slots]
        if is_settled or total <= SLIGHT:  # the middle of the same rows is the same
            break
        at = space.spare + (sweep & 1) * space.half  # the other half has those that are kept
        for i in range(slots):
            for q in range(many):
                work.entries[q] = row[q, i]
            space_kernels.group_cost(space.rows, work.rows, work.entries, many)
            at = space_kernels.write_centre(space.rows, work.rows, at, work.slots[i])
    return least


@jit
def _choose_slots(space: Any, work: Any, members: Any, many: Index) -> Any:
    """Write the first slots of a group: of each kind, the rows of the bag with the fewest of it.

    A kind that a bag does not have has none. Returns the number of slots.
    """
    first, slots = members[0], np.int64(0)
    begin = space.start[first]
    while begin < space.stop[first]:
        kind = space.row_kind[begin]
        fewest, where = _find_run(space, first, kind)
        begin += fewest
        for q in range(1, many):
            run, start = _find_run(space, members[q], kind)
            if run < fewest:
                fewest, where = run, start
        for i in range(fewest):
            work.slots[slots + i] = space.slots[where + i]
        slots += fewest
    return slots


@jit
def _find_run(space: Any, t: Index, kind: Index) -> Any:
    """How many rows of a kind a bag has, and the first of them."""
    if space.kinds == 1:
        return space.stop[t] - space.start[t], space.start[t]
    start = space.start[t]
    while start < space.stop[t] and space.row_kind[start] < kind:
        start += 1
    stop = start
    while stop < space.stop[t] and space.row_kind[stop] == kind:
        stop += 1
    return stop - start, start


@jit
def bag_keep_centre(space: Any, work: Any, groups: Any, group: Index) -> None:
    """Make the centroid that :func:`bag_group_cost` left that of a group."""
    if work.single[0] >= 0:
        for j in range(2):
            groups.centre[group, j] = space.target[work.single[0], j]
        return
    slots = work.many_slots[0]
    if space.used[0] + slots > space.slots.shape[0] or not _store_slots(space, work, slots):
        _move_together(space, groups)
        _store_slots(space, work, slots)
    groups.centre[group, 0] = space.used[0]
    groups.centre[group, 1] = slots
    space.used[0] += slots


@jit
def _store_slots(space: Any, work: Any, slots: Index) -> bool:
    """Write the slots of a centroid after all others; whether there is room for what they hold."""
    fits = True
    for i in range(slots):
        slot = space.slots[space.used[0] + i]
        for j in range(slot.size):
            slot[j] = work.kept[i, j]
        fits &= space_kernels.store_centre(space.rows, slot, space.spare)
    return fits


@jit
def _move_together(space: Any, groups: Any) -> None:
    """Move the centroids of groups together where others are no longer in use."""
    kept = space.slots[space.own :].copy()
    size = np.int64(0)
    for group in range(groups.many.size):
        first, slots = np.int64(groups.centre[group, 0]), np.int64(groups.centre[group, 1])
        if groups.many[group] == 0 or first < space.own:
            continue
        for i in range(slots):
            space.slots[space.own + size + i] = kept[first - space.own + i]
        groups.centre[group, 0] = space.own + size
        size += slots
    space.used[0] = space.own + size
    space_kernels.move_centres(space.rows, space.slots, space.own, space.used[0])


answer_with(BagSpaceType, bag_distance, bag_record_cost, bag_group_cost, bag_keep_centre)


@jit
def match_bags(space: Any, group: Longs, centre: Floats, out: Longs, costs: Floats) -> None:
    """The slot of each row of each bag, in the centroid of its group, and what the row costs there.

    The slot of surplus rows is -1; they cost nothing here.
    """
    for t in range(group.size):
        for at in range(space.start[t], space.stop[t]):
            out[at], costs[at] = -1, 0.0
        first, slots = np.int64(centre[group[t], 0]), np.int64(centre[group[t], 1])
        _match_rows(space, t, space.slots, first, slots)
        for i in range(slots):
            row = space.start[t] + space.match[i]
            factor = space.factor[space.row_kind[row]]
            _measure_rows(space, row, 1, space.slots, first + i, 1, factor)
            out[row], costs[row] = i, space.costs[0, 0]


@jit
def _bundle_space(
    weight: Any,
    target: Any,
    start: Any,
    stop: Any,
    slots: Any,
    used: Any,
    own: Any,
    price: Any,
    squared: Any,
    rows: Any,
    row_kind: Any,
    kinds: Any,
    factor: Any,
    spare: Any,
    half: Any,
    match: Any,
    costs: Any,
    potential: Any,
    column: Any,
) -> Any:
    return BagSpaceBundle(
        weight,
        target,
        start,
        stop,
        slots,
        used,
        own,
        price,
        squared,
        rows,
        row_kind,
        kinds,
        factor,
        spare,
        half,
        match,
        costs,
        potential,
        column,
    )


@jit
def _bundle_scratch(
    slots: Any, kept: Any, many_slots: Any, entries: Any, single: Any, rows: Any, pairs: Any
) -> Any:
    return BagScratchBundle(slots, kept, many_slots, entries, single, rows, pairs)
