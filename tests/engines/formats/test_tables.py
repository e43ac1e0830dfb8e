"""A file is there whole or not at all, and the database reaches no further than it should."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ontomask.engines.formats import connect, open_table, write_frame
from ontomask.errors import FileFormatError, InternalError, OntomaskError, ParameterError

CONTENT = b"a,b\n1,x\n2,y\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CONTENT)
    with open_table(path) as table:
        yield table


def everything(table):
    return f"select * from {table.source} order by ontomask_row"


def listing(folder):
    return sorted(path.name for path in folder.iterdir())


# ---------------------------------------------------------------------- the database


@pytest.mark.slow
def test_the_spill_goes_with_the_connection():
    connection = connect("200MB")
    folder = Path(connection.execute("select current_setting('temp_directory')").fetchone()[0])
    assert folder.parent.stat().st_mode & 0o077 == 0
    connection.execute(
        "create temp table t as select i, md5(i::varchar) x from range(6000000) t(i)"
    )
    connection.close()
    del connection
    gc.collect()
    assert not folder.parent.exists()


def test_nothing_is_fetched_from_the_network():
    connection = connect()
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
        assert connection.execute(f"select current_setting('{setting}')").fetchone() == (False,)
    connection.close()


# ---------------------------------------------------------------------- writing


def test_the_finished_file_is_checked_before_it_has_its_name(table, tmp_path):
    target = tmp_path / "out.csv"
    seen = []

    def check(finished):
        assert not target.exists()
        seen.append((finished.rows, finished.names, finished.connection.sql(finished.source)))

    table.write(everything(table), target, check=check)
    assert len(seen) == 1
    assert target.read_bytes() == CONTENT
    assert target.stat().st_mode & 0o777 == table.path.stat().st_mode & 0o777
    assert listing(tmp_path) == ["out.csv", "table.csv"]


@pytest.mark.parametrize("error", [InternalError("no"), KeyboardInterrupt(), SystemExit(1)])
@pytest.mark.parametrize(
    "name", ["out.csv", "out.parquet", "out.jsonl", "out.sqlite", "out.csv.gz"]
)
def test_nothing_is_left_when_the_check_objects(table, tmp_path, name, error):
    def check(finished):
        raise error

    with pytest.raises(type(error)):
        table.write(everything(table), tmp_path / name, check=check)
    assert listing(tmp_path) == ["table.csv"]


def test_an_existing_file_is_kept_unless_forced(table, tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("precious")
    with pytest.raises(ParameterError, match="already exists"):
        table.write(everything(table), target)
    assert target.read_text() == "precious"
    table.write(everything(table), target, force=True)
    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize("way", ["itself", "relative", "symlink", "hard link"])
def test_the_file_that_is_read_is_never_written(table, tmp_path, monkeypatch, way):
    target = table.path
    if way == "relative":
        monkeypatch.chdir(tmp_path)
        target = Path("..") / tmp_path.name / "table.csv"
    elif way == "symlink":
        target = tmp_path / "link.csv"
        target.symlink_to(table.path)
    elif way == "hard link":
        target = tmp_path / "link.csv"
        os.link(table.path, target)
    with pytest.raises(ParameterError, match="must not be an input"):
        table.write(everything(table), target, force=True)
    assert table.path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("nowhere/out.csv", "the folder .* does not exist"),
        ("table.csv/out.csv", "the folder .* does not exist"),
        ("folder", "is a folder"),
        ("/proc/out.csv", "cannot be written"),
        ("x" * 300 + ".csv", "cannot be written"),
    ],
)
def test_a_place_that_cannot_be_written(table, tmp_path, target, message):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileFormatError, match=message):
        table.write(everything(table), tmp_path / target)
    assert listing(tmp_path) == ["folder", "table.csv"]


def test_a_query_that_fails_leaves_nothing(table, tmp_path):
    for query in (f"select error('x') as a from {table.source}", "select nonsense"):
        with pytest.raises(Exception, match=r"x|nonsense"):
            table.write(query, tmp_path / "out.csv")
    with pytest.raises(ParameterError, match="same name"):
        table.write(f"select a, b as a from {table.source}", tmp_path / "out.csv")
    assert listing(tmp_path) == ["table.csv"]


@pytest.mark.slow
def test_a_full_disk_is_said_in_one_sentence(table, tmp_path):
    names = ["out.csv", "out.parquet", "out.jsonl", "out.sqlite", "out.csv.gz"]
    paths = [str(tmp_path / name) for name in names]
    code = f"""
import resource
from ontomask.engines.formats import open_table
from ontomask.errors import FileFormatError
table = open_table({str(table.path)!r})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
query = "select md5(i::varchar) as a, md5((i + 1)::varchar) as b from range(200000) t(i)"
for path in {paths!r}:
    try:
        table.write(query, path)
    except FileFormatError as error:
        print(error.message)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(names), done
    for line, path in zip(lines, paths, strict=True):
        assert line.startswith(f"{path} cannot be written: ")
    assert listing(tmp_path) == ["table.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_ctrl_c_leaves_nothing(table, tmp_path, name):
    code = f"""
import _thread, os, threading, time
from ontomask.engines.formats import open_table
table = open_table({str(table.path)!r})
def interrupt():
    while os.listdir({str(tmp_path)!r}) == ["table.csv"]:  # until something is being written
        time.sleep(0.01)
    _thread.interrupt_main()
threading.Thread(target=interrupt).start()
query = "select md5(i::varchar) as a, md5((i + 1)::varchar) as b from range(20000000) t(i)"
try:
    table.write(query, {str(tmp_path / name)!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n"
    assert listing(tmp_path) == ["table.csv"]


# ---------------------------------------------------------------------- opening


@pytest.mark.parametrize(
    ("name", "message"), [("nothing.csv", "does not exist"), ("folder", "is a folder")]
)
def test_what_is_no_file(tmp_path, name, message):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileFormatError, match=message):
        open_table(tmp_path / name)


def test_unknown_endings_are_told_by_content(table, tmp_path):
    for name in ("out.parquet", "out.sqlite"):
        table.write(everything(table), tmp_path / name)
        (tmp_path / name).rename(tmp_path / "data.bin")
        with open_table(tmp_path / "data.bin") as again:
            assert again.format == name.split(".")[1]
            assert again.rows == 2
    (tmp_path / "plain").write_bytes(CONTENT)
    with open_table(tmp_path / "plain") as again:
        assert (again.format, again.rows) == ("csv", 2)
        again.write(everything(again), tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == CONTENT


@pytest.mark.parametrize("name", ["table.xlsx", "postgresql://me:secret@localhost/db"])
def test_what_an_extension_is_needed_for(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("table.xlsx").write_bytes(b"PK\3\4")
    with pytest.raises(OntomaskError) as caught:
        open_table(name, table="patients")
    assert "INSTALL" in caught.value.hint
    assert "secret" not in str(caught.value)


def test_a_server_needs_a_table():
    with pytest.raises(ParameterError, match="a PostgreSQL source needs a table"):
        open_table("postgresql://localhost/db")


# ---------------------------------------------------------------------- frames


@pytest.mark.parametrize("name", ["f.csv", "f.parquet", "f.jsonl", "f.sqlite", "f.tsv.gz"])
@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": ["x", None], "b": [1, 2]}),
        pl.DataFrame({"a": ["x", None], "b": [1, 2]}),
        pl.LazyFrame({"a": ["x", None], "b": [1, 2]}),
        pa.table({"a": ["x", None], "b": [1, 2]}),
    ],
    ids=["pandas", "polars", "lazy", "arrow"],
)
def test_a_frame_is_written(tmp_path, frame, name):
    write_frame(frame, tmp_path / name)
    with open_table(tmp_path / name) as table:
        rows = table.connection.execute(f"select a, b::int from {table.source}").fetchall()
    assert rows == [("x", 1), (None, 2)]


def test_a_named_index_is_not_written(tmp_path):
    frame = pd.DataFrame({"b": [1]}, index=pd.Index(["x"], name="a"))
    write_frame(frame, tmp_path / "f.csv")
    assert (tmp_path / "f.csv").read_text() == "b\n1\n"
    with pytest.raises(ParameterError, match="is not a known format"):
        write_frame(frame, tmp_path / "f.doc")
