"""A release: what each column is, and a table masked by a method, verified."""

from ontomask.release.evaluation import Evaluation, evaluate
from ontomask.release.guarantee import Guarantee, Measured
from ontomask.release.mask import Release, mask
from ontomask.release.schema import Date, Nominal, Numeric, Ordinal, Schema

__all__ = [
    "Date",
    "Evaluation",
    "Guarantee",
    "Measured",
    "Nominal",
    "Numeric",
    "Ordinal",
    "Release",
    "Schema",
    "evaluate",
    "mask",
]
