"""A taxonomy as a tree: every concept once, below one parent, in depth-first order."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["TaxonomyTree", "draw_tree"]

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TaxonomyTree:
    """A taxonomy as a tree, its concepts by their places in depth-first order.

    A concept with several parents is drawn below the deepest of them, then the first by identifier.
    So a branch may lack concepts that also belong elsewhere, and every concept is as far from the
    root as its depth says. Siblings are in the taxonomy's own order.
    """

    #: The concept at each place, by number, and the place of each concept.
    codes: Longs
    place: Longs
    #: The place of the parent (the root is its own), and where the branch below a place ends.
    parent: Longs
    end: Longs

    def branch_sums(self, own: Longs) -> Longs:
        """Sum the numbers of the whole branch at each place."""
        until = np.concatenate(([0], np.cumsum(own)))
        return until[self.end] - until[:-1]

    def remainders(self, numbers: Longs, shown: Flags) -> Longs:
        """The number at each place less those of its shown children."""
        below = np.flatnonzero(shown[1:]) + 1
        in_children = np.bincount(self.parent[below], weights=numbers[below], minlength=len(shown))
        return numbers - in_children.astype(np.int64)

    def connected_to_root(self, chosen: Flags) -> Flags:
        """The chosen places whose ancestors in the tree are all chosen, too."""
        unchosen = np.flatnonzero(~chosen)
        change = np.zeros(len(chosen) + 1, dtype=np.int64)
        change[unchosen] += 1
        change -= np.bincount(self.end[unchosen], minlength=len(change))
        return np.asarray(np.cumsum(change)[:-1] == 0)

    def nearest(self, shown: Flags) -> Longs:
        """The nearest shown place at or above each one; the root where none is."""
        above = np.where(shown, np.arange(len(shown)), self.parent)
        while True:
            further = above[above]
            if np.array_equal(further, above):
                return above
            above = further


_trees: WeakKeyDictionary[Taxonomy, TaxonomyTree] = WeakKeyDictionary()


def draw_tree(taxonomy: Taxonomy) -> TaxonomyTree:
    """Draw a taxonomy as a tree, once for all columns that share it."""
    tree = _trees.get(taxonomy)
    if tree is None:
        tree = _trees[taxonomy] = _build_tree(taxonomy)
    return tree


def _build_tree(taxonomy: Taxonomy) -> TaxonomyTree:
    parent = _deepest_parents(taxonomy)
    size = len(parent)
    # Below the deepest parent, a concept's depth in the tree is its depth in the taxonomy.
    by_level = np.argsort(taxonomy.depths, kind="stable")
    starts = np.searchsorted(taxonomy.depths[by_level], np.arange(2, taxonomy.height + 2))
    levels = [level for level in np.split(by_level, starts) if len(level)][1:]
    branch = np.ones(size, dtype=np.int64)
    for level in reversed(levels):
        np.add.at(branch, parent[level], branch[level])
    siblings = np.lexsort((np.arange(size), parent))[1:]  # the root, its own parent, comes first
    before = np.cumsum(branch[siblings]) - branch[siblings]
    first = np.searchsorted(parent[siblings], parent[siblings])
    offset = np.zeros(size, dtype=np.int64)
    offset[siblings] = before - before[first] + 1
    place = np.zeros(size, dtype=np.int64)
    for level in levels:
        place[level] = place[parent[level]] + offset[level]
    codes = np.argsort(place)
    return TaxonomyTree(codes, place, place[parent[codes]], np.arange(size) + branch[codes])


def _deepest_parents(taxonomy: Taxonomy) -> Longs:
    links = taxonomy.parent_links
    owner, above = links.owners(), links.items
    several = np.unique(above[links.sizes()[owner] > 1]).tolist()
    rank = np.zeros(len(taxonomy), dtype=np.int64)
    rank[sorted(several, key=taxonomy.identifiers.__getitem__)] = np.arange(len(several))
    best = np.lexsort((rank[above], -taxonomy.depths[above], owner))
    children, first = np.unique(owner[best], return_index=True)
    parent = np.zeros(len(taxonomy), dtype=np.int64)
    parent[children] = above[best[first]]
    return parent
