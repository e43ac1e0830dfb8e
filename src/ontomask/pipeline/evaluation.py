"""The figures of a release: its data utility and its disclosure risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import format_percent
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.distinct_values import DistinctValues, sum_by_key
from ontomask.microdata.known_values import merge_look_alikes
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema
from ontomask.microdata.tuples import Transitions
from ontomask.microdata.value_coding import code_column
from ontomask.pipeline.planning.plan import People
from ontomask.risk import Confidential, LinkedRows, count_homogeneous_people

__all__ = [
    "Evaluation",
    "ValueCounter",
    "column_name",
    "count_known_values",
    "count_people_by_class",
    "evaluate_plan",
    "sensitive_counts",
    "with_people",
]

Longs = NDArray[np.int64]

#: An engine's count of a column: the class of each row, and the known values; very many numbers are
#: cut into ranges where the second argument says so.
ValueCounter = Callable[[str, bool | None], tuple[Longs, DistinctValues]]
SensitiveColumn = str | Nominal | Numeric | Ordinal | Date


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The figures of a masked table, as plain numbers by name.

    :data:`ontomask.utility.DESCRIPTIONS` and :data:`ontomask.risk.DESCRIPTIONS` explain each
    figure, and whether a lower or a higher value is better.

    Attributes:
        utility: Data utility and information loss.
        risk: Disclosure risk.
        population: Disclosure risk against the population; empty if none is given.
            :data:`ontomask.risk.POPULATION_DESCRIPTIONS` explains these figures.
    """

    utility: dict[str, Any]
    risk: dict[str, Any]
    population: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """All groups of figures, ready for JSON."""
        return {name: figures for name, figures in asdict(self).items() if figures}

    def with_population(self, figures: dict[str, Any]) -> Evaluation:
        """The same figures with those of the population, which the journalist risk depends on."""
        if not figures:
            return self
        before = _with_journalist(self.risk["before"], figures["before"])
        risk = _with_journalist({**self.risk, "before": before}, figures)
        return replace(self, risk=risk, population=figures)

    def __repr__(self) -> str:
        before = self.risk["before"]
        linked = self.risk.get("linkage_people") is not None
        unit, linkage, figure = (
            ("people", "record linkage of people", "linkage_people")
            if linked
            else ("records", "record linkage", "linkage_nearest")
        )
        lines = [
            f"utility  SSE {self.utility['sse']:.4g}, KL {self.utility['kl']:.3g}, "
            f"semantic quality {self.utility['semantic_quality']:.3g}",
            f"risk     k {self.risk['k']:,} (before: {before['k']:,}), "
            f"unique {unit} {self.risk['uniques']:,} (before: {before['uniques']:,}), "
            f"{linkage} {format_percent(self.risk[figure])} "
            f"(before: {format_percent(before[figure])})",
        ]
        if self.population.get("k_map") is not None:
            before = self.population["before"]
            lines.append(
                f"population k-map {self.population['k_map']:,.4g} (before: "
                f"{before['k_map']:,.4g}), "
                f"population uniques {self.population['population_uniques']:,.4g} (before: "
                f"{before['population_uniques']:,.4g})"
            )
        return "\n".join(lines)


def _with_journalist(risk: dict[str, Any], population: dict[str, Any]) -> dict[str, Any]:
    """Risk figures with the journalist risk of a population, if it is known who matches."""
    people = population["k_map"]
    return risk if people is None else {**risk, "journalist": 1 / max(people, 1)}


def evaluate_plan(
    plan: Transitions,
    k: int | None,
    after: Sequence[Confidential] = (),
    before: Sequence[Confidential] = (),
    *,
    people: tuple[People | None, People | None] = (None, None),
    linked: LinkedRows | None = None,
    removed: bool = False,
    semantic_closeness: bool = False,
) -> Evaluation:
    """Compute all figures of a plan; with ``removed``, suppressed records are left out.

    ``people`` are those of the masked records, by target, and of the original ones, by tuple.
    ``linked`` are the rows of people whose records stay linked.
    """
    from ontomask.risk import evaluate_risk
    from ontomask.utility import evaluate_utility

    return Evaluation(
        evaluate_utility(plan, k=k, removed=removed),
        evaluate_risk(
            plan,
            k,
            after,
            before,
            people=people,
            linked=linked,
            removed=removed,
            semantic_closeness=semantic_closeness,
        ),
    )


# ---------------------------------------------------------------------- confidential columns


def sensitive_counts(
    schema: Schema, count_values: ValueCounter, people: People | None = None
) -> list[Confidential]:
    """How often each known value of the confidential columns occurs in each class of records."""
    columns = [
        _count_sensitive(column, *count_known_values(column, count_values))
        for column in schema.confidential
    ]
    return columns if people is None else [with_people(column, people) for column in columns]


def with_people(column: Confidential, people: People) -> Confidential:
    """The same counts with the number of people in classes with a single value."""
    return replace(column, homogeneous_people=count_homogeneous_people(column, *people))


def count_people_by_class(schema: Schema, count_values: ValueCounter) -> People | None:
    """The class and the person of each record; None where the schema does not say who is who."""
    if schema.person is None:
        return None
    classes, people = count_values(schema.person, False)
    return classes, merge_look_alikes(people)[0].codes


def count_known_values(
    column: SensitiveColumn, count_values: ValueCounter
) -> tuple[Longs, DistinctValues]:
    """Count the known values of a sensitive column; numbers in ranges where there are very many."""
    ranges = {str: None, Numeric: True}
    return count_values(column_name(column), ranges.get(type(column), False))


def _count_sensitive(
    column: SensitiveColumn, classes: Longs, distinct: DistinctValues
) -> Confidential:
    """Count by class; untyped values that look alike are one, typed ones are what their type says.

    The code of a missing value is -1.
    """
    attribute, codes, is_known = None, distinct.codes, distinct.codes >= 0
    ground = column.ground if isinstance(column, Nominal) else "equal"
    if isinstance(column, str):
        codes = merge_look_alikes(distinct)[0].codes
    elif is_known.any():
        coded = code_column(column, distinct.select_rows(is_known), "refuse")
        attribute, codes = coded.attribute, np.full(len(is_known), -1)
        codes[is_known] = coded.codes
        if isinstance(attribute, NumericalAttribute):
            ground = "ordered"
    size = int(codes.max(initial=0)) + 2  # -1 among them
    weights = np.ones(len(codes), dtype=np.int64) if distinct.weights is None else distinct.weights
    key, counts = sum_by_key(classes * size + codes + 1, weights)
    if counts is not weights:  # otherwise the arrays are what they should be
        classes, codes = np.divmod(key, size)
        codes -= 1
    return Confidential(column_name(column), classes, codes, counts, attribute, ground)


def column_name(column: SensitiveColumn) -> str:
    """The name of a column of a schema."""
    return column if isinstance(column, str) else column.column
