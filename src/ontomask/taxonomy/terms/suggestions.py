r"""Suggest concepts for values without one, by the letters and words of the names.

Every name of a concept is a vector of its letter trigrams and words, weighted by tf-idf. The names
with the highest cosine to a value are compared with it more closely: letter by letter, and word by
word in any order. The score is

.. math:: s = \frac{1}{2} \cos(v, n) + \frac{1}{2} \max(r(v, n), r(v', n'))

where :math:`r` is the normalised InDel similarity of two spellings, and :math:`v'`, :math:`n'` have
their words in alphabetical order. It is 1 for equal names and 0 for names with nothing in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.word_forms import fold_name

__all__ = ["Suggestion", "make_suggestion", "rank_concepts"]

#: Number of columns for trigrams and for words; both are hashed.
TRIGRAM_COLUMNS, WORD_COLUMNS = 1 << 20, 1 << 19
#: A value is looked up by its rarest features: those of the most names say the least.
MOST_FEATURES, MOST_NAMES_OF_FEATURE = 24, 4_000
#: The names that are compared letter by letter, for each suggestion wanted.
COMPARED_NAMES = 6
#: A score below this is not listed.
LEAST_SCORE = 0.25
VALUES_AT_A_TIME = 500

Ints = NDArray[np.int64]


class Suggestion(NamedTuple):
    """A concept that a value may mean.

    Attributes:
        concept: Identifier of the concept.
        name: The name of it that is most like the value.
        label: Its preferred label.
        score: How much the name is like the value, from 0 to 1.
        path: The labels of its ancestors on one way from below the root to its parent.
    """

    concept: Concept
    name: str
    label: str
    score: float
    path: tuple[str, ...]


def make_suggestion(taxonomy: Taxonomy, concept: Concept, name: str, score: float) -> Suggestion:
    """A suggestion with its label and path."""
    path: list[str] = []
    parents = taxonomy.parents(concept)
    while parents and parents[0] != taxonomy.root:
        path.append(taxonomy.label(parents[0]))
        parents = taxonomy.parents(parents[0])
    label = taxonomy.label(concept)
    return Suggestion(concept, name, label, round(score, 3), tuple(reversed(path)))


def rank_concepts(
    values: Sequence[str], taxonomy: Taxonomy, most: int, below: frozenset[int] | None = None
) -> dict[str, list[Suggestion]]:
    """The concepts with the names that are most like each value, the best first.

    Args:
        values: The values.
        taxonomy: The taxonomy.
        most: The number of concepts for each value.
        below: The numbers of the concepts that may be suggested; None for all.

    Returns:
        For each value its suggestions; none if no name is like it.
    """
    if taxonomy not in _indexes:
        _indexes[taxonomy] = _NameVectors(taxonomy)
    suggest = cache(partial(_suggest, taxonomy))  # many values may mean the same concepts
    return {
        value: [
            suggest(code)._replace(name=name, score=round(score, 3)) for code, name, score in ranked
        ]
        for value, ranked in _indexes[taxonomy].rank(values, most, below)
    }


def _suggest(taxonomy: Taxonomy, code: int) -> Suggestion:
    return make_suggestion(taxonomy, taxonomy.identifiers[code], "", 0)


class _NameVectors:
    """The names of a taxonomy as rows of a sparse matrix of features."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        spellings = taxonomy.names.spellings
        self.plain = list(spellings)
        self.names = [name for name, _ in spellings.values()]
        self.codes = [codes for _, codes in spellings.values()]
        counts = _count_features(self.plain)
        names_of_feature = np.bincount(counts.indices, minlength=counts.shape[1])
        self.names_of_feature = names_of_feature
        self.weight = np.log(1 + len(self.plain) / np.maximum(names_of_feature, 1))
        self.by_feature = _normalise(_weigh(counts, self.weight)).T.tocsr()

    def rank(
        self, values: Sequence[str], most: int, below: frozenset[int] | None
    ) -> Iterable[tuple[str, list[tuple[int, str, float]]]]:
        """Code, name and score of the best concepts for each value."""
        for first in range(0, len(values), VALUES_AT_A_TIME):
            batch = values[first : first + VALUES_AT_A_TIME]
            plain = [fold_name(value) for value in batch]
            cosines = self._cosines(plain)
            for place, value in enumerate(batch):
                row = slice(cosines.indptr[place], cosines.indptr[place + 1])
                numbers, similar = cosines.indices[row], cosines.data[row]
                kept = _largest(similar, max(most, 5) * COMPARED_NAMES)
                yield value, self._compare(plain[place], numbers[kept], similar[kept], most, below)

    def _cosines(self, plain: Sequence[str]) -> Any:
        """The cosines between values and all names that share a feature with them."""
        vectors = _normalise(_weigh(_count_features(plain), self.weight))
        vectors.data[:] = np.where(self._is_selective(vectors), vectors.data, 0)
        vectors.eliminate_zeros()
        return vectors @ self.by_feature

    def _is_selective(self, vectors: Any) -> NDArray[np.bool_]:
        """Which entries are among the rarest features of their row."""
        frequency = self.names_of_feature[vectors.indices]
        rows = np.repeat(np.arange(vectors.shape[0]), np.diff(vectors.indptr))
        order = np.lexsort((frequency, rows))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - vectors.indptr[rows[order]]
        rare = (rank < MOST_FEATURES) & (frequency <= MOST_NAMES_OF_FEATURE)
        return (rare | (rank < 4)) & (frequency > 0)

    def _compare(
        self,
        plain: str,
        numbers: Ints,
        similar: NDArray[np.float64],
        most: int,
        below: frozenset[int] | None,
    ) -> list[tuple[int, str, float]]:
        from rapidfuzz.distance import Indel  # only where a suggestion is needed

        in_order = " ".join(sorted(plain.split()))
        best: dict[int, tuple[float, str]] = {}
        for number, cosine in zip(numbers.tolist(), similar.tolist(), strict=True):
            name = self.plain[number]
            spelling = Indel.normalized_similarity(plain, name)
            words = Indel.normalized_similarity(in_order, " ".join(sorted(name.split())))
            score = (min(cosine, 1.0) + max(spelling, words)) / 2
            for code in self.codes[number]:
                if score >= LEAST_SCORE and (below is None or code in below):
                    best[code] = max(best.get(code, (0.0, "")), (score, self.names[number]))
        ranked = sorted(best.items(), key=lambda entry: (-entry[1][0], entry[0]))[:most]
        return [(code, name, score) for code, (score, name) in ranked]


_indexes: WeakKeyDictionary[Taxonomy, _NameVectors] = WeakKeyDictionary()


def _largest(numbers: NDArray[np.float64], most: int) -> Ints:
    """The places of the largest numbers, in their order, ties by place."""
    if len(numbers) > most:
        least = np.partition(numbers, -most)[-most]
        places = np.flatnonzero(numbers >= least)
    else:
        places = np.arange(len(numbers))
    return places[np.argsort(-numbers[places], kind="stable")][:most]


def _count_features(plain: Sequence[str]) -> Any:
    """A row for each folded name: how often it has each trigram and each word."""
    from scipy.sparse import csr_array

    trigram_rows, trigrams = _hash_trigrams(plain)
    words = [word for name in plain for word in name.split()]
    word_rows = np.repeat(np.arange(len(plain)), [len(name.split()) for name in plain])
    columns = np.concatenate([trigrams, TRIGRAM_COLUMNS + _hash_words(words)])
    rows = np.concatenate([trigram_rows, word_rows])
    shape = (len(plain), TRIGRAM_COLUMNS + WORD_COLUMNS)
    counts = csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
    counts.sum_duplicates()
    return counts


def _hash_trigrams(plain: Sequence[str]) -> tuple[Ints, Ints]:
    """The row and the column of every three letters in a row, with spaces around each name."""
    text = "\n".join(f" {name} " for name in plain)
    letters = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    if len(letters) < 3:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    first, second, third = letters[:-2], letters[1:-1], letters[2:]
    inside = (first != 10) & (second != 10) & (third != 10)
    mixed = (first << np.uint64(42)) ^ (second << np.uint64(21)) ^ third
    rows = np.cumsum(letters == 10)[:-2][inside]
    return rows.astype(np.int64), _mix(mixed[inside], TRIGRAM_COLUMNS)


def _hash_words(words: Sequence[str]) -> Ints:
    from zlib import crc32

    hashes = np.fromiter((crc32(word.encode()) for word in words), np.uint64, count=len(words))
    return _mix(hashes, WORD_COLUMNS)


def _mix(numbers: NDArray[np.uint64], columns: int) -> Ints:
    """Spread numbers over the columns."""
    mixed = numbers * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed ^ (mixed >> np.uint64(29))) >> np.uint64(7)).astype(np.int64) % columns


def _weigh(counts: Any, weight: NDArray[np.float64]) -> Any:
    counts.data = counts.data * weight[counts.indices].astype(np.float32)
    return counts


def _normalise(vectors: Any) -> Any:
    """Give every row the length 1."""
    rows = np.repeat(np.arange(vectors.shape[0]), np.diff(vectors.indptr))
    lengths = np.sqrt(np.bincount(rows, vectors.data**2, minlength=vectors.shape[0]))
    vectors.data = vectors.data / np.maximum(lengths, 1e-9)[rows].astype(np.float32)
    return vectors
