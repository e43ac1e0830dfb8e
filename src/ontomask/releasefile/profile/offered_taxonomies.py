"""Taxonomies that a table brings along: files beside it, and those that the user names.

Nobody asked for the files beside a table, so they are read within bounds: files of moderate size
that a reader recognises by their content. Nothing in them is run. One that cannot be read is
mentioned and left out; a named one that cannot be read is an error.
"""

from __future__ import annotations

import gzip
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontomask._runtime.own_warnings import collect_warnings
from ontomask._runtime.progress import ignore_progress
from ontomask.errors import OntomaskError
from ontomask.taxonomy import Taxonomy, load_taxonomy
from ontomask.taxonomy.readers import recognise_format
from ontomask.taxonomy.readers.bundled import KNOWN_TAXONOMIES

__all__ = [
    "NO_TAXONOMIES",
    "OfferedTaxonomies",
    "OfferedTaxonomy",
    "files_beside",
    "load_offered_taxonomies",
    "name_in_release_file",
]

#: So many files beside a table are looked at, and so many of them read.
MOST_FILES, MOST_READ = 200, 20
#: Bytes of one file beside a table, and of all of them, unpacked.
LARGEST_FILE, LARGEST_TOTAL = 100_000_000, 300_000_000
#: Endings of files that hold an ontology or nothing: what is wrong with one is mentioned.
ONTOLOGY_SUFFIXES = (".obo", ".owl", ".ofn", ".skos", ".ttl", ".rdf", ".nt")
#: Taxonomies made of a column's own values, which ``init`` writes: they fit that column alone.
OWN_SUFFIX = ".taxonomy.csv"

GZIP_MAGIC, PIECE = b"\x1f\x8b", 1 << 20


@dataclass(frozen=True)
class OfferedTaxonomy:
    """A taxonomy with its source, a bundled name or an absolute path; whether the user named it."""

    source: str
    taxonomy: Taxonomy
    is_named: bool


@dataclass(frozen=True)
class OfferedTaxonomies:
    """What columns may be assigned to; ``left_out`` are files that were not used, and why."""

    taxonomies: tuple[OfferedTaxonomy, ...] = ()
    left_out: tuple[str, ...] = ()


NO_TAXONOMIES = OfferedTaxonomies()


def files_beside(data: Path) -> list[Path]:
    """The files in the folder of a table that may hold a taxonomy, without the table itself."""
    try:
        with os.scandir(data.parent) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.is_file()
                and not entry.name.startswith(".")
                and not entry.name.endswith(OWN_SUFFIX)
            )
        return [
            path
            for name in names[: MOST_FILES + 1]
            if not (path := data.parent / name).samefile(data)
        ]
    except OSError:
        return []  # a table elsewhere; reading it reports what is wrong


def load_offered_taxonomies(
    named: Sequence[str | os.PathLike[str]],
    beside: Iterable[Path],
    progress: Callable[[str], None] = ignore_progress,
) -> OfferedTaxonomies:
    """Load the named taxonomies, and those of the files beside a table that hold one."""
    taxonomies: list[OfferedTaxonomy] = []
    for source in named:
        progress(f"reading {source}")
        name = str(source) if source in KNOWN_TAXONOMIES else str(Path(source).resolve())
        taxonomies.append(OfferedTaxonomy(name, _load(source), is_named=True))
    named_files = {Path(source).resolve() for source in named}
    left_out: list[str] = []
    remaining = LARGEST_TOTAL
    read = 0
    for path in beside:
        if path.resolve() in named_files:
            continue
        try:
            size = _unpacked_size(path)
            if size <= min(LARGEST_FILE, remaining) and read < MOST_READ:
                if recognise_format(path) is None:
                    if _is_named_as_ontology(path):
                        left_out.append(f"{path.name}: its format is not known")
                    continue
                remaining, read = remaining - size, read + 1
                progress(f"reading {path.name}")
                source = str(path.resolve())
                taxonomies.append(OfferedTaxonomy(source, _load(path), is_named=False))
            elif _is_named_as_ontology(path):
                left_out.append(
                    f"{path.name}: too large to be read unasked; name it with --taxonomy"
                )
        except OntomaskError as error:
            left_out.append(_first_line(error, path))
        except (OSError, ValueError, RecursionError) as error:
            left_out.append(f"{path.name}: cannot be read ({type(error).__name__})")
    return OfferedTaxonomies(tuple(taxonomies), tuple(left_out))


def name_in_release_file(source: str | os.PathLike[str], folder: Path) -> str:
    """How a release file in this folder names a taxonomy: relative to it, if it is below it."""
    if source in KNOWN_TAXONOMIES:
        return str(source)
    path = Path(source).resolve()
    inside = os.path.relpath(path, folder.resolve())
    name = str(path) if inside.startswith("..") else Path(inside).as_posix()
    return f"./{name}" if name in KNOWN_TAXONOMIES else name


def _load(source: str | os.PathLike[str]) -> Taxonomy:
    with collect_warnings():  # checking the release file repeats those of the ones that are used
        return load_taxonomy(source)


def _is_named_as_ontology(path: Path) -> bool:
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return plain.suffix.lower() in ONTOLOGY_SUFFIXES


def _unpacked_size(path: Path) -> int:
    """Bytes of a file, unpacked; no more than the bound is unpacked, whatever the file claims."""
    size = path.stat().st_size
    if size > LARGEST_FILE:
        return size
    with path.open("rb") as file:
        is_gzip = file.read(2) == GZIP_MAGIC
    if is_gzip:
        size = 0
        try:
            with gzip.open(path) as unpacked:
                while size <= LARGEST_FILE and (piece := unpacked.read(PIECE)):
                    size += len(piece)
        except (EOFError, zlib.error):
            return size  # damaged: its reader says so
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    return size


def _first_line(error: OntomaskError, path: Path) -> str:
    """What is wrong with a file, in one line without its folder."""
    line = error.message.partition("\n")[0].removeprefix(f"{path}: ").replace(str(path), path.name)
    return line if line.startswith(path.name) else f"{path.name}: {line}"
