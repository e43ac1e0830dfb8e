"""Planning of people whose records stay linked: which record gets which target and pseudonym."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.method import Method
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.linked_records import LinkedRecords
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.pipeline.planning.linked_tables import LinkedTable, join_tables
from ontomask.pipeline.planning.person_values import unify_person_values
from ontomask.pipeline.planning.set_sizes import shorten_sets
from ontomask.risk.linked_people import LinkedRows
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
    "number_joint_bags",
    "plan_linked_people",
]

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]


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
    among the pseudonyms of the person. ``bags`` is the class of all rows of each pseudonym where
    they are in several tables, and that of no pseudonym. ``shortened`` is the number of records
    whose set had too many values for its columns, by attribute.
    """

    transitions: Transitions
    pseudonym: Longs
    class_of: Longs
    person: Longs
    piece: Longs
    figures: LinkFigures
    shortened: Mapping[str, int] = field(default_factory=dict)
    bags: Longs | None = None

    def number_classes(self, values: Longs) -> Longs:
        """The equivalence class of each target: who shares this row and all rows of the pseudonym.

        ``values`` is the class of each target of the plan of values.
        """
        classes = values[self.class_of]
        if self.bags is not None:
            linked = self.bags[self.pseudonym]
        else:
            linked = number_linked_classes(classes, self.pseudonym, self.transitions.class_sizes())
        return count_tuples([], [linked, classes])[1]

    def place_people(self, records: LinkedRecords, class_of: Longs) -> tuple[Longs, Longs]:
        """The class and the person of each planned transition that is released.

        ``class_of`` is the class of each target.
        """
        plan = self.transitions
        kept = self.pseudonym[plan.target] >= 0
        return class_of[plan.target[kept]], records.person[plan.source[kept]]

    def list_rows(self, records: LinkedRecords) -> LinkedRows:
        """The original rows of each person, and the released rows of each pseudonym.

        Targets are those of the plan of values. Of several tables, these are people and pseudonyms
        with rows in this one.
        """
        plan = self.transitions
        kept = self.pseudonym[plan.target] >= 0
        target = plan.target[kept]
        people, person = np.unique(records.person, return_inverse=True)
        names, pseudonym = np.unique(self.pseudonym[target], return_inverse=True)
        return LinkedRows(
            person.ravel(),
            records.tuple_number,
            records.count,
            pseudonym.ravel(),
            self.class_of[target],
            plan.count[kept],
            np.searchsorted(people, self.person[names]),
        )

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
    linked, fixed = unify_person_values(joined, record_tuple, person, linked)
    owners, pseudonym = _number_pseudonyms(linked, record_tuple, person)
    linked = joined.blank_missing(linked, record_tuple)
    plans = [
        _plan_table(
            table,
            _take_table(table, linked, records, columns),
            fixed[columns],
            pseudonym[records],
            owners,
        )
        for table, records, columns in zip(
            tables, joined.split_records(), joined.split_columns(), strict=True
        )
    ]
    return plans, _count_links(joined.records, pseudonym, owners[0])


def number_joint_bags(plans: Sequence[LinkedPlan], values: Sequence[Longs]) -> Longs:
    """The class of each pseudonym by its rows in all tables; the last is that of no pseudonym.

    ``values`` is, by table, the class of each target of the plan of values.
    """
    rows, links, records, first = [], [], [], 0
    for plan, classes in zip(plans, values, strict=True):
        kept = plan.pseudonym >= 0
        rows.append(first + classes[plan.class_of[kept]])
        links.append(plan.pseudonym[kept])
        records.append(plan.transitions.class_sizes()[kept])
        first += int(classes.max(initial=-1)) + 1
    of_link = np.concatenate(links)
    classes = number_linked_classes(np.concatenate(rows), of_link, np.concatenate(records))
    bags = np.zeros(len(plans[0].person) + 1, dtype=np.int64)
    bags[of_link] = 1 + classes
    return bags


def _take_table(
    table: LinkedTable, linked: LinkedPeople, records: slice, columns: slice
) -> LinkedPeople:
    """What the records of one table become, with the targets that these use."""
    used, place = np.unique(linked.target[records], return_inverse=True)
    lost = int((used < 0).sum())
    attributes = tuple(
        wider if isinstance(wider, NominalAttribute) else own
        for own, wider in zip(table.tuples.attributes, linked.attributes[columns], strict=True)
    )
    return linked._replace(
        pseudonym=linked.pseudonym[records],
        target=place.ravel() - lost,
        group=linked.group[records],
        targets=linked.targets[used[lost:], columns],
        attributes=attributes,
    )


def _plan_table(
    table: LinkedTable,
    linked: LinkedPeople,
    fixed: NDArray[np.bool_],
    record_pseudonym: Longs,
    owners: tuple[Longs, Longs],
) -> tuple[Transitions, LinkedPlan]:
    """The plans of one table."""
    tuples, records = table.tuples, table.records
    record_unit, record_tuple, _ = records.list_records()
    linked = linked._replace(targets=_round_targets(tuples, linked.targets))
    linked, shortened = _shorten_sets(tuples, record_tuple, linked, table.most_members, fixed)
    tuples = replace(tuples, attributes=linked.attributes)  # with the sets that rows become
    is_released = linked.target >= 0
    # The last target is that of records which are not released.
    nothing = np.full((1, len(tuples.attributes)), np.nan)
    targets = np.vstack([linked.targets, nothing])
    first, class_of = Transitions.find_equal_targets(targets)
    record_class = class_of[linked.target]
    values = Transitions.from_pairs(
        tuples, targets, record_tuple, linked.target % len(targets), np.ones_like(record_tuple)
    )
    # A target of units is a pseudonym with a combination of values.
    pair = np.where(is_released, record_pseudonym * len(first) + record_class, -1)
    pairs, record_target = np.unique(pair, return_inverse=True)
    pseudonym = np.where(pairs < 0, -1, pairs // len(first))
    unit_class = np.where(pairs < 0, class_of[-1], pairs % len(first))
    units = Tuples(tuples.attributes, tuples.codes[:, records.tuple_number], records.count)
    key, count = np.unique(record_unit * len(pairs) + record_target.ravel(), return_counts=True)
    source, target = np.divmod(key, len(pairs))
    transitions = Transitions(units, targets[first][unit_class], source, target, count)
    figures = _count_links(records, record_pseudonym, owners[0])
    plan = LinkedPlan(transitions, pseudonym, unit_class, *owners, figures, shortened)
    return values, plan


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
    linked: LinkedPeople, record_tuple: Longs, person: Longs
) -> tuple[tuple[Longs, Longs], Longs]:
    """The person and piece of each released pseudonym, and the pseudonym of each record.

    Pseudonyms are numbered by person, then by what they release, so that the order of the rows does
    not matter; pieces that release the same may be exchanged.
    """
    released = np.flatnonzero(linked.target >= 0)
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


def _shorten_sets(
    tuples: Tuples,
    record_tuple: Longs,
    linked: LinkedPeople,
    most_members: Sequence[int | None],
    fixed: NDArray[np.bool_],
) -> tuple[LinkedPeople, dict[str, int]]:
    """Leave values out of sets that do not fit their columns; equal rows change together.

    What does not change from row to row of a person is made shorter apart from the other columns,
    so that it stays the same in all rows of a pseudonym.
    """
    shortened: dict[str, int] = {}
    for is_mine in (fixed, ~fixed):
        limits = [m if mine else None for m, mine in zip(most_members, is_mine, strict=False)]
        if all(limit is None for limit in limits):
            continue
        compared = linked.targets[:, fixed] if is_mine is fixed else linked.targets
        first, place = Transitions.find_equal_targets(compared)
        kept = linked.target >= 0
        whole = replace(
            tuples,
            attributes=linked.attributes,
            counts=np.bincount(record_tuple[kept], minlength=len(tuples)),
        )
        ones = np.ones(int(kept.sum()), dtype=np.int64)
        plan = Transitions(
            whole, linked.targets[first], record_tuple[kept], place[linked.target[kept]], ones
        )
        attributes, targets, records = shorten_sets(plan, limits)
        renumbered = linked.targets.copy()
        renumbered[:, is_mine] = targets[place][:, is_mine]
        linked = linked._replace(targets=renumbered, attributes=attributes)
        shortened.update(records)
    return linked, shortened


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
