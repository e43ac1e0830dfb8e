"""Masking methods by name: our own, and those of other packages.

Another package adds a method by an entry point of the group ``ontomask.methods``
(docs/how-to/add-a-method.md). Nothing else has a list of methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ontomask._runtime.extensions import Registry
from ontomask.errors import ExtensionError
from ontomask.methods.settings import changed_settings, read_settings, settings_of

if TYPE_CHECKING:
    from ontomask.methods.method import Method

__all__ = ["METHODS", "changed_settings", "example_settings", "name_of", "settings_of"]


def _check_method(name: str, kind: Any) -> type[Method]:
    from ontomask.methods.method import Method

    if not isinstance(kind, type) or not issubclass(kind, Method):
        raise ExtensionError(
            f"the method {name!r} must be a subclass of ontomask.methods.Method, got {kind!r}",
            "see docs/how-to/add-a-method.md",
        )
    if kind.name != name:
        raise ExtensionError(
            f"the method {kind.name!r} is registered as {name!r}",
            f"name its entry point {kind.name!r}, or set name = {name!r} in the class",
        )
    read_settings(kind)  # a type that cannot be read is found here
    return kind


#: Every method under its name in a release file, in the order in which they are listed.
METHODS: Registry[type[Method]] = Registry(
    "ontomask.methods",
    {
        "microaggregation": "ontomask.methods.microaggregation:Microaggregation",
        "recoding": "ontomask.methods.recoding:Recoding",
        "pair_recoding": "ontomask.methods.recoding:PairRecoding",
        "resampling": "ontomask.methods.resampling:Resampling",
        "suppression": "ontomask.methods.suppression:Suppression",
        "rank_swapping": "ontomask.methods.swapping:RankSwapping",
        "noise_addition": "ontomask.methods.noise:NoiseAddition",
    },
    _check_method,
)


def name_of(method: Method) -> str:
    """The name of a method in a release file.

    >>> from ontomask.methods import RankSwapping
    >>> name_of(RankSwapping())
    'rank_swapping'
    """
    return method.name


def example_settings(name: str) -> dict[str, Any]:
    """Settings to start with: the one a method is varied by, and the required ones.

    >>> example_settings("noise_addition")
    {'alpha': 0.3}
    """
    kind = METHODS[name]
    return {
        setting.name: (setting.usual[0] if setting.usual else "...")
        if setting.required
        else setting.default
        for setting in read_settings(kind)
        if setting.required or setting.name == kind.varied_by
    }
