"""The seed of a release: from a file or the environment, never from the command line.

Anybody who knows the seed can repeat the random draws. It is not stored, and no message quotes it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ontomask.cli.console import print_warning

__all__ = ["SEED_VARIABLE", "read_seed"]

SEED_VARIABLE = "ONTOMASK_SEED"

#: More bytes than any seed has.
MAX_SEED_BYTES = 4096


def read_seed(file: Path | None) -> int | None:
    """Read the seed from a file, or else from the environment; None where neither has one."""
    if file is not None:
        return _parse_seed(_read_seed_file(file), str(file))
    text = os.environ.get(SEED_VARIABLE, "")
    return _parse_seed(text, SEED_VARIABLE) if text.strip() else None


def _read_seed_file(file: Path) -> str:
    from ontomask.errors import FileFormatError

    try:
        with file.open("rb") as content:
            text = content.read(MAX_SEED_BYTES + 1).decode("ascii", "replace")
            readable_by_others = os.name == "posix" and os.fstat(content.fileno()).st_mode & 0o077
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None
    if readable_by_others:
        print_warning(f"other users can read the seed in {file}. To prevent this: chmod 600 {file}")
    return text


def _parse_seed(text: str, source: str) -> int:
    from ontomask.errors import ParameterError

    if len(text) > MAX_SEED_BYTES or not re.fullmatch(r"\s*[0-9]+\s*", text):
        raise ParameterError(
            f"the seed in {source} must be a non-negative integer and nothing else"
        )
    return int(text)
