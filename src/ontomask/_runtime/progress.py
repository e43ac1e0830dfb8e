"""What long work says while it goes on, without every function in between knowing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["say", "saying"]

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def say(now: str) -> None:
    """Report what is being done to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(now)


@contextmanager
def saying(listener: Callable[[str], None]) -> Iterator[None]:
    """Send progress reports to a listener while the block runs."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
