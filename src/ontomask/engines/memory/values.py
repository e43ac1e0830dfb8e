"""The values of a column: what every kind of frame does in its own way, and cells as text.

Each kind numbers the distinct values of a column, makes a column of a few values and the place of
each record's among them, and tells whether two columns are the same.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ColumnError, Hint, Setting
from ontomask.taxonomy.value_counts import is_missing

__all__ = [
    "ARROW",
    "PANDAS",
    "POLARS",
    "ColumnOperations",
    "canonical_text",
    "is_missing_cell",
    "refuse_values_beyond_type",
]

Longs = NDArray[np.int64]


class ColumnOperations(Protocol):
    """The operations on a column that each kind of frame does in its own way."""

    def number_values(self, column: Any) -> tuple[Longs, list[Any]]:
        """Number the distinct values: each record's number (-1: missing), and the values."""
        ...

    def make_column(self, like: Any, values: list[Any], places: Longs, text: bool) -> Any:
        """Make a column of values by place (-1: missing), of the type of ``like`` or of text."""
        ...

    def without_unused_values(self, column: Any) -> Any:
        """The column, whose type names no value that no record has (categories)."""
        ...

    def is_same_column(self, a: Any, b: Any) -> bool:
        """Whether two columns have the same type and the same values, missing ones included."""
        ...


@contextmanager
def refuse_values_beyond_type(column: str, dtype: object, values: list[Any]) -> Iterator[None]:
    """Say which column a masked number does not fit into, such as a negative one of type uint8."""
    try:
        yield
    except (OverflowError, TypeError, ValueError) as error:
        if not values or not all(isinstance(value, int | float | Decimal) for value in values):
            raise
        raise ColumnError(
            f"column {column!r} has type {dtype}, which cannot hold its masked numbers: they are "
            f"between {min(values)} and {max(values)}",
            Hint(
                "keep them within the range of the column with ",
                Setting("bounds", "resample"),
                " of the noise, or give the column a wider type",
            ),
        ) from error


def _number_by_text(values: list[Any]) -> tuple[Longs, list[Any]]:
    """Number values without order or hash, such as lists, by their text."""
    place: dict[str, int] = {}
    distinct: list[Any] = []
    codes = np.empty(len(values), dtype=np.int64)
    for record, value in enumerate(values):
        if value is None:
            codes[record] = -1
            continue
        text = repr(value)
        if text not in place:
            place[text] = len(distinct)
            distinct.append(value)
        codes[record] = place[text]
    return codes, distinct


class _Pandas:
    def number_values(self, column: Any) -> tuple[Longs, list[Any]]:
        import pandas as pd

        try:
            codes, distinct = pd.factorize(column)
        except (TypeError, NotImplementedError):  # lists and the like, views of strings
            values = column.tolist()
            return _number_by_text([None if is_missing_cell(value) else value for value in values])
        return codes.astype(np.int64), distinct.tolist()

    def make_column(self, like: Any, values: list[Any], places: Longs, text: bool) -> Any:
        import pandas as pd

        dtype = like.dtype
        if str(dtype) == "string_view[pyarrow]":  # pandas can do next to nothing with it
            array = ARROW.make_column(like.array.__arrow_array__(), values, places, text)
            return pd.Series(pd.array(array, dtype=dtype), like.index, name=like.name)
        blanks = bool((places < 0).any())
        if isinstance(dtype, pd.CategoricalDtype):
            # Categories that nobody holds any more would tell who was there.
            used = {values[place] for place in np.unique(places[places >= 0])}
            values = [value if value in used else None for value in values]
            is_number = pd.api.types.is_numeric_dtype(dtype.categories.dtype)
            known = [] if text or is_number else [c for c in dtype.categories if c in used]
            categories = [*known, *sorted(used.difference(known))]
            dtype = pd.CategoricalDtype(categories, ordered=dtype.ordered and not text)
        elif text and not (
            pd.api.types.is_object_dtype(dtype) or isinstance(dtype, pd.StringDtype)
        ):
            arrow = isinstance(dtype, pd.ArrowDtype) and pd.api.types.is_string_dtype(dtype)
            dtype = dtype if arrow else None
        elif blanks and isinstance(dtype, np.dtype) and dtype.kind in "iub":
            nullable = dtype.name.replace("i", "I").replace("u", "U")
            dtype = pd.api.types.pandas_dtype("boolean" if dtype.kind == "b" else nullable)
        with_blank = [*values, None] if blanks else values  # the last, where -1 finds it
        filled = pd.Series(with_blank, dtype=dtype).array.take(places)
        return pd.Series(filled, index=like.index, name=like.name)

    def without_unused_values(self, column: Any) -> Any:
        import pandas as pd

        if isinstance(column.dtype, pd.CategoricalDtype):
            return column.cat.remove_unused_categories()
        if str(column.dtype).startswith("dictionary<"):  # pandas on pyarrow
            array = ARROW.without_unused_values(column.array.__arrow_array__())
            return pd.Series(pd.array(array, dtype=column.dtype), column.index, name=column.name)
        return column

    def is_same_column(self, a: Any, b: Any) -> bool:
        # Rows are compared by their place, not by an index.
        return a.dtype == b.dtype and bool(a.reset_index(drop=True).equals(b))


def is_missing_cell(value: Any) -> bool:
    """Whether a cell of any type holds no value; a list is one."""
    return not isinstance(value, list | tuple | dict | np.ndarray) and is_missing(value)


class _Polars:
    def number_values(self, column: Any) -> tuple[Longs, list[Any]]:
        import polars as pl

        if column.dtype == pl.Object:
            return _number_by_text(column.to_list())
        values = column.alias("value")
        distinct = values.unique(maintain_order=True)
        places = values.to_frame().join(
            distinct.to_frame().with_row_index("place"),
            on="value",
            how="left",
            maintain_order="left",
            nulls_equal=True,
        )
        return places["place"].to_numpy().astype(np.int64), distinct.to_list()

    def make_column(self, like: Any, values: list[Any], places: Longs, text: bool) -> Any:
        import polars as pl

        dtype = like.dtype
        if isinstance(dtype, pl.Enum):
            dtype = pl.String() if text else dtype
        elif text and not isinstance(dtype, pl.Categorical):
            dtype = pl.String()
        places_or_null = pl.Series(places)
        places_or_null = pl.select(pl.when(places_or_null >= 0).then(places_or_null)).to_series()
        return pl.Series(like.name, values or [None], dtype=dtype).gather(places_or_null)

    def without_unused_values(self, column: Any) -> Any:
        import polars as pl

        if not isinstance(column.dtype, pl.Enum):
            return column
        used = set(column.unique().to_list())
        return column.cast(pl.Enum([value for value in column.dtype.categories if value in used]))

    def is_same_column(self, a: Any, b: Any) -> bool:
        return a.dtype == b.dtype and bool(a.equals(b, null_equal=True))


class _Arrow:
    def number_values(self, column: Any) -> tuple[Longs, list[Any]]:
        import pyarrow as pa

        try:
            encoded = column.combine_chunks().dictionary_encode()
        except pa.ArrowNotImplementedError:  # lists and the like
            return _number_by_text(column.to_pylist())
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.combine_chunks()
        places = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        return places, encoded.dictionary.to_pylist()

    def make_column(self, like: Any, values: list[Any], places: Longs, text: bool) -> Any:
        import pyarrow as pa

        dtype = like.type
        coded = pa.types.is_dictionary(dtype)
        plain = dtype.value_type if coded else dtype
        if text and not _is_text(plain):
            plain, coded = pa.string(), False
        if pa.types.is_string_view(plain):  # it knows no take
            return pa.chunked_array([[(*values, None)[place] for place in places]], type=plain)
        column = pa.array(values, type=plain).take(pa.array(places, mask=places < 0))
        return pa.chunked_array([column.dictionary_encode().cast(dtype) if coded else column])

    def without_unused_values(self, column: Any) -> Any:
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            return column
        plain = column.cast(column.type.value_type)
        return plain.dictionary_encode().cast(column.type)

    def is_same_column(self, a: Any, b: Any) -> bool:
        if a.type != b.type:
            return False
        if a.equals(b):
            return True
        # A number that is not one is unequal to itself: compare what is written.
        return len(a) == len(b) and repr(a.to_pylist()) == repr(b.to_pylist())


def _is_text(dtype: Any) -> bool:
    import pyarrow as pa

    kinds = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(kind(dtype) for kind in kinds)


PANDAS: ColumnOperations = _Pandas()
POLARS: ColumnOperations = _Polars()
ARROW: ColumnOperations = _Arrow()


# ---------------------------------------------------------------------- cells as text


def canonical_text(value: Any) -> str:
    """A cell as text, the same for every kind of frame.

    Whole numbers look alike whatever their type, days are midnights, times are cut to the
    microsecond.

    >>> canonical_text(8.0) == canonical_text(8), canonical_text("8") == canonical_text(8)
    (True, False)
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return "s" + value
    if isinstance(value, bool):
        return "b1" if value else "b0"
    if isinstance(value, int):
        return f"n{value}"
    if isinstance(value, list | tuple | np.ndarray):
        return "[" + ",".join(canonical_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{key!r}:{canonical_text(item)}" for key, item in value.items()) + "}"
        )
    if is_missing(value):
        return "-"
    if isinstance(value, float | Decimal):
        number = float(value)
        return f"n{int(value)}" if number.is_integer() else f"n{number!r}"
    if isinstance(value, datetime.datetime):
        aware = value.tzinfo is not None
        moment = value.astimezone(datetime.UTC).replace(tzinfo=None) if aware else value
        return ("z" if aware else "t") + moment.isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return f"t{value.isoformat()}T00:00:00.000000"
    if isinstance(value, datetime.timedelta):
        return f"d{value // datetime.timedelta(microseconds=1)}"
    if isinstance(value, bytes):
        return "x" + value.hex()
    return f"s{value}"
