"""Zip archives: a file in one is read as it lies there, and nothing is written.

An archive that contains one file, besides documents such as a licence, is that file; one with
several files is a folder. A file of an archive can be named, too: ``release.zip/hp.obo``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from ontomask.errors import FileFormatError, quote_names
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["find_source", "source_exists"]

ZIP_MAGIC = b"PK\x03\x04"
#: Files with these names are in office documents, which are zip archives as well.
OFFICE_FILES = {"[Content_Types].xml", "mimetype"}
#: An archive that promises more than this, and more than so many times its own size, is a bomb.
LARGEST_EXPANSION, MOST_GROWTH = 100_000_000, 150
MOST_FILES = 100_000

DOCUMENT_SUFFIXES = (
    *(".pdf", ".md", ".htm", ".html", ".doc", ".docx", ".rtf", ".dtd", ".xsd", ".xsl", ".css"),
    *(".png", ".jpg", ".gif", ".sha256", ".md5"),
)
DOCUMENT_NAMES = ("readme", "liesmich", "leeme", "licen", "lizenz", "copyright", "notice")


def find_source(path: Path) -> Source:
    """The file or folder at a path, in a zip archive where there is one.

    >>> find_source(Path("hp.obo")).file_name
    'hp.obo'
    """
    for archive in (path, *path.parents):
        if archive.is_file():
            if not _is_archive(archive):
                break
            inner = path.relative_to(archive).as_posix()
            return _source_in_archive(archive, "" if inner == "." else inner)
    return Source(path)


def source_exists(path: Path) -> bool:
    """Whether there is a file or folder at a path, in a zip archive where there is one."""
    try:
        return path.exists() or find_source(path).path.exists()
    except FileFormatError:
        return False


def _is_archive(path: Path) -> bool:
    """Whether a file is a zip archive, and not an office document."""
    try:
        with path.open("rb") as file:
            if file.read(4) != ZIP_MAGIC:
                return False
        with ZipFile(path) as archive:
            return OFFICE_FILES.isdisjoint(archive.namelist())
    except BadZipFile:
        return True  # its reader says so
    except OSError:
        return False


def _source_in_archive(path: Path, name: str) -> Source:
    members = [ZipMember(path, info) for info in _list_files(path)]
    if name:
        if named := [member for member in members if member.info.filename == name]:
            return named[0]
        names = [member.info.filename for member in members]
        raise FileFormatError(
            f"{path} contains no file {name!r}", f"it contains {quote_names(names)}"
        )
    content = [member for member in members if not _is_document(member.file_name)] or members
    if not content:
        raise FileFormatError(f"{path} contains no file", "check that the archive is complete")
    return content[0] if len(content) == 1 else ZipFolder(path, members)


def _list_files(path: Path) -> list[ZipInfo]:
    """The files of an archive by name, without those that operating systems add."""
    with _zip_errors(path), ZipFile(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
    if len(files) > MOST_FILES:
        raise FileFormatError(
            f"{path} contains {len(files):,} files", f"an archive may contain {MOST_FILES:,}"
        )
    return sorted(
        (info for info in files if not _is_hidden(info.filename)), key=lambda info: info.filename
    )


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or not parts or parts[-1].startswith(".")


def _is_document(name: str) -> bool:
    plain = name.lower()
    return plain.startswith(DOCUMENT_NAMES) or plain.endswith(DOCUMENT_SUFFIXES)


class ZipMember(Source):
    """A file in a zip archive."""

    def __init__(self, path: Path, info: ZipInfo) -> None:
        super().__init__(path, PurePosixPath(info.filename).parts)
        self.info = info

    @property
    def file_name(self) -> str:
        return self.place[-1]

    @property
    def where(self) -> str:
        return f"{self.path}/{self.info.filename}"

    @property
    def is_folder(self) -> bool:
        return False

    @contextmanager
    def _open_raw(self) -> Iterator[BinaryIO]:
        size, packed = self.info.file_size, self.info.compress_size
        if size > max(LARGEST_EXPANSION, MOST_GROWTH * packed):
            raise self.error(
                f"its {packed:,} bytes in the archive become {size:,}",
                "such a file may exhaust the memory; unpack it if you trust it",
            )
        with _zip_errors(self.where):
            archive = ZipFile(self.path)
        with archive:
            with _zip_errors(self.where):
                file = archive.open(self.info)  # ends after the size that was checked
            try:
                yield cast(BinaryIO, file)
            except _DAMAGES as error:
                raise _damage_error(self.where, error) from None


class ZipFolder(Source):
    """A zip archive with several files."""

    def __init__(self, path: Path, members: list[ZipMember]) -> None:
        super().__init__(path)
        self._members = members

    @property
    def is_folder(self) -> bool:
        return True

    @cached_property
    def files(self) -> list[Source]:
        return list(self._members)


_DAMAGES = (BadZipFile, zlib.error, EOFError)


def _damage_error(where: Path | str, error: Exception) -> FileFormatError:
    return FileFormatError(
        f"{where}: the zip archive is damaged ({error})", "download the archive again"
    )


@contextmanager
def _zip_errors(where: Path | str) -> Iterator[None]:
    """Turn what the zip module raises when it opens a file into errors that name it."""
    try:
        yield
    except _DAMAGES as error:
        raise _damage_error(where, error) from None
    except NotImplementedError as error:
        raise FileFormatError(
            f"{where}: the zip archive cannot be read ({error})", "unpack it with another program"
        ) from None
    except RuntimeError as error:
        if "encrypted" not in str(error):
            raise
        raise FileFormatError(
            f"{where} is encrypted", "unpack the archive with its password"
        ) from None
