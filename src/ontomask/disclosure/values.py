"""How targets of a plan are written: concepts, numbers, levels and days."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import numpy as np

from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.schema import Date, Ordinal

__all__ = ["EPOCH", "decode_date", "decode_number", "format_targets"]

#: Days are counted from here.
EPOCH = datetime.date(1970, 1, 1).toordinal()


def format_targets(attribute: Attribute, targets: Iterable[float], column: Any = None) -> list[Any]:
    """Format targets as they are written to a file: words by the identifiers of their concepts.

    What is missing or suppressed is empty. Without the ``column`` of the schema, levels are given
    by their ranks and dates by their days since 1970.
    """
    if isinstance(attribute, NominalAttribute):
        concepts = attribute.candidates
        return ["" if np.isnan(target) else concepts[int(target)] for target in targets]
    return [
        decode_number(column, float(target)) if np.isfinite(target) else "" for target in targets
    ]


def decode_number(column: Any, number: float) -> Any:
    """Decode a number of a column: a level, a day, or the number itself."""
    if isinstance(column, Ordinal):
        return list(column.levels)[round(number)]
    if isinstance(column, Date):
        return decode_date(number)
    return int(number) if number.is_integer() else number


def decode_date(days: float) -> str:
    """The date of a number of days since 1970.

    >>> decode_date(15_500.0)
    '2012-06-09'
    """
    return datetime.date.fromordinal(round(days) + EPOCH).isoformat()
