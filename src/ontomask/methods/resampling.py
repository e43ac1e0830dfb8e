"""Resampling: sorted random samples side by side, each rank a group (SF algorithm 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.method import BlockwiseMethod, GroupingMethod
from ontomask.methods.operators import Operators
from ontomask.methods.settings import BlockSize, OperatorChoice
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation

__all__ = ["Resampling"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class RecordCounts(NamedTuple):
    """Some records: which tuples, each once, and how many records of each."""

    tuples: Longs
    counts: Longs


@dataclass(frozen=True)
class Resampling(BlockwiseMethod, GroupingMethod):
    r"""Draw ``k`` random samples and sort them; the i-th records of all samples form a group.

    Each group takes the values of its centroid, so the result is k-anonymous. A sample has
    :math:`\lfloor n/k \rfloor` records, drawn without replacement. It is sorted by SF algorithm 1:
    first the combination of values farthest from the centroid of the sample, then the others by
    their distance to that one. Both distances are multiplied by the number of records in the
    sample. The :math:`n \bmod k` records that are in no sample join the group with the nearest
    centroid (SF algorithm 4).

    Departures from the paper: SF 3.3 names the centroid as the reference of the sorting. Here it is
    the record farthest from the centroid, as in algorithm 1.

    Args:
        k: Number of samples, and smallest number of records in a group; at least 2.
        operators: ``"semantic"``, or ``"classic"``, which only distinguishes equal and unequal
            words.
        block: Largest number of combinations of values that are planned together; see
            :class:`Microaggregation`.

    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> ages = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([ages], [np.array([0, 1, 1, 1, 2, 2, 2, 2])])
    >>> plan = Resampling(k=3).plan(tuples, np.random.default_rng(1))
    >>> bool((plan.class_sizes() >= 3).all())
    True
    """

    operators: OperatorChoice = "semantic"
    block: BlockSize = None

    summary: ClassVar[str] = (
        "k-anonymous: forms groups across random samples and replaces values by their centroid."
    )
    help: ClassVar[str] = "Loses much more information than microaggregation."
    compares_values: ClassVar[bool] = True

    @property
    def keeps_tuples_together(self) -> bool:
        """Records of a tuple may be in several samples."""
        return False

    @property
    def description(self) -> str:
        """How groups were formed."""
        return (
            f"groups of at least {self.k:,} records were formed across random samples sorted by "
            "similarity, and their values were replaced by the centroid of the group"
        )

    @property
    def because(self) -> str:
        """Who forms a group, and what it takes."""
        classic = self.operators == "classic"
        taken = "their most frequent combination of values" if classic else "their centroid"
        return (
            f"{self.k} samples are drawn at random and sorted. Records of the same rank form a "
            f"group and take {taken}"
        )

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain random groups, which a plan does not keep."""
        return masked.explain_by_target(
            "The groups were drawn at random and are not stored. The list below shows the records "
            "that got the same values, from one group or several."
        )

    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Draw the samples; all later steps are deterministic."""
        self.check(tuples)
        samples, others = draw_samples(tuples.counts, self.k, random)
        return resample(Operators(tuples, setting=self.operators), samples, others)


# ---------------------------------------------------------------- chance


def draw_samples(
    counts: Longs, k: int, random: np.random.Generator
) -> tuple[list[RecordCounts], RecordCounts]:
    """Draw ``k`` samples of n // k records without replacement; the samples, and the rest."""
    size = int(counts.sum()) // k
    everyone = RecordCounts(np.arange(len(counts)), counts)
    sampled, others = _draw_records(everyone, k * size, random)
    return list(_split_samples(sampled, k, size, random)), others


def _split_samples(
    records: RecordCounts, k: int, size: int, random: np.random.Generator
) -> Iterator[RecordCounts]:
    """Split records at random in two again and again: a tuple is soon in few of the parts."""
    if k == 1:
        yield records
        return
    for half, part in zip(
        (k // 2, k - k // 2), _draw_records(records, k // 2 * size, random), strict=True
    ):
        yield from _split_samples(part, half, size, random)


def _draw_records(
    records: RecordCounts, size: int, random: np.random.Generator
) -> tuple[RecordCounts, RecordCounts]:
    """Draw ``size`` of the records without replacement; the drawn ones, and the others."""
    # The other way of drawing ("count") would list every record.
    taken = random.multivariate_hypergeometric(records.counts, size, method="marginals")
    return _nonzero_records(records.tuples, taken), _nonzero_records(
        records.tuples, records.counts - taken
    )


def _nonzero_records(tuples: Longs, counts: Longs) -> RecordCounts:
    present = np.flatnonzero(counts)
    return RecordCounts(tuples[present], counts[present])


# ---------------------------------------------------------------- what follows from it


def resample(
    operators: Operators, samples: list[RecordCounts], others: RecordCounts
) -> Transitions:
    """Sort the samples, group records of the same rank, and send each group to its centroid."""
    groups = _group_by_rank(_sort_samples(operators, samples), len(operators.tuples))
    groups = _join_left_over(operators, groups, others)
    return groups.transitions(operators)


def _sort_samples(operators: Operators, samples: list[RecordCounts]) -> list[RecordCounts]:
    """Sort each sample by SF algorithm 1; records of one tuple stay together."""
    start = np.cumsum([0, *(len(sample.tuples) for sample in samples)])
    flat = RecordCounts(*(np.concatenate(column) for column in zip(*samples, strict=True)))
    centroids = _record_centroids(operators, start, flat)
    targets = operators.tuples.targets()
    places = operators.tuples.codes + operators.offset[:, None]

    def weighted(target: Floats, sample: RecordCounts) -> Longs:
        apart = operators.row(target)[places[:, sample.tuples]]
        return apart.sum(axis=0, dtype=np.int64) * sample.counts

    def in_order(sample: RecordCounts, centroid: Floats) -> RecordCounts:
        if len(sample.tuples) == 1:
            return sample
        reference = int(np.argmax(weighted(centroid, sample)))
        distances = weighted(targets[sample.tuples[reference]], sample)
        distances[reference] = -1
        order = np.argsort(distances, kind="stable")
        return RecordCounts(sample.tuples[order], sample.counts[order])

    return [in_order(*pair) for pair in zip(samples, centroids, strict=True)]


@dataclass(frozen=True)
class _RankGroups:
    """Groups of records; ``times[g]`` equal ones are held once.

    ``records`` of group ``g``, tuples in sorted order, are those from ``start[g]`` to
    ``start[g + 1]``.
    """

    start: Longs
    records: RecordCounts
    times: Longs

    @staticmethod
    def from_records(
        group: Longs, tuples: Longs, counts: Longs, times: Longs, p: int
    ) -> _RankGroups:
        """Build groups from the group, tuple and count of records; a tuple may occur twice."""
        key, counts = _sum_by_key(group * p + tuples, counts)
        start = np.searchsorted(key, np.arange(len(times) + 1) * p)
        return _RankGroups(start, RecordCounts(key % p, counts), times)

    def group(self) -> Longs:
        """The group that each of the records is in."""
        return np.repeat(np.arange(len(self.times)), np.diff(self.start))

    def transitions(self, operators: Operators) -> Transitions:
        """Every group to its centroid."""
        centroids = _record_centroids(operators, self.start, self.records)
        group = self.group()
        count = self.records.counts * self.times[group]
        return Transitions.from_pairs(
            operators.tuples, centroids, self.records.tuples, group, count
        )


def _group_by_rank(samples: list[RecordCounts], p: int) -> _RankGroups:
    """Group the i-th records of all samples, for every i; runs of equal groups are held once."""
    ends = [np.cumsum(sample.counts) for sample in samples]
    cuts = np.unique(np.concatenate(ends))
    first = np.concatenate(([0], cuts[:-1]))
    columns = [
        sample.tuples[np.searchsorted(end, first, side="right")]
        for sample, end in zip(samples, ends, strict=True)
    ]
    group = np.tile(np.arange(len(cuts)), len(samples))
    return _RankGroups.from_records(
        group, np.concatenate(columns), np.ones(len(group), dtype=np.int64), cuts - first, p
    )


def _join_left_over(operators: Operators, groups: _RankGroups, others: RecordCounts) -> _RankGroups:
    """Add the records in no sample to the group with the nearest centroid."""
    if not len(others.tuples):
        return groups
    centroids = _record_centroids(operators, groups.start, groups.records)
    nearest = [int(np.argmin(operators.between(centroids, t))) for t in others.tuples.tolist()]
    # Of equal groups the first is joined: it parts from the others, and comes last of all.
    parted, place = np.unique(nearest, return_inverse=True)
    times = np.concatenate((groups.times, np.ones(len(parted), dtype=np.int64)))
    times[parted] -= 1
    new = np.full(len(groups.times), -1)
    new[parted] = len(groups.times) + np.arange(len(parted))
    group = groups.group()
    copied = np.flatnonzero(new[group] >= 0)
    kept = np.flatnonzero(times[group] > 0)
    numbers = np.cumsum(times > 0) - 1
    both = np.concatenate((kept, copied))
    return _RankGroups.from_records(
        numbers[np.concatenate((group[kept], new[group[copied]], len(groups.times) + place))],
        np.concatenate((groups.records.tuples[both], others.tuples)),
        np.concatenate((groups.records.counts[both], others.counts)),
        times[times > 0],
        len(operators.tuples),
    )


def _record_centroids(operators: Operators, start: Longs, records: RecordCounts) -> Floats:
    """The centroid of each group of records, counted as they are in the group."""
    tuples = operators.tuples
    attributes, codes = tuples.attributes, tuples.codes[:, records.tuples]
    if operators.classic:
        inside = Operators(Tuples(attributes, codes, records.counts), setting="classic")
        return inside.centroids(start, np.arange(len(records.tuples)))
    group = np.repeat(np.arange(len(start) - 1), np.diff(start))
    columns = []
    for j, attribute in enumerate(attributes):
        # A sample holds far fewer values than tuples.
        key, counts = _sum_by_key(group * attribute.size + codes[j], records.counts)
        values = (key % attribute.size).astype(np.int32)
        begin = np.searchsorted(key, np.arange(len(start)) * attribute.size)
        if isinstance(attribute, NumericalAttribute):
            columns.append(attribute.centroids(begin[:-1], values, counts))
            continue
        inside = Operators(Tuples((attribute,), values[None], counts))
        inside.tables = [operators.tables[j]]
        columns.append(inside.centroids(begin, np.arange(len(key))).ravel())
    return np.column_stack(columns)


def _sum_by_key(keys: Longs, counts: Longs) -> tuple[Longs, Longs]:
    """The distinct keys, in order, and the sum of the counts of each."""
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[first], np.add.reduceat(counts, first)
