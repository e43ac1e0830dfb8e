"""A Spark frame is masked as the same table in memory is: by the same plan, row by row."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import textwrap
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from figures import rounded
from ontomask.engines.spark import records
from ontomask.engines.spark.engine import SparkEngine
from ontomask.engines.spark.records import SparkRecords, transition_ranges
from ontomask.errors import ColumnError, InternalError, LookAlikeWarning, ParameterError
from ontomask.methods.method import Method
from ontomask.microdata.tuples import Transitions, Tuples

#: One of each way to write rows; those that are grouped or dealt out are in ``both``.
METHODS = [
    om.Recoding(4, block=100),
    om.Suppression(4),
    om.Suppression(4, how="drop"),
    om.NoiseAddition(),
]


@pytest.fixture(scope="module")
def discharges():
    table = om.datasets.discharges(400, seed=3)
    names = ("patient", "age", "diagnosis", "severity", "charge", "zip", "outcome")
    frame = pd.DataFrame({name: table[name] for name in names})
    frame["ward"] = np.where(frame["age"] < 9, None, 'ward "3", north\nwing')
    frame["id"] = np.arange(400)
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(scope="module")
def frame(spark, discharges):
    """The discharges, in another order and in three parts."""
    order = np.random.default_rng(1).permutation(discharges.num_rows)
    return spark.createDataFrame(discharges.take(order)).repartition(3, "zip")


@pytest.fixture(scope="module")
def quasi(icd9):
    return [
        om.Nominal("diagnosis", icd9),
        om.Numeric("age"),
        om.Ordinal("severity", ["minor", "moderate", "major", "extreme"]),
    ]


def rows_of(table):
    """Rows of a table that has a column ``id``, in its order."""
    table = table if isinstance(table, pa.Table) else table.toArrow()
    return sorted(table.to_pylist(), key=lambda row: row["id"])


# ------------------------------------------------------------------ the same as in memory


@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_spark_and_memory_give_the_same_rows(frame, discharges, quasi, method):
    schema = om.Schema(quasi, drop=["patient"], other="keep")
    here = om.mask(discharges, schema, method, seed=11)
    there = om.mask(frame, schema, method, seed=11)
    assert rows_of(there.data) == rows_of(here.data)
    assert there.guarantee == here.guarantee
    assert (there.records, there.dropped, there.suppressed) == (
        here.records,
        here.dropped,
        here.suppressed,
    )


DEALING, DRAWING = om.Microaggregation(4), om.Resampling(4)


@pytest.fixture(scope="module", params=[DEALING, DRAWING], ids=repr)
def both(request, frame, discharges, quasi, icd9):
    """The same release, from memory and from Spark, of a method that deals and one that does not.

    All that is looked at is looked at here, for every look costs Spark a second.
    """
    schema = om.Schema(
        quasi,
        confidential=[om.Nominal("outcome", icd9), om.Numeric("charge"), "zip"],
        drop=["patient"],
        keep=["ward", "id"],
    )
    return [om.mask(table, schema, request.param, seed=11) for table in (discharges, frame)]


def without_order(cautions):
    return [caution for caution in cautions if "keep their order" not in caution]


def test_rows_and_figures_are_the_same(both):
    here, there = both
    assert rows_of(there.data) == rows_of(here.data)
    assert rounded(there.evaluation.as_dict()) == rounded(here.evaluation.as_dict())
    # Spark has an order of its own, that of its joins.
    assert without_order(there.cautions) == without_order(here.cautions)


def test_large_tuples_are_numbered_in_parts(frame, discharges, monkeypatch):
    monkeypatch.setattr(records, "LARGEST_PART", 10)
    schema = om.Schema([om.Ordinal("severity", ["minor", "moderate", "major", "extreme"])],
                       drop=["patient"], other="keep")  # fmt: skip
    here = om.mask(discharges, schema, om.RankSwapping(40, "random"), seed=4)
    there = om.mask(frame, schema, om.RankSwapping(40, "random"), seed=4)
    assert here.transitions.tuples.counts.max() > 100
    assert rows_of(there.data) == rows_of(here.data)


def test_people_are_counted(spark, icd9):
    people = ["a"] * 5 + ["b"] * 5 + ["c", "d", "e", None, None]
    codes = ["250.00"] * 10 + ["401", "402", "402", "402", "401"]
    table = pa.table({"who": people, "d": codes, "id": range(15)})
    for missing in ("category", "drop"):
        schema = om.Schema([om.Nominal("d", icd9)], person="who", keep=["id"], missing=missing)
        here = om.mask(table, schema, om.Microaggregation(3), seed=0)
        there = om.mask(spark.createDataFrame(table), schema, om.Microaggregation(3), seed=0)
        assert there.guarantee == here.guarantee
        assert rows_of(there.data) == rows_of(here.data)
        assert there.dropped == (2 if missing == "drop" else 0)


def test_very_many_numbers_are_watched_in_ranges(spark, icd9):
    random = np.random.default_rng(0)
    charge = random.lognormal(8, 1, 30_000).round(2)
    charge[:50] = np.nan
    table = pa.table({"d": random.choice(["250.00", "250.01", "401"], 30_000), "charge": charge})
    schema = om.Schema([om.Nominal("d", icd9)], confidential=["charge"])
    here = om.mask(table, schema, om.Microaggregation(5), seed=0)
    there = om.mask(spark.createDataFrame(table), schema, om.Microaggregation(5), seed=0)
    assert rounded(here.evaluation.risk) == rounded(there.evaluation.risk)
    assert 950 < there.evaluation.risk["l_distinct"]["charge"] <= 1_001


@pytest.mark.parametrize("missing", ["refuse", "drop", "category"])
def test_missing_values(spark, icd9, missing):
    table = pa.table(
        {
            "d": ["250.00"] * 4 + ["?"] * 3 + [None] + ["250.01"] * 4,
            "id": range(12),
        }
    )
    schema = om.Schema([om.Nominal("d", icd9)], missing=missing, missing_marks=["?"], other="keep")
    given = spark.createDataFrame(table)
    if missing == "refuse":
        with pytest.raises(ColumnError, match="4 rows"):
            om.mask(given, schema, om.Microaggregation(3))
        return
    here = om.mask(table, schema, om.Microaggregation(3), seed=0)
    there = om.mask(given, schema, om.Microaggregation(3), seed=0)
    assert rows_of(there.data) == rows_of(here.data)
    assert there.dropped == here.dropped == (4 if missing == "drop" else 0)


# ------------------------------------------------------------------ kinds of columns


def test_numbers_dates_and_moments_are_masked_as_what_they_are(spark):
    zone = "Europe/Madrid"
    midnight = [datetime.datetime(2020, 7, 1 + i % 5) for i in range(12)]
    table = pa.table(
        {
            "float": [0.0, -0.0, 1.5, 2.5, float("nan"), None] * 2,
            "single": pa.array([0.1, 0.2, 0.3] * 4, pa.float32()),
            "small": pa.array([1, 2, 3, 4] * 3, pa.int8()),
            "money": pa.array([Decimal("1.50"), Decimal("2.75")] * 6, pa.decimal128(9, 2)),
            "day": pa.array([it.date() for it in midnight]),
            "moment": pa.array(midnight, pa.timestamp("us")).cast(pa.timestamp("us", zone)),
            "flag": [True, False, True] * 4,
            "text": ["a\0b", "ä", ""] * 4,
            "id": range(12),
        }
    )
    # Midnights of Madrid, where the session is, belong to another day in Greenwich.
    local = pa.compute.assume_timezone(pa.array(midnight), zone)
    table = table.set_column(5, "moment", local)
    columns = [
        *(om.Numeric(name) for name in ("float", "single", "small", "money")),
        *(om.Date("day"), om.Date("moment"), om.Ordinal("flag", [False, True])),
        om.Ordinal("text", ["", "a\0b", "ä"]),
    ]
    schema = om.Schema(columns, keep=["id"], missing="drop")
    given = spark.createDataFrame(table)
    here = om.mask(table, schema, om.RankSwapping(3, "random"), seed=5)
    there = om.mask(given, schema, om.RankSwapping(3, "random"), seed=5)
    assert there.data.schema == given.schema
    moments = there.data.toArrow()
    at = moments.column_names.index("moment")
    moments = moments.set_column(at, "moment", moments["moment"].cast(local.type))
    assert rows_of(moments) == rows_of(here.data)


ODD = """
    select id, cast(id % 3 as string) as lower, id % 2 as upper, 'x' collate UTF8_LCASE as co,
           if(id % 2 = 0, 'd', 'D') collate UTF8_LCASE as word,
           map('k', id) as m, named_struct('q', id, 'm', map('a', id)) as st, array(id, null) as ar,
           interval '3' month as ym, interval '2' day as dt, make_interval(1, 2, 3) as ci,
           timestamp_ntz '2020-03-04 05:06:07' as nt, cast(null as void) as nothing,
           parse_json(concat('{"a":', id, '}')) as v, cast('x' as binary) as bi,
           'tuple' as tuple, 'row' as row, 'count' as count, 'c0' as c0
    from (select cast(id as int) as id from range(30))
"""


@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
def test_other_columns_are_untouched_whatever_they_are(spark):
    from pyspark.sql import functions as F

    given = spark.sql(ODD).withMetadata("m", {"is": "kept"}).withMetadata("lower", {"was": "0|1"})
    given = given.toDF("id", "a.b", "A.b", *given.columns[3:])
    tree = om.Taxonomy.from_edges([("0", "any"), ("1", "any"), ("2", "any")])
    schema = om.Schema([om.Nominal("a.b", tree)], confidential=["word"], other="keep")
    # The collation does not hide that d and D are two values; they are counted as one.
    with pytest.warns(LookAlikeWarning, match="2 values of column 'word'"):
        release = om.mask(given, schema, om.RankSwapping(8, "random"), seed=0)
    others = [name for name in given.columns if name != "a.b"]
    assert [release.data.schema[name] for name in others] == [given.schema[n] for n in others]
    assert release.data.schema["a.b"].metadata == {}  # it may name values that are gone
    plain = [it.toDF(*(f"x{j}" for j in range(len(it.columns)))) for it in (given, release.data)]
    shown = [it.drop("x1").select(F.to_json(F.struct("*"))).collect() for it in plain]
    assert sorted(shown[0]) == sorted(shown[1])
    assert release.evaluation.risk["l_distinct"]["word"] == 1
    assert release._applied.engine.count_unique_values("m") == 30
    assert release._applied.count_classes_with(["st", "v", "ci", "ym"]).uniques == 30


# ------------------------------------------------------------------ lazy, and verified


@pytest.mark.parametrize("both", [DEALING], indirect=True, ids=repr)
def test_nothing_is_kept_in_memory_and_the_rows_stay_what_they_are(spark, both):
    here, there = both
    assert rows_of(there.data.repartition(3, "ward")) == rows_of(here.data)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == 0


@pytest.mark.parametrize("method", [om.Microaggregation(4), om.RankSwapping(5)], ids=repr)
def test_rows_that_are_not_what_was_planned_do_not_pass(spark, icd9, monkeypatch, method):
    table = pa.table({"d": ["250.00"] * 4 + ["401"] * 4 + ["402"] * 4})
    right = SparkRecords.rows_with_tuples

    def swap_tuples(self, **of_tuple):
        return right(SparkRecords(self.counted, self.tuple_of[::-1].copy()), **of_tuple)

    monkeypatch.setattr(SparkRecords, "rows_with_tuples", swap_tuples)
    with pytest.raises(InternalError, match="not those that were counted"):
        om.mask(spark.createDataFrame(table), om.Schema([om.Nominal("d", icd9)]), method, seed=0)


class Meddling(Method):
    """Changes the file behind the frame while it plans; the frame is read again afterwards."""

    def __init__(self, path, change):
        self.path, self.change = path, change

    def plan(self, tuples, random):
        self.path.write_text(self.change(self.path.read_text()))
        return Transitions.from_targets(tuples, tuples.targets(), np.arange(len(tuples)))


@pytest.mark.parametrize(
    "change",
    [lambda text: text.replace("north", "south"), lambda text: text.replace("00,1", "01,1")],
    ids=["another column", "a masked column"],
)
def test_a_table_that_changes_meanwhile_does_not_pass(spark, tmp_path, icd9, change):
    path = tmp_path / "a.csv"
    path.write_text("d,n,ward\n" + "250.00,1,north\n250.01,2,west.\n" * 3)
    given = spark.read.csv(path.as_uri(), header=True)
    schema = om.Schema([om.Nominal("d", icd9)], other="keep")
    with pytest.raises(ParameterError, match="changed while it was masked"):
        om.mask(given, schema, Meddling(path, change))


# ------------------------------------------------------------------ where positions lie


@given(st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=5), min_size=1, max_size=8))
def test_every_position_is_in_the_piece_of_its_transition(counts):
    flat = np.array([count for some in counts for count in some])
    source = np.repeat(np.arange(len(counts)), [len(some) for some in counts])
    totals = np.array([sum(some) for some in counts])
    tuples = Tuples((), np.zeros((0, len(counts)), dtype=np.int32), totals)
    target = np.arange(len(flat))[::-1].copy()
    plan = Transitions(tuples, np.zeros((len(flat), 1)), source, target, flat)
    size, chunk, begin, end, to = transition_ranges(plan)
    wanted = np.repeat(target, flat)  # position by position, as in memory
    for position, it in enumerate(wanted):
        fits = (chunk == position // size) & (begin <= position) & (position < end)
        assert to[fits].tolist() == [it]
    assert len(chunk) <= 3 * len(flat)


# ------------------------------------------------------------------ written


@pytest.mark.parametrize("both", [DEALING], indirect=True, ids=repr)
def test_what_is_written_is_what_was_masked(spark, both, tmp_path):
    here, release = both
    folder = tmp_path / "jöb 2"  # which a URI would encode
    folder.mkdir()
    target = folder / "released.parquet"
    release.write(target)
    assert rows_of(spark.read.parquet(str(target))) == rows_of(here.data)
    with pytest.raises(ParameterError, match="exists"):
        release.write(target)
    release.write(target, force=True)
    assert [it.name for it in tmp_path.iterdir()] == ["jöb 2"]
    assert [it.name for it in folder.iterdir()] == ["released.parquet"]
    for path, complaint in (
        ("s3://bucket/a.parquet", "is not a local path"),
        (tmp_path / "a.csv", "written to .parquet"),
    ):
        with pytest.raises(ParameterError, match=complaint) as error:
            release.write(path)
        assert "release.data.write" in str(error.value)


# ------------------------------------------------------------------ what can go wrong


def test_frames_that_cannot_be_masked(spark, icd9):
    schema = om.Schema([om.Nominal("d", icd9)])
    twice = spark.sql("select '250.00' as d, '401' as d")
    stream = spark.readStream.format("rate").load()
    connect = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    for given_frame, complaint in ((twice, "'d'"), (stream, "a stream cannot be masked")):
        with pytest.raises(ParameterError, match=complaint):
            om.mask(given_frame, schema, om.Microaggregation(2))
    with pytest.raises(ParameterError, match="Spark Connect"):
        SparkEngine(connect)
    with pytest.raises(ColumnError, match="'d' must have one value per record, got map<"):
        om.mask(spark.sql("select map('a', 1) as d"), schema, om.Microaggregation(2))
    with pytest.raises(ColumnError, match="no records"):
        om.mask(spark.sql("select '401' as d where false"), schema, om.Microaggregation(2))


@pytest.mark.parametrize(
    ("python", "complaint"),
    [
        (None, "the Python of Spark's workers cannot be started"),
        (f'#!/bin/sh\nexec {sys.executable} -S "$@"\n', "the Python of Spark's workers has no "),
    ],
    ids=["no Python", "a Python with nothing"],
)
def test_workers_without_python(spark, icd9, tmp_path, monkeypatch, python, complaint):
    path = tmp_path / "python"
    if python:
        path.write_text(python)
        path.chmod(0o755)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(path))
    table = pa.table({"d": ["250.00", "401", "250.00", "402"] * 3})
    with pytest.raises(ParameterError, match=complaint) as error:
        om.mask(
            spark.createDataFrame(table),
            om.Schema([om.Nominal("d", icd9)]),
            om.RankSwapping(5, "random"),
            seed=0,
        )
    assert "PYSPARK_PYTHON" in str(error.value)


@pytest.mark.parametrize(
    ("before", "home", "complaint"),
    [
        ("", "/nowhere", "Spark could not start Java"),
        ("sys.modules['pyspark'] = None", None, "Spark needs pyspark, which is not"),
    ],
    ids=["no Java", "no pyspark"],
)
def test_what_is_not_installed_is_said(before, home, complaint):
    code = f"""
        import sys
        {before}
        from ontomask.engines.spark.session import spark_session
        try:
            spark_session()
        except ValueError as error:
            print(type(error).__name__, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **({"JAVA_HOME": home} if home else {})},
    )
    assert f"ParameterError {complaint}" in " ".join(done.stdout.split()), done.stderr
