"""How loops are compiled: with numba, once, and kept on disk for the next run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled"]

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile a loop at its first call; it lets other threads run meanwhile.

    Where no folder can be written to, the compiled loop is simply not kept.
    """
    try:
        return cast(Loop, numba.njit(cache=True, nogil=True)(loop))
    except RuntimeError:  # "cannot cache function": no writable place
        return cast(Loop, numba.njit(nogil=True)(loop))
