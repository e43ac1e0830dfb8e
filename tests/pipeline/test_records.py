"""Records of mixed tables are compared, averaged and sorted as the papers define it."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
from method_tables import tables
from ontomask.errors import ParameterError


def records_of(columns, distance="mean"):
    table = pd.DataFrame({f"a{j}": values for j, (values, _) in enumerate(columns)})
    kinds = [
        om.Numeric(f"a{j}")
        if taxonomy is None
        else om.Nominal(f"a{j}", taxonomy, domain="taxonomy")
        for j, (_, taxonomy) in enumerate(columns)
    ]
    return om.Records(table, om.Schema(kinds), distance)


def value_distance(values, taxonomy, x, y):
    if taxonomy is not None:
        return plain.sanchez(taxonomy, x, y)
    span = max(values) - min(values)
    return abs(x - y) / span if span else 0.0


def column_variance(values, taxonomy):
    """MA eq. 5 over pairs of records, or the sample variance."""
    n = len(values)
    if taxonomy is None:
        return float(np.var(values, ddof=1))
    return sum(plain.sanchez(taxonomy, x, y) for x in values for y in values) / (n * (n - 1))


def record_distance(columns, a, b, distance):
    if distance == "mean":
        apart = [value_distance(v, t, v[a], v[b]) for v, t in columns]
        return sum(apart) / len(columns)
    total = 0.0
    for values, taxonomy in columns:
        x, y = values[a], values[b]
        pair = (x - y) ** 2 / 2 if taxonomy is None else plain.sanchez(taxonomy, x, y)
        variance = column_variance(values, taxonomy)
        total += pair / variance if variance else 0.0
    return math.sqrt(total)


@given(columns=tables(), data=st.data(), distance=st.sampled_from(["mean", "s"]))
def test_distances_and_orders_are_the_definitions(columns, data, distance):
    records = records_of(columns, distance)
    n = len(records)
    a, b = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    expected = [record_distance(columns, row, b, distance) for row in range(n)]
    assert records.distances(b) == pytest.approx(expected, abs=1e-3 if distance == "s" else 1e-7)
    assert records.distance(a, b) == records.distances(b)[a]
    order = records.sort_by_distance(reference=b)
    assert sorted(order) == list(range(n))
    assert (np.diff(records.distances(b, order)) >= 0).all()
    if n > 2:
        near = records.nearest(b, 2)
        others = sorted(distance for row, distance in enumerate(records.distances(b)) if row != b)
        assert records.distances(b, near).tolist() == others[:2]


@given(columns=tables(), data=st.data())
def test_centroids_have_the_least_summed_distance(columns, data):
    records = records_of(columns)
    rows = data.draw(st.lists(st.integers(0, len(records) - 1), min_size=1, unique=True))
    centroid = records.centroid(rows)
    for j, (values, taxonomy) in enumerate(columns):
        mine, middle = [values[row] for row in rows], centroid.values[f"a{j}"]
        if taxonomy is None:
            assert abs(middle - np.mean(mine)) <= 0.5
            continue
        candidates = {c for value in mine for c in plain.ancestors(taxonomy, value)}
        sums = {c: sum(plain.sanchez(taxonomy, c, x) for x in mine) for c in candidates}
        assert sums[middle] == pytest.approx(min(sums.values()), abs=1e-6)
    if len(rows) == 1:
        assert records.distance(rows[0], centroid) == 0


def test_algorithm_1_by_hand():
    # From the centroid, 2, the five 0s are farthest with 2 * 5; from them 1 is at 1, 9 at 9, and
    # the three 5s are at 5 * 3.
    table = pd.DataFrame({"x": [0, 0, 0, 1, 5, 5, 5, 9, 0, 0]})
    records = om.Records(table, om.Schema([om.Numeric("x")]))
    assert records.centroid().values == {"x": 2}
    assert records.sort_by_distance() == [0, 1, 2, 8, 9, 3, 7, 4, 5, 6]
    assert records.sort_by_distance([7, 4, 3]) == [7, 4, 3]  # 9 and 1 are as far from 5
    assert records.sort_by_distance([7, 4, 3], reference=3) == [3, 4, 7]


def test_levels_and_dates():
    table = pd.DataFrame(
        {"grade": ["low", "high", "middle"], "day": ["2026-01-01"] * 2 + ["2026-01-05"]}
    )
    levels = ["low", "middle", "high"]
    records = om.Records(table, om.Schema([om.Ordinal("grade", levels), om.Date("day")]))
    assert records.distance(0, 1) == (1 + 0) / 2
    assert records.distance(0, 2) == (1 / 2 + 1) / 2
    centroid = records.centroid()
    assert centroid.values == {"grade": "middle", "day": "2026-01-02"}
    assert datetime.date.fromisoformat(centroid.values["day"])
    assert records.distance(2, centroid) == pytest.approx((0 + 3 / 4) / 2, abs=1e-8)


def test_wrong_arguments_are_refused(tmp_path):
    table = pd.DataFrame({"x": [1, 2], "who": ["a", "b"]})
    schema = om.Schema([om.Numeric("x")], other="keep")
    table.to_csv(tmp_path / "x.csv", index=False)
    records = om.Records(table, schema)
    for call, message in (
        (lambda: om.Records(table, schema, "median"), "distance must be 'mean', 's' or 's_paper'"),
        (lambda: om.Records(tmp_path / "x.csv", schema), "table must be in memory"),
        (lambda: records.distance(0, 2), "rows must be from 0 to 1, .* got 2"),
        (lambda: records.centroid([]), "rows must be numbers of records"),
        (lambda: records.nearest(0, 2), "k must be at least 1 and less than .* 2, got 2"),
    ):
        with pytest.raises(ParameterError, match=message):
            call()
