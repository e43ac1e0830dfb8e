"""Writing files so that they are complete or not there at all."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from ontomask._runtime.files.work_folders import REPLACED, lock_folder, work_folder
from ontomask._runtime.interrupts import mark_unfinished
from ontomask.errors import FileFormatError, OntomaskError, ParameterError

__all__ = [
    "atomic_path",
    "atomic_write",
    "check_folder",
    "refuse_targets",
    "write_files_atomically",
]


@contextmanager
def atomic_write(target: Path, *, force: bool = False, private: bool = False) -> Iterator[TextIO]:
    """Open a text file that takes its name when the block succeeds, and is removed otherwise.

    An existing file is kept unless ``force``. A name that ends in .gz is packed. A
    ``private`` file is for its owner's eyes only, from the start.
    """
    with atomic_path(target, force=force, private=private) as temporary:
        packed = target.suffix == ".gz"
        with temporary.open("wb") as raw:
            binary = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if packed else raw
            with io.TextIOWrapper(binary, encoding="utf-8", newline="") as text:
                yield text


@contextmanager
def atomic_path(target: Path, *, force: bool = False, private: bool = False) -> Iterator[Path]:
    """A temporary path to write a file to; it takes its name when the block succeeds.

    An existing file is kept unless ``force``; only its owner can read a ``private`` one.
    """
    with write_files_atomically([target], force=force) as folder:
        temporary = folder / target.name
        yield temporary
        os.chmod(temporary, 0o600 if private else 0o666 & ~_umask())
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
    folder: Path | None = None
    try:
        for target in targets:
            _check_target(target, force, target in folders)
        with mark_unfinished(), work_folder(targets[0].parent) as folder:
            yield folder
            with lock_folder(folder.parent):  # the files of two writers must not mix
                for target in targets:
                    _check_target(target, force, target in folders)  # somebody may have been faster
                _move_into_place(folder, targets)
            _sync(folder.parent)
    except OSError as error:
        raise FileFormatError(
            f"{targets[0]} cannot be written: {error.strerror or error}"
        ) from None
    except OntomaskError as error:
        # By the name that a file would have had, not by the one it had for a while.
        message = error.message
        if folder is not None:
            for target in targets:
                message = message.replace(str(folder / target.name), str(target))
        raise error.with_message(message) from error.__cause__


def _move_into_place(folder: Path, targets: Sequence[Path]) -> None:
    """Move files to their targets; the files they replace are deleted when all are moved.

    The first file comes last: a process that is killed meanwhile leaves no table without its
    manifest. Folders come before files, as only they can be put back.
    A file takes the place of another in one step. A folder cannot: the one before it is put aside,
    and put back where this or a later step fails, or the process is killed.
    """
    aside = folder / REPLACED
    with ExitStack() as undo:
        for target in sorted(
            reversed(targets), key=lambda target: not (folder / target.name).is_dir()
        ):
            new = folder / target.name
            if new.is_dir():
                old = aside / target.name
                undo.callback(_undo, new, target, old)
                if target.exists():
                    aside.mkdir(exist_ok=True)
                    target.replace(old)
            new.replace(target)
        undo.pop_all()


def _undo(new: Path, target: Path, old: Path) -> None:
    """Undo one step: the new folder is unfinished again, the old one is back in its place."""
    if not new.exists() and target.exists():
        target.replace(new)
    if old.exists():
        old.replace(target)


def refuse_targets(
    targets: Iterable[Path | str | None],
    inputs: Iterable[Path | str | None],
    folders: Collection[Path] = (),
) -> None:
    """Refuse to write where nothing can be written, and over what is read; before any work.

    Those of ``folders`` may be folders, and what is read may not be inside. None is no file, nor is
    "-", the standard output.
    """
    read = [Path(path) for path in inputs if path is not None]
    for target in (Path(path) for path in targets if path not in (None, "-")):
        _check_target(target, force=True, folder=target in folders)
        if any(_overlaps(path, target, target in folders) for path in read):
            raise ParameterError(
                f"the output must not be an input, got {target}", "name another output"
            )


def _overlaps(path: Path, target: Path, folder: bool) -> bool:
    """Whether a target is a file that is read, also by a link, or a folder that contains it."""
    if path.exists() and os.path.exists(target) and target.samefile(path):
        return True
    return folder and target.resolve() in path.resolve().parents


def check_folder(target: Path) -> None:
    """Raise an error if the folder of a file to be written does not exist."""
    if not target.parent.is_dir():
        raise FileFormatError(
            f"the folder {target.parent} does not exist", "create it, or check the path"
        )


def _check_target(target: Path, force: bool, folder: bool) -> None:
    # Not Path.is_dir and Path.exists, which raise an error if the name is too long.
    if os.path.isdir(target) and not folder:
        raise FileFormatError(f"{target} is a folder, not a file", "name a file in it")
    check_folder(target)
    if os.path.exists(target) and not force:
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
