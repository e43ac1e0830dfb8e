"""Figures with few digits: the exact sum over a table lets readers test guesses about a record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

__all__ = ["SIGNIFICANT_DIGITS", "round_figures"]

#: With all records but one known, the exact mean of 500 ages gives the last one. Three digits leave
#: a range of several years.
SIGNIFICANT_DIGITS = 3


def round_figures(figures: Any) -> Any:
    """Round every number of a nested value to :data:`SIGNIFICANT_DIGITS`, except integers."""
    if is_dataclass(figures) and not isinstance(figures, type):
        figures = asdict(figures)
    if isinstance(figures, Mapping):
        return {name: round_figures(value) for name, value in figures.items()}
    if isinstance(figures, np.ndarray):
        figures = figures.tolist()
    if isinstance(figures, list | tuple):
        return [round_figures(value) for value in figures]
    if isinstance(figures, float | np.floating):
        return float(f"{figures:.{SIGNIFICANT_DIGITS}g}")
    return figures
