"""All risk measures of a plan at once, before and after masking, and what each of them means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.measures import (
    BetterDirection,
    FigureDescription,
    FigureDescriptions,
    with_added_figures,
)
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.risk import classes as class_measures
from ontomask.risk.diversity import (
    Confidential,
    distinct_diversity,
    entropy_diversity,
    homogeneous_records,
    recursive_diversity,
)
from ontomask.risk.intervals import rank_interval, sd_interval
from ontomask.risk.likeness import (
    alpha,
    basic_beta_likeness,
    delta_disclosure,
    enhanced_beta_likeness,
)
from ontomask.risk.linkage import linkage_by_attribute, linkage_nearest, linkage_text
from ontomask.risk.linked_people import (
    LinkedRows,
    linkage_of_people,
    linkage_of_unmasked_people,
)
from ontomask.risk.sets import RecordOwners, rare_combinations, unique_sets
from ontomask.risk.t_closeness import closeness

__all__ = ["DESCRIPTIONS", "describe_risks", "evaluate_risk", "evaluate_original_risk"]

#: What fewer records or people have is rare, if there is no k.
USUAL_K = 5

#: The owners of the masked records, by target, and of the original ones, by tuple.
OwnersPair = tuple[RecordOwners | None, RecordOwners | None]

#: What each figure usually is, as tools/measure_methods.py measured it.
_USUAL_VALUES = {
    "unique_share": "0.24 to 0.88 unmasked",
    "suppressed": "by suppression, 0.48 to 0.94 at k = 5, 0.73 to 0.95 at k = 20",
    "prosecutor_at_risk": "before masking, 0.48 to 0.94 for k = 5, 0.73 to 0.95 for k = 20",
    "marketer": "0.096 to 0.17 at k = 5, 0.028 to 0.043 at k = 20; 0.38 to 0.91 unmasked",
    "linkage_text": "0.018 to 0.12 at k = 5, 0.0059 to 0.038 at k = 20; 0.38 to 0.91 unmasked",
    "linkage_nearest": "0.096 to 0.17 at k = 5, 0.028 to 0.042 at k = 20; 0.38 to 0.91 unmasked",
    "linkage_nearest_uniques": "0.063 to 0.18 at k = 5, 0.007 to 0.044 at k = 20; 1 unmasked",
    "linkage_nearest_above": "0.13 to 0.2 at k = 5, 0.037 to 0.28 at k = 20",
    "unchanged": "0.082 to 0.67 at k = 5, 0.057 to 0.45 at k = 20",
    "linkage_alone": "0.00034 to 0.052 at k = 5, 0.00025 to 0.023 at k = 20",
    "linkage_without": "0.008 to 0.15 at k = 5, 0.0036 to 0.041 at k = 20",
    "rank_interval": "0.61 to 1 at k = 5, 0.44 to 1 at k = 20",
    "sd_interval": "0.28 to 0.98 at k = 5, 0.22 to 0.93 at k = 20",
    "t_equal": "0.64 to 0.99 at k = 5, 0.39 to 0.94 at k = 20",
    "l_distinct": "1 at k = 5, 1 to 3 at k = 20",
    "l_entropy": "1 at k = 5, 1 to 2.1 at k = 20",
    "l_recursive": "1 at k = 5, 1 to 2 at k = 20",
    "alpha": "1 at k = 5, 0.7 to 1 at k = 20",
    "beta": "3.2 to 710 at k = 5, 2 to 250 at k = 20",
    "delta": "1.9 to 6.6 at k = 5, 2 to 5.5 at k = 20",
}


def _describe_figures(
    better: BetterDirection, range: str, **meanings: str
) -> dict[str, FigureDescription]:
    return {
        key: FigureDescription(meaning, range, better, _USUAL_VALUES.get(key, ""))
        for key, meaning in meanings.items()
    }


_OWN_DESCRIPTIONS: dict[str, FigureDescription] = {
    **_describe_figures(
        "higher",
        "1 to the number of records",
        k="k-anonymity: number of records in the smallest equivalence class.",
    ),
    **_describe_figures(
        "lower",
        "1 to the number of records",
        classes="Number of equivalence classes; suppressed records are one class.",
    ),
    **_describe_figures(
        "neither",
        "pairs of integers",
        class_sizes="Number of equivalence classes of each size: [size, classes], smallest first.",
    ),
    **_describe_figures(
        "lower",
        "0 to the number of records",
        uniques="Number of unique records: alone in their equivalence class.",
    ),
    **_describe_figures(
        "lower",
        "0 to 1",
        unique_share="Share of the records that are unique: alone in their equivalence class.",
        suppressed="Share of the records whose quasi-identifiers are suppressed. This is "
        "information loss, not risk.",
        prosecutor="Prosecutor risk: highest re-identification risk of a record if the attacker "
        "knows that it is in the table; 1 divided by the size of the smallest class.",
        prosecutor_at_risk="Share of the records whose prosecutor risk is above the threshold "
        "(1/k if k is given).",
        journalist="Journalist risk: highest re-identification risk of a record if the attacker "
        "does not know whether the person is in the table. If no population is given, it equals "
        "the prosecutor risk.",
        marketer="Marketer risk: expected share of correct links if the attacker links all "
        "records; the mean prosecutor risk.",
        linkage_text="Record linkage: share of the records linked correctly to original records "
        "with exactly the same values (TM eq. 14-15).",
        linkage_nearest="Record linkage: share of the records linked correctly to their nearest "
        "original records. If several originals are equally near, each counts with an equal share.",
        linkage_nearest_uniques="The same share among the records that were unique in the original "
        "table; not computed if there were no such records.",
        linkage_nearest_above="Share of the records whose probability of a correct link is above "
        "1/k; not computed without a k.",
        unchanged="Share of the records whose values and concepts masking did not change. "
        "A concept may be spelt differently.",
    ),
    **_describe_figures(
        "lower",
        "0 to 1",
        linkage_people="Record linkage of people: share of the people linked correctly to the "
        "pseudonyms whose released records, all together, are most similar to all their original "
        "records. If several pseudonyms are equally similar, each counts with an equal share. Only "
        "if the records of a person stay linked.",
    ),
    **_describe_figures(
        "neither",
        "0 to 1, lower and upper limit",
        linkage_nearest_interval="95 % confidence interval of the share of linked records; not "
        "computed if the experiment used all records.",
        linkage_people_interval="95 % confidence interval of the share of linked people; not "
        "computed if the experiment used all people.",
    ),
    **_describe_figures(
        "lower",
        "0 to the number of records or people, by column of sets",
        unique_sets="Number of records, or of people if the schema has a person column, with a "
        "set of values that nobody else has.",
    ),
    **_describe_figures(
        "lower",
        "0 or more, by column of sets; not counted if there are more than 20 million combinations",
        rare_values="Number of values in sets that fewer than k records have, or fewer than k "
        "people if the schema has a person column; without a k, fewer than 5.",
        rare_pairs="Number of pairs of values in the same set that fewer than k records or people "
        "have.",
        rare_triples="Number of triples of values in the same set that fewer than k records or "
        "people have.",
    ),
    **_describe_figures(
        "neither",
        "1 to the number of records",
        linkage_nearest_records="Number of masked records in the linkage experiment.",
        linkage_nearest_tuples="Number of different combinations of masked values in it.",
        linkage_people_number="Number of people in the linkage experiment with all their records.",
    ),
    **_describe_figures(
        "neither",
        "true or false",
        linkage_nearest_sampled="Whether the linkage experiment used a random sample of records.",
        linkage_people_sampled="Whether the linkage experiment used a random sample of people.",
    ),
    **_describe_figures(
        "lower",
        "0 to 1, by attribute",
        linkage_alone="Share of the records linked correctly by this attribute alone.",
        linkage_without="Share of the records linked correctly by all other attributes.",
        rank_interval="Share of the records whose masked and original numbers differ in rank by at "
        "most 5 % of the number of records (interval disclosure).",
        sd_interval="Share of the records whose masked and original numbers differ by at most 5 % "
        "of the standard deviation of the column (interval disclosure).",
        t_equal="t-closeness: largest distance between the distribution of known values in a class "
        "and in the whole table; half the sum of the differences of the shares; 1 if a class has "
        "none.",
        t_ordered="The same with distances between values by rank (numbers only).",
        t_semantic="The same with semantic distances between values (earth mover's distance).",
    ),
    **_describe_figures(
        "lower",
        "0 to the number of records, by attribute",
        homogeneous_records="Number of records in equivalence classes with a single known value: "
        "anybody who knows that a person is in such a class knows the value.",
    ),
    **_describe_figures(
        "lower",
        "0 to the number of people, by attribute",
        homogeneous_people="Number of people with a record in such a class; only if the schema has "
        "a person column.",
    ),
    **_describe_figures(
        "higher",
        "0 to the number of values, by attribute",
        l_distinct="l-diversity: smallest number of different known values in a class.",
        l_entropy="Entropy l-diversity: exponential of the smallest entropy of a class; the number "
        "of equally frequent values with that entropy.",
    ),
    **_describe_figures(
        "higher",
        "0 to the number of values, by attribute",
        l_recursive="Recursive (c, l)-diversity: largest l that holds for all classes; c is 3 by "
        "default.",
    ),
    **_describe_figures(
        "lower",
        "0 to 1, by attribute",
        alpha="(α, k)-anonymity: largest share of a value among the known values of a class; 1 if "
        "a class has none.",
    ),
    **_describe_figures(
        "lower",
        "from 0, by attribute",
        beta="Basic β-likeness: largest relative gain of the share of a value in a class over its "
        "share in the whole table; not computed if a class has no known value.",
        beta_enhanced="Enhanced β-likeness: the same if no value gains more than the negative "
        "logarithm of its share in the whole table; otherwise no β holds.",
        delta="δ-disclosure privacy: largest difference of the logarithms of the shares of a value "
        "in a class and in the whole table, over the values that occur in the class; not computed "
        "if a class has no known value.",
        delta_strict="The same over all values of the whole table, as it was defined; not computed "
        "if a class lacks one of them, because the difference is then infinite.",
    ),
    **_describe_figures(
        "neither",
        "all the keys above",
        before="The same figures for the original table, as if it was released unmasked.",
    ),
}


#: The meaning of each figure of :func:`evaluate_risk`, as :class:`FigureDescription`.
DESCRIPTIONS = FigureDescriptions("risk", _OWN_DESCRIPTIONS)

#: What the figures of equivalence classes mean where the records of a person stay linked. The usual
#: values are those of single records.
_OF_LINKED_PEOPLE: dict[str, FigureDescription] = {
    **_describe_figures(
        "higher",
        "1 to the number of people",
        k="k-anonymity of linked people: number of people in the smallest equivalence class. A "
        "class consists of the people who share all released records of a pseudonym, with the "
        "masked values of all quasi-identifiers.",
    ),
    **_describe_figures(
        "lower",
        "1 to the number of people",
        classes="Number of equivalence classes of linked people.",
    ),
    **_describe_figures(
        "neither",
        "pairs of integers",
        class_sizes="Number of equivalence classes of each size in people: [size, classes], "
        "smallest first.",
    ),
    **_describe_figures(
        "lower",
        "0 to the number of people",
        uniques="Number of unique people: nobody else has all released records of a pseudonym.",
    ),
    **_describe_figures(
        "lower",
        "0 to 1",
        unique_share="Share of the people who are unique by all their records.",
        prosecutor="Prosecutor risk: highest re-identification risk of a person if the attacker "
        "knows all records of the person and that they are in the table; 1 divided by the number "
        "of people in the smallest class.",
        prosecutor_at_risk="Share of the people whose prosecutor risk is above the threshold (1/k "
        "if k is given).",
        journalist=_OWN_DESCRIPTIONS["journalist"].meaning
        + " With a population, it looks at each record alone.",
        marketer="Marketer risk: expected share of correct links if the attacker links all people "
        "by all their records; the mean prosecutor risk.",
        linkage_nearest="Record linkage, record by record: share of the records linked correctly "
        "to their nearest original records. An attacker who can put the records of a person "
        "together uses all of them: see the record linkage of people.",
    ),
}


def describe_risks(linked: bool) -> Mapping[str, FigureDescription]:
    """The meaning of each figure; ``linked`` if the records of a person stay linked."""
    usual = {name: replace(described, usual="") for name, described in _OF_LINKED_PEOPLE.items()}
    return {**DESCRIPTIONS, **usual} if linked else DESCRIPTIONS


def evaluate_risk(
    plan: Transitions,
    k: int | None = None,
    confidential: Sequence[Confidential] = (),
    confidential_before: Sequence[Confidential] = (),
    *,
    threshold: float | None = None,
    population: Mapping[tuple[Any, ...], int] | None = None,
    people: OwnersPair = (None, None),
    linked: LinkedRows | None = None,
    removed: bool = False,
    semantic_closeness: bool = False,
    c: float = 3.0,
    most: int = 100_000,
    random: np.random.Generator | None = None,
) -> dict[str, Any]:
    """All risk figures of the masked table and, under ``"before"``, of the original table.

    Args:
        plan: The transitions of a release.
        k: The k that linkage is compared with.
        confidential: Frequencies of sensitive attributes by masked class.
        confidential_before: The same by original class.
        threshold: A record is at risk if its risk is above this number. Without it, 1/k; without a
            k, 0.2.
        population: As in :func:`~ontomask.risk.population_sizes`, for the journalist risk.
        people: The target and the person of every record, and the tuple and the person, to count
            people in :func:`~ontomask.risk.unique_sets` and
            :func:`~ontomask.risk.rare_combinations`.
        linked: The rows of people whose records stay linked. Equivalence classes then consist of
            people with the same released rows, and count people.
        removed: Whether suppressed records are removed from the table. They are then in no class,
            but still count among all records in the shares of linked records.
        semantic_closeness: Whether to compute ``t_semantic``, which takes time.
        c: The c of recursive (c, l)-diversity.
        most: As in :func:`~ontomask.risk.linkage_nearest`.
        random: As in :func:`~ontomask.risk.linkage_nearest`.

    Returns:
        Plain numbers, lists and dicts, ready for JSON, and the same every time.
        :data:`DESCRIPTIONS` explains each figure. Figures of single attributes are dicts by name.
        Shares are from 0 to 1.

    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> age = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([age], [np.array([0, 1, 1, 2])])
    >>> plan = Transitions.from_targets(tuples, np.array([[35.0], [50.0]]), np.array([0, 0, 1]))
    >>> risk = evaluate_risk(plan)
    >>> risk["k"], risk["linkage_nearest"], risk["before"]["linkage_nearest"]
    (1, 0.5, 0.75)
    """
    if threshold is None:
        threshold = 1 / k if k else 0.2

    def measure(
        table_plan: Transitions, sensitive: Sequence[Confidential], masked: bool
    ) -> dict[str, Any]:
        matches = None
        if population is not None:
            matches = class_measures.population_sizes(table_plan, population, masked, removed)
        rows = linked.unmasked() if linked is not None and not masked else linked
        figures = {
            **_class_figures(table_plan, removed, threshold, matches, rows),
            **_set_figures(table_plan, k, people[0] if masked else people[1]),
            **_linkage_figures(table_plan, k, most, random),
            **_people_linkage_figures(table_plan, rows, random, masked),
            **_sensitive_figures(sensitive, semantic_closeness, c),
        }
        return with_added_figures("risk", table_plan, figures)

    before = measure(_identity_plan(plan.tuples), confidential_before, masked=False)
    return {**measure(plan, confidential, masked=True), "before": before}


def evaluate_original_risk(
    tuples: Tuples,
    k: int | None = None,
    confidential: Sequence[Confidential] = (),
    people: RecordOwners | None = None,
    linked: LinkedRows | None = None,
) -> dict[str, Any]:
    """Every risk measure of a table that is released as it is.

    ``people`` are the tuple and the person of every record, where that is known, and ``linked``
    the rows of people whose records stay linked.
    """
    plan = _identity_plan(tuples)
    figures = {
        **_class_figures(plan, False, 1 / k if k else 0.2, None, linked),
        **_set_figures(plan, k, people),
        **_linkage_figures(plan, k, 100_000, None),
        **_people_linkage_figures(plan, linked, None, masked=False),
        **_sensitive_figures(confidential, False, 3.0),
    }
    return with_added_figures("risk", plan, figures)


def _identity_plan(tuples: Tuples) -> Transitions:
    """The plan that changes nothing."""
    every = np.arange(len(tuples))
    return Transitions(tuples, tuples.targets(), every, every, tuples.counts)


def _class_figures(
    plan: Transitions,
    removed: bool,
    threshold: float,
    people: np.ndarray[Any, Any] | None,
    linked: LinkedRows | None,
) -> dict[str, Any]:
    row_sizes = sizes = class_measures.masked_classes(plan, removed)
    if linked is not None:
        sizes = linked.class_sizes(class_measures.canonical_targets(plan))
    uniques = class_measures.uniques(sizes)
    return {
        "k": class_measures.k(sizes),
        "classes": len(sizes),
        "class_sizes": [list(pair) for pair in class_measures.class_sizes(sizes).items()],
        "uniques": uniques,
        "unique_share": uniques / max(int(sizes.sum()), 1),
        "suppressed": int(plan.class_sizes()[plan.suppressed_targets].sum()) / plan.tuples.records,
        "prosecutor": class_measures.prosecutor(sizes),
        "prosecutor_at_risk": class_measures.records_at_risk(sizes, threshold),
        "journalist": class_measures.journalist(sizes)
        if people is None
        else class_measures.journalist(row_sizes, people),
        "marketer": class_measures.marketer(sizes),
    }


def _set_figures(plan: Transitions, k: int | None, people: RecordOwners | None) -> dict[str, Any]:
    return {
        "unique_sets": unique_sets(plan, people),
        **{
            name: rare_combinations(plan, k or USUAL_K, size, people)
            for size, name in enumerate(("rare_values", "rare_pairs", "rare_triples"), 1)
        },
    }


def _linkage_figures(
    plan: Transitions, k: int | None, most: int, random: np.random.Generator | None
) -> dict[str, Any]:
    linkage = asdict(linkage_nearest(plan, k, most, random))
    by_attribute = linkage_by_attribute(plan, most, random)
    interval = linkage["interval"]
    return {
        "linkage_text": linkage_text(plan),
        "linkage_nearest": linkage["linked"],
        "linkage_nearest_uniques": linkage["among_uniques"],
        "linkage_nearest_above": linkage["above"],
        "linkage_nearest_interval": None if interval is None else list(interval),
        "linkage_nearest_records": linkage["records"],
        "linkage_nearest_tuples": linkage["tuples"],
        "linkage_nearest_sampled": linkage["sampled"],
        "unchanged": linkage["unchanged"],
        "linkage_alone": {name: shares["alone"] for name, shares in by_attribute.items()},
        "linkage_without": {name: shares["without"] for name, shares in by_attribute.items()},
        "rank_interval": rank_interval(plan),
        "sd_interval": sd_interval(plan),
    }


def _people_linkage_figures(
    plan: Transitions,
    linked: LinkedRows | None,
    random: np.random.Generator | None,
    masked: bool,
) -> dict[str, Any]:
    """The linkage of linked people; nothing where records do not stay linked."""
    linkage = None
    if linked is not None and masked:
        linkage = linkage_of_people(plan, linked, random=random)
    elif linked is not None:
        linkage = linkage_of_unmasked_people(plan.tuples, linked)
    interval = None if linkage is None else linkage.interval
    return {
        "linkage_people": None if linkage is None else linkage.linked,
        "linkage_people_interval": None if interval is None else list(interval),
        "linkage_people_number": None if linkage is None else linkage.people,
        "linkage_people_sampled": None if linkage is None else linkage.sampled,
    }


def _sensitive_figures(
    sensitive: Sequence[Confidential], semantic_closeness: bool, c: float
) -> dict[str, Any]:
    numbers = [
        attribute for attribute in sensitive if isinstance(attribute.attribute, NumericalAttribute)
    ]
    words = [
        attribute for attribute in sensitive if isinstance(attribute.attribute, NominalAttribute)
    ]
    meaningful = [
        attribute
        for attribute in [*numbers, *words]
        if semantic_closeness or attribute.ground == "semantic"
    ]
    return {
        "homogeneous_records": {
            attribute.name: homogeneous_records(attribute) for attribute in sensitive
        },
        "homogeneous_people": {
            attribute.name: attribute.homogeneous_people
            for attribute in sensitive
            if attribute.homogeneous_people is not None
        },
        "l_distinct": {attribute.name: distinct_diversity(attribute) for attribute in sensitive},
        "l_entropy": {attribute.name: entropy_diversity(attribute) for attribute in sensitive},
        "l_recursive": {
            attribute.name: recursive_diversity(attribute, c) for attribute in sensitive
        },
        "t_equal": {attribute.name: closeness(attribute, "equal") for attribute in sensitive},
        "t_ordered": {attribute.name: closeness(attribute, "ordered") for attribute in numbers},
        "t_semantic": {
            attribute.name: closeness(attribute, "semantic") for attribute in meaningful
        },
        "alpha": {attribute.name: alpha(attribute) for attribute in sensitive},
        **{
            name: {attribute.name: _finite(likeness(attribute)) for attribute in sensitive}
            for name, likeness in LIKENESS.items()
        },
    }


#: The figures without an upper limit; infinite ones are None, because JSON has no infinity.
LIKENESS: dict[str, Callable[[Confidential], float]] = {
    "beta": basic_beta_likeness,
    "beta_enhanced": enhanced_beta_likeness,
    "delta": delta_disclosure,
    "delta_strict": partial(delta_disclosure, every_value=True),
}


def _finite(figure: float) -> float | None:
    return figure if isfinite(figure) else None
