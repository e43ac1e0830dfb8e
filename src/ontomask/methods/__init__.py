"""Masking methods, and the base classes for methods of your own.

A method is imported when it is first used. The operators that methods share are in
:mod:`~ontomask.methods.operators`, the methods by name in :mod:`~ontomask.methods.registry`.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from ontomask.methods.method import GroupingMethod, Method
    from ontomask.methods.microaggregation import Microaggregation
    from ontomask.methods.noise import FittedNoise, NoiseAddition
    from ontomask.methods.recoding import PairRecoding, Recoding
    from ontomask.methods.resampling import Resampling
    from ontomask.methods.settings import SettingHelp
    from ontomask.methods.suppression import Suppression
    from ontomask.methods.swapping import RankSwapping

__all__ = [
    "FittedNoise",
    "GroupingMethod",
    "Method",
    "Microaggregation",
    "NoiseAddition",
    "PairRecoding",
    "RankSwapping",
    "Recoding",
    "Resampling",
    "SettingHelp",
    "Suppression",
]

_MODULES = {
    "FittedNoise": "noise",
    "GroupingMethod": "method",
    "Method": "method",
    "Microaggregation": "microaggregation",
    "NoiseAddition": "noise",
    "PairRecoding": "recoding",
    "RankSwapping": "swapping",
    "Recoding": "recoding",
    "Resampling": "resampling",
    "SettingHelp": "settings",
    "Suppression": "suppression",
}


def __getattr__(name: str) -> _Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'ontomask.methods' has no attribute {name!r}")
    part = getattr(_import_module(f"ontomask.methods.{_MODULES[name]}"), name)
    globals()[name] = part
    return part
