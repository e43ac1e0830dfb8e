"""The report of a release."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import ontomask as om
from benchmarks._inputs import random_graph
from benchmarks._measuring import unit
from ontomask.pipeline.evaluation import Evaluation
from ontomask.pipeline.facts import publishable_facts
from ontomask.pipeline.release import Release

CONCEPTS, VALUES, RECORDS = 20_000, 200, 2_000


def wide_release(columns: int) -> Release:
    """A release with many columns of words, from a taxonomy of 20,000 concepts with long names.

    Its figures are those of one column, given to all: working them out would take minutes, and
    what they are is of no matter for the report.
    """
    random = np.random.default_rng(0)
    tree = random_graph(CONCEPTS)
    tree = om.Taxonomy.from_edges(
        [(_long(c), _long(parent)) for c in tree for parent in tree.parents(c)], name="made up"
    )
    names = np.array(tree.identifiers)
    table = {
        f"column {place}": names[random.choice(CONCEPTS, VALUES)][
            random.integers(0, VALUES, RECORDS)
        ]
        for place in range(columns)
    }

    def mask_columns(chosen: list[str]) -> Release:
        schema = om.Schema([om.Nominal(column, tree) for column in chosen])
        return om.mask(
            pa.table({column: table[column] for column in chosen}), schema, om.Suppression(k=2)
        )

    narrow, wide = mask_columns(["column 0"]).evaluation, mask_columns(list(table))
    both = [_widen_figures(part, list(table), random) for part in (narrow.utility, narrow.risk)]
    wide.__dict__["evaluation"] = Evaluation(*both)
    return wide


def _long(concept: str) -> str:
    return f"{concept}, a concept with a name as long as those of diagnoses"


def _widen_figures(figures: Any, columns: list[str], random: np.random.Generator) -> Any:
    if not isinstance(figures, dict):
        return figures
    if "columns" in figures:
        matrix = random.random((len(columns), len(columns))).tolist()
        sides = dict.fromkeys(("before", "after", "difference"), matrix)
        return {**figures, "columns": columns, **sides}
    if columns[0] in figures:
        return {column: figures[columns[0]] for column in columns}
    return {name: _widen_figures(inner, columns, random) for name, inner in figures.items()}


class Report:
    """How long does the report of a wide table take to write, and how large does it get?"""

    param_names = ("columns",)
    params = ([10, 200],)

    def setup(self, columns: int) -> None:
        self.release = wide_release(columns)

    def time_report(self, columns: int) -> None:
        self.release.report(publishable_facts(self.release, 2))

    @unit("MB")
    def track_size(self, columns: int) -> float:
        return len(self.release.report(publishable_facts(self.release, 2)).encode()) / 1e6
