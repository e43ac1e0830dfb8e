"""What may stand before the first element of an XML file.

Entities are short names for text. Plain ones are fine, and Protégé writes them::

    <!DOCTYPE rdf:RDF [
        <!ENTITY owl "http://www.w3.org/2002/07/owl#" >
    ]>

Entities made of other entities can grow without bound, external ones read other files; a file
with either is refused before a parser sees it, and so is one that plain entities make many times
as large. An external ``DOCTYPE`` is fine: nobody reads it.
"""

from __future__ import annotations

import re

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["refuse_unsafe_xml"]

#: The first element must begin within this number of bytes.
LONGEST_PROLOG = 1_048_576
#: A prefix is an address; longer text repeated often enough would fill the memory.
LONGEST_ENTITY = 256
#: How large entities may make a file, in bytes; or how many times as large, if that is more.
LARGEST_EXPANSION, MOST_GROWTH = 100_000_000, 10

CHUNK = 1 << 20

_MISC = re.compile(rb"(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_ELEMENT = re.compile(rb"<[A-Za-z_:\x80-\xff]")
_DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s+[^\s\[\]<>"'&%]+
    (?:\s+(?:SYSTEM|PUBLIC\s+(?:"[^"]*"|'[^']*'))\s+(?:"[^"]*"|'[^']*'))?
    \s*(?P<next>[\[>])""",
    re.VERBOSE,
)
_DECLARATION = re.compile(rb"""<![A-Z]+\s(?:[^"'<>]++|"[^"]*"|'[^']*')*+>""")
_END = re.compile(rb"\]\s*>")
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_REFERENCE = re.compile(rb"&([^\s#&;<]{1,256});")
_FLAT = re.compile(rb"""<!ENTITY\s+([^\s"'<>&%;]+)\s+(?:"([^"&%<>]*)"|'([^'&%<>]*)')\s*>""")


def refuse_unsafe_xml(source: Source) -> int:
    """Refuse an XML file whose entities are not plain text; how many bytes precede the root."""
    with source.open() as file:
        start = file.read(LONGEST_PROLOG)
    begin = _end_of_misc(start, 3 if start.startswith(b"\xef\xbb\xbf") else 0)
    end = begin
    if doctype := _DOCTYPE.match(start, begin):
        end = doctype.end()
        if doctype["next"] == b"[":
            end = _end_of_subset(source, start, end)
        # Some parsers take declarations in comments for real: all of them are looked at.
        sizes: dict[bytes, int] = {}
        for entity in _ENTITY.finditer(start, begin, end):
            name, size = _check_entity(source, start, entity.start())
            sizes[name] = max(size, sizes.get(name, 0))
        if sizes:
            _refuse_growth(source, sizes)
        end = _end_of_misc(start, end)
    if not _ELEMENT.match(start, end):
        raise _error_at(
            source,
            start,
            end,
            "the file does not start like an XML file in UTF-8"
            if len(start) < LONGEST_PROLOG
            else f"no element starts in the first {LONGEST_PROLOG:,} bytes",
            "check that it is XML, and save it as UTF-8",
        )
    return end


def _end_of_misc(start: bytes, place: int) -> int:
    """The end of the spaces, comments and instructions that begin here."""
    match = _MISC.match(start, place)
    return match.end() if match else place


def _end_of_subset(source: Source, start: bytes, place: int) -> int:
    """The end of the ``DOCTYPE`` whose declarations begin here."""
    while True:
        place = _end_of_misc(start, place)
        if ending := _END.match(start, place):
            return ending.end()
        declaration = _DECLARATION.match(start, place)
        if declaration is None:
            reason = (
                "the DOCTYPE refers to a parameter entity, which is not allowed"
                if start.startswith(b"%", place)
                else "the DOCTYPE is not well-formed"
            )
            raise _error_at(source, start, place, reason)
        place = declaration.end()


def _check_entity(source: Source, start: bytes, place: int) -> tuple[bytes, int]:
    """The name of a plain entity, and the size of its text."""
    flat = _FLAT.match(start, place)
    if flat is None:
        raise _error_at(
            source,
            start,
            place,
            "an entity is not plain text: it is external, a parameter entity, or contains markup "
            "or other entities",
        )
    size = len(flat[2] or flat[3] or b"")
    if size > LONGEST_ENTITY:
        raise _error_at(
            source, start, place, f"an entity is longer than {LONGEST_ENTITY} characters"
        )
    return flat[1], size


def _refuse_growth(source: Source, sizes: dict[bytes, int]) -> None:
    """Refuse a file that the uses of its entities make too large."""
    size = expanded = 0
    rest = b""
    with source.open() as file:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            text = rest + chunk
            expanded += sum(sizes.get(name, 0) for name in _REFERENCE.findall(text))
            last = text.rfind(b"&", -LONGEST_ENTITY - 2)  # its end may be in the next chunk
            rest = text[last:] if last >= 0 and b";" not in text[last:] else b""
    expanded += size
    if expanded > max(LARGEST_EXPANSION, MOST_GROWTH * size):
        raise source.error(
            f"its entities make {expanded:,} bytes of {size:,}",
            f"such a file may exhaust the memory; entities may make a file {MOST_GROWTH} times as "
            f"large, or {LARGEST_EXPANSION:,} bytes: write the file again without entities",
        )


def _error_at(
    source: Source,
    start: bytes,
    place: int,
    reason: str,
    hint: str = "such a file may exhaust the memory or read other files; "
    "write the file again without entities",
) -> FileFormatError:
    return source.error(reason, hint, line=start.count(b"\n", 0, place) + 1)
