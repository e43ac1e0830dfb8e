"""Points worked out one after another, or in several processes at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ontomask._runtime.workers import Ended, TimeLeft, free_memory, side_by_side
from ontomask.methods.method import Method
from ontomask.pipeline.comparing.points import Point, Task, worked_out

__all__ = ["SMALL", "affordable", "points_of"]

Progress = Callable[[str], None]

#: Tuples times methods that are not worth processes of their own: each takes seconds to start, and
#: to make the tables that all points share.
SMALL = 100_000

#: What a process takes before it does anything, and for every tuple and column, record and column.
BASE, PER_TUPLE, PER_RECORD = 350_000_000, 1_000, 100


# ---------------------------------------------------------------------- how many


def how_many(task: Task, points: int, asked: int | None) -> int:
    """The number of processes: as asked for; otherwise as many as cores, points and memory allow.

    One means none but this.
    """
    if asked is not None:
        return max(1, min(asked, points))
    if len(task.tuples) * points < SMALL:
        return 1
    return max(1, min(os.cpu_count() or 1, points, affordable(task)))


def affordable(task: Task, free: int | None = None) -> int:
    """How many processes fit in the memory that is free, each with tables of its own."""
    free = free_memory() if free is None else free
    return free // _needed(task) if free is not None else os.cpu_count() or 1


def _needed(task: Task) -> int:
    """About what a process takes at most; measured on hospital data, and rounded up."""
    columns = len(task.columns)
    rows = PER_TUPLE * len(task.tuples) + PER_RECORD * task.tuples.records
    return BASE + 3 * task.tuples.table_bytes + rows * columns


# ---------------------------------------------------------------------- all points


def points_of(
    task: Task, methods: Sequence[Method], workers: int | None, progress: Progress
) -> list[Point]:
    """The point of every method, in their order; the same however many processes there are."""
    found: dict[int, Point] = {}
    left = TimeLeft(len(methods))

    def begins(place: int, done: int) -> None:
        it = Point(methods[place])
        words = ", ".join(filter(None, [it.name, it.strength]))
        progress(f"{done + 1} of {len(methods)}: {words}{left.after(done)}")

    number = how_many(task, len(methods), workers)
    if number > 1:
        # Where methods or task cannot be told to other processes, this one does it all.
        given = side_by_side(_of_place, (task, tuple(methods)), range(len(methods)), number, begins)
        found = {
            place: Point(methods[place], error=f"its process ended: {it.reason}")
            if isinstance(it, Ended)
            else it
            for place, it in (given or {}).items()
        }
    for place, method in enumerate(methods):
        if place not in found:
            begins(place, len(found))
            found[place] = worked_out(task, method)
    return [found[place] for place in range(len(methods))]


def _of_place(told: tuple[Task, Sequence[Method]], place: int) -> Point:
    task, methods = told
    return worked_out(task, methods[place])
