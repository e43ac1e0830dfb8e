"""Every measure equals its plain definition, for a pair and in a table."""

from __future__ import annotations

from itertools import combinations, product
from math import isclose, log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
from ontomask.distances import MEASURES, Distances, distance_matrix
from ontomask.errors import ParameterError, UnknownConceptError, UnknownMeasureError
from strategies import taxonomies

EVERY = sorted(plain.DISTANCES)


def test_each_measure_has_a_plain_definition():
    assert set(MEASURES) == set(plain.DISTANCES)


@pytest.mark.parametrize("measure", EVERY)
@given(taxonomy=taxonomies(max_concepts=10))
def test_pair_and_table_equal_the_definition(measure, taxonomy):
    concepts = sorted(taxonomy)
    table = distance_matrix(taxonomy, concepts, measure)
    for (i, a), (j, b) in product(enumerate(concepts), repeat=2):
        expected = plain.DISTANCES[measure](taxonomy, a, b)
        assert isclose(om.distance(taxonomy, a, b, measure), expected, abs_tol=1e-12)
        assert table[i, j] == om.distance(taxonomy, a, b, measure)


@pytest.mark.parametrize("measure", EVERY)
@given(taxonomy=taxonomies())
def test_symmetric_zero_only_for_equal_and_at_most_one(measure, taxonomy):
    table = distance_matrix(taxonomy, list(taxonomy), measure)
    assert (table == table.T).all()
    assert (np.diag(table) == 0).all()
    assert (table[~np.eye(len(table), dtype=bool)] > 0).all()
    assert table.max() <= 1


@given(taxonomy=taxonomies(max_concepts=12))
def test_sanchez_keeps_the_triangle_inequality(taxonomy):
    table = distance_matrix(taxonomy, list(taxonomy), "sanchez")
    through = (table[:, :, None] + table[None, :, :]).min(axis=1)
    assert (table <= through + 1e-12).all()


@given(taxonomy=taxonomies(tree=True))
def test_wu_palmer_by_paths_and_by_depths_agree_on_trees(taxonomy):
    by_paths = distance_matrix(taxonomy, list(taxonomy), "wu_palmer")
    by_depths = distance_matrix(taxonomy, list(taxonomy), "wu_palmer_depth")
    np.testing.assert_allclose(by_paths, by_depths, atol=1e-12)


def test_wu_palmer_by_paths_and_by_depths_differ_on_a_graph_with_two_ways_up():
    # x is one link below the root on one way and three on the other.
    edges = [("a", "root"), ("b", "a"), ("x", "b"), ("x", "root"), ("y", "root")]
    tax = om.Taxonomy.from_edges(edges)
    assert om.distance(tax, "x", "y", "wu_palmer") == 1 - 2 / (2 + 1 + 1)
    assert om.distance(tax, "x", "y", "wu_palmer_depth") == 1 - 2 / (4 + 2)


def test_of_several_deepest_common_ancestors_the_nearest_counts():
    # p and q are equally deep above a and b; a reaches q only by a detour.
    edges = [("p", "r"), ("q", "r"), ("a", "p"), ("d", "q"), ("a", "d"), ("b", "p"), ("b", "q")]
    tax = om.Taxonomy.from_edges(edges)
    assert om.distance(tax, "a", "b", "wu_palmer") == 1 - 4 / (4 + 1 + 1)


def test_influenza_and_hepatitis_by_hand(diagnoses):
    # influenza: itself, viral infection, disease. hepatitis: the last two, liver disease, itself.
    expected = {
        "sanchez": log2(1 + 3 / 5),
        "wu_palmer": 1 - 4 / (4 + 1 + 1),
        "wu_palmer_depth": 1 - 4 / (3 + 3),
        "wu_palmer_links": 1 - 2 / (2 + 1 + 1),
        "path": 2 / 6,
        "leacock_chodorow": log(3) / log(7),
        # 8 leaves in all; 4 below viral infection, 2 below hepatitis
        "resnik": 1 - log(9 / (4 / 2 + 1)) / log(9),
        "lin": 1 - 2 * log(9 / (4 / 2 + 1)) / (log(9) + log(9 / (2 / 4 + 1))),
        "jiang_conrath": (log(9) + log(9 / (2 / 4 + 1)) - 2 * log(9 / (4 / 2 + 1))) / (2 * log(9)),
        "equality": 1,
    }
    for measure, distance in expected.items():
        assert om.distance(diagnoses, "influenza", "hepatitis", measure) == pytest.approx(distance)


def test_disjoint_branches_and_the_root_are_at_distance_one_by_links(diagnoses):
    assert om.distance(diagnoses, "influenza", "sprain", "wu_palmer_links") == 1
    assert om.distance(diagnoses, "influenza", "disease", "wu_palmer_links") == 1
    assert om.distance(diagnoses, "disease", "disease", "wu_palmer_links") == 0


@pytest.mark.parametrize("measure", EVERY)
def test_one_concept_is_at_distance_zero(measure):
    tax = om.Taxonomy.from_edges([("only", None)])
    assert om.distance(tax, "only", "only", measure) == 0
    assert distance_matrix(tax, ["only", "only"], measure).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("measure", EVERY)
def test_a_domain_counts_inside_itself(diagnoses, measure):
    part = diagnoses.domain(root="viral infection")
    assert om.distance(part, "influenza", "hepatitis", measure) == pytest.approx(
        plain.DISTANCES[measure](part, "influenza", "hepatitis")
    )
    assert part.depth("influenza") == 2


@given(data=st.data(), taxonomy=taxonomies())
def test_rectangles_rows_and_blocks_are_cut_from_the_same_table(data, taxonomy):
    some = st.lists(st.sampled_from(taxonomy.identifiers), min_size=1, max_size=9)
    rows, columns = data.draw(some), data.draw(some)
    measure = MEASURES[data.draw(st.sampled_from(EVERY))]
    whole = dict(
        zip(taxonomy, distance_matrix(taxonomy, list(taxonomy), measure.pair), strict=True)
    )
    expected = np.array([whole[row][taxonomy.codes(columns)] for row in rows])
    between = Distances(taxonomy, rows, columns, measure)
    assert (between.table() == expected).all()
    assert (between.row(len(rows) - 1) == expected[-1]).all()
    joined = np.concatenate([block for _, block in between.blocks(cells=len(columns) * 2)])
    assert (joined == expected).all()


def test_a_table_of_many_blocks_equals_its_rows(wordnet):
    rng = np.random.default_rng(7)
    concepts = [wordnet.identifiers[i] for i in rng.choice(len(wordnet), 1500, replace=False)]
    for measure in ("sanchez", "wu_palmer", "lin"):
        between = Distances(wordnet, concepts, measure=measure)
        table = between.table()
        for i in (0, 700, 1499):
            assert (between.row(i) == table[i]).all()
            assert table[i, 5] == om.distance(wordnet, concepts[i], concepts[5], measure)
        assert np.allclose(between.table(np.float32), table, atol=1e-7)


def test_real_multiple_inheritance_against_the_definition(wordnet):
    several = [c for c in wordnet if len(wordnet.parents(c)) > 1][::450]
    for measure, (a, b) in product(
        ("sanchez", "wu_palmer", "wu_palmer_depth", "wu_palmer_links"), combinations(several, 2)
    ):
        expected = plain.DISTANCES[measure](wordnet, a, b)
        assert om.distance(wordnet, a, b, measure) == pytest.approx(expected, abs=1e-12)


def test_too_large_a_table_is_refused_with_its_size(wordnet):
    with pytest.raises(ParameterError, match=r"54 GB.*\n.*\n.*blocks"):
        distance_matrix(wordnet, list(wordnet))


def test_above_the_largest_table_rows_come_on_demand(wordnet):
    between = Distances(wordnet, list(wordnet))
    assert between.row(9)[4] == om.distance(wordnet, wordnet.identifiers[9], wordnet.identifiers[4])


def test_no_concepts_make_an_empty_table(diagnoses):
    assert distance_matrix(diagnoses, []).shape == (0, 0)
    assert Distances(diagnoses, ["sprain"], []).table().shape == (1, 0)


# ---------------------------------------------------------------- measures of one's own


def by_first_letter(taxonomy, a, b):
    return 0.0 if a == b else 0.25 if a[0] == b[0] else 1.0


def test_a_function_is_a_measure(diagnoses):
    concepts = ["hepatitis B", "hepatitis C", "sprain"]
    assert om.distance(diagnoses, "hepatitis B", "hepatitis C", by_first_letter) == 0.25
    assert distance_matrix(diagnoses, concepts, by_first_letter).tolist() == [
        [0, 0.25, 1],
        [0.25, 0, 1],
        [1, 1, 0],
    ]
    assert "by_first_letter" in str(diagnoses.explain("sprain", "injury", by_first_letter))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t, a, b: 2.0, r"the measure '<lambda>' returned 2\.0 for 'disease' and 'disease'"),
        (lambda t, a, b: 0.5, "and itself"),
        (
            lambda t, a, b: float(a < b),
            r"the measure '<lambda>' returned 1\.0 for 'disease' and 'injury', but 0\.0 in ",
        ),
        (
            lambda t, a, b: "far",
            "the measure '<lambda>' returned 'far' for 'disease' and 'disease'",
        ),
        (
            lambda t, a, b: float("nan"),
            "the measure '<lambda>' returned nan for 'disease' and 'disease'",
        ),
    ],
)
def test_a_function_that_is_no_distance_is_refused(diagnoses, wrong, message):
    with pytest.raises(ParameterError, match=message):
        om.distance(diagnoses, "sprain", "injury", wrong)


def test_an_unknown_measure_lists_the_known_ones(diagnoses):
    with pytest.raises(UnknownMeasureError, match="did you mean 'wu_palmer'"):
        om.distance(diagnoses, "sprain", "injury", "wu_palmr")
    with pytest.raises(
        UnknownMeasureError, match="measure must be the name of a measure or a function, got 3"
    ):
        om.distance(diagnoses, "sprain", "injury", 3)


@pytest.mark.parametrize("measure", EVERY)
def test_an_unknown_concept_is_an_error_for_every_measure(diagnoses, measure):
    with pytest.raises(UnknownConceptError, match="did you mean 'sprain'"):
        om.distance(diagnoses, "spain", "spain", measure)


# ---------------------------------------------------------------- in words


@pytest.mark.parametrize("measure", EVERY)
def test_an_explanation_gives_the_distance_and_what_is_shared(diagnoses, measure):
    said = diagnoses.explain("hepatitis B", "influenza", measure)
    assert said.distance == om.distance(diagnoses, "hepatitis B", "influenza", measure)
    assert said.lcs == "viral infection"
    assert said.common == ("viral infection", "disease")
    assert f"{said.distance:.3f}" in said.text
    assert measure in said.text


def test_the_numbers_in_an_explanation_are_the_formula(diagnoses):
    for measure in EVERY:
        text = diagnoses.explain("hepatitis B", "influenza", measure).text
        formula = text.splitlines()[-1].strip()
        if measure == "equality":
            continue
        left, _, right = formula.rpartition(" = ")
        left = left.replace("log2", "log2_").replace("log 4", "log(4)").replace("log 7", "log(7)")
        names = {"log2_": log2, "log": log, "__builtins__": {}}
        # The text is ours: a formula of numbers, checked to be what it says it is.
        assert eval(left, names) == pytest.approx(float(right), abs=2e-3)  # noqa: S307
