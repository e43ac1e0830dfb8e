"""Masking methods as a release file names them; their settings are known to the methods alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ontomask.errors import ExtensionError, ParameterError, RenamedSettingWarning
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS
from ontomask.methods.settings import MethodSetting, read_settings
from ontomask.releasefile.problems import Problem, choices_hint, format_value
from ontomask.taxonomy.names import closest_names

__all__ = [
    "assume_attacker",
    "json_schema_of_methods",
    "problems_of_attacker",
    "problems_of_settings",
    "rename_old_settings",
]


def rename_old_settings(settings: Mapping[Any, Any], *, warn: bool = True) -> dict[Any, Any]:
    """The settings of a method by their present names; old names are replaced, with a warning.

    >>> rename_old_settings({"name": "rank_swapping", "k": 3}, warn=False)
    {'name': 'rank_swapping', 'window': 3}
    """
    name = settings.get("name")
    new_names = _renamed_settings(name)
    if any(new in settings for old, new in new_names.items() if old in settings):
        return dict(settings)  # both names: problems_of_settings says so
    for old, new in new_names.items():
        if warn and old in settings:
            message = f"method.{old} of {name} is deprecated: write {new}: instead of {old}:"
            warnings.warn(message, RenamedSettingWarning, stacklevel=4)
    return {new_names.get(key, key): value for key, value in settings.items()}


def _renamed_settings(name: Any) -> Mapping[str, str]:
    if not isinstance(name, str) or name not in METHODS:
        return {}
    try:
        return METHODS[name].renamed_settings
    except ExtensionError:  # problems_of_settings says so
        return {}


def assume_attacker(settings: Mapping[Any, Any], attacker: Any) -> dict[Any, Any]:
    """The settings of a method with what its release file says of attackers.

    >>> assume_attacker({"name": "pair_recoding", "k": 5}, {"knows": 3})
    {'name': 'pair_recoding', 'k': 5, 'm': 3}
    """
    setting = _attacker_setting(settings)
    if setting is None or not isinstance(attacker, Mapping) or "knows" not in attacker:
        return dict(settings)
    return {**settings, setting: settings.get(setting, attacker["knows"])}


def _attacker_setting(settings: Mapping[Any, Any]) -> str | None:
    name = settings.get("name")
    if not isinstance(name, str) or name not in METHODS:
        return None
    try:
        return METHODS[name].attacker_setting
    except ExtensionError:  # problems_of_settings says so
        return None


def problems_of_attacker(
    settings: Mapping[Any, Any], attacker: Mapping[Any, Any]
) -> Iterator[Problem]:
    """Problems of a method that does not protect against the attackers of its release file."""
    name, setting = settings.get("name"), _attacker_setting(settings)
    if not attacker or not isinstance(name, str) or name not in METHODS:
        return
    if setting is None:
        hint = "use the method pair_recoding; or remove attacker: the other methods assume nothing"
        yield Problem(("attacker",), f"does not apply to the method {name!r}", hint)
    elif "knows" in attacker and settings.get(setting, attacker["knows"]) != attacker["knows"]:
        yield Problem(
            ("attacker", "knows"),
            f"must be equal to method.{setting}, {format_value(settings[setting])}, got "
            f"{format_value(attacker['knows'])}",
            f"remove method.{setting}",
        )


def problems_of_settings(settings: Mapping[Any, Any]) -> Iterator[Problem]:
    """Problems of a method's settings: each one alone, then all of them together."""
    name = settings.get("name")
    if not isinstance(name, str) or name not in METHODS:
        return
    try:
        kind = METHODS[name]
    except ExtensionError as error:
        yield Problem(("method", "name"), f"is {name!r}: {error.message}", error.hint)
        return
    problems = list(_problems_of_each(name, kind, settings))
    yield from problems
    if not problems:
        known = {setting.name for setting in read_settings(kind)}
        try:
            kind(**{key: value for key, value in settings.items() if key in known})
        except ParameterError as error:
            yield Problem(("method",), f"is not valid: {error.message}", error.advice.yaml)


def _problems_of_each(
    name: str, kind: type[Method], settings: Mapping[Any, Any]
) -> Iterator[Problem]:
    known = {setting.name: setting for setting in read_settings(kind)}
    for key, value in settings.items():
        if key == "name" or str(key).lower() == "seed":
            continue
        if key in kind.renamed_settings:
            new = kind.renamed_settings[key]
            yield Problem(("method", key), f"is the old name of {new}", f"use {new} only")
        elif key not in known:
            hint = choices_hint(str(key), known, f"the settings of {name} are")
            yield Problem(("method",), f"has no setting {str(key)!r}", hint)
        elif not known[key].accepts(value):
            near = closest_names(str(value), known[key].words, most=1)
            yield Problem(
                ("method", key),
                f"must be {_accepted_in_yaml(known[key])}, got {format_value(value)}",
                f"did you mean {near[0]!r}?" if near else "",
            )
    for setting in known.values():
        if setting.required and setting.name not in settings:
            hint = f"it must be {_accepted_in_yaml(setting)}"
            yield Problem(("method", setting.name), "is missing", hint)


def _accepted_in_yaml(setting: MethodSetting) -> str:
    return "true or false" if setting.kind == "flag" else setting.accepted


# ---------------------------------------------------------------------- for editors


def json_schema_of_methods() -> dict[str, Any]:
    """One alternative for each method."""
    return {
        "description": "The masking method and its settings.",
        "type": "object",
        "required": ["name"],
        "oneOf": [_method_schema(kind) for kind in METHODS.available().values()],
    }


def _method_schema(kind: type[Method]) -> dict[str, Any]:
    settings = read_settings(kind)
    return {
        "title": kind.name,
        "description": kind.summary or kind.title,
        "type": "object",
        "properties": {
            "name": {"const": kind.name},
            **{setting.name: _setting_schema(setting) for setting in settings},
            **_schema_of_old_names(kind, settings),
        },
        "required": ["name", *(setting.name for setting in settings if setting.required)],
        "additionalProperties": False,
    }


def _schema_of_old_names(
    kind: type[Method], settings: tuple[MethodSetting, ...]
) -> dict[str, dict[str, Any]]:
    by_name = {setting.name: setting for setting in settings}
    return {
        old: {
            **_setting_schema(by_name[new]),
            "description": f"The old name of {new}.",
            "deprecated": True,
        }
        for old, new in kind.renamed_settings.items()
    }


def _setting_schema(setting: MethodSetting) -> dict[str, Any]:
    schema: dict[str, Any] = {"description": setting.help or setting.title}
    if setting.kind == "choice":
        schema["enum"] = [*setting.words, *([None] if setting.optional else [])]
    elif setting.kind != "any":
        types = {"whole": "integer", "flag": "boolean", "columns": "array", "text": "string"}
        kind = types.get(setting.kind, setting.kind)
        schema["type"] = [kind, "null"] if setting.optional else kind
    if setting.kind == "columns":
        schema |= {"items": {"type": "string"}, "minItems": 1}
    limits = {
        "minimum": setting.least,
        "maximum": setting.most,
        "exclusiveMinimum": setting.above,
    }
    schema |= {word: limit for word, limit in limits.items() if limit is not None}
    return schema if setting.required else {**schema, "default": setting.default}
