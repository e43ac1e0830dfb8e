"""Old names that still work for one release."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["deprecated_names"]


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
