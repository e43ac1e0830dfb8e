"""Recoding among near neighbours: its rule by definition, its promise, what it loses."""

from __future__ import annotations

import csv
import gzip
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain_recoding
from method_tables import columns_of_all_kinds, tuples_of
from methods.recoding.test_recoding import BY_DISTANCE, Table, rules, singles, tables
from ontomask import Taxonomy, utility
from ontomask._runtime.progress import listen_to_progress
from ontomask.errors import NearNeighboursWarning
from ontomask.methods.neighbours.orders import orders
from ontomask.methods.operators import Operators
from ontomask.methods.recoding import recoding
from ontomask.methods.recoding.recoding import Recoding
from ontomask.methods.registry import METHODS
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.tuples import Tuples, count_tuples
from ontomask.releasefile.methods import problems_of_settings
from pairing import each_with


def near(k, window, setting, tuples, seed, by=orders):
    """Its fusions, as if it looked at so many tuples on either side, in orders of our choice."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recoding, "WINDOW", window)
        patch.setattr("ontomask.methods.neighbours.orders.orders", by)
        method = Recoding(k, neighbours="near", **setting)
        source, target = method.fusions(tuples, np.random.default_rng(seed))
    return list(zip(source.tolist(), target.tolist(), strict=True))


def shuffles(tuples):
    """Two orders without any sense: often a tuple that enters a window is nearer than all in it."""
    random = np.random.default_rng(len(tuples))
    return [random.permutation(len(tuples)) for _ in range(2)]


# ---------------------------------------------------------------- the rule, slowly


class Plain:
    """Who is fused with whom, searched anew in every step. Tuples are numbers, counts a dict."""

    def __init__(self, tuples, window, setting, by):
        self.window, self.weighted = window, setting["weighted"]
        self.third = setting["heuristics"] == "h1+h2+h3"
        self.orders = [order.tolist() for order in by(tuples)][: recoding.ORDERS]
        operators = Operators(tuples, "mean", setting["operators"])
        columns = operators.offset[:, None] + tuples.codes
        self.far = [
            operators.row(target).astype(np.int64)[columns].sum(axis=0).tolist()
            for target in tuples.targets()
        ]
        self.counts = dict(enumerate(tuples.counts.tolist()))

    def close_by(self, t):
        """Of those that are left, the next ones on both sides in any order."""
        found = set()
        for order in self.orders:
            live = [u for u in order if u in self.counts]
            at = live.index(t)
            found |= set(live[max(at - self.window, 0) : at])
            found |= set(live[at + 1 : at + 1 + self.window])
        return found

    def nearest(self, t):
        """How far it is, how many records it has, which it is."""
        return min(
            (self.far[t][u] * (self.counts[u] if self.weighted else 1), self.counts[u], u)
            for u in self.close_by(t)
        )

    def sources(self):
        """Those one of which is fused next."""
        rarest = [t for t, c in self.counts.items() if c == min(self.counts.values())]
        found = {t: self.nearest(t)[: 2 if self.third else 1] for t in rarest}
        return [t for t in rarest if found[t] == min(found.values())]

    def fuse(self, t, other):
        self.counts[other] += self.counts.pop(t)


@given(
    columns=columns_of_all_kinds(max_records=60),
    window=st.integers(1, 4),
    k=st.integers(2, 9),
    setting=st.sampled_from(BY_DISTANCE),
    by=st.sampled_from([orders, shuffles]),
)
def test_every_fusion_is_one_that_the_definition_can_make(columns, window, k, setting, by):
    tuples, _ = tuples_of(columns)
    if k <= tuples.records:
        follow(tuples, window, k, setting, by)


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "by"), each_with(BY_DISTANCE, [orders, shuffles]))
def test_windows_close_over_what_has_left(by, setting):
    # Hardly a tuple twice, and most are gone in the end: windows reach over long gaps.
    links = [(f"{f}{i}", f) for f in "abcde" for i in range(5)] + [(f, "root") for f in "abcde"]
    tax = Taxonomy.from_edges(links)
    random = np.random.default_rng(3)
    leaves = sorted(leaf for leaf, _ in links[:25])
    pairs = random.choice(25, size=(110, 2)).tolist()
    table = Table(tax, [(leaves[a], leaves[b], int(a * b % 7)) for a, b in pairs], (2,))
    for window in (1, 3):
        follow(table.tuples, window, 12, setting, by)


def test_one_that_enters_a_window_can_be_as_near_and_have_fewer_records():
    # 21 goes to 20, which then stands beside 10: as near as 0, and with 3 records instead of 4. So
    # 10 goes before 110, whose nearest, 100, has 4.
    records = {0: 4, 10: 1, 21: 1, 20: 2, 60: 9, 100: 4, 110: 1}
    tax = Taxonomy.from_edges([("only", None)])
    column = [(x,) for x, count in records.items() for _ in range(count)]
    table = Table(tax, column, (0,))
    row = [np.array([table.names.index((x,)) for x in records])]
    for seed in range(20):
        course = near(2, 1, {}, table.tuples, seed, lambda _: row)
        named = [(*table.names[t], *table.names[other]) for t, other in course]
        assert named == [(21, 20), (10, 20), (110, 100)]


def follow(tuples, window, k, setting, by):
    """Walk along with the fusions, and ask the definition about each."""
    plain = Plain(tuples, window, setting, by)
    for t, other in near(k, window, setting, tuples, 1, by):
        assert min(plain.counts.values()) < k
        assert t in plain.sources()
        assert other == plain.nearest(t)[2]
        plain.fuse(t, other)
    assert min(plain.counts.values()) >= k


# ---------------------------------------------------------------- windows that hold all tuples


@given(table=tables(), k=st.integers(2, 20), setting=st.sampled_from(BY_DISTANCE))
def test_where_windows_hold_all_it_is_the_algorithm_of_the_paper(table, k, setting):
    if k > table.tuples.records:
        return
    distance, counts = table.distance(setting), table.counts
    for t, other in near(k, len(table.tuples), setting, table.tuples, 0):
        t, other = table.names[t], table.names[other]
        assert t in plain_recoding.sources(counts, k, distance, *rules(setting))
        assert other in plain_recoding.partners(t, counts, distance, *rules(setting))
        counts = plain_recoding.fused(t, other, counts)
    assert not plain_recoding.sources(counts, k, distance, *rules(setting))


@pytest.mark.slow
@pytest.mark.parametrize("setting", BY_DISTANCE[::2], ids=str)
def test_every_course_is_as_likely_as_in_the_plain_algorithm(setting):
    names = ["a1", "a2", "a3", "b1", "b2", "c1"]
    tax = Taxonomy.from_edges([(n, n[0]) for n in names] + [(n, "root") for n in "abc"])
    table = singles(tax, [*names, "c1"])
    k, rounds = 3, 1_000
    expected = plain_recoding.runs(table.counts, k, table.distance(setting), *rules(setting))
    method = Recoding(k, neighbours="near", **setting)
    seen = Counter(table.course(method, seed) for seed in range(rounds))
    assert set(seen) <= set(expected)
    for course, chance in expected.items():
        spread = math.sqrt(rounds * chance * (1 - chance))
        assert abs(seen[course] - rounds * chance) < 5 * spread + 1


# ---------------------------------------------------------------- promises


@given(
    columns=columns_of_all_kinds(max_records=60),
    k=st.integers(2, 12),
    setting=st.sampled_from(BY_DISTANCE),
    shuffled=st.randoms(use_true_random=False),
)
def test_classes_hold_k_records_and_only_tuples_that_exist(columns, k, setting, shuffled):
    tuples, _ = tuples_of(columns)
    if k > tuples.records:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recoding, "WINDOW", 2)
        method = Recoding(k, neighbours="near", **setting)
        plan = method.plan(tuples, np.random.default_rng(1))
        rows = list(range(tuples.records))
        shuffled.shuffle(rows)
        other = [(kind, [v[i] for i in rows], tax, given_) for kind, v, tax, given_ in columns]
        again = method.plan(tuples_of(other)[0], np.random.default_rng(1))
    assert plan.class_sizes().min() >= k
    assert plan.class_sizes().sum() == tuples.records
    assert {tuple(t) for t in plan.targets} <= {tuple(t) for t in tuples.targets()}
    assert np.array_equal(plan.targets, again.targets)
    assert np.array_equal(plan.target, again.target)


def test_many_tuples_look_among_near_ones_and_say_so(monkeypatch):
    names = [f"a{i}" for i in range(9)]
    tax = Taxonomy.from_edges([(name, "root") for name in names])
    few, many = singles(tax, names[:8]).tuples, singles(tax, names).tuples
    monkeypatch.setattr(recoding, "MANY", 8)
    told = []
    with listen_to_progress(told.append):
        Recoding(2).plan(few, np.random.default_rng(0))
        Recoding(2, neighbours="exact").plan(many, np.random.default_rng(0))
        Recoding(2, heuristics="h1").plan(many, np.random.default_rng(0))
        assert not told
        with pytest.warns(NearNeighboursWarning, match="9 combinations of values: each is"):
            Recoding(2).plan(many, np.random.default_rng(0))
        Recoding(2, neighbours="near").plan(few, np.random.default_rng(0))
    assert told == [
        f"recoding {n} combinations of values; each is compared with similar ones only"
        for n in (9, 8)
    ]


def test_a_release_file_can_ask_for_it():
    asked = {"name": "recoding", "k": 5, "neighbours": "near"}
    assert not list(problems_of_settings(asked))
    assert METHODS["recoding"](k=5, neighbours="near") == Recoding(5, neighbours="near")
    (problem,) = problems_of_settings(asked | {"neighbours": "nearest"})
    assert problem.where == ("method", "neighbours")


# ---------------------------------------------------------------- what it loses


@pytest.fixture(scope="module")
def diagnoses_of_patients(data_folder):
    """The first two diagnoses of every third patient, where both are known."""
    icd9 = om.load_taxonomy("icd9cm")
    with gzip.open(data_folder / "diabetes_130.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [(row["diag_1"], row["diag_2"]) for row in csv.DictReader(file)][::3]
    attributes, codes = [], []
    for name, column in zip(("diag_1", "diag_2"), zip(*rows, strict=True), strict=True):
        concepts = om.map_terms(list(column), icd9, repair_codes=True).apply(list(column))
        known = sorted({concept for concept in concepts if concept is not None})
        place = {concept: code for code, concept in enumerate(known)}
        attributes.append(NominalAttribute(name, icd9.domain(known), known))
        codes.append(np.array([place.get(concept, -1) for concept in concepts]))
    both = (np.array(codes) >= 0).all(axis=0)
    return count_tuples(attributes, [column[both] for column in codes])[0]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [5, 20])
def test_it_loses_hardly_more_than_the_exact_way(diagnoses_of_patients: Tuples, k, weighted):
    def loss(neighbours):
        method = Recoding(k, weighted=weighted, neighbours=neighbours)
        return utility.sse(method.plan(diagnoses_of_patients, np.random.default_rng(0)))

    assert loss("near") < 1.05 * loss("exact")
