"""Stop a command on Ctrl-C, SIGTERM or SIGHUP; unfinished files are removed.

A library may swallow the interrupt while it loads, so the request is stored and checked at the next
step of the work.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ontomask._runtime.interrupts import STOP_SIGNALS

__all__ = ["EXIT_STOPPED", "stop_requested", "stop_if_requested", "handle_stop_signals"]

#: The exit code of a command that was stopped.
EXIT_STOPPED = 130

_stop_requested = False


def stop_requested() -> bool:
    """Whether the command was asked to stop."""
    return _stop_requested


def stop_if_requested() -> None:
    """Raise KeyboardInterrupt if the command was asked to stop."""
    if _stop_requested:
        raise KeyboardInterrupt


@contextmanager
def handle_stop_signals() -> Iterator[None]:
    """Handle the signals that end a command while it runs; ``nohup`` keeps its meaning."""
    global _stop_requested
    _stop_requested = False
    handlers = {
        sign: signal.signal(sign, _request_stop) for sign in STOP_SIGNALS if not _is_nohup(sign)
    }
    try:
        yield
    finally:
        for sign, handler in handlers.items():
            signal.signal(sign, handler)


def _is_nohup(sign: signal.Signals) -> bool:
    return sign.name == "SIGHUP" and signal.getsignal(sign) is signal.SIG_IGN


def _request_stop(*_: Any) -> None:
    global _stop_requested
    _stop_requested = True
    raise KeyboardInterrupt
