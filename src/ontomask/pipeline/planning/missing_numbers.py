"""Records with missing numbers, dates or levels, planned apart from the others.

A number and a missing value have no mean, so no group mixes them: records are planned together
where the same numerical columns are missing, without these columns. Where a method needs more
records than such a part has, it is joined with others, and all of them lose what some lack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import Hint, OntomaskError, Setting, format_count, quote_names
from ontomask.methods.blocks.block import (
    BlockTransitions,
    TupleBlocks,
    extract_block_transitions,
    join_blocks,
)
from ontomask.methods.blocks.split import StandaloneTest
from ontomask.methods.method import BlockwiseMethod, Method
from ontomask.microdata.attributes import MISSING_NUMBER, NumericalAttribute
from ontomask.microdata.tuples import SensitiveCounts, Transitions, Tuples, count_tuples
from ontomask.taxonomy import Concept

__all__ = [
    "TablePart",
    "check_parts",
    "plans_in_parts",
    "plan_parts",
    "split_by_missing_numbers",
]

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


def plans_in_parts(method: Method, tuples: Tuples) -> bool:
    """Whether a numerical attribute has missing values, and the method does not plan them."""
    return not method.plans_missing_numbers and any(
        isinstance(a, NumericalAttribute) and a.has_missing for a in tuples.attributes
    )


@dataclass(frozen=True, eq=False)
class TablePart:
    """Tuples that are planned together, by place, and a flag for each column they do without."""

    members: Longs
    missing: Flags

    def count_records(self, tuples: Tuples) -> int:
        """Count the records of the part."""
        return int(tuples.counts[self.members].sum())


# ---------------------------------------------------------------------- which records


def split_by_missing_numbers(
    method: Method, tuples: Tuples, can_stand_alone: StandaloneTest | None = None
) -> list[TablePart]:
    """Split the tuples by the columns that are missing, and join what cannot be planned alone.

    A part that is too small takes the nearest tuples of another part, or joins it: whichever part
    loses the fewest values that way. ``can_stand_alone`` tells it, if not the method.
    """
    parts = _parts_by_pattern(tuples)
    if method.permutes:  # every value must stay: nothing can be joined
        return parts
    can_stand_alone = can_stand_alone or _make_standalone_test(method, tuples)
    small = [part for part in parts if not can_stand_alone(part.members)]
    enough = [part for part in parts if can_stand_alone(part.members)]
    while small and len(small) + len(enough) > 1:
        part = min(small, key=lambda one: one.count_records(tuples))
        small.remove(part)
        # Of equal ones a small part: it needs others, too.
        donor = _choose_donor(part, [*small, *enough], method.target_k or 1, tuples)
        (small if donor in small else enough).remove(donor)
        for joined in _join(part, donor, tuples, can_stand_alone):
            (enough if can_stand_alone(joined.members) else small).append(joined)
    return [*enough, *small]


def _parts_by_pattern(tuples: Tuples) -> list[TablePart]:
    is_missing = np.array(
        [
            np.isinf(attribute.numbers)[codes]
            if isinstance(attribute, NumericalAttribute)
            else np.zeros(len(tuples), dtype=bool)
            for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True)
        ]
    )
    patterns, part = np.unique(is_missing, axis=1, return_inverse=True)
    order = np.argsort(part.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(part.ravel()))[:-1]
    return [
        TablePart(members, pattern)
        for members, pattern in zip(np.split(order, ends), patterns.T, strict=True)
    ]


def _make_standalone_test(method: Method, tuples: Tuples) -> StandaloneTest:
    """A test of whether some tuples have all that the method needs: records, people, values."""
    if isinstance(method, BlockwiseMethod):
        has_enough = method.standalone_test(tuples)
    else:
        k = method.target_k or 1

        def has_enough(members: Longs) -> bool:
            return int(tuples.counts[members].sum()) >= k

    people = tuples.people
    if people is None or method.promised_k is None:
        return has_enough
    promised = method.promised_k

    def has_enough_people(members: Longs) -> bool:
        flags = np.zeros(len(tuples), dtype=bool)
        flags[members] = True
        return len(np.unique(people.value[flags[people.tuple]])) >= promised

    return lambda members: has_enough(members) and has_enough_people(members)


def _choose_donor(
    part: TablePart, others: Sequence[TablePart], needed: int, tuples: Tuples
) -> TablePart:
    """The part with which a small one loses the fewest values, those of both counted."""
    records = part.count_records(tuples)
    borrowed = max(needed - records, 1)

    def count_lost(other: TablePart) -> int:
        lost_by_part = int((other.missing & ~part.missing).sum())
        lost_by_other = int((part.missing & ~other.missing).sum())
        return records * lost_by_part + lost_by_other * min(borrowed, other.count_records(tuples))

    return min(others, key=count_lost)


def _join(
    part: TablePart, donor: TablePart, tuples: Tuples, can_stand_alone: StandaloneTest
) -> list[TablePart]:
    """Join a part with as few tuples of a donor as it needs, or with all; and what is left."""
    missing = part.missing | donor.missing
    whole = [TablePart(np.sort(np.concatenate([part.members, donor.members])), missing)]
    if np.array_equal(missing, donor.missing):  # the donor loses nothing
        return whole
    donors = donor.members[_order_by_distance(part, donor, tuples, missing)]

    def with_first(number: int) -> Longs:
        return np.sort(np.concatenate([part.members, donors[:number]]))

    low, high = 1, len(donors)
    while low < high:
        middle = (low + high) // 2
        if can_stand_alone(with_first(middle)):
            high = middle
        else:
            low = middle + 1
    rest = np.sort(donors[high:])
    if not len(rest) or not can_stand_alone(rest) or not can_stand_alone(with_first(high)):
        return whole
    return [TablePart(rest, donor.missing), TablePart(with_first(high), missing)]


def _order_by_distance(
    part: TablePart, donor: TablePart, tuples: Tuples, missing: Flags
) -> NDArray[np.int64]:
    """The tuples of a donor in the order in which a part takes them.

    Those with the fewest records come first where a part is much smaller than a tuple; then the
    nearest to the centroid of the part, by the columns that both have.
    """
    apart = np.zeros(len(donor.members))
    for attribute, codes, is_missing in zip(
        tuples.attributes, tuples.codes, missing.tolist(), strict=True
    ):
        if is_missing:
            continue
        values, place = np.unique(codes[part.members], return_inverse=True)
        counts = np.bincount(place.ravel(), weights=tuples.counts[part.members]).astype(np.int64)
        centroid = attribute.centroid(values, counts)
        apart += attribute.weight * attribute.distances_from_target(centroid)[codes[donor.members]]
    records = tuples.counts[donor.members]
    few = 2 * part.count_records(tuples)
    return np.lexsort([np.round(apart, 9), np.where(records > few, records, 0)])


def check_parts(method: Method, tuples: Tuples) -> None:
    """Refuse a method that cannot mask a part of the table."""
    for part in split_by_missing_numbers(method, tuples):
        try:
            method.check(TupleBlocks(tuples, [part.members], None)[0])
        except OntomaskError as error:
            raise _explain_part_error(error, tuples, part) from error


# ---------------------------------------------------------------------- their plans

#: Plans a table with the people of its records: a tuple and a person for each.
PartPlanner = Callable[[Tuples, tuple[Longs, Longs] | None], Transitions]


def plan_parts(
    tuples: Tuples,
    people: tuple[Longs, Longs] | None,
    parts: Sequence[TablePart],
    plan: PartPlanner,
) -> Transitions:
    """Plan every part alone, and join their plans."""
    blocks = TupleBlocks(tuples, [part.members for part in parts], None)
    results = []
    for number, part in enumerate(parts):
        try:
            results.append(_plan_part(blocks[number], part, people, plan, tuples))
        except OntomaskError as error:
            raise _explain_part_error(error, tuples, part) from error
    none_unpaired = (0,) * max(len(result.unpaired) for result in results)
    return join_blocks(
        tuples,
        [part.members for part in parts],
        [replace(result, unpaired=result.unpaired or none_unpaired) for result in results],
    )


def _explain_part_error(error: OntomaskError, tuples: Tuples, part: TablePart) -> OntomaskError:
    missing = [a.name for a, lacks in zip(tuples.attributes, part.missing, strict=True) if lacks]
    if not missing:
        return error
    number = part.count_records(tuples)
    message = (
        f"{format_count(number, 'record')} without a value of {quote_names(missing)} "
        f"{'is' if number == 1 else 'are'} masked apart from the others: {error.message}"
    )
    return type(error)(message, Hint("use ", Setting("missing", "drop"), " to remove them"))


def _plan_part(
    block: Tuples,
    part: TablePart,
    people: tuple[Longs, Longs] | None,
    plan: PartPlanner,
    tuples: Tuples,
) -> BlockTransitions:
    """The plan of a part, with its tuples by their places in the part and all columns."""
    kept = np.flatnonzero(~part.missing)
    if not len(kept):
        return _plan_all_missing(block)
    reduced, place = count_tuples(
        [block.attributes[j] for j in kept], [block.codes[j] for j in kept], block.counts
    )
    reduced = replace(
        reduced,
        sensitive_counts=tuple(_renumber(c, place) for c in block.sensitive_counts),
        people=None if block.people is None else _renumber(block.people, place),
    )
    transitions = plan(reduced, _people_of_part(people, part, place, len(tuples)))
    planned = extract_block_transitions(transitions)
    columns = np.full((len(planned.targets), len(block.attributes)), MISSING_NUMBER)
    columns[:, kept] = planned.targets
    columns[transitions.suppressed_targets] = np.nan
    candidates: list[tuple[Concept, ...] | None] = [None] * len(block.attributes)
    unpaired = [0] * len(block.attributes) if planned.unpaired else []
    for number, j in enumerate(kept.tolist()):
        candidates[j] = planned.candidates[number]
        if planned.unpaired:
            unpaired[j] = planned.unpaired[number]
    source, target, count = _share_out(transitions, place, block.counts)
    return BlockTransitions(tuple(candidates), columns, source, target, count, tuple(unpaired))


def _plan_all_missing(block: Tuples) -> BlockTransitions:
    """The plan of records of which nothing is known: they stay as they are."""
    columns, every = len(block.attributes), np.arange(len(block))
    return BlockTransitions(
        (None,) * columns,
        np.full((1, columns), MISSING_NUMBER),
        every,
        np.zeros_like(every),
        block.counts,
        (),
    )


def _renumber(column: SensitiveCounts, place: Longs) -> SensitiveCounts:
    """The same counts for tuples under other numbers."""
    return replace(column, tuple=place[column.tuple])


def _people_of_part(
    people: tuple[Longs, Longs] | None, part: TablePart, place: Longs, size: int
) -> tuple[Longs, Longs] | None:
    """The people of the records of a part; ``place`` is the number of each member's tuple."""
    if people is None:
        return None
    number = np.full(size, -1, dtype=np.int64)
    number[part.members] = place
    record_tuple, persons = number[people[0]], people[1]
    return record_tuple[record_tuple >= 0], persons[record_tuple >= 0]


def _share_out(plan: Transitions, place: Longs, counts: Longs) -> tuple[Longs, Longs, Longs]:
    """The transitions of tuples that look alike to a plan: source, target and number of records.

    ``place`` is the tuple of the plan that each looks like. Its records are given what that tuple
    becomes one after another.
    """
    order = np.argsort(place, kind="stable")
    until, planned_until = np.cumsum(counts[order]), np.cumsum(plan.count)
    ends = np.union1d(until, planned_until)
    begins = np.append(0, ends[:-1])
    source = order[np.searchsorted(until, begins, side="right")]
    target = plan.target[np.searchsorted(planned_until, begins, side="right")]
    return source, target, ends - begins
