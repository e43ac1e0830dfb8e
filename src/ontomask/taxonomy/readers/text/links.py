"""Links between concepts that are kept, across those that are not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeVar

__all__ = ["links_across"]

Key = TypeVar("Key", int, str)


def links_across(
    parents: Mapping[Key, Collection[Key]], kept: Collection[Key]
) -> Iterator[tuple[Key, Key]]:
    """The kept concepts with the nearest kept ones above them, once each.

    A parent that is not kept is replaced by its own parents. ``kept`` should be a set or mapping.

    >>> list(links_across({"flu": ["old name"], "old name": ["disease"]}, {"flu", "disease"}))
    [('flu', 'disease')]
    """
    for child in kept:
        seen: set[Key] = set()
        waiting = list(parents.get(child, ()))[::-1]
        while waiting:
            parent = waiting.pop()
            if parent in seen:
                continue
            seen.add(parent)
            if parent in kept:
                yield child, parent
            else:
                waiting += list(parents.get(parent, ()))[::-1]
