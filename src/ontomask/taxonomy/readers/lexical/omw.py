"""Words of other languages for WordNet 3.0, from the files of the Open Multilingual WordNet.

A tab-separated table, ``wn-data-spa.tab``::

    # Garden words    spa    http://example.org    CC BY 4.0
    13104059-n    spa:lemma    árbol

or a file in WN-LMF whose synsets have the same offsets (``omw-es-13104059-n``). Nouns are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from ontomask.errors import ParameterError
from ontomask.taxonomy.readers.lexical import wn_lmf
from ontomask.taxonomy.readers.text.archives import find_source
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_elements import read_elements
from ontomask.taxonomy.taxonomy import Taxonomy
from ontomask.taxonomy.word_forms import language_code

__all__ = ["add_words"]

_OFFSET = re.compile(r"(?:^|-)(\d{8})-([nvars])$")
_LANGUAGE = re.compile(r"(?<![a-z])[a-z]{2,3}(?![a-z])")
_WORD_KIND = re.compile(r"(?:^|:)lemma$")
GAPS = frozenset(("GAP!", "PSEUDOGAP!"))


def add_words(
    taxonomy: Taxonomy, labels: str | PathLike[str] | Sequence[str | PathLike[str]]
) -> Taxonomy:
    """WordNet with the words of these files, before its own.

    A concept that has no word in the files keeps the names that it has.
    """
    paths = [labels] if isinstance(labels, str | PathLike) else list(labels)
    code_of = {
        alias: taxonomy.code(concept)
        for alias, concept in taxonomy.alias_items()
        if len(alias) == 8 and alias.isdecimal()
    }
    if not code_of:
        raise ParameterError(
            "labels can be added to WordNet 3.0, whose concepts have offsets",
            "load 'wordnet', or the folder of a WordNet with data.noun",
        )
    words: dict[int, dict[str, None]] = {}
    left_out = dict(taxonomy.about.left_out)
    for path in paths:
        source = find_source(Path(path))
        missing = 0
        count = 0
        for offset, word in _read_words(source):
            count += 1
            if offset in code_of:
                words.setdefault(code_of[offset], {})[word] = None
            else:
                missing += 1
        if count == missing:
            raise source.error(
                "the file has no word for a noun of WordNet 3.0",
                "use a file of the Open Multilingual WordNet, such as wn-data-spa.tab",
            )
        if missing:
            left_out[f"words of {source.file_name} for unknown synsets"] = missing
    return Taxonomy(
        taxonomy.identifiers,
        taxonomy.parent_links,
        [
            _names_with_words(names, words.get(code, {}))
            for code, names in enumerate(taxonomy.label_lists)
        ],
        {alias: taxonomy.code(concept) for alias, concept in taxonomy.alias_items()},
        replace(
            taxonomy.about,
            source=", ".join([taxonomy.about.source, *(Path(path).name for path in paths)]),
            left_out=left_out,
            languages=tuple(
                dict.fromkeys([*filter(None, map(_find_language, paths)), *taxonomy.languages])
            ),
        ),
        taxonomy.depths,
    )


def _find_language(path: str | PathLike[str]) -> str:
    """The language that the name of a file says, as ``wn-data-spa.tab`` does; or nothing."""
    tags = _LANGUAGE.findall(Path(path).name.lower())
    return next((code for tag in tags if (code := language_code(tag))), "")


def _names_with_words(names: tuple[str, ...], words: Mapping[str, None]) -> tuple[str, ...]:
    """The words first, except those that are a name already, such as ``Canis familiaris``."""
    if not words:
        return names
    known = {name.casefold() for name in names}
    return tuple(dict.fromkeys((*sorted(words, key=lambda w: w.casefold() in known), *names)))


def _read_words(source: Source) -> Iterator[tuple[str, str]]:
    """The offsets of nouns, each with a word."""
    reader = _words_of_lmf if wn_lmf.looks_like(source) else _words_of_table
    for synset, text in reader(source):
        match = _OFFSET.search(synset)
        word = " ".join(text.replace("_", " ").split())
        if match and match[2] == "n" and word and text not in GAPS:
            yield match[1], word


def _words_of_table(source: Source) -> Iterator[tuple[str, str]]:
    for line, text in enumerate(source.text().split("\n"), start=1):
        if not text.strip() or text.startswith("#"):
            continue
        cells = text.rstrip("\r").split("\t")
        if len(cells) < 3 or not _OFFSET.search(cells[0]):
            raise source.error(
                "this is not a line of an Open Multilingual WordNet",
                "a line has the synset, such as 13104059-n, lemma and the word, separated by tabs",
                line=line,
            )
        if _WORD_KIND.search(cells[1]):
            yield cells[0], cells[2]


def _words_of_lmf(source: Source) -> Iterator[tuple[str, str]]:
    for entry in read_elements(source, ("LexicalEntry",)):
        lemma = entry.first("Lemma")
        if lemma is not None:
            for sense in entry.all("Sense"):
                yield sense.get("synset", ""), lemma.get("writtenForm", "")
