"""Folders for files that may hold records: private, locked while in use, swept when abandoned.

A work folder is in the temporary folder or beside the output. Its name has the id of its process,
which holds a lock in it for as long as it lives. A killed process leaves its folders behind, but
not its locks: whoever makes the next work folder in the same place removes them. Folders of living
processes and of other users stay, and symbolic links are not followed.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = [
    "REPLACED",
    "lock_folder",
    "make_work_folder",
    "remove_work_folder",
    "sweep_abandoned",
    "temporary_folder",
    "work_folder",
]

NAME = re.compile(r"\.ontomask\.[0-9]+\.[0-9a-f]{16}")

#: The file that is locked.
LOCK = ".lock"

#: What stood in the place of a finished folder, until it has its name; see :func:`_restore`.
REPLACED = ".replaced"

#: The work folders of this process with their open locks; None for one that is being made.
_held: dict[Path, int | None] = {}

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    os.register_at_fork(after_in_child=_held.clear)  # they are the parent's


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep other processes of ours from renaming files in a folder, where it can be locked."""
    if sys.platform == "win32":  # folders cannot be opened there
        yield
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def temporary_folder() -> Path:
    """The system's folder for temporary files."""
    return Path(tempfile.gettempdir())


@contextmanager
def work_folder(parent: Path | None = None) -> Iterator[Path]:
    """A work folder for the block, in a given folder or among the temporary files."""
    folder = make_work_folder(parent)
    try:
        yield folder
    finally:
        remove_work_folder(folder)


def make_work_folder(parent: Path | None = None) -> Path:
    """Make a work folder, and sweep its surroundings; at the latest it is removed at exit."""
    parent = parent or temporary_folder()
    sweep_abandoned(parent)
    while True:
        folder = parent / f".ontomask.{os.getpid()}.{secrets.token_hex(8)}"
        _held[folder] = None  # before it is made: an interrupt in between must not leave it behind
        made = False
        try:
            folder.mkdir(mode=0o700)
            made = True
            _held[folder] = _make_lock(folder / LOCK)
            return folder
        except OSError as error:
            del _held[folder]
            if not (made and isinstance(error, FileNotFoundError)):
                raise
            # It was swept before it was locked; another one is made.


def _make_lock(path: Path) -> int:
    """Make the lock of a folder, and take it; not found where the folder is being swept."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _lock(lock)
        path.stat()
    except (BlockingIOError, FileNotFoundError):
        os.close(lock)
        raise FileNotFoundError(path) from None
    except OSError:  # a file system without locks: nobody can take it, so that nobody sweeps it
        pass
    return lock


@atexit.register
def _remove_held() -> None:
    for folder in list(_held):
        remove_work_folder(folder)


def remove_work_folder(folder: Path) -> None:
    """Remove a work folder of this process with all that is in it; others are left alone."""
    if folder in _held:
        lock, _held[folder] = _held[folder], None  # an interrupted removal is tried again at exit
        _remove(folder, lock)
        _held.pop(folder, None)


def sweep_abandoned(parent: Path) -> None:
    """Remove the work folders in a folder whose processes are gone."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    _sweep(parent / entry.name)


def _sweep(folder: Path) -> None:
    if hasattr(os, "geteuid") and folder.lstat().st_uid != os.geteuid():
        return
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:  # killed before it took its lock, or after it gave it back: empty
        folder.rmdir()
        return
    try:
        _lock(lock)
    except OSError:  # its process lives
        os.close(lock)
        return
    _remove(folder, lock)


def _remove(folder: Path, lock: int | None) -> None:
    """Remove a folder, its lock last: what an interrupted removal leaves is swept like the rest."""
    with suppress(OSError):
        _restore(folder)
        for entry in folder.iterdir():
            if entry.name != LOCK:
                _delete(entry)
    if lock is not None:
        os.close(lock)
    with suppress(OSError):
        if [entry.name for entry in folder.iterdir()] == [LOCK]:
            (folder / LOCK).unlink()
        folder.rmdir()


def _restore(folder: Path) -> None:
    """Put back what was to be replaced, where nothing has taken its place."""
    for old in (folder / REPLACED).glob("*"):
        target = folder.parent / old.name
        if not target.exists():
            old.replace(target)


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
