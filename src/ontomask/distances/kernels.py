"""The loops behind distance tables. Codes and offsets only: no names, no checks, no defaults."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = [
    "ancestor_lists",
    "best_shared",
    "count_shared",
    "heaviest_shared",
    "look_up",
    "runs_by_ancestor",
]

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


@jit
def ancestor_lists(
    concepts: Ints, parent_start: Offsets, parents: Ints, most: int
) -> tuple[Offsets, Ints, Ints]:
    """Every ancestor of each concept, itself included, and the links on the shortest way up.

    Lists are laid end to end. Gives up with an empty result when they hold more than ``most``.
    """
    start = np.zeros(concepts.size + 1, np.int64)
    ancestors = np.empty(max(16, 16 * concepts.size), np.int32)
    links = np.empty(ancestors.size, np.int32)
    seen_by = np.full(parent_start.size - 1, -1, np.int64)
    end = 0
    for i in range(concepts.size):
        first = end
        current = first
        if end == ancestors.size:
            ancestors = np.concatenate((ancestors, np.empty(ancestors.size, np.int32)))
            links = np.concatenate((links, np.empty(links.size, np.int32)))
        ancestors[end] = concepts[i]
        links[end] = 0
        seen_by[concepts[i]] = i
        end += 1
        while current < end:  # breadth first: the list itself is the queue
            for at in range(parent_start[ancestors[current]], parent_start[ancestors[current] + 1]):
                above = parents[at]
                if seen_by[above] == i:
                    continue
                if end == ancestors.size:
                    if end > most:
                        return np.zeros(0, np.int64), ancestors[:0], links[:0]
                    ancestors = np.concatenate((ancestors, np.empty(ancestors.size, np.int32)))
                    links = np.concatenate((links, np.empty(links.size, np.int32)))
                ancestors[end] = above
                links[end] = links[current] + 1
                seen_by[above] = i
                end += 1
            current += 1
        start[i + 1] = end
    return start, ancestors[:end].copy(), links[:end].copy()


@jit
def runs_by_ancestor(
    start: Offsets, ancestors: Ints, links: Ints, concepts: int
) -> tuple[Offsets, Ints, Ints, Offsets, Ints]:
    """The ancestor lists turned round: which columns stand below each ancestor.

    Neighbouring columns form a run ``low <= column < high``; ``below[offset:]`` holds the links
    from each of its columns up to the ancestor. ``run_start`` says which runs are an ancestor's.
    """
    column_start = np.zeros(concepts + 1, np.int64)
    for ancestor in ancestors:
        column_start[ancestor + 1] += 1
    for ancestor in range(concepts):  # summed up; numba's own is slow to load
        column_start[ancestor + 1] += column_start[ancestor]
    columns = np.empty(ancestors.size, np.int32)
    below = np.empty(ancestors.size, np.int32)
    filled = column_start[:-1].copy()
    for column in range(start.size - 1):
        for at in range(start[column], start[column + 1]):
            place = filled[ancestors[at]]
            columns[place] = column
            below[place] = links[at]
            filled[ancestors[at]] += 1
    run_start = np.zeros(concepts + 1, np.int64)
    low = np.empty(ancestors.size, np.int32)
    high = np.empty(ancestors.size, np.int32)
    offset = np.empty(ancestors.size, np.int64)
    runs = 0
    for ancestor in range(concepts):
        for place in range(column_start[ancestor], column_start[ancestor + 1]):
            if place > column_start[ancestor] and columns[place] == columns[place - 1] + 1:
                high[runs - 1] += 1
            else:
                low[runs] = columns[place]
                high[runs] = columns[place] + 1
                offset[runs] = place
                runs += 1
        run_start[ancestor + 1] = runs
    return run_start, low[:runs].copy(), high[:runs].copy(), offset[:runs].copy(), below


@jit
def count_shared(
    start: Offsets, ancestors: Ints, run_start: Offsets, low: Ints, high: Ints, out: Ints
) -> None:
    """How many ancestors each row concept shares with each column."""
    for i in range(start.size - 1):
        row = out[i]
        row[:] = 0
        for at in range(start[i], start[i + 1]):
            ancestor = ancestors[at]
            for run in range(run_start[ancestor], run_start[ancestor + 1]):
                part = row[low[run] : high[run]]
                for j in range(part.size):
                    part[j] += 1


@jit
def best_shared(
    start: Offsets,
    ancestors: Ints,
    links: Ints,
    run_start: Offsets,
    low: Ints,
    high: Ints,
    offset: Offsets,
    below: Ints,
    weight: Offsets,
    out: Ints,
) -> None:
    """The greatest ``weight`` of a shared ancestor less the links down to both concepts."""
    for i in range(start.size - 1):
        row = out[i]
        row[:] = 0
        for at in range(start[i], start[i + 1]):
            ancestor = ancestors[at]
            score = weight[ancestor] - links[at]
            for run in range(run_start[ancestor], run_start[ancestor + 1]):
                part = row[low[run] : high[run]]
                down = below[offset[run] : offset[run] + part.size]
                for j in range(part.size):
                    part[j] = max(part[j], score - down[j])


@jit
def heaviest_shared(
    start: Offsets,
    ancestors: Ints,
    run_start: Offsets,
    low: Ints,
    high: Ints,
    weight: Ints,
    out: Ints,
) -> None:
    """The greatest ``weight`` of a shared ancestor."""
    for i in range(start.size - 1):
        row = out[i]
        row[:] = 0
        for at in range(start[i], start[i + 1]):
            ancestor = ancestors[at]
            score = weight[ancestor]
            for run in range(run_start[ancestor], run_start[ancestor + 1]):
                part = row[low[run] : high[run]]
                for j in range(part.size):
                    part[j] = max(part[j], score)


@jit
def look_up(
    values: NDArray[np.float64],
    keys: NDArray[np.integer],
    row_part: Ints,
    column_part: Ints,
    place: Offsets,
    out: NDArray[np.float64],
) -> None:
    """``values`` by a cell's key and by what its row and column add up to.

    Column ``j`` of ``out`` is column ``place[j]`` of ``keys``.
    """
    for i in range(keys.shape[0]):
        for j in range(place.size):
            at = place[j]
            out[i, j] = values[keys[i, at], row_part[i] + column_part[at]]
