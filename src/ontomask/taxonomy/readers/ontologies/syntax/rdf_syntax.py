"""The syntaxes of RDF: RDF/XML, Turtle and TriG, N-Triples and N-Quads, JSON-LD."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO, cast
from urllib.parse import quote

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import refuse_unsafe_xml

__all__ = ["Triple", "read_rdf_syntax"]

#: Subject, predicate and object; anonymous nodes begin with ``_:``.
Triple = tuple[str, str, str | LanguageText]

RDF_XML = "RDF/XML"
_ERROR_PLACE = re.compile(r"^Parser error [^:]*: ")
_ROOT = re.compile(rb"<([^\s<>/]+)")
_SINGLE_QUOTES = re.compile(rb"""(<!ENTITY\s+[^\s"'<>]+\s+)'([^'"<>]*)'""")


def read_rdf_syntax(source: Source, syntax: str, wanted: Collection[str]) -> Iterator[Triple]:
    """The triples with these predicates; triples of named graphs count as well."""
    from pyoxigraph import Literal, NamedNode  # only where RDF is read

    def node_name(node: object) -> str:
        return node.value if isinstance(node, NamedNode) else f"_:{node}"

    prolog = refuse_unsafe_xml(source) if syntax == RDF_XML else None
    try:
        with source.open() as file:
            stream = _CheckedStream(source, file, prolog)
            for quad in _parse_quads(stream, syntax):
                predicate = quad.predicate.value
                if predicate in wanted:
                    value = quad.object
                    if isinstance(value, Literal):
                        text = LanguageText(value.value, (value.language or "").lower())
                        yield node_name(quad.subject), predicate, text
                    else:
                        yield node_name(quad.subject), predicate, node_name(value)
        stream.check_end()
    except SyntaxError as error:
        raise _syntax_error(source, syntax, prolog, error) from None


def _syntax_error(
    source: Source, syntax: str, prolog: int | None, error: SyntaxError
) -> FileFormatError:
    if "LoadDocumentCallback" in str(error.msg):
        return source.error(
            "its JSON-LD context is an address, and nothing is downloaded",
            "replace the address after @context by the content of that file, or use another form "
            "of the file, such as Turtle",
        )
    return source.error(
        _ERROR_PLACE.sub("", str(error.msg)),
        f"check that it is {syntax} in UTF-8",
        line=error.lineno if prolog is None else _line_of_error(source, prolog),
    )


def _parse_quads(stream: _CheckedStream, syntax: str) -> Iterator[Any]:
    from pyoxigraph import RdfFormat, parse

    formats = {
        RDF_XML: RdfFormat.RDF_XML,
        "Turtle": RdfFormat.TURTLE,
        "TriG": RdfFormat.TRIG,
        "N-Quads": RdfFormat.N_QUADS,
        "JSON-LD": RdfFormat.JSON_LD,
    }
    base = f"file:///{quote(stream.source.file_name, errors='replace')}"
    return parse(cast(BinaryIO, stream), format=formats[syntax], base_iri=base, lenient=True)


def _line_of_error(source: Source, prolog: int) -> int | None:
    """Where a parser that does not say so gives up: read again, a line at a time."""
    with source.open() as file:
        stream = _CheckedStream(source, file, prolog, by_line=True)
        try:
            for _ in _parse_quads(stream, RDF_XML):
                pass
        except SyntaxError:
            return stream.lines + stream.mid_line
    return None


class _CheckedStream:
    """A file as the parser reads it: without a byte order mark, and watched.

    ``prolog`` is what precedes the first element of an XML file, None for another. The parser
    obeys entities declared anywhere, but only those at the top have been checked; and it does not
    mind if the end is missing.
    """

    def __init__(
        self, source: Source, file: BinaryIO, prolog: int | None, by_line: bool = False
    ) -> None:
        self.source, self.prolog = source, prolog
        start = file.read(3 if prolog is None else prolog).removeprefix(b"\xef\xbb\xbf")
        # The parser wants entities in double quotes.
        top = io.BytesIO(_SINGLE_QUOTES.sub(rb'\1"\2"', start))
        self._top = top.readline if by_line else top.read
        self._rest = file.readline if by_line else file.read
        self._root = b""
        self._last = b""
        self.lines = 0
        self.mid_line = False  # whether a line has begun and not ended

    def read(self, size: int = -1) -> bytes:
        """The next bytes: at most a line where the place of an error is looked for."""
        block = self._top(size)
        if not block:
            block = self._rest(size)
            if self.prolog is not None:
                self._check_block(block)
        if block:
            self.lines += block.count(b"\n")
            self.mid_line = not block.endswith(b"\n")
        return block

    def _check_block(self, block: bytes) -> None:
        if not self._root and (root := _ROOT.match(block)):
            self._root = root[1]
        if b"<!ENTITY" in self._last[-8:] + block:
            raise self.source.error(
                "an entity is declared after the first element",
                "declare entities at the top of the file, or write it without entities",
            )
        self._last = (self._last + block)[-4096:]

    def check_end(self) -> None:
        """Refuse an XML file whose first element is not closed near the end of the file."""
        if self.prolog is not None and b"</" + self._root not in self._last:
            raise self.source.error(
                f"the file ends before <{self._root.decode(errors='replace')}> does",
                "the file seems to be incomplete: download it again",
                line=self.lines + self.mid_line,
            )
