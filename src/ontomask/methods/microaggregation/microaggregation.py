"""Microaggregation: groups of similar records take the values of their centroid (SF, MA, ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import report_progress
from ontomask.errors import ParameterError, check_choice
from ontomask.methods.method import BlockwiseMethod, GroupingMethod
from ontomask.methods.microaggregation.mdav import mdav
from ontomask.methods.microaggregation.synthetic import draw_synthetic
from ontomask.methods.operators import Operators
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.blocks.split import StandaloneTest
    from ontomask.methods.microaggregation.merging.rules import GroupRule

__all__ = ["Microaggregation"]

#: What only merging can do, and what it is when it is not asked for.
OF_MERGING = {
    "objective": "sse",
    "centroid": "rule",
    "effort": "fast",
    "time_limit": None,
    "l": None,
    "t": None,
    "protects": None,
    "diversity": "distinct",
}


@dataclass(frozen=True)
class Microaggregation(BlockwiseMethod, GroupingMethod):
    """Groups of at least ``k`` similar records, which take the values of their centroid.

    ``algorithm="merge"``, ours: small groups are merged where that costs least per record, then
    improved by moving, exchanging, splitting and dissolving (docs/concepts/merging.md).
    ``algorithm="mdav"``: groups grow around the records that lie farthest out (SF algorithm 3, MA
    3.1). ``distance`` between records: ``"mean"`` over the attributes (SF eq. 3); ``"s"``, by
    variances (MA eq. 7); ``"s_paper"``, its literal formula, by which a word weighs next to nothing
    beside numbers. ``candidates`` for a centroid: the ``"hierarchy"`` of the group's values (SF;
    the default with ``mean``) or these ``"values"`` alone (MA; with ``s``).
    ``replacement="synthetic"`` draws a value near the original one instead of the centroid (MA
    algorithm 1): **not** k-anonymous. ``operators="classic"`` knows only equal and unequal words:
    the papers' baseline.

    Merging lowers an ``objective``: ``"sse"``, squared distances, or ``"sad"``, distances. The
    ``centroid`` is by the papers' ``"rule"``, the least summed distance, ties by the objective; or
    the ``"best"`` for the objective that is found. ``effort="thorough"`` goes on with restarts, for
    ``time_limit`` seconds where given. ``l`` asks for so many different values of every
    confidential column in each group (``diversity="entropy"``: for so much entropy, the
    exponential of it), ``t`` for groups no farther than that from the whole table; ``protects``
    names the columns, if not all. Both are kept while merging, and are verified.

    ``block`` is the most tuples that are planned together: very many are cut into blocks, each
    planned alone, which costs some loss and saves memory (docs/concepts/blocks.md).

    Departures from the papers: ties go to the tuple that comes first in sorted order; a tuple
    enters a group with all its records; with ``mdav`` and ``mean`` distances are weighted with the
    records of a tuple.

    >>> import numpy as np
    >>> from ontomask import datasets
    >>> from ontomask.microdata.attributes import NominalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> known = ["hepatitis B", "hepatitis C", "sprain"]
    >>> sick = NominalAttribute("sick", datasets.diagnoses(), known)
    >>> tuples, _ = count_tuples([sick], [np.array([0, 0, 1, 2, 2, 2])])
    >>> plan = Microaggregation(k=3).plan(tuples, np.random.default_rng())
    >>> [sick.candidates[int(place)] for place in plan.targets[plan.target, 0]]
    ['hepatitis B', 'hepatitis B', 'sprain']
    """

    algorithm: str = "merge"
    distance: str = "mean"
    candidates: str | None = None
    replacement: str = "centroid"
    operators: str = "semantic"
    objective: str = "sse"
    centroid: str = "rule"
    effort: str = "fast"
    time_limit: float | None = None
    l: int | None = None  # noqa: E741 - the word of the trade
    t: float | None = None
    protects: Sequence[str] | None = None
    diversity: str = "distinct"
    block: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_block()
        check_choice("algorithm", self.algorithm, "merge", "mdav")
        check_choice("distance", self.distance, "mean", "s", "s_paper")
        if self.candidates is not None:
            check_choice("candidates", self.candidates, "hierarchy", "values")
        check_choice("replacement", self.replacement, "centroid", "synthetic")
        check_choice("operators", self.operators, "semantic", "classic")
        check_choice("objective", self.objective, "sse", "sad")
        check_choice("centroid", self.centroid, "rule", "best")
        check_choice("effort", self.effort, "fast", "thorough")
        check_choice("diversity", self.diversity, "distinct", "entropy")
        _check_number("l", self.l, integer=True, least=2)
        _check_number("t", self.t, least=0, most=1)
        _check_number("time_limit", self.time_limit, least=0)
        if self.protects is not None:
            columns: Any = self.protects
            listed = isinstance(columns, list | tuple) and all(
                isinstance(name, str) for name in columns
            )
            if not listed or not columns:
                raise ParameterError(
                    f"protects is {columns!r}", "it is a list of confidential columns"
                )
            object.__setattr__(self, "protects", tuple(columns))
        self._check_combination()

    def _check_combination(self) -> None:
        if self.algorithm != "merge":
            for name, usual in OF_MERGING.items():
                if getattr(self, name) != usual:
                    raise ParameterError(
                        f"{name} is {getattr(self, name)!r}, and algorithm is {self.algorithm!r}",
                        f'only algorithm="merge" has a {name}: choose it, or leave {name} out',
                    )
        varied = self.l is not None or self.t is not None
        if not varied and self.protects is not None:
            raise ParameterError(
                "protects is given, and neither l nor t, so there is nothing to protect them with",
                "give l or t as well, or leave protects out",
            )
        if varied and self.replacement == "synthetic":
            raise ParameterError(
                "l and t are about classes, and replacement is 'synthetic', which leaves none",
                "use replacement='centroid', or leave l and t out",
            )
        if self.time_limit is not None and self.effort == "fast":
            raise ParameterError(
                "time_limit is given, and effort is 'fast', which has no use for it",
                "use effort='thorough', or leave time_limit out",
            )

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

    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Group the tuples, and send each to its group's centroid."""
        self.check(tuples)
        operators = self.operators_for(tuples)
        group, centroids = self.groups(operators, random)
        if self.replacement == "synthetic":
            return draw_synthetic(tuples, operators, group, random)
        return Transitions.from_targets(tuples, centroids, group)

    def factors(self, tuples: Tuples) -> Sequence[float] | None:
        """Variances are those of the whole table (MA eq. 7)."""
        return None if self.distance == "mean" else self.operators_for(tuples).factors

    def standalone_test(self, tuples: Tuples) -> StandaloneTest:
        """A test of whether some tuples could be one group."""
        if self.algorithm != "merge":
            return super().standalone_test(tuples)
        from ontomask.methods.microaggregation.merging.rules import make_group_test

        return make_group_test(tuples, self.k, self._group_rules(tuples))

    def _group_rules(self, tuples: Tuples) -> list[GroupRule]:
        from ontomask.methods.microaggregation.merging.rules import collect_rules

        return collect_rules(tuples, self.k, self.l, self.diversity, self.t, self.protects)

    def operators_for(self, tuples: Tuples) -> Operators:
        """How tuples are compared and averaged."""
        # SF looks among a group's values and what is above them, MA among the values.
        candidates = self.candidates or ("hierarchy" if self.distance == "mean" else "values")
        return Operators(tuples, self.distance, self.operators, candidates)

    def groups(
        self, operators: Operators, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The group of each tuple, and the centroid of each group."""
        if self.algorithm == "merge":
            return self._merge_groups(operators, random)
        group = mdav(operators, self.k)
        members = np.argsort(group, kind="stable")
        start = np.searchsorted(group[members], np.arange(group.max() + 2))
        return group, operators.centroids(start, members)

    def _merge_groups(
        self, operators: Operators, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        report_progress(
            "merging groups; the first time ever, the loops are compiled for some ten seconds"
        )
        from ontomask.methods.microaggregation.merging import merge

        grouping = merge(
            operators,
            self.k,
            objective=self.objective,
            centroid=self.centroid,
            thorough=self.effort == "thorough",
            time_limit=self.time_limit,
            rules=self._group_rules(operators.tuples),
            seed=int(random.integers(2**63)) if self.effort == "thorough" else 1,
            progress=report_progress,
        )
        return grouping.group, grouping.centroids


def _check_number(
    name: str, value: Any, *, integer: bool = False, least: float, most: float | None = None
) -> None:
    if value is None:
        return
    kinds = int | np.integer if integer else int | float | np.integer | np.floating
    fine = isinstance(value, kinds) and not isinstance(value, bool) and value >= least
    if not fine or (most is not None and value > most):
        kind = "a whole number" if integer else "a number"
        upto = f"{least:g} or more" if most is None else f"from {least:g} to {most:g}"
        raise ParameterError(f"{name} is {value!r}", f"it is {kind}, {upto}")
