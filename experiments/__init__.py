"""The papers' experiments, repeated on public or synthetic data.

In a checkout, ``python -m experiments`` runs experiments by name and prints the results with the
published figures. ``make papers`` runs all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from experiments.data import Data, load_data
from experiments.experiment import Experiment, Outcome, Result, Row, Settings
from experiments.papers import ma, no, rs, sf, tm
from ontomask.errors import ParameterError

__all__ = [
    "EXPERIMENTS",
    "Data",
    "Experiment",
    "Outcome",
    "Result",
    "Row",
    "Settings",
    "find_experiments",
    "load_data",
    "run_experiments",
]

#: Every experiment, paper by paper.
EXPERIMENTS: tuple[Experiment, ...] = (
    *rs.EXPERIMENTS,
    *no.EXPERIMENTS,
    *ma.EXPERIMENTS,
    *tm.EXPERIMENTS,
    *sf.EXPERIMENTS,
)


def find_experiments(names: Sequence[str] = ()) -> list[Experiment]:
    """Find experiments by the beginning of their names; without names, return all.

    >>> [experiment.name for experiment in find_experiments(["sf"])]
    ['sf-figures-4-5', 'sf-figure-6']
    """
    for name in names:
        if not name or not any(known.name.startswith(name.lower()) for known in EXPERIMENTS):
            raise ParameterError(
                f"NAME must be the name of an experiment or its beginning, got {name!r}",
                f"the experiments are {', '.join(known.name for known in EXPERIMENTS)}",
            )
    wanted = tuple(name.lower() for name in names) or ("",)
    return [known for known in EXPERIMENTS if known.name.startswith(wanted)]


def run_experiments(
    experiments: Sequence[Experiment], data: Data, settings: Settings
) -> list[Outcome]:
    """Run the experiments in order."""
    outcomes = []
    for experiment in experiments:
        settings.progress(experiment.name)
        begin = perf_counter()
        results = experiment.run(data, settings.within(experiment.name))
        outcomes.append(Outcome(experiment, results, perf_counter() - begin))
    return outcomes
