"""What the loops of merging ask of a space: how far a tuple is from a centroid, what a group costs.

Each kind of space has loops of its own for that. A space whose tuples can be the rows of a bag
answers three questions more, because the centroid of a bag has a centroid of rows for each slot.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ontomask._runtime.compiled import choose_by_type, stand_for

__all__ = [
    "answer_for_rows_with",
    "answer_with",
    "group_cost",
    "keep_centre",
    "move_centres",
    "record_cost",
    "store_centre",
    "tuple_distance",
    "write_centre",
]


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


@choose_by_type
def write_centre(space: Any, work: Any, at: Any, centre: Any) -> Any:
    """Write the centroid that was last left in ``work`` to a row of targets.

    What does not fit into the row is written to the room of the space, from ``at`` on. Where it
    ends.
    """
    _refuse_python()


@choose_by_type
def store_centre(space: Any, centre: Any, end: Any) -> Any:
    """Move what a centroid has outside its row to the room before ``end``; whether it fits."""
    _refuse_python()


@choose_by_type
def move_centres(space: Any, centres: Any, first: Any, stop: Any) -> Any:
    """Move together what some centroids, and no others, have in the room of the space."""
    _refuse_python()


def _refuse_python() -> NoReturn:
    raise NotImplementedError("only compiled loops can call this")


def answer_with(kind: type, distance: Any, record: Any, group: Any, keep: Any) -> None:
    """Let four loops answer for spaces of a kind, one for each of these questions."""
    stand_for(tuple_distance, kind, distance)
    stand_for(record_cost, kind, record)
    stand_for(group_cost, kind, group)
    stand_for(keep_centre, kind, keep)


def answer_for_rows_with(kind: type, write: Any, store: Any, move: Any) -> None:
    """Let three more loops answer for spaces of a kind, whose tuples can be the rows of a bag."""
    stand_for(write_centre, kind, write)
    stand_for(store_centre, kind, store)
    stand_for(move_centres, kind, move)
