"""Ctrl-C while a compiled loop or a database is at work, which hears nothing itself.

Python tells its main thread alone of an interrupt, and only between two steps of its own: a loop of
a minute would be waited for. So long work is done in a thread of its own while the main thread
waits, and passes an interrupt on: to the work, which then takes away what it has not finished, and
to other work that can be stopped (:func:`register_stop`). What has a good answer at any time
(restarts of a search) is asked for it instead (:func:`early_stopping`).
"""

from __future__ import annotations

import ctypes
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from itertools import chain, repeat
from threading import Event, Thread, current_thread, main_thread
from time import monotonic
from typing import Any, TypeVar

__all__ = [
    "STOP_SIGNALS",
    "run_interruptibly",
    "register_stop",
    "early_stopping",
    "mark_unfinished",
]

Result = TypeVar("Result")

#: Signals that end a process, but leave it time to remove what it has not finished.
STOP_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

#: How the names of our modules begin.
PACKAGE_PREFIX = f"{__name__.partition('.')[0]}."

#: How often a wait is interrupted to look for Ctrl-C, in seconds.
POLL_SECONDS = 0.05

#: How long we wait for stopped work: to end, and to remove unfinished files where there are any.
#: A compiled loop that cannot be interrupted is left to itself.
STOP_SECONDS, CLEANUP_SECONDS = 0.7, 15.0


class _StopRequest:
    """Whether the user asked the work to stop, and the work that can be stopped."""

    def __init__(self) -> None:
        self.requested, self.polled = Event(), False
        self.stoppers: list[Callable[[], object]] = []
        self.pending_cleanups = 0


_stop_request: ContextVar[_StopRequest | None] = ContextVar("stop_request", default=None)


def run_interruptibly(work: Callable[[], Result], *, relay: bool = True) -> Result:
    """Run some work in a thread, so that Ctrl-C can interrupt it at any time.

    Warnings are given when it is done, as from the line that asked for it; without ``relay`` at
    once, from wherever they come.
    """
    if current_thread() is not main_thread() or _stop_request.get() is not None:
        return work()  # nobody will interrupt this thread
    request, background = _StopRequest(), _BackgroundWork(relay)
    context = copy_context()
    context.run(_stop_request.set, request)
    thread = Thread(target=background.run, args=(context, work), daemon=True)
    # Not the thread's own join: interrupted, it may take the thread for done.
    wait = partial(background.finished.wait, POLL_SECONDS)
    steps: Iterator[Callable[[], object]] = chain([thread.start], repeat(wait))
    try:
        for step in steps:
            try:
                step()
                if background.finished.is_set():
                    break
            except KeyboardInterrupt:
                if request.requested.is_set() or not request.polled:
                    raise
                request.requested.set()
    except KeyboardInterrupt:
        _stop(thread, request, background.finished)
        raise
    background.relay_warnings()
    return background.result()


def _stop(thread: Thread, request: _StopRequest, finished: Event) -> None:
    """Stop the work, and give it time to clean up."""
    end = monotonic() + (CLEANUP_SECONDS if request.pending_cleanups else STOP_SECONDS)
    interrupted = 0  # threads: a thread that is being started cannot be interrupted yet
    while not finished.is_set() and monotonic() < end:
        interrupted = interrupted or ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident or 0), ctypes.py_object(KeyboardInterrupt)
        )
        for stop in request.stoppers:
            stop()
        finished.wait(POLL_SECONDS)


class _BackgroundWork:
    """Work in a thread of its own: its result or error, and its warnings."""

    def __init__(self, relay: bool) -> None:
        self.finished = Event()
        self._error: BaseException | None = None
        self._relay = relay
        self._warnings: list[warnings.WarningMessage] = []

    def run(self, context: Any, work: Callable[[], Any]) -> None:
        """Do the work, and keep its result or error."""
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
            self.finished.set()

    def relay_warnings(self) -> None:
        """Repeat the warnings of the work, as from the first line that is not ours."""
        frame, level = sys._getframe(1), 2
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
            PACKAGE_PREFIX
        ):
            frame, level = frame.f_back, level + 1
        for warning in self._warnings:
            warnings.warn(warning.message, warning.category, stacklevel=level)

    def result(self) -> Any:
        """The result of the work; its error, if any, is raised again."""
        if self._error is not None:
            raise self._error
        return self._result


def register_stop(stop: Callable[[], object]) -> None:
    """Register a function that stops what the work waits for; it may be called several times."""
    request = _stop_request.get()
    if request is not None:
        request.stoppers.append(stop)


@contextmanager
def mark_unfinished() -> Iterator[None]:
    """Mark the time while there are unfinished files that an interrupt must remove."""
    request = _stop_request.get()
    if request is None:
        yield
        return
    request.pending_cleanups += 1
    try:
        yield
    finally:
        request.pending_cleanups -= 1


@contextmanager
def early_stopping() -> Iterator[Callable[[], bool]]:
    """Let work stop by itself: yields a function that tells whether it should."""
    request = _stop_request.get()
    if request is None:
        yield lambda: False
        return
    request.polled = True
    try:
        yield request.requested.is_set
    finally:
        request.polled = False
