"""The seed of a release: from a file or the environment, never from the command line.

Whoever knows it can repeat the random choices. It is not stored, and no message quotes it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ontomask.cli.console import warn

__all__ = ["VARIABLE", "seed_from"]

VARIABLE = "ONTOMASK_SEED"

#: More bytes than any seed has.
MOST = 4096


def seed_from(file: Path | None) -> int | None:
    """The seed that a file holds, else the environment; None where neither says anything."""
    if file is not None:
        return _whole(_content(file), str(file))
    given = os.environ.get(VARIABLE, "")
    return _whole(given, VARIABLE) if given.strip() else None


def _content(file: Path) -> str:
    from ontomask.errors import FileFormatError

    try:
        with file.open("rb") as content:
            text = content.read(MOST + 1).decode("ascii", "replace")
            others = os.name == "posix" and os.fstat(content.fileno()).st_mode & 0o077
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None
    if others:
        warn(f"others can read the seed in {file}: chmod 600 {file}")
    return text


def _whole(text: str, where: str) -> int:
    from ontomask.errors import ParameterError

    if len(text) > MOST or not re.fullmatch(r"\s*[0-9]+\s*", text):
        raise ParameterError(
            f"{where} holds no seed", "a seed is a whole number, 0 or more, and nothing else"
        )
    return int(text)
