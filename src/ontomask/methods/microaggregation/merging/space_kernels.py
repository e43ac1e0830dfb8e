"""What the loops of merging ask of a space: how far a tuple is from a centroid, what a group costs.

Each kind of space has loops of its own for that.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ontomask._runtime.compiled import choose_by_type, stand_for

__all__ = ["answer_with", "group_cost", "keep_centre", "record_cost", "tuple_distance"]


@choose_by_type
def tuple_distance(space: Any, t: Any, centre: Any) -> Any:
    """The distance between a tuple and a centroid."""
    _refuse_python()


@choose_by_type
def record_cost(space: Any, distance: Any) -> Any:
    """What a record at a distance costs."""
    _refuse_python()


@choose_by_type
def group_cost(space: Any, work: Any, members: Any, many: Any) -> Any:
    """What a group costs; its centroid is left in ``work``."""
    _refuse_python()


@choose_by_type
def keep_centre(space: Any, work: Any, groups: Any, group: Any) -> Any:
    """Make the centroid that was last left in ``work`` that of a group."""
    _refuse_python()


def _refuse_python() -> NoReturn:
    raise NotImplementedError("only compiled loops can call this")


def answer_with(kind: type, distance: Any, record: Any, group: Any, keep: Any) -> None:
    """Let four loops answer for spaces of a kind, one for each of these questions."""
    stand_for(tuple_distance, kind, distance)
    stand_for(record_cost, kind, record)
    stand_for(group_cost, kind, group)
    stand_for(keep_centre, kind, keep)
