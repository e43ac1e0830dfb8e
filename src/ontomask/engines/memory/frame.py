"""Tables in memory: pandas, polars (eager and lazy), pyarrow, and DuckDB relations.

Whatever the kind, columns come in as distinct values and the place of each record's among them,
and the same kind goes out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.sql import identifier
from ontomask.engines.memory.values import (
    ARROW,
    PANDAS,
    POLARS,
    ColumnOperations,
    is_missing_cell,
    refuse_values_beyond_type,
)
from ontomask.errors import ParameterError
from ontomask.microdata.distinct_values import DistinctValues, OutputColumn
from ontomask.microdata.known_values import without_unknown

__all__ = ["Frame"]


class Frame:
    """A table of any kind, read once."""

    def __init__(self, table: Any) -> None:
        from narwhals import dependencies as kinds

        self.original = table
        self._columns: ColumnOperations
        if isinstance(table, str | PathLike):
            raise ParameterError(
                f"table must be a frame, got the path {str(table)!r}",
                "read it first with pandas, polars, pyarrow or duckdb",
            )
        if kinds.is_pandas_dataframe(table):
            self.kind, self._columns, self.native = "pandas", PANDAS, table
        elif kinds.is_polars_dataframe(table):
            self.kind, self._columns, self.native = "polars", POLARS, table
        elif kinds.is_polars_lazyframe(table):
            self.kind, self._columns, self.native = "lazy", POLARS, table.collect()
        elif kinds.is_pyarrow_table(table):
            self.kind, self._columns, self.native = "pyarrow", ARROW, table
        elif kinds.is_duckdb_relation(table):
            self.kind, self._columns, self.native = "duckdb", ARROW, _fetch_relation(table)
        else:
            raise ParameterError(
                "table must be a pandas, polars or pyarrow table or a DuckDB relation, got "
                f"{type(table).__name__}",
                "convert it with pandas.DataFrame(...) or pyarrow.table(...)",
            )

    def select(self, columns: Sequence[str], places: NDArray[np.int64] | None = None) -> Frame:
        """Some of the columns, and of the records those at some places in their order."""
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True).select(list(columns))
        if places is None:
            return Frame(frame.to_native())
        native = frame[places.tolist()].to_native()
        return Frame(native.reset_index(drop=True) if self.kind == "pandas" else native)

    @property
    def names(self) -> list[str]:
        """What the columns are called."""
        return list(self.native.column_names if self._columns is ARROW else self.native.columns)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.native.num_rows if self._columns is ARROW else len(self.native))

    def distinct_values(self, column: str) -> DistinctValues:
        """The distinct values of a column, and each record's place among them."""
        native = self.native[column]
        codes, values = self._columns.number_values(native)
        if str(getattr(native, "dtype", getattr(native, "type", ""))).lower() in _SINGLE_PRECISION:
            values = [value if value is None else float(str(np.float32(value))) for value in values]
        missing = np.array([type(v) is not str and is_missing_cell(v) for v in values], dtype=bool)
        return DistinctValues(values, codes).without_values(missing)

    def has_known_value(self, column: str, marks: Collection[str]) -> NDArray[np.bool_]:
        """Whether each record has a value of a column that is neither blank nor a mark."""
        known: NDArray[np.bool_] = without_unknown(self.distinct_values(column), marks).codes >= 0
        return known

    def make_released_table(
        self,
        outputs: Mapping[str, OutputColumn],
        removed: Sequence[str],
        kept: NDArray[np.bool_],
    ) -> Any:
        """Make a table of the same kind from the kept records, with some columns replaced.

        A pandas index counts the rows anew: another one is a column that nobody gave a role.
        """
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True)
        frame = frame.drop([column for column in frame.columns if column in set(removed)])
        if not kept.all():
            frame = frame.filter(kept.tolist())
        native = frame.to_native()
        new = {}
        for name in frame.columns:
            original = column = native[name]
            if name in outputs:
                output = outputs[name]
                dtype = getattr(original, "dtype", None) or original.type
                with refuse_values_beyond_type(name, dtype, output.values):
                    column = self._columns.make_column(
                        original, output.values, output.places, output.text
                    )
            column = self._columns.without_unused_values(column)
            if column is not original:
                new[name] = column
        return self._as_given(self._replace_columns(native, new), outputs)

    def reorder(self, order: NDArray[np.int64]) -> Any:
        """A table of the same kind, with its records in another order."""
        return self._as_given(self.select(self.names, order).native, {})

    def _as_given(self, native: Any, outputs: Mapping[str, OutputColumn]) -> Any:
        """A table of the kind that was given."""
        if self.kind == "lazy":
            return native.lazy()
        if self.kind == "duckdb":
            return self._make_relation(native, outputs)
        return native

    def _replace_columns(self, native: Any, columns: Mapping[str, Any]) -> Any:
        """Replace columns of a table; its metadata, which are of the original, are left out."""
        if self._columns is POLARS:
            return native.with_columns(columns.values())
        if self._columns is PANDAS:
            out = native.copy()
            for column, values in columns.items():
                out[column] = values
            out.attrs = {}
            return out.reset_index(drop=True)
        import pyarrow as pa

        for column, values in columns.items():
            native = native.set_column(native.column_names.index(column), column, values)
        return native.cast(pa.schema([field.remove_metadata() for field in native.schema]))

    def _make_relation(self, table: Any, outputs: Mapping[str, OutputColumn]) -> Any:
        """Make a DuckDB relation of the same connection, with the same types."""
        types = dict(zip(self.original.columns, map(str, self.original.types), strict=True))
        expressions = []
        for column in table.column_names:
            name = identifier(column)
            text = column in outputs and outputs[column].text
            expressions.append(name if text else f"cast({name} as {types[column]}) as {name}")
        ontomask_released = table  # DuckDB finds it here by its name
        query = f"select {', '.join(expressions)} from ontomask_released"
        relation = self.original.query("ontomask_original", query)
        del ontomask_released
        return relation

    def has_same_column(self, column: str, other: Frame, kept: NDArray[np.bool_]) -> bool:
        """Whether a column is the same in another table that has some of the records."""
        import narwhals as nw

        frame = nw.from_native(self.native, eager_only=True).select(nw.col(column))
        if not kept.all():
            frame = frame.filter(kept.tolist())
        before = self._columns.without_unused_values(frame.to_native()[column])
        return self._columns.is_same_column(before, other.native[column])

    @property
    def index_names(self) -> list[str]:
        """What the levels of an index are called that is more than a plain range (pandas)."""
        if self.kind != "pandas":
            return []
        import pandas as pd

        index = self.native.index
        plain = isinstance(index, pd.RangeIndex) and index.name is None
        return [] if plain else ["" if name is None else str(name) for name in index.names]


_SINGLE_PRECISION = (
    "float32",
    "float",
    "float[pyarrow]",
)  # pandas and polars; pyarrow; pandas on pyarrow


def _fetch_relation(relation: Any) -> Any:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ParameterError(
            "DuckDB relations need pyarrow, which is not installed",
            "install it: pip install pyarrow",
        ) from None
    return relation.to_arrow_table()
