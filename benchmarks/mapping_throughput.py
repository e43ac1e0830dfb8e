"""Terms to concepts, for whole columns."""

from __future__ import annotations

import ontomask as om
from benchmarks._inputs import diabetes
from benchmarks._measuring import best_time, unit


class MappingThroughput:
    """How many values a second find their concept?

    ``diabetes_130``: all 303,496 diagnoses, 915 of them distinct, many of which lost zeros, onto
    ICD-9-CM. ``labels``: every label of WordNet in capitals, nearly all distinct, so that each is
    looked up, and by its folded form.
    """

    param_names = ("values",)
    params = (["diabetes_130", "labels"],)

    def setup(self, values: str) -> None:
        if values == "diabetes_130":
            self.taxonomy = om.load_taxonomy("icd9cm")
            columns = (diabetes(column)[0] for column in ("diag_1", "diag_2", "diag_3"))
            self.values = [value for column in columns for value in column]
        else:
            self.taxonomy = om.load_taxonomy("wordnet")
            self.values = [n.upper() for c in self.taxonomy for n in self.taxonomy.labels(c)]
        self.repair = values == "diabetes_130"
        om.map_terms(self.values[:1], self.taxonomy, repair_codes=self.repair)  # indexes the names

    def time_mapping(self, values: str) -> None:
        om.map_terms(self.values, self.taxonomy, repair_codes=self.repair)

    peakmem_mapping = time_mapping

    @unit("values/s")
    def track_mapping_rate(self, values: str) -> float:
        return len(self.values) / best_time(lambda: self.time_mapping(values))

    def time_index_of_names(self, values: str) -> None:
        del self.taxonomy.__dict__["names"]
        om.map_terms(self.values[:1], self.taxonomy, repair_codes=self.repair)
