"""Groups of tuples with sets: what they cost, what they must be, how near the optimum they come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_merging
import plain_sets
from method_tables import columns_of_all_kinds, tuples_of
from ontomask.methods.microaggregation.merging.rules_kernels import DISTINCT
from ontomask.methods.microaggregation.sets import SetColumn, mdav_sets, merge_sets
from ontomask.methods.microaggregation.sets import merge as merge_module
from ontomask.methods.microaggregation.sets import space as space_module
from ontomask.methods.operators import Operators
from ontomask.microdata.sets import ConceptSets, distinct_sets, missing_concept
from ontomask.microdata.tuples import SensitiveCounts
from plain_merging import members_of
from strategies import examples, taxonomies

CLOSE = {"rel": 1e-9, "abs": 1e-9}


def drawn_taxonomy(random, concepts):
    """A graph by chance, where a third of the concepts have two parents."""
    edges = [(f"c{i:03}", f"c{int(random.integers(0, i)):03}") for i in range(1, concepts)]
    edges += [
        (f"c{i:03}", f"c{int(random.integers(0, i)):03}") for i in range(2, concepts) if i % 3 == 0
    ]
    return om.Taxonomy.from_edges(sorted(set(edges)))


def drawn_sets(random, taxonomy, people, most=4):
    """Distinct sets of some people, who prefer some concepts."""
    liked = random.permutation(len(taxonomy))
    lists = [
        liked[(random.random(int(random.integers(0, most + 1))) ** 2 * len(liked)).astype(int)]
        for _ in range(people)
    ]
    return distinct_sets(ConceptSets.from_lists(lists))


class PlainSets:
    """What groups of tuples with sets cost, by the definition."""

    def __init__(self, columns, counts, operators=None, objective="sse"):
        self.counts, self.power = counts.tolist(), 2 if objective == "sse" else 1
        self.sets = [
            [plain_sets.closure(column.taxonomy, one) for one in column.sets.lists()]
            for column in columns
        ]
        factors = [] if operators is None else operators.factors
        total = sum(column.weight for column in columns) + sum(factors)
        self.scale = [column.weight / total for column in columns]
        self.share = sum(factors) / total
        self.others = None if operators is None else plain_merging.Costs(operators.tuples)
        if self.others is not None:
            self.others.objective = "sad"  # a record costs its distance

    def cost(self, members, centres, target):
        """With a closure for each column, and targets for the other attributes."""
        total = 0.0
        for t in members:
            apart = sum(
                scale * plain_sets.distance(sets[t], centre)
                for scale, sets, centre in zip(self.scale, self.sets, centres, strict=True)
            )
            if self.others is not None:
                apart += self.share * self.others.record(t, target)
            total += self.counts[t] * apart**self.power
        return total


def check_groups(grouping, columns, counts, k, plain):
    """Groups of k records that cost what their centroids say."""
    groups = members_of(grouping.group)
    assert np.bincount(grouping.group, weights=counts).min() >= k
    assert all(len(closures) == len(groups) for closures in grouping.closures)
    centres = [[frozenset(one) for one in c.lists()] for c in grouping.closures]
    total = sum(
        plain.cost(members, [column[g] for column in centres], grouping.centroids[g])
        for g, members in enumerate(groups)
    )
    assert grouping.cost == pytest.approx(total, **CLOSE)
    return groups, centres


@st.composite
def set_tables(draw, tuples=None):
    """Columns of sets, and the records of each tuple."""
    n = draw(st.integers(3, 14)) if tuples is None else tuples
    columns = []
    for _ in range(draw(st.integers(1, 2))):
        taxonomy = draw(taxonomies(10))
        one = st.sets(st.integers(0, len(taxonomy) - 1), max_size=3)
        one = st.one_of(one, one, one, st.just({missing_concept(taxonomy)}))
        sets = ConceptSets.from_lists(draw(st.lists(one, min_size=n, max_size=n)))
        columns.append(SetColumn(taxonomy, sets, draw(st.sampled_from([1.0, 0.25, 3.0]))))
    counts = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return columns, np.array(counts)


@pytest.mark.parametrize("algorithm", [merge_sets, mdav_sets])
@examples(30)
@given(
    table=set_tables(),
    k=st.integers(2, 5),
    objective=st.sampled_from(["sse", "sad"]),
    centroid=st.sampled_from(["rule", "best"]),
)
def test_groups_of_sets_cost_what_their_centroids_say(algorithm, table, k, objective, centroid):
    columns, counts = table
    assume(counts.sum() >= k)
    if algorithm is mdav_sets:
        objective = "sse"
        grouping = mdav_sets(columns, counts, k, centroid=centroid)
    else:
        grouping = merge_sets(columns, counts, k, objective=objective, centroid=centroid)
    plain = PlainSets(columns, counts, objective=objective)
    groups, centres = check_groups(grouping, columns, counts, k, plain)
    for g, members in enumerate(groups):
        often = [plain.counts[t] for t in members]
        for column, sets, mine in zip(columns, plain.sets, centres, strict=True):
            held, missing = [sets[t] for t in members], missing_concept(column.taxonomy)
            levels = plain_sets.level_sets(held, often, missing)
            if centroid == "rule":
                levels = [plain_sets.level_set(held, often, 1 / 2, missing), frozenset({missing})]
            assert mine[g] in levels or len(members) == 1


@examples(30)
@given(
    others=columns_of_all_kinds(max_records=12, max_attributes=2),
    k=st.integers(2, 4),
    data=st.data(),
)
def test_sets_beside_words_numbers_and_levels(others, k, data):
    tuples, _ = tuples_of(others)
    assume(tuples.records >= k)
    columns, _ = data.draw(set_tables(len(tuples)))
    operators = Operators(tuples)
    objective = data.draw(st.sampled_from(["sse", "sad"]))
    grouping = merge_sets(columns, tuples.counts, k, others=operators, objective=objective)
    plain = PlainSets(columns, tuples.counts, operators, objective)
    check_groups(grouping, columns, tuples.counts, k, plain)
    again = mdav_sets(columns, tuples.counts, k, others=operators)
    check_groups(again, columns, tuples.counts, k, PlainSets(columns, tuples.counts, operators))


@pytest.mark.parametrize(
    ("centroid", "objective"), [("rule", "sse"), ("best", "sse"), ("rule", "sad")]
)
def test_small_tables_of_sets_are_grouped_nearly_as_well_as_can_be(centroid, objective):
    """Against all partitions, with the same centroids."""
    merged, by_mdav = [], []
    for seed in range(60):
        random = np.random.default_rng(seed)
        taxonomy = drawn_taxonomy(random, 12)
        distinct = drawn_sets(random, taxonomy, 8, 3)
        counts, k = distinct.counts, int(random.integers(2, 4))
        if counts.sum() < k:
            continue
        columns = [SetColumn(taxonomy, distinct.sets)]
        sets = [plain_sets.closure(taxonomy, one) for one in distinct.sets.lists()]

        def group_cost(members, sets=sets, counts=counts):
            mine, often = [sets[t] for t in members], [int(counts[t]) for t in members]
            levels = [plain_sets.level_set(mine, often, 1 / 2)]
            if len(members) == 1:
                levels = mine
            elif centroid == "best":
                levels = plain_sets.level_sets(mine, often)
            power = 2 if objective == "sse" else 1
            return min(plain_sets.cost(mine, often, level, power) for level in levels)

        least = plain_merging.optimum(counts.tolist(), k, group_cost)
        found = merge_sets(columns, counts, k, centroid=centroid, objective=objective).cost
        assert found >= least - 1e-9
        if least < 1e-9:
            assert found < 1e-9
            continue
        merged.append(found / least - 1)
        if objective == "sse":
            by_mdav.append(mdav_sets(columns, counts, k, centroid=centroid).cost / least - 1)
    print(
        f"{len(merged)} tables: {np.mean(merged):.2%} above the optimum, {max(merged):.1%} at most"
    )
    assert len(merged) > 40
    assert np.mean(merged) <= 0.02
    assert max(merged) <= 0.5
    assert objective == "sad" or np.mean(merged) <= np.mean(by_mdav)


def test_mdav_of_sets_by_hand():
    # A root with two branches of two leaves each: the farthest two are in different branches.
    taxonomy = om.Taxonomy.from_edges(
        [("a", "root"), ("b", "root"), ("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")]
    )
    lists = [[taxonomy.code(name)] for name in ("a1", "a2", "b1", "b2")]
    columns = [SetColumn(taxonomy, ConceptSets.from_lists(lists))]
    grouping = mdav_sets(columns, np.ones(4, dtype=np.int64), 2)
    assert grouping.group.tolist() == [0, 0, 1, 1]
    # Both leaves are held by half of the group, and so belong to the majority.
    names = [{taxonomy.identifiers[c] for c in one} for one in grouping.closures[0].lists()]
    assert names == [{"root", "a", "a1", "a2"}, {"root", "b", "b1", "b2"}]


def test_k_is_counted_in_people_if_people_are_known():
    random = np.random.default_rng(3)
    taxonomy = drawn_taxonomy(random, 40)
    sets = drawn_sets(random, taxonomy, 150)
    n, k = len(sets.sets), 4
    # Every person has two tuples.
    owner, person = np.arange(n), np.arange(n) // 2
    people = SensitiveCounts("person", owner, person, np.ones(n, dtype=np.int64))
    grouping = merge_sets(
        [SetColumn(taxonomy, sets.sets)],
        np.ones(n, dtype=np.int64),
        k,
        rules=[(people, DISTINCT, k)],
    )
    for members in members_of(grouping.group):
        assert len(set(person[members])) >= k


@pytest.fixture
def many_sets():
    random = np.random.default_rng(5)
    taxonomy = drawn_taxonomy(random, 120)
    distinct = drawn_sets(random, taxonomy, 1500)
    return [SetColumn(taxonomy, distinct.sets)], distinct.counts


def test_neighbours_by_orders_cost_hardly_more_than_comparing_all(many_sets, monkeypatch):
    exact = merge_sets(*many_sets, 5).cost
    monkeypatch.setattr(merge_module, "FEW", 50)
    near = merge_sets(*many_sets, 5)
    assert near.cost <= 1.02 * exact
    again = merge_sets(*many_sets, 5)
    assert (again.group == near.group).all()
    assert again.cost == near.cost
    other = merge_sets(*many_sets, 5, seed=2)
    assert other.cost == pytest.approx(near.cost, rel=0.05)


def test_room_for_centroids_that_runs_out_changes_nothing(many_sets, monkeypatch):
    expected = merge_sets(*many_sets, 5)
    monkeypatch.setattr(space_module, "ROOM", 1)
    moved = merge_sets(*many_sets, 5)
    assert (moved.group == expected.group).all()
    assert moved.cost == expected.cost
    assert moved.closures[0].lists() == expected.closures[0].lists()


def test_a_thorough_search_loses_no_more(many_sets):
    fast = merge_sets(*many_sets, 5)
    thorough = merge_sets(*many_sets, 5, thorough=True, seed=7)
    assert thorough.cost < fast.cost
