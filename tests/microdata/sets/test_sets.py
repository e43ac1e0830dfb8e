"""Sets of concepts: closures, distances, centroids and matchings against the plain definitions."""

from __future__ import annotations

from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain_sets
from ontomask.distances import sanchez
from ontomask.microdata.sets import (
    ConceptSets,
    closures,
    distinct_sets,
    match_sets,
    missing_concept,
    reduce_to_deepest,
    set_centroids,
    set_distances,
)
from strategies import taxonomies

CLOSE = {"rel": 1e-9, "abs": 1e-9}


@st.composite
def sets_of(draw, taxonomy, most=8, missing=False):
    """Sets of concepts, empty ones among them, and missing ones."""
    concept = st.integers(0, len(taxonomy) - 1)
    one = st.sets(concept, max_size=4)
    if missing:
        one = st.one_of(one, one, st.just({missing_concept(taxonomy)}))
    return draw(st.lists(one, min_size=1, max_size=most))


@st.composite
def taxonomy_with_sets(draw, max_concepts=12, most=8, missing=False):
    taxonomy = draw(taxonomies(max_concepts))
    return taxonomy, draw(sets_of(taxonomy, most, missing))


def frozen(sets):
    """Sets as the plain definitions take them; they are ascending and without repetition."""
    for concepts in sets.lists():
        assert concepts == sorted(set(concepts))
    return [frozenset(concepts) for concepts in sets.lists()]


# ---------------------------------------------------------------------- arrays


@given(st.lists(st.lists(st.integers(0, 5), max_size=5), max_size=9), st.randoms())
def test_distinct_sets_do_not_depend_on_the_order_of_the_records(lists, random):
    found = distinct_sets(ConceptSets.from_lists(lists))
    assert found.sets.take(found.place).lists() == [sorted(set(one)) for one in lists]
    assert found.counts.tolist() == np.bincount(found.place, minlength=len(found.sets)).tolist()
    assert found.sets.lists() == sorted(found.sets.lists(), key=lambda one: (len(one), one))
    assert len({tuple(one) for one in found.sets.lists()}) == len(found.sets)
    random.shuffle(lists)
    assert distinct_sets(ConceptSets.from_lists(lists)).sets.lists() == found.sets.lists()


def test_a_long_table_gives_each_code_of_a_person_once():
    owner, code = np.array([2, 0, 2, 2, 0]), np.array([7, 4, 3, 7, 1])
    sets = ConceptSets.from_pairs(owner, code, 4)
    assert sets.lists() == [[1, 4], [], [3, 7], []]
    assert sets.owners().tolist() == [0, 0, 2, 2]


# ---------------------------------------------------------------------- closures


@given(taxonomy_with_sets(missing=True))
def test_closures_and_deepest_concepts_equal_the_definitions(case):
    taxonomy, lists = case
    sets = ConceptSets.from_lists(lists)
    closed = closures(taxonomy, sets)
    assert frozen(closed) == [plain_sets.closure(taxonomy, one) for one in lists]
    deepest = reduce_to_deepest(taxonomy, sets)
    expected = [
        frozenset(one) if one == {len(taxonomy)} else plain_sets.deepest(taxonomy, one)
        for one in lists
    ]
    assert frozen(deepest) == expected
    # What follows from the deepest concepts is what followed from all, and the other way round.
    assert frozen(closures(taxonomy, deepest)) == frozen(closed)
    assert frozen(reduce_to_deepest(taxonomy, closed)) == frozen(deepest)


# ---------------------------------------------------------------------- distances


def test_the_distance_of_sets_by_hand():
    diagnoses = om.datasets.diagnoses()
    codes = [diagnoses.codes(names) for names in (["influenza"], ["influenza", "hepatitis"])]
    one, two = closures(diagnoses, ConceptSets.from_lists(codes)).lists()
    first = ConceptSets.from_lists([one, one, [], [], [0]])
    second = ConceptSets.from_lists([one, two, one, [], one])
    shared, all_of_both = len(one), len(two)
    expected = [0, log2(2 - shared / all_of_both), 1, 0, log2(2 - 1 / len(one))]
    assert set_distances(first, second) == pytest.approx(expected, **CLOSE)


@given(taxonomy_with_sets(missing=True))
def test_distances_equal_the_definition_and_are_a_metric(case):
    taxonomy, lists = case
    closed = closures(taxonomy, ConceptSets.from_lists(lists))
    members = frozen(closed)
    n = len(members)
    a, b = (places.ravel() for places in np.indices((n, n)))
    table = set_distances(closed.take(a), closed.take(b)).reshape(n, n)
    for i, j in product(range(n), repeat=2):
        assert table[i, j] == pytest.approx(plain_sets.distance(members[i], members[j]), **CLOSE)
        assert (table[i, j] == 0) == (members[i] == members[j])
    for i, j, through in product(range(n), repeat=3):
        assert table[i, j] <= table[i, through] + table[through, j] + 1e-9


@given(taxonomies(12))
def test_sets_of_one_concept_are_as_far_apart_as_the_concepts(taxonomy):
    concepts = list(taxonomy)
    closed = closures(taxonomy, ConceptSets.from_lists([[c] for c in taxonomy.codes(concepts)]))
    first = np.zeros(len(concepts), dtype=np.int64)
    expected = [sanchez(taxonomy, concepts[0], other) for other in concepts]
    assert set_distances(closed.take(first), closed) == pytest.approx(expected, **CLOSE)


@given(st.integers(0, 4), st.integers(0, 4), st.data())
def test_the_matching_is_the_best_of_all(rows, columns, data):
    one = st.floats(0, 1)
    table = [[data.draw(one) for _ in range(columns)] for _ in range(rows)]
    found = match_sets(np.array(table).reshape(rows, columns))
    expected = plain_sets.matching_distance(table, rows, columns)
    assert found.distance == pytest.approx(expected, **CLOSE)
    pairs = [(i, j) for i, j in enumerate(found.partner.tolist()) if j >= 0]
    assert len({j for _, j in pairs}) == len(pairs) == min(rows, columns)
    if max(rows, columns):
        cost = sum(table[i][j] for i, j in pairs) + max(rows, columns) - len(pairs)
        assert cost / max(rows, columns) == pytest.approx(found.distance, **CLOSE)


# ---------------------------------------------------------------------- centroids


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("centroid", ["rule", "best"])
@given(case=taxonomy_with_sets(missing=True), data=st.data())
def test_centroids_are_level_sets(centroid, squared, case, data):
    taxonomy, lists = case
    missing, power = missing_concept(taxonomy), 2 if squared else 1
    counts = data.draw(st.lists(st.integers(1, 4), min_size=len(lists), max_size=len(lists)))
    closed = closures(taxonomy, ConceptSets.from_lists(lists))
    members = frozen(closed)
    half = len(lists) // 2
    parts = [range(len(lists)), range(half), range(half, len(lists))]
    groups = ConceptSets.from_lists(part for part in parts if part)
    found = frozen(
        set_centroids(closed, np.array(counts), groups, centroid, squared=squared, missing=missing)
    )
    for part, centre in zip(groups.lists(), found, strict=True):
        mine, often = [members[i] for i in part], [counts[i] for i in part]
        without = sum(n for one, n in zip(mine, often, strict=True) if missing in one)
        if centroid == "rule":
            is_missing = 2 * without > sum(often)
            majority = plain_sets.level_set(mine, often, 1 / 2, missing)
            assert centre == (frozenset({missing}) if is_missing else majority)
            continue
        levels = plain_sets.level_sets(mine, often, missing)
        costs = [plain_sets.cost(mine, often, level, power) for level in levels]
        assert centre in levels
        assert plain_sets.cost(mine, often, centre, power) == pytest.approx(min(costs), **CLOSE)


@given(taxonomy_with_sets(max_concepts=8, most=5))
def test_the_best_level_set_is_between_the_optimum_and_the_majority(case):
    taxonomy, lists = case
    closed = closures(taxonomy, ConceptSets.from_lists(lists))
    members, counts = frozen(closed), [1] * len(lists)
    every = ConceptSets.from_lists([range(len(lists))])
    best, rule = (
        plain_sets.cost(
            members, counts, frozen(set_centroids(closed, np.array(counts), every, centroid))[0]
        )
        for centroid in ("best", "rule")
    )
    optimum = min(
        plain_sets.cost(members, counts, centre) for centre in plain_sets.all_closures(taxonomy)
    )
    assert optimum - 1e-9 <= best <= rule + 1e-9
    if len(set(members)) == 1:
        assert rule == pytest.approx(0, abs=1e-12)


def test_a_concept_with_two_parents_brings_both_into_the_centroid():
    edges = [("a", None), ("b", "a"), ("c", "a"), ("d", "b"), ("d", "c"), ("e", "b")]
    taxonomy = om.Taxonomy.from_edges(edges)
    code = taxonomy.code
    closed = closures(taxonomy, ConceptSets.from_lists([[code("d")], [code("d")], [code("e")]]))
    every = ConceptSets.from_lists([range(3)])
    majority = set_centroids(closed, np.ones(3, dtype=np.int64), every)
    assert {taxonomy.identifiers[c] for c in majority.lists()[0]} == {"a", "b", "c", "d"}
    assert reduce_to_deepest(taxonomy, majority).lists() == [[code("d")]]
