"""What masking cost, over real diagnoses and over a million made-up records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import ontomask as om
from benchmarks._inputs import sample
from benchmarks._measuring import unit
from benchmarks.grouping import diagnoses
from ontomask import utility
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.pipeline.evaluation import evaluate_plan
from ontomask.risk import Confidential
from ontomask.utility.example import six_patients

RECORDS = 1_000_000


def made_up(distinct: int, numbers: int = 1_000, seed: int = 0) -> Tuples:
    """A million records of some 50,000 tuples: two diagnoses of ``distinct`` codes and a number."""
    random = np.random.default_rng(seed)
    icd9 = om.load_taxonomy("icd9cm")
    names = sorted(sample(icd9.identifiers, distinct))
    attributes: list[Attribute] = [NominalAttribute(name, icd9, names) for name in ("x", "y")]
    attributes.append(NumericalAttribute("z", np.arange(float(numbers))))
    sizes = (distinct, distinct, numbers)
    kinds = np.stack([(random.random(55_000) ** 2 * size).astype(int) for size in sizes])
    kinds[:, : max(sizes)] = [np.arange(max(sizes)) % size for size in sizes]  # every value occurs
    tuple_of_record = (random.random(RECORDS) ** 3 * kinds.shape[1]).astype(int)
    tuple_of_record[: kinds.shape[1]] = np.arange(kinds.shape[1])
    return count_tuples(attributes, list(kinds[:, tuple_of_record]))[0]


def shuffled(tuples: Tuples, share: float = 0.3) -> Transitions:
    """A plan that gives some records the values of others, attribute by attribute."""
    random = np.random.default_rng(0)
    codes = np.repeat(tuples.codes, tuples.counts, axis=1)
    for column in codes:
        chosen = np.flatnonzero(random.random(column.size) < share)
        column[chosen] = column[random.permutation(chosen)]
    return Transitions.from_records(tuples, list(codes))


class UtilityOfAPlan:
    """Does judging a plan take seconds, whatever the number of records?

    ``diabetes_130``: 18,432 pairs of diagnoses of 100,000 records, in groups of five. The others:
    a million made-up records of some 50,000 tuples, two columns of 700 or 15,000 codes and one of
    numbers, in groups of five, or with a third of all values shuffled, so that nearly every record
    has a tuple of its own.
    """

    param_names = ("plan",)
    params = (["diabetes_130", "700 codes", "700 codes shuffled", "15000 codes shuffled"],)

    def setup(self, plan: str) -> None:
        utility.evaluate_utility(six_patients())  # compiles
        tuples = diagnoses(2) if plan == "diabetes_130" else made_up(int(plan.split()[0]))
        grouped = Microaggregation(5)
        self.plan = (
            shuffled(tuples)
            if "shuffled" in plan
            else grouped.plan(tuples, np.random.default_rng(0))
        )

    def time_evaluation(self, plan: str) -> None:
        # A plan of its own each time: what is known of one is not worked out again.
        original = self.plan
        again = Transitions(
            original.tuples, original.targets, original.source, original.target, original.count
        )
        utility.evaluate_utility(again, k=5)

    peakmem_evaluation = time_evaluation

    @unit("semantic quality")
    def track_quality(self, plan: str) -> float:
        return utility.semantic_quality(self.plan)


class AllFigures:
    """Are all default figures of a million records and 50,000 tuples there in 15 s and 1 GB?

    Two columns of diagnoses and one of numbers, made up; one confidential column of 20 values. In
    groups of five most tuples stay as they are, which is easy on linkage; in groups of 50 few do.
    """

    param_names = ("codes", "k")
    params = ([700, 15_000], [5, 50])

    def setup(self, codes: int, k: int) -> None:
        evaluate_plan(six_patients(), 2)  # compiles
        self.plan = Microaggregation(k).plan(made_up(codes), np.random.default_rng(0))
        self.after = outcome(self.plan.target, self.plan.count)
        self.before = outcome(np.arange(len(self.plan.tuples)), self.plan.tuples.counts)

    def time_figures(self, codes: int, k: int) -> None:
        # A plan of its own each time: what is known of one is not worked out again.
        evaluate_plan(replace(self.plan), k, [self.after], [self.before])

    peakmem_figures = time_figures


def outcome(classes: NDArray[np.int64], counts: NDArray[np.int64]) -> Confidential:
    """One of 20 outcomes for every record, by lot."""
    of = np.repeat(classes, counts)
    value = np.random.default_rng(0).integers(0, 20, len(of))
    key, often = np.unique(of * 20 + value, return_counts=True)
    return Confidential("outcome", *np.divmod(key, 20), often)


class ClusteringDistance:
    """How does the comparison of two clusterings grow with the number of records compared?"""

    param_names = ("records",)
    params = ([1_000, 2_000, 5_000],)

    def setup(self, records: int) -> None:
        self.plan = shuffled(made_up(700))
        utility.clustering_distance(self.plan, most=100)

    def time_distance(self, records: int) -> None:
        utility.clustering_distance(self.plan, most=records)

    @unit("distance")
    def track_distance(self, records: int) -> float:
        return utility.clustering_distance(self.plan, most=records).distance
