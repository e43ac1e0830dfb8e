"""Being stopped: by Ctrl-C, or told to end; what is unfinished is taken away.

The interrupt may come while a library loads that swallows it, so it is remembered, and heeded at
the next step of the work.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["STOPPED", "asked_to_stop", "heed", "heeding"]

#: The exit code of a command that was stopped.
STOPPED = 130

_asked = False


def asked_to_stop() -> bool:
    """Whether somebody wants the command to end."""
    return _asked


def heed() -> None:
    """Stop now, if that was asked for."""
    if _asked:
        raise KeyboardInterrupt


@contextmanager
def heeding() -> Iterator[None]:
    """Listen for both ways of being stopped while a command runs."""
    global _asked
    _asked = False
    usual = {sign: signal.signal(sign, _stop) for sign in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for sign, handler in usual.items():
            signal.signal(sign, handler)


def _stop(*_: Any) -> None:
    global _asked
    _asked = True
    raise KeyboardInterrupt
