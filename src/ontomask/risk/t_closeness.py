"""t-closeness: how far the values of a class are from those of the whole table.

Li, Li and Venkatasubramanian, "t-closeness" (2007): the earth mover's distance between both
distributions, over a distance between values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import InternalError, ParameterError, check_choice
from ontomask.microdata.attributes import FIXED_POINT_ONE, NominalAttribute, NumericalAttribute
from ontomask.microdata.ground_tree import GroundTree
from ontomask.risk.diversity import Confidential

__all__ = ["closeness", "is_close"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Distances worked on at a time, where they need not be kept.
MOST_DISTANCES = 4_000_000
#: How many pairs of values one transport problem may have.
LARGEST_TRANSPORT = 1_000_000
#: Cells worked on at a time: few enough to stay in the processor's own memory.
CELLS_AT_A_TIME = 100_000

#: The distances with d(a, c) <= d(a, b) + d(b, c) on every taxonomy. Of the others, some have it on
#: trees, some nowhere. Sánchez' is log2(1 + x) of Jaccard's distance x: a metric, bent concavely.
METRICS = ("sanchez", "equality")


def closeness(confidential: Confidential, ground: str = "equal") -> float:
    r"""t-closeness: the largest distance between a class and the whole table.

    .. math:: t = \max_g EMD(P_g, Q), \qquad
        EMD(P, Q) = \min_f \sum_{ab} f_{ab}\, d(a, b)

    EMD is the earth mover's distance, over all flows :math:`f \ge 0` that turn the distribution
    :math:`P` into :math:`Q`. ``ground`` selects the distance between two values:

    - ``"equal"``: 1 if they differ; the EMD is half the sum of the differences;
    - ``"ordered"``: their difference in rank, divided by the number of values less 1;
    - ``"semantic"``: the distance of the attribute; for numbers, the difference divided by the
      range. For terms, the EMD has a closed form wherever the distances are those along a tree: for
      each link, what has to pass it times its length. Elsewhere (most distances, if concepts have
      several parents or values different depths) a transport problem is solved exactly for each
      class that may be the most distant one.

    The distributions are those of the known values. A class without any has a distance of 1. Values
    that do not occur are ignored. From 0 to 1; 0 for an empty table. Lower is better.

    Departures: Li et al. measure terms by the height of their lowest common ancestor in a tree;
    here they have the distance of the attribute. Both are the same for the measure ``path`` if all
    values are leaves of the greatest depth. The common part of :math:`P` and :math:`Q` stays in
    place only for a metric (``sanchez``, ``equality``), where that is optimal; otherwise a detour
    may be cheaper.

    >>> salary = Confidential("salary", np.arange(9) // 3, np.array([0, 1, 2, 3, 5, 8, 4, 6, 7]),
    ...                       np.ones(9, dtype=int))
    >>> closeness(salary, "ordered")  # Li et al.: the class of the three lowest salaries
    0.375
    """
    check_choice("ground", ground, "equal", "ordered", "semantic")
    if not confidential.records:
        return 0.0
    if confidential.has_unknown_class:
        return 1.0
    if ground == "equal":
        return _farthest_by_equality(confidential)
    if ground == "ordered":
        steps = len(confidential.used) - 1
        return _farthest_by_rank(confidential, np.full(steps, 1 / max(steps, 1)))
    attribute = confidential.attribute
    if isinstance(attribute, NumericalAttribute):
        numbers = attribute.numbers[confidential.used]
        return _farthest_by_rank(confidential, np.diff(numbers) / (attribute.range or 1.0))
    if isinstance(attribute, NominalAttribute):
        return _farthest_by_meaning(confidential, attribute)
    raise ParameterError(
        f"the values of {confidential.name!r} have no semantic distances",
        "pass Confidential(..., attribute=...), or use ground='equal'",
    )


def _farthest_by_equality(confidential: Confidential) -> float:
    """Half the summed difference: what the class has too much of its own values."""
    excess = np.maximum(confidential.shares - confidential.table_shares[confidential.held], 0)
    return float(np.add.reduceat(excess, confidential.begin[:-1]).max())


def _farthest_by_rank(confidential: Confidential, gaps: Floats) -> float:
    """The distance where values stand in a line: what has to pass each gap, times its width."""
    table_shares, values = confidential.table_shares, len(confidential.used)
    at_a_time = max(1, CELLS_AT_A_TIME // values)
    farthest = 0.0
    for first in range(0, len(confidential.sizes), at_a_time):
        sizes = confidential.sizes[first : first + at_a_time]
        inside = slice(confidential.begin[first], confidential.begin[first + len(sizes)])
        width = np.diff(confidential.begin[first : first + len(sizes) + 1])
        share = np.zeros((len(sizes), values))
        group = np.repeat(np.arange(len(sizes)), width)
        share[group, confidential.held[inside]] = confidential.times[inside]
        share /= sizes[:, None]
        share -= table_shares
        passing = np.cumsum(share, axis=1, out=share)[:, :-1]
        farthest = max(farthest, float((np.abs(passing) @ gaps).max()))
    return farthest


# ---------------------------------------------------------------- transport


def is_close(confidential: Confidential, t: float) -> bool:
    """Whether every class is at most ``t`` from the whole table, by the ground of the attribute.

    Transport problems are solved only for classes whose bounds do not decide.
    """
    tree = confidential.tree if confidential.ground == "semantic" else None
    if tree is None or confidential.has_unknown_class or not confidential.records:
        return closeness(confidential, confidential.ground) <= t
    lower, upper = _class_bounds(confidential, tree)
    if upper.max() <= t or lower.max() > t:
        return bool(upper.max() <= t)
    return closeness(confidential, "semantic") <= t


def _class_bounds(confidential: Confidential, tree: GroundTree) -> tuple[Floats, Floats]:
    return tree.transport_bounds(
        confidential.begin, confidential.held, confidential.shares, confidential.table_shares
    )


def _farthest_by_meaning(confidential: Confidential, attribute: NominalAttribute) -> float:
    """The greatest earth mover's distance of a class, most promising classes first."""
    tree = confidential.tree
    assert tree is not None
    lower, upper = _class_bounds(confidential, tree)
    if tree.exact:
        return float(upper.max())
    single = np.flatnonzero(np.diff(confidential.begin) == 1)
    values = confidential.held[confidential.begin[single]]
    lower[single] = upper[single] = _mean_distances(confidential, attribute, values)
    farthest = float(lower.max())
    for g in np.argsort(-upper, kind="stable").tolist():
        if upper[g] <= farthest:
            break  # nor can any class after it be farther
        problem = _transport_problem(confidential, g, attribute.measure in METRICS)
        cost = _ground_distances(confidential, attribute, problem[0], problem[2])
        least, most = _transport_bounds(*problem, cost)
        if most > farthest:
            solved = most if most - least <= 0 else _transport_cost(*problem, cost)
            farthest = max(farthest, solved)
    return farthest


def _mean_distances(
    confidential: Confidential, attribute: NominalAttribute, values: Longs
) -> Floats:
    """From each value to all of the table: what a class of this value alone has to move."""
    different, place = np.unique(values, return_inverse=True)
    every = np.arange(len(confidential.used))
    at_a_time = max(1, MOST_DISTANCES // len(every))
    means = [
        _ground_distances(confidential, attribute, different[first : first + at_a_time], every)
        @ confidential.table_shares
        for first in range(0, len(different), at_a_time)
    ]
    return np.asarray(np.concatenate([*means, np.zeros(0)])[place])


def _ground_distances(
    confidential: Confidential, attribute: NominalAttribute, source: Longs, target: Longs
) -> Floats:
    used = confidential.used
    rows = attribute.rows(attribute.place[used[source]])
    return np.asarray(rows[:, used[target]] / FIXED_POINT_ONE)


#: Values to move from and how much, values to move to and how much.
TransportProblem = tuple[Longs, Floats, Longs, Floats]


def _transport_problem(confidential: Confidential, g: int, metric: bool) -> TransportProblem:
    """What the transport between a class and the whole table has to move."""
    inside = slice(confidential.begin[g], confidential.begin[g + 1])
    values, share = confidential.held[inside], confidential.shares[inside]
    table_shares = confidential.table_shares
    if not metric:
        return values, share, np.arange(len(table_shares)), table_shares
    missing = table_shares.copy()
    missing[values] -= share
    source, target = np.flatnonzero(missing < 0), np.flatnonzero(missing > 0)
    return source, -missing[source], target, missing[target]


def _transport_bounds(
    source: Longs, supply: Floats, target: Longs, demand: Floats, cost: Floats
) -> tuple[float, float]:
    """Between what and what the cost of a transport lies.

    Below: every value gets all it needs beyond its own from the nearest. Above: the cheapest links
    are used first, as far as they go.
    """
    from ontomask.risk import kernels

    if not source.size or not target.size:
        return 0.0, 0.0
    own = source[:, None] == target
    beyond = np.maximum(demand - supply @ own, 0)
    nearest = np.where(own, np.inf, cost).min(axis=0, initial=1.0)
    order = np.argsort(cost, axis=None, kind="stable")
    most = kernels.greedy_transport_cost(order, cost, supply.copy(), demand.copy())
    return min(float(beyond @ nearest), most), most


def _transport_cost(
    source: Longs, supply: Floats, target: Longs, demand: Floats, cost: Floats
) -> float:
    """The least cost of a transport, by linear programming."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    rows, columns = len(source), len(target)
    if rows * columns > LARGEST_TRANSPORT:
        raise ParameterError(
            f"the transport problem of a class with {rows:,} values against {columns:,} has "
            f"{rows * columns:,} cells; the limit is {LARGEST_TRANSPORT:,}",
            "use ground='equal', or generalise the attribute",
        )
    cell = np.arange(rows * columns)
    constraint = np.concatenate([cell // columns, rows + cell % columns])
    sums = coo_array((np.ones(2 * cell.size), (constraint, np.tile(cell, 2)))).tocsr()
    amounts = np.concatenate([supply, demand * (supply.sum() / demand.sum())])
    solution = linprog(cost.ravel(), A_eq=sums, b_eq=amounts)
    if not solution.success:
        raise InternalError(f"a transport problem was not solved: {solution.message}")
    return float(solution.fun)
