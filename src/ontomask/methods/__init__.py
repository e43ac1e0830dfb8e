"""Masking methods: one file each; what they are made of is in ``operators``."""

from ontomask.methods.fitted_noise import FittedNoise
from ontomask.methods.microaggregation import Microaggregation
from ontomask.methods.noise_addition import NoiseAddition
from ontomask.methods.rank_swapping import RankSwapping
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling
from ontomask.methods.suppression import Suppression

__all__ = [
    "FittedNoise",
    "Microaggregation",
    "NoiseAddition",
    "RankSwapping",
    "Recoding",
    "Resampling",
    "Suppression",
]
