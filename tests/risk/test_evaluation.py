"""All measures at once: complete, described, ready for JSON, the same every time."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

from method_tables import attribute
from ontomask import risk
from ontomask.methods.suppression import Suppression
from ontomask.microdata.tuples import count_tuples
from risk_plans import identity, plans


def watched(plan):
    """Confidential attributes; one record of each class holds each of two values."""
    classes = np.repeat(np.arange(len(plan.targets)), 2)
    values, ones = np.tile([0, 1], len(plan.targets)), np.ones(2 * len(plan.targets), dtype=int)
    number, _ = attribute("charge", [10, 20])
    return [
        risk.Confidential("charge", classes, values, ones, number),
        risk.Confidential("outcome", classes, values, ones),
    ]


@given(plan=plans())
def test_complete_described_and_the_same_every_time(plan):
    asked = {"k": 3, "confidential": watched(plan), "semantic_closeness": True}
    found = risk.evaluate_risk(plan, **asked)
    assert set(found) == set(risk.DESCRIPTIONS)
    assert set(found["before"]) == set(found) - {"before"}
    assert json.loads(json.dumps(found)) == found == risk.evaluate_risk(plan, **asked)
    assert found["before"]["linkage_nearest"] == pytest.approx(found["before"]["marketer"])
    assert found["before"]["unchanged"] == 1
    for key, described in risk.DESCRIPTIONS.items():
        figures = found[key].values() if isinstance(found[key], dict) else [found[key]]
        if described.range.startswith("0 to 1") and described.better == "lower":
            assert all(figure is None or 0 <= figure <= 1 for figure in figures), key


def test_every_description_is_a_sentence_with_a_direction():
    for key, described in risk.DESCRIPTIONS.items():
        assert described.meaning.endswith("."), key
        assert described.better in ("lower", "higher", "neither"), key
        assert described.range, key


def test_the_keys_are_the_functions(diagnoses):
    a, codes = attribute("d", ["sprain"] * 3 + ["influenza"] * 2 + ["hepatitis"], diagnoses)
    tuples, _ = count_tuples([a], [codes])
    plan = Suppression(3).plan(tuples, np.random.default_rng(0))
    found = risk.evaluate_risk(plan, k=3, population={("sprain",): 60, ("hepatitis",): 20})
    assert (found["k"], found["classes"], found["class_sizes"]) == (3, 2, [[3, 2]])
    assert found["suppressed"] == 1 / 2
    assert found["prosecutor"] == found["marketer"] == found["linkage_text"] * 2 == 1 / 3
    assert found["prosecutor_at_risk"] == 0
    assert found["before"]["prosecutor_at_risk"] == 1 / 2
    assert found["journalist"] == 1 / 3  # the blanks hide among nobody else
    assert found["before"]["journalist"] == 1 / 2  # influenza, which the population lacks
    assert (found["uniques"], found["before"]["uniques"]) == (0, 1)
    removed = risk.evaluate_risk(plan, removed=True, population={("sprain",): 60})
    assert (removed["classes"], removed["journalist"]) == (1, 1 / 60)


def test_diabetes_unmasked(data_folder):
    """The yardstick: two diagnoses link 18 % of all 101,388 records, if nothing is done."""
    tuples = pytest.importorskip("benchmarks.grouping").diagnoses(2)
    linked = risk.linkage_nearest(identity(tuples))
    assert (linked.records, linked.tuples) == (101_388, 18_432)
    assert linked.linked == pytest.approx(18_432 / 101_388)
    assert (linked.among_uniques, linked.unchanged) == (1, 1)
