"""One table in every kind of frame, and rows read back from each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

from ontomask.taxonomy.value_counts import is_missing

KINDS = ["pandas", "polars", "lazy", "pyarrow", "duckdb"]


def made(kind: str, columns: Mapping[str, list[Any]]) -> Any:
    if kind == "pandas":
        return pd.DataFrame(dict(columns))
    if kind == "polars":
        return pl.DataFrame(dict(columns))
    if kind == "lazy":
        return pl.LazyFrame(dict(columns))
    table = pa.table(dict(columns))
    return table if kind == "pyarrow" else duckdb.connect().from_arrow(table)


def rows(frame: Any) -> list[tuple[Any, ...]]:
    """What stands in the cells, row by row; missing is None, whole numbers are whole."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        found = frame.rows()
    elif isinstance(frame, pd.DataFrame):
        found = list(frame.itertuples(index=False, name=None))
    else:
        table = frame if isinstance(frame, pa.Table) else frame.to_arrow_table()
        found = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return [tuple(None if is_missing(value) else value for value in r) for r in found]
