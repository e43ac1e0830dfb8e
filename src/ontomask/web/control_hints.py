"""Hints and problems in the language of the workbench: controls on its screens, not fields.

The library writes hints for Python, and the release file for YAML. A user of the workbench sees
neither, so a setting that a hint proposes becomes the control that changes it, and the field of a
problem becomes the label of its control.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.errors import OntomaskError
from ontomask.methods.registry import METHODS
from ontomask.methods.settings import read_settings
from ontomask.pipeline.guarantees.requirements import SENSITIVE_REQUIREMENTS
from ontomask.releasefile.problems import Problem

__all__ = ["control_hint", "describe_problem"]

#: What to do on the screens, by the setting that a hint proposes.
_HINTS = {
    "missing": "choose how to treat missing values on the Roles screen, under “Missing values in "
    "quasi-identifiers”",
    "missing_marks": "add {value} on the Roles screen, under “Marks for missing values”",
    "repair_codes": "tick “Restore zeros and decimal points” on the Meaning screen, under "
    "“Matching options”",
    "prefer": "enter it on the Meaning screen, under “Matching options”",
    "senses": "choose how names of several concepts are read on the Meaning screen, under "
    "“Matching options”",
    "mapping": "assign a concept to each of these values on the Meaning screen",
    "corrections": "assign a concept to each of these values on the Meaning screen",
    "domain": "choose another part of the taxonomy on the Meaning screen, under “Domain: compare "
    "within”",
}

#: Labels of the controls of a column, by its field.
_COLUMN_LABELS = {
    "role": "the role",
    "type": "the type of values",
    "taxonomy": "the taxonomy",
    "format": "the format of the taxonomy",
    "mapping": "the assignment of concepts",
    "measure": "the distance measure",
    "domain": "“Domain: compare within”",
    "levels": "the list of levels",
    "date_format": "the date format",
    "ground": "the distance of t-closeness",
}

#: Labels of other controls, by their field.
_LABELS = {
    "data": "the table",
    "method": "the method",
    "output": "the name of the masked table",
    "person": "the person column",
    "linked": "the linking of records",
    "link_price": "the price of a link",
    "weight": "the column of sampling weights",
    "population": "the population",
    "missing": "the treatment of missing values",
    "missing_marks": "the list of marks for missing values",
    "require": "the requirement",
}


def control_hint(error: OntomaskError) -> str:
    """The hint of an error as something to do on a screen.

    An error whose hint was already written for a release file has the original as its context.

    >>> from ontomask.errors import Hint, Setting
    >>> hint = Hint("use ", Setting("mapping", {"flu": "influenza"}))
    >>> control_hint(OntomaskError("1 value has no concept", hint))
    'assign a concept to each of these values on the Meaning screen'
    """
    original = error.__context__
    for candidate in (error, original):
        if isinstance(candidate, OntomaskError) and candidate.message == error.message:
            for name, value in candidate.advice.settings.items():
                if name in _HINTS:
                    return _HINTS[name].format(value=_join_values(value))
                if title := _method_titles().get(name):
                    return f"choose {value} on the Method screen, under “{title}”"
    return error.hint


def _method_titles() -> dict[str, str]:
    """The labels of the settings of all methods, by name."""
    kinds = METHODS.available().values()
    return {setting.name: setting.title for kind in kinds for setting in read_settings(kind)}


def _join_values(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def describe_problem(problem: Problem, fields: Mapping[str, Any]) -> tuple[str, str]:
    """What is wrong with the release, and what to do on the screens.

    >>> describe_problem(Problem(("columns", "age"), "has no type", "say type: numeric"), {})
    ('the type of column age is not set', 'choose it on the Meaning screen')
    """
    field, *rest = problem.where or ("",)
    if field == "columns":
        return _describe_column_problem(problem, rest, fields)
    if field == "method" and rest:
        return f"{_setting_title(fields, rest[0])} {problem.message}", problem.hint
    if problem.where == ("method",) and not fields.get("method"):
        return "no method is chosen", "choose one on the Method screen"
    if field == "person" and _column(fields, fields.get("person")).get("role") == "quasi":
        return (
            "the person column is a quasi-identifier as well",
            "choose another person column, or another role for this one, on the Roles screen",
        )
    if field == "weight" and _column(fields, fields.get("weight")).get("role") == "quasi":
        return (
            "the column of sampling weights is a quasi-identifier as well",
            "choose another column, or another role for this one, on the Roles screen",
        )
    if problem.where == ("require", "k_map") and not _has_population(fields):
        return (
            "the requirement k_map needs the population that the table is a sample of",
            "choose its table on the Method screen or the sampling weights on the Roles screen, or "
            "clear the requirement on the Release screen",
        )
    if (
        field == "require"
        and rest
        and rest[0] in SENSITIVE_REQUIREMENTS
        and not _has_sensitive(fields)
    ):
        return (
            f"the requirement {rest[0]} needs a sensitive attribute",
            "choose one on the Roles screen, or clear the requirement on the Release screen",
        )
    if field in _LABELS:
        name = " ".join([_LABELS[field], *rest])
        return f"{name} {problem.message}", problem.hint
    return problem.sentence, problem.hint


def _describe_column_problem(
    problem: Problem, rest: list[str], fields: Mapping[str, Any]
) -> tuple[str, str]:
    if not rest:
        return "no column is a quasi-identifier", "choose at least one on the Roles screen"
    column, *field = rest
    if problem.lacks == "taxonomy":
        return f"column {column} has no taxonomy", "choose or build one on the Meaning screen"
    if problem.lacks == "levels":
        return f"column {column} has no levels", "list them on the Meaning screen"
    if not field:
        if {"type", "taxonomy"}.isdisjoint(_column(fields, column)):
            return f"the type of column {column} is not set", "choose it on the Meaning screen"
        return f"column {column} {problem.message}", problem.hint
    label = _COLUMN_LABELS.get(field[0], field[0])
    return f"{label} of column {column} {problem.message}", problem.hint


def _column(fields: Mapping[str, Any], name: Any) -> Mapping[str, Any]:
    """The fields of a column; empty if it has none."""
    column = (fields.get("columns") or {}).get(name)
    return column if isinstance(column, Mapping) else {}


def _setting_title(fields: Mapping[str, Any], name: str) -> str:
    """The label of a setting of the chosen method, or its name if the method is unknown."""
    method = fields.get("method")
    try:
        kind = METHODS[method["name"]] if isinstance(method, Mapping) else None
    except (KeyError, OntomaskError, TypeError):
        kind = None
    titles = {} if kind is None else {s.name: s.title for s in read_settings(kind)}
    return titles.get(name) or f"the setting {name}"


def _has_population(fields: Mapping[str, Any]) -> bool:
    """Whether the people who match can be counted: a size alone is not enough."""
    return "weight" in fields or bool((fields.get("population") or {}).get("table"))


def _has_sensitive(fields: Mapping[str, Any]) -> bool:
    names = fields.get("columns") or {}
    return any(_column(fields, name).get("role") == "confidential" for name in names)
