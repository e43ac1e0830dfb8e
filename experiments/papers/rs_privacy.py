"""Record linkage after rank swapping.

RS section 3.5 claims a linkage probability of at most 1/k but does not measure it. Here an attacker
who has the original table links each masked record to the nearest original records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np

from experiments.data import Data
from experiments.experiment import Result, Row, Settings
from experiments.papers.rs_swapped import RUNS, average_runs, list_ks
from experiments.trials import sample
from ontomask.methods import RankSwapping
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.risk import linkage_nearest
from ontomask.utility import rmse

__all__ = ["privacy"]

KS = (5, 10, 20)
ROWS = (
    "unmasked",
    "fixed",
    "fixed, complete",
    "dynamic",
    "dynamic, complete",
    "multivariate",
    "multivariate, complete",
    "multivariate, guard",
    "distributional",
    "distributional, complete",
    "random",
)

#: The title of each measure, and whether it is a share.
MEASURES = {
    "unchanged": ("Unchanged records, %", True),
    "linked": ("Correctly linked records, %", True),
    "uniques": ("Correctly linked among unique records, %", True),
    "above": ("Records linked with a probability above 1/k, %", True),
    "rmse": ("RMSE of both attributes", False),
    "unpaired": ("Values without a partner, %", True),
}

#: By row and k.
Means = Mapping[tuple[str, int], Mapping[str, float]]


def privacy(data: Data, settings: Settings) -> list[Result]:
    """Two diagnoses, distance ``sanchez``: samples of 3,000 records, and all complete records."""
    rows = data.complete("first", "second")
    results: list[Result] = []
    for name, size in (("samples of", 3000), ("all", None)):
        tables = {
            seed: data.tuples(sample(rows, size, seed, settings), ("first", "second"))
            for seed in settings.seeds(RUNS)
        }
        where = f"{name} {tables[settings.seed].records:,} records"
        means = {}
        for row, k in product(ROWS, KS):
            settings.progress(f"{row}, k = {k}, {where}")
            means[row, k] = average_runs(
                _measure_plan(_plan(row, k, tuples, seed), k) for seed, tuples in tables.items()
            )
        results += _tables(means, where)
    return results


def _plan(name: str, k: int, tuples: Tuples, seed: int) -> Transitions:
    if name == "unmasked":
        return Transitions.from_targets(tuples, tuples.targets(), np.arange(len(tuples)))
    strategy: Any
    strategy, _, option = name.partition(", ")
    method = RankSwapping(k, strategy, complete=option == "complete", guard=option == "guard")
    return method.plan(tuples, np.random.default_rng(seed))


def _measure_plan(plan: Transitions, k: int) -> dict[str, float]:
    linkage = linkage_nearest(plan, k)
    errors = np.array(list(rmse(plan).values()))
    values = plan.tuples.records * len(errors)
    return {
        "unchanged": 100 * linkage.unchanged,
        "linked": 100 * linkage.linked,
        "uniques": 100 * (linkage.among_uniques or 0.0),
        "above": 100 * (linkage.above or 0.0),
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "unpaired": 100 * sum(plan.unpaired) / values,
    }


def _tables(means: Means, where: str) -> Iterator[Result]:
    for measure, (title, share) in MEASURES.items():
        rows = [Row(name, [means[name, k][measure] for k in KS]) for name in ROWS]
        notes = [_note_above(rows)] if measure in ("linked", "uniques") else []
        yield Result(f"{title}: {where}", "k", KS, rows, "lower", 1 if share else 2, notes)


def _note_above(rows: list[Row]) -> str:
    """Name the methods with more than 1/k linked records (RS 3.5 claims that there are none)."""
    exceeding = []
    for row in rows[1:]:
        ks = [k for k, share in zip(KS, row.ours, strict=True) if float(share or 0) > 100 / k]
        if ks:
            exceeding.append(f"{row.label} ({list_ks(ks)})")
    return f"Above 1/k: {', '.join(exceeding)}." if exceeding else "No method is above 1/k."
