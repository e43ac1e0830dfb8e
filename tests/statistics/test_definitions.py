"""Every statistic equals its plain definition over records, whatever the counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
from ontomask.errors import ParameterError, UnknownValueError
from strategies import columns, taxonomies

MEASURES = ["sanchez", "wu_palmer", "wu_palmer_depth", "path", "lin", "equality"]


@st.composite
def filled(draw, max_concepts=9):
    taxonomy = draw(taxonomies(max_concepts))
    return taxonomy, draw(columns(taxonomy)), draw(st.sampled_from(MEASURES))


@st.composite
def filled_twice(draw):
    tax_x, tax_y = draw(taxonomies(8)), draw(taxonomies(8))
    x = draw(columns(tax_x, max_records=9))
    y = draw(st.lists(st.sampled_from(tax_y.identifiers), min_size=len(x), max_size=len(x)))
    return tax_x, x, tax_y, y, draw(st.sampled_from(MEASURES))


@given(filled())
def test_mean_and_variance(case):
    tax, values, measure = case
    by_definition = plain.DISTANCES[measure]
    for candidates in ("domain", "hierarchy", "values"):
        mean = om.semantic_mean(values, tax, measure, candidates)
        assert mean == plain.semantic_mean(tax, values, by_definition, candidates)
        variance = om.semantic_variance(values, tax, measure, candidates)
        expected = plain.semantic_variance(tax, values, by_definition, candidates)
        assert variance == pytest.approx(expected, abs=1e-12)


@given(filled())
def test_marginality_its_mean_and_variance(case):
    tax, values, measure = case
    by_definition = plain.DISTANCES[measure]
    expected = plain.marginality(tax, values, by_definition)
    np.testing.assert_allclose(om.marginality(values, tax, measure), expected, atol=1e-12)
    assert om.marginality_mean(values, tax, measure) == pytest.approx(min(expected), abs=1e-12)
    assert om.marginality_variance(values, tax, measure) == pytest.approx(
        plain.marginality_variance(tax, values, by_definition), abs=1e-12
    )


@given(filled_twice())
def test_covariances_and_correlation(case):
    tax_x, x, tax_y, y, measure = case
    by_definition = plain.DISTANCES[measure]
    assert om.marginality_covariance(x, tax_x, y, tax_y, measure) == pytest.approx(
        plain.marginality_covariance(tax_x, x, tax_y, y, by_definition), abs=1e-9
    )
    # The root of a sum that is 0 up to rounding is 0 up to the root of rounding.
    covariance = plain.distance_covariance(tax_x, x, tax_y, y, by_definition)
    assert om.distance_covariance(x, tax_x, y, tax_y, measure) == pytest.approx(
        covariance, abs=1e-7
    )
    variance = plain.distance_covariance(tax_x, x, tax_x, x, by_definition)
    assert om.distance_variance(x, tax_x, measure) == pytest.approx(variance, abs=1e-7)
    if len(set(x)) > 1 and len(set(y)) > 1 and covariance > 1e-6:
        expected = plain.distance_correlation(tax_x, x, tax_y, y, by_definition)
        got = om.distance_correlation(x, tax_x, y, tax_y, measure)
        assert got == pytest.approx(expected, abs=1e-6)
        assert 0 <= got <= 1


@given(filled())
def test_a_column_goes_with_itself(case):
    tax, values, measure = case
    assert om.marginality_covariance(values, tax, values, tax, measure) == pytest.approx(
        om.marginality_variance(values, tax, measure), abs=1e-9
    )
    correlation = om.distance_correlation(values, tax, values, tax, measure)
    assert correlation == pytest.approx(1 if len(set(values)) > 1 else 0)


@given(filled())
def test_records_or_counts_and_any_order_give_the_same(case):
    tax, values, measure = case
    counts = dict(Counter(values))
    backwards = values[::-1]
    for statistic in (om.semantic_mean, om.semantic_variance, om.marginality_variance):
        told = statistic(values, tax, measure)
        assert statistic(counts, tax, measure) == told
        assert statistic(backwards, tax, measure) == told
    assert (
        om.marginality(backwards, tax, measure)[::-1] == om.marginality(values, tax, measure)
    ).all()
    of_distinct = dict(zip(counts, om.marginality(counts, tax, measure), strict=True))
    assert [of_distinct[v] for v in values] == om.marginality(values, tax, measure).tolist()


def test_ties_go_to_the_deepest_then_the_first_by_identifier():
    tax = om.Taxonomy.from_edges([("b", "r"), ("a", "r"), ("deep", "b")])
    assert om.semantic_mean(["a", "b"], tax, "equality") == "a"
    assert om.semantic_mean(["a", "deep"], tax, "equality") == "deep"
    # ten thousand times the same sum in another order is the same sum
    assert om.semantic_mean({"a": 9999, "b": 9999}, tax, "equality") == "a"


def test_one_record_and_one_value(diagnoses):
    for values in (["sprain"], ["sprain"] * 5):
        assert om.semantic_mean(values, diagnoses) == "sprain"
        assert om.semantic_variance(values, diagnoses) == 0
        assert om.marginality(values, diagnoses).tolist() == [0] * len(values)
        assert om.distance_variance(values, diagnoses) == 0
        assert om.distance_correlation(values, diagnoses, values, diagnoses) == 0


def test_independent_columns_have_no_correlation(diagnoses):
    x = ["sprain", "influenza"] * 2
    y = ["hepatitis", "hepatitis", "injury", "injury"]
    assert om.distance_correlation(x, diagnoses, y, diagnoses) == pytest.approx(0, abs=1e-7)


def test_blocks_change_nothing(monkeypatch, icd9):
    rng = np.random.default_rng(3)
    codes = np.array(icd9.identifiers)[rng.choice(len(icd9), 60, replace=False)]
    x, y = rng.choice(codes, 400).tolist(), rng.choice(codes, 400).tolist()
    whole = om.distance_correlation(x, icd9, y, icd9)
    monkeypatch.setattr("ontomask.statistics.association.CELLS", 500)
    assert om.distance_correlation(x, icd9, y, icd9) == pytest.approx(whole, rel=1e-12)


def test_aliases_are_the_concepts_they_stand_for():
    tax = om.Taxonomy.from_edges([("a", "r"), ("b", "r")], aliases={"alias of a": "a"})
    assert om.semantic_mean(["alias of a", "a", "b"], tax) == "a"
    assert om.marginality(["alias of a", "b"], tax)[0] == om.distance(tax, "a", "b")
    x = ["alias of a", "a", "b"]
    assert om.distance_correlation(x, tax, ["a", "a", "b"], tax) == pytest.approx(1)


def test_the_centroid_is_the_mean_of_each_attribute(diagnoses):
    columns = [["hepatitis B", "hepatitis C", "hepatitis"], ["sprain", "sprain", "injury"]]
    assert om.centroid(columns, [diagnoses] * 2) == tuple(
        plain.semantic_mean(diagnoses, values, plain.sanchez, "hierarchy") for values in columns
    )
    with pytest.raises(
        ParameterError, match="columns and taxonomies must have the same length, got 2 and 1"
    ):
        om.centroid(columns, [diagnoses])


def test_the_weighted_distance_counts_every_record(diagnoses):
    taxonomies_ = [diagnoses, diagnoses]
    d = om.weighted_distance(taxonomies_, ["sprain", "injury"], ["fracture", "injury"], count=3)
    assert d == pytest.approx(3 * (plain.sanchez(diagnoses, "sprain", "fracture") + 0) / 2)
    with pytest.raises(ParameterError, match="for each attribute"):
        om.weighted_distance(taxonomies_, ["sprain"], ["fracture", "injury"])


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ([], ParameterError, "values must have at least one value, got none"),
        ({}, ParameterError, "values must have at least one value, got none"),
        (["sprain", None], ParameterError, "values must not be missing, got 1 missing of 2 values"),
        (["sprain", float("nan")], ParameterError, "missing"),
        ("sprain", ParameterError, "values must be a list or a column, got the text 'sprain'"),
        (
            {"sprain": -1},
            ParameterError,
            "counts must be non-negative integers, got -1 for 'sprain'",
        ),
        (
            {"sprain": 0.5},
            ParameterError,
            r"counts must be non-negative integers, got 0\.5 for 'sprain'",
        ),
        (["flu", "flu", "sprain"], UnknownValueError, r"'flu' \(2\)"),
    ],
)
def test_wrong_columns_are_refused(diagnoses, values, error, message):
    with pytest.raises(error, match=message):
        om.semantic_mean(values, diagnoses)


def test_wrong_arguments_are_refused(diagnoses):
    with pytest.raises(ParameterError, match="'domain', 'hierarchy' or 'values'"):
        om.semantic_mean(["sprain"], diagnoses, candidates="everything")
    with pytest.raises(ParameterError, match="both columns must have the same length, got 1 and 2"):
        om.distance_covariance(["sprain"], diagnoses, ["sprain"] * 2, diagnoses)
    with pytest.raises(ParameterError, match="dict of counts"):
        om.distance_covariance({"sprain": 1}, diagnoses, ["sprain"], diagnoses)


def test_columns_of_every_kind(diagnoses):
    pandas, polars, pyarrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    values = ["sprain", "injury", "injury", "hepatitis"]
    kinds = [
        values,
        tuple(values),
        iter(values),
        np.array(values),
        np.array(values, dtype=object),
        pandas.Series(values),
        pandas.Series(values, dtype="category"),
        polars.Series(values),
        polars.Series(values, dtype=polars.Categorical),
        pyarrow.array(values),
        pyarrow.chunked_array([values[:1], values[1:]]),
    ]
    for kind in kinds:
        assert om.semantic_mean(kind, diagnoses) == om.semantic_mean(values, diagnoses)
    expected = om.distance_covariance(values, diagnoses, values[::-1], diagnoses)
    for kind in kinds[3:]:
        assert om.distance_covariance(kind, diagnoses, values[::-1], diagnoses) == expected
        assert (om.marginality(kind, diagnoses) == om.marginality(values, diagnoses)).all()


def test_marginality_of_values_that_no_record_holds(diagnoses):
    counts = {"hepatitis B": 3, "sprain": 0, "influenza": 1}
    expected = [
        3 * plain.sanchez(diagnoses, v, "hepatitis B") + plain.sanchez(diagnoses, v, "influenza")
        for v in counts
    ]
    assert om.marginality(counts, diagnoses) == pytest.approx(expected)


def test_a_generator_is_read_once(diagnoses):
    values = ["sprain", "injury"]
    from_generator = om.marginality((v for v in values), diagnoses)
    assert (from_generator == om.marginality(values, diagnoses)).all()


def test_whole_numbers_name_concepts_too():
    zips = om.Taxonomy.from_prefixes([43201, 43007, 8001], lengths=2)
    assert om.distance(zips, 43201, 43007) == om.distance(zips, "43201", "43007")
    assert om.distance_correlation([43201, 8001], zips, [8001, 43007], zips) == pytest.approx(1)
    with pytest.raises(ParameterError, match="read the column as text"):
        om.semantic_mean([43201.0], zips)
