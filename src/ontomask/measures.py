"""What a figure of an evaluation means: the words that stand beside the number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Better", "Measure"]

Better = Literal["lower", "higher", "neither"]


@dataclass(frozen=True)
class Measure:
    """What a figure means, where it lies, and whether ``"lower"`` or ``"higher"`` is better.

    ``better`` is ``"neither"`` for what says how a figure was found, or cuts both ways.
    """

    meaning: str
    range: str
    better: Better
