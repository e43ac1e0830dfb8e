"""Masking methods: one file each; what they are made of is in ``operators``."""

from ontomask.methods.microaggregation import Microaggregation
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression

__all__ = ["Microaggregation", "Recoding", "Resampling", "Suppression"]
