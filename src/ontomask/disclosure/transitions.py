"""The most frequent changes of the values of a column.

The values of a column before and after make a table with the counts of changes in its cells. Its
margins are known: those after from the released table, those before from what else a report shows,
and the number of changes from the manifest. So what is left beside the shown changes must be none
or enough everywhere: of each value before, of each value after, of each part of the column that is
shown before or after (see :mod:`.folding`), of each part whose loss is told, and of all changes.
The value after matters as much as the one before: where a mean of 31 numbers is released and 30 of
them are told, the last one follows.

How far numbers moved is not told: distances of numbers are shares of the column's range, and would
tell how far its least and greatest value are apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ontomask.disclosure.branches import fold_branches, tree_positions
from ontomask.disclosure.folding import Flags, Longs, is_safe_count, smallest_per_group
from ontomask.disclosure.moves import ColumnTransitions, column_transitions
from ontomask.disclosure.spread import make_histogram
from ontomask.disclosure.values import decode_number
from ontomask.microdata.attributes import MISSING, NominalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.utility.sides import NominalSide, attribute_distances, sides

__all__ = ["most_frequent_changes"]


def most_frequent_changes(
    plan: Transitions, j: int, least: int, most: int = 15, column: Any = None
) -> dict[str, Any]:
    """The most frequent ``changes`` of a column, and how many records are ``unchanged``.

    A change has the value before and after (``from``, ``to``), what they are called, the
    ``records`` and, for words, the ``distance``. A missing value is the empty text, a suppressed
    one None. Levels and days are written as the ``column`` of the schema has them. ``unchanged`` is
    None where it or the number of the others is too small to be told.
    """
    least = max(int(least), 1)
    pairs = column_transitions(plan, j)
    same = int(pairs.count[~pairs.changed].sum())
    others = plan.tuples.records - same
    shown = pairs.changed & (pairs.count >= least)
    for group, count in _known_groups(plan, j, least, column):
        total = np.bincount(group, weights=count).astype(np.int64)
        _withhold_risky_lines(shown, pairs.count, group, total, least)
    lines = np.flatnonzero(shown)
    lines = lines[np.argsort(-pairs.count[lines], kind="stable")][: max(most, 0)]
    return {
        "changes": [_describe_change(plan, j, column, pairs, line) for line in lines.tolist()],
        "unchanged": same if same >= least and is_safe_count(others, least) else None,
    }


def _known_groups(
    plan: Transitions, j: int, least: int, column: Any
) -> Iterator[tuple[Longs, Longs]]:
    """Yield groupings of the transitions, with the records whose sum in each group is known."""
    pairs = column_transitions(plan, j)
    differing = pairs.count * pairs.changed
    yield pairs.value, pairs.count
    yield pairs.target, pairs.count
    yield np.zeros(len(pairs.count), dtype=np.int64), differing
    if not isinstance(plan.tuples.attributes[j], NominalAttribute):
        histogram = make_histogram(plan, j, least, column)
        yield histogram.part("before"), pairs.count
        yield histogram.part("after"), pairs.count
        return
    branches = fold_branches(plan, j, least)
    before, after = sides(plan)[j]
    assert isinstance(before, NominalSide)
    assert isinstance(after, NominalSide)
    start, end = (
        tree_positions(branches.tree, before, pairs),
        tree_positions(branches.tree, after, pairs),
    )
    missing = start < 0
    yield branches.before.parts(branches.tree, start, [missing]), pairs.count
    yield (
        branches.after.parts(branches.tree, end, [(end < 0) & ~pairs.blank, pairs.blank]),
        pairs.count,
    )
    yield np.where(missing, 0, branches.tree.nearest(branches.loss_shown)[start]), differing


def _withhold_risky_lines(
    shown: Flags, count: Longs, group: Longs, total: Longs, least: int
) -> None:
    """Withhold the smallest line of every group in which too few records would be left."""
    lines = np.flatnonzero(shown)
    shown_counts = np.bincount(group[lines], weights=count[lines], minlength=len(total)).astype(
        np.int64
    )
    lines = lines[~is_safe_count(total - shown_counts, least)[group[lines]]]
    shown[smallest_per_group(group[lines], count[lines], lines)] = False


def _describe_change(
    plan: Transitions, j: int, column: Any, pairs: ColumnTransitions, line: int
) -> dict[str, Any]:
    attribute = plan.tuples.attributes[j]
    fields: dict[str, Any] = {}
    for name, targets in (("from", pairs.start), ("to", pairs.end)):
        fields[name], fields[f"{name}_label"] = _describe_target(
            attribute, float(targets[line]), column
        )
    distance = None
    if isinstance(attribute, NominalAttribute):
        distance = round(float(attribute_distances(plan)[j][pairs.at[line]]), 3)
    return {**fields, "records": int(pairs.count[line]), "distance": distance}


def _describe_target(attribute: Any, target: float, column: Any) -> tuple[Any, str]:
    """A target as it is written, and its name."""
    if np.isnan(target):
        return None, "suppressed"
    if not isinstance(attribute, NominalAttribute):
        decoded = decode_number(column, target)
        return decoded if isinstance(decoded, str | int | float) else str(decoded), str(decoded)
    concept = attribute.candidates[int(target)]
    return concept, "missing" if concept == MISSING else attribute.domain.label(concept)
