"""Old names that still work, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from ontomask.errors import ParameterError, RenamedSettingWarning

__all__ = ["accept_renamed_settings", "deprecated_names"]

Kind = TypeVar("Kind", bound=type)


def deprecated_names(module: str, new_names: Mapping[str, str]) -> Callable[[str], Any]:
    """A ``__getattr__`` for a module: its old names give the new ones, with a warning."""

    def look_up(name: str) -> Any:
        if name not in new_names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        new = new_names[name]
        message = f"{module}.{name} is deprecated: use {module}.{new}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(sys.modules[module], new)

    return look_up


def accept_renamed_settings(kind: Kind) -> Kind:
    """Let a method's class take its settings by their old names too, with a warning.

    The class lists them in ``renamed_settings``, as ``{"k": "window"}``.
    """
    name, new_names = kind.__name__, kind.renamed_settings  # type: ignore[attr-defined]
    initialise: Callable[..., None] = kind.__init__  # type: ignore[misc]

    @wraps(initialise)
    def __init__(self: Any, *values: Any, **settings: Any) -> None:
        for old in [old for old in new_names if old in settings]:
            new = new_names[old]
            if new in settings:
                raise ParameterError(
                    f"{old} and {new} are two names of one setting, got both",
                    f"use {new} only; {old} is its old name",
                )
            message = f"{name}({old}=...) is deprecated: use {name}({new}=...)"
            warnings.warn(message, RenamedSettingWarning, stacklevel=2)
            settings[new] = settings.pop(old)
        initialise(self, *values, **settings)

    kind.__init__ = __init__  # type: ignore[misc]
    for old, new in new_names.items():
        setattr(kind, old, _read_by_old_name(name, old, new))
    return kind


def _read_by_old_name(kind_name: str, old: str, new: str) -> property:
    def read(self: Any) -> Any:
        message = f"{kind_name}.{old} is deprecated: use {kind_name}.{new}"
        warnings.warn(message, RenamedSettingWarning, stacklevel=2)
        return getattr(self, new)

    return property(read, doc=f"The old name of ``{new}``.")
