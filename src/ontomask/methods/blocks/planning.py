"""Blocks planned one after another, in processes of our own, or wherever a runner takes them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import TimeLeft, report_progress
from ontomask._runtime.workers import WorkerFailure, free_memory, run_in_processes
from ontomask.errors import BlockError, OntomaskError, format_count
from ontomask.methods.blocks.block import (
    BlockTransitions,
    TupleBlocks,
    extract_block_transitions,
    join_blocks,
)
from ontomask.methods.blocks.split import StandaloneTest, split_tuples
from ontomask.microdata.tuples import Transitions, Tuples

__all__ = ["BlockPlanner", "BlockRunner", "split_into_blocks", "plan_in_blocks", "use_block_runner"]

Longs = NDArray[np.int64]

#: What plans a table: the method, when it is not asked for blocks.
BlockPlanner = Callable[[Tuples, np.random.Generator], Transitions]

#: A block and where its chance begins.
SeededBlock = tuple[Tuples, int]

#: What became of a piece: a plan, an error of ours, or how its process ended.
BlockOutcome = BlockTransitions | OntomaskError | WorkerFailure

#: Plans pieces somewhere, and calls what it is given for each that is done.
BlockRunner = Callable[
    [BlockPlanner, Sequence[SeededBlock], Callable[[], None]], list[BlockOutcome]
]

#: Blocks with fewer tuples in all are not worth processes of their own.
SMALL = 20_000
#: What a process takes before it does anything, and for every tuple of its block and column.
BASE, PER_TUPLE = 350_000_000, 2_000

_runner: ContextVar[BlockRunner | None] = ContextVar("runner", default=None)


@contextmanager
def use_block_runner(runner: BlockRunner) -> Iterator[None]:
    """Plan blocks with this runner inside the ``with`` statement."""
    before = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(before)


def split_into_blocks(
    tuples: Tuples, size: int, factors: Sequence[float] | None, fits: StandaloneTest
) -> list[Longs]:
    """Split the tuples into blocks, each given by the places of its tuples."""
    weights = factors or [attribute.weight for attribute in tuples.attributes]
    return split_tuples(tuples, size, weights, fits)


def plan_in_blocks(
    plan: BlockPlanner,
    tuples: Tuples,
    blocks: Sequence[Longs],
    factors: Sequence[float] | None,
    random: np.random.Generator,
) -> Transitions:
    """Plan every block alone. The same seed gives the same plan wherever they are planned."""
    cut = TupleBlocks(tuples, blocks, factors)
    seeds = [int.from_bytes(random.bytes(16)) for _ in blocks]
    pieces = _SeededBlocks(cut, seeds)
    progress = _BlockProgress(len(blocks))
    run = _runner.get() or _plan_in_processes
    outcomes = run(plan, pieces, progress.report_block)
    return join_blocks(
        tuples, blocks, [_require_plan(*numbered, blocks) for numbered in enumerate(outcomes)]
    )


def plan_block(plan: BlockPlanner, piece: SeededBlock) -> BlockTransitions | OntomaskError:
    """Plan one block in this process; an error of ours is returned, not raised."""
    tuples, seed = piece
    try:
        return extract_block_transitions(plan(tuples, np.random.default_rng(seed)))
    except OntomaskError as error:
        return error


class _SeededBlocks(Sequence[SeededBlock]):
    """Blocks with their seeds, built when asked for: all at once would double the table."""

    def __init__(self, cut: TupleBlocks, seeds: Sequence[int]) -> None:
        self._cut, self._seeds = cut, seeds

    def __len__(self) -> int:
        return len(self._cut)

    def __getitem__(self, number: Any) -> Any:
        if number >= len(self):
            raise IndexError(number)
        return self._cut[number], self._seeds[number]


class _BlockProgress:
    """Reports how many blocks are planned."""

    def __init__(self, blocks: int) -> None:
        self._blocks, self._planned, self._left = blocks, 0, TimeLeft(blocks)

    def report_block(self) -> None:
        """Report that one more block is planned."""
        self._planned += 1
        report_progress(
            f"planned {self._planned:,} of {format_count(self._blocks, 'block')}"
            f"{self._left.describe_after(self._planned)}"
        )


def _require_plan(number: int, outcome: BlockOutcome, blocks: Sequence[Longs]) -> BlockTransitions:
    if isinstance(outcome, BlockTransitions):
        return outcome
    which = (
        f"block {number + 1:,} of {len(blocks):,} "
        f"({format_count(len(blocks[number]), 'combination')} of values)"
    )
    if isinstance(outcome, WorkerFailure):
        raise BlockError(
            f"{which} was not planned: its process ended ({outcome.reason})",
            "free some memory or use smaller blocks, and mask again; nothing was written",
        )
    raise outcome.with_message(f"{which}: {outcome.message}") from outcome


# ---------------------------------------------------------------------- in processes


def _plan_in_processes(
    plan: BlockPlanner, pieces: Sequence[SeededBlock], report_block: Callable[[], None]
) -> list[BlockOutcome]:
    outcomes: dict[int, Any] = {}
    processes = _choose_process_count(pieces)
    if processes > 1:
        outcomes = run_in_processes(
            plan_block, plan, pieces, processes, on_result=lambda *_: report_block()
        )
    for place in range(len(pieces)):
        if place not in outcomes:  # other processes were not asked, or could not do it
            outcomes[place] = plan_block(plan, pieces[place])
            report_block()
    return [outcomes[place] for place in range(len(pieces))]


def _choose_process_count(pieces: Sequence[SeededBlock]) -> int:
    """The number of processes that cores, blocks and memory allow; 1 means this process only."""
    first, _ = pieces[0]
    if len(first) * len(pieces) < SMALL:
        return 1
    needed = BASE + 3 * first.table_bytes + PER_TUPLE * len(first) * len(first.attributes)
    free = free_memory()
    room = os.cpu_count() or 1 if free is None else free // needed
    return max(1, min(os.cpu_count() or 1, len(pieces), room))
