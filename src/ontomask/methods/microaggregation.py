"""Microaggregation: groups of similar records take the values of their centroid (SF, MA)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontomask.methods.mdav import mdav
from ontomask.methods.method import GroupingMethod, one_of
from ontomask.methods.operators import Operators
from ontomask.tuples import Transitions, Tuples

__all__ = ["Microaggregation"]


@dataclass(frozen=True)
class Microaggregation(GroupingMethod):
    """Groups of at least ``k`` records, each replaced by the group's centroid."""

    distance: str = "mean"
    candidates: str | None = None
    operators: str = "semantic"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("distance", self.distance, "mean", "s", "s_paper")
        one_of("candidates", self.candidates or "hierarchy", "hierarchy", "values")
        one_of("operators", self.operators, "semantic", "classic")

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Group the tuples, and send each to its group's centroid."""
        self.check(tuples)
        # SF looks among a group's values and what is above them, MA among the values.
        candidates = self.candidates or ("hierarchy" if self.distance == "mean" else "values")
        operators = Operators(tuples, self.distance, self.operators, candidates)
        group = mdav(operators, self.k)
        members = np.argsort(group, kind="stable")
        start = np.searchsorted(group[members], np.arange(group.max() + 2))
        return Transitions.whole(tuples, operators.centroids(start, members), group)
