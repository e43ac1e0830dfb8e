"""Why microaggregation gave a tuple its values: its group, formed again, and the centroid of it.

A plan knows what each tuple became, not which group it was in: groups with the same centroid are
one class, and classes of too few people are merged. Without restarts the groups are settled by the
tuples, so they can be formed again, and the sums shown are those that the method compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import format_count
from ontomask.methods.explaining.centres import (
    Centre,
    CentreRule,
    centre_by_frequency,
    centre_by_least_sum,
    centre_of_numbers,
)
from ontomask.methods.explaining.columns import (
    NominalQuasiIdentifier,
    NumericQuasiIdentifier,
    QuasiIdentifier,
)
from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation
from ontomask.methods.microaggregation.synthetic import TOLERANCE
from ontomask.microdata.sets.set_concepts import has_sets
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.microaggregation.microaggregation import Microaggregation

__all__ = ["explain_group"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


def explain_group(method: Microaggregation, masked: MaskedTuple) -> MethodExplanation:
    """Explain a tuple by its group and the sums behind its centroid."""
    groups = _groups_of(method, masked)
    if groups is None:
        return masked.explain_by_target()
    members = groups.members(masked.tuple)
    if method.is_synthetic:
        is_printed = method.replacement == "synthetic_paper"
        note = "The group only limits how far away a value may be drawn."
        return masked.explain_by_members(
            members,
            masked.original_values,
            "this combination of values",
            notes=(note if is_printed else "Each value is drawn from its group, by itself.",),
            column_notes=[
                (
                    _note_on_reach(groups, masked, j, column, members)
                    if is_printed
                    else _note_on_draw(masked, j, column, members),
                )
                for j, column in enumerate(masked.columns)
            ],
        )
    centroid = groups.centroids[groups.group[masked.tuple]]
    notes = _notes_on_joined_groups(groups, masked, centroid, method.k)
    centres: list[Centre] = []
    if method.operators == "classic" and method.distance == "mean":
        notes.insert(
            0,
            "The centroid is the most frequent combination of values of the group; if several are "
            "equally frequent, the first in order.",
        )
    else:
        centres = [
            _explain_centre(groups, masked.tuples, column, members) for column in masked.columns
        ]
    return masked.explain_by_members(
        members, centroid, "the centroid", centres=centres, notes=notes
    )


def _notes_on_joined_groups(
    groups: MicroaggregationGroups, masked: MaskedTuple, centroid: Floats, k: int
) -> list[str]:
    """Notes on other groups that got the same values: too few people, or the same centroid."""
    notes = []
    others = np.unique(groups.group[masked.tuples_with_same_target()])
    others = others[others != groups.group[masked.tuple]]
    same = (groups.centroids[others] == masked.target_values).all(axis=1)
    if not np.array_equal(centroid, masked.target_values):
        notes.append(
            f"Its group had records of fewer than {k} people, so it took the values of the nearest "
            f"other class. Its own centroid was {masked.describe_values(centroid)}."
        )
    elif same.any():
        verb = "has" if same.sum() == 1 else "have"
        notes.append(f"{format_count(int(same.sum()), 'other group')} {verb} the same centroid.")
    if (~same).any():
        notes.append(
            f"{format_count(int((~same).sum()), 'other group')} with records of fewer than {k} "
            "people also took these values."
        )
    return notes


def _note_on_draw(masked: MaskedTuple, j: int, column: QuasiIdentifier, members: Longs) -> str:
    """What the value of a column is drawn from, if it comes from the group."""
    values = np.unique(masked.tuples.codes[j, members])
    if len(values) == 1:
        return "all records of its group have this value, so it is unchanged"
    if isinstance(column, NumericQuasiIdentifier) and not column.attribute.median:
        least, most = (
            column.describe_target(float(column.attribute.numbers[value]))
            for value in values[[0, -1]]
        )
        return (
            f"drawn between {least.words} and {most.words}, with the mean and variance of its group"
        )
    return f"that of a random record of its group, which has {len(values):,} different values"


def _note_on_reach(
    groups: MicroaggregationGroups,
    masked: MaskedTuple,
    j: int,
    column: QuasiIdentifier,
    members: Longs,
) -> str:
    """How far from the value of a column another may be drawn (MA algorithm 1)."""
    codes = masked.tuples.codes[j]
    every_value = np.arange(column.attribute.size)
    distances = column.apart(float(masked.original_values[j]), every_value)
    if groups.classic and isinstance(column, NominalQuasiIdentifier):
        distances = (every_value != codes[masked.tuple]).astype(np.float64)
    reach = float(distances[codes[members]].max())
    within = int((distances <= reach + TOLERANCE).sum())
    if within == 1:
        return "all records of its group have this value, so it is unchanged"
    return (
        f"drawn at random from the {within:,} values of the column within {reach:.3f} "
        "of it, the distance of the farthest value in its group"
    )


# ---------------------------------------------------------------------- the groups, formed again


@dataclass(frozen=True, eq=False)
class MicroaggregationGroups:
    """The group of each tuple, and the centroid of each group as it is written.

    ``above`` are the candidates that each value of a column brings in; ``classic`` says that words
    were equal or not, and ``rule`` how a word was chosen otherwise.
    """

    group: Longs
    centroids: Floats
    above: Sequence[tuple[Longs, NDArray[np.int32]]]
    classic: bool
    rule: CentreRule = "least sum"

    def members(self, tuple_: int) -> Longs:
        """The tuples in the group of one."""
        return np.flatnonzero(self.group == self.group[tuple_])


_groups_by_plan: WeakKeyDictionary[Transitions, MicroaggregationGroups | None] = WeakKeyDictionary()


def _groups_of(method: Microaggregation, masked: MaskedTuple) -> MicroaggregationGroups | None:
    """The groups of a plan; None where they cannot be formed again."""
    if method.effort == "thorough" or masked.blocked:
        return None
    if any(map(has_sets, masked.tuples.attributes)):
        return None
    plan = masked.plan
    if plan not in _groups_by_plan:
        _groups_by_plan[plan] = _rebuild_groups(method, plan)
    return _groups_by_plan[plan]


def _rebuild_groups(method: Microaggregation, plan: Transitions) -> MicroaggregationGroups | None:
    operators = method.operators_for(plan.tuples)
    group, raw = method.groups(operators, np.random.default_rng(0))
    released = [a.round_targets(c) for a, c in zip(plan.tuples.attributes, raw.T, strict=True)]
    # Not the operators themselves: they hold tables.
    rule: CentreRule = "least sum"
    if method.algorithm == "merge":
        rule = "least loss" if method.centroid == "best" else "least sum, then loss"
    groups = MicroaggregationGroups(
        group, np.column_stack(released), operators.above, operators.classic, rule
    )
    if method.replacement == "centroid":
        targets = set(map(tuple, plan.targets.tolist()))
        if not targets <= set(map(tuple, groups.centroids.tolist())):
            return None  # the plan was made in another way
    return groups


def _explain_centre(
    groups: MicroaggregationGroups, tuples: Tuples, column: QuasiIdentifier, members: Longs
) -> Centre:
    """How the centroid of some tuples was chosen in one column."""
    j = tuples.attributes.index(column.attribute)
    places, at = np.unique(tuples.codes[j, members], return_inverse=True)
    counts = np.bincount(at, weights=tuples.counts[members]).astype(np.int64)
    if isinstance(column, NumericQuasiIdentifier):
        return centre_of_numbers(column, places, counts)
    assert isinstance(column, NominalQuasiIdentifier)
    if groups.classic:
        return centre_by_frequency(column, places, counts)
    chosen = int(groups.centroids[groups.group[members[0]], j])
    return centre_by_least_sum(groups.above[j], column, places, counts, chosen, groups.rule)
