"""l-diversity: what the equivalence class alone reveals about a person.

Machanavajjhala et al., "l-diversity: privacy beyond k-anonymity" (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.distinct_values import sum_by_key
from ontomask.microdata.ground_tree import GroundTree

__all__ = [
    "Confidential",
    "count_homogeneous_people",
    "distinct_diversity",
    "entropy_diversity",
    "homogeneous_records",
    "recursive_diversity",
]

Ints = NDArray[np.integer]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Confidential:
    """Frequencies of the values of a sensitive attribute in each equivalence class.

    The three arrays are parallel, in any order. Only known values are counted by measures of
    diversity and closeness. A class without any has an l of 0 and a t of 1.

    Args:
        name: Name of the attribute.
        classes: Number of an equivalence class.
        values: Position of a value among the sorted values of the attribute; -1 if it is missing.
        counts: Number of records of that class with that value.
        attribute: The attribute itself; needed only for distances between values.
        ground: How its values are compared in t-closeness, as in
            :func:`~ontomask.risk.closeness`.
        homogeneous_people: As :func:`count_homogeneous_people` counts them; None if nobody is known
            by name.

    >>> Confidential("outcome", np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([2, 3, 5]))
    Confidential('outcome': 10 records, 2 classes, 2 values)
    """

    name: str
    classes: Ints
    values: Ints
    counts: Ints
    attribute: Attribute | None = None
    ground: str = "equal"
    homogeneous_people: int | None = None

    def __post_init__(self) -> None:
        if not len(self.classes) == len(self.values) == len(self.counts):
            raise ParameterError(
                f"classes, values and counts of {self.name!r} must have the same length, got "
                f"{len(self.classes):,}, {len(self.values):,} and {len(self.counts):,}",
            )
        if len(self.counts) and (np.min(self.counts) < 1 or np.min(self.values) < -1):
            raise ParameterError(
                f"counts of {self.name!r} must be at least 1, and values at least 0, or -1 where "
                "they are missing",
                "leave out values that do not occur in a class",
            )
        most = np.max(self.values, initial=-1)
        if self.attribute is not None and most >= self.attribute.size:
            raise ParameterError(
                f"values of {self.name!r} must be below {self.attribute.size:,}, the number of "
                f"values of the attribute, got {most:,}",
                "number the values from 0, as the attribute does",
            )

    def __repr__(self) -> str:
        return (
            f"Confidential({self.name!r}: {self.records:,} records, "
            f"{len(np.unique(self.classes)):,} classes, {len(self.used):,} values)"
        )

    @property
    def records(self) -> int:
        """Number of records, with a known value or without."""
        return int(self.counts.sum())

    @cached_property
    def _is_known(self) -> NDArray[np.bool_]:
        return np.asarray(self.values) >= 0

    @cached_property
    def has_unknown_class(self) -> bool:
        """Whether a class has no record with a known value."""
        known = np.unique(self.classes[self._is_known])
        return len(known) < len(np.unique(self.classes))

    @cached_property
    def homogeneous_classes(self) -> Ints:
        """The numbers of the classes with exactly one known value."""
        classes = np.unique(self.classes[self._is_known])
        return np.asarray(classes[np.diff(self.begin) == 1])

    @cached_property
    def used(self) -> Longs:
        """Positions of the values that occur, ascending."""
        return np.unique(self.values[self._is_known])

    @cached_property
    def _sorted_table(self) -> tuple[Longs, Longs, Longs]:
        """Where each class begins in what follows; the values (numbered as used); the counts."""
        known = self._is_known
        group = _number_classes(np.asarray(self.classes)[known])
        value = np.searchsorted(self.used, self.values[known])
        size = max(len(self.used), 1)
        key, counts = sum_by_key(
            group * size + value, np.asarray(self.counts, dtype=np.int64)[known]
        )
        group, value = np.divmod(key, size)
        begin = np.searchsorted(group, np.arange(group.max(initial=-1) + 2))
        return begin, value, counts

    @property
    def begin(self) -> Longs:
        """Where each class with a known value begins in ``held`` and ``times``; their length."""
        return self._sorted_table[0]

    @property
    def held(self) -> Longs:
        """The values of each class, ascending, class by class, numbered as in ``used``."""
        return self._sorted_table[1]

    @property
    def times(self) -> Longs:
        """Number of records with each value in ``held``."""
        return self._sorted_table[2]

    @cached_property
    def sizes(self) -> Longs:
        """Number of records with a known value in each class that has one."""
        return self._sum_by_class(self.times)

    @cached_property
    def tree(self) -> GroundTree | None:
        """The tree of the values in ``used``, if they are words."""
        if not isinstance(self.attribute, NominalAttribute):
            return None
        return GroundTree.of_values(self.attribute, self.used)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value in ``held`` among the known values of its class."""
        return np.asarray(self.times / np.repeat(self.sizes, np.diff(self.begin)))

    @cached_property
    def table_shares(self) -> NDArray[np.float64]:
        """The share of each value in ``used`` among the known values of the table."""
        return np.bincount(self.held, weights=self.times) / max(self.sizes.sum(), 1)

    def _sum_by_class(self, terms: NDArray[np.float64] | Longs) -> NDArray[np.int64]:
        return (
            np.add.reduceat(terms, self.begin[:-1]) if len(terms) else np.zeros(0, dtype=np.int64)
        )


def _number_classes(classes: Ints) -> Longs:
    """Number classes from 0, in their order; those that ascend already need no sorting."""
    if (classes[1:] >= classes[:-1]).all():
        return np.cumsum(np.diff(classes, prepend=classes[:1]) > 0)
    return np.unique(classes, return_inverse=True)[1]


def distinct_diversity(confidential: Confidential) -> int:
    """Distinct l-diversity: the smallest number of different known values in any class.

    From 0, where a class has no known value, to the number of values; 0 for an empty table. Higher
    is better.

    >>> distinct_diversity(Confidential("o", np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones(3)))
    1
    """
    if confidential.has_unknown_class:
        return 0
    return int(np.diff(confidential.begin).min(initial=len(confidential.used)))


def homogeneous_records(confidential: Confidential) -> int:
    """Number of records in classes with exactly one known value: whoever is in one has that value.

    Records of such a class count even where their own value is missing. From 0 to the number of
    records. Lower is better.

    >>> homogeneous_records(Confidential("o", np.array([0, 0, 1]), np.array([0, 1, 1]), np.ones(3)))
    1
    """
    inside = np.isin(confidential.classes, confidential.homogeneous_classes)
    return int(confidential.counts[inside].sum())


def count_homogeneous_people(confidential: Confidential, classes: Ints, people: Ints) -> int:
    """Count the different people with a record in a class with exactly one known value.

    Args:
        confidential: Frequencies of a sensitive attribute.
        classes: The class of each record, numbered as in ``confidential``.
        people: The number of the person of each record. Unknown people (-1) count as nobody.

    >>> outcome = Confidential("o", np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([1, 1, 3]))
    >>> count_homogeneous_people(outcome, np.array([0, 0, 1, 1, 1]), np.array([0, 1, 2, 2, -1]))
    1
    """
    inside = np.isin(classes, confidential.homogeneous_classes) & (people >= 0)
    return len(np.unique(people[inside]))


def entropy_diversity(confidential: Confidential) -> float:
    r"""Entropy l-diversity: the largest l for which every class is entropy l-diverse.

    .. math:: l = \min_g \exp\Bigl(-\sum_s p_{gs} \log p_{gs}\Bigr)

    :math:`p_{gs}` is the share of value :math:`s` among the known values of class :math:`g`. A
    class of m equally frequent values has l = m. From 1 to the number of values; 0 if a class has
    no known value, and for an empty table. Higher is better.

    >>> outcome = Confidential("o", np.array([0, 0]), np.array([0, 1]), np.array([3, 3]))
    >>> round(entropy_diversity(outcome), 6)
    2.0
    """
    if not confidential.records or confidential.has_unknown_class:
        return 0.0
    terms = -confidential.shares * np.log(confidential.shares)
    return exp(float(confidential._sum_by_class(terms).min()))


def recursive_diversity(confidential: Confidential, c: float = 3.0) -> int:
    r"""Recursive (c, l)-diversity: the largest l that holds in every class.

    .. math:: r_1 < c\,(r_l + r_{l+1} + \dots + r_m)

    :math:`r_1 \ge r_2 \ge \dots` are the counts of the known values of a class. The most frequent
    value is not too frequent, even if an attacker rules out l - 2 others. From 1 to the number of
    values; 0 if no l fits or a class has no known value. Higher is better.

    >>> outcome = Confidential("o", np.zeros(3, dtype=int), np.arange(3), np.array([4, 2, 1]))
    >>> recursive_diversity(outcome, c=3)  # 4 < 3 · (2 + 1), but not 4 < 3 · 1
    2
    """
    if not c > 0:
        raise ParameterError(f"c must be a number greater than 0, got {c!r}")
    if not confidential.records or confidential.has_unknown_class:
        return 0
    width = np.diff(confidential.begin)
    group = np.repeat(np.arange(len(width)), width)
    falling = confidential.times[np.lexsort((-confidential.times, group))]
    before = np.cumsum(falling) - falling
    own = before - before[confidential.begin[:-1]][group]
    tail = confidential.sizes[group] - own  # this count and the smaller ones
    # Tails only shrink, so the number of those that are large enough is the largest l.
    enough = falling[confidential.begin[:-1]][group] < c * tail
    return int(confidential._sum_by_class(enough.astype(np.int64)).min())
