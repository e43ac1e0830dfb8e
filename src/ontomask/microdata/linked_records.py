"""Records of people who stay linked: the records of a person get the same pseudonym."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.tuples import SensitiveCounts, Tuples, count_tuples

__all__ = ["LINKED", "LINK_PRICE", "Linked", "LinkedRecords", "RowKinds"]

Longs = NDArray[np.int64]

#: What may become of rows of a person that others do not have.
Linked = Literal["equal", "drop", "split"]
LINKED = get_args(Linked)
#: What a link between rows is worth, on the scale of the squared distance of a row.
LINK_PRICE = 0.3


@dataclass(frozen=True, eq=False)
class RowKinds:
    """The kinds of rows: those of one table that have a value of the same attributes.

    Attributes:
        kind: The kind of each tuple, in ascending order.
        has: For each kind, whether it has each attribute. The code of others is 0 in its tuples.
    """

    kind: Longs
    has: NDArray[np.bool_]

    @classmethod
    def of_one(cls, tuples: Tuples) -> RowKinds:
        """One kind that has all attributes."""
        return cls(
            np.zeros(len(tuples), dtype=np.int64), np.ones((1, len(tuples.attributes)), dtype=bool)
        )


@dataclass(frozen=True, eq=False)
class LinkedRecords:
    """The records of a table by person, tuple and sensitive values: parallel arrays.

    Records of a pair of person and tuple with the same sensitive values are exchangeable.

    Attributes:
        tuple_number: The tuple of the records.
        person: The person, by a number that does not depend on the order of the rows.
        count: How many records these are.
        linked: ``"equal"``, ``"drop"`` or ``"split"``, as in :class:`~ontomask.Schema`.
        link_price: What a link is worth with ``"split"``.
        sensitive_counts: The sensitive values of each record, by its place in
            :meth:`list_records`, for methods that keep groups varied.
        kinds: The kinds of the tuples, where there are several.
    """

    tuple_number: Longs
    person: Longs
    count: Longs
    linked: Linked
    link_price: float
    sensitive_counts: tuple[SensitiveCounts, ...] = ()
    kinds: RowKinds | None = None

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(np.unique(self.person))

    @property
    def links(self) -> int:
        """How many links there are between the records of a person: one less than records."""
        return int(self.count.sum()) - self.people

    def list_records(self) -> tuple[Longs, Longs, Longs]:
        """The pair, the tuple and the person of each record."""
        pair = np.repeat(np.arange(len(self.count)), self.count)
        return pair, self.tuple_number[pair], self.person[pair]

    @staticmethod
    def count_pairs(
        record_tuple: Longs,
        person: Longs,
        sensitive: Sequence[Longs],
        weights: Longs | None,
        linked: Linked = "equal",
        link_price: float = LINK_PRICE,
    ) -> tuple[LinkedRecords, Longs]:
        """Count the pairs of tuple and person, by sensitive values; the pair of each row."""
        pairs, pair_of = count_tuples([], [record_tuple, person, *sensitive], weights)
        tuple_of, person_of = pairs.codes[:2].astype(np.int64)
        return LinkedRecords(tuple_of, person_of, pairs.counts, linked, link_price), pair_of
