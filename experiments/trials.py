"""Repeated trials on random samples of records, and their means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from experiments.experiment import Cell, Row, Settings
from ontomask.methods.method import Method
from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.tuples import Tuples, count_tuples

__all__ = ["QUICK_SAMPLE", "Means", "in_random_order", "mean_of", "sample", "seconds"]

#: Records in a sample with ``--quick``.
QUICK_SAMPLE = 300


def sample(
    rows: NDArray[np.int64], size: int | None, seed: int, settings: Settings
) -> NDArray[np.int64]:
    """Draw a sample of rows without replacement; all rows if ``size`` is None or too large."""
    wanted = len(rows) if size is None else size
    wanted = min(wanted, QUICK_SAMPLE) if settings.quick else wanted
    if wanted >= len(rows):
        return rows
    return np.random.default_rng(seed).choice(rows, wanted, replace=False)


def in_random_order(tuples: Tuples, seed: int) -> Tuples:
    """Put the values of each nominal attribute in a random order; the records stay the same.

    Methods resolve ties by the order of values. ICD-9-CM codes are ordered by meaning, so their
    order would give a baseline information that it must not have.
    """
    random = np.random.default_rng(seed)
    attributes: list[Attribute] = []
    codes: list[NDArray[np.integer]] = []
    for attribute, column in zip(tuples.attributes, tuples.codes, strict=True):
        if isinstance(attribute, NominalAttribute):
            order = random.permutation(attribute.size)
            values = [attribute.values[place] for place in order.tolist()]
            attribute, column = replace(attribute, values=values), np.argsort(order)[column]
        attributes.append(attribute)
        codes.append(column)
    mixed, place = count_tuples(attributes, codes)
    counts = np.empty_like(tuples.counts)
    counts[place] = tuples.counts
    return replace(mixed, counts=counts)


def mean_of(samples: int, tuples: Tuples) -> str:
    """Describe what the figures are means of; ``tuples`` are those of one sample."""
    sample_text = "a sample" if samples == 1 else f"means of {samples} samples"
    return f"{sample_text} of {tuples.records:,} records"


def seconds(method: Method, tuples: Tuples, seed: int) -> float:
    """Measure the seconds of planning: the minimum of three runs, as other processes only add."""

    def once() -> float:
        random = np.random.default_rng(seed)
        begin = perf_counter()
        method.plan(tuples, random)
        return perf_counter() - begin

    return min(once() for _ in range(3))


class Means:
    """Collects the figures of trials by row and column and computes their means.

    >>> means = Means()
    >>> for figure in (1.0, 3.0):
    ...     means.add("semantic", 5, figure)
    >>> means.rows([5], {"semantic": [2.5]})
    [Row(label='semantic', ours=(2.0,), printed=[2.5])]
    """

    def __init__(self) -> None:
        self._figures: dict[str, dict[Cell, list[float]]] = {}

    def add(self, label: str, column: Cell, figure: float) -> None:
        """Add the figure of one trial to a cell."""
        self._figures.setdefault(label, {}).setdefault(column, []).append(figure)

    def rows(
        self, columns: Sequence[Cell], printed: Mapping[str, Sequence[Cell]] | None = None
    ) -> list[Row]:
        """The rows of the table, in the order in which they were added."""
        return [
            Row(
                label,
                tuple(float(np.mean(by_column[column])) for column in columns),
                (printed or {}).get(label),
            )
            for label, by_column in self._figures.items()
        ]
