"""Spark frames in the pipeline: planned in tasks, compared and evaluated as in memory."""

from __future__ import annotations

import os
import signal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from figures import rounded
from ontomask._runtime.progress import listen_to_progress
from ontomask.engines.spark import tasks
from ontomask.engines.spark.engine import SparkEngine
from ontomask.errors import BlockError, ParameterError
from ontomask.methods.blocks import plan_in_blocks, split_into_blocks, use_block_runner
from ontomask.microdata.tuples import Tuples
from ontomask.pipeline.counting import count_table, open_engine
from ontomask.pipeline.planning import tasks as planning


@pytest.fixture(scope="module")
def discharges():
    names = ("age", "diagnosis", "charge", "outcome")
    table = om.datasets.discharges(300, seed=3)
    frame = pd.DataFrame({name: table[name] for name in names})
    frame["id"] = [f"record {number}" for number in range(300)]
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.fixture(scope="module")
def schema(icd9):
    quasi = [om.Nominal("diagnosis", icd9), om.Numeric("age")]
    return om.Schema(quasi, confidential=["outcome"], keep=["id"], other="drop")


@pytest.fixture(scope="module")
def frame(spark, discharges):
    """The discharges, in another order and in five parts."""
    order = np.random.default_rng(1).permutation(discharges.num_rows)
    return spark.createDataFrame(discharges.take(order)).repartition(5, "outcome")


# ------------------------------------------------------------------ compared and evaluated


def test_methods_are_compared_on_a_spark_frame_as_in_memory(frame, discharges, schema):
    methods = [om.Microaggregation(4), om.Suppression(4, how="drop")]
    here, there = (om.compare(table, schema, methods, seed=5) for table in (discharges, frame))
    for one, other in zip(here.points, there.points, strict=True):
        assert not other.error
        assert rounded(other.evaluation.as_dict()) == rounded(one.evaluation.as_dict())
        assert other.guarantee == one.guarantee
    assert (there.records, there.tuples) == (here.records, here.tuples)


def test_a_sample_of_a_spark_frame_depends_on_the_seed_alone(spark, frame):
    def draw(table, seed):
        return sorted(SparkEngine(table).sample(40, seed).table.native["id"].to_pylist())

    first = draw(frame, 1)
    assert len(set(first)) == 40
    assert draw(frame.repartition(2), 1) == first
    assert draw(frame, 2) != first
    alike = SparkEngine(spark.sql("select id % 2 as a from range(1000)")).sample(100, 1)
    ones = sum(alike.table.native["a"].to_pylist())
    assert 25 < ones < 75  # equal rows are not drawn all together, or not at all


def test_a_comparison_may_take_a_sample_of_a_spark_frame(frame, schema):
    comparison = om.compare(frame, schema, [om.Microaggregation(4)], seed=5, sample=120)
    assert (comparison.records, comparison.sampled_from) == (120, 300)
    assert comparison.points[0].evaluation.risk["k"] >= 4


@pytest.mark.filterwarnings("ignore::ontomask.errors.WeakProtectionWarning")
def test_a_masked_spark_frame_is_evaluated_by_a_column_that_identifies_records(
    frame, discharges, schema
):
    method = om.RankSwapping(5)
    release = om.mask(frame, schema, method, seed=2)
    there = om.evaluate(frame, release.data, schema, method.target_k, match_by="id")
    released = pa.Table.from_pylist(
        sorted(release.data.toArrow().to_pylist(), key=lambda row: int(row["id"].split()[1]))
    )
    here = om.evaluate(discharges, released, schema, method.target_k)
    assert rounded(there.as_dict()) == rounded(here.as_dict())
    assert there.utility["sse"] == pytest.approx(release.evaluation.utility["sse"])


def test_a_spark_frame_without_such_a_column_is_not_evaluated(frame, schema):
    with pytest.raises(ParameterError, match="(?s)no order.*match_by"):
        om.evaluate(frame, frame, schema)


# ------------------------------------------------------------------ planned in tasks


def some_tuples(names, **word):
    """Diagnoses, some of them missing, ages and severities: the tuples of some columns."""
    random = np.random.default_rng(0)
    words = [None, *sorted(om.datasets.diagnoses().identifiers)]
    table = {
        "word": random.choice(words, 400).tolist(),
        "number": random.integers(0, 90, 400).tolist(),
        "level": random.choice(["mild", "severe"], 400).tolist(),
    }
    kinds = {
        "word": om.Nominal("word", om.datasets.diagnoses(), **word),
        "number": om.Numeric("number"),
        "level": om.Ordinal("level", ["mild", "severe"]),
    }
    schema = om.Schema([kinds[name] for name in names], missing="category", other="drop")
    return count_table(open_engine(pa.table(table), {}), schema).tuples


def same_plan(session, method, tuples):
    """The plan made by tasks, if it is that of this process."""
    run = SparkEngine(session.range(1)).run_in_tasks
    here = method.plan(tuples, np.random.default_rng(7))
    there = planning.plan_in_tasks(run, method, tuples, np.random.default_rng(7))
    for name in ("targets", "source", "target", "count"):
        assert np.array_equal(getattr(there, name), getattr(here, name)), name
    assert [a.size for a in there.tuples.attributes] == [a.size for a in here.tuples.attributes]
    return there


IN_BLOCKS = [
    om.Microaggregation(3, block=50),
    om.Recoding(3, block=50),
    om.RankSwapping(3, block=50),
]


def test_blocks_are_planned_in_tasks_as_they_are_here(spark, monkeypatch):
    monkeypatch.setattr(tasks, "POLL_SECONDS", 0.01)
    tuples = some_tuples(["word", "number"], measure=lambda tree, a, b: float(a != b))
    for method in IN_BLOCKS:
        blocks, said = len(method.blocks(tuples)), []
        with listen_to_progress(said.append):
            same_plan(spark, method, tuples)
        lines = [line.split(" (")[0] for line in said]
        for number in range(blocks):
            assert f"planned {number + 1} of {blocks} blocks" in lines


@pytest.mark.parametrize("strategy", ["semantic", "naive", "probabilistic"])
def test_noise_is_drawn_in_tasks_as_it_is_here(spark, monkeypatch, strategy):
    monkeypatch.setattr(planning, "RECORDS_PER_TASK", 150)  # tuples are cut in two
    method = om.NoiseAddition(strategy=strategy)
    for names in (["word"], ["word", "number", "level"]):
        plan = same_plan(spark, method, some_tuples(names))
        assert plan.count.sum() == 400


def test_a_task_that_fails_is_reported_with_its_block(spark):
    tuples = some_tuples(["word", "number"])
    blocks = split_into_blocks(tuples, 100, None, lambda _: True)
    size = len(blocks[2])
    assert [len(block) for block in blocks].count(size) == 1

    def plan(ends):
        def planner(tuples, random):
            if len(tuples) == size:
                ends()
            return om.Recoding(2).plan(tuples, random)

        with use_block_runner(planning.make_block_runner(SparkEngine(spark.range(1)).run_in_tasks)):
            plan_in_blocks(planner, tuples, blocks, None, np.random.default_rng(7))

    def unlucky():
        raise ParameterError("this cannot be", "so be it")

    def greedy():
        raise MemoryError

    before = os.listdir(spark.sparkContext._temp_dir)
    which = rf"block 3 of {len(blocks)} \({size} combinations of values\)"
    with pytest.raises(BlockError, match=f"{which} was not planned: .*Python worker exited"):
        plan(lambda: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ParameterError, match=f"{which}: this cannot be"):
        plan(unlucky)
    with pytest.raises(ParameterError, match="ran out of memory"):
        plan(greedy)
    assert os.listdir(spark.sparkContext._temp_dir) == before


@given(
    counts=st.lists(st.integers(1, 30), min_size=1, max_size=9),
    size=st.integers(1, 40),
)
def test_pieces_hold_every_record_once(counts, size):
    codes = np.arange(len(counts), dtype=np.int32)[None, :]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(planning, "RECORDS_PER_TASK", size)
        pieces = list(planning._NoisePieces(Tuples((), codes, np.array(counts))))
    found = []
    for piece in pieces:
        assert 0 < sum(piece.counts) <= size
        first = piece.first
        for place, count in enumerate(piece.counts.tolist()):
            assert piece.codes[0, place] == piece.begin + place
            found += [(piece.begin + place, first + number) for number in range(count)]
            first = 0
    assert found == [(t, number) for t, count in enumerate(counts) for number in range(count)]
