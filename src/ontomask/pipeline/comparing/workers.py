"""Compute points one after another, or in several processes at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ontomask._runtime.progress import TimeLeft
from ontomask._runtime.workers import WorkerFailure, free_memory, run_in_processes
from ontomask.methods.method import Method
from ontomask.pipeline.comparing.points import ComparisonTask, Point, compute_point

__all__ = ["MIN_PARALLEL_WORK", "affordable_workers", "compute_points"]

Progress = Callable[[str], None]

#: Tuples times methods that are not worth processes of their own: each takes seconds to start, and
#: to make the tables that all points share.
MIN_PARALLEL_WORK = 100_000

#: What a process takes before it does anything, and for every tuple and column, record and column.
BASE, PER_TUPLE, PER_RECORD = 350_000_000, 1_000, 100


# ---------------------------------------------------------------------- how many


def choose_worker_count(task: ComparisonTask, points: int, asked: int | None) -> int:
    """Choose the number of processes: as asked for, or as many as cores, points and memory allow.

    One means none but this.
    """
    if asked is not None:
        return max(1, min(asked, points))
    if len(task.tuples) * points < MIN_PARALLEL_WORK:
        return 1
    return max(1, min(os.cpu_count() or 1, points, affordable_workers(task)))


def affordable_workers(task: ComparisonTask, free: int | None = None) -> int:
    """How many processes fit in the memory that is free, each with tables of its own."""
    free = free_memory() if free is None else free
    return free // _worker_memory(task) if free is not None else os.cpu_count() or 1


def _worker_memory(task: ComparisonTask) -> int:
    """About what a process takes at most; measured on hospital data, and rounded up."""
    columns = len(task.columns)
    rows = PER_TUPLE * len(task.tuples) + PER_RECORD * task.tuples.records
    return BASE + 3 * task.tuples.table_bytes + rows * columns


# ---------------------------------------------------------------------- all points


def compute_points(
    task: ComparisonTask, methods: Sequence[Method], workers: int | None, progress: Progress
) -> list[Point]:
    """Compute the point of every method, in order; the number of processes changes nothing."""
    points: dict[int, Point] = {}
    time_left = TimeLeft(len(methods))

    def report_start(place: int, finished: int) -> None:
        point = Point(methods[place])
        words = ", ".join(filter(None, [point.name, point.strength]))
        progress(f"{finished + 1} of {len(methods)}: {words}{time_left.describe_after(finished)}")

    number = choose_worker_count(task, len(methods), workers)
    if number > 1:
        outcomes = run_in_processes(
            _compute_point_at, (task, tuple(methods)), range(len(methods)), number, report_start
        )
        points = {
            place: Point(methods[place], error=f"the worker process ended: {outcome.reason}")
            if isinstance(outcome, WorkerFailure)
            else outcome
            for place, outcome in outcomes.items()
        }
    for place, method in enumerate(methods):
        if place not in points:  # other processes were not asked, or could not do it
            report_start(place, len(points))
            points[place] = compute_point(task, method)
    return [points[place] for place in range(len(methods))]


def _compute_point_at(shared: tuple[ComparisonTask, Sequence[Method]], place: int) -> Point:
    task, methods = shared
    return compute_point(task, methods[place])
