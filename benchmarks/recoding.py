"""Recoding of many distinct tuples: compared with all others, or with those close by."""

from __future__ import annotations

from math import log
from typing import Literal

import numpy as np

from benchmarks._measuring import CannotRun, best_time, unit
from benchmarks.grouping import diagnoses
from benchmarks.merging import MILLION, made_up, some
from ontomask import utility
from ontomask.methods.recoding.recoding import Recoding
from ontomask.microdata.tuples import Transitions, Tuples

K = 5
#: Tuples of pairs and of triples of diagnoses, and made-up ones of four attributes.
TABLES = ("pairs", "triples", "200,000 made up", "1,000,000 made up")


def table(name: str) -> Tuples:
    """The tuples of that name."""
    if name in ("pairs", "triples"):
        return diagnoses(2 if name == "pairs" else 3)
    return made_up(int(name.split()[0].replace(",", "")))


def planned(tuples: Tuples, neighbours: Literal["auto", "exact", "near"]) -> Transitions:
    return Recoding(K, neighbours=neighbours).plan(tuples, np.random.default_rng(0))


def compiled(tuples: Tuples, neighbours: Literal["auto", "exact", "near"]) -> Tuples:
    """The same with its distance tables made and the loops compiled."""
    planned(some(tuples, 200), neighbours)
    return tuples


class RecodingMany:
    """How does recoding grow with the number of distinct tuples, and what does it lose?

    18,432 pairs and 57,505 triples of diagnoses of ``diabetes_130``, and tuples made up of three
    diagnoses, drawn independently, and an age; k = 5.
    """

    param_names = ("neighbours", "tuples")
    params = (["exact", "near"], list(TABLES))

    def setup(self, neighbours: Literal["auto", "exact", "near"], tuples: str) -> None:
        if neighbours == "exact" and tuples.startswith(f"{MILLION:,}"):
            raise CannotRun("comparing with all takes minutes at this size")
        self.tuples = compiled(table(tuples), neighbours)

    def time_plan(self, neighbours: Literal["auto", "exact", "near"], tuples: str) -> None:
        planned(self.tuples, neighbours)

    peakmem_plan = time_plan

    @unit("SSE")
    def track_loss(self, neighbours: Literal["auto", "exact", "near"], tuples: str) -> float:
        return utility.sse(planned(self.tuples, neighbours))


class GrowthOfRecoding:
    """How fast does recoding grow from 20,000 made-up tuples of four attributes to 200,000?

    The figure is the exponent.
    """

    param_names = ("neighbours",)
    params = (["exact", "near"],)

    def setup(self, neighbours: Literal["auto", "exact", "near"]) -> None:
        self.large = compiled(made_up(200_000), neighbours)
        self.small = some(self.large, 20_000)

    @unit("exponent")
    def track_growth(self, neighbours: Literal["auto", "exact", "near"]) -> float:
        small, large = (
            best_time(lambda tuples=tuples: planned(tuples, neighbours))  # type: ignore[misc]
            for tuples in (self.small, self.large)
        )
        return log(large / small) / log(len(self.large) / len(self.small))
