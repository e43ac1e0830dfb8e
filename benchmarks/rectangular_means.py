"""The mean of a column, looked for among all concepts of a large taxonomy."""

from __future__ import annotations

import ontomask as om
from benchmarks._inputs import random_graph, sample


class RectangularMeans:
    """Can the mean of 1,000 distinct values be looked for in a whole large taxonomy?

    The table of values by concepts has 82 million cells for WordNet and 100 million for the
    made-up graph, which has many concepts with several parents; it should never be in memory.
    """

    param_names = ("domain", "measure")
    params = (["wordnet", "made up"], ["sanchez", "wu_palmer"])

    def setup(self, domain: str, measure: str) -> None:
        wordnet = domain == "wordnet"
        self.taxonomy = om.load_taxonomy("wordnet") if wordnet else random_graph(100_000)
        self.values = sample(self.taxonomy.identifiers, 1_000)
        om.semantic_mean(["sprain"], om.datasets.diagnoses(), measure)  # compiles

    def time_mean(self, domain: str, measure: str) -> None:
        om.semantic_mean(self.values, self.taxonomy, measure)

    peakmem_mean = time_mean
