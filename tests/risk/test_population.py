"""k-map, δ-presence, individual risk and population uniques, against published numbers and sums."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy  # its parts take a second to load, each when it is first used
from hypothesis import given
from hypothesis import strategies as st

from ontomask import risk
from ontomask.errors import ParameterError
from strategies import examples

#: Sizes of the classes on the nine columns of Adult (30,162 records): number of classes by size.
ADULT = (
    {1: 15512, 2: 2098, 3: 754, 4: 375, 5: 189, 6: 155, 7: 97, 8: 73, 9: 39, 10: 37, 11: 29}
    | {12: 18, 13: 23, 14: 14, 15: 15, 16: 9, 17: 11, 18: 10, 19: 10, 20: 5, 21: 3, 22: 4, 23: 3}
    | {24: 2, 25: 1, 26: 3, 27: 5, 29: 1, 30: 2, 32: 1, 34: 1, 35: 1, 36: 1, 45: 1}
)


def classes(histogram):
    return np.repeat(list(histogram), list(histogram.values()))


# ---------------------------------------------------------------------- individual risk


def posterior_risk(f, F):
    """E[1/F | f] by its definition: F is f plus the failures before the f-th success."""
    p = f / F
    failures = np.arange(0, 200 * int(F) + 1000)
    return float((scipy.stats.nbinom.pmf(failures, f, p) / (f + failures)).sum())


@pytest.mark.parametrize(("f", "F"), [(1, 17), (1, 541), (2, 84.5), (3, 108), (7, 22.5), (40, 90)])
def test_individual_risk_is_the_posterior_mean(f, F):
    (found,) = risk.individual_risk(np.array([f]), np.array([F]))
    assert found == pytest.approx(posterior_risk(f, F), rel=1e-6)


def test_individual_risk_closed_forms():
    p1, p2 = 1 / 17, 2 / 100
    found = risk.individual_risk(np.array([1, 2]), np.array([17.0, 100.0]))
    assert found == pytest.approx(
        [
            p1 / (1 - p1) * math.log(1 / p1),
            p2 / (1 - p2) - (p2 / (1 - p2)) ** 2 * math.log(1 / p2),
        ]
    )


def test_individual_risk_of_the_test_table_of_sdcmicro():
    """tests/testthat/test_indivRisk.R of sdcMicro 5: classes A, B, D, E, G with weights."""
    sizes, weights = np.array([3, 1, 1, 2, 1]), np.array([108.0, 45.5, 17.0, 100.0, 123.5])
    assert risk.individual_risk(sizes, weights) == pytest.approx(
        [0.01355297, 0.08579129, 0.17707583, 0.01877883, 0.03931625], abs=1e-8
    )
    assert risk.individual_risk(sizes, weights, exact=False) == pytest.approx(
        [0.01369863, 0.08579129, 0.17707583, 0.01877883, 0.03931625], abs=1e-8
    )
    assert risk.expected_reidentifications(sizes, weights, exact=False) == pytest.approx(
        3 * 0.01369863 + 0.08579129 + 0.17707583 + 2 * 0.01877883 + 0.03931625, abs=1e-7
    )


def test_a_sample_that_is_the_population_has_the_prosecutor_risk():
    sizes = np.array([1, 2, 5, 400])
    for population in (sizes.astype(float), sizes / 2):  # fewer people than records cannot be
        assert risk.individual_risk(sizes, population) == pytest.approx(1 / sizes)
    assert risk.expected_reidentifications(sizes, sizes.astype(float)) == pytest.approx(4)


def test_individual_risk_of_large_classes_is_finite():
    found = risk.individual_risk(np.array([10**6, 10**9]), np.array([2.0e6, 3.0e11]))
    assert found == pytest.approx([0.5e-6, 1 / 3e11], rel=1e-3)


# ---------------------------------------------------------------------- k-map, presence


def test_k_map_and_presence_by_hand():
    sizes, population = np.array([3, 2, 5]), np.array([12.0, 40.0, 5.0])
    assert risk.k_map(population) == 5
    assert risk.presence(sizes, population) == (2 / 40, 1.0)
    assert risk.presence(np.append(sizes, 0), np.append(population, 9.0)) == (0.0, 1.0)
    none = np.zeros(0)
    assert (risk.k_map(none), risk.presence(none.astype(int), none)) == (0, (0, 0))


def test_a_class_without_people_is_present_for_certain():
    assert risk.presence(np.array([2]), np.array([0.0])) == (1, 1)


def test_one_number_per_class_is_needed():
    for measure in (risk.presence, risk.individual_risk, risk.expected_reidentifications):
        with pytest.raises(ParameterError, match="one number per class, got 2 for 1 classes"):
            measure(np.array([1]), np.array([1.0, 2.0]))


# ---------------------------------------------------------------------- population uniques


def test_the_uniqueness_of_adult_in_the_tests_of_arx():
    """TestRiskMetrics.testDecisionRule2 of ARX 3.9: shares of the population."""
    sizes, n = classes(ADULT), 30162
    for fraction, pitman, zayatz in (
        (0.1, 0.27684993883653597, 0.3207402393466189),
        (0.2, None, 0.3577099234829125),
        (0.01, 0.1446083531167384, None),
        (0.5, 26295.40039041532 / 60324, 26056.918512805987 / 60324),  # not a test there; computed
    ):
        population = round(n / fraction)
        found = risk.population_uniques(sizes, population)
        if pitman is not None:
            assert found.pitman / population == pytest.approx(pitman, abs=1e-8)
            assert fraction > 0.1 or (found.model, found.chosen) == ("pitman", found.pitman)
        if zayatz is not None:
            assert found.zayatz / population == pytest.approx(zayatz, abs=1e-8)
    whole = risk.population_uniques(sizes, n)
    assert whole.chosen / n == pytest.approx(0.5142895033485844)


def slow_zayatz(histogram, population):
    n = sum(size * count for size, count in histogram.items())
    one = {size: scipy.stats.hypergeom.pmf(1, population, size, n) for size in histogram}
    likely = histogram[1] * one[1] / sum(histogram[size] * one[size] for size in histogram)
    return histogram[1] * likely / (n / population)


@pytest.mark.parametrize("population", [30163, 40000, 301620, 10**8])
def test_zayatz_is_the_conditional_probability(population):
    assert risk.zayatz_uniques(classes(ADULT), population) == pytest.approx(
        slow_zayatz(ADULT, population), rel=1e-6
    )


def slow_pitman_likelihood(histogram, theta, alpha):
    n = sum(size * count for size, count in histogram.items())
    u = sum(histogram.values())
    return (
        sum(math.log(theta + i * alpha) for i in range(1, u))
        - sum(math.log(theta + i) for i in range(1, n))
        + sum(
            count * math.log(i - alpha) for size, count in histogram.items() for i in range(1, size)
        )
    )


def test_pitman_maximises_the_likelihood():
    """By a search on a grid that becomes finer, of the likelihood summed term by term."""
    histogram, population = {1: 40, 2: 12, 3: 6, 5: 3, 9: 2, 30: 1}, 5000
    theta, alpha, step_theta, step_alpha = 50.0, 0.5, 45.0, 0.45
    for _ in range(60):
        theta, alpha = max(
            (
                (theta + i * step_theta, alpha + j * step_alpha)
                for i in (-1, 0, 1)
                for j in (-1, 0, 1)
                if theta + i * step_theta >= 0 and 0 < alpha + j * step_alpha < 1
            ),
            key=lambda pair: slow_pitman_likelihood(histogram, *pair),
        )
        step_theta, step_alpha = 0.75 * step_theta, 0.75 * step_alpha
    expected = math.gamma(theta + 1) / math.gamma(theta + alpha) * population**alpha
    assert risk.pitman_uniques(classes(histogram), population) == pytest.approx(expected, rel=1e-3)


def slow_snb(alpha, beta, classes_of_population, pi):
    """The expected number of sample classes of each size, summed over the sizes of classes."""
    expected = Counter()
    for others in range(400):
        share = scipy.stats.nbinom.pmf(others, alpha, beta)
        for size in (*range(1, 60),):
            if size <= others + 1:
                draw = math.comb(others + 1, size) * pi**size * (1 - pi) ** (others + 1 - size)
                expected[size] += classes_of_population * share * draw
    return expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alpha", "beta", "pi"), [(0.6, 0.3, 0.3), (1.5, 0.5, 0.5), (0.3, 0.2, 0.8), (2.0, 0.6, 0.7)]
)
def test_snb_finds_the_model_that_made_the_sample(alpha, beta, pi):
    """With the number of classes given, the expected class counts lead back to its uniques."""
    many = 10**7  # so that whole numbers of classes are as good as expected ones
    expected = slow_snb(alpha, beta, many, pi)
    histogram = {size: round(count) for size, count in expected.items() if round(count)}
    population = round(sum(size * count for size, count in histogram.items()) / pi)
    found = risk.snb_uniques(classes(histogram), population, many)
    assert found == pytest.approx(many * beta**alpha, rel=1e-3)


def test_snb_on_adult_solves_its_two_equations():
    """The estimate stands for a pair (alpha, beta): both expected counts are those of Adult."""
    from scipy.optimize import fsolve

    n, population = 30162, 150810
    pi, sizes, counts = n / population, np.array(list(ADULT)), np.array(list(ADULT.values()))
    unseen, drawn = (1 - pi) ** sizes, sizes * pi * (1 - pi) ** (sizes - 1)
    first = (counts @ (sizes * pi**2 * (1 - pi**2) ** (sizes - 1))) / (
        counts @ (unseen * ((1 + pi) ** sizes - 1))
    )
    k = counts.sum() + ADULT[1] * first * ((counts @ unseen) / (counts @ drawn)) ** 2

    def equations(pair):
        alpha, beta = np.exp(pair[0]), 1 / (1 + np.exp(-pair[1]))
        z = (1 - pi) * (1 - beta)
        one = k * pi * (beta / (1 - z)) ** alpha * (1 + alpha * z / (1 - z))
        two = k * pi**2 * alpha * beta**alpha * (1 - beta) / 2
        two *= (1 - z) ** (-alpha - 2) * (2 - (1 - alpha) * z)
        return [one - ADULT[1], two - ADULT[2]]

    solution, _, status, _ = fsolve(equations, [0.0, 0.0], full_output=True)
    assert status == 1
    expected = k * (1 / (1 + np.exp(-solution[1]))) ** np.exp(solution[0])
    assert risk.snb_uniques(classes(ADULT), population) == pytest.approx(expected, rel=1e-3)


def test_one_class_and_no_uniques_have_no_population_uniques():
    for sizes in (np.array([7]), np.array([2, 3, 3])):
        found = risk.population_uniques(sizes, 1000)
        assert (found.pitman, found.zayatz, found.snb, found.chosen) == (0, 0, 0, 0)


def test_if_all_are_unique_only_zayatz_estimates():
    found = risk.population_uniques(np.ones(11, dtype=int), 55)
    assert (found.pitman, found.snb) == (None, None)
    assert (found.model, found.chosen) == ("zayatz", 55)


def test_a_model_that_does_not_fit_gives_no_number():
    """Nearly equal frequent classes: the likelihood of Pitman grows towards alpha = 0."""
    assert risk.pitman_uniques(np.repeat([20, 21, 22, 1], [40, 40, 40, 2]), 100_000) is None
    assert risk.snb_uniques(np.repeat([1, 3], [5, 5]), 200) is None  # no pairs


@pytest.mark.parametrize("repeated", [1, 2, 40])
def test_a_nearly_unique_table_is_estimated_without_a_wrong_sign(repeated):
    """One pair among many uniques: θ is very large, where digamma functions lose digits."""
    sizes = np.repeat([1, 2], [20_000, repeated])
    for population in (sizes.sum() * 2, 10**6):
        found = risk.pitman_uniques(sizes, int(population))
        assert found is None or 0 < found <= population


@pytest.mark.parametrize("start", [0.0, 0.5, 199.5, 1e4, 1e9])
@pytest.mark.parametrize("end", [1, 2, 50, 2000])
def test_harmonic_sums_are_exact(start, end):
    from ontomask.risk.population.superpopulation import _harmonic_sum

    exact = float(sum(1 / (Fraction(start) + i) for i in range(1, end)))
    assert _harmonic_sum(start, end) == pytest.approx(exact, rel=1e-12)


def test_the_sample_is_not_larger_than_the_population():
    with pytest.raises(ParameterError, match=r"at least the number of records, 3, got 2"):
        risk.population_uniques(np.array([1, 2]), 2)


@examples(30)
@given(
    sizes=st.lists(st.integers(1, 9) | st.integers(1, 400), min_size=1, max_size=60),
    times=st.floats(1, 10_000),
)
def test_every_estimate_is_possible(sizes, times):
    sizes = np.array(sizes)
    population = int(sizes.sum() * times)
    found = risk.population_uniques(sizes, population)
    for estimate in (found.pitman, found.zayatz, found.snb, found.chosen):
        assert estimate is None or 0 <= estimate <= population
    assert found.chosen == getattr(found, found.model)
