"""Whether a file is still what it was: a guarantee holds for the table that was counted."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ontomask.errors import FileFormatError

__all__ = ["refuse_changed", "stamp_file"]

#: Up to this number of bytes, the content is compared too: dates can be set back.
SMALL = 32 << 20


def stamp_file(path: Path) -> Any:
    """What tells one state of a file, or of a folder of files, from another.

    None where there is no such file.
    """
    try:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file())
            return [(str(file), _stamp(file)) for file in inside]
        return _stamp(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}") from None


def _stamp(path: Path) -> tuple[int, int, int, int, bytes]:
    state = path.stat()
    digest = b""
    if state.st_size <= SMALL and path.is_file():
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "blake2b").digest()
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, digest


def refuse_changed(path: Path, stamp: Any) -> None:
    """Refuse a file that is not what it was when it was stamped."""
    if stamp_file(path) != stamp:
        raise FileFormatError(
            f"{path} changed while it was read", "try again when no other program writes to it"
        )
