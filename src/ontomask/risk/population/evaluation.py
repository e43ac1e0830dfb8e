"""All figures of a plan against a population at once, and what each of them means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import format_count
from ontomask.microdata.measures import BetterDirection, FigureDescription
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.risk.classes import released_classes, uniques
from ontomask.risk.population.matches import PopulationTable, count_matches, is_generalisation
from ontomask.risk.population.measures import individual_risk, k_map, presence
from ontomask.risk.population.superpopulation import population_uniques

__all__ = [
    "POPULATION_DESCRIPTIONS",
    "PopulationKnowledge",
    "SampleCounts",
    "evaluate_original_population",
    "evaluate_population",
    "short_population_caution",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SampleCounts:
    """Whom the groups of a table stand for: its tuples, or its targets.

    ``weights`` are the sums of the sampling weights of each group. ``people`` are the numbers of
    different people in each, and ``total`` that of all people; both None where each record counts
    as a person.
    """

    weights: Floats | None = None
    people: Longs | None = None
    total: int | None = None


@dataclass(frozen=True, eq=False)
class PopulationKnowledge:
    """What is known of the population of a table; any of it may be unknown.

    ``size`` is the number of people of the population. ``before`` are counts of the tuples of the
    table, ``after`` of its targets; targets that look the same are one, the first of them.
    ``is_estimated`` says that the size is the sum of the sampling weights.
    """

    size: int
    table: PopulationTable | None = None
    before: SampleCounts = SampleCounts()
    after: SampleCounts = SampleCounts()
    is_estimated: bool = False


def _describe(better: BetterDirection, range: str, **meanings: str) -> dict[str, FigureDescription]:
    return {name: FigureDescription(meaning, range, better) for name, meaning in meanings.items()}


#: The meaning of each figure of :func:`evaluate_population`, as :class:`FigureDescription`.
POPULATION_DESCRIPTIONS: dict[str, FigureDescription] = {
    **_describe(
        "neither",
        "from the number of records",
        population_size="Number of people of the population: as given, as counted in its table, "
        "or the sum of the sampling weights. Without a person column, every record is a person.",
    ),
    **_describe(
        "neither",
        "0 to 1",
        sampling_fraction="Number of released records, or people, divided by the size of the "
        "population.",
    ),
    **_describe(
        "neither",
        "population table, sampling weights or none",
        matched_by="Where the numbers of people who match an equivalence class come from.",
    ),
    **_describe(
        "higher",
        "0 to the size of the population",
        k_map="k-map: smallest number of people of the population who match an equivalence class; "
        "not computed if it is unknown who matches.",
    ),
    **_describe(
        "lower",
        "0 to 1",
        presence_max="δ-presence: highest probability that somebody who matches a class is in the "
        "table.",
    ),
    **_describe(
        "neither",
        "0 to 1",
        presence_min="δ-presence: lowest probability that somebody who matches a class is in the "
        "table; 0 if some people of the population table match no class.",
    ),
    **_describe(
        "lower",
        "0 to the number of classes",
        short_classes="Number of equivalence classes with more records, or people, than people of "
        "the population who match: the population does not contain the table.",
    ),
    **_describe(
        "lower",
        "0 to 1",
        individual_risk="Individual risk, maximum: expected value of 1 divided by the number of "
        "people who match (Benedetti and Franconi); 1 divided by that number if it was counted.",
        global_risk="Global risk: mean individual risk, the share of records that are expected to "
        "be re-identified; with a person column, a person counts once in each class.",
    ),
    **_describe(
        "lower",
        "0 to the number of records",
        expected_reidentifications="Expected number of re-identified records: sum of the "
        "individual risks.",
        sample_uniques="Number of records, or people, that are alone in an equivalence class.",
    ),
    **_describe(
        "lower",
        "0 to the size of the population",
        population_uniques="Estimated number of unique people in the population, by the model that "
        "the rule of Dankar et al. chooses.",
    ),
    **_describe(
        "lower",
        "0 to 1",
        population_unique_share="The same divided by the size of the population.",
    ),
    **_describe(
        "neither",
        "pitman, zayatz or snb",
        population_uniques_model="The model that was chosen.",
    ),
    **_describe(
        "neither",
        "0 to the size of the population, by model",
        population_uniques_by_model="The estimates of all models; none if a model does not fit.",
    ),
    **_describe(
        "neither",
        "sentences",
        notes="What the figures do not cover.",
    ),
    **_describe(
        "neither",
        "all the keys above but notes",
        before="The same figures for the original table, as if it was released unmasked.",
    ),
}

REPLACED = (
    "the population table cannot be matched: some masked values do not contain the original ones, "
    "as after microaggregation, swapping or noise. "
)
NOBODY_MATCHED = "k-map is unknown: it needs sampling weights or a table of the population"


def evaluate_population(
    plan: Transitions, known: PopulationKnowledge, removed: bool = False
) -> dict[str, Any]:
    """All figures of the masked table against its population; ``before``, of the original table.

    People are counted in the table of the population if every masked value contains its original
    value; otherwise they are estimated from sampling weights, if there are any.

    Args:
        plan: The transitions of a release.
        known: What is known of the population.
        removed: Whether suppressed records are removed from the table.

    Returns:
        Plain numbers and texts, ready for JSON. :data:`POPULATION_DESCRIPTIONS` explains each.
    """
    sizes, targets = released_classes(plan, removed)
    attributes, table = plan.tuples.attributes, known.table
    can_match = table is not None and is_generalisation(plan, table.columns)
    weights = known.after.weights
    people, original = None, known
    if table is not None and can_match:
        people = count_matches(attributes, plan.targets[targets], table)
    elif weights is not None:
        original = replace(known, table=None)  # both from the same source
    figures = _measure(sizes, known, people, known.after, targets)
    before = evaluate_original_population(plan.tuples, original)
    return {**figures, "notes": list(_notes(figures, known, can_match)), "before": before}


def evaluate_original_population(tuples: Tuples, known: PopulationKnowledge) -> dict[str, Any]:
    """The figures of a table that is released as it is."""
    people = None
    if known.table is not None:
        people = count_matches(tuples.attributes, tuples.targets(), known.table)
    return _measure(tuples.counts, known, people, known.before, np.arange(len(tuples)))


def short_population_caution(figures: Mapping[str, Any]) -> str:
    """A caution if a population does not contain its table, or nothing."""
    if not figures.get("short_classes"):
        return ""
    return (
        f"the population does not contain the table: in {figures['short_classes']:,} of its "
        f"equivalence classes, fewer people match by the {figures['matched_by']} than the table "
        "has"
    )


def _measure(
    sizes: Longs,
    known: PopulationKnowledge,
    people: tuple[Longs, int] | None,
    sample: SampleCounts,
    groups: Longs,
) -> dict[str, Any]:
    """The figures of classes of these sizes, in records; ``groups`` are theirs in the sample."""
    weights = None if sample.weights is None else sample.weights[groups]
    if sample.people is not None:
        sizes = sample.people[groups]
    members = int(sizes.sum())
    sampled = members if sample.total is None else sample.total
    # The models share out every member of a class: somebody in three classes is three members,
    # of a population that is as many times larger.
    times = members / max(sampled, 1) or 1.0
    models = population_uniques(sizes[sizes > 0], round(known.size * times))
    estimates = {"pitman": models.pitman, "zayatz": models.zayatz, "snb": models.snb}
    return {
        "population_size": float(known.size) if known.is_estimated else known.size,
        "sampling_fraction": sampled / known.size,
        **_match_figures(sizes, people, weights),
        "sample_uniques": uniques(sizes),
        "population_uniques": models.chosen / times,
        "population_unique_share": models.chosen / times / known.size,
        "population_uniques_model": models.model,
        "population_uniques_by_model": {
            name: None if estimate is None else estimate / times
            for name, estimate in estimates.items()
        },
    }


def _match_figures(
    sizes: Longs, people: tuple[Longs, int] | None, weights: Floats | None
) -> dict[str, Any]:
    """The figures that need the number of matching people of each class."""
    if people is not None:
        matches, unmatched, source = people[0].astype(np.float64), people[1], "population table"
        risks = 1 / np.maximum(matches, 1)
    elif weights is not None:
        matches, unmatched, source = weights, 0, "sampling weights"
        risks = np.zeros(len(sizes))
        risks[sizes > 0] = individual_risk(sizes[sizes > 0], matches[sizes > 0])
    else:
        names = ("k_map", "presence_max", "presence_min", "short_classes")
        risk_names = ("individual_risk", "global_risk", "expected_reidentifications")
        return {"matched_by": None, **dict.fromkeys((*names, *risk_names))}
    rest = np.array([unmatched] if unmatched else [], dtype=np.float64)
    lowest, highest = presence(
        np.append(sizes, np.zeros(len(rest), dtype=np.int64)), np.append(matches, rest)
    )
    expected = float(sizes @ risks)
    return {
        "matched_by": source,
        "k_map": k_map(matches) if people is None else int(k_map(matches)),
        "presence_max": highest,
        "presence_min": lowest,
        "short_classes": int((matches < sizes * (1 - 1e-9)).sum()),
        "individual_risk": float(risks.max(initial=0.0)),
        "global_risk": expected / max(int(sizes.sum()), 1),
        "expected_reidentifications": expected,
    }


def _notes(figures: dict[str, Any], known: PopulationKnowledge, can_match: bool) -> Iterator[str]:
    if known.table is not None and not can_match:
        is_known = figures["k_map"] is not None
        yield (
            REPLACED
            + f"k-map is {'estimated from the sampling weights' if is_known else 'unknown'}"
        )
    elif figures["matched_by"] is None:
        yield NOBODY_MATCHED
    if short_population_caution(figures):
        yield short_population_caution(figures)
    if known.table is not None and known.table.people is None and known.before.people is not None:
        yield (
            "the population table has no person column, so each of its records counts as a person"
        )
    if known.table is not None and known.table.unmapped:
        yield (
            f"{format_count(known.table.unmapped, 'record')} of the population table with values "
            "that the taxonomy does not contain: matched only by empty cells"
        )
