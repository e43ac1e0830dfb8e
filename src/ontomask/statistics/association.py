r"""Distance covariance, variance and correlation of columns of concepts (RS eq. 14-16).

The papers define them over all pairs of records. Records with the same two values are alike, so
with :math:`N` the table of counts of value pairs and :math:`A`, :math:`B` the double-centred
distance tables of the distinct values,

.. math:: \sum_{i,j} \delta_{ij}^X \delta_{ij}^Y = \sum (A N B) \circ N

and nothing grows with the number of records.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, MeasureLike
from ontomask.statistics.counts import Column, Pairs, column, pairs
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["distance_correlation", "distance_covariance", "distance_variance"]

Floats = NDArray[np.float64]

#: Cells of a table that are in memory at a time, 128 MB.
CELLS = 16_000_000


def distance_covariance(
    x: Iterable[Concept],
    tax_x: Taxonomy,
    y: Iterable[Concept],
    tax_y: Taxonomy,
    measure: MeasureLike = "sanchez",
) -> float:
    r"""How much two columns move together, by the distances inside each (RS eq. 14-15).

    .. math:: sdCov(X, Y) = \frac{1}{n} \sqrt{\sum_{i,j} \delta_{ij}^X \delta_{ij}^Y}

    :math:`\delta` are the distances between records, less the means of their row and column, plus
    the mean of all. From 0 up. A negative sum counts as 0: by rounding it may be just below; and
    with measures that are far from a metric on a graph (``lin``, ``jiang_conrath``) truly below.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> x, y = ["sprain", "sprain", "influenza"], ["broken arm", "broken arm", "hepatitis B"]
    >>> round(distance_covariance(x, tree, y, tree), 4)
    0.3898
    """
    counted = pairs(x, tax_x, y, tax_y)
    total = _product(counted, _Centred(counted.x, measure), _Centred(counted.y, measure))
    return _root(total, counted.x.records)


def distance_variance(
    x: Iterable[Concept], tax_x: Taxonomy, measure: MeasureLike = "sanchez"
) -> float:
    """How much a column moves: its distance covariance with itself.

    >>> from ontomask import datasets
    >>> round(distance_variance(["sprain", "sprain", "influenza"], datasets.diagnoses()), 4)
    0.3769
    """
    counted = column(x, tax_x)
    centred = _Centred(counted, measure)
    return _root(_product(_with_itself(counted), centred, centred), counted.records)


def distance_correlation(
    x: Iterable[Concept],
    tax_x: Taxonomy,
    y: Iterable[Concept],
    tax_y: Taxonomy,
    measure: MeasureLike = "sanchez",
) -> float:
    r"""How strongly two columns hang together, from 0 to 1 (RS eq. 16).

    .. math:: sdCor(X, Y) = \frac{sdCov(X, Y)}{\sqrt{sdVar(X)\, sdVar(Y)}}

    0 where one of the columns has one value only. It finds dependence of any form, and the two
    columns may be in different taxonomies. In a short column with many different values it is high
    by chance: compare with the same columns shuffled.

    >>> from ontomask import datasets
    >>> tree = datasets.diagnoses()
    >>> x, y = ["sprain", "sprain", "influenza"], ["broken arm", "broken arm", "hepatitis B"]
    >>> round(distance_correlation(x, tree, y, tree), 4)
    1.0
    """
    counted = pairs(x, tax_x, y, tax_y)
    centred_x, centred_y = _Centred(counted.x, measure), _Centred(counted.y, measure)
    variance_x = _product(_with_itself(counted.x), centred_x, centred_x)
    variance_y = _product(_with_itself(counted.y), centred_y, centred_y)
    if variance_x <= 0 or variance_y <= 0:
        return 0.0
    covariance = max(_product(counted, centred_x, centred_y), 0.0)
    return min(1.0, covariance**0.5 / (variance_x * variance_y) ** 0.25)


def _with_itself(of: Column) -> Pairs:
    every = np.arange(len(of.codes))
    return Pairs(of, of, every, every, of.counts)


def _root(total: float, records: int) -> float:
    return float(np.sqrt(max(total, 0.0))) / records


def _product(of: Pairs, centred_x: _Centred, centred_y: _Centred) -> float:
    """The sum over all pairs of records of the products of their centred distances.

    ``sum((A N B) o N)`` is ``sum((A N) o (N B))``, as B is symmetric: N has few cells, so both
    products are cheap. Some rows of A and some of B are in memory at a time.
    """
    from scipy.sparse import csr_array

    counts = csr_array((of.counts.astype(float), (of.row, of.col)))
    total = 0.0
    for x_rows, a in centred_x.blocks():
        right = sum(counts[x_rows, y_rows] @ b for y_rows, b in centred_y.blocks())
        total += float(np.vdot(a @ counts, right))
    return total


class _Centred:
    """The double-centred distance table of a column's distinct values, by blocks of rows."""

    def __init__(self, of: Column, measure: MeasureLike) -> None:
        self._table = Distances(of.taxonomy, of.codes, measure=measure)
        share = of.counts / of.records
        self._means = np.concatenate([block @ share for _, block in self._table.blocks()])
        self._mean = float(share @ self._means)
        self._whole: Floats | None = None  # kept where one block is all

    def blocks(self) -> Iterator[tuple[slice, Floats]]:
        if self._whole is not None:
            yield slice(0, len(self._whole)), self._whole
            return
        for rows, block in self._table.blocks(CELLS):
            block -= self._means[rows, None]
            block -= self._means
            block += self._mean
            if len(block) == len(self._means):
                self._whole = block
            yield rows, block
