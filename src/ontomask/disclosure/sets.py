"""Figures of columns of sets without those that disclose something of few records.

- Rows of sizes are joined until each has enough records, and none or enough of them changed.
- A branch is shown if enough records have values of it, and in none or enough of them a value was
  not kept. What is not shown must be none or enough as well, because readers can subtract.
- A pair of branches is shown if the records that have both, one, the other and neither are each
  none or enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.disclosure.folding import is_safe_count
from ontomask.microdata.tuples import Transitions
from ontomask.utility.sets import SetBranches, count_branches

__all__ = ["withhold_sets"]

#: Figures of utility of columns of sets.
OF_SETS = (
    "kept_values",
    "generalised_values",
    "lost_values",
    "kept_by_branch",
    "loss_by_set_size",
    "branch_lifts",
    "branch_correlations",
    "branch_correlation_difference",
)

Row = dict[str, Any]


def withhold_sets(
    figures: Mapping[str, Any], plan: Transitions, threshold: int, few: Sequence[str]
) -> dict[str, Any]:
    """Withhold figures of sets; ``few`` are columns in which too few records changed."""
    safe: dict[str, Any] = {name: dict(figures[name]) for name in OF_SETS}
    for column, counts in count_branches(plan).items():
        if column in few:
            for figure in safe.values():
                figure[column] = None
            continue
        for name, withhold in (
            ("loss_by_set_size", _join_sizes),
            ("kept_by_branch", _withhold_branches),
        ):
            safe[name][column] = withhold(safe[name][column], threshold)
        pairs = _safe_pairs(counts, threshold)
        safe["branch_lifts"][column] = [
            _withhold_after(row, threshold)
            for row in safe["branch_lifts"][column]
            if pairs[counts.branches.index(row["first"]), counts.branches.index(row["second"])]
        ]
        safe["branch_correlations"][column] = _withhold_cells(
            safe["branch_correlations"][column], pairs
        )
    return safe


def _is_safe(row: Row, threshold: int) -> bool:
    return bool(row["records"] >= threshold and is_safe_count(row["changed"], threshold))


def _join_sizes(rows: Sequence[Row], threshold: int) -> list[Row]:
    """Join rows that follow each other until all are safe; none if they never are."""
    joined = list(rows)
    while unsafe := [place for place, row in enumerate(joined) if not _is_safe(row, threshold)]:
        if len(joined) == 1:
            return []
        first = min(unsafe[0], len(joined) - 2)
        joined[first : first + 2] = [_join(*joined[first : first + 2])]
    return joined


def _join(first: Row, second: Row) -> Row:
    records = first["records"] + second["records"]
    apart = sum(row["records"] * row["mean_distance"] for row in (first, second))
    return {
        "sizes": f"{first['sizes']}, {second['sizes']}",
        "records": records,
        "changed": first["changed"] + second["changed"],
        "sse": first["sse"] + second["sse"],
        "mean_distance": apart / records,
    }


def _withhold_branches(rows: Sequence[Row], threshold: int) -> list[Row]:
    """The rows that may be shown; the smallest go with hidden ones that are too few alone."""
    shown = [row for row in rows if _is_safe(row, threshold)]
    hidden = [row for row in rows if not _is_safe(row, threshold)]
    while shown and hidden and not _is_safe(_sum_counts(hidden), threshold):
        changing = [row for row in shown if row["changed"]] or shown
        smallest = min(changing, key=lambda row: row["records"])
        shown.remove(smallest)
        hidden.append(smallest)
    return shown


def _sum_counts(rows: Sequence[Row]) -> Row:
    return {name: sum(row[name] for row in rows) for name in ("records", "changed")}


def _safe_pairs(counts: SetBranches, threshold: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which pairs of branches may be shown; in the diagonal, which branches."""
    both, one = counts.before, counts.before.diagonal()
    parts = (
        both,
        one[:, None] - both,
        one[None, :] - both,
        counts.records[0] - one[:, None] - one[None, :] + both,
    )
    safe = np.logical_and.reduce([is_safe_count(part, threshold) for part in parts])
    named = one >= threshold
    return np.asarray(safe & named[:, None] & named[None, :])


def _withhold_after(row: Row, threshold: int) -> Row:
    if is_safe_count(row["records_after"], threshold):
        return row
    return {**row, "records_after": None, "lift_after": None}


def _withhold_cells(matrix: Row, safe: np.ndarray[Any, np.dtype[np.bool_]]) -> Row:
    """The correlations of the branches that may be named, without those of other pairs."""
    named = np.flatnonzero(safe.diagonal()).tolist()
    sides = {
        side: [[matrix[side][i][j] if i == j or safe[i, j] else None for j in named] for i in named]
        for side in ("before", "after", "difference")
    }
    return {**matrix, **sides, "columns": [matrix["columns"][i] for i in named]}
