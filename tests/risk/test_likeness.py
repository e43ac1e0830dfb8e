"""α, β-likeness and δ-disclosure: cases done by hand, then the plain definitions."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from ontomask import risk


def confidential(rows):
    """Counts of (class, value), from records; None is a missing value."""
    classes = np.array([group for group, _ in rows])
    values = np.array([-1 if value is None else value for _, value in rows])
    return risk.Confidential("c", classes, values, np.ones(len(rows), dtype=np.int64))


def figures(table):
    return {
        "alpha": risk.alpha(table),
        "beta": risk.basic_beta_likeness(table),
        "enhanced": risk.enhanced_beta_likeness(table),
        "delta": risk.delta_disclosure(table),
        "printed": risk.delta_disclosure(table, every_value=True),
    }


def test_shares_of_two_classes():
    # the table has 6 of 10 and 4 of 10; a class 4 of 5 and 1 of 5, the other 2 of 5 and 3 of 5
    table = confidential([*[(0, 0)] * 4, (0, 1), *[(1, 0)] * 2, *[(1, 1)] * 3])
    found = figures(table)
    assert found["alpha"] == 4 / 5
    assert found["beta"] == pytest.approx((3 / 5 - 4 / 10) / (4 / 10))  # above 1/3 of the first
    assert found["enhanced"] == found["beta"]  # below -ln(4/10), and 1/3 below -ln(6/10)
    assert found["delta"] == found["printed"] == pytest.approx(log(2))  # 1 of 5, not 4 of 10


def test_enhanced_likeness_limits_frequent_values_more():
    # 8 of 10 becomes 1: a gain of 1/4, above -ln(8/10) = 0.22, so no β holds
    table = confidential([*[(0, 0)] * 5, *[(1, 0)] * 3, *[(1, 1)] * 2])
    assert risk.basic_beta_likeness(table) == pytest.approx(1)  # 2 of 5 instead of 2 of 10
    assert risk.enhanced_beta_likeness(table) == inf


def test_a_class_that_lacks_a_value_has_no_delta_as_printed():
    table = confidential([(0, 0), (0, 1), (1, 1), (1, 1)])
    assert risk.delta_disclosure(table) == pytest.approx(log(2))
    assert risk.delta_disclosure(table, every_value=True) == inf


@given(
    st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 4)), min_size=1, max_size=30)
)
def test_likeness_over_records(rows):
    assert figures(confidential(rows)) == pytest.approx(plain_risk.likeness(rows), abs=1e-12)


def test_one_record_one_value_one_class():
    for rows in ([(0, 5)], [(0, 5), (1, 5)], [(0, 5), (0, 5), (0, None)]):
        found = figures(confidential(rows))
        assert found == {"alpha": 1, "beta": 0, "enhanced": 0, "delta": 0, "printed": 0}


def test_a_class_without_a_known_value_has_the_worst_figures():
    found = figures(confidential([(0, 1), (0, 2), (1, None)]))
    assert found == {"alpha": 1, "beta": inf, "enhanced": inf, "delta": inf, "printed": inf}


def test_no_record_is_left():
    none = np.zeros(0, dtype=np.int64)
    assert set(figures(risk.Confidential("c", none, none, none)).values()) == {0}
