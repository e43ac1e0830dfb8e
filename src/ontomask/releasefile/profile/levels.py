"""Small sets of words that have an order, found by themselves."""

from __future__ import annotations

import re
from collections.abc import Callable

from ontomask.releasefile.profile.column_facts import MIN_SHOWN_COUNT, ColumnFacts

__all__ = ["levels_of"]

SCALES: tuple[tuple[str, ...], ...] = (
    ("mild", "moderate", "severe"),
    ("none", "mild", "moderate", "severe"),
    ("mild", "moderate", "severe", "critical"),
    ("minor", "moderate", "major", "extreme"),
    ("low", "medium", "high"),
    ("low", "moderate", "high", "very high"),
    ("very low", "low", "medium", "high", "very high"),
    ("small", "medium", "large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("I", "II", "III", "IV"),
    ("0", "I", "II", "III", "IV", "V"),
)
STYLES: tuple[Callable[[str], str], ...] = (str, str.lower, str.capitalize, str.title, str.upper)
INTERVAL = re.compile(r"[\[(]?\s*(\d+)\s*(?:-|–|to|,)\s*(\d+)\s*[\])]?|(\d+)\s*\+")


def levels_of(facts: ColumnFacts) -> tuple[str, ...]:
    """The values in their order, where they have one; rare values are not named."""
    values = set(facts.values)
    if facts.kind != "text" or not facts.complete or not values:
        return ()
    for scale in SCALES:
        for style in STYLES:
            levels = tuple(map(style, scale))
            if values <= set(levels) and len(values) > 1:
                return levels  # all of them: which ones occur, and how often, is not told
    if facts.rarest < MIN_SHOWN_COUNT or len(values) > 50:
        return ()
    if len(values) == 2 and not facts.missing:
        return tuple(sorted(values))
    return _ordered_intervals(values)


def _ordered_intervals(values: set[str]) -> tuple[str, ...]:
    """Intervals such as [60-70), by where they begin."""
    matches = {value: INTERVAL.fullmatch(value.strip()) for value in values}
    if len(values) < 3 or not all(matches.values()):
        return ()
    begins = {
        value: int(match[1] or match[3]) for value, match in matches.items() if match is not None
    }
    if len(set(begins.values())) < len(values):
        return ()
    return tuple(sorted(values, key=begins.__getitem__))
