"""Figures with few digits: the exact sum over a table lets readers test guesses about a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SIGNIFICANT_DIGITS", "round_figures"]

#: With all records but one known, the exact mean of 500 ages gives the last one. Three digits leave
#: a range of several years.
SIGNIFICANT_DIGITS = 3


def round_figures(figures: Any) -> Any:
    """Round every number of nested plain values to :data:`SIGNIFICANT_DIGITS`, except integers."""
    if isinstance(figures, Mapping):
        return {name: round_figures(value) for name, value in figures.items()}
    if isinstance(figures, list):
        return [round_figures(value) for value in figures]
    if isinstance(figures, float):
        return float(f"{figures:.{SIGNIFICANT_DIGITS}g}")
    return figures
