"""Equivalence classes on everything that somebody may know of a released table.

That is more than the quasi-identifiers: columns that are kept are known to somebody, too, and a
column that links the records of a person makes one class of all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.grouped_rows import ClassCounts, GroupedRows, count_people
from ontomask.microdata.known_values import merge_look_alikes, without_unknown
from ontomask.microdata.tuples import count_tuples

__all__ = [
    "ReleasedClasses",
    "count_people_classes",
    "count_record_classes",
    "number_linked_classes",
]

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class ReleasedClasses:
    """The equivalence classes on the quasi-identifiers and the kept columns together.

    Attributes:
        columns: The kept columns.
        classes: Number of classes.
        smallest: Size of the smallest class, in records or people.
        uniques: Number of records, or of people, who are alone in a class.
        total: Number of all records or known people.
        unit: What is counted: records or people.
        link: The released column that links the records of a person; None if there is none. With
            one, the class of a person consists of the people with the same records.
    """

    columns: tuple[str, ...]
    classes: int
    smallest: int
    uniques: int
    total: int
    unit: str
    link: str | None = None


def count_record_classes(rows: GroupedRows, kept: Sequence[str]) -> ReleasedClasses:
    """The classes of a table without people, from its rows by masked values."""
    codes = [rows.columns[column].codes + 1 for column in kept]
    sizes = count_tuples([], [rows.group, *codes], rows.records)[0].counts
    counts = ClassCounts.of_sizes(sizes)
    return ReleasedClasses(tuple(kept), **asdict(counts), total=int(sizes.sum()), unit="records")


def count_people_classes(
    rows: GroupedRows,
    person: str,
    kept: Sequence[str],
    link: str | None = None,
    marks: Collection[str] = (),
) -> ReleasedClasses:
    """The classes of a table with people, from its rows by masked values.

    Args:
        rows: The records by class on the quasi-identifiers, with the columns person, kept and link.
        person: The column that identifies people.
        kept: The kept columns without the link.
        link: A released column whose values belong to one person each. The class of a person is
            then decided by all records with the same value together. Spellings that look alike are
            one value, as readers will take them.
        marks: Values that stand for a missing one in ``person`` and ``link``.
    """

    def code_known(column: str) -> Longs:
        return merge_look_alikes(without_unknown(rows.columns[column], marks))[0].codes

    people = code_known(person)
    codes = [rows.columns[column].codes + 1 for column in kept]
    classes = count_tuples([], [rows.group, *codes])[1]
    if link is not None:
        links = code_known(link)
        if np.bincount(links[links >= 0], weights=rows.records[links >= 0]).max(initial=0) > 1:
            classes = number_linked_classes(classes, links, rows.records)
        else:
            link = None
    sizes = count_people(classes, people)
    _, place = np.unique(classes, return_inverse=True)
    alone = people[(sizes[place] == 1) & (people >= 0)]
    return ReleasedClasses(
        tuple(kept),
        len(sizes),
        int(sizes.min()) if len(sizes) else 0,
        len(np.unique(alone)),
        len(np.unique(people[people >= 0])),
        "people",
        link,
    )


def number_linked_classes(classes: Longs, links: Longs, records: Longs) -> Longs:
    """The class of each row by the multiset of all records with the same link.

    A record without a link stands for itself.
    """
    linked = np.flatnonzero(links >= 0)
    # One row for each link and class, so that rows that were counted apart do not differ.
    size = int(classes.max(initial=0)) + 1
    pairs, place = np.unique(links[linked] * size + classes[linked], return_inverse=True)
    counts = np.bincount(place, weights=records[linked], minlength=len(pairs)).astype(np.int64)
    link_of_pair, class_of_pair = np.divmod(pairs, size)
    content = np.column_stack([class_of_pair, counts])
    numbers: dict[bytes, int] = {}
    ends = np.flatnonzero(np.diff(link_of_pair, append=-1)) + 1
    class_of_link = np.zeros(int(links.max(initial=-1)) + 1, dtype=np.int64)
    start = 0
    for end in ends.tolist():
        signature = content[start:end].tobytes()
        class_of_link[link_of_pair[start]] = numbers.setdefault(signature, len(numbers))
        start = end
    merged = np.empty(len(classes), dtype=np.int64)
    merged[linked] = class_of_link[links[linked]]
    for row in np.flatnonzero(links < 0).tolist():
        signature = np.array([classes[row], 1]).tobytes()
        merged[row] = numbers.setdefault(signature, len(numbers))
    return merged
