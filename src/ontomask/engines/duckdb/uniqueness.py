"""How many records are like no other on some columns, and which of the columns makes them so.

Everything here is exact, and quick enough to be asked again with every column that somebody ticks.
The values of a column become small whole numbers once. The columns that are asked about stand side
by side in one whole number for each record, and these are sorted: records that are alike are then
neighbours. What each column adds is counted on the distinct tuples alone. Tables too large for
memory are counted by DuckDB instead, with the same result (:func:`alike_in`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import duckdb
import numpy as np
from numpy.typing import NDArray

from ontomask.engines.duckdb.connection import fresh_name

__all__ = ["Alike", "Coded", "Contribution", "SizeRange", "alike", "alike_in", "coded"]

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Class sizes are told in these ranges; the last one is open.
RANGES = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))

#: So many bits of a whole number are used.
ROOM = 62


# ---------------------------------------------------------------------- what is found


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
class Alike:
    """How many records are like how many others.

    A class is all records that hold one tuple. Where it is known whose the records are, ``unit`` is
    people: ``sizes`` count the different people of a class, and unique is who holds a tuple that
    nobody else holds.
    """

    unit: Literal["records", "people"]
    records: int
    tuples: int
    unique_records: int
    people: int | None
    unique_people: int | None
    sizes: tuple[SizeRange, ...]
    columns: tuple[Contribution, ...]

    @property
    def uniques(self) -> int:
        """Unique people where people are counted, otherwise unique records."""
        return self.unique_records if self.unique_people is None else self.unique_people

    @property
    def everybody(self) -> int:
        """All people where people are counted, otherwise all records."""
        return self.records if self.people is None else self.people


@dataclass(frozen=True)
class Coded:
    """A column as whole numbers from 0 to ``size`` - 1: equal ones where values are."""

    codes: NDArray[Any]
    size: int

    @property
    def bits(self) -> int:
        """How many bits tell the values apart."""
        return max(self.size - 1, 0).bit_length()


def coded(values: Any) -> Coded:
    """A column of Arrow values, chunked, as whole numbers; 0 are those that are missing."""
    parts = values.dictionary_encode().chunks
    size = 1 + max((len(part.dictionary) for part in parts), default=0)
    codes = np.zeros(len(values), dtype=np.min_scalar_type(size - 1))
    at = 0
    for part in parts:  # all have the same dictionary, as far as it had grown
        there = part.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        codes[at : at + len(there)] = there + 1
        at += len(there)
    return Coded(codes, size)


# ---------------------------------------------------------------------- in memory


def alike(columns: Mapping[str, Coded], records: int, person: Coded | None = None) -> Alike:
    """How many of some records are alike on all of the columns, and what each column does.

    ``person`` says whose each record is. On no column at all, all records are alike.
    """
    # Large columns first: what is left beside the others is then small.
    names = sorted(columns, key=lambda name: -columns[name].size)
    found = _Tuples([columns[name] for name in names], records, person)
    uniques = found.uniques()
    said = {
        name: Contribution(name, uniques - rest, _share(uniques - rest, uniques), alone)
        for name, rest, alone in zip(names, found.without_each(), found.alone(), strict=True)
    }
    return _told(
        _by_size(found.sizes, found.records),
        int((found.records == 1).sum()),
        None if person is None else (int(np.count_nonzero(np.bincount(person.codes))), uniques),
        [said[name] for name in columns],
    )


def _by_size(sizes: Longs, records: Longs) -> list[tuple[int, int, int]]:
    """Every size that some class has, with the number of these classes and of their records."""
    classes = np.bincount(sizes)
    inside = np.bincount(sizes, weights=records)
    used: list[int] = np.flatnonzero(classes).tolist()
    return [(size, int(classes[size]), int(inside[size])) for size in used]


class _Tuples:
    """The distinct tuples in sorted order, each with who holds it.

    A holder is a person, or ``several``. Where nobody knows whose the records are, holder 0 stands
    for one record, each another, and ``several`` for more of them.
    """

    def __init__(self, columns: Sequence[Coded], records: int, person: Coded | None) -> None:
        self.of_people = person is not None
        keys = _Keys([*columns, person] if person is not None else columns, records)
        keys.keys.sort()
        starts = np.flatnonzero(_new(keys.keys))
        found, counts = keys.keys[starts], np.diff(starts, append=records)
        if person is None:
            self.sizes = self.records = counts
            self.columns = keys.codes(found)
            self.several, self.holder = 1, Coded(counts > 1, 2)
            return
        # So far each tuple stands there once for every person that holds it.
        starts = np.flatnonzero(_new(found >> person.bits))
        self.sizes = np.diff(starts, append=len(found))
        self.records = np.add.reduceat(counts, starts) if len(starts) else counts
        *self.columns, first = keys.codes(found[starts])
        self.several = person.size
        self.holder = Coded(np.where(self.sizes == 1, first.codes, person.size), person.size + 1)

    def uniques(self) -> int:
        """How many are unique on all columns."""
        return self._number(self.holder.codes)

    def alone(self) -> Iterator[int]:
        """How many are unique on the first column alone, on the second, and so on."""
        for column in self.columns:
            if self.of_people:
                yield self._number(self._only([column], self.holder))
            else:
                yield int((np.bincount(column.codes, weights=self.records) == 1).sum())

    def without_each(self) -> Iterator[int]:
        """How many are unique without the first column, without the second, and so on.

        A tuple that every second column tells from all others stays as it is when one of the
        other columns goes. Only the rest is looked at: few, where nearly everybody is unique.
        """
        halves = [self._without(0, 2), self._without(1, 2)]
        for place in range(len(self.columns)):
            yield next(halves[place % 2])

    def _without(self, first: int, step: int) -> Iterator[int]:
        """The same, without every so manieth column, from the first of these on."""
        settled = _alone([it for i, it in enumerate(self.columns) if i % step != first], self)
        stay, rest = self.holder.codes[settled], np.flatnonzero(~settled)
        columns = [Coded(it.codes[rest], it.size) for it in self.columns]
        holder = Coded(self.holder.codes[rest], self.holder.size)
        # Tuples are in sorted order, so what stands before a column is numbered by counting where
        # it changes.
        fresh = np.zeros(len(rest), dtype=np.bool_)
        for place, column in enumerate(columns):
            if place % step == first:
                numbers = np.cumsum(fresh)
                before = Coded(numbers, int(numbers[-1]) + 1 if len(numbers) else 1)
                yield self._number(stay, self._only([before, *columns[place + 1 :]], holder))
            fresh[1:] |= column.codes[1:] != column.codes[:-1]

    def _only(self, columns: Sequence[Coded], holder: Coded) -> Longs:
        """Who is alone with a tuple of some columns."""
        keys = _Keys([*columns, holder], len(holder.codes)).keys
        keys.sort()
        if self.of_people:
            keys = keys[_new(keys)]  # whoever holds several of the tuples is still alone
        fresh = _new(keys >> holder.bits)
        fresh &= np.append(fresh[1:], True)[: len(fresh)]
        found: Longs = keys[fresh] & ((1 << holder.bits) - 1)
        return found

    def _number(self, *holders: NDArray[Any]) -> int:
        """How many there are, each counted once; ``several`` are nobody."""
        if not self.of_people:
            return sum(int(np.count_nonzero(some != self.several)) for some in holders)
        there = np.zeros(self.several + 1, dtype=np.bool_)
        for some in holders:
            there[some] = True
        return int(np.count_nonzero(there[: self.several]))


class _Keys:
    """Columns side by side in one whole number for each record, in the order of the columns.

    Where there is no room left, the numbers so far are replaced by their ranks, and ``_books`` says
    what each rank was.
    """

    def __init__(self, columns: Sequence[Coded], records: int) -> None:
        self._columns = columns
        self._books: dict[int, Longs] = {}
        self.keys: Longs = np.zeros(records, dtype=np.int64)
        bits = 0
        for place, column in enumerate(columns):
            if bits + column.bits > ROOM:
                self.keys, self._books[place] = _ranked(self.keys)
                bits = len(self._books[place]).bit_length()
            self.keys <<= column.bits
            self.keys |= column.codes
            bits += column.bits

    def codes(self, keys: Longs) -> list[Coded]:
        """The columns again, of some of the numbers."""
        found = []
        for place in reversed(range(len(self._columns))):
            column = self._columns[place]
            codes = (keys & ((1 << column.bits) - 1)).astype(column.codes.dtype)
            found.append(Coded(codes, column.size))
            keys = keys >> column.bits
            if place in self._books:
                keys = self._books[place][keys]
        return found[::-1]


def _alone(columns: Sequence[Coded], tuples: _Tuples) -> Flags:
    """Which tuples are the only ones with their values of some columns."""
    ranks, book = _ranked(_Keys(columns, len(tuples.sizes)).keys)
    found: Flags = np.bincount(ranks, minlength=len(book))[ranks] == 1
    return found


def _ranked(keys: Longs) -> tuple[Longs, Longs]:
    """The ranks of some numbers, equal ones alike, and the number of every rank."""
    order = np.argsort(keys)
    inside = keys[order]
    fresh = _new(inside)
    ranks = np.empty_like(keys)
    ranks[order] = np.cumsum(fresh) - 1
    return ranks, inside[fresh]


def _new(keys: Longs) -> Flags:
    """Where a number differs from the one before it."""
    fresh = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return fresh


# ---------------------------------------------------------------------- inside DuckDB


def alike_in(
    sql: duckdb.DuckDBPyConnection,
    table: str,
    columns: Mapping[str, str],
    person: str | None = None,
) -> Alike:
    """The same as :func:`alike`, counted by DuckDB, which spills what does not fit into memory.

    ``columns`` are SQL expressions over the table, NULL where a value is missing.
    """
    counting = _Counting(sql, table, list(columns.values()), person)
    try:
        uniques = counting.uniques(counting.names)
        said = []
        for name, own in zip(columns, counting.names, strict=True):
            rest = uniques - counting.uniques([it for it in counting.names if it != own])
            alone = counting.uniques([own])
            said.append(Contribution(name, rest, _share(rest, uniques), alone))
        sizes, singles = counting.sizes()
        people = None if person is None else (counting.everybody(), uniques)
        return _told(sizes, singles, people, said)
    finally:
        counting.close()


class _Counting:
    """The distinct tuples as a table of DuckDB, each once for every person that holds it."""

    def __init__(
        self, sql: duckdb.DuckDBPyConnection, table: str, columns: list[str], person: str | None
    ) -> None:
        self._sql, self._own, self._people = sql, fresh_name(), person is not None
        self.names = [f"c{place}" for place in range(len(columns))]
        shown = [f"{it} as {name}" for it, name in zip(columns, self.names, strict=True)]
        shown += [f"{person} as who"] if person is not None else []
        # Grouped by all that stands before the count; by nothing where there is nothing.
        sql.execute(
            f"create temp table {self._own} as select {''.join(f'{it}, ' for it in shown)}"
            f"count(*) as n from {table} group by all having count(*) > 0"
        )

    def uniques(self, names: Sequence[str]) -> int:
        """How many are the only ones with their tuple of some columns."""
        by = f"from {self._own} group by {', '.join(names) or '()'}"
        if not self._people:
            return int(self._one(f"select count(*) from (select 1 {by} having sum(n) = 1)"))
        several = "count(distinct who) + max((who is null)::int)"
        holders = f"select any_value(who) as who {by} having {several} = 1"
        return int(self._one(f"select count(*) from (select distinct who from ({holders}))"))

    def sizes(self) -> tuple[list[tuple[int, int, int]], int]:
        """Class sizes with their classes and records, and how many classes have one record."""
        size = "count(*)" if self._people else "sum(n)"
        classes = (
            f"select {size} as size, sum(n) as records from {self._own} "
            f"group by {', '.join(self.names) or '()'} having count(*) > 0"
        )
        found = self._sql.execute(
            f"select size, count(*), sum(records), count(*) filter (records = 1) "
            f"from ({classes}) group by size order by size"
        ).fetchall()
        return [(int(a), int(b), int(c)) for a, b, c, _ in found], sum(int(d) for *_, d in found)

    def everybody(self) -> int:
        """How many people there are."""
        return int(self._one(f"select count(*) from (select distinct who from {self._own})"))

    def close(self) -> None:
        """Let go of the table."""
        self._sql.execute(f"drop table {self._own}")

    def _one(self, query: str) -> Any:
        return self._sql.execute(query).fetchall()[0][0]


# ---------------------------------------------------------------------- both


def _told(
    listed: Sequence[tuple[int, int, int]],
    singles: int,
    people: tuple[int, int] | None,
    columns: Sequence[Contribution],
) -> Alike:
    """What was found; ``listed`` are sizes with their classes and records."""
    ranges = []
    for least, most in RANGES:
        inside = [it for it in listed if least <= it[0] and (most is None or it[0] <= most)]
        classes, records = sum(it[1] for it in inside), sum(it[2] for it in inside)
        ranges.append(SizeRange(least, most, classes, records))
    return Alike(
        unit="records" if people is None else "people",
        records=sum(it[2] for it in listed),
        tuples=sum(it[1] for it in listed),
        unique_records=singles,
        people=None if people is None else people[0],
        unique_people=None if people is None else people[1],
        sizes=tuple(ranges),
        columns=tuple(columns),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
