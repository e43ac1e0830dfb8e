"""k^m-anonymity: no combination of few concepts is rare, in taxonomies with several parents too."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ontomask as om
import plain_sets
from ontomask.errors import ParameterError
from ontomask.methods.recoding import combinations as combinations_module
from ontomask.methods.recoding.combinations import recode_combinations
from ontomask.microdata.sets import ConceptSets, closures, distinct_sets, reduce_to_deepest
from ontomask.microdata.sets.combinations import count_combinations
from ontomask.taxonomy.graph import Links
from strategies import examples, taxonomies


def records_by_combination(shown, counts, m):
    """How many records show each combination of 1 to m concepts."""
    found = Counter()
    for one, count in zip(shown, counts, strict=True):
        for size in range(1, m + 1):
            for combination in combinations(sorted(one), size):
                found[combination] += count
    return found


@st.composite
def counted_sets(draw, max_concepts=12, most=14):
    taxonomy = draw(taxonomies(max_concepts))
    one = st.sets(st.integers(0, len(taxonomy) - 1), max_size=4)
    distinct = distinct_sets(ConceptSets.from_lists(draw(st.lists(one, min_size=1, max_size=most))))
    size = len(distinct.sets)
    counts = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    return taxonomy, distinct.sets, np.array(counts)


@examples(100)
@given(case=counted_sets(), k=st.integers(2, 5), m=st.integers(1, 3))
def test_every_combination_is_shown_by_k_records_or_by_nobody(case, k, m):
    taxonomy, sets, counts = case
    filled = int(counts[sets.sizes() > 0].sum())
    assume(filled == 0 or filled >= k)
    original = closures(taxonomy, sets)
    recoded = recode_combinations(original, taxonomy.parent_links, counts, k, m)
    shown = reduce_to_deepest(taxonomy, recoded)
    found = records_by_combination(shown.lists(), counts.tolist(), m)
    assert all(records >= k for records in found.values())
    for mine, before, deepest in zip(recoded.lists(), original.lists(), shown.lists(), strict=True):
        assert set(mine) <= set(before)
        assert frozenset(mine) == plain_sets.closure(taxonomy, deepest)
        assert bool(mine) == bool(before)  # a set that says something still does
    # The independent count says the same, before and after.
    for lists in (sets, shown):
        expected = records_by_combination(lists.lists(), counts.tolist(), m)
        for counted in count_combinations(lists, counts, k, m):
            often = [n for c, n in expected.items() if len(c) == counted.size]
            assert counted.shown == len(often)
            assert counted.rare == sum(n < k for n in often)
            assert counted.fewest == min(often, default=0)


@examples(25)
@given(case=counted_sets(), k=st.integers(2, 4))
def test_sets_without_rare_combinations_stay_as_they_are(case, k):
    taxonomy, sets, counts = case
    original = closures(taxonomy, reduce_to_deepest(taxonomy, sets))
    recoded = recode_combinations(original, taxonomy.parent_links, counts * k, k, 3)
    assert recoded.lists() == original.lists()


def test_a_small_table_by_hand():
    # Four people: two have a1 and b, one a2 and b, one a1 alone.
    taxonomy = om.Taxonomy.from_edges([("a", "root"), ("b", "root"), ("a1", "a"), ("a2", "a")])
    code = taxonomy.code
    lists = [[code("a1"), code("b")], [code("a2"), code("b")], [code("a1")]]
    original = closures(taxonomy, ConceptSets.from_lists(lists))
    counts = np.array([2, 1, 1])
    recoded = recode_combinations(original, taxonomy.parent_links, counts, 2)
    shown = reduce_to_deepest(taxonomy, recoded)
    names = [{taxonomy.identifiers[c] for c in one} for one in shown.lists()]
    # a2 is rare. Alone it could only become a, and with b: one person shows a. So b alone is left.
    assert names == [{"a1", "b"}, {"b"}, {"a1"}]


def sub_closures(closure, parents):
    """All closures within a closure that are not empty, unless it is empty itself."""
    members = sorted(closure)
    for size in range(len(members) + 1):
        for some in combinations(members, size):
            held = set(some)
            if all(p in held for c in some for p in parents[c]) and bool(held) == bool(members):
                yield frozenset(held)


@pytest.mark.parametrize(("m", "most"), [(1, 0.7), (2, 1.1)])
def test_small_tables_lose_little_more_than_the_best_recoding(m, most):
    """Against all ways to make the sets of five people more general."""
    excess, tables = [], 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        edges = [(f"c{i}", f"c{int(random.integers(0, i))}") for i in range(1, 7)]
        edges += [(f"c{i}", f"c{int(random.integers(0, i))}") for i in (4, 6)]
        taxonomy = om.Taxonomy.from_edges(sorted(set(edges)))
        lists = [random.integers(0, len(taxonomy), int(random.integers(1, 3))) for _ in range(5)]
        distinct = distinct_sets(ConceptSets.from_lists(lists))
        counts, k = distinct.counts, 2
        original = closures(taxonomy, distinct.sets)
        parents = taxonomy.parent_links.lists()
        members = [frozenset(one) for one in original.lists()]
        best = np.inf
        for choice in product(*(list(sub_closures(one, parents)) for one in members)):
            cost = sum(
                int(n) * plain_sets.distance(a, b) ** 2
                for n, a, b in zip(counts, members, choice, strict=True)
            )
            if cost < best:
                shown = [plain_sets.deepest(taxonomy, one) for one in choice]
                found = records_by_combination(shown, counts.tolist(), m)
                if all(n >= k for n in found.values()):
                    best = cost
        recoded = recode_combinations(original, taxonomy.parent_links, counts, k, m)
        mine = sum(
            int(n) * plain_sets.distance(a, frozenset(b)) ** 2
            for n, a, b in zip(counts, members, recoded.lists(), strict=True)
        )
        assert mine >= best - 1e-9
        excess.append(mine - best)
        tables += best > 0
    print(f"m = {m}: {np.mean(excess):.3f} above the optimum, {max(excess):.3f} at most")
    assert tables > 20
    assert np.mean(excess) <= 0.25  # of five people
    assert max(excess) <= most


def test_a_table_of_combinations_that_grows_counts_the_same(monkeypatch):
    random = np.random.default_rng(2)
    edges = [(f"c{i:02}", f"c{int(random.integers(0, i)):02}") for i in range(1, 60)]
    taxonomy = om.Taxonomy.from_edges(edges)
    lists = [random.integers(0, 60, int(random.integers(1, 7))) for _ in range(400)]
    distinct = distinct_sets(ConceptSets.from_lists(lists))
    original = closures(taxonomy, distinct.sets)
    arguments = (original, taxonomy.parent_links, distinct.counts, 4, 3)
    expected = recode_combinations(*arguments)
    monkeypatch.setattr(combinations_module, "PLACES", 2)
    assert recode_combinations(*arguments).lists() == expected.lists()


def test_what_cannot_be_recoded_is_refused():
    taxonomy = om.datasets.diagnoses()
    sets = closures(taxonomy, ConceptSets.from_lists([[3], []]))
    counts = np.array([2, 7])
    with pytest.raises(ParameterError, match="number of records with a value, 2, got 3"):
        recode_combinations(sets, taxonomy.parent_links, counts, 3)
    with pytest.raises(ParameterError, match="m must be 1, 2 or 3, got 4"):
        recode_combinations(sets, taxonomy.parent_links, counts, 2, 4)


def test_two_roots_that_too_few_records_show_together_are_refused():
    # Two attributes, numbered one after the other: 0 and 2 are roots, 1 and 3 below them.
    parents = Links(np.array([0, 0, 1, 1, 2]), np.array([0, 2], dtype=np.int32))
    sets = ConceptSets.from_lists([[0, 1], [0, 1, 2, 3], [2, 3]])
    with pytest.raises(ParameterError, match="only roots are left"):
        recode_combinations(sets, parents, np.array([3, 1, 3]), 2, 2)
