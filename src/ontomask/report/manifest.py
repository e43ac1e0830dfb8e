"""The manifest of a release: what was done, with what, and what is known of the result.

It goes beside the released table and may be published with it. It holds no seed, no record, no
path, and names nothing that fewer records carry than the threshold. Figures that would tell what
happened to so few records are left out: the mean of a column before and after tells the original
value where a single record was changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.atomic_files import written_beside
from ontomask.errors import FileFormatError
from ontomask.report.plain_values import file_name, plain

__all__ = [
    "FORMAT",
    "FileFacts",
    "check_manifest",
    "facts_of",
    "read_manifest",
    "write_manifest",
]

#: The layout of a manifest; a reader refuses a newer one.
FORMAT = 1


@dataclass(frozen=True)
class FileFacts:
    """What is said of a file: its name without the folder, its size and its SHA-256.

    Of a file that is not on this machine only the name is known.
    """

    name: str
    bytes: int | None
    sha256: str | None


def facts_of(path: str | PathLike[str]) -> FileFacts:
    """The facts of a file, or of a folder of files, read from it.

    The SHA-256 of a folder is that of a list of its files: what ``sha256sum`` says of each, in the
    order of their names. Files that Spark does not read do not count: those whose names begin with
    a point or an underscore.
    """
    file = Path(path)
    try:
        if file.is_dir():
            return _facts_of_folder(file)
        return FileFacts(file.name, file.stat().st_size, _digest(file))
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None


def _facts_of_folder(folder: Path) -> FileFacts:
    found = {it.relative_to(folder).as_posix(): it for it in folder.rglob("*") if it.is_file()}
    listed = hashlib.sha256()
    size = 0
    for name in sorted(filter(_is_data, found)):
        listed.update(f"{_digest(found[name])}  {name}\n".encode("utf-8", "surrogateescape"))
        size += found[name].stat().st_size
    return FileFacts(folder.name, size, listed.hexdigest())


def _is_data(name: str) -> bool:
    """Whether Spark would read a file of a folder: _SUCCESS and .crc files say nothing."""
    return not any(
        step.startswith(".") or (step.startswith("_") and "=" not in step)
        for step in name.split("/")
    )


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


# ---------------------------------------------------------------------- making one


def write_manifest(
    path: str | PathLike[str], made: Mapping[str, Any], *, force: bool = False
) -> None:
    """Write a manifest, completely or not at all."""
    with written_beside(Path(path), force=force) as file:
        json.dump(plain(made), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


# ---------------------------------------------------------------------- reading one


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """The contents of a manifest; what is no manifest of ours is refused."""
    file = Path(path)
    try:
        found = json.loads(file.read_text("utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise FileFormatError(f"{file} is no valid JSON", "make the release again") from None
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise FileFormatError(f"{file} is no manifest of a release", "name a *.manifest.json")
    if found["format"] > FORMAT:
        raise FileFormatError(
            f"{file} has format {found['format']}, and this version reads up to {FORMAT}",
            "use a newer ontomask",
        )
    return found


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def check_manifest(path: str | PathLike[str]) -> list[str]:
    """What does not fit: the released file beside the manifest, and the figures to one another.

    An empty list says that the file is the very one that was released. Classes are not counted
    again here.
    """
    found = read_manifest(path)
    try:
        return [*_wrong_file(found, Path(path).parent), *_wrong_figures(found)]
    except (KeyError, TypeError, AttributeError) as error:
        return [f"the manifest is incomplete or damaged ({type(error).__name__}: {error})"]


def _wrong_file(found: Mapping[str, Any], folder: Path) -> Iterator[str]:
    if found["output"] is None:
        return
    said = FileFacts(**found["output"])
    if file_name(said.name) != said.name or said.name in ("", ".", ".."):
        yield "the name of the output is not that of a file beside the manifest"
        return
    if said.bytes is None or said.sha256 is None:
        yield f"{said.name} was not hashed, and cannot be compared with what was released"
        return
    try:
        there = facts_of(folder / said.name)
    except FileFormatError as error:
        yield error.message
        return
    if there.bytes != said.bytes:
        yield f"{said.name} has {there.bytes or 0:,} bytes, and {said.bytes:,} were released"
    elif there.sha256 != said.sha256:
        yield f"{said.name} is not the file that was released: its SHA-256 differs"


def _wrong_figures(found: Mapping[str, Any]) -> Iterator[str]:
    promise, records = found["guarantee"], found["records"]["released"]
    risk = {name: it["value"] for name, it in found["risk"].items()}
    held = sum(size * classes for size, classes in risk["class_sizes"])
    if held != records:
        yield f"the classes hold {held:,} records, and {records:,} were released"
    if promise["k"] and records and promise["smallest"] < promise["k"]:
        yield f"k is {promise['k']:,}, and the smallest class has {promise['smallest']:,}"
    if promise["unit"] == "records" and risk["k"] != promise["smallest"]:
        yield f"the smallest class has {promise['smallest']:,} records here and {risk['k']:,} there"
    wanted = found["release"].get("require") or {}
    if wanted.get("k") and promise["smallest"] < wanted["k"]:
        yield f"k {wanted['k']:,} was required, and the smallest class has {promise['smallest']:,}"
