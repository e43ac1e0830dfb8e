"""Writing files so that they are complete or not there at all."""

from __future__ import annotations

import gzip
import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from ontomask.errors import FileFormatError, ParameterError

__all__ = ["written_beside"]


@contextmanager
def written_beside(target: Path, *, force: bool = False) -> Iterator[TextIO]:
    """A text file that takes its name when the block ends well, and vanishes when it does not.

    An existing file is kept unless ``force``. A name that ends in .gz is packed.
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
        os.chmod(unfinished, 0o666 & ~_umask())
        Path(unfinished).replace(target)
    except OSError as error:
        Path(unfinished).unlink(missing_ok=True)
        raise FileFormatError(f"{target} cannot be written: {error.strerror or error}") from None
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What new files are not allowed to be; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
