"""Time and memory of the chief work beside what they may come to, and how both grow.

The inputs are those of the other files, which ask in more detail. Budgets are for two processors
that have nothing else to do. Where others work on the machine the processor time is nearer to
that than the clock, but it is longer, too: caches are shared.
docs/speed.md has the figures, and tools/measure_budgets.py writes them there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log
from time import process_time
from typing import Literal, NamedTuple

import numpy as np

from benchmarks._measuring import unit
from benchmarks.distance_tables import DistanceTables
from benchmarks.evaluation import AllFigures
from benchmarks.grouping import diagnoses
from benchmarks.merging import ALL, MILLION, K, compiled, made_up, some
from benchmarks.perturbing import Noise, Swapping, with_records
from benchmarks.whole_release import WholeRelease
from ontomask import utility
from ontomask.methods.method import Method
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.swapping.rank_swapping import RankSwapping
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Tuples, count_tuples

#: Distinct pairs of diagnoses that there are in ``diabetes_130``.
PAIRS = 18_432
MB, GB = 1e6, 1e9

Work = Callable[[], object]


def numbers(rows: int, columns: int = 6) -> Tuples:
    """Rows of independent normal numbers, all different."""
    table = np.random.default_rng(0).standard_normal((columns, rows))
    coded = [np.unique(column, return_inverse=True) for column in table]
    attributes = [
        NumericalAttribute(f"x{j}", values, decimals=6) for j, (values, _) in enumerate(coded)
    ]
    return count_tuples(attributes, [codes for _, codes in coded])[0]


def planned(method: Method, tuples: Tuples) -> Work:
    """Planning, with the distance tables made and the loops compiled."""
    method.plan(some(tuples, 200), np.random.default_rng(0))
    return lambda: method.plan(tuples, np.random.default_rng(0))


# ---------------------------------------------------------------- the work


def distance_table() -> Work:
    tables, params = DistanceTables(), (10_000, "sanchez", "float64")
    tables.setup(*params)
    return partial(tables.time_table, *params)


def mdav() -> Work:
    return planned(Microaggregation(K, "mdav"), diagnoses(3))


def mdav_of_numbers() -> Work:
    return planned(Microaggregation(K, "mdav"), numbers(100_000))


def merging() -> Work:
    return planned(Microaggregation(K, "merge"), diagnoses(3))


def merging_a_million() -> Work:
    return planned(Microaggregation(K, "merge"), made_up(MILLION))


def recoding(columns: int) -> Work:
    return planned(Recoding(K), diagnoses(columns))


def swapping(work: str) -> Work:
    swaps = Swapping()
    swaps.setup(work, K)
    return partial(swaps.time_plan, work, K)


def noise() -> Work:
    adds = Noise()
    adds.setup("icd9cm")
    return partial(adds.time_plan, "icd9cm")


def resampling() -> Work:
    return planned(Resampling(K), with_records(diagnoses(3), MILLION))


def resampling_of_tuples() -> Work:
    return planned(Resampling(K), made_up(MILLION))


def all_figures(codes: int, k: int) -> Work:
    every = AllFigures()
    every.setup(codes, k)
    return partial(every.time_figures, codes, k)


def whole_release() -> Work:
    release = WholeRelease()
    release.setup("parquet", "700MB")
    return partial(release.time_release, "parquet", "700MB")


class Budgeted(NamedTuple):
    """Some work, made ready when called, and what it may come to."""

    prepare: Callable[[], Work]
    seconds: float
    bytes: float | None = None


#: Short work first: what is measured by the clock should not wait for what heats the machine.
WORK = {
    "distance table, 10,000 concepts of WordNet": Budgeted(distance_table, 1),
    "noise, 1,000,000 records over ICD-9-CM": Budgeted(noise, 0.5),
    "swapping, dynamic, 1,000,000 records of 716 values": Budgeted(
        partial(swapping, "dynamic"), 0.5
    ),
    f"swapping, multivariate, {PAIRS:,} pairs": Budgeted(partial(swapping, "two"), 0.6),
    f"swapping, multivariate, {ALL:,} triples": Budgeted(partial(swapping, "three"), 5),
    f"recoding, {PAIRS:,} pairs": Budgeted(partial(recoding, 2), 0.5),
    f"recoding, {ALL:,} triples": Budgeted(partial(recoding, 3), 3),
    f"resampling, 1,000,000 records of {ALL:,} triples": Budgeted(resampling, 10),
    "resampling, 1,000,000 different records": Budgeted(resampling_of_tuples, 10),
    f"mdav, {ALL:,} triples": Budgeted(mdav, 4, 500 * MB),
    "mdav, 100,000 rows of 6 numbers": Budgeted(mdav_of_numbers, 5),
    f"merge, {ALL:,} triples": Budgeted(merging, 3),
    "all figures, 1,000,000 records, 700 codes, k = 5": Budgeted(
        partial(all_figures, 700, 5), 15, 1 * GB
    ),
    "all figures, 1,000,000 records, 15,000 codes, k = 50": Budgeted(
        partial(all_figures, 15_000, 50), 15, 1 * GB
    ),
    "whole release, Parquet, 10,000,000 rows": Budgeted(whole_release, 60, 2 * GB),
    "merge, 1,000,000 synthetic combinations": Budgeted(merging_a_million, 120, 3 * GB),
}


class Budgets:
    """Does each piece of work stay within its time and memory?

    Planning where nothing else is said, k = 5. Pairs and triples are the distinct diagnoses of
    ``diabetes_130``. Memory is that of the whole process. All figures: some 50,000 tuples of two
    columns of diagnoses and one of numbers; the whole release: as benchmarks/whole_release.py has
    it, from the file to the report.
    """

    param_names = ("of",)
    params = (list(WORK),)
    timeout = 900  # a million tuples, on a machine that is not alone
    budgets = {(name,): work.seconds for name, work in WORK.items()}  # noqa: RUF012
    memory_budgets = {  # noqa: RUF012
        (name,): work.bytes for name, work in WORK.items() if work.bytes is not None
    }

    def setup(self, name: str) -> None:
        self.work = WORK[name].prepare()

    def cost_work(self, name: str) -> None:
        self.work()


class MemoryOfATable:
    """Does the table of distances need at most twice its own memory while it is made?

    10,000 concepts of WordNet; methods use the smaller numbers.
    """

    param_names = ("dtype",)
    params = (["float64", "float32"],)
    figure_budgets = {("float64",): 2.0, ("float32",): 2.0}  # noqa: RUF012

    def setup(self, dtype: str) -> None:
        self.tables = DistanceTables()
        self.tables.setup(10_000, "sanchez", dtype)

    @unit("times the table")
    def track_memory(self, dtype: str) -> float:
        return self.tables.track_memory(10_000, "sanchez", dtype)


class LossOfMerging:
    """Does merging lose at most 0.7 of what MDAV does, on all diabetes records?

    SSE of both, k = 5.
    """

    param_names = ("diagnoses",)
    params = ([2, 3],)
    figure_budgets = {(2,): 0.7, (3,): 0.7}  # noqa: RUF012

    def setup(self, columns: int) -> None:
        self.tuples = compiled(diagnoses(columns), "mdav")

    @unit("of MDAV's")
    def track_loss(self, columns: int) -> float:
        def loss(algorithm: Literal["merge", "mdav"]) -> float:
            plan = Microaggregation(K, algorithm).plan(self.tuples, np.random.default_rng(0))
            return utility.sse(plan)

        return loss("merge") / loss("mdav")


#: What plans, by name.
METHODS: dict[str, Method] = {
    "merge": Microaggregation(K, "merge"),
    "mdav": Microaggregation(K, "mdav"),
    "recoding": Recoding(K),
    "multivariate swapping": RankSwapping(K),
    "resampling": Resampling(K),
}


class Growth:
    """How does planning grow with the number of distinct tuples?

    The exponent of the processor time: synthetic tuples of four attributes (benchmarks/merging.py)
    from 10,000 to 100,000, real triples of diagnoses from 10,000 to 57,505. An exponent of 1 is
    twice the time for twice the tuples, one of 2 four times.
    """

    param_names = ("method", "data")
    params = (list(METHODS), ["synthetic", "diabetes"])
    timeout = 600

    def setup(self, method: str, data: str) -> None:
        large = made_up(100_000) if data == "synthetic" else diagnoses(3)
        self.sizes = [10_000, len(large)]
        self.plans = [planned(METHODS[method], some(large, size)) for size in self.sizes]

    @unit("exponent")
    def track_growth(self, method: str, data: str) -> float:
        small, large = (processor_time(plan) for plan in self.plans)
        return log(large / small) / log(self.sizes[1] / self.sizes[0])


def processor_time(work: Work, seconds: float = 1.0) -> float:
    """The least of several runs, or that of one long run."""
    times: list[float] = []
    while len(times) < 5 and sum(times) < seconds:
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)
