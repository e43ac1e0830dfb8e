"""The plan of a release: what a method makes of the counted tuples of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.protocol import TaskRunner
from ontomask.errors import ParameterError, format_count
from ontomask.methods.method import BlockwiseMethod, Method
from ontomask.methods.people import merge_until_k_people, refuse_k_above_people
from ontomask.microdata.linked_records import LinkedRecords
from ontomask.microdata.tuples import SensitiveCounts, Transitions, Tuples
from ontomask.pipeline.planning.blocks import BlockPlan, choose_block_size, measure_block_cost
from ontomask.pipeline.planning.linked_people import (
    LinkedPlan,
    LinkFigures,
    give_pseudonyms,
    plan_linked_people,
)
from ontomask.pipeline.planning.linked_tables import LinkedTable
from ontomask.pipeline.planning.missing_numbers import (
    plan_parts,
    plans_in_parts,
    split_by_missing_numbers,
)
from ontomask.pipeline.planning.set_sizes import limit_set_sizes
from ontomask.pipeline.planning.tasks import plan_in_tasks
from ontomask.risk import Confidential, LinkedRows

__all__ = [
    "People",
    "Plan",
    "PlanInput",
    "plan_linked_tables",
    "plan_release",
    "refuse_impossible_rules",
    "to_sensitive_counts",
]

Longs = NDArray[np.int64]

#: The tuple and the person of every record, -1 where unknown; each pair once or more.
People = tuple[Longs, Longs]


@dataclass(frozen=True)
class PlanInput:
    """What a release is planned from: plain values, which other processes can be sent.

    ``people`` are the tuple and the person of every record, where the schema says who is who;
    ``confidential`` is how often each known value of the sensitive columns occurs in each tuple.
    ``most_members`` is how many values a released set of each attribute may hold, None for any.
    ``linked`` are the records by person, where these stay linked.
    """

    tuples: Tuples
    people: People | None = None
    confidential: tuple[Confidential, ...] = ()
    most_members: tuple[int | None, ...] = ()
    linked: LinkedRecords | None = None


@dataclass(frozen=True)
class Plan:
    """A planned release: the transitions, and the method with the block size that was chosen.

    ``blocks`` says how the tuples were cut for planning and what that cost; None where they were
    not, or where that was not asked for. ``linked`` is the plan of pseudonyms, where people stay
    linked. ``shortened`` is the number of records whose set had too many values for its columns, by
    attribute.
    """

    transitions: Transitions
    method: Method
    blocks: BlockPlan | None = None
    linked: LinkedPlan | None = None
    shortened: Mapping[str, int] = field(default_factory=dict)

    @property
    def drops(self) -> bool:
        """Whether suppressed records are not released."""
        return self.method.drops or (
            self.linked is not None and self.linked.figures.lost_records > 0
        )

    def list_linked_rows(self, counted: PlanInput) -> LinkedRows | None:
        """The rows by person and by pseudonym; None where people do not stay linked."""
        if self.linked is None or counted.linked is None:
            return None
        return self.linked.list_rows(counted.linked)


def plan_release(
    counted: PlanInput,
    method: Method,
    random: np.random.Generator,
    *,
    run_in_tasks: TaskRunner | None = None,
    measure_blocks: bool = True,
) -> Plan:
    """Plan the masked tuple of every tuple, with targets as they are written.

    Where the tuples would not fit in memory they are planned in blocks; what these cost is found
    out with ``measure_blocks``. With people, classes hold ``k`` different ones where the method
    promises classes of ``k``. ``run_in_tasks`` works pieces out elsewhere; the plan is the same.
    Records with missing numbers are planned apart.
    """
    if counted.linked is not None and counted.linked.links:
        return plan_linked_tables([counted], method)[0][0]
    if counted.linked is not None:  # people with one record each: records are people
        counted = replace(counted, people=None)
    method = choose_block_size(method, counted.tuples)
    tuples = _attach_counts(method, counted)
    if tuples.people is not None and method.promised_k is not None:
        refuse_k_above_people(method.promised_k, len(np.unique(tuples.people.value)))
    block_plans: list[BlockPlan] = []

    def plan_table(tuples: Tuples, people: People | None) -> Transitions:
        if run_in_tasks is None:
            transitions = method.plan(tuples, random)
        else:
            transitions = plan_in_tasks(run_in_tasks, method, tuples, random)
        blocks = measure_block_cost(method, tuples, random) if measure_blocks else None
        if blocks is not None:
            block_plans.append(blocks)
        return _merge_people(method, _round_targets(transitions), people)

    if plans_in_parts(method, tuples):
        parts = split_by_missing_numbers(method, tuples)
        transitions = plan_parts(tuples, counted.people, parts, plan_table)
    else:
        transitions = plan_table(tuples, counted.people)
    transitions, shortened = limit_set_sizes(transitions, counted.most_members)
    if shortened and method.protects_parts_of_sets:
        _refuse_shortened_sets(shortened, counted)
    linked = None
    if counted.linked is not None:  # people with one record each
        linked = give_pseudonyms(transitions, counted.linked, random)
    return Plan(transitions, method, _combine_block_plans(block_plans), linked, shortened)


def plan_linked_tables(
    tables: Sequence[PlanInput], method: Method
) -> tuple[list[Plan], LinkFigures]:
    """Plan tables whose records stay linked, by one person key.

    People are planned together, never in blocks. The figures are those of all tables.
    """
    linked_tables = []
    for table in tables:
        assert table.linked is not None
        method.check_links(table.tuples)
        linked_tables.append(LinkedTable(table.tuples, table.linked, table.most_members))
    people = len(np.unique(np.concatenate([table.records.person for table in linked_tables])))
    if method.promised_k is not None:
        refuse_k_above_people(method.promised_k, people)
    plans, figures = plan_linked_people(method, linked_tables)
    return [
        Plan(transitions, method, linked=linked, shortened=linked.shortened)
        for transitions, linked in plans
    ], figures


def _combine_block_plans(plans: Sequence[BlockPlan]) -> BlockPlan | None:
    """All blocks of a table, with the extra loss of the part that has the most of them."""
    if not plans:
        return None
    largest = max(plans, key=lambda plan: plan.blocks)
    return replace(largest, blocks=sum(plan.blocks for plan in plans))


def _refuse_shortened_sets(shortened: Mapping[str, int], counted: PlanInput) -> NoReturn:
    """Refuse sets that do not fit their columns where a method protects parts of them."""
    name, records = next(iter(shortened.items()))
    attributes = [attribute.name for attribute in counted.tuples.attributes]
    raise ParameterError(
        f"the masked set {name!r} must fit its {counted.most_members[attributes.index(name)]} "
        f"columns, but has more values in {format_count(records, 'record')}, and this method "
        "cannot leave out values of a set",
        "add an empty column to the set, write the sets into one column, or use microaggregation",
    )


def refuse_impossible_rules(method: Method, counted: PlanInput) -> None:
    """Refuse an l or a t that no group of this table could keep."""
    if isinstance(method, BlockwiseMethod):
        method.standalone_test(_attach_counts(method, counted))


def _attach_counts(method: Method, counted: PlanInput) -> Tuples:
    """The tuples with the counts of sensitive values and of people that the method needs."""
    watched = () if method.sensitive_promise is None else counted.confidential
    return replace(
        counted.tuples,
        sensitive_counts=tuple(map(to_sensitive_counts, watched)),
        people=None if counted.people is None else _count_known_people(*counted.people),
    )


def _merge_people(method: Method, plan: Transitions, people: People | None) -> Transitions:
    """Merge classes until each has ``k`` different people, if the method guarantees ``k``."""
    k = method.promised_k
    if people is None or k is None:
        return plan
    return merge_until_k_people(plan, *people, k, method.suppression)


def _count_known_people(record_tuple: Longs, people: Longs) -> SensitiveCounts:
    if (people < 0).any():
        record_tuple, people = record_tuple[people >= 0], people[people >= 0]
    ones = np.broadcast_to(np.int64(1), people.shape)  # takes no memory
    return SensitiveCounts("person", record_tuple, people, ones)


def to_sensitive_counts(column: Confidential) -> SensitiveCounts:
    """The known values of a confidential column, as methods take them."""
    is_known = column.values >= 0
    return SensitiveCounts(
        column.name,
        column.classes[is_known].astype(np.int64, copy=False),
        column.values[is_known].astype(np.int64, copy=False),
        column.counts[is_known].astype(np.int64, copy=False),
        ordered=column.ground == "ordered",
        ground=column.tree if column.ground == "semantic" else None,
    )


def _round_targets(plan: Transitions) -> Transitions:
    """Round the targets of a plan as they are written, and join those that become equal."""
    rounded = np.column_stack(
        [a.round_targets(plan.targets[:, j]) for j, a in enumerate(plan.tuples.attributes)]
    )
    joined = Transitions.from_pairs(plan.tuples, rounded, plan.source, plan.target, plan.count)
    return replace(joined, unpaired=plan.unpaired)
