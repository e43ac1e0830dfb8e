"""Where a taxonomy is read from: a file, packed or not, or a folder."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text.dialect import detect_encoding

__all__ = ["Source"]

GZIP_MAGIC = b"\x1f\x8b"
HEAD = 65_536
#: More text than this is a decompression bomb: a megabyte of gzip can hold a gigabyte.
LARGEST = 4_000_000_000


class Source:
    """A file or folder that a reader is about to read.

    Gzip is unpacked on the way. Whatever goes wrong with the file itself, here or in the block of
    :meth:`open`, becomes a :class:`FileFormatError` that names it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def name(self) -> str:
        """The name without its folder and endings."""
        return self.path.name.split(".")[0]

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder of files."""
        return self.path.is_dir()

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes of the file as a stream, unpacked where it is gzip."""
        try:
            with self.path.open("rb") as raw:
                packed = raw.read(2) == GZIP_MAGIC
                raw.seek(0)
                if packed:
                    yield cast(
                        BinaryIO, io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=raw)))
                    )
                else:
                    yield raw
        except FileNotFoundError:
            raise FileFormatError(f"{self.path} does not exist", "check the path") from None
        except IsADirectoryError:
            raise FileFormatError(
                f"{self.path} is a folder, not a file", "name a file in it"
            ) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileFormatError(
                f"{self.path}: the gzip data is damaged ({error})",
                "download or compress the file again",
            ) from None
        except OSError as error:
            raise FileFormatError(
                f"{self.path} cannot be read: {error.strerror or error}"
            ) from None

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
                f"{self.path}, line {line}: not valid {error.encoding} text "
                f"(byte 0x{raw[error.start]:02x})",
                f'save the file as UTF-8, or set its encoding: encoding="{other}"',
            ) from None
        except LookupError:
            raise FileFormatError(
                f"{self.path}: encoding must be a known encoding, got {encoding!r}",
                'try "utf-8" or "latin-1"',
            ) from None

    def error(self, reason: str, hint: str = "", *, line: int | None = None) -> FileFormatError:
        """An error that names the file, and the line where it is known."""
        where = f"{self.path}, line {line}" if line is not None else f"{self.path}"
        return FileFormatError(f"{where}: {reason}", hint)
