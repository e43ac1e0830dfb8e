r"""Distance covariance, variance and correlation of columns of concepts (RS eq. 14-16).

The papers define them over all pairs of records. Records with the same two values are alike, so
with :math:`N` the table of counts of value pairs and :math:`A`, :math:`B` the double-centred
distance tables of the distinct values,

.. math:: \sum_{i,j} \delta_{ij}^X \delta_{ij}^Y = \sum (A N B) \circ N

and nothing grows with the number of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike
from ontomask.statistics.counts import ConceptCounts, ConceptPairs, count_concepts, count_pairs
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["distance_correlation", "distance_covariance", "distance_variance"]

Floats = NDArray[np.float64]

#: Cells of a distance table that are in memory at a time, 32 MB.
CELLS = 4_000_000
#: Cells of sums that are, 256 MB: the more, the fewer times a large table is made again.
SUMS = 32_000_000


def distance_covariance(
    x: Iterable[Concept],
    tax_x: Taxonomy,
    y: Iterable[Concept],
    tax_y: Taxonomy,
    measure: MeasureLike = "sanchez",
) -> float:
    r"""Distance covariance of two columns (RS eq. 14-15).

    It is high if similar values of one column occur with similar values of the other.

    .. math:: sdCov(X, Y) = \frac{1}{n} \sqrt{\sum_{i,j} \delta_{ij}^X \delta_{ij}^Y}

    :math:`\delta` are the distances between records, less the means of their row and column, plus
    the overall mean. A negative sum counts as 0. It may be slightly negative by rounding, and
    clearly negative with measures that are far from a metric on a graph (``lin``,
    ``jiang_conrath``).

    Args:
        x: A column of concepts.
        tax_x: Taxonomy of ``x``.
        y: Another column of the same records.
        tax_y: Taxonomy of ``y``.
        measure: Name of a distance measure, or a function.

    Returns:
        A number from 0 up.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> x, y = ["sprain", "sprain", "influenza"], ["broken arm", "broken arm", "hepatitis B"]
    >>> round(distance_covariance(x, tree, y, tree), 4)
    0.3898
    """
    joint = count_pairs(x, tax_x, y, tax_y)
    total = _sum_of_products(
        joint, CentredDistances(joint.x, measure), CentredDistances(joint.y, measure)
    )
    return _scaled_root(total, joint.x.records)


def distance_variance(
    x: Iterable[Concept], tax_x: Taxonomy, measure: MeasureLike = "sanchez"
) -> float:
    """Distance variance: the distance covariance of a column with itself.

    Args:
        x: A column of concepts.
        tax_x: Taxonomy of ``x``.
        measure: Name of a distance measure, or a function.

    Returns:
        0 if all values are equal, otherwise positive.

    >>> from ontomask import datasets
    >>> round(distance_variance(["sprain", "sprain", "influenza"], datasets.diagnoses()), 4)
    0.3769
    """
    concepts = count_concepts(x, tax_x)
    return _scaled_root(CentredDistances(concepts, measure).squares(), concepts.records)


def distance_correlation(
    x: Iterable[Concept],
    tax_x: Taxonomy,
    y: Iterable[Concept],
    tax_y: Taxonomy,
    measure: MeasureLike = "sanchez",
) -> float:
    r"""Distance correlation of two columns (RS eq. 16).

    .. math:: sdCor(X, Y) = \frac{sdCov(X, Y)}{\sqrt{sdVar(X)\, sdVar(Y)}}

    It detects dependence of any form. The columns may have different taxonomies. If a short column
    has many distinct values, the correlation is high by chance: compare it with the same columns
    shuffled.

    Args:
        x: A column of concepts.
        tax_x: Taxonomy of ``x``.
        y: Another column of the same records.
        tax_y: Taxonomy of ``y``.
        measure: Name of a distance measure, or a function.

    Returns:
        0 (independent) to 1. Also 0 if a column has only one distinct value.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> x, y = ["sprain", "sprain", "influenza"], ["broken arm", "broken arm", "hepatitis B"]
    >>> round(distance_correlation(x, tree, y, tree), 4)
    1.0
    """
    joint = count_pairs(x, tax_x, y, tax_y)
    centred_x, centred_y = CentredDistances(joint.x, measure), CentredDistances(joint.y, measure)
    variance_x, variance_y = centred_x.squares(), centred_y.squares()
    if variance_x <= 0 or variance_y <= 0:
        return 0.0
    covariance = max(_sum_of_products(joint, centred_x, centred_y), 0.0)
    return min(1.0, covariance**0.5 / (variance_x * variance_y) ** 0.25)


def _scaled_root(total: float, records: int) -> float:
    return float(np.sqrt(max(total, 0.0))) / records


def _sum_of_products(joint: ConceptPairs, x: CentredDistances, y: CentredDistances) -> float:
    from scipy.sparse import csr_array

    counts = csr_array((joint.counts.astype(float), (joint.row, joint.col)))
    return summed_products(counts, x, y.sum_distances)


def summed_products(counts: Any, x: CentredDistances, summed: Callable[[Any], Floats]) -> float:
    """The sum over all pairs of records of the products of their centred distances.

    ``counts`` is the sparse table N of value pairs; ``summed`` multiplies some rows of it with the
    distances B of the second column. ``sum((A N B) o N)`` is ``sum((A N) o (N B))``, as B is
    symmetric: N has few cells, so both products are cheap. As A is centred, B need not be.
    """
    total = 0.0
    height = max(1, SUMS // counts.shape[1])
    for first in range(0, counts.shape[0], height):
        part = counts[first : first + height]
        right = summed(part)
        for rows, a in x.blocks(first, first + part.shape[0]):
            # Not vdot: its last digits depend on how many threads share the sum.
            left, right_rows = a @ counts, right[rows.start - first : rows.stop - first]
            total += float(np.einsum("ij,ij", left, right_rows))
    return total


class CentredDistances:
    """The double-centred distance table of a column's distinct values, by blocks of rows."""

    def __init__(self, concepts: ConceptCounts, measure: MeasureLike) -> None:
        self._table = Distances(concepts.taxonomy, concepts.codes, measure=measure)
        self._counts = concepts.counts
        share = concepts.counts / concepts.records
        self._means = np.concatenate([block @ share for _, block in self._table.blocks()])
        self._mean = float(share @ self._means)
        self._only_block: Floats | None = None  # kept where one block is all

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[tuple[slice, Floats]]:
        """The rows from ``first`` up to, not including, ``last``, some at a time."""
        size = len(self._means)
        last = size if last is None else last
        height = max(1, CELLS // size)
        for start in range(first, last, height):
            rows = slice(start, min(start + height, last))
            yield rows, self._block(rows) if self._only_block is None else self._only_block[rows]

    def _block(self, rows: slice) -> Floats:
        block = self._table.block(rows.start, rows.stop)
        block -= self._means[rows, None]
        block -= self._means
        block += self._mean
        if len(block) == len(self._means):
            self._only_block = block
        return block

    def sum_distances(self, counts: Any) -> Floats:
        """Multiply sparse counts, which have a column per value, with the table."""
        by_column = counts.tocsc()
        out = np.zeros(counts.shape)
        for rows, block in self.blocks():
            out += by_column[:, rows] @ block
        return out

    def squares(self) -> float:
        """The sum over all pairs of records of the squared centred distance."""
        return sum(
            float(self._counts[rows] @ (block**2 @ self._counts)) for rows, block in self.blocks()
        )
