"""What long work says while it goes on, without every function in between knowing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["say", "saying"]

_told: ContextVar[Callable[[str], None] | None] = ContextVar("told", default=None)


def say(now: str) -> None:
    """Tell whoever listens what is being done."""
    told = _told.get()
    if told is not None:
        told(now)


@contextmanager
def saying(told: Callable[[str], None]) -> Iterator[None]:
    """Listen for as long as the block lasts."""
    before = _told.set(told)
    try:
        yield
    finally:
        _told.reset(before)
