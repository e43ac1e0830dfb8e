"""Numbers that look random and can be made again, by whoever has what they were made of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["mix_bits"]


def mix_bits(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of numbers: each one changes about half of them (splitmix64's finalizer)."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
