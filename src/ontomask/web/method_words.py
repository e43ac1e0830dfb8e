"""Masking methods as somebody chooses them: what each promises, what it costs, and its settings.

What settings there are, their kinds and defaults come from the methods themselves, so that a new
one appears by itself; what it says is then the sentence of the docstring that names it. The
figures behind the sentences on cost are in docs/concepts/choosing-a-method.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import getdoc
from typing import Any, Literal

from pydantic import BaseModel, Field

from ontomask.errors import OntomaskError
from ontomask.methods.registry import METHODS
from ontomask.pipeline.guarantee import promised_k
from ontomask.releasefile.methods import json_schema_of_methods
from ontomask.report.words import METHOD_TITLES

__all__ = ["SettingChoice", "MethodDescription", "MethodSetting", "describe_methods"]


class SettingChoice(BaseModel):
    """Something that a setting can be."""

    value: str | None
    words: str


class MethodSetting(BaseModel):
    """A setting: what it is called and means, and what it can be.

    ``least`` and ``most`` are what is allowed, ``low`` and ``high`` what makes sense. One that is
    not ``chief`` is seldom changed. ``optional``: it need not be given, and means nothing then.
    """

    name: str
    title: str
    words: str
    kind: Literal["whole", "number", "choice", "flag", "columns", "text"]
    default: int | float | bool | str | list[str] | None = None
    optional: bool = False
    chief: bool = False
    least: float | None = None
    most: float | None = None
    low: float | None = None
    high: float | None = None
    step: float | None = None
    choices: list[SettingChoice] = Field(default=[])


class MethodDescription(BaseModel):
    """A masking method in words, with its settings."""

    name: str
    title: str
    promises: str
    costs: str
    promises_k: bool
    settings: list[MethodSetting]


#: What each method promises, and what it costs; in the order in which they are worth a look.
METHOD_TEXTS = {
    "microaggregation": (
        "At least k records share every combination of masked values.",
        "Values move to the middle of their group, less far than by the others with a k. A class "
        "may still share one confidential value.",
    ),
    "recoding": (
        "At least k records share every combination, and only combinations that occurred appear.",
        "About twice the squared error of microaggregation; fewer rare records can be linked.",
    ),
    "resampling": (
        "At least k records share every combination; chance brings them together.",
        "Values move far: much more meaning is lost than by microaggregation.",
    ),
    "suppression": (
        "At least k records share every combination, and what is left is true: nothing is "
        "replaced.",
        "Rare people are gone; with several columns that can be most of the table.",
    ),
    "rank_swapping": (
        "Each column keeps its values, each as often as before.",
        "No k: about as many records are unique as before, and some are unchanged. Correlations "
        "hardly move.",
    ),
    "noise_addition": (
        "Every word moves by a random distance; it works on values one by one.",
        "No k: most records stay unique, and with little noise many can be linked. It is no "
        "differential privacy.",
    ),
}

#: Settings that are shown at once; the others are folded away.
MAIN_SETTINGS = ("k", "alpha", "algorithm", "how", "strategy", "guard", "distribution")

#: What makes sense, and what is allowed: least, most, low, high, step.
RANGES: dict[str, tuple[float | None, float | None, float | None, float | None, float]] = {
    "k": (2, None, 2, 50, 1),
    "rank_swapping.k": (1, None, 1, 50, 1),
    "alpha": (0.000001, None, 0.05, 2, 0.05),
    "l": (2, None, None, None, 1),
    "t": (0, 1, None, None, 0.05),
    "time_limit": (0, None, None, None, 10),
    "block": (4, None, None, None, 1000),
}

#: What settings are called and mean; by method where they differ.
SETTINGS: dict[str, tuple[str, str]] = {
    "k": ("k", "At least so many records, or people, share every combination of masked values."),
    "rank_swapping.k": ("k", "A value changes places with one of the k nearest. No class size."),
    "alpha": (
        "alpha",
        "How strong the noise is, against the variance of the column; 0.1 to 0.5 is usual.",
    ),
    "algorithm": ("How groups are found", "Merging loses less; mdav is the papers' way."),
    "how": (
        "What becomes of rare records",
        "Their masked columns are emptied, or the records are removed.",
    ),
    "strategy": ("Who swaps", "With whole records, what belongs together stays together best."),
    "noise_addition.strategy": (
        "Where values go",
        "By meaning; the others are baselines that know none.",
    ),
    "guard": (
        "Guard rare records",
        "Swaps that would leave a rare record wholly as it was are refused.",
    ),
    "distribution": (
        "Law of the noise",
        "Laplace has more small and more large steps at the same variance.",
    ),
    "l": (
        "l: different confidential values",
        "Every class holds so many different values of each confidential column.",
    ),
    "t": (
        "t: distance from the whole table",
        "No class is farther than this from the whole table in a confidential column; 0 to 1.",
    ),
    "protects": (
        "For these confidential columns",
        "Those that l and t are kept for; all where none is ticked.",
    ),
    "diversity": (
        "How l is counted",
        "Different values, or the exponential of their entropy, which frequent ones lower.",
    ),
    "replacement": (
        "What values become",
        "A value near the original is drawn by chance, and promises no k.",
    ),
    "effort": ("Effort", "Thorough goes on with restarts, and loses a little less."),
    "time_limit": (
        "Seconds at most",
        "For a thorough search; it takes what it needs where this is empty.",
    ),
    "objective": ("What is kept small", "The sum that merging lowers."),
    "centroid": ("How the middle is chosen", "By the papers' rule, or for the least loss."),
    "candidates": ("Words a group can take", "What the middle of a group is chosen from."),
    "distance": ("Distance between records", "How the columns of a record are weighed together."),
    "recoding.distance": ("What is compared", "By meaning, or by the number of records alone."),
    "heuristics": (
        "Which tuple comes first",
        "All three of the papers' rules, or fewer, down to chance.",
    ),
    "weighted": ("Weigh by records", "The distance to a combination counts with its records."),
    "neighbours": (
        "Who is compared",
        "Every combination with all others, or only with those close by.",
    ),
    "complete": (
        "Leave no value unswapped",
        "One without a partner goes to the nearest that has none either.",
    ),
    "operators": (
        "Words are compared",
        "By meaning, or only as equal or not: the papers' baseline.",
    ),
    "block": (
        "Tuples planned together",
        "Very many are cut into blocks of so many, which saves memory and costs a little.",
    ),
}

#: What the choices of a setting mean.
CHOICES: dict[str, dict[str | None, str]] = {
    "algorithm": {
        "merge": "merge: small groups where it costs least",
        "mdav": "mdav: around the farthest records",
    },
    "distance": {
        "mean": "the mean over the columns",
        "s": "by their variances",
        "s_paper": "by variances, to the letter of the paper",
    },
    "recoding.distance": {"semantic": "by meaning", "discernibility": "by numbers of records"},
    "candidates": {
        None: "as the distance suggests",
        "hierarchy": "the group's words and what is above them",
        "values": "the group's words alone",
    },
    "replacement": {
        "centroid": "the middle of their group",
        "synthetic": "a value near the original (no k)",
    },
    "operators": {"semantic": "by meaning", "classic": "as equal or not"},
    "objective": {"sse": "squared distances", "sad": "distances"},
    "centroid": {"rule": "by the papers' rule", "best": "the best that is found"},
    "effort": {"fast": "fast", "thorough": "thorough"},
    "diversity": {"distinct": "different values", "entropy": "entropy"},
    "heuristics": {
        "h1+h2+h3": "fewest records, nearest, smallest group",
        "h1+h2": "fewest records, nearest",
        "h1": "fewest records",
        "none": "chance",
    },
    "neighbours": {
        "auto": "all, or those close by if very many",
        "exact": "all",
        "near": "those close by",
    },
    "how": {"blank": "emptied; the rows stay", "drop": "removed"},
    "strategy": {
        "multivariate": "multivariate: near whole records",
        "dynamic": "dynamic: each column by itself",
        "fixed": "fixed: each column, ranked once",
        "distributional": "distributional: ranked by frequency",
        "random": "random: anybody",
    },
    "noise_addition.strategy": {
        "semantic": "by meaning",
        "naive": "to any value of the column",
        "probabilistic": "to any value, by its frequency",
    },
    "distribution": {"normal": "normal", "laplace": "Laplace"},
}


def describe_methods() -> list[MethodDescription]:
    """Describe every method; those that have words of their own come first."""
    schemas = {schema["title"]: schema for schema in json_schema_of_methods()["oneOf"]}
    order = [*METHOD_TEXTS, *(name for name in METHODS if name not in METHOD_TEXTS)]
    return [_describe_method(name, schemas[name]) for name in order if name in METHODS]


def _describe_method(name: str, schema: Mapping[str, Any]) -> MethodDescription:
    method = METHODS[name]
    promises, costs = METHOD_TEXTS.get(name, (f"{schema['description']}", ""))
    title = METHOD_TITLES.get(name, name.replace("_", " "))
    return MethodDescription(
        name=name,
        title=title[0].upper() + title[1:],
        promises=promises,
        costs=costs,
        promises_k=_promises_k(method),
        settings=[
            _describe_setting(name, setting, schema["properties"][setting], method)
            for setting in sorted(schema["properties"], key=_display_order)
            if setting != "name"
        ],
    )


def _display_order(setting: str) -> int:
    """The position of a setting on the screen: as in ``SETTINGS``, unknown ones last."""
    order = list(SETTINGS)
    return order.index(setting) if setting in order else len(order)


def _promises_k(method: Callable[..., Any]) -> bool:
    try:
        return promised_k(method()) is not None
    except (TypeError, OntomaskError):  # some setting has no default
        return False


def _describe_setting(
    method_name: str, name: str, schema: Mapping[str, Any], method: Any
) -> MethodSetting:
    types = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    optional = len(types) < len(schema.get("anyOf", types)) or None in schema.get("enum", ())
    limits = _look_up(RANGES, method_name, name) or (None, None, None, None, None)
    least, most, low, high, step = limits
    title, words = _look_up(SETTINGS, method_name, name) or (
        name.replace("_", " "),
        _sentence_in_docstring(method, name),
    )
    choice_words = _look_up(CHOICES, method_name, name) or {}
    kind = _setting_kind(types[0])
    return MethodSetting(
        name=name,
        title=title,
        words=words,
        kind=kind,
        default=schema.get("default"),
        optional=optional,
        chief=name in MAIN_SETTINGS,
        least=least,
        most=most,
        low=low,
        high=high,
        step=1 if step is None and kind == "whole" else step,
        choices=[
            SettingChoice(value=value, words=choice_words.get(value, value or "not given"))
            for value in sorted(schema.get("enum", ()), key=lambda value: value is not None)
        ],
    )


def _setting_kind(
    schema: Mapping[str, Any],
) -> Literal["whole", "number", "choice", "flag", "columns", "text"]:
    if "enum" in schema:
        return "choice"
    kinds: dict[Any, Literal["whole", "number", "flag", "columns"]] = {
        "integer": "whole",
        "number": "number",
        "boolean": "flag",
        "array": "columns",
    }
    return kinds.get(schema.get("type"), "text")


def _look_up(table: Mapping[str, Any], method_name: str, name: str) -> Any:
    """The entry of a setting: that of the method, or else that of all methods."""
    return table.get(f"{method_name}.{name}", table.get(name))


def _sentence_in_docstring(method: Any, name: str) -> str:
    """The first sentence of a method's description that names a setting."""
    text = " ".join((getdoc(method) or "").split())
    match = re.search(rf"(?:^|(?<=[.:] ))[^.]*``{name}(?:=[^`]*)?``.*?[.](?= |$)", text)
    return match.group().replace("``", "") if match else ""
