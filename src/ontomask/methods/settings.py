"""The settings of a masking method, read from the types of its fields.

A method is a dataclass, and its fields are its settings. The type of a field defines what it
accepts: ``int``, ``float``, ``bool``, ``str``, ``Literal[...]`` for words and ``Sequence[str]`` for
names of columns, each with ``| None`` if the setting is optional. Other types are not checked. A
title, a sentence of help and limits come with the type: ``Annotated[float, SettingHelp("Strength",
above=0)]``. The release file, the command line and the workbench read all of it from here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from ontomask.errors import ParameterError, quote_choices

__all__ = [
    "BlockSize",
    "MethodSetting",
    "OperatorChoice",
    "SettingChoice",
    "SettingHelp",
    "SettingKind",
    "changed_settings",
    "check_settings",
    "read_settings",
    "settings_of",
    "title_with_strength",
]

SettingKind = Literal["whole", "number", "choice", "flag", "columns", "text", "any"]


@dataclass(frozen=True)
class SettingHelp:
    """Title, help and limits of a setting, to write beside its type. All of it is optional.

    Args:
        title: Name of the setting for users.
        help: One sentence about it.
        choices: What each word of a ``Literal`` means.
        least: Smallest number allowed.
        most: Largest number allowed.
        above: The number must be larger than this one.
        usual: Values to compare methods with; also the range of the slider.
        step: Step of the slider.
        main: Whether the setting is always shown. Others are shown on request.
    """

    title: str = ""
    help: str = ""
    choices: Mapping[str | None, str] = field(default_factory=dict, hash=False)
    least: float | None = None
    most: float | None = None
    above: float | None = None
    usual: tuple[float, ...] = ()
    step: float | None = None
    main: bool = False


@dataclass(frozen=True)
class SettingChoice:
    """A word that a setting accepts, and what it means; None if the setting can be left out."""

    value: str | None
    help: str


@dataclass(frozen=True)
class MethodSetting:
    """A setting of a method: its name, its meaning and what it accepts.

    ``required``: it has no default. ``optional``: it can be None. The rest is as in
    :class:`SettingHelp`.
    """

    name: str
    kind: SettingKind
    title: str
    help: str = ""
    default: int | float | bool | str | list[str] | None = None
    required: bool = False
    optional: bool = False
    main: bool = False
    least: float | None = None
    most: float | None = None
    above: float | None = None
    usual: tuple[float, ...] = ()
    step: float | None = None
    choices: tuple[SettingChoice, ...] = ()

    @property
    def words(self) -> list[str]:
        """The words that it accepts; empty if it is not a choice of words."""
        return [choice.value for choice in self.choices if choice.value is not None]

    def accepts(self, value: Any) -> bool:
        """Whether the setting accepts this value."""
        if value is None and self.kind != "any":
            return self.optional
        if self.kind == "choice":
            return isinstance(value, str) and value in self.words
        if self.kind == "flag":
            return isinstance(value, bool)
        if self.kind == "columns":
            is_list = isinstance(value, list | tuple) and bool(value)
            return is_list and all(isinstance(name, str) for name in value)
        if self.kind == "text":
            return isinstance(value, str)
        if self.kind == "any":
            return True
        return self._accepts_number(value)

    def _accepts_number(self, value: Any) -> bool:
        number_type = Integral if self.kind == "whole" else Real
        if isinstance(value, bool) or not isinstance(value, number_type):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        return (
            math.isfinite(number)
            and (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
            and (self.above is None or number > self.above)
        )

    @property
    def accepted(self) -> str:
        """What it accepts, as in "must be an integer of at least 2"."""
        if self.kind == "choice":
            return quote_choices(self.words)
        if self.kind == "flag":
            return "True or False"
        if self.kind == "columns":
            return "a list of confidential columns"
        if self.kind == "text":
            return "text"
        return f"{'an integer' if self.kind == 'whole' else 'a number'}{self._limits}"

    @property
    def _limits(self) -> str:
        if self.above is not None:
            return f" greater than {self.above:g}"
        if self.least is not None and self.most is not None:
            return f" from {self.least:g} to {self.most:g}"
        if self.least is not None:
            return f" of at least {self.least:g}"
        return "" if self.most is None else f" of at most {self.most:g}"


# ---------------------------------------------------------------------- reading them


def read_settings(kind: type) -> tuple[MethodSetting, ...]:
    """The settings of a method's class, in the order of its arguments.

    >>> from ontomask.methods import Suppression
    >>> [(setting.name, setting.kind, setting.default) for setting in read_settings(Suppression)]
    [('k', 'whole', 5), ('how', 'choice', 'blank')]
    """
    return _read_settings(kind)


@cache
def _read_settings(kind: type) -> tuple[MethodSetting, ...]:
    if not is_dataclass(kind):
        return ()
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:  # of a class in a function: its types are of any kind then
        hints = {}
    return tuple(
        _read_setting(setting, hints.get(setting.name, Any))
        for setting in fields(kind)
        if setting.init
    )


def _read_setting(setting: Field[Any], hint: Any) -> MethodSetting:
    described = SettingHelp()
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        described = next((note for note in notes if isinstance(note, SettingHelp)), described)
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    types = [member for member in members if member is not NoneType]
    optional = len(types) < len(members)
    words: list[str | None] = list(get_args(types[0])) if get_origin(types[0]) is Literal else []
    if words and optional:
        words = [None, *words]
    kind = _kind_of(types[0])
    return MethodSetting(
        name=setting.name,
        kind=kind,
        title=described.title or setting.name.replace("_", " "),
        help=described.help,
        default=None if setting.default is MISSING else setting.default,
        required=setting.default is MISSING and setting.default_factory is MISSING,
        optional=optional,
        main=described.main or setting.default is MISSING,
        least=described.least,
        most=described.most,
        above=described.above,
        usual=described.usual,
        step=1 if described.step is None and kind == "whole" else described.step,
        choices=tuple(
            SettingChoice(word, described.choices.get(word, word or "not set")) for word in words
        ),
    )


def _kind_of(hint: Any) -> SettingKind:
    kinds: dict[Any, SettingKind] = {int: "whole", float: "number", bool: "flag", str: "text"}
    if hint in kinds:
        return kinds[hint]
    origin = get_origin(hint)
    if origin is Literal:
        return "choice"
    if isinstance(origin, type) and issubclass(origin, Sequence) and str in get_args(hint):
        return "columns"
    return "any"


# ---------------------------------------------------------------------- the settings of a method


def check_settings(method: Any) -> None:
    """Refuse a setting that its type does not allow; lists become tuples."""
    for setting in read_settings(type(method)):
        value = getattr(method, setting.name)
        if not setting.accepts(value):
            raise ParameterError(f"{setting.name} must be {setting.accepted}, got {value!r}")
        if isinstance(value, list):
            object.__setattr__(method, setting.name, tuple(value))


def settings_of(method: Any) -> dict[str, Any]:
    """All settings of a method.

    >>> from ontomask.methods import Suppression
    >>> settings_of(Suppression(k=3))
    {'k': 3, 'how': 'blank'}
    """
    if not is_dataclass(method):
        return {}
    return {
        setting.name: getattr(method, setting.name)
        for setting in fields(method)
        if setting.init and setting.repr
    }


def changed_settings(method: Any) -> dict[str, Any]:
    """The settings that differ from the defaults, and always the one the method is varied by."""
    defaults = {
        setting.name: setting.default
        for setting in read_settings(type(method))
        if not setting.required and setting.name != method.varied_by
    }
    return {
        name: value
        for name, value in settings_of(method).items()
        if name not in defaults or value != defaults[name]
    }


def title_with_strength(method: Any) -> str:
    """The title of a method, with the setting that it is varied by.

    >>> from ontomask.methods import RankSwapping
    >>> title_with_strength(RankSwapping(window=3))
    'rank swapping, window = 3'
    """
    value = settings_of(method).get(method.varied_by)
    if value is None:
        return str(method.title)
    number = f"{value:,}" if isinstance(value, Integral) else f"{value:g}"
    return f"{method.title}, {method.varied_by} = {number}"


# ---------------------------------------------------------------------- shared by several methods

OperatorChoice = Annotated[
    Literal["semantic", "classic"],
    SettingHelp(
        "Comparison of words",
        "Compare words by semantic distance, or only as equal or different (a baseline).",
        {"semantic": "by semantic distance", "classic": "only equal or different"},
    ),
]

BlockSize = Annotated[
    int | None,
    SettingHelp(
        "Block size",
        "Plan at most this many combinations of values together. Smaller blocks save memory and "
        "lose more information.",
        least=4,
        step=1000,
    ),
]
