"""Microdata: the schema of a table, its attributes, distinct tuples and the transitions between them."""

from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema

__all__ = ["Date", "Nominal", "Numeric", "Ordinal", "Schema"]
