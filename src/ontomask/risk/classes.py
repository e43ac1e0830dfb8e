"""Equivalence classes and the risks that follow from their sizes.

The measures take the sizes of the classes, one whole number per class; where they come from does
not matter. :func:`original_classes` and :func:`masked_classes` read them from a plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.attributes import (
    MISSING,
    MISSING_NUMBER,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.tuples import Transitions

__all__ = [
    "class_sizes",
    "journalist",
    "k",
    "canonical_targets",
    "marketer",
    "masked_classes",
    "original_classes",
    "population_sizes",
    "prosecutor",
    "records_at_risk",
    "released_classes",
    "uniques",
]

Longs = NDArray[np.int64]


def original_classes(plan: Transitions) -> Longs:
    """Sizes of the equivalence classes before masking."""
    return plan.tuples.counts


def masked_classes(plan: Transitions, removed: bool = False) -> Longs:
    """Sizes of the equivalence classes after masking.

    A suppressed value is an empty cell, like a missing value. Suppressed records form one class of
    blank records. With ``removed=True`` they are not in the released table and in no class.
    """
    sizes, _ = released_classes(plan, removed)
    return sizes


def released_classes(plan: Transitions, removed: bool) -> tuple[Longs, Longs]:
    """The sizes of the classes, and a target that looks like each."""
    target_sizes = plan.class_sizes()
    if removed:
        target_sizes[plan.suppressed_targets] = 0
    sizes = np.bincount(
        canonical_targets(plan), weights=target_sizes, minlength=len(target_sizes)
    ).astype(np.int64)
    return sizes[sizes > 0], np.flatnonzero(sizes)


def canonical_targets(plan: Transitions) -> Longs:
    """For each target the first one that looks the same: missing and suppressed are both empty."""
    visible, mixed = plan.targets.copy(), False
    for attribute, column in zip(plan.tuples.attributes, visible.T, strict=True):
        missing = _missing_target(attribute)
        if missing is not None:
            column[column == missing] = np.nan
            mixed = True
    if not mixed or not np.isnan(plan.targets).any():
        return np.arange(len(visible))
    visible[np.isnan(visible)] = np.inf  # no number is
    _, first, place = np.unique(visible, axis=0, return_index=True, return_inverse=True)
    return first[place.ravel()]


def _missing_target(attribute: Attribute) -> float | None:
    """The target that is a missing value; None where the attribute has none."""
    if isinstance(attribute, NominalAttribute):
        last = len(attribute.candidates) - 1
        return float(last) if attribute.candidates[last] == MISSING else None
    assert isinstance(attribute, NumericalAttribute)
    return MISSING_NUMBER if attribute.has_missing else None


def k(classes: Longs) -> int:
    r"""Size of the smallest equivalence class: the table is k-anonymous for this k.

    .. math:: k = \min_g |g|

    From 1 to the number of records; 0 for an empty table. Higher is better.

    >>> k(np.array([5, 7, 12]))
    5
    """
    return int(classes.min(initial=classes.sum()))


def class_sizes(classes: Longs) -> dict[int, int]:
    """Number of equivalence classes of each size, the smallest size first.

    >>> class_sizes(np.array([5, 7, 5]))
    {5: 2, 7: 1}
    """
    sizes, class_counts = np.unique(classes, return_counts=True)
    return dict(zip(sizes.tolist(), class_counts.tolist(), strict=True))


def uniques(classes: Longs) -> int:
    """Number of records that are alone in their class (sample uniques). Lower is better.

    >>> uniques(np.array([1, 7, 1]))
    2
    """
    return int((classes == 1).sum())


def prosecutor(classes: Longs) -> float:
    r"""Prosecutor risk: the highest risk if the attacker knows that a person is in the table.

    .. math:: R = \max_i \frac{1}{|g(i)|} = \frac{1}{\min_g |g|}

    ARX calls it "highest prosecutor risk"; its average over the records is :func:`marketer`. From 0
    to 1; lower is better.

    >>> prosecutor(np.array([5, 7, 12]))
    0.2
    """
    return 1 / k(classes) if classes.size else 0.0


def records_at_risk(classes: Longs, threshold: float = 0.2) -> float:
    r"""Share of records with a prosecutor risk above a threshold.

    .. math:: \frac{1}{n} \bigl|\{i : 1 / |g(i)| > threshold\}\bigr|

    ARX calls it "records at risk"; sdcMicro counts records below a class size. A class of 5 has a
    risk of 0.2, which is not above 0.2. From 0 to 1; lower is better.

    >>> records_at_risk(np.array([2, 5, 3]))
    0.5
    """
    if not 0 <= threshold <= 1:
        raise ParameterError(f"threshold must be a number from 0 to 1, got {threshold!r}")
    return _share(classes, 1 / classes > threshold)


def marketer(classes: Longs) -> float:
    r"""Marketer risk: the expected share of correct links if the attacker links all records.

    .. math:: \frac{1}{n} \sum_i \frac{1}{|g(i)|} = \frac{\text{classes}}{n}

    ARX calls it "marketer risk" and "average prosecutor risk". From 0 to 1; lower is better.

    >>> marketer(np.array([5, 5, 10]))
    0.15
    """
    return len(classes) / int(classes.sum()) if classes.size else 0.0


def journalist(classes: Longs, population: Longs | None = None) -> float:
    r"""Journalist risk: the highest risk if the attacker does not know who is in the table.

    .. math:: R = \max_g \frac{1}{N_g}

    :math:`N_g` is the number of people in class ``g`` among the population that the table was drawn
    from. From 0 to 1; lower is better. Without a population it equals :func:`prosecutor`. If a
    class has more records than ``population`` says, its own records count.

    >>> journalist(np.array([1, 2]), population=np.array([20, 50]))
    0.05
    """
    if population is None:
        return prosecutor(classes)
    if population.shape != classes.shape:
        raise ParameterError(
            f"population must have one number per class, got {population.size:,} for "
            f"{classes.size:,} classes",
            "give them in the order of the classes",
        )
    return prosecutor(np.maximum(population, classes))


def population_sizes(
    plan: Transitions,
    population: Mapping[tuple[Any, ...], int],
    masked: bool = False,
    removed: bool = False,
) -> Longs:
    """Number of people of a population in each equivalence class, for :func:`journalist`.

    Args:
        plan: The transitions of a release.
        population: Number of people by combination of values, with concepts as identifiers and
            numbers as numbers, as in ``{("influenza", 30.0): 1200}``. An empty cell is None. A
            combination that is absent has 0 people.
        masked: Whether to look up masked combinations, in the classes of :func:`masked_classes`.
            Mask the population in the same way as the table. Otherwise it lacks new combinations,
            and the risk is overestimated, never underestimated.
        removed: Whether suppressed records are removed from the table.

    Returns:
        One number per class.
    """
    targets = plan.tuples.targets()
    if masked:
        targets = plan.targets[released_classes(plan, removed)[1]]
    columns: list[list[Any]] = []
    for attribute, column in zip(plan.tuples.attributes, targets.T.tolist(), strict=True):
        if isinstance(attribute, NominalAttribute):
            concepts = attribute.candidates
            columns.append(
                [None if target != target else concepts[int(target)] or None for target in column]
            )
        else:
            columns.append([target if np.isfinite(target) else None for target in column])
    return np.array([population.get(row, 0) for row in zip(*columns, strict=True)], dtype=np.int64)


def _share(classes: Longs, chosen: NDArray[np.bool_]) -> float:
    """The share of the records that are in chosen classes."""
    return int(classes[chosen].sum()) / int(classes.sum()) if classes.size else 0.0
