"""Loops compiled whole, with what they call inside them.

Left to itself, numba optimises every loop together with all the loops it calls, and makes machine
code of every one of them: of a loop at the bottom, dozens of times. Here only the loop that Python
calls is optimised and made machine code of, once, with what it calls inside it. A first run takes
22 instead of 37 seconds of CPU time (:mod:`ontomask._runtime.compiled`), and no result changes.

All that touches numba's private parts is in this module. Where importing it fails, loops are
compiled the public way.
"""

# mypy: disallow-untyped-calls=False

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar, cast

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.types import unliteral

__all__ = ["LoopByType", "compile_whole"]

Loop = TypeVar("Loop", bound=Callable[..., Any])

#: Of the checksum at the end of every file of the cache, in bytes.
CHECKSUM_SIZE = 16


def compile_whole(loop: Loop) -> Loop:
    """Compile a loop with all it calls at its first call, and cache it on disk where possible."""
    dispatcher = _Loop(
        loop, targetoptions={"nopython": True, "nogil": True}, pipeline_class=_Compiler
    )
    with suppress(RuntimeError):  # "cannot cache function": no writable place
        dispatcher.enable_caching()
    return cast(Loop, dispatcher)


class _PartLibrary(JITCodeLibrary):
    """The code of a loop that is called by another one: neither optimised nor run by itself."""

    def with_callees(self) -> list[Any]:
        """The library itself and those of all loops it calls, directly or not."""
        libraries = {self: None}
        for library in self._linking_libraries:
            libraries.update(dict.fromkeys(_library_with_callees(library)))
        return list(libraries)

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _WholeLibrary(JITCodeLibrary):
    """The code of a loop that Python calls, with the parts it is made of."""

    def add_linking_library(self, library: Any) -> None:
        for part in _library_with_callees(library):
            super().add_linking_library(part)


def _library_with_callees(library: Any) -> list[Any]:
    return library.with_callees() if isinstance(library, _PartLibrary) else [library]


class _Compiler(Compiler):
    """Compiles a loop as a whole, or as a part while another one is being compiled."""

    nesting = 0

    def _compile_core(self) -> Any:
        self.state.flags.no_cfunc_wrapper = True
        if _Compiler.nesting:
            return self._compile_part()
        self.state.library = self._new_library(_WholeLibrary)
        self.state.library.enable_object_caching()
        _Compiler.nesting += 1
        try:
            with _pause_garbage_collection():
                result = super()._compile_core()
        finally:
            _Compiler.nesting -= 1
        _register_environments(result.library)
        return result

    def _new_library(self, kind: type) -> Any:
        return kind(self.state.targetctx.codegen(), self.state.func_id.func_qualname)

    def _compile_part(self) -> Any:
        state = self.state
        state.flags.no_compile = True
        state.flags.no_cpython_wrapper = True
        state.library = self._new_library(_PartLibrary)
        # Callers know a loop by its entry point; nobody enters here.
        result = super()._compile_core()._replace(entry_point=object())
        state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector: compiling makes millions of objects that stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _register_environments(library: Any) -> None:
    """Register the environments of the parts, through which they raise errors."""
    for variable in library._final_module.global_variables:
        environment = lookup_environment(variable.name)
        if environment is not None:
            library.codegen.set_env(variable.name, environment)


#: Seconds to wait for another process that compiles loops of the same module.
PATIENCE = 180.0


@contextmanager
def _lock_module(path: str) -> Iterator[None]:
    """Let one process at a time compile the loops of a module: the others find them on disk.

    Who cannot lock, or has waited too long, compiles too.
    """
    with ExitStack() as lock:
        with suppress(ImportError, OSError):
            import fcntl  # not on Windows

            module = lock.enter_context(open(path, "rb"))
            end = monotonic() + PATIENCE
            while monotonic() < end:
                try:
                    fcntl.flock(module, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    sleep(0.05)
        yield


@cache
def _stamp_loops(package: str) -> tuple[float, int]:
    """When the modules of loops of a package changed last, and how long they are."""
    path = getattr(sys.modules.get(package), "__file__", None)
    files = [] if path is None else [file.stat() for file in Path(path).parent.rglob("*kernels.py")]
    return max((file.st_mtime for file in files), default=0.0), sum(file.st_size for file in files)


class _CheckedFiles(IndexDataCacheFile):
    """Files of the cache, each with a checksum: a damaged one counts as missing.

    Code that was cut off or changed would end the process without a word, or run.
    """

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        with super()._open_for_write(filepath) as file:
            yield content
            file.write(content.getvalue() + _checksum(content.getvalue()))

    def _load_index(self) -> Any:
        return super()._load_index() if _is_whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_whole(self._data_path(name)):
            raise FileNotFoundError(name)
        return super()._load_data(name)


def _is_whole(path: str) -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return _checksum(content[:-CHECKSUM_SIZE]) == content[-CHECKSUM_SIZE:]


def _checksum(content: bytes) -> bytes:
    return blake2b(content, digest_size=CHECKSUM_SIZE).digest()


class _WholeCache(FunctionCache):
    """The cache on disk; it holds loops that were compiled as a whole.

    A loop is compiled again when any module of loops of its package has changed: it may be inside.
    """

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        package = loop.__module__.partition(".")[0]
        stamp = self._cache_file._source_stamp, _stamp_loops(package)
        self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # As numba has it, but without loading all that it knows of compiling first, and scipy's
        # linear algebra with it: machine code needs no more than what counts references.
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        if not isinstance(data.library, _PartLibrary):
            with suppress(OSError):  # no space, no permission: it is compiled again next time
                super().save_overload(sig, data)


class _Loop(CPUDispatcher):
    """A loop that is compiled when it is called."""

    def enable_caching(self) -> None:
        self._cache = _WholeCache(self.py_func)

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:  # threads take turns
            if _Compiler.nesting:
                return super().compile(sig)
            args, _ = normalize_signature(sig)
            known: Any = self.overloads.get(tuple(args))
            if known is not None and isinstance(known.library, _PartLibrary):
                del self.overloads[tuple(args)]  # a part will not do
            with _lock_module(self.py_func.__code__.co_filename):
                return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        if isinstance(cres.library, _PartLibrary):
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # Numbers that are written in the caller would be a type each.
        args = tuple(unliteral(kind) for kind in args)
        return super().get_call_template(args, kws)


class LoopByType(_Loop):
    """A loop that stands for others; the type of its first argument says for which."""

    def __init__(self, loop: Any) -> None:
        super().__init__(loop, targetoptions={"nopython": True, "nogil": True})
        self.loops: dict[type, Any] = {}

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.loops[type(args[0])].get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self.loops[type(sig[0])].get_overload(sig)
