"""A table planned in blocks: when that is chosen, and what it cost."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ontomask._runtime.progress import report_progress
from ontomask._runtime.workers import free_memory
from ontomask.errors import BlocksChosenWarning, format_count
from ontomask.methods.blocks.block import TupleBlocks
from ontomask.methods.method import BlockwiseMethod, Method
from ontomask.microdata.tuples import Tuples

__all__ = ["BlockPlan", "measure_block_cost", "choose_block_size"]

#: The size of a block where nobody asked for one.
DEFAULT_BLOCK_SIZE = 20_000

#: What planning takes for every tuple and column, and for every record and column where records
#: are planned one by one, in bytes; measured on hospital data, and rounded up.
PER_TUPLE, PER_RECORD = 200, 50

#: Neighbouring blocks are planned together and apart, to see what it costs: number of tuples,
#: and two blocks at least.
SAMPLE = 40_000


@dataclass(frozen=True)
class BlockPlan:
    """How a table was cut into blocks for planning.

    Attributes:
        size: Largest number of combinations of values in a block.
        blocks: Number of blocks.
        extra_loss: Additional information loss against planning without blocks, estimated on the
            sample; None if the sample lost nothing either way.
        sample: Number of combinations of values that were planned both ways.
    """

    size: int
    blocks: int
    extra_loss: float | None
    sample: int

    def __str__(self) -> str:
        blocks, size = format_count(self.blocks, "block"), format_count(self.size, "combination")
        words = f"planned in {blocks} of up to {size} of values"
        if self.extra_loss is None:
            return words
        more = "more" if self.extra_loss >= 0 else "less"
        return (
            f"{words}, with about {100 * abs(self.extra_loss):.0f} % {more} information loss than "
            f"without blocks (estimated from {self.sample:,} combinations)"
        )


def choose_block_size(method: Method, tuples: Tuples) -> Method:
    """The method, planned in blocks (with a warning) where it would not fit in memory."""
    if not isinstance(method, BlockwiseMethod) or not method.gains_from_blocks:
        return method
    if method.block is not None or len(tuples) <= DEFAULT_BLOCK_SIZE:
        return method
    columns = len(tuples.attributes)
    needed = PER_TUPLE * columns * len(tuples)
    if method.permutes:
        needed += PER_RECORD * columns * tuples.records
    free = free_memory()
    if free is None or needed <= free:
        return method
    size = max(DEFAULT_BLOCK_SIZE, method.smallest_block)
    words = (
        f"planning {format_count(len(tuples), 'combination')} of values together needs about "
        f"{needed / 1e9:.1f} GB of memory, but only {free / 1e9:.1f} GB are free. They are planned "
        f"in blocks of {size:,}, which increases the information loss a little. To choose the "
        "size, set block"
    )
    warnings.warn(words, BlocksChosenWarning, stacklevel=5)
    return method.with_block_size(size)


def measure_block_cost(
    method: Method, tuples: Tuples, random: np.random.Generator
) -> BlockPlan | None:
    """Measure the extra loss of planning in blocks; None where all is planned together."""
    if not isinstance(method, BlockwiseMethod) or not method.blocked(tuples):
        return None
    assert method.block is not None
    blocks = method.blocks(tuples)
    if len(blocks) < 2:
        return BlockPlan(method.block, 1, None, 0)
    report_progress("planning a sample without blocks to measure the extra information loss")
    # Blocks stand in an order that keeps near ones together: a few in a row are a corner.
    number = min(max(2, SAMPLE // method.block), len(blocks))
    first = int(random.integers(len(blocks) - number + 1))
    corner = np.sort(np.concatenate(blocks[first : first + number]))
    sample = TupleBlocks(tuples, [corner], method.factors(tuples))[0]
    extra = _extra_loss(method, sample, int(random.integers(2**63)))
    return BlockPlan(method.block, len(blocks), extra, len(sample))


def _extra_loss(method: BlockwiseMethod, sample: Tuples, seed: int) -> float | None:
    """The extra loss of planning in blocks, as a share of the loss without blocks."""
    from ontomask.utility import sse

    variants = (method, method.with_block_size(None))
    apart, together = (
        sse(variant.plan(sample, np.random.default_rng(seed))) for variant in variants
    )
    return apart / together - 1 if together > 0 else None
