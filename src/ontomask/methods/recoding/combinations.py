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

#: How often all concepts are restored.
ROUNDS = 2
#: The places of a new hash table.
PLACES = 1 << 16


def recode_combinations(
    closures: ConceptSets, parents: Links, counts: Longs, k: int, m: int = 2
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

    Returns:
        The closure that each set is left with; it is part of the original one.
    """
    from ontomask.methods.recoding import combination_kernels as kernels

    _check_arguments(closures, parents, counts, k, m)
    sets = kernels.Lifted(
        offsets=closures.offsets,
        concepts=closures.concepts,
        kept=np.ones(len(closures.concepts), dtype=np.bool_),
        records=counts.astype(np.int64),
        parent_start=parents.start,
        parents=parents.items,
        covered=np.zeros(len(parents.start) - 1, dtype=np.int8),
        shown=np.empty(int(closures.sizes().max(initial=0)), dtype=np.int64),
        before=np.empty(int(closures.sizes().max(initial=0)), dtype=np.int64),
    )
    keys, held, many = _lift_until_none_is_rare(sets, k, m)
    holders = Links.from_pairs(closures.concepts, closures.owners(), len(parents.start) - 1)
    used = np.flatnonzero(holders.sizes())
    above = _ancestor_links(parents, used)
    shallow_first = used[np.argsort(above.sizes()[used], kind="stable")]
    for _ in range(ROUNDS):
        keys, held, restored = kernels.restore_concepts(
            sets, shallow_first, *holders, *above, k, m, keys, held, many
        )
        keys, held, rebuilt = kernels.rebuild_sets(sets, *above, k, m, keys, held, many)
        if not restored and not rebuilt:
            break
    kept_offsets = np.concatenate(([0], np.cumsum(sets.kept)))[closures.offsets]
    return ConceptSets(kept_offsets.astype(np.int64), closures.concepts[sets.kept])


def _check_arguments(closures: ConceptSets, parents: Links, counts: Longs, k: int, m: int) -> None:
    from ontomask.methods.recoding.combination_kernels import MOST_CONCEPTS

    if m not in (1, 2, 3):
        raise ParameterError(f"m must be 1, 2 or 3, got {m}", "2 protects every pair of values")
    filled = int(counts[closures.sizes() > 0].sum())
    if 0 < filled < k:
        raise ParameterError(
            f"k must be at most the number of records with a value, {filled:,}, got {k:,}",
            "choose a smaller k",
        )
    if len(parents.start) - 1 > MOST_CONCEPTS:
        raise ParameterError(
            f"the taxonomy must have at most {MOST_CONCEPTS:,} concepts, got "
            f"{len(parents.start) - 1:,}",
            "restrict it to the part that you need with domain()",
        )


def _lift_until_none_is_rare(sets: Any, k: int, m: int) -> tuple[Longs, Longs, Longs]:
    """Lift sets; the hash table of the combinations that are left: keys, counts, how many."""
    from ontomask.methods.recoding import combination_kernels as kernels

    chosen = np.empty(len(sets.records), dtype=np.int64)
    while True:
        used = np.zeros(1, dtype=np.int64)
        empty = np.zeros(PLACES, dtype=np.int64)
        keys, counts = kernels.count_all(sets, m, empty, empty.copy(), used)
        while kernels.choose_lifts(sets, k, m, keys, counts, chosen):
            keys, counts = kernels.lift_sets(sets, m, chosen, keys, counts, used)
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


def _ancestor_links(parents: Links, used: Longs) -> Links:
    """The ancestors of the concepts in use, themselves included."""
    from ontomask.distances import kernels

    start, ancestors, _ = kernels.ancestor_lists(
        used.astype(np.int32), parents.start, parents.items, MOST_ANCESTORS
    )
    sizes = np.zeros(len(parents.start), dtype=np.int64)
    sizes[used + 1] = np.diff(start)
    return Links(np.cumsum(sizes), ancestors)
