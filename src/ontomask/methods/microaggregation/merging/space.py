"""The tuples as the loops see them: flat arrays, words and numbers side by side.

The distance between a tuple and a centroid is the sum over attributes of what each contributes; a
record costs its square, itself or its root:

==========  =========  ==========================  ==============================
distance    objective  an attribute contributes    a record costs, of the sum *D*
==========  =========  ==========================  ==============================
``mean``    ``sse``    its distance, weighted      D²
``mean``    ``sad``    its distance, weighted      D
``s``       ``sse``    pair over column variance   D
``s``       ``sad``    pair over column variance   √D
==========  =========  ==========================  ==============================
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import FIXED_POINT_ONE, NominalAttribute, NumericalAttribute

__all__ = [
    "LINEAR",
    "BEST",
    "CLASSIC_TUPLE",
    "NUMBER",
    "RANK",
    "ROOT",
    "RULE",
    "SQUARED",
    "WORD",
    "TupleSpace",
    "build_tuple_space",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Kinds of attributes: words, numbers with a mean, ranks with a median.
WORD, NUMBER, RANK = 0, 1, 2

#: How a record's cost follows from its distance.
LINEAR, SQUARED, ROOT = 0, 1, 2

#: How a centroid is chosen: by the papers' rule, the best for the objective, or the most frequent
#: tuple (the classic operators of SF).
RULE, BEST, CLASSIC_TUPLE = 0, 1, 2

#: Measures that are metrics: a value that more than half the records hold is the centroid.
METRICS = ("sanchez", "equality")


class TupleSpace(NamedTuple):
    """What the loops read; nothing in it changes.

    ``codes[t, j]`` is the value of tuple ``t``, ``target[t, j]`` what leaves it as it is. The
    distance from value ``v`` of a nominal attribute ``j`` to candidate ``c`` is
    ``table[first[j] + v * width[j] + c]``, in fixed point, times ``scale[j]``. What a value may
    become stands in ``above``, from ``above_start[value_first[j] + v]`` on; ``number`` and
    ``place`` are of all values, attribute after attribute.
    """

    codes: Ints
    rank: Longs  # where tuples stand in sorted order
    target: Floats
    weight: Longs
    kind: NDArray[np.int8]
    scale: Floats
    table: Ints
    first: Longs
    width: Longs
    metric: NDArray[np.bool_]
    value_first: Longs
    place: Ints
    number: Floats
    above_start: Longs
    above: Ints
    by_variance: bool
    cost: int
    choice: int
    most_candidates: int
    most_values: int


def build_tuple_space(
    operators: Operators, objective: str, centroid: str, order: Longs
) -> TupleSpace:
    """The tuples of some operators, in an order that keeps like beside like."""
    tuples = operators.tuples
    attributes = tuples.attributes
    factors = _distance_factors(operators)
    places, numbers, starts, aboves = [], [], [np.zeros(1, dtype=np.int64)], []
    kind, scale, metric = [], [], []
    for j, attribute in enumerate(attributes):
        start, above = _candidates_above(operators, j)
        aboves.append(above)
        starts.append(start[1:] + starts[-1][-1])
        if isinstance(attribute, NominalAttribute):
            kind.append(WORD)
            scale.append(factors[j] / FIXED_POINT_ONE)
            places.append(attribute.place.astype(np.int32))
            numbers.append(np.zeros(attribute.size))
            metric.append(operators.classic or attribute.measure in METRICS)
            continue
        assert isinstance(attribute, NumericalAttribute)
        kind.append(RANK if attribute.median else NUMBER)
        reach = 1.0 if operators.by_variance else attribute.range
        scale.append(factors[j] / reach if reach else 0.0)
        places.append(np.zeros(attribute.size, dtype=np.int32))
        numbers.append(attribute.numbers)
        metric.append(False)
    values = [attribute.size for attribute in attributes]
    width = [len(a.candidates) if isinstance(a, NominalAttribute) else 0 for a in attributes]
    first = np.concatenate(([0], np.cumsum(np.multiply(values, width)))).astype(np.int64)
    cost = {"sse": SQUARED, "sad": LINEAR}[objective]
    if operators.by_variance:
        cost = {"sse": LINEAR, "sad": ROOT}[objective]
    classic_tuple = operators.classic and not operators.by_variance and centroid == "rule"
    return TupleSpace(
        codes=np.ascontiguousarray(tuples.codes.T[order], dtype=np.int32),
        rank=np.asarray(order, dtype=np.int64),
        target=np.ascontiguousarray(tuples.targets()[order]),
        weight=tuples.counts[order],
        kind=np.array(kind, dtype=np.int8),
        scale=np.array(scale),
        table=_distance_table(operators, first),
        first=first[:-1],
        width=np.array(width, dtype=np.int64),
        metric=np.array(metric),
        value_first=np.concatenate(([0], np.cumsum(values)[:-1])).astype(np.int64),
        place=np.concatenate(places),
        number=np.concatenate(numbers),
        above_start=np.concatenate(starts),
        above=np.concatenate(aboves),
        by_variance=operators.by_variance,
        cost=cost,
        choice=CLASSIC_TUPLE if classic_tuple else {"rule": RULE, "best": BEST}[centroid],
        most_candidates=max(1, *width),
        most_values=max(values),
    )


def _distance_factors(operators: Operators) -> list[float]:
    """What the distances of attributes are multiplied with; a mean distance is one from 0 to 1."""
    factors = operators.factors
    total = 1.0 if operators.by_variance else sum(factors)
    return [factor / total for factor in factors]


def _distance_table(operators: Operators, first: Longs) -> Ints:
    """Distances from values to candidates, attribute after attribute.

    Written where they belong, as a table of many words is large and there is to be no third one.
    """
    table = np.empty(first[-1], dtype=np.int32)
    for j, attribute in enumerate(operators.tuples.attributes):
        if not isinstance(attribute, NominalAttribute):
            continue
        part = table[first[j] : first[j + 1]].reshape(attribute.size, -1)
        if operators.classic:
            part[:] = int(FIXED_POINT_ONE)
            part[np.arange(attribute.size), attribute.place] = 0
        else:
            part[:] = attribute.table.T
    return table


def _candidates_above(operators: Operators, j: int) -> tuple[Longs, Ints]:
    """Which candidates each value brings in."""
    attribute = operators.tuples.attributes[j]
    if not isinstance(attribute, NominalAttribute):
        return np.zeros(attribute.size + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    if operators.classic:
        return np.arange(attribute.size + 1), attribute.place.astype(np.int32)
    return operators.above[j]
