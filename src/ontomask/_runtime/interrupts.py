"""Ctrl-C while a compiled loop or a database is at work, which hears nothing itself.

Python tells its main thread alone of an interrupt, and only between two steps of its own: a loop of
a minute would be waited for. So long work is done in a thread of its own while the main thread
waits, and passes an interrupt on: to the work, which then takes away what it has not finished, and
to whatever else can be told to stop (:func:`stopped_by`). What has a good answer at any time
(restarts of a search) is asked for it instead (:func:`stopping_early`).
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any, TypeVar

__all__ = ["interruptible", "stopped_by", "stopping_early", "unfinished"]

Result = TypeVar("Result")

#: How our modules are called.
OURS = f"{__name__.partition('.')[0]}."

#: How long an interrupt may go unheard where waiting cannot be interrupted, in seconds.
UNHEARD = 0.05

#: How long is waited for work that was stopped: to end where it can, and to take away what it has
#: written where it has written anything. A loop that hears nothing is left to itself.
ENDING, CLEARING_UP = 0.7, 15.0


class _Wish:
    """Whether somebody wants the work to end, and how it can be made to."""

    def __init__(self) -> None:
        self.said, self.heeded = Event(), False
        self.stops: list[Callable[[], object]] = []
        self.unfinished = 0


_wish: ContextVar[_Wish | None] = ContextVar("wish", default=None)


def interruptible(work: Callable[[], Result], *, relay: bool = True) -> Result:
    """Do some work that can be interrupted at any time.

    Warnings are given when it is done, as from the line that asked for it; without ``relay`` at
    once, from wherever they come.
    """
    if current_thread() is not main_thread() or _wish.get() is not None:
        return work()  # nobody will interrupt this thread
    wish, found = _Wish(), _Found(relay)
    context = copy_context()
    context.run(_wish.set, wish)
    thread = Thread(target=found.by, args=(context, work), daemon=True)
    thread.start()
    # Not the thread's own join: interrupted, it may take the thread for done.
    while not found.done.is_set():
        try:
            found.done.wait(UNHEARD)
        except KeyboardInterrupt:
            if wish.said.is_set() or not wish.heeded:
                _stop(thread, wish, found.done)
                raise
            wish.said.set()
    found.warn()
    return found.result()


def _stop(thread: Thread, wish: _Wish, done: Event) -> None:
    """Have the work end, and give it the time to clear up."""
    end = monotonic() + (CLEARING_UP if wish.unfinished else ENDING)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
    )
    while not done.is_set() and monotonic() < end:
        for stop in wish.stops:
            stop()
        done.wait(UNHEARD)


class _Found:
    """What the work gave, or why it gave nothing."""

    def __init__(self, relay: bool) -> None:
        self.done = Event()
        self._error: BaseException | None = None
        self._relay = relay
        self._warnings: list[warnings.WarningMessage] = []

    def by(self, context: Any, work: Callable[[], Any]) -> None:
        """Do the work."""
        try:
            if not self._relay:
                self._result = context.run(work)
                return
            with warnings.catch_warnings(record=True) as self._warnings:
                warnings.simplefilter("always")
                self._result = context.run(work)
        except BaseException as error:
            self._error = error
        finally:
            self.done.set()

    def warn(self) -> None:
        """Give the warnings of the work, as from the first line that is not ours."""
        frame, level = sys._getframe(1), 2
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(OURS):
            frame, level = frame.f_back, level + 1
        for it in self._warnings:
            warnings.warn(it.message, it.category, stacklevel=level)

    def result(self) -> Any:
        """The result; an error is raised here as it was there."""
        if self._error is not None:
            raise self._error
        return self._result


def stopped_by(stop: Callable[[], object]) -> None:
    """Say how something that the work waits for is told to stop; it may be told several times."""
    wish = _wish.get()
    if wish is not None:
        wish.stops.append(stop)


@contextmanager
def unfinished() -> Iterator[None]:
    """For as long as there is something on the disk that must not be left there."""
    wish = _wish.get()
    if wish is None:
        yield
        return
    wish.unfinished += 1
    try:
        yield
    finally:
        wish.unfinished -= 1


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
