"""Hierarchies of the Python package anjana, saved with the numbers of their levels.

One row per value, a column per level, the values themselves in column 0::

    0,1,2
    Tech-support,Technical,*
    Sales,Nontechnical,*

Below the header it is an ARX hierarchy. Files without a header, as in the package's own examples,
are read as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from ontomask.taxonomy.readers import arx
from ontomask.taxonomy.readers.text.delimited import first_row
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]


def looks_like(source: Source) -> bool:
    """A header that counts from 0, or an index and such a header."""
    header = first_row(source)
    levels = header[1:] if header[:1] == [""] else header
    return len(levels) > 1 and levels == [str(level) for level in range(len(levels))]


def read(source: Source, *, delimiter: str | None = None, encoding: str = "utf-8-sig") -> Taxonomy:
    """Read a hierarchy; the header may be missing."""
    if not looks_like(source):
        return arx.read(source, delimiter=delimiter, encoding=encoding)
    if first_row(source)[0] == "":
        raise source.error(
            "the first column has no number", "save the table without its index", line=1
        )
    return arx.read(_HeadlessSource(source), delimiter=delimiter, encoding=encoding)


class _HeadlessSource(Source):
    """The file with an empty first line, so that lines keep their numbers."""

    def __init__(self, source: Source) -> None:
        super().__init__(source.path, source.place)
        self._source = source

    @property
    def file_name(self) -> str:
        return self._source.file_name

    @property
    def where(self) -> str:
        return self._source.where

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        with self._source.open() as file:
            yield file

    def text(self, encoding: str = "utf-8-sig") -> str:
        return re.sub(r"\A(\s*)[^\r\n]*", r"\1", super().text(encoding))
