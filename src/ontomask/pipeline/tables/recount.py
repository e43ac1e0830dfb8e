"""The classes of people by all their rows in several tables, counted on the finished tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ontomask.engines.memory.values import canonical_text
from ontomask.engines.protocol import Applied
from ontomask.errors import Hint, SchemaError, quote_names
from ontomask.microdata.known_values import fold_value, merge_look_alikes, without_unknown
from ontomask.microdata.schema import Schema
from ontomask.microdata.tuples import count_tuples
from ontomask.pipeline.counting import Counted
from ontomask.pipeline.planning.linked_people import LinkedPlan
from ontomask.risk.released_classes import ReleasedClasses, number_linked_classes

__all__ = ["FinishedTable", "count_joint_classes", "refuse_links_between_tables"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FinishedTable:
    """A masked table with its plan of pseudonyms, and what these are called."""

    name: str
    schema: Schema
    applied: Applied
    plan: LinkedPlan
    pseudonyms: Sequence[str]

    @property
    def kept(self) -> tuple[str, ...]:
        """The kept columns."""
        return tuple(self.schema.kept(self.applied.engine.names))

    def read_rows(self, with_kept: bool) -> tuple[Longs, Longs, Longs]:
        """The pseudonym, the combination of values and the number of the finished rows."""
        columns = self.applied.count_masked_rows(self.kept if with_kept else ())
        person = str(self.schema.person)
        names = columns.pop(person)
        number = {canonical_text(name): place for place, name in enumerate(self.pseudonyms)}
        of_value = [number[canonical_text(value)] for value in names.values]
        pseudonym = np.array(of_value, dtype=np.int64)[names.codes]
        values = [_number_texts(column.values)[column.codes] for column in columns.values()]
        rows = count_tuples([], [np.zeros_like(pseudonym), *values])[1]
        records = np.ones(len(pseudonym), dtype=np.int64)
        return pseudonym, rows, records if names.weights is None else names.weights

    @property
    def links(self) -> tuple[str, ...]:
        """The released columns that are not masked and whose values are of one person each."""
        schema, engine = self.schema, self.applied.engine
        person, marks = str(schema.person), schema.missing_marks
        columns = (*self.kept, *schema.confidential_names)
        return tuple(c for c in columns if engine.links_records(c, person, marks))

    def find_links(self) -> Longs:
        """Pairs of pseudonyms that a value of a released column puts together."""
        marks = self.schema.missing_marks
        pairs = [np.empty((0, 2), dtype=np.int64)]
        for column in self.links:
            rows = self.applied.count_rows([column])
            codes = merge_look_alikes(without_unknown(rows.columns[column], marks))[0].codes
            known = np.flatnonzero(codes >= 0)
            order = known[np.argsort(codes[known], kind="stable")]
            same = np.diff(codes[order]) == 0
            pseudonym = self.plan.pseudonym[rows.group[order]]
            pairs.append(np.column_stack([pseudonym[:-1][same], pseudonym[1:][same]]))
        return np.vstack(pairs)


def _number_texts(values: Sequence[object]) -> Longs:
    """A number for each value, by its text; the last is that of a missing one."""
    number: dict[str, int] = {}
    texts = [canonical_text(value) for value in (*values, None)]
    return np.array([number.setdefault(text, len(number)) for text in texts])


def count_joint_classes(
    tables: Sequence[FinishedTable], link: str
) -> tuple[Longs, ReleasedClasses | None]:
    """Count the people who share all their rows in all tables, cell by cell.

    The pieces of a person count once. ``link`` is what the person is called.

    Returns:
        The sizes of the classes on the masked columns, in people, and the classes on these and the
        kept columns, where pseudonyms that another column puts together are one; None if nothing is
        released.
    """
    people = tables[0].plan.person
    if not len(people):
        return np.zeros(0, dtype=np.int64), None
    every = np.arange(len(people))
    _, sizes = _count_people(tables, every, people, with_kept=False)
    pairs = np.vstack([table.find_links() for table in tables])
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), (len(people),) * 2)
    joined = connected_components(graph, directed=False)[1].astype(np.int64)
    of_people, with_kept = _count_people(tables, joined, people, with_kept=True)
    kept = tuple(
        f"{table.name}.{column}"
        for table in tables
        for column in dict.fromkeys([*table.kept, *(table.links if len(pairs) else ())])
    )
    released = ReleasedClasses(
        kept,
        len(with_kept),
        int(with_kept.min()) if len(with_kept) else 0,
        len(np.unique(of_people)),
        len(np.unique(people)),
        "people",
        link,
    )
    return sizes, released


def _count_people(
    tables: Sequence[FinishedTable], link: Longs, people: Longs, *, with_kept: bool
) -> tuple[Longs, Longs]:
    """Who is alone in a class, and the size of each class; ``link`` is that of a pseudonym."""
    links, rows, records, first = [], [], [], 0
    for table in tables:
        pseudonym, row, number = table.read_rows(with_kept)
        links.append(link[pseudonym])
        rows.append(first + row)
        records.append(number)
        first += int(row.max(initial=-1)) + 1
    of_link = np.concatenate(links)
    classes = number_linked_classes(np.concatenate(rows), of_link, np.concatenate(records))
    person_of_link = np.empty(int(link.max(initial=-1)) + 1, dtype=np.int64)
    person_of_link[link] = people
    pairs = np.unique(np.column_stack([classes, person_of_link[of_link]]), axis=0)
    _, place, sizes = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
    return pairs[sizes[place.ravel()] == 1, 1], sizes


def refuse_links_between_tables(tables: Mapping[str, Counted]) -> None:
    """Refuse released columns by which readers can put rows of two tables together.

    Values of such a column are of one person each, and some are in both tables: the number of a
    stay, for example. The rows of a person in two tables are then not only the same bag.
    """
    owners = [
        (name, column, _list_owners(counted, column))
        for name, counted in tables.items()
        for column in _released_unmasked(counted)
    ]
    for place, (name, column, people) in enumerate(owners):
        for other, same, other_people in owners[:place]:
            if other == name:
                continue
            shared = people.keys() & other_people.keys()
            if _are_of_one_person(shared, people, other_people):
                raise SchemaError(
                    f"columns {f'{other}.{same}'!r} and {f'{name}.{column}'!r} must not both be "
                    "released: they have the same values for the same people, so they link single "
                    f"rows of {quote_names([other, name])}",
                    Hint("make one of them an identifier, or drop it"),
                )


def _are_of_one_person(
    values: Collection[str],
    people: Mapping[str, str | None],
    others: Mapping[str, str | None],
) -> bool:
    """Whether most values are of the same single person in both tables, and not all of one."""
    same = [people[value] for value in values if people[value] == others[value]]
    single = [person for person in same if person is not None]
    return 2 * len(single) >= len(values) and len(set(single)) > 1


def _released_unmasked(counted: Counted) -> list[str]:
    """The columns that are released as they are."""
    schema, names = counted.schema, counted.engine.names
    return list(dict.fromkeys([*schema.kept(names), *schema.confidential_names]))


def _list_owners(counted: Counted, column: str) -> dict[str, str | None]:
    """The person who has each known value of a column; None where several have it."""
    schema = counted.schema
    assert schema.person is not None
    rows = counted.records.count_rows([column, schema.person])
    people, values = (
        without_unknown(rows.columns[name], schema.missing_marks)
        for name in (schema.person, column)
    )
    owners: dict[str, str | None] = {}
    names = [fold_value(value) for value in people.values]
    texts = [fold_value(value) for value in values.values]
    known = (people.codes >= 0) & (values.codes >= 0)
    pairs = np.unique(np.column_stack([values.codes[known], people.codes[known]]), axis=0)
    for value, person in pairs.tolist():
        owner = names[person]
        owners[texts[value]] = owner if owners.get(texts[value], owner) == owner else None
    return owners
