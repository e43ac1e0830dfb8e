"""Microaggregation: k records in every class, and MDAV's groups by their plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_mdav
from method_tables import attribute, counted, tables
from ontomask.errors import ParameterError
from ontomask.methods.microaggregation.mdav import mdav
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.operators import Operators
from ontomask.microdata.tuples import count_tuples

ALGORITHMS = ["merge", "mdav"]


def as_values(tuples, t):
    """A tuple as the values it stands for."""
    return tuple(
        a.values[code] if hasattr(a, "domain") else a.numbers[code]
        for a, code in zip(tuples.attributes, tuples.codes[:, t], strict=True)
    )


@pytest.mark.parametrize("setting", ["semantic", "classic"])
@pytest.mark.parametrize("distance", ["mean", "s"])
@given(columns=tables(), k=st.integers(2, 6))
def test_the_groups_are_those_of_the_plain_algorithm(setting, distance, columns, k):
    tuples, counts = counted(columns)
    candidates = "hierarchy" if distance == "mean" else "values"
    if tuples.records < k:
        return
    table = plain_mdav.Table(
        [plain_mdav.Column(c, t, setting == "classic", candidates == "values") for c, t in columns],
        counts,
        distance,
    )
    expected = plain_mdav.groups(table, k)
    group = mdav(Operators(tuples, distance, setting, candidates), k)
    formed = {
        frozenset(as_values(tuples, t) for t in np.flatnonzero(group == g)) for g in set(group)
    }
    assert formed == {frozenset(group) for group in expected}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("setting", ["semantic", "classic"])
@pytest.mark.parametrize("distance", ["mean", "s", "s_paper"])
@given(columns=tables(max_records=60), k=st.integers(2, 20))
def test_every_class_has_k_records_and_every_record_a_class(
    algorithm, setting, distance, columns, k
):
    tuples, _ = counted(columns)
    method = Microaggregation(k, algorithm=algorithm, distance=distance, operators=setting)
    if tuples.records < k:
        with pytest.raises(ParameterError, match="k must be at most the number of records"):
            method.plan(tuples, np.random.default_rng(0))
        return
    plan = method.plan(tuples, np.random.default_rng(0))
    assert plan.count.sum() == tuples.records
    assert plan.class_sizes().min() >= k
    for j, attribute_ in enumerate(tuples.attributes):
        if hasattr(attribute_, "domain"):
            assert plan.targets[:, j].max() < len(attribute_.candidates)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(columns=tables(), k=st.integers(2, 5), random=st.randoms(use_true_random=False))
def test_the_order_of_the_records_does_not_matter(algorithm, columns, k, random):
    tuples, _ = counted(columns)
    if tuples.records < k:
        return
    order = list(range(tuples.records))
    random.shuffle(order)
    shuffled, _ = counted([([c[i] for i in order], t) for c, t in columns])
    method = Microaggregation(k, algorithm=algorithm)
    one, other = (method.plan(t, np.random.default_rng(0)) for t in (tuples, shuffled))
    assert (one.targets == other.targets).all()
    assert (one.target == other.target).all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_centroid_of_a_group_is_the_semantic_mean(algorithm, diagnoses):
    column = ["hepatitis B", "hepatitis C", "hepatitis", "sprain", "broken arm", "fracture"]
    a, codes = attribute("d", column, diagnoses)
    tuples, _ = count_tuples([a], [codes])
    plan = Microaggregation(3, algorithm=algorithm).plan(tuples, np.random.default_rng(0))
    masked = {a.candidates[int(t)] for t in plan.targets[:, 0]}
    assert masked == {"hepatitis", "fracture"}


def test_a_weight_of_its_own_moves_the_groups(diagnoses):
    words, numbers = ["sprain", "hepatitis B"] * 2, [1, 1, 9, 9]
    for weight, together in ((100, {(0, 2), (1, 3)}), (0.01, {(0, 1), (2, 3)})):
        w, word_codes = attribute("w", words, diagnoses, weight=weight)
        n, number_codes = attribute("n", numbers)
        tuples, record = count_tuples([w, n], [word_codes, number_codes])
        group = mdav(Operators(tuples), 2)[record]
        assert {tuple(np.flatnonzero(group == g)) for g in set(group)} == together


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_numbers_in_the_middle(algorithm):
    a, codes = attribute("n", [1, 2, 6, 20, 21, 25])
    tuples, _ = count_tuples([a], [codes])
    plan = Microaggregation(3, algorithm=algorithm).plan(tuples, np.random.default_rng(0))
    assert sorted(plan.targets[:, 0]) == [3, 22]
    ranks, codes = attribute("r", [0, 1, 5, 7, 7, 9], median=True)
    tuples, _ = count_tuples([ranks], [codes])
    plan = Microaggregation(3, algorithm=algorithm).plan(tuples, np.random.default_rng(0))
    assert sorted(plan.targets[:, 0]) == [1, 7]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k": 1}, "k must be an integer of at least 2, got 1"),
        ({"k": 2.5}, "k must be an integer of at least 2, got 2.5"),
        ({"k": True}, "k must be an integer of at least 2, got True"),
        ({"distance": "far"}, "'mean', 's' or 's_paper'"),
        ({"operators": "magic"}, "'semantic' or 'classic'"),
    ],
)
def test_wrong_settings(settings, message):
    with pytest.raises(ParameterError, match=message):
        Microaggregation(**settings)


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["semantic", "classic"])
@pytest.mark.parametrize("distance", ["mean", "s"])
def test_two_hundred_records_of_words_and_numbers(diagnoses, distance, setting):
    random = np.random.default_rng(0)
    words = np.array(diagnoses.identifiers)
    # A few values far more often than the others, as real columns have them.
    often = random.dirichlet(np.full(len(words), 0.4), size=2)
    columns = [
        (random.choice(words, 200, p=often[0]).tolist(), diagnoses),
        (random.choice(words, 200, p=often[1]).tolist(), diagnoses),
        (random.integers(20, 60, 200).tolist(), None),
    ]
    tuples, counts = counted(columns)
    candidates = "hierarchy" if distance == "mean" else "values"
    table = plain_mdav.Table(
        [plain_mdav.Column(c, t, setting == "classic", candidates == "values") for c, t in columns],
        counts,
        distance,
    )
    expected = {frozenset(group) for group in plain_mdav.groups(table, 5)}
    group = mdav(Operators(tuples, distance, setting, candidates), 5)
    formed = {
        frozenset(as_values(tuples, t) for t in np.flatnonzero(group == g)) for g in set(group)
    }
    assert formed == expected
