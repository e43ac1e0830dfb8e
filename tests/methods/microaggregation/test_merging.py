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
from method_tables import columns_of_all_kinds, of_words, tuples_of, watched_tables, watching
from ontomask._runtime.progress import listen_to_progress
from ontomask.distances import sanchez
from ontomask.errors import ParameterError, StoppedEarlyWarning
from ontomask.methods.microaggregation.mdav import mdav
from ontomask.methods.microaggregation.merging import merge, restart_kernels, search_kernels
from ontomask.methods.microaggregation.microaggregation import Microaggregation
from ontomask.methods.operators import Operators
from ontomask.microdata.tuples import SensitiveCounts
from ontomask.risk import Confidential, closeness, distinct_diversity, entropy_diversity
from plain_merging import Costs, members_of
from strategies import examples

DISTANCES, OBJECTIVES, CENTROIDS = ("mean", "s", "s_paper"), ("sse", "sad"), ("rule", "best")
#: Every second of all, so that any three settings of different kinds meet.
SETTINGS = [
    (DISTANCES[d], OBJECTIVES[o], CENTROIDS[c], ("semantic", "classic")[(d + o + c) % 2])
    for d, o, c in product(range(3), range(2), range(2))
]

#: What sums of a few hundred numbers may differ by.
CLOSE = {"rel": 1e-9, "abs": 1e-9}


# ---------------------------------------------------------------------- tables


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("distance", ["mean", "s"])
@examples(80)
@given(columns=columns_of_all_kinds(max_records=8))
def test_the_centroid_of_a_whole_table_is_by_the_rule(distance, columns):
    # Few records, all in one group: halves of equal size and other ties are frequent.
    tuples, _ = tuples_of(columns)
    found = merge(Operators(tuples, distance), tuples.records)
    assert len(found.centroids) == 1
    _check_rule(Costs(tuples, distance), list(range(len(tuples))), found.centroids[0])


def test_of_two_levels_equally_frequent_the_lower_is_the_median():
    tuples, _ = tuples_of([("level", [3, 7, 3, 7], None, {"median": True})])
    assert merge(Operators(tuples), 4).centroids.tolist() == [[3.0]]


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
    assert plan.has_one_target_per_tuple
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
    apart = sanchez(diagnoses, "hepatitis B", "hepatitis C")
    assert found.cost == pytest.approx(apart**2, abs=1e-7)
    assert merge(Operators(tuples), 3, objective="sad").cost == pytest.approx(apart, abs=1e-7)


# ---------------------------------------------------------------------- edges


def test_one_tuple_is_a_group_that_costs_nothing(diagnoses):
    tuples, _ = of_words(diagnoses, ["influenza"] * 5)
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
    with pytest.raises(ParameterError, match="k must be at most the number of records, 12, got 13"):
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
    monkeypatch.setitem(merge.__globals__, "FEW", 50)
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
    _, of = tuples_of(columns)
    keep = of < 9  # the first nine tuples
    columns = [
        (kind, [v for v, kept in zip(vs, keep, strict=True) if kept], *more)
        for kind, vs, *more in columns
    ]
    return tuples_of(columns)[0], int(random.integers(2, 5))


@pytest.mark.slow
def test_small_tables_are_grouped_nearly_as_well_as_can_be():
    merged, by_mdav = [], []
    for seed in range(80):
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
    assert len(merged) > 60
    assert np.mean(merged) <= 0.12
    assert np.mean(merged) <= np.mean(by_mdav)


# ---------------------------------------------------------------------- variety


def classes(plan, of, values):
    """The confidential values of each class."""
    target = plan.target_of()[of]
    return [values[target == g].tolist() for g in np.unique(target)]


def planned(tuples, k, **wanted):
    return Microaggregation(k, algorithm="merge", **wanted).plan(tuples, np.random.default_rng(0))


@pytest.mark.parametrize("effort", ["fast", "thorough"])
@given(table=watched_tables(), k=st.integers(2, 4), least=st.integers(2, 4))
def test_every_class_has_l_different_values(effort, table, k, least):
    tuples, of, values, ordered = table
    assume(tuples.records >= k)
    known = watching(tuples, of, values, ordered)
    there = len(set(values.tolist()))
    if there < least:
        advice = f"l must be at most {there},"
        with pytest.raises(ParameterError, match=advice):
            planned(known, k, l=least, effort=effort)
        return
    plan = planned(known, k, l=least, effort=effort)
    assert plan.class_sizes().min() >= k
    assert min(len(set(inside)) for inside in classes(plan, of, values)) >= least


@given(table=watched_tables(), k=st.integers(2, 4), least=st.integers(2, 4))
def test_every_class_has_so_much_entropy(table, k, least):
    tuples, of, values, ordered = table
    assume(tuples.records >= k)
    known = watching(tuples, of, values, ordered)
    most = int(plain_merging.entropy(values.tolist()) + 1e-9)
    if most < least:
        advice = f"l must be at most {most},"
        with pytest.raises(ParameterError, match=advice):
            planned(known, k, l=least, diversity="entropy")
        return
    plan = planned(known, k, l=least, diversity="entropy")
    assert plan.class_sizes().min() >= k
    for inside in classes(plan, of, values):
        assert plain_merging.entropy(inside) >= least - 1e-9


@given(table=watched_tables(), k=st.integers(2, 4), most=st.floats(0, 1))
def test_no_class_is_farther_than_t_from_the_table(table, k, most):
    tuples, of, values, ordered = table
    assume(tuples.records >= k)
    plan = planned(watching(tuples, of, values, ordered), k, t=most)
    assert plan.class_sizes().min() >= k
    apart = plain_merging.ordered_distance if ordered else plain_merging.equal_distance
    for inside in classes(plan, of, values):
        assert apart(inside, values.tolist()) <= most + 1e-9
    column = Confidential("secret", plan.target_of()[of], values, np.ones_like(of))
    assert closeness(column, "ordered" if ordered else "equal") <= most + 1e-9


@given(table=watched_tables(), k=st.integers(2, 4), people=st.integers(1, 12), data=st.data())
def test_every_class_has_k_people(table, k, people, data):
    tuples, of, _, _ = table
    assume(tuples.records >= k)
    of_whom = st.lists(st.integers(0, people - 1), min_size=len(of), max_size=len(of))
    who = np.array(data.draw(of_whom))
    known = replace(tuples, people=SensitiveCounts("person", of, who, np.ones_like(of)))
    there = len(set(who.tolist()))
    if there < k:
        with pytest.raises(ParameterError, match=f"at most the number of people, {there},"):
            planned(known, k)
        return
    for inside in classes(planned(known, k), of, who):
        assert len(set(inside)) >= k


@given(table=watched_tables(), data=st.data())
def test_several_columns_and_people_at_once(table, data):
    tuples, of, values, _ = table
    other = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(of), max_size=len(of))))
    who = np.arange(len(of)) // 2
    assume(len(set(values.tolist())) > 1 < len(set(other.tolist())))
    known = watching(watching(tuples, of, values), of, other, ordered=True, name="other")
    known = replace(known, people=SensitiveCounts("person", of, who, np.ones_like(of)))
    assume(len(set(who.tolist())) >= 2)
    plan = planned(known, 2, l=2, t=0.4)
    for column, apart in (
        (values, plain_merging.equal_distance),
        (other, plain_merging.ordered_distance),
    ):
        for inside in classes(plan, of, column):
            assert len(set(inside)) >= 2
            assert apart(inside, column.tolist()) <= 0.4 + 1e-9
    assert min(len(set(inside)) for inside in classes(plan, of, who)) >= 2


@pytest.mark.parametrize(
    "rule", [{"l": 2}, {"l": 2, "diversity": "entropy"}, {"t": 0.6}, {"t": 1}], ids=repr
)
@given(table=watched_tables(), data=st.data())
def test_no_class_is_without_a_known_value(rule, table, data):
    tuples, of, values, ordered = table
    flags = st.lists(st.booleans(), min_size=len(of), max_size=len(of))
    is_known = np.array(data.draw(flags))
    some = values[is_known].tolist()
    assume(tuples.records >= 2)
    counted = watching(tuples, of[is_known], values[is_known], ordered)
    if not some:
        with pytest.raises(ParameterError, match="need known values of 'secret', got only missing"):
            planned(counted, 2, **rule)
        return
    entropy = rule.get("diversity") == "entropy"
    assume((plain_merging.entropy(some) if entropy else len(set(some))) >= rule.get("l", 0))
    plan = planned(counted, 2, **rule)
    apart = plain_merging.ordered_distance if ordered else plain_merging.equal_distance
    target = plan.target_of()[of]
    for g in np.unique(target):
        inside = values[is_known & (target == g)].tolist()
        assert inside
        assert apart(inside, some) <= rule.get("t", 1) + 1e-9
        diversity = plain_merging.entropy(inside) if entropy else len(set(inside))
        assert diversity >= rule.get("l", 0) - 1e-9


def test_a_column_that_is_not_named_is_not_protected():
    # Six tuples of two records; the secret is the tuple, the other column varies everywhere.
    words = sorted(om.datasets.diagnoses().identifiers)[:6]
    tuples, of = of_words(om.datasets.diagnoses(), words * 2)
    varied = np.repeat([0, 1], 6)
    known = watching(watching(tuples, of, of), of, varied, name="varied")
    assert len(planned(known, 2, l=2, protects=["varied"]).targets) == 6
    assert len(planned(known, 2, l=2, protects=["secret"]).targets) <= 3
    assert len(planned(known, 2, l=2).targets) <= 3
    with pytest.raises(
        ParameterError, match="protects must name confidential columns, got 'nobody'"
    ) as error:
        planned(known, 2, l=2, protects=["nobody"])
    assert "'secret', 'varied'" in str(error.value)
    with pytest.raises(ParameterError, match="l and t need at least one confidential column"):
        planned(tuples, 2, t=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("effort", ["fast", "thorough"])
@pytest.mark.parametrize("few", [50, 3000])
def test_larger_tables_keep_their_rules_too(monkeypatch, few, effort):
    monkeypatch.setitem(merge.__globals__, "FEW", few)
    random = np.random.default_rng(few)
    tuples, records = drawn(9, 600, attributes=2), 600
    of = np.repeat(np.arange(len(tuples)), tuples.counts)
    # What is secret goes with the first word, so that near tuples are alike in it.
    values = (tuples.codes[0][of] + random.integers(0, 3, records)) % 6
    known = watching(tuples, of, values, ordered=True)
    known = replace(
        known, people=SensitiveCounts("person", of, np.arange(records) // 3, np.ones_like(of))
    )
    rules = [{"l": 4}, {"l": 3, "diversity": "entropy"}, {"t": 0.15}, {"l": 3, "t": 0.3}]
    for wanted in rules:
        plan = planned(known, 5, effort=effort, **wanted)
        assert len(plan.targets) > 3
        column = Confidential("secret", plan.target_of()[of], values, np.ones_like(of))
        diversity = entropy_diversity if "diversity" in wanted else distinct_diversity
        assert diversity(column) >= wanted.get("l", 0) - 1e-9
        assert closeness(column, "ordered") <= wanted.get("t", 1) + 1e-9
        people = classes(plan, of, np.arange(records) // 3)
        assert min(len(set(inside)) for inside in people) >= 5


def test_t_of_nothing_leaves_one_class_and_t_of_one_asks_for_nothing():
    tuples = drawn(8, 40)
    of = np.repeat(np.arange(len(tuples)), tuples.counts)
    known = watching(tuples, of, np.arange(len(of)))
    assert len(planned(known, 2, t=0).targets) == 1
    free, asked = planned(tuples, 2), planned(known, 2, t=1)
    assert (free.target == asked.target).all()


# ---------------------------------------------------------------------- through mask


@pytest.fixture
def patients():
    random = np.random.default_rng(11)
    words = sorted(om.datasets.diagnoses().identifiers)
    n = 150
    return pd.DataFrame(
        {
            "sick": random.choice(words, n),
            "age": random.integers(20, 80, n),
            "outcome": random.choice(["well", "ill", "worse", "dead"], n, p=[0.4, 0.3, 0.2, 0.1]),
            "charge": random.integers(1, 9, n) * 100,
            "who": random.integers(0, 60, n),
        }
    )


def schema_for(person=None):
    kept = {} if person else {"drop": ["who"]}
    return om.Schema(
        [om.Nominal("sick", om.datasets.diagnoses()), om.Numeric("age")],
        confidential=["outcome", om.Numeric("charge")],
        person=person,
        **kept,
    )


def released(release, patients, column):
    """A confidential column by the classes of a released table."""
    number = release.data.groupby(["sick", "age"]).ngroup().to_numpy()
    values, codes = np.unique(patients[column], return_inverse=True)
    assert len(values) > 1
    return Confidential(column, number, codes, np.ones_like(number))


def test_what_is_asked_of_confidential_columns_holds_on_the_released_table(patients):
    def masked(**wanted):
        return om.mask(patients, schema_for(), Microaggregation(3, algorithm="merge", **wanted))

    both = masked(l=3)
    assert distinct_diversity(released(both, patients, "outcome")) >= 3
    assert distinct_diversity(released(both, patients, "charge")) >= 3
    assert "3-diverse in outcome" in both.guarantee
    by_entropy = masked(l=2, diversity="entropy", protects=["outcome"])
    assert entropy_diversity(released(by_entropy, patients, "outcome")) >= 2 - 1e-9
    assert "charge" not in by_entropy.guarantee
    close = masked(t=0.25)
    assert closeness(released(close, patients, "outcome"), "equal") <= 0.25 + 1e-9
    assert closeness(released(close, patients, "charge"), "ordered") <= 0.25 + 1e-9
    assert "0.25-close in outcome" in close.guarantee
    free = masked()
    assert closeness(released(free, patients, "outcome"), "equal") > 0.25
    assert free.guarantee.classes > close.guarantee.classes


def test_classes_of_the_released_table_have_k_people(patients):
    method = Microaggregation(4, algorithm="merge", l=2)
    release = om.mask(patients, schema_for("who"), method)
    assert release.guarantee.unit == "people"
    assert release.guarantee.smallest >= 4
    number = release.data.groupby(["sick", "age"]).ngroup()
    assert patients["who"].groupby(number.to_numpy()).nunique().min() >= 4


def test_more_variety_than_there_is_is_refused(patients):
    def refused(**wanted):
        with pytest.raises(ParameterError) as error:
            om.mask(patients, schema_for(), Microaggregation(3, algorithm="merge", **wanted))
        return str(error.value)

    assert "choose an l of 4 or less" in refused(l=5)
    assert "choose an l of 3 or less" in refused(l=4, diversity="entropy", protects=["outcome"])
    assert "protects must name confidential columns" in refused(l=2, protects=["sick"])


def test_without_confidential_columns_there_is_nothing_to_vary(patients):
    schema = om.Schema([om.Numeric("age")], other="keep")
    with pytest.raises(ParameterError, match="l and t need at least one confidential column"):
        om.mask(patients, schema, Microaggregation(3, algorithm="merge", l=2))


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"algorithm": "ward"}, "'merge' or 'mdav'"),
        ({"distance": "euclid"}, "'mean', 's' or 's_paper'"),
        ({"candidates": "all"}, "'hierarchy' or 'values'"),
        ({"replacement": "none"}, "'synthetic' or 'synthetic_paper'"),
        ({"operators": "modern"}, "'semantic' or 'classic'"),
        ({"objective": "mse"}, "'sse' or 'sad'"),
        ({"centroid": "worst"}, "'rule' or 'best'"),
        ({"effort": "heroic"}, "'fast' or 'thorough'"),
        ({"diversity": "recursive"}, "'distinct' or 'entropy'"),
        ({"l": 1}, "l must be an integer of at least 2, got 1"),
        ({"l": 2.5}, "an integer of at least 2, got 2.5"),
        ({"l": True}, "an integer of at least 2, got True"),
        ({"t": -0.1}, "from 0 to 1"),
        ({"t": 1.1}, "from 0 to 1"),
        ({"t": float("nan")}, "from 0 to 1"),
        ({"t": "near"}, "a number"),
        ({"time_limit": -1, "effort": "thorough"}, "at least 0, got -1"),
        ({"time_limit": "long", "effort": "thorough"}, "a number"),
        ({"time_limit": 5}, "effort='thorough'"),
        ({"protects": "outcome", "l": 2}, "a list of confidential columns"),
        ({"protects": [1], "l": 2}, "a list of confidential columns"),
        ({"protects": 5, "l": 2}, "a list of confidential columns"),
        ({"protects": [], "l": 2}, "a list of confidential columns"),
        ({"protects": ["outcome"]}, "l or t"),
        ({"l": 2, "replacement": "synthetic"}, "replacement='centroid'"),
        ({"t": 0.5, "replacement": "synthetic"}, "replacement='centroid'"),
        ({"k": 1}, "k must be an integer of at least 2, got 1"),
    ],
)
def test_wrong_settings_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=f"(?s){message}"):
        Microaggregation(**{"k": 3, "algorithm": "merge", **wrong})


@pytest.mark.parametrize(
    "asked",
    [
        {"l": 2},
        {"t": 0.5},
        {"protects": ["outcome"]},
        {"diversity": "entropy"},
        {"objective": "sad"},
        {"centroid": "best"},
        {"effort": "thorough"},
        {"effort": "thorough", "time_limit": 1},
    ],
)
def test_what_only_merging_can_do_is_refused_of_mdav(asked):
    with pytest.raises(
        ParameterError, match=f"{next(iter(asked))} cannot be used with algorithm 'mdav'"
    ):
        Microaggregation(3, algorithm="mdav", **asked)


# ---------------------------------------------------------------------- restarts


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("distance", ["mean", "s"])
def test_restarts_keep_what_is_promised(distance, objective):
    tuples = drawn(6, 700, attributes=3)
    assert len(tuples) > 500  # more than are restarted unasked
    operators = Operators(tuples, distance)
    fast = merge(operators, 4, objective=objective)
    thorough = merge(operators, 4, objective=objective, thorough=True, seed=5)
    check_groups(tuples, 4, thorough)
    assert thorough.cost < fast.cost
    costs = Costs(tuples, distance, objective)
    groups = members_of(thorough.group)
    total = sum(costs.cost(m, c) for m, c in zip(groups, thorough.centroids, strict=True))
    assert thorough.cost == pytest.approx(total, **CLOSE)


def test_thorough_is_never_dearer_than_fast():
    saved = 0.0
    for seed in range(12):
        operators = Operators(drawn(seed, 12 + 8 * seed), ["mean", "s"][seed % 2])
        fast, thorough = merge(operators, 3), merge(operators, 3, thorough=True, seed=seed)
        assert thorough.cost <= fast.cost + 1e-9
        assert merge(operators, 3, thorough=True, time_limit=0).cost <= fast.cost + 1e-9
        saved += fast.cost - thorough.cost
    assert saved > 0


@pytest.mark.parametrize("centroid", CENTROIDS)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("distance", ["mean", "s"])
def test_no_step_of_the_search_makes_groups_dearer(distance, objective, centroid):
    for seed in range(20):
        tuples = drawn(seed, 15 + 8 * seed, attributes=1 + seed % 3)
        operators = Operators(tuples, distance)
        search = merge.__globals__["Search"](operators, 2 + seed % 5, objective, centroid, ())
        search.merge()
        before = search.groups.cost.sum()
        search.many_free, _ = search_kernels.improve_groups(
            *search._loops, search.free, search.many_free
        )
        assert search.groups.cost.sum() <= before + 1e-9
        before = search.groups.cost.sum()
        search_kernels.improve_tuples(*search._loops, 0)
        chance = np.array([seed + 1], dtype=np.uint64)
        for _ in range(50):
            after = search.groups.cost.sum()
            assert after <= before + 1e-9
            before = after
            search.many_free, _ = restart_kernels.merge_again(
                *search._loops, search.free, search.many_free, chance, 1
            )
            check_groups(tuples, 2 + seed % 5, search.result())


def test_a_time_limit_ends_the_restarts():
    tuples = drawn(6, 700, attributes=3)
    operators = Operators(tuples)
    fast = merge(operators, 4)
    assert merge(operators, 4, thorough=True, time_limit=0).cost == fast.cost
    limited = merge(operators, 4, thorough=True, time_limit=0.2)
    check_groups(tuples, 4, limited)
    assert limited.cost <= fast.cost


def test_interrupted_restarts_give_the_best_so_far(monkeypatch):
    tuples = drawn(6, 700, attributes=3)
    operators = Operators(tuples)
    fast = merge(operators, 4)
    calls = []
    again = restart_kernels.merge_again

    def once(*everything):
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return again(*everything)

    monkeypatch.setattr(restart_kernels, "merge_again", once)
    with pytest.warns(StoppedEarlyWarning, match="stopped after 200 restarts"):
        found = merge(operators, 4, thorough=True)
    check_groups(tuples, 4, found)
    assert found.cost < fast.cost
    with pytest.warns(StoppedEarlyWarning):
        plan = planned(tuples, 4, effort="thorough")
    assert plan.class_sizes().min() >= 4


def test_progress_is_told():
    told = []
    with listen_to_progress(told.append), warnings.catch_warnings():
        warnings.simplefilter("error")
        planned(drawn(6, 700, attributes=3), 4, effort="thorough")
    restarts = [line for line in told if line.startswith("restarting: ")]
    assert restarts
    assert all("less information loss so far" in line for line in restarts)
    saved = [float(line.split()[1]) for line in restarts]
    assert saved == sorted(saved)


def test_splitting_dissolving_and_founding_never_cost_more():
    tuples = drawn(160, 19, 2)  # where centroids move when members come and go
    search = merge.__globals__["Search"](Operators(tuples), 3, "sse", "rule", ())
    search.merge()
    before = search.groups.cost.sum()
    search_kernels.improve_groups(*search._loops, search.free, search.many_free)
    assert search.groups.cost.sum() <= before + 1e-9


def test_classic_ties_go_to_the_first_in_sorted_order():
    for seed in range(20):
        tuples = drawn(seed, 30, 2)
        operators = Operators(tuples, "mean", "classic")
        found = merge(operators, 3)
        members = np.argsort(found.group, kind="stable")
        start = np.searchsorted(found.group[members], np.arange(found.group.max() + 2))
        assert np.array_equal(found.centroids, operators.centroids(start, members))
