"""Columns of any kind, counted: the distinct values and how many records hold each.

Lists, numpy arrays, pandas and polars series, pyarrow arrays, and plain dicts of counts all come
through here, so that everything behind it sees distinct values with counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ontomask.errors import ParameterError

__all__ = ["count_values", "is_missing", "to_list"]


def to_list(values: Iterable[Any]) -> list[Any]:
    """Convert a column to a plain list, by its own conversion where it has one."""
    if isinstance(values, list):
        return values
    if isinstance(values, str | bytes):
        raise ParameterError(
            f"values must be a list or a column, got the text {values[:40]!r}",
            "put it in a list",
        )
    if isinstance(values, Mapping):
        raise ParameterError(
            "values must be a list or a column, got a dict of counts",
            "pass one value per record",
        )
    for convert in ("to_pylist", "to_list", "tolist"):  # pyarrow; polars, pandas; numpy
        if hasattr(values, convert):
            converted: list[Any] = getattr(values, convert)()
            return converted
    try:
        return list(values)
    except TypeError:
        raise ParameterError(
            f"values must be a list or a column of a frame, got {type(values).__name__}"
        ) from None


def is_missing(value: object) -> bool:
    """None, and what is unequal to itself: NaN, NaT, pandas' NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas' NA has no truth value
        return True


def count_values(values: Iterable[Any] | Mapping[Any, int]) -> tuple[dict[str, int], int]:
    """Count each distinct value as text, in order of appearance, and the missing values.

    >>> count_values(["flu", None, "flu", float("nan"), 8])
    ({'flu': 2, '8': 1}, 2)
    """
    raw = _check_counts(values) if isinstance(values, Mapping) else Counter(to_list(values))
    counts: dict[str, int] = {}
    missing = 0
    for value, count in raw.items():
        if is_missing(value):
            missing += count
        else:
            text = value if type(value) is str else _value_text(value)
            counts[text] = counts.get(text, 0) + count
    return counts, missing


def _value_text(value: object) -> str:
    if isinstance(value, float):
        raise ParameterError(
            f"values must be text, got numbers with a decimal point such as {value!r}",
            "codes that are read as numbers lose their zeros: read the column as text (dtype=str)",
        )
    return str(value)


def _check_counts(counts: Mapping[Any, int]) -> Mapping[Any, int]:
    for value, count in counts.items():
        try:
            valid = int(count) == count and count >= 0
        except (TypeError, ValueError):
            valid = False
        if not valid:
            raise ParameterError(
                f"counts must be non-negative integers, got {count!r} for {value!r}"
            )
    return {value: int(count) for value, count in counts.items() if count > 0}
