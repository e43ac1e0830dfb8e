"""Ctrl-C while a compiled loop runs, which hears nothing itself.

Python tells its main thread alone of an interrupt, and only between two steps of its own: a loop of
a minute would be waited for. So long work is done in a thread of its own while the main thread
waits. What has a good answer at any time (restarts of a search) can be asked for it instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Event, Thread, current_thread, main_thread
from typing import Any, TypeVar

__all__ = ["interruptible", "stopping_early"]

Result = TypeVar("Result")

#: How long an interrupt may go unheard where waiting cannot be interrupted, in seconds.
UNHEARD = 0.2


class _Wish:
    """Whether somebody wants the work to end, and whether it would end by itself."""

    def __init__(self) -> None:
        self.said, self.heeded = Event(), False


_wish: ContextVar[_Wish | None] = ContextVar("wish", default=None)


def interruptible(work: Callable[[], Result]) -> Result:
    """Do some work that can be interrupted at any time; what was begun is then left alone."""
    if current_thread() is not main_thread() or _wish.get() is not None:
        return work()  # nobody will interrupt this thread
    wish, found = _Wish(), _Found()
    context = copy_context()
    context.run(_wish.set, wish)
    Thread(target=found.by, args=(context, work), daemon=True).start()
    # Not the thread's own join: interrupted, it may take the thread for done.
    while not found.done.is_set():
        try:
            found.done.wait(UNHEARD)
        except KeyboardInterrupt:
            if wish.said.is_set() or not wish.heeded:
                raise
            wish.said.set()
    return found.result()


class _Found:
    """What the work gave, or why it gave nothing."""

    def __init__(self) -> None:
        self.done = Event()
        self._error: BaseException | None = None

    def by(self, context: Any, work: Callable[[], Any]) -> None:
        """Do the work."""
        try:
            self._result = context.run(work)
        except BaseException as error:
            self._error = error
        self.done.set()

    def result(self) -> Any:
        """The result; an error is raised here as it was there."""
        if self._error is not None:
            raise self._error
        return self._result


@contextmanager
def stopping_early() -> Iterator[Callable[[], bool]]:
    """For work that ends by itself when it is asked to: tells whether it is."""
    wish = _wish.get()
    if wish is None:
        yield lambda: False
        return
    wish.heeded = True
    try:
        yield wish.said.is_set
    finally:
        wish.heeded = False
