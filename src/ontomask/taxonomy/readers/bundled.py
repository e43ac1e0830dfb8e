"""The taxonomies that come with the package; ``bundled/README.md`` says where they are from."""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from ontomask.taxonomy.about import About
from ontomask.taxonomy.code_repair import ICD9_DIAGNOSES, ICD9_PROCEDURES, CodeStyle
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = [
    "BUNDLED",
    "KNOWN_TAXONOMIES",
    "TAXONOMIES_IN_WORDS",
    "WITH_EXTRA",
    "is_published",
    "read",
]

BUNDLED = ("icd9cm", "icd9cm-procedures", "wordnet")
#: Those of other packages, each with the extra that installs it.
WITH_EXTRA = {"icd10cm": "icd10"}
KNOWN_TAXONOMIES = (*BUNDLED, *WITH_EXTRA)
#: All of them in words, for messages.
TAXONOMIES_IN_WORDS = ", ".join(
    [
        *(repr(name) for name in BUNDLED),
        *(f"and {name!r} with the extra {extra}" for name, extra in WITH_EXTRA.items()),
    ]
)


@cache  # a taxonomy never changes, so everybody may hold the same one
def read(name: str) -> Taxonomy:
    """One of :data:`KNOWN_TAXONOMIES`."""
    if name == "icd9cm":
        return _read_icd9(name, "ICD-9-CM diagnoses, CMS/NCHS", ICD9_DIAGNOSES)
    if name == "icd9cm-procedures":
        return _read_icd9(name, "ICD-9-CM procedures, CMS", ICD9_PROCEDURES)
    if name == "icd10cm":
        from ontomask.taxonomy.readers.clinical import (
            icd10cm,
        )  # another package, only where it is asked for

        return icd10cm.read()
    return _read_wordnet()


def is_published(taxonomy: Taxonomy) -> bool:
    """Whether everybody can have this taxonomy: it comes with this package or an extra of it."""
    return taxonomy.name in KNOWN_TAXONOMIES and taxonomy is read(taxonomy.name)


def _read_rows(name: str) -> list[list[str]]:
    packed = files("ontomask.taxonomy").joinpath("bundled", f"{name}.tsv.gz").read_bytes()
    lines = gzip.decompress(packed).decode("utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]  # no quoting in these


def _read_icd9(name: str, source: str, code_style: CodeStyle) -> Taxonomy:
    codes, parents, labels, _ = zip(*_read_rows(name), strict=True)
    number = {code: place for place, code in enumerate(codes)}
    links = [(place, number[parent]) for place, parent in enumerate(parents) if parent]
    child, parent = np.array(links).T
    return Taxonomy.from_numbers(
        codes,
        child,
        parent,
        [(label,) if label else () for label in labels],
        about=About(
            name,
            source,
            "version 32, fiscal year 2015",
            code_style=code_style,
            languages=("en",),
        ),
    )


def _read_wordnet() -> Taxonomy:
    """Nouns under names like ``person.n.01``: first lemma, noun, the lemma's sense."""
    offsets, hypernyms, instances, lemmas = zip(*_read_rows("wordnet"), strict=True)
    number = {offset: place for place, offset in enumerate(offsets)}
    links = [
        (place, number[parent])
        for above in (hypernyms, instances)
        for place, parents in enumerate(above)
        if parents
        for parent in parents.split(",")
    ]
    child, parent = np.array(links).T
    first = [words.partition("|")[0].lower().rpartition("#") for words in lemmas]
    # All labels in one go: drop the sense of each lemma, and write spaces for underscores.
    label_texts = re.sub(r"#\d+", "", "\n".join(lemmas)).replace("_", " ").split("\n")
    identifiers = [f"{word}.n.{sense:0>2}" for word, _, sense in first]
    return Taxonomy.from_numbers(
        identifiers,
        child,
        parent,
        [tuple(words.split("|")) for words in label_texts],
        number,
        about=About(
            "wordnet",
            "WordNet nouns, Princeton University",
            "3.0",
            languages=("en",),
            sense_order=_order_senses(identifiers, lemmas),
        ),
    )


def _order_senses(identifiers: Sequence[str], lemmas: Sequence[str]) -> dict[str, list[str]]:
    """The concepts of each word with several senses, from lemmas such as ``sport#2|play#9``."""
    numbered: dict[str, list[tuple[int, str]]] = {}
    for identifier, words in zip(identifiers, lemmas, strict=True):
        for word in words.lower().replace("_", " ").split("|"):
            name, _, number = word.rpartition("#")
            numbered.setdefault(name, []).append((int(number), identifier))
    return {
        name: [identifier for _, identifier in sorted(set(senses))]
        for name, senses in numbered.items()
        if len(set(senses)) > 1
    }
