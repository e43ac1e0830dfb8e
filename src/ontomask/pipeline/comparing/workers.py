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
    """Choose the number of processes: as asked for, or as many as cores, points and memory allow.

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
    """Compute the point of every method, in order; the number of processes changes nothing."""
    points: dict[int, Point] = {}
    time_left = TimeLeft(len(methods))

    def report_start(place: int, finished: int) -> None:
        point = Point(methods[place])
        words = ", ".join(filter(None, [point.name, point.strength]))
        progress(f"{finished + 1} of {len(methods)}: {words}{time_left.after(finished)}")

    number = how_many(task, len(methods), workers)
    if number > 1:
        # Where methods or task cannot be told to other processes, this one does it all.
        outcomes = side_by_side(
            _compute_point_at, (task, tuple(methods)), range(len(methods)), number, report_start
        )
        points = {
            place: Point(methods[place], error=f"its process ended: {outcome.reason}")
            if isinstance(outcome, Ended)
            else outcome
            for place, outcome in (outcomes or {}).items()
        }
    for place, method in enumerate(methods):
        if place not in points:
            report_start(place, len(points))
            points[place] = worked_out(task, method)
    return [points[place] for place in range(len(methods))]


def _compute_point_at(shared: tuple[Task, Sequence[Method]], place: int) -> Point:
    task, methods = shared
    return worked_out(task, methods[place])
