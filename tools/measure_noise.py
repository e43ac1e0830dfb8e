"""What noise keeps of the mean and the variance of numbers, with and without bounds.

``python tools/measure_noise.py`` prints the table of docs/concepts/perturbing-methods.md. It reads
the public data sets from the folder that ``ONTOMASK_DATA`` names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import ontomask as om

COLUMNS = (
    ("adult", "age", "age (Adult)"),
    ("adult", "hours_per_week", "hours per week (Adult)"),
    ("adult", "capital_gain", "capital gain (Adult)"),
    ("diabetes_130", "num_medications", "number of medications (diabetes)"),
    ("diabetes_130", "num_procedures", "number of procedures (diabetes)"),
    ("diabetes_130", "number_inpatient", "inpatient stays (diabetes)"),
)
BOUNDS = ("none", "reflect", "clip", "resample")
#: An experiment is repeated with the same seed; it has 64 bits, so that nothing warns.
SEED = 3 << 64


def main() -> None:
    """Print the table."""
    folder = os.environ.get("ONTOMASK_DATA")
    if not folder:
        sys.exit("set ONTOMASK_DATA to the folder with the public data sets")
    print(f"| column | {' | '.join(f'`{bounds}`' for bounds in BOUNDS)} |")
    print("|---" * (1 + len(BOUNDS)) + "|")
    for file, column, title in COLUMNS:
        table = pd.read_csv(Path(folder) / f"{file}.csv.gz", usecols=[column])
        print(f"| {title} | {' | '.join(measure_bounds(table, column))} |")


def measure_bounds(table: pd.DataFrame, column: str) -> list[str]:
    """The mean and the variance after masking, divided by those before, for all bounds."""
    before = table[column].to_numpy()
    ratios = []
    for bounds in BOUNDS:
        method = om.NoiseAddition(0.5, bounds=bounds)  # type: ignore[arg-type]
        release = om.mask(table, om.Schema([om.Numeric(column)]), method, seed=SEED)
        after: np.ndarray = release.data[column].to_numpy()
        ratios.append(f"{after.mean() / before.mean():.3f}, {after.var() / before.var():.3f}")
    return ratios


if __name__ == "__main__":
    main()
