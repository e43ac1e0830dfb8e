"""Planning of people whose records stay linked: which record gets which target and pseudonym."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.method import Method
from ontomask.methods.operators import Operators
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.linked_records import LinkedRecords
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.pipeline.planning.linked_tables import JoinedTables, LinkedTable, join_tables
from ontomask.risk.released_classes import (
    ReleasedClasses,
    count_people_classes,
    number_linked_classes,
)

if TYPE_CHECKING:
    from ontomask.methods.microaggregation.linked import LinkedPeople

__all__ = [
    "LinkFigures",
    "LinkedPlan",
    "count_unique_people",
    "give_pseudonyms",
    "plan_linked_people",
]

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: The share of people whose values of a column may differ by mistake, where it is one of people.
MOST_MISTAKES = 0.01


@dataclass(frozen=True)
class LinkFigures:
    """What became of the links between the records of a person.

    Attributes:
        people: Number of people in the table.
        pseudonyms: Number of released pseudonyms.
        lost_people: Number of people without a released record.
        lost_records: Number of records that are not released, because nobody has similar ones.
        links: Number of links before: the records of each person less one.
        broken: Number of links between released records that are lost, because these have different
            pseudonyms.
        uniques_before: Number of people who alone have all their records, with the original values.
    """

    people: int
    pseudonyms: int
    lost_people: int
    lost_records: int
    links: int
    broken: int
    uniques_before: int


@dataclass(frozen=True, eq=False)
class LinkedPlan:
    """The plan of linked records, beside that of their values.

    A *unit* is the records of a person with the same tuple. ``transitions`` say what each unit
    becomes: a target for each pseudonym and combination of values. ``pseudonym`` is the pseudonym
    of each of these targets, -1 for records that are not released, and ``class_of`` the target of
    the plan of values. ``person`` and ``piece`` are the person of each pseudonym, and its number
    among the pseudonyms of the person.
    """

    transitions: Transitions
    pseudonym: Longs
    class_of: Longs
    person: Longs
    piece: Longs
    figures: LinkFigures

    def number_classes(self, values: Longs) -> Longs:
        """The equivalence class of each target: who shares this row and all rows of the pseudonym.

        ``values`` is the class of each target of the plan of values.
        """
        classes = values[self.class_of]
        linked = number_linked_classes(classes, self.pseudonym, self.transitions.class_sizes())
        return count_tuples([], [linked, classes])[1]

    def place_people(self, records: LinkedRecords, class_of: Longs) -> tuple[Longs, Longs]:
        """The class and the person of each planned transition that is released.

        ``class_of`` is the class of each target.
        """
        plan = self.transitions
        kept = self.pseudonym[plan.target] >= 0
        return class_of[plan.target[kept]], records.person[plan.source[kept]]

    def count_planned_classes(self, records: LinkedRecords, column: str) -> ReleasedClasses:
        """The classes of people by all their released records, which the column links."""
        plan = self.transitions
        kept = self.pseudonym[plan.target] >= 0
        target = plan.target[kept]
        people = _label_people(records.person[plan.source[kept]])
        names = DistinctValues(list(range(len(self.person))), self.pseudonym[target])
        columns = {f"{column} before": people, column: names}
        rows = GroupedRows(self.class_of[target], columns, plan.count[kept])
        return count_people_classes(rows, f"{column} before", (), column)


def plan_linked_people(
    method: Method, tables: Sequence[LinkedTable]
) -> tuple[list[tuple[Transitions, LinkedPlan]], LinkFigures]:
    """Plan the values and the pseudonyms of linked records, and say what becomes of their links.

    People share the rows of all tables, and a pseudonym is the same in all of them.
    """
    joined = join_tables(method, tables)
    _, record_tuple, person = joined.records.list_records()
    linked = method.link_people(joined.tuples, joined.records)
    linked = _unify_person_values(joined, record_tuple, person, linked)
    is_released = linked.target >= 0
    owners, pseudonym = _number_pseudonyms(linked, record_tuple, person, is_released)
    target_kind = np.zeros(len(linked.targets), dtype=np.int64)
    target_kind[linked.target[is_released]] = joined.kinds.kind[record_tuple[is_released]]
    targets = joined.blank_missing(linked.targets, target_kind)
    plans = [
        _plan_table(table, linked.target[mine], targets[:, columns], pseudonym[mine], owners)
        for table, mine, columns in zip(
            tables, joined.split_records(), joined.split_columns(), strict=True
        )
    ]
    return plans, _count_links(joined.records, pseudonym, owners[0])


def _plan_table(
    table: LinkedTable,
    record_target: Longs,
    targets: Floats,
    record_pseudonym: Longs,
    owners: tuple[Longs, Longs],
) -> tuple[Transitions, LinkedPlan]:
    """The plans of one table, of the targets of all."""
    tuples, records = table.tuples, table.records
    record_unit, record_tuple, _ = records.list_records()
    used, place = np.unique(record_target, return_inverse=True)
    is_lost = used < 0  # the target of records that are not released
    own = np.where(is_lost[:, np.newaxis], np.nan, _round_targets(tuples, targets[used]))
    first, class_of = Transitions.find_equal_targets(own)
    record_class = class_of[place.ravel()]
    values = Transitions.from_pairs(
        tuples, own, record_tuple, place.ravel(), np.ones_like(record_tuple)
    )
    # A target of units is a pseudonym with a combination of values.
    pair = np.where(record_target >= 0, record_pseudonym * len(first) + record_class, -1)
    pairs, unit_target = np.unique(pair, return_inverse=True)
    pseudonym = np.where(pairs < 0, -1, pairs // len(first))
    unit_class = np.where(pairs < 0, class_of[0], pairs % len(first))
    units = Tuples(tuples.attributes, tuples.codes[:, records.tuple_number], records.count)
    key, count = np.unique(record_unit * len(pairs) + unit_target.ravel(), return_counts=True)
    source, target = np.divmod(key, len(pairs))
    transitions = Transitions(units, own[first][unit_class], source, target, count)
    figures = _count_links(records, record_pseudonym, owners[0])
    return values, LinkedPlan(transitions, pseudonym, unit_class, *owners, figures)


def _count_links(records: LinkedRecords, record_pseudonym: Longs, owner: Longs) -> LinkFigures:
    """Count what became of the links of records; ``owner`` is the person of each pseudonym."""
    is_released = record_pseudonym >= 0
    pseudonyms = np.unique(record_pseudonym[is_released])
    owners = len(np.unique(owner[pseudonyms]))
    return LinkFigures(
        people=records.people,
        pseudonyms=len(pseudonyms),
        lost_people=records.people - owners,
        lost_records=int((~is_released).sum()),
        links=records.links,
        broken=len(pseudonyms) - owners,
        uniques_before=count_unique_people(records),
    )


def give_pseudonyms(
    plan: Transitions, records: LinkedRecords, random: np.random.Generator
) -> LinkedPlan:
    """Give each person a pseudonym, where people have one record each and any method planned.

    Which of several targets of a tuple a person gets is drawn at random.
    """
    people = len(records.person)
    order = np.lexsort((random.permutation(people), records.tuple_number))
    value = np.empty(people, dtype=np.int64)
    value[order] = np.repeat(plan.target, plan.count)
    tuples = plan.tuples
    units = Tuples(tuples.attributes, tuples.codes[:, records.tuple_number], records.count)
    places = np.arange(people)
    transitions = Transitions(units, plan.targets[value], places, places, records.count)
    figures = LinkFigures(people, people, 0, 0, 0, 0, count_unique_people(records))
    zeros = np.zeros(people, dtype=np.int64)
    return LinkedPlan(transitions, places, value, records.person, zeros, figures)


def _number_pseudonyms(
    linked: LinkedPeople, record_tuple: Longs, person: Longs, is_released: NDArray[np.bool_]
) -> tuple[tuple[Longs, Longs], Longs]:
    """The person and piece of each released pseudonym, and the pseudonym of each record.

    Pseudonyms are numbered by person, then by what they release, so that the order of the rows does
    not matter; pieces that release the same may be exchanged.
    """
    released = np.flatnonzero(is_released)
    old, first, place = np.unique(
        linked.pseudonym[released], return_index=True, return_inverse=True
    )
    owner = person[released][first]
    least = np.full(len(old), np.iinfo(np.int64).max)
    size = int(record_tuple.max(initial=0)) + 1
    np.minimum.at(least, place.ravel(), linked.target[released] * size + record_tuple[released])
    order = np.lexsort((least, owner))
    number = np.empty(len(old), dtype=np.int64)
    number[order] = np.arange(len(old))
    people = owner[order]
    piece = np.arange(len(old)) - np.searchsorted(people, people)
    record_pseudonym = np.full(len(person), -1)
    record_pseudonym[released] = number[place.ravel()]
    return (people, piece), record_pseudonym


def _unify_person_values(
    joined: JoinedTables, record_tuple: Longs, person: Longs, linked: LinkedPeople
) -> LinkedPeople:
    """Give all rows of a pseudonym one value of what does not change from row to row of a person.

    Sex and year of birth are such columns. Each group takes the centroid of its pseudonyms.
    """
    kinds = joined.kinds
    targets = linked.targets.copy()
    # Columns that rows of the same kinds have are looked at together.
    patterns, pattern = np.unique(kinds.has, axis=1, return_inverse=True)
    for number, has in enumerate(patterns.T):
        rows = np.flatnonzero(has[kinds.kind[record_tuple]])
        columns = np.flatnonzero(pattern.ravel() == number)
        codes = joined.tuples.codes[:, record_tuple[rows]]
        fixed = np.array([j for j in columns if _is_of_people(codes[j], person[rows])], dtype=int)
        kept = rows[linked.target[rows] >= 0]
        if fixed.size and len(kept):
            centroids = _centre_people(joined.tuples, record_tuple, linked, kept, fixed)
            targets[np.ix_(linked.target[kept], fixed)] = centroids
    return linked._replace(targets=targets)


def _centre_people(
    tuples: Tuples, record_tuple: Longs, linked: LinkedPeople, kept: Longs, columns: Longs
) -> Floats:
    """The centroid of some columns among the pseudonyms of the group of each record."""
    # One record of each pseudonym, by group.
    _, first = np.unique(linked.pseudonym[kept], return_index=True)
    members = kept[first]
    group = linked.group[members]
    order = np.argsort(group, kind="stable")
    groups, start = np.unique(group[order], return_index=True)
    of_people = Tuples(
        tuple(tuples.attributes[j] for j in columns),
        tuples.codes[np.ix_(columns, record_tuple[members[order]])],
        np.ones(len(members), dtype=np.int64),
    )
    centroids = Operators(of_people).centroids(
        np.append(start, len(order)).astype(np.int64), np.arange(len(order))
    )
    return centroids[np.searchsorted(groups, linked.group[kept])]


def _is_of_people(values: Longs, person: Longs) -> bool:
    """Whether the records of a person have the same value, but for a few people: mistakes."""
    order = np.argsort(person, kind="stable")
    linked = np.diff(person[order]) == 0
    several = np.unique(person[order][1:][linked])
    differing = np.unique(person[order][1:][linked & (np.diff(values[order]) != 0)])
    return len(several) > 0 and len(differing) <= MOST_MISTAKES * len(several)


def _round_targets(tuples: Tuples, targets: Floats) -> Floats:
    return np.column_stack(
        [a.round_targets(targets[:, j]) for j, a in enumerate(tuples.attributes)]
    )


def count_unique_people(records: LinkedRecords) -> int:
    """Count the people who alone have all their records."""
    columns = {"person": _label_people(records.person)}
    rows = GroupedRows(records.tuple_number, columns, records.count)
    return count_people_classes(rows, "person", (), "person").uniques


def _label_people(person: Longs) -> DistinctValues:
    """A column with a name for each person."""
    return DistinctValues(list(range(int(person.max(initial=-1)) + 1)), person)
