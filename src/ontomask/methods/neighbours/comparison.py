"""Near tuples without looking at all of them: how values compare, as the loops read it.

The values of every attribute are held in order of their distance from each reference. The nearest
tuples are found by reading these lists outwards, a run of equally far values at a time, from the
attribute that promises most: a tuple not met yet is at least as far as the next runs of all
attributes together. The loops are in :mod:`ontomask.methods.neighbours.kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute

if TYPE_CHECKING:
    from ontomask.methods.operators import Operators

__all__ = ["ValueSpace", "build_value_space"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: What :func:`build_value_space` returns.
ValueSpace = tuple[Longs, Longs, NDArray[np.integer], Ints, Floats, Floats]


def build_value_space(operators: Operators) -> ValueSpace:
    """How values compare with each other, as flat arrays.

    In the order in which they are returned:

    - ``offset``: where the values of each attribute begin when all are laid end to end, and their
      end;
    - ``start``: where the lines of an attribute begin in ``tables`` and ``orders``;
    - ``tables``: a line of distances to all values, in fixed point, for each value;
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
    words: list[int] = []
    for j, attribute in enumerate(attributes):
        start[j + 1] = start[j]
        if isinstance(attribute, NominalAttribute):
            words.append(j)
            start[j + 1] += sizes[j] ** 2
        elif isinstance(attribute, NumericalAttribute):
            numbers[offset[j] : offset[j + 1]] = attribute.numbers
            unit[j] = attribute.range or 1.0, attribute.weight * operators.scale
    tables = np.zeros(start[-1], dtype=operators.kind)
    orders = np.zeros(start[-1], dtype=np.int32)
    for j in words:
        table = operators.between_values(j)
        part = slice(start[j], start[j + 1])
        tables[part] = table.ravel()
        orders[part] = np.argsort(table, axis=1, kind="stable").ravel()
    return offset, start[:-1], tables, orders, numbers, unit
