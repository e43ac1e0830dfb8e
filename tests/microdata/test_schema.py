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
        "identifiers is 'name'; put it in a list",
        "the quasi-identifier 'sex' has no type; give Nominal, Numeric, Ordinal or Date",
        "confidential has 3; give the column's name, or Nominal and the like",
        "column 'diagnosis': taxonomy is 'icd9cm'; give a Taxonomy, as load_taxonomy(...) makes it",
        *[line for line in found if "sanches" in line],
        *[line for line in found if "'liver'" in line],
        "column 'age': weight is -1; it is a number above 0",
        "column 'severity': levels has 'mild' twice",
        "column 'pain': levels is empty; list them from lowest to highest",
        "Date(''): a column is named by its text",
        "column '': weight is nan; it is a number above 0",
        "column 'age' is a quasi-identifier twice",
        "column 'age' is a quasi-identifier and to keep",
        "column 'charge' is confidential and to keep",
        "other is 'ask'; it can be 'refuse', 'keep', 'drop'",
        "missing is 'ignore'; it can be 'refuse', 'category', 'drop'",
    ]
    assert sum("sanches" in line for line in found) == 1
    assert sum("'liver'" in line for line in found) == 1


def test_a_single_problem_is_said_plainly():
    with pytest.raises(SchemaError, match="^there is no quasi-identifier: nothing would be masked"):
        Schema([])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"person": 3}, "person is 3; name the column"),
        ({"person": "age"}, "column 'age' is a quasi-identifier and the person"),
        ({"keep": [3]}, "keep has 3"),
        ({"keep": None}, "keep is None; put it in a list"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(SchemaError, match=message):
        Schema([Numeric("age")], **settings)


def test_levels_are_a_list():
    with pytest.raises(SchemaError, match="levels is 'low'; give a list"):
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
    assert 'other="keep"' in error.value.hint


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
