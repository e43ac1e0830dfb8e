"""Warnings that a caller can collect, also while other threads warn.

``warnings.catch_warnings`` is for the whole process: in a thread of the workbench it would catch
what other threads warn of. Here each thread collects its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ontomask.errors import OntomaskWarning

__all__ = ["collect_warnings", "warn"]

_collected: ContextVar[list[OntomaskWarning] | None] = ContextVar("_collected", default=None)


def warn(warning: OntomaskWarning, stacklevel: int = 1) -> None:
    """Issue the warning, or hand it to whoever collects the warnings of this thread."""
    collected = _collected.get()
    if collected is None:
        warnings.warn(warning, stacklevel=stacklevel + 1)
    else:
        collected.append(warning)


@contextmanager
def collect_warnings() -> Iterator[list[OntomaskWarning]]:
    """Collect what :func:`warn` is given in this thread instead of issuing it."""
    collected: list[OntomaskWarning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
