"""Masking methods as a release file names them; their settings are known to the methods alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

from ontomask import methods
from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.release.problems import Problem, allowed

__all__ = ["METHODS", "json_schema_of_methods", "name_of", "problems_of_settings", "settings_of"]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


#: Every method under its name in a file: ``rank_swapping`` is RankSwapping.
METHODS: dict[str, Callable[..., Method]] = {
    _snake(name): getattr(methods, name)
    for name in methods.__all__
    if issubclass(getattr(methods, name), Method)
}


def name_of(method: Method) -> str:
    """What a file calls a method.

    >>> name_of(methods.RankSwapping())
    'rank_swapping'
    """
    return _snake(type(method).__name__)


def settings_of(method: Method) -> dict[str, Any]:
    """All settings of a method.

    >>> settings_of(methods.Suppression(k=3))
    {'k': 3, 'how': 'blank'}
    """
    return {it.name: getattr(method, it.name) for it in _settings(type(method)) if it.repr}


def problems_of_settings(given: Mapping[Any, Any]) -> Iterator[Problem]:
    """What the method says to each of its settings, and then to all of them together."""
    kind = METHODS.get(given["name"]) if isinstance(given.get("name"), str) else None
    if kind is None:
        return
    known = [it.name for it in _settings(kind)]
    alone = True
    for setting, value in given.items():
        if setting == "name" or str(setting).lower() == "seed":
            continue
        if setting not in known:
            alone = False
            yield Problem(
                ("method",),
                f"has no setting {str(setting)!r}",
                allowed(str(setting), known, f"the settings of {given['name']} are"),
            )
        elif (error := _refused(kind, {setting: value})) is not None and _is_about(error, setting):
            alone = False
            words = _choices(kind, setting)
            yield Problem(
                ("method", setting),
                error.message.removeprefix(f"{setting} "),
                allowed(value, words) if words else error.hint,
            )
    together = {name: value for name, value in given.items() if name in known}
    if alone and (error := _refused(kind, together)) is not None:
        yield Problem(("method",), f"has settings that clash: {error.message}", error.hint)


def _settings(kind: Any) -> list[Field[Any]]:
    return [it for it in fields(kind) if it.init]


def _refused(kind: Callable[..., Method], settings: Mapping[str, Any]) -> ParameterError | None:
    try:
        kind(**settings)
    except ParameterError as error:
        return error
    return None


def _is_about(error: ParameterError, setting: str) -> bool:
    """Whether the error is about the value itself, and not about what it clashes with."""
    return error.message.startswith(f"{setting} is ") and ", and " not in error.message


def _choices(kind: Callable[..., Method], setting: str) -> list[str]:
    """The words that a setting can be, as the method lists them when it refuses one."""
    error = _refused(kind, {setting: "\N{REPLACEMENT CHARACTER}"})
    if error is None or not error.hint.startswith("it can be "):
        return []
    return re.findall(r"'([^']*)'", error.hint)


# ---------------------------------------------------------------------- for editors


def json_schema_of_methods() -> dict[str, Any]:
    """One alternative for each method."""
    return {
        "description": "The masking method and its settings.",
        "type": "object",
        "required": ["name"],
        "oneOf": [_json_schema(name, kind) for name, kind in METHODS.items()],
    }


def _json_schema(name: str, kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {
        "title": name,
        "description": str(kind.__doc__).splitlines()[0].replace("``", ""),
        "type": "object",
        "properties": {
            "name": {"const": name},
            **{it.name: _property(kind, it, hints[it.name]) for it in _settings(kind)},
        },
        "required": [
            "name",
            *(it.name for it in _settings(kind) if it.default is MISSING),
        ],
        "additionalProperties": False,
    }


def _property(kind: Any, setting: Field[Any], hint: Any) -> dict[str, Any]:
    from pydantic import TypeAdapter

    default = {} if setting.default is MISSING else {"default": setting.default}
    words: list[str | None] = [*_choices(kind, setting.name)]
    if words:
        return {"enum": words if setting.default is not None else [*words, None], **default}
    return {**TypeAdapter(hint).json_schema(), **default}
