"""Other programs that make tables k-anonymous, or say how anonymous they are, on the same tables.

Each class says in what the two differ; none does all that the other does. A peer that is not
installed is skipped. anjana wants versions of numpy and pandas of its own, and so an environment of
its own, with this package in it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ontomask as om
from benchmarks._measuring import CannotRun, unit
from benchmarks.budgets import numbers, planned, processor_time
from benchmarks.merging import K
from ontomask import risk
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions, count_tuples

QUASI = ["diagnosis", "procedure"]
CONFIDENTIAL = "outcome"


def needs(*packages: str) -> None:
    """Skip where one of them is not installed."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise CannotRun(f"{' and '.join(missing)} is not installed")


def discharges(records: int) -> Any:
    """Synthetic discharges as a pandas frame."""
    import pandas as pd

    columns = om.datasets.discharges(records, seed=0)
    return pd.DataFrame({name: columns[name] for name in (*QUASI, CONFIDENTIAL)})


class MdavInAnonypyx:
    """How long does MDAV take in anonypyx, on the same rows of six numbers?

    It takes Euclidean distances between standardised columns, held in a table of all pairs, so that
    10,000 rows need gigabytes; ours, ``distance="s"``, are the squares of the same. It stops at the
    groups, ours goes on to the centroids. It knows words only as equal or unequal. The loss is the
    sum of squares within groups, standardised, theirs over ours.
    """

    param_names = ("rows",)
    params = ([1_000, 4_000],)

    def setup(self, rows: int) -> None:
        needs("anonypyx", "pandas")
        import pandas as pd
        from anonypyx.microaggregation import MDAVGeneric

        tuples = numbers(rows)
        columns = {
            attribute.name: attribute.numbers[codes]
            for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True)
            if isinstance(attribute, NumericalAttribute)
        }
        frame = pd.DataFrame(columns)
        self.ours = planned(Microaggregation(K, "mdav", distance="s"), tuples)
        self.theirs: Callable[[], Any] = lambda: MDAVGeneric(frame, list(frame)).partition(K)
        self.table = frame.to_numpy()
        self.table = (self.table - self.table.mean(axis=0)) / self.table.std(axis=0)

    @unit("ms")
    def track_ours(self, rows: int) -> float:
        return processor_time(self.ours) * 1000

    @unit("times as long, anonypyx")
    def track_ratio(self, rows: int) -> float:
        return processor_time(self.theirs) / processor_time(self.ours)

    @unit("times the loss, anonypyx")
    def track_loss(self, rows: int) -> float:
        plan = self.ours()
        assert isinstance(plan, Transitions)
        theirs = np.empty(rows, dtype=np.int64)
        for group, members in enumerate(self.theirs()):
            theirs[members] = group
        ours = np.empty(rows, dtype=np.int64)
        ours[plan.source] = plan.target
        return self._within(theirs) / self._within(ours)

    def _within(self, group: NDArray[np.int64]) -> float:
        sizes = np.bincount(group)
        sums = [np.bincount(group, weights=column) for column in self.table.T]
        return float(
            (self.table**2).sum() - sum((group_sums**2 / sizes).sum() for group_sums in sums)
        )


class GeneralisingInAnjana:
    """How long does anjana take to make two columns of words 5-anonymous, and what is lost?

    From a pandas frame to a pandas frame, synthetic discharges. anjana lifts whole columns level by
    level, and may leave out a tenth of the records; ours groups similar records, changes single
    cells, leaves out none, and verifies and counts the result. The loss is the SSE of both, where a
    record that anjana left out counts as one with the root in both columns.
    """

    param_names = ("records",)
    params = ([1_000, 5_000],)

    def setup(self, records: int) -> None:
        needs("anjana", "pandas")
        from anjana.anonymity import k_anonymity

        frame = discharges(records)[QUASI]
        trees = dict(
            zip(QUASI, map(om.load_taxonomy, ("icd9cm", "icd9cm-procedures")), strict=True)
        )
        levels = {name: hierarchy(trees[name], frame[name]) for name in QUASI}
        self.frame, self.roots = frame, {name: trees[name].root for name in QUASI}
        self.schema = om.Schema(
            [om.Nominal(name, trees[name], domain="taxonomy") for name in QUASI]
        )

        def generalised() -> Any:
            with redirect_stdout(StringIO()):
                return k_anonymity(frame.copy(), [], list(QUASI), K, 10, dict(levels))

        self.theirs: Callable[[], Any] = generalised
        self.ours: Callable[[], Any] = lambda: (
            om.mask(frame, self.schema, Microaggregation(K), seed=0).data
        )
        self.ours()

    @unit("ms")
    def track_ours(self, records: int) -> float:
        return processor_time(self.ours) * 1000

    @unit("times as long, anjana")
    def track_ratio(self, records: int) -> float:
        return processor_time(self.theirs) / processor_time(self.ours)

    @unit("times the loss, anjana")
    def track_loss(self, records: int) -> float:
        theirs = self.theirs()
        if "index" in theirs:  # some were left out
            theirs = theirs.set_index("index").reindex(self.frame.index).fillna(self.roots)

        def loss(masked: Any) -> float:
            return float(om.evaluate(self.frame, masked, self.schema).utility["sse"])

        return loss(theirs[QUASI]) / loss(self.ours())


def hierarchy(tree: om.Taxonomy, column: Any) -> dict[int, list[str]]:
    """Every value on every level, as anjana wants them: deep ones are lifted first."""
    values = sorted(set(column))
    paths = [sorted(tree.ancestors(value), key=tree.depth) for value in values]
    deepest = max(map(len, paths))
    return {
        level: [path[min(deepest - level, len(path)) - 1] for path in paths]
        for level in range(deepest)
    }


class AnonymityInPycanon:
    """How long does pycanon take to say k, l and t of the same table?

    Synthetic discharges, diagnosis and procedure, one confidential column of words. From a pandas
    frame to three numbers, which are the same in both (tests/risk/test_against_pycanon.py). A
    release counts its classes in an engine; here they are counted with numpy.
    """

    param_names = ("records",)
    params = ([500, 1_000],)

    def setup(self, records: int) -> None:
        needs("pycanon", "pandas")
        from pycanon import anonymity

        frame = discharges(records)
        self.theirs: Callable[[], Any] = lambda: (
            anonymity.k_anonymity(frame, QUASI),
            anonymity.l_diversity(frame, QUASI, [CONFIDENTIAL]),
            anonymity.t_closeness(frame, QUASI, [CONFIDENTIAL]),
        )
        self.ours: Callable[[], Any] = lambda: counted(frame)
        self.ours()

    @unit("ms")
    def track_ours(self, records: int) -> float:
        return processor_time(self.ours) * 1000

    @unit("times as long, pycanon")
    def track_ratio(self, records: int) -> float:
        return processor_time(self.theirs) / processor_time(self.ours)

    @unit("at most")
    def track_difference(self, records: int) -> float:
        return float(np.abs(np.subtract(self.theirs(), self.ours())).max())


def counted(frame: Any) -> tuple[int, int, float]:
    """k, distinct l and t, equal distance, of a frame."""
    coded = [np.unique(frame[name].to_numpy(dtype=str), return_inverse=True) for name in QUASI]
    attributes = [NumericalAttribute("", np.arange(float(len(distinct)))) for distinct, _ in coded]
    tuples, place = count_tuples(attributes, [codes for _, codes in coded])
    values, codes = np.unique(frame[CONFIDENTIAL].to_numpy(dtype=str), return_inverse=True)
    key, often = np.unique(place * len(values) + codes, return_counts=True)
    confidential = risk.Confidential(CONFIDENTIAL, *np.divmod(key, len(values)), often)
    diversity = risk.distinct_diversity(confidential)
    return int(tuples.counts.min()), int(diversity), risk.closeness(confidential, "equal")
