"""Plans that are made where the records are: block by block, and noise piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import SparkSession

from ontomask._runtime.progress import say
from ontomask.engines.spark.tasks import in_tasks
from ontomask.errors import many
from ontomask.methods.blocks.planning import Outcome, Piece, Planner, Runner, planned
from ontomask.methods.noise.noise_addition import NoiseAddition
from ontomask.methods.noise.table import TableNoise, transitions
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["blocks_in_tasks", "noise_in_tasks"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: Records that a task draws noise for. What surrounds a value is worked out anew in each task: with
#: five times fewer a record takes three times as long, with twice as many hardly less.
AT_A_TIME = 500_000


def blocks_in_tasks(spark: SparkSession) -> Runner:
    """What has every block planned by a task."""

    def run(plan: Planner, pieces: Sequence[Piece], done: Callable[[], None]) -> list[Outcome]:
        def called(number: int) -> str:
            tuples, _ = pieces[number]
            return f"block {number + 1:,} of {len(pieces):,} ({many(len(tuples), 'tuple')})"

        return in_tasks(spark, planned, plan, pieces, done, called)

    return run


# ---------------------------------------------------------------------- noise


def noise_in_tasks(
    spark: SparkSession, method: NoiseAddition, tuples: Tuples, random: np.random.Generator
) -> Transitions:
    """The plan of :meth:`NoiseAddition.plan`, drawn by tasks.

    Draws belong to the number that a record has among those of its tuple, and it does not matter
    for the plan which record that is: tuples and how many records they have are all it takes.
    """
    counts = [tuples.value_counts(column) for column in range(len(tuples.attributes))]
    noise = method.fitted(tuples.attributes, counts, random.bytes(32))
    pieces = _Pieces(tuples)
    found: list[_Drawn] = in_tasks(spark, _drawn, noise, pieces, pieces.done, pieces.called)
    source = np.concatenate([it.source for it in found])
    drawn = [np.concatenate(column) for column in zip(*(it.values for it in found), strict=True)]
    return transitions(tuples, source, drawn, np.concatenate([it.count for it in found]))


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Tuples in a row, by their codes, and ``counts`` of their records.

    ``begin`` is the number of the first tuple, ``first`` that of its first record; of all others
    that is 0.
    """

    begin: int
    first: int
    codes: Ints
    counts: Longs


class _Pieces(Sequence[_Numbers]):
    """All records, tuple after tuple, cut where a task has enough."""

    def __init__(self, tuples: Tuples) -> None:
        self._tuples, self._end = tuples, np.cumsum(tuples.counts)
        self._done = 0

    def __len__(self) -> int:
        return -(-self._tuples.records // AT_A_TIME)

    def __getitem__(self, number: Any) -> Any:
        if number >= len(self):
            raise IndexError(number)
        first, last = self._bounds(number)
        begin, end = np.searchsorted(self._end, [first, last - 1], side="right")
        some = slice(begin, end + 1)
        starts = self._end[some] - self._tuples.counts[some]
        counts = np.minimum(self._end[some], last) - np.maximum(starts, first)
        codes = self._tuples.codes[:, some]
        return _Numbers(int(begin), int(first - starts[0]), codes, counts)

    def _bounds(self, number: int) -> tuple[int, int]:
        first = number * AT_A_TIME
        return first, min(first + AT_A_TIME, self._tuples.records)

    def called(self, number: int) -> str:
        """A piece in words."""
        first, last = self._bounds(number)
        return f"noise for records {first + 1:,} to {last:,} of {self._tuples.records:,}"

    def done(self) -> None:
        """One more piece is drawn."""
        self._done += 1
        say(f"drawn noise for {self._done / len(self):.0%} of the records")


@dataclass(frozen=True, eq=False)
class _Drawn:
    """How many records of a tuple became the same ``values``, an array per attribute."""

    source: Longs
    values: Sequence[NDArray[Any]]
    count: Longs


def _drawn(noise: TableNoise, piece: _Numbers) -> _Drawn:
    """What the records of a piece become, counted."""
    source = np.repeat(np.arange(len(piece.counts)), piece.counts)
    number = np.arange(len(source)) - (np.cumsum(piece.counts) - piece.counts)[source]
    number[: piece.counts[0]] += piece.first
    drawn = noise.masked(piece.codes[:, source], noise.keys(piece.codes)[source], number)
    return _counted(piece.begin + source, drawn)


def _counted(source: Longs, drawn: Sequence[NDArray[Any]]) -> _Drawn:
    import pyarrow as pa

    names = [f"v{j}" for j in range(len(drawn))]
    records = pa.table([source, *drawn], names=["source", *names])
    grouped = records.group_by(["source", *names], use_threads=False)
    found = grouped.aggregate([([], "count_all")])
    values = [found.column(name).to_numpy() for name in names]
    return _Drawn(found.column("source").to_numpy(), values, found.column("count_all").to_numpy())
