"""t-closeness by meaning: a sensitive column asks for it, and methods and figures follow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
import plain_risk
from ontomask.errors import RequirementNotMet, SchemaError
from ontomask.pipeline.guarantees.requirements import check_requirements
from ontomask.risk import t_closeness
from strategies import taxonomies


def schema(taxonomy, ground="semantic", measure="sanchez"):
    outcome = om.Nominal("outcome", taxonomy, measure=measure, domain="taxonomy", ground=ground)
    return om.Schema([om.Numeric("age")], confidential=[outcome])


def exact_closeness(release, taxonomy, measure):
    rows = [(row["age"], row["outcome"]) for row in release.data.to_dicts()]
    return plain_risk.closeness(rows, lambda a, b: plain.DISTANCES[measure](taxonomy, a, b))


def random_table(data, taxonomy):
    outcomes = data.draw(
        st.lists(st.sampled_from(taxonomy.identifiers), min_size=6, max_size=16), label="outcomes"
    )
    ages = data.draw(
        st.lists(st.integers(20, 26), min_size=len(outcomes), max_size=len(outcomes)), label="ages"
    )
    return pl.DataFrame({"age": ages, "outcome": outcomes})


@pytest.mark.parametrize("measure", ["path", "sanchez"])
@pytest.mark.parametrize("tree", [True, False])
@given(data=st.data(), t=st.sampled_from([0.05, 0.2, 0.4]))
def test_the_method_keeps_t_by_meaning(measure, tree, data, t):
    taxonomy = data.draw(taxonomies(max_concepts=9, tree=tree))
    table = random_table(data, taxonomy)
    release = om.mask(table, schema(taxonomy, measure=measure), om.Microaggregation(2, t=t))
    exact = exact_closeness(release, taxonomy, measure)
    assert exact <= t + 1e-7
    assert release.evaluation.risk["t_semantic"]["outcome"] == pytest.approx(exact, abs=1e-7)
    assert f"{t:g}-close in outcome by meaning" in release.guarantee


def similar():
    """Two young people with kinds of hepatitis, two old ones with kinds of fractures."""
    return pl.DataFrame(
        {
            "age": [20, 20, 30, 30, 70, 70, 80, 80],
            "outcome": [
                *("hepatitis B", "hepatitis C", "hepatitis C", "hepatitis B"),
                *("broken arm", "broken leg", "broken leg", "broken arm"),
            ],
        }
    )


def test_similar_values_are_not_as_good_as_different_ones(diagnoses):
    # Half of the table has hepatitis, of either kind; to move half a class from it to fractures is
    # far, from one hepatitis to the other near.
    table = similar()
    by_word = om.mask(table, schema(diagnoses, "equal"), om.Microaggregation(2, t=0.5))
    assert by_word.guarantee.classes > 1
    assert by_word.evaluation.risk["t_semantic"] == {}
    far = exact_closeness(by_word, diagnoses, "sanchez")
    assert 0.3 < far < 0.5
    by_meaning = om.mask(table, schema(diagnoses), om.Microaggregation(2, t=0.3))
    assert exact_closeness(by_meaning, diagnoses, "sanchez") <= 0.3


def test_near_values_may_differ_more_by_meaning_than_by_word(diagnoses):
    # Either kind of hepatitis alone is 1/2 from the table by word, and nearer by meaning.
    table = pl.DataFrame(
        {"age": [20, 20, 80, 80], "outcome": ["hepatitis B"] * 2 + ["hepatitis C"] * 2}
    )
    by_word = om.mask(table, schema(diagnoses, "equal"), om.Microaggregation(2, t=0.4))
    by_meaning = om.mask(table, schema(diagnoses), om.Microaggregation(2, t=0.4))
    assert (by_word.guarantee.classes, by_meaning.guarantee.classes) == (1, 2)


def test_requirements_are_judged_by_the_ground_of_the_column(diagnoses):
    table = pl.DataFrame(
        {"age": [20, 20, 80, 80], "outcome": ["hepatitis B"] * 2 + ["hepatitis C"] * 2}
    )
    release = om.mask(table, schema(diagnoses), om.Suppression(2))
    exact = exact_closeness(release, diagnoses, "sanchez")
    assert exact < 0.5 == release.evaluation.risk["t_equal"]["outcome"]
    check_requirements({"t": exact + 1e-6}, release.evaluation, release.guarantee)
    with pytest.raises(RequirementNotMet, match=r"\(semantic distance\), got"):
        check_requirements({"t": exact - 1e-6}, release.evaluation, release.guarantee)
    point = om.compare(table, schema(diagnoses), [om.Suppression(2)], seed=2**70).points[0]
    assert point.evaluation.risk["t_semantic"] == release.evaluation.risk["t_semantic"]


def test_blocks_keep_t_by_meaning(diagnoses):
    random = np.random.default_rng(0)
    leaves = ["hepatitis B", "hepatitis C", "broken arm", "broken leg", "flu", "cold"]
    table = pl.DataFrame(
        {"age": random.integers(20, 90, 120), "outcome": random.choice(leaves, 120)}
    )
    named = om.Schema(
        [om.Numeric("age")],
        confidential=[om.Nominal("outcome", diagnoses, ground="semantic")],
    )
    method = om.Microaggregation(3, t=0.2, block=30)
    release = om.mask(table, named, method)
    assert release.evaluation.risk["t_semantic"]["outcome"] <= 0.2 + 1e-9
    assert release.guarantee.classes > 1


def test_bounds_decide_without_a_transport_where_they_can(diagnoses, monkeypatch):
    table = pl.DataFrame({"age": [20, 20, 80, 80], "outcome": ["flu", "cold", "flu", "cold"]})
    release = om.mask(table, schema(diagnoses), om.Suppression(2))
    (column,) = release._sensitive_counts[0]
    monkeypatch.setattr(t_closeness, "_transport_cost", None)
    assert t_closeness.is_close(column, 0)


def test_ground_is_for_nominal_sensitive_columns(diagnoses):
    with pytest.raises(SchemaError, match="ground is only for confidential columns"):
        om.Schema([om.Nominal("word", diagnoses, ground="semantic")])
    with pytest.raises(SchemaError, match="ground must be 'equal' or 'semantic', got 'near'"):
        schema(diagnoses, "near")


def test_a_class_without_known_values_is_as_far_as_can_be(diagnoses):
    table = pd.DataFrame({"age": [20, 20, 80, 80], "outcome": ["flu", "cold", None, None]})
    release = om.mask(table, schema(diagnoses), om.Suppression(2))
    assert release.evaluation.risk["t_semantic"] == {"outcome": 1}
    assert not t_closeness.is_close(release._sensitive_counts[0][0], 0.99)
