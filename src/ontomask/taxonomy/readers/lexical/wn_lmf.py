"""WN-LMF, the XML of the Global WordNet Association, in which most wordnets are published.

::

    <Lexicon id="garden" label="Garden words" language="en" version="1.0">
      <LexicalEntry id="garden-rose-n">
        <Lemma writtenForm="rose" partOfSpeech="n"/>
        <Sense id="garden-rose-n-1" synset="garden-0002-n"/>
      </LexicalEntry>
      <Synset id="garden-0002-n" ili="i103423" partOfSpeech="n">
        <SynsetRelation relType="hypernym" target="garden-0001-n"/>
      </Synset>
    </Lexicon>

Nouns are read, or another part of speech (``pos="v"``), with what they are kinds and instances of.
Words come in the order that the synset gives its ``members``. The index of a synset in other
wordnets (``ili``) is an alias.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from ontomask.errors import ParameterError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_elements import XmlElement, read_elements, root_name
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.word_forms import language_code

__all__ = ["looks_like", "read"]

POS = {"n": "nouns", "v": "verbs", "a": "adjectives", "r": "adverbs", "s": "adjectives"}
UP, DOWN = ("hypernym", "instance_hypernym"), ("hyponym", "instance_hyponym")
_LEXICON = re.compile(r"<Lexicon\s[^>]*>")
_VERSION = re.compile(r"\sversion\s*=\s*[\"']([^\"']*)")
_LANGUAGE = re.compile(r"\slanguage\s*=\s*[\"']([^\"']*)")
_LABEL = re.compile(r"\slabel\s*=\s*[\"']([^\"']*)")


def looks_like(source: Source) -> bool:
    """XML whose first element is ``LexicalResource``."""
    return root_name(source) == "LexicalResource"


def read(source: Source, *, pos: str = "n") -> Taxonomy:
    """Read one part of speech of a wordnet."""
    if pos not in POS:
        raise ParameterError(f"pos must be {', '.join(map(repr, POS))}, got {pos!r}")
    words: dict[str, dict[str, str]] = defaultdict(dict)  # of each synset, by entry or sense
    synsets: dict[str, XmlElement] = {}
    left_out: Counter[str] = Counter()
    for element in read_elements(source, ("LexicalEntry", "Synset")):
        if element.tag == "LexicalEntry":
            _add_words(words, element)
        elif element.get("partOfSpeech") != pos:
            left_out["synsets of other parts of speech"] += 1
        else:
            identifier = element.get("id", "")
            if not identifier or identifier in synsets:
                raise source.error(
                    f"the synset {identifier!r} occurs twice"
                    if identifier
                    else "no id of a Synset",
                    "download the file again",
                    line=element.line,
                )
            synsets[identifier] = element
    if not synsets:
        raise source.error(f"the file has no {POS[pos]}", 'choose another pos, such as pos="v"')
    edges = _links(synsets, left_out)
    labels = {
        identifier: _words_in_order(words.get(identifier, {}), element)
        for identifier, element in synsets.items()
    }
    ili = ((element.get("ili", ""), identifier) for identifier, element in synsets.items())
    aliases, unclear = certain_aliases((pair for pair in ili if pair[0] not in ("", "in")), labels)
    left_out["ambiguous aliases"] = unclear
    lexicon = _LEXICON.search(source.head_text)
    label, version, tag = (
        match[1] if lexicon and (match := pattern.search(lexicon[0])) else ""
        for pattern in (_LABEL, _VERSION, _LANGUAGE)
    )
    code = language_code(tag)
    return Taxonomy.from_edges(
        [*((identifier, None) for identifier in labels), *edges],
        labels,
        aliases=aliases,
        about=About(
            label or source.name,
            source.file_name,
            version,
            left_out={reason: count for reason, count in left_out.items() if count},
            languages=(code,) if code else (),
        ),
    )


def _add_words(words: dict[str, dict[str, str]], entry: XmlElement) -> None:
    lemma = entry.first("Lemma")
    text = (
        " ".join(lemma.get("writtenForm", "").replace("_", " ").split())
        if lemma is not None
        else ""
    )
    for sense in entry.all("Sense"):
        of_one = words[sense.get("synset", "")]
        of_one[entry.get("id", text)] = of_one[sense.get("id", text)] = text


def _words_in_order(words: dict[str, str], synset: XmlElement) -> list[str]:
    members = [words[one] for one in synset.get("members", "").split() if one in words]
    return [word for word in dict.fromkeys([*members, *words.values()]) if word]


def _links(synsets: dict[str, XmlElement], left_out: Counter[str]) -> dict[tuple[str, str], None]:
    links: dict[tuple[str, str], None] = {}
    for identifier, element in synsets.items():
        for relation in element.all("SynsetRelation"):
            kind, target = relation.get("relType", ""), relation.get("target", "")
            if kind in UP or kind in DOWN:
                if target in synsets:
                    links[(identifier, target) if kind in UP else (target, identifier)] = None
                else:
                    left_out["links to synsets that are not read"] += 1
    return links
