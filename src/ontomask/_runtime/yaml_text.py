"""Plain values as YAML text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

__all__ = ["format_yaml"]


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


def format_yaml(fields: Mapping[str, Any]) -> str:
    """Format fields as a release file: the settings of a column or of the method on one line."""
    lines = []
    for name, value in fields.items():
        if name == "columns":
            lines.append("columns:")
            lines += [
                f"  {line}"
                for column, settings in value.items()
                for line in _format_field(column, settings)
            ]
        else:
            lines += _format_field(name, value)
    return "\n".join(lines) + "\n"


def _format_field(name: str, value: Any) -> list[str]:
    settings: dict[str, Any] = {
        "Dumper": _Dumper,
        "sort_keys": False,
        "allow_unicode": True,
        "width": 1_000_000,
    }
    if not isinstance(value, Mapping | list):
        return str(yaml.dump({name: value}, **settings)).splitlines()
    # Not as the key of a mapping: long ones would stand on a line of their own, after "? ".
    key = yaml.dump([name], default_flow_style=True, **settings).strip()[1:-1]
    return [f"{key}: {yaml.dump(value, default_flow_style=True, **settings)}".rstrip()]
