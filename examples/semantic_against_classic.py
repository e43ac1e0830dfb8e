"""What meaning gains: each grouping method by meaning and without, at the same k (SF figures 4-5).

Squared error and KL divergence of two diagnoses per record, means over random samples of 3,006
records. Reads ``diabetes_130.csv.gz`` (UCI, Diabetes 130-US Hospitals) from the folder named in
``ONTOMASK_DATA``; without it, synthetic discharges.

    python examples/semantic_against_classic.py [SAMPLES] [K ...]
"""

import csv
import gzip
import os
import sys
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask import utility
from ontomask.attributes import NominalAttribute
from ontomask.methods.microaggregation import Microaggregation
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression
from ontomask.tuples import count_tuples

SAMPLE = 3006
ICD9 = om.load_taxonomy("icd9cm")


def diagnoses():
    """Two diagnoses per record, as concepts."""
    folder = os.environ.get("ONTOMASK_DATA")
    if not folder:
        table = om.datasets.discharges(30_000)
        return [table["diagnosis"].tolist(), table["secondary_diagnosis"].tolist()]
    with gzip.open(Path(folder) / "diabetes_130.csv.gz", "rt", encoding="utf-8") as file:
        rows = [(row["diag_1"], row["diag_2"]) for row in csv.DictReader(file)]
    columns = zip(*(row for row in rows if "?" not in row), strict=True)
    return [om.map_terms(c, ICD9, repair_codes=True).require_all().apply(c) for c in columns]


def tuples_of(columns):
    """The tuples of a sample; as in the paper, distances are those of the whole taxonomy."""
    attributes, codes = [], []
    for name, column in zip(("first", "second"), columns, strict=True):
        values = sorted(set(column))
        place = {value: code for code, value in enumerate(values)}
        attributes.append(NominalAttribute(name, ICD9, values))
        codes.append(np.array([place[value] for value in column]))
    return count_tuples(attributes, codes)[0]


METHODS = {
    "microaggregation": lambda k, how: Microaggregation(k, operators=how),
    "recoding": lambda k, how: Recoding(k, weighted=True, operators=how),
    "resampling": lambda k, how: Resampling(k, operators=how),
    "suppression": lambda k, how: Suppression(k, how="drop"),
}


def main(samples, ks):
    columns = [np.array(column, dtype=object) for column in diagnoses()]
    found = {}
    for seed in range(samples):
        random = np.random.default_rng(seed)
        rows = random.choice(len(columns[0]), SAMPLE, replace=False)
        tuples = tuples_of([column[rows].tolist() for column in columns])
        for k in ks:
            for method, make in METHODS.items():
                for how in ("semantic", "classic")[: 1 if method == "suppression" else 2]:
                    plan = make(k, how).plan(tuples, np.random.default_rng(seed))
                    found.setdefault((method, how, k), []).append(
                        (utility.sse(plan), utility.kl(plan))
                    )
    for measure, place, form in (("SSE", 0, "{:8.0f}"), ("KL", 1, "{:8.2f}")):
        print(f"\n{measure}, mean of {samples} samples of {SAMPLE:,} records")
        print(f"{'k':32}" + "".join(f"{k:8}" for k in ks))
        for method, how in dict.fromkeys(key[:2] for key in found):
            means = (np.mean([r[place] for r in found[method, how, k]]) for k in ks)
            named = method if method == "suppression" else f"{method}, {how}"
            print(f"{named:32}" + "".join(form.format(mean) for mean in means))


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    main(numbers[0] if numbers else 10, numbers[1:] or [2, 5, 10, 15])
