"""Rank swapping against the plain algorithms, and what it promises."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain
import plain_swapping
from method_tables import attribute, tables
from ontomask import Taxonomy
from ontomask.errors import NothingSwappedWarning, ParameterError, RenamedSettingWarning
from ontomask.methods.swapping.rank_swapping import RankSwapping, swap_attribute
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import count_tuples

PLAIN = {
    "multivariate": plain_swapping.multivariate,
    "dynamic": plain_swapping.dynamic,
    "fixed": plain_swapping.fixed,
    "distributional": plain_swapping.distributional,
    "random": plain_swapping.at_random,
}
SETTINGS = [
    {"strategy": strategy, "complete": complete}
    for strategy in PLAIN
    for complete in ((False, True) if strategy != "random" else (False,))
] + [{"strategy": "multivariate", "guard": True}]


def name(setting):
    return "-".join([setting["strategy"], *(word for word in setting if setting[word] is True)])


every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=name)


class Table:
    """Records, columns with their taxonomies (None for numbers), in the order of their tuples."""

    def __init__(self, columns, classic=False):
        domains = [tax for _, tax in columns]
        self.records = sorted(zip(*(column for column, _ in columns), strict=True))
        self.columns = [list(column) for column in zip(*self.records, strict=True)]
        made = [
            attribute(str(j), column, tax)
            for j, (column, tax) in enumerate(zip(self.columns, domains, strict=True))
        ]
        self.codes = [codes for _, codes in made]
        self.tuples, _ = count_tuples([a for a, _ in made], self.codes)
        self.apart = [
            plain_swapping.table(column, distance(column, tax, classic))
            for column, tax in zip(self.columns, domains, strict=True)
        ]

    def __len__(self):
        return len(self.records)

    def plan(self, k, seed, **setting):
        return RankSwapping(k, **setting).plan(self.tuples, np.random.default_rng(seed))

    def fast(self, k, seed, **setting):
        """The masked columns, by place, and how many found no partner."""
        plan = self.plan(k, seed, **setting)
        return masked(plan), plan.unpaired

    def plainly(self, k, seed, *, strategy, **setting):
        random = np.random.default_rng(seed)
        columns, unpaired, _ = PLAIN[strategy](self.codes, self.apart, k, random, **setting)
        return columns, tuple(unpaired)


def distance(column, tax, classic=False):
    if tax is None:
        span = max(column) - min(column) or 1
        return lambda a, b: round(abs(a - b) / span * plain_swapping.UNIT)
    measure = plain.equality if classic else plain.sanchez
    return lambda a, b: round(measure(tax, a, b) * plain_swapping.UNIT)


def masked(plan):
    """The masked values of all records, by place, tuple after tuple."""
    columns = []
    for j, a in enumerate(plan.tuples.attributes):
        place = {target: v for v, target in enumerate(a.target_of(np.arange(a.size)).tolist())}
        given_ = [place[target] for target in plan.targets[:, j].tolist()]
        columns.append(np.repeat(np.array(given_)[plan.target], plan.count))
    return columns


# ---------------------------------------------------------------- what is promised


@pytest.mark.filterwarnings("ignore::ontomask.errors.NothingSwappedWarning")
@every_setting
@given(columns=tables(), data=st.data())
def test_every_attribute_keeps_its_values(setting, columns, data):
    table = Table(columns)
    k, seed = data.draw(st.integers(1, len(table) - 1)), data.draw(st.integers(0, 99))
    after, unpaired = table.fast(k, seed, **setting)
    assert len(unpaired) == len(after) == len(columns)
    for j, column in enumerate(after):
        assert Counter(column) == Counter(table.codes[j].tolist())
        # Those that swapped did so in pairs.
        assert 0 <= unpaired[j] <= len(table)
        assert (len(table) - unpaired[j]) % 2 == 0 or len(table.tuples) == 1
        if setting.get("complete") or setting["strategy"] == "random":
            assert unpaired[j] <= len(table) % 2


@pytest.mark.filterwarnings("ignore::ontomask.errors.NothingSwappedWarning")
@every_setting
@given(columns=tables(), seed=st.integers(0, 99))
def test_the_same_seed_gives_the_same_plan(setting, columns, seed):
    table = Table(columns)
    one, other = (table.plan(len(table) - 1, seed, **setting) for _ in range(2))
    for part in ("source", "target", "count", "targets"):
        assert np.array_equal(getattr(one, part), getattr(other, part))
    assert one.unpaired == other.unpaired


@pytest.mark.parametrize("strategy", ["dynamic", "multivariate"])
@given(columns=tables(), data=st.data())
def test_values_come_from_the_k_nearest_of_one_of_the_two(strategy, columns, data):
    table = Table(columns)
    if len(table.tuples) == 1:
        return
    k = data.draw(st.integers(1, len(table) - 1))
    after, _ = table.fast(k, 0, strategy=strategy)
    whole = sum(table.apart)
    for j, column in enumerate(after):
        apart = table.apart[j] if strategy == "dynamic" else whole
        # Of the others, fewer than k are nearer than a partner (the record itself is no other).
        nearer = (apart[:, :, None] > apart[:, None, :]).sum(axis=2)
        nearer -= apart > 0
        close = (nearer < k) | (nearer < k).T
        for record, value in enumerate(column):
            assert close[record, table.codes[j] == value].any()


@pytest.mark.parametrize("complete", [False, True])
@given(columns=tables(max_records=40), data=st.data())
def test_every_dynamic_swap_is_one_the_plain_algorithm_can_make(complete, columns, data):
    table = Table(columns[:1])
    k = data.draw(st.integers(1, len(table) - 1))
    a, counts = table.tuples.attributes[0], table.tuples.value_counts(0)
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    first = [table.codes[0].tolist().index(v) for v in range(a.size)]
    apart = table.apart[0][np.ix_(first, first)]  # value by value
    left = counts.copy()
    sums = apart @ counts
    allowed = np.flatnonzero(sums == sums.max())
    for v, w in zip(*swap_attribute(a, counts, "dynamic", k, complete, False, random), strict=True):
        assert v in allowed
        left[v] -= 1
        others = counts - (np.arange(a.size) == v)
        cut = np.sort(np.repeat(apart[v], others))[k - 1]
        inside, edge = apart[v] < cut, apart[v] == cut
        room = k - others[inside].sum()
        missed = left[inside].sum() == 0 and others[edge].sum() - left[edge].sum() >= room
        if w >= 0:
            assert left[w] > 0
            nearest = apart[v][left > 0].min()
            assert apart[v, w] <= cut or (complete and missed and apart[v, w] == nearest)
            left[w] -= 1
        else:
            assert missed
            assert not complete or left.sum() == 0
        if left.sum() > 0:
            allowed = np.flatnonzero((left > 0) & (apart[v] == apart[v][left > 0].max()))
    assert left.sum() == 0


@given(n=st.integers(2, 60), data=st.data())
def test_fixed_on_distinct_numbers_is_classical_rank_swapping(n, data):
    k = data.draw(st.integers(1, n - 1))
    numbers = data.draw(st.lists(st.integers(0, 10**6), min_size=n, max_size=n, unique=True))
    table = Table([(numbers, None)])
    (after,), (unpaired,) = table.fast(k, data.draw(st.integers(0, 99)), strategy="fixed")
    assert np.array_equal(after[after], np.arange(n))  # who gets mine gives me theirs
    assert np.abs(after - np.arange(n)).max() <= k
    assert unpaired == (after == np.arange(n)).sum()


def test_with_k_of_all_the_others_every_value_finds_a_partner():
    table = Table([(list(range(50)), None)])
    for strategy in PLAIN:
        for seed in range(5):
            _, unpaired = table.fast(49, seed, strategy=strategy)
            assert unpaired == (0,)


def test_a_long_range_along_a_ranking():
    # Partners run short in a wide range only at its end; here everything is its end.
    table = Table([(list(range(400)), None)])
    for seed in range(20):
        _, (unpaired,) = table.fast(399, seed, strategy="fixed")
        assert unpaired == 0


@every_setting
def test_two_records_change_places(setting):
    table = Table([([1, 2], None), ([5, 7], None)])
    after, unpaired = table.fast(1, 0, **setting)
    assert [column.tolist() for column in after] == [[1, 0], [1, 0]]
    assert unpaired == (0, 0)


@every_setting
def test_one_tuple_stays_and_says_so(setting):
    table = Table([([1, 1, 1], None), ([7, 7, 7], None)])
    with pytest.warns(NothingSwappedWarning, match="swapping changes nothing"):
        plan = table.plan(2, 0, **setting)
    assert plan.source.tolist() == plan.target.tolist() == [0]
    assert plan.count.tolist() == [3]
    assert plan.unpaired == (0, 0)


@every_setting
def test_an_attribute_of_one_value_beside_another(setting):
    after, _ = Table([([1, 1, 1, 1], None), ([1, 2, 3, 4], None)]).fast(3, 0, **setting)
    assert after[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("strategy", ["dynamic", "fixed", "distributional", "random"])
def test_values_that_no_record_has_take_no_part(diagnoses, strategy):
    words = sorted(diagnoses.identifiers)[:6]
    random = np.random.default_rng()
    counts = np.array([0, 2, 0, 3, 1, 0])
    for a in (
        NominalAttribute("word", diagnoses, words),
        NumericalAttribute("number", np.arange(6.0)),
    ):
        v, w = swap_attribute(a, counts, strategy, 3, True, False, random)
        both = np.concatenate((v, w[w >= 0]))
        assert np.array_equal(np.bincount(both, minlength=6), counts)


def test_few_farthest_records_among_many_are_equally_likely():
    # Three concepts far from each other and 500 records in between: one of the three is first, the
    # next is one of the other two.
    edges = [("root", None)]
    for x in "abc":
        edges += [(x, "root"), (2 * x, x)]
    a = NominalAttribute("word", Taxonomy.from_edges(edges), ["aa", "bb", "cc", "root"])
    counts = np.array([1, 1, 1, 500])
    seen = Counter()
    for seed in range(600):
        v, _ = swap_attribute(a, counts, "dynamic", 1, False, False, np.random.default_rng(seed))
        seen[tuple(v[:2].tolist())] += 1
    assert set(seen) == set(itertools.permutations(range(3), 2))
    assert max(abs(times - 100) for times in seen.values()) < 4 * np.sqrt(100 * 5 / 6)


def test_the_classic_operators_know_only_equal_and_unequal(diagnoses):
    words = sorted(diagnoses.identifiers)[:6]
    table = Table([(words * 2, diagnoses)])
    for seed in range(10):  # each value twice: the nearest is its double
        after, unpaired = table.fast(1, seed, strategy="dynamic", operators="classic")
        assert np.array_equal(after[0], table.codes[0])
        assert unpaired == (0,)


# ---------------------------------------------------------------- the plain algorithms


def graph(concepts, seed):
    """A taxonomy with several parents, at random."""
    random = np.random.default_rng(seed)
    edges = [("c00", None)]
    for child in range(1, concepts):
        some = random.choice(child, size=min(child, int(random.integers(1, 4))), replace=False)
        edges += [(f"c{child:02}", f"c{parent:02}") for parent in some]
    return Taxonomy.from_edges(edges)


def related(random, n, tax, words):
    """Two columns of words, rare and frequent ones, the second often the same as the first."""
    chances = 1 / np.arange(1, len(words) + 1)
    one = random.choice(words, size=n, p=chances / chances.sum())
    other = random.choice(words, size=n, p=chances / chances.sum())
    return [(one.tolist(), tax), (np.where(random.random(n) < 0.6, one, other).tolist(), tax)]


def graph_table():
    tax = graph(30, 4)
    return Table(related(np.random.default_rng(1), 100, tax, list(tax.identifiers)))


def number_table():
    random = np.random.default_rng(2)
    income = np.round(random.lognormal(3, 0.7, 100), 1)
    age = np.round(30 + 4 * np.log(income) + random.normal(0, 3, 100))
    return Table([(income.tolist(), None), (age.tolist(), None)])


def mixed_table():
    random, tax = np.random.default_rng(3), graph(20, 5)
    words, _ = related(random, 100, tax, list(tax.identifiers))
    places = [tax.identifiers.index(word) for word in words[0]]
    ages = np.round(40 + np.array(places) + random.normal(0, 5, 100))
    return Table([words, (ages.tolist(), None)])


@pytest.fixture(scope="module")
def by_name(icd9):
    random = np.random.default_rng(6)
    under = [concept for concept in icd9.identifiers if "250" <= concept < "290"]
    some = icd9.domain(random.choice(under, 30, replace=False).tolist())
    return {
        "graph": graph_table(),
        "numbers": number_table(),
        "mixed": mixed_table(),
        "icd9cm": Table(related(random, 100, some, sorted(some.identifiers)[:40])),
    }


def double_centred(apart):
    apart = apart / plain_swapping.UNIT
    return apart - apart.mean(axis=0) - apart.mean(axis=1)[:, None] + apart.mean()


def figures(table, values, columns, unpaired):
    """What a masked table is like: errors, correlations, how much stayed."""
    n = len(table)
    errors = [
        np.sqrt((apart[before, after] ** 2).mean()) / plain_swapping.UNIT
        for apart, before, after in zip(values, table.codes, columns, strict=True)
    ]
    centred = [
        double_centred(apart[np.ix_(c, c)]) for apart, c in zip(values, columns, strict=True)
    ]
    correlations = [
        np.sqrt(max((x * y).sum(), 0) / np.sqrt((x * x).sum() * (y * y).sum()))
        for x, y in itertools.combinations(centred, 2)
    ]
    stayed = np.all([b == a for b, a in zip(table.codes, columns, strict=True)], axis=0).mean()
    return [*errors, *correlations, *(u / n for u in unpaired), stayed]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "setting"),
    [
        (table, setting)
        for table in ("graph", "icd9cm", "numbers", "mixed")
        for setting in SETTINGS
        # What knows no distances, and what is rare, need not be tried on every kind of table.
        if table == "graph" or setting["strategy"] not in ("random", "distributional")
        if table in ("graph", "mixed") or not setting.get("complete")
        if table != "icd9cm" or setting["strategy"] != "fixed"
    ],
    ids=lambda it: it if isinstance(it, str) else name(it),
)
def test_masked_tables_are_like_those_of_the_plain_algorithm(by_name, table, setting):
    table, k, runs = by_name[table], 4, 60
    first = [[c.tolist().index(v) for v in range(c.max() + 1)] for c in table.codes]
    values = [apart[np.ix_(f, f)] for apart, f in zip(table.apart, first, strict=True)]
    fast, slow = (
        np.array([figures(table, values, *run(k, seed, **setting)) for seed in range(runs)])
        for run in (table.fast, table.plainly)
    )
    error = np.sqrt((fast.var(axis=0) + slow.var(axis=0)) / runs)
    assert (np.abs(fast.mean(axis=0) - slow.mean(axis=0)) <= 4 * error + 1e-9).all()


TREE = [("a", None), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c"), ("g", "c")]
SMALL = {
    "words": [(["d", "d", "e", "f", "g", "a", "b"], Taxonomy.from_edges(TREE))],
    "numbers": [([0, 1, 1, 2, 4, 7, 8], None)],
    "pairs": [
        (["d", "d", "e", "f", "g", "g"], Taxonomy.from_edges(TREE)),
        ([1, 1, 2, 2, 4, 4], None),
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("small", "setting"),
    [
        (small, setting)
        for place, setting in enumerate(SETTINGS)
        for small in (("words", "numbers")[place % 2], "pairs")
    ],
    ids=lambda it: it if isinstance(it, str) else name(it),
)
def test_every_outcome_is_as_likely_as_with_the_plain_algorithm(small, setting):
    table, runs = Table(SMALL[small]), 500

    def outcomes(run, seeds):
        """How often records become what, whichever of equal records it was."""
        seen = Counter()
        for seed in seeds:
            columns, unpaired = run(2, seed, **setting)
            both = zip(table.records, zip(*(c.tolist() for c in columns), strict=True), strict=True)
            seen[tuple(sorted(both)), unpaired] += 1
        return seen

    same_distribution(outcomes(table.fast, range(runs)), outcomes(table.plainly, range(runs)))


def test_fixed_on_numbers_has_the_distribution_of_classical_rank_swapping():
    numbers = [0, 1, 2, 4, 5, 7, 20]  # the greatest is the most marginal: ranked downwards
    table = Table([(numbers, None)])
    fast, classical = Counter(), Counter()
    for seed in range(2000):
        random = np.random.default_rng(seed)
        fast[tuple(table.fast(3, seed, strategy="fixed")[0][0].tolist())] += 1
        (after,), _, _ = plain_swapping.classical([-x for x in numbers], 3, random)
        classical[tuple(numbers.index(-x) for x in after.tolist())] += 1
    same_distribution(fast, classical)


def same_distribution(one, other):
    """Two samples of the same size, compared by chi-square; rare outcomes together."""
    often = [key for key in one | other if one[key] + other[key] >= 20]
    rest = [sum(seen.values()) - sum(seen[key] for key in often) for seen in (one, other)]
    pairs = np.array([(one[key], other[key]) for key in often] + [rest])
    pairs = pairs[pairs.sum(axis=1) > 0]
    square = ((pairs[:, 0] - pairs[:, 1]) ** 2 / pairs.sum(axis=1)).sum()
    freedom = len(pairs) - 1
    assert square <= freedom + 4 * np.sqrt(2 * freedom)


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"window": 0}, "window must be an integer of at least 1, got 0"),
        ({"window": 2.5}, "got 2.5"),
        ({"window": True}, "got True"),
        ({"strategy": "static"}, "'dynamic'"),
        ({"complete": 1}, "complete must be True or False, got 1"),
        ({"guard": "yes"}, "guard must be True or False, got 'yes'"),
        ({"strategy": "dynamic", "guard": True}, "strategy='multivariate'"),
        ({"operators": "modern"}, "'classic'"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(ParameterError, match=message):
        RankSwapping(**wrong)


@pytest.mark.parametrize("strategy", ["multivariate", "dynamic", "fixed", "distributional"])
def test_a_window_that_is_too_large(strategy):
    table = Table([([1, 2, 3], None)])
    with pytest.raises(ParameterError, match="window must be at most 2"):
        table.plan(3, 0, strategy=strategy)


def test_random_swapping_has_no_k():
    after, unpaired = Table([([1, 2, 3], None)]).fast(1000, 0, strategy="random")
    assert sorted(after[0].tolist()) == [0, 1, 2]
    assert unpaired == (1,)


@pytest.mark.parametrize("strategy", PLAIN)
def test_a_single_record(strategy):
    with pytest.raises(ParameterError, match="at least two records, got 1"):
        Table([([1], None)]).plan(1, 0, strategy=strategy)


# ---------------------------------------------------------------- the old name of window


def test_k_is_the_old_name_of_window():
    with pytest.warns(RenamedSettingWarning, match=r"RankSwapping\(k=...\) is deprecated: use"):
        method = RankSwapping(k=3, guard=True)
    assert method == RankSwapping(3, guard=True)
    assert repr(method).startswith("RankSwapping(window=3, ")
    with pytest.warns(DeprecationWarning, match=r"RankSwapping.k is deprecated"):
        assert method.k == 3


def test_k_and_window_together_are_refused():
    with pytest.raises(ParameterError, match="k and window are two names of one setting"):
        RankSwapping(k=3, window=4)
