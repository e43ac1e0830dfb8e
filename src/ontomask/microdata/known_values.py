"""The values of sensitive and person columns as they are counted: known ones, look-alikes as one.

A spelling must not pass for another value or another person, and a blank not for any.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.distinct_values import DistinctValues
from ontomask.taxonomy.word_forms import fold_unicode

__all__ = [
    "LookAlikes",
    "finite_marks",
    "flag_unknown",
    "fold_text",
    "fold_value",
    "merge_look_alikes",
    "without_unknown",
]

_NUMBER = re.compile(r"([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,9}))?", re.ASCII)


def fold_text(text: str) -> str:
    r"""Fold what does not tell two texts apart: case, spaces, Unicode form, invisible characters.

    >>> fold_text("HIV") == fold_text(" hiv\u200b "), fold_text("type  2"), fold_text("A+")
    (True, 'type 2', 'a+')
    """
    if text.isascii():
        return " ".join(text.lower().split())
    folded = fold_unicode(text)
    visible = [letter for letter in folded if unicodedata.category(letter) != "Cf"]
    return " ".join("".join(visible).split())


def fold_value(value: Any) -> str:
    """The form in which an untyped value is counted: its folded text, a number in one spelling.

    >>> {fold_value(value) for value in (1, 1.0, "1", "01", "1.0", "+1", "１", "10e-1")}
    {'1e0'}
    """
    if not isinstance(value, str):
        value = str(value.tolist() if isinstance(value, np.generic | np.ndarray) else value)
    text = fold_text(value)
    if not text or text[0] not in "+-.0123456789":
        return text
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return text
    sign, whole, decimals, exponent = match.groups()
    digits = (whole + decimals).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return "0e0"
    power = int(exponent or 0) - len(decimals) + len(digits) - len(significant)
    return f"{'-' if sign == '-' else ''}{significant}e{power}"


def flag_unknown(values: Sequence[Any], marks: Collection[str]) -> NDArray[np.bool_]:
    """Flag the values that say nothing: blank text and marks of missing values, however spelt."""
    nothing = {"", *map(fold_value, marks)}
    return np.array([fold_value(value) in nothing for value in values], dtype=np.bool_)


def finite_marks(marks: Collection[str]) -> list[float]:
    """The marks of missing values that are numbers, such as -9."""
    numbers = []
    for mark in marks:
        with suppress(ValueError):
            numbers.append(float(fold_value(mark)))
    return [number for number in numbers if math.isfinite(number)]


def without_unknown(distinct: DistinctValues, marks: Collection[str]) -> DistinctValues:
    """The same column with blank text and marks of missing values counted as missing."""
    return distinct.without_values(flag_unknown(distinct.values, marks))


@dataclass(frozen=True)
class LookAlikes:
    """Values of a column that look like others of it, and how many different forms these have."""

    values: int
    forms: int


def merge_look_alikes(distinct: DistinctValues) -> tuple[DistinctValues, LookAlikes]:
    """The same column with values that look alike as one, the first; and how many these are.

    >>> column = DistinctValues(["HIV", "flu", "hiv "], np.array([0, 1, 2, 2, -1]))
    >>> merged, look_alikes = merge_look_alikes(column)
    >>> merged.values, merged.codes.tolist(), look_alikes
    (['HIV', 'flu'], [0, 1, 0, 0, -1], LookAlikes(values=2, forms=1))
    """
    places: dict[str, int] = {}
    firsts: list[Any] = []
    new_codes = np.full(len(distinct.values) + 1, -1, dtype=np.int64)  # the last is missing
    for code, value in enumerate(distinct.values):
        place = places.setdefault(fold_value(value), len(firsts))
        if place == len(firsts):
            firsts.append(value)
        new_codes[code] = place
    members = np.bincount(new_codes[:-1], minlength=len(firsts))
    look_alikes = LookAlikes(int(members[members > 1].sum()), int((members > 1).sum()))
    if not look_alikes.values:
        return distinct, look_alikes
    merged = DistinctValues(firsts, new_codes[distinct.codes], distinct.weights, distinct.blank)
    return merged, look_alikes
