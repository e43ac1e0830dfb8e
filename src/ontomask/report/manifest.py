"""The manifest of a release: what was done, with what, and what is known of the result.

It is written next to the released table and may be published with it. It contains no seed, no
record and no path, and names no value that fewer records have than the threshold. It leaves out
figures that would reveal a change of few records: if a single record was changed, the mean of a
column before and after masking reveals its original value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.errors import FileFormatError
from ontomask.report.plain_values import to_plain_values

__all__ = [
    "FORMAT",
    "FileFacts",
    "is_shuffled_release",
    "read_file_facts",
    "write_manifest",
]

#: The layout of a manifest; a larger number is a newer one.
FORMAT = 1


@dataclass(frozen=True)
class FileFacts:
    """A file as described in a manifest: its name without the folder, its size and its SHA-256.

    For a file that is not on this machine only the name is known.
    """

    name: str
    bytes: int | None
    sha256: str | None


def read_file_facts(path: str | PathLike[str]) -> FileFacts:
    """Read the name, size and SHA-256 of a file, or of a folder of files.

    The SHA-256 of a folder is that of a list of its files: what ``sha256sum`` says of each, in the
    order of their names. Files that Spark does not read do not count: those whose names begin with
    a point or an underscore.
    """
    file = Path(path)
    try:
        if file.is_dir():
            return _read_folder_facts(file)
        return FileFacts(file.name, file.stat().st_size, _hash_file(file))
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None


def _read_folder_facts(folder: Path) -> FileFacts:
    files = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    listing = hashlib.sha256()
    size = 0
    for name in sorted(filter(_is_data_file, files)):
        listing.update(f"{_hash_file(files[name])}  {name}\n".encode("utf-8", "surrogateescape"))
        size += files[name].stat().st_size
    return FileFacts(folder.name, size, listing.hexdigest())


def _is_data_file(name: str) -> bool:
    """Whether Spark would read a file of a folder: _SUCCESS and .crc files say nothing."""
    return not any(
        step.startswith(".") or (step.startswith("_") and "=" not in step)
        for step in name.split("/")
    )


def _hash_file(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def is_shuffled_release(path: str | PathLike[str]) -> bool:
    """Whether the manifest beside a file describes this very file, and says that it is shuffled."""
    file = Path(path)
    return any(_says_shuffled(file, stem) for stem in (file.stem, Path(file.stem).stem))  # x.csv.gz


def _says_shuffled(file: Path, stem: str) -> bool:
    try:
        manifest = file.with_name(f"{stem}.manifest.json").read_text(encoding="utf-8")
        content = json.loads(manifest)
        shuffled = content["order"] == "shuffled"
        return shuffled and bool(content["output"]["sha256"] == read_file_facts(file).sha256)
    except (OSError, ValueError, LookupError, TypeError, FileFormatError):
        return False


def write_manifest(
    path: str | PathLike[str], manifest: Mapping[str, Any], *, force: bool = False
) -> None:
    """Write a manifest, completely or not at all."""
    with atomic_write(Path(path), force=force) as file:
        json.dump(to_plain_values(manifest), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")
