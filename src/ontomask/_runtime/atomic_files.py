"""Writing files so that they are complete or not there at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from ontomask._runtime.interrupts import mark_unfinished
from ontomask.errors import FileFormatError, OntomaskError, ParameterError

__all__ = ["atomic_path", "write_files_atomically", "atomic_write"]


@contextmanager
def atomic_write(target: Path, *, force: bool = False, private: bool = False) -> Iterator[TextIO]:
    """Open a text file that takes its name when the block succeeds, and is removed otherwise.

    An existing file is kept unless ``force``. A name that ends in .gz is packed. A
    ``private`` file is for its owner's eyes only, from the start.
    """
    if target.exists() and not force:
        raise ParameterError(
            f"{target} already exists", "choose another name, or overwrite it (force)"
        )
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise FileFormatError(f"{target} cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as raw:
            binary = (
                gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if target.suffix == ".gz" else raw
            )
            with io.TextIOWrapper(binary, encoding="utf-8", newline="") as text:
                yield text
                text.flush()
                if binary is not raw:
                    binary.close()
                raw.flush()
                os.fsync(raw.fileno())
        if not private:  # as which it was made
            os.chmod(temporary, 0o666 & ~_umask())
        Path(temporary).replace(target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise FileFormatError(f"{target} cannot be written: {error.strerror or error}") from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def atomic_path(target: Path, *, force: bool = False) -> Iterator[Path]:
    """A temporary path to write a file to; it takes its name when the block succeeds.

    An existing file is kept unless ``force``.
    """
    with write_files_atomically([target], force=force) as folder:
        temporary = folder / target.name
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        _sync(temporary)


@contextmanager
def write_files_atomically(
    targets: Sequence[Path], *, force: bool = False, folders: Collection[Path] = ()
) -> Iterator[Path]:
    """A temporary folder for files that take their places together when the block succeeds.

    All go into one folder. What is given stands beside them, only this user can read it, and it is
    gone when the block ends, well or not. Existing files are kept unless ``force``, and then until
    the last moment. Those of ``folders`` become folders themselves, and may have been some.
    """
    # Named before it is made: an interrupt in between must not leave it behind.
    parent = targets[0].parent
    folder = parent / f".ontomask.{secrets.token_hex(8)}"
    cleanup = ExitStack()
    try:
        for target in targets:
            _check_target(target, force, target in folders)
        cleanup.enter_context(mark_unfinished())
        folder.mkdir(mode=0o700)
        yield folder
        for target in targets:
            _check_target(target, force, target in folders)  # somebody else may have been faster
        _move_into_place(folder, targets)
        _sync(parent)
    except OSError as error:
        raise FileFormatError(
            f"{targets[0]} cannot be written: {error.strerror or error}"
        ) from None
    except OntomaskError as error:
        # By the name that a file would have had, not by the one it had for a while.
        message = error.message
        for target in targets:
            message = message.replace(str(folder / target.name), str(target))
        raise error.with_message(message) from error.__cause__
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        cleanup.close()


def _move_into_place(folder: Path, targets: Sequence[Path]) -> None:
    """Move files to their targets; the files they replace are deleted when all are moved.

    A file takes the place of another in one step. A folder cannot: the one before it is put aside,
    and put back where this or a later step fails.
    """
    aside = folder.with_name(f"{folder.name}.replaced")
    with ExitStack() as undo:
        undo.callback(_remove_if_empty, aside)
        for target in targets:
            new = folder / target.name
            if new.is_dir():
                old = aside / target.name
                undo.callback(_restore, new, target, old)
                if target.exists():
                    aside.mkdir(mode=0o700, exist_ok=True)
                    target.replace(old)
            new.replace(target)
        undo.pop_all()
    shutil.rmtree(aside, ignore_errors=True)


def _restore(new: Path, target: Path, old: Path) -> None:
    """Undo one step: the new folder is unfinished again, the old one is back in its place."""
    if not new.exists() and target.exists():
        target.replace(new)
    if old.exists():
        old.replace(target)


def _remove_if_empty(folder: Path) -> None:
    """Remove a folder unless it holds something that could not be put back."""
    with suppress(OSError):
        folder.rmdir()


def _check_target(target: Path, force: bool, folder: bool) -> None:
    if target.is_dir() and not folder:
        raise FileFormatError(f"{target} is a folder, not a file", "name a file in it")
    if not target.parent.is_dir():
        raise FileFormatError(
            f"the folder {target.parent} does not exist", "create it, or check the path"
        )
    if target.exists() and not force:
        raise ParameterError(
            f"{target} already exists", "choose another name, or overwrite it (force)"
        )


def _sync(path: Path) -> None:
    """What was written stands on the disk, not only in memory, before anything builds on it."""
    if path.is_dir() and os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    """What new files are not allowed to be; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
