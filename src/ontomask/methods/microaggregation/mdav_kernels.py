"""The loops behind MDAV over numbers. Numbers, weights and fixed-point distances only.

Every tuple is looked at, but roughly: short numbers, one subtraction each, many in one step of the
processor. A rough distance is less than ``slack`` off, so nearly all tuples are known to be neither
among the nearest nor the farthest; the exact distance is worked out for the few that may be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.compiled import jit

__all__ = [
    "ExactTuples",
    "RoughTuples",
    "add_numbers",
    "exact_distance",
    "rough_distances",
    "find_nearest_and_farthest",
]

Floats = NDArray[np.float64]
Shorts = NDArray[np.float32]
Longs = NDArray[np.int64]

#: Tuples looked at in one go: their distances fit in the processor's nearest memory.
BLOCK = 256
#: More than any distance.
FAR = 2**62


class ExactTuples(NamedTuple):
    """Tuples as they are compared: ``rint(apart / span * scale)`` for each attribute.

    Where ``squared``, by half the square of what they are apart, and no span. ``numbers[t, j]``
    and ``weight[t]`` are those of tuple ``t``.
    """

    numbers: Floats
    weight: Longs
    span: Floats
    scale: Floats
    squared: bool


class RoughTuples(NamedTuple):
    """Some tuples, in their order, with short numbers that stand for distances as they are.

    ``tuples[place]`` is which one, ``numbers[j, place]`` its numbers, ``weight[place]`` its weight,
    NaN where it is gone. ``slack`` is more than a distance without weight can be off.
    """

    tuples: Longs
    numbers: Shorts
    weight: Shorts
    slack: np.float32


@jit
def exact_distance(t: int, target: Floats, exact: ExactTuples) -> int:
    """The weighted distance from a reference to a tuple."""
    total = 0
    for j in range(target.size):
        apart = np.abs(exact.numbers[t, j] - target[j])
        if exact.squared:
            total += int(np.rint(apart * apart / 2 * exact.scale[j]))
        else:
            total += int(np.rint(apart / exact.span[j] * exact.scale[j]))
    return int(total * exact.weight[t])


@jit
def rough_distances(
    first: int, last: int, target: Shorts, rough: RoughTuples, squared: bool, out: Shorts
) -> None:
    """The distances from a reference to the tuples of some places, without their weights."""
    out[:] = 0
    for j in range(target.size):
        numbers, here = rough.numbers[j, first:last], target[j]
        if squared:
            for i in range(numbers.size):
                out[i] += (numbers[i] - here) * (numbers[i] - here)
        else:
            for i in range(numbers.size):
                out[i] += np.abs(numbers[i] - here)


@jit
def _matters(
    distance: np.float32, weight: np.float32, slack: np.float32, low: np.float32, high: np.float32
) -> bool:
    """Whether a weighted distance may be as little as ``low`` or as much as ``high``."""
    # Neither comparison holds for the NaN of what is gone.
    return bool((weight * (distance - slack) <= low) | (weight * (distance + slack) >= high))


@jit
def _any_matters(
    distances: Shorts, weight: Shorts, slack: np.float32, low: np.float32, high: np.float32
) -> bool:
    """Whether any of these weighted distances matters; see :func:`_matters`."""
    many = 0
    for i in range(weight.size):
        many += _matters(distances[i], weight[i], slack, low, high)
    return many > 0


@jit
def find_nearest_and_farthest(
    target: Floats, short: Shorts, skip: int, most: int, rough: RoughTuples, exact: ExactTuples
) -> tuple[Longs, int]:
    """The tuples of least weighted distance, the first of equals, and the farthest as well.

    At most ``most`` of them, in order; ``skip`` is not one. The farthest may be ``skip`` itself.
    ``target`` is the reference, ``short`` the same in short numbers.
    """
    near, chosen = np.full(most + 1, FAR), np.empty(most + 1, np.int64)
    listed, best, far = 0, -1, -1
    low, high = np.float32(FAR if most > 0 else -FAR), np.float32(-1)
    distances, slack = np.empty(BLOCK, np.float32), rough.slack
    for first in range(0, rough.weight.size, BLOCK):
        weight = rough.weight[first : first + BLOCK]
        rough_distances(first, first + weight.size, short, rough, exact.squared, distances)
        if not _any_matters(distances, weight, slack, low, high):
            continue
        for i in range(weight.size):
            if not _matters(distances[i], weight[i], slack, low, high):
                continue
            t = rough.tuples[first + i]
            distance = exact_distance(t, target, exact)
            if distance > best:
                best, far = distance, t
                high = np.float32(best)
            if most == 0 or distance >= near[most - 1] or t == skip:
                continue
            place = listed
            while place > 0 and near[place - 1] > distance:
                near[place], chosen[place] = near[place - 1], chosen[place - 1]
                place -= 1
            near[place], chosen[place] = distance, t
            listed = min(listed + 1, most)
            low = np.float32(near[most - 1])
    return chosen[:listed], far


@jit
def add_numbers(members: Longs, times: Longs, numbers: Floats, total: Floats, rest: Floats) -> None:
    """Add the numbers of tuples, times their counts, to sums; ``rest`` is what rounding took.

    With the rest sums are as good as exact: what is taken away again leaves no trace.
    """
    for i in range(members.size):
        for j in range(total.size):
            more = numbers[members[i], j] * times[i]
            both = total[j] + more
            part = both - total[j]
            rest[j] += (total[j] - (both - part)) + (more - part)
            total[j] = both
