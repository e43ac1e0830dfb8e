"""How loops are compiled: with numba, once, and kept on disk for the next run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled", "compiled_inside"]

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Compile a loop at its first call; it lets other threads run meanwhile.

    Where no folder can be written to, the compiled loop is simply not kept.
    """
    return _compiled(loop)


def compiled_inside(loop: Loop) -> Loop:
    """The same for what only other loops call: quicker to compile, and unknown to Python."""
    return _compiled(loop, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(loop: Loop, **options: Any) -> Loop:
    try:
        return cast(Loop, numba.njit(cache=True, nogil=True, **options)(loop))
    except RuntimeError:  # "cannot cache function": no writable place
        return cast(Loop, numba.njit(nogil=True, **options)(loop))
