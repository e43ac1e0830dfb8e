"""WordNet as Princeton publishes it: a folder with ``data.noun`` and ``index.noun``.

The nouns, with what they are kinds and what they are instances of (``@`` and ``@i``). A concept
is named as usual, ``person.n.01``: its first word, noun, and which sense of that word it is. The
senses are counted in ``index.noun``, so that file is needed too: counted in any other way, the
same name would be another concept. The eight-digit offset is an alias; it is compared as text and
never used as a place in the file, since copies with other line ends have other places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ontomask.taxonomy.about import About
from ontomask.taxonomy.graph import IntArray
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["files", "looks_like", "read"]

ENCODING = "latin-1"
LICENCE = "  "  # the lines of the licence begin with spaces, all others do not
_DATA_LINE = re.compile(r"^\d{8} \d\d n [0-9a-f]{2} \S", re.MULTILINE)
_VERSION = re.compile(r"WordNet (\d[\d.]*) Copyright")


def looks_like(source: Source) -> bool:
    """A folder with ``data.noun`` in it or in its ``dict``, or that file."""
    if source.is_folder:
        return bool(_find_files(source.files, "data.noun"))
    return _DATA_LINE.search(source.head_text) is not None


def read(source: Source) -> Taxonomy:
    """Read the nouns."""
    data, index = _noun_files(source)
    lines = list(_content_lines(data))
    senses = _read_senses(index)
    place: dict[str, int] = {}
    identifiers: dict[str, int] = {}
    labels: list[tuple[str, ...]] = []
    links: dict[tuple[int, str], int] = {}
    for line, text in lines:
        offset, words, parents = _parse_synset(data, line, text)
        if offset in place:
            raise data.error(f"the synset {offset} occurs twice", line=line)
        number = place.setdefault(offset, len(place))
        word = words[0].lower()
        sense = senses.get((word, offset))
        if sense is None:
            raise data.error(
                f"{words[0]!r} of synset {offset} is not in {index.file_name}",
                "the two files must be of the same edition",
                line=line,
            )
        identifiers[f"{word}.n.{sense:02}"] = number
        labels.append(tuple(word.replace("_", " ") for word in words))
        links.update(dict.fromkeys(((number, parent) for parent in parents), line))
    child, parent = _number_links(data, links, place, list(identifiers))
    version_match = _VERSION.search(data.head.decode(ENCODING))
    return Taxonomy.from_numbers(
        list(identifiers),
        child,
        parent,
        labels,
        place,
        about=About(
            "wordnet",
            source.path.name,
            version_match[1] if version_match else "",
            languages=("en",),
            sense_order=_order_senses(senses, place, list(identifiers)),
        ),
    )


def _order_senses(
    senses: dict[tuple[str, str], int], place: dict[str, int], identifiers: list[str]
) -> dict[str, list[str]]:
    """The concepts of each word with several senses; the index lists them in their order."""
    ordered: dict[str, list[str]] = {}
    for word, offset in senses:
        if offset in place:
            ordered.setdefault(word.replace("_", " "), []).append(identifiers[place[offset]])
    return {word: concepts for word, concepts in ordered.items() if len(concepts) > 1}


def files(source: Source) -> list[Path]:
    """The files of a folder that are read."""
    return [file.path for file in _noun_files(source)]


def _noun_files(source: Source) -> tuple[Source, Source]:
    """``data.noun`` and ``index.noun``."""
    data = next(iter(_find_files(source.files, "data.noun")), None) if source.is_folder else source
    if data is None:
        raise source.error("this folder has no file data.noun", "use the folder that contains it")
    beside = source.files if source.is_folder else _files_beside(data)
    index = [f for f in _find_files(beside, "index.noun") if f.place[:-1] == data.place[:-1]]
    if not index:
        raise data.error(
            "the file index.noun is missing in this folder",
            "put both files into one folder; index.noun has the numbers of the senses",
        )
    return data, index[0]


def _find_files(files: list[Source], name: str) -> list[Source]:
    """The files of this name, also with gzip, the highest first."""
    named = [file for file in files if file.file_name in (name, f"{name}.gz")]
    return sorted(named, key=lambda file: len(file.place))


def _files_beside(file: Source) -> list[Source]:
    paths = [file.path.with_name(name) for name in ("index.noun", "index.noun.gz")]
    return [Source(path, file.place) for path in paths if path.is_file()]


def _content_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a file after its licence, numbered."""
    for line, text in enumerate(source.text(ENCODING).split("\n"), start=1):
        if text.strip() and not text.removeprefix("\xef\xbb\xbf").startswith(LICENCE):
            yield line, text


def _read_senses(index: Source) -> dict[tuple[str, str], int]:
    """Which sense of a word a synset is.

    A line is: word, part of speech, number of synsets, other counts and signs, and at the end
    the synsets, the most frequent first.
    """
    words: set[str] = set()
    senses: dict[tuple[str, str], int] = {}
    for line, text in _content_lines(index):
        word, *rest = text.split(" ")
        offsets = [part for part in text.split()[4:] if len(part) == 8 and part.isdecimal()]
        if len(rest) < 5 or rest[0] != "n" or rest[1] != str(len(offsets)):
            raise index.error(
                "this is not a line of a WordNet index",
                "a line has a word, 'n', the number of its synsets and the synsets",
                line=line,
            )
        if word in words:
            raise index.error(f"{word!r} occurs twice", line=line)
        words.add(word)
        for sense, offset in enumerate(offsets, start=1):
            senses[word, offset] = sense
    return senses


def _parse_synset(data: Source, line: int, text: str) -> tuple[str, list[str], list[str]]:
    """Offset, words and parents.

    A line is: offset, file number, part of speech, number of words (hexadecimal), each word with
    a number, number of pointers, each pointer as sign, offset, part of speech and words; then a
    bar and the gloss.
    """
    try:
        offset, _, kind, count, *rest = text.partition(" | ")[0].split()
        end = 2 * int(count, 16)
        words, pointers = rest[:end:2], rest[end + 1 :]
        valid = (
            len(offset) == 8
            and offset.isdecimal()
            and kind == "n"
            and 0 < 2 * len(words) == end
            and len(pointers) == 4 * int(rest[end])
        )
    except (ValueError, IndexError):
        valid = False
    if not valid:
        raise data.error(
            "this is not a noun of a WordNet file",
            "a line has the offset, a file number, 'n', the words and the pointers",
            line=line,
        )
    signs = zip(pointers[::4], pointers[1::4], strict=True)
    return offset, words, [parent for sign, parent in signs if sign in ("@", "@i")]


def _number_links(
    data: Source, links: dict[tuple[int, str], int], place: dict[str, int], identifiers: list[str]
) -> tuple[IntArray, IntArray]:
    """Children and parents by number; a parent must be a synset of the file."""
    for (child, parent), line in links.items():
        if parent not in place:
            raise data.error(
                f"the parent {parent} of {identifiers[child]!r} is not in the file",
                "download the file again",
                line=line,
            )
    children = np.fromiter((child for child, _ in links), dtype=np.int64, count=len(links))
    parents = np.fromiter((place[parent] for _, parent in links), np.int64, count=len(links))
    return children, parents
