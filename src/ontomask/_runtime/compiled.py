"""Compile loops with numba, and keep them on disk for the next run.

Loops are compiled whole (:mod:`ontomask._runtime.compiled_whole`) where numba's private parts are
those we know, and by plain ``numba.njit(cache=True)`` everywhere else. CPU time of the command
``ontomask demo`` (numba 0.68, two busy cores, median of three runs):

======================================  =========  ==============  ====================
loops                                   first run  every later     mask of 500 records
======================================  =========  ==============  ====================
plain                                   37.2 s     4.6 s           2.7 s
whole                                   22.2 s     4.3 s           2.3 s
whole, and a second process that helps  18.5 s     4.7 s           2.4 s
======================================  =========  ==============  ====================

The second process is :mod:`ontomask.pipeline.compile_ahead`; its own time is not counted here.
``benchmarks/starting.py`` measures the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import numba

__all__ = ["choose_by_type", "jit", "stand_for"]

Loop = TypeVar("Loop", bound=Callable[..., Any])

#: The versions of numba whose private parts are known, from the first to the last.
KNOWN_NUMBA = ((0, 60), (0, 68))


def jit(loop: Loop) -> Loop:
    """Compile a loop at its first call; it lets other threads run meanwhile.

    Where no folder can be written to, the compiled loop is simply not kept.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when it is imported
        return loop
    if _knows_numba():
        with suppress(ImportError):  # a private part is missing
            from ontomask._runtime.compiled_whole import compile_whole

            return compile_whole(loop)
    try:
        return cast(Loop, numba.njit(cache=True, nogil=True)(loop))
    except RuntimeError:  # "cannot cache function": no writable place
        return cast(Loop, numba.njit(nogil=True)(loop))


def choose_by_type(loop: Loop) -> Loop:
    """A loop that stands for others, for compiled loops to call.

    Which one is called is known when the caller is compiled: the type of the first argument says.
    :func:`stand_for` names the others.
    """
    if _knows_numba():
        with suppress(ImportError):
            from ontomask._runtime.compiled_whole import LoopByType

            return cast(Loop, LoopByType(loop))
    return loop


def stand_for(loop: Any, kind: type, other: Any) -> None:
    """Let a loop of :func:`choose_by_type` stand for another one, for a type of numba's."""
    if hasattr(loop, "loops"):
        loop.loops[kind] = other
        return
    from numba.extending import overload

    overload(loop, strict=False)(
        lambda *args: (lambda *args: other(*args)) if isinstance(args[0], kind) else None
    )


def _knows_numba() -> bool:
    return KNOWN_NUMBA[0] <= numba.version_info.short <= KNOWN_NUMBA[1]
