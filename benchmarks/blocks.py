"""Planning in blocks: what it costs and saves, and whether it takes a million tuples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks._measuring import unit
from benchmarks.grouping import diagnoses, prepared
from benchmarks.merging import MILLION, made_up, some
from ontomask.methods.method import Method
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.swapping.rank_swapping import RankSwapping
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.utility import sse

K = 5

METHODS: dict[str, Callable[[int | None], Method]] = {
    "merge": lambda block: Microaggregation(K, "merge", block=block),
    "mdav": lambda block: Microaggregation(K, "mdav", block=block),
    "recoding": lambda block: Recoding(K, block=block),
    "resampling": lambda block: Resampling(K, block=block),
    "rank swapping": lambda block: RankSwapping(K, block=block),
}


def plan(method: Method, tuples: Tuples) -> Transitions:
    """The same plan every time."""
    return method.plan(tuples, np.random.default_rng(0))


class CostOfBlocks:
    """What do blocks of tuples cost, beside planning all together?

    Distinct triples of diagnoses of ``diabetes_130``, 57,505 in all; k = 5. The figure is the SSE,
    as a multiple of that without blocks.
    """

    param_names = ("method", "block")
    params = (list(METHODS), [0, 10_000, 5_000, 2_000])

    def setup(self, method: str, block: int) -> None:
        self.tuples = prepared(diagnoses(3))
        self.method = METHODS[method](block or None)
        plan(METHODS[method](None), some(self.tuples, 200))  # compiled

    def time_plan(self, method: str, block: int) -> None:
        plan(self.method, self.tuples)

    @unit("times the SSE")
    def track_loss(self, method: str, block: int) -> float:
        without_blocks = plan(METHODS[method](None), self.tuples)
        return sse(plan(self.method, self.tuples)) / sse(without_blocks)


class AMillionInBlocks:
    """Can every method plan a million distinct tuples of four attributes, in blocks of 10,000?

    Made up: three diagnoses as frequent as in ``diabetes_130``, drawn independently, and an age.
    The memory is that of the process that asks; the others hold a block each.
    """

    param_names = ("method",)
    params = (list(METHODS),)

    def setup(self, method: str) -> None:
        self.tuples = made_up(MILLION)
        self.method = METHODS[method](10_000)
        plan(METHODS[method](None), some(self.tuples, 200))  # compiled

    def time_plan(self, method: str) -> None:
        plan(self.method, self.tuples)

    peakmem_plan = time_plan
