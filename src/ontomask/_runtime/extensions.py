"""Parts by name: those of this package, and those that other packages add by entry point.

A package adds a part in its pyproject.toml, and nothing has to be called::

    [project.entry-points."ontomask.methods"]
    top_coding = "my_package.top_coding:TopCoding"

Names are known without importing a part; it is imported when it is used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from ontomask.errors import ExtensionError, ExtensionWarning

__all__ = ["Registry", "find_entry_points"]

Part = TypeVar("Part")


@cache
def find_entry_points(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in alphabetical order; looked for once."""
    by_name: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        first = by_name.setdefault(entry.name, entry)
        if first.value != entry.value:
            _warn_of_ignored(group, entry, f"{_package_of(first)} has one of that name, too")
    return by_name


class Registry(Mapping[str, Part], Generic[Part]):
    """The parts of one kind by name: our own first, then those of the entry point ``group``.

    ``own`` holds the parts, or where to import them from, as ``"package.module:name"`` or
    ``"package.module"``. ``check`` gets the name and the part of another package, and returns the
    part; it raises :class:`~ontomask.errors.ExtensionError` where it is of the wrong kind.
    """

    __eq__ = object.__eq__  # not part by part, which would load all
    __hash__ = object.__hash__

    def __init__(
        self, group: str, own: Mapping[str, Part | str], check: Callable[[str, Any], Part]
    ) -> None:
        self.group = group
        self._own, self._check = dict(own), check
        self._loaded: dict[str, Part] = {}

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names of the parts that come with this package."""
        return tuple(self._own)

    @property
    def added_names(self) -> tuple[str, ...]:
        """The names of the parts that other packages add."""
        return tuple(self._added())

    def _added(self) -> dict[str, EntryPoint]:
        entries = find_entry_points(self.group)
        return {name: entry for name, entry in entries.items() if name not in self._own}

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._added()

    def __len__(self) -> int:
        return len(self._own) + len(self._added())

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._added()

    def __getitem__(self, name: str) -> Part:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> Part:
        if name in self._own:
            part = self._own[name]
            return _import_part(part) if isinstance(part, str) else part
        entry = self._added()[name]
        try:
            return self._check(name, entry.load())
        except ExtensionError:
            raise
        except Exception as error:
            raise ExtensionError(
                f"{name!r} of {_package_of(entry)} cannot be loaded from {entry.value}: "
                f"{type(error).__name__}: {error}",
                f"repair or uninstall {_package_of(entry)}; it is an entry point of {self.group}",
            ) from error

    def available(self) -> dict[str, Part]:
        """All parts that can be loaded; a part of another package that cannot is warned of."""
        parts: dict[str, Part] = {}
        for name in self:
            try:
                parts[name] = self[name]
            except ExtensionError as error:
                _warn_of_ignored(self.group, self._added()[name], error.message)
        return parts

    def package_version(self, name: str) -> str | None:
        """The package that adds a part, with its version; None for a part of our own."""
        entry = None if name in self._own else self._added().get(name)
        return f"{entry.dist.name} {entry.dist.version}" if entry and entry.dist else None

    def forget_added(self) -> None:
        """Look for the parts of other packages again: after one was installed."""
        find_entry_points.cache_clear()
        self._loaded.clear()


def _import_part(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name) if name else import_module(module)


def _package_of(entry: EntryPoint) -> str:
    return "another package" if entry.dist is None else f"the package {entry.dist.name!r}"


def _warn_of_ignored(group: str, entry: EntryPoint, reason: str) -> None:
    warnings.warn(
        f"{entry.name!r} of {_package_of(entry)} is ignored in {group}: {reason}",
        ExtensionWarning,
        stacklevel=3,
    )
