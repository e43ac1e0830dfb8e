"""What a figure of an evaluation means, and figures that other packages add."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ontomask._runtime.extensions import Registry
from ontomask.errors import ExtensionError, format_count, format_people

if TYPE_CHECKING:
    from ontomask.microdata.tuples import Transitions

__all__ = [
    "ADDED_MEASURES",
    "USUAL_VALUES_NOTE",
    "BetterDirection",
    "EvaluationPart",
    "FigureDescription",
    "FigureDescriptions",
    "FigureMeasure",
    "added_measures",
    "describe_records",
    "describe_unit",
    "with_added_figures",
]

BetterDirection = Literal["lower", "higher", "neither"]
EvaluationPart = Literal["utility", "risk"]

#: What the usual values are of; to be said where they are shown.
USUAL_VALUES_NOTE = (
    "Usual values are those of microaggregation and recoding on three tables of 10,000 records: "
    "real and synthetic hospital records, and a census. Yours may differ."
)


def describe_unit(one_record_each: bool, linked: bool = False) -> str:
    """Say what the figures of risk count, if the schema has a person column.

    ``linked`` if the records of a person stay linked.
    """
    if one_record_each:
        return "Each record in these figures is one person, with all values of the person."
    if linked:
        return (
            "The records of a person stay linked. Equivalence classes, unique people, prosecutor "
            "and marketer risk and the record linkage of people count people by all their records. "
            "All other figures look at each record alone."
        )
    return (
        "These figures count records. This release has a person column, and a person may have "
        "several records, so the risk per person can be higher."
    )


def describe_records(records: int, rows: int | None = None) -> str:
    """Say how many records there are; those of a long table are people, who have several rows.

    >>> describe_records(1), describe_records(2000, rows=5000), describe_records(1, rows=1)
    ('1 record', '2,000 people in 5,000 rows', '1 person in 1 row')
    """
    if rows is None:
        return format_count(records, "record")
    return f"{format_people(records)} in {format_count(rows, 'row')}"


@dataclass(frozen=True)
class FigureDescription:
    """What a figure means and how to read it.

    Args:
        meaning: What it means, in a sentence.
        range: The values that it can have.
        better: ``"lower"``, ``"higher"``, or ``"neither"`` if no direction is better.
        usual: The smallest and largest measured value (:data:`USUAL_VALUES_NOTE`), by column if the
            figure is by column. Empty if that would not help.
    """

    meaning: str
    range: str
    better: BetterDirection
    usual: str = ""


@dataclass(frozen=True)
class FigureMeasure:
    """A measure of utility or risk that another package adds to every evaluation.

    ``compute`` gets the plan of a release and returns a number, None where there is none, or a dict
    of them by column. It may be published, so it must not reveal anything about a few records.
    ``title`` is its name in a report. A measure of ``"risk"`` is also computed for the original
    table, as a plan that changes nothing.
    """

    part: EvaluationPart
    title: str
    description: FigureDescription
    compute: Callable[[Transitions], float | dict[str, float | None] | None]


def _check_measure(name: str, measure: Any) -> FigureMeasure:
    if not isinstance(measure, FigureMeasure):
        raise ExtensionError(
            f"the measure {name!r} must be a FigureMeasure, got {measure!r}",
            "create one with ontomask.microdata.measures.FigureMeasure",
        )
    return measure


#: The measures of other packages, by an entry point of ``ontomask.measures``.
ADDED_MEASURES: Registry[FigureMeasure] = Registry("ontomask.measures", {}, _check_measure)


def added_measures(part: EvaluationPart) -> dict[str, FigureMeasure]:
    """The measures of utility or of risk that other packages add."""
    measures = ADDED_MEASURES.available()
    return {name: measure for name, measure in measures.items() if measure.part == part}


def with_added_figures(
    part: EvaluationPart, plan: Transitions, figures: Mapping[str, Any]
) -> dict[str, Any]:
    """The figures of a plan, and those that other packages add; none takes the place of ours."""
    added = added_measures(part).items()
    return {
        **figures,
        **{name: measure.compute(plan) for name, measure in added if name not in figures},
    }


class FigureDescriptions(Mapping[str, FigureDescription]):
    """What each figure of utility or risk means: our own, and those that other packages add."""

    def __init__(self, part: EvaluationPart, own: Mapping[str, FigureDescription]) -> None:
        self._part, self._own = part, own

    def _all(self) -> dict[str, FigureDescription]:
        added = added_measures(self._part)
        return {**self._own, **{n: m.description for n, m in added.items() if n not in self._own}}

    def __getitem__(self, name: str) -> FigureDescription:
        return self._own[name] if name in self._own else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
