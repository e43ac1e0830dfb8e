"""Amounts of memory as users write them."""

from __future__ import annotations

import re

__all__ = ["is_memory_size"]

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?[KMGT]i?B", re.ASCII | re.IGNORECASE)


def is_memory_size(text: str) -> bool:
    """Whether a text is an amount of memory above 0: a number and a unit.

    >>> [is_memory_size(text) for text in ("500MB", "0.5 GB", "2GiB", "0GB", "2", "80%")]
    [True, True, True, False, False, False]
    """
    match = _SIZE.fullmatch(text)
    return match is not None and float(match[1]) > 0
