"""Record linkage: how many masked records an attacker with the original table gets right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from os import cpu_count
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.attributes import (
    FIXED_POINT_ONE,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
    number_distances,
)
from ontomask.microdata.sets import closures
from ontomask.microdata.sets.set_concepts import has_sets, held_concepts
from ontomask.microdata.tuples import Transitions, Tuples, cache_per_plan, count_tuples

__all__ = [
    "Linkage",
    "LinkageSearch",
    "has_no_zero_distance",
    "linkage_by_attribute",
    "linkage_nearest",
    "linkage_text",
    "projected",
    "unchanged",
    "wilson_interval",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Targets times tuples up to which a loop of its own for short numbers takes longer to compile
#: than it saves.
LITTLE = 100_000_000
#: Targets looked at in one go: the rows of the distance tables that they need are few.
TARGETS_AT_A_TIME = 512
#: A sample is never smaller than this (unless the table is).
SMALLEST_SAMPLE = 2_000
#: Wider tables than this are linked by smaller samples.
FEW_COLUMNS = 4
#: 95 % of a normal distribution lie within this number of standard deviations of the mean.
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Linkage:
    """The result of linking masked records to their nearest originals.

    All shares are from 0 to 1; lower is better.

    Attributes:
        linked: Share of records linked correctly. If several originals are equally near, each
            counts with an equal share.
        among_uniques: The same among records that no other original record equals; None if there is
            none (or none in the sample).
        above: Share of records linked correctly with a probability above 1/k; None without a k.
        unchanged: Share of all records that masking did not change.
        tuples: Number of distinct masked combinations of values that were linked.
        records: Number of records with these values.
        sampled: Whether the records are a sample.
        interval: 95 % confidence interval of ``linked`` for a sample; otherwise None.
    """

    linked: float
    among_uniques: float | None
    above: float | None
    unchanged: float
    tuples: int
    records: int
    sampled: bool = False
    interval: tuple[float, float] | None = None


def unchanged(plan: Transitions) -> float:
    """Share of records that masking did not change, from 0 to 1; lower is better."""
    return int(plan.count[_unchanged_transitions(plan)].sum()) / plan.tuples.records


def linkage_text(plan: Transitions) -> float:
    r"""Share of records linked by exact comparison with the original table.

    .. math:: RL = \frac{1}{n} \sum_i P(i), \qquad
        P(i) = \begin{cases} 1/|L_i| & i \in L_i \\ 0 & \text{otherwise} \end{cases}

    :math:`L_i` are the original records equal to masked record :math:`i` in all quasi-identifiers
    (TM eq. 14-15, as a share instead of per cent). A changed record counts 0, so the figure says
    little about methods that change most records; see :func:`linkage_nearest`. A suppressed record
    is not linked. From 0 to 1; lower is better.

    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> age = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([age], [np.array([0, 1, 1, 2])])
    >>> plan = Transitions.from_targets(tuples, np.array([[30.0], [40.0]]), np.array([0, 1, 1]))
    >>> linkage_text(plan)  # 30 is found for certain, each 40 with 1/2, and 50 not
    0.5
    """
    same = _unchanged_transitions(plan)
    links = plan.count[same] / plan.tuples.counts[plan.source[same]]
    return float(links.sum()) / plan.tuples.records


def _unchanged_transitions(plan: Transitions) -> NDArray[np.bool_]:
    """Which transitions change nothing."""
    same = np.ones(len(plan.source), dtype=np.bool_)
    for j, attribute in enumerate(plan.tuples.attributes):
        original = attribute.round_targets(attribute.target_of(plan.tuples.codes[j]))
        masked = attribute.round_targets(plan.targets[:, j])
        same &= original[plan.source] == masked[plan.target]
    return same


def linkage_nearest(
    plan: Transitions,
    k: int | None = None,
    most: int = 100_000,
    random: np.random.Generator | None = None,
) -> Linkage:
    r"""Record linkage: link each masked record to the nearest original records.

    .. math:: P(i) = \begin{cases} 1/|N_i| & i \in N_i \\ 0 & \text{otherwise} \end{cases}

    :math:`N_i` are the original records at the smallest distance from masked record :math:`i`. The
    distance is the weighted mean over the attributes (RS eq. 9), compared in fixed point so that
    ties are exact. ``linked`` is the mean of :math:`P`. Suppressed values are ignored: the other
    attributes decide. A record with only suppressed values is not linked.

    A share near 0 does not prove protection against a better attack.

    Args:
        plan: The transitions of a release.
        k: Also compute the share of records linked with a probability above 1/k.
        most: The result is exact up to this number of distinct original or masked combinations of
            values of four columns; with more columns, of fewer combinations. Beyond that, a random
            sample of the masked records is linked against all originals.
        random: The generator that draws the sample. Without it, the sample is always the same.

    Returns:
        The shares. If they come from a sample, ``interval`` is Wilson's 95 % interval, which is
        meant for yes and no and therefore rather too wide than too narrow.

    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> age = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([age], [np.array([0, 1, 1, 2])])
    >>> plan = Transitions.from_targets(tuples, np.array([[33.0], [45.0]]), np.array([0, 1, 1]))
    >>> linkage_nearest(plan).linked  # 33 is next to 30; 45 is as near to the two 40 as to 50
    0.5
    """
    if k is not None and k < 1:
        raise ParameterError(f"k must be a positive integer, got {k!r}")
    chosen, sampled = _choose_records(plan, most, random)
    shared = _count_link_sharers(plan, chosen) if sampled else _count_all_link_sharers(plan)
    records = int(chosen.sum())
    linked = _count_correct_links(chosen, shared) / records
    unique = plan.tuples.counts[plan.source] == 1
    uniques = int(chosen[unique].sum())
    few = (shared > 0) & (shared < k) if k is not None else None
    return Linkage(
        linked=linked,
        among_uniques=_count_correct_links(chosen[unique], shared[unique]) / uniques
        if uniques
        else None,
        above=None if few is None else int(chosen[few].sum()) / records,
        unchanged=unchanged(plan),
        tuples=len(np.unique(plan.target[chosen > 0])),
        records=records,
        sampled=sampled,
        interval=wilson_interval(linked, records) if sampled else None,
    )


def _count_correct_links(chosen: Longs, shared: Longs) -> float:
    """How many records are linked correctly, when ``shared`` records share each link."""
    sizes, place = np.unique(shared, return_inverse=True)
    records = np.bincount(place, weights=chosen)  # whole numbers: their order does not matter
    return float((records[sizes > 0] / sizes[sizes > 0]).sum())


def _choose_records(
    plan: Transitions, most: int, random: np.random.Generator | None
) -> tuple[Longs, bool]:
    """How many records of each transition are linked, and whether they are a sample."""
    if most < 1:
        raise ParameterError(f"most must be a positive integer, got {most!r}")
    largest = max(len(plan.tuples), len(plan.targets))
    # As much work as ``most`` tuples of few columns would make, whatever the size of the table.
    wide = max(len(plan.tuples.attributes) / FEW_COLUMNS, 1)
    size = max(SMALLEST_SAMPLE, int(most * most / (max(largest, 1) * wide)))
    if largest * largest * wide <= most * most or size >= plan.tuples.records:
        return plan.count, False
    random = random or np.random.default_rng(0)
    sample = random.choice(plan.tuples.records, size, replace=False, shuffle=False)
    transition = np.searchsorted(np.cumsum(plan.count), sample, side="right")
    return np.bincount(transition, minlength=len(plan.count)), True


def wilson_interval(share: float, records: int) -> tuple[float, float]:
    """Wilson's interval for a share."""
    z = NORMAL_95**2 / records
    middle = (share + z / 2) / (1 + z)
    half = sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    return max(0.0, middle - half), min(1.0, middle + half)


def linkage_by_attribute(
    plan: Transitions, most: int = 100_000, random: np.random.Generator | None = None
) -> dict[str, dict[str, float | None]]:
    """Record linkage with each attribute alone, and with all attributes except it.

    An attribute is risky if ``"alone"`` is high, or if ``"without"`` is much lower than
    :func:`linkage_nearest` with all attributes.

    Args:
        plan: The transitions of a release.
        most: As in :func:`linkage_nearest`, for all attributes together.
        random: As in :func:`linkage_nearest`.

    Returns:
        The shares ``"alone"`` and ``"without"`` by attribute, from 0 to 1; lower is better.
        ``"without"`` is None if there is no other attribute.
    """
    every = range(len(plan.tuples.attributes))
    most = max(int(most * sqrt(FEW_COLUMNS / max(len(every), FEW_COLUMNS))), 1)

    def share_linked(attributes: Sequence[int]) -> float | None:
        if not attributes:
            return None
        return linkage_nearest(projected(plan, attributes), most=most, random=random).linked

    return {
        attribute.name: {
            "alone": share_linked([j]),
            "without": share_linked([i for i in every if i != j]),
        }
        for j, attribute in enumerate(plan.tuples.attributes)
    }


def projected(plan: Transitions, attributes: Sequence[int]) -> Transitions:
    """The same plan for some of the attributes, given by position."""
    indices = list(attributes)
    if indices == list(range(len(plan.tuples.attributes))):
        return plan
    projected_attributes = [plan.tuples.attributes[j] for j in indices]
    tuples, place = count_tuples(projected_attributes, [plan.tuples.codes[j] for j in indices])
    counts = np.bincount(place, weights=plan.tuples.counts, minlength=len(tuples))
    tuples = replace(tuples, counts=counts.astype(np.int64))
    return Transitions.from_pairs(
        tuples, plan.targets[:, indices], place[plan.source], plan.target, plan.count
    )


# ---------------------------------------------------------------- the search


@cache_per_plan
def _count_all_link_sharers(plan: Transitions) -> Longs:
    """How many records share the link of each transition; the same for every k."""
    return _count_link_sharers(plan, plan.count)


def _count_link_sharers(plan: Transitions, chosen: Longs) -> Longs:
    """How many records share the link of each transition; 0 where it leads to others.

    Only of the transitions that are ``chosen`` more than 0 times.
    """
    shared = np.zeros(len(plan.source), dtype=np.int64)
    wanted = np.flatnonzero((chosen > 0) & ~plan.suppressed_targets[plan.target])
    equal_tuple = _equal_tuples(plan)[plan.target[wanted]]
    right = wanted[equal_tuple == plan.source[wanted]]
    shared[right] = plan.tuples.counts[plan.source[right]]
    wanted = wanted[equal_tuple < 0]
    wanted = wanted[np.argsort(plan.target[wanted], kind="stable")]
    targets, begin = np.unique(plan.target[wanted], return_index=True)
    ends = np.append(begin, len(wanted))
    search = LinkageSearch(plan.tuples, plan.targets[targets])

    def link(block: slice) -> None:
        least, records = _find_nearest(search, block)
        transitions = wanted[ends[block.start] : ends[block.stop]]
        place = np.searchsorted(targets[block], plan.target[transitions])
        right = search.distances(block.start + place, plan.source[transitions]) == least[place]
        shared[transitions] = np.where(right, records[place], 0)

    _run_in_threads(link, list(_split_into_blocks(len(targets))))
    return shared


def _equal_tuples(plan: Transitions) -> Longs:
    """The tuple that equals each target, and so is nearest to it; -1 where none does.

    -1 for all where different tuples may be at no distance: a tuple is not its only nearest then.
    """
    attributes = plan.tuples.attributes
    if not all(has_no_zero_distance(a, max(b.weight for b in attributes)) for a in attributes):
        return np.full(len(plan.targets), -1)
    both = np.vstack([plan.tuples.targets(), plan.targets])
    codes = [np.unique(column, return_inverse=True)[1] for column in both.T]
    distinct, place = count_tuples(attributes, codes)
    own = np.full(len(distinct), -1)
    own[place[: len(plan.tuples)]] = np.arange(len(plan.tuples))
    return own[place[len(plan.tuples) :]]


def has_no_zero_distance(attribute: Attribute, heaviest: float) -> bool:
    """Whether no two different values have distance 0, in fixed point."""
    share = attribute.weight / (heaviest or 1.0)
    if isinstance(attribute, NumericalAttribute):
        steps = np.diff(attribute.known_numbers) / (attribute.range or 1.0)
        steps = np.append(steps, 1.0)  # from a missing one to the others
        return bool((np.rint(steps * share * FIXED_POINT_ONE) > 0).all())
    assert isinstance(attribute, NominalAttribute)
    if attribute not in _LEAST_DISTANCES:
        _LEAST_DISTANCES[attribute] = _least_distance(attribute)
    return bool(np.rint(_LEAST_DISTANCES[attribute] * share) > 0)


#: The least distance between two different values of an attribute, once it is known.
_LEAST_DISTANCES: WeakKeyDictionary[NominalAttribute, float] = WeakKeyDictionary()


def _least_distance(attribute: NominalAttribute) -> float:
    """The least distance between two values, in fixed point.

    It is 0 as well where a value is at a distance from itself. Of sets it is a lower bound: two
    different closures, each with at most so many concepts, differ by at least one.
    """
    least = FIXED_POINT_ONE
    if has_sets(attribute):
        held = held_concepts(attribute.domain, attribute.domain.codes(list(attribute.values)))
        largest = closures(attribute.domain, held).sizes().max(initial=1)
        return float(np.floor(np.log2(1 + 1 / (2 * largest)) * FIXED_POINT_ONE))
    for block in _split_into_blocks(attribute.size):
        rows = attribute.rows(attribute.place[block])
        own = np.arange(len(rows)), np.arange(block.start, block.stop)
        if rows[own].any():
            return 0.0
        rows[own] = FIXED_POINT_ONE
        least = min(least, float(rows.min()))
    return least


def _run_in_threads(work: Callable[[slice], None], blocks: Sequence[slice]) -> None:
    if len(blocks) < 2:
        for block in blocks:
            work(block)
        return
    pool = ThreadPoolExecutor(min(4, cpu_count() or 1))
    try:
        list(pool.map(work, blocks))
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C waits for the blocks under way only


def _split_into_blocks(size: int) -> Iterator[slice]:
    for first in range(0, size, TARGETS_AT_A_TIME):
        yield slice(first, min(first + TARGETS_AT_A_TIME, size))


def _find_nearest(search: LinkageSearch, block: slice) -> tuple[Longs, Longs]:
    """For each target of a block the least distance to a tuple, and the records at it.

    Distances are those of :meth:`LinkageSearch.distances`.
    """
    from ontomask.risk import kernels

    size = block.stop - block.start
    least, records = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    lines, tables = search.tables(block)
    kernels.nearest(
        search.offset,
        lines,
        tables,
        search.targets[block],
        search.numbers,
        search.unit,
        search.codes,
        search.tuples.counts,
        search.begin,
        least,
        records,
    )
    return least, records


class LinkageSearch:
    """How targets compare with tuples: by whole numbers, multiples of the distance.

    The scale is that of the masking methods: the attribute of the greatest weight has 2^28 for a
    distance of 1.
    """

    def __init__(self, tuples: Tuples, targets: Floats) -> None:
        self.tuples = tuples
        self.targets = np.ascontiguousarray(targets)
        self.codes = tuples.codes.astype(np.uint32)
        attributes = tuples.attributes
        self.offset: Longs = np.cumsum([0, *(a.size for a in attributes)], dtype=np.int64)
        scale = FIXED_POINT_ONE / (max(a.weight for a in attributes) or 1.0)
        self.factors = [a.weight * scale for a in attributes]
        self.numbers = np.zeros(self.offset[-1])
        self.unit = np.zeros((len(attributes), 3))
        for j, attribute in enumerate(attributes):
            if isinstance(attribute, NumericalAttribute):
                self.numbers[self.offset[j] : self.offset[j + 1]] = attribute.numbers
                # Where all numbers are equal, their distances from anything do not count.
                factor = self.factors[j]
                self.unit[j] = (attribute.range or 1.0, factor if attribute.range else 0.0, factor)
            elif isinstance(attribute, NominalAttribute):
                attribute.rows(
                    np.zeros(1, dtype=np.int64)
                )  # makes the table, before there are threads

    @cached_property
    def begin(self) -> Longs:
        """Where the tuples of each value of the first attribute begin, and their end."""
        return np.searchsorted(self.tuples.codes[0], np.arange(self.offset[1] + 1))

    @cached_property
    def integer_type(self) -> type[np.signedinteger[Any]]:
        """Whole numbers that hold every distance; short ones where they do, being faster.

        Not for little work: each kind has a loop of its own, and compiling it takes longer.
        """
        if len(self.targets) * len(self.tuples) < LITTLE:
            return np.int64
        farthest = 0.0
        for j, attribute in enumerate(self.tuples.attributes):
            distance = 1.0
            goals = self.targets[np.isfinite(self.targets[:, j]), j]
            known = goals[:0]
            if isinstance(attribute, NumericalAttribute):
                known = attribute.known_numbers
            if known.size and goals.size:
                span = self.unit[j, 0]  # masked numbers may lie outside the original ones
                distance = max(
                    1.0,
                    float(goals.max() - known[0]) / span,
                    float(known[-1] - goals.min()) / span,
                )
            farthest += (distance + 1e-6) * self.factors[j]
        return np.int32 if farthest < 2**31 - 1 else np.int64

    def tables(self, block: slice | Longs) -> tuple[Longs, NDArray[Any]]:
        """The distances from targets to all words, end to end; where each target's begin."""
        lines = np.zeros((len(self.targets[block]), len(self.factors)), dtype=np.int64)
        parts: list[NDArray[Any]] = [np.zeros(0, dtype=self.integer_type)]
        length = 0
        for j, attribute in enumerate(self.tuples.attributes):
            if isinstance(attribute, NominalAttribute):
                rows, place = self._distance_rows(j, attribute, self.targets[block, j])
                lines[:, j] = length + place * attribute.size
                parts.append(rows.ravel())
                length += rows.size
        return lines, np.concatenate(parts)

    def _distance_rows(
        self, j: int, attribute: NominalAttribute, targets: Floats
    ) -> tuple[NDArray[Any], Longs]:
        used, place = np.unique(np.nan_to_num(targets).astype(np.int64), return_inverse=True)
        rows = attribute.rows(used)
        if self.factors[j] != FIXED_POINT_ONE:
            return np.rint(rows * (self.factors[j] / FIXED_POINT_ONE)).astype(
                self.integer_type
            ), place
        return rows.astype(self.integer_type, copy=False), place

    def distances(self, targets: Longs, tuples: Longs) -> Longs:
        """The distance of each target, by place, to a tuple."""
        total = np.zeros(len(targets), dtype=np.int64)
        for j, attribute in enumerate(self.tuples.attributes):
            goals, values = self.targets[targets, j], self.tuples.codes[j, tuples]
            known = ~np.isnan(goals)
            goals, values = goals[known], values[known]
            if isinstance(attribute, NominalAttribute):
                rows, place = self._distance_rows(j, attribute, goals)
                total[known] += rows[place, values]
            else:
                assert isinstance(attribute, NumericalAttribute)
                apart = number_distances(attribute.numbers[values], goals, attribute.range)
                total[known] += np.rint(apart * self.factors[j]).astype(np.int64)
        return total
