"""MDAV over numbers alone: roughly first, and yet the groups of the plain algorithm."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_mdav
from method_tables import attribute
from ontomask.methods.microaggregation import mdav_kernels
from ontomask.methods.microaggregation.mdav import _LiveNumberTuples, mdav
from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import FIXED_POINT_ONE
from ontomask.microdata.tuples import count_tuples


class Column(plain_mdav.Column):
    """A column of numbers, or of ranks, whose middle is their lower median."""

    def __init__(self, values, median=False):
        super().__init__(values)
        self.median = median

    def centroid(self, counted):
        if not self.median:
            return super().centroid(counted)
        one_by_one = sorted(value for value, count in counted for _ in range(count))
        return one_by_one[(len(one_by_one) - 1) // 2]


class Table(plain_mdav.Table):
    """The same with weights of the attributes."""

    def __init__(self, columns, tuples, distance, weights):
        super().__init__(columns, tuples, distance)
        self.factors = [f * w for f, w in zip(self.factors, weights, strict=True)]
        most = [c.range**2 / 2 if self.by_variance else 1 for c in columns]
        largest = max(f * m for f, m in zip(self.factors, most, strict=True))
        self.scale = FIXED_POINT_ONE / (largest or 1)


def both(columns, k, distance="mean", setting="semantic"):
    """The groups, and those of the plain algorithm; columns are (numbers, settings)."""
    made = [attribute(f"n{j}", c, **settings) for j, (c, settings) in enumerate(columns)]
    tuples, _ = count_tuples([a for a, _ in made], [codes for _, codes in made])
    group = mdav(Operators(tuples, distance, setting), k)
    values = [tuple(row) for row in tuples.targets().tolist()]
    found = {frozenset(values[t] for t in np.flatnonzero(group == g)) for g in set(group)}

    kinds = [Column([float(v) for v in c], s.get("median", False)) for c, s in columns]
    kinds[0].classic = setting == "classic"
    records = Counter(zip(*(kind.values for kind in kinds), strict=True))
    table = Table(kinds, records, distance, [s.get("weight", 1.0) for _, s in columns])
    return found, {frozenset(group) for group in plain_mdav.groups(table, k)}


@st.composite
def tables_of_numbers(draw):
    """From one record on, of columns with one value, with few and with as many as records."""
    n = draw(st.integers(1, 30))
    numbers = st.one_of(
        st.integers(0, 5),
        st.integers(-(10**6), 10**6),
        # Sums of quarters are exact, also far from nought: the plain sum is then the same.
        st.integers(0, 40).map(lambda q: q / 4 + 10**9),
    )
    columns = []
    for _ in range(draw(st.integers(1, 4))):
        pool = draw(st.lists(numbers, min_size=1, max_size=12))
        settings = {"weight": draw(st.sampled_from([1.0, 1.0, 0.25, 3.0]))}
        settings["median"] = draw(st.booleans())
        columns.append((draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)), settings))
    return columns


@pytest.mark.parametrize("setting", ["semantic", "classic"])
@pytest.mark.parametrize("distance", ["mean", "s"])
@given(columns=tables_of_numbers(), k=st.integers(2, 6))
def test_the_groups_are_those_of_the_plain_algorithm(setting, distance, columns, k):
    if len(columns[0][0]) >= k:
        found, expected = both(columns, k, distance, setting)
        assert found == expected


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("distance", ["mean", "s"])
def test_more_tuples_than_are_looked_at_in_one_go(distance, seed):
    # Few values: many tuples are equally far, and some have several records.
    draw = np.random.default_rng(seed).binomial
    columns = [(draw(30, 0.5, 900).tolist(), {}) for _ in range(3)]
    assert len(set(zip(*(c for c, _ in columns), strict=True))) > 2 * mdav_kernels.BLOCK
    found, expected = both(columns, 4, distance)
    assert found == expected


@pytest.mark.parametrize("distance", ["mean", "s"])
def test_what_is_roughly_as_far_is_told_apart(distance):
    # A short number has 24 binary digits; these differ in the 27th.
    steps = np.random.default_rng(0).integers(0, 64, size=(2, 120))
    columns = [([0.0, 1.0, *(0.5 + s / 2**27).tolist()], {}) for s in steps]
    found, expected = both(columns, 3, distance)
    assert found == expected


@pytest.mark.parametrize("distance", ["mean", "s"])
@pytest.mark.parametrize("column", [[-1.7e308, -1e308, 0, 1e308], [0, 1e-160, 3e-160, 4e-160]])
def test_numbers_whose_sums_or_distances_are_not_finite_come_to_an_end(column, distance):
    a, codes = attribute("n", column)
    tuples, _ = count_tuples([a], [codes])
    with np.errstate(all="ignore"):
        assert (mdav(Operators(tuples, distance), 2) >= 0).all()


@pytest.mark.parametrize("distance", ["mean", "s"])
@given(
    columns=st.integers(2, 30).flatmap(
        lambda n: st.lists(
            st.lists(st.floats(-1e9, 1e9, width=32), min_size=n, max_size=n),
            min_size=1,
            max_size=9,
        )
    )
)
def test_rough_distances_are_less_than_the_slack_off(distance, columns):
    made = [attribute(f"n{j}", column) for j, column in enumerate(columns)]
    tuples, _ = count_tuples([a for a, _ in made], [codes for _, codes in made])
    live = _LiveNumberTuples(Operators(tuples, distance), [a for a, _ in made])
    rough, exact = live._rough, live._exact
    guess = np.empty(len(tuples), np.float32)
    for target in [*tuples.targets(), tuples.targets().mean(axis=0)]:
        short = live._short(target)
        mdav_kernels.rough_distances(0, len(tuples), short, rough, exact.squared, guess)
        for t in range(len(tuples)):
            distance_ = mdav_kernels.exact_distance(t, target, exact) / exact.weight[t]
            assert abs(float(guess[t]) - distance_) < float(rough.slack) / 2


@given(
    st.lists(
        st.tuples(st.floats(-1e12, 1e12), st.integers(1, 9), st.booleans()), min_size=1, max_size=40
    )
)
def test_numbers_that_leave_a_sum_leave_no_trace(rows):
    numbers = np.array([[number] for number, _, _ in rows])
    times = np.array([count for _, count, _ in rows])
    gone = np.flatnonzero([leaves for _, _, leaves in rows])
    total, rest = np.zeros(1), np.zeros(1)
    mdav_kernels.add_numbers(np.arange(len(rows)), times, numbers, total, rest)
    mdav_kernels.add_numbers(gone, -times[gone], numbers, total, rest)
    products = (numbers[:, 0] * times).tolist()
    left = sum(Fraction(p) for p, (_, _, leaves) in zip(products, rows, strict=True) if not leaves)
    # To the last digit, were it not for the rest of the rest.
    assert float(total[0] + rest[0]) == pytest.approx(float(left), rel=1e-15, abs=1e-15)
