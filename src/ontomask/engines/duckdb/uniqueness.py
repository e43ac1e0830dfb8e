"""How many records are like no other on some columns, and which of the columns makes them so.

Everything here is exact, and quick enough to be asked again with every column that somebody ticks.
The values of a column become small whole numbers once. The columns that are asked about stand side
by side in one whole number for each record, and these are sorted: records that are alike are then
neighbours. What each column adds is counted on the distinct tuples alone. Tables too large for
memory are counted by DuckDB instead, with the same result (:func:`count_uniqueness_in_database`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import duckdb
import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.connection import fresh_name
from ontomask.engines.memory.frame import Frame
from ontomask.microdata.known_values import merge_look_alikes, without_unknown
from ontomask.microdata.sets.concept_sets import ConceptSets, distinct_sets
from ontomask.microdata.tuples import count_tuples

__all__ = [
    "Uniqueness",
    "EncodedColumn",
    "Contribution",
    "SizeRange",
    "count_uniqueness",
    "count_uniqueness_in_database",
    "encode_columns",
    "encode_people",
]

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Class sizes are shown in these ranges; the last one is open.
CLASS_SIZE_RANGES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))

#: So many bits of a whole number are used.
KEY_BITS = 62


# ---------------------------------------------------------------------- results


@dataclass(frozen=True)
class SizeRange:
    """Classes of ``least`` to ``most`` records, or people: how many there are, with how many."""

    least: int
    most: int | None
    classes: int
    records: int


@dataclass(frozen=True)
class Contribution:
    """What one column does: how many are unique through it, and how many on it alone.

    ``uniques`` would no longer be unique if the column were left out; ``share`` is their share of
    all that are unique now, None where nobody is.
    """

    column: str
    uniques: int
    share: float | None
    alone: int


@dataclass(frozen=True)
class Uniqueness:
    """How many records, or people, are unique on some columns, and the class sizes.

    A class is all records that hold one tuple. Where it is known whose the records are, ``unit`` is
    people: ``sizes`` count the different people of a class, and unique is who holds a tuple that
    nobody else holds. Records of unknown people add nobody; a class of theirs alone is one of the
    smallest size. ``linked_unique_people`` are those whose records, all together, nobody else has.
    """

    unit: Literal["records", "people"]
    records: int
    tuples: int
    unique_records: int
    people: int | None
    unique_people: int | None
    linked_unique_people: int | None
    sizes: tuple[SizeRange, ...]
    columns: tuple[Contribution, ...]

    @property
    def uniques(self) -> int:
        """Unique people where people are counted, otherwise unique records."""
        return self.unique_records if self.unique_people is None else self.unique_people

    @property
    def unit_count(self) -> int:
        """All people where people are counted, otherwise all records."""
        return self.records if self.people is None else self.people


@dataclass(frozen=True)
class EncodedColumn:
    """A column as whole numbers from 0 to ``size`` - 1: equal ones where values are."""

    codes: NDArray[Any]
    size: int

    @property
    def bits(self) -> int:
        """How many bits tell the values apart."""
        return max(self.size - 1, 0).bit_length()


def encode_columns(values: Any) -> EncodedColumn:
    """Encode a chunked column of Arrow values as whole numbers; 0 is missing."""
    parts = values.dictionary_encode().chunks
    size = 1 + max((len(part.dictionary) for part in parts), default=0)
    codes = np.zeros(len(values), dtype=np.min_scalar_type(size - 1))
    start = 0
    for part in parts:  # all have the same dictionary, as far as it had grown
        indices = part.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        codes[start : start + len(indices)] = indices + 1
        start += len(indices)
    return EncodedColumn(codes, size)


def encode_people(values: Any, marks: Collection[str]) -> EncodedColumn:
    """Encode a column of people; 0 is unknown, and people who look alike are one."""
    import pyarrow as pa

    distinct = Frame(pa.table({"person": values})).distinct_values("person")
    people, _ = merge_look_alikes(without_unknown(distinct, marks))
    return EncodedColumn(people.codes + 1, len(people.values) + 1)


# ---------------------------------------------------------------------- in memory


def count_uniqueness(
    columns: Mapping[str, EncodedColumn], records: int, person: EncodedColumn | None = None
) -> Uniqueness:
    """Count the records that are unique on all of the columns, and what each column adds.

    ``person`` says whose each record is, 0 where nobody knows. On no column at all, all records are
    alike.
    """
    # Large columns first: what is left beside the others is then small.
    names = sorted(columns, key=lambda name: -columns[name].size)
    tuples = _DistinctTuples([columns[name] for name in names], records, person)
    uniques = tuples.count_uniques()
    contributions = {
        name: Contribution(name, uniques - rest, _share(uniques - rest, uniques), alone)
        for name, rest, alone in zip(
            names, tuples.count_without_each(), tuples.count_uniques_alone(), strict=True
        )
    }
    return _make_uniqueness(
        _tally_class_sizes(tuples.sizes, tuples.records),
        int((tuples.records == 1).sum()),
        None if person is None else (int(np.count_nonzero(np.bincount(person.codes)[1:])), uniques),
        [contributions[name] for name in columns],
        None if person is None else _count_linked_uniques(columns.values(), records, person),
    )


def _count_linked_uniques(
    columns: Iterable[EncodedColumn], records: int, person: EncodedColumn
) -> int:
    """Count the people whose records, all together, nobody else has."""
    keys, _ = _rank_keys(_PackedKeys(list(columns), records).keys)
    known = np.flatnonzero(person.codes)
    held, _ = count_tuples([], [person.codes[known], keys[known]])  # each tuple of each person
    (people, tuples), times = held.codes, held.counts
    _, item = np.unique(np.column_stack([tuples, times]), axis=0, return_inverse=True)
    _, start = np.unique(people, return_index=True)
    order = np.lexsort((item.ravel(), people))
    bags = ConceptSets(np.append(start, len(people)), item.ravel()[order].astype(np.int32))
    return int((distinct_sets(bags).counts == 1).sum())


def _tally_class_sizes(sizes: Longs, records: Longs) -> list[tuple[int, int, int]]:
    """Every size that some class has, with the number of these classes and of their records."""
    classes = np.bincount(sizes)
    inside = np.bincount(sizes, weights=records)
    used: list[int] = np.flatnonzero(classes).tolist()
    return [(size, int(classes[size]), int(inside[size])) for size in used]


class _DistinctTuples:
    """The distinct tuples in sorted order, each with who holds it.

    A holder is a person, ``several``, or 0 where the person is unknown. Where nobody knows whose
    any record is, holder 0 stands for one record, each another, and ``several`` for more of them.
    """

    def __init__(
        self, columns: Sequence[EncodedColumn], records: int, person: EncodedColumn | None
    ) -> None:
        self.of_people = person is not None
        keys = _PackedKeys([*columns, person] if person is not None else columns, records)
        keys.keys.sort()
        starts = np.flatnonzero(_find_changes(keys.keys))
        distinct, counts = keys.keys[starts], np.diff(starts, append=records)
        if person is None:
            self.sizes = self.records = counts
            self.columns = keys.unpack(distinct)
            self.several, self.holder = 1, EncodedColumn(counts > 1, 2)
            return
        # So far each tuple stands there once for every person that holds it, the unknown first.
        starts = np.flatnonzero(_find_changes(distinct >> person.bits))
        holders = np.diff(starts, append=len(distinct))
        self.records = np.add.reduceat(counts, starts) if len(starts) else counts
        *self.columns, first = keys.unpack(distinct[starts])
        is_shared = (first.codes == 0) & (holders > 1)
        self.sizes = holders - is_shared
        sole = keys.unpack(distinct[starts + is_shared])[-1]
        self.several = person.size
        self.holder = EncodedColumn(
            np.where(self.sizes == 1, sole.codes, person.size), person.size + 1
        )

    def count_uniques(self) -> int:
        """Count the holders that are unique on all columns."""
        return self._count_holders(self.holder.codes)

    def count_uniques_alone(self) -> Iterator[int]:
        """Count the uniques on the first column alone, on the second alone, and so on."""
        for column in self.columns:
            if self.of_people:
                yield self._count_holders(self._sole_holders([column], self.holder))
            else:
                yield int((np.bincount(column.codes, weights=self.records) == 1).sum())

    def count_without_each(self) -> Iterator[int]:
        """Count the uniques without the first column, without the second, and so on.

        A tuple that every second column tells from all others stays as it is when one of the
        other columns goes. Only the rest is looked at: few, where nearly everybody is unique.
        """
        halves = [self._count_without_every(0, 2), self._count_without_every(1, 2)]
        for place in range(len(self.columns)):
            yield next(halves[place % 2])

    def _count_without_every(self, first: int, step: int) -> Iterator[int]:
        """The same for every ``step``-th column, from ``first`` on."""
        settled = _find_unique_tuples(
            [column for i, column in enumerate(self.columns) if i % step != first], self
        )
        stay, rest = self.holder.codes[settled], np.flatnonzero(~settled)
        columns = [EncodedColumn(column.codes[rest], column.size) for column in self.columns]
        holder = EncodedColumn(self.holder.codes[rest], self.holder.size)
        # Tuples are in sorted order, so what stands before a column is numbered by counting where
        # it changes.
        is_new = np.zeros(len(rest), dtype=np.bool_)
        for place, column in enumerate(columns):
            if place % step == first:
                numbers = np.cumsum(is_new)
                before = EncodedColumn(numbers, int(numbers[-1]) + 1 if len(numbers) else 1)
                yield self._count_holders(
                    stay, self._sole_holders([before, *columns[place + 1 :]], holder)
                )
            is_new[1:] |= column.codes[1:] != column.codes[:-1]

    def _sole_holders(self, columns: Sequence[EncodedColumn], holder: EncodedColumn) -> Longs:
        """The holders of tuples of some columns that nobody else holds."""
        if self.of_people:  # the unknown hold nothing
            known = np.flatnonzero(holder.codes)
            columns = [EncodedColumn(column.codes[known], column.size) for column in columns]
            holder = EncodedColumn(holder.codes[known], holder.size)
        keys = _PackedKeys([*columns, holder], len(holder.codes)).keys
        keys.sort()
        if self.of_people:
            keys = keys[_find_changes(keys)]  # whoever holds several of the tuples is still alone
        is_new = _find_changes(keys >> holder.bits)
        is_new &= np.append(is_new[1:], True)[: len(is_new)]
        holders: Longs = keys[is_new] & ((1 << holder.bits) - 1)
        return holders

    def _count_holders(self, *holders: NDArray[Any]) -> int:
        """Count the holders, each once; neither ``several`` nor an unknown person is counted."""
        if not self.of_people:
            return sum(int(np.count_nonzero(group != self.several)) for group in holders)
        is_holder = np.zeros(self.several + 1, dtype=np.bool_)
        for group in holders:
            is_holder[group] = True
        return int(np.count_nonzero(is_holder[1 : self.several]))


class _PackedKeys:
    """Columns side by side in one whole number for each record, in the order of the columns.

    Where there is no room left, the numbers so far are replaced by their ranks, and
    ``_key_of_rank`` says what each rank was.
    """

    def __init__(self, columns: Sequence[EncodedColumn], records: int) -> None:
        self._columns = columns
        self._key_of_rank: dict[int, Longs] = {}
        self.keys: Longs = np.zeros(records, dtype=np.int64)
        bits = 0
        for place, column in enumerate(columns):
            if bits + column.bits > KEY_BITS:
                self.keys, self._key_of_rank[place] = _rank_keys(self.keys)
                bits = len(self._key_of_rank[place]).bit_length()
            self.keys <<= column.bits
            self.keys |= column.codes
            bits += column.bits

    def unpack(self, keys: Longs) -> list[EncodedColumn]:
        """Unpack some of the numbers into columns."""
        columns = []
        for place in reversed(range(len(self._columns))):
            column = self._columns[place]
            codes = (keys & ((1 << column.bits) - 1)).astype(column.codes.dtype)
            columns.append(EncodedColumn(codes, column.size))
            keys = keys >> column.bits
            if place in self._key_of_rank:
                keys = self._key_of_rank[place][keys]
        return columns[::-1]


def _find_unique_tuples(columns: Sequence[EncodedColumn], tuples: _DistinctTuples) -> Flags:
    """Which tuples are the only ones with their values of some columns."""
    ranks, distinct = _rank_keys(_PackedKeys(columns, len(tuples.sizes)).keys)
    is_unique: Flags = np.bincount(ranks, minlength=len(distinct))[ranks] == 1
    return is_unique


def _rank_keys(keys: Longs) -> tuple[Longs, Longs]:
    """The ranks of some numbers, equal ones alike, and the number of every rank."""
    order = np.argsort(keys)
    ascending = keys[order]
    is_new = _find_changes(ascending)
    ranks = np.empty_like(keys)
    ranks[order] = np.cumsum(is_new) - 1
    return ranks, ascending[is_new]


def _find_changes(keys: Longs) -> Flags:
    """Where a number differs from the one before it."""
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return is_new


# ---------------------------------------------------------------------- inside DuckDB


def count_uniqueness_in_database(
    sql: duckdb.DuckDBPyConnection,
    table: str,
    columns: Mapping[str, str],
    person: str | None = None,
) -> Uniqueness:
    """The same as :func:`count_uniqueness`, counted by DuckDB, which spills to disk.

    ``columns`` are SQL expressions over the table, NULL where a value is missing.
    """
    tuples = _DatabaseTuples(sql, table, list(columns.values()), person)
    try:
        uniques = tuples.count_uniques(tuples.names)
        contributions = []
        for name, inner in zip(columns, tuples.names, strict=True):
            through_column = uniques - tuples.count_uniques(
                [other for other in tuples.names if other != inner]
            )
            alone = tuples.count_uniques([inner])
            contributions.append(
                Contribution(name, through_column, _share(through_column, uniques), alone)
            )
        sizes, singles = tuples.count_sizes()
        if person is None:
            return _make_uniqueness(sizes, singles, None, contributions)
        people, linked = (tuples.count_people(), uniques), tuples.count_linked_uniques()
        return _make_uniqueness(sizes, singles, people, contributions, linked)
    finally:
        tuples.close()


class _DatabaseTuples:
    """The distinct tuples as a table of DuckDB, each once for every person that holds it."""

    def __init__(
        self, sql: duckdb.DuckDBPyConnection, table: str, columns: list[str], person: str | None
    ) -> None:
        self._sql, self._table, self._has_people = sql, fresh_name(), person is not None
        self.names = [f"c{place}" for place in range(len(columns))]
        expressions = [
            f"{expression} as {name}" for expression, name in zip(columns, self.names, strict=True)
        ]
        expressions += [f"{person} as who"] if person is not None else []
        # Grouped by all that stands before the count; by nothing where there is nothing.
        selected = ", ".join([*expressions, "count(*) as n"])
        sql.execute(
            f"create temp table {self._table} as select {selected} "
            f"from {table} group by all having count(*) > 0"
        )

    def count_uniques(self, names: Sequence[str]) -> int:
        """Count the records, or people, that are unique on some columns."""
        by = f"from {self._table} group by {', '.join(names) or '()'}"
        if not self._has_people:
            return int(self._fetch_value(f"select count(*) from (select 1 {by} having sum(n) = 1)"))
        holders = f"select any_value(who) as who {by} having count(distinct who) = 1"
        return int(
            self._fetch_value(f"select count(*) from (select distinct who from ({holders}))")
        )

    def count_sizes(self) -> tuple[list[tuple[int, int, int]], int]:
        """Class sizes with their classes and records, and how many classes have one record."""
        size = "greatest(count(who), 1)" if self._has_people else "sum(n)"
        classes = (
            f"select {size} as size, sum(n) as records from {self._table} "
            f"group by {', '.join(self.names) or '()'} having count(*) > 0"
        )
        rows = self._sql.execute(
            f"select size, count(*), sum(records), count(*) filter (records = 1) "
            f"from ({classes}) group by size order by size"
        ).fetchall()
        return [(int(a), int(b), int(c)) for a, b, c, _ in rows], sum(int(d) for *_, d in rows)

    def count_linked_uniques(self) -> int:
        """Count the people whose records, all together, nobody else has; by two hashes."""
        record = f"hash({', '.join([*self.names, 'n'])})"
        people = (
            f"select sum({record}) as total, bit_xor({record}) as parity from {self._table} "
            "where who is not null group by who"
        )
        alone = f"select 1 from ({people}) group by total, parity having count(*) = 1"
        return int(self._fetch_value(f"select count(*) from ({alone})"))

    def count_people(self) -> int:
        """Count the people."""
        return int(self._fetch_value(f"select count(distinct who) from {self._table}"))

    def close(self) -> None:
        """Drop the table."""
        self._sql.execute(f"drop table {self._table}")

    def _fetch_value(self, query: str) -> Any:
        return self._sql.execute(query).fetchall()[0][0]


# ---------------------------------------------------------------------- both


def _make_uniqueness(
    sizes: Sequence[tuple[int, int, int]],
    singles: int,
    people: tuple[int, int] | None,
    columns: Sequence[Contribution],
    linked_uniques: int | None = None,
) -> Uniqueness:
    """Put the result together; ``sizes`` are class sizes with their classes and records."""
    ranges = []
    for least, most in CLASS_SIZE_RANGES:
        chosen = [
            entry for entry in sizes if least <= entry[0] and (most is None or entry[0] <= most)
        ]
        classes, records = sum(entry[1] for entry in chosen), sum(entry[2] for entry in chosen)
        ranges.append(SizeRange(least, most, classes, records))
    return Uniqueness(
        unit="records" if people is None else "people",
        records=sum(entry[2] for entry in sizes),
        tuples=sum(entry[1] for entry in sizes),
        unique_records=singles,
        people=None if people is None else people[0],
        unique_people=None if people is None else people[1],
        linked_unique_people=linked_uniques,
        sizes=tuple(ranges),
        columns=tuple(columns),
    )


def _share(part: int, total: int) -> float | None:
    return part / total if total else None
