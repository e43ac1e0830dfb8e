"""What marginality gains beside numbers and alone (MA tables 2-5).

Neoplasms (ICD-9-CM 140-239) and digestive diseases (520-579) of ``diabetes_130.csv.gz`` (UCI,
Diabetes 130-US Hospitals), read from the folder named in ``ONTOMASK_DATA``: the middle of the age
class, days in hospital, number of medications and the principal diagnosis, microaggregated by the
S-distance with MDAV; squared errors per attribute, classic against marginality.

    python examples/marginality_against_classic.py [K ...]
"""

import csv
import gzip
import os
import sys
from pathlib import Path

import numpy as np

import ontomask as om
from ontomask import utility
from ontomask.attributes import NominalAttribute, NumericalAttribute
from ontomask.methods.microaggregation import Microaggregation
from ontomask.tuples import count_tuples

ICD9 = om.load_taxonomy("icd9cm")
NUMBERS = {
    "age": lambda row: sum(map(int, row["age"].strip("[)").split("-"))) / 2,
    "time_in_hospital": lambda row: float(row["time_in_hospital"]),
    "num_medications": lambda row: float(row["num_medications"]),
}


def records():
    """Rows with their principal diagnosis as a concept."""
    folder = os.environ.get("ONTOMASK_DATA")
    if not folder:
        sys.exit("ONTOMASK_DATA does not name the folder with diabetes_130.csv.gz")
    with gzip.open(Path(folder) / "diabetes_130.csv.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["diag_1"] != "?"]
    column = [row["diag_1"] for row in rows]
    concepts = om.map_terms(column, ICD9, repair_codes=True).require_all().apply(column)
    return list(zip(rows, concepts, strict=True))


def tuples_of(rows, mixed):
    attributes, codes = [], []
    for name, number in NUMBERS.items() if mixed else ():
        numbers, places = np.unique([number(row) for row, _ in rows], return_inverse=True)
        attributes.append(NumericalAttribute(name, numbers, decimals=2))
        codes.append(places)
    values, places = np.unique([concept for _, concept in rows], return_inverse=True)
    attributes.append(NominalAttribute("diag_1", ICD9, values.tolist()))
    return count_tuples(attributes, [*codes, places])[0]


def main(ks):
    every = records()
    for title, root in (("neoplasms", "140-239"), ("digestive diseases", "520-579")):
        below = ICD9.descendants(root)
        chosen = [(row, concept) for row, concept in every if concept in below]
        for mixed in (True, False):
            tuples = tuples_of(chosen, mixed)
            for distance in ("s", "s_paper") if mixed else ("s",):
                print(f"\n{title}, {'mixed' if mixed else 'diagnosis only'}, {distance}:", end=" ")
                print(f"{tuples.records:,} records, {len(tuples):,} tuples")
                print("  k  attribute: classic, marginality (change)")
                for k in ks:
                    print(f"{k:3}", "  ".join(compared(tuples, k, distance)))


def compared(tuples, k, distance):
    plans = [
        Microaggregation(k, distance=distance, operators=how).plan(tuples, np.random.default_rng(0))
        for how in ("classic", "semantic")
    ]
    classic, semantic = map(utility.attribute_sse, plans)
    for name in classic:
        change = semantic[name] / classic[name] - 1 if classic[name] else 0
        yield f"{name}: {classic[name]:.0f}, {semantic[name]:.0f} ({change:+.1%})"


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [2, 5, 10, 15, 20])
