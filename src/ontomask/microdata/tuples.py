"""The integer heart: distinct tuples with counts, and the transitions between them.

Records with the same quasi-identifier values are interchangeable, so all a masking method needs
to know are the distinct tuples and how many records hold each; and all it needs to say is how many
records of each tuple become which other tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import InternalError
from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.ground_tree import GroundTree

__all__ = ["SensitiveCounts", "Transitions", "Tuples", "count_tuples", "cache_per_plan"]

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class SensitiveCounts:
    """How many records of each tuple hold each known value of an unmasked column: parallel arrays.

    A tuple and a value may be there more than once. ``ordered`` says that the values are numbers,
    and their codes in ascending order. ``table_counts`` is how many records hold each value in the
    whole table, where these are only some of its tuples. ``ground`` is the tree of the values there
    are, where their meaning is to be compared. ``of_kinds`` says which kinds of rows have the
    column, where only those of some tables do.
    """

    name: str
    tuple: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    ordered: bool = False
    table_counts: NDArray[np.int64] | None = None
    ground: GroundTree | None = None
    of_kinds: NDArray[np.bool_] | None = None


@dataclass(frozen=True, eq=False)
class Tuples:
    """The distinct tuples of a table, in sorted order, with counts.

    ``codes[j, t]`` is the place of tuple ``t``'s value among the sorted values of attribute ``j``.
    ``sensitive_counts`` are confidential columns, for methods that keep groups varied, and
    ``people`` says whose the records are, where that is known. ``factors`` are what the distances
    of each attribute are multiplied with, where the whole table, of which these are some tuples,
    says so.
    """

    attributes: tuple[Attribute, ...]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    sensitive_counts: tuple[SensitiveCounts, ...] = ()
    people: SensitiveCounts | None = None
    factors: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())

    def targets(self) -> NDArray[np.float64]:
        """Every tuple as a target of its own: nothing would change."""
        return np.column_stack(
            [a.target_of(c) for a, c in zip(self.attributes, self.codes, strict=True)]
        )

    @property
    def table_bytes(self) -> int:
        """What the tables of distances between words take, once they are made."""
        return sum(
            4 * len(attribute.candidates) * attribute.size
            for attribute in self.attributes
            if isinstance(attribute, NominalAttribute)
        )

    def value_counts(self, attribute: int) -> NDArray[np.int64]:
        """How many records hold each value of an attribute."""
        size = self.attributes[attribute].size
        sums = np.bincount(self.codes[attribute], weights=self.counts, minlength=size)
        return sums.astype(np.int64)


def count_tuples(
    attributes: Sequence[Attribute],
    codes: Sequence[NDArray[np.integer]],
    weights: NDArray[np.int64] | None = None,
) -> tuple[Tuples, NDArray[np.int64]]:
    """The distinct tuples of a table of codes, a column per attribute; each row's tuple.

    A row is a record or, with ``weights``, as many as they say.
    """
    first, record_tuple = _find_distinct_rows(codes)
    counts = np.bincount(record_tuple, weights=weights, minlength=len(first)).astype(np.int64)
    distinct = np.ascontiguousarray(np.stack([np.asarray(c)[first] for c in codes]), dtype=np.int32)
    return Tuples(tuple(attributes), distinct, counts), record_tuple


def _find_distinct_rows(
    columns: Sequence[NDArray[np.integer]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each distinct row is first met, in sorted order; and which of them each row is."""
    key = np.zeros(len(columns[0]), dtype=np.int64)
    first = key
    for column in columns:
        size = int(column.max(initial=0)) + 1
        # Numbering after each column keeps the key small, and keeps the order.
        _, first, key = np.unique(key * size + column, return_index=True, return_inverse=True)
    return first, key


@dataclass(frozen=True, eq=False)
class Transitions:
    """How many records of each tuple become which target.

    ``targets`` are rows of targets, one column per attribute (see
    :mod:`ontomask.microdata.attributes`); NaN in all columns is a suppressed record, in one a
    suppressed value. ``source``, ``target`` and ``count`` run in parallel, sorted by source, then
    target; every record of every tuple is accounted for.

    ``unpaired`` is for swapping: how many values of each attribute kept their place because there
    was none to swap them with.
    """

    tuples: Tuples
    targets: NDArray[np.float64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    count: NDArray[np.int64]
    unpaired: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sums = np.bincount(self.source, weights=self.count, minlength=len(self.tuples))
        if not np.array_equal(sums.astype(np.int64), self.tuples.counts):
            raise InternalError("the transitions do not account for every record")

    def class_sizes(self) -> NDArray[np.int64]:
        """How many records each target is given to."""
        sums = np.bincount(self.target, weights=self.count, minlength=len(self.targets))
        return sums.astype(np.int64)

    @property
    def has_one_target_per_tuple(self) -> bool:
        """Whether all records of each tuple become the same."""
        return len(self.source) == len(self.tuples)

    @property
    def suppressed_targets(self) -> NDArray[np.bool_]:
        """Which targets are those of suppressed records."""
        return np.asarray(np.isnan(self.targets).all(axis=1))

    def released_targets(self, drops: bool) -> NDArray[np.bool_]:
        """Which targets are released: all or, with ``drops``, all but those of suppressed ones."""
        return ~self.suppressed_targets if drops else np.ones(len(self.targets), dtype=bool)

    def target_of(self) -> NDArray[np.int64]:
        """What each tuple becomes, where all go whole."""
        target = np.empty(len(self.tuples), dtype=np.int64)
        target[self.source] = self.target
        return target

    @staticmethod
    def from_pairs(
        tuples: Tuples,
        targets: NDArray[np.float64],
        source: NDArray[np.integer],
        target: NDArray[np.integer],
        count: NDArray[np.integer],
    ) -> Transitions:
        """Transitions from parallel arrays; equal targets are merged and their counts summed.

        Blank targets are equal too.
        """
        first, place = Transitions.find_equal_targets(targets)
        key, pair = np.unique(source * len(first) + place[target], return_inverse=True)
        sums = np.bincount(pair.ravel(), weights=count).astype(np.int64)
        return Transitions(tuples, targets[first], *np.divmod(key, len(first)), sums)

    @staticmethod
    def find_equal_targets(
        targets: NDArray[np.float64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each different target is first met, in sorted order; and which each one is."""
        return _find_distinct_rows([np.unique(c, return_inverse=True)[1] for c in targets.T])

    @staticmethod
    def from_records(
        tuples: Tuples, codes: Sequence[NDArray[np.integer]], unpaired: Sequence[int] = ()
    ) -> Transitions:
        """Transitions from the new values of every record (places), in the order of the tuples."""
        masked, target = count_tuples(tuples.attributes, codes)
        source = np.repeat(np.arange(len(tuples)), tuples.counts)
        key, count = np.unique(source * len(masked) + target, return_counts=True)
        pairs = np.divmod(key, len(masked))
        return Transitions(tuples, masked.targets(), *pairs, count, tuple(unpaired))

    @staticmethod
    def from_targets(
        tuples: Tuples, targets: NDArray[np.float64], target: NDArray[np.integer]
    ) -> Transitions:
        """All records of tuple ``t`` become row ``target[t]`` of ``targets``, rounded."""
        rounded = [a.round_targets(c) for a, c in zip(tuples.attributes, targets.T, strict=True)]
        return Transitions.from_pairs(
            tuples, np.column_stack(rounded), np.arange(len(tuples)), target, tuples.counts
        )


def cache_per_plan(compute: Callable[[Transitions], Result]) -> Callable[[Transitions], Result]:
    """Cache the result of a function of a plan for as long as the plan exists."""
    results: WeakKeyDictionary[Transitions, Result] = WeakKeyDictionary()

    @wraps(compute)
    def cached(plan: Transitions) -> Result:
        if plan not in results:
            results[plan] = compute(plan)
        return results[plan]

    return cached
