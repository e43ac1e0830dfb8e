"""Columns as distinct values, and rows as numbers, alike for every kind of frame."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frame_kinds import KINDS, made
from ontomask.engines.memory.frame import Frame
from ontomask.engines.memory.records import row_keys
from ontomask.engines.memory.values import canonical_text
from ontomask.microdata.distinct_values import DistinctValues

SECRET = b"secret"
MIXED = {
    "text": ["a", "b", None, "a", "ä", ""],
    "whole": [1, 2, None, 1, 3, 2**40],
    "float": [0.1, 2.0, None, 0.1, -0.0, 1e300],
    "flag": [True, False, None, True, True, False],
    "day": [datetime.date(2020, 1, 1 + i % 3) for i in range(6)],
    "moment": [datetime.datetime(2020, 1, 1, 8, i, 3, 250) for i in range(5)] + [None],
    "bytes": [b"x", b"y", None, b"x", b"", b"z"],
    "list": [[1], [2, 3], None, [1], [], [4]],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_is_its_distinct_values_and_places(kind):
    frame = Frame(made(kind, MIXED))
    assert frame.rows == 6
    assert frame.names == list(MIXED)
    for name, values in MIXED.items():
        column = frame.distinct_values(name)
        again = [column.values[code] if code >= 0 else None for code in column.codes]
        assert [canonical_text(value) for value in again] == [
            canonical_text(value) for value in values
        ]
        assert len(column.values) == len({canonical_text(v) for v in values if v is not None})
        assert column.counts.sum() == sum(value is not None for value in values)


def test_rows_have_the_same_keys_in_every_kind_of_frame():
    keys = [row_keys(Frame(made(kind, MIXED)), SECRET).tolist() for kind in KINDS]
    assert all(key == keys[0] for key in keys)


def test_keys_depend_on_every_cell_on_the_secret_and_not_on_the_order_of_columns():
    frame = pl.DataFrame(MIXED)
    keys = row_keys(Frame(frame), SECRET)
    assert len(set(keys.tolist())) == 6
    assert np.array_equal(keys, row_keys(Frame(frame.select(reversed(frame.columns))), SECRET))
    assert np.array_equal(keys[::-1], row_keys(Frame(frame.reverse()), SECRET))
    assert not np.isin(keys, row_keys(Frame(frame), b"another")).any()
    for column in frame.columns:
        fewer = row_keys(Frame(frame.drop(column)), SECRET)
        assert not np.isin(keys, fewer).any()


def test_a_cell_in_another_column_is_another_row():
    one = row_keys(Frame(pl.DataFrame({"a": ["x"], "b": ["y"]})), SECRET)
    other = row_keys(Frame(pl.DataFrame({"a": ["y"], "b": ["x"]})), SECRET)
    assert one != other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (8, 8.0),
        (8, Decimal("8.00")),
        (0.5, Decimal("0.5")),
        (np.int8(3), 3),
        (datetime.date(2020, 1, 1), pd.Timestamp("2020-01-01")),
        (datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC), pd.Timestamp("2020-01-01", tz="UTC")),
        (datetime.timedelta(hours=1), pd.Timedelta(hours=1)),
        (None, float("nan")),
        (None, pd.NA),
        (None, pd.NaT),
        ([1, 2], np.array([1, 2])),
        (uuid.UUID(int=1), str(uuid.UUID(int=1))),
    ],
)
def test_cells_that_are_the_same(one, other):
    assert canonical_text(one) == canonical_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("8", 8), (True, 1), (None, ""), (None, "None"), ([1, 2], [12]), (b"a", "a"), (0.1, 0.2)],
)
def test_cells_that_are_not(one, other):
    assert canonical_text(one) != canonical_text(other)


def test_types_of_pandas_and_numpy():
    frame = pd.DataFrame(
        {
            "category": pd.Categorical(["b", "a", None]),
            "nullable": pd.array([1, None, 2], dtype="UInt8"),
            "single": np.array([0.1, 0.2, np.nan], dtype=np.float32),
            "arrow": pd.array([0.1, 0.2, None], dtype=pd.ArrowDtype(pa.float32())),
            "object": pd.Series([1, "a", None], dtype=object),
        }
    )
    found = {name: Frame(frame).distinct_values(name) for name in frame}
    assert [sorted(map(str, column.values)) for column in found.values()] == [
        ["a", "b"], ["1", "2"], ["0.1", "0.2"], ["0.1", "0.2"], ["1", "a"],
    ]  # fmt: skip
    assert all((column.codes < 0).sum() == 1 for column in found.values())


def test_a_dictionary_may_hold_more_than_the_column():
    coded = pa.DictionaryArray.from_arrays(pa.array([2, 0, None]), pa.array(["a", "b", None]))
    column = Frame(pa.table({"x": coded})).distinct_values("x")
    assert (column.values, column.codes.tolist()) == (["a", "b"], [-1, 0, -1])
    some = column.select_rows(np.array([True, True, False]))
    assert (some.values, some.codes.tolist()) == (["a"], [-1, 0])


def test_values_may_count_as_missing():
    column = DistinctValues(["a", "?", "b"], np.array([0, 1, 2, -1, 2]))
    marked = column.without_values(np.array([False, True, False]))
    assert (marked.values, marked.codes.tolist()) == (["a", "b"], [0, -1, 1, -1, 1])
