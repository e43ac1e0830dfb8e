"""k^m-anonymity of sets by local recoding: lift and restore along the taxonomy.

k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008) is for attackers who know at most m concepts of
somebody. It is not k-anonymity: the whole set may still be unique.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.shared import MOST_ANCESTORS
from ontomask.errors import ParameterError
from ontomask.microdata.sets import ConceptSets
from ontomask.taxonomy.graph import Links

__all__ = ["recode_combinations"]

Bools = NDArray[np.bool_]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: How often all concepts are restored.
ROUNDS = 2
#: The places of a new hash table.
PLACES = 1 << 16


def recode_combinations(
    closures: ConceptSets,
    parents: Links,
    counts: Longs,
    k: int,
    m: int = 2,
    worth: Floats | None = None,
) -> ConceptSets:
    """Recode sets so that at least k records show every combination of at most m concepts.

    A set shows its deepest concepts. *Lift*: as long as fewer than k records show some combination,
    every set with such a combination gives up the concept that is in most of them, all at the same
    time; parents of it that do not follow from other concepts of the set are then shown instead.
    *Restore*: concept by concept, the shallow ones first, all sets that held a concept get it back,
    except those in which a combination would become rare, or that would leave a rare one behind.

    Several parents need no special care, because a closure without one of its deepest concepts is
    a closure. Several attributes are sets as well, if their concepts are numbered one after the
    other.

    Args:
        closures: The closures of distinct sets. Missing sets are given as empty ones.
        parents: The parents of each concept: ``taxonomy.parent_links``.
        counts: How many records, or people, have each set.
        k: The least number of records that show a combination which is shown at all.
        m: How many concepts an attacker knows at most: 1, 2 or 3.
        worth: What it is worth to keep each entry of the closures; None if all are worth the same.

    Returns:
        The closure that each set is left with; it is part of the original one.
    """
    from ontomask.methods.recoding import combination_kernels as kernels
    from ontomask.methods.recoding.combination_table import MOST_CONCEPTS

    _check_arguments(closures, parents, counts, k, m)
    # Too few records could ever show the others.
    possible = _held_by_enough(closures, parents, counts, k)
    used, local = np.unique(closures.concepts[possible], return_inverse=True)
    if len(used) > MOST_CONCEPTS:
        raise ParameterError(
            f"there must be at most {MOST_CONCEPTS:,} concepts in use, got {len(used):,}",
            "mask fewer columns together, or restrict their taxonomies with domain()",
        )
    owners = closures.owners()[possible]
    offsets = np.searchsorted(owners, np.arange(len(closures) + 1))
    start, links = _number_links(parents, used)
    above = _ancestor_links(start, links)
    sets = kernels.Lifted(
        offsets=offsets,
        concepts=local.astype(np.int32),
        kept=np.ones(len(local), dtype=np.bool_),
        worth=np.ones(len(local)) if worth is None else worth[possible],
        records=counts.astype(np.int64),
        parent_start=start,
        parents=links,
        above_start=above.start,
        above=above.items,
        covered=np.zeros(len(used), dtype=np.int8),
        most=max(int(np.diff(offsets).max(initial=0)), 1),
    )
    keys, held, many = _lift_until_none_is_rare(sets, k, m)
    holders = Links.from_pairs(sets.concepts, owners, len(used))
    shallow_first = np.argsort(above.sizes(), kind="stable")
    for _ in range(ROUNDS):
        keys, held, restored = kernels.restore_concepts(
            sets, shallow_first, *holders, k, m, keys, held, many
        )
        keys, held, rebuilt = kernels.rebuild_sets(sets, k, m, keys, held, many)
        if not restored and not rebuilt:
            break
    kept_offsets = np.concatenate(([0], np.cumsum(sets.kept)))[offsets]
    concepts = used[sets.concepts[sets.kept]].astype(np.int32)
    return ConceptSets(kept_offsets.astype(np.int64), concepts)


def _held_by_enough(closures: ConceptSets, parents: Links, counts: Longs, k: int) -> Bools:
    """Flag the concepts of all sets that at least k records hold, and all roots."""
    records = _records_by_concept(closures, counts, len(parents.start) - 1)
    flags: Bools = ((records >= k) | (parents.sizes() == 0))[closures.concepts]
    return flags


def _records_by_concept(closures: ConceptSets, counts: Longs, size: int) -> Floats:
    weights = counts[closures.owners()].astype(np.float64)
    return np.bincount(closures.concepts, weights=weights, minlength=size).astype(np.float64)


def _number_links(parents: Links, used: Ints) -> tuple[Longs, Ints]:
    """The parents of the concepts in use, all numbered anew: of a concept in use, all are."""
    start = np.concatenate(([0], np.cumsum(parents.sizes()[used]))).astype(np.int64)
    return start, np.searchsorted(used, parents.of_all(used)).astype(np.int32)


def _check_arguments(closures: ConceptSets, parents: Links, counts: Longs, k: int, m: int) -> None:
    if m not in (1, 2, 3):
        raise ParameterError(f"m must be 1, 2 or 3, got {m}", "2 protects every pair of values")
    roots = np.flatnonzero(parents.sizes() == 0)
    records = _records_by_concept(closures, counts, len(parents.start) - 1)[roots]
    if ((records > 0) & (records < k)).any():
        raise ParameterError(
            f"k must be at most the number of records with a value, "
            f"{int(records[records > 0].min()):,}, got {k:,}",
            "choose a smaller k",
        )


def _lift_until_none_is_rare(sets: Any, k: int, m: int) -> tuple[Longs, Longs, Longs]:
    """Lift sets; the hash table of the combinations that are left: keys, counts, how many.

    Combinations of up to two concepts come first, because sets show fewer concepts afterwards.
    """
    from ontomask.methods.recoding import combination_kernels as kernels

    chosen = np.empty(len(sets.records), dtype=np.int64)
    while True:
        used = np.zeros(1, dtype=np.int64)
        empty = np.zeros(PLACES, dtype=np.int64)
        keys, counts = kernels.count_all(sets, 1, min(m, 2), empty, empty.copy(), used)
        for size in range(min(m, 2), m + 1):
            if size == 3:
                keys, counts = kernels.count_all(sets, 3, 3, keys, counts, used)
            while kernels.choose_lifts(sets, k, size, keys, counts, chosen):
                keys, counts = kernels.lift_sets(sets, size, chosen, keys, counts, used)
        # What is still rare are roots, which too few records show: others must join them.
        rare = (counts > 0) & (counts < k)
        if not rare.any():
            return keys, counts, used
        _lift_to_roots(sets, k - int(counts[rare].min()))


def _lift_to_roots(sets: Any, records: int) -> None:
    """Lift the smallest sets, with so many records, until only roots are left of them."""
    is_root = (np.diff(sets.parent_start) == 0)[sets.concepts]
    owner = np.repeat(np.arange(len(sets.records)), np.diff(sets.offsets))
    above_roots = np.bincount(owner[sets.kept & ~is_root], minlength=len(sets.records))
    places = np.flatnonzero(above_roots)
    if not len(places):
        raise ParameterError(
            "only roots are left, and too few records show some of them together",
            "choose a smaller k; several attributes need at least k records with all of them",
        )
    places = places[np.argsort(above_roots[places], kind="stable")]
    until = int(np.searchsorted(np.cumsum(sets.records[places]), records)) + 1
    is_lifted = np.zeros(len(sets.records), dtype=np.bool_)
    is_lifted[places[:until]] = True
    sets.kept[is_lifted[owner] & ~is_root] = False


def _ancestor_links(start: Longs, parents: Ints) -> Links:
    """The ancestors of each concept, itself included."""
    from ontomask.distances import kernels

    concepts = np.arange(len(start) - 1, dtype=np.int32)
    return Links(*kernels.ancestor_lists(concepts, start, parents, MOST_ANCESTORS)[:2])
