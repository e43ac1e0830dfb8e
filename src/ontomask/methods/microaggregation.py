"""Microaggregation: groups of similar records take the values of their centroid (SF, MA)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ontomask.errors import one_of
from ontomask.methods.mdav import mdav
from ontomask.methods.method import GroupingMethod
from ontomask.methods.operators import Operators
from ontomask.methods.synthetic import synthetic
from ontomask.tuples import Transitions, Tuples

__all__ = ["Microaggregation"]


@dataclass(frozen=True)
class Microaggregation(GroupingMethod):
    """Groups of at least ``k`` similar records, which take the values of their centroid.

    ``algorithm="mdav"``: groups grow around the records that lie farthest out (SF algorithm 3, MA
    3.1). ``distance`` between records: ``"mean"`` over the attributes, weighted with the records of
    a tuple (SF eq. 3); ``"s"``, by variances (MA eq. 7); ``"s_paper"``, its literal formula, by
    which a word weighs next to nothing beside numbers. ``candidates`` for a centroid: the
    ``"hierarchy"`` of the group's values (SF; the default with ``mean``) or these ``"values"``
    alone (MA; with ``s``). ``replacement="synthetic"`` draws a value near the original one instead
    of the centroid (MA algorithm 1): **not** k-anonymous.

    ``operators="classic"`` knows only equal and unequal words: the papers' baseline.

    Departures from the papers: ties go to the tuple that comes first in sorted order; a tuple
    enters a group with all its records.

    >>> import numpy as np
    >>> from ontomask import datasets
    >>> from ontomask.attributes import NominalAttribute
    >>> from ontomask.tuples import count_tuples
    >>> known = ["hepatitis B", "hepatitis C", "sprain"]
    >>> sick = NominalAttribute("sick", datasets.diagnoses(), known)
    >>> tuples, _ = count_tuples([sick], [np.array([0, 0, 1, 2, 2, 2])])
    >>> plan = Microaggregation(k=3).plan(tuples, np.random.default_rng())
    >>> [sick.candidates[int(place)] for place in plan.targets[plan.target, 0]]
    ['hepatitis B', 'hepatitis B', 'sprain']
    """

    algorithm: str = "mdav"
    distance: str = "mean"
    candidates: str | None = None
    replacement: str = "centroid"
    operators: str = "semantic"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("algorithm", self.algorithm, "mdav")
        one_of("distance", self.distance, "mean", "s", "s_paper")
        one_of("candidates", self.candidates or "hierarchy", "hierarchy", "values")
        one_of("replacement", self.replacement, "centroid", "synthetic")
        one_of("operators", self.operators, "semantic", "classic")

    @property
    def because(self) -> str:
        """How a group is found, and what it takes."""
        grouped = f"similar records form groups of {self.k} or more"
        if self.replacement == "synthetic":
            return (
                f"{grouped}, and every value is drawn by chance from those of its column that are "
                "no farther from it than the farthest of its group"
            )
        if self.operators == "classic":
            middle = "most frequent tuple" if self.distance == "mean" else "most frequent words"
            return f"{grouped}, which take their {middle}; words are equal or not"
        values_only = (self.candidates or self.distance) not in ("hierarchy", "mean")
        above = "" if values_only else " and what is above them"
        return (
            f"{grouped}, which take the values in their middle: of words the one, among theirs"
            f"{above}, with the least summed distance to them; of numbers the mean, of levels the "
            "median"
        )

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Group the tuples, and send each to its group's centroid."""
        self.check(tuples)
        # SF looks among a group's values and what is above them, MA among the values.
        candidates = self.candidates or ("hierarchy" if self.distance == "mean" else "values")
        operators = Operators(tuples, self.distance, self.operators, candidates)
        group = mdav(operators, self.k)
        if self.replacement == "synthetic":
            return synthetic(tuples, operators, group, random)
        members = np.argsort(group, kind="stable")
        start = np.searchsorted(group[members], np.arange(group.max() + 2))
        return Transitions.whole(tuples, operators.centroids(start, members), group)
