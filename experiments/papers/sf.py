"""SF section 4: three methods with semantic and with classic operators, and suppression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from experiments.data import Data
from experiments.experiment import Cell, Experiment, Result, Settings
from experiments.trials import Means, in_random_order, mean_of, sample, seconds
from ontomask import utility
from ontomask.methods.method import Method
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression
from ontomask.microdata.tuples import Tuples

__all__ = ["EXPERIMENTS"]

#: As many records as the paper had (section 4.1), and as many samples of them.
RECORDS, SAMPLES = 3_006, 10
KS = (2, 3, 5, 7, 10, 15)

MAKE: dict[str, Callable[[int, Any], Method]] = {
    "microaggregation": lambda k, how: Microaggregation(k, algorithm="mdav", operators=how),
    "recoding": lambda k, how: Recoding(k, weighted=True, operators=how),
    "resampling": lambda k, how: Resampling(k, operators=how),
}

#: The figures in the text of section 4.2, all for k = 15.
PRINTED: dict[str, Sequence[Cell]] = {
    "microaggregation, semantic": [None] * (len(KS) - 1) + [645],
    "suppression": [None] * (len(KS) - 1) + [2875],
}

IMAGES = "The paper's figures are images. Only numbers in its text are repeated here."


def _tuples(data: Data, seed: int, settings: Settings) -> Tuples:
    """Two diagnoses of a sample of complete records, compared within the whole taxonomy."""
    columns = ("first", "second")
    rows = sample(data.complete(*columns), RECORDS, seed, settings)
    tuples = data.tuples(rows, columns, measure="sanchez", domain="taxonomy")
    return in_random_order(tuples, seed)


def _methods(k: int) -> dict[str, Method]:
    methods = {
        f"{name}, {how}": make(k, how)
        for name, make in MAKE.items()
        for how in ("semantic", "classic")
    }
    return {**methods, "suppression": Suppression(k, how="drop")}


def figures_4_and_5(data: Data, settings: Settings) -> list[Result]:
    """Squared error and KL divergence of every method by k."""
    errors, divergences = Means(), Means()
    seeds = settings.seeds(SAMPLES)
    for seed in seeds:
        settings.progress(f"sample {seed - seeds.start + 1} of {len(seeds)}")
        tuples = _tuples(data, seed, settings)
        for k in KS:
            for label, method in _methods(k).items():
                plan = method.plan(tuples, np.random.default_rng(seed))
                errors.add(label, k, utility.sse(plan))
                divergences.add(label, k, utility.kl(plan, removed=method.drops))
    of = mean_of(len(seeds), tuples)
    return [
        Result(
            f"Squared error (SSE, SF eq. 7), {of}",
            "k",
            KS,
            errors.rows(KS, PRINTED),
            better="lower",
            digits=0,
            notes=(
                IMAGES,
                f"The paper's 3,006 records have 2,331 different combinations of SNOMED CT "
                f"concepts; the last sample here has {len(tuples):,} of ICD-9-CM codes.",
                "Ties are resolved in a random order of values. ICD codes are ordered by meaning, "
                "so their order would help the classic operators.",
            ),
        ),
        Result(
            f"KL divergence (SF eq. 8), {of}",
            "k",
            KS,
            divergences.rows(KS),
            better="lower",
            notes=(
                "The paper shows only the semantic methods: recoding is best and resampling worst.",
            ),
        ),
    ]


def figure_6(data: Data, settings: Settings) -> list[Result]:
    """The time to plan with each semantic method, by k."""
    times = Means()
    seeds = settings.seeds(5)
    for seed in seeds:
        settings.progress(f"sample {seed - seeds.start + 1} of {len(seeds)}")
        tuples = _tuples(data, seed, settings)
        for name, make in MAKE.items():
            make(2, "semantic").plan(tuples, np.random.default_rng(seed))
            for k in KS:
                times.add(name, k, 1000 * seconds(make(k, "semantic"), tuples, seed))
    return [
        Result(
            f"Planning time in milliseconds, {mean_of(len(seeds), tuples)}",
            "k",
            KS,
            times.rows(KS),
            better="lower",
            digits=1,
            notes=(
                "Compilation and the calculation of distances are not part of the time.",
                "The paper's figure is an image. Its text: resampling is fastest; microaggregation "
                "is slower than recoding below k = 4 and faster above; the time of recoding hardly "
                "depends on k.",
            ),
        )
    ]


EXPERIMENTS = [
    Experiment("sf-figures-4-5", "SF", "Semantic and classic operators by k", figures_4_and_5),
    Experiment("sf-figure-6", "SF", "Run time of the methods by k", figure_6),
]
