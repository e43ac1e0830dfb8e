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

from ontomask.disclosure.branches import folded, places
from ontomask.disclosure.folding import Flags, Longs, fine, smallest_of
from ontomask.disclosure.moves import Moves, moves
from ontomask.disclosure.spread import spread
from ontomask.disclosure.values import value
from ontomask.microdata.attributes import MISSING, NominalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.utility.sides import Words, moved, sides

__all__ = ["frequent"]


def frequent(
    plan: Transitions, j: int, least: int, most: int = 15, column: Any = None
) -> dict[str, Any]:
    """The most frequent ``changes`` of a column, and how many records are ``unchanged``.

    A change has the value before and after (``from``, ``to``), what they are called, the
    ``records`` and, for words, the ``distance``. A missing value is the empty text, a suppressed
    one None. Levels and days are written as the ``column`` of the schema has them. ``unchanged`` is
    None where it or the number of the others is too small to be told.
    """
    least = max(int(least), 1)
    its = moves(plan, j)
    same = int(its.count[~its.changed].sum())
    others = plan.tuples.records - same
    shown = its.changed & (its.count >= least)
    for group, count in _groups(plan, j, least, column):
        total = np.bincount(group, weights=count).astype(np.int64)
        _guard(shown, its.count, group, total, least)
    lines = np.flatnonzero(shown)
    lines = lines[np.argsort(-its.count[lines], kind="stable")][: max(most, 0)]
    return {
        "changes": [_line(plan, j, column, its, line) for line in lines.tolist()],
        "unchanged": same if same >= least and fine(others, least) else None,
    }


def _groups(plan: Transitions, j: int, least: int, column: Any) -> Iterator[tuple[Longs, Longs]]:
    """Ways to put moves into groups, by number, and the records whose sum in each is known."""
    its = moves(plan, j)
    differing = its.count * its.changed
    yield its.value, its.count
    yield its.target, its.count
    yield np.zeros(len(its.count), dtype=np.int64), differing
    if not isinstance(plan.tuples.attributes[j], NominalAttribute):
        bins = spread(plan, j, least, column)
        yield bins.part("before"), its.count
        yield bins.part("after"), its.count
        return
    found = folded(plan, j, least)
    before, after = sides(plan)[j]
    assert isinstance(before, Words)
    assert isinstance(after, Words)
    start, end = places(found.tree, before, its), places(found.tree, after, its)
    missing = start < 0
    yield found.before.parts(found.tree, start, [missing]), its.count
    yield found.after.parts(found.tree, end, [(end < 0) & ~its.blank, its.blank]), its.count
    yield np.where(missing, 0, found.tree.nearest(found.loss_shown)[start]), differing


def _guard(shown: Flags, count: Longs, group: Longs, total: Longs, least: int) -> None:
    """Take out the smallest line of every group in which too little would be left beside them."""
    lines = np.flatnonzero(shown)
    told = np.bincount(group[lines], weights=count[lines], minlength=len(total)).astype(np.int64)
    lines = lines[~fine(total - told, least)[group[lines]]]
    shown[smallest_of(group[lines], count[lines], lines)] = False


def _line(plan: Transitions, j: int, column: Any, its: Moves, line: int) -> dict[str, Any]:
    attribute = plan.tuples.attributes[j]
    found: dict[str, Any] = {}
    for name, targets in (("from", its.start), ("to", its.end)):
        found[name], found[f"{name}_label"] = _named(attribute, float(targets[line]), column)
    distance = None
    if isinstance(attribute, NominalAttribute):
        distance = round(float(moved(plan)[j][its.at[line]]), 3)
    return {**found, "records": int(its.count[line]), "distance": distance}


def _named(attribute: Any, target: float, column: Any) -> tuple[Any, str]:
    """A value and what it is called."""
    if np.isnan(target):
        return None, "suppressed"
    if not isinstance(attribute, NominalAttribute):
        found = value(column, target)
        return found if isinstance(found, str | int | float) else str(found), str(found)
    concept = attribute.candidates[int(target)]
    return concept, "missing" if concept == MISSING else attribute.domain.label(concept)
