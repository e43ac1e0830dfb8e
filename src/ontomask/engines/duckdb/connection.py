"""The database that reads files: in memory, spilling to a folder of its own, never on the net."""

from __future__ import annotations

import os
import re
import sqlite3
import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import duckdb

from ontomask._runtime.files.work_folders import make_work_folder, remove_work_folder
from ontomask._runtime.interrupts import register_stop, run_interruptibly
from ontomask._runtime.memory_sizes import is_memory_size
from ontomask.engines.duckdb.sql import identifier, literal
from ontomask.errors import FileFormatError, ParameterError

__all__ = [
    "attach_private_file",
    "close_connection",
    "connect",
    "run_copy",
    "file_literal",
    "fresh_name",
    "has_extension",
    "identifier",
    "literal",
    "load_extension",
    "memory_limit",
    "remove_names",
    "translate_read_errors",
    "result_types",
    "translate_query_errors",
    "translate_write_errors",
]

#: What DuckDB's guide says a thread should have, in bytes.
MEMORY_PER_THREAD = 125 << 20


def connect(memory: str | None = None) -> duckdb.DuckDBPyConnection:
    """A database in memory that keeps the order of rows and spills to a private folder.

    ``memory`` is the most it may hold before it spills, as ``"500MB"``. The folder is removed with
    the connection, or when Python ends. No extension is ever fetched from the network.
    """
    if memory is not None and not (isinstance(memory, str) and is_memory_size(memory)):
        raise ParameterError(
            f"memory must be a number above 0 with a unit, got {memory!r}",
            "write for example '500MB' or '0.5GB'",
        )
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "preserve_insertion_order": "true",
        },
    )
    register_stop(connection.interrupt)
    folder = make_work_folder()
    weakref.finalize(connection, remove_work_folder, folder)
    connection.execute(f"set temp_directory = {literal(str(folder / 'spill'))}")
    connection.execute("set enable_progress_bar = false")
    if memory is not None:
        try:
            connection.execute(f"set memory_limit = {literal(memory)}")
        except duckdb.Error:
            connection.close()
            raise ParameterError(f"memory is too small for DuckDB, got {memory!r}") from None
        _use_fewer_threads(connection)
    return connection


def _use_fewer_threads(connection: duckdb.DuckDBPyConnection) -> None:
    """As many threads as the memory has room for: each one holds row groups of its own."""
    threads = int(_read_setting(connection, "threads"))
    room = memory_limit(connection) // MEMORY_PER_THREAD
    connection.execute(f"set threads = {max(1, min(threads, room))}")


def memory_limit(connection: duckdb.DuckDBPyConnection) -> int:
    """The most a database may hold in memory, in bytes."""
    number, unit = _read_setting(connection, "memory_limit").split()
    return int(float(number) * 1024 ** ("bytes", "KiB", "MiB", "GiB", "TiB").index(unit))


def close_connection(connection: duckdb.DuckDBPyConnection) -> None:
    """Close a connection, and remove its folder at once rather than when it is forgotten."""
    folder = _private_folder(connection)
    connection.close()
    remove_work_folder(folder)


def attach_private_file(connection: duckdb.DuckDBPyConnection) -> str:
    """Attach a database in a file of the private folder; returns what it is called."""
    name = fresh_name()
    path = _private_folder(connection) / f"{name}.duckdb"
    connection.execute("pragma disable_checkpoint_on_shutdown")  # it would write all of it anew
    connection.execute(f"attach {literal(str(path))} as {name}")
    remove_names(connection, name)
    return name


def remove_names(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Remove the files of an attached database from their folder, as long as they are in use.

    They are gone with the process, even one that is killed. Windows keeps the names.
    """
    for path in _private_folder(connection).glob(f"{name}.duckdb*"):
        with suppress(OSError):
            path.unlink()


def _private_folder(connection: duckdb.DuckDBPyConnection) -> Path:
    return Path(_read_setting(connection, "temp_directory")).parent


def _read_setting(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    return str(connection.execute(f"select current_setting({literal(name)})").fetchall()[0][0])


def file_literal(path: Path) -> str:
    """The path of a file to read; DuckDB would take some characters for a pattern."""
    return literal(re.sub(r"([*?[])", r"[\1]", os.path.abspath(path)))


def fresh_name() -> str:
    """A name that no other table has."""
    return f"ontomask_{uuid.uuid4().hex}"


def result_types(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, str]:
    """The columns a query gives, with their DuckDB types."""
    described: Sequence[tuple[str, ...]] = connection.execute(f"describe {query}").fetchall()
    types = {row[0]: row[1] for row in described}
    if len(types) < len(described):
        raise ParameterError("two columns of the query have the same name", "rename one: AS ...")
    return types


def run_copy(connection: duckdb.DuckDBPyConnection, statement: str) -> int:
    """Run a COPY, which may take long; returns how many rows it wrote."""

    def copy() -> int:
        register_stop(connection.interrupt)
        return int(connection.execute(statement).fetchall()[0][0])

    return run_interruptibly(copy)


@cache
def has_extension(name: str) -> bool:
    """Whether an extension of DuckDB is installed."""
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})
    try:
        connection.load_extension(name)
    except duckdb.Error:
        return False
    finally:
        connection.close()
    return True


def load_extension(connection: duckdb.DuckDBPyConnection, name: str, instead: str) -> None:
    """Load an extension of DuckDB where it is installed; nothing is downloaded."""
    try:
        connection.load_extension(name)
    except duckdb.Error:
        raise FileFormatError(
            f"DuckDB's extension {name!r} is needed and not installed",
            f"with network access, once: python -c \"import duckdb; duckdb.sql('INSTALL {name}')\""
            f"; or {instead}",
        ) from None


@contextmanager
def translate_read_errors(path: Path) -> Iterator[None]:
    """Turn errors while a file is read into ones that name it and quote no record."""
    try:
        with _translate_interrupts():
            yield
    except duckdb.OutOfMemoryException:
        raise _out_of_memory(path, "read") from None
    except (duckdb.Error, sqlite3.Error, OSError) as error:
        raise FileFormatError(f"{path} cannot be read: {_reason(error)}") from None


@contextmanager
def translate_write_errors(path: Path) -> Iterator[None]:
    """Turn errors of the disk while a file is written into ours; others pass through."""
    try:
        with _translate_interrupts():
            yield
    except duckdb.OutOfMemoryException as error:
        if "disk" in str(error).lower() or "temp" in str(error).lower():
            raise FileFormatError(
                f"{path} cannot be written: {_reason(error)}", "use more memory or disk space"
            ) from None
        raise _out_of_memory(path, "written") from None
    except (duckdb.IOException, sqlite3.OperationalError, OSError) as error:
        raise FileFormatError(f"{path} cannot be written: {_reason(error)}") from None


@contextmanager
def translate_query_errors(path: Path) -> Iterator[None]:
    """Turn errors of memory and disk during queries on a file into ours; others pass through."""
    try:
        with _translate_interrupts():
            yield
    except duckdb.OutOfMemoryException as error:
        raise FileFormatError(
            f"{path} cannot be processed: {_reason(error)}", "use more memory or disk space"
        ) from None
    except duckdb.IOException as error:
        raise FileFormatError(f"{path} cannot be processed: {_reason(error)}") from None


@contextmanager
def _translate_interrupts() -> Iterator[None]:
    """Turn DuckDB's errors for Ctrl-C into KeyboardInterrupt."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None


def _out_of_memory(path: Path, action: str) -> FileFormatError:
    return FileFormatError(
        f"{path} cannot be {action} within the memory limit", "raise the memory limit"
    )


def _reason(error: Exception) -> str:
    """One short sentence of what the system said; paths and lines of the file are left out."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    words = re.sub(r"""["'][^"']*["']:?""", "", first).split(": ")
    return words[-1].strip(' :."')
