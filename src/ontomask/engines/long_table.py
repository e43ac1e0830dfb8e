"""Long tables, with a row for each value of a person's set: gathered to a row for each person.

The released table is spread again: a row for each released value, with the pseudonym of the person.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from ontomask.engines.duckdb.connection import fresh_name
from ontomask.engines.duckdb.engine import StoredEngine
from ontomask.engines.duckdb.sql import identifier
from ontomask.engines.memory.engine import FrameEngine
from ontomask.engines.memory.frame import Frame
from ontomask.engines.protocol import Engine
from ontomask.errors import ColumnError, InternalError, format_count
from ontomask.microdata.known_values import fold_value

__all__ = ["LongRows", "PeopleEngine", "gather_people"]


@dataclass(frozen=True)
class LongRows:
    """How many rows a long table has.

    Attributes:
        before: Number of rows of the original table.
        removed: Number of these rows without a known person, which are not released.
        released: Number of released rows: one for each value of a person.
    """

    before: int
    removed: int
    released: int


class PeopleEngine(FrameEngine):
    """The people of a long table, a row each; the values of the set are a list.

    ``long`` is the engine of the table that was gathered, ``names_before`` are its released columns
    in their order, and ``rows`` how many rows it had and how many of them had no known person.
    """

    def __init__(
        self,
        people: pa.Table,
        long: Engine,
        person: str,
        values: str,
        names_before: list[str],
        rows: tuple[int, int],
    ) -> None:
        super().__init__(people)
        self.long, self._person, self._values, self._names = long, person, values, names_before
        self._rows_before, self._rows_removed = rows

    def count_long_rows(self, data: pa.Table) -> LongRows:
        """Count the rows of the long table, given the released people."""
        sizes = pc.fill_null(pc.list_value_length(data[self._values]), 1)
        released = int(pc.sum(sizes).as_py() or 0)
        return LongRows(self._rows_before, self._rows_removed, released)

    def present(self, data: Any) -> Any:
        """The released table as a long one, of the kind that was gathered."""
        return self.long.convert_rows(self._spread(data))

    def write_released(
        self, data: Any, target: Path, force: bool, escape_formulas: bool = False
    ) -> None:
        """Write the long table, and gather the finished file again to compare it."""
        rows = self._spread(data)
        if not isinstance(self.long, StoredEngine):
            from ontomask.engines.formats import write_frame

            write_frame(rows, target, force=force, escape_formulas=escape_formulas)
            return
        sql, name = self.long.sql, fresh_name()
        sql.register(name, rows)
        try:
            self.long.stored.write(
                f"select * from {name}",
                target,
                force=force,
                escape_formulas=escape_formulas,
                check=lambda finished: self._compare_rows(sql, name, finished.source),
            )
        finally:
            sql.unregister(name)

    def _compare_rows(self, sql: duckdb.DuckDBPyConnection, name: str, source: str) -> None:
        """Refuse a written file that has other rows than it should."""
        cells = ", ".join(
            f"coalesce(cast({identifier(column)} as varchar), '')" for column in self._names
        )
        written, planned = f"select {cells} from {source}", f"select {cells} from {name}"
        differing = sql.sql(
            f"select count(*) from (({written} except all {planned}) union all "
            f"({planned} except all {written}))"
        ).fetchall()[0][0]
        if differing:
            raise InternalError("the written file has other rows than it should")

    def _spread(self, people: pa.Table) -> pa.Table:
        """A row for each value of each person; a row with an empty cell where it is missing."""
        person, values = identifier(self._person), identifier(self._values)
        columns = ", ".join(
            f"ontomask_value as {values}" if name == self._values else identifier(name)
            for name in self._names
        )
        with duckdb.connect() as sql:
            sql.register("people", people)
            if sql.sql(f"select count(*) from people where len({values}) = 0").fetchall()[0][0]:
                raise InternalError("a long table cannot hold an empty set")
            rows = sql.sql(f"""
                select {columns} from (
                    select *, unnest(coalesce({values}, [null])) as ontomask_value from people)
                order by {person}, ontomask_value
            """).to_arrow_table()
            again = sql.sql(f"""
                with original as (select {person}, list_sort({values}) as v from people),
                gathered as (
                    select {person}, list({values} order by {values})
                        filter (where {values} is not null) as v
                    from rows group by {person})
                select count(*) from original full join gathered using ({person})
                where original.v is distinct from gathered.v
            """).fetchall()[0][0]
        if again:
            raise InternalError("a person of the long table has other values than planned")
        return rows


def gather_people(
    engine: Engine,
    person: str,
    values: str,
    removed: Sequence[str],
    marks: Collection[str],
    drops_unknown: bool,
) -> PeopleEngine:
    """Gather the rows of each person to one, with the values of a column as a list.

    Values that are missing, or marks of missing values, are left out. All other released columns
    must have the same value in all rows of a person. Spellings of a person that look alike are one.
    """
    names = [name for name in engine.names if name == person or name not in set(removed)]
    if isinstance(engine, StoredEngine):
        sql, source = engine.sql, engine.stored.source
        own = None
    else:
        own = duckdb.connect()
        own.register("ontomask_rows", _as_arrow(engine.read(names)))
        sql, source = own, "ontomask_rows"
    try:
        people, rows = _gather(sql, source, person, values, names, marks, drops_unknown)
    finally:
        if own is not None:
            own.close()
    return PeopleEngine(people, engine, person, values, names, rows)


def _gather(
    sql: duckdb.DuckDBPyConnection,
    source: str,
    person: str,
    values: str,
    names: Sequence[str],
    marks: Collection[str],
    drops_unknown: bool,
) -> tuple[pa.Table, tuple[int, int]]:
    """The people, and how many rows there are, and of these without a known person."""
    others = [name for name in names if name not in (person, values)]
    key = f"cast({identifier(person)} as varchar)"
    texts = [text for (text,) in sql.sql(f"select distinct {key} from {source}").fetchall()]
    numbers = _number_people(texts, marks)
    lookup = fresh_name()
    table = pa.table(
        {"ontomask_text": pa.array(texts, pa.string()), "ontomask_number": pa.array(numbers)}
    )
    sql.register(lookup, table)
    rows = f"""
        (select s.*, ontomask_number from {source} s
         left join {lookup} on {key} is not distinct from ontomask_text)
    """
    counts = f"select count(*), count(*) filter (where ontomask_number is null) from {rows}"
    total, unknown = sql.sql(counts).fetchall()[0]
    if unknown and not drops_unknown:
        raise ColumnError(
            f"{format_count(unknown, 'row')} have no known person in {person!r}, so nothing can "
            "link them",
            "use missing='drop' to remove these rows",
        )
    _refuse_varying_columns(sql, rows, others, person)
    value = f"cast({identifier(values)} as varchar)"
    nothing = {"", *marks}
    listed = ", ".join("'" + mark.replace("'", "''") + "'" for mark in sorted(nothing))
    columns = ", ".join(
        f"list_sort(list(distinct {value}) filter (where {value} is not null and "
        f"trim({value}) not in ({listed}))) as {identifier(name)}"
        if name == values
        else f"min({key}) as {identifier(name)}"
        if name == person
        else f"any_value({identifier(name)}) as {identifier(name)}"
        for name in names
    )
    gathered = sql.sql(f"""
        select {columns} from {rows} where ontomask_number is not null
        group by ontomask_number order by ontomask_number
    """).to_arrow_table()
    sql.unregister(lookup)
    return gathered, (total, unknown)


def _number_people(texts: Sequence[str | None], marks: Collection[str]) -> list[int | None]:
    """The number of each person by the folded text; None for what says nothing."""
    folded = [None if text is None else fold_value(text) for text in texts]
    nothing = {"", *map(fold_value, marks)}
    known = sorted({text for text in folded if text is not None and text not in nothing})
    number = {text: place for place, text in enumerate(known)}
    return [None if text is None else number.get(text) for text in folded]


def _refuse_varying_columns(
    sql: duckdb.DuckDBPyConnection, rows: str, columns: Sequence[str], person: str
) -> None:
    """Refuse columns that differ between the rows of a person: a person has one row of them."""
    for column in columns:
        text = f"coalesce(cast({identifier(column)} as varchar), '')"
        people = sql.sql(f"""
            select count(*) from (select 1 from {rows} where ontomask_number is not null
            group by ontomask_number having min({text}) <> max({text}))
        """).fetchall()[0][0]
        if people:
            raise ColumnError(
                f"column {column!r} must have one value for each person in {person!r}, but has "
                f"several for {format_count(people, 'person')}",
                "give it the role drop, or mask a table with one row for each person",
            )


def _as_arrow(table: Frame) -> pa.Table:
    import narwhals as nw

    return nw.from_native(table.native, eager_only=True).to_arrow()
