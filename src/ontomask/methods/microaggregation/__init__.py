"""Microaggregation: groups of at least k similar records take the values of their centroid."""

from ontomask.methods.microaggregation.microaggregation import Microaggregation

__all__ = ["Microaggregation"]
