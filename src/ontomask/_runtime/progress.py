"""What long work says while it goes on, without every function in between knowing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

__all__ = ["TimeLeft", "ignore_progress", "listen_to_progress", "report_progress"]

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def ignore_progress(_: str) -> None:
    """Do nothing with a progress report."""


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


class TimeLeft:
    """An estimate of the time that the remaining pieces of work will take."""

    def __init__(self, pieces: int) -> None:
        self._pieces, self._start = pieces, monotonic()

    def describe_after(self, finished: int) -> str:
        """The remaining time after a number of pieces, in words; empty if it is short."""
        seconds = (monotonic() - self._start) * (self._pieces - finished) / max(finished, 1)
        if not finished or seconds < 2:
            return ""
        about = f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
        return f" (about {about} left)"
