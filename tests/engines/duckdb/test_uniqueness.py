"""How many records are like no other: against the plain definition, in memory and in DuckDB."""

from __future__ import annotations

from collections import Counter

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.engines.duckdb import uniqueness as module
from ontomask.engines.duckdb.uniqueness import (
    EncodedColumn,
    count_uniqueness,
    count_uniqueness_in_database,
    encode_columns,
    encode_people,
)

RANGES = [(1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None)]


# ---------------------------------------------------------------------- the plain definition


def holders(rows, names):
    """Who holds each tuple: the places of its records, and its people."""
    found = {}
    for place, row in enumerate(rows):
        found.setdefault(tuple(row[name] for name in names), []).append((place, row["person"]))
    return found


def unique(rows, names, person):
    """Records nobody shares a tuple with; or people with a tuple that nobody else holds."""
    found = holders(rows, names).values()
    if not person:
        return sum(len(some) == 1 for some in found)
    people = [{who for _, who in some} - {None} for some in found]  # the unknown are nobody
    return len({who for some in people if len(some) == 1 for who in some})


def sizes(rows, names, person):
    listed = Counter()
    for some in holders(rows, names).values():
        size = max(len({who for _, who in some} - {None}), 1) if person else len(some)
        at = next(r for r in RANGES if size >= r[0] and (r[1] is None or size <= r[1]))
        listed[at] += 1
        listed[at, "records"] += len(some)
    return [(*at, listed[at], listed[at, "records"]) for at in RANGES]


# ---------------------------------------------------------------------- both ways


def in_memory(rows, names, person):
    columns = {
        name: encode_columns(pa.chunked_array([[row[name] for row in rows]])) for name in names
    }
    whose = encode_columns(pa.chunked_array([[row["person"] for row in rows]])) if person else None
    return count_uniqueness(columns, len(rows), whose)


def in_duckdb(rows, names, person):
    with duckdb.connect() as sql:
        text = ", ".join(f'"{name}" varchar' for name in ("a", "b", "c", "person"))
        sql.execute(f"create table given ({text})")
        sql.executemany(
            "insert into given values (?, ?, ?, ?)",
            [[row[name] for name in ("a", "b", "c", "person")] for row in rows],
        )
        expressions = {name: f'"{name}"' for name in names}
        found = count_uniqueness_in_database(
            sql, "given", expressions, '"person"' if person else None
        )
        left = sql.execute("select table_name from duckdb_tables()").fetchall()
        assert left == [("given",)]
        return found


WAYS = pytest.mark.parametrize("way", [in_memory, in_duckdb])

value = st.sampled_from(["x", "y", "z", "", None])
tables = st.lists(
    st.fixed_dictionaries({"a": value, "b": value, "c": value, "person": value}),
    min_size=1,
    max_size=40,
)


def check(found, rows, names, person):
    assert found.records == len(rows)
    assert found.tuples == len(holders(rows, names))
    assert found.unique_records == unique(rows, names, person=False)
    if person:
        assert found.people == len({row["person"] for row in rows} - {None})
        assert found.unique_people == unique(rows, names, person=True)
        bags = {row["person"]: Counter() for row in rows if row["person"] is not None}
        for row in rows:
            if row["person"] is not None:
                bags[row["person"]][tuple(row[name] for name in names)] += 1
        shared = Counter(frozenset(bag.items()) for bag in bags.values())
        assert found.linked_unique_people == sum(people == 1 for people in shared.values())
    else:
        assert (found.people, found.unique_people) == (None, None)
        assert found.linked_unique_people is None
    assert [(s.least, s.most, s.classes, s.records) for s in found.sizes] == sizes(
        rows, names, person
    )
    now = unique(rows, names, person)
    assert found.uniques == now
    assert [it.column for it in found.columns] == names
    for it in found.columns:
        rest = unique(rows, [name for name in names if name != it.column], person)
        assert it.uniques == now - rest
        assert it.share == ((now - rest) / now if now else None)
        assert it.alone == unique(rows, [it.column], person)


@WAYS
@given(
    rows=tables,
    names=st.lists(st.sampled_from("abc"), unique=True),
    person=st.booleans(),
)
def test_as_defined(way, rows, names, person):
    check(way(rows, names, person), rows, names, person)


@given(rows=tables, person=st.booleans())
def test_columns_that_do_not_fit_into_one_number(rows, person):
    """The same where the room is so small that numbers become ranks on the way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "KEY_BITS", 9)  # six bits of a rank, and three of a column
        check(in_memory(rows, list("abc"), person), rows, list("abc"), person)


# ---------------------------------------------------------------------- by hand


def made(*rows):
    return [dict(zip(("a", "b", "c", "person"), row, strict=True)) for row in rows]


@WAYS
def test_the_column_that_makes_people_unique(way):
    rows = made(
        ("f", "1990", "-", "Ann"),
        ("f", "1991", "-", "Bea"),
        ("m", "1990", "-", "Cid"),
        ("m", "1990", "-", "Dan"),
    )
    found = way(rows, ["a", "b"], person=False)
    assert (found.uniques, found.tuples) == (2, 3)
    sex, year = found.columns
    assert (sex.uniques, sex.share, sex.alone) == (1, 1 / 2, 0)  # 1991 stays unique
    assert (year.uniques, year.share, year.alone) == (2, 1, 1)


@WAYS
def test_two_records_of_one_person_do_not_hide_her(way):
    rows = made(("f", "1990", "-", "Ann"), ("f", "1990", "-", "Ann"), ("m", "1990", "-", "Cid"))
    found = way(rows, ["a", "b"], person=True)
    assert (found.unique_records, found.unique_people, found.people) == (1, 2, 2)
    assert found.unit == "people"
    assert (found.sizes[0].classes, found.sizes[0].records) == (2, 3)


@WAYS
def test_all_alike(way):
    found = way(made(*[("x", "y", "z", "Ann")] * 120), ["a", "b", "c"], person=False)
    assert (found.uniques, found.tuples) == (0, 1)
    assert (found.sizes[-1].classes, found.sizes[-1].records) == (1, 120)
    assert [it.share for it in found.columns] == [None, None, None]


@WAYS
def test_one_record(way):
    found = way(made(("x", "y", None, "Ann")), ["c"], person=True)
    assert (found.unique_records, found.unique_people) == (1, 1)
    assert found.columns[0].uniques == 0  # without the column she is still the only one


@WAYS
def test_records_of_unknown_people_hide_nobody_and_are_nobody(way):
    rows = made(("x", "y", "z", "Ann"), ("x", "y", "z", None), ("u", "y", "z", None))
    found = way(rows, ["a"], person=True)
    assert (found.people, found.unique_people) == (1, 1)
    assert (found.sizes[0].classes, found.sizes[0].records) == (2, 3)


def test_people_who_look_alike_are_one_and_marks_nobody():
    names = pa.chunked_array([["P1", "p1 ", "?", None], ["P2", " ? ", "", "02", "2.0"]])
    found = encode_people(names, ["?"])
    assert found.codes.tolist() == [1, 1, 0, 0, 2, 0, 0, 3, 3]
    assert found.size == 4


def test_no_records():
    found = count_uniqueness(
        {"a": EncodedColumn(encode_columns(pa.chunked_array([[]], pa.string())).codes, 1)}, 0
    )
    assert (found.records, found.tuples, found.uniques) == (0, 0, 0)


def test_missing_values_are_one_value_over_all_chunks():
    found = encode_columns(pa.chunked_array([["x", None], ["y", "x"], [None]], pa.string()))
    assert found.codes.tolist() == [1, 0, 2, 1, 0]
    assert (found.size, found.bits) == (3, 2)
