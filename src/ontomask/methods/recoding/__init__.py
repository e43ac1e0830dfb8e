"""Recoding: rare tuples take the values of the nearest tuple; sets those of their ancestors."""

from ontomask.methods.recoding.pair_recoding import PairRecoding
from ontomask.methods.recoding.recoding import Recoding

__all__ = ["PairRecoding", "Recoding"]
