"""RDF: what OWL ontologies and SKOS thesauri have in common.

The file as a whole decides which of the two it is: a thesaurus has at least as many
``skos:Concept`` as classes. Addresses (IRIs) are names here and are not checked; relative ones
belong to the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ontomask.errors import FileFormatError, ParameterError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.ontologies.contents import RdfContents, collect_contents
from ontomask.taxonomy.readers.ontologies.links import (
    Link,
    LinkEnds,
    Outside,
    check_outside,
    check_synonyms,
    select_links,
)
from ontomask.taxonomy.readers.ontologies.syntax import detect_syntax
from ontomask.taxonomy.readers.ontologies.vocabularies import (
    COLLECTIONS,
    DEPRECATED_TYPE,
    INDIVIDUAL,
    OWL,
    OWL_WORDS,
    RDF,
    RDFS,
    SKOS_WORDS,
    Vocabulary,
)
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.languages import LanguageChoice, LanguageText
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read", "read_rdf"]

_OBO = re.compile(r"([A-Za-z]+)_(\d+)")


@dataclass(frozen=True)
class RdfOptions:
    """What a caller asked for."""

    language: str | Sequence[str] | None = None
    outside: Outside = "skip"
    synonyms: str = "exact"
    collections: bool = False


def looks_like(source: Source) -> bool:
    """RDF or OWL in one of the forms that are read."""
    return detect_syntax(source) is not None


def read(
    source: Source,
    *,
    language: str | Sequence[str] | None = None,
    outside: Outside = "skip",
    synonyms: str = "exact",
    collections: bool = False,
) -> Taxonomy:
    """Read an ontology or a thesaurus: see the formats ``owl`` and ``skos`` for the options."""
    return read_rdf(source, None, RdfOptions(language, outside, synonyms, collections))


def read_rdf(source: Source, words: Vocabulary | None, options: RdfOptions) -> Taxonomy:
    """The taxonomy that a file describes in the words of a vocabulary."""
    language = LanguageChoice(options.language)
    check_outside(options.outside)
    check_synonyms(options.synonyms)
    contents = collect_contents(source, options.collections)
    words = words or _choose_vocabulary(contents)
    if options.collections and words.has_individuals:
        raise ParameterError(
            "collections is an option for SKOS files, and this file has classes",
            'leave it out, or set format="skos"',
        )
    left_out: Counter[str] = Counter()
    graph = _ConceptGraph(contents, words, left_out)
    graph.find_concepts()
    if words.has_individuals:
        graph.find_individuals(options.outside)
    elif options.collections:
        graph.find_collections()
    links, added = select_links(
        graph.links,
        LinkEnds(graph.live, graph.retired),
        options.outside,
        left_out,
        lambda link, problem: _link_error(source, words, link, problem),
    )
    concepts = [*graph.live, *added]
    if not concepts:
        raise _no_concept_error(source, words, contents, left_out)
    graph.count_rest(options)
    return _build_taxonomy(source, words, contents, concepts, links, language, options, left_out)


def _no_concept_error(
    source: Source, words: Vocabulary, contents: RdfContents, left_out: Mapping[str, int]
) -> FileFormatError:
    individuals = left_out["individuals of undeclared classes"]
    if individuals and not _count_typed(contents, SKOS_WORDS.concept):
        return source.error(
            f"the file has {individuals:,} individuals, and their classes are in other files",
            'outside="keep" makes both concepts; or merge the files with their imports first',
        )
    return source.error(f"the file has no {words.singular}", words.hint)


def _choose_vocabulary(contents: RdfContents) -> Vocabulary:
    """SKOS where the file has at least as many concepts as classes."""

    def count_concepts(words: Vocabulary) -> int:
        return sum(
            not words.concept_types.isdisjoint(types) and subject not in contents.deprecated
            for subject, types in contents.types.items()
        )

    concepts = count_concepts(SKOS_WORDS) or SKOS_WORDS.singular in contents.links
    return SKOS_WORDS if concepts and concepts >= count_concepts(OWL_WORDS) else OWL_WORDS


# ---------------------------------------------------------------- concepts and links


class _ConceptGraph:
    """The concepts of a file and their links, and the count of all that is none."""

    def __init__(self, contents: RdfContents, words: Vocabulary, left_out: Counter[str]) -> None:
        self.contents, self.words, self.left_out = contents, words, left_out
        self.live: dict[str, None] = {}
        self.retired: set[str] = set()
        self.links: dict[Link, None] = dict(contents.links[words.singular])

    def find_concepts(self) -> None:
        """Find the nodes with a type that makes them concepts, and set deprecated ones apart."""
        types = self._concept_types()
        for subject, own in self.contents.types.items():
            if subject in self.words.everything:
                continue
            if DEPRECATED_TYPE in own and self.words.has_individuals:
                self.retired.add(subject)
            elif not types.isdisjoint(own):
                if subject in self.contents.deprecated:
                    self.retired.add(subject)
                else:
                    self.live[subject] = None
        self.left_out["deprecated concepts"] = len(self.retired)
        if not self.words.has_individuals:
            anonymous = sum(self.contents.anonymous_types[name] for name in types)
            self.left_out["anonymous concepts"] = anonymous

    def _concept_types(self) -> set[str]:
        """The types of concepts, and in SKOS the classes below them."""
        types = set(self.words.concept)
        if not self.words.has_individuals:
            below: dict[str, list[str]] = {}
            for child, parent in self.contents.links[OWL_WORDS.singular]:
                below.setdefault(parent, []).append(child)
            waiting = list(types)
            while waiting:
                new = set(below.get(waiting.pop(), ())) - types
                types |= new
                waiting += new
        return types

    def find_individuals(self, outside: Outside) -> None:
        """Add what has a class of the file as its type, below that class."""
        individuals: dict[str, None] = {}
        for subject, types in self.contents.types.items():
            own = [name for name in types if not name.startswith((OWL, RDF, RDFS))]
            if (
                subject in self.live
                or subject in self.retired
                or {*types} - {*own, INDIVIDUAL, *self.words.everything}
            ):
                continue  # a class, a property, the ontology itself
            if subject in self.contents.deprecated:
                self.retired.add(subject)
                self.left_out["deprecated concepts"] += 1
            elif not own:
                self.left_out["individuals without a class"] += 1
            elif any(name in self.live for name in own) or (
                outside != "skip" and INDIVIDUAL in types
            ):
                individuals[subject] = None
                self.links.update(((subject, name), None) for name in own)
            else:
                self.left_out["individuals of undeclared classes"] += 1
        anonymous = sum(self.contents.anonymous_types[name] for name in self.live)
        self.left_out["anonymous individuals"] = anonymous
        self.live.update(individuals)

    def find_collections(self) -> None:
        """Add collections above their members."""
        for subject, types in self.contents.types.items():
            if subject not in self.live and not set(COLLECTIONS).isdisjoint(types):
                self.live[subject] = None
        self.links.update((link, None) for link in self.contents.members_of_collections())

    def count_rest(self, options: RdfOptions) -> None:
        """Count what the file has besides concepts."""
        contents, words = self.contents, self.words
        self.left_out[f"links of anonymous {words.plural}"] += contents.anonymous_links[
            words.singular
        ]
        if words.has_individuals:
            self.left_out["class equivalences"] += contents.equivalences
        else:
            if not options.collections:
                self.left_out["collections"] += _count_typed(contents, COLLECTIONS)
            self.left_out["classes"] += _count_typed(contents, OWL_WORDS.concept)


def _count_typed(contents: RdfContents, types: Collection[str]) -> int:
    wanted = set(types)
    return sum(not wanted.isdisjoint(own) for own in contents.types.values())


def _link_error(source: Source, words: Vocabulary, link: Link, problem: str) -> FileFormatError:
    child, parent = link
    return source.error(
        {
            "links to deprecated concepts": f"the parent {parent!r} of {child!r} is deprecated",
            "links of undeclared concepts": f"{child!r}, below {parent!r}, is not declared as a "
            f"{words.singular}",
            "links to undeclared concepts": f"the parent {parent!r} of {child!r} is no "
            f"{words.singular} of the file",
        }[problem],
        'add it, or correct the link; outside="skip" leaves out and counts such links',
    )


# ---------------------------------------------------------------- the taxonomy


def _build_taxonomy(
    source: Source,
    words: Vocabulary,
    contents: RdfContents,
    concepts: list[str],
    links: list[Link],
    language: LanguageChoice,
    options: RdfOptions,
    left_out: Counter[str],
) -> Taxonomy:
    number = {concept: place for place, concept in enumerate(concepts)}
    identifiers = _shorten_identifiers(concepts)
    aliases, unclear = certain_aliases(
        _alias_pairs(concepts, identifiers, contents, words), set(identifiers)
    )
    place = {identifier: code for code, identifier in enumerate(identifiers)}
    left_out["ambiguous aliases"] = unclear
    for concept in concepts:
        for key, texts in contents.texts.get(concept, {}).items():
            if key in words.preferred or key in words.synonyms:
                language.tags.update(text.language for text in texts)
    language.settle()
    labels = [
        _choose_labels(contents.texts.get(concept, {}), words, language, options, left_out)
        for concept in concepts
    ]
    return Taxonomy.from_numbers(
        identifiers,
        np.array([number[child] for child, _ in links], dtype=np.int64),
        np.array([number[parent] for _, parent in links], dtype=np.int64),
        labels,
        {alias: place[identifier] for alias, identifier in aliases.items()},
        about=_make_about(source, words, contents, language, left_out),
    )


def _make_about(
    source: Source,
    words: Vocabulary,
    contents: RdfContents,
    language: LanguageChoice,
    left_out: Mapping[str, int],
) -> About:
    """The document's title and version, where the file holds one document."""
    documents = [name for name, types in contents.types.items() if words.document in types]
    texts = contents.texts.get(documents[0], {}) if len(documents) == 1 else {}
    titles, _ = LanguageChoice(language.wanted).choose(texts, words.title)
    version = next((sorted(texts[key])[0].text for key in words.version if texts.get(key)), "")
    return About(
        titles[0] if titles else source.name,
        source.path.name,
        version,
        {reason: count for reason, count in left_out.items() if count},
    )


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
        texts = contents.texts.get(concept, {})
        for notation in (text for key in words.notation for text in texts.get(key, ())):
            if notation.text.strip():
                yield notation.text.strip(), identifier


def _choose_labels(
    texts: Mapping[str, list[LanguageText]],
    words: Vocabulary,
    language: LanguageChoice,
    options: RdfOptions,
    left_out: Counter[str],
) -> tuple[str, ...]:
    """The preferred label and the synonyms in the languages that were asked for."""
    wider = words.wider_synonyms if options.synonyms == "all" else ()
    names, other_names = language.choose(texts, words.preferred)
    synonyms, other_synonyms = language.choose(texts, (*words.synonyms, *wider), needs_one=False)
    left_out["names in other languages"] += other_names + other_synonyms
    if not wider:
        left_out["synonyms that are not exact"] += sum(
            len(texts.get(key, ())) for key in words.wider_synonyms
        )
    return tuple(dict.fromkeys(names + synonyms))
