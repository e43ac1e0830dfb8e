"""Settings read from the types of a method's fields, and refused where they are something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import ParameterError
from ontomask.methods import Method, SettingHelp
from ontomask.methods.registry import METHODS, example_settings
from ontomask.methods.settings import changed_settings, read_settings, title_with_strength


@dataclass(frozen=True)
class EveryKind(Method):
    """A method with a setting of every kind."""

    needed: str
    whole: Annotated[int, SettingHelp("Whole", "A number.", least=2, most=9)] = 5
    number: Annotated[float | None, SettingHelp(above=0, usual=(1, 2))] = None
    word: Annotated[Literal["one", "two"], SettingHelp(choices={"one": "only one"})] = "one"
    flag: bool = False
    columns: Sequence[str] | None = None
    free: Any = None

    varied_by = "number"

    def plan(self, tuples, random):
        """Nothing is planned."""
        raise NotImplementedError


SETTINGS = {setting.name: setting for setting in read_settings(EveryKind)}


def test_kinds_defaults_and_titles_come_from_the_class():
    assert [setting.kind for setting in SETTINGS.values()] == [
        *("text", "whole", "number", "choice", "flag", "columns", "any")
    ]
    assert [name for name, setting in SETTINGS.items() if setting.required] == ["needed"]
    assert [name for name, setting in SETTINGS.items() if setting.optional] == ["number", "columns"]
    whole, number, word = SETTINGS["whole"], SETTINGS["number"], SETTINGS["word"]
    assert (whole.title, whole.help, whole.default, whole.step) == ("Whole", "A number.", 5, 1)
    assert (number.title, number.usual) == ("number", (1, 2))
    assert [(choice.value, choice.help) for choice in word.choices] == [
        ("one", "only one"),
        ("two", "two"),
    ]


@pytest.mark.parametrize(
    ("name", "accepted", "refused", "accepts"),
    [
        ("needed", ["", "x"], [None, 3, b"x"], "text"),
        (
            "whole",
            [2, 9, np.int64(4)],
            [1, 10, 2.0, True, "4", None, 10**400],
            "an integer from 2 to 9",
        ),
        (
            "number",
            [None, 1, 0.1, np.float32(2), Fraction(1, 3)],
            [0, -1, float("nan"), float("inf"), True, "1", 1j],
            "a number greater than 0",
        ),
        ("word", ["one", "two"], ["three", None, ["one"], 1], "'one' or 'two'"),
        ("flag", [True, False], [1, "true", None], "True or False"),
        ("columns", [None, ["a"], ("a", "b")], [[], "a", [1], 5], "a list of confidential columns"),
        ("free", [None, 3, {"a": 1}], [], ""),
    ],
)
def test_a_value_is_checked_by_the_type_and_the_limits(name, accepted, refused, accepts):
    for value in accepted:
        EveryKind(**{"needed": "x", name: value})
    for value in refused:
        with pytest.raises(ParameterError) as caught:
            EveryKind(**{"needed": "x", name: value})
        assert caught.value.message == f"{name} must be {accepts}, got {value!r}"


def test_a_list_becomes_a_tuple_so_that_a_method_can_be_hashed():
    assert EveryKind("x", columns=["a", "b"]).columns == ("a", "b")
    assert len({EveryKind("x", columns=["a"]), EveryKind("x", columns=("a",))}) == 1


def test_changed_settings_have_the_needed_ones_and_the_varied_one():
    assert changed_settings(EveryKind("x", whole=7)) == {"needed": "x", "whole": 7, "number": None}
    assert changed_settings(om.Microaggregation()) == {"k": 5}
    assert changed_settings(om.NoiseAddition()) == {"alpha": 0.3}


def test_types_that_nobody_can_resolve_are_not_checked():
    class Local:
        pass

    @dataclass(frozen=True)
    class Unresolved(Method):
        """Its type is known inside this function only."""

        what: Local | None = None

        def plan(self, tuples, random):
            """Nothing is planned."""
            raise NotImplementedError

    assert [setting.kind for setting in read_settings(Unresolved)] == ["any"]
    assert Unresolved(what=3).what == 3


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_it_is(name):
    kind = METHODS[name]
    assert kind.name == name
    assert kind.summary.endswith(".")
    assert kind.help.endswith(".")
    settings = {setting.name: setting for setting in read_settings(kind)}
    assert settings[kind.varied_by].usual
    for setting in settings.values():
        assert setting.kind != "any"
        assert setting.help.endswith("."), (name, setting.name)
    method = kind(**example_settings(name))
    assert method == kind()
    assert method.description
    assert method.because
    assert (method.promised_k is not None) == kind.promises_k


def test_the_title_names_the_setting_that_is_varied():
    assert title_with_strength(om.Microaggregation(1_000)) == "microaggregation, k = 1,000"
    assert title_with_strength(om.NoiseAddition(0.25)) == "noise addition, alpha = 0.25"
    assert title_with_strength(EveryKind("x")) == "every kind"


def test_what_depends_on_the_settings():
    synthetic = om.Microaggregation(3, replacement="synthetic")
    assert (synthetic.promised_k, synthetic.target_k) == (None, 3)
    assert synthetic.draws_at_random
    assert not om.Microaggregation(3).draws_at_random
    assert om.Microaggregation(3, effort="thorough").draws_at_random
    assert not synthetic.keeps_tuples_together
    assert (om.RankSwapping(4).promised_k, om.RankSwapping(4).target_k) == (None, 4)
    assert [om.Suppression(how=how).drops for how in ("blank", "drop")] == [False, True]
    promise = om.Microaggregation(3, l=2, protects=["outcome"]).sensitive_promise
    assert (promise.l, promise.t, promise.entropy) == (2, None, False)
    assert promise.holds_for("outcome")
    assert not promise.holds_for("charge")
    assert om.Microaggregation(3).sensitive_promise is None
