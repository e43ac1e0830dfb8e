"""Masking methods by name, with their settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any

from ontomask import methods
from ontomask.methods.method import Method

__all__ = ["METHODS", "name_of", "settings_of", "changed_settings"]


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


#: Every method under its name in a file: ``rank_swapping`` is RankSwapping.
METHODS: dict[str, Callable[..., Method]] = {
    _snake_case(name): getattr(methods, name)
    for name in methods.__all__
    if issubclass(getattr(methods, name), Method)
}


def name_of(method: Method) -> str:
    """The name of a method in a release file.

    >>> name_of(methods.RankSwapping())
    'rank_swapping'
    """
    return _snake_case(type(method).__name__)


def settings_of(method: Method) -> dict[str, Any]:
    """All settings of a method.

    >>> settings_of(methods.Suppression(k=3))
    {'k': 3, 'how': 'blank'}
    """
    return {
        field.name: getattr(method, field.name)
        for field in setting_fields(type(method))
        if field.repr
    }


def setting_fields(kind: Any) -> list[Field[Any]]:
    return [field for field in fields(kind) if field.init]


def changed_settings(method: Method) -> dict[str, Any]:
    """The settings of a method that differ from the defaults; its k or alpha in any case."""
    try:
        defaults = settings_of(type(method)())
    except TypeError:  # a method of the caller's own, that must be told something
        defaults = {}
    return {
        name: value
        for name, value in settings_of(method).items()
        if name in ("k", "alpha") or name not in defaults or value != defaults[name]
    }
