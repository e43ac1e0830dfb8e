"""Linking masked diagnoses back to the original ones."""

from __future__ import annotations

import numpy as np

from benchmarks._measuring import unit
from benchmarks.grouping import diagnoses, prepared
from ontomask import risk
from ontomask.methods.method import Method
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.recoding.recoding import Recoding
from ontomask.microdata.tuples import Transitions, Tuples


def shuffled(tuples: Tuples) -> Transitions:
    """Every attribute dealt out again at random: far from everything, the most to look at."""
    random = np.random.default_rng(0)
    columns = [random.permutation(np.repeat(codes, tuples.counts)) for codes in tuples.codes]
    return Transitions.from_records(tuples, columns)


class NearestLinkage:
    """How long does it take to link every masked record to its nearest original records?

    18,432 distinct pairs of diagnoses, 57,505 distinct triples, of some 100,000 records.
    """

    param_names = ("method", "diagnoses")
    params = (["microaggregation", "recoding", "shuffled"], [2, 3])

    def setup(self, method: str, columns: int) -> None:
        tuples = prepared(diagnoses(columns))
        if method == "shuffled":
            self.plan = shuffled(tuples)
        else:
            kinds: dict[str, type[Microaggregation] | type[Recoding]]
            kinds = {"microaggregation": Microaggregation, "recoding": Recoding}
            planner: Method = kinds[method](5)
            self.plan = planner.plan(tuples, np.random.default_rng(0))
        risk.linkage_nearest(risk.projected(self.plan, [0]))  # the loop is compiled

    def time_linkage(self, method: str, columns: int) -> None:
        risk.linkage_nearest(self.plan)

    peakmem_linkage = time_linkage

    def time_everything(self, method: str, columns: int) -> None:
        risk.evaluate_risk(self.plan, k=5)

    @unit("share of the records linked rightly")
    def track_linked(self, method: str, columns: int) -> float:
        return risk.linkage_nearest(self.plan).linked


class SemanticCloseness:
    """How long does exact t-closeness by meaning take?

    The third diagnosis, watched in the classes of the first two; 789 values.
    """

    param_names = ("measure",)
    params = (["sanchez", "wu_palmer"],)

    def setup(self, measure: str) -> None:
        from dataclasses import replace

        tuples = diagnoses(3)
        two = risk.projected(shuffled(tuples), [0, 1]).tuples
        plan = Microaggregation(50).plan(two, np.random.default_rng(0))
        place = {pair: t for t, pair in enumerate(zip(*two.codes.tolist(), strict=True))}
        source = [place[pair] for pair in zip(*tuples.codes[:2].tolist(), strict=True)]
        third = replace(tuples.attributes[2], measure=measure)  # type: ignore[type-var]
        self.sensitive_counts = risk.Confidential(
            "diag_3", plan.target[source], tuples.codes[2], tuples.counts, third
        )

    def time_closeness(self, measure: str) -> None:
        risk.closeness(self.sensitive_counts, "semantic")
