"""The data of the experiments: hospital records with two or three diagnoses and a few numbers.

The papers' own data are not public. The experiments use ``diabetes_130.csv.gz``, the UCI
repository's "Diabetes 130-US Hospitals for Years 1999-2008", or synthetic discharges.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.attributes import Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Tuples, count_tuples
from ontomask.taxonomy import Concept, Taxonomy, load_taxonomy, map_terms

__all__ = ["Data", "load_data"]

FILE = "diabetes_130.csv.gz"

#: The columns of each source, by their names here.
DIAGNOSES = {
    "diabetes": {"first": "diag_1", "second": "diag_2", "third": "diag_3"},
    "discharges": {"first": "diagnosis", "second": "secondary_diagnosis", "third": "outcome"},
}


@dataclass(frozen=True)
class Data:
    """Records of hospital patients: ``first``, ``second``, ``third`` diagnosis, and numbers.

    ``source`` is ``"diabetes"`` or ``"discharges"``. Numbers are ``age``, ``days`` in hospital and
    ``medications`` (for synthetic ones, the ``charge``).
    """

    source: str
    diagnoses: dict[str, NDArray[np.object_]]
    numbers: dict[str, NDArray[np.float64]]

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the diagnoses: ICD-9-CM."""
        return load_taxonomy("icd9cm")

    def complete(self, *columns: str) -> NDArray[np.int64]:
        """The records that have all of these diagnoses."""
        has = [np.array([value is not None for value in self.diagnoses[c]]) for c in columns]
        return np.flatnonzero(np.logical_and.reduce(has))

    def below(self, root: Concept, column: str = "first") -> NDArray[np.int64]:
        """The records whose diagnosis is a kind of some concept."""
        inside = self.taxonomy.descendants(root)
        return np.flatnonzero([value in inside for value in self.diagnoses[column]])

    def tuples(
        self,
        rows: NDArray[np.integer],
        columns: Sequence[str],
        measure: str = "sanchez",
        domain: str = "lcs",
    ) -> Tuples:
        """The distinct tuples of some records.

        ``domain`` is ``"lcs"``, what is below the least common subsumer of a column's values, or
        ``"taxonomy"``.
        """
        attributes: list[Attribute] = []
        codes: list[NDArray[np.integer]] = []
        for name in columns:
            if name in self.numbers:
                numbers, places = np.unique(self.numbers[name][rows], return_inverse=True)
                attributes.append(NumericalAttribute(name, numbers, decimals=2))
            else:
                values, places = np.unique(
                    self.diagnoses[name][rows].astype(str), return_inverse=True
                )
                known = values.tolist()
                inside = self.taxonomy.domain(known) if domain == "lcs" else self.taxonomy
                attributes.append(NominalAttribute(name, inside, known, measure))
            codes.append(places)
        return count_tuples(attributes, codes)[0]


def load_data(folder: str | Path | None = None) -> Data:
    """Load the real data from a folder or, without one, make synthetic discharges."""
    if folder is None:
        return _discharges()
    path = Path(folder) / FILE
    if not path.exists():
        raise ParameterError(
            f"--data must be a folder that contains {FILE}, got {str(folder)!r}",
            "the file is the UCI repository's Diabetes 130-US Hospitals as a gzipped CSV; without "
            "--data and ONTOMASK_DATA, the experiments run on synthetic discharges",
        )
    return _diabetes(path)


def _discharges() -> Data:
    from ontomask.datasets import discharges

    table = discharges(30_000)
    return Data(
        "discharges",
        {
            name: np.asarray(table[column], dtype=object)
            for name, column in DIAGNOSES["discharges"].items()
        },
        {
            "age": np.asarray(table["age"], dtype=float),
            "days": np.asarray(table["length_of_stay"], dtype=float),
            "medications": np.asarray(table["charge"], dtype=float),
        },
    )


def _diabetes(path: Path) -> Data:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    icd9 = load_taxonomy("icd9cm")
    diagnoses = {}
    for name, column in DIAGNOSES["diabetes"].items():
        values = [row[column] for row in rows]
        known = map_terms(values, icd9, repair_codes=True, missing_marks=["?"]).apply(values)
        diagnoses[name] = np.array(known, dtype=object)
    return Data(
        "diabetes",
        diagnoses,
        {
            # the middle of the ten-year class
            "age": np.array([sum(map(int, r["age"].strip("[)").split("-"))) / 2 for r in rows]),
            "days": np.array([float(r["time_in_hospital"]) for r in rows]),
            "medications": np.array([float(r["num_medications"]) for r in rows]),
        },
    )
