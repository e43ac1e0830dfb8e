"""Columns as distinct concepts with counts: all that any statistic needs to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike
from ontomask.errors import ParameterError, UnknownValueError, format_count
from ontomask.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.value_counts import count_values, to_list

__all__ = [
    "ConceptCounts",
    "ConceptPairs",
    "Values",
    "count_concepts",
    "count_pairs",
    "summed_distances",
]

Values = Iterable[Concept] | Mapping[Concept, int]


@dataclass(frozen=True)
class ConceptCounts:
    """The distinct concepts of a column, by code, and how many records hold each."""

    taxonomy: Taxonomy
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())


def count_concepts(values: Values, taxonomy: Taxonomy) -> ConceptCounts:
    """Count the values of a column; all of them must be concepts of the taxonomy."""
    counts, missing = count_values(values)
    if missing:
        raise ParameterError(
            f"values must not be missing, got {missing:,} missing of "
            f"{format_count(missing + sum(counts.values()), 'value')}",
            "remove the missing values first",
        )
    if not counts:
        raise ParameterError("values must have at least one value, got none")
    codes = _resolve_codes(counts, taxonomy)
    distinct, place = np.unique(codes, return_inverse=True)  # aliases may name the same concept
    sums = np.bincount(place, weights=np.array(list(counts.values()), dtype=float))
    return ConceptCounts(taxonomy, distinct, sums.astype(np.int64))


def _resolve_codes(counts: Mapping[str, int], taxonomy: Taxonomy) -> NDArray[np.int32]:
    unknown = [value for value in counts if value not in taxonomy]
    if not unknown:
        return taxonomy.codes(list(counts))
    examples = ", ".join(f"{value!r} ({counts[value]:,})" for value in unknown[:5])
    more = f" and {len(unknown) - 5:,} more" if len(unknown) > 5 else ""
    raise UnknownValueError(
        f"{format_count(len(unknown), 'value')} not in {taxonomy!r}:\n  {examples}{more}",
        "statistics need identifiers: map the values to concepts with map_terms first",
    )


@dataclass(frozen=True)
class ConceptPairs:
    """Two columns side by side, as distinct pairs of values with counts.

    ``counts[i]`` records hold ``x.codes[row[i]]`` together with ``y.codes[col[i]]``.
    """

    x: ConceptCounts
    y: ConceptCounts
    row: NDArray[np.int64]
    col: NDArray[np.int64]
    counts: NDArray[np.int64]


def count_pairs(
    x: Iterable[Concept], tax_x: Taxonomy, y: Iterable[Concept], tax_y: Taxonomy
) -> ConceptPairs:
    """Count the distinct pairs of two columns of the same length."""
    xs, ys = to_list(x), to_list(y)
    if len(xs) != len(ys):
        raise ParameterError(
            f"both columns must have the same length, got {len(xs):,} and {len(ys):,}",
            "give two columns of the same records",
        )
    first, second = count_concepts(xs, tax_x), count_concepts(ys, tax_y)
    row, col = _value_places(xs, first), _value_places(ys, second)
    distinct, counts = np.unique(row * len(second.codes) + col, return_counts=True)
    row, col = np.divmod(distinct, len(second.codes))
    return ConceptPairs(first, second, row, col, counts)


def _value_places(values: list[Concept], concepts: ConceptCounts) -> NDArray[np.int64]:
    """Where each record's value stands among the distinct ones."""
    place = {
        v: int(np.searchsorted(concepts.codes, concepts.taxonomy.code(v))) for v in set(values)
    }
    return np.fromiter(map(place.__getitem__, values), dtype=np.int64, count=len(values))


def summed_distances(
    concepts: ConceptCounts, candidates: NDArray[np.int32], measure: MeasureLike
) -> NDArray[np.float64]:
    """For each candidate the summed distance to all records.

    The table of values by candidates passes through memory block by block.
    """
    table = Distances(concepts.taxonomy, concepts.codes, candidates, measure)
    sums = np.zeros(len(candidates))
    for rows, block in table.blocks():
        sums += concepts.counts[rows] @ block
    return sums
