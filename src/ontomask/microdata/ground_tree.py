"""Distances between the values of an attribute as lengths in a tree, exact or as bounds.

On a tree, the earth mover's distance has a closed form: for each edge, what has to pass it times
its length. So it is quick to compute wherever a semantic distance is one of a tree, and quick to
bound elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances
from ontomask.microdata.attributes import FIXED_POINT_ONE, NominalAttribute

__all__ = ["GroundTree"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: What rounding to fixed point may add to a sum of distances.
SLIGHT = 8 / FIXED_POINT_ONE
#: Distances worked on at a time.
CELLS_AT_A_TIME = 4_000_000


@dataclass(frozen=True, eq=False)
class GroundTree:
    r"""A tree whose leaves are values of an attribute, with a length for each edge.

    Nodes below ``size`` are the values; the others are concepts above them, each with a greater
    number than all below it. The path between two values is at least as long as their distance
    with ``length``, and at most as long with ``lower``. ``exact`` says that it is their distance,
    which holds

    - where the distance is a sum of lengths of links (``path``, ``jiang_conrath`` on trees);
    - where it depends only on the lowest common ancestor (``resnik`` on trees, and ``sanchez`` and
      both ``wu_palmer`` if all values are at the same depth).

    That is found out from the distances themselves. If a concept has several parents, the tree
    takes the deepest one.
    """

    size: int
    parent: Longs  # -1 at the root, which is the last
    length: Floats
    lower: Floats
    exact: bool

    @classmethod
    def of_values(cls, attribute: NominalAttribute, values: Longs) -> GroundTree:
        """The tree of some values of an attribute, given by place."""
        shape = _TreeShape(attribute, values)
        size, parent = len(values), shape.parent
        heights = shape.root_distances()
        if shape.is_additive(heights):
            length = np.maximum(_differences(heights, parent), 0)
            return cls(size, parent, length, length, exact=True)
        # Otherwise every pair that parts at a node is taken to be as far apart as any other.
        highest, lowest = shape.limits()
        for node, above in enumerate(parent[:-1].tolist()):
            highest[above] = max(highest[above], highest[node])
        lowest = np.minimum(lowest, highest)  # nothing may part at the root
        exact = bool((highest - lowest <= SLIGHT).all())
        for node in range(len(parent) - 2, size - 1, -1):  # from the top
            lowest[node] = min(lowest[node], lowest[parent[node]])
        upper = -_differences(highest, parent) / 2
        lower = upper if exact else -_differences(lowest, parent) / 2
        return cls(size, parent, upper, lower, exact)

    @cached_property
    def paths(self) -> tuple[Longs, Longs]:
        """The nodes from each value upwards, without the root, end to end: their start; which."""
        lists: list[list[int]] = []
        parents = self.parent.tolist()
        for node in range(self.size):
            path = []
            while parents[node] >= 0:
                path.append(node)
                node = parents[node]
            lists.append(path)
        start = np.cumsum([0, *map(len, lists)])
        return start, np.array([node for path in lists for node in path], dtype=np.int64)

    def sum_below(self, amounts: Floats) -> Floats:
        """The amounts of the values, summed at and below every node."""
        sums = np.concatenate([amounts, np.zeros(len(self.parent) - self.size)])
        for node, above in enumerate(self.parent[:-1].tolist()):
            sums[above] += sums[node]
        return sums

    def transport_bounds(
        self, begin: Longs, values: Longs, shares: Floats, table_shares: Floats
    ) -> tuple[Floats, Floats]:
        """Between what and what the earth mover's distance of each class to the table lies.

        The classes are laid end to end: class ``g`` has ``values[begin[g]:begin[g + 1]]``, with
        their ``shares``.
        """
        below = self.sum_below(table_shares)
        start, nodes = self.paths
        lengths = np.stack([self.lower, self.length])
        bounds = np.tile((lengths @ below)[:, None], len(begin) - 1)
        # What passes an edge above a value of the class, instead of what would without it.
        for first, last in _parts(begin, np.diff(start)[values]):
            entries = np.arange(begin[first], begin[last])
            many = np.diff(start)[values[entries]]
            place = np.repeat(start[values[entries]] - np.cumsum(many) + many, many)
            node = nodes[place + np.arange(len(place))]
            owner = np.repeat(np.arange(first, last), np.diff(begin[first : last + 1]))
            key = np.repeat(owner, many) * len(self.parent) + node
            pairs, which = np.unique(key, return_inverse=True)
            inside = np.bincount(which, weights=np.repeat(shares[entries], many))
            group, node = np.divmod(pairs, len(self.parent))
            change = np.abs(inside - below[node]) - below[node]
            for side in range(2):
                bounds[side] += np.bincount(
                    group, weights=change * lengths[side, node], minlength=len(begin) - 1
                )
        lower, upper = np.maximum(bounds, 0)
        return lower, upper


def _parts(begin: Longs, costs: Longs) -> list[tuple[int, int]]:
    """Ranges of classes, each as large as can be worked on at a time."""
    total = np.concatenate([[0], np.cumsum(costs)])[begin]
    parts, first = [], 0
    while first < len(begin) - 1:
        last = int(np.searchsorted(total, total[first] + CELLS_AT_A_TIME, side="right")) - 1
        last = min(max(last, first + 1), len(begin) - 1)
        parts.append((first, last))
        first = last
    return parts


def _differences(heights: Floats, parent: Longs) -> Floats:
    """How much higher each node is than its parent; 0 for the root."""
    return np.asarray(heights - np.where(parent >= 0, heights[parent], heights))


class _TreeShape:
    """The values and the concepts above them that part at least two of them, in the tree."""

    def __init__(self, attribute: NominalAttribute, values: Longs) -> None:
        self._attribute, self._values = attribute, values
        codes = attribute.domain.codes([attribute.values[value] for value in values.tolist()])
        above = self._deepest_parents()
        children: dict[int, int] = {}
        concepts: set[int] = set()
        for code in codes.tolist():
            while code not in concepts and code >= 0:
                concepts.add(code)
                code = above[code]
        for code in concepts:
            children[above[code]] = children.get(above[code], 0) + 1
        for code in codes.tolist():  # a value is a leaf below its own concept
            children[code] = children.get(code, 0) + 1
        inner = sorted((code for code in concepts if children[code] > 1 or not code), reverse=True)
        number = {code: len(values) + place for place, code in enumerate(inner)}
        self.concepts = np.array([*codes.tolist(), *inner], dtype=np.int64)
        self.parent = np.array(
            [
                *(self._next(code, above, number) for code in codes.tolist()),
                *(self._next(above[code], above, number) for code in inner),
            ],
            dtype=np.int64,
        )
        self._place_leaves()

    def _deepest_parents(self) -> list[int]:
        links, depths = self._attribute.domain.parent_links, self._attribute.domain.depths.tolist()
        return [
            max(parents, key=lambda code: (depths[code], -code)) if parents else -1
            for parents in links.lists()
        ]

    @staticmethod
    def _next(code: int, above: list[int], number: dict[int, int]) -> int:
        """The node at a concept, or the first above it; -1 above the root."""
        while code >= 0 and code not in number:
            code = above[code]
        return number.get(code, -1)

    def _place_leaves(self) -> None:
        """Put the values in an order in which those below each node are next to each other."""
        nodes, size = len(self.parent), len(self._values)
        many = np.concatenate([np.ones(size, np.int64), np.zeros(nodes - size, np.int64)])
        for node in range(nodes - 1):
            many[self.parent[node]] += many[node]
        self.first = np.zeros(nodes, dtype=np.int64)
        taken = np.zeros(nodes, dtype=np.int64)
        for node in range(nodes - 2, -1, -1):
            above = self.parent[node]
            self.first[node] = self.first[above] + taken[above]
            taken[above] += many[node]
        self.last = self.first + many
        self._order = np.argsort(self.first[:size], kind="stable")

    def _rows(self) -> Iterator[tuple[int, Floats]]:
        """Each value, with its distances to all values in order."""
        columns = self._values[self._order]
        at_a_time = max(1, CELLS_AT_A_TIME // max(len(columns), 1))
        places = self._attribute.place[self._values]
        for begin in range(0, len(places), at_a_time):
            block = self._attribute.rows(places[begin : begin + at_a_time])[:, columns]
            for place, row in enumerate(block):
                yield begin + place, row / FIXED_POINT_ONE

    def _segments(self, value: int) -> tuple[Longs, Longs]:
        """Where the runs of values begin that part from a value at each node; these nodes."""
        path = []
        node = int(self.parent[value])
        while node >= 0:
            path.append(node)
            node = int(self.parent[node])
        up = np.array(path, dtype=np.int64)
        left, right = self.first[up][::-1], self.last[up[:-1]]
        begin = np.concatenate([left, [self.first[value], self.last[value]], right])
        end = np.concatenate([begin[1:], [len(self._values)]])
        nodes = np.concatenate([up[::-1], [value], up])
        return begin[begin < end], nodes[begin < end]

    def limits(self) -> tuple[Floats, Floats]:
        """The greatest and the least distance of values that part at each node; 0 for values."""
        highest = np.zeros(len(self.parent))
        lowest = np.where(np.arange(len(self.parent)) < len(self._values), 0.0, np.inf)
        for value, row in self._rows():
            begin, nodes = self._segments(value)
            np.maximum.at(highest, nodes, np.maximum.reduceat(row, begin))
            np.minimum.at(lowest, nodes, np.minimum.reduceat(row, begin))
        return highest, lowest

    def root_distances(self) -> Floats:
        """The distance of every node to the root of the domain."""
        domain = self._attribute.domain
        nodes = self.concepts.astype(np.int32)
        return np.asarray(Distances(domain, [domain.root], nodes, self._attribute.measure).row(0))

    def is_additive(self, potentials: Floats) -> bool:
        """Whether every distance is that along the tree, by the distances to the root."""
        leaves = potentials[: len(self._values)][self._order]
        for value, row in self._rows():
            begin, nodes = self._segments(value)
            turn = np.repeat(potentials[nodes], np.diff([*begin, len(row)]))
            along = potentials[value] + leaves - 2 * turn
            if np.abs(row - along).max() > SLIGHT:
                return False
        return True
