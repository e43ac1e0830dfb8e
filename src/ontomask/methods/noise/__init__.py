"""Noise addition: every value is replaced by one at a random distance."""

from ontomask.methods.noise.fitted import FittedNoise
from ontomask.methods.noise.noise_addition import NoiseAddition

__all__ = ["FittedNoise", "NoiseAddition"]
