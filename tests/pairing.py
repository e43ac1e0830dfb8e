"""Pairs for tests of two kinds of things that do not depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TypeVar

A, B = TypeVar("A"), TypeVar("B")


def each_with(things: Sequence[A], others: Sequence[B]) -> list[tuple[A, B]]:
    """Each thing with one of the others, which take turns; the longer one comes first."""
    assert len(others) <= len(things)
    return list(zip(things, cycle(others)))
