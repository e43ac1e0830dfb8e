"""The is-a graph as flat arrays: numbering, cycles, depths.

Concepts are numbered so that every concept comes after all of its parents and every branch stays
together (reverse postorder of a depth-first walk, children in order of their identifiers). The
numbering depends on the graph alone, never on the order in which a file names its concepts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import CycleError, EmptyTaxonomyError, TaxonomyError, quote_names

__all__ = [
    "VIRTUAL_ROOT",
    "IntArray",
    "Links",
    "ancestors_of",
    "depths",
    "number_concepts",
    "reachable_concepts",
]

IntArray = NDArray[np.integer]
VIRTUAL_ROOT = "*"


class Links(NamedTuple):
    """Lists of concepts, one per concept, laid end to end.

    ``items[start[c]:start[c + 1]]`` is the list of concept ``c``.
    """

    start: NDArray[np.int64]
    items: NDArray[np.int32]

    def of(self, concept: int) -> list[int]:
        """The list of one concept."""
        concepts: list[int] = self.items[self.start[concept] : self.start[concept + 1]].tolist()
        return concepts

    def lists(self) -> list[list[int]]:
        """The list of every concept."""
        start, items = self.start.tolist(), self.items.tolist()
        return [items[start[c] : start[c + 1]] for c in range(len(start) - 1)]

    def of_all(self, concepts: IntArray) -> NDArray[np.int32]:
        """The lists of several concepts, end to end."""
        first = self.start[concepts]
        length = self.start[np.asarray(concepts) + 1] - first
        shift = np.repeat(first - np.concatenate(([0], np.cumsum(length)[:-1])), length)
        return self.items[np.arange(length.sum()) + shift]

    def sizes(self) -> NDArray[np.int64]:
        """How long each list is."""
        return np.diff(self.start)

    def owners(self) -> NDArray[np.int32]:
        """For each item, the concept whose list it stands in."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), self.sizes())

    def inverse(self) -> Links:
        """The same links from the other end: parents become children."""
        return Links.from_pairs(self.items, self.owners(), len(self.start) - 1)

    @staticmethod
    def from_pairs(owner: IntArray, item: IntArray, size: int) -> Links:
        """Lists from (owner, item) pairs in any order."""
        by_owner = np.lexsort((item, owner))
        start = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(np.bincount(owner, minlength=size), out=start[1:])
        return Links(_make_read_only(start), _make_read_only(item[by_owner].astype(np.int32)))


Array = TypeVar("Array", bound=NDArray[Any])


def _make_read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array


def number_concepts(
    names: Sequence[str], child: IntArray, parent: IntArray
) -> tuple[IntArray, list[str], Links, list[str]]:
    """Number a graph's concepts.

    The links say which of ``names`` (by place) is a child of which. Returns the places in their
    final order (one past the last for a virtual root), the names in that order, the parents of
    each, and the roots that a virtual root had to be put above: none where there was one already.
    """
    if not names:
        raise EmptyTaxonomyError(
            "the taxonomy has no concepts", "add at least one (child, parent) edge"
        )
    names = list(names)
    by_name = sorted(range(len(names)), key=names.__getitem__)
    is_child = np.zeros(len(names), dtype=bool)
    is_child[child] = True
    roots = np.flatnonzero(~is_child).tolist()
    tops: list[str] = []
    if len(roots) > 1:
        tops = sorted(names[root] for root in roots)
        child, parent, roots = _add_virtual_root(names, child, parent, roots)
        if len(names) > len(by_name):
            by_name.append(len(names) - 1)  # it has no siblings, so its place does not matter
    children = _children_by_name(by_name, child, parent)
    ordered = _depth_first_order(names, children, roots)
    if len(ordered) < len(names):
        raise _find_unreached_cycle(names, Links.from_pairs(child, parent, len(names)), ordered)
    rank = np.empty(len(names), dtype=np.int32)
    rank[ordered] = np.arange(len(names), dtype=np.int32)
    parents = Links.from_pairs(rank[child], rank[parent], len(names))
    return np.array(ordered), [names[old] for old in ordered], parents, tops


def _children_by_name(by_name: Sequence[int], child: IntArray, parent: IntArray) -> Links:
    """The children of each concept in order of their names."""
    alphabetical = np.array(by_name)
    place = np.empty(len(alphabetical), dtype=np.int64)
    place[alphabetical] = np.arange(len(alphabetical))
    links = Links.from_pairs(parent, place[child], len(alphabetical))
    return Links(links.start, alphabetical[links.items].astype(np.int32))


def _add_virtual_root(
    names: list[str], child: IntArray, parent: IntArray, roots: list[int]
) -> tuple[IntArray, IntArray, list[int]]:
    """Put ``*`` above several roots; where one of them is called ``*``, above the others."""
    if VIRTUAL_ROOT in names:
        top = names.index(VIRTUAL_ROOT)
        if top not in roots:
            raise TaxonomyError(
                f"the taxonomy has several roots, {quote_names(names[r] for r in roots)}, and the "
                f"name of the virtual root, {VIRTUAL_ROOT!r}, is already the name of a concept",
                f"add your own root above them, or rename the concept {VIRTUAL_ROOT!r}",
            )
    else:
        top = len(names)
        names.append(VIRTUAL_ROOT)
    below = [root for root in roots if root != top]
    return np.append(child, below), np.append(parent, [top] * len(below)), [top]


def _depth_first_order(names: Sequence[str], children: Links, roots: Sequence[int]) -> list[int]:
    """Reverse postorder of the depth-first walk from the roots."""
    start, items = children.start.tolist(), children.items.tolist()
    fresh, on_path, closed = 0, 1, 2
    state = bytearray(len(names))
    finished: list[int] = []
    stack = list(roots)
    while stack:
        concept = stack[-1]
        if state[concept] != fresh:
            stack.pop()
            if state[concept] == on_path:
                state[concept] = closed
                finished.append(concept)
            continue
        state[concept] = on_path
        for below in items[start[concept] : start[concept + 1]]:
            if state[below] == fresh:
                stack.append(below)
            elif state[below] == on_path:
                # A concept may wait further down the stack as well: its topmost place counts.
                path = list(dict.fromkeys(c for c in reversed(stack) if state[c] == on_path))
                raise _cycle_error([names[c] for c in [below, *path[: path.index(below) + 1]]])
    return finished[::-1]


def _find_unreached_cycle(
    names: Sequence[str], parents: Links, ordered: Sequence[int]
) -> CycleError:
    """The cycle among concepts that no root reaches: every parent of theirs is one of them."""
    concept = min(set(range(len(names))).difference(ordered))
    seen: dict[int, int] = {}
    path: list[int] = []
    while concept not in seen:
        seen[concept] = len(path)
        path.append(concept)
        concept = parents.of(concept)[0]
    return _cycle_error([names[c] for c in [*path[seen[concept] :], concept]])


def _cycle_error(path: Sequence[str]) -> CycleError:
    """``path`` goes upwards and ends where it began."""
    if len(path) > 9:
        path = [*path[:4], "…", *path[-4:]]
    return CycleError(
        "the taxonomy has a cycle: " + " is a ".join(repr(c) if c != "…" else c for c in path),
        "remove one of these links",
    )


def depths(parents: Links) -> NDArray[np.int32]:
    """Nodes on the longest path to the root, both ends counted."""
    start, items = parents.start.tolist(), parents.items.tolist()
    depth = [1]
    for concept in range(1, len(start) - 1):
        above = items[start[concept] : start[concept + 1]]
        depth.append(1 + (depth[above[0]] if len(above) == 1 else max(depth[p] for p in above)))
    return _make_read_only(np.array(depth, dtype=np.int32))


def reachable_concepts(links: Links, concept: int) -> NDArray[np.int64]:
    """Everything below (or above) a concept, itself included, in ascending order."""
    seen = np.zeros(len(links.start) - 1, dtype=bool)
    frontier = np.array([concept])
    while frontier.size:
        seen[frontier] = True
        following = np.unique(links.of_all(frontier))
        frontier = following[~seen[following]]
    return np.flatnonzero(seen)


def ancestors_of(parents: Sequence[Sequence[int]], concept: int) -> dict[int, int]:
    """Each ancestor, the concept itself included, with the links on the shortest way up to it."""
    steps = {concept: 0}
    frontier, distance = [concept], 0
    while frontier:
        distance += 1
        above = []
        for current in frontier:
            for parent in parents[current]:
                if parent not in steps:
                    steps[parent] = distance
                    above.append(parent)
        frontier = above
    return steps
