"""The most frequent changes of the values of a column.

The changes of a column form a contingency table: values before by values after, with counts. Its
margins are known: those after from the released table, those before from other parts of the report,
and the number of changes from the manifest. The remainder without the shown changes must therefore
be 0 or enough everywhere: for each value before, for each value after, for each part of the column
that is shown before or after (see :mod:`.folding`), for each part whose loss is shown, and for all
changes. Values after masking matter as much as values before it: if the mean of 31 numbers is
released and 30 of them are shown, the last one follows.

The distances between numbers are not shown. They are shares of the range of the column and would
reveal the difference between its minimum and maximum.
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
from ontomask.microdata.attributes import MISSING, MISSING_NUMBER, NominalAttribute
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
    None if it or the number of the others is too small to be shown.
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
        if target == MISSING_NUMBER:
            return None, "missing"
        decoded = decode_number(column, target)
        return decoded if isinstance(decoded, str | int | float) else str(decoded), str(decoded)
    concept = attribute.candidates[int(target)]
    return concept, "missing" if concept == MISSING else attribute.domain.label(concept)
