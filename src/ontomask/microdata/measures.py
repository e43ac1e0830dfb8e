"""What a figure of an evaluation means: the words that stand beside the number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["USUAL_VALUES_NOTE", "BetterDirection", "FigureDescription"]

BetterDirection = Literal["lower", "higher", "neither"]

#: What the usual values are of; to be said where they are shown.
USUAL_VALUES_NOTE = (
    "Usual is what microaggregation and recoding gave on three tables of 10,000 records: real and "
    "synthetic hospital records, and answers to a census. Yours may differ."
)


@dataclass(frozen=True)
class FigureDescription:
    """What a figure means, its range, and whether ``"lower"`` or ``"higher"`` is better.

    ``better`` is ``"neither"`` for what says how a figure was found, or cuts both ways. ``usual``
    is from the least to the greatest that was measured (:data:`USUAL_VALUES_NOTE`), by column
    where the
    figure is; empty where that would tell nothing. All of them are of tools/measure_methods.py.
    """

    meaning: str
    range: str
    better: BetterDirection
    usual: str = ""
