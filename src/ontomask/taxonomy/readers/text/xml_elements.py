"""The elements of an XML file, one after the other: a file may be larger than the memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any
from xml.etree.ElementTree import Element
from xml.parsers import expat

from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import refuse_unsafe_xml

__all__ = ["XmlElement", "element_text", "read_elements", "root_name"]

BLOCK = 1 << 20
#: Elements inside a wanted one; deeper ones would exhaust the stack.
DEEPEST = 200


class XmlElement(Element):
    """An element and the line it starts on. Names are those without a namespace."""

    __slots__ = ("line",)

    def __init__(self, tag: str, attributes: dict[str, str], line: int) -> None:
        super().__init__(tag, attributes)
        self.line = line

    def first(self, tag: str) -> XmlElement | None:
        """The first child with this name."""
        child: Any = self.find(tag)
        return child

    def all(self, tag: str) -> list[XmlElement]:
        """The children with this name."""
        children: Any = self.findall(tag)
        return children


def read_elements(source: Source, wanted: Collection[str]) -> Iterator[XmlElement]:
    """The elements with these names, each when it is complete.

    An element inside a wanted one is part of it. Everything outside of them passes by.
    """
    refuse_unsafe_xml(source)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    builder = _ElementBuilder(source, parser, wanted)
    try:
        with source.open() as file:
            while block := file.read(BLOCK):
                parser.Parse(block)
                yield from builder.take_elements()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise source.error(
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            "the file may be incomplete; download it again",
            line=error.lineno,
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or not one of bytes
        raise source.error(f"{error}", "save the file as UTF-8", line=1) from None
    yield from builder.take_elements()


class _ElementBuilder:
    """Builds the wanted elements from what the parser reports."""

    def __init__(
        self, source: Source, parser: expat.XMLParserType, wanted: Collection[str]
    ) -> None:
        self.source, self.parser, self.wanted = source, parser, frozenset(wanted)
        self.open: list[XmlElement] = []  # the wanted element and those inside it
        self.complete: list[XmlElement] = []
        self.last: XmlElement | None = None  # the element that ended last, to be followed by text
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end

    def start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.rpartition("}")[2]
        if not self.open and tag not in self.wanted:
            return
        plain = {key.rpartition("}")[2]: value for key, value in attributes.items()}
        element = XmlElement(tag, plain, self.parser.CurrentLineNumber)
        if len(self.open) > DEEPEST:
            raise self.source.error(
                f"elements are nested more than {DEEPEST} deep",
                "check that the file is what its name says",
                line=element.line,
            )
        if self.open:
            self.open[-1].append(element)
        else:
            self.parser.CharacterDataHandler = self.add_text
        self.open.append(element)
        self.last = None

    def end(self, name: str) -> None:
        if not self.open:
            return
        self.last = self.open.pop()
        if not self.open:
            self.complete.append(self.last)
            self.parser.CharacterDataHandler = None

    def add_text(self, text: str) -> None:
        if self.last is not None:
            self.last.tail = (self.last.tail or "") + text
        else:
            self.open[-1].text = (self.open[-1].text or "") + text

    def take_elements(self) -> list[XmlElement]:
        """Return the elements completed since the last call."""
        elements, self.complete = self.complete, []
        return elements


def element_text(element: Element | None) -> str:
    """The text of an element and of all inside it, with single spaces."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def root_name(source: Source) -> str:
    """The name of the first element, without its prefix; empty for what is not XML."""
    text = source.head_text.lstrip()
    if not text.startswith("<"):
        return ""
    parser = expat.ParserCreate("utf-8", namespace_separator="}")

    def stop_at_root(name: str, _: dict[str, str]) -> None:
        raise _RootElement(name.rpartition("}")[2])

    parser.StartElementHandler = stop_at_root
    try:
        parser.Parse(text.encode("utf-8", errors="replace"))
    except _RootElement as root:
        return str(root)
    except (expat.ExpatError, ValueError, LookupError):
        pass
    return ""


class _RootElement(Exception):
    """Ends the parsing of a file at its first element."""
