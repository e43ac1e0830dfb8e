"""Masking methods; the operators they share are in :mod:`~ontomask.methods.operators`."""

from ontomask.methods.microaggregation import Microaggregation
from ontomask.methods.noise import FittedNoise, NoiseAddition
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression
from ontomask.methods.swapping import RankSwapping

__all__ = [
    "FittedNoise",
    "Microaggregation",
    "NoiseAddition",
    "RankSwapping",
    "Recoding",
    "Resampling",
    "Suppression",
]
