"""What masking cost, against the plain definitions over records."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import ontomask as om
import plain_utility as plain
from method_tables import attribute, counted, tables
from ontomask import utility
from ontomask.errors import ParameterError
from ontomask.microdata.attributes import (
    MISSING_NUMBER,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.tuples import Transitions, Tuples, count_tuples
from ontomask.statistics import association as statistics_association
from ontomask.utility import association, kernels
from ontomask.utility.clustering import _merge_clusters
from ontomask.utility.example import six_patients

MEASURES = st.sampled_from(["sanchez", "wu_palmer", "equality"])


def with_missing(draw, tuples):
    """The same tuples; some attributes may hold missing values, always the last."""
    attributes, codes = [], []
    for a, column in zip(tuples.attributes, tuples.codes, strict=True):
        if draw(st.booleans()):
            if isinstance(a, NominalAttribute):
                a = NominalOrMissing(a.name, a.domain, a.values, a.measure)
            else:
                a = replace(a, numbers=np.append(a.numbers, MISSING_NUMBER))
            gone = draw(st.lists(st.booleans(), min_size=len(tuples), max_size=len(tuples)))
            column = np.where(gone, a.size - 1, column)
        attributes.append(a)
        codes.append(np.repeat(column, tuples.counts))
    return count_tuples(attributes, codes)[0]


def some_target(draw, a):
    if isinstance(a, NumericalAttribute):
        missing = [MISSING_NUMBER] if a.has_missing else []
        return float(draw(st.sampled_from([*range(-1, 11), *missing])))
    return float(draw(st.integers(0, len(a.candidates) - 1)))


@st.composite
def plans(draw, max_records=14):
    """Tuples sent anywhere at all: to candidates, to numbers, to nothing; some split in two."""
    columns = [(c, t) for c, t in draw(tables(max_records=max_records))]
    tuples, _ = counted(columns, measure=draw(MEASURES))
    tuples = with_missing(draw, tuples)
    rows = [
        [some_target(draw, a) for a in tuples.attributes] for _ in range(draw(st.integers(1, 3)))
    ]
    if draw(st.booleans()):
        rows.append([np.nan] * len(tuples.attributes))
    targets = np.vstack([rows, tuples.targets()])
    if draw(st.booleans()):  # single values are suppressed
        gone = draw(st.lists(st.booleans(), min_size=targets.size, max_size=targets.size))
        targets[np.reshape(gone, targets.shape)] = np.nan
    goal = st.integers(0, len(targets) - 1)
    of = draw(st.lists(goal, min_size=tuples.records, max_size=tuples.records))
    source = np.repeat(np.arange(len(tuples)), tuples.counts)
    ones = np.ones(tuples.records, dtype=np.int64)
    return Transitions.from_pairs(tuples, targets, source, np.array(of), ones)


def blank(tuples):
    return Transitions.from_targets(
        tuples, np.full((1, len(tuples.attributes)), np.nan), np.zeros(len(tuples), dtype=int)
    )


def unchanged(tuples):
    return Transitions.from_targets(tuples, tuples.targets(), np.arange(len(tuples)))


def near(expected):
    return None if expected is None else pytest.approx(expected, abs=1e-7)


def by_name(plan):
    return [(j, a, a.name) for j, a in enumerate(plan.tuples.attributes)]


# ---------------------------------------------------------------- against the definitions


@given(plan=plans())
def test_errors_over_records(plan):
    assert utility.sse(plan) == near(plain.sse(plan))
    quality = plain.semantic_quality(plan)
    assert utility.semantic_quality(plan, normalised=False) == near(quality)
    values = plan.tuples.records * len(plan.tuples.attributes)
    assert utility.semantic_quality(plan) == near(quality / values)
    assert utility.changed_records(plan) == near(plain.changed_records(plan))
    for measure in ("attribute_sse", "rmse", "mean_absolute_distance", "changed"):
        found = getattr(utility, measure)(plan)
        for j, _, name in by_name(plan):
            assert found[name] == pytest.approx(getattr(plain, measure)(plan, j), abs=1e-6)


@given(plan=plans())
def test_classes_over_records(plan):
    assert utility.kl(plan) == near(plain.kl(plan))
    assert utility.kl(plan) >= -1e-12
    assert utility.kl(plan, removed=True) == near(plain.kl(plan, removed=True))
    assert utility.discernibility(plan) == plain.discernibility(plan)
    assert utility.average_class_size(plan) == near(plain.average_class_size(plan))
    assert utility.average_class_size(plan, k=3) == near(plain.average_class_size(plan) / 3)


@given(plan=plans())
def test_means_and_variances_over_records(plan):
    before, after = plain.originals(plan), plain.masked(plan)
    shifts, variances = utility.mean_shift(plan), utility.variance_difference(plan)
    assert set(shifts) == {a.name for _, a, _ in by_name(plan) if plain.nominal(a)}
    for j, a, name in by_name(plan):
        if not plain.nominal(a):
            continue
        x, y = plain.column(before, j), plain.column(after, j)
        shift = shifts[name]
        assert (shift.before, shift.after) == (plain.mean(a, x), plain.mean(a, y))
        known = bool(x and y)
        assert shift.distance == near(
            plain.distance(a, shift.before, shift.after) if known else None
        )
        assert variances[name].before == near(plain.variance(a, x))
        assert variances[name].after == near(plain.variance(a, y))


@given(plan=plans(max_records=10), cells=st.sampled_from([4, 1_000_000]))
def test_distance_variances_and_correlations_over_records(plan, cells):
    with pytest.MonkeyPatch.context() as patch:  # few cells: every table goes by in blocks
        patch.setattr(statistics_association, "CELLS", cells)
        patch.setattr(statistics_association, "SUMS", 2 * cells)
        patch.setattr(association, "CELLS", cells)
        variances = utility.distance_variance_difference(plan)
        found = utility.distance_correlations(plan)
    for side, rows in (("before", plain.originals(plan)), ("after", plain.masked(plan))):
        for j, a, name in by_name(plan):
            expected = plain.distance_variance(a, plain.column(rows, j))
            assert getattr(variances[name], side) == near(expected)
            for k, b, _ in by_name(plan)[:j]:
                expected = plain.distance_correlation(a, b, rows, j, k)
                got = getattr(found, side)
                assert got[j, k] == got[k, j] == pytest.approx(expected, abs=1e-5)
    assert found.difference == pytest.approx(np.abs(found.after - found.before))
    assert found.records == plan.tuples.records


@given(plan=plans())
def test_numbers_over_records(plan):
    summary = utility.numbers(plan)
    assert summary.il1s == near(plain.il1s(plan))
    for side, rows in (("before", plain.originals(plan)), ("after", plain.masked(plan))):
        for j, a, name in by_name(plan):
            if plain.nominal(a):
                assert name not in summary.means
                continue
            values = plain.column(rows, j)
            mean, variance = summary.means[name], summary.variances[name]
            assert getattr(mean, side) == near(np.mean(values) if values else None)
            spread = np.var(values, ddof=1) if len(values) > 1 else 0.0
            assert getattr(variance, side) == near(spread if values else None)
        for j, name in enumerate(summary.correlations.columns):
            for k, other in enumerate(summary.correlations.columns):
                places = {a.name: i for i, a, _ in by_name(plan)}
                pairs = [(row[places[name]], row[places[other]]) for row in rows]
                x, y = np.array([p for p in pairs if None not in p]).reshape(-1, 2).T
                constant = len(x) == 0 or np.ptp(x) == 0 or np.ptp(y) == 0
                expected = 0 if constant else np.corrcoef(x, y)[0, 1]
                assert getattr(summary.correlations, side)[j, k] == near(expected)


# ---------------------------------------------------------------- clusters


def heights(apart, weights):
    apart, w = np.asarray(apart, dtype=float), np.asarray(weights, dtype=float)
    scaled = apart**2 * (2 * w[:, None] * w / (w[:, None] + w))
    return kernels.ward(scaled, w.copy())


@given(seed=st.integers(0, 10_000), size=st.integers(1, 9), euclidean=st.booleans())
def test_weighted_ward_is_ward_on_repeated_points(seed, size, euclidean):
    random = np.random.default_rng(seed)
    if euclidean:
        points = random.random((size, 2))
        apart = np.linalg.norm(points[:, None] - points, axis=2)
    else:  # any distances without ties, as semantic ones are not Euclidean either
        apart = np.triu(random.random((size, size)), 1)
        apart += apart.T
    weights = random.integers(1, 4, size)
    of = np.repeat(np.arange(size), weights)
    merges, squared = heights(apart, weights)
    if len(of) == 1:
        return
    tree = linkage(squareform(apart[np.ix_(of, of)], checks=False), "ward")
    repeated = tree[len(of) - size :, 2]  # first, equal points meet at height 0
    assert np.sqrt(np.sort(squared)) == pytest.approx(repeated, abs=1e-9)
    for clusters in range(1, size + 1):
        order = np.argsort(squared, kind="stable")[: size - clusters]
        ours = _merge_clusters(size, merges[order])[of]
        theirs = fcluster(tree, clusters, "maxclust")
        assert plain.partition_distance(ours.tolist(), theirs.tolist()) == near(0)


@given(plan=plans(max_records=10), clusters=st.integers(1, 4))
def test_clusters_over_records(plan, clusters):
    attributes = plan.tuples.attributes
    partitions = []
    for rows in (plain.originals(plan), plain.masked(plan)):
        apart = [[plain.record_distance(attributes, x, y) for y in rows] for x in rows]
        upper = np.array(apart)[np.triu_indices(len(rows), 1)]
        if len(set(np.round(upper[upper > 1e-9], 9))) < len(set(rows)) * (len(set(rows)) - 1) / 2:
            return  # with equal distances there is more than one answer
        partitions.append((rows, apart))
    used = min(clusters, *(len(set(rows)) for rows, _ in partitions))
    first, second = (plain.ward(apart, used) for _, apart in partitions)
    found = utility.clustering_distance(plan, clusters)
    assert found.distance == near(plain.partition_distance(first, second))
    assert (found.clusters, found.records) == (used, plan.tuples.records)


@given(columns=tables(), clusters=st.integers(1, 6))
def test_an_unchanged_table_has_unchanged_clusters_whatever_the_ties(columns, clusters):
    tuples, _ = counted(columns)
    assert utility.clustering_distance(unchanged(tuples), clusters).distance == 0


def test_four_records_in_two_clusters_by_hand(diagnoses):
    # Original: {1, 2}, {9, 10}. Masked: 2 becomes 9 and so {1}, {9, 9, 10}.
    a, codes = attribute("x", [1, 2, 9, 10])
    tuples, _ = count_tuples([a], [codes])
    plan = Transitions.from_targets(
        tuples, np.array([[1.0], [9.0], [10.0]]), np.array([0, 1, 1, 2])
    )
    found = utility.clustering_distance(plan, clusters=2)
    both = 1 / 2 + 2 / 4 + 2 / 4  # {1}, {2}, {9, 10}: shares 1/4, 1/4, 1/2
    after = 0.25 * 2 + 0.75 * np.log2(4 / 3)
    assert found.distance == pytest.approx((2 * both - 1 - after) / both)


def test_clusters_and_sample_are_at_least_one():
    with pytest.raises(
        ParameterError, match="clusters and most must be at least 1, got 0 and 2000"
    ):
        utility.clustering_distance(six_patients(), clusters=0)


# ---------------------------------------------------------------- samples


def large(records=3_000, seed=0):
    """Diagnoses and numbers, each value noised a little."""
    icd9 = om.load_taxonomy("icd9cm")
    random = np.random.default_rng(seed)
    names = sorted(random.choice(list(icd9.identifiers), 400, replace=False).tolist())
    a = NominalAttribute("diagnosis", icd9, names)
    b = NumericalAttribute("age", np.arange(100.0))
    first = (random.random(records) ** 2 * 400).astype(int)
    second = np.clip(first // 4 + random.integers(-9, 9, records), 0, 99)
    tuples, _ = count_tuples([a, b], [first, second])
    every = np.repeat(tuples.codes, tuples.counts, axis=1)
    moved = random.random(records) < 0.3
    codes = [np.where(moved, random.permutation(column), column) for column in every]
    return Transitions.from_records(tuples, codes)


def test_a_sample_is_near_the_whole_and_says_its_size():
    plan = large()
    whole, part = utility.distance_correlations(plan), utility.distance_correlations(plan, most=300)
    assert (whole.records, part.records) == (3_000, 300)
    assert part.after == pytest.approx(whole.after, abs=0.15)
    assert part.before[0, 1] > part.after[0, 1]
    clusters = utility.clustering_distance(plan, most=500)
    assert clusters.records == 500
    assert 0 < clusters.distance < 1


def test_the_same_sample_every_time_unless_a_generator_is_given():
    plan = large()
    same = [utility.clustering_distance(plan, most=200) for _ in range(2)]
    assert same[0] == same[1]
    other = utility.distance_correlations(plan, most=200, random=np.random.default_rng(5))
    assert other.after[0, 1] != utility.distance_correlations(plan, most=200).after[0, 1]


# ---------------------------------------------------------------- corners


def test_nothing_changed_and_nothing_left(diagnoses):
    a, codes = attribute("d", ["sprain", "sprain", "influenza"], diagnoses)
    b, numbers = attribute("n", [1, 2, 3])
    tuples, _ = count_tuples([a, b], [codes, numbers])
    same = utility.evaluate_utility(unchanged(tuples), k=1)
    for key in ("sse", "kl", "changed_records", "il1s"):
        assert same[key] == 0
    assert same["semantic_quality"] == 1
    assert np.max(same["distance_correlations"]["difference"]) == 0
    gone = utility.evaluate_utility(blank(tuples))
    assert gone["sse"] == 3
    assert gone["kl"] > 0
    assert (gone["semantic_quality"], gone["changed_records"]) == (0, 1)
    assert gone["rmse"] == {"d": 1, "n": 2}  # a number that is gone counts as the range
    assert gone["discernibility"] == 9
    assert gone["mean_shift"]["d"]["after"] is None
    assert gone["variance_difference"]["d"]["difference"] is None
    assert gone["number_means"]["n"] == {"before": 2, "after": None, "difference": None}


@pytest.mark.parametrize("column", [["sprain"], ["sprain"] * 4])
def test_one_record_and_one_value(diagnoses, column):
    a, codes = attribute("d", column, diagnoses)
    b, numbers = attribute("n", [7] * len(column))
    tuples, _ = count_tuples([a, b], [codes, numbers])
    for plan in (unchanged(tuples), blank(tuples)):
        found = utility.evaluate_utility(plan)
        json.dumps(found, allow_nan=False)
        assert found["clustering_distance"]["distance"] == 0
        assert np.max(found["distance_correlations"]["before"]) == 0
        assert found["il1s"] is None


def test_missing_stays_missing_at_no_cost(diagnoses):
    a = NominalOrMissing("d", diagnoses, ["influenza", "sprain"])
    tuples, _ = count_tuples([a], [np.array([0, 1, 2, 2])])
    assert utility.sse(unchanged(tuples)) == 0
    assert utility.mean_shift(unchanged(tuples))["d"].distance == 0
    only = NominalOrMissing("d", diagnoses, [])
    plan = unchanged(count_tuples([only], [np.zeros(2, dtype=int)])[0])
    assert utility.mean_shift(plan)["d"].before is None
    json.dumps(utility.evaluate_utility(plan), allow_nan=False)


# ---------------------------------------------------------------- all of them


@given(plan=plans())
def test_every_figure_is_described_and_plain(plan):
    found = utility.evaluate_utility(plan, k=2)
    assert set(found) == set(utility.DESCRIPTIONS)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found == utility.evaluate_utility(plan, k=2)
    for described in utility.DESCRIPTIONS.values():
        assert described.meaning.endswith(".")
        assert described.range
        assert described.better in ("lower", "higher", "neither")


def test_a_plan_is_forgotten_with_what_was_made_of_it():
    import gc
    import weakref

    plan = six_patients()
    utility.evaluate_utility(plan)
    gone = weakref.ref(plan)
    del plan
    gc.collect()
    assert gone() is None


def test_many_records_cost_no_more_than_few():
    plan = large(500)
    tuples = Tuples(plan.tuples.attributes, plan.tuples.codes, plan.tuples.counts * 10**6)
    often = Transitions(tuples, plan.targets, plan.source, plan.target, plan.count * 10**6)
    few, many = utility.evaluate_utility(plan), utility.evaluate_utility(often)
    assert many["rmse"] == pytest.approx(few["rmse"])
    for side in ("before", "after"):
        expected = np.array(few["distance_correlations"][side])
        assert np.array(many["distance_correlations"][side]) == pytest.approx(expected)
