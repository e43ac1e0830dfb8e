"""The papers' own examples.

SF: semantic framework; MA: marginality; RS: rank swapping; NO: semantic noise. Where a printed
figure is a misprint, the comment says what it must be.
"""

from __future__ import annotations

import numpy as np
import pytest

import ontomask as om
from experiments.papers.no import OCCUPATIONS, SAMPLE


@pytest.fixture
def sf_figure_1():
    edges = [
        ("degenerative disorder", "disease"),
        ("asbestosis", "degenerative disorder"),
        ("Z", "degenerative disorder"),
        ("amyotrophia", "Z"),
        ("myofibrosis", "Z"),
        ("Y", "disease"),
        ("allergy", "Y"),
        ("squint", "Y"),
    ]
    return om.Taxonomy.from_edges(edges)


def test_sf_table_1(sf_figure_1):
    values = [
        "asbestosis",
        "amyotrophia",
        "myofibrosis",
        "allergy",
        "squint",
        "degenerative disorder",
    ]
    printed = [
        [0, 0.68, 0.68, 0.85, 0.85, 0.42],
        [0.68, 0, 0.49, 0.87, 0.87, 0.58],
        [0.68, 0.49, 0, 0.87, 0.87, 0.58],
        [0.85, 0.87, 0.87, 0, 0.58, 0.81],
        [0.85, 0.87, 0.87, 0.58, 0, 0.81],
        [0.42, 0.58, 0.58, 0.81, 0.81, 0],
    ]
    assert om.distance_matrix(sf_figure_1, values).round(2).tolist() == printed


def test_sf_example_3(sf_figure_1):
    # The text counts asbestosis twice; its sums and its remark on modal values need three.
    counts = {
        "asbestosis": 3,
        "degenerative disorder": 2,
        "amyotrophia": 2,
        "myofibrosis": 2,
        "allergy": 3,
        "squint": 1,
    }
    assert om.semantic_mean(counts, sf_figure_1, candidates="hierarchy") == "degenerative disorder"
    sums = dict(zip(counts, om.marginality(counts, sf_figure_1).round(2), strict=True))
    assert sums["degenerative disorder"] == 6.81
    assert sums["asbestosis"] == 6.93
    assert sums["allergy"] == 8.24
    one_by_one = sum(
        om.weighted_distance([sf_figure_1], ["allergy"], [value], count)
        for value, count in counts.items()
    )
    assert round(one_by_one, 2) == 8.24


@pytest.fixture
def ma_figure_1():
    children = {
        "disease": ["neoplasm", "mental disorder", "disease of nervous system"],
        "neoplasm": ["lung cancer"],
        "mental disorder": ["paranoia", "schizophrenia", "dementia"],
        "dementia": ["vascular dementia", "Alzheimer"],
        "disease of nervous system": ["meningitis", "multiple sclerosis", "X"],
        "X": ["Alzheimer"],
    }
    return om.Taxonomy.from_edges([(c, p) for p, below in children.items() for c in below])


MA_SAMPLE = [
    "lung cancer",
    "paranoia",
    "schizophrenia",
    "vascular dementia",
    "Alzheimer",
    "Alzheimer",
    "meningitis",
    "meningitis",
    "multiple sclerosis",
]


def test_ma_example_1(ma_figure_1):
    # Printed 0.65 for Alzheimer and meningitis or multiple sclerosis; eq. 1 gives 0.78.
    printed = np.array(
        [
            [0, 0.85, 0.85, 0.87, 0.91, 0.91, 0.85, 0.85, 0.85],
            [0.85, 0, 0.58, 0.68, 0.78, 0.78, 0.85, 0.85, 0.85],
            [0.85, 0.58, 0, 0.68, 0.78, 0.78, 0.85, 0.85, 0.85],
            [0.87, 0.68, 0.68, 0, 0.65, 0.65, 0.87, 0.87, 0.87],
            [0.91, 0.78, 0.78, 0.65, 0, 0, 0.78, 0.78, 0.78],
            [0.91, 0.78, 0.78, 0.65, 0, 0, 0.78, 0.78, 0.78],
            [0.85, 0.85, 0.85, 0.87, 0.78, 0.78, 0, 0, 0.58],
            [0.85, 0.85, 0.85, 0.87, 0.78, 0.78, 0, 0, 0.58],
            [0.85, 0.85, 0.85, 0.87, 0.78, 0.78, 0.58, 0.58, 0],
        ]
    )
    assert (om.distance_matrix(ma_figure_1, MA_SAMPLE).round(2) == printed).all()
    marginalities = om.marginality(MA_SAMPLE, ma_figure_1).round(2).tolist()
    assert marginalities == [6.93, 6.21, 6.21, 6.16, 5.45, 5.45, 5.56, 5.56, 6.14]


def test_ma_examples_2_and_3(ma_figure_1):
    assert om.semantic_mean(MA_SAMPLE, ma_figure_1, candidates="values") == "Alzheimer"
    assert round(om.marginality_mean(MA_SAMPLE, ma_figure_1), 2) == 5.45
    assert round(om.marginality_variance(MA_SAMPLE, ma_figure_1), 2) == 5.96


def test_rs_figure_4():
    root = "disorder of nervous system"
    edges = [
        ("coma", root),
        ("hepatic coma", "coma"),
        ("hypoglycemic coma", "coma"),
        ("neuropathy", root),
        ("neurological varicella", root),
        ("herpes zoster ophthalmicus", "neurological varicella"),
        ("herpes zoster auricularis", "neurological varicella"),
    ]
    tax = om.Taxonomy.from_edges(edges)
    distance = om.distance(tax, "hepatic coma", "herpes zoster ophthalmicus", "wu_palmer")
    assert round(distance, 2) == 0.67
    sample = [root, *(child for child, _ in edges)]
    outlying = om.marginality(sample, tax, "wu_palmer")
    assert sample[int(outlying.argmax())] == "neuropathy"


def with_farmer_at_agricultural_laborer(counts):
    return {c.replace("farmer.n.01", "agricultural_laborer.n.01"): n for c, n in counts.items()}


@pytest.fixture(scope="module")
def person(wordnet):
    return wordnet.domain(root="person.n.01")


def test_no_section_4_distances(person):
    printed = {
        ("skilled_worker.n.01", "employee.n.01"): 0.33,
        ("skilled_worker.n.01", "craftsman.n.03"): 0.14,
        ("laborer.n.01", "craftsman.n.03"): 0.56,
        ("technician.n.01", "craftsman.n.03"): 0.25,
    }
    assert person.depth("person.n.01") == 1
    for (a, b), distance in printed.items():
        assert round(om.distance(person, a, b, "wu_palmer_depth"), 2) == distance


def test_no_section_4_mean_and_variance_of_all_occupations(person):
    # No reading with the literal farmer gives the printed 0.23; agricultural laborer does.
    other = with_farmer_at_agricultural_laborer(OCCUPATIONS)
    for counts, variance in [(OCCUPATIONS, 0.246), (other, 0.235)]:
        assert om.semantic_mean(counts, person, "wu_palmer_depth") == "employee.n.01"
        assert round(om.semantic_variance(counts, person, "wu_palmer_depth"), 3) == variance


def test_no_section_4_mean_and_variance_of_the_sample(person):
    counts = with_farmer_at_agricultural_laborer(SAMPLE)
    assert om.semantic_mean(counts, person, "wu_palmer_depth") == "craftsman.n.03"
    assert round(om.semantic_variance(counts, person, "wu_palmer_depth"), 3) == 0.129
