r"""Words that mean the same in the names of a taxonomy: kidney and renal, innermost and proximal.

They are learned from the concepts with several names, as a translation model is learned from two
languages (Brown et al. 1993, model 1): the label of a concept is translated into each synonym, and
each synonym into the label. The probability :math:`t(w' \mid w)` that a word :math:`w` is
translated by :math:`w'` is found by expectation maximisation:

.. math:: t(w' \mid w) \propto
          \sum_{(n, n')} \frac{t(w' \mid w)}{\sum_{v \in n} t(w' \mid v)}, \quad w \in n, w' \in n'
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["learn_translations"]

#: The most pairs of names that are learned from.
MOST_PAIRS = 200_000
#: The most words of a name that count.
MOST_WORDS = 12
STEPS = 5
#: Translations that are less probable, or occur less often, are left out.
LEAST_PROBABILITY, LEAST_COUNT = 0.05, 0.5

Ints = NDArray[np.int64]


def learn_translations(names: Sequence[Sequence[Sequence[int]]], words: int) -> Any:
    """The probabilities that a word (row) is translated by another word (column).

    Args:
        names: For each concept its names, the label first, as numbers of words.
        words: The number of words.

    Returns:
        A sparse matrix. A word is no translation of itself.
    """
    from scipy.sparse import csr_array

    both_ways = (
        ((label, synonym), (synonym, label))
        for label, *synonyms in (
            [name[:MOST_WORDS] for name in several] for several in names if several
        )
        for synonym in synonyms
    )
    pairs = list(islice(chain.from_iterable(both_ways), MOST_PAIRS))
    if not pairs:
        return csr_array((words, words), dtype=np.float64)
    source, target, token = _align_words(pairs)
    links, link = np.unique(source * words + target, return_inverse=True)
    sources, targets = np.divmod(links, words)
    probability: NDArray[np.float64] = np.ones(len(links))
    counts = probability
    for _ in range(STEPS):
        share = probability[link]
        share /= np.bincount(token, share)[token]
        counts = np.bincount(link, share, minlength=len(links)).astype(np.float64)
        probability = counts / np.bincount(sources, counts, minlength=words)[sources]
    kept = (sources != targets) & (probability >= LEAST_PROBABILITY) & (counts >= LEAST_COUNT)
    return csr_array((probability[kept], (sources[kept], targets[kept])), shape=(words, words))


def _align_words(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
) -> tuple[Ints, Ints, Ints]:
    """Every word of the first name of a pair with every word of the second, and which word this is.

    Words of second names are numbered over all pairs.
    """
    sizes = np.array([(len(first), len(second)) for first, second in pairs], dtype=np.int64)
    first_words = np.array([word for first, _ in pairs for word in first], dtype=np.int64)
    second_words = np.array([word for _, second in pairs for word in second], dtype=np.int64)
    pair_of_token = np.repeat(np.arange(len(pairs)), sizes[:, 1])
    repeats = sizes[pair_of_token, 0]
    token = np.repeat(np.arange(len(second_words)), repeats)
    start = np.cumsum(sizes[:, 0]) - sizes[:, 0]
    place = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    source = first_words[start[pair_of_token[token]] + place]
    return source, second_words[token], token
