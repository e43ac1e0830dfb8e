"""Several releases of one table together: whom their equivalence classes single out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.known_values import fold_value, merge_look_alikes, without_unknown
from ontomask.microdata.schema import Schema
from ontomask.pipeline.comparing.table_pairs import TablePair, pair_tables, read_table
from ontomask.risk.classes import canonical_targets

__all__ = ["Intersection", "intersect_releases"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Intersection:
    """What an attacker learns who finds a person's equivalence class in each of several releases.

    Attributes:
        records: Number of records that all releases contain.
        k_of_each: The size of the smallest equivalence class of each release.
        k: The size of the smallest intersection of classes.
        uniques: Number of records that are alone in the intersection of their classes.
        below_k: Number of records in intersections that are smaller than the classes of every
            single release.
        disclosed: By sensitive attribute, the number of records for which only one value occurs in
            all of their classes.
        people: Whether sizes are numbers of people, not of records.
    """

    records: int
    k_of_each: tuple[int, ...]
    k: int
    uniques: int
    below_k: int
    disclosed: dict[str, int]
    people: bool

    def as_dict(self) -> dict[str, Any]:
        """The figures, ready for JSON."""
        return asdict(self)


def intersect_releases(
    original: Any,
    releases: Sequence[Any],
    schema: Schema,
    *,
    match_by: str | None = None,
    **file: Any,
) -> Intersection:
    """Count the records that several releases of one table single out together.

    Guarantees do not compose. Each release may be k-anonymous; but an attacker who knows the
    quasi-identifiers of a person finds a class in each of them, and the person is in all of these.

    Args:
        original: The original table, in any form that :func:`~ontomask.mask` accepts.
        releases: Two or more masked forms of it, with the same records in the same order unless
            ``match_by`` is given.
        schema: The role of every column.
        match_by: A column that identifies the records of all tables.
        **file: Settings of files, as in :func:`~ontomask.mask`.

    Returns:
        The figures.

    >>> import pandas as pd
    >>> from ontomask import Numeric
    >>> table = pd.DataFrame({"age": [30, 32, 40, 42]})
    >>> first = pd.DataFrame({"age": [31, 31, 41, 41]})
    >>> second = pd.DataFrame({"age": [30, 36, 36, 30]})
    >>> intersect_releases(table, [first, second], Schema([Numeric("age")])).uniques
    4
    """
    if not isinstance(schema, Schema):
        raise ParameterError(f"schema must be a Schema, got {type(schema).__name__}")
    if len(releases) < 2:
        raise ParameterError(f"releases must be at least two tables, got {len(releases)}")
    before = read_table(original, schema, match_by, file)
    pairs = [
        pair_tables(before, read_table(table, schema, match_by, file), schema, match_by)
        for table in releases
    ]
    if any(pair.removed.any() for pair in pairs):
        raise ParameterError(
            "the releases must have all records of the original table, but records of linked "
            "people were removed from some",
            "remove these records from all tables",
        )
    classes = [_class_of_records(pair) for pair in pairs]
    cells, cell_of_record = np.unique(np.column_stack(classes), axis=0, return_inverse=True)
    cell_of_record = cell_of_record.reshape(-1)
    people = _person_codes(pairs[0], schema)
    cell_sizes = _unit_sizes(cell_of_record, people)
    smallest = [int(_unit_sizes(numbers, people).min()) for numbers in classes]
    return Intersection(
        len(cell_of_record),
        tuple(smallest),
        int(cell_sizes.min()),
        int(np.count_nonzero(cell_sizes <= 1)),
        int(np.count_nonzero(cell_sizes < min(smallest))),
        {
            name: _count_disclosed(
                cells,
                np.bincount(cell_of_record),
                [
                    _values_by_class(name, pair, numbers, schema)
                    for pair, numbers in zip(pairs, classes, strict=True)
                ],
            )
            for name in schema.confidential_names
            if all(name in pair.after.names for pair in pairs)
        },
        people is not None,
    )


def _class_of_records(pair: TablePair) -> Longs:
    plan, _, target = pair.make_plan()
    return np.asarray(canonical_targets(plan)[target])


def _unit_sizes(classes: Longs, people: Longs | None) -> Longs:
    """For each record the size of its class: the number of its records, or of its people."""
    if people is None:
        members = classes
    else:
        known = people >= 0
        size = int(people.max(initial=0)) + 1
        members = np.unique(classes[known] * size + people[known]) // size
    return np.bincount(members, minlength=int(classes.max()) + 1)[classes]


def _person_codes(pair: TablePair, schema: Schema) -> Longs | None:
    if schema.person is None or schema.person not in pair.before.names:
        return None
    return _known_values(pair.before.distinct_values(schema.person), schema).codes[pair.kept]


def _known_values(distinct: DistinctValues, schema: Schema) -> DistinctValues:
    return merge_look_alikes(without_unknown(distinct, schema.missing_marks))[0]


def _count_disclosed(
    cells: Longs, counts: Longs, values_of_classes: Sequence[dict[int, set[str]]]
) -> int:
    """Number of records for which one value occurs in all of their classes.

    A cell has a class of each release; ``counts`` are the numbers of its records.
    """
    return sum(
        count
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True)
        if len(
            set.intersection(
                *(values[number] for values, number in zip(values_of_classes, cell, strict=True))
            )
        )
        == 1
    )


def _values_by_class(
    column: str, pair: TablePair, classes: Longs, schema: Schema
) -> dict[int, set[str]]:
    released = pair.after.distinct_values(column).select_rows(pair.is_released)
    distinct = _known_values(released, schema)
    texts = [fold_value(value) for value in distinct.values]
    values: dict[int, set[str]] = {number: set() for number in np.unique(classes).tolist()}
    for number, code in set(zip(classes.tolist(), distinct.codes.tolist(), strict=True)):
        if code >= 0:
            values[number].add(texts[code])
    return values
