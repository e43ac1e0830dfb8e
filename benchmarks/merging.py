"""Planning groups by merging, beside MDAV: from a thousand distinct tuples to a million."""

from __future__ import annotations

from math import log
from time import perf_counter
from typing import Literal

import numpy as np

from benchmarks._measuring import CannotRun, best_time, unit
from benchmarks.grouping import diagnoses, prepared
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Tuples, count_tuples

#: Distinct triples of diagnoses that there are in ``diabetes_130``.
ALL = 57_505
MILLION = 1_000_000
K = 5


def some(tuples: Tuples, size: int) -> Tuples:
    """So many of the tuples, drawn at random, in their order and with their records."""
    if size >= len(tuples):
        return tuples
    places = np.sort(np.random.default_rng(0).choice(len(tuples), size, replace=False))
    return Tuples(tuples.attributes, tuples.codes[:, places].copy(), tuples.counts[places])


def made_up(size: int) -> Tuples:
    """So many distinct tuples: diagnoses as frequent as they are, drawn independently, an age.

    Nothing hangs together in them, which is harder than any real table: neighbours are far.
    """
    known, random = diagnoses(3), np.random.default_rng(0)
    rows = int(size * 1.2)
    codes = []
    for j, attribute in enumerate(known.attributes):
        counts = known.value_counts(j)
        codes.append(random.choice(attribute.size, rows, p=counts / counts.sum()))
    age = NumericalAttribute("age", np.arange(100.0))
    codes.append(random.integers(0, age.size, rows))
    tuples = count_tuples([*known.attributes, age], codes)[0]
    return some(tuples, size)


def compiled(tuples: Tuples, algorithm: Literal["merge", "mdav"]) -> Tuples:
    """The same with its distance tables made and the loops compiled."""
    few = some(tuples, 200)
    Microaggregation(K, algorithm).plan(few, np.random.default_rng(0))
    return prepared(tuples)


class Merging:
    """How long does it take to merge, and in how much memory, where MDAV takes how long?

    Distinct triples of diagnoses of ``diabetes_130``, 57,505 in all; k = 5.
    """

    param_names = ("algorithm", "tuples")
    params = (["merge", "mdav"], [1_000, 10_000, ALL])

    def setup(self, algorithm: Literal["merge", "mdav"], tuples: int) -> None:
        self.tuples = compiled(some(diagnoses(3), tuples), algorithm)

    def time_plan(self, algorithm: Literal["merge", "mdav"], tuples: int) -> None:
        Microaggregation(K, algorithm).plan(self.tuples, np.random.default_rng(0))

    peakmem_plan = time_plan


class MergingAMillion:
    """Can a million distinct tuples of four attributes be merged?

    Made up: three diagnoses as frequent as in ``diabetes_130``, drawn independently, and an age.
    MDAV compares every group's middle with all that is left, and is not tried.
    """

    param_names = ("algorithm",)
    params = (["merge", "mdav"],)

    def setup(self, algorithm: Literal["merge", "mdav"]) -> None:
        if algorithm == "mdav":
            raise CannotRun("MDAV is not run at this size")
        self.tuples = compiled(made_up(MILLION), algorithm)

    def time_plan(self, algorithm: Literal["merge", "mdav"]) -> None:
        Microaggregation(K, algorithm).plan(self.tuples, np.random.default_rng(0))

    peakmem_plan = time_plan


class GrowthOfMerging:
    """How does merging grow with the number of distinct tuples?

    The figure is the exponent: triples of diagnoses from 10,000 to 57,505, made-up tuples of four
    attributes from 20,000 to 200,000 (merging alone).
    """

    param_names = ("algorithm", "data")
    params = (["merge", "mdav"], ["diabetes", "made up"])

    def setup(self, algorithm: Literal["merge", "mdav"], data: str) -> None:
        if (algorithm, data) == ("mdav", "made up"):
            raise CannotRun("MDAV is not run at this size")
        large = diagnoses(3) if data == "diabetes" else made_up(200_000)
        self.large = compiled(large, algorithm)
        self.small = some(large, 10_000 if data == "diabetes" else 20_000)

    @unit("exponent")
    def track_growth(self, algorithm: Literal["merge", "mdav"], data: str) -> float:
        method = Microaggregation(K, algorithm)

        def plan(tuples: Tuples) -> None:
            method.plan(tuples, np.random.default_rng(0))

        small = best_time(lambda: plan(self.small))
        begun = perf_counter()
        plan(self.large)
        ratio = (perf_counter() - begun) / small
        return log(ratio) / log(len(self.large) / len(self.small))
