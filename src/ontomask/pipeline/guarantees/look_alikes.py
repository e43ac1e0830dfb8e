"""Look-alikes: values of sensitive and person columns that differ only in how they are written."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from ontomask.errors import LookAlikeWarning
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.known_values import LookAlikes, fold_text, merge_look_alikes
from ontomask.microdata.schema import Nominal, Ordinal, Schema
from ontomask.microdata.value_coding import code_column
from ontomask.pipeline.evaluation import ValueCounter, column_name, count_known_values

__all__ = ["describe_look_alikes", "warn_about_look_alikes"]


def warn_about_look_alikes(schema: Schema, count_values: ValueCounter) -> tuple[str, ...]:
    """Warn of look-alikes, and give the words of every warning."""
    words = tuple(describe_look_alikes(schema, count_values))
    for sentence in words:
        warnings.warn(sentence, LookAlikeWarning, stacklevel=5)
    return words


def describe_look_alikes(schema: Schema, count_values: ValueCounter) -> Iterator[str]:
    """Say of each sensitive or person column how many of its values look like others.

    Untyped values that look alike are counted as one, and so are people. A taxonomy or a list of
    levels may say that they are different.
    """
    for column in schema.confidential:
        name = column_name(column)
        _, distinct = count_known_values(column, count_values)
        if isinstance(column, str):
            yield from _describe(
                name,
                merge_look_alikes(distinct)[1],
                "case, spaces, Unicode form or spelling of a number",
                "counted as {}. Correct them or, if they mean different things, make the column "
                "nominal",
            )
        elif isinstance(column, Nominal | Ordinal):
            yield from _describe(
                name,
                _find_different_look_alikes(column, distinct),
                "case, spaces or Unicode form",
                "counted as different values. Correct them, unless they mean different things",
            )
    if schema.person is not None:
        yield from _describe(
            schema.person,
            merge_look_alikes(count_values(schema.person, False)[1])[1],
            "case, spaces, Unicode form or spelling of a number",
            "counted as {} in the number of people. Correct them",
        )


def _describe(column: str, look_alikes: LookAlikes, differ: str, counted: str) -> Iterator[str]:
    if look_alikes.values:
        yield (
            f"{look_alikes.values:,} values of column {column!r} look like another one (they "
            f"differ only in {differ}) and are {counted.format(f'{look_alikes.forms:,}')}"
        )


def _find_different_look_alikes(column: Nominal | Ordinal, distinct: DistinctValues) -> LookAlikes:
    """Find the values that look alike and are, by the type of the column, different."""
    groups: dict[str, list[int]] = {}
    for place, value in enumerate(distinct.values):
        groups.setdefault(fold_text(str(value)), []).append(place)
    values = forms = 0
    for places in groups.values():
        if len(places) > 1:
            several = _code_values(column, [distinct.values[place] for place in places])
            values += several if several > 1 else 0
            forms += several > 1
    return LookAlikes(values, forms)


def _code_values(column: Nominal | Ordinal, values: Sequence[object]) -> int:
    """How many different values the type of a column sees in some."""
    alone = DistinctValues(list(values), np.arange(len(values)))
    return len(np.unique(code_column(column, alone, "refuse").codes))
