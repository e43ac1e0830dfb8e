"""A file is read once, into DuckDB's own storage; every query after that reads what is there."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from ontomask.engines.formats import connect, open_table
from ontomask.errors import FileFormatError

ROWS = [{"i": str(i), "rowid": f"r{i}", "Name, first": None if i % 7 == 0 else f"n{i % 5}"}
        for i in range(300)]  # fmt: skip


def write_csv(path, rows):
    names = '"' + '","'.join(rows[0]) + '"\n'
    lines = (",".join("" if cell is None else cell for cell in row.values()) for row in rows)
    content = (names + "\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_sqlite(path, rows):
    names = ", ".join(f'"{name}" text' for name in rows[0])
    marks = ", ".join("?" * len(rows[0]))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(f"create table t ({names})")
        database.executemany(f"insert into t values ({marks})", [(*r.values(),) for r in rows])


WRITERS = {
    "csv": write_csv,
    "csv.gz": write_csv,
    "jsonl": write_jsonl,
    "sqlite": write_sqlite,
}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    path = tmp_path / f"table.{request.param}"
    WRITERS[request.param](path, ROWS)
    return path


def count_tables(connection):
    return connection.execute("select count(*) from duckdb_tables()").fetchone()[0]


def test_after_opening_the_file_is_not_read_again(path):
    with open_table(path) as table:
        path.unlink()
        for _ in range(2):
            query = f"select * from {table.source} order by ontomask_row"
            assert table.connection.execute(query).fetchall() == [
                (*row.values(), place) for place, row in enumerate(ROWS)
            ]


def test_every_cursor_of_the_connection_sees_the_rows(path):
    with open_table(path) as table:
        cursor = table.connection.cursor()
        assert cursor.execute(f"select count(*) from {table.source}").fetchone() == (len(ROWS),)


def test_closing_a_table_lets_go_of_its_rows(path):
    connection = connect()
    open_table(path, connection).close()
    assert count_tables(connection) == 0
    connection.close()


@pytest.mark.parametrize(
    ("name", "content"), [("t.csv", b"a,b\n1,2\n3\n"), ("t.jsonl", b'{"a": 1}\n{"a": \n')]
)
def test_a_file_that_is_refused_leaves_no_rows(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    connection = connect()
    with pytest.raises(FileFormatError):
        open_table(tmp_path / name, connection)
    assert count_tables(connection) == 0
    connection.close()


@pytest.mark.slow
def test_rows_keep_their_places_where_several_threads_read_and_memory_is_short(tmp_path):
    rows = 1_200_000  # several buffers, more than the memory holds
    text = "".join(f"{i},{i:060d}\n" for i in range(rows))
    (tmp_path / "t.csv").write_text("i,text\n" + text)
    connection = connect("120MB")
    connection.execute("set threads = 2")
    with open_table(tmp_path / "t.csv", connection) as table:
        assert connection.execute(
            f"select count(*), bool_and(cast(i as bigint) = ontomask_row), "
            f"bool_and(cast(text as bigint) = ontomask_row) from {table.source}"
        ).fetchone() == (rows, True, True)
    connection.close()


def test_json_keys_that_come_late_and_objects_without_any(tmp_path):
    lines = ["{}"] * 60_000 + ['{"a": 1}'] * 60_000 + ['{"b": "x", "a": 2}']
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    with open_table(tmp_path / "t.jsonl") as table:
        assert table.types == {"a": "BIGINT", "b": "VARCHAR"}
        found = table.connection.execute(
            f"select min(ontomask_row) filter (a = 1), max(ontomask_row) filter (a = 1), "
            f"max(ontomask_row) filter (b = 'x'), count(*) from {table.source}"
        )
        assert found.fetchone() == (60_000, 119_999, 120_000, 120_001)


def test_the_finished_file_is_not_loaded_to_be_checked(tmp_path):
    write_csv(tmp_path / "t.csv", ROWS)
    connection = connect()
    with open_table(tmp_path / "t.csv", connection) as table:
        query = f"select * from {table.source} order by ontomask_row"
        seen = []

        def check(finished):
            seen.append(count_tables(connection))
            again = f"select * from {finished.source} order by ontomask_row"
            assert connection.execute(again).fetchall() == connection.execute(query).fetchall()

        table.write(query, tmp_path / "out.csv", check=check)
        assert seen == [1]  # the one of the original
    connection.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
@pytest.mark.parametrize(
    "method", [om.RankSwapping(5), om.NoiseAddition(), om.Resampling(4)], ids=repr
)
def test_methods_that_deal_records_to_several_targets_take_every_format(tmp_path, method, icd9):
    columns = om.datasets.discharges(200, seed=3)
    rows = [
        {"diagnosis": diagnosis, "severity": severity, "zip": str(place)}
        for diagnosis, severity, place in zip(
            columns["diagnosis"], columns["severity"], columns["zip"], strict=True
        )
    ]
    schema = om.Schema(
        [
            om.Nominal("diagnosis", icd9),
            om.Ordinal("severity", ["minor", "moderate", "major", "extreme"]),
        ],
        confidential=["zip"],
    )
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet")
    expected = om.mask(tmp_path / "t.parquet", schema, method, seed=5).data.fetchall()
    for suffix, write in WRITERS.items():
        write(tmp_path / f"t.{suffix}", rows)
        release = om.mask(tmp_path / f"t.{suffix}", schema, method, seed=5)
        assert release.data.fetchall() == expected
        release.write(tmp_path / f"out.{suffix}")
        with open_table(tmp_path / f"out.{suffix}") as written:
            again = written.connection.execute(
                f"select diagnosis, severity, zip from {written.source} order by ontomask_row"
            ).fetchall()
            assert sorted(again) == sorted(expected)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows keeps the names of files in use")
def test_rows_that_do_not_fit_are_in_a_file_without_a_name(tmp_path):
    rows = 800_000
    text = "".join(f"{i},secret{i:060d}\n" for i in range(rows))
    (tmp_path / "t.csv").write_text("i,text\n" + text)
    connection = connect("100MB")
    spill = connection.execute("select current_setting('temp_directory')").fetchone()[0]
    with open_table(tmp_path / "t.csv", connection) as table:
        assert connection.execute("select count(*) from duckdb_databases()").fetchone() == (4,)
        left = [path for path in Path(spill).parent.rglob("*") if path.is_file()]
        assert not any(b"secret" in path.read_bytes() for path in left)
        cursor = connection.cursor()
        assert cursor.execute(
            f"select count(*), bool_and(cast(i as bigint) = ontomask_row) from {table.source}"
        ).fetchone() == (rows, True)
    assert connection.execute("select count(*) from duckdb_databases()").fetchone() == (3,)
    connection.close()
