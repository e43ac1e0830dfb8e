"""Cells that a spreadsheet would run as formulas are counted, or written as text."""

from __future__ import annotations

import csv
import json
import warnings

import duckdb
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask.engines.formats.formulas import escape_query, read_escaped
from ontomask.errors import FileFormatError, FormulaWarning, ParameterError
from ontomask.releasefile.run import write_release

SEED = 0x1234_5678_9ABC_DEF0_1234
FORMULAS = ["=1+1", "+x", "-x()", "@SUM(A1)", "\tx", "\rx", "=", "--", "-5-5", "'=x", "''@"]
NUMBERS = ["-5", "+5", "-", "+", "-1.5e3", "-1,234.5", "+.5"]
PLAIN = ["x", "'x", "a=b", "", "é=", " =x"]
CELLS = [*FORMULAS, *NUMBERS, *PLAIN]
RUN = [cell for cell in FORMULAS if cell[0] != "'"]  # an apostrophe makes text of the others


def table():
    return pd.DataFrame({"age": range(20, 20 + len(CELLS)), "note": CELLS})


def schema():
    return om.Schema([om.Numeric("age")], keep=["note"])


def read_notes(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [row["note"] for row in csv.DictReader(file)]


@pytest.fixture(params=["frame", "people.csv", "people.parquet"])
def release(request, tmp_path):
    """The table, masked in memory or from a file."""
    source = table()
    if request.param != "frame":
        source = tmp_path / request.param
        people = table()
        duckdb.sql(f"copy people to '{source}'")
        del people
    return om.mask(source, schema(), om.Microaggregation(k=2), SEED)


def test_formulas_are_written_as_text_on_request(release, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error", FormulaWarning)
        release.write(tmp_path / "released.csv", escape_formulas=True)
    written = [f"'{cell}" if cell in FORMULAS else cell for cell in CELLS]
    assert sorted(read_notes(tmp_path / "released.csv")) == sorted(written)


def test_formulas_are_warned_of_with_their_number(release, tmp_path):
    with pytest.warns(FormulaWarning, match=rf"{len(RUN)} cells of the written file may be run"):
        release.write(tmp_path / "released.csv")
    assert sorted(read_notes(tmp_path / "released.csv")) == sorted(CELLS)


def test_other_formats_have_no_formulas(release, tmp_path):
    release.write(tmp_path / "released.parquet")
    with pytest.raises(ParameterError, match="only for CSV files"):
        release.write(tmp_path / "other.parquet", escape_formulas=True)


@pytest.mark.parametrize("escape", [True, False])
def test_a_release_file_can_ask_for_it(tmp_path, escape):
    people = table()
    duckdb.sql(f"copy people to '{tmp_path / 'people.parquet'}'")
    del people
    fields = {
        "data": "people.parquet",
        "output": "released.csv",
        "csv": {"escape_formulas": escape},
        "columns": {"age": {"role": "quasi", "type": "numeric"}, "note": {"role": "keep"}},
        "method": {"name": "microaggregation", "k": 2},
    }
    (tmp_path / "release.yaml").write_text(json.dumps(fields))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_release(tmp_path / "release.yaml", SEED)
    assert any(it.category is FormulaWarning for it in caught) is not escape
    runs = [cell for cell in read_notes(tmp_path / "released.csv") if cell in RUN]
    assert len(runs) == (0 if escape else len(RUN))


def test_a_column_name_that_is_a_formula_is_refused(tmp_path):
    frame = table().rename(columns={"note": "=note"})
    schema = om.Schema([om.Numeric("age")], keep=["=note"])
    release = om.mask(frame, schema, om.Microaggregation(k=2), SEED)
    with pytest.raises(FileFormatError, match="column name '=note' would be run"):
        release.write(tmp_path / "released.csv", escape_formulas=True)


@given(st.lists(st.text("='+-@\t\r5.,eEx") | st.text(), min_size=1))
def test_what_is_escaped_is_no_formula_and_can_be_read_back(cells):
    cells = [cell.replace("\0", "") for cell in cells]
    with duckdb.connect() as connection:
        connection.execute("create table t (place bigint, x varchar)")
        connection.executemany("insert into t values (?, ?)", list(enumerate(cells)))
        types = {"x": "VARCHAR", "place": "BIGINT"}
        query = escape_query("select x, place from t", types)
        escaped = connection.execute(f"select x from ({query}) order by place").fetchall()
        source = read_escaped(f"({query})", ["x"], "place")
        restored = connection.execute(f"select x from {source} order by place").fetchall()
    assert [cell for (cell,) in restored] == cells
    for (cell,), original in zip(escaped, cells, strict=True):
        assert cell in (original, f"'{original}")
        if cell.startswith(tuple("=+-@\t\r")) and cell not in "+-":
            float(cell.replace(",", "").replace(".", ""))
