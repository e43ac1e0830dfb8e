"""The rows of one or several tables of linked people as rows of one, each of a kind.

Rows are of one kind if they are of the same table and have numbers, dates and levels in the same
columns. Only these can have a centroid, so people share a number of rows of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.method import Method
from ontomask.microdata.attributes import MISSING_NUMBER, Attribute, NumericalAttribute
from ontomask.microdata.linked_records import LinkedRecords, RowKinds
from ontomask.microdata.tuples import SensitiveCounts, Tuples
from ontomask.pipeline.planning.missing_numbers import plans_in_parts, split_by_missing_numbers

if TYPE_CHECKING:
    from ontomask.methods.microaggregation.linked import LinkedPeople

__all__ = ["JoinedTables", "LinkedTable", "join_tables"]

Flags = NDArray[np.bool_]
Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """The tuples and the linked records of a table; people have one number in all tables.

    ``most_members`` is how many values a released set of each attribute may hold, None for any.
    """

    tuples: Tuples
    records: LinkedRecords
    most_members: Sequence[int | None] = ()


@dataclass(frozen=True, eq=False)
class JoinedTables:
    """The rows of several tables as rows of one, which has the columns of all.

    ``tuples`` and ``records`` are those of the joined table. ``number`` is, by table, the number of
    each of its tuples there.
    """

    tables: Sequence[LinkedTable]
    tuples: Tuples
    records: LinkedRecords
    kinds: RowKinds
    number: Sequence[Longs]

    def split_records(self) -> Iterator[slice]:
        """Where the records of each table stand among all."""
        first = 0
        for table in self.tables:
            last = first + int(table.records.count.sum())
            yield slice(first, last)
            first = last

    def split_columns(self) -> Iterator[slice]:
        """Where the attributes of each table stand among all."""
        first = 0
        for table in self.tables:
            last = first + len(table.tuples.attributes)
            yield slice(first, last)
            first = last

    def blank_missing(self, linked: LinkedPeople, record_tuple: Longs) -> LinkedPeople:
        """What records become, without the values that rows of their kind do not have."""
        released = linked.target >= 0
        kind = np.zeros(len(linked.targets), dtype=np.int64)
        kind[linked.target[released]] = self.kinds.kind[record_tuple[released]]
        targets = np.where(self.kinds.has[kind], linked.targets, MISSING_NUMBER)
        return linked._replace(targets=targets)


def join_tables(method: Method, tables: Sequence[LinkedTable]) -> JoinedTables:
    """Join the rows of tables; tuples are numbered in the order of their kinds."""
    columns = sum(len(table.tuples.attributes) for table in tables)
    kinds, places, has, of_table = [], [], [], []
    first_kind = first_column = first_tuple = 0
    for number, table in enumerate(tables):
        kind, own = _find_kinds(method, table)
        all_columns = np.zeros((len(own), columns), dtype=bool)
        all_columns[:, first_column : first_column + own.shape[1]] = own
        order = np.argsort(kind, kind="stable")
        place = np.empty(len(kind), dtype=np.int64)
        place[order] = first_tuple + np.arange(len(kind))
        kinds.append(first_kind + kind[order])
        places.append(place)
        has.append(all_columns)
        of_table += [number] * len(own)
        first_kind, first_column = first_kind + len(own), first_column + own.shape[1]
        first_tuple += len(kind)
    all_kinds = RowKinds(np.concatenate(kinds), np.vstack(has))
    tuples = _join_tuples([table.tuples for table in tables], places, all_kinds)
    records = _join_records(tables, places, np.array(of_table))
    if len(all_kinds.has) > 1 or not all_kinds.has.all():
        records = replace(records, kinds=all_kinds)
    return JoinedTables(tables, tuples, records, all_kinds, places)


def _find_kinds(method: Method, table: LinkedTable) -> tuple[Longs, Flags]:
    """The kind of each tuple of a table, and whether each kind has each attribute.

    Where fewer than k people have rows of a kind, these take others to them, and all of them lose a
    value.
    """
    tuples, records = table.tuples, table.records
    if not plans_in_parts(method, tuples):
        everything = RowKinds.of_one(tuples)
        return everything.kind, everything.has
    k = method.promised_k or 1

    def has_enough_people(members: Longs) -> bool:
        chosen = np.zeros(len(tuples), dtype=bool)
        chosen[members] = True
        return len(np.unique(records.person[chosen[records.tuple_number]])) >= k

    parts = split_by_missing_numbers(method, tuples, has_enough_people)
    patterns = np.array([part.missing for part in parts])
    missing, number = np.unique(patterns, axis=0, return_inverse=True)
    kind = np.empty(len(tuples), dtype=np.int64)
    for part, pattern in zip(parts, number.ravel().tolist(), strict=True):
        kind[part.members] = pattern
    return kind, ~missing


def _join_tuples(tables: Sequence[Tuples], places: Sequence[Longs], kinds: RowKinds) -> Tuples:
    """The tuples of several tables; what a kind does not have has the code 0."""
    attributes = tuple(a for tuples in tables for a in tuples.attributes)
    codes = np.zeros((len(attributes), len(kinds.kind)), dtype=np.int32)
    counts = np.empty(len(kinds.kind), dtype=np.int64)
    first = 0
    for tuples, place in zip(tables, places, strict=True):
        codes[first : first + len(tuples.attributes), place] = tuples.codes
        counts[place] = tuples.counts
        first += len(tuples.attributes)
    codes[~kinds.has[kinds.kind].T] = 0
    return Tuples(tuple(map(_without_missing, attributes)), codes, counts)


def _without_missing(attribute: Attribute) -> Attribute:
    """The attribute with known numbers only; any number stands for none at all."""
    if not (isinstance(attribute, NumericalAttribute) and attribute.has_missing):
        return attribute
    known = attribute.known_numbers
    numbers = known if len(known) else np.zeros(1)
    return replace(attribute, numbers=numbers, span=attribute.range)


def _join_records(
    tables: Sequence[LinkedTable], places: Sequence[Longs], table_of_kind: Longs
) -> LinkedRecords:
    """The records of several tables, with what they watch."""
    sensitive: list[SensitiveCounts] = []
    first = 0
    for number, table in enumerate(tables):
        for column in table.records.sensitive_counts:
            of_kinds = table_of_kind == number if len(tables) > 1 else None
            sensitive.append(replace(column, tuple=column.tuple + first, of_kinds=of_kinds))
        first += int(table.records.count.sum())
    records = [table.records for table in tables]
    return replace(
        records[0],
        tuple_number=np.concatenate(
            [place[r.tuple_number] for r, place in zip(records, places, strict=True)]
        ),
        person=np.concatenate([r.person for r in records]),
        count=np.concatenate([r.count for r in records]),
        sensitive_counts=tuple(sensitive),
    )
