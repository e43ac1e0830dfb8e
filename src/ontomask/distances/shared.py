"""What two concepts share: the one thing every distance is made of.

Every distance of this package is a function of the ancestors that two concepts have in common:
how many there are, which lies deepest, which is nearest, which says most. For a table of rows and
columns this is found without looking at pairs: each ancestor of a row concept is laid over all
the columns below it at once. With the columns in depth-first order they are neighbours, so that
is a loop over a stretch of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.taxonomy import Taxonomy

__all__ = ["SharedAncestors", "ancestor_lists"]

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

#: More ancestor entries than this would not fit in a few gigabytes.
MOST_ANCESTORS = 400_000_000


def ancestor_lists(taxonomy: Taxonomy, concepts: Ints) -> tuple[NDArray[np.int64], Ints, Ints]:
    """The ancestors of each concept, laid end to end, with the links up to each.

    The list of concept ``i`` is ``ancestors[start[i]:start[i + 1]]``, itself first.
    """
    from ontomask.distances import kernels  # compiling starts here, not at import

    parents = taxonomy.parent_links
    start, ancestors, links = kernels.ancestor_lists(
        concepts, parents.start, parents.items, MOST_ANCESTORS
    )
    if not start.size:
        raise ParameterError(
            f"{taxonomy!r} is too deep: {concepts.size:,} of its concepts have more than "
            f"{MOST_ANCESTORS:,} ancestors in total",
            "restrict it to the part that you need with domain()",
        )
    return start, ancestors, links


class SharedAncestors:
    """What some concepts, the columns, share with any others, the rows.

    Rows come block by block. Inside, each column stands once and in the taxonomy's own order,
    where branches stay together; :meth:`tabulate` and :meth:`restore_columns` put them back in the
    order they were asked for.
    """

    def __init__(self, taxonomy: Taxonomy, columns: Ints) -> None:
        from ontomask.distances import kernels

        self.taxonomy = taxonomy
        self.columns = columns
        #: More links than any two concepts are apart.
        self.stride = 2 * taxonomy.height
        self._distinct, self._place = np.unique(columns, return_inverse=True)
        start, ancestors, links = ancestor_lists(taxonomy, self._distinct)
        self.column_ancestors = np.diff(start).astype(np.int32)
        self._runs = kernels.runs_by_ancestor(start, ancestors, links, len(taxonomy))
        self._kernels = kernels

    def count(self, rows: Ints) -> tuple[Ints, Ints]:
        """How many ancestors each row concept shares with each column, and has in all."""
        start, ancestors, _ = ancestor_lists(self.taxonomy, rows)
        run_start, low, high, _, _ = self._runs
        out = np.empty((len(rows), len(self._distinct)), dtype=np.int32)
        self._kernels.count_shared(start, ancestors, run_start, low, high, out)
        return out, np.diff(start).astype(np.int32)

    def best(self, rows: Ints, weight: NDArray[np.int64]) -> NDArray[np.integer]:
        """The greatest ``weight`` of a shared ancestor less the links to it from both sides.

        Where different weights are at least ``stride`` apart, the heaviest shared ancestor wins,
        and of several the nearest.
        """
        start, ancestors, links = ancestor_lists(self.taxonomy, rows)
        run_start, low, high, offset, below = self._runs
        small = weight.max() < np.iinfo(np.int32).max
        out = np.empty((len(rows), len(self._distinct)), dtype=np.int32 if small else np.int64)
        self._kernels.best_shared(
            start, ancestors, links, run_start, low, high, offset, below, weight, out
        )
        return out

    def heaviest(self, rows: Ints, weight: Ints) -> Ints:
        """The greatest ``weight`` of a shared ancestor, however far it is; weights from 0 up."""
        start, ancestors, _ = ancestor_lists(self.taxonomy, rows)
        run_start, low, high, _, _ = self._runs
        out = np.empty((len(rows), len(self._distinct)), dtype=np.int32)
        self._kernels.heaviest_shared(start, ancestors, run_start, low, high, weight, out)
        return out

    def tabulate(
        self,
        formula: Callable[..., Floats],
        keys: NDArray[np.integer],
        row_part: Ints | None = None,
        column_part: Ints | None = None,
    ) -> Floats:
        """Compute ``formula(keys)``, or ``formula(keys, row_part + column_part)``, for every cell.

        A block has millions of cells and few different ones: each is worked out once.
        ``column_part`` is in the order of the taxonomy, as :attr:`column_ancestors` is.
        """
        rows = np.zeros(len(keys), np.int32) if row_part is None else row_part
        columns = np.zeros(len(self._distinct), np.int32) if column_part is None else column_part
        shape = int(keys.max(initial=0)) + 1, int(rows.max() + columns.max()) + 1
        if shape[0] * shape[1] > max(keys.size, 100_000):
            cells = formula(keys) if row_part is None else formula(keys, rows[:, None] + columns)
            return self.restore_columns(cells)
        every = np.indices(shape, sparse=True)
        values = formula(every[0]) if row_part is None else formula(*every)
        out = np.empty((len(keys), len(self.columns)))
        self._kernels.look_up(values, keys, rows, columns, self._place, out)
        return out

    def of_columns(self, numbers: NDArray[Any]) -> NDArray[Any]:
        """A number of every concept, for the columns in the order of the taxonomy."""
        return numbers[self._distinct]

    def restore_columns(self, block: NDArray[Any]) -> NDArray[Any]:
        """Put the columns of a block back in the order they were asked for."""
        return block.take(self._place, axis=1)

    def same(self, rows: Ints) -> NDArray[np.bool_]:
        """Where a row and a column are the same concept."""
        return rows[:, None] == self.columns
