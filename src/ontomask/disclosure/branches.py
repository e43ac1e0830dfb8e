"""The branches of a taxonomy before and after masking: how many records, and how much was lost.

Records before and after masking are folded separately (see :mod:`.folding`), because a reader of
the released table has the numbers after masking anyway. Three indirect disclosures are prevented:

- The numbers of missing and suppressed records follow from the number of all records and that of
  the root. If one of them is too small, these records are counted at the root.
- If masking only blanked cells of a column, the records before masking minus those after it are the
  blanked ones. Their number in each part must then be 0 or enough. If it is too small in the whole
  column, nothing is shown of the column before masking.
- A sum of distances may identify the moves that it consists of. Losses are shown only if no record
  or enough records of each part changed, as shares of the loss of the column, in thousandths.

A concept is named if enough records are at or below it before or after masking. The root of the
domain is the common ancestor of all values, including rare ones. The other concepts do not depend
on rare values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.disclosure.folding import Flags, Longs, choose_shown_branches, is_safe_count
from ontomask.disclosure.moves import ColumnTransitions, column_transitions
from ontomask.errors import InternalError
from ontomask.microdata.attributes import FIXED_POINT_ONE, NominalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.taxonomy.tree import TaxonomyTree, draw_tree
from ontomask.utility.sides import NominalSide, attribute_distances, sides

__all__ = [
    "FoldedBranches",
    "BranchSide",
    "fold_branches",
    "loss_by_branch",
    "records_by_branch",
    "tree_positions",
]

#: A branch is opened in the list of losses if the parts that fit have this share of its loss; the
#: root if they have half of it.
TELLING = 0.8


def records_by_branch(plan: Transitions, j: int, least: int, most: int = 2000) -> dict[str, Any]:
    """The records of a nominal column before and after, by branches of its domain.

    ``nodes`` are in depth-first order: the place of the parent in the list (-1 for the root), the
    concept, its label, the records in the branch before and after, and its share of the column's
    loss by where records were before. A number is None where it is withheld: it is less than
    ``least`` (0 and few look the same), or a small one would follow from it. Of more than ``most``
    nodes, the smallest are folded into those above them.

    ``missing`` and ``suppressed`` are the records without a concept; ``records`` are all, and
    ``mean_distance`` is how far they moved on average, None if too few have. The loss of the root
    is that of the whole column, missing values included.
    """
    branches = fold_branches(plan, j, least)
    tree = branches.tree
    positions = _largest_positions(branches, most)
    number = np.full(len(tree.codes), -1, dtype=np.int64)
    number[positions] = np.arange(len(positions))
    above = number[tree.parent[positions]]
    above[positions == 0] = -1
    attribute = plan.tuples.attributes[j]
    assert isinstance(attribute, NominalAttribute)
    names, labels = attribute.domain.identifiers, attribute.domain.label_lists
    codes = tree.codes[positions].tolist()
    columns: list[list[Any]] = [
        above.tolist(),
        [names[code] for code in codes],
        [labels[code][0] if labels[code] else names[code] for code in codes],
        _withhold(branches.before.records[positions], branches.before.shown[positions]),
        _withhold(branches.after.records[positions], branches.after.shown[positions]),
        _withhold(branches.shares()[positions], branches.loss_shown[positions]),
    ]
    records = plan.tuples.records
    mean = (
        _round_to_three_digits(branches.loss[0] / FIXED_POINT_ONE / records)
        if branches.loss_shown[0]
        else None
    )
    return {
        "nodes": [list(row) for row in zip(*columns, strict=True)],
        "missing": {"before": branches.before.aside[0], "after": branches.after.aside[0]},
        "suppressed": branches.after.aside[1],
        "records": records if records >= least else None,
        "mean_distance": mean,
    }


def _round_to_three_digits(number: float) -> float:
    """Round a number to three significant digits."""
    return float(f"{number:.3g}")


def _withhold(numbers: NDArray[Any], shown: Flags) -> list[Any]:
    return [
        number if is_shown else None
        for number, is_shown in zip(numbers.tolist(), shown, strict=True)
    ]


def _largest_positions(branches: FoldedBranches, most: int) -> Longs:
    """The positions shown on either side, without the smallest beyond ``most``.

    A branch is at most as large as the one above it, which is therefore never left out first.
    """
    size = np.maximum(
        np.where(branches.before.shown, branches.before.records, 0),
        np.where(branches.after.shown, branches.after.records, 0),
    )
    positions = np.flatnonzero(size)
    return np.sort(positions[np.lexsort((positions, -size[positions]))][: max(most, 0)])


# ---------------------------------------------------------------------- folding a column


@dataclass(frozen=True, eq=False)
class BranchSide:
    """One side of a column: records in the branch at each place, and which are shown.

    ``aside`` are the missing ones and, after masking, the suppressed: None where they are not told.
    """

    records: Longs
    shown: Flags
    aside: tuple[int | None, ...]

    def parts(self, tree: TaxonomyTree, place: Longs, aside: Sequence[Flags]) -> Longs:
        """The part that each move belongs to, by number, given its place in the tree.

        ``aside`` says which are missing and which suppressed.
        """
        if not self.shown[0]:
            part = np.zeros(len(place), dtype=np.int64)
        else:
            part = np.where(place >= 0, tree.nearest(self.shown)[place], 0)
        for number, (count, flags) in enumerate(zip(self.aside, aside, strict=True)):
            if count is not None:
                part[flags] = len(tree.codes) + number
        return part


@dataclass(frozen=True, eq=False)
class FoldedBranches:
    """A nominal column with what may be shown of it; ``loss`` is in fixed point."""

    tree: TaxonomyTree
    before: BranchSide
    after: BranchSide
    loss: Longs
    loss_shown: Flags

    def shares(self) -> NDArray[np.float64]:
        """The loss of each branch as a share of the column's, in thousandths."""
        return np.round(self.loss / max(int(self.loss[0]), 1), 3)


def fold_branches(plan: Transitions, j: int, least: int) -> FoldedBranches:
    """Fold the branches of a nominal column into those that may be shown."""
    before, after = sides(plan)[j]
    if not isinstance(before, NominalSide) or not isinstance(after, NominalSide):
        raise InternalError(f"column {plan.tuples.attributes[j].name!r} has no taxonomy")
    least = max(int(least), 1)
    tree = draw_tree(before.taxonomy)
    pairs = column_transitions(plan, j)
    start, end = tree_positions(tree, before, pairs), tree_positions(tree, after, pairs)
    missing = start < 0
    side_before = _fold_side(tree, start, [pairs.count, pairs.suppressed_counts], [missing], least)
    side_after = _fold_side(
        tree, end, [pairs.count], [(end < 0) & ~pairs.blank, pairs.blank], least
    )
    loss = (
        np.rint(attribute_distances(plan)[j][pairs.at] * FIXED_POINT_ONE).astype(np.int64)
        * pairs.count
    )
    # The loss of what was missing is counted at the root, so that this one's is the column's.
    origin = np.where(missing, 0, start)
    branch_loss = tree.branch_sums(_sum_by_position(tree, origin, loss))
    changed_records = tree.branch_sums(_sum_by_position(tree, origin, pairs.count * pairs.changed))
    loss_shown = _choose_shown_losses(tree, changed_records, side_before.shown, least)
    return FoldedBranches(tree, side_before, side_after, branch_loss, loss_shown)


def tree_positions(tree: TaxonomyTree, words: NominalSide, pairs: ColumnTransitions) -> Longs:
    """The position of each concept in the tree; -1 for none."""
    place_of_concept = np.append(tree.place[words.distinct], -1)
    return np.asarray(place_of_concept[words.place[pairs.at]])


def _sum_by_position(tree: TaxonomyTree, place: Longs, numbers: Longs) -> Longs:
    sums = np.bincount(place, weights=numbers, minlength=len(tree.codes))
    return sums.astype(np.int64)


def _fold_side(
    tree: TaxonomyTree, place: Longs, measures: Sequence[Longs], aside: Sequence[Flags], least: int
) -> BranchSide:
    """Fold one side; ``measures`` are the records first, then other counts that are guarded."""
    has_concept = place >= 0
    own = [_sum_by_position(tree, place[has_concept], measure[has_concept]) for measure in measures]
    nothing = np.zeros(len(tree.codes), dtype=bool)
    aside_counts: list[int | None] = []
    for flags in aside:
        sums = [int(measure[flags].sum()) for measure in measures]
        enough = sums[0] >= least and all(is_safe_count(total, least) for total in sums)
        aside_counts.append(sums[0] if enough else None)
        if not enough:
            for counts, few in zip(own, sums, strict=True):
                counts[0] += few
    branch_sums = [tree.branch_sums(counts) for counts in own]
    total_with_concept = int(measures[0][has_concept].sum())
    if branch_sums[0][0] == 0:  # nothing but what stands aside
        return BranchSide(branch_sums[0], nothing, tuple(aside_counts))
    if total_with_concept < least or not all(
        is_safe_count(counts[0], least) for counts in branch_sums
    ):
        return BranchSide(branch_sums[0], nothing, (None,) * len(aside))
    return BranchSide(
        branch_sums[0], choose_shown_branches(tree, branch_sums, least), tuple(aside_counts)
    )


def _choose_shown_losses(
    tree: TaxonomyTree, changed_records: Longs, shown: Flags, least: int
) -> Flags:
    """Choose the branches whose loss may be shown: none or enough records of each part changed."""
    loss_shown = shown & is_safe_count(changed_records, least)
    spoilt = ~is_safe_count(tree.remainders(changed_records, loss_shown), least)
    loss_shown[1:] &= ~spoilt[tree.parent[1:]]
    return tree.connected_to_root(loss_shown)


# ---------------------------------------------------------------------- where the loss is


def loss_by_branch(
    shown: Mapping[str, Any], rows: int = 8, rest: str = "everything else"
) -> list[dict[str, Any]]:
    """The branches that hold most of a column's loss, as far as it may be shown.

    From the root down, the branch with the largest loss is opened, as long as its largest parts fit
    into ``rows`` rows and hold most of its loss. Rows do not overlap; the last one,
    with None for its concept, is all the rest (missing values and what is withheld included), so
    that shares add up to 1. Empty where no loss is told, or there was none.
    """
    nodes = shown["nodes"]
    if not nodes or not nodes[0][5] or not shown["mean_distance"]:
        return []
    children: dict[int, list[int]] = {}
    for place, node in enumerate(nodes):
        if node[5]:  # a share of nothing has no bar
            children.setdefault(node[0], []).append(place)
    chosen, closed = [0], set[int]()
    while expandable := [place for place in chosen if place in children and place not in closed]:
        largest = max(expandable, key=lambda place: (nodes[place][5], place))
        room = rows - len(chosen) + 1
        parts = sorted(children[largest], key=lambda place: (-nodes[place][5], place))[:room]
        needed_share = TELLING if largest else 0.0  # the root alone would tell nothing
        if sum(nodes[place][5] for place in parts) < needed_share * nodes[largest][5]:
            closed.add(largest)
            continue
        chosen.remove(largest)
        chosen += parts
    return _make_rows(shown, sorted(chosen, key=lambda place: (-nodes[place][5], place)), rest)


def _make_rows(shown: Mapping[str, Any], chosen: Sequence[int], rest: str) -> list[dict[str, Any]]:
    nodes, records = shown["nodes"], shown["records"]
    cells = [
        (nodes[place][1], nodes[place][2], nodes[place][5], nodes[place][3]) for place in chosen
    ]
    rest_share = max(round(1 - sum(cell[2] for cell in cells), 3), 0.0)
    others = records - sum(cell[3] for cell in cells)
    if rest_share and others:
        cells.append((None, rest, rest_share, others))
    total = shown["mean_distance"] * records
    return [
        {
            "concept": concept,
            "label": label,
            "share": share,
            "before": before,
            "mean_distance": min(_round_to_three_digits(share * total / before), 1.0),
        }
        for concept, label, share, before in cells
    ]
