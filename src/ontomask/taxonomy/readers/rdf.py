"""RDF, the common ground of OWL and SKOS: triples, their names and languages.

Three forms are read and detected by their content: RDF/XML, Turtle and N-Triples. Addresses
(IRIs) are names here and are not checked; relative ones belong to the file.
"""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import quote

import numpy as np

from ontomask.errors import ParameterError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import refuse_unsafe_xml
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["DC", "DCTERMS", "OWL", "RDFS", "SKOS", "Vocabulary", "is_rdf", "read_rdf"]

DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
TYPE = RDF + "type"

_XML = re.compile(r"\s*<(?:[?!]|[\w:.-]+\s)")
_TURTLE = re.compile(
    r"""\s*(?:\#.*\n\s*)*
    (?:@(?:prefix|base)\s | (?i:prefix)\s+[\w.-]*:\s*< | (?i:base)\s*<
     | (?:<\w[\w+.-]*:[^<>\s]*>|_:\S+)\s+(?:<|a\s|\w*:))""",
    re.VERBOSE,
)
_ERROR_PLACE = re.compile(r"^Parser error [^:]*: ")
_OBO = re.compile(r"([A-Za-z]+)_(\d+)")
_ROOT = re.compile(rb"<([^\s<>/]+)")
_SINGLE_QUOTES = re.compile(rb"""(<!ENTITY\s+[^\s"'<>]+\s+)'([^'"<>]*)'""")


@dataclass(frozen=True)
class Vocabulary:
    """Which words of RDF mean what, as full addresses."""

    singular: str
    plural: str
    concept: Collection[str]
    document: str
    broader: str
    preferred: tuple[str, ...]
    synonyms: tuple[str, ...]
    title: tuple[str, ...]
    version: tuple[str, ...]
    narrower: str = ""
    notation: str = ""
    deprecated: str = OWL + "deprecated"
    deprecated_type: str = OWL + "DeprecatedClass"
    everything: Collection[str] = ()  # above or below all others: no concepts
    reflexive: bool = False  # whether everything is broader than itself
    left_out_predicates: Mapping[str, str] = field(
        default_factory=dict
    )  # left out, and what that is
    hint: str = ""  # for a file without any concept


class LanguageText(NamedTuple):
    """A text and its language, in lower case; ``""`` where it has none."""

    text: str
    language: str


@dataclass
class RdfContents:
    """What a file says in the words of a vocabulary; blank nodes begin with ``_:``."""

    concepts: dict[str, None] = field(default_factory=dict)
    documents: dict[str, None] = field(default_factory=dict)
    links: dict[tuple[str, str], None] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)
    texts: dict[str, dict[str, list[LanguageText]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    left_out: Counter[str] = field(default_factory=Counter)


def is_rdf(source: Source) -> bool:
    """Whether this looks like RDF in one of the forms that are read."""
    head = source.head_text
    return bool((_XML.match(head) and RDF in head) or _TURTLE.match(head))


def read_rdf(source: Source, words: Vocabulary, language: str) -> Taxonomy:
    """The taxonomy that a file describes in the words of a vocabulary."""
    if not isinstance(language, str):
        raise ParameterError(f"language must be a language tag such as 'en', got {language!r}")
    contents = _collect_contents(source, words)
    live = [c for c in contents.concepts if c not in contents.deprecated]
    if not live:
        raise source.error(f"the file has no {words.singular}", words.hint)
    number = {concept: place for place, concept in enumerate(live)}
    links = [
        (number[child], number[parent])
        for child, parent in _check_links(source, words, contents, number)
    ]
    identifiers = _shorten_identifiers(live)
    aliases, unclear = certain_aliases(
        _alias_pairs(live, identifiers, contents, words), set(identifiers)
    )
    place = {identifier: code for code, identifier in enumerate(identifiers)}
    left_out = {
        "deprecated concepts": len(contents.concepts) - len(live),
        **contents.left_out,
        "ambiguous aliases": unclear,
    }
    return Taxonomy.from_numbers(
        identifiers,
        np.array([child for child, _ in links], dtype=np.int64),
        np.array([parent for _, parent in links], dtype=np.int64),
        [
            _choose_labels(contents.texts.get(concept, {}), words, language.lower())
            for concept in live
        ],
        {alias: place[identifier] for alias, identifier in aliases.items()},
        about=_make_about(source, words, contents, language.lower(), left_out),
    )


# ---------------------------------------------------------------- what the triples say


def _collect_contents(source: Source, words: Vocabulary) -> RdfContents:
    contents = RdfContents()
    texts = {*words.preferred, *words.synonyms, *words.title, *words.version, words.notation}
    wanted = {
        TYPE,
        words.broader,
        words.narrower,
        words.deprecated,
        *words.left_out_predicates,
        *texts,
    }
    for subject, predicate, value in _read_triples(source, wanted):
        is_named = not subject.startswith("_:")
        if predicate == TYPE:
            if is_named and value in words.concept and subject not in words.everything:
                contents.concepts[subject] = None
            elif is_named and value == words.document:
                contents.documents[subject] = None
            if is_named and value == words.deprecated_type:
                contents.concepts[subject] = None
                contents.deprecated.add(subject)
        elif predicate in (words.broader, words.narrower) and isinstance(value, str):
            up = predicate == words.broader
            child, parent = (subject, value) if up else (value, subject)
            if not is_named or value.startswith("_:"):
                contents.left_out[f"links of anonymous {words.plural}"] += 1
            elif words.reflexive and child == parent:
                pass  # says nothing
            elif child not in words.everything and parent not in words.everything:
                contents.links[child, parent] = None
        elif predicate in words.left_out_predicates:
            if is_named:
                contents.left_out[words.left_out_predicates[predicate]] += 1
        elif predicate == words.deprecated and isinstance(value, LanguageText):
            if value.text.strip().lower() in ("true", "1"):
                contents.deprecated.add(subject)
        elif predicate in texts:
            as_text = value if isinstance(value, LanguageText) else LanguageText(value, "")
            contents.texts[subject][predicate].append(as_text)
    return contents


def _check_links(
    source: Source, words: Vocabulary, contents: RdfContents, live: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """The links between concepts; one to anything else is an error."""
    for child, parent in contents.links:
        if child in live and parent in live:
            yield child, parent
        elif child in live:
            problem = (
                "deprecated"
                if parent in contents.deprecated
                else f"no {words.singular} of the file"
            )
            raise source.error(
                f"the parent {parent!r} of {child!r} is {problem}",
                "add it, or correct the link; imported concepts must be in the file",
            )
        elif child not in contents.deprecated:
            raise source.error(
                f"{child!r}, below {parent!r}, is not declared as a {words.singular}",
                "add its declaration, or remove the link",
            )


def _make_about(
    source: Source,
    words: Vocabulary,
    contents: RdfContents,
    language: str,
    left_out: Mapping[str, int],
) -> About:
    """The document's title and version, where the file holds one document."""
    document = next(iter(contents.documents), "") if len(contents.documents) == 1 else ""
    texts = contents.texts.get(document, {})
    titles = _choose_texts(texts, words.title, language)
    version = next((sorted(texts[key])[0].text for key in words.version if texts.get(key)), "")
    return About(
        titles[0] if titles else source.name,
        source.path.name,
        version,
        {reason: count for reason, count in left_out.items() if count},
    )


# ---------------------------------------------------------------- names


def _shorten_identifiers(concepts: list[str]) -> list[str]:
    """What follows the last # or / of each address; the whole where that would be ambiguous."""
    last = [c.rpartition("#" if "#" in c else "/")[2] for c in concepts]
    times, addresses = Counter(last), set(concepts)
    return [
        short if times[short] == 1 and short.strip() and short not in addresses else full
        for short, full in zip(last, concepts, strict=True)
    ]


def _alias_pairs(
    concepts: list[str], identifiers: list[str], contents: RdfContents, words: Vocabulary
) -> Iterator[tuple[str, str]]:
    """The full address, ``HP:0000118`` for ``HP_0000118``, and the notations."""
    for concept, identifier in zip(concepts, identifiers, strict=True):
        yield concept, identifier
        if obo := _OBO.fullmatch(identifier):
            yield f"{obo[1]}:{obo[2]}", identifier
        for notation in contents.texts.get(concept, {}).get(words.notation, ()):
            if notation.text.strip():
                yield notation.text.strip(), identifier


def _choose_labels(
    texts: Mapping[str, list[LanguageText]], words: Vocabulary, language: str
) -> tuple[str, ...]:
    """The preferred label and the synonyms in a language."""
    names = _choose_texts(texts, words.preferred, language) + _choose_texts(
        texts, words.synonyms, language, others=False
    )
    return tuple(dict.fromkeys(names))


def _choose_texts(
    texts: Mapping[str, list[LanguageText]], keys: Iterable[str], language: str, others: bool = True
) -> list[str]:
    """The texts in a language (``en`` before ``en-gb``), then those without one.

    Where there are none of either, the first in another language, unless ``others`` is False.
    """
    ranked = sorted(
        (_language_rank(text.language, language), order, text.language, plain)
        for order, key in enumerate(keys)
        for text in texts.get(key, ())
        if (plain := " ".join(text.text.split()))
    )
    in_language = [name for rank, _, _, name in ranked if rank < 3]
    return in_language or ([ranked[0][3]] if ranked and others else [])


def _language_rank(language: str, wanted: str) -> int:
    if language == wanted:
        return 0
    if language.startswith(wanted + "-"):
        return 1
    return 3 if language else 2


# ---------------------------------------------------------------- the file


def _read_triples(
    source: Source, wanted: Collection[str]
) -> Iterator[tuple[str, str, str | LanguageText]]:
    """Subject, predicate and object of the triples with these predicates."""
    from pyoxigraph import Literal, NamedNode  # only where RDF is read

    def node_name(node: object) -> str:
        return node.value if isinstance(node, NamedNode) else f"_:{node}"

    prolog = refuse_unsafe_xml(source) if _XML.match(source.head_text) else None
    try:
        with source.open() as file:
            stream = _CheckedStream(source, file, prolog)
            for quad in _parse_quads(stream):
                predicate = quad.predicate.value
                if predicate in wanted:
                    value = quad.object
                    if isinstance(value, Literal):
                        text = LanguageText(value.value, value.language or "")
                        yield node_name(quad.subject), predicate, text
                    else:
                        yield node_name(quad.subject), predicate, node_name(value)
        stream.check_end()
    except SyntaxError as error:
        form = "Turtle or N-Triples" if prolog is None else "RDF/XML"
        raise source.error(
            _ERROR_PLACE.sub("", str(error.msg)),
            f"check that it is {form} in UTF-8",
            line=error.lineno if prolog is None else _line_of_error(source, prolog),
        ) from None


def _parse_quads(stream: _CheckedStream) -> Iterator[Any]:
    from pyoxigraph import RdfFormat, parse

    form = RdfFormat.TURTLE if stream.prolog is None else RdfFormat.RDF_XML
    base = f"file:///{quote(stream.source.path.name, errors='replace')}"
    return parse(cast(BinaryIO, stream), format=form, base_iri=base, lenient=True)


def _line_of_error(source: Source, prolog: int) -> int | None:
    """Where a parser that does not say so gives up: read again, a line at a time."""
    with source.open() as file:
        stream = _CheckedStream(source, file, prolog, by_line=True)
        try:
            for _ in _parse_quads(stream):
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
