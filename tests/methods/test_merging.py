"""Grouping by merging: what groups cost, what they must be, and how near the optimum they come."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_merging
from methods.tables import attribute
from ontomask.errors import ParameterError, StoppedEarlyWarning
from ontomask.methods.mdav import mdav
from ontomask.methods.merging import merge, restart_kernels
from ontomask.methods.microaggregation import Microaggregation
from ontomask.methods.operators import Operators
from ontomask.progress import saying
from ontomask.release.missing import NominalOrMissing
from ontomask.risk import Confidential, closeness, distinct_diversity, entropy_diversity
from ontomask.tuples import Held, count_tuples
from plain_merging import Costs, members_of
from strategies import edge_lists, taxonomies

DISTANCES, OBJECTIVES, CENTROIDS = ("mean", "s", "s_paper"), ("sse", "sad"), ("rule", "best")
SETTINGS = list(product(DISTANCES, OBJECTIVES, CENTROIDS, ("semantic", "classic")))

#: What sums of a few hundred numbers may differ by.
CLOSE = {"rel": 1e-9, "abs": 1e-9}


# ---------------------------------------------------------------------- tables


@st.composite
def columns_of_all_kinds(draw, max_records=30, max_attributes=3):
    """Columns as (kind, values, taxonomy, settings); None stands for a missing word."""
    n = draw(st.integers(2, max_records))
    kinds = st.sampled_from(["word", "word", "missing", "number", "level"])
    made = []
    for kind in draw(st.lists(kinds, min_size=1, max_size=max_attributes)):
        taxonomy = None
        settings = {"weight": draw(st.sampled_from([1.0, 1.0, 0.25, 3.0]))}
        if kind in ("word", "missing"):
            taxonomy = draw(taxonomies(max_concepts=9))
            # One that is a metric, one that is none.
            settings["measure"] = draw(st.sampled_from(["sanchez", "sanchez", "wu_palmer"]))
            value = st.sampled_from([*taxonomy.identifiers, *([None] if kind == "missing" else [])])
        else:
            value = st.integers(0, 9)
            settings["median"] = kind == "level"
        few = draw(st.lists(value, min_size=1, max_size=6))
        values = draw(st.lists(st.sampled_from(few), min_size=n, max_size=n))
        made.append((kind, values, taxonomy, settings))
    return made


def coded(name, kind, values, taxonomy, settings):
    """The attribute of a column, and the place of each record's value."""
    if kind != "missing":
        return attribute(name, values, taxonomy, **settings)
    known = sorted({v for v in values if v is not None})
    codes = np.array([len(known) if v is None else known.index(v) for v in values])
    return NominalOrMissing(name, taxonomy, known, **settings), codes


def tuples_of(columns):
    """The tuples of such columns, and the tuple of each record."""
    made = [coded(f"a{j}", *column) for j, column in enumerate(columns)]
    return count_tuples([a for a, _ in made], [codes for _, codes in made])


def of_words(taxonomy, *columns):
    """The tuples of columns of words, one list each; the tuple of each record."""
    return tuples_of([("word", list(column), taxonomy, {}) for column in columns])


def drawn(seed, records, attributes=2, taxonomy=None):
    """A table of words by chance."""
    random = np.random.default_rng(seed)
    taxonomy = om.datasets.diagnoses() if taxonomy is None else taxonomy
    words = sorted(taxonomy.identifiers)
    return of_words(taxonomy, *(random.choice(words, records) for _ in range(attributes)))[0]


def check_groups(tuples, k, found):
    """Every tuple is in a group, groups are numbered without gaps, and each has k records."""
    assert len(found.group) == len(tuples)
    assert set(found.group) == set(range(len(found.centroids)))
    assert np.bincount(found.group, weights=tuples.counts).min() >= k


# ---------------------------------------------------------------------- groups and their cost


@pytest.mark.parametrize(("distance", "objective", "centroid", "setting"), SETTINGS)
@given(
    columns=columns_of_all_kinds(),
    k=st.integers(2, 6),
    candidates=st.sampled_from(["hierarchy", "values"]),
)
def test_groups_cost_what_their_centroids_say_and_these_are_by_the_rule(
    distance, objective, centroid, setting, columns, k, candidates
):
    tuples, _ = tuples_of(columns)
    assume(tuples.records >= k)
    operators = Operators(tuples, distance, setting, candidates)
    found = merge(operators, k, objective=objective, centroid=centroid)
    check_groups(tuples, k, found)
    costs = Costs(tuples, distance, objective, setting, candidates)
    groups = members_of(found.group)
    total = sum(costs.cost(m, c) for m, c in zip(groups, found.centroids, strict=True))
    assert found.cost == pytest.approx(total, **CLOSE)
    for members, centre in zip(groups, found.centroids, strict=True):
        if centroid == "best":
            _check_best(costs, members, centre)
        elif setting == "classic" and distance == "mean":
            assert tuple(centre) in costs.most_frequent(members)
        else:
            _check_rule(costs, members, centre)


def _check_rule(costs, members, centre):
    """Words have the least sum; numbers are the mean, levels the lower median."""
    choices = costs.choices(members)
    for j, target in enumerate(centre):
        if costs.is_word(j):
            assert target in choices[j]
        else:
            assert target == pytest.approx(choices[j][0], **CLOSE)
    if len(centre) == 1:  # nothing but ties of one attribute to choose from
        assert costs.cost(members, centre) == pytest.approx(costs.by_rule(members), **CLOSE)


def _check_best(costs, members, centre):
    """No dearer than any one attribute's change could make it, when there is but one."""
    for j, target in enumerate(centre):
        if costs.is_word(j):
            assert target in costs.candidates(members, j)
        else:
            held = [costs.own(t, j) for t in members]
            assert min(held) - 1e-9 <= target <= max(held) + 1e-9
    if len(centre) == 1 and costs.is_word(0):
        least = min(costs.cost(members, (c,)) for c in costs.candidates(members, 0))
        assert costs.cost(members, centre) == pytest.approx(least, **CLOSE)


@pytest.mark.parametrize("distance", ["mean", "s"])
@given(
    columns=columns_of_all_kinds(), k=st.integers(2, 5), random=st.randoms(use_true_random=False)
)
def test_the_order_of_the_records_does_not_matter(distance, columns, k, random):
    tuples, _ = tuples_of(columns)
    assume(tuples.records >= k)
    order = list(range(tuples.records))
    random.shuffle(order)
    shuffled, _ = tuples_of([(kind, [v[i] for i in order], *more) for kind, v, *more in columns])
    method = Microaggregation(k, algorithm="merge", distance=distance)
    # Nothing is left to chance, so the generators may differ.
    one, other = (
        method.plan(t, np.random.default_rng(seed)) for seed, t in enumerate((tuples, shuffled))
    )
    assert (one.targets == other.targets).all()
    assert (one.target == other.target).all()


def test_the_same_seed_gives_the_same_groups_where_chance_plays():
    tuples = drawn(3, 120)
    method = Microaggregation(3, algorithm="merge", effort="thorough")
    one, other = (method.plan(tuples, np.random.default_rng(7)) for _ in range(2))
    assert (one.targets == other.targets).all()
    assert (one.target == other.target).all()


@pytest.mark.parametrize(("distance", "objective", "centroid", "setting"), SETTINGS)
def test_every_combination_of_settings_makes_classes_of_k(distance, objective, centroid, setting):
    tuples = drawn(1, 90, attributes=3)
    method = Microaggregation(
        4,
        algorithm="merge",
        distance=distance,
        objective=objective,
        centroid=centroid,
        operators=setting,
    )
    plan = method.plan(tuples, np.random.default_rng(0))
    assert plan.is_whole
    assert plan.class_sizes().min() >= 4
    assert len(plan.targets) > 1


def test_synthetic_values_are_drawn_from_merged_groups():
    tuples = drawn(2, 60)
    method = Microaggregation(3, algorithm="merge", replacement="synthetic")
    plan = method.plan(tuples, np.random.default_rng(0))
    assert plan.count.sum() == tuples.records


def test_a_group_done_by_hand(diagnoses):
    # Two and one next to each other, three of something else.
    tuples, _ = of_words(diagnoses, ["hepatitis B"] * 2 + ["hepatitis C"] + ["sprain"] * 3)
    found = merge(Operators(tuples), 3)
    assert found.group.tolist() == [0, 0, 1]
    apart = om.sanchez(diagnoses, "hepatitis B", "hepatitis C")
    assert found.cost == pytest.approx(apart**2, abs=1e-7)
    assert merge(Operators(tuples), 3, objective="sad").cost == pytest.approx(apart, abs=1e-7)


# ---------------------------------------------------------------------- edges


def test_one_tuple_is_a_group_that_costs_nothing(diagnoses):
    tuples, _ = of_words(diagnoses, ["flu" if False else "influenza"] * 5)
    found = merge(Operators(tuples), 5)
    assert (found.group.tolist(), found.cost) == ([0], 0.0)


@pytest.mark.parametrize("attributes", [1, 5])
@pytest.mark.parametrize("records", [5, 9, 40])
def test_one_attribute_and_five(attributes, records):
    tuples = drawn(records, records, attributes)
    found = merge(Operators(tuples), 5)
    check_groups(tuples, 5, found)
    if records < 10:
        assert len(found.centroids) == 1


def test_fewer_than_twice_k_records_are_one_group_where_tuples_are_small():
    tuples = drawn(4, 9)
    assert set(merge(Operators(tuples), 5).group) == {0}


def test_k_may_be_all_the_records_and_no_more():
    tuples = drawn(5, 12)
    random = np.random.default_rng(0)
    plan = Microaggregation(12, algorithm="merge").plan(tuples, random)
    assert len(plan.targets) == 1
    with pytest.raises(ParameterError, match="only 12 records"):
        Microaggregation(13, algorithm="merge").plan(tuples, random)


def test_tuples_that_k_records_hold_stay_as_they_are(diagnoses):
    words = sorted(diagnoses.identifiers)
    tuples, _ = of_words(diagnoses, words * 4)
    found = merge(Operators(tuples), 4)
    assert found.cost == 0.0
    assert (found.centroids == tuples.targets()).all()


def test_one_tuple_holds_nearly_all_the_records(diagnoses):
    tuples, _ = of_words(diagnoses, ["influenza"] * 10_000 + ["sprain", "fracture"])
    found = merge(Operators(tuples), 3)
    check_groups(tuples, 3, found)
    assert set(found.group) == {0}
    assert diagnoses.name
    place = tuples.attributes[0].candidates.index("influenza")
    assert found.centroids.tolist() == [[place]]


def test_every_tuple_is_unique():
    words = sorted(om.datasets.diagnoses().identifiers)
    pairs = list(product(words, words))
    tuples, _ = of_words(om.datasets.diagnoses(), *zip(*pairs, strict=True))
    assert tuples.counts.max() == 1
    found = merge(Operators(tuples), 3)
    check_groups(tuples, 3, found)
    costs = Costs(tuples)
    groups = members_of(found.group)
    total = sum(costs.cost(m, c) for m, c in zip(groups, found.centroids, strict=True))
    assert found.cost == pytest.approx(total, **CLOSE)


def test_an_attribute_that_is_the_same_for_all_takes_no_part():
    taxonomy = om.datasets.diagnoses()
    words = sorted(taxonomy.identifiers)
    for distance in DISTANCES:
        alone, _ = of_words(taxonomy, words)
        beside, _ = tuples_of(
            [("word", words, taxonomy, {}), ("number", [7] * len(words), None, {})]
        )
        one, other = (merge(Operators(t, distance), 3) for t in (alone, beside))
        assert (one.group == other.group).all()


def test_more_tuples_than_are_compared_pair_by_pair(monkeypatch):
    monkeypatch.setattr("ontomask.methods.merging.merge.FEW", 50)
    taxonomy, random = om.datasets.diagnoses(), np.random.default_rng(0)
    words = sorted(taxonomy.identifiers)
    tuples, _ = tuples_of(
        [
            ("word", random.choice(words, 1000).tolist(), taxonomy, {}),
            ("number", random.integers(0, 50, 1000).tolist(), None, {}),
            ("missing", random.choice([*words, None], 1000).tolist(), taxonomy, {}),
        ]
    )
    assert len(tuples) > 500
    found = merge(Operators(tuples), 4)
    check_groups(tuples, 4, found)
    costs = Costs(tuples)
    groups = members_of(found.group)
    for members, centre in zip(groups, found.centroids, strict=True):
        _check_rule(costs, members, centre)
    group = mdav(Operators(tuples), 4)
    assert found.cost < sum(costs.by_rule(m) for m in members_of(group))


# ---------------------------------------------------------------------- the optimum


def small_table(seed):
    """Up to nine tuples of words, of numbers or of both; the k to group them with."""
    random = np.random.default_rng(seed)
    columns = []
    n = int(random.integers(8, 20))
    for kind in [["word"], ["word", "word"], ["word", "number"]][seed % 3]:
        taxonomy = None
        values = random.integers(0, 12, n).tolist()
        if kind == "word":
            names = [f"c{i:02}" for i in range(12)]
            links = [(names[i], names[int(random.integers(0, i))]) for i in range(1, 12)]
            links += [(names[i], names[0]) for i in (5, 9) if (names[i], names[0]) not in links]
            taxonomy = om.Taxonomy.from_edges(links)
            values = [names[v] for v in values]
        columns.append((kind, values, taxonomy, {}))
    made, of = tuples_of(columns)
    keep = of < 9  # the first nine tuples
    columns = [(kind, [v for v, kept in zip(vs, keep, strict=True) if kept], *more)
               for kind, vs, *more in columns]
    return tuples_of(columns)[0], int(random.integers(2, 5))


def test_small_tables_are_grouped_nearly_as_well_as_can_be():
    merged, by_mdav = [], []
    for seed in range(200):
        tuples, k = small_table(seed)
        if tuples.records < k:
            continue
        costs, operators = Costs(tuples), Operators(tuples)
        least = plain_merging.optimum(tuples.counts.tolist(), k, costs.by_rule)
        found = merge(operators, k).cost
        other = sum(costs.by_rule(m) for m in members_of(mdav(operators, k)))
        assert found >= least - 1e-9
        if least < 1e-9:
            assert found < 1e-9
            continue
        merged.append(found / least - 1)
        by_mdav.append(other / least - 1)
    print(
        f"{len(merged)} tables: merging {np.mean(merged):.2%} above the optimum, at worst "
        f"{max(merged):.1%}, optimal {np.mean(np.array(merged) < 1e-6):.1%}; "
        f"MDAV {np.mean(by_mdav):.2%}, at worst {max(by_mdav):.1%}"
    )
    assert len(merged) > 150
    assert np.mean(merged) <= 0.12
    assert np.mean(merged) <= np.mean(by_mdav)
