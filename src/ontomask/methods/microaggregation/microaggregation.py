"""Microaggregation: groups of similar records take the values of their centroid (SF, MA, ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import report_progress
from ontomask.errors import Hint, ParameterError, Setting
from ontomask.methods.method import BlockwiseMethod, GroupingMethod, SensitivePromise
from ontomask.methods.microaggregation.mdav import mdav
from ontomask.methods.microaggregation.synthetic import draw_from_groups, draw_near_values
from ontomask.methods.operators import Operators
from ontomask.methods.settings import BlockSize, OperatorChoice, SettingHelp
from ontomask.microdata.sets.set_concepts import has_sets
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.blocks.split import StandaloneTest
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation
    from ontomask.methods.microaggregation.linked import LinkedPeople
    from ontomask.methods.microaggregation.merging.rules import GroupRule
    from ontomask.microdata.linked_records import LinkedRecords

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

#: What only these settings can do with linked records.
NEEDED_FOR_LINKS = {
    "algorithm": "merge",
    "distance": "mean",
    "replacement": "centroid",
    "operators": "semantic",
    "effort": "fast",
}


@dataclass(frozen=True)
class Microaggregation(BlockwiseMethod, GroupingMethod):
    """Form groups of at least ``k`` similar records; each group takes the values of its centroid.

    The result is k-anonymous on the quasi-identifiers, except with synthetic replacement.

    Departures from the papers: between equally good choices, the combination of values that sorts
    first is taken. A combination of values enters a group with all its records. With ``"mdav"`` and
    ``"mean"``, distances are multiplied by the number of records.

    Args:
        k: Smallest number of records (or people) in a group, at least 2.
        algorithm: How groups are formed. ``"merge"`` (ours) merges small groups where that costs
            least per record, then improves them (docs/concepts/merging.md). ``"mdav"`` forms groups
            around the most distant records (SF algorithm 3, MA 3.1).
        distance: Distance between records: ``"mean"``, the mean over the attributes (SF eq. 3);
            ``"s"``, weighted by variances (MA eq. 7); ``"s_paper"``, the same formula as printed,
            in which words count very little beside numbers.
        candidates: The concepts that a centroid is chosen from: ``"hierarchy"``, the values of the
            group and their ancestors (SF; the default with ``"mean"``), or ``"values"``, only the
            values of the group (MA; the default with ``"s"``).
        replacement: ``"centroid"``; ``"synthetic"``, which draws each value from the distribution
            of its group, so that means and variances are kept; or ``"synthetic_paper"``, which
            draws a value near the original one, as MA algorithm 1 is printed, and keeps neither.
            Synthetic values are **not** k-anonymous.
        operators: ``"semantic"``, or ``"classic"``, which only distinguishes equal and unequal
            words: the baseline of the papers.
        objective: What ``"merge"`` minimises: ``"sse"``, squared distances, or ``"sad"``,
            distances.
        centroid: How ``"merge"`` chooses the centroid: by the ``"rule"`` of the papers (the
            smallest sum of distances, then the objective), or the ``"best"`` one found for the
            objective.
        effort: ``"fast"``, or ``"thorough"``, which restarts the search and loses a little less.
        time_limit: Seconds for a thorough search; without it, there is no limit.
        l: Smallest number of different known values of every sensitive attribute in a group
            (l-diversity).
        t: Largest distance between the distribution of a sensitive attribute in a group and in the
            whole table, from 0 to 1 (t-closeness). Words are compared as their column says
            (``ground`` of :class:`~ontomask.Nominal`).
        protects: The confidential columns that ``l`` and ``t`` apply to; without it, all.
        diversity: How ``l`` is counted: ``"distinct"`` values, or ``"entropy"`` (its exponential).
        block: Largest number of combinations of values that are planned together. Larger tables are
            cut into blocks, which saves memory and loses some information
            (docs/concepts/blocks.md).

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

    algorithm: Annotated[
        Literal["merge", "mdav"],
        SettingHelp(
            "Algorithm",
            "How groups are formed. Merging loses less information; MDAV is the method of the "
            "papers.",
            {
                "merge": "merge: merge small groups where it costs least",
                "mdav": "mdav: form groups around the farthest records",
            },
            main=True,
        ),
    ] = "merge"
    distance: Annotated[
        Literal["mean", "s", "s_paper"],
        SettingHelp(
            "Distance between records",
            "How the distances of the columns are combined.",
            {
                "mean": "mean over the columns",
                "s": "weighted by variances",
                "s_paper": "weighted by variances, exactly as in the paper",
            },
        ),
    ] = "mean"
    candidates: Annotated[
        Literal["hierarchy", "values"] | None,
        SettingHelp(
            "Candidates for the centroid",
            "The concepts that the centroid of a group is chosen from.",
            {
                None: "the default of the distance",
                "hierarchy": "the values of the group and their ancestors",
                "values": "only the values of the group",
            },
        ),
    ] = None
    replacement: Annotated[
        Literal["centroid", "synthetic", "synthetic_paper"],
        SettingHelp(
            "Replacement",
            "Synthetic values are drawn at random; they are not k-anonymous.",
            {
                "centroid": "the centroid of the group",
                "synthetic": "a random value of the group (not k-anonymous)",
                "synthetic_paper": "a random value near the original (not k-anonymous)",
            },
        ),
    ] = "centroid"
    operators: OperatorChoice = "semantic"
    objective: Annotated[
        Literal["sse", "sad"],
        SettingHelp(
            "Objective",
            "The sum that merging minimises.",
            {"sse": "squared distances", "sad": "distances"},
        ),
    ] = "sse"
    centroid: Annotated[
        Literal["rule", "best"],
        SettingHelp(
            "Choice of the centroid",
            "The rule of the papers, or the centroid with the least information loss.",
            {"rule": "rule of the papers", "best": "least information loss"},
        ),
    ] = "rule"
    effort: Annotated[
        Literal["fast", "thorough"],
        SettingHelp(
            "Effort",
            "A thorough search restarts several times and loses a little less information.",
        ),
    ] = "fast"
    time_limit: Annotated[
        float | None,
        SettingHelp(
            "Time limit in seconds",
            "For a thorough search. If empty, the search runs to its end.",
            least=0,
            step=10,
        ),
    ] = None
    l: Annotated[  # noqa: E741 - the word of the trade
        int | None,
        SettingHelp(
            "l (l-diversity)",
            "Every equivalence class has at least l different values of each sensitive attribute.",
            least=2,
        ),
    ] = None
    t: Annotated[
        float | None,
        SettingHelp(
            "t (t-closeness)",
            "The distribution of a sensitive attribute in a class differs by at most t (0 to 1) "
            "from that in the whole table.",
            least=0,
            most=1,
            step=0.05,
        ),
    ] = None
    protects: Annotated[
        Sequence[str] | None,
        SettingHelp(
            "Sensitive attributes for l and t",
            "The columns that l and t apply to. If none is selected, all.",
        ),
    ] = None
    diversity: Annotated[
        Literal["distinct", "entropy"],
        SettingHelp(
            "Kind of l-diversity",
            "Count different values, or take the exponential of their entropy, which is lower if "
            "some values are frequent.",
            {"distinct": "distinct values", "entropy": "entropy"},
        ),
    ] = "distinct"
    block: BlockSize = None

    summary: ClassVar[str] = (
        "k-anonymous: replaces the values of similar records by the centroid of their group."
    )
    help: ClassVar[str] = (
        "Usually loses the least information of the k-anonymous methods. A class may still share "
        "one sensitive value, unless you set l or t."
    )
    compares_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.algorithm != "merge":
            for name, usual in OF_MERGING.items():
                if getattr(self, name) != usual:
                    raise ParameterError(
                        f"{name} cannot be used with algorithm {self.algorithm!r}",
                        Hint("use ", Setting("algorithm", "merge"), f", or leave {name} out"),
                    )
        varied = self.l is not None or self.t is not None
        if not varied and self.protects is not None:
            raise ParameterError(
                "protects needs l or t, got neither",
                "set l or t as well, or leave protects out",
            )
        if varied and self.is_synthetic:
            raise ParameterError(
                f"l and t cannot be used with replacement {self.replacement!r}, which forms no "
                "classes",
                Hint("use ", Setting("replacement", "centroid"), ", or leave l and t out"),
            )
        if self.time_limit is not None and self.effort == "fast":
            raise ParameterError(
                "time_limit cannot be used with effort 'fast'",
                Hint("use ", Setting("effort", "thorough"), ", or leave time_limit out"),
            )

    @property
    def promised_k(self) -> int | None:
        """The smallest number of records in a class; None for synthetic values."""
        return None if self.is_synthetic else int(self.k)

    @property
    def is_synthetic(self) -> bool:
        """Whether each record gets values of its own instead of a centroid."""
        return self.replacement != "centroid"

    @property
    def sensitive_promise(self) -> SensitivePromise | None:
        """What ``l`` and ``t`` promise of the confidential columns."""
        if self.l is None and self.t is None:
            return None
        return SensitivePromise(self.l, self.t, self.protects, self.diversity == "entropy")

    @property
    def draws_at_random(self) -> bool:
        """Groups are settled by the tuples; synthetic values and restarts are not."""
        return self.is_synthetic or self.effort == "thorough"

    @property
    def keeps_tuples_together(self) -> bool:
        """A group has one centroid; synthetic values are drawn record by record."""
        return self.replacement == "centroid"

    @property
    def description(self) -> str:
        """What groups were formed for."""
        if self.is_synthetic:
            drawn = (
                "a random value from the distribution of its group"
                if self.replacement == "synthetic"
                else "a random value that is as close as the values of its group"
            )
            return (
                f"groups of at least {self.k:,} similar records were formed, and each value was "
                f"replaced by {drawn}"
            )
        return (
            f"the values of groups of at least {self.k:,} similar records were replaced by the "
            "centroid of the group"
        )

    @property
    def because(self) -> str:
        """How a group is found, and what it takes."""
        grouped = f"similar records form groups of {self.k} or more"
        if self.replacement == "synthetic":
            return (
                f"{grouped}. Each word is that of a random record of the group, and each number is "
                "drawn from a distribution with the mean and the variance of the group"
            )
        if self.replacement == "synthetic_paper":
            return (
                f"{grouped}. Each value is drawn at random from the values of its column that are "
                "at most as far away as the farthest value of its group"
            )
        if self.operators == "classic":
            middle = (
                "most frequent combination of values"
                if self.distance == "mean"
                else "most frequent words"
            )
            return f"{grouped}. Each group takes its {middle}; words are only equal or different"
        values_only = (self.candidates or self.distance) not in ("hierarchy", "mean")
        above = "" if values_only else " and their ancestors"
        return (
            f"{grouped}. Each group takes its centroid: for words the concept, among its values"
            f"{above}, with the smallest sum of distances; for numbers the mean; for levels the "
            "median"
        )

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain by the group, formed again, and the sums behind its centroid."""
        from ontomask.methods.microaggregation.explanation import explain_group

        return explain_group(self, masked)

    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Group the tuples, and send each to its group's centroid."""
        self.check(tuples)
        if any(map(has_sets, tuples.attributes)):
            from ontomask.methods.microaggregation.sets.planning import plan_set_groups

            return plan_set_groups(self, tuples, self._group_rules(tuples), random)
        operators = self.operators_for(tuples)
        group, centroids = self.groups(operators, random)
        if self.replacement == "synthetic":
            return draw_from_groups(tuples, group, random)
        if self.replacement == "synthetic_paper":
            return draw_near_values(tuples, operators, group, random)
        return Transitions.from_targets(tuples, centroids, group)

    def check_links(self, tuples: Tuples) -> None:
        """Refuse settings that linked records do not have."""
        for name, needed in NEEDED_FOR_LINKS.items():
            if (value := getattr(self, name)) != needed:
                raise ParameterError(
                    f"{name}={value!r} cannot be used with linked records",
                    f"leave {name} out, or leave linked out",
                )

    def link_people(self, tuples: Tuples, records: LinkedRecords) -> LinkedPeople:
        """Group people with similar records; the centroid of a group is a bag of rows."""
        from ontomask.methods.microaggregation.linked import link_people

        _, record_tuple, person = records.list_records()
        return link_people(
            self.operators_for(tuples),
            record_tuple,
            person,
            self.k,
            linked=records.linked,
            link_price=records.link_price,
            objective=self.objective,
            centroid=self.centroid,
            rules=self._group_rules(replace(tuples, sensitive_counts=records.sensitive_counts)),
            kinds=records.kinds,
        )

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
