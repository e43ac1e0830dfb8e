"""What masking cost, against the plain definition over records."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain
from methods.tables import attribute, counted, tables
from ontomask import utility
from ontomask.methods.microaggregation import Microaggregation
from ontomask.tuples import Transitions, count_tuples


def records(plan):
    """Pairs of original and masked values, one per record."""
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        original, masked = [], []
        for j, a in enumerate(plan.tuples.attributes):
            code, goal = plan.tuples.codes[j, source], plan.targets[target, j]
            if hasattr(a, "domain"):
                original.append(a.values[code])
                masked.append(None if math.isnan(goal) else a.candidates[int(goal)])
            else:
                original.append(a.numbers[code])
                masked.append(None if math.isnan(goal) else round(goal, a.decimals))
        yield from [(tuple(original), tuple(masked))] * count


def distance(a, x, y):
    if y is None:
        return 1
    if hasattr(a, "domain"):
        return plain.sanchez(a.domain, x, y)
    return abs(x - y) / a.range if a.range else 0


@given(columns=tables(), k=st.integers(2, 6))
def test_the_errors_over_records(columns, k):
    tuples, _ = counted(columns)
    if tuples.records < k:
        return
    plan = Microaggregation(k).plan(tuples, np.random.default_rng(0))
    attributes = tuples.attributes
    by_record = [
        sum(distance(a, x, y) for a, x, y in zip(attributes, *pair, strict=True)) / len(attributes)
        for pair in records(plan)
    ]
    assert utility.sse(plan) == pytest.approx(sum(d**2 for d in by_record), abs=1e-6)
    for j, a in enumerate(attributes):
        unit = 1 if hasattr(a, "domain") else a.range
        expected = sum((distance(a, o[j], m[j]) * unit) ** 2 for o, m in records(plan))
        assert utility.attribute_sse(plan)[a.name] == pytest.approx(expected, abs=1e-6)


@given(columns=tables(), k=st.integers(2, 6))
def test_kl_over_the_original_tuples(columns, k):
    tuples, _ = counted(columns)
    if tuples.records < k:
        return
    plan = Microaggregation(k).plan(tuples, np.random.default_rng(0))
    before = Counter(original for original, _ in records(plan))
    after = Counter(m for _, m in records(plan))
    n, absent = tuples.records, sum(after[t] == 0 for t in before)
    expected = sum(
        c / n * math.log(c / n / ((after[t] or 0.5) / (n + absent / 2))) for t, c in before.items()
    )
    assert utility.kl(plan) == pytest.approx(expected, abs=1e-9)
    assert utility.kl(plan) >= -1e-12


def test_nothing_changed_and_nothing_left(diagnoses):
    a, codes = attribute("d", ["sprain", "sprain", "influenza"], diagnoses)
    tuples, _ = count_tuples([a], [codes])
    same = Transitions.whole(tuples, tuples.targets(), np.arange(2))
    assert (utility.sse(same), utility.kl(same)) == (0, 0)
    blank = Transitions.whole(tuples, np.full((1, 1), np.nan), np.zeros(2, dtype=int))
    assert utility.sse(blank) == 3
    assert utility.kl(blank) > 0
