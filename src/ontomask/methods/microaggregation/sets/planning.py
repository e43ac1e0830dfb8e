"""The plan of microaggregation for tuples with sets: groups, and the sets that they become."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ontomask._runtime.progress import report_progress
from ontomask.errors import Hint, ParameterError, Setting
from ontomask.methods.microaggregation.merging.rules import GroupRule
from ontomask.methods.microaggregation.sets.columns import name_centroids, separate_sets
from ontomask.methods.microaggregation.sets.merge import SetGrouping, mdav_sets, merge_sets
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.microaggregation.microaggregation import Microaggregation

__all__ = ["plan_set_groups"]

#: What the settings must be where a column has sets.
NEEDED = {"distance": "mean", "operators": "semantic", "replacement": "centroid"}


def plan_set_groups(
    method: Microaggregation, tuples: Tuples, rules: list[GroupRule], random: np.random.Generator
) -> Transitions:
    """Group tuples with sets, and send each to the centroid of its group."""
    for setting, needed in NEEDED.items():
        if getattr(method, setting) != needed:
            raise ParameterError(
                f"{setting} must be {needed!r} for columns of sets, got "
                f"{getattr(method, setting)!r}",
                Hint("use ", Setting(setting, needed)),
            )
    grouping = _group(method, tuples, rules, random)
    attributes, targets = name_centroids(tuples.attributes, grouping.closures, grouping.centroids)
    wider = replace(tuples, attributes=attributes)
    return Transitions.from_targets(wider, targets, grouping.group)


def _group(
    method: Microaggregation, tuples: Tuples, rules: list[GroupRule], random: np.random.Generator
) -> SetGrouping:
    columns, rest = separate_sets(tuples)
    others = None if rest is None else method.operators_for(rest)
    report_progress("merging groups of sets")
    if method.algorithm == "mdav":
        return mdav_sets(columns, tuples.counts, method.k, others=others)
    return merge_sets(
        columns,
        tuples.counts,
        method.k,
        others=others,
        objective=method.objective,
        centroid=method.centroid,
        thorough=method.effort == "thorough",
        time_limit=method.time_limit,
        rules=rules,
        seed=int(random.integers(2**63)) if method.effort == "thorough" else 1,
        progress=report_progress,
    )
