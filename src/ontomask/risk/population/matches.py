"""Which people of a population match a released class: by is-a links, equal numbers, empty cells.

A person matches a released concept if their own value is that concept or below it, a released
number if it is theirs, and an empty cell in any case. A missing or unknown value of the population
matches an empty cell only, so people are never counted twice as safe.

Classes and population are compared as two tries, column by column: only prefixes that match are
followed, so the work is that of the matches, not that of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.shared import ancestor_lists
from ontomask.microdata.attributes import MISSING, Attribute, NominalAttribute, NumericalAttribute
from ontomask.microdata.tuples import Transitions
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["PopulationColumn", "PopulationTable", "count_matches", "is_generalisation"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: The number of an empty cell among the released values of a column.
EMPTY = 0

#: How many pairs are followed at once.
MOST_PAIRS = 4_000_000


@dataclass(frozen=True, eq=False)
class PopulationColumn:
    """The distinct values of a column: concepts of a taxonomy, or numbers without one."""

    values: Sequence[Concept] | Floats
    taxonomy: Taxonomy | None = None


@dataclass(frozen=True, eq=False)
class PopulationTable:
    """The distinct combinations of values of a population, with counts.

    ``codes`` has a row per column: the place of each combination's value, -1 for a missing one or
    one that the taxonomy does not contain. ``unmapped`` is how many records have such a one.
    ``people`` is the person of each row, -1 for an unknown one; without it, every record is another
    person. A person may have several rows.
    """

    columns: Sequence[PopulationColumn]
    codes: Longs
    counts: Longs
    unmapped: int = 0
    people: Longs | None = None

    @property
    def size(self) -> int:
        """The number of people; records of unknown people add nobody."""
        if self.people is None:
            return int(self.counts.sum())
        return len(np.unique(self.people[self.people >= 0]))


def is_generalisation(plan: Transitions, columns: Sequence[PopulationColumn]) -> bool:
    """Whether every masked value contains its original value, so that people can match it."""
    for j, (attribute, column) in enumerate(zip(plan.tuples.attributes, columns, strict=True)):
        values, released = _released_values(attribute, plan.targets[:, j])
        holders = _Holders.find(_own_column(attribute, column.taxonomy), values)
        originals = plan.tuples.codes[j].astype(np.int64)[plan.source]
        wanted = np.unique(originals * holders.size + released[plan.target])
        if not np.isin(wanted, holders.keys).all():
            return False
    return True


def count_matches(
    attributes: Sequence[Attribute], targets: Floats, table: PopulationTable
) -> tuple[Longs, int]:
    """How many people match each row of targets, and how many match none.

    A person with several rows matches once, by any of them.
    """
    classes, people = _Trie(len(targets)), _Trie(len(table.counts))
    holders = []
    for j, (attribute, column) in enumerate(zip(attributes, table.columns, strict=True)):
        values, released = _released_values(attribute, targets[:, j])
        holders.append(_Holders.find(column, values))
        classes.add(released, holders[-1].size)
        people.add(table.codes[j] % (len(column.values) + 1), len(column.values) + 1)
    weight, several = _people_of_nodes(people, table)
    found, is_matched = np.zeros(classes.leaves), np.zeros(people.leaves, dtype=bool)
    matches_of_several: list[Longs] = []

    def follow(level: int, class_node: Longs, person_node: Longs) -> None:
        if level == len(holders):
            np.add.at(found, class_node, weight[person_node])
            is_matched[person_node] = True
            matches_of_several.append(several.match(class_node, person_node))
            return
        work = people.work(level, holders[level])[person_node]
        for pairs in _cut(work):
            follow(
                level + 1,
                *_step(
                    level, classes, people, holders[level], class_node[pairs], person_node[pairs]
                ),
            )

    root = np.zeros(min(classes.leaves, 1), dtype=np.int64)
    follow(0, root, root)
    found += several.count_classes(matches_of_several, classes.leaves)
    unmatched = int(weight[~is_matched].sum()) + several.count_unmatched(is_matched)
    return found[classes.node].astype(np.int64), unmatched


@dataclass(frozen=True, eq=False)
class _SeveralRows:
    """The people with several different combinations of values: those of each node, end to end."""

    start: Longs
    person: Longs
    node: Longs
    size: int

    def match(self, class_node: Longs, person_node: Longs) -> Longs:
        """The different pairs of a class and a person among pairs of nodes, as one number each."""
        pair, at = _expand(self.start[person_node], self.start[person_node + 1])
        return np.unique(class_node[pair] * self.size + self.person[at])

    def count_classes(self, pairs: list[Longs], classes: int) -> Longs:
        """How many of these people match each class."""
        different = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, dtype=np.int64)
        return np.bincount(different // self.size, minlength=classes)

    def count_unmatched(self, is_matched: NDArray[np.bool_]) -> int:
        """How many of these people have no node that matches."""
        matched = np.unique(self.person[is_matched[self.node]])
        return len(np.unique(self.person)) - len(matched)


def _people_of_nodes(trie: _Trie, table: PopulationTable) -> tuple[Floats, _SeveralRows]:
    """How many people with one combination of values each node has, and those with several."""
    if table.people is None:
        node, person, size = trie.node[:0], trie.node[:0], 1
        weight = np.bincount(trie.node, weights=table.counts, minlength=trie.leaves)
    else:
        is_known, size = table.people >= 0, int(table.people.max(initial=0)) + 1
        node, person = np.divmod(
            np.unique(trie.node[is_known] * size + table.people[is_known]), size
        )
        is_single = np.bincount(person, minlength=size)[person] == 1
        weight = np.bincount(node[is_single], minlength=trie.leaves)
        node, person = node[~is_single], person[~is_single]
    start = np.searchsorted(node, np.arange(trie.leaves + 1))
    return weight.astype(np.float64), _SeveralRows(start, person, node, size)


# ---------------------------------------------------------------------- values that contain others


def _released_values(
    attribute: Attribute, targets: Floats
) -> tuple[list[Concept] | list[float], Longs]:
    """The distinct released values of a column, and the number of each target's; 0 is empty."""
    empty = ~np.isfinite(targets)
    if isinstance(attribute, NominalAttribute):
        candidates = attribute.candidates
        if candidates[-1] == MISSING:
            empty = empty | (targets == len(candidates) - 1)
        places, number = np.unique(targets[~empty].astype(np.int64), return_inverse=True)
        values: list[Concept] | list[float] = [candidates[place] for place in places.tolist()]
    else:
        rounded, number = np.unique(attribute.round_targets(targets[~empty]), return_inverse=True)
        values = rounded.tolist()
    released = np.full(len(targets), EMPTY, dtype=np.int64)
    released[~empty] = number + 1
    return values, released


def _own_column(attribute: Attribute, taxonomy: Taxonomy | None) -> PopulationColumn:
    """The values of an attribute as those of a population; its missing value is the one at -1."""
    if isinstance(attribute, NominalAttribute):
        return PopulationColumn(attribute.values, taxonomy)
    assert isinstance(attribute, NumericalAttribute)
    return PopulationColumn(attribute.known_numbers)


@dataclass(frozen=True, eq=False)
class _Holders:
    """The released values that contain each value of a population, laid end to end.

    ``keys`` are pairs of both as one number. The last value is a missing one.
    """

    start: Longs
    released: Longs
    keys: Longs
    size: int

    @classmethod
    def find(cls, column: PopulationColumn, released: list[Concept] | list[float]) -> _Holders:
        many, size = len(column.values), len(released) + 1
        value, holder = (
            _concept_holders(column.taxonomy, column.values, released)
            if column.taxonomy is not None
            else _equal_numbers(np.asarray(column.values, dtype=np.float64), released)
        )
        every = np.arange(many + 1)
        keys = np.sort(np.concatenate([value * size + holder, every * size + EMPTY]))
        start = np.searchsorted(keys, np.arange(many + 2) * size)
        return cls(start, keys % size, keys, size)


def _concept_holders(
    taxonomy: Taxonomy, values: Sequence[Concept] | Floats, released: Sequence[Concept | float]
) -> tuple[Longs, Longs]:
    number = np.zeros(len(taxonomy), dtype=np.int64)
    number[taxonomy.codes([str(concept) for concept in released])] = np.arange(len(released)) + 1
    if not len(values):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    start, ancestors, _ = ancestor_lists(taxonomy, taxonomy.codes([str(v) for v in values]))
    value, holder = np.repeat(np.arange(len(values)), np.diff(start)), number[ancestors]
    return value[holder > 0], holder[holder > 0]


def _equal_numbers(values: Floats, released: Sequence[Concept | float]) -> tuple[Longs, Longs]:
    numbers = np.asarray(released, dtype=np.float64)
    place = np.searchsorted(numbers, values)
    is_there = np.append(numbers, np.inf)[place] == values
    return np.flatnonzero(is_there), place[is_there] + 1


# ---------------------------------------------------------------------- two tries


class _Trie:
    """Rows as paths of values: at each level, the sorted keys of the nodes below each node.

    A key is the parent times the number of values, plus the value; a node is the place of its key.
    """

    def __init__(self, rows: int) -> None:
        self.node: Longs = np.zeros(rows, dtype=np.int64)
        self.keys: list[Longs] = []
        self.sizes: list[int] = []
        self.leaves = 1 if rows else 0

    def add(self, values: Longs, size: int) -> None:
        """Add a level: the value of each row, of ``size`` possible ones."""
        keys, self.node = np.unique(self.node * size + values, return_inverse=True)
        self.keys.append(keys)
        self.sizes.append(size)
        self.leaves = len(keys)

    def children(self, level: int, nodes: Longs) -> tuple[Longs, Longs]:
        """Where the nodes below some nodes begin and end."""
        keys, size = self.keys[level], self.sizes[level]
        return np.searchsorted(keys, nodes * size), np.searchsorted(keys, (nodes + 1) * size)

    def work(self, level: int, holders: _Holders) -> Longs:
        """How many pairs each node of a level gives: those of its children with their holders."""
        many = np.diff(holders.start)[self.keys[level] % self.sizes[level]]
        until = np.append(0, np.cumsum(many))
        nodes = len(self.keys[level - 1]) if level else 1
        begin, end = self.children(level, np.arange(nodes))
        return np.asarray(until[end] - until[begin])


def _step(
    level: int,
    classes: _Trie,
    people: _Trie,
    holders: _Holders,
    class_node: Longs,
    person_node: Longs,
) -> tuple[Longs, Longs]:
    """From pairs of nodes that match to the pairs of their children that match."""
    pair, person = _expand(*people.children(level, person_node))
    value = people.keys[level][person] % people.sizes[level]
    again, at = _expand(holders.start[value], holders.start[value + 1])
    keys, wanted = classes.keys[level], class_node[pair[again]] * holders.size
    wanted = wanted + holders.released[at]
    place = np.searchsorted(keys, wanted)
    is_there = np.append(keys, -1)[place] == wanted
    return place[is_there], person[again[is_there]]


def _expand(begin: Longs, end: Longs) -> tuple[Longs, Longs]:
    """Ranges laid end to end: which range each number belongs to, and the numbers."""
    many = end - begin
    which = np.repeat(np.arange(len(many)), many)
    before = np.cumsum(many) - many
    return which, np.arange(len(which)) - before[which] + begin[which]


def _cut(work: Longs) -> list[slice]:
    """Cut pairs into runs that give about :data:`MOST_PAIRS` pairs each, one pair at least."""
    part = (np.cumsum(work) - work) // MOST_PAIRS
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(work)]
    return [slice(begin, end) for begin, end in pairwise(edges) if end > begin]
