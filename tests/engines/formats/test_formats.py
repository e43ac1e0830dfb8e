"""Parquet, JSON lines and SQLite: what was there is there again."""

from __future__ import annotations

import datetime
import gzip
import json
import sqlite3
from contextlib import closing
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.engines.formats import connect, open_table
from ontomask.errors import FileFormatError
from strategies import examples


@pytest.fixture(scope="module")
def connection():
    connection = connect()
    yield connection
    connection.close()


def rows(table):
    found = table.connection.sql(f"select * from {table.source} order by ontomask_row")
    # DuckDB's own rows need pytz for times with a zone.
    return [tuple(row.values())[:-1] for row in found.to_arrow_table().to_pylist()]


def rewritten(table, name, query="select * from {} order by ontomask_row", **asked):
    target = table.path.with_name(name)
    table.write(query.format(table.source), target, **asked)
    return target


# ---------------------------------------------------------------------- Parquet

MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456)
PARQUET = pa.table(
    {
        "text": ["a", None, ""],
        "small": pa.array([1, None, 3], pa.int8()),
        "unsigned": pa.array([1, None, 2**32 - 1], pa.uint32()),
        "decimal": pa.array([Decimal("1.10"), None, Decimal("-0.01")], pa.decimal128(9, 2)),
        "moment": pa.array([MOMENT, None, MOMENT], pa.timestamp("us")),
        "zoned": pa.array([MOMENT, None, MOMENT], pa.timestamp("us", tz="UTC")),
        "nano": pa.array([1, None, 3], pa.timestamp("ns")),
        "day": pa.array([MOMENT.date(), None, MOMENT.date()]),
        "list": [[1, 2], None, []],
        "struct": [{"x": 1, "y": ["z"]}, None, {"x": None, "y": None}],
        "bytes": [b"\0\xff", None, b""],
        "flag": [True, None, False],
        "single": pa.array([0.1, None, float("nan")], pa.float32()),
        "coded": pa.array(["p", None, "p"]).dictionary_encode(),
    }
)


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
def test_parquet_keeps_types_and_compression(tmp_path, connection, compression):
    pq.write_table(PARQUET, tmp_path / "table.parquet", compression=compression)
    table = open_table(tmp_path / "table.parquet", connection)
    assert table.names == PARQUET.column_names
    assert table.rows == 3
    target = rewritten(table, "again.parquet")
    again = table.open_alike(target)
    assert again.types == table.types
    assert repr(rows(again)) == repr(rows(table))
    assert again.compression == table.compression
    mine, theirs = pq.read_table(target), PARQUET
    for name in theirs.column_names:
        expected = theirs[name].cast(pa.string()) if name == "coded" else theirs[name]
        assert mine[name].to_pylist() == expected.to_pylist() or name == "single"


def test_parquet_rows_come_in_their_order(tmp_path, connection):
    pq.write_table(pa.table({"i": range(50_000)}), tmp_path / "table.parquet", row_group_size=1_000)
    table = open_table(tmp_path / "table.parquet", connection)
    assert table.connection.execute(
        f"select bool_and(i = ontomask_row), count(*) from {table.source}"
    ).fetchone() == (True, 50_000)


def test_parquet_with_a_column_of_duckdbs_name(tmp_path, connection):
    pq.write_table(pa.table({"file_row_number": [7, 8]}), tmp_path / "table.parquet")
    table = open_table(tmp_path / "table.parquet", connection)
    assert rows(table) == [(7,), (8,)]


def test_damaged_parquet(tmp_path, connection):
    pq.write_table(PARQUET, tmp_path / "table.parquet")
    whole = (tmp_path / "table.parquet").read_bytes()
    (tmp_path / "table.parquet").write_bytes(whole[:-100])
    with pytest.raises(FileFormatError, match="table.parquet cannot be read"):
        open_table(tmp_path / "table.parquet", connection)
    (tmp_path / "table.parquet").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(FileFormatError, match="this is not a Parquet file"):
        open_table(tmp_path / "table.parquet", connection)


# ---------------------------------------------------------------------- JSON lines


@pytest.fixture
def lines(tmp_path, connection):
    def opened(content, name="table.jsonl"):
        path = tmp_path / name
        path.write_bytes(content)
        return open_table(path, connection)

    return opened


JSONL = {
    "compact": b'{"a":"x","b":1}\n{"a":"y","b":2}\n',
    "spaced": b'{"a": "x", "b": 1}\n{"a": "y", "b": 2}\n',
    "CRLF, no end": b'{"a": "x"}\r\n{"a": "y"}',
    "numbers as written": b'{"a": 1.10, "b": 1e5, "c": 123456789012345678901234567890}\n',
    "numbers of both kinds": b'{"a": 1}\n{"a": 1.5}\n{"a": -0}\n',
    "nested": b'{"a": {"k": [1,  2.0, {"z":null}]}, "b": [], "c": true}\n'
    b'{"a": 1, "b": "x", "c": null}\n',
    "keys missing": b'{"a": "x", "b": 1, "c": [1]}\n{"a": "y"}\n{"b": 2, "c": 3}\n{}\n',
    "nulls": b'{"a": null, "b": null}\n{"a": "x", "b": 1}\n',
    "escaped": b'{"a": "caf\\u00e9 \\ud83d\\ude00", "n\\u00e4me": "\\n\\t\\"\\\\"}\n',
    "not escaped": '{"näme": "é 😀 / \\n"}\n'.encode(),
    "empty text": b'{"a": ""}\n{"a": "null"}\n{"a": "1"}\n',
}


@pytest.mark.parametrize("content", JSONL.values(), ids=JSONL.keys())
def test_json_lines_come_back_byte_for_byte(lines, content):
    assert rewritten(lines(content), "again.jsonl").read_bytes() == content


def test_what_sql_sees_of_json(lines):
    table = lines(
        b'{"t": "x\\u00e9", "i": 1, "d": 1.5, "m": 1, "o": {"k": 1}, "n": null}\n'
        b'{"t": null, "i": null, "d": -2.0, "m": 1.50, "o": null, "n": null}\n'
    )
    assert table.types == {
        **{"t": "VARCHAR", "i": "BIGINT", "d": "DOUBLE", "m": "JSON", "o": "JSON", "n": "VARCHAR"}
    }
    assert rows(table) == [
        ("xé", 1, 1.5, "1", '{"k": 1}', None),
        (None, None, -2.0, "1.50", None, None),
    ]
    found = table.connection.execute(f"select sum(cast(m as double)) from {table.source}")
    assert found.fetchone() == (2.5,)


def test_masked_cells_are_written_as_json(lines):
    table = lines(b'{"a": "x", "b": 1.10, "c": 3}\n{"a": "y", "b": 2, "c": 4}\n')
    query = "select 'say \"hi\"' as a, b, null as c from {} order by ontomask_row"
    target = rewritten(table, "again.jsonl", query)
    masked = b'"a": "say \\"hi\\""'
    assert target.read_bytes() == b"{" + masked + b', "b": 1.10}\n{' + masked + b', "b": 2}\n'


def test_a_column_is_read_alike_in_the_finished_file(lines):
    table = lines(b'{"a": 1, "b": "x"}\n{"a": 1.50, "c": "y", "b": "z"}\n')
    seen = []
    query = "select c, a from {} where ontomask_row = 0"
    rewritten(table, "again.jsonl", query, check=lambda done: seen.append((done.names, done.types)))
    assert seen == [(["c", "a"], {"c": "VARCHAR", "a": "JSON"})]


def test_packed_json_lines(lines):
    content = b'{"a": "\\u00e9"}\n'
    table = lines(gzip.compress(content), "table.jsonl.gz")
    assert gzip.decompress(rewritten(table, "again.jsonl.gz").read_bytes()) == content
    assert rewritten(table, "again.csv").read_text() == "a\né\n"


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    ),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("k"), inner, max_size=1),
    max_leaves=3,
)


@pytest.mark.slow
@examples(40)
@given(
    data=st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=4),
    ascii_only=st.booleans(),
)
def test_any_json_comes_back(connection, tmp_path_factory, data, ascii_only):
    if not any(data):
        return
    path = tmp_path_factory.mktemp("any") / "table.jsonl"
    text = "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in data)
    path.write_bytes(text.encode())
    with_null = {key for row in data for key, value in row.items() if value is None}
    every = {key for row in data for key in row}
    with_null &= every
    table = open_table(path, connection)
    again = [json.loads(line) for line in rewritten(table, "again.jsonl").read_bytes().splitlines()]
    assert again == [{**dict.fromkeys(with_null), **row} for row in data]


BAD_JSON = {
    "empty": (b"", "empty"),
    "an array": (b'[{"a": 1}]', "array"),
    "a number": (b'{"a": 1}\n7\n', "line 2: this is not a JSON object"),
    "cut": (b'{"a": 1}\n{"a": ', "line 2: this is not a JSON object"),
    "comma at the end": (b'{"a": 1,}\n', "line 1"),
    "two objects": (b'{"a": 1} {"a": 2}\n', "line 1"),
    "key twice": (b'{"a": 1, "a": 2}\n', "line 1: a key occurs twice"),
    "empty key": (b'{"": 1}\n', "line 1: a key is empty"),
    "case": (b'{"a": 1, "A": 2}\n', "two columns are named 'a' and 'A'"),
    "half a character": (b'{"a": "\\ud800"}\n', "line 1"),
    "latin-1": (b'{"a": "\xe9"}\n', "line 1: not valid UTF-8"),
    "too deep": (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "line 1"),
    "no cells": (b"{}\n{}\n", "empty"),
}


@pytest.mark.parametrize(("content", "message"), BAD_JSON.values(), ids=BAD_JSON.keys())
def test_what_is_wrong_with_json_is_said(lines, content, message):
    with pytest.raises(FileFormatError, match=message):
        lines(content)


# ---------------------------------------------------------------------- SQLite


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "table.sqlite"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(
            """
            create table "the people" (id integer primary key, name varchar(20), weight real,
                                       code, photo blob, "odd name" numeric, big integer);
            insert into "the people" values (3, 'x', 1, '007', x'00ff', 12, 9007199254740993),
                (1, null, null, null, null, 1.5, null), (2, '', 0.1, 'a', x'', 'text', -1);
            """
        )
    return path


def contents(path, table="the people"):
    with closing(sqlite3.connect(path)) as database:
        declared = database.execute(f"select name, type from pragma_table_info('{table}')")
        cells = database.execute(f'select * from "{table}"')
        return declared.fetchall(), cells.fetchall()


def test_sqlite_keeps_declarations_and_cells(database, connection):
    table = open_table(database, connection)
    assert list(table.types.values()) == [
        *("BIGINT", "VARCHAR", "DOUBLE", "VARCHAR", "BLOB", "VARCHAR", "BIGINT")
    ]
    target = rewritten(table, "again.db")
    before, after = contents(database), contents(target)
    assert after[0] == before[0]
    assert after[1] == before[1]
    assert rows(table.open_alike(target)) == rows(table)


def test_sqlite_loses_columns_and_gains_text(database, connection):
    table = open_table(database, connection)
    query = "select name, 'heavy' as weight from {} order by ontomask_row"
    target = rewritten(table, "again.db", query)
    assert contents(target) == (
        [("name", "varchar(20)"), ("weight", "REAL")],
        [(None, "heavy"), ("", "heavy"), ("x", "heavy")],
    )


def test_sqlite_of_several_tables(database, connection):
    with closing(sqlite3.connect(database)) as made:
        made.executescript(
            "create table t2 (k text primary key, v) without rowid;"
            "insert into t2 values ('b', 1), ('a', 2);"
        )
    with pytest.raises(FileFormatError, match="2 tables") as caught:
        open_table(database, connection)
    assert "'t2', 'the people'" in caught.value.hint
    with pytest.raises(FileFormatError, match="table 'x' does not exist"):
        open_table(database, connection, table="x")
    assert rows(open_table(database, connection, table="t2")) == [("a", 2), ("b", 1)]


def test_sqlite_that_is_none(tmp_path, connection):
    path = tmp_path / "table.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("vacuum")
        made.executescript("create table t (a); drop table t;")
    with pytest.raises(FileFormatError, match="the database has no table"):
        open_table(path, connection)
    path.write_bytes(b"a,b\n")
    with pytest.raises(FileFormatError, match="this is not a SQLite database"):
        open_table(path, connection)
    path.write_bytes(b"SQLite format 3\0" + b"x" * 2000)
    with pytest.raises(FileFormatError, match="cannot be read"):
        open_table(path, connection)


def test_sqlite_with_bytes_among_text(tmp_path, connection):
    with closing(sqlite3.connect(tmp_path / "t.db")) as made:
        made.executescript("create table t (a); insert into t values ('x'), (x'00');")
    with pytest.raises(FileFormatError, match="column 'a' has bytes and other values"):
        open_table(tmp_path / "t.db", connection)
    tables = connection.execute("select count(*) from duckdb_tables()").fetchone()
    with pytest.raises(FileFormatError):
        open_table(tmp_path / "t.db", connection)
    assert connection.execute("select count(*) from duckdb_tables()").fetchone() == tables
