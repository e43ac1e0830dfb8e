"""Who of a population matches a released class, against the definition person by person."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from method_tables import attribute
from ontomask import risk
from ontomask.microdata.attributes import MISSING
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.tuples import Transitions, count_tuples
from ontomask.risk.population import (
    PopulationKnowledge,
    SampleCounts,
    evaluate_population,
    matches,
)
from ontomask.risk.population.matches import (
    PopulationColumn,
    PopulationTable,
    count_matches,
    is_generalisation,
)
from risk_plans import plans
from strategies import examples


def fits(a, released, own):
    """Whether a person's own value is one that a released value stands for; None is empty."""
    if released is None:
        return True
    if own is None:
        return False
    if hasattr(a, "domain"):
        return released in a.domain.ancestors(own)
    return released == own


def slow_matches(attributes, released, people):
    return [
        sum(
            all(fits(a, r, o) for a, r, o in zip(attributes, row, person, strict=True))
            for person in people
        )
        for row in released
    ]


def values_of(a, targets):
    if hasattr(a, "domain"):
        return [None if math.isnan(t) else a.candidates[int(t)] or None for t in targets]
    return [t if math.isfinite(t) else None for t in targets]


def population_table(attributes, people):
    """A population, a record each, as the pipeline would count it."""
    columns, codes = [], []
    for j, a in enumerate(attributes):
        nominal = hasattr(a, "domain")
        values = sorted({person[j] for person in people} - {None})
        columns.append(
            PopulationColumn(values if nominal else np.array(values), a.domain if nominal else None)
        )
        codes.append([-1 if p[j] is None else values.index(p[j]) for p in people])
    return PopulationTable(columns, np.array(codes), np.ones(len(people), dtype=np.int64))


@st.composite
def populations(draw, attributes):
    def value(a):
        own = st.sampled_from(a.domain.identifiers) if hasattr(a, "domain") else st.integers(0, 9)
        return st.none() | (own if hasattr(a, "domain") else own.map(float))

    return draw(st.lists(st.tuples(*map(value, attributes)), min_size=1, max_size=25))


@examples(60)
@given(plan=plans(), data=st.data())
@pytest.mark.parametrize("most", [1, matches.MOST_PAIRS])
def test_matches_are_those_of_the_definition(plan, data, most):
    attributes = plan.tuples.attributes
    people = data.draw(populations(attributes))
    table = population_table(attributes, people)
    released = [
        *zip(
            *(values_of(a, t) for a, t in zip(attributes, plan.targets.T, strict=True)),
            strict=False,
        )
    ]
    expected = slow_matches(attributes, released, people)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "MOST_PAIRS", most)
        found, unmatched = count_matches(attributes, plan.targets, table)
    assert found.tolist() == expected
    assert unmatched == sum(
        not any(slow_matches(attributes, [row], [person])[0] for row in released)
        for person in people
    )


@examples(60)
@given(plan=plans(), data=st.data())
@pytest.mark.parametrize("most", [1, matches.MOST_PAIRS])
def test_a_person_with_several_rows_matches_once_by_any_of_them(plan, data, most):
    attributes = plan.tuples.attributes
    rows = data.draw(populations(attributes))
    who = data.draw(st.lists(st.integers(-1, 6), min_size=len(rows), max_size=len(rows)))
    table = replace(population_table(attributes, rows), people=np.array(who))
    released = [
        *zip(
            *(values_of(a, t) for a, t in zip(attributes, plan.targets.T, strict=True)),
            strict=False,
        )
    ]
    rows_of = {p: [row for row, own in zip(rows, who, strict=True) if own == p] for p in {*who}}
    rows_of.pop(-1, None)  # nobody knows who that is
    matched = [
        {p for p, own in rows_of.items() if slow_matches(attributes, [row], own)[0]}
        for row in released
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matches, "MOST_PAIRS", most)
        found, unmatched = count_matches(attributes, plan.targets, table)
    assert found.tolist() == [len(some) for some in matched]
    assert unmatched == len(rows_of.keys() - set().union(*matched))
    assert table.size == len(rows_of)


@examples(60)
@given(plan=plans())
def test_a_generalisation_contains_every_original_value(plan):
    attributes = plan.tuples.attributes
    columns = [PopulationColumn([], getattr(a, "domain", None)) for a in attributes]
    expected = all(
        fits(a, masked, original)
        for originals, maskeds in plain_risk.records(plan)
        for a, original, masked in zip(
            attributes, plain_risk.written(originals), plain_risk.written(maskeds), strict=True
        )
    )
    assert is_generalisation(plan, columns) == expected


def test_an_empty_cell_matches_everybody_and_a_missing_value_only_empty_cells(diagnoses):
    a = NominalOrMissing("d", diagnoses, ["hepatitis B", "influenza"])
    tuples, _ = count_tuples([a], [np.array([0, 1, 2, 2])])
    plan = Transitions.from_targets(tuples, tuples.targets(), np.arange(3))
    people = [("hepatitis B",), ("influenza",), ("influenza",), (None,)]
    table = population_table([a], people)
    assert a.candidates[-1] == MISSING
    assert is_generalisation(plan, table.columns)
    found, unmatched = count_matches([a], plan.targets, table)
    assert (found.tolist(), unmatched) == ([1, 2, 4], 0)


@pytest.fixture
def generalised(diagnoses):
    """Two hepatitis B and C become hepatitis; three have influenza; age stays."""
    d, codes = attribute("d", ["hepatitis B", "hepatitis C"] + ["influenza"] * 3, diagnoses)
    ages, age_codes = attribute("age", [40, 40, 30, 30, 30])
    tuples, _ = count_tuples([d, ages], [codes, age_codes])
    hepatitis, influenza = (float(d.places[c]) for c in ("hepatitis", "influenza"))
    targets = np.array([[hepatitis, 40.0], [influenza, 30.0]])
    return Transitions.from_targets(tuples, targets, np.array([0, 0, 1]))


PEOPLE = (
    [("hepatitis B", 40.0)] * 3
    + [("hepatitis C", 40.0)] * 5
    + [("hepatitis B", 41.0)] * 7
    + [("influenza", 30.0)] * 30
    + [(None, 30.0)] * 2
)


def test_figures_of_a_generalised_table_by_hand(generalised):
    table = population_table(generalised.tuples.attributes, PEOPLE)
    known = PopulationKnowledge(len(PEOPLE), table)
    found = evaluate_population(generalised, known)
    assert found["matched_by"] == "population table"
    assert (found["k_map"], found["before"]["k_map"]) == (8, 3)
    assert found["presence_max"] == 2 / 8
    assert found["presence_min"] == 0  # nine people match no class
    assert found["individual_risk"] == 1 / 8
    assert found["expected_reidentifications"] == pytest.approx(2 / 8 + 3 / 30)
    assert found["global_risk"] == pytest.approx((2 / 8 + 3 / 30) / 5)
    assert (found["sample_uniques"], found["before"]["sample_uniques"]) == (0, 2)
    assert found["population_size"] == 47
    assert found["sampling_fraction"] == 5 / 47
    assert found["notes"] == []
    assert set(found) == set(risk.POPULATION_DESCRIPTIONS)
    assert set(found["before"]) == set(found) - {"before", "notes"}


def test_a_population_that_lacks_the_table_is_noted(generalised):
    table = population_table(generalised.tuples.attributes, PEOPLE[:1] + PEOPLE[15:])
    found = evaluate_population(generalised, PopulationKnowledge(47, table))
    assert (found["k_map"], found["short_classes"], found["presence_max"]) == (1, 1, 1)
    assert "does not contain the table: in 1 of its equivalence classes" in found["notes"][0]


def test_replaced_values_have_no_k_map_by_a_table(diagnoses):
    d, codes = attribute("d", ["hepatitis B", "influenza"], diagnoses)
    tuples, _ = count_tuples([d], [codes])
    swapped = Transitions.from_targets(tuples, tuples.targets(), np.array([1, 0]))
    table = population_table([d], [("hepatitis B",)] * 9 + [("influenza",)] * 9)
    found = evaluate_population(swapped, PopulationKnowledge(18, table))
    assert found["k_map"] is found["individual_risk"] is found["matched_by"] is None
    assert "do not contain the original ones" in found["notes"][0]
    assert "k-map is unknown" in found["notes"][0]
    weights = np.array([4.0, 14.0])
    known = PopulationKnowledge(18, table, SampleCounts(weights), SampleCounts(weights[::-1]))
    found = evaluate_population(swapped, known)
    assert (found["matched_by"], found["k_map"]) == ("sampling weights", 4.0)
    assert found["before"]["matched_by"] == "sampling weights"
    assert found["presence_max"] == 1 / 4
    assert found["expected_reidentifications"] == pytest.approx(
        risk.expected_reidentifications(np.array([1, 1]), weights)
    )


def test_only_a_size_gives_estimates_of_uniques_and_no_k_map(generalised):
    found = evaluate_population(generalised, PopulationKnowledge(1000))
    assert found["k_map"] is None
    assert found["population_uniques"] == 0
    assert found["before"]["population_uniques"] > 0
    assert found["notes"] == [
        "k-map is unknown: it needs sampling weights or a table of the population"
    ]
