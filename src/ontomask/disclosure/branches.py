"""The branches of a taxonomy before and after masking: how many records, and how much was lost.

Records before and records after are folded separately (see :mod:`.folding`): a reader of the
released table has the numbers after anyway. Three things that would tell more than they seem to are
taken care of:

- What is missing or suppressed follows from the number of records and that of the root. Where it is
  too little to be told, it is counted at the root, and so cannot be told from nothing.
- Where masking did nothing to a column but blank cells, records before less those after are the
  blanked ones; so those of each part must be none or enough. Where they are too few in the whole
  column, nothing is told of it before masking (it looked as it does after).
- A sum of distances is a fingerprint of the very moves that went into it. Losses are given where
  none or enough records of each part have changed, as shares of the column's, in thousandths.

Concepts are named where enough records lie at or below them, on one side at least. The root of the
domain is what all values have in common, rare ones included; the other concepts do not depend on
rare values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.disclosure.folding import Flags, Longs, fine, kept
from ontomask.disclosure.moves import Moves, moves
from ontomask.errors import InternalError
from ontomask.microdata.attributes import FIXED, NominalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.taxonomy.tree import Drawn, drawn
from ontomask.utility.sides import Words, moved, sides

__all__ = [
    "Folded",
    "Side",
    "folded",
    "loss_by_branch",
    "masses",
    "places",
]

#: A branch is opened in the list of losses if its parts that fit in hold this share of its loss;
#: the root, which says least, if they hold half.
TELLING = 0.8


def masses(plan: Transitions, j: int, least: int, most: int = 2000) -> dict[str, Any]:
    """The records of a nominal column before and after, by branches of its domain.

    ``nodes`` are in depth-first order: the place of the parent in the list (-1 for the root), the
    concept, its label, the records in the branch before and after, and its share of the column's
    loss by where records were before. A number is None where it is withheld: it is less than
    ``least`` (0 is not told from a few), or a small one would follow from it. Of more than ``most``
    nodes, the smallest are folded into those above them.

    ``missing`` and ``suppressed`` are the records without a concept; ``records`` are all, and
    ``mean_distance`` is how far they moved on average, None if too few have. The loss of the root
    is that of the whole column, missing values included.
    """
    found = folded(plan, j, least)
    tree = found.tree
    here = _largest(found, most)
    number = np.full(len(tree.codes), -1, dtype=np.int64)
    number[here] = np.arange(len(here))
    above = number[tree.parent[here]]
    above[here == 0] = -1
    attribute = plan.tuples.attributes[j]
    assert isinstance(attribute, NominalAttribute)
    names, labels = attribute.domain.identifiers, attribute.domain.label_lists
    codes = tree.codes[here].tolist()
    columns: list[list[Any]] = [
        above.tolist(),
        [names[code] for code in codes],
        [labels[code][0] if labels[code] else names[code] for code in codes],
        _or_none(found.before.records[here], found.before.shown[here]),
        _or_none(found.after.records[here], found.after.shown[here]),
        _or_none(found.shares()[here], found.loss_shown[here]),
    ]
    records = plan.tuples.records
    mean = _short(found.loss[0] / FIXED / records) if found.loss_shown[0] else None
    return {
        "nodes": [list(row) for row in zip(*columns, strict=True)],
        "missing": {"before": found.before.aside[0], "after": found.after.aside[0]},
        "suppressed": found.after.aside[1],
        "records": records if records >= least else None,
        "mean_distance": mean,
    }


def _short(number: float) -> float:
    """Three digits that count."""
    return float(f"{number:.3g}")


def _or_none(numbers: NDArray[Any], shown: Flags) -> list[Any]:
    return [it if told else None for it, told in zip(numbers.tolist(), shown, strict=True)]


def _largest(found: Folded, most: int) -> Longs:
    """The places shown on either side, the smallest left out beyond ``most``.

    A branch is no larger than the one above it, so that one is never left out before it.
    """
    size = np.maximum(
        np.where(found.before.shown, found.before.records, 0),
        np.where(found.after.shown, found.after.records, 0),
    )
    here = np.flatnonzero(size)
    return np.sort(here[np.lexsort((here, -size[here]))][: max(most, 0)])


# ---------------------------------------------------------------------- folding a column


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a column: records in the branch at each place, and which are shown.

    ``aside`` are the missing ones and, after masking, the suppressed: None where they are not told.
    """

    records: Longs
    shown: Flags
    aside: tuple[int | None, ...]

    def parts(self, tree: Drawn, place: Longs, aside: Sequence[Flags]) -> Longs:
        """The part that each move belongs to, by number, given its place in the tree.

        ``aside`` says which are missing and which suppressed.
        """
        if not self.shown[0]:
            part = np.zeros(len(place), dtype=np.int64)
        else:
            part = np.where(place >= 0, tree.nearest(self.shown)[place], 0)
        for number, (told, those) in enumerate(zip(self.aside, aside, strict=True)):
            if told is not None:
                part[those] = len(tree.codes) + number
        return part


@dataclass(frozen=True, eq=False)
class Folded:
    """A nominal column with what may be shown of it; ``loss`` is in fixed point."""

    tree: Drawn
    before: Side
    after: Side
    loss: Longs
    loss_shown: Flags

    def shares(self) -> NDArray[np.float64]:
        """The loss of each branch as a share of the column's, in thousandths."""
        return np.round(self.loss / max(int(self.loss[0]), 1), 3)


def folded(plan: Transitions, j: int, least: int) -> Folded:
    """What may be shown of a nominal column."""
    before, after = sides(plan)[j]
    if not isinstance(before, Words) or not isinstance(after, Words):
        raise InternalError(f"column {plan.tuples.attributes[j].name!r} has no taxonomy")
    least = max(int(least), 1)
    tree = drawn(before.taxonomy)
    its = moves(plan, j)
    start, end = places(tree, before, its), places(tree, after, its)
    missing = start < 0
    first = _side(tree, start, [its.count, its.blanked], [missing], least)
    second = _side(tree, end, [its.count], [(end < 0) & ~its.blank, its.blank], least)
    loss = np.rint(moved(plan)[j][its.at] * FIXED).astype(np.int64) * its.count
    # The loss of what was missing is counted at the root, so that this one's is the column's.
    origin = np.where(missing, 0, start)
    lost = tree.summed(_binned(tree, origin, loss))
    altered = tree.summed(_binned(tree, origin, its.count * its.changed))
    told = _losses_told(tree, altered, first.shown, least)
    return Folded(tree, first, second, lost, told)


def places(tree: Drawn, words: Words, its: Moves) -> Longs:
    """Where the concept of each move stands in the tree; -1 for none."""
    known = np.append(tree.place[words.distinct], -1)
    return np.asarray(known[words.place[its.at]])


def _binned(tree: Drawn, place: Longs, numbers: Longs) -> Longs:
    sums = np.bincount(place, weights=numbers, minlength=len(tree.codes))
    return sums.astype(np.int64)


def _side(
    tree: Drawn, place: Longs, measures: Sequence[Longs], aside: Sequence[Flags], least: int
) -> Side:
    """One side, from counts of moves: first the records, then those that are guarded too."""
    held = place >= 0
    own = [_binned(tree, place[held], it[held]) for it in measures]
    nothing = np.zeros(len(tree.codes), dtype=bool)
    told: list[int | None] = []
    for those in aside:
        sums = [int(it[those].sum()) for it in measures]
        enough = sums[0] >= least and all(fine(it, least) for it in sums)
        told.append(sums[0] if enough else None)
        if not enough:
            for it, few in zip(own, sums, strict=True):
                it[0] += few
    inside = [tree.summed(it) for it in own]
    words = int(measures[0][held].sum())
    if inside[0][0] == 0:  # nothing but what stands aside
        return Side(inside[0], nothing, tuple(told))
    if words < least or not all(fine(it[0], least) for it in inside):
        return Side(inside[0], nothing, (None,) * len(aside))
    return Side(inside[0], kept(tree, inside, least), tuple(told))


def _losses_told(tree: Drawn, altered: Longs, shown: Flags, least: int) -> Flags:
    """Whose loss may be told: none or enough records of each part have changed."""
    told = shown & fine(altered, least)
    spoilt = ~fine(tree.beside(altered, told), least)
    told[1:] &= ~spoilt[tree.parent[1:]]
    return tree.closed(told)


# ---------------------------------------------------------------------- where the loss is


def loss_by_branch(
    shown: Mapping[str, Any], rows: int = 8, rest: str = "everything else"
) -> list[dict[str, Any]]:
    """The branches that hold most of a column's loss, from what :func:`masses` shows of it.

    From the root down, the branch with the largest loss is opened, as long as its largest parts fit
    into so many ``rows`` and hold most of its loss. Rows do not overlap; the last one,
    with None for its concept, is all the rest (missing values and what is withheld included), so
    that shares add up to 1. Empty where no loss is told, or there was none.
    """
    nodes = shown["nodes"]
    if not nodes or not nodes[0][5] or not shown["mean_distance"]:
        return []
    children: dict[int, list[int]] = {}
    for place, node in enumerate(nodes):
        if node[5]:  # a share of nothing is no bar
            children.setdefault(node[0], []).append(place)
    chosen, closed = [0], set[int]()
    while opened := [it for it in chosen if it in children and it not in closed]:
        largest = max(opened, key=lambda it: (nodes[it][5], it))
        room = rows - len(chosen) + 1
        parts = sorted(children[largest], key=lambda it: (-nodes[it][5], it))[:room]
        wanted = TELLING if largest else 0.0  # the root alone would tell nothing
        if sum(nodes[it][5] for it in parts) < wanted * nodes[largest][5]:
            closed.add(largest)
            continue
        chosen.remove(largest)
        chosen += parts
    return _as_rows(shown, sorted(chosen, key=lambda it: (-nodes[it][5], it)), rest)


def _as_rows(shown: Mapping[str, Any], chosen: Sequence[int], rest: str) -> list[dict[str, Any]]:
    nodes, records = shown["nodes"], shown["records"]
    cells = [(nodes[it][1], nodes[it][2], nodes[it][5], nodes[it][3]) for it in chosen]
    left = max(round(1 - sum(cell[2] for cell in cells), 3), 0.0)
    others = records - sum(cell[3] for cell in cells)
    if left and others:
        cells.append((None, rest, left, others))
    total = shown["mean_distance"] * records
    return [
        {
            "concept": concept,
            "label": label,
            "share": share,
            "before": before,
            "mean_distance": min(_short(share * total / before), 1.0),
        }
        for concept, label, share, before in cells
    ]
