from __future__ import annotations

import gzip
import json
import math
import os
import pickle
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
import plain_noise
from method_tables import attribute, counted
from ontomask.errors import (
    FileFormatError,
    ParameterError,
    UnknownConceptError,
    UnknownMeasureError,
    UnknownValueError,
)
from ontomask.methods import NoiseAddition
from ontomask.methods.noise.noise_addition import SemanticNoise
from ontomask.microdata.attributes import FIXED_POINT_ONE, NominalAttribute
from ontomask.microdata.missing_values import MISSING, NominalOrMissing
from ontomask.microdata.tuples import count_tuples
from pairing import each_with
from strategies import columns, taxonomies

MEASURES = ["sanchez", "wu_palmer", "wu_palmer_depth", "lin", "path", "equality"]
STRATEGIES = ["semantic", "naive", "probabilistic"]
noises = st.floats(-1, 1, allow_nan=False)


def planned(columns, method=NoiseAddition(), seed=0, **settings):  # noqa: B008
    tuples, _ = counted(columns, **settings)
    return method.plan(tuples, np.random.default_rng(seed))


def outcome(plan):
    """How often a record becomes which target, both by their values."""

    def value(attribute, target):
        nominal = isinstance(attribute, NominalAttribute)
        return attribute.candidates[int(target)] if nominal else float(target)

    before = plan.tuples.targets()
    found = Counter()
    for source, target, count in zip(plan.source, plan.target, plan.count, strict=True):
        pair = tuple(
            tuple(map(value, plan.tuples.attributes, row))
            for row in (before[source], plan.targets[target])
        )
        assert pair not in found
        found[pair] = int(count)
    return found


def of_one(plan):
    """The same for a table of one attribute, without tuples around values."""
    return Counter({(a, b): count for ((a,), (b,)), count in outcome(plan).items()})


def names(domain, codes):
    return {domain.identifiers[code] for code in codes.tolist()}


# ---------------------------------------------------------------- where noise leads


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
@given(data=st.data())
def test_the_concepts_reached_are_those_of_the_plain_algorithm(measure, data):
    domain = data.draw(taxonomies(max_concepts=14).filter(lambda it: len(it) > 1))
    distance = plain.DISTANCES[measure]
    # Any concept may be the mean; noise that hits a distance, or the middle of two, is the trap.
    mean, value = data.draw(st.tuples(*2 * [st.sampled_from(domain.identifiers)]))
    exact = sorted({distance(domain, value, c) for c in domain})
    between = [(a + b) / 2 for a in exact for b in exact]
    sizes = st.one_of(noises, st.sampled_from(exact), st.sampled_from(between))
    epsilon = data.draw(sizes) * data.draw(st.sampled_from([-1, 1]))
    around = SemanticNoise(domain, measure, mean).around(domain.code(value))
    found = around.reached(epsilon)
    assert len(set(found.tolist())) == len(found)
    assert names(domain, found) == plain_noise.reached(domain, mean, value, epsilon, distance)


def zigzag(taxonomy, a, b):
    """A measure without order: near and far neighbours, some of them equally far."""
    i, j = sorted((taxonomy.code(a), taxonomy.code(b)))
    return 0.0 if i == j else ((i * 7 + j * 3) % 5) / 4


@given(data=st.data())
def test_any_measure_will_do(data):
    domain = data.draw(taxonomies(max_concepts=14).filter(lambda it: len(it) > 1))
    mean, value = data.draw(st.tuples(*2 * [st.sampled_from(domain.identifiers)]))
    epsilon = data.draw(st.one_of(noises, st.sampled_from([-0.125, 0.125, 0.375, 0.875])))
    around = SemanticNoise(domain, zigzag, mean).around(domain.code(value))
    expected = plain_noise.reached(domain, mean, value, epsilon, zigzag)
    assert names(domain, around.reached(epsilon)) == expected


@given(data=st.data())
def test_many_at_once_are_the_same_as_one_by_one(data):
    domain = data.draw(taxonomies(max_concepts=14).filter(lambda it: len(it) > 1))
    column = sorted(data.draw(columns(domain)), key=domain.code)
    epsilon = np.array([data.draw(noises) for _ in column])
    tie = np.array([data.draw(st.floats(0, 1, exclude_max=True)) for _ in column])
    mean = data.draw(st.sampled_from(domain.identifiers))
    noise = SemanticNoise(domain, "sanchez", mean)
    values, counts = np.unique(domain.codes(column), return_counts=True)
    found = noise.masked(values, counts, epsilon, tie)
    for value, concept, e, t in zip(column, found, epsilon, tie, strict=True):
        among = noise.around(domain.code(value)).reached(e)
        assert concept == among[int(t * len(among))]


@pytest.fixture
def chain():
    """Five concepts, a > b > {c, d > e}: with the mean c there are some on either side of b."""
    return om.Taxonomy.from_edges([("b", "a"), ("c", "b"), ("d", "b"), ("e", "d")])


def wu_palmer_depth_by_hand(chain, mean, value):
    around = SemanticNoise(chain, "wu_palmer_depth", mean).around(chain.code(value))
    return lambda epsilon: names(chain, around.reached(epsilon))


def test_sides_by_hand(chain):
    # from b: a 1 - 2/3, c and d 1 - 4/5, e 1 - 4/6; from the mean c: b 1/5, d 1/3, e 3/7, a 1/2
    reached = wu_palmer_depth_by_hand(chain, "c", "b")
    assert reached(0) == {"b"}
    assert reached(0.01) == {"d"}  # as far as c, which is on the other side
    assert reached(-0.01) == {"c"}
    assert reached(1 / 5) == {"d"}  # exactly as far as asked
    assert reached(0.21) == {"a", "e"}  # a tie
    assert reached(1 / 3) == {"a", "e"}
    assert reached(0.9) == {"a", "e"}  # none is far enough: the farthest
    assert reached(-0.9) == {"c"}


def test_the_mean_moves_anywhere_whatever_the_sign(chain):
    reached = wu_palmer_depth_by_hand(chain, "b", "b")
    for sign in (-1, 1):
        assert reached(sign * 0.01) == {"c", "d"}
        assert reached(sign * 0.3) == {"a", "e"}
        assert reached(sign * 1.0) == {"a", "e"}


def test_no_concept_on_the_right_side(chain):
    # Nothing is farther from c than a. From a: b 1/3, c and d 1/2, e 3/5.
    reached = wu_palmer_depth_by_hand(chain, "c", "a")
    assert reached(0.01) == {"b"}
    assert reached(0.40) == {"b"}  # nearer to 1/3 than to 1/2, though not far enough
    assert reached(0.43) == {"c", "d"}
    assert reached(0.99) == {"e"}


def test_no_right_side_and_two_distances_equally_near():
    distances = {("x", "y"): 0.25, ("x", "z"): 0.75, ("y", "z"): 0.5}

    def measure(taxonomy, a, b):
        return distances.get((min(a, b), max(a, b)), 0.0)

    domain = om.Taxonomy.from_edges([("y", "x"), ("z", "x")])
    around = SemanticNoise(domain, measure, "z").around(domain.code("x"))
    assert names(domain, around.reached(0.5)) == {"y", "z"}
    assert names(domain, around.reached(0.5 - 2 / FIXED_POINT_ONE)) == {"y"}
    assert names(domain, around.reached(0.5 + 2 / FIXED_POINT_ONE)) == {"z"}


# ---------------------------------------------------------------- plans of words


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["sanchez", "wu_palmer_depth"])
@pytest.mark.parametrize("distribution", ["normal", "laplace"])
def test_concepts_are_drawn_with_their_exact_chances(diagnoses, measure, distribution):
    few = ["influenza"] * 2 + ["hepatitis B"] * 3 + ["sprain", "disease"]
    records = 20_000
    column = [value for value in few for _ in range(records)]
    method = NoiseAddition(0.4, distribution)
    got = of_one(planned([(column, diagnoses)], method, measure=measure))
    distance = plain.DISTANCES[measure]
    variance = plain.semantic_variance(diagnoses, few, distance)
    spread = math.sqrt(0.4 * variance)
    sample = (
        np.arange(-8_001, 8_002, 2) / 8_002
    )  # the distribution in thin slices; none ends at a distance
    if distribution == "normal":
        density = np.exp(-((sample / spread) ** 2) / 2)
    else:
        density = np.exp(-np.abs(sample) * math.sqrt(2) / spread)
    mean = plain.semantic_mean(diagnoses, few, distance)
    for value in set(few):
        chance = chances(diagnoses, mean, value, distance, sample, density / density.sum())
        n = records * few.count(value)
        for concept in diagnoses:
            expected = n * chance[concept]
            assert abs(got[value, concept] - expected) < 5 * math.sqrt(expected + 1) + 0.001 * n


def chances(domain, mean, value, distance, epsilons, weights):
    """How likely a value is to become which concept."""
    # The plain algorithm is slow: once for all noise between the same distances.
    far = sorted({distance(domain, value, c) for c in domain})
    known, chance = {}, Counter()
    for epsilon, weight in zip(epsilons, weights, strict=True):
        nearest = min(far, key=lambda d: abs(d - abs(epsilon)))
        place = sum(d < abs(epsilon) for d in far), nearest, epsilon > 0
        if place not in known:
            known[place] = plain_noise.reached(domain, mean, value, epsilon, distance)
        for concept in known[place]:
            chance[concept] += weight / len(known[place])
    return chance


@given(data=st.data(), strategy=st.sampled_from(STRATEGIES), operators=st.booleans())
def test_promises_for_tables_of_words_and_numbers(data, strategy, operators):
    taxonomy = data.draw(taxonomies(max_concepts=8).filter(lambda it: len(it) > 1))
    n = data.draw(st.integers(2, 20))
    words = data.draw(
        st.lists(st.sampled_from(taxonomy.identifiers), min_size=n, max_size=n).filter(
            lambda it: len(set(it)) > 1
        )
    )
    numbers = data.draw(
        st.lists(st.integers(-5, 9), min_size=n, max_size=n).filter(lambda it: len(set(it)) > 1)
    )
    table = [(words, taxonomy), (numbers, None)]
    bounds = data.draw(st.sampled_from(["none", "reflect", "clip", "resample"]))
    method = NoiseAddition(
        0.5, strategy=strategy, operators="classic" if operators else "semantic", bounds=bounds
    )
    plan = planned(table, method, seed=7)
    again = planned(table, method, seed=7)
    assert plan.count.sum() == n  # and the transitions account for each tuple, or they were refused
    assert sorted(zip(plan.source, plan.target, strict=True)) == list(
        zip(plan.source, plan.target, strict=True)
    )
    for name in ("targets", "source", "target", "count"):
        assert np.array_equal(getattr(plan, name), getattr(again, name))
    assert len(np.unique(plan.targets, axis=0)) == len(plan.targets)
    for _, (concept, after) in outcome(plan):
        assert concept in taxonomy
        assert bounds == "none" or min(numbers) <= after <= max(numbers)
        assert after == round(after)
        if strategy != "semantic":
            assert concept in words
            assert after in numbers


def test_the_plan_knows_concepts_beyond_the_column(diagnoses):
    column = ["influenza", "hepatitis B"] * 500
    plan = planned([(column, diagnoses)], NoiseAddition(1))
    (wider,) = plan.tuples.attributes
    drawn = {concept for _, concept in of_one(plan)}
    assert "sprain" in drawn
    assert set(wider.others) == drawn
    assert list(wider.others) == sorted(drawn)


def test_classic_operators_know_only_equal_and_unequal(diagnoses):
    # The mean is the most frequent value; from any other, towards it leads only to it, and away
    # leads nowhere, so to any concept but the value itself.
    column = ["influenza"] * 2_000 + ["sprain"] * 1_000
    got = of_one(planned([(column, diagnoses)], NoiseAddition(1, operators="classic")))
    others = len(diagnoses) - 1
    assert ("influenza", "influenza") not in got
    assert ("sprain", "sprain") not in got
    assert got["sprain", "influenza"] == pytest.approx(500 + 500 / others, abs=80)
    for concept in set(diagnoses) - {"influenza", "sprain"}:
        assert got["sprain", concept] == pytest.approx(500 / others, abs=40)
        assert got["influenza", concept] == pytest.approx(2_000 / others, abs=80)


@pytest.mark.parametrize("strategy", ["naive", "probabilistic"])
def test_baselines_draw_with_their_exact_chances(diagnoses, strategy):
    few = ["influenza"] * 3 + ["sprain"] * 2 + ["hepatitis B"]
    records = 20_000
    column = [value for value in few for _ in range(records)]
    got = of_one(planned([(column, diagnoses)], NoiseAddition(strategy=strategy)))
    for value in set(few):
        n = records * few.count(value)
        expected = getattr(plain_noise, strategy)(few, value)
        for other in diagnoses:
            chance = expected.get(other, 0)
            assert abs(got[value, other] - n * chance) <= 5 * math.sqrt(n * chance)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_missing_stays_missing_and_takes_no_part(diagnoses, strategy):
    column = ["influenza", "sprain", None] * 1_000
    values = ["influenza", "sprain"]
    codes = np.array([values.index(v) if v else 2 for v in column])
    kind = NominalOrMissing("a0", diagnoses, values)
    tuples, _ = count_tuples([kind], [codes])
    method = NoiseAddition(strategy=strategy)
    got = of_one(method.plan(tuples, np.random.default_rng(1)))
    assert got.pop((MISSING, MISSING)) == 1_000
    assert all(MISSING not in pair for pair in got)
    without = planned([([v for v in column if v], diagnoses)], method, seed=1)
    assert got == of_one(without)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("operators", ["semantic", "classic"])
def test_one_value_is_refused(diagnoses, strategy, operators):
    method = NoiseAddition(strategy=strategy, operators=operators)
    with pytest.raises(ParameterError, match="'a0' has one value.*change nothing"):
        planned([(["sprain"] * 5, diagnoses)], method)
    with pytest.raises(ParameterError, match="'a1' has one value"):
        planned([(["sprain", "influenza"], diagnoses), ([4, 4], None)], method)


def test_nothing_but_missing_values_is_refused(diagnoses):
    tuples, _ = count_tuples([NominalOrMissing("d", diagnoses, [])], [np.zeros(3, dtype=int)])
    with pytest.raises(ParameterError, match="'d' has no values"):
        NoiseAddition().plan(tuples, np.random.default_rng())


def test_values_that_a_measure_finds_alike_are_refused(diagnoses):
    with pytest.raises(ParameterError, match="variance 0"):
        planned([(["sprain", "influenza"], diagnoses)], measure=lambda *_: 0.0)


def test_two_values_in_a_domain_of_two():
    domain = om.Taxonomy.from_edges([("b", "a")])
    # Either is the mean, or next to it: all but nothing can be done but change places.
    got = of_one(planned([(["a", "b", "b"] * 100, domain)]))
    assert got == {("a", "b"): 100, ("b", "a"): 200}


# ---------------------------------------------------------------- plans of numbers


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
@pytest.mark.parametrize(
    "column",
    [
        np.round(np.exp(np.random.default_rng(1).normal(3, 0.7, 100_000)), 2),
        np.random.default_rng(2).exponential(3, 100_000).astype(int),
        np.random.default_rng(3).random(100_000) < 0.1,  # rounding is much of this noise
    ],
    ids=["log-normal", "whole and skewed", "zeros and ones"],
)
def test_the_mean_is_kept_and_the_variance_grows_by_alpha(column, distribution):
    decimals = 2 if column.dtype == float else 0
    tuples, _ = count_tuples(
        *zip(*[attribute("x", column.astype(float).tolist(), decimals=decimals)], strict=True)
    )
    plan = NoiseAddition(0.5, distribution).plan(tuples, np.random.default_rng(4))
    masked = plan.targets[plan.target, 0]
    mean = masked @ plan.count / len(column)
    variance = (masked - mean) ** 2 @ plan.count / len(column)
    assert abs(mean - column.mean()) < 4 * math.sqrt(0.5 * column.var() / len(column))
    assert variance == pytest.approx(1.5 * column.var(), rel=0.02)


def test_numbers_get_ordinary_noise():
    column = list(range(1_001)) * 100
    moved = Counter()
    for ((before,), (after,)), count in outcome(
        planned([(column, None)], NoiseAddition(0.01))
    ).items():
        moved[after - before] += count
    n = sum(moved.values())
    mean = sum(size * count for size, count in moved.items()) / n
    variance = sum((size - mean) ** 2 * count for size, count in moved.items()) / n
    expected = 0.01 * np.var(column)  # with the rounding
    assert abs(mean) < 5 * math.sqrt(expected / n)
    assert variance == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
@pytest.mark.parametrize("alpha", [0.1, 3, 1e30])
def test_a_flat_column_stays_flat_and_within_its_range(distribution, alpha):
    column = [it / 10 for it in range(101)] * 400
    tuples, _ = count_tuples(*zip(*[attribute("x", column, decimals=1)], strict=True))
    method = NoiseAddition(alpha, distribution, bounds="reflect")
    plan = method.plan(tuples, np.random.default_rng(2))
    after = Counter()
    for (_, (number,)), count in outcome(plan).items():
        after[number] += count
    assert set(after) == set(column)
    inner = [after[it / 10] for it in range(1, 100)]
    assert abs(np.array(inner) - 404).max() < 5 * math.sqrt(404)  # an end gets half a tenth


def test_clipped_numbers_gather_at_the_ends():
    tuples, _ = count_tuples(*zip(*[attribute("x", [0, 1, 2] * 300)], strict=True))
    plan = NoiseAddition(0.5, bounds="clip").plan(tuples, np.random.default_rng(2))
    free = NoiseAddition(0.5).plan(tuples, np.random.default_rng(2))
    after = Counter(
        dict(zip(plan.targets[:, 0], np.bincount(plan.target, plan.count), strict=True))
    )
    assert set(after) == {0, 1, 2}
    below = free.targets[:, 0][free.target] < 0
    assert after[0] > free.count[below].sum() > 50


def test_ranks_stay_whole():
    tuples, _ = count_tuples(*zip(*[attribute("x", [0, 1, 2, 5] * 50, median=True)], strict=True))
    plan = NoiseAddition().plan(tuples, np.random.default_rng(2))
    assert set(plan.targets[:, 0]) <= set(range(6))
    assert 3 in plan.targets[:, 0]


def test_numbers_of_any_size():
    for column in ([-1e150, 0, 1e150], [1e-300, 2e-300, 3e-300]):
        tuples, _ = count_tuples(*zip(*[attribute("x", column * 20, decimals=0)], strict=True))
        plan = NoiseAddition().plan(tuples, np.random.default_rng(2))
        assert np.isfinite(plan.targets).all()


# ---------------------------------------------------------------- the distribution


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
@pytest.mark.parametrize("alpha", [1e-9, 0.01, 0.3, 1, 4, 30, 1e6, 1e12])
def test_the_target_is_the_mean_of_what_is_drawn(distribution, alpha):
    method = NoiseAddition(alpha, distribution)
    epsilon, tie = method.draws(200_000, 0.2, np.random.default_rng(5))
    assert np.abs(epsilon).max() <= 1
    target = method.target(0.2)
    error = np.abs(epsilon).std() / math.sqrt(len(epsilon))
    assert abs(np.abs(epsilon).mean() - target) < 5 * error
    assert abs(epsilon.mean()) < 5 * epsilon.std() / math.sqrt(len(epsilon))
    assert tie.min() >= 0
    assert tie.max() < 1


def test_no_variance_no_target():
    assert NoiseAddition().target(0) == 0
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(ParameterError, match="variance"):
            NoiseAddition().target(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"alpha": it} for it in (0, -1, math.nan, math.inf, "0.3", None, True, 10**400, 1j)),
        {"distribution": "gauss"},
        {"strategy": "fixed"},
        {"operators": None},
    ],
)
def test_wrong_settings(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        NoiseAddition(**wrong)


# ---------------------------------------------------------------- one value at a time

COLUMN = {"influenza": 4, "hepatitis B": 3, "common cold": 2, "sprain": 1}


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("operators", ["semantic", "classic"])
def test_single_values_have_the_chances_of_a_table(diagnoses, strategy, operators):
    method = NoiseAddition(0.3, strategy=strategy, operators=operators)
    fitted = method.fit(COLUMN, diagnoses, domain="taxonomy")
    records = 4_000
    times = 20  # more of them, so that the chances are known well
    column = [value for value, count in COLUMN.items() for _ in range(count * records * times)]
    table = of_one(planned([(column, diagnoses)], method))
    for value, count in COLUMN.items():
        single = Counter(fitted.mask_value(value) for _ in range(records))
        many = Counter(fitted.mask_values([value] * records))
        for concept in diagnoses:
            expected = table[value, concept] / count / times
            for found in (single, many):
                assert abs(found[concept] - expected) < 6 * math.sqrt(expected + 1)


def test_mean_and_variance_are_those_of_the_statistics(diagnoses):
    fitted = NoiseAddition().fit(COLUMN, diagnoses, "wu_palmer")
    domain = diagnoses.domain(list(COLUMN))
    assert fitted.mean == om.semantic_mean(COLUMN, domain, "wu_palmer")
    assert fitted.variance == pytest.approx(om.semantic_variance(COLUMN, domain, "wu_palmer"))
    assert fitted.domain == domain
    assert fitted.counts is None
    classic = NoiseAddition(operators="classic").fit(COLUMN, diagnoses)
    assert classic.mean == "influenza"
    assert classic.variance == pytest.approx(6 / 10)


def test_names_and_values_not_seen_before(diagnoses):
    fitted = NoiseAddition().fit(["flu", "Hepatitis B", "hepatitis B"], diagnoses)
    assert fitted.domain.root == "viral infection"
    for value in ("flu", "INFLUENZA", "common cold", "viral infection"):
        assert fitted.mask_value(value) in fitted.domain
    assert fitted.mask_value("flu", 3) == fitted.mask_value("influenza", 3)


def test_random_numbers(diagnoses):
    fitted = NoiseAddition().fit(COLUMN, diagnoses)
    column = list(COLUMN) * 20
    assert fitted.mask_values(column, 5) == fitted.mask_values(column, 5)
    assert fitted.mask_values(column) != fitted.mask_values(column)
    generator = np.random.default_rng(5)
    assert fitted.mask_values(column, generator) == fitted.mask_values(column, 5)
    assert fitted.mask_values(column, generator) != fitted.mask_values(column, 5)
    assert fitted.mask_values([]) == []
    for wrong in (-1, 0.5, True, "secret"):
        with pytest.raises(ParameterError, match="random") as caught:
            fitted.mask_value("sprain", wrong)
        assert "secret" not in str(caught.value)


def test_copies_do_not_share_random_numbers(diagnoses, tmp_path):
    fitted = NoiseAddition().fit(COLUMN, diagnoses)
    fitted.mask_value("sprain")
    column = list(COLUMN) * 20
    copy = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    fitted.save(tmp_path / "noise.json")
    loaded = NoiseAddition.load(tmp_path / "noise.json")
    outcomes = [[it.mask_value(value) for value in column] for it in (fitted, copy, loaded)]
    assert len(set(map(tuple, outcomes))) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forks_do_not_share_random_numbers(diagnoses):
    fitted = NoiseAddition().fit(COLUMN, diagnoses)
    column = list(COLUMN) * 20
    fitted.mask_value("sprain")
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, json.dumps([fitted.mask_value(value) for value in column]).encode())
        os._exit(0)
    os.wait()
    os.close(write)
    with os.fdopen(read) as told:
        assert json.load(told) != [fitted.mask_value(value) for value in column]


def test_what_is_shown_is_no_data(diagnoses):
    fitted = NoiseAddition(0.2).fit(COLUMN, diagnoses)
    assert repr(fitted) == (
        "FittedNoise(NoiseAddition(alpha=0.2, distribution='normal', strategy='semantic', "
        f"operators='semantic', bounds='none'), 'sanchez' in {diagnoses!r})"
    )


def test_values_outside(diagnoses):
    fitted = NoiseAddition().fit(["influenza", "common cold"], diagnoses)
    with pytest.raises(UnknownValueError, match=f"'sprain'.*below {fitted.domain.root!r}"):
        fitted.mask_value("sprain")
    for call in (fitted.mask_value, lambda value: fitted.mask_values([value])):
        for missing in (None, math.nan):
            with pytest.raises(UnknownValueError, match="missing"):
                call(missing)
        for wrong in (2.5, ["influenza"], {}, True):
            with pytest.raises(ParameterError, match=type(wrong).__name__):
                call(wrong)
    with pytest.raises(ParameterError, match="values must be a list or a column, got the text"):
        fitted.mask_values("influenza")


def test_a_name_of_several_concepts():
    domain = om.Taxonomy.from_edges([("n1", "r"), ("n2", "r")], labels={"n1": "cold", "n2": "cold"})
    fitted = NoiseAddition().fit(["n1", "n2"], domain)
    with pytest.raises(UnknownValueError, match="'n1', 'n2'"):
        fitted.mask_value("cold")


def test_wrong_columns(diagnoses):
    fit = NoiseAddition().fit
    with pytest.raises(UnknownValueError, match="hepatits"):
        fit(["sprain", "hepatits"], diagnoses)
    with pytest.raises(ParameterError, match="missing"):
        fit(["sprain", None], diagnoses)
    with pytest.raises(ParameterError, match="at least two different values"):
        fit([], diagnoses)
    with pytest.raises(ParameterError, match="one value"):
        fit(["flu", "influenza"], diagnoses)
    with pytest.raises(ParameterError, match="variance 0"):
        fit(COLUMN, diagnoses, lambda *_: 0.0)
    with pytest.raises(UnknownMeasureError):
        fit(COLUMN, diagnoses, "sanches")
    with pytest.raises(UnknownConceptError):
        fit(COLUMN, diagnoses, domain="ailment")
    with pytest.raises(UnknownValueError, match="not below 'viral infection'.*'sprain'"):
        fit(COLUMN, diagnoses, domain="viral infection")
    with pytest.raises(ParameterError, match="taxonomy"):
        fit(COLUMN, None)


# ---------------------------------------------------------------- files


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strategy", "name"), each_with(STRATEGIES, ["noise.json", "noise.json.gz"])
)
def test_saved_and_loaded_in_another_process(diagnoses, tmp_path, strategy, name):
    method = NoiseAddition(0.7, "laplace", strategy)
    fitted = method.fit(COLUMN, diagnoses, "wu_palmer", domain="taxonomy")
    path = tmp_path / name
    fitted.save(path)
    code = (
        "import sys, json; from ontomask.methods import NoiseAddition\n"
        "noise = NoiseAddition.load(sys.argv[1])\n"
        "print(json.dumps([repr(noise), noise.mean, noise.variance, noise.counts,"
        " noise.mask_values(['flu', 'sprain', 'hepatitis'] * 30, 8)]))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert json.loads(told.stdout) == [
        repr(fitted),
        fitted.mean,
        fitted.variance,
        fitted.counts,
        fitted.mask_values(["flu", "sprain", "hepatitis"] * 30, 8),
    ]
    loaded = NoiseAddition.load(path)
    assert loaded.domain == fitted.domain
    assert loaded.method == method


@given(data=st.data())
def test_any_domain_survives_a_file(data, tmp_path_factory):
    domain = data.draw(taxonomies(max_concepts=12).filter(lambda it: len(it) > 1))
    column = data.draw(columns(domain))
    path = tmp_path_factory.mktemp("noise") / "noise.json"
    try:
        fitted = NoiseAddition().fit(column, domain)
    except ParameterError:
        return
    fitted.save(path)
    loaded = NoiseAddition.load(path)
    assert loaded.domain == fitted.domain
    assert loaded.mask_values(column, 1) == fitted.mask_values(column, 1)


def test_the_file_says_no_more_than_it_must(diagnoses, tmp_path):
    fitted = NoiseAddition().fit(COLUMN, diagnoses)
    fitted.mask_value("sprain")
    fitted.save(tmp_path / "noise.json")
    kept = json.loads((tmp_path / "noise.json").read_text())
    settings = {"alpha", "distribution", "strategy", "operators", "measure", "mean", "variance"}
    assert set(kept) == {"kind", "version", "domain", *settings}
    NoiseAddition(strategy="naive").fit(COLUMN, diagnoses).save(tmp_path / "counts.json")
    assert json.loads((tmp_path / "counts.json").read_text())["counts"] == COLUMN


def test_files_are_not_overwritten(diagnoses, tmp_path):
    fitted = NoiseAddition().fit(COLUMN, diagnoses)
    fitted.save(tmp_path / "noise.json")
    with pytest.raises(ParameterError, match="exists"):
        fitted.save(tmp_path / "noise.json")
    fitted.save(tmp_path / "noise.json", force=True)
    assert [it.name for it in tmp_path.iterdir()] == ["noise.json"]


def test_a_function_cannot_be_saved(diagnoses, tmp_path):
    fitted = NoiseAddition().fit(COLUMN, diagnoses, plain.sanchez)
    assert fitted.mask_value("sprain") in diagnoses
    with pytest.raises(ParameterError, match="is a Python function and cannot be saved"):
        fitted.save(tmp_path / "noise.json")
    assert not list(tmp_path.iterdir())
    NoiseAddition().fit(COLUMN, diagnoses, om.distances.sanchez).save(tmp_path / "noise.json")
    assert NoiseAddition.load(tmp_path / "noise.json").measure == "sanchez"


def changed(content, *path, to):
    *way, last = path
    for step in way:
        content = content[step]
    content[last] = to


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("kind",), "a letter", "not a file"),
        (("version",), 2, "format version 2"),
        (("version",), "1", "format version"),
        (("alpha",), -1, "alpha"),
        (("alpha",), "1", "alpha"),
        (("strategy",), "fixed", "strategy"),
        (("measure",), "sanches", "measure"),
        (("measure",), ["sanchez"], "damaged"),
        (("mean",), "ailment", "ailment"),
        (("mean",), 3, "concept"),
        (("variance",), 0.0, "variance"),
        (("variance",), math.nan, "variance"),
        (("counts",), {"sprain": 1}, "two values"),
        (("counts",), {"sprain": 1, "ailment": 2}, "ailment"),
        (("counts",), {"sprain": 1, "influenza": 0}, "positive integers"),
        (("counts",), None, "damaged"),
        (("domain",), [], "damaged"),
        (("domain", "identifiers"), ["disease", "disease"], "numbers of concepts, links and names"),
        (("domain", "identifiers", 1), 7, "not text"),
        (("domain", "parents", 0), [1], "link"),
        (("domain", "parents", 1), [], "root"),
        (("domain", "parents", 1), [99], "link"),
        (("domain", "parents", 1), [-1], "link"),
        (("domain", "parents", 1), ["0"], "link"),
        (("domain", "parents", 1), [1], "link"),
        (("domain", "labels"), [], "numbers of concepts, links and names"),
        (("domain", "aliases"), {"x": "ailment"}, "ailment"),
    ],
)
def test_damaged_files(diagnoses, tmp_path, path, to, message):
    file = tmp_path / "noise.json"
    NoiseAddition(strategy="naive").fit(COLUMN, diagnoses, domain="taxonomy").save(file)
    content = json.loads(file.read_text())
    changed(content, *path, to=to)
    file.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match=message):
        NoiseAddition.load(file)


def test_files_of_another_kind(diagnoses, tmp_path):
    file = tmp_path / "noise.json"
    with pytest.raises(FileFormatError, match="cannot be read"):
        NoiseAddition.load(file)
    NoiseAddition().fit(COLUMN, diagnoses).save(file)
    whole = file.read_bytes()
    packed = gzip.compress(whole)
    for content in (b"", b"[]", b"[" * 100_000, whole[:-9], packed[:-9], b"\xff\xfe", b'{"a": 1}'):
        file.write_bytes(content)
        with pytest.raises(FileFormatError, match="not a file that"):
            NoiseAddition.load(file)
    content = json.loads(whole)
    del content["mean"]
    file.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match="lacks 'mean'"):
        NoiseAddition.load(file)
