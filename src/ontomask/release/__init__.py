"""A release: what each column is, and a table masked by a method, verified."""

from ontomask.release.mask import Guarantee, Release, mask
from ontomask.release.schema import Date, Nominal, Numeric, Ordinal, Schema

__all__ = ["Date", "Guarantee", "Nominal", "Numeric", "Ordinal", "Release", "Schema", "mask"]
