"""The equivalence classes of a masked table on all that somebody may know of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ontomask.engines.protocol import Applied, Engine
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.grouped_rows import GroupedRows
from ontomask.microdata.schema import Schema
from ontomask.pipeline.planning.linked_people import LinkedPlan
from ontomask.risk.released_classes import (
    ReleasedClasses,
    count_people_classes,
    count_record_classes,
)

__all__ = ["UnmaskedColumns", "count_released_classes"]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class UnmaskedColumns:
    """What is released beside the masked columns: kept columns, and those that link records."""

    person: str | None
    kept: tuple[str, ...]
    links: tuple[str, ...]
    missing_marks: tuple[str, ...]

    @classmethod
    def of_table(cls, engine: Engine, schema: Schema) -> UnmaskedColumns:
        """Look up the columns of a table.

        The column of the person links records or, if it is removed, any other released one whose
        values are of one person each.
        """
        kept, person, marks = schema.kept(engine.names), schema.person, schema.missing_marks
        unmasked = [*kept, *schema.confidential_names]
        links = [column for column in unmasked if column == person]
        if person is not None and not links:
            links = [c for c in unmasked if engine.links_records(c, person, marks)]
        return cls(person, tuple(kept), tuple(links), tuple(marks))

    @property
    def needed(self) -> list[str]:
        """The columns by which records have to be counted; none if nothing is kept."""
        if not self.kept and not self.links:
            return []
        people = [] if self.person is None else [self.person]
        return list(dict.fromkeys([*people, *self.kept, *self.links]))

    def find_weakest_classes(self, rows: GroupedRows) -> ReleasedClasses:
        """The classes for the link that singles out most people; ``rows`` are by masked class."""
        person = self.person
        if person is None:
            return count_record_classes(rows, self.kept)

        def count(link: str | None) -> ReleasedClasses:
            others = [column for column in self.kept if column != link]
            return count_people_classes(rows, person, others, link, self.missing_marks)

        counted = [count(link) for link in self.links] or [count(None)]
        return min(counted, key=lambda classes: (classes.smallest, -classes.uniques))


def count_released_classes(
    schema: Schema, applied: Applied, class_of: Longs, linked: LinkedPlan | None
) -> ReleasedClasses | None:
    """Count the classes on masked and kept columns together; None if nothing is kept.

    ``class_of`` is the class of each target. Where a released column or the pseudonym links the
    records of a person, these make one class together.
    """
    columns = UnmaskedColumns.of_table(applied.engine, schema)
    if not applied.records:
        return None
    if linked is not None:
        return _count_linked_classes(columns, applied, class_of, linked)
    if not columns.needed:
        return None
    if columns.person is None:  # counted by the engine, as there may be as many as records
        counts = applied.count_classes_with(columns.kept)
        return ReleasedClasses(
            columns.kept, **asdict(counts), total=applied.records, unit="records"
        )
    rows = applied.count_rows(columns.needed).regroup(class_of)
    return columns.find_weakest_classes(rows)


def _count_linked_classes(
    columns: UnmaskedColumns, applied: Applied, class_of: Longs, linked: LinkedPlan
) -> ReleasedClasses:
    """Count the people who share all rows of their pseudonyms."""
    assert columns.person is not None
    rows = applied.count_rows(list(dict.fromkeys([columns.person, *columns.kept, *columns.links])))
    names = [f"p{number}" for number in range(len(linked.person))]
    pseudonyms = DistinctValues(names, linked.pseudonym[rows.group])
    # The pseudonym has the name of the column that it replaces.
    original = f"{columns.person} before"
    renamed = {
        original if name == columns.person else name: column
        for name, column in rows.columns.items()
    }
    with_pseudonyms = UnmaskedColumns(
        original, columns.kept, (columns.person, *columns.links), columns.missing_marks
    )
    classes = with_pseudonyms.find_weakest_classes(
        GroupedRows(class_of[rows.group], {**renamed, columns.person: pseudonyms}, rows.records)
    )
    if classes.link in (None, columns.person):
        return classes
    # Another released column puts the pseudonyms of a person together, which breaks what they keep.
    return replace(classes, columns=(*classes.columns, classes.link))
