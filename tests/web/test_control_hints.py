"""Hints and problems name the controls of the screens, not fields of a release file."""

from __future__ import annotations

import pytest

from ontomask.errors import Hint, ParameterError, Setting
from ontomask.releasefile.problems import Problem, translate_hints
from ontomask.web.control_hints import control_hint, describe_problem

MISSING = ParameterError("values are missing", Hint("use ", Setting("missing", "drop")))


def test_a_proposed_setting_becomes_its_control():
    assert control_hint(MISSING).startswith("choose how to treat missing values on the Roles")
    marks = ParameterError("unknown value", Hint("use ", Setting("missing_marks", ["?", "n/a"])))
    assert control_hint(marks) == (
        "add ?, n/a on the Roles screen, under “Marks for missing values”"
    )


def test_a_hint_that_was_written_for_a_release_file_becomes_a_control_too():
    with pytest.raises(ParameterError) as caught, translate_hints():
        raise MISSING
    assert "missing: " in caught.value.hint
    assert control_hint(caught.value) == control_hint(MISSING)


def test_a_setting_of_a_method_becomes_its_control_too():
    error = ParameterError("guard needs it", Hint("use ", Setting("strategy", "multivariate")))
    with pytest.raises(ParameterError) as caught, translate_hints():
        raise error
    assert control_hint(caught.value) == (
        "choose multivariate on the Method screen, under “Strategy”"
    )


def test_a_hint_without_a_setting_stays():
    assert control_hint(ParameterError("k must be at least 2, got 1", "choose 2")) == "choose 2"


@pytest.mark.parametrize(
    ("problem", "fields", "what"),
    [
        (Problem(("columns",), "x"), {}, "no column is a quasi-identifier"),
        (Problem(("columns", "age"), "x"), {}, "the type of column age is not set"),
        (Problem(("columns", "sex"), "x", lacks="levels"), {}, "column sex has no levels"),
        (Problem(("columns", "job"), "x", lacks="taxonomy"), {}, "column job has no taxonomy"),
        (
            Problem(("columns", "day", "date_format"), "must be text, got 3"),
            {},
            "the date format of column day must be text, got 3",
        ),
        (Problem(("method",), "is missing"), {}, "no method is chosen"),
        (
            Problem(("method", "k"), "must be at least 2, got 1"),
            {"method": {"name": "microaggregation"}},
            "k must be at least 2, got 1",
        ),
        (
            Problem(("method", "k"), "must be at least 2, got 1"),
            {"method": {"name": "unknown"}},
            "the setting k must be at least 2, got 1",
        ),
        (Problem(("require", "l"), "x"), {}, "the requirement l needs a sensitive attribute"),
        (
            Problem(("columns", "age"), "has no field 'kind'"),
            {"columns": {"age": {"type": "numeric"}}},
            "column age has no field 'kind'",
        ),
        (
            Problem(("person",), "x"),
            {"person": "age", "columns": {"age": {"role": "quasi"}}},
            "the person column is a quasi-identifier as well",
        ),
        (Problem(("person",), "must be text"), {}, "the person column must be text"),
        (
            Problem(("weight",), "x"),
            {"weight": "age", "columns": {"age": {"role": "quasi"}}},
            "the column of sampling weights is a quasi-identifier as well",
        ),
        (
            Problem(("population", "size"), "must be an integer of at least 1, got 0"),
            {},
            "the population size must be an integer of at least 1, got 0",
        ),
        (
            Problem(("require", "k_map"), "x"),
            {"population": {"size": 9}},
            "the requirement k_map needs the population that the table is a sample of",
        ),
        (
            Problem(("require", "k_map"), "must be an integer of at least 2, got 1"),
            {"weight": "w"},
            "the requirement k_map must be an integer of at least 2, got 1",
        ),
        (
            Problem(("columns", "job", "ground"), "must be 'equal' or 'semantic', got 3"),
            {},
            "the distance of t-closeness of column job must be 'equal' or 'semantic', got 3",
        ),
        (Problem(("output",), "is missing"), {}, "the name of the masked table is missing"),
        (Problem((), "release.yaml is not valid YAML"), {}, "release.yaml is not valid YAML"),
    ],
)
def test_a_problem_names_its_control(problem, fields, what):
    assert describe_problem(problem, fields)[0] == what
