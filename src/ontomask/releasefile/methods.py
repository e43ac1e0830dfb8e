"""Masking methods as a release file names them; their settings are known to the methods alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field
from typing import Any, get_type_hints

from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS, setting_fields
from ontomask.releasefile.problems import Problem, choices_hint

__all__ = ["json_schema_of_methods", "problems_of_settings"]


def problems_of_settings(settings: Mapping[Any, Any]) -> Iterator[Problem]:
    """Problems of a method's settings: each one alone, then all of them together."""
    kind = METHODS.get(settings["name"]) if isinstance(settings.get("name"), str) else None
    if kind is None:
        return
    known = [field.name for field in setting_fields(kind)]
    each_is_valid = True
    for setting, value in settings.items():
        if setting == "name" or str(setting).lower() == "seed":
            continue
        if setting not in known:
            each_is_valid = False
            yield Problem(
                ("method",),
                f"has no setting {str(setting)!r}",
                choices_hint(str(setting), known, f"the settings of {settings['name']} are"),
            )
        elif (error := _settings_error(kind, {setting: value})) is not None and _is_about(
            error, setting
        ):
            each_is_valid = False
            words = _choices(kind, setting)
            yield Problem(
                ("method", setting),
                error.message.removeprefix(f"{setting} "),
                choices_hint(value, words) if words else error.hint,
            )
    together = {name: value for name, value in settings.items() if name in known}
    if each_is_valid and (error := _settings_error(kind, together)) is not None:
        yield Problem(("method",), f"has settings that clash: {error.message}", error.hint)


def _settings_error(
    kind: Callable[..., Method], settings: Mapping[str, Any]
) -> ParameterError | None:
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
    error = _settings_error(kind, {setting: "\N{REPLACEMENT CHARACTER}"})
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
        "oneOf": [_method_schema(name, kind) for name, kind in METHODS.items()],
    }


def _method_schema(name: str, kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {
        "title": name,
        "description": str(kind.__doc__).splitlines()[0].replace("``", ""),
        "type": "object",
        "properties": {
            "name": {"const": name},
            **{
                setting.name: _setting_schema(kind, setting, hints[setting.name])
                for setting in setting_fields(kind)
            },
        },
        "required": [
            "name",
            *(setting.name for setting in setting_fields(kind) if setting.default is MISSING),
        ],
        "additionalProperties": False,
    }


def _setting_schema(kind: Any, setting: Field[Any], hint: Any) -> dict[str, Any]:
    from pydantic import TypeAdapter

    default = {} if setting.default is MISSING else {"default": setting.default}
    words: list[str | None] = [*_choices(kind, setting.name)]
    if words:
        return {"enum": words if setting.default is not None else [*words, None], **default}
    return {**TypeAdapter(hint).json_schema(), **default}
