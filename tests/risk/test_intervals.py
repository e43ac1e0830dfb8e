"""Interval disclosure, against the plain definition over records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from method_tables import attribute
from ontomask import risk
from ontomask.errors import ParameterError
from ontomask.microdata.tuples import Transitions, count_tuples
from risk_plans import identity, plans


@given(
    plan=plans(),
    window=st.sampled_from([0, 0.1, 0.25, 0.7, 2]),
    around=st.sampled_from(["original", "masked"]),
)
def test_intervals_over_records(plan, window, around):
    pairs = plain_risk.records(plan)
    ranks, deviations = (
        measure(plan, window, around) for measure in (risk.rank_interval, risk.sd_interval)
    )
    names = [a.name for a in plan.tuples.attributes if not hasattr(a, "domain")]
    assert list(ranks) == list(deviations) == names
    for j, a in enumerate(plan.tuples.attributes):
        if a.name in names:
            numbers = [(o[j], m[j]) for o, m in pairs]
            assert ranks[a.name] == plain_risk.rank_interval(numbers, window, around)
            assert deviations[a.name] == plain_risk.sd_interval(numbers, window, around)


def test_the_direction_matters_for_ranks():
    # All original numbers are far apart; all masked ones are 50: nothing can be farther in rank.
    a, codes = attribute("n", [0, 10, 50, 90, 100])
    tuples, _ = count_tuples([a], [codes])
    plan = Transitions.from_targets(tuples, np.array([[50.0]]), np.zeros(5, dtype=int))
    assert risk.rank_interval(plan, 0.2, "original") == {"n": 3 / 5}  # 10, 50 and 90
    assert risk.rank_interval(plan, 0.2, "masked") == {"n": 1 / 5}  # 50 itself


def test_equal_numbers_have_all_their_ranks():
    a, codes = attribute("n", [1, 1, 1, 5, 9])
    tuples, _ = count_tuples([a], [codes])
    plan = Transitions.from_targets(tuples, np.array([[5.0]]), np.zeros(3, dtype=int))
    assert risk.rank_interval(plan, 0.2) == {"n": 1}  # one rank beyond the last 1 is the 5


def test_nothing_changed_and_one_record():
    for column in ([4], [4, 4], [1, 2, 3]):
        a, codes = attribute("n", column)
        tuples, _ = count_tuples([a], [codes])
        assert (
            risk.rank_interval(identity(tuples)) == risk.sd_interval(identity(tuples)) == {"n": 1}
        )


def test_what_makes_no_sense_is_refused():
    a, codes = attribute("n", [4, 5])
    plan = identity(count_tuples([a], [codes])[0])
    with pytest.raises(ParameterError, match="window must be a share of at least 0, got -1"):
        risk.rank_interval(plan, -1)
    with pytest.raises(ParameterError, match="around must be 'original' or 'masked', got 'both'"):
        risk.sd_interval(plan, around="both")
