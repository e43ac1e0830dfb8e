"""Roles of columns: every problem is said at once."""

from __future__ import annotations

import pytest

from ontomask.errors import SchemaError
from ontomask.microdata.schema import Date, Nominal, Numeric, Ordinal, Schema


def problems(error: pytest.ExceptionInfo) -> list[str]:
    lines = error.value.message.splitlines()
    return [line.removeprefix("  - ") for line in (lines[1:] or lines)]


def test_a_schema_keeps_what_it_was_given(diagnoses):
    schema = Schema([Nominal("diagnosis", diagnoses)], identifiers=["name"], keep=["ward"])
    assert schema.quasi_identifiers[0].measure == "sanchez"
    assert schema.quasi_identifiers[0].domain == "lcs"
    assert (schema.other, schema.missing, schema.person) == ("refuse", "refuse", None)
    assert repr(schema).startswith("Schema(quasi_identifiers=(Nominal(column='diagnosis'")


def test_every_problem_of_a_schema_is_listed(diagnoses):
    with pytest.raises(SchemaError) as error:
        Schema(
            [
                "sex",
                Nominal("diagnosis", "icd9cm"),
                Nominal("cause", diagnoses, measure="sanches"),
                Nominal("site", diagnoses, domain="liver"),
                Numeric("age", weight=-1),
                Numeric("age"),
                Ordinal("severity", ["mild", "mild"]),
                Ordinal("pain", []),
                Date("", weight=float("nan")),
            ],
            identifiers="name",
            confidential=["charge", 3],
            keep=["age", "charge"],
            other="ask",
            missing="ignore",
        )
    found = problems(error)
    assert found == [
        "identifiers must be a list, got 'name'",
        "a quasi-identifier must be Nominal, Numeric, Ordinal or Date, got 'sex'",
        "confidential must be names of columns, or Nominal, Numeric, Ordinal or Date, got 3",
        "column 'diagnosis': taxonomy must be a Taxonomy, got 'icd9cm'; load one with "
        "load_taxonomy(...)",
        *[line for line in found if "sanches" in line],
        *[line for line in found if "'liver'" in line],
        "column 'age': weight must be a number greater than 0, got -1",
        "column 'severity': levels must be unique, got 'mild' twice",
        "column 'pain': levels must not be empty; list the levels from lowest to highest",
        "the name of a Date column must be text, got ''",
        "column '': weight must be a number greater than 0, got nan",
        "column 'age' is listed twice as quasi-identifier",
        "column 'age' has several roles: quasi-identifier and keep",
        "column 'charge' has several roles: confidential and keep",
        "other must be 'refuse', 'keep' or 'drop', got 'ask'",
        "missing must be 'refuse', 'category' or 'drop', got 'ignore'",
    ]
    assert sum("sanches" in line for line in found) == 1
    assert sum("'liver'" in line for line in found) == 1


def test_a_single_problem_is_said_plainly():
    with pytest.raises(
        SchemaError, match="quasi_identifiers must not be empty: nothing would be masked"
    ):
        Schema([])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"person": 3}, "person must be the name of a column, got 3"),
        ({"person": "age"}, "column 'age' cannot be both a quasi-identifier and the person"),
        ({"keep": [3]}, "keep must be names of columns, got 3"),
        ({"keep": None}, "keep must be a list, got None"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(SchemaError, match=message):
        Schema([Numeric("age")], **settings)


def test_levels_are_a_list():
    with pytest.raises(
        SchemaError, match="column 'pain': levels must be a list of values, got 'low'"
    ):
        Schema([Ordinal("pain", "low")])


def test_every_problem_with_a_table_is_listed(diagnoses):
    schema = Schema([Nominal("diagnosis", diagnoses)], identifiers=["name"], person="patient")
    with pytest.raises(SchemaError) as error:
        schema.check(["diagnoses", "name", "ward", "ward"])
    assert problems(error) == [
        "the table has 2 columns called 'ward'",
        "the table has no column 'diagnosis'; did you mean 'diagnoses'?",
        "the table has no column 'patient'",
        "2 columns without a role: 'diagnoses', 'ward'",
    ]
    assert "other='keep'" in error.value.hint


def test_columns_that_are_never_released():
    columns = ["name", "age", "charge", "ward", "notes", "patient", "rest"]
    roles = {
        "identifiers": ["name"],
        "confidential": ["charge"],
        "keep": ["ward"],
        "drop": ["notes"],
        "person": "patient",
    }
    keeping = Schema([Numeric("age")], **roles, other="keep")
    assert keeping.removed(columns) == ["name", "notes", "patient"]
    dropping = Schema([Numeric("age")], **roles, other="drop")
    assert dropping.removed(columns) == ["name", "notes", "patient", "rest"]
    kept = Schema([Numeric("age")], keep=["patient"], person="patient", other="keep")
    assert kept.removed(["age", "patient"]) == []
