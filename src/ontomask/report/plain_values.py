"""Values as JSON can hold them, and file names without their folders."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["file_name", "to_plain_values"]


def file_name(path: str) -> str:
    """The name of a file without its folder, whatever system wrote it."""
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def to_plain_values(value: Any) -> Any:
    """Convert a value to what JSON can hold: no numpy numbers, no NaN."""
    if isinstance(value, Mapping):
        return {str(key): to_plain_values(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_values(inner) for inner in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_plain_values(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
