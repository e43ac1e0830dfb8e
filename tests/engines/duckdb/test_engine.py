"""A table in a file is masked as the same table in memory is: by the same plan, row by row."""

from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ontomask as om
from figures import rounded
from ontomask.engines.duckdb import engine as duckdb_engine
from ontomask.engines.duckdb.connection import memory_limit
from ontomask.engines.formats import connect, open_table
from ontomask.errors import ColumnError, InternalError, ParameterError

METHODS = [
    om.Microaggregation(4),
    om.Recoding(4),
    om.Resampling(4),
    om.Suppression(4),
    om.Suppression(4, how="drop"),
    om.RankSwapping(5, guard=True),
    om.RankSwapping(5, "random"),
    om.NoiseAddition(),
]


@pytest.fixture(scope="module")
def discharges():
    table = om.datasets.discharges(400, seed=3)
    frame = pd.DataFrame(
        {
            name: table[name]
            for name in ("patient", "age", "diagnosis", "severity", "charge", "zip", "outcome")
        }
    )
    frame["ward"] = np.where(frame["age"] < 9, None, 'ward "3", north\nwing')
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(scope="module")
def schema(icd9):
    return om.Schema(
        [
            om.Nominal("diagnosis", icd9),
            om.Numeric("age"),
            om.Ordinal("severity", ["minor", "moderate", "major", "extreme"]),
        ],
        confidential=[om.Nominal("outcome", icd9), om.Numeric("charge"), "zip"],
        drop=["patient"],
        other="keep",
    )


@pytest.fixture(params=["parquet", "csv"])
def file(request, tmp_path, discharges):
    import pyarrow.parquet as pq

    path = tmp_path / f"discharges.{request.param}"
    if request.param == "parquet":
        pq.write_table(discharges, path)
    else:
        discharges.to_pandas().to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_parquet_and_frame_give_the_same_rows(tmp_path, discharges, schema, method):
    import pyarrow.parquet as pq

    pq.write_table(discharges, tmp_path / "a.parquet", row_group_size=37)
    here = om.mask(discharges, schema, method, seed=11)
    there = om.mask(tmp_path / "a.parquet", schema, method, seed=11)
    assert there.data.to_arrow_table().to_pylist() == here.data.to_pylist()
    assert there.guarantee == here.guarantee
    assert rounded(there.evaluation.as_dict()) == rounded(here.evaluation.as_dict())
    assert (there.records, there.dropped, there.suppressed) == (
        here.records,
        here.dropped,
        here.suppressed,
    )


@pytest.mark.parametrize("method", [om.Microaggregation(4), om.Suppression(4, how="drop")])
def test_what_is_written_is_what_was_masked(tmp_path, file, schema, method):
    release = om.mask(file, schema, method, seed=1, shuffle=True)
    target = tmp_path / f"released{file.suffix}"
    release.write(target)
    assert open_table(target).names == release.data.columns
    written = open_table(target)
    rows = written.connection.sql(
        f"select * exclude ontomask_row from {written.source} order by ontomask_row"
    ).fetchall()
    assert rows == release.data.fetchall()
    assert sorted(it.name for it in tmp_path.iterdir()) == sorted([file.name, target.name])
    with pytest.raises(ParameterError, match="exists"):
        release.write(target)
    release.write(target, force=True)


def test_text_stays_text_and_numbers_keep_their_look(tmp_path, icd9):
    path = tmp_path / "a.csv"
    path.write_text(
        "id,dose,day,diagnosis\n"
        + "007,1.50,03.04.2020,250.00\n" * 3
        + "008,2.50,05.04.2020,250.01\n" * 2
    )
    schema = om.Schema(
        [om.Numeric("dose"), om.Date("day", format="%d.%m.%Y"), om.Nominal("diagnosis", icd9)],
        keep=["id"],
    )
    release = om.mask(path, schema, om.Microaggregation(5), seed=0)
    release.write(tmp_path / "b.csv")
    lines = (tmp_path / "b.csv").read_text().splitlines()
    assert lines[0] == "id,dose,day,diagnosis"
    assert sorted(line.split(",")[0] for line in lines[1:]) == ["007"] * 3 + ["008"] * 2
    assert {tuple(line.split(",")[1:3]) for line in lines[1:]} == {("1.90", "04.04.2020")}


@pytest.mark.parametrize("missing", ["refuse", "drop", "category"])
def test_missing_values(tmp_path, icd9, missing):
    path = tmp_path / "a.csv"
    path.write_text("d\n" + "250.00\n" * 4 + "?\n" * 3 + "250.01\n" * 4)
    schema = om.Schema([om.Nominal("d", icd9)], missing=missing, missing_marks=["?"])
    if missing == "refuse":
        with pytest.raises(ColumnError, match="3 rows"):
            om.mask(path, schema, om.Microaggregation(3))
        return
    release = om.mask(path, schema, om.Microaggregation(3), seed=0)
    assert release.dropped == (3 if missing == "drop" else 0)
    values = [row[0] for row in release.data.fetchall()]
    assert values.count("?") == (0 if missing == "drop" else 3)
    assert len(values) == (8 if missing == "drop" else 11)


def test_classes_hold_k_people(tmp_path, icd9):
    path = tmp_path / "a.csv"
    rows = (
        [("a", "250.00")] * 5 + [("b", "250.00")] * 5 + [("c", "401"), ("d", "402"), ("e", "402")]
    )
    path.write_text("who,d\n" + "".join(f"{who},{d}\n" for who, d in rows))
    schema = om.Schema([om.Nominal("d", icd9)], person="who")
    release = om.mask(path, schema, om.Microaggregation(3), seed=0)
    assert release.guarantee == "3-anonymous on d: smallest equivalence class 5 people"
    assert release.data.columns == ["d"]


#: Somebody and nobody share a tuple; so do three others. Nobody else has the last one.
PEOPLE = [*[("a", 1), (None, 1), ("b", 1), ("c", 1)] * 2, ("d", 2), ("e", 2), (None, 2), (None, 3)]


@pytest.mark.parametrize("method", [om.Microaggregation(2), om.Suppression(2), om.RankSwapping(2)])
@pytest.mark.parametrize("kind", ["csv", "parquet", "parquet of floats"])
@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
def test_records_of_nobody_are_dropped_as_those_of_a_frame_are(tmp_path, method, kind):
    import pyarrow.parquet as pq

    people, numbers = zip(*PEOPLE, strict=True)
    if kind == "parquet of floats":  # in which no number stands for nobody
        people = [float("nan") if who is None else float(ord(who)) for who in people]
    table = pa.table({"who": people, "n": numbers, "id": range(len(numbers))})
    if kind == "csv":
        path = tmp_path / "a.csv"
        table = table.cast(pa.schema([(name, pa.string()) for name in table.column_names]))
        table.to_pandas().to_csv(path, index=False)
    else:
        path = tmp_path / "a.parquet"
        pq.write_table(table, path)
    schema = om.Schema([om.Numeric("n")], person="who", keep=["id"], missing="drop")
    here = om.mask(table, schema, method, seed=1)
    there = om.mask(path, schema, method, seed=1)
    assert here.dropped == there.dropped == 4
    assert there.data.to_arrow_table().to_pylist() == here.data.to_pylist()
    assert there.guarantee == here.guarantee
    there.write(tmp_path / f"released{path.suffix}")


def test_unknown_settings_are_refused(tmp_path, icd9):
    path = tmp_path / "a.csv"
    path.write_text("d\n250.00\n250.00\n")
    schema = om.Schema([om.Nominal("d", icd9)])
    with pytest.raises(ParameterError, match="unknown file setting 'delimeter'"):
        om.mask(path, schema, om.Microaggregation(2), delimeter=";")
    with pytest.raises(ParameterError, match="is only for files, got a table of type DataFrame"):
        om.mask(pd.read_csv(path), schema, om.Microaggregation(2), delimiter=";")


def test_a_row_that_is_not_what_was_planned_does_not_pass(tmp_path, icd9, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("d\n" + "250.00\n" * 4 + "401\n" * 4)
    rows = duckdb_engine._DistinctRows
    assign = rows.assign_tuples
    monkeypatch.setattr(
        rows, "assign_tuples", lambda self, tuple_of: assign(self, np.zeros_like(tuple_of))
    )
    with pytest.raises(InternalError, match="were not given what was planned"):
        om.mask(path, om.Schema([om.Nominal("d", icd9)]), om.Microaggregation(4))


def test_counting_and_applying_again_changes_no_value_that_came_before(tmp_path, icd9):
    path = tmp_path / "a.csv"
    path.write_text("d,n\n" + "250.00,1\n" * 4 + "401,2\n" * 4)
    engine = duckdb_engine.StoredEngine(open_table(path))
    rows = engine.count_rows(["d"])
    records = rows.assign_tuples(np.array([0, 1]))
    engine.count_rows(["n"])  # each value has tables of its own
    rows.assign_tuples(np.array([1, 0]))
    tuples, numbers = records.count_by_tuple("n")
    counts = [(int(t), numbers.values[c]) for t, c in zip(tuples, numbers.codes, strict=True)]
    assert sorted(counts) == [(0, "1"), (1, "2")]
    assert numbers.weights.tolist() == [4, 4]


@pytest.mark.slow
def test_little_memory_is_enough(tmp_path, icd9):
    con = connect()
    con.sql("""
        select 'patient number ' || i as name, ['250.00', '250.01', '401', '402', '410'][1 + i % 5]
        as diagnosis, repeat('x', 100) || i as notes from range(1000000) t(i)
    """).write_parquet(str(tmp_path / "a.parquet"))
    schema = om.Schema([om.Nominal("diagnosis", icd9)], identifiers=["name"], keep=["notes"])
    release = om.mask(tmp_path / "a.parquet", schema, om.Microaggregation(5), memory="100MB")
    release.write(tmp_path / "b.parquet")
    assert open_table(tmp_path / "b.parquet").rows == 1_000_000


def test_memory_is_a_number_above_0_with_a_unit():
    with closing(connect("0.5GB")) as connection:
        assert memory_limit(connection) == pytest.approx(5e8, rel=0.01)
    for wrong in ("0GB", "-1", "80%", "much", 5):
        with pytest.raises(ParameterError, match="memory must be a number above 0 with a unit"):
            connect(wrong)


def test_very_many_numbers_are_watched_in_ranges(tmp_path, icd9):
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    table = pa.table(
        {
            "d": random.choice(["250.00", "250.01", "401"], 30_000),
            "charge": random.lognormal(8, 1, 30_000).round(2),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    for confidential in ("charge", om.Numeric("charge")):
        schema = om.Schema([om.Nominal("d", icd9)], confidential=[confidential])
        here = om.mask(table, schema, om.Microaggregation(5), seed=0)
        there = om.mask(tmp_path / "a.parquet", schema, om.Microaggregation(5), seed=0)
        assert rounded(here.evaluation.risk) == rounded(there.evaluation.risk)
        assert 950 < there.evaluation.risk["l_distinct"]["charge"] <= 1_000
