"""Plain values as YAML text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

__all__ = ["format_field", "format_flow_value", "format_yaml"]


class _Dumper(yaml.SafeDumper):
    """Text that begins like a number is quoted, whatever version of YAML reads it.

    So is text with an end of a line in it, of whatever kind: unquoted, some come back as spaces.
    """


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "'" if re.match(r"[-+]?\.?[0-9]", text) else None
    if "".join(text.splitlines()) != text:
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


_SETTINGS: dict[str, Any] = {
    "Dumper": _Dumper,
    "sort_keys": False,
    "allow_unicode": True,
    "width": 1_000_000,
}


def format_yaml(fields: Mapping[str, Any]) -> str:
    """Format fields as a release file: the settings of a column or of the method on one line."""
    lines = []
    for name, value in fields.items():
        if name == "columns":
            lines.append("columns:")
            lines += [
                f"  {line}"
                for column, settings in value.items()
                for line in format_field(column, settings)
            ]
        else:
            lines += format_field(name, value)
    return "\n".join(lines) + "\n"


def format_field(name: str, value: Any) -> list[str]:
    """Format a field; groups and lists are on one line."""
    if not isinstance(value, Mapping | list):
        return str(yaml.dump({name: value}, **_SETTINGS)).splitlines()
    # Not as the key of a mapping: long ones would stand on a line of their own, after "? ".
    return [f"{format_flow_value(name)}: {format_flow_value(value)}"]


def format_flow_value(value: Any) -> str:
    """Format a value on one line, as it may stand inside brackets.

    >>> format_flow_value({"role": "quasi", "levels": ["low", "1"]})
    "{role: quasi, levels: [low, '1']}"
    """
    return str(yaml.dump([value], default_flow_style=True, **_SETTINGS)).strip()[1:-1]
