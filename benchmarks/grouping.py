"""Planning groups of indistinguishable records over real diagnoses."""

from __future__ import annotations

from math import log
from typing import Literal

import numpy as np

import ontomask as om
from benchmarks._inputs import diabetes
from benchmarks._measuring import best_time, unit
from ontomask import utility
from ontomask.methods.method import Method
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.recoding.recoding import Recoding
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Tuples, count_tuples

COLUMNS = ("diag_1", "diag_2", "diag_3")


def diagnoses(columns: int, records: int | None = None) -> Tuples:
    """The distinct tuples of the first diagnoses of ``diabetes_130``, complete records only."""
    icd9 = om.load_taxonomy("icd9cm")
    attributes, codes = [], []
    for name, values in zip(COLUMNS, diabetes(*COLUMNS[:columns]), strict=False):
        concepts = om.map_terms(values, icd9, repair_codes=True).apply(values)[:records]
        known = sorted({concept for concept in concepts if concept is not None})
        place = {concept: code for code, concept in enumerate(known)}
        attributes.append(NominalAttribute(name, icd9.domain(known), known))
        codes.append(np.array([place[str(concept)] for concept in concepts]))
    return count_tuples(attributes, codes)[0]


def numbers(columns: int, records: int) -> Tuples:
    """Made-up columns that go together more or less; all numbers of a column are different."""
    random = np.random.default_rng(0)
    table = random.standard_normal((records, columns)) @ random.random((columns, columns))
    attributes, codes = [], []
    for j, column in enumerate(table.T):
        distinct, places = np.unique(column, return_inverse=True)
        attributes.append(NumericalAttribute(f"number {j}", distinct, decimals=6))
        codes.append(places)
    return count_tuples(attributes, codes)[0]


def prepared(tuples: Tuples) -> Tuples:
    """The same with its distance tables made and the loops compiled."""
    few = Tuples(tuples.attributes, tuples.codes[:, :200].copy(), tuples.counts[:200])
    for method in (Microaggregation(5), Recoding(5)):
        method.plan(few, np.random.default_rng(0))
    return tuples


class Grouping:
    """How long does it take to plan groups for every record of a hospital data set?

    18,432 distinct pairs of diagnoses, 57,505 distinct triples, of some 100,000 records.
    Microaggregation merges groups, as it does by default; benchmarks/merging.py has MDAV beside it.
    """

    param_names = ("method", "diagnoses", "k")
    params = (["microaggregation", "recoding"], [2, 3], [5, 20])

    def setup(self, method: str, columns: int, k: int) -> None:
        self.tuples = prepared(diagnoses(columns))
        kinds = {"microaggregation": Microaggregation, "recoding": Recoding}
        self.method: Method = kinds[method](k)

    def time_plan(self, method: str, columns: int, k: int) -> None:
        self.method.plan(self.tuples, np.random.default_rng(0))

    peakmem_plan = time_plan

    @unit("SSE")
    def track_loss(self, method: str, columns: int, k: int) -> float:
        return utility.sse(self.method.plan(self.tuples, np.random.default_rng(0)))


class GroupingNumbers:
    """How long does MDAV take to plan groups for 100,000 different rows of six numbers?"""

    param_names = ("distance", "k")
    params = (["mean", "s"], [5])

    def setup(self, distance: Literal["mean", "s"], k: int) -> None:
        self.method = Microaggregation(k, algorithm="mdav", distance=distance)
        self.method.plan(numbers(6, 500), np.random.default_rng(0))  # the loops are compiled
        self.tuples = numbers(6, 100_000)

    def time_plan(self, distance: str, k: int) -> None:
        self.method.plan(self.tuples, np.random.default_rng(0))

    peakmem_plan = time_plan


class Growth:
    """How does planning grow with the number of distinct tuples?

    From the first 5,600 records (some 5,000 tuples of three diagnoses) to all 100,244 (57,505).
    The figure is the exponent between the two.
    """

    param_names = ("method",)
    params = (["microaggregation", "recoding"],)

    def setup(self, method: str) -> None:
        self.small, self.large = prepared(diagnoses(3, 5_600)), prepared(diagnoses(3))
        self.method: Method = Microaggregation(5) if method == "microaggregation" else Recoding(5)

    @unit("exponent")
    def track_growth(self, method: str) -> float:
        def time(tuples: Tuples) -> float:
            return best_time(lambda: self.method.plan(tuples, np.random.default_rng(0)))

        ratio = time(self.large) / time(self.small)
        return log(ratio) / log(len(self.large) / len(self.small))
