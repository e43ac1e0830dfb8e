"""Figures that two engines worked out."""

from __future__ import annotations


def rounded(figures):
    """Sums may be taken in another order."""
    if isinstance(figures, dict):
        return {key: rounded(value) for key, value in figures.items()}
    if isinstance(figures, list):
        return [rounded(value) for value in figures]
    return round(figures, 9) if isinstance(figures, float) else figures
