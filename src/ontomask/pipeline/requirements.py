"""Whether a release is what its file requires."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ontomask.errors import RequirementNotMet

if TYPE_CHECKING:
    from ontomask.pipeline.evaluation import Evaluation
    from ontomask.pipeline.guarantee import Guarantee

__all__ = ["check_requirements", "reasons_unmet", "unmet_requirements"]

#: The figures of t-closeness, and how each tells values apart: the first that there is counts.
CLOSENESS_FIGURES = {
    "t_ordered": "values by their ranks",
    "t_semantic": "values by their meaning",
    "t_equal": "values are equal or not",
}


def reasons_unmet(
    limits: Mapping[str, float], evaluation: Evaluation, guarantee: Guarantee
) -> dict[str, list[str]]:
    """Why a release does not meet each requirement, by name; no reasons where it does.

    A reason has the figure found and the limit.

    - ``k``: the smallest class as counted on the released table, in records or people.
    - ``l``: the fewest different values in a class, for every confidential column.
    - ``t``: the largest distance from a class to the whole table, for every confidential column.
      Numbers are told apart by their ranks (``t_ordered``), for hardly any two are equal; words by
      their meaning where that was worked out (``t_semantic``), otherwise by equality.
    - ``linkage_below``: ``linkage_nearest``; where that is an estimate from a sample, the upper
      end of its interval.
    - ``sse_below``: the summed squared distance.

    The last two must be below their limit, not equal to it. A figure that there is not meets
    nothing.
    """
    checks: dict[str, Callable[[Any], Iterator[str]]] = {
        "k": lambda k: _check_k(k, guarantee),
        "l": lambda limit: _check_l(limit, evaluation),
        "t": lambda limit: _check_t(limit, evaluation),
        "linkage_below": lambda limit: _check_linkage(limit, evaluation),
        "sse_below": lambda limit: _check_sse(limit, evaluation),
    }
    return {name: list(checks[name](limit)) for name, limit in limits.items()}


def unmet_requirements(
    limits: Mapping[str, float], evaluation: Evaluation, guarantee: Guarantee
) -> list[str]:
    """Every requirement that a release does not meet: its name and the reason."""
    reasons = reasons_unmet(limits, evaluation, guarantee)
    return [f"{name}: {reason}" for name, listed in reasons.items() for reason in listed]


def check_requirements(
    limits: Mapping[str, float], evaluation: Evaluation, guarantee: Guarantee
) -> None:
    """Refuse a release that does not meet all requirements; the error lists every reason."""
    reasons = unmet_requirements(limits, evaluation, guarantee)
    if reasons:
        raise RequirementNotMet(
            "nothing was released, for the table is not what is required:"
            + "".join(f"\n  - {reason}" for reason in reasons),
            f"try {'another' if guarantee.k is None else 'a larger k or another'} method, "
            "or require less",
        )


def _check_k(k: int, guarantee: Guarantee) -> Iterator[str]:
    if not guarantee.classes:
        yield f"no records are left, and {k:,} in every class are required"
    elif guarantee.smallest < k:
        yield (
            f"the smallest class has {guarantee.smallest:,} {_format_unit(guarantee)}, "
            f"and {k:,} are required"
        )


def _format_unit(guarantee: Guarantee) -> str:
    singular = {"records": "record", "people": "person"}
    return singular[guarantee.unit] if guarantee.smallest == 1 else guarantee.unit


def _check_l(limit: int, evaluation: Evaluation) -> Iterator[str]:
    diversity = evaluation.risk.get("l_distinct") or {}
    if not diversity:
        yield f"no confidential column was watched, and {limit:,} values are required"
    for column, fewest in diversity.items():
        if fewest < limit:
            values = "different value" if fewest == 1 else "different values"
            yield (f"a class has {fewest:,} {values} of {column!r}, and {limit:,} are required")


def _check_t(limit: float, evaluation: Evaluation) -> Iterator[str]:
    columns = evaluation.risk.get("t_equal") or {}
    if not columns:
        yield f"no confidential column was watched, and at most {limit:g} is required"
    for column in columns:
        figure = next(
            name for name in CLOSENESS_FIGURES if column in (evaluation.risk.get(name) or {})
        )
        closeness = evaluation.risk[figure][column]
        if closeness > limit:
            yield (
                f"a class is {_format_figure(closeness, limit)} from the whole table in "
                f"{column!r} ({CLOSENESS_FIGURES[figure]}), and at most {limit:g} is required"
            )


def _check_linkage(limit: float, evaluation: Evaluation) -> Iterator[str]:
    share = evaluation.risk.get("linkage_nearest")
    interval = evaluation.risk.get("linkage_nearest_interval")
    words = "of the records are linked to their original"
    if interval is not None:
        share, words = interval[1], f"{words} at most (estimated from a sample)"
    if share is None:
        yield f"it is not known, and below {limit:g} is required"
    elif not share < limit:
        yield (
            f"{_format_figure(100 * share, 100 * limit)} % {words}, and less than "
            f"{100 * limit:g} % is required"
        )


def _check_sse(limit: float, evaluation: Evaluation) -> Iterator[str]:
    sse = evaluation.utility.get("sse")
    if sse is None:
        yield f"it is not known, and below {limit:g} is required"
    elif not sse < limit:
        yield f"the SSE is {_format_figure(sse, limit)}, and below {limit:g} is required"


def _format_figure(value: float, limit: float) -> str:
    """Format a figure with enough digits to differ from the limit."""
    for digits in range(3, 17):
        if f"{value:.{digits}g}" != f"{limit:.{digits}g}":
            return f"{value:.{digits}g}"
    return f"{value:g}"
