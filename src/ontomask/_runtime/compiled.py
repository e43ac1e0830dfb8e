"""How loops are compiled: with numba, once, and kept on disk for the next run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["jit"]

Loop = TypeVar("Loop", bound=Callable[..., Any])

#: The versions of numba whose inner workings are known, from the first to the last.
KNOWN_NUMBA = ((0, 60), (0, 68))


def jit(loop: Loop) -> Loop:
    """Compile a loop at its first call; it lets other threads run meanwhile.

    Where no folder can be written to, the compiled loop is simply not kept.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when it is imported
        return loop
    if KNOWN_NUMBA[0] <= numba.version_info.short <= KNOWN_NUMBA[1]:
        from ontomask._runtime.compiled_whole import compile_whole

        return compile_whole(loop)
    # As numba does it by itself: the first run of all takes twice as long.
    try:
        return cast(Loop, numba.njit(cache=True, nogil=True)(loop))
    except RuntimeError:  # "cannot cache function": no writable place
        return cast(Loop, numba.njit(nogil=True)(loop))
