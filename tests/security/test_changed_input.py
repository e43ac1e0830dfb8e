"""A guarantee holds for what is written: a table that changes meanwhile is refused."""

from __future__ import annotations

import os
import sqlite3
from contextlib import nullcontext

import duckdb
import pytest

import ontomask as om
from ontomask._runtime.files.file_stamps import stamp_file
from ontomask.engines.formats import open_table
from ontomask.engines.formats.sqlite import SqliteTable
from ontomask.errors import FileFormatError, InternalError
from ontomask.releasefile.run import write_release
from release_commands import write_spec, write_table

SEED = 0x1234_5678_9ABC_DEF0_1234
SCHEMA = om.Schema([om.Numeric("age")], confidential=["illness"], other="drop")
METHOD = om.Microaggregation(k=3)


def write_people(path, illness):
    """Twelve people in four groups; what they have is given in SQL."""
    duckdb.sql(
        f"copy (select 20 + i // 3 * 10 as age, {illness} as illness from range(12) t(i)) "
        f"to '{path}'"
    )


#: In every class of three there are three illnesses, or a single one.
DIVERSE, UNIFORM = "'illness ' || (i % 3)", "'illness ' || (i // 3)"


@pytest.fixture
def people(tmp_path):
    write_people(tmp_path / "people.parquet", DIVERSE)
    return tmp_path / "people.parquet"


def rewrite(path):
    """The same people with other illnesses; the file keeps its date."""
    before = path.stat()
    write_people(path, UNIFORM)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def at_step(step, do):
    """A progress function that does something at a step."""
    return lambda words: do() if words.startswith(step) else None


def test_an_unchanged_table_is_diverse(people, tmp_path):
    release = om.mask(people, SCHEMA, METHOD, SEED)
    release.write(tmp_path / "released.parquet")
    assert release.evaluation.risk["l_distinct"] == {"illness": 3}


@pytest.mark.parametrize("step", ["counting", "planning", "masking"])
def test_a_file_that_changes_while_it_is_masked_is_refused(people, step):
    with pytest.raises(FileFormatError, match="changed while it was read"):
        om.mask(people, SCHEMA, METHOD, SEED, progress=at_step(step, lambda: rewrite(people)))


def test_a_file_that_is_gone_while_it_is_masked_is_refused(people):
    with pytest.raises(FileFormatError, match="changed while it was read"):
        om.mask(people, SCHEMA, METHOD, SEED, progress=at_step("masking", people.unlink))


def test_a_file_that_changes_before_the_release_is_written_is_refused(people, tmp_path):
    release = om.mask(people, SCHEMA, METHOD, SEED)
    rewrite(people)
    for name in ("released.parquet", "released.csv"):
        with pytest.raises(FileFormatError, match="changed"):
            release.write(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["people.parquet"]


def test_sensitive_values_are_counted_again_on_what_is_written(people, tmp_path):
    release = om.mask(people, SCHEMA, METHOD, SEED)
    rewrite(people)
    # As if the change could not be seen from outside.
    release._applied.engine.stored._stamp = stamp_file(people)
    with pytest.raises(FileFormatError, match="'illness' changed after it was counted"):
        release.write(tmp_path / "released.csv")
    assert sorted(os.listdir(tmp_path)) == ["people.parquet"]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_a_file_in_which_masked_values_are_in_other_rows_is_refused(people, tmp_path, suffix):
    """Its classes have the same sizes and its other columns the same cells: only l differs."""
    release = om.mask(people, SCHEMA, METHOD, SEED)
    path, spoilt = tmp_path / f"released.{suffix}", tmp_path / f"spoilt.{suffix}"
    release.write(path, order="keep")
    rows = duckdb.sql(f"from '{path}'").to_df()
    moved = rows.assign(age=rows["age"].iloc[rows["illness"].argsort(kind="stable")].to_list())
    assert moved["age"].tolist() != rows["age"].tolist()
    duckdb.sql(f"copy (from moved) to '{spoilt}'")
    applied = release._applied
    for file, refused in ((path, nullcontext()), (spoilt, pytest.raises(InternalError))):
        with open_table(file, applied.engine.sql) as finished, refused:
            applied._check_file(finished, None)


def test_a_table_in_the_database_can_be_written_without_its_file(tmp_path):
    write_people(tmp_path / "people.csv", DIVERSE)
    release = om.mask(tmp_path / "people.csv", SCHEMA, METHOD, SEED)
    (tmp_path / "people.csv").unlink()
    release.write(tmp_path / "released.csv")
    assert (tmp_path / "released.csv").exists()


@pytest.mark.parametrize("step", ["planning", "masking", "writing the table", "writing the report"])
def test_a_release_file_refuses_a_table_that_changes(tmp_path, step):
    om.datasets.diagnoses().write(tmp_path / "tax.csv")
    write_table(tmp_path / "people.csv", 200)
    write_spec(tmp_path / "release.yaml")
    before = sorted(os.listdir(tmp_path))
    change = at_step(step, lambda: write_table(tmp_path / "people.csv", 201))
    with pytest.raises(FileFormatError, match=r"people\.csv changed while it was read"):
        write_release(tmp_path / "release.yaml", SEED, progress=change)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_database_does_not_change_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "people.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("create table people (age integer)")
        database.executemany("insert into people values (?)", [(n,) for n in range(10)])
    database.close()
    load, refused = SqliteTable._load, []

    def change_and_load(table, database):
        other = sqlite3.connect(path, timeout=0)
        try:
            other.execute("update people set age = 'unknown'")
            other.commit()
        except sqlite3.OperationalError as error:
            refused.append(str(error))
        finally:
            other.close()
        load(table, database)

    monkeypatch.setattr(SqliteTable, "_load", change_and_load)
    schema = om.Schema([om.Numeric("age")])
    release = om.mask(path, schema, om.Microaggregation(k=5), SEED)
    assert refused == ["database is locked"]
    assert release.records == 10
