"""The plain definitions of the tests, slow on purpose, beside the code that is used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ontomask as om
from benchmarks._inputs import sample
from benchmarks._measuring import CannotRun, unit
from benchmarks.budgets import Work, planned, processor_time
from benchmarks.grouping import diagnoses
from benchmarks.merging import K, some
from ontomask import risk
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.operators import Operators
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import draw_samples, resample
from ontomask.methods.swapping.rank_swapping import RankSwapping
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.tuples import Tuples

TESTS = Path(__file__).resolve().parents[1] / "tests"
#: How many tuples the plain definitions can manage.
FEW = 200


def plain(name: str) -> Any:
    """A module of plain definitions; distances and ancestors, once asked for, are remembered."""
    if not (TESTS / f"{name}.py").exists():
        raise CannotRun("the tests, which hold the plain definitions, are not here")
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    try:
        first: Any = import_module("plain")
        for function in ("ancestors", "depth", "sanchez"):
            if not hasattr(getattr(first, function), "cache_info"):
                setattr(first, function, cache(getattr(first, function)))
        return import_module(name)
    except ModuleNotFoundError as missing:
        raise CannotRun(f"the tests need {missing.name}, which is not installed") from None


class Pair(NamedTuple):
    """The same work, as it is used and by its plain definition."""

    ours: Work
    plainly: Work


def values(tuples: Tuples) -> list[tuple[str, ...]]:
    """Tuples as the values they stand for."""
    columns = []
    for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True):
        assert isinstance(attribute, NominalAttribute)
        columns.append([attribute.values[code] for code in codes.tolist()])
    return list(zip(*columns, strict=True))


def domains(tuples: Tuples) -> list[om.Taxonomy]:
    return [
        attribute.domain
        for attribute in tuples.attributes
        if isinstance(attribute, NominalAttribute)
    ]


# ---------------------------------------------------------------- the work


def distance_table(_: Tuples) -> Pair:
    """Here nothing is remembered: distances are the work."""
    definitions = plain("plain")
    tree = om.load_taxonomy("wordnet")
    few = sample(tree.identifiers, FEW)
    distance = definitions.sanchez.__wrapped__
    return Pair(
        partial(om.distance_matrix, tree, few, "sanchez"),
        partial(definitions.table, tree, few, distance),
    )


def mdav(tuples: Tuples) -> Pair:
    definitions, records = plain("plain_mdav"), values(tuples)
    columns = [
        definitions.Column(list(column), domain)
        for column, domain in zip(zip(*records, strict=True), domains(tuples), strict=True)
    ]
    counts = dict(zip(records, tuples.counts.tolist(), strict=True))
    table = definitions.Table(columns, counts)
    return Pair(planned(Microaggregation(K, "mdav"), tuples), partial(definitions.groups, table, K))


def recoding(tuples: Tuples) -> Pair:
    definitions = plain("plain_recoding")
    distance = definitions.records(*map(definitions.words, domains(tuples)))
    start = dict(zip(values(tuples), tuples.counts.tolist(), strict=True))

    def course() -> None:
        counts = start
        while choices := definitions.sources(counts, K, distance):
            other = definitions.partners(choices[0], counts, distance)[0]
            counts = definitions.fused(choices[0], other, counts)

    return Pair(planned(Recoding(K), tuples), course)


def swapping(tuples: Tuples) -> Pair:
    definitions = plain("plain_swapping")
    codes = [np.repeat(column, tuples.counts) for column in tuples.codes]
    apart = [
        attribute.table[attribute.place].astype(np.int64)[np.ix_(column, column)]
        for attribute, column in zip(tuples.attributes, codes, strict=True)
        if isinstance(attribute, NominalAttribute)
    ]

    def swapped() -> None:
        definitions.multivariate(codes, apart, K, np.random.default_rng(0))

    return Pair(planned(RankSwapping(K), tuples), swapped)


def resampling(tuples: Tuples) -> Pair:
    definitions, every = plain("plain_methods"), values(tuples)
    samples, others = draw_samples(tuples.counts, K, np.random.default_rng(0))
    lists = [
        [every[t] for t, n in zip(sample_.tuples, sample_.counts, strict=True) for _ in range(n)]
        for sample_ in (*samples, others)
    ]
    operators = Operators(tuples)
    return Pair(
        lambda: resample(operators, samples, others),
        partial(definitions.resampling, tuples.attributes, lists[:-1], lists[-1], False),
    )


def nearest_linkage(tuples: Tuples) -> Pair:
    """One record of each tuple: the definition looks at every three of them."""
    definitions = plain("plain_risk")
    tuples = Tuples(tuples.attributes, tuples.codes, np.ones_like(tuples.counts))
    plan = Microaggregation(K, "mdav").plan(tuples, np.random.default_rng(0))
    pairs = definitions.records(plan)
    return Pair(
        lambda: risk.linkage_nearest(replace(plan)),  # what is known of a plan is not sought again
        partial(definitions.nearest_probabilities, tuples.attributes, pairs),
    )


PAIRS: dict[str, Callable[[Tuples], Pair]] = {
    "distance table": distance_table,
    "mdav": mdav,
    "recoding": recoding,
    "multivariate swapping": swapping,
    "resampling": resampling,
    "nearest linkage": nearest_linkage,
}


class PlainDefinitions:
    """How many times as long does the plain definition take, where it can be run at all?

    200 distinct pairs of diagnoses, or a table of 200 concepts of WordNet; k = 5. The plain
    definitions are what the tests compare with, in Python and without cleverness; distances that
    they asked for once are remembered, as ours are in tables. They grow faster, so that the ratio
    is larger for more tuples. Merging has no plain algorithm: the tests compare what it costs.
    """

    param_names = ("of",)
    params = (list(PAIRS),)

    def setup(self, name: str) -> None:
        tuples = some(diagnoses(2), FEW)
        coded = [np.unique(codes, return_inverse=True) for codes in tuples.codes]
        attributes = [
            attribute.restrict_to(known)
            for attribute, (known, _) in zip(tuples.attributes, coded, strict=True)
        ]
        codes = np.stack([codes for _, codes in coded]).astype(np.int32)
        self.pair = PAIRS[name](Tuples(tuple(attributes), codes, tuples.counts))
        self.pair.ours()

    @unit("ms")
    def track_ours(self, name: str) -> float:
        return processor_time(self.pair.ours) * 1000

    @unit("times as long, plain definition")
    def track_ratio(self, name: str) -> float:
        self.pair.plainly()  # remembers distances
        return processor_time(self.pair.plainly) / processor_time(self.pair.ours)
