"""NO section IV: noise on the occupations of Adult, in the bundled WordNet below *person*.

The paper prints the count of each occupation, so these are its own data. It does not say which
concept its *farmer* is. The concept *farmer* does not give the printed variances; *agricultural
laborer* does. The experiment uses both. The paper's RMSE is the mean absolute distance, and its
target is the mean size of the noise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np

from experiments.data import Data
from experiments.experiment import Cell, Experiment, Result, Row, Settings
from ontomask.methods import NoiseAddition
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.statistics import semantic_mean, semantic_variance
from ontomask.taxonomy import Concept, Taxonomy, load_taxonomy
from ontomask.utility import mean_absolute_distance, mean_shift, rmse, variance_difference

__all__ = ["ALPHAS", "EXPERIMENTS", "FARMERS", "MEASURE", "OCCUPATIONS", "SAMPLE", "noisy", "read"]

MEASURE = "wu_palmer_depth"
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 1)
RUNS = 10

OCCUPATIONS = {
    "defender.n.01": 644,  # protector
    "official.n.01": 3295,  # functionary
    "salesperson.n.01": 3584,
    "technician.n.01": 912,
    "carrier.n.01": 1572,
    "farmer.n.01": 989,
    "cleaner.n.03": 1350,
    "clerk.n.01": 3721,
    "executive.n.01": 3992,
    "craftsman.n.03": 4030,
    "specialist.n.01": 4038,
    "serviceman.n.01": 6,
    "mill-hand.n.01": 1966,  # factory worker
    "housekeeper.n.01": 143,
}
SAMPLE = {"craftsman.n.03": 46, "cleaner.n.03": 20, "farmer.n.01": 12, "technician.n.01": 22}
FARMERS = {"agricultural laborer": "agricultural_laborer.n.01", "farmer": "farmer.n.01"}

#: The published figures.
TABLE_I: dict[str, Sequence[Cell]] = {
    "mean": ("employee",) * 6,
    "shift": (0,) * 6,
    "variance": (0.03, 0.05, 0.07, 0.10, 0.11, 0.23),
    "distance": (0.19, 0.23, 0.26, 0.28, 0.30, 0.35),
    "target": (0.12, 0.17, 0.21, 0.24, 0.27, 0.35),
}
TABLE_II: dict[str, Sequence[Cell]] = {
    "mean": ("skilled worker", "employee", "employee"),
    "shift": (0.33, 0, 0),
    "distance": (0.56, 0.54, 0.35),
}
TABLE_III: dict[str, Sequence[Cell]] = {
    "mean": (
        *("craftsman", "craftsman", "skilled worker"),
        *("craftsman", "skilled worker", "skilled worker"),
    ),
    "shift": (0, 0, 0.14, 0, 0.14, 0.14),
    "variance": (0, 0.01, 0.03, 0.03, 0.04, 0.07),
    "distance": (0.14, 0.18, 0.20, 0.23, 0.24, 0.35),
    "target": (0.09, 0.13, 0.15, 0.19, 0.20, 0.29),
}
TABLE_IV: dict[str, Sequence[Cell]] = {
    "mean": ("laborer", "technician", "skilled worker"),
    "shift": (0.56, 0.25, 0.14),
    "distance": (0.37, 0.35, 0.35),
}

LABELS = {
    "mean": "mean of the masked column",
    "shift": "distance between the means",
    "variance": "difference of the variance from (1 + α) times the original",
    "distance": "mean absolute distance (the paper's RMSE)",
    "rmse": "RMSE",
    "target": "target: mean size of the noise",
}


class Table(NamedTuple):
    """A table of the paper: the column, the methods and the published figures."""

    number: str
    of: str
    counts: Mapping[Concept, int]
    across: str
    methods: Mapping[Cell, NoiseAddition]
    original: tuple[str, float]
    printed: Mapping[str, Sequence[Cell]]


NOISE: dict[Cell, NoiseAddition] = {alpha: NoiseAddition(alpha) for alpha in ALPHAS}
BASELINES: dict[Cell, NoiseAddition] = {
    "naive": NoiseAddition(strategy="naive"),
    "probabilistic": NoiseAddition(strategy="probabilistic"),
    "semantic, α = 1": NoiseAddition(1),
}
TABLES = (
    Table("I", "14 occupations", OCCUPATIONS, "α", NOISE, ("employee", 0.23), TABLE_I),
    Table("II", "14 occupations", OCCUPATIONS, "method", BASELINES, ("employee", 0.23), TABLE_II),
    Table("III", "100 records", SAMPLE, "α", NOISE, ("craftsman", 0.13), TABLE_III),
    Table("IV", "100 records", SAMPLE, "method", BASELINES, ("craftsman", 0.13), TABLE_IV),
)


def tables_1_to_4(_: Data, settings: Settings) -> list[Result]:
    """All occupations and a sample of 100 records, masked with noise and with the baselines."""
    person = load_taxonomy("wordnet").domain(root="person.n.01")
    results = []
    for table, farmer in product(TABLES, FARMERS):
        settings.progress(f"table {table.number}, farmer read as {farmer}")
        results.append(_result(table, farmer, person, settings.seeds(RUNS)))
    return results


def read(counts: Mapping[Concept, int], farmer: Concept) -> dict[Concept, int]:
    """Replace *farmer* in a column by another concept."""
    return {farmer if c == FARMERS["farmer"] else c: count for c, count in counts.items()}


def noisy(
    person: Taxonomy, counts: Mapping[Concept, int], method: NoiseAddition, seed: int
) -> Transitions:
    """Mask a column that is given as concepts with counts."""
    values = sorted(counts)
    attribute = NominalAttribute("occupation", person, values, MEASURE)
    records = np.array([counts[value] for value in values])
    tuples = Tuples((attribute,), np.arange(len(values), dtype=np.int32)[None], records)
    return method.plan(tuples, np.random.default_rng(seed))


def _result(table: Table, farmer: str, person: Taxonomy, seeds: Sequence[int]) -> Result:
    counts = read(table.counts, FARMERS[farmer])
    mean = _word(semantic_mean(counts, person, MEASURE))
    variance = semantic_variance(counts, person, MEASURE)
    columns = [
        _figures([noisy(person, counts, method, seed) for seed in seeds], method, variance)
        for method in table.methods.values()
    ]
    rows = [
        Row(label, [column[figure] for column in columns], table.printed.get(figure))
        for figure, label in LABELS.items()
        if table.across == "α" or figure not in ("variance", "target")
    ]
    note = "Before masking, the mean is {} and the variance {:.3f}; published: {}, {:.2f}.".format(
        mean, variance, *table.original
    )
    farthest = max(rows, key=_largest_difference)
    notes = [
        note,
        f"Largest difference from the published figures: {_largest_difference(farthest):.2f} "
        f"({farthest.label}).",
    ]
    title = f"{table.of}, farmer read as {farmer} (NO table {table.number})"
    return Result(title, table.across, list(table.methods), rows, None, 2, notes)


def _largest_difference(row: Row) -> float:
    """The largest difference between our figures and the published ones."""
    number = (int, float)
    return max(
        (
            abs(ours - printed)
            for ours, printed in zip(row.ours, row.printed or (), strict=False)
            if isinstance(ours, number) and isinstance(printed, number)
        ),
        default=0.0,
    )


def _figures(
    plans: Sequence[Transitions], method: NoiseAddition, variance: float
) -> dict[str, Cell]:
    """Means over the runs; for the masked mean, its most frequent value."""
    shifts = [mean_shift(plan)["occupation"] for plan in plans]
    after = [variance_difference(plan)["occupation"].after for plan in plans]
    wanted = (1 + method.alpha) * variance
    return {
        "mean": _most_frequent_word([_word(shift.after or "") for shift in shifts]),
        "shift": fmean(shift.distance or 0.0 for shift in shifts),
        "variance": fmean(abs((variance_after or 0.0) - wanted) for variance_after in after),
        "distance": fmean(mean_absolute_distance(plan)["occupation"] for plan in plans),
        "rmse": fmean(rmse(plan)["occupation"] for plan in plans),
        "target": method.target(variance),
    }


def _word(concept: Concept) -> str:
    """``"skilled worker"`` for ``"skilled_worker.n.01"``."""
    return concept.split(".")[0].replace("_", " ")


def _most_frequent_word(words: Sequence[str]) -> str:
    (word, often), *others = Counter(words).most_common()
    return f"{word} ({often} of {len(words)})" if others else word


EXPERIMENTS = [
    Experiment("no-tables-1-4", "NO", "Noise on the occupations of Adult", tables_1_to_4),
]
