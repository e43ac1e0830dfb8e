"""Whether a release meets the requirements of its release file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import floor
from typing import TYPE_CHECKING, Any

from ontomask.errors import RequirementNotMet

if TYPE_CHECKING:
    from ontomask.pipeline.evaluation import Evaluation
    from ontomask.pipeline.guarantees.guarantee import Guarantee
    from ontomask.pipeline.release import Release

__all__ = [
    "LINKAGES",
    "SENSITIVE_REQUIREMENTS",
    "check_requirements",
    "judged_figures",
    "reasons_unmet",
    "refuse_unchanged",
    "unmet_requirements",
    "worst_linkage",
]

#: The figures of record linkage, and of what they are shares.
LINKAGES = {"linkage_people": "people", "linkage_nearest": "records"}

#: The figures of t-closeness, and the distance that each uses; the first one available counts.
CLOSENESS_FIGURES = {
    "t_ordered": "ordered distance",
    "t_semantic": "semantic distance",
    "t_equal": "equal distance",
}


#: Requirements of every sensitive attribute that are limits of a figure: the figure, whether it is
#: to be at least the limit, and what it says.
SENSITIVE_FIGURES = {
    "entropy_l": ("l_entropy", True, "the entropy l-diversity of {!r}"),
    "alpha": ("alpha", False, "the share of a value of {!r} in an equivalence class"),
    "beta": ("beta", False, "the relative gain of a value of {!r} in an equivalence class"),
    "delta": ("delta_strict", False, "the δ-disclosure of {!r} over all its values"),
}

#: Why a figure without a limit is infinite.
INFINITE_BECAUSE = {
    "beta": "an equivalence class has no known value",
    "delta": "an equivalence class lacks some of the values of the whole table",
}

#: The requirements that need a sensitive attribute.
SENSITIVE_REQUIREMENTS = ("l", "t", *SENSITIVE_FIGURES)

#: What rounding may take from a figure.
SLIGHT = 1e-9


def reasons_unmet(
    limits: Mapping[str, float], evaluation: Evaluation, guarantee: Guarantee
) -> dict[str, list[str]]:
    """Why a release does not meet each requirement, by name; no reasons where it does.

    A reason names the figure and the limit.

    - ``k``: the smallest equivalence class as counted on the released table, in records or people.
    - ``l``: the fewest different values in a class, for every sensitive attribute.
    - ``t``: the largest distance from a class to the whole table, for every sensitive attribute.
      Numbers are compared by rank (``t_ordered``), because hardly any two are equal. Words are
      compared by semantic distance if their column says so or it was asked for (``t_semantic``),
      otherwise by equality.
    - ``k_map``: the smallest number of people of the population who match a class.
    - ``entropy_l``, ``alpha``, ``beta``, ``delta``: the figures ``l_entropy``, ``alpha``, ``beta``
      and ``delta_strict``, for every sensitive attribute. The last one is infinite, and not met, if
      a class lacks a value of the whole table.
    - ``linkage_below``: ``linkage_nearest`` and, if the records of a person stay linked,
      ``linkage_people``; if a figure was estimated from a sample, the upper end of its confidence
      interval.
    - ``sse_below``: the sum of squared errors.

    The last two must be below their limit, not equal to it. A figure that is not available does
    not meet any requirement.
    """
    checks: dict[str, Callable[[Any], Iterator[str]]] = {
        "k": lambda k: _check_k(k, guarantee),
        "l": lambda limit: _check_l(limit, evaluation),
        "t": lambda limit: _check_t(limit, evaluation),
        "k_map": lambda limit: _check_k_map(limit, evaluation),
        "linkage_below": lambda limit: _check_linkage(limit, evaluation),
        "sse_below": lambda limit: _check_sse(limit, evaluation),
        **{name: partial(_check_figure, name, evaluation) for name in SENSITIVE_FIGURES},
    }
    return {name: list(checks[name](limit)) for name, limit in limits.items()}


def judged_figures(evaluation: Evaluation) -> dict[str, dict[str, Any]]:
    """The figures that requirements are judged by, as an evaluation has them.

    They are exact, and those of a report are not: a rounded figure may meet a limit that its exact
    one does not.
    """
    names = {
        "utility": ["sse"],
        "risk": [
            "l_distinct",
            *(name for figure in LINKAGES for name in (figure, f"{figure}_interval")),
            *CLOSENESS_FIGURES,
            *(figure for figure, _, _ in SENSITIVE_FIGURES.values()),
        ],
        "population": ["k_map", "notes"],
    }
    groups = {group: getattr(evaluation, group) for group in names}
    return {
        group: {name: groups[group][name] for name in some if name in groups[group]}
        for group, some in names.items()
    }


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
    reasons = reasons_unmet(limits, evaluation, guarantee)
    listed = [f"{name}: {reason}" for name, some in reasons.items() for reason in some]
    if listed:
        raise RequirementNotMet(
            "nothing was released, because the masked table does not meet the requirements:"
            + "".join(f"\n  - {reason}" for reason in listed),
            _hint({name: limits[name] for name, some in reasons.items() if some}, guarantee),
        )


def refuse_unchanged(release: Release) -> None:
    """Refuse a release in which masking changed, suppressed and left out nothing."""
    if (
        release.records
        and not release.evaluation.utility["changed_records"]
        and not release.dropped
    ):
        raise RequirementNotMet(
            "nothing was released, because masking changed no record: all quasi-identifiers would "
            "keep their values and concepts"
            + (" and only be spelt differently" if any(release.renamed.values()) else ""),
            "check the roles of the columns and k. To release the table nevertheless, allow it "
            "explicitly (--allow-unchanged, allow_unchanged=True)",
        )


def _hint(unmet: Mapping[str, float], guarantee: Guarantee) -> str:
    sensitive = " and ".join(f"{name}: {unmet[name]:g}" for name in ("l", "t") if name in unmet)
    settings = f"add {sensitive} to the method (microaggregation), " if sensitive else ""
    kept = ", ".join(guarantee.kept_columns)
    if kept and "k" in unmet:
        return (
            f"a pseudonym links the kept values, too: mask or remove {kept}, for example "
            f"{guarantee.kept_columns[0]}: {{role: drop}}"
        )
    method = "another method" if guarantee.k is None else "a larger k or another method"
    return f"{settings}try {method}, or relax the requirements"


def _check_k(k: int, guarantee: Guarantee) -> Iterator[str]:
    if not guarantee.classes:
        yield f"no records are left; every equivalence class must have at least {k:,}"
    elif guarantee.smallest < k:
        kept = guarantee.kept_columns
        where = f" on the quasi-identifiers and the kept {', '.join(kept)}" if kept else ""
        yield (
            f"the smallest equivalence class{where} must have at least {k:,} {guarantee.unit}, got "
            f"{guarantee.smallest:,}"
        )


def _check_l(limit: int, evaluation: Evaluation) -> Iterator[str]:
    diversity = evaluation.risk.get("l_distinct") or {}
    if not diversity:
        yield f"no sensitive attribute was measured; at least {limit:,} values are required"
    for column, fewest in diversity.items():
        if fewest < limit:
            yield (
                f"every equivalence class must have at least {limit:,} different values of "
                f"{column!r}, got {fewest:,}"
            )


def _check_t(limit: float, evaluation: Evaluation) -> Iterator[str]:
    columns = evaluation.risk.get("t_equal") or {}
    if not columns:
        yield f"no sensitive attribute was measured; at most {limit:g} is required"
    for column in columns:
        figure = next(
            name for name in CLOSENESS_FIGURES if column in (evaluation.risk.get(name) or {})
        )
        closeness = evaluation.risk[figure][column]
        if closeness > limit:
            yield (
                f"the distribution of {column!r} in every equivalence class must be at most "
                f"{limit:g} from the whole table ({CLOSENESS_FIGURES[figure]}), got "
                f"{_format_figure(closeness, limit)}"
            )


def _check_k_map(limit: int, evaluation: Evaluation) -> Iterator[str]:
    people = evaluation.population.get("k_map")
    if people is None:
        reasons = evaluation.population.get("notes") or [
            "it is withheld, because some equivalence classes have few records"
            if evaluation.population
            else "no population is given"
        ]
        yield (
            f"at least {limit:,} people of the population must match every equivalence class, but "
            f"their number is unknown: {reasons[0]}"
        )
    elif people < limit:
        estimated = " (estimated)" if isinstance(people, float) else ""
        yield (
            f"at least {limit:,} people of the population must match every equivalence class, got "
            f"{floor(people):,}{estimated}"
        )


def _check_figure(name: str, evaluation: Evaluation, limit: float) -> Iterator[str]:
    figure, is_least, words = SENSITIVE_FIGURES[name]
    side = "at least" if is_least else "at most"
    columns = evaluation.risk.get(figure) or {}
    if not columns:
        yield f"no sensitive attribute was measured; {side} {limit:g} is required"
    for column, value in columns.items():
        if value is None:
            reason = f"but it is infinite: {INFINITE_BECAUSE[name]}"
            yield f"{words.format(column)} must be {side} {limit:g}, {reason}"
        elif not (value >= limit - SLIGHT if is_least else value <= limit + SLIGHT):
            got = _format_figure(value, limit)
            yield f"{words.format(column)} must be {side} {limit:g}, got {got}"


def worst_linkage(risk: Mapping[str, Any]) -> tuple[float | None, str, bool]:
    """The largest share that record linkage finds, of what, and whether it is an estimate.

    Of an estimate, it is the upper end of the confidence interval.
    """
    shares = []
    for figure, unit in LINKAGES.items():
        share, interval = risk.get(figure), risk.get(f"{figure}_interval")
        if share is not None:
            shares.append((share if interval is None else interval[1], unit, interval is not None))
    return max(shares, default=(None, "records", False))


def _check_linkage(limit: float, evaluation: Evaluation) -> Iterator[str]:
    share, unit, is_estimate = worst_linkage(evaluation.risk)
    source = " (upper end of an estimate from a sample)" if is_estimate else ""
    if share is None:
        yield f"record linkage must be below {100 * limit:g} %, but it is unknown"
    elif not share < limit:
        yield (
            f"record linkage must be below {100 * limit:g} % of the {unit}, got "
            f"{_format_figure(100 * share, 100 * limit)} %{source}"
        )


def _check_sse(limit: float, evaluation: Evaluation) -> Iterator[str]:
    sse = evaluation.utility.get("sse")
    if sse is None:
        yield f"the SSE must be below {limit:g}, but it is unknown"
    elif not sse < limit:
        yield f"the SSE must be below {limit:g}, got {_format_figure(sse, limit)}"


def _format_figure(value: float, limit: float) -> str:
    """Format a figure with enough digits to differ from the limit."""
    for digits in range(3, 17):
        if f"{value:.{digits}g}" != f"{limit:.{digits}g}":
            return f"{value:.{digits}g}"
    return f"{value:g}"
