"""Suppression: rare tuples go, the others stay, and nobody is alone among the blank."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_methods
from ontomask.errors import ParameterError
from ontomask.methods.suppression import Suppression
from plain_methods import Table, check_promises, same_plan, tables

RANDOM = np.random.default_rng(0)


def table(**counts):
    return Table([(float(x[1:]),) for x, count in counts.items() for _ in range(count)], [None])


def test_rare_tuples_are_blanked():
    data = table(n1=1, n2=2, n3=3, n4=4)
    assert data.outcome(Suppression(k=3).plan(data.tuples, RANDOM)) == {
        ((1.0,), None): 1,
        ((2.0,), None): 2,
        ((3.0,), (3.0,)): 3,
        ((4.0,), (4.0,)): 4,
    }


def test_the_next_smallest_go_along_until_the_blank_are_k():
    # 1 record is rare; of the two tuples with 4, the first in sorted order joins it
    data = table(n1=5, n2=4, n3=4, n4=1)
    outcome = data.outcome(Suppression(k=4).plan(data.tuples, RANDOM))
    assert {source for (source, target) in outcome if target is None} == {(2.0,), (4.0,)}


def test_of_many_equals_the_first_goes_along():
    data = table(n1=1, **{f"n{x}": 4 if x % 2 else 5 for x in range(2, 500)})
    outcome = data.outcome(Suppression(k=4).plan(data.tuples, RANDOM))
    assert {source for (source, target) in outcome if target is None} == {(1.0,), (3.0,)}


def test_dropped_records_need_no_company():
    data = table(n1=5, n2=4, n3=4, n4=1)
    outcome = data.outcome(Suppression(k=4, how="drop").plan(data.tuples, RANDOM))
    assert {source for (source, target) in outcome if target is None} == {(4.0,)}


def test_nothing_rare_nothing_changes():
    data = table(n1=5, n2=5)
    plan = Suppression(k=5).plan(data.tuples, RANDOM)
    assert np.array_equal(plan.targets[plan.target], data.tuples.targets())


def test_all_may_be_rare():
    data = table(n1=1, n2=1, n3=1)
    plan = Suppression(k=2).plan(data.tuples, RANDOM)
    assert np.isnan(plan.targets).all()
    assert plan.class_sizes().tolist() == [3]


@given(data=tables(), k=st.integers(2, 20), how=st.sampled_from(["blank", "drop"]))
def test_equals_the_plain_one_and_keeps_its_promise(data, k, how):
    method = Suppression(k, how)
    if k > len(data.records):
        with pytest.raises(ParameterError, match="k must be at most the number of records"):
            method.plan(data.tuples, RANDOM)
        return
    plan = method.plan(data.tuples, RANDOM)
    gone = plain_methods.suppression(data.records, k, how)
    expected = Counter((r, None if r in gone else r) for r in data.records)
    assert data.outcome(plan) == expected
    suppressed = np.isnan(plan.targets).all(axis=1)
    assert suppressed.sum() <= 1
    assert (plan.class_sizes()[~suppressed] >= k).all()
    if how == "blank":
        check_promises(plan, k)
    assert same_plan(plan, method.plan(data.tuples, np.random.default_rng(5)))


@pytest.mark.parametrize(
    "wrong", [{"k": 1}, {"k": 2.5}, {"k": True}, {"k": "5"}, {"how": "delete"}, {"how": None}]
)
def test_wrong_settings(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Suppression(**wrong)
