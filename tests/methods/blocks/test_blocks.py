"""Tables planned in blocks: how they are cut, and what still holds."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_blocks
import plain_merging
from method_tables import columns_of_all_kinds, tuples_of, watched_tables, watching
from ontomask._runtime.progress import listen_to_progress
from ontomask.errors import BlockError, ParameterError
from ontomask.methods.blocks import plan_in_blocks, planning, split_into_blocks, use_block_runner
from ontomask.methods.blocks.block import TupleBlocks
from ontomask.methods.operators import Operators
from ontomask.microdata.tuples import SensitiveCounts, count_tuples
from strategies import examples


def strength_of(method) -> int:
    """k, or the window of rank swapping."""
    return method.window if isinstance(method, om.RankSwapping) else method.k


METHODS = [
    om.Microaggregation(2),
    om.Microaggregation(2, algorithm="mdav"),
    om.Microaggregation(2, distance="s"),
    om.Microaggregation(2, algorithm="mdav", distance="s_paper", operators="classic"),
    om.Microaggregation(2, replacement="synthetic"),
    om.Microaggregation(2, replacement="synthetic_paper"),
    om.Recoding(2),
    om.Recoding(2, heuristics="none"),
    om.Recoding(2, distance="discernibility"),
    om.Resampling(2),
    om.RankSwapping(2),
    om.RankSwapping(2, guard=True, operators="classic"),
]


def seeded():
    return np.random.default_rng(7)


def shown(plan):
    """The plan in words: which tuple becomes what, how often."""
    tuples = plan.tuples
    before = values_of(tuples.attributes, tuples.targets())
    after = values_of(tuples.attributes, plan.targets)
    found = Counter()
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        found[before[source], after[target]] += int(count)
    return found


def values_of(attributes, targets):
    rows = []
    for target in targets:
        row = [
            a.candidates[int(it)] if hasattr(a, "candidates") else float(it)
            for a, it in zip(attributes, target, strict=True)
        ]
        rows.append(tuple(row))
    return rows


def made_up(records=400, seed=0):
    """Diagnoses and an age, by chance."""
    random = np.random.default_rng(seed)
    words = sorted(om.datasets.diagnoses().identifiers)
    return tuples_of(
        [
            ("word", random.choice(words, records).tolist(), om.datasets.diagnoses(), {}),
            ("number", random.integers(0, 90, records).tolist(), None, {}),
        ]
    )[0]


# ---------------------------------------------------------------------- cutting


@pytest.mark.slow
@examples(80)
@given(columns=columns_of_all_kinds(max_records=40), size=st.integers(1, 12), k=st.integers(1, 4))
def test_blocks_are_cut_as_defined(columns, size, k):
    tuples, _ = tuples_of(columns)

    def fits(members):
        return sum(tuples.counts[members].tolist()) >= k

    found = [block.tolist() for block in split_into_blocks(tuples, size, None, fits)]
    assert found == plain_blocks.split(tuples, size, fits)
    assert sorted(place for block in found for place in block) == list(range(len(tuples)))
    assert all(map(fits, found)) or len(found) == 1


@given(columns=columns_of_all_kinds(max_records=40), size=st.integers(1, 12))
def test_where_everything_fits_no_block_is_larger_than_asked(columns, size):
    tuples, _ = tuples_of(columns)
    assert max(map(len, split_into_blocks(tuples, size, None, lambda _: True))) <= size


def test_values_that_belong_together_stay_together():
    tuples = made_up()
    diagnoses = tuples.attributes[0]
    blocks = split_into_blocks(tuples, len(tuples) // 2, None, lambda _: True)

    def mean_distance(places):
        codes = tuples.codes[0, places]
        return diagnoses.table[diagnoses.place[codes]][:, codes].mean()

    assert np.mean([mean_distance(b) for b in blocks]) < 0.9 * mean_distance(np.arange(len(tuples)))


# ---------------------------------------------------------------------- a block


@given(
    columns=columns_of_all_kinds(), size=st.integers(1, 8), distance=st.sampled_from(["mean", "s"])
)
def test_distances_in_a_block_are_those_of_the_table(columns, size, distance):
    tuples, _ = tuples_of(columns)
    whole = Operators(tuples, distance)
    blocks = split_into_blocks(tuples, size, None, lambda _: True)
    cut = TupleBlocks(tuples, blocks, whole.factors)
    for number, members in enumerate(blocks):
        block = cut[number]
        inside = Operators(block, distance)
        assert values_of(block.attributes, block.targets()) == [
            values_of(tuples.attributes, tuples.targets())[t] for t in members
        ]
        for i, t in enumerate(members):
            expected = whole.between(tuples.targets()[members], t)
            assert np.array_equal(inside.between(block.targets(), i), expected)


# ---------------------------------------------------------------------- what holds


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(columns=columns_of_all_kinds(max_records=40), size=st.integers(4, 12))
def test_a_plan_in_blocks_is_the_plans_of_the_blocks(method, columns, size):
    tuples, _ = tuples_of(columns)
    assume(tuples.records > strength_of(method) and len(tuples) > 1)
    blocked = replace(method, block=size)
    plan = blocked.plan(tuples, seeded())
    if not blocked.blocked(tuples):
        assert shown(plan) == shown(method.plan(tuples, seeded()))
        return
    expected, unpaired = Counter(), 0
    blocks = blocked.blocks(tuples)
    random = seeded()
    seeds = [int.from_bytes(random.bytes(16)) for _ in blocks]
    cut = TupleBlocks(tuples, blocks, blocked.factors(tuples))
    for number in range(len(blocks)):
        part = method.plan(cut[number], np.random.default_rng(seeds[number]))
        expected += shown(part)
        unpaired += sum(part.unpaired)
    assert shown(plan) == expected
    assert sum(plan.unpaired) == unpaired
    # What the method promises holds in blocks, too.
    if method.permutes:
        before, after = Counter(), Counter()
        for (old, new), count in shown(plan).items():
            before.update({it: count for it in enumerate(old)})
            after.update({it: count for it in enumerate(new)})
        assert after == before
    elif getattr(method, "replacement", "centroid") == "centroid":
        assert plan.class_sizes().min() >= method.k


@given(table=watched_tables(), least=st.integers(2, 3), size=st.integers(4, 12))
def test_every_class_has_l_different_values_in_blocks_too(table, least, size):
    tuples, of, values, ordered = table
    assume(tuples.records >= 2 and len(set(values.tolist())) >= least)
    method = om.Microaggregation(2, l=least, block=size)
    plan = method.plan(watching(tuples, of, values, ordered), seeded())
    target = plan.target_of()[of]
    assert min(len(set(values[target == g].tolist())) for g in np.unique(target)) >= least


@given(table=watched_tables(), most=st.floats(0.1, 0.9), size=st.integers(4, 12))
def test_no_class_is_farther_than_t_from_the_whole_table(table, most, size):
    tuples, of, values, ordered = table
    assume(tuples.records >= 2)
    method = om.Microaggregation(2, t=most, block=size)
    plan = method.plan(watching(tuples, of, values, ordered), seeded())
    target = plan.target_of()[of]
    apart = plain_merging.ordered_distance if ordered else plain_merging.equal_distance
    for group in np.unique(target):
        assert apart(values[target == group].tolist(), values.tolist()) <= most + 1e-9


@given(table=watched_tables(), people=st.integers(2, 12), size=st.integers(4, 12), data=st.data())
def test_every_class_has_k_people_in_blocks_too(table, people, size, data):
    tuples, of, _, _ = table
    assume(tuples.records >= 2)
    who = np.array(data.draw(st.lists(st.integers(0, people), min_size=len(of), max_size=len(of))))
    assume(len(set(who.tolist())) >= 2)
    known = replace(tuples, people=SensitiveCounts("person", of, who, np.ones_like(of)))
    plan = om.Microaggregation(2, block=size).plan(known, seeded())
    target = plan.target_of()[of]
    assert min(len(set(who[target == g].tolist())) for g in np.unique(target)) >= 2


# ---------------------------------------------------------------------- where they are planned


@pytest.mark.slow
def test_other_processes_plan_the_same(monkeypatch):
    method, tuples = om.Microaggregation(3, block=100), made_up()
    here = method.plan(tuples, seeded())
    monkeypatch.setattr(planning, "SMALL", 0)
    monkeypatch.setattr(planning, "_choose_process_count", lambda _: 2)
    said = []
    with listen_to_progress(said.append):
        there = method.plan(tuples, seeded())
    assert shown(there) == shown(here)
    blocks = len(method.blocks(tuples))
    assert blocks > 2
    assert f"planned {blocks} of {blocks} blocks" in [line.split(" (")[0] for line in said]


FATAL = """
import os, signal
import ontomask as om

def plan(tuples, random):
    assert os.environ["PLANS_ELSEWHERE"] != str(os.getpid()), "no process could be started"
    if {number} in tuples.attributes[1].numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return om.Recoding(2).plan(tuples, random)
"""


@pytest.mark.slow
def test_a_process_that_dies_is_reported_with_its_block(tmp_path, monkeypatch):
    tuples = made_up()
    text = FATAL.format(number=tuples.attributes[1].numbers[-1])
    (tmp_path / "fatal_plan.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    from fatal_plan import plan

    blocks = split_into_blocks(tuples, 100, None, lambda _: True)
    old = next(n for n, b in enumerate(blocks) if tuples.codes[1].max() in tuples.codes[1, b])
    monkeypatch.setattr(planning, "_choose_process_count", lambda _: 2)
    monkeypatch.setenv("PLANS_ELSEWHERE", str(os.getpid()))
    with pytest.raises(BlockError, match=f"block {old + 1} of {len(blocks)}.*it was killed"):
        plan_in_blocks(plan, tuples, blocks, None, seeded())


def test_what_is_wrong_with_a_block_is_said():
    tuples = made_up()
    blocks = split_into_blocks(tuples, 100, None, lambda _: True)
    with pytest.raises(
        ParameterError,
        match=r"block 1 of \d+ \(\d+ combinations of values\): k must be at most .*, got 1,000",
    ):
        plan_in_blocks(om.Recoding(1000).plan, tuples, blocks, None, seeded())


def test_a_runner_may_take_the_blocks_elsewhere():
    method, tuples = om.Resampling(3, block=100), made_up()
    taken = []

    def runner(plan, pieces, done):
        taken.extend(pieces)
        return [planning.plan_block(plan, piece) for piece in pieces]

    with use_block_runner(runner):
        there = method.plan(tuples, seeded())
    assert len(taken) == len(method.blocks(tuples))
    assert shown(there) == shown(method.plan(tuples, seeded()))


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("block", "hint"),
    [
        (9, "must be at least 10, twice (k|window), got 9"),
        *(
            (value, f"must be an integer of at least 4, got {value!r}")
            for value in (0, 2.5, True, "all")
        ),
    ],
)
def test_a_block_size_that_is_no_number_or_too_small_is_refused(block, hint):
    for method in (om.Microaggregation, om.Recoding, om.Resampling, om.RankSwapping):
        with pytest.raises(ParameterError, match=f"block {hint}"):
            method(5, block=block)


def test_only_multivariate_swapping_needs_blocks():
    with pytest.raises(ParameterError, match="block cannot be used with strategy 'dynamic'"):
        om.RankSwapping(window=5, strategy="dynamic", block=1000)


def test_one_tuple_is_no_table_to_cut():
    tuples, _ = count_tuples([made_up().attributes[1]], [np.zeros(9, dtype=int)])
    plan = om.Microaggregation(2, block=4).plan(tuples, seeded())
    assert plan.class_sizes().tolist() == [9]
