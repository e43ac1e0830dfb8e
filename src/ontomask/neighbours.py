"""Near tuples without looking at all of them: how values compare, as the loops read it.

The values of every attribute are held in order of their distance from each reference. The nearest
tuples are found by reading these lists outwards, a run of equally far values at a time, from the
attribute that promises most: a tuple not met yet is at least as far as the next runs of all
attributes together. The loops are in :mod:`ontomask.neighbours_kernels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.attributes import NominalAttribute, NumericalAttribute

if TYPE_CHECKING:
    from ontomask.methods.operators import Operators

__all__ = ["Space", "space"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: What :func:`space` returns.
Space = tuple[Longs, Longs, NDArray[np.integer], Ints, Floats, Floats]


def space(operators: Operators, references: Sequence[Longs | None] | None = None) -> Space:
    """How values compare with references, as flat arrays.

    ``references`` are the candidate places of each nominal attribute that something is compared
    with, a line for each in that order; by default the values themselves. In the order in which
    they are returned:

    - ``offset``: where the values of each attribute begin when all are laid end to end, and their
      end;
    - ``start``: where the lines of an attribute begin in ``tables`` and ``orders``;
    - ``tables``: a line of distances to all values, in fixed point, for each reference;
    - ``orders``: a line with all values from the nearest to the farthest;
    - ``numbers`` and ``unit``: numbers can be as many as records, so they have no lines; they are
      apart by their difference over ``unit[j, 0]``, times ``unit[j, 1]``. For words both are 0.
    """
    attributes = operators.tuples.attributes
    sizes = [attribute.size for attribute in attributes]
    offset = np.concatenate((operators.offset, [operators.offset[-1] + sizes[-1]]))
    numbers = np.zeros(offset[-1])
    unit = np.zeros((len(attributes), 2))
    start = np.zeros(len(attributes) + 1, dtype=np.int64)
    lines: dict[int, Longs] = {}
    for j, attribute in enumerate(attributes):
        start[j + 1] = start[j]
        if isinstance(attribute, NominalAttribute):
            given = references[j] if references is not None else None
            lines[j] = attribute.place if given is None else given
            start[j + 1] += len(lines[j]) * sizes[j]
        elif isinstance(attribute, NumericalAttribute):
            numbers[offset[j] : offset[j + 1]] = attribute.numbers
            unit[j] = attribute.range or 1.0, attribute.weight * operators.scale
    tables = np.zeros(start[-1], dtype=operators.kind)
    orders = np.zeros(start[-1], dtype=np.int32)
    for j, places in lines.items():
        part = slice(start[j], start[j + 1])
        tables[part].reshape(len(places), sizes[j])[:] = operators.lines(j, places)
        table = tables[part].reshape(len(places), sizes[j])
        orders[part] = np.argsort(table, axis=1, kind="stable").ravel()
    return offset, start[:-1], tables, orders, numbers, unit
