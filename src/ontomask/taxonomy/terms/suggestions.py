r"""Suggest concepts for values without one, by the letters and words of the names.

Every name of a concept is a vector of its letter trigrams and words, weighted by tf-idf. To the
words of a value, those are added that mean the same in the names of the taxonomy
(:mod:`~ontomask.taxonomy.terms.word_translations`). The names with the highest cosine to a value
are compared with it letter by letter, also with their words in alphabetical order. The score is

.. math:: s = \frac{1}{2} \cos(v, n) + \frac{1}{2} \max(r(v, n), r(v', n'))

where :math:`r` is the normalised InDel similarity of two spellings, and :math:`v'`, :math:`n'` have
their words in order. It is 1 for equal names and 0 for names with nothing in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.terms.word_translations import learn_translations
from ontomask.taxonomy.word_forms import fold_name, fold_singular

__all__ = ["Suggestion", "is_spelt_alike", "make_suggestion", "rank_concepts"]

#: Number of columns for trigrams, which are hashed.
TRIGRAM_COLUMNS = 1 << 20
#: The share of words in a cosine; trigrams have the rest.
WORD_SHARE = 0.6
#: The share of the cosine in a score; the spelling has the rest.
COSINE_SHARE = 0.5
#: A value is looked up by its rarest features: those of the most names say the least.
MOST_FEATURES, MOST_NAMES_OF_FEATURE = 40, 6_000
#: The names that are compared letter by letter, for each suggestion wanted.
COMPARED_NAMES = 8
#: A score below this is not listed.
LEAST_SCORE = 0.25
#: How alike two spellings are for one to be proposed as meant.
PROPOSED_SIMILARITY = 0.8
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


def is_spelt_alike(value: str, name: str) -> bool:
    """Whether a value can be a name with a typing mistake."""
    from rapidfuzz.distance import Indel  # only where a suggestion is needed

    return Indel.normalized_similarity(fold_name(value), fold_name(name)) >= PROPOSED_SIMILARITY


class _NameVectors:
    """The names of a taxonomy as rows of a sparse matrix of features."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        from scipy.sparse import eye_array

        spellings = taxonomy.names.spellings
        self.plain = list(spellings)
        self.names = [name for name, _ in spellings.values()]
        self.codes = [codes for _, codes in spellings.values()]
        self.singular = fold_singular((*taxonomy.languages, "en")[0]) or fold_name
        self.words: dict[str, int] = {}
        numbers = {name: self._number_words(name, learn=True) for name in self.plain}
        trigrams, words = self._count_features(self.plain, list(numbers.values()))
        self.trigram_weight, self.word_weight = _weigh_features(trigrams), _weigh_features(words)
        word_lists = [
            [known for name in names if (known := numbers.get(fold_name(name)))]
            for names in taxonomy.label_lists
            if len(names) > 1
        ]
        translations = learn_translations(word_lists, len(self.words))
        self.meanings = (eye_array(len(self.words), format="csr") + translations).tocsr()
        by_name = self._join(trigrams, words)
        self.names_of_feature = np.bincount(by_name.indices, minlength=by_name.shape[1])
        self.by_feature = by_name.T.tocsr()

    def _number_words(self, plain: str, learn: bool = False) -> list[int]:
        """The numbers of the words of a folded name, each once; of the known ones, or of all."""
        words = dict.fromkeys(self.singular(plain).split())
        if learn:
            return [self.words.setdefault(word, len(self.words)) for word in words]
        return [self.words[word] for word in words if word in self.words]

    def _count_features(
        self, plain: Sequence[str], numbers: Sequence[Sequence[int]]
    ) -> tuple[Any, Any]:
        """A row for each folded name: its trigrams, and its words."""
        from scipy.sparse import csr_array

        rows, columns = _hash_trigrams(plain)
        ones = np.ones(len(rows), np.float32)
        trigrams = csr_array((ones, (rows, columns)), shape=(len(plain), TRIGRAM_COLUMNS))
        trigrams.sum_duplicates()
        start = np.cumsum([0, *map(len, numbers)])
        flat = np.array([word for name_words in numbers for word in name_words], dtype=np.int64)
        ones = np.ones(len(flat), np.float32)
        return trigrams, csr_array((ones, flat, start), shape=(len(plain), len(self.words)))

    def _join(self, trigrams: Any, words: Any, meanings: Any = None) -> Any:
        """Both kinds of features, weighted, in rows of length 1."""
        from scipy.sparse import hstack

        words = words * self.word_weight
        if meanings is not None:
            words = words @ meanings
        parts = [
            _normalise(trigrams * self.trigram_weight) * np.sqrt(1 - WORD_SHARE),
            _normalise(words) * np.sqrt(WORD_SHARE),
        ]
        return hstack(parts, format="csr")

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
        numbers = [self._number_words(name) for name in plain]
        vectors = self._join(*self._count_features(plain, numbers), self.meanings)
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
            score = COSINE_SHARE * min(cosine, 1.0) + (1 - COSINE_SHARE) * max(spelling, words)
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


def _mix(numbers: NDArray[np.uint64], columns: int) -> Ints:
    """Spread numbers over the columns."""
    mixed = numbers * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed ^ (mixed >> np.uint64(29))) >> np.uint64(7)).astype(np.int64) % columns


def _weigh_features(counts: Any) -> NDArray[np.float64]:
    """The weight of each feature: the logarithm of names by names that have it."""
    names_of_feature = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.log(1 + counts.shape[0] / np.maximum(names_of_feature, 1))


def _normalise(vectors: Any) -> Any:
    """Give every row the length 1."""
    vectors = vectors.tocsr()
    rows = np.repeat(np.arange(vectors.shape[0]), np.diff(vectors.indptr))
    lengths = np.sqrt(np.bincount(rows, vectors.data**2, minlength=vectors.shape[0]))
    vectors.data = vectors.data / np.maximum(lengths, 1e-9)[rows].astype(np.float32)
    return vectors
