"""What a method promises of the values of a finished table, verified on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.memory.values import canonical_text
from ontomask.engines.protocol import Applied
from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.microdata.attributes import MISSING, NominalAttribute
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.known_values import merge_look_alikes, without_unknown
from ontomask.microdata.schema import Date, Nominal, NominalSet, Numeric, Ordinal, Schema
from ontomask.microdata.sets import ConceptSets
from ontomask.microdata.sets.set_concepts import has_sets
from ontomask.microdata.sets.spread_sets import combine_columns
from ontomask.microdata.shown_values import ShownValues
from ontomask.microdata.tuples import Transitions
from ontomask.pipeline.complete_records import flag_marks
from ontomask.pipeline.guarantees.released_classes import UnmaskedColumns
from ontomask.risk.sets import released_sets

__all__ = ["verify_planned_values", "verify_values"]

Longs = NDArray[np.int64]


def verify_values(schema: Schema, method: Method, applied: Applied) -> str:
    """Verify what a method promises of the values that a finished table shows; what holds."""
    if not method.verifies_values or not applied.records:
        return ""
    columns, person = schema.quasi_identifiers, schema.person
    counted = applied.count_masked_rows([] if person is None else [person])
    cells = [_read_column(column, counted, schema.missing_marks) for column in columns]
    sets = _join_values(columns, cells)
    names = tuple(column.column for column in columns)
    records = cells[0].weights
    assert records is not None
    people = None
    if person is not None:
        known = without_unknown(counted[person], schema.missing_marks)
        people = merge_look_alikes(known)[0].codes
        links = UnmaskedColumns.of_table(applied.engine, schema).links
        _refuse_linked_records(links, method, people, records)
    return method.verify_values(ShownValues(names, sets, records, people))


def _read_column(
    column: Nominal | Numeric | Ordinal | Date,
    counted: Mapping[str, DistinctValues],
    marks: Collection[str],
) -> DistinctValues:
    """The cells of a quasi-identifier; those of a set over several columns are combined."""
    if len(column.table_columns) == 1:
        return counted[column.column]
    parts = [counted[name] for name in column.table_columns]
    return combine_columns(
        [part.without_values(flag_marks(part.values, ["", *marks])) for part in parts]
    )


def _join_values(
    columns: Sequence[Nominal | Numeric | Ordinal | Date], counted: Sequence[DistinctValues]
) -> ConceptSets:
    """The values of each row, read from the cells and numbered over all columns."""
    numbers: dict[tuple[int, str | None], int] = {}
    owners, values = [], []
    for j, (column, distinct) in enumerate(zip(columns, counted, strict=True)):
        cells = [
            column.read_cell(value) if isinstance(column, NominalSet) else [value]
            for value in distinct.values
        ]
        places = [
            [numbers.setdefault((j, canonical_text(part)), len(numbers)) for part in cell]
            for cell in cells
        ]
        places.append([numbers.setdefault((j, None), len(numbers))])  # missing
        by_cell = ConceptSets.from_lists(places).take(distinct.codes % len(places))
        owners.append(by_cell.owners())
        values.append(by_cell.concepts)
    return ConceptSets.from_pairs(
        np.concatenate(owners), np.concatenate(values), len(counted[0].codes)
    )


def verify_planned_values(
    method: Method,
    plan: Transitions,
    people: tuple[Longs, Longs] | None,
    unmasked: UnmaskedColumns | None,
    rows: GroupedRows | None,
) -> str:
    """Verify the same on the targets of a plan, before any table is made; what holds.

    ``people`` are the tuple and the person of every record, and ``rows`` the records by tuple and
    unmasked columns, if the schema has a person and such columns.
    """
    if not method.verifies_values:
        return ""
    if unmasked is not None and rows is not None and unmasked.person is not None:
        known = without_unknown(rows.columns[unmasked.person], unmasked.missing_marks)
        codes = merge_look_alikes(known)[0].codes
        _refuse_linked_records(unmasked.links, method, codes, rows.records)
    names = tuple(attribute.name for attribute in plan.tuples.attributes)
    sets = _join_targets(plan)
    if people is None:
        return method.verify_values(ShownValues(names, sets, plan.class_sizes()))
    shown = sets.take(plan.target_of()[people[0]])
    ones = np.ones(len(shown), dtype=np.int64)
    return method.verify_values(ShownValues(names, shown, ones, people[1]))


def _join_targets(plan: Transitions) -> ConceptSets:
    """The values of each target, numbered over all columns; missing and suppressed are alike."""
    owners, values, first = [], [], 0
    for j, attribute in enumerate(plan.tuples.attributes):
        if isinstance(attribute, NominalAttribute) and has_sets(attribute):
            sets, place = released_sets(plan, j, attribute)
            known = np.flatnonzero(place >= 0)
            shown = sets.take(place[known])
            owner, value = known[shown.owners()], shown.concepts.astype(np.int64) + 1
            missing = np.flatnonzero(place < 0)
            owner = np.append(owner, missing)
            value = np.append(value, np.zeros_like(missing))
        else:
            targets = plan.targets[:, j]
            if isinstance(attribute, NominalAttribute):
                empty = [*(concept == MISSING for concept in attribute.candidates), True]
                is_empty = np.array(empty)[np.nan_to_num(targets, nan=-1).astype(np.int64)]
            else:
                is_empty = ~np.isfinite(targets)
            owner = np.arange(len(targets))
            value = np.unique(np.where(is_empty, np.inf, targets), return_inverse=True)[1].ravel()
        owners.append(owner)
        values.append(value + first)
        first += int(value.max(initial=-1)) + 1
    return ConceptSets.from_pairs(np.concatenate(owners), np.concatenate(values), len(plan.targets))


def _refuse_linked_records(
    links: Sequence[str], method: Method, people: Longs, records: Longs
) -> None:
    """Refuse a release in which the records of a person can be put together."""
    known = people >= 0
    has_several = np.bincount(people[known], weights=records[known]).max(initial=0) > 1
    if links and has_several:
        raise ParameterError(
            f"the released column {links[0]!r} links the records of a person, but {method.title} "
            "protects the values of each record alone",
            "do not release it, or write all values of a person into one record",
        )
