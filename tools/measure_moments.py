"""What noise and synthetic replacement keep of means, variances and associations.

``python tools/measure_moments.py`` prints two tables: that of docs/concepts/perturbing-methods.md,
noise with and without bounds, and that of docs/concepts/grouping-methods.md, synthetic values. It
reads the public data sets from the folder that ``ONTOMASK_DATA`` names. Every figure is that after
masking divided by that before.
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import ontomask as om
from ontomask import datasets
from ontomask.methods.method import Method

NOISY_COLUMNS = (
    ("adult", "age", "age (Adult)"),
    ("adult", "hours_per_week", "hours per week (Adult)"),
    ("adult", "capital_gain", "capital gain (Adult)"),
    ("diabetes_130", "num_medications", "number of medications (diabetes)"),
    ("diabetes_130", "num_procedures", "number of procedures (diabetes)"),
    ("diabetes_130", "number_inpatient", "inpatient stays (diabetes)"),
)
BOUNDS = ("none", "reflect", "clip", "resample")
RECORDS = 10_000
#: An experiment is repeated with the same seed; it has 64 bits, so that nothing warns.
SEED = 3 << 64


def main() -> None:
    """Print both tables."""
    if "ONTOMASK_DATA" not in os.environ:
        sys.exit("set ONTOMASK_DATA to the folder with the public data sets")
    print_row("column", *(f"`{bounds}`" for bounds in BOUNDS))
    print_row(*["---"] * (1 + len(BOUNDS)))
    for file, column, title in NOISY_COLUMNS:
        print_row(title, *measure_bounds(read_columns(file, [column]), column))
    print()
    names = [f"`{r}`, `{a}`" for r, a in itertools.product(REPLACEMENTS, ("merge", "mdav"))]
    print_row("table", "figure", *names)
    print_row(*["---"] * (2 + len(names)))
    for title, table, schema in (take_discharges(), take_diabetes()):
        print_figures(title, table, schema)


def print_row(*cells: str) -> None:
    """Print a row of a Markdown table."""
    print(f"| {' | '.join(cells)} |")


def read_columns(file: str, columns: list[str]) -> pd.DataFrame:
    """Some columns of a public table."""
    path = Path(os.environ["ONTOMASK_DATA"]) / f"{file}.csv.gz"
    return pd.read_csv(path, usecols=columns, dtype={"diag_1": str}, na_values="?").dropna()


def measure_bounds(table: pd.DataFrame, column: str) -> list[str]:
    """The mean and the variance after noise, divided by those before, for all bounds."""
    ratios = []
    for bounds in BOUNDS:
        method = om.NoiseAddition(0.5, bounds=bounds)  # type: ignore[arg-type]
        masked = mask_table(table, om.Schema([om.Numeric(column)]), method)
        before, after = table[column], masked[column]
        ratios.append(f"{after.mean() / before.mean():.3f}, {after.var() / before.var():.3f}")
    return ratios


def mask_table(table: pd.DataFrame, schema: om.Schema, method: Method) -> pd.DataFrame:
    """The masked table."""
    data: pd.DataFrame = om.mask(table, schema, method, seed=SEED).data
    return data


# ---------------------------------------------------------------------- synthetic replacement

REPLACEMENTS = ("synthetic", "synthetic_paper")

Table = tuple[str, pd.DataFrame, om.Schema]


def take_discharges() -> Table:
    """A diagnosis beside three numbers, of which the charge is skewed."""
    numbers = ["age", "length_of_stay", "charge"]
    table = pd.DataFrame(datasets.discharges(n=RECORDS))[["diagnosis", *numbers]].dropna()
    word = om.Nominal("diagnosis", om.load_taxonomy("icd9cm"))
    return "discharges", table, om.Schema([word, *map(om.Numeric, numbers)])


def take_diabetes() -> Table:
    """A diagnosis beside three skewed numbers."""
    numbers = ["time_in_hospital", "num_procedures", "num_medications"]
    table = read_columns("diabetes_130", ["diag_1", *numbers])
    table = table.sample(RECORDS, random_state=0).reset_index(drop=True)
    word = om.Nominal("diag_1", om.load_taxonomy("icd9cm"), repair_codes=True)
    return "diabetes", table, om.Schema([word, *map(om.Numeric, numbers)])


def print_figures(title: str, table: pd.DataFrame, schema: om.Schema) -> None:
    """Print a row for each figure of a table."""
    before = measure_figures(table, schema)
    after = []
    for replacement, algorithm in itertools.product(REPLACEMENTS, ("merge", "mdav")):
        method = om.Microaggregation(5, algorithm=algorithm, replacement=replacement)  # type: ignore[arg-type]
        after.append(measure_figures(mask_table(table, schema, method), schema))
    for name, figure in before.items():
        print_row(title, name, *(f"{figures[name] / figure:.3f}" for figures in after))


def measure_figures(table: pd.DataFrame, schema: om.Schema) -> dict[str, float]:
    """Means, variances and covariances of numbers, and the mean marginality of the word."""
    word, *numbers = (column.column for column in schema.quasi_identifiers)
    figures: dict[str, float] = {}
    for number in numbers:
        figures[f"mean of {number}"] = table[number].mean()
        figures[f"variance of {number}"] = table[number].var()
    for one, other in itertools.combinations(numbers, 2):
        figures[f"covariance of {one} and {other}"] = table[one].cov(table[other])
    taxonomy: Any = schema.quasi_identifiers[0].taxonomy  # type: ignore[union-attr]
    concepts = om.map_terms(table[word].tolist(), taxonomy, repair_codes=True).apply(table[word])
    figures[f"mean marginality of {word}"] = float(
        np.mean(om.marginality([c for c in concepts if c], taxonomy))
    )
    return figures


if __name__ == "__main__":
    main()
