"""What long work says while it goes on, without every function in between knowing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["report_progress", "listen_to_progress"]

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def report_progress(now: str) -> None:
    """Report what is being done to the listener, if there is one."""
    listener = _listener.get()
    if listener is not None:
        listener(now)


@contextmanager
def listen_to_progress(listener: Callable[[str], None]) -> Iterator[None]:
    """Send progress reports to a listener while the block runs."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
