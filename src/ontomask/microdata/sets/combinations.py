"""Combinations of a few concepts that too few records show: k^m-anonymity, counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.sets.concept_sets import ConceptSets

__all__ = ["CombinationCounts", "count_combinations", "count_combinations_of"]

Longs = NDArray[np.int64]

#: Combinations that are sorted at a time.
AT_A_TIME = 20_000_000


class CombinationCounts(NamedTuple):
    """Combinations of concepts of one size.

    Attributes:
        size: How many concepts each has.
        shown: How many different ones there are.
        rare: How many of these fewer than k records show.
        fewest: The records that show the rarest one; 0 if there is none.
    """

    size: int
    shown: int
    rare: int
    fewest: int


def count_combinations(
    sets: ConceptSets, counts: Longs, k: int, m: int = 2, people: Longs | None = None
) -> list[CombinationCounts]:
    """Count the combinations of 1 to m concepts in sets, and those that fewer than k records show.

    The sets are k^m-anonymous if none is rare. Give the sets as released: the deepest concepts.

    Args:
        sets: Sets of concepts.
        counts: How many records, or people, have each of them.
        k: The least number of records.
        m: The most concepts that an attacker knows.
        people: The person of each set, -1 if unknown; each counts once then instead of records.

    >>> sets = ConceptSets.from_lists([[1, 2], [1, 2], [1, 3]])
    >>> count_combinations(sets, np.ones(3, dtype=np.int64), 2)
    [CombinationCounts(size=1, shown=3, rare=1, fewest=1),
     CombinationCounts(size=2, shown=2, rare=1, fewest=1)]
    """
    if people is not None:
        counts = (people >= 0).astype(np.int64)
    return [count_combinations_of(sets, counts, k, size, people) for size in range(1, m + 1)]


def count_combinations_of(
    sets: ConceptSets, counts: Longs, k: int, size: int, people: Longs | None = None
) -> CombinationCounts:
    """Count the combinations of one size, as :func:`count_combinations` does.

    Args:
        sets: As there.
        counts: As there.
        k: As there.
        size: How many concepts a combination has, at most 3.
        people: For each set whose it is, -1 for somebody else each time; of several sets of a
            person with a combination, one counts.
    """
    shown, rare, fewest = 0, 0, 0
    for keys, records in _counted_parts(sets, counts, size, people):
        shown += len(keys)
        rare += int((records < k).sum())
        if len(records):
            fewest = min(fewest or int(records.min()), int(records.min()))
    return CombinationCounts(size, shown, rare, fewest)


def _counted_parts(
    sets: ConceptSets, counts: Longs, size: int, people: Longs | None
) -> Iterator[tuple[Longs, Longs]]:
    """Each combination once, with its records, as many at a time as can be sorted."""
    used, number = np.unique(sets.concepts, return_inverse=True)
    base = len(used)
    if base**size >= 2**63:
        raise ParameterError(
            f"{base:,} different values are too many to count combinations of {size} of them",
            "choose a smaller m",
        )
    lengths, concepts = sets.sizes(), number.ravel().astype(np.int64)
    parts = sum(comb(length, size) for length in lengths.tolist()) // AT_A_TIME + 1
    for part in range(parts):
        keys, owners = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for length in np.unique(lengths[lengths >= size]).tolist():
            places = np.flatnonzero(lengths == length)
            table = concepts[sets.offsets[places][:, None] + np.arange(length)]
            for chosen in combinations(range(length), size):
                mine = table[:, chosen[0]] % parts == part
                key = np.zeros(int(mine.sum()), dtype=np.int64)
                for column in chosen:
                    key = key * base + table[mine, column]
                keys.append(key)
                owners.append(places[mine])
        yield _count_keys(np.concatenate(keys), np.concatenate(owners), counts, people)


def _count_keys(
    keys: Longs, owners: Longs, counts: Longs, people: Longs | None
) -> tuple[Longs, Longs]:
    """The distinct keys, and the records of the sets that have each."""
    if people is None:
        order = np.argsort(keys, kind="stable")
    else:
        order = np.lexsort((people[owners], keys))
    keys, owners = keys[order], owners[order]
    is_new = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
    records = counts[owners]
    if people is not None:
        who = people[owners]
        again = np.append(False, (who[1:] == who[:-1]) & (who[1:] >= 0))[: len(keys)]
        records = np.where(again & ~is_new, 0, records)
    first = np.flatnonzero(is_new)
    return keys[first], np.add.reduceat(records, first) if len(first) else records
