"""Shared code of the RS experiments: figures of swapped samples and the notes on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, TypeVar

import numpy as np

from experiments.experiment import Cell, Result, Row, Settings
from experiments.papers.rs_printed import Figure
from ontomask.methods import RankSwapping
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.utility import distance_correlations, distance_variance_difference, mean_shift, rmse

__all__ = ["KS", "RUNS", "Swapped", "average_runs", "growth", "list_ks", "over_k"]

KS = (2, 5, 10, 20, 50, 100)
RUNS = 10

Figures = dict[Figure, float]
Key = TypeVar("Key")


def average_runs(runs: Iterable[Mapping[Key, float]]) -> dict[Key, float]:
    """The mean of each figure."""
    every = list(runs)
    return {figure: float(np.mean([run[figure] for run in every])) for figure in every[0]}


def list_ks(ks: Iterable[int]) -> str:
    """List several k in a sentence."""
    return "k = " + ", ".join(map(str, ks))


def over_k(title: str, rows: Sequence[Row], better: str, notes: Sequence[str]) -> Result:
    """A table over k, with four decimals as in the paper."""
    return Result(title, "k", KS, rows, better, 4, notes)


def growth(lines: Mapping[str, Sequence[float]]) -> str:
    """Name the rows that never decrease as k grows."""
    rising, falling = [], []
    for label, line in lines.items():
        steps = zip(KS[1:], pairwise(line), strict=True)
        less = [k for k, (before, after) in steps if after < before]
        if less:
            falling.append(f"{label} (lower at {list_ks(less)} than at the previous k)")
        else:
            rising.append(label)
    said = [f"Increasing with k: {', '.join(rising)}."] if rising else []
    return " ".join([*said, f"Not always increasing: {', '.join(falling)}."] if falling else said)


class Swapped:
    """The figures of every strategy and k, as means over samples, with notes on them."""

    def __init__(
        self, samples: Sequence[Tuples], strategies: Sequence[Any], settings: Settings
    ) -> None:
        self.samples, self.strategies = samples, strategies
        self.runs: dict[tuple[str, int], list[Figures]] = {}
        for strategy, k in product(strategies, KS):
            settings.progress(f"{strategy}, k = {k}, {len(samples[0].attributes)} attributes")
            self.runs[strategy, k] = [
                _measure_plan(RankSwapping(k, strategy).plan(tuples, np.random.default_rng(seed)))
                for seed, tuples in zip(settings.seeds(RUNS), samples, strict=True)
            ]
        self.means = {case: average_runs(runs) for case, runs in self.runs.items()}

    def of(self, kind: str) -> list[Figure]:
        """The figures of a kind, for every attribute or pair of attributes."""
        return [figure for figure in self.means[self.strategies[0], KS[0]] if figure[0] == kind]

    def line(self, figure: Figure, strategy: str) -> list[float]:
        """A figure over k."""
        return [self.means[strategy, k][figure] for k in KS]

    def rows(self, figure: Figure, printed: Mapping[str, Sequence[Cell]]) -> list[Row]:
        """A figure over k for every strategy, and what the paper prints."""
        return [Row(s, self.line(figure, s), printed.get(s)) for s in self.strategies]

    # ------------------------------------------------------------------ notes

    def growth(self, figure: Figure) -> str:
        """Name the strategies whose figures increase with k; random swapping does not use k."""
        return growth({s: self.line(figure, s) for s in self.strategies if s != "random"})

    def order(self, figure: Figure) -> str:
        """Name the k at which the algorithms have the paper's order."""
        lines = [self.line(figure, s) for s in ("dynamic", "multivariate", "fixed")]
        right: list[int] = []
        wrong: list[int] = []
        for k, low, middle, high in zip(KS, *lines, strict=True):
            (right if low < middle < high else wrong).append(k)
        claim = "dynamic is below multivariate, and multivariate below fixed,"
        if not wrong:
            return f"As in the paper: {claim} at every k."
        at = f"at {list_ks(right)} only" if right else "at no k"
        return f"Not as in the paper: {claim} {at}."

    def kept_best(self, figure: Figure) -> str:
        """Name the strategy that changes a correlation least, for each k."""
        best: dict[str, list[int]] = {}
        for k in KS:
            least = min(self.strategies, key=lambda s: self.means[s, k][figure])
            best.setdefault(least, []).append(k)
        parts = [f"{strategy} at {list_ks(ks)}" for strategy, ks in best.items()]
        begin = "As in the paper" if list(best) == ["multivariate"] else "Not as in the paper"
        often = ", ".join(str(self._best(figure, "multivariate", k)) for k in KS)
        return (
            f"{begin}: the smallest mean change has {'; '.join(parts)}. Multivariate is best in "
            f"{often} of {len(self.samples)} samples ({list_ks(KS)})."
        )

    def _best(self, figure: Figure, strategy: str, k: int) -> int:
        """Count the samples in which no strategy has a lower figure."""
        every = np.array([[run[figure] for run in self.runs[s, k]] for s in self.strategies])
        return int((every.min(axis=0) == every[self.strategies.index(strategy)]).sum())

    def at_equal_error(self, figure: Figure) -> str:
        """Compare dynamic at its largest k with multivariate at about the same error."""
        error = {k: self._error("multivariate", k) for k in KS}
        most = self._error("dynamic", KS[-1])
        k = min(KS, key=lambda k: abs(error[k] - most))
        return (
            f"At about the same RMSE, dynamic at k = {KS[-1]} (RMSE {most:.2f}) changes it by "
            f"{self.means['dynamic', KS[-1]][figure]:.3f} and multivariate at k = {k} "
            f"(RMSE {error[k]:.2f}) by {self.means['multivariate', k][figure]:.3f}."
        )

    def _error(self, strategy: str, k: int) -> float:
        """The mean RMSE of all attributes."""
        return float(np.mean([self.means[strategy, k][figure] for figure in self.of("RMSE")]))

    def by_chance(self, figure: Figure) -> str:
        """Give the correlation that remains after random swapping."""
        left = float(np.mean(self.line(figure, "random")))
        return (
            f"Random swapping leaves a correlation of {left:.2f}: with few records and many "
            "values, the distance correlation of independent attributes is not 0."
        )

    # ------------------------------------------------------------------ single attributes

    def features(self, title: str, printed: Mapping[str, Sequence[Cell]]) -> Result:
        """Describe the samples (RS table 1)."""
        names = [attribute.name for attribute in self.samples[0].attributes]
        first = self.means[self.strategies[0], KS[0]]
        values = [
            round(np.mean([np.count_nonzero(t.value_counts(j)) for t in self.samples]))
            for j in range(len(names))
        ]
        spread = [first["variance", name] for name in names]
        rows = [
            Row("different values", values, printed.get("values")),
            Row("distance variance", spread, printed.get("variance")),
        ]
        return Result(title, "attribute", names, rows, None, 4)

    def single_attributes(self, title: str, printed: Sequence[Cell] | None = None) -> Result:
        """Mean and distance variance of each attribute: swapping cannot change them."""
        labels = {"mean": "shift of the mean", "variance change": "change of distance variance"}
        rows = [
            Row(f"{label}, {name}", [self._most((kind, name), k) for k in KS], printed)
            for kind, label in labels.items()
            for _, name in self.of(kind)
        ]
        exact = all(cell == 0 for row in rows for cell in row.ours)
        note = "Exactly 0 for every strategy, k and sample." if exact else "Some are not exactly 0."
        return over_k(title, rows, "lower", [note])

    def _most(self, figure: Figure, k: int) -> float:
        return max(self.means[strategy, k][figure] for strategy in self.strategies)


def _measure_plan(plan: Transitions) -> Figures:
    """RS 4.1: error, correlations, and the change of the mean and of the distance variance."""
    figures: Figures = {("RMSE", name): error for name, error in rmse(plan).items()}
    correlations = distance_correlations(plan)
    names = correlations.columns
    for i, j in combinations(range(len(names)), 2):
        pair = f"{names[i]} and {names[j]}"
        figures["before", pair] = float(correlations.before[i, j])
        figures["after", pair] = float(correlations.after[i, j])
        figures["change", pair] = float(correlations.difference[i, j])
    for name, shift in mean_shift(plan).items():
        assert shift.distance is not None  # no value is suppressed
        figures["mean", name] = shift.distance
    for name, change in distance_variance_difference(plan).items():
        assert change.before is not None
        assert change.difference is not None
        figures["variance", name] = change.before
        figures["variance change", name] = change.difference
    return figures
