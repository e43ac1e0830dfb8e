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

from ontomask._runtime.atomic_files import atomic_write
from ontomask.errors import FileFormatError
from ontomask.report.plain_values import file_name, to_plain_values

__all__ = [
    "FORMAT",
    "FileFacts",
    "check_manifest",
    "read_file_facts",
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


# ---------------------------------------------------------------------- making one


def write_manifest(
    path: str | PathLike[str], manifest: Mapping[str, Any], *, force: bool = False
) -> None:
    """Write a manifest, completely or not at all."""
    with atomic_write(Path(path), force=force) as file:
        json.dump(to_plain_values(manifest), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


# ---------------------------------------------------------------------- reading one


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """The contents of a manifest; what is no manifest of ours is refused."""
    file = Path(path)
    try:
        manifest = json.loads(file.read_text("utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise FileFormatError(f"{file} is no valid JSON", "make the release again") from None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("format"), int):
        raise FileFormatError(f"{file} is no manifest of a release", "name a *.manifest.json")
    if manifest["format"] > FORMAT:
        raise FileFormatError(
            f"{file} has format {manifest['format']}, and this version reads up to {FORMAT}",
            "use a newer ontomask",
        )
    return manifest


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def check_manifest(path: str | PathLike[str]) -> list[str]:
    """What does not fit: the released file beside the manifest, and the figures to one another.

    An empty list says that the file is the very one that was released. Classes are not counted
    again here.
    """
    manifest = read_manifest(path)
    try:
        return [
            *_find_file_differences(manifest, Path(path).parent),
            *_find_contradictions(manifest),
        ]
    except (KeyError, TypeError, AttributeError) as error:
        return [f"the manifest is incomplete or damaged ({type(error).__name__}: {error})"]


def _find_file_differences(manifest: Mapping[str, Any], folder: Path) -> Iterator[str]:
    if manifest["output"] is None:
        return
    recorded = FileFacts(**manifest["output"])
    if file_name(recorded.name) != recorded.name or recorded.name in ("", ".", ".."):
        yield "the name of the output is not that of a file beside the manifest"
        return
    if recorded.bytes is None or recorded.sha256 is None:
        yield f"{recorded.name} was not hashed, and cannot be compared with what was released"
        return
    try:
        actual = read_file_facts(folder / recorded.name)
    except FileFormatError as error:
        yield error.message
        return
    if actual.bytes != recorded.bytes:
        yield (
            f"{recorded.name} has {actual.bytes or 0:,} bytes, and {recorded.bytes:,} were released"
        )
    elif actual.sha256 != recorded.sha256:
        yield f"{recorded.name} is not the file that was released: its SHA-256 differs"


def _find_contradictions(manifest: Mapping[str, Any]) -> Iterator[str]:
    guarantee, records = manifest["guarantee"], manifest["records"]["released"]
    smallest = guarantee["smallest"]
    risk = {name: figure["value"] for name, figure in manifest["risk"].items()}
    class_records = sum(size * classes for size, classes in risk["class_sizes"])
    if class_records != records:
        yield f"the classes hold {class_records:,} records, and {records:,} were released"
    if guarantee["k"] and records and smallest < guarantee["k"]:
        yield f"k is {guarantee['k']:,}, and the smallest class has {smallest:,}"
    if guarantee["unit"] == "records" and risk["k"] != smallest:
        yield f"the smallest class has {smallest:,} records here and {risk['k']:,} there"
    requirements = manifest["release"].get("require") or {}
    if requirements.get("k") and smallest < requirements["k"]:
        yield f"k {requirements['k']:,} was required, and the smallest class has {smallest:,}"
