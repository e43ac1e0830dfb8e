"""The association of two columns, defined over all pairs of records."""

from __future__ import annotations

import numpy as np

import ontomask as om
from benchmarks._inputs import diabetes, sample

RECORDS = 1_000_000


class DistanceCorrelationOfAMillion:
    """Does the distance correlation of a million records take seconds, and not a month?

    Its definition goes over 10^12 pairs of records. ``diabetes_130``: the first two diagnoses,
    mapped to ICD-9-CM and drawn with replacement. Made-up columns: 700 or 2,000 codes, a few of
    them frequent, drawn independently, so that far more pairs of values occur than in real tables.
    """

    param_names = ("columns",)
    params = (["diabetes_130", "700 codes", "2000 codes"],)

    def setup(self, columns: str) -> None:
        self.taxonomy = om.load_taxonomy("icd9cm")
        random = np.random.default_rng(0)
        if columns == "diabetes_130":
            self.x, self.y = self._diabetes(random)
        else:
            self.x, self.y = self._made_up(random, int(columns.split()[0]))
        om.distance_correlation(self.x[:9], self.taxonomy, self.y[:9], self.taxonomy)  # compiles

    def _diabetes(self, random: np.random.Generator) -> list[list[str]]:
        first, second = diabetes("diag_1", "diag_2")
        concepts = om.map_terms(first + second, self.taxonomy, repair_codes=True).concepts
        records = random.integers(0, len(first), RECORDS).tolist()
        return [[concepts[column[record]] for record in records] for column in (first, second)]

    def _made_up(self, random: np.random.Generator, distinct: int) -> list[list[str]]:
        codes = sample(self.taxonomy.identifiers, distinct)
        share = 1 / np.arange(1, len(codes) + 1)
        places = random.choice(len(codes), size=(2, RECORDS), p=share / share.sum())
        return [[codes[place] for place in column] for column in places.tolist()]

    def time_correlation(self, columns: str) -> None:
        om.distance_correlation(self.x, self.taxonomy, self.y, self.taxonomy)

    peakmem_correlation = time_correlation
