"""What may stand before the first element of an XML file.

Entities are short names for text. Plain ones are fine, and Protégé writes them::

    <!DOCTYPE rdf:RDF [
        <!ENTITY owl "http://www.w3.org/2002/07/owl#" >
    ]>

Some are made of others, such as ``<!ENTITY onto "&base;ontology#">``. Entities that grow without
bound in this way would fill the memory, and external ones read other files: a file with either is
refused before a parser sees it. So is one that its entities make many times as large. The size of
an entity is computed, and never its text. An external ``DOCTYPE`` is fine: nobody reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ontomask.errors import FileFormatError
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["refuse_unsafe_xml"]

#: The first element must begin within this number of bytes.
LONGEST_PROLOG = 1_048_576
#: A prefix is an address; longer text repeated often enough would fill the memory. This is the size
#: with all entities in it, which may be this many deep.
LONGEST_ENTITY, DEEPEST_ENTITY = 256, 16
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
_TEXT = re.compile(rb"""<!ENTITY\s+([^\s"'<>&%;]+)\s+(?:"([^"%<>]*)"|'([^'%<>]*)')\s*>""")
_CHARACTER = re.compile(rb"#(?:x([0-9A-Fa-f]{1,6})|([0-9]{1,7}))")
_PART = re.compile(rb"&([^&;]*)(;?)")
#: Characters that begin markup, other entities and parameter entities.
_MARKUP = frozenset(b"<&%")
_PREDEFINED = frozenset((b"amp", b"lt", b"gt", b"quot", b"apos"))


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
        declarations = _ENTITY.finditer(start, begin, end)
        entities = [_EntityText.parse(source, start, match) for match in declarations]
        if entities:
            _refuse_growth(source, _expanded_sizes(source, start, entities))
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


class _EntityText(NamedTuple):
    """A declared entity: its name, the size of its own text, and the entities in it."""

    place: int
    name: bytes
    size: int
    parts: list[bytes]

    @classmethod
    def parse(cls, source: Source, start: bytes, declaration: re.Match[bytes]) -> _EntityText:
        """The declaration at a place; what is not made of text and other entities is refused."""
        place = declaration.start()
        match = _TEXT.match(start, place)
        value = (match[2] or match[3] or b"") if match else b""
        parts = _PART.findall(value)
        if match is None or not all(end and _is_safe_part(name) for name, end in parts):
            raise _error_at(
                source,
                start,
                place,
                "an entity is not plain text: it is external, a parameter entity, or contains "
                "markup",
            )
        inner = [name for name, _ in parts if name not in _PREDEFINED and name[:1] != b"#"]
        return cls(place, match[1], len(value), inner)


def _is_safe_part(name: bytes) -> bool:
    """Whether a part is another entity, or a character that stands for itself."""
    if character := _CHARACTER.fullmatch(name):
        return int(character[1] or character[2], 16 if character[1] else 10) not in _MARKUP
    return bool(name) and b"#" not in name


def _expanded_sizes(
    source: Source, start: bytes, entities: Sequence[_EntityText]
) -> dict[bytes, int]:
    """The size of each entity with all others in it; the largest if it is declared twice."""
    declared: dict[bytes, list[_EntityText]] = {}
    for entity in entities:
        declared.setdefault(entity.name, []).append(entity)
    measured: dict[bytes, tuple[int, int]] = {}  # size, and how many entities deep

    def measure(name: bytes, user: _EntityText, outside: int) -> tuple[int, int]:
        if name not in declared:
            unknown = name[:40].decode(errors="replace")
            raise _error_at(
                source, start, user.place, f"an entity contains &{unknown};, which is unknown"
            )
        if outside > DEEPEST_ENTITY:
            raise _deep_error(source, start, user)
        if name not in measured:
            size = depth = 0
            for entity in declared[name]:
                inner = [measure(part, entity, outside + 1) for part in entity.parts]
                size = max(size, entity.size + sum(size for size, _ in inner))
                depth = max(depth, 1 + max((depth for _, depth in inner), default=0))
            measured[name] = size, depth
        return measured[name]

    for entity in entities:
        size, depth = measure(entity.name, entity, 1)
        if depth > DEEPEST_ENTITY:
            raise _deep_error(source, start, entity)
        if size > LONGEST_ENTITY:
            raise _error_at(
                source,
                start,
                entity.place,
                f"an entity is longer than {LONGEST_ENTITY} characters, with the entities in it",
            )
    return {name: size for name, (size, _) in measured.items()}


def _deep_error(source: Source, start: bytes, entity: _EntityText) -> FileFormatError:
    return _error_at(
        source,
        start,
        entity.place,
        f"an entity contains itself, or more than {DEEPEST_ENTITY} entities within each other",
    )


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
