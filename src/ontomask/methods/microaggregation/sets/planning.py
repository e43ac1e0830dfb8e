"""The plan of microaggregation for tuples with sets: groups, and the sets that they become."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import report_progress
from ontomask.errors import Hint, ParameterError, Setting
from ontomask.methods.microaggregation.merging.rules import GroupRule
from ontomask.methods.microaggregation.sets.merge import SetGrouping, mdav_sets, merge_sets
from ontomask.methods.microaggregation.sets.space import SetColumn
from ontomask.microdata.attributes import MISSING, NominalAttribute
from ontomask.microdata.sets import reduce_to_deepest
from ontomask.microdata.sets.set_concepts import (
    has_sets,
    name_sets,
    sets_of_values,
    with_more_candidates,
)
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.microaggregation.microaggregation import Microaggregation

__all__ = ["plan_set_groups"]

Floats = NDArray[np.float64]

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
    closures, centroids = iter(grouping.closures), iter(grouping.centroids.T)
    attributes, targets = [], []
    for attribute in tuples.attributes:
        if has_sets(attribute):
            assert isinstance(attribute, NominalAttribute)
            centres = reduce_to_deepest(attribute.domain, next(closures))
            names = name_sets(attribute.domain, centres)
            attribute = with_more_candidates(attribute, (name for name in names if name != MISSING))
            targets.append(np.array([attribute.places[name] for name in names], dtype=np.float64))
        else:
            targets.append(next(centroids))
        attributes.append(attribute)
    wider = replace(tuples, attributes=tuple(attributes))
    return Transitions.from_targets(wider, np.column_stack(targets), grouping.group)


def _group(
    method: Microaggregation, tuples: Tuples, rules: list[GroupRule], random: np.random.Generator
) -> SetGrouping:
    columns = []
    for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True):
        if has_sets(attribute):
            assert isinstance(attribute, NominalAttribute)
            sets = sets_of_values(attribute, attribute.domain).take(codes)
            columns.append(SetColumn(attribute.domain, sets, attribute.weight))
    rest = [j for j, attribute in enumerate(tuples.attributes) if not has_sets(attribute)]
    others = None
    if rest:
        few = replace(
            tuples,
            attributes=tuple(tuples.attributes[j] for j in rest),
            codes=np.ascontiguousarray(tuples.codes[rest]),
        )
        others = method.operators_for(few)
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
