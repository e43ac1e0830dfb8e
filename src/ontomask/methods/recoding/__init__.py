"""Recoding: rare tuples take the values of the nearest tuple."""

from ontomask.methods.recoding.recoding import Recoding

__all__ = ["Recoding"]
