"""Writing files so that they are complete or not there at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ontomask.errors import FileFormatError, OntomaskError, ParameterError

__all__ = ["made_beside", "made_together", "written_beside"]


@contextmanager
def written_beside(target: Path, *, force: bool = False, private: bool = False) -> Iterator[TextIO]:
    """A text file that takes its name when the block ends well, and vanishes when it does not.

    An existing file is kept unless ``force``. A name that ends in .gz is packed. A
    ``private`` file is for its owner's eyes only, from the start.
    """
    if target.exists() and not force:
        raise ParameterError(
            f"{target} exists already", "choose another name, or have it overwritten (force)"
        )
    try:
        handle, unfinished = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise FileFormatError(f"{target} cannot be written: {error.strerror or error}") from None
    try:
        with os.fdopen(handle, "wb") as raw:
            packed = (
                gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if target.suffix == ".gz" else raw
            )
            with io.TextIOWrapper(packed, encoding="utf-8", newline="") as text:
                yield text
                text.flush()
                if packed is not raw:
                    packed.close()
                raw.flush()
                os.fsync(raw.fileno())
        if not private:  # as which it was made
            os.chmod(unfinished, 0o666 & ~_umask())
        Path(unfinished).replace(target)
    except OSError as error:
        Path(unfinished).unlink(missing_ok=True)
        raise FileFormatError(f"{target} cannot be written: {error.strerror or error}") from None
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


@contextmanager
def made_beside(target: Path, *, force: bool = False) -> Iterator[Path]:
    """The path of a file for others to write, which takes its name when the block ends well.

    An existing file is kept unless ``force``.
    """
    with made_together([target], force=force) as folder:
        unfinished = folder / target.name
        yield unfinished
        os.chmod(unfinished, 0o666 & ~_umask())
        _sync(unfinished)


@contextmanager
def made_together(targets: Sequence[Path], *, force: bool = False) -> Iterator[Path]:
    """A folder for files of these names, which take their places together when the block ends well.

    All go into one folder. What is given stands beside them, only this user can read it, and it is
    gone when the block ends, well or not. Existing files are kept unless ``force``, and then until
    the last moment.
    """
    # Named before it is made: an interrupt in between must not leave it behind.
    place = targets[0].parent
    folder = place / f".ontomask.{secrets.token_hex(8)}"
    try:
        for target in targets:
            _check_target(target, force)
        folder.mkdir(mode=0o700)
        yield folder
        for target in targets:
            _check_target(target, force)  # somebody else may have been faster
        for target in targets:
            (folder / target.name).replace(target)
        _sync(place)
    except OSError as error:
        raise FileFormatError(
            f"{targets[0]} cannot be written: {error.strerror or error}"
        ) from None
    except OntomaskError as error:
        # By the name that a file would have had, not by the one it had for a while.
        message = error.message
        for target in targets:
            message = message.replace(str(folder / target.name), str(target))
        raise type(error)(message, error.hint) from error.__cause__
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_target(target: Path, force: bool) -> None:
    if target.is_dir():
        raise FileFormatError(f"{target} is a folder, not a file", "name a file in it")
    if not target.parent.is_dir():
        raise FileFormatError(f"there is no folder {target.parent}", "create it, or check the path")
    if target.exists() and not force:
        raise ParameterError(
            f"{target} exists already", "choose another name, or have it overwritten (force)"
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
