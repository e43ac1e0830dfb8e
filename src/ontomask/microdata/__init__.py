"""Microdata: the schema of a table, its attributes, distinct tuples and their transitions."""

from ontomask.microdata.population import Population
from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal, Schema

__all__ = ["Date", "Nominal", "NominalSet", "Numeric", "Ordinal", "Population", "Schema"]
