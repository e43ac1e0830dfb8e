"""One method on the tuples of a table, as a point of the map of risk and loss.

Nothing is applied to records: class sizes, utility and risk all follow from the plan. They are what
:func:`~ontomask.mask` would find with the same seed.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from ontomask.errors import OntomaskError, OntomaskWarning
from ontomask.methods.method import Method
from ontomask.methods.registry import name_of, settings_of
from ontomask.microdata.grouped_rows import GroupedRows, count_people
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.pipeline.evaluation import Evaluation, evaluate_plan, with_people
from ontomask.pipeline.guarantees.guarantee import Guarantee, make_guarantee
from ontomask.pipeline.guarantees.released_classes import UnmaskedColumns
from ontomask.pipeline.guarantees.requirements import SENSITIVE_REQUIREMENTS, unmet_requirements
from ontomask.pipeline.guarantees.shown_values import verify_planned_values
from ontomask.pipeline.planning.plan import People, PlanInput, plan_release
from ontomask.pipeline.population import CountedPopulation
from ontomask.pipeline.randomness import derive_generator
from ontomask.risk import Confidential, masked_classes
from ontomask.risk.classes import canonical_targets

__all__ = ["Point", "ComparisonTask", "find_dominated", "judge_points", "compute_point"]

UNKNOWN_CONFIDENTIAL = (
    "this method may mask records with the same values differently, so l and t are unknown until "
    "the table is masked"
)
UNKNOWN_KEPT = (
    "this method may mask records with the same values differently, so uniqueness together with "
    "the kept columns is unknown until the table is masked"
)
UNKNOWN_PEOPLE = (
    "this method may mask records with the same values differently, so the comparison counts "
    "records, not people"
)


@dataclass(frozen=True)
class ComparisonTask:
    """The input of every point; random draws come from ``secret``.

    ``person`` is the column that identifies people. ``rows`` are the records by tuple and the
    columns that are released ``unmasked``.
    """

    plan_input: PlanInput
    columns: tuple[str, ...]
    secret: bytes = field(repr=False)
    person: str | None = None
    unmasked: UnmaskedColumns | None = None
    rows: GroupedRows | None = field(default=None, repr=False)
    population: CountedPopulation | None = None

    @property
    def tuples(self) -> Tuples:
        """The tuples that are planned."""
        return self.plan_input.tuples


@dataclass(frozen=True)
class Point:
    """A method, and what it would do to the table or why it cannot be run.

    Attributes:
        method: The method.
        evaluation: Its figures; None if it cannot be run.
        guarantee: What would hold for the masked table.
        seconds: Time to plan.
        error: Why the method cannot be run; empty if it can.
        notes: Warnings that masking would give, and what could not be computed.
        unmet: The requirements that are not met, with the figures.
        unknown: The requirements that can only be checked on the masked table.
        dominated: Whether another point has no more risk and no more loss, and less of one of them.
    """

    method: Method
    evaluation: Evaluation | None = None
    guarantee: Guarantee | None = None
    seconds: float = 0.0
    error: str = ""
    notes: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    dominated: bool = False
    _whole_tuples: bool = field(default=True, repr=False)
    _knows_people: bool = field(default=True, repr=False)

    @property
    def name(self) -> str:
        """The method's name in a release file."""
        return name_of(self.method)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the method."""
        return settings_of(self.method)

    @property
    def strength(self) -> str:
        """The setting that comparisons vary, in words: ``k = 5``."""
        name = self.method.varied_by
        return f"{name} = {self.settings[name]:g}" if name in self.settings else ""

    @property
    def risk(self) -> float | None:
        """Share of records that record linkage links to their original.

        If the records of a person stay linked, it is the share of people linked by all of them.
        """
        if self.evaluation is None:
            return None
        figure = "linkage_people" if self.links_people else "linkage_nearest"
        share: float | None = self.evaluation.risk[figure]
        return share

    @property
    def links_people(self) -> bool:
        """Whether the records of a person stay linked, and ``risk`` is that of people."""
        return self.evaluation is not None and self.evaluation.risk["linkage_people"] is not None

    @property
    def loss(self) -> float | None:
        """SSE: the sum of squared distances between original and masked records."""
        return None if self.evaluation is None else self.evaluation.utility["sse"]

    @property
    def meets(self) -> bool | None:
        """Whether all requirements are met; None if that is not known."""
        if self.error or self.unmet:
            return False
        return None if self.unknown else True


# ---------------------------------------------------------------------- working it out


def compute_point(task: ComparisonTask, method: Method) -> Point:
    """Plan and evaluate a method; an error becomes part of its point."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            point = _compute_point(task, method)
        except OntomaskError as error:
            point = Point(method, error=error.message)
        except Exception as error:  # one point must not lose the others
            point = Point(method, error=f"{type(error).__name__}: {error}")
    messages = [
        str(caught_warning.message)
        for caught_warning in caught
        if issubclass(caught_warning.category, OntomaskWarning)
    ]
    return replace(point, notes=(*point.notes, *dict.fromkeys(messages)))


def _compute_point(task: ComparisonTask, method: Method) -> Point:
    began = perf_counter()
    counted = task.plan_input
    plan = plan_release(counted, method, derive_generator(task.secret), measure_blocks=False)
    seconds = perf_counter() - began
    transitions, drops = plan.transitions, plan.drops
    after: Sequence[Confidential] = ()
    people: People | None = None
    notes = []
    if transitions.has_one_target_per_tuple:
        after = [_count_by_class(column, transitions, drops) for column in counted.confidential]
    elif counted.confidential:
        notes.append(UNKNOWN_CONFIDENTIAL)
    sizes, unit = masked_classes(transitions, drops), "record"
    if plan.linked is not None and counted.linked is not None:
        values = canonical_targets(transitions)
        people = plan.linked.place_people(counted.linked, values[plan.linked.class_of])
        classes = plan.linked.number_classes(values)
        sizes = count_people(*plan.linked.place_people(counted.linked, classes))
        unit = "person"
    elif counted.people is not None:
        if transitions.has_one_target_per_tuple:
            people = _place_people(counted.people, transitions, drops)
            sizes, unit = count_people(*people), "person"
            after = [with_people(column, people) for column in after]
        else:
            notes.append(UNKNOWN_PEOPLE)
    released = None
    if plan.linked is not None and counted.linked is not None:
        released = plan.linked.count_planned_classes(counted.linked, str(task.person))
        if task.rows is not None:
            notes.append(UNKNOWN_KEPT)
    elif task.unmasked is not None and task.rows is not None:
        if transitions.has_one_target_per_tuple:
            rows = task.rows.regroup(transitions.target_of(), transitions.released_targets(drops))
            released = task.unmasked.find_weakest_classes(
                rows.regroup(canonical_targets(transitions))
            )
        else:
            notes.append(UNKNOWN_KEPT)
    evaluation = evaluate_plan(
        transitions,
        method.target_k,
        after,
        counted.confidential,
        people=(people, None if people is None else counted.people),
        linked=plan.list_linked_rows(counted),
        removed=drops,
    ).with_population(
        {} if task.population is None else task.population.measure(transitions, drops)
    )
    return Point(
        method,
        evaluation,
        make_guarantee(
            task.columns,
            plan.method,
            transitions,
            sizes,
            unit,
            after,
            released,
            None if plan.linked is None else plan.linked.figures,
            verify_planned_values(
                plan.method, transitions, counted.people, task.unmasked, task.rows
            ),
        ),
        seconds,
        notes=tuple(notes),
        _whole_tuples=transitions.has_one_target_per_tuple,
        _knows_people=transitions.has_one_target_per_tuple or plan.linked is not None,
    )


def _count_by_class(column: Confidential, plan: Transitions, drops: bool) -> Confidential:
    """The counts of a confidential column by class, from those by tuple."""
    target = plan.target_of()[column.classes]
    kept = plan.released_targets(drops)[target]
    return Confidential(
        column.name,
        canonical_targets(plan)[target][kept],
        column.values[kept],
        column.counts[kept],
        column.attribute,
        column.ground,
    )


def _place_people(people: People, plan: Transitions, drops: bool) -> People:
    """The people by class that is released, from those by tuple."""
    target = plan.target_of()[people[0]]
    kept = plan.released_targets(drops)[target]
    return canonical_targets(plan)[target][kept], people[1][kept]


# ---------------------------------------------------------------------- judging it


def judge_points(
    points: Sequence[Point], require: Mapping[str, float], *, people: bool, confidential: bool
) -> tuple[Point, ...]:
    """Mark each point with the requirements it does not meet and whether another dominates it."""
    dominated_flags = find_dominated([(point.risk, point.loss) for point in points])
    return tuple(
        replace(_check_requirements(point, require, people, confidential), dominated=is_dominated)
        for point, is_dominated in zip(points, dominated_flags, strict=True)
    )


def _check_requirements(
    point: Point, require: Mapping[str, float], people: bool, confidential: bool
) -> Point:
    if not require or point.evaluation is None or point.guarantee is None:
        return point
    undecidable = [] if point._knows_people or not people else ["k"]
    if confidential and not point._whole_tuples:
        undecidable += SENSITIVE_REQUIREMENTS
    population = point.evaluation.population
    if not population or (population["k_map"] is None and not point._whole_tuples):
        undecidable.append("k_map")
    unknown = [name for name in undecidable if name in require]
    decidable = {name: limit for name, limit in require.items() if name not in unknown}
    return replace(
        point,
        unmet=tuple(unmet_requirements(decidable, point.evaluation, point.guarantee)),
        unknown=tuple(unknown),
    )


def find_dominated(points: Sequence[tuple[float | None, float | None]]) -> list[bool]:
    """Which points another one dominates: no more risk and no more loss, and less of one.

    A point that lacks a figure neither dominates nor is dominated.

    >>> find_dominated([(0.1, 5.0), (0.2, 3.0), (0.2, 5.0), (None, 1.0)])
    [False, False, True, False]
    """
    flags = [False] * len(points)
    complete = [
        (risk, loss, place)
        for place, (risk, loss) in enumerate(points)
        if risk is not None and loss is not None
    ]
    least, least_before, last = np.inf, np.inf, None
    for risk, loss, place in sorted(complete):
        if risk != last:  # what came so far has less risk
            least_before, last = least, risk
        # Of equal risk, those before have no more loss.
        flags[place] = least_before <= loss or least < loss
        least = min(least, loss)
    return flags
