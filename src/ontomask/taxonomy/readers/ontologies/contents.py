"""What the triples of a file say about concepts: their types, links and texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ontomask.taxonomy.readers.ontologies.links import Link
from ontomask.taxonomy.readers.ontologies.syntax import read_triples
from ontomask.taxonomy.readers.ontologies.vocabularies import (
    DEPRECATED,
    EQUIVALENT,
    LITERAL_FORM,
    MEMBER,
    MEMBER_LIST,
    OWL_WORDS,
    RDF,
    SKOS_WORDS,
    TYPE,
    XL_LABEL,
    XL_LABELS,
    Vocabulary,
)
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["RdfContents", "collect_contents"]

FIRST, REST, NIL = RDF + "first", RDF + "rest", RDF + "nil"
Texts = dict[str, list[LanguageText]]


@dataclass
class RdfContents:
    """What a file says in the words of OWL and SKOS; anonymous nodes begin with ``_:``."""

    types: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    anonymous_types: Counter[str] = field(default_factory=Counter)
    links: dict[str, dict[Link, None]] = field(default_factory=lambda: defaultdict(dict))
    anonymous_links: Counter[str] = field(default_factory=Counter)
    equivalences: int = 0
    deprecated: set[str] = field(default_factory=set)
    texts: dict[str, Texts] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    members: dict[Link, None] = field(default_factory=dict)
    member_lists: dict[str, str] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    rest: dict[str, str] = field(default_factory=dict)
    label_nodes: list[tuple[str, str, str]] = field(default_factory=list)
    label_texts: Texts = field(default_factory=lambda: defaultdict(list))

    def add_type(self, subject: str, value: str) -> None:
        """Note what a node is; labels of SKOS-XL are nodes, too, and are of no interest."""
        if is_anonymous(subject):
            self.anonymous_types[value] += 1
        elif value != XL_LABEL:
            self.types[subject].append(value)

    def add_link(self, words: Vocabulary, child: str, parent: str) -> None:
        """Note that a concept is below another one."""
        if is_anonymous(child) or is_anonymous(parent):
            self.anonymous_links[words.singular] += 1
        elif words.is_reflexive and child == parent:
            pass  # says nothing
        elif child not in words.everything and parent not in words.everything:
            self.links[words.singular][child, parent] = None

    def add_label_nodes(self) -> None:
        """Give concepts the texts of their SKOS-XL labels."""
        for subject, predicate, node in self.label_nodes:
            known = self.texts[subject][predicate]
            known += [text for text in self.label_texts.get(node, ()) if text not in known]

    def members_of_collections(self) -> Iterator[Link]:
        """Members with their collections, also of collections with an order."""
        yield from self.members
        for collection, node in self.member_lists.items():
            seen: set[str] = set()
            while node != NIL and node not in seen:
                seen.add(node)
                if node in self.first:
                    yield self.first[node], collection
                node = self.rest.get(node, NIL)


def is_anonymous(node: str) -> bool:
    """Whether a node of a graph has no name."""
    return node.startswith("_:")


def collect_contents(source: Source, with_lists: bool) -> RdfContents:
    """Read a file; the lists of ordered collections only if they are needed."""
    contents = RdfContents()
    words_of_link = {
        predicate: (words, is_up)
        for words in (OWL_WORDS, SKOS_WORDS)
        for predicates, is_up in ((words.broader, True), (words.narrower, False))
        for predicate in predicates
    }
    texts = _text_predicates(OWL_WORDS) | _text_predicates(SKOS_WORDS)
    lists: dict[str, dict[str, str]] = {}
    if with_lists:
        lists = {
            MEMBER_LIST: contents.member_lists,
            FIRST: contents.first,
            REST: contents.rest,
        }
    wanted = {TYPE, DEPRECATED, EQUIVALENT, MEMBER, LITERAL_FORM, *XL_LABELS}
    for subject, predicate, value in read_triples(
        source, wanted | texts | words_of_link.keys() | lists.keys()
    ):
        if isinstance(value, LanguageText):
            if predicate in texts:
                contents.texts[subject][predicate].append(value)
            elif predicate == LITERAL_FORM:
                contents.label_texts[subject].append(value)
            elif predicate == DEPRECATED and value.text.strip().lower() in ("true", "1"):
                contents.deprecated.add(subject)
        elif predicate == TYPE:
            contents.add_type(subject, value)
        elif predicate in words_of_link:
            words, is_up = words_of_link[predicate]
            contents.add_link(words, *((subject, value) if is_up else (value, subject)))
        elif predicate == EQUIVALENT:
            contents.equivalences += not is_anonymous(subject)
        elif predicate == MEMBER:
            contents.members[value, subject] = None
        elif predicate in XL_LABELS:
            contents.label_nodes.append((subject, XL_LABELS[predicate], value))
        elif predicate in lists:
            lists[predicate][subject] = value
        elif predicate in texts:  # such as the address of a version
            contents.texts[subject][predicate].append(LanguageText(value, ""))
    contents.add_label_nodes()
    return contents


def _text_predicates(words: Vocabulary) -> set[str]:
    return {
        *words.preferred,
        *words.synonyms,
        *words.wider_synonyms,
        *words.title,
        *words.version,
        *words.notation,
    }
