"""Linked people: k of them share every bag of released rows; what is lost, and what is matched."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations, product
from math import log2

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_merging
import plain_sets
from method_tables import columns_of_all_kinds, of_words, tuples_of
from ontomask.methods.microaggregation.linked import link_people
from ontomask.methods.microaggregation.linked import people as people_module
from ontomask.methods.microaggregation.linked import space as space_module
from ontomask.methods.microaggregation.merging import merge
from ontomask.methods.microaggregation.merging.rules_kernels import DISTINCT, EQUAL
from ontomask.methods.microaggregation.sets import space as set_space_module
from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import MISSING, NominalAttribute, NumericalAttribute
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.sets.set_concepts import (
    SET_MEASURE,
    add_sets,
    deepest_set,
    members_of,
    name_set,
)
from ontomask.microdata.tuples import SensitiveCounts, Tuples, count_tuples
from plain_merging import Costs
from set_plans import random_taxonomy
from strategies import examples

CLOSE = {"rel": 1e-9, "abs": 1e-9}


def released_bags(released):
    """The released rows of each pseudonym, sorted."""
    bags = defaultdict(list)
    for pseudonym, target in zip(
        released.pseudonym.tolist(), released.target.tolist(), strict=True
    ):
        if target >= 0:
            bags[pseudonym].append(tuple(np.round(released.targets[target], 9).tolist()))
    return {pseudonym: tuple(sorted(rows)) for pseudonym, rows in bags.items()}


def check_release(released, tuples, record_tuple, person, k, objective="sse"):
    """At least k people for each bag, no pseudonym for two, and the cost of all kept records."""
    owners = defaultdict(set)
    for pseudonym, who in zip(released.pseudonym.tolist(), person.tolist(), strict=True):
        owners[pseudonym].add(who)
    assert all(len(who) == 1 for who in owners.values())
    people = defaultdict(set)
    for pseudonym, bag in released_bags(released).items():
        people[bag] |= owners[pseudonym]
    assert all(len(who) >= k for who in people.values())
    costs = Costs(tuples, objective=objective)
    total = sum(
        costs.record(t, released.targets[target])
        for t, target in zip(record_tuple.tolist(), released.target.tolist(), strict=True)
        if target >= 0
    )
    assert released.cost == pytest.approx(total, **CLOSE)
    return costs


@pytest.mark.parametrize("linked", ["equal", "drop", "split"])
@examples(25)
@given(
    columns=columns_of_all_kinds(max_records=30, max_attributes=2),
    k=st.integers(2, 4),
    objective=st.sampled_from(["sse", "sad"]),
    data=st.data(),
)
def test_k_people_share_every_bag_of_released_rows(linked, columns, k, objective, data):
    tuples, record_tuple = tuples_of(columns)
    n = len(record_tuple)
    person = np.array(data.draw(st.lists(st.integers(0, n // 2 + 1), min_size=n, max_size=n)))
    assume(len(set(person.tolist())) >= k)
    released = link_people(
        Operators(tuples), record_tuple, person, k, linked=linked, objective=objective
    )
    costs = check_release(released, tuples, record_tuple, person, k, objective)
    rows = Counter(person.tolist())
    kept = Counter(person[released.target >= 0].tolist())
    assert set(kept) == set(rows)  # nobody is lost
    if linked != "split":
        assert len(set(released.pseudonym.tolist())) == len(rows)
        if min(Counter(rows.values()).values()) >= k and linked == "equal":
            assert released.dropped == 0
    # The rows of a pseudonym are matched with the slots of its bag at the least cost.
    for pseudonym in set(released.pseudonym.tolist()):
        records = np.flatnonzero((released.pseudonym == pseudonym) & (released.target >= 0))
        if len(records) <= 4:
            targets = released.targets[released.target[records]]
            each = [
                [costs.record(int(record_tuple[r]), target) for target in targets] for r in records
            ]
            best = min(
                sum(each[i][j] for i, j in enumerate(order))
                for order in permutations(range(len(records)))
            )
            found = sum(each[i][i] for i in range(len(records)))
            assert found == pytest.approx(best, **CLOSE)


@pytest.mark.parametrize("linked", ["equal", "drop", "split"])
@examples(15)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 4), least=st.integers(2, 3))
def test_every_row_of_a_class_keeps_l_and_t(linked, seed, k, least):
    random = np.random.default_rng(seed)
    taxonomy = om.datasets.diagnoses()
    n = int(random.integers(30, 90))
    tuples, record_tuple = of_words(taxonomy, random.choice(sorted(taxonomy.identifiers), n))
    person = random.integers(0, n // 2, n)
    value = random.choice(5, n, p=[0.5, 0.2, 0.1, 0.1, 0.1])
    ill = SensitiveCounts("ill", np.arange(n), value, np.ones(n, dtype=np.int64))
    closeness = 0.35
    rules = [(ill, DISTINCT, float(least)), (ill, EQUAL, closeness)]
    released = link_people(Operators(tuples), record_tuple, person, k, linked=linked, rules=rules)
    check_release(released, tuples, record_tuple, person, k)
    bags, rows = released_bags(released), defaultdict(list)
    for pseudonym, target, mine in zip(
        released.pseudonym.tolist(), released.target.tolist(), value.tolist(), strict=True
    ):
        if target >= 0:
            rows[bags[pseudonym], tuple(released.targets[target])].append(mine)
    whole = Counter(value.tolist())
    for values in rows.values():
        assert len(set(values)) >= least
        apart = (abs(values.count(v) / len(values) - c / n) for v, c in whole.items())
        assert sum(apart) / 2 <= closeness + 1e-9


@pytest.mark.parametrize("linked", ["equal", "drop", "split"])
def test_rows_that_can_keep_a_rule_are_not_dropped(linked):
    """Twelve people with two rows each, whose values take turns."""
    taxonomy, person = om.datasets.diagnoses(), np.repeat(np.arange(12), 2)
    words = np.array(["influenza", "sprain"] * 12)
    tuples, record_tuple = of_words(taxonomy, words)
    ones = np.ones(24, dtype=np.int64)
    ill = SensitiveCounts("ill", np.arange(24), person % 2, ones)
    rules = [(ill, DISTINCT, 2.0), (ill, EQUAL, 0.25)]
    released = link_people(Operators(tuples), record_tuple, person, 4, linked=linked, rules=rules)
    check_release(released, tuples, record_tuple, person, 4)
    assert released.dropped == 0


def rows_with_sets(random, records, max_concepts=12):
    """A column of sets, some empty or missing, beside a number; and the plain sets of the rows."""
    taxonomy = random_taxonomy(random, max_concepts)
    names = np.array(taxonomy.identifiers, dtype=object)
    few = [
        deepest_set(taxonomy, random.choice(names, min(size, len(names)), replace=False))
        for size in random.integers(0, 4, 8)
    ]
    values = sorted(set(few))
    missing = random.random() < 0.5
    kind = NominalOrMissing if missing else NominalAttribute
    attributes = [
        kind("dx", add_sets(taxonomy, values), values, SET_MEASURE, weight=2.0),
        NumericalAttribute("age", np.arange(9.0)),
    ]
    codes = [random.integers(0, len(values) + missing, records), random.integers(0, 9, records)]
    tuples, record_tuple = count_tuples(attributes, codes)
    return taxonomy, tuples, record_tuple


def plain_cost(taxonomy, attributes, objective):
    """What a record of a tuple costs as a row of targets, by the plain distance of sets."""

    def close(name):
        concepts = [len(taxonomy)] if name == MISSING else map(taxonomy.code, members_of(name))
        return plain_sets.closure(taxonomy, frozenset(concepts))

    dx, age = attributes
    names = [*dx.values, MISSING]

    def cost(codes, target):
        sets = plain_sets.distance(close(names[codes[0]]), close(dx.candidates[int(target[0])]))
        apart = (2 * sets + abs(age.numbers[codes[1]] - target[1]) / age.range) / 3
        return apart**2 if objective == "sse" else apart

    return cost


@examples(40)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 3),
    linked=st.sampled_from(["equal", "drop", "split"]),
    objective=st.sampled_from(["sse", "sad"]),
    centroid=st.sampled_from(["rule", "best"]),
)
def test_rows_with_sets_cost_what_the_plain_distance_says(seed, k, linked, objective, centroid):
    random = np.random.default_rng(seed)
    n = int(random.integers(6, 30))
    taxonomy, tuples, record_tuple = rows_with_sets(random, n)
    person = random.integers(0, n // 2 + 1, n)
    assume(len(set(person.tolist())) >= k)
    released = link_people(
        Operators(tuples),
        record_tuple,
        person,
        k,
        linked=linked,
        objective=objective,
        centroid=centroid,
    )
    owners = defaultdict(set)
    bags = released_bags(released)
    for pseudonym, who in zip(released.pseudonym.tolist(), person.tolist(), strict=True):
        owners[bags[pseudonym]].add(who) if pseudonym in bags else None
    assert all(len(who) >= k for who in owners.values())
    record_cost = plain_cost(taxonomy, released.attributes, objective)
    codes = tuples.codes[:, record_tuple].T.tolist()
    total = 0.0
    for pseudonym in bags:
        records = np.flatnonzero((released.pseudonym == pseudonym) & (released.target >= 0))
        targets = released.targets[released.target[records]].tolist()
        each = [[record_cost(codes[r], target) for target in targets] for r in records]
        cost = sum(each[i][i] for i in range(len(records)))
        least = (
            min(
                sum(each[i][j] for i, j in enumerate(order))
                for order in permutations(range(len(records)))
            )
            if len(records) <= 5
            else cost
        )
        assert cost == pytest.approx(least, **CLOSE)
        total += cost
    assert released.cost == pytest.approx(total, **CLOSE)


def test_room_for_sets_that_runs_out_changes_nothing(monkeypatch):
    random = np.random.default_rng(4)
    _, tuples, record_tuple = rows_with_sets(random, 1500, max_concepts=40)
    person = random.integers(0, 700, 1500)
    released = []
    for room in (50, 2):
        monkeypatch.setattr(set_space_module, "ROOM", room)
        released.append(link_people(Operators(tuples), record_tuple, person, 3, linked="drop"))
    assert (released[0].targets == released[1].targets).all()
    assert (released[0].target == released[1].target).all()


def test_people_with_one_row_each_are_grouped_as_tuples_are():
    random = np.random.default_rng(1)
    taxonomy = om.datasets.diagnoses()
    words = sorted(taxonomy.identifiers)
    tuples, record_tuple = of_words(taxonomy, random.choice(words, 80), random.choice(words, 80))
    operators = Operators(tuples)
    released = link_people(operators, record_tuple, np.arange(80), 3)
    assert released.dropped == 0
    assert released.cost == pytest.approx(merge(operators, 3).cost, rel=0.02)


def test_a_surplus_row_is_dropped_split_off_or_avoided_by_hand():
    # Two people with a cold, and two with a cold and a fracture that nobody else has.
    taxonomy = om.Taxonomy.from_edges([("cold", "all"), ("fracture", "all")])
    words = ["cold", "cold", "cold", "fracture", "cold", "fracture"]
    person = np.array([7, 8, 9, 9, 4, 4])
    tuples, record_tuple = of_words(taxonomy, words)
    released = link_people(Operators(tuples), record_tuple, person, 2)
    assert (released.dropped, released.cost) == (0, 0.0)
    # With k = 4 all four must share a bag: of one row.
    for linked in ("equal", "drop"):
        released = link_people(Operators(tuples), record_tuple, person, 4, linked=linked)
        assert (released.dropped, released.cost) == (2, 0.0)
    # Split off, the two fractures have no company but colds: two people count only once.
    released = link_people(Operators(tuples), record_tuple, person, 4, linked="split")
    assert released.dropped == 0
    assert released.cost == pytest.approx(2 * log2(1 + 2 / 3) ** 2)
    # Two more people with a fracture: now the split pieces find company.
    tuples, record_tuple = of_words(taxonomy, [*words, "fracture", "fracture"])
    person = np.append(person, [1, 2])
    released = link_people(Operators(tuples), record_tuple, person, 4, linked="split")
    assert (released.dropped, released.cost) == (0, 0.0)
    assert len(set(released.pseudonym.tolist())) == 8


def test_small_tables_of_people_are_grouped_nearly_as_well_as_can_be():
    taxonomy = om.Taxonomy.from_edges(
        [
            ("a", "all"),
            ("b", "all"),
            ("a1", "a"),
            ("a2", "a"),
            ("b1", "b"),
            ("b2", "b"),
            ("b2", "a"),
        ]
    )
    names = ["a1", "a2", "b1", "b2", "a"]
    excess = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        words = random.choice(names, 12).tolist()
        person = np.repeat(np.arange(6), 2)
        tuples, record_tuple = of_words(taxonomy, words)
        released = link_people(Operators(tuples), record_tuple, person, 2)
        # Each record a tuple of its own, so that the plain cost of any of them is known.
        records = Tuples(tuples.attributes, tuples.codes[:, record_tuple], np.ones(12, dtype=int))
        costs = Costs(records)

        def best_alignment(people, costs=costs):
            first, *rest = people
            found = np.inf
            for turns in product([0, 1], repeat=len(rest)):
                rows = [[2 * first], [2 * first + 1]]
                for other, turn in zip(rest, turns, strict=True):
                    rows[0].append(2 * other + turn)
                    rows[1].append(2 * other + 1 - turn)
                found = min(found, sum(costs.by_rule(slot) for slot in rows))
            return found

        least = plain_merging.optimum([1] * 6, 2, best_alignment)
        assert released.cost >= least - 1e-9
        excess.append(released.cost - least)
    assert np.mean(excess) <= 0.03


@pytest.mark.parametrize("linked", ["equal", "drop"])
def test_small_tables_of_rows_with_sets_are_grouped_nearly_as_well_as_can_be(linked):
    """Against all partitions of six people with one or two rows, and all ways to match these.

    The centroids are those of the rule, and a row that is dropped costs 1.
    """
    tree = drawn_tree()
    excess, tables = [], 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        rows = [[draw_names(random, tree) for _ in range(random.integers(1, 3))] for _ in range(6)]
        if linked == "equal":
            rows = [[*mine, draw_names(random, tree)][:2] for mine in rows]
        names = [name_set(row) for mine in rows for row in mine]
        values = sorted(set(names))
        dx = NominalAttribute("dx", add_sets(tree, values), values, SET_MEASURE)
        tuples, record_tuple = count_tuples([dx], [np.array([*map(values.index, names)])])
        person = np.repeat(np.arange(6), [*map(len, rows)])
        released = link_people(Operators(tuples), record_tuple, person, 2, linked=linked)
        closed = [
            [plain_sets.closure(tree, {*map(tree.code, row)}) for row in mine] for mine in rows
        ]

        def group_cost(members, closed=closed):
            fewest = min(len(closed[p]) for p in members)
            least = np.inf
            for turns in product(*(permutations(closed[p], fewest) for p in members)):
                slots = list(zip(*turns, strict=True))
                ones = [1] * len(members)
                centres = [plain_sets.level_set(slot, ones, 1 / 2) for slot in slots]
                cost = sum(
                    plain_sets.cost(slot, ones, centre)
                    for slot, centre in zip(slots, centres, strict=True)
                )
                least = min(least, cost + sum(len(closed[p]) - fewest for p in members))
            return least

        least = plain_merging.optimum([1] * 6, 2, group_cost)
        lost = released.cost + released.dropped
        assert lost >= least - 1e-9
        tables += least > 0
        excess.append(lost - least)
    print(f"{linked}: {np.mean(excess):.3f} above the optimum, {max(excess):.3f} at most")
    assert tables > 25
    assert np.mean(excess) <= 0.02  # of about ten rows
    assert max(excess) <= 0.2


def drawn_tree():
    edges = [("a", "all"), ("b", "all"), ("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")]
    return om.Taxonomy.from_edges([*edges, ("b2", "a")])


def draw_names(random, tree):
    """One or two concepts, neither above the other."""
    names = random.choice(["a1", "a2", "b1", "b2", "a"], int(random.integers(1, 3)), replace=False)
    return members_of(deepest_set(tree, names.tolist()))


@pytest.fixture
def many_people():
    random = np.random.default_rng(4)
    taxonomy = om.datasets.diagnoses()
    words = sorted(taxonomy.identifiers)
    person = np.repeat(np.arange(900), random.integers(1, 4, 900))
    tuples, record_tuple = of_words(
        taxonomy, random.choice(words, len(person)), random.choice(words, len(person))
    )
    return tuples, record_tuple, person


@pytest.mark.parametrize("linked", ["equal", "split"])
def test_neighbours_by_orders_cost_hardly_more_than_comparing_all(many_people, linked, monkeypatch):
    tuples, record_tuple, person = many_people
    exact = link_people(Operators(tuples), record_tuple, person, 5, linked=linked)
    monkeypatch.setattr(people_module, "FEW", 50)
    near = link_people(Operators(tuples), record_tuple, person, 5, linked=linked)
    check_release(near, tuples, record_tuple, person, 5)
    assert near.cost <= 1.05 * exact.cost
    again = link_people(Operators(tuples), record_tuple, person, 5, linked=linked)
    assert (again.target == near.target).all()


def test_a_lower_price_of_links_breaks_more_and_loses_less(many_people):
    tuples, record_tuple, person = many_people
    released = [
        link_people(Operators(tuples), record_tuple, person, 5, linked="split", link_price=price)
        for price in (0.5, 0.1)
    ]
    pseudonyms = [len(set(one.pseudonym.tolist())) for one in released]
    assert 900 <= pseudonyms[0] < pseudonyms[1]
    assert released[0].cost > released[1].cost
    for one in released:
        check_release(one, tuples, record_tuple, person, 5)


def test_room_for_centroids_that_runs_out_changes_nothing(many_people, monkeypatch):
    tuples, record_tuple, person = many_people
    expected = link_people(Operators(tuples), record_tuple, person, 5)
    monkeypatch.setattr(space_module, "ROOM", 1)
    moved = link_people(Operators(tuples), record_tuple, person, 5)
    assert (moved.target == expected.target).all()
    assert (moved.targets == expected.targets).all()
