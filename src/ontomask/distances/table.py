"""Distances between many concepts: whole tables, blocks of rows, or one row at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure, MeasureLike
from ontomask.distances.shared import SharedAncestors
from ontomask.errors import ParameterError
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["LARGEST_TABLE", "Distances"]

#: Above this many concepts a square table is not kept; rows are made when they are asked for.
LARGEST_TABLE = 20_000
#: Cells worked on at a time: few enough to stay in the processor's own memory.
CELLS_AT_A_TIME = 200_000


class Distances:
    """The distances from some concepts to others, computed when they are needed.

    Args:
        taxonomy: Taxonomy of the concepts.
        rows: The concepts of the rows, as identifiers or numbers.
        columns: The concepts of the columns; without it, the same as ``rows``.
        measure: Name of a measure, or a function.

    >>> from ontomask import datasets
    >>> from ontomask.distances import Distances
    >>> between = Distances(datasets.diagnoses(), ["influenza"], ["hepatitis", "sprain"])
    >>> between.shape, between.row(0).round(3)
    ((1, 2), array([0.678, 0.848]))
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        rows: Sequence[Concept] | NDArray[np.int32],
        columns: Sequence[Concept] | NDArray[np.int32] | None = None,
        measure: DistanceMeasure | MeasureLike = "sanchez",
    ) -> None:
        from ontomask.distances import find_measure

        self.measure = find_measure(measure, taxonomy)
        self.taxonomy = taxonomy
        self.rows = _to_codes(taxonomy, rows)
        self.columns = self.rows if columns is None else _to_codes(taxonomy, columns)
        self._shared = SharedAncestors(taxonomy, self.columns) if self.columns.size else None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.rows), len(self.columns)

    def row(self, index: int) -> NDArray[np.float64]:
        """One row of distances."""
        return self.block(index, index + 1)[0]

    def block(self, first: int, last: int) -> NDArray[np.float64]:
        """The rows from ``first`` up to, but not including, ``last``."""
        rows = self.rows[first:last]
        if self._shared is None or not rows.size:
            return np.zeros((len(rows), len(self.columns)))
        return self.measure.block(self._shared, rows)

    def blocks(self, cells: int = CELLS_AT_A_TIME) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """All rows in blocks of at most ``cells`` cells, so that little memory is needed."""
        for rows in self._slices(cells):
            yield rows, self.block(rows.start, rows.stop)

    def table(self, dtype: type[np.floating] = np.float64) -> NDArray[np.floating]:
        """The whole matrix."""
        if min(self.shape) > LARGEST_TABLE:
            size = len(self.rows) * len(self.columns) * np.dtype(dtype).itemsize / 1e9
            raise ParameterError(
                f"a table of {len(self.rows):,} by {len(self.columns):,} concepts would take "
                f"{size:,.0f} GB; the limit is {LARGEST_TABLE:,}",
                "use ontomask.distances.Distances(...).blocks(), or single rows",
            )
        out = np.empty(self.shape, dtype=dtype)

        def fill(rows: slice) -> None:
            out[rows] = self.block(rows.start, rows.stop)

        slices = list(self._slices(CELLS_AT_A_TIME))
        if len(slices) < 8:
            for rows in slices:
                fill(rows)
        else:
            pool = ThreadPoolExecutor(min(4, cpu_count() or 1))
            try:
                list(pool.map(fill, slices))
            finally:
                pool.shutdown(cancel_futures=True)  # Ctrl-C waits for the blocks under way only
        return out

    def _slices(self, cells: int) -> Iterator[slice]:
        height = max(1, cells // max(1, len(self.columns)))
        for first in range(0, len(self.rows), height):
            yield slice(first, min(first + height, len(self.rows)))


def _to_codes(
    taxonomy: Taxonomy, concepts: Sequence[Concept] | NDArray[np.int32]
) -> NDArray[np.int32]:
    if isinstance(concepts, np.ndarray) and concepts.dtype.kind == "i":
        return concepts.astype(np.int32)
    return taxonomy.codes(concepts)
