"""Planning swaps and noise for every record of a large table."""

from __future__ import annotations

from math import log
from typing import Literal

import numpy as np

import ontomask as om
from benchmarks._inputs import sample
from benchmarks._measuring import best_time, unit
from benchmarks.grouping import diagnoses
from ontomask.methods.noise.noise_addition import NoiseAddition
from ontomask.methods.swapping.rank_swapping import RankSwapping
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.tuples import Tuples

MILLION = 1_000_000


def with_records(tuples: Tuples, records: int) -> Tuples:
    """The same tuples with more records: each as many times more as can be."""
    shares = tuples.counts * records / tuples.records
    counts = np.maximum(np.floor(shares).astype(np.int64), 1)
    counts[np.argmax(counts)] += records - counts.sum()
    return Tuples(tuples.attributes, tuples.codes, counts)


def column_of(taxonomy: om.Taxonomy, values: list[str], records: int = MILLION) -> Tuples:
    """A made-up column: some values far more often than others, as real columns have them."""
    known = sorted(values)
    weights = 1 / np.arange(1, len(known) + 1)
    places = np.random.default_rng(0).choice(len(known), records, p=weights / weights.sum())
    counts = np.bincount(places, minlength=len(known))
    used = np.flatnonzero(counts)
    attribute = NominalAttribute("column", taxonomy, [known[place] for place in used])
    return Tuples((attribute,), np.arange(len(used), dtype=np.int32)[None], counts[used])


def ready(method: RankSwapping | NoiseAddition, tuples: Tuples) -> Tuples:
    """Distance tables made and loops compiled."""
    few = Tuples(tuples.attributes, tuples.codes[:, :50].copy(), tuples.counts[:50])
    method.plan(few, np.random.default_rng(0))
    for attribute in tuples.attributes:
        if isinstance(method, RankSwapping):
            assert isinstance(attribute, NominalAttribute)
            _ = attribute.table
    return tuples


class Swapping:
    """How long does it take to plan swaps for every record of a hospital data set?

    ``dynamic`` on 1,000,000 records of 716 principal diagnoses; ``multivariate`` on all pairs
    (18,432 tuples of 101,388 records) and triples (57,505 of 100,244) of diagnoses.
    """

    param_names = ("work", "k")
    params = (["dynamic", "two", "two, guard", "three", "three, guard"], [5, 20])

    def setup(self, work: str, k: int) -> None:
        if work == "dynamic":
            self.method = RankSwapping(k, "dynamic")
            tuples = with_records(diagnoses(1), MILLION)
        else:
            self.method = RankSwapping(k, guard=work.endswith("guard"))
            tuples = diagnoses(2 if work.startswith("two") else 3)
        self.tuples = ready(self.method, tuples)

    def time_plan(self, work: str, k: int) -> None:
        self.method.plan(self.tuples, np.random.default_rng(0))

    peakmem_plan = time_plan


class SwappingGrowth:
    """How does swapping grow with the number of records?

    The exponent between 5,600 and 100,244 records of three diagnoses (``multivariate``), and
    between 100,000 and 1,000,000 records of one (``dynamic``).
    """

    param_names = ("strategy",)
    params = (["multivariate", "dynamic"],)

    def setup(self, strategy: Literal["multivariate", "dynamic"]) -> None:
        self.method = RankSwapping(5, strategy)
        if strategy == "multivariate":
            pair = diagnoses(3, 5_600), diagnoses(3)
        else:
            pair = with_records(diagnoses(1), MILLION // 10), with_records(diagnoses(1), MILLION)
        self.small, self.large = (ready(self.method, tuples) for tuples in pair)

    @unit("exponent")
    def track_growth(self, strategy: str) -> float:
        def time(tuples: Tuples) -> float:
            return best_time(lambda: self.method.plan(tuples, np.random.default_rng(0)))

        ratio = time(self.large) / time(self.small)
        return log(ratio) / log(self.large.records / self.small.records)


class Noise:
    """How long does it take to add noise to 1,000,000 records?

    716 diagnoses over all of ICD-9-CM; 1,000 occupations, and every concept, over the people of
    WordNet.
    """

    param_names = ("column",)
    params = (["icd9cm", "1,000 people", "all people"],)

    def setup(self, column: str) -> None:
        self.method = NoiseAddition()
        if column == "icd9cm":
            taxonomy = om.load_taxonomy("icd9cm")
            values = sample(taxonomy.identifiers, 716)
        else:
            taxonomy = om.load_taxonomy("wordnet").domain(root="person.n.01")
            size = 1_000 if column.startswith("1,000") else len(taxonomy)
            values = sample(taxonomy.identifiers, size)
        self.tuples = ready(self.method, column_of(taxonomy, values))

    def time_plan(self, column: str) -> None:
        self.method.plan(self.tuples, np.random.default_rng(0))

    peakmem_plan = time_plan

    @unit("exponent")
    def track_growth(self, column: str) -> float:
        small = with_records(self.tuples, MILLION // 10)

        def time(tuples: Tuples) -> float:
            return best_time(lambda: self.method.plan(tuples, np.random.default_rng(0)))

        return log(time(self.tuples) / time(small)) / log(self.tuples.records / small.records)


class Stream:
    """How many values a second can be masked one at a time?"""

    param_names = ("taxonomy",)
    params = (["icd9cm", "people"],)

    def setup(self, taxonomy: str) -> None:
        known = om.load_taxonomy("icd9cm")
        if taxonomy == "people":
            known = om.load_taxonomy("wordnet").domain(root="person.n.01")
        self.values = sample(known.identifiers, 716) * 200
        self.fitted = NoiseAddition().fit(self.values, known, domain="taxonomy")
        self.fitted.mask_values(self.values)

    @unit("values a second")
    def track_one_at_a_time(self, taxonomy: str) -> float:
        def mask() -> None:
            for value in self.values:
                self.fitted.mask_value(value)

        return len(self.values) / best_time(mask)
