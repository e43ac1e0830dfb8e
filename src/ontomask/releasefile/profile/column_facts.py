"""What is counted in a table before anybody says what its columns are: all of it inside DuckDB.

Each column becomes a small table of its values with their counts, and is judged by that. Where a
large table has too many different values for it, a random sample of the records stands in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from ontomask.engines.duckdb.connection import fresh_name, identifier, literal, reading
from ontomask.engines.formats import StoredTable
from ontomask.errors import ColumnError

__all__ = ["FEWEST", "Facts", "Looking"]

#: A value that fewer records carry is never shown.
FEWEST = 10
#: So many frequent values are kept at most.
MOST_FREQUENT = 5
#: Tables up to so many rows, and columns up to so many different values, are counted exactly.
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
class Facts:
    """What was counted in a column.

    ``kind`` is what stands in it: text, whole numbers, decimals, dates, flags, nothing, or
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
    zeros_in_front: bool = False
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


class Looking:
    """A table that is being looked at."""

    def __init__(self, stored: StoredTable) -> None:
        self.stored, self.sql = stored, stored.connection
        self._own = fresh_name()
        self.table = self._readable()
        self._sample = ""

    def _readable(self) -> str:
        """Parquet is read where it is; what is slow to read is copied into the database first."""
        if self.stored.format == "parquet":
            return self.stored.source
        with reading(self.stored.path):
            self.sql.execute(f"create temp table {self._own} as from {self.stored.source}")
        return self._own

    # ------------------------------------------------------------------ columns

    def columns(self) -> Iterator[Facts]:
        """The facts of every column, in their order."""
        if not self.stored.rows:
            raise ColumnError(f"{self.stored.path} has no records", "there is nothing to look at")
        yield from self._facts(self.stored.names)

    def column(self, name: str) -> Facts:
        """The facts of one column."""
        return next(self._facts([name]))

    def _facts(self, names: Sequence[str]) -> Iterator[Facts]:
        for name, (present, distinct) in zip(names, self._roughly(names), strict=True):
            with reading(self.stored.path):
                found = self._column(name, present, distinct)
            yield found

    def _roughly(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """How many values each column has, and about how many are different."""
        found: list[tuple[int, int]] = []
        for start in range(0, len(names), 100):
            asked = ", ".join(
                f"count({identifier(n)}), "
                + (
                    "0"
                    if _is_nested(self.stored.types[n])
                    else f"approx_count_distinct({identifier(n)})"
                )
                for n in names[start : start + 100]
            )
            with reading(self.stored.path):
                numbers = _row(self.sql, f"select {asked} from {self.table}")
            found += zip(numbers[::2], numbers[1::2], strict=True)
        return found

    def _column(self, name: str, present: int, distinct: int) -> Facts:
        kind, rows = self.stored.types[name], self.stored.rows
        if _is_nested(kind):
            return Facts(name, "something else", rows, rows - present, 0, stored_as_text=False)
        exact = rows <= MANY_ROWS or distinct <= MANY_VALUES
        values = self._values(name, kind, exact)
        marks, empty = self._marks(values, kind)
        shown = ", ".join(literal(mark) for mark in (*marks, ""))
        facts = self._judged(kind, f"(from {values} where text not in ({shown}))")
        self.sql.execute(f"drop table {values}")
        facts["marks"] = {**marks, **({"": empty} if empty else {})}
        found = facts.pop("records") * (1 if exact else rows / min(rows, SAMPLE))
        if not exact and facts["distinct"]:
            facts |= {"distinct": distinct, "singles": 0, "rarest": 1, "frequent": {}}
        return Facts(name, rows=rows, missing=rows - round(found), exact=exact, **facts)

    def _values(self, name: str, kind: str, exact: bool) -> str:
        """A table of the values of a column, as they are and as text, with their counts."""
        made, column = fresh_name(), identifier(name)
        value = f"cast({column} as varchar)" if _is_text(kind) else column
        text = (
            f"if({column}, 'True', 'False')" if kind == "BOOLEAN" else f"cast({column} as varchar)"
        )
        known = f"{column} is not null"
        if kind in ("FLOAT", "DOUBLE"):
            known += f" and not isnan({column})"
        source = self.table if exact else self._sampled()
        self.sql.execute(
            f"create temp table {made} as select {value} as value, {text} as text, count(*) as n "
            f"from {source} where {known} group by all"
        )
        return made

    def _sampled(self) -> str:
        """A random sample of the records, drawn once."""
        if not self._sample:
            self._sample = fresh_name()
            self.sql.execute(
                f"create temp table {self._sample} as "
                f"select * from {self.table} using sample reservoir({SAMPLE} rows)"
            )
        return self._sample

    def _marks(self, values: str, kind: str) -> tuple[dict[str, int], int]:
        """Values that seem to mean missing, with their counts, and how many are empty."""
        if not _is_text(kind):
            return {}, 0
        listed = ", ".join(map(literal, (*MARKS, *WORDS_FOR_MISSING, "")))
        found = self.sql.execute(
            f"select text, n from {values} where lower(trim(text)) in ({listed}) order by n desc"
        ).fetchall()
        marks = {
            text: n
            for text, n in found
            if text and (text.strip().lower() not in WORDS_FOR_MISSING or n >= FEWEST)
        }
        return marks, sum(n for text, n in found if not text)

    def _judged(self, kind: str, values: str) -> dict[str, Any]:
        """All that follows from the table of values."""
        figures = _row(
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
        records, distinct, singles, rarest, longest, mean, same, *looks = figures
        numbers, whole, zeros, largest, dates = looks
        if not distinct:
            return {"kind": "nothing", "distinct": 0, "records": 0}
        most = self._most(values)
        often = {text: n for text, n in list(most.items())[:MOST_FREQUENT] if n >= FEWEST}
        formats = self._formats(values) if _is_text(kind) and dates else ()
        return {
            "kind": _kind(kind, bool(formats), numbers == 1, bool(whole), bool(zeros)),
            "records": int(records),
            "distinct": distinct,
            "singles": singles,
            "rarest": rarest,
            "stored_as_text": _is_text(kind),
            "frequent": often,
            "date_formats": formats,
            "zeros_in_front": bool(zeros),
            "longest": longest,
            "mean_length": float(mean),
            "same_length": bool(same),
            "largest": float(largest or 0) if numbers else 0.0,
            "numbers": float(numbers),
            "values": most,
        }

    def _most(self, values: str) -> dict[str, int]:
        """The most frequent values, with their counts."""
        return dict(
            self.sql.execute(
                f"select text, n from {values} order by n desc, text limit {MOST_COMPARED}"
            ).fetchall()
        )

    def _formats(self, values: str) -> tuple[str, ...]:
        """The ways of writing dates that all values follow."""
        fits = ", ".join(
            f"bool_and(try_strptime(trim(text), {literal(form)}) is not null)" for form in FORMATS
        )
        found = _row(self.sql, f"select {fits} from {values}")
        return tuple(form for form, fit in zip(FORMATS, found, strict=True) if fit)

    # ------------------------------------------------------------------ records

    def uniques(self, columns: Sequence[str]) -> int:
        """How many records nobody shares some columns with; told apart by a hash of 64 bits."""
        hashed = ", ".join(map(identifier, columns))
        with reading(self.stored.path):
            return int(
                _row(
                    self.sql,
                    f"select count(*) from (select 1 from {self.table} "
                    f"group by hash({hashed}) having count(*) = 1)",
                )[0]
            )

    def incomplete(self, marks: dict[str, Sequence[str]]) -> int:
        """How many records miss one of some columns, each with its marks of missing values."""
        tests = []
        for name, some in marks.items():
            column = identifier(name)
            tests.append(f"{column} is null")
            if self.stored.types[name] in ("FLOAT", "DOUBLE"):
                tests.append(f"isnan({column})")
            if some:
                listed = ", ".join(map(literal, some))
                tests.append(f"cast({column} as varchar) in ({listed})")
        with reading(self.stored.path):
            found = _row(
                self.sql, f"select count(*) from {self.table} where {' or '.join(tests) or 'false'}"
            )
        return int(found[0])


def _row(sql: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    found = sql.execute(query).fetchone()
    assert found is not None
    return found


def _is_text(kind: str) -> bool:
    return kind.startswith(("VARCHAR", "ENUM"))


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or (
        kind.startswith(("STRUCT", "MAP", "UNION", "BLOB", "BIT", "TIME", "INTERVAL"))
        and not kind.startswith("TIMESTAMP")
    )


def _kind(kind: str, dates: bool, numbers: bool, whole: bool, zeros: bool) -> str:
    """What stands in a column, by its type or, of text, by what all values look like."""
    if not _is_text(kind):
        if kind == "BOOLEAN":
            return "flags"
        if kind.endswith(("INT", "INTEGER")):
            return "whole numbers"
        if kind.startswith(("DATE", "TIMESTAMP")):
            return "dates"
        numeric = kind.startswith(("DECIMAL", "FLOAT", "DOUBLE"))
        return "decimals" if numeric else "text"
    if dates:
        return "dates"
    if not numbers or zeros:
        return "text"  # a code with zeros in front is no number
    return "whole numbers" if whole else "decimals"


def is_finite(facts: Facts) -> bool:
    """Whether numbers are all finite, and none too long to be told from its neighbour."""
    limit = math.inf if facts.kind == "decimals" and not facts.stored_as_text else 2.0**53
    return facts.largest < limit
