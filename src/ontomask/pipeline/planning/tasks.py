"""Plans computed in the tasks of an engine: block by block, and noise piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import report_progress
from ontomask.engines.protocol import TaskRunner
from ontomask.errors import format_count
from ontomask.methods.blocks import use_block_runner
from ontomask.methods.blocks.planning import (
    BlockOutcome,
    BlockPlanner,
    BlockRunner,
    SeededBlock,
    plan_block,
)
from ontomask.methods.method import Method
from ontomask.methods.noise.noise_addition import NoiseAddition
from ontomask.methods.noise.table import TableNoise, count_transitions
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["make_block_runner", "plan_in_tasks"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Records that a task draws noise for. What surrounds a value is worked out anew in each task: with
#: five times fewer a record takes three times as long, with twice as many hardly less.
RECORDS_PER_TASK = 500_000


def plan_in_tasks(
    run_in_tasks: TaskRunner, method: Method, tuples: Tuples, random: np.random.Generator
) -> Transitions:
    """The plan of a method: blocks and noise are computed in tasks, everything else here."""
    if isinstance(method, NoiseAddition):
        return _plan_noise(run_in_tasks, method, tuples, random)
    with use_block_runner(make_block_runner(run_in_tasks)):
        return method.plan(tuples, random)


def make_block_runner(run_in_tasks: TaskRunner) -> BlockRunner:
    """A runner that plans every block in a task of its own."""

    def run(
        plan: BlockPlanner, pieces: Sequence[SeededBlock], on_done: Callable[[], None]
    ) -> list[BlockOutcome]:
        def describe(number: int) -> str:
            tuples, _ = pieces[number]
            size = format_count(len(tuples), "combination")
            return f"block {number + 1:,} of {len(pieces):,} ({size} of values)"

        return run_in_tasks(plan_block, plan, pieces, on_done, describe)

    return run


# ---------------------------------------------------------------------- noise


def _plan_noise(
    run_in_tasks: TaskRunner, method: NoiseAddition, tuples: Tuples, random: np.random.Generator
) -> Transitions:
    """The plan of :meth:`NoiseAddition.plan`, drawn by tasks.

    Draws belong to the number that a record has among those of its tuple, and it does not matter
    for the plan which record that is: tuples and how many records they have are all it takes.
    """
    counts = [tuples.value_counts(column) for column in range(len(tuples.attributes))]
    noise = method.fitted(tuples.attributes, counts, random.bytes(32))
    pieces = _NoisePieces(tuples)
    results: list[_NoiseCounts] = run_in_tasks(
        _draw_noise, noise, pieces, pieces.report_piece, pieces.describe
    )
    source = np.concatenate([result.source for result in results])
    values = [
        np.concatenate(column)
        for column in zip(*(result.values for result in results), strict=True)
    ]
    return count_transitions(
        tuples, source, values, np.concatenate([result.count for result in results])
    )


@dataclass(frozen=True, eq=False)
class _NoisePiece:
    """Tuples in a row, by their codes, and ``counts`` of their records.

    ``begin`` is the number of the first tuple, ``first`` that of its first record; of all others
    that is 0.
    """

    begin: int
    first: int
    codes: Ints
    counts: Longs


class _NoisePieces(Sequence[_NoisePiece]):
    """All records, tuple after tuple, cut where a task has enough."""

    def __init__(self, tuples: Tuples) -> None:
        self._tuples, self._end = tuples, np.cumsum(tuples.counts)
        self._drawn_pieces = 0

    def __len__(self) -> int:
        return -(-self._tuples.records // RECORDS_PER_TASK)

    def __getitem__(self, number: Any) -> Any:
        if number >= len(self):
            raise IndexError(number)
        first, last = self._bounds(number)
        begin, end = np.searchsorted(self._end, [first, last - 1], side="right")
        rows = slice(begin, end + 1)
        starts = self._end[rows] - self._tuples.counts[rows]
        counts = np.minimum(self._end[rows], last) - np.maximum(starts, first)
        codes = self._tuples.codes[:, rows]
        return _NoisePiece(int(begin), int(first - starts[0]), codes, counts)

    def _bounds(self, number: int) -> tuple[int, int]:
        first = number * RECORDS_PER_TASK
        return first, min(first + RECORDS_PER_TASK, self._tuples.records)

    def describe(self, number: int) -> str:
        """Describe a piece in words."""
        first, last = self._bounds(number)
        return f"noise for records {first + 1:,} to {last:,} of {self._tuples.records:,}"

    def report_piece(self) -> None:
        """Report that one more piece is drawn."""
        self._drawn_pieces += 1
        report_progress(
            f"drawn noise for {100 * self._drawn_pieces / len(self):.0f} % of the records"
        )


@dataclass(frozen=True, eq=False)
class _NoiseCounts:
    """How many records of a tuple became the same ``values``, an array per attribute."""

    source: Longs
    values: Sequence[NDArray[Any]]
    count: Longs


def _draw_noise(noise: TableNoise, piece: _NoisePiece) -> _NoiseCounts:
    """Draw the noise of a piece, and count what its records become."""
    source = np.repeat(np.arange(len(piece.counts)), piece.counts)
    number = np.arange(len(source)) - (np.cumsum(piece.counts) - piece.counts)[source]
    number[: piece.counts[0]] += piece.first
    values = noise.masked(piece.codes[:, source], noise.keys(piece.codes)[source], number)
    return _count_draws(piece.begin + source, values)


def _count_draws(source: Longs, drawn_values: Sequence[NDArray[Any]]) -> _NoiseCounts:
    import pyarrow as pa

    names = [f"v{j}" for j in range(len(drawn_values))]
    records = pa.table([source, *drawn_values], names=["source", *names])
    grouped = records.group_by(["source", *names], use_threads=False)
    table = grouped.aggregate([([], "count_all")])
    values = [table.column(name).to_numpy() for name in names]
    return _NoiseCounts(
        table.column("source").to_numpy(), values, table.column("count_all").to_numpy()
    )
