"""The people of several tables, under one number each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ontomask.pipeline.counting import Counted

__all__ = ["number_people_together"]


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
