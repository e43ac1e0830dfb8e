"""Small taxonomies and tables for documentation, tests and benchmarks."""

from ontomask.datasets.discharges import discharges
from ontomask.datasets.toys import diagnoses, patients

__all__ = ["diagnoses", "discharges", "patients"]
