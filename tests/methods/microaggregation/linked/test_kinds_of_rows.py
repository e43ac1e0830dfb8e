"""Rows of several kinds: never matched with each other, and compared by what their kind has."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_merging
from method_tables import columns_of_all_kinds, of_words, tuples_of
from ontomask.methods.microaggregation.linked import link_people
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.operators import Operators
from ontomask.microdata.linked_records import LinkedRecords, RowKinds
from ontomask.microdata.tuples import Tuples
from ontomask.pipeline.planning.linked_tables import LinkedTable, join_tables
from plain_merging import Costs
from strategies import examples

CLOSE = {"rel": 1e-9, "abs": 1e-9}


@st.composite
def rows_of_kinds(draw):
    """Tuples in the order of their kinds, the kinds, and the tuple of each record."""
    columns = draw(columns_of_all_kinds(max_records=30, max_attributes=3))
    tuples, record_tuple = tuples_of(columns)
    many = draw(st.integers(1, 3))
    kind = np.sort(
        draw(st.lists(st.integers(0, many - 1), min_size=len(tuples), max_size=len(tuples)))
    )
    has = np.array(
        draw(
            st.lists(
                st.lists(st.booleans(), min_size=len(columns), max_size=len(columns)),
                min_size=many,
                max_size=many,
            )
        )
    )
    codes = np.where(has[kind].T, tuples.codes, 0).astype(np.int32)
    return Tuples(tuples.attributes, codes, tuples.counts), RowKinds(kind, has), record_tuple


def plain_cost(tuples, kinds, t, target, objective):
    """The cost of a record by the mean over the attributes of its kind."""
    has = np.flatnonzero(kinds.has[kinds.kind[t]])
    if not len(has):
        return 0.0
    own = Tuples(tuple(tuples.attributes[j] for j in has), tuples.codes[has], tuples.counts)
    return Costs(own, objective=objective).record(t, [target[j] for j in has])


@pytest.mark.parametrize("linked", ["equal", "drop", "split"])
@examples(25)
@given(
    rows=rows_of_kinds(),
    k=st.integers(2, 4),
    objective=st.sampled_from(["sse", "sad"]),
    data=st.data(),
)
def test_rows_of_different_kinds_never_become_the_same(linked, rows, k, objective, data):
    tuples, kinds, record_tuple = rows
    n = len(record_tuple)
    person = np.array(data.draw(st.lists(st.integers(0, n // 2 + 1), min_size=n, max_size=n)))
    assume(len(set(person.tolist())) >= k)
    released = link_people(
        Operators(tuples), record_tuple, person, k, linked=linked, objective=objective, kinds=kinds
    )
    kind = kinds.kind[record_tuple]
    kept = released.target >= 0
    kind_of_target = defaultdict(set)
    for target, one in zip(released.target[kept].tolist(), kind[kept].tolist(), strict=True):
        kind_of_target[target].add(one)
    assert all(len(several) == 1 for several in kind_of_target.values())
    bags, owners = defaultdict(list), defaultdict(set)
    for r in np.flatnonzero(kept).tolist():
        target = released.targets[released.target[r]]
        has = kinds.has[kind[r]]
        row = (int(kind[r]), *np.round(target[has], 9).tolist())
        bags[int(released.pseudonym[r])].append(row)
        owners[int(released.pseudonym[r])].add(int(person[r]))
    people = defaultdict(set)
    for pseudonym, bag in bags.items():
        assert len(owners[pseudonym]) == 1
        people[tuple(sorted(bag))] |= owners[pseudonym]
    assert all(len(who) >= k for who in people.values())
    costs = {
        (r, target): plain_cost(
            tuples, kinds, int(record_tuple[r]), released.targets[target], objective
        )
        for r in np.flatnonzero(kept).tolist()
        for target in kind_of_target
        if kind[r] in kind_of_target[target]
    }
    assert released.cost == pytest.approx(
        sum(costs[r, int(released.target[r])] for r in np.flatnonzero(kept)), **CLOSE
    )
    # The rows of a pseudonym are matched at the least cost, kind by kind.
    for pseudonym, one in product(bags, range(len(kinds.has))):
        records = np.flatnonzero((released.pseudonym == pseudonym) & kept & (kind == one)).tolist()
        if 1 < len(records) <= 4:
            targets = released.target[records].tolist()
            best = min(
                sum(costs[r, t] for r, t in zip(records, order, strict=True))
                for order in permutations(targets)
            )
            assert sum(costs[r, t] for r, t in zip(records, targets, strict=True)) == (
                pytest.approx(best, **CLOSE)
            )
    if linked == "equal":  # a pseudonym loses rows only where few people have as many of each kind
        shapes = defaultdict(Counter)
        for who, one in zip(person.tolist(), kind.tolist(), strict=True):
            shapes[who][one] += 1
        shared = Counter(tuple(sorted(shape.items())) for shape in shapes.values())
        if min(shared.values()) >= k:
            assert released.dropped == 0


def linked_records(record_tuple, person):
    return LinkedRecords.count_pairs(record_tuple, person, [], None)[0]


def test_two_small_tables_are_grouped_nearly_as_well_as_can_be():
    """Six people with a word in one table and one or two words in the other."""
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
    for seed in range(25):
        random = np.random.default_rng(seed)
        second = np.sort(np.concatenate([np.arange(6), np.arange(3)]))
        people = [np.arange(6), second]
        words = [random.choice(names, len(person)).tolist() for person in people]
        tables, costs = [], []
        for person, of_table in zip(people, words, strict=True):
            tuples, record_tuple = of_words(taxonomy, of_table)
            tables.append(LinkedTable(tuples, linked_records(record_tuple, person)))
            ones = np.ones(len(person), dtype=int)
            costs.append(Costs(Tuples(tuples.attributes, tuples.codes[:, record_tuple], ones)))
        method = Microaggregation(k=2)
        joined = join_tables(method, tables)
        released = method.link_people(joined.tuples, joined.records)
        assert released.dropped == 0

        def best_alignment(block, second=second, costs=costs):
            rows = [np.flatnonzero(second == p).tolist() for p in block]
            if len({len(one) for one in rows}) > 1:
                return np.inf  # not as many rows
            slots = min(
                sum(costs[1].by_rule([one[i] for one in chosen]) for i in range(len(rows[0])))
                for chosen in product(*(permutations(one) for one in rows))
            )
            return costs[0].by_rule(block) + slots

        least = plain_merging.optimum([1] * 6, 2, best_alignment)
        assert released.cost >= least - 1e-9
        excess.append(released.cost - least)
    assert np.mean(excess) <= 0.03
