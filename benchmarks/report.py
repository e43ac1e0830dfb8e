"""The report of a release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import ontomask as om
from benchmarks._inputs import random_graph
from ontomask.release.facts import facts
from ontomask.release.report import report


class Report:
    """How long does it take to write the report of a wide table, and how large does it get?

    Columns of 60 different words each from a taxonomy of 20,000 concepts; the figures are worked
    out before.
    """

    param_names = ("columns",)
    params = ([10, 100, 200],)

    def setup(self, columns: int) -> None:
        random = np.random.default_rng(0)
        tree = random_graph(20_000)
        table = {
            f"column {place}": np.array(tree.identifiers)[random.choice(20_000, 60)][
                random.integers(0, 60, 600)
            ]
            for place in range(columns)
        }
        schema = om.Schema([om.Nominal(column, tree) for column in table])
        self.release = om.mask(pa.table(table), schema, om.RankSwapping(2, "random"), seed=0)
        assert self.release.evaluation

    def time_report(self, columns: int) -> None:
        report(self.release, facts(self.release, 5))

    def track_megabytes(self, columns: int) -> float:
        return len(report(self.release, facts(self.release, 5)).encode()) / 1e6
