"""Where a taxonomy is read from: a file, packed or not, or a folder."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text.dialect import detect_encoding

__all__ = ["Source", "files_at"]

GZIP_MAGIC = b"\x1f\x8b"
HEAD = 65_536
#: More text than this is a decompression bomb: a megabyte of gzip can hold a gigabyte.
LARGEST = 4_000_000_000
DEEPEST = 5  # folders below the one that is named


class Source:
    """A file or folder that a reader is about to read.

    Gzip is unpacked on the way; for zip archives, see :func:`find_source`. Whatever goes wrong
    with the file itself, here or in the block of :meth:`open`, becomes a :class:`FileFormatError`
    that names it.

    Attributes:
        path: The file or folder; for a file in a zip archive, the archive.
        place: The names of the folders below :attr:`path` and of the file itself, where it comes
            from :attr:`files`.
    """

    def __init__(self, path: Path, place: tuple[str, ...] = ()) -> None:
        self.path = path
        self.place = place

    @property
    def file_name(self) -> str:
        """The name without its folder."""
        return self.path.name

    @property
    def name(self) -> str:
        """The name without its folder and endings."""
        return self.file_name.split(".")[0]

    @property
    def where(self) -> str:
        """How errors name the file."""
        return str(self.path)

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder of files, or an archive with several."""
        return self.path.is_dir()

    @cached_property
    def files(self) -> list[Source]:
        """The files of a folder and of the folders below it, in the order of their names."""
        files = []
        for folder, folders, names in os.walk(self.path):
            folders.sort()
            parts = Path(folder).relative_to(self.path).parts
            if len(parts) >= DEEPEST:
                folders.clear()
            files += [Source(Path(folder) / name, (*parts, name)) for name in sorted(names)]
        return files

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes of the file as a stream, unpacked where it is gzip."""
        try:
            with self._open_raw() as raw:
                packed = raw.read(2) == GZIP_MAGIC
                raw.seek(0)
                if packed:
                    yield cast(
                        BinaryIO, io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw)))
                    )
                else:
                    yield raw
        except FileNotFoundError:
            raise FileFormatError(f"{self.where} does not exist", "check the path") from None
        except IsADirectoryError:
            raise FileFormatError(
                f"{self.where} is a folder, not a file", "name a file in it"
            ) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileFormatError(
                f"{self.where}: the gzip data is damaged ({error})",
                "download or compress the file again",
            ) from None
        except OSError as error:
            raise FileFormatError(
                f"{self.where} cannot be read: {error.strerror or error}"
            ) from None

    def _open_raw(self) -> AbstractContextManager[BinaryIO]:
        return self.path.open("rb")

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file, to tell its format by; nothing for a folder."""
        if self.is_folder:
            return b""
        with self.open() as file:
            return file.read(HEAD)

    @property
    def head_text(self) -> str:
        """The same as text, as far as it is text, without a byte order mark."""
        encoding, _ = detect_encoding(self.head)
        return self.head.decode(encoding, errors="replace").lstrip("\ufeff")

    @property
    def is_longer_than_head(self) -> bool:
        """Whether the file may go on after its head."""
        return len(self.head) >= HEAD

    def text(self, encoding: str = "utf-8-sig") -> str:
        """The whole file as text; the mark that some editors put in front is dropped."""
        with self.open() as file:
            raw = file.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise self.error(f"the file is larger than {LARGEST:,} bytes", "split the file")
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
            other = "utf-16" if wide else "latin-1"
            raise FileFormatError(
                f"{self.where}, line {line}: not valid {error.encoding} text "
                f"(byte 0x{raw[error.start]:02x})",
                f'save the file as UTF-8, or set its encoding: encoding="{other}"',
            ) from None
        except LookupError:
            raise FileFormatError(
                f"{self.where}: encoding must be a known encoding, got {encoding!r}",
                'try "utf-8" or "latin-1"',
            ) from None

    def error(self, reason: str, hint: str = "", *, line: int | None = None) -> FileFormatError:
        """An error that names the file, and the line where it is known."""
        where = f"{self.where}, line {line}" if line is not None else self.where
        return FileFormatError(f"{where}: {reason}", hint)


def files_at(source: Source) -> list[Source]:
    """The files of a folder or archive; for a single file, all files of its folder."""
    if source.is_folder or source.place:
        return source.files if source.is_folder else [source]
    return [Source(path) for path in sorted(source.path.parent.iterdir()) if path.is_file()]
