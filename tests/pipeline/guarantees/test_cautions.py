"""Classes with a single sensitive value, or with none, are a caution with the line that helps."""

from __future__ import annotations

import html

import pandas as pd
import pytest
import yaml

import ontomask as om
from ontomask.methods.registry import METHODS
from ontomask.pipeline.facts import publishable_facts

LINE = "method: {name: microaggregation, k: 3, l: 2}"


def table(outcomes):
    return pd.DataFrame(
        {
            "age": [20, 20, 20, 30, 30, 30],
            "outcome": outcomes,
            "who": ["a", "a", "b", "c", "d", "e"],
        }
    )


def schema(person=False, **settings):
    return om.Schema(
        [om.Numeric("age")],
        drop=["who"],
        confidential=["outcome"],
        person="who" if person else None,
        **settings,
    )


def diversity_cautions(release):
    return [caution for caution in release.cautions if hasattr(caution, "line")]


def test_a_single_value_is_a_caution_with_a_line_that_prevents_it():
    mixed = table(["flu", "flu", "flu", "flu", "cold", "cold"])
    release = om.mask(mixed, schema(), om.Recoding(k=3))
    (caution,) = diversity_cautions(release)
    assert caution == (
        "3 of the 6 records are in equivalence classes with a single value of 'outcome', so "
        "whoever is in one of them has this value (l = 1)"
    )
    assert caution.line == LINE
    facts = publishable_facts(release, 3)
    assert facts["prevented_by"] == {caution: LINE}
    page = " ".join(html.unescape(release.report(facts)).split())
    assert f"(l = 1). To prevent it, set <code>{LINE}</code>; <code>require: {{l: 2}}" in page
    prevented = om.mask(mixed, schema(), method_of(caution))
    assert diversity_cautions(prevented) == []
    assert prevented.evaluation.risk["l_distinct"] == {"outcome": 2}


def method_of(caution):
    settings = yaml.safe_load(caution.line)["method"]
    return METHODS[settings.pop("name")](**settings)


def test_people_are_counted_where_they_are_known():
    mixed = table(["flu", "flu", "flu", "flu", "cold", "cold"])
    release = om.mask(mixed, schema(person=True), om.Microaggregation(k=2))
    (caution,) = diversity_cautions(release)
    assert caution.startswith("3 of the 6 records (of 2 people) are in equivalence classes with")


def test_no_known_value_is_a_caution():
    blank = table(["flu", "cold", "flu", None, None, None])
    release = om.mask(blank, schema(), om.Microaggregation(k=3))
    (caution,) = diversity_cautions(release)
    assert caution == "some equivalence classes have no known value of 'outcome' (l = 0)"
    assert diversity_cautions(om.mask(blank, schema(), method_of(caution))) == []
    said = " ".join(html.unescape(release.report(publishable_facts(release, 3))).split())
    assert "Attribute disclosure: At least one equivalence class has no known value" in said


def test_a_column_with_one_value_cannot_be_helped():
    release = om.mask(table(["flu"] * 6), schema(), om.Microaggregation(k=3))
    assert diversity_cautions(release) == []
    assert "all known values of 'outcome' are the same, so everybody's is known" in (
        release.cautions
    )


@pytest.mark.parametrize(
    ("method", "line"),
    [
        (om.Microaggregation(3, objective="sad"), {"k": 3, "objective": "sad", "l": 2}),
        (om.Microaggregation(3, algorithm="mdav"), {"k": 3, "l": 2}),
        (om.Microaggregation(3, t=0.9), {"k": 3, "l": 2, "t": 0.9}),
        (om.Suppression(3), {"k": 3, "l": 2}),
    ],
)
def test_the_line_keeps_the_settings_of_the_method(method, line):
    mixed = table(["flu", "flu", "flu", "flu", "cold", "cold"])
    (caution,) = diversity_cautions(om.mask(mixed, schema(), method))
    assert yaml.safe_load(caution.line) == {"method": {"name": "microaggregation", **line}}


def test_methods_without_classes_have_no_such_caution():
    mixed = table(["flu", "flu", "flu", "flu", "cold", "cold"])
    release = om.mask(mixed, schema(), om.NoiseAddition(0.5), seed=1)
    assert diversity_cautions(release) == []
