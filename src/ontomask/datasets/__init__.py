"""Small taxonomies and tables that documentation, tests and benchmarks share."""

from ontomask.datasets.discharges import discharges
from ontomask.datasets.toys import diagnoses, patients

__all__ = ["diagnoses", "discharges", "patients"]
