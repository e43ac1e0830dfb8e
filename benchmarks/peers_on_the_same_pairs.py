"""Other libraries for the same job, asked for the same pairs of WordNet's nouns."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import ontomask as om
from benchmarks._inputs import sample
from benchmarks._measuring import CannotRun, best_time, unit

PAIRS = 1_000
#: For the repetitions of one measurement: there are many.
SECONDS = 0.3

Pairs = list[tuple[Any, ...]]
Similarity = Callable[[Any, Any], float]
#: A function of two of the peer's own objects, and the pairs as such objects.
Peer = tuple[Similarity, Pairs]

#: What our measures are called elsewhere.
PEERS = {
    "wu_palmer": "nltk wup_similarity",
    "path": "nltk path_similarity",
    "sanchez": "nxontology batet",
    "lin": "nxontology lin",
    "resnik": "nxontology resnik_scaled",
}


def random_pairs(taxonomy: om.Taxonomy) -> Pairs:
    """Pairs of nouns, all different."""
    nouns = sample(taxonomy.identifiers, 2 * PAIRS)
    return list(zip(nouns[:PAIRS], nouns[PAIRS:], strict=True))


class PeersOnTheSamePairs:
    """How long does one distance take here, and how long in nltk and nxontology?

    1,000 pairs of random nouns. ``distance`` and ``distance matrix`` are ours, the latter a table
    of 2,000 nouns whose time is spread over the pairs of different ones. ``preparation`` is nltk
    reading its files, and nxontology being given our links. Both remember what they found out
    about a concept: the first pass over the pairs is slower than later ones. ``by`` is how many
    times as long a later pass takes as ours.

    Only the speed is compared: nltk's Wu-Palmer counts depths in another way, by which a noun is
    not always at similarity 1 from itself. The next class looks at the numbers.
    """

    param_names = ("measure",)
    params = (["wu_palmer", "path", "sanchez", "lin"],)

    def setup(self, measure: str) -> None:
        self.taxonomy = om.load_taxonomy("wordnet")
        self.pairs = random_pairs(self.taxonomy)
        self.nouns = [noun for pair in self.pairs for noun in pair]
        om.distance_matrix(self.taxonomy, self.nouns[:9], measure)  # compiles
        a, b = self.nouns[:2]
        om.distance(self.taxonomy, a, b, measure)  # some remember a little

    @unit("µs a pair")
    def track_distance_matrix(self, measure: str) -> float:
        table = partial(om.distance_matrix, self.taxonomy, self.nouns, measure)
        return best_time(table, SECONDS) * 1e6 / (len(self.nouns) * (len(self.nouns) - 1) / 2)

    @unit("µs a pair")
    def track_distance(self, measure: str) -> float:
        distance = partial(om.distance, self.taxonomy, measure=measure)
        return best_time(partial(ask, distance, self.pairs), SECONDS) * 1e6 / PAIRS

    @unit("s")
    def track_preparation_of_peer(self, measure: str) -> float:
        prepare = preparation(measure, self.taxonomy, self.pairs)
        begun = perf_counter()
        prepare()
        return perf_counter() - begun

    @unit("µs a pair")
    def track_first_pass_of_peer(self, measure: str) -> float:
        similarity, pairs = preparation(measure, self.taxonomy, self.pairs)()
        begun = perf_counter()
        ask(similarity, pairs)
        return (perf_counter() - begun) * 1e6 / PAIRS

    @unit("µs a pair")
    def track_later_pass_of_peer(self, measure: str) -> float:
        similarity, pairs = preparation(measure, self.taxonomy, self.pairs)()
        ask(similarity, pairs)
        return best_time(partial(ask, similarity, pairs), SECONDS) * 1e6 / PAIRS

    @unit("times")
    def track_later_pass_by_distance(self, measure: str) -> float:
        return self.track_later_pass_of_peer(measure) / self.track_distance(measure)

    @unit("times")
    def track_later_pass_by_distance_matrix(self, measure: str) -> float:
        return self.track_later_pass_of_peer(measure) / self.track_distance_matrix(measure)


class PeersSayTheSame:
    """Where a peer defines a measure as we do, are the numbers the same?

    ``path`` is nltk's number of links, scaled; ``sanchez`` is ``log2(2 - batet)``; ``lin`` and
    ``resnik`` are 1 less nxontology's, for which a leaf counts itself among the leaves below it,
    and here it does not (the paper is read either way): so ``lin`` differs for pairs with a leaf,
    and for no others. Differences near 1e-16 are rounding. nltk's Wu-Palmer is another measure.
    """

    param_names = ("measure",)
    params = (["path", "sanchez", "resnik", "lin", "lin, no leaves"],)

    def setup(self, which: str) -> None:
        self.taxonomy = om.load_taxonomy("wordnet")
        self.pairs = random_pairs(self.taxonomy)
        if which.endswith("no leaves"):
            self.pairs = [pair for pair in self.pairs if self.taxonomy.leaves.isdisjoint(pair)]

    @unit("at most")
    def track_difference(self, which: str) -> float:
        measure = which.partition(",")[0]
        similarity, theirs = preparation(measure, self.taxonomy, self.pairs)()
        similarities = np.array([similarity(a, b) for a, b in theirs])
        distances = 1 - similarities
        if measure == "sanchez":
            distances = np.log2(1 + distances)
        if measure == "path":
            distances = (1 / similarities - 1) / (2 * (self.taxonomy.height - 1))
        ours = np.array([om.distance(self.taxonomy, a, b, measure) for a, b in self.pairs])
        return float(np.abs(ours - distances).max())


def ask(function: Similarity, pairs: Pairs) -> None:
    """Go over the pairs once."""
    for a, b in pairs:
        function(a, b)


def preparation(measure: str, taxonomy: om.Taxonomy, pairs: Pairs) -> Callable[[], Peer]:
    """What makes the peer of a measure ready; all it needs is there."""
    library, similarity = PEERS[measure].split()
    if find_spec(library) is None:
        raise CannotRun(f"{library} is not installed")
    if library == "nxontology":
        return partial(_nxontology, taxonomy, pairs, similarity)
    return partial(_nltk, taxonomy, pairs, similarity, _copy_of_wordnet())


def _nxontology(taxonomy: om.Taxonomy, pairs: Pairs, similarity: str) -> Peer:
    from networkx import DiGraph
    from nxontology import NXOntology

    links = [(parent, child) for child in taxonomy for parent in taxonomy.parents(child)]
    graph: Any = NXOntology(DiGraph(links))
    graph.freeze()  # from now on it remembers what it finds out
    return lambda a, b: float(getattr(graph.similarity(a, b), similarity)), pairs


def _nltk(
    taxonomy: om.Taxonomy, pairs: Pairs, similarity: str, folder: TemporaryDirectory[str]
) -> Peer:
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError

    nltk.data.path.append(folder.name)  # it reads from folders it was told of, and no others
    without_other_languages = {"map_wn": lambda reader: None}  # their map needs more files
    english = type("English", (WordNetCorpusReader,), without_other_languages)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no other languages
        reader = english(folder.name, None)
    offsets = {concept: int(offset) for offset, concept in taxonomy.alias_items()}
    try:
        synsets = [
            tuple(reader.synset_from_pos_and_offset("n", offsets[noun]) for noun in pair)
            for pair in pairs
        ]
    except WordNetError:
        raise CannotRun("the WordNet folder holds another version than 3.0") from None
    return lambda a, b: float(getattr(a, similarity)(b)), synsets


def _copy_of_wordnet() -> TemporaryDirectory[str]:
    """WordNet's files as nltk wants them: with a list of names that Debian leaves out."""
    original = Path(os.environ.get("WNSEARCHDIR") or "/usr/share/wordnet")
    if not (original / "data.noun").exists():
        raise CannotRun(f"there is no WordNet in {original}; WNSEARCHDIR can name its folder")
    folder = TemporaryDirectory()
    shutil.copytree(original, folder.name, dirs_exist_ok=True)
    lexnames = Path(folder.name, "lexnames")
    if not lexnames.exists():  # any 45 names will do
        lexnames.write_text("".join(f"{n:02}\tfile{n:02}\t1\n" for n in range(45)))
    return folder
