"""Recoding against the plain algorithm, and what it promises."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain
import plain_recoding
from ontomask import Taxonomy
from ontomask.errors import ParameterError
from ontomask.methods.neighbours.comparison import build_value_space
from ontomask.methods.neighbours.kernels import number_distance
from ontomask.methods.operators import Operators
from ontomask.methods.recoding.recoding import Recoding
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import count_tuples
from strategies import taxonomies

BY_DISTANCE = [
    {"heuristics": heuristics, "weighted": weighted, "operators": operators}
    for heuristics in ("h1+h2+h3", "h1+h2")
    for weighted in (False, True)
    for operators in ("semantic", "classic")
]
BY_COUNTS = [{"heuristics": "h1"}, {"heuristics": "none"}, {"distance": "discernibility"}]
SETTINGS = BY_DISTANCE + BY_COUNTS


class Table:
    """Records for the package, and the same as a dictionary for the plain algorithm."""

    def __init__(self, tax, records, numerical=()):
        self.tax, self.numerical = tax, numerical
        self.columns = list(zip(*records, strict=True))
        attributes, codes = [], []
        for j, column in enumerate(self.columns):
            values = sorted(set(column))
            attributes.append(
                NumericalAttribute(str(j), np.array(values, dtype=float), decimals=1)
                if j in numerical
                else NominalAttribute(str(j), tax, values)
            )
            codes.append(np.array([values.index(value) for value in column]))
        self.tuples, _ = count_tuples(attributes, codes)
        self.counts = dict(Counter(records))
        self.names = sorted(self.counts)

    def distance(self, setting):
        if setting.get("distance") == "discernibility":
            return None
        classic = setting.get("operators") == "classic"
        attributes = [
            plain_recoding.numbers(column)
            if j in self.numerical
            else plain_recoding.words(self.tax, classic)
            for j, column in enumerate(self.columns)
        ]
        return plain_recoding.records(*attributes)

    def course(self, method, seed):
        source, target = method.fusions(self.tuples, np.random.default_rng(seed))
        return tuple((self.names[s], self.names[t]) for s, t in zip(source, target, strict=True))


def rules(setting):
    return setting.get("heuristics", "h1+h2+h3"), setting.get("weighted", False)


def singles(tax, values):
    return Table(tax, [(value,) for value in values])


@st.composite
def tables(draw, max_tuples=60):
    """Skewed tables of one to three columns over a random graph; the last may hold numbers."""
    tax = draw(taxonomies(max_concepts=12))
    width = draw(st.integers(1, 3))
    mixed = draw(st.booleans())
    columns = [st.sampled_from(tax.identifiers)] * width
    if mixed:
        columns[-1] = st.integers(0, 9).map(lambda x: x / 2)
    some = draw(st.lists(st.tuples(*columns), min_size=1, max_size=max_tuples, unique=True))
    copies = st.sampled_from([1, 1, 1, 1, 2, 2, 3, 7, 20])
    records = [record for record in some for _ in range(draw(copies))]
    return Table(tax, records, (width - 1,) if mixed else ())


# ---------------------------------------------------------------- the plain algorithm


@given(table=tables(), k=st.integers(2, 20), seed=st.integers(0, 9), choice=st.data())
def test_every_fusion_is_one_the_plain_algorithm_can_make(table, k, seed, choice):
    setting = choice.draw(st.sampled_from(SETTINGS))
    if k <= table.tuples.records:
        follow(table, k, setting, seed)


@pytest.mark.parametrize("setting", BY_DISTANCE, ids=str)
def test_numbers_are_fused_with_the_nearest_on_either_side(setting):
    random = np.random.default_rng(6)
    for seed in range(2):
        column = np.round(random.lognormal(2, 1, size=40), 1).tolist()
        ages = random.integers(20, 40, size=40).tolist()
        tax = Taxonomy.from_edges([("only", None)])
        follow(Table(tax, [(x,) for x in column], (0,)), 3, setting, seed)
        follow(Table(tax, list(zip(ages, column, strict=True)), (0, 1)), 5, setting, seed)


def follow(table, k, setting, seed):
    """Walk along with the fusions, and ask the plain algorithm about each."""
    distance, counts = table.distance(setting), table.counts
    for t, other in table.course(Recoding(k, **setting), seed):
        assert t in plain_recoding.sources(counts, k, distance, *rules(setting))
        assert other in plain_recoding.partners(t, counts, distance, *rules(setting))
        counts = plain_recoding.fused(t, other, counts)
    assert not plain_recoding.sources(counts, k, distance, *rules(setting))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_course_is_as_likely_as_in_the_plain_algorithm(setting):
    # Three families of siblings, and an odd one out: ties that appear and vanish on the way.
    names = ["a1", "a2", "a3", "b1", "b2", "c1"]
    tax = Taxonomy.from_edges([(n, n[0]) for n in names] + [(n, "root") for n in "abc"])
    table = singles(tax, [*names, "c1"])
    k, rounds = 3, 2_000
    expected = plain_recoding.runs(table.counts, k, table.distance(setting), *rules(setting))
    assert len(expected) > 1
    seen = Counter(table.course(Recoding(k, **setting), seed) for seed in range(rounds))
    assert set(seen) <= set(expected)
    for course, chance in expected.items():
        spread = math.sqrt(rounds * chance * (1 - chance))
        assert abs(seen[course] - rounds * chance) < 5 * spread + 1


@given(table=tables(max_tuples=20), setting=st.sampled_from(BY_DISTANCE), weight=st.floats(0.1, 3))
def test_distances_are_those_of_the_operators(table, setting, weight):
    object.__setattr__(table.tuples.attributes[0], "weight", weight)
    operators = Operators(table.tuples, "mean", setting["operators"])
    offset, start, tables_, orders, numbers, unit = build_value_space(operators)
    for codes, target in zip(table.tuples.codes.T, table.tuples.targets(), strict=True):
        row = operators.row(target)
        for j, value in enumerate(codes):
            expected = row[offset[j] : offset[j + 1]].tolist()
            if j in table.numerical:
                column = numbers[offset[j] : offset[j + 1]]
                assert [number_distance(column[value], x, *unit[j]) for x in column] == expected
            else:
                line = start[j] + value * len(expected)
                order = orders[line : line + len(expected)].tolist()
                assert tables_[line : line + len(expected)].tolist() == expected
                assert [expected[v] for v in order] == sorted(expected)
                assert sorted(order) == list(range(len(expected)))


# ---------------------------------------------------------------- by hand


def by_hand(tax, values, **setting):
    return singles(tax, values).course(Recoding(**setting), 0)


@pytest.fixture
def tree():
    links = "a1 a, a2 a, a3 a, b1 b, a root, b root"
    return Taxonomy.from_edges([tuple(link.split()) for link in links.split(", ")])


def test_the_rarest_goes_first_and_to_its_nearest(tree):
    # b1 has the fewest records, and is as far from a1 as from a2: the one with fewer takes it.
    assert by_hand(tree, ["a1"] * 3 + ["a2"] * 2 + ["b1"], k=2) == ((("b1",), ("a2",)),)


def test_among_the_rarest_the_one_with_the_nearest_neighbour(tree):
    course = by_hand(tree, ["a1", "a2", "a2", "b1", "b1"], k=2)
    assert course == ((("a1",), ("a2",)),)
    assert by_hand(tree, ["a1", "a2", "b1", "b1"], k=2) in (
        ((("a1",), ("a2",)),),
        ((("a2",), ("a1",)),),
    )


def test_the_third_heuristic_looks_at_the_nearest_only(tree):
    # a1, b and b1 are single; b - b1 is the nearest pair, and makes the smallest group.
    values = ["a1", "a2", "a2", "b", "b1"]
    assert {t for (t,), _ in by_hand(tree, values, k=2)[:1]} <= {"b", "b1"}


def test_weighted_distance_prefers_the_rare_to_the_near(tree):
    # From a1: a2 at log2(1 + 2/4) with 9 records, b1 at log2(1 + 4/5) with 2.
    values = ["a1"] + ["a2"] * 9 + ["b1"] * 2
    assert by_hand(tree, values, k=2) == ((("a1",), ("a2",)),)
    assert by_hand(tree, values, k=2, weighted=True) == ((("a1",), ("b1",)),)


def test_discernibility_joins_the_two_smallest(tree):
    values = ["a1"] + ["a2"] * 9 + ["b1"] * 2
    assert by_hand(tree, values, k=2, distance="discernibility") == ((("a1",), ("b1",)),)


@pytest.mark.parametrize(
    ("name", "value"), [("weighted", True), ("operators", "classic"), ("neighbours", "near")]
)
@pytest.mark.parametrize(
    "setting", [{"distance": "discernibility"}, {"heuristics": "h1"}, {"heuristics": "none"}]
)
def test_settings_without_effect_are_refused(setting, name, value):
    with pytest.raises(ParameterError, match=f"{name} cannot be used with .*compares no values"):
        Recoding(3, **setting, **{name: value})
    with pytest.raises(ParameterError, match="heuristics cannot be used with distance"):
        Recoding(3, distance="discernibility", heuristics="h1")


# ---------------------------------------------------------------- promises


@given(table=tables(), k=st.integers(2, 20), setting=st.sampled_from(SETTINGS))
def test_classes_hold_k_records_and_only_tuples_that_exist(table, k, setting):
    method = Recoding(k, **setting)
    if k > table.tuples.records:
        with pytest.raises(ParameterError, match="k must be at most the number of records"):
            method.plan(table.tuples, np.random.default_rng(1))
        return
    before = table.tuples.counts.copy()
    plan = method.plan(table.tuples, np.random.default_rng(1))
    again = method.plan(table.tuples, np.random.default_rng(1))
    assert plan.class_sizes().min() >= k
    assert plan.class_sizes().sum() == table.tuples.records
    assert {tuple(t) for t in plan.targets} <= {tuple(t) for t in table.tuples.targets()}
    assert np.array_equal(table.tuples.counts, before)
    assert np.array_equal(plan.targets, again.targets)
    assert np.array_equal(plan.target, again.target)
    # A tuple that gives its name to a class is in it.
    kept = table.tuples.targets()[:, None] == plan.targets[None]
    own, named = np.nonzero(kept.all(axis=2))
    assert np.array_equal(plan.target[own], named)


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize(
    ("values", "k", "classes"),
    [
        (["a1"] * 5, 5, [5]),  # one tuple
        (["a1"] * 3 + ["b1"] * 4, 3, [3, 4]),  # nothing to do
        (["a1", "a2", "b1"], 2, [3]),  # fewer than 2k
        (["a1", "a2", "a3", "b1"], 4, [4]),  # k = n
    ],
)
def test_small_tables(tree, setting, values, k, classes):
    table = singles(tree, values)
    plan = Recoding(k, **setting).plan(table.tuples, np.random.default_rng(3))
    assert sorted(plan.class_sizes()) == classes


@given(table=tables(), setting=st.sampled_from(SETTINGS))
def test_what_has_k_records_already_stays(table, setting):
    plan = Recoding(2, **setting).plan(doubled(table).tuples, np.random.default_rng(4))
    assert np.array_equal(plan.targets[plan.target], doubled(table).tuples.targets())


def doubled(table):
    records = [name for name in table.names for _ in range(2)]
    return Table(table.tax, records, table.numerical)


def test_meaning_is_kept_better_with_each_heuristic_than_by_counts_alone():
    families = [(f"{f}{i}", f) for f in "abcdef" for i in range(6)]
    tax = Taxonomy.from_edges([*families, *[(f, "root") for f in "abcdef"]])
    random = np.random.default_rng(5)
    leaves = sorted(leaf for leaf, _ in families)
    skew = 1 / np.arange(1, 37)
    records = [
        tuple(leaves[i] for i in pair)
        for pair in random.choice(36, size=(300, 2), p=skew / skew.sum()).tolist()
    ]
    table = Table(tax, records)

    def sse(**setting):
        total = 0.0
        for seed in range(5):
            plan = Recoding(5, **setting).plan(table.tuples, np.random.default_rng(seed))
            for t, target, count in zip(plan.source, plan.target, plan.count, strict=True):
                masked = [
                    a.candidates[int(place)]
                    for a, place in zip(table.tuples.attributes, plan.targets[target], strict=True)
                ]
                apart = [
                    plain.sanchez(tax, x, y) for x, y in zip(table.names[t], masked, strict=True)
                ]
                total += count * (sum(apart) / 2) ** 2
        return total / 5

    best = sse()
    assert best < sse(operators="classic")
    assert best < 0.8 * sse(distance="discernibility")
    assert sse(heuristics="h1+h2") < 0.8 * sse(heuristics="h1")
    assert best < 0.8 * sse(heuristics="none")


@pytest.mark.parametrize(
    "setting",
    [
        {"k": 1},
        {"distance": "mean"},
        {"heuristics": "h2"},
        {"operators": "fuzzy"},
        {"weighted": "yes"},
        {"neighbours": "all"},
    ],
)
def test_settings_that_do_not_exist_are_refused(setting):
    with pytest.raises(ParameterError, match=next(iter(setting))):
        Recoding(**setting)
