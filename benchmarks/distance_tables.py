"""The table of distances between all values of a column, on which everything else is built."""

from __future__ import annotations

import numpy as np

import ontomask as om
from benchmarks._inputs import sample
from benchmarks._measuring import memory, unit
from ontomask.distances import Distances, find_measure


class DistanceTables:
    """Does the distance table of a column stay affordable as it grows?

    Random concepts of WordNet. Memory should stay below twice the table.
    """

    param_names = ("concepts", "measure", "dtype")
    params = ([2_000, 10_000], ["sanchez", "wu_palmer"], ["float64", "float32"])

    def setup(self, concepts: int, measure: str, dtype: str) -> None:
        self.taxonomy = om.load_taxonomy("wordnet")
        every = sample(self.taxonomy.identifiers, concepts)
        self.concepts = every[:10]
        self.time_table(10, measure, dtype)  # compiles
        self.concepts = every

    def time_table(self, concepts: int, measure: str, dtype: str) -> None:
        if dtype == "float64":
            om.distance_matrix(self.taxonomy, self.concepts, measure)
        else:
            chosen = find_measure(measure, self.taxonomy)
            Distances(self.taxonomy, self.concepts, measure=chosen).table(np.float32)

    peakmem_table = time_table

    @unit("times the table")
    def track_memory(self, concepts: int, measure: str, dtype: str) -> float:
        _, own = memory(lambda: self.time_table(concepts, measure, dtype))
        return own / (concepts**2 * np.dtype(dtype).itemsize)
