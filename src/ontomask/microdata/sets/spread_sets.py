"""Sets that are spread over several columns of a table, one value in a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.errors import ColumnError, InternalError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.tuples import count_tuples

__all__ = ["combine_columns", "spread_over_columns"]


def combine_columns(columns: Sequence[DistinctValues], blank: Any = None) -> DistinctValues:
    """Combine columns with one value in a cell into one column of lists; no value is in one twice.

    Empty cells are left out, and a row of empty cells has no set. ``blank`` is what stands for an
    empty cell.

    >>> first = DistinctValues(["b", "a"], np.array([0, 1, -1]))
    >>> second = DistinctValues(["a"], np.array([0, 0, -1]))
    >>> sets = combine_columns([first, second])
    >>> sets.values, sets.codes
    ([['a'], ['a', 'b']], array([ 1,  0, -1]))
    """
    values = list(dict.fromkeys(value for column in columns for value in column.values))
    values.sort(key=str)
    place = {value: number for number, value in enumerate(values)}
    cells = np.column_stack(
        [np.array([*map(place.get, column.values), -1])[column.codes] for column in columns]
    )
    cells.sort(axis=1)
    cells[:, 1:][cells[:, 1:] == cells[:, :-1]] = -1
    cells.sort(axis=1)
    sets, codes = count_tuples((), list((cells + 1).T))  # 0 is an empty cell
    lists = [[values[number - 1] for number in row if number] for row in sets.codes.T.tolist()]
    if not lists[:1] or lists[0]:
        return DistinctValues(lists, codes, columns[0].weights, blank)
    return DistinctValues(lists[1:], codes - 1, columns[0].weights, blank)


def spread_over_columns(
    sets: OutputColumn, names: Sequence[str], blank: str | None
) -> Mapping[str, OutputColumn]:
    """Spread a column of lists over several, from the left; the rest is ``blank``."""
    outputs = {}
    for place, name in enumerate(names):
        cells = [values[place] if place < len(values) else blank for values in sets.values]
        distinct = list(dict.fromkeys(cell for cell in (*cells, blank) if cell is not None))
        number = {cell: code for code, cell in enumerate(distinct)}
        codes = np.array([number.get(cell, -1) for cell in (*cells, blank)], dtype=np.int64)
        # A row without a set finds the last, which is blank.
        outputs[name] = OutputColumn(distinct, codes[sets.places], text=True)
    _check_sets(sets, list(outputs.values()), blank)
    return outputs


def _check_sets(sets: OutputColumn, columns: Sequence[OutputColumn], blank: str | None) -> None:
    """Refuse columns from which other sets would be read."""
    cells = []
    for column in columns:
        is_blank = np.array([value == blank for value in column.values], dtype=bool)
        cells.append(DistinctValues(column.values, column.places).without_values(is_blank))
    found = combine_columns(cells)
    for place, code in set(zip(sets.places.tolist(), found.codes.tolist(), strict=True)):
        written, read = ([], *sets.values)[place + 1], ([], *found.values)[code + 1]
        if blank in written:
            raise ColumnError(
                f"the value {blank!r} is a mark of missing values and a concept of the taxonomy",
                "use another mark in the table",
            )
        if written != read or (place < 0) != (code < 0):
            raise InternalError("the sets in the written columns are not those of the plan")
