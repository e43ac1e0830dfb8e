"""What is counted in a table before anybody says what its columns are: all of it inside DuckDB.

Each column becomes a small table of its values with their counts, and is judged by that. Where a
large table has too many different values for it, a random sample of the records stands in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ontomask.engines.duckdb.connection import (
    fresh_name,
    identifier,
    literal,
    translate_read_errors,
)
from ontomask.engines.formats import StoredTable
from ontomask.errors import ColumnError

__all__ = ["MIN_SHOWN_COUNT", "ColumnFacts", "ColumnProfiler"]

#: A value that fewer records have is never shown.
MIN_SHOWN_COUNT = 10
#: So many frequent values are kept at most.
MOST_FREQUENT = 5
#: Tables up to this many rows, and columns up to this many distinct values, are counted exactly.
MANY_ROWS, MANY_VALUES = 1_000_000, 100_000
SAMPLE = 100_000
#: So many different values, the most frequent ones, are compared with taxonomies.
MOST_COMPARED = 20_000

#: What people write where they know nothing; of the second kind only if many records have it.
MARKS = ("?", "na", "n/a", "#n/a", "-", "--", ".", "null", "nan", "n.a.")
WORDS_FOR_MISSING = ("unknown", "missing", "not available", "not known", "unspecified")

NUMBER = r"[+-]?(\d+|\d*\.\d+)([eE][+-]?\d+)?"  # as a numerical column is read
FORMATS = (
    "%Y-%m-%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d.%m.%y",
    "%d-%b-%Y",
    "%d %b %Y",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%d/%m/%Y %H:%M",
    "%m/%d/%Y %H:%M",
    "%d.%m.%Y %H:%M",
)
DATE_SHAPE = r"\d{1,4}[-/. ](\d{1,2}|[A-Za-z]{3})[-/. ]\d{2,4}([T ]\d{1,2}:\d{2}(:\d{2})?)?"


@dataclass(frozen=True)
class ColumnFacts:
    """What was counted in a column.

    ``kind`` is what stands in it: text, whole numbers, decimals, dates, two values, nothing, or
    something else. ``marks`` are values that seem to mean missing, with their counts; ``missing``
    counts them, too. ``singles`` are values that one record alone holds, ``rarest`` is how many
    records hold the rarest one. ``frequent`` are values that many records hold. A column that is
    not ``exact`` was judged by a sample. ``values`` are all values, or the most frequent ones; for
    a comparison with taxonomies only.
    """

    name: str
    kind: str
    rows: int
    missing: int
    distinct: int
    singles: int = 0
    rarest: int = 0
    exact: bool = True
    stored_as_text: bool = True
    marks: dict[str, int] = field(default_factory=dict)
    frequent: dict[str, int] = field(default_factory=dict)
    date_formats: tuple[str, ...] = ()
    longest: int = 0
    mean_length: float = 0.0
    same_length: bool = False
    largest: float = 0.0
    numbers: float = 0.0  # the share of values that are numbers
    values: dict[str, int] = field(default_factory=dict, repr=False)

    @property
    def present(self) -> int:
        """How many records have a value."""
        return self.rows - self.missing

    @property
    def variety(self) -> float:
        """Different values for each record that has one: 1 where no two are alike."""
        return min(self.distinct / self.present, 1.0) if self.present else 0.0

    @property
    def complete(self) -> bool:
        """Whether ``values`` are all there are."""
        return self.exact and len(self.values) == self.distinct


class ColumnProfiler:
    """Counts what the columns of an open table hold."""

    def __init__(self, stored: StoredTable) -> None:
        self.stored, self.sql = stored, stored.connection
        self._own = fresh_name()
        self.table = self._copy_if_slow()
        self._sample = ""

    def _copy_if_slow(self) -> str:
        """Copy the table into the database unless it is Parquet; return what to read."""
        if self.stored.format == "parquet":
            return self.stored.source
        with translate_read_errors(self.stored.path):
            self.sql.execute(f"create temp table {self._own} as from {self.stored.source}")
        return self._own

    # ------------------------------------------------------------------ columns

    def columns(self) -> Iterator[ColumnFacts]:
        """The facts of every column, in their order."""
        if not self.stored.rows:
            raise ColumnError(f"{self.stored.path} has no records")
        yield from self._facts(self.stored.names)

    def column(self, name: str) -> ColumnFacts:
        """The facts of one column."""
        return next(self._facts([name]))

    def _facts(self, names: Sequence[str]) -> Iterator[ColumnFacts]:
        for name, (present, distinct) in zip(names, self._approximate_counts(names), strict=True):
            with translate_read_errors(self.stored.path):
                facts = self._column_facts(name, present, distinct)
            yield facts

    def _approximate_counts(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Count the values of each column, and approximately how many are distinct."""
        counts: list[tuple[int, int]] = []
        for start in range(0, len(names), 100):
            expressions = ", ".join(
                f"count({identifier(name)}), "
                + (
                    "0"
                    if _is_nested(self.stored.types[name])
                    else f"approx_count_distinct({identifier(name)})"
                )
                for name in names[start : start + 100]
            )
            with translate_read_errors(self.stored.path):
                numbers = _fetch_row(self.sql, f"select {expressions} from {self.table}")
            counts += zip(numbers[::2], numbers[1::2], strict=True)
        return counts

    def _column_facts(self, name: str, present: int, distinct: int) -> ColumnFacts:
        kind, rows = self.stored.types[name], self.stored.rows
        if _is_nested(kind):
            return ColumnFacts(
                name, "something else", rows, rows - present, 0, stored_as_text=False
            )
        exact = rows <= MANY_ROWS or distinct <= MANY_VALUES
        values = self._count_values(name, kind, exact)
        marks, empty = self._find_missing_marks(values, kind)
        excluded = ", ".join(literal(mark) for mark in (*marks, ""))
        facts = self._judge_values(kind, f"(from {values} where text not in ({excluded}))")
        self.sql.execute(f"drop table {values}")
        facts["marks"] = {**marks, **({"": empty} if empty else {})}
        records = facts.pop("records") * (1 if exact else rows / min(rows, SAMPLE))
        if not exact and facts["distinct"]:
            facts |= {"distinct": distinct, "singles": 0, "rarest": 1, "frequent": {}}
        return ColumnFacts(name, rows=rows, missing=rows - round(records), exact=exact, **facts)

    def _count_values(self, name: str, kind: str, exact: bool) -> str:
        """Make a table of a column's values, as they are and as text, with their counts."""
        table, column = fresh_name(), identifier(name)
        value = f"cast({column} as varchar)" if _is_text(kind) else column
        text = (
            f"if({column}, 'True', 'False')" if kind == "BOOLEAN" else f"cast({column} as varchar)"
        )
        condition = f"{column} is not null"
        if kind in ("FLOAT", "DOUBLE"):
            condition += f" and not isnan({column})"
        source = self.table if exact else self._draw_sample()
        self.sql.execute(
            f"create temp table {table} as select {value} as value, {text} as text, count(*) as n "
            f"from {source} where {condition} group by all"
        )
        return table

    def _draw_sample(self) -> str:
        """Draw a random sample of the records, once."""
        if not self._sample:
            self._sample = fresh_name()
            self.sql.execute(
                f"create temp table {self._sample} as "
                f"select * from {self.table} using sample reservoir({SAMPLE} rows)"
            )
        return self._sample

    def _find_missing_marks(self, values: str, kind: str) -> tuple[dict[str, int], int]:
        """Find values that seem to mean missing, with their counts, and how many are empty."""
        if not _is_text(kind):
            return {}, 0
        literals = ", ".join(map(literal, (*MARKS, *WORDS_FOR_MISSING, "")))
        rows = self.sql.execute(
            f"select text, n from {values} where lower(trim(text)) in ({literals}) order by n desc"
        ).fetchall()
        marks = {
            text: n
            for text, n in rows
            if text and (text.strip().lower() not in WORDS_FOR_MISSING or n >= MIN_SHOWN_COUNT)
        }
        return marks, sum(n for text, n in rows if not text)

    def _judge_values(self, kind: str, values: str) -> dict[str, Any]:
        """Derive the facts of a column from its table of values."""
        figures = _fetch_row(
            self.sql,
            f"""
            select coalesce(sum(n), 0), count(*), count(*) filter (n = 1), min(n),
                max(length(text)), avg(length(text)), min(length(text)) = max(length(text)),
                avg(regexp_full_match(trim(text), '{NUMBER}')::int),
                bool_and(regexp_full_match(trim(text), '[+-]?\\d+')),
                bool_or(regexp_matches(trim(text), '^[+-]?0\\d')),
                max(abs(try_cast(text as double))),
                bool_and(regexp_full_match(trim(text), '{DATE_SHAPE}'))
            from {values}
        """,
        )
        records, distinct, singles, rarest, longest, mean, same, *shape = figures
        numbers, integers, zeros, largest, dates = shape
        if not distinct:
            return {"kind": "nothing", "distinct": 0, "records": 0}
        counts = self._most_frequent(values)
        frequent = {
            text: n for text, n in list(counts.items())[:MOST_FREQUENT] if n >= MIN_SHOWN_COUNT
        }
        formats = self._date_formats(values) if _is_text(kind) and dates else ()
        return {
            "kind": _content_kind(kind, bool(formats), numbers == 1, bool(integers), bool(zeros)),
            "records": int(records),
            "distinct": distinct,
            "singles": singles,
            "rarest": rarest,
            "stored_as_text": _is_text(kind),
            "frequent": frequent,
            "date_formats": formats,
            "longest": longest,
            "mean_length": float(mean),
            "same_length": bool(same),
            "largest": float(largest or 0) if numbers else 0.0,
            "numbers": float(numbers),
            "values": counts,
        }

    def _most_frequent(self, values: str) -> dict[str, int]:
        """The most frequent values, with their counts."""
        return dict(
            self.sql.execute(
                f"select text, n from {values} order by n desc, text limit {MOST_COMPARED}"
            ).fetchall()
        )

    def _date_formats(self, values: str) -> tuple[str, ...]:
        """The date formats that all values follow."""
        fits = ", ".join(
            f"bool_and(try_strptime(trim(text), {literal(format)}) is not null)"
            for format in FORMATS
        )
        row = _fetch_row(self.sql, f"select {fits} from {values}")
        return tuple(format for format, fit in zip(FORMATS, row, strict=True) if fit)

    # ------------------------------------------------------------------ records

    def uniques(self, groups: Sequence[Mapping[str, Sequence[str]]]) -> int:
        """Count the records that are unique on some columns, by a hash of 64 bits.

        A group of several columns, each with its marks of missing values, is a set.
        """
        hashed = ", ".join(map(self._value_of_group, groups))
        with translate_read_errors(self.stored.path):
            return int(
                _fetch_row(
                    self.sql,
                    f"select count(*) from (select 1 from {self.table} "
                    f"group by hash({hashed}) having count(*) = 1)",
                )[0]
            )

    def _value_of_group(self, group: Mapping[str, Sequence[str]]) -> str:
        if len(group) == 1:
            return identifier(next(iter(group)))
        cells = (
            f"case when not {self._missing_condition(name, marks)} "
            f"then cast({identifier(name)} as varchar) end"
            for name, marks in group.items()
        )
        return f"list_sort(list_distinct([{', '.join(cells)}]))"  # without nulls

    def incomplete(self, groups: Sequence[Mapping[str, Sequence[str]]]) -> int:
        """Count the records in which a group of columns, each with its marks, has no value."""
        tests = [
            " and ".join(self._missing_condition(name, marks) for name, marks in group.items())
            for group in groups
        ]
        with translate_read_errors(self.stored.path):
            row = _fetch_row(
                self.sql, f"select count(*) from {self.table} where {' or '.join(tests) or 'false'}"
            )
        return int(row[0])

    def _missing_condition(self, name: str, marks: Sequence[str]) -> str:
        column = identifier(name)
        tests = [f"{column} is null"]
        if self.stored.types[name] in ("FLOAT", "DOUBLE"):
            tests.append(f"isnan({column})")
        if marks:
            tests.append(f"cast({column} as varchar) in ({', '.join(map(literal, marks))})")
        return f"({' or '.join(tests)})"


def _fetch_row(sql: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    row = sql.execute(query).fetchone()
    assert row is not None
    return row


def _is_text(kind: str) -> bool:
    return kind.startswith(("VARCHAR", "ENUM"))


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or (
        kind.startswith(("STRUCT", "MAP", "UNION", "BLOB", "BIT", "TIME", "INTERVAL"))
        and not kind.startswith("TIMESTAMP")
    )


def _content_kind(kind: str, dates: bool, numbers: bool, integers: bool, zeros: bool) -> str:
    """Kind of a column's content, by its type or, for text, by the shape of all values."""
    if not _is_text(kind):
        if kind == "BOOLEAN":
            return "two values"
        if kind.endswith(("INT", "INTEGER")):
            return "whole numbers"
        if kind.startswith(("DATE", "TIMESTAMP")):
            return "dates"
        numeric = kind.startswith(("DECIMAL", "FLOAT", "DOUBLE"))
        return "decimals" if numeric else "text"
    if dates:
        return "dates"
    if not numbers or zeros:
        return "text"  # a code with leading zeros is not a number
    return "whole numbers" if integers else "decimals"


def is_finite(facts: ColumnFacts) -> bool:
    """Whether all numbers are finite and short enough to be exact as floating-point numbers."""
    limit = math.inf if facts.kind == "decimals" and not facts.stored_as_text else 2.0**53
    return facts.largest < limit
