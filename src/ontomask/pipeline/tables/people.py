"""The people of several tables, under one number each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.known_values import fold_value
from ontomask.pipeline.counting import Counted
from ontomask.risk.released_classes import number_linked_classes

__all__ = ["count_joint_uniques", "number_people_together"]

Longs = NDArray[np.int64]


def number_people_together(tables: Sequence[Counted]) -> list[Counted]:
    """The same tables with people numbered by their names in all of them.

    Keys that differ only in spelling are one person, as within a table.
    """
    names = sorted({name for counted in tables for name in counted.people_names})
    number = {name: place for place, name in enumerate(names)}
    renumbered = []
    for counted in tables:
        linked = counted.plan_input.linked
        assert linked is not None
        of_table = np.array([number[name] for name in counted.people_names], dtype=np.int64)
        linked = replace(linked, person=of_table[linked.person])
        plan_input = replace(counted.plan_input, linked=linked)
        renumbered.append(replace(counted, plan_input=plan_input, people_names=tuple(names)))
    return renumbered


def count_joint_uniques(tables: Sequence[tuple[Longs, DistinctValues]]) -> tuple[int, int]:
    """Count the people who alone have all their rows in all tables, and all people.

    The tables have a tuple and a person for each of their rows; unknown people do not count.
    """
    number: dict[str, int] = {}
    rows, people, records, first = [], [], [], 0
    for tuple_of, distinct in tables:
        names = [number.setdefault(fold_value(value), len(number)) for value in distinct.values]
        known = distinct.codes >= 0
        people.append(np.array(names, dtype=np.int64)[distinct.codes[known]])
        rows.append(first + tuple_of[known])
        weights = distinct.weights
        ones = np.ones(len(known), dtype=np.int64)
        records.append((ones if weights is None else weights)[known])
        first += int(tuple_of.max(initial=-1)) + 1
    links = np.concatenate(people)
    classes = number_linked_classes(np.concatenate(rows), links, np.concatenate(records))
    pairs = np.unique(np.column_stack([classes, links]), axis=0)
    sizes = np.unique(pairs[:, 0], return_counts=True)[1]
    return int((sizes == 1).sum()), len(np.unique(links))
