"""The working folder: the only folder whose files the page can use."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from ontomask._runtime.files.work_folders import work_folder
from ontomask.engines.formats.formats import named_format
from ontomask.errors import FileFormatError, ParameterError
from ontomask.releasefile.profile.offered_taxonomies import files_beside
from ontomask.web.errors import NotThere, OutsideError, TooLarge

__all__ = ["SIDE_FILE_SUFFIXES", "OWN_FOLDER", "WorkingFolder"]

#: Where the workbench stores its own files: runs, and earlier versions of the release file.
OWN_FOLDER = ".ontomask"

#: Endings of files that may hold a taxonomy.
TAXONOMY_SUFFIXES = (
    *(".obo", ".owl", ".rdf", ".ttl", ".nt", ".xml", ".csv", ".tsv", ".txt", ".json", ".zip"),
    *(".xlsx", ".xls", ".ods"),
    *(".trig", ".nq", ".jsonld", ".ofn", ".owx", ".omn"),
)

#: Endings of files that are written with a release and are not tables to mask.
SIDE_FILE_SUFFIXES = (".taxonomy.csv", ".private.csv", ".manifest.json")

#: Endings of files that can be uploaded besides tables; compressed ones, too.
UPLOAD_SUFFIXES = (*TAXONOMY_SUFFIXES, ".yaml", ".yml")

#: The most files that are listed, and the longest name in bytes.
MAX_FILES = 1_000
MAX_NAME_BYTES = 200


class WorkingFolder:
    """A folder; files outside of it are refused unless its owner has named them."""

    def __init__(self, path: Path, *, largest: int) -> None:
        self.path = path.resolve()
        self.largest = largest
        self._trusted: set[Path] = set()

    def trust(self, path: Path) -> None:
        """Trust a file that the owner named on the command line or in the release file."""
        self._trusted.add(path.resolve())

    def own(self, name: str) -> Path:
        """A folder of the workbench itself, which version control ignores."""
        own_folder = self.path / OWN_FOLDER
        gitignore = own_folder / ".gitignore"
        if not gitignore.exists():
            try:
                own_folder.mkdir(mode=0o700, exist_ok=True)
                gitignore.write_text("*\n")
            except OSError as error:
                raise FileFormatError(
                    f"cannot write to the folder {self.path}: {error.strerror or error}",
                    "start the workbench in a folder that you can write to",
                ) from None
        return own_folder / name

    def resolve_inside(self, name: str) -> Path:
        """The file with a name that the page sends; refused if it is not in the folder.

        A symbolic link that points outside is refused, too.
        """
        if not name or "\0" in name or len(name) > 4096:
            raise OutsideError(
                "the file name is empty or too long", "name a file in the working folder"
            )
        try:
            path = self.path / name
            resolved = path.resolve()
        except (OSError, RuntimeError, ValueError):
            raise OutsideError(f"{name!r} is not a valid file name") from None
        if resolved in self._trusted:
            return path
        if not resolved.is_relative_to(self.path) or ".." in Path(name).parts:
            raise OutsideError(
                f"{name!r} is not in the working folder",
                "copy the file into it, or start the workbench in another folder",
            )
        if any(part.startswith(".") for part in resolved.relative_to(self.path).parts):
            raise OutsideError(
                f"{name!r} is a hidden file", "choose a file whose name does not start with a dot"
            )
        return path

    def resolve_existing(self, name: str) -> Path:
        """The file with a name that the page sends; refused if it is outside or missing."""
        path = self.resolve_inside(name)
        if not path.is_file():
            raise NotThere(f"the working folder has no file {name!r}")
        return path

    def tables(self) -> list[Path]:
        """The files that may be tables."""
        return [
            path
            for path in self._files()
            if _is_table(path) and not path.name.endswith(SIDE_FILE_SUFFIXES)
        ]

    def taxonomies(self) -> list[Path]:
        """The files that may be taxonomies."""
        return [path for path in self._files() if path.suffix.lower() in TAXONOMY_SUFFIXES]

    def files_beside(self, data: Path) -> list[Path]:
        """The files beside a table that may hold a taxonomy, as far as the page may name them."""
        if not data.resolve().is_relative_to(self.path):
            return []
        return [path for path in files_beside(data) if path.resolve().is_relative_to(self.path)]

    def _files(self) -> Iterator[Path]:
        """The files of the folder by name, as far as the page may name them."""
        with os.scandir(self.path) as entries:
            names = sorted(entry.name for entry in entries if not entry.name.startswith("."))
        for name in names[:MAX_FILES]:
            path = self.path / name
            resolved = path.resolve()
            allowed = resolved in self._trusted or resolved.is_relative_to(self.path)
            if allowed and path.is_file():
                yield path

    async def store_upload(self, name: str, chunks: AsyncIterator[bytes]) -> Path:
        """Store an upload under a name: all of it or nothing, and never over another file."""
        target = self._new_file(name)
        size = 0
        try:
            with work_folder(self.path) as folder:
                partial = folder / "upload"
                with open(partial, "xb", opener=_open_private) as file:
                    async for chunk in chunks:
                        size += len(chunk)
                        if size > self.largest:
                            raise self._too_large_error()
                        file.write(chunk)
                os.link(partial, target)  # fails where a file has that name by now
        except FileExistsError:
            raise _exists_error(name) from None
        except OSError as error:
            raise FileFormatError(f"cannot store {name}: {error.strerror or error}") from None
        return target

    def _too_large_error(self) -> TooLarge:
        """The error for an upload that exceeds the limit."""
        return TooLarge(
            f"the file is too large: the limit is {self.largest / 1e6:,.0f} MB",
            "copy it into the working folder and open it there",
        )

    def _new_file(self, name: str) -> Path:
        """The place of a new file: right in the folder, under a plain name."""
        if Path(name).name != name or "\\" in name or len(name.encode()) > MAX_NAME_BYTES:
            raise OutsideError(
                f"{name[:60]!r} is not a plain file name", "use a name such as data.csv"
            )
        if not name.isprintable():
            raise OutsideError(
                "the file name has characters that cannot be displayed", "rename the file"
            )
        target = self.resolve_inside(name)
        if not (
            _is_table(target) or _without_compression(target).suffix.lower() in UPLOAD_SUFFIXES
        ):
            raise ParameterError(
                f"{name} is not a table, a taxonomy or a release file, and cannot be uploaded",
                f"upload a table (.csv, .parquet, ...) or one of {', '.join(UPLOAD_SUFFIXES)}",
            )
        if target.exists() or target.is_symlink():
            raise _exists_error(name)
        return target


def _exists_error(name: str) -> ParameterError:
    return ParameterError(
        f"{name} already exists in the working folder", "rename one of the two files"
    )


def _is_table(path: Path) -> bool:
    return named_format(_without_compression(path)) is not None


def _without_compression(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in (".gz", ".zst") else path


def _open_private(path: str, flags: int) -> int:
    """Open a file that only this user can read: uploads are somebody's data."""
    return os.open(path, flags, 0o600)
